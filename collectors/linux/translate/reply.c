/* Takes the helper's answers: the collector's thread, between records. */
#include "collectors/linux/bpf/process_scope.h"
#include "collectors/linux/translate/job.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/task.h"
#include "src/base/bytes.h"

#include <string.h>

enum { TAKE_AT_ONCE = 8192 };

/* A record is put at the time that the rings have reached. Where it names a thread, no event since
 * it was written may contradict it. */
static void take_record(struct translator *t, const struct record_head *head, bool is_rare)
{
    enum { TIME_AT = 16, SHORT_TIME_AT = 8 };
    struct event e;
    if (head->bytes > sizeof t->room ||
        event_parse((const uint8_t *)(head + 1), head->bytes - sizeof *head, &e) != EVENT_OK)
        return;
    if (e.pid != EVENT_NO_ID && !task_trusts(t, e.pid, e.tid, head->ts))
        return;
    struct record_head now = *head;
    uint8_t *const copy = (uint8_t *)t->room;
    memcpy(copy, head + 1, head->bytes - sizeof *head);
    now.ts = t->time ? t->time : head->ts;
    memcpy(copy + (e.kind == HEADER_PERFINFO ? SHORT_TIME_AT : TIME_AT), &now.ts, sizeof now.ts);
    now.source = t->source;
    now.form = RECORD_ETW;
    feed_put(t->feed, &now, copy, is_rare);
    if (e.id == HOOK_IMAGE_RUNDOWN && e.payload_bytes >= 20)
        image_met(t, load_u32(e.payload + 16), load_u64(e.payload), load_u64(e.payload + 8));
}

/* Of processes that nobody asked about, no samples either. */
static bool is_in_scope(const struct translator *t, const struct record_head *head)
{
    struct event e;
    const bool has_scope = t->scope && t->scope->processes;
    return !has_scope ||
           event_parse((const uint8_t *)(head + 1), head->bytes - sizeof *head, &e) != EVENT_OK ||
           e.pid == t->self || scope_has(t->scope, e.pid);
}

static void take_reply(struct translator *t, const struct record_head *head)
{
    struct reply m;
    const size_t bytes = head->bytes - sizeof *head;
    memcpy(&m, head + 1, bytes < sizeof m ? bytes : sizeof m);
    const struct linux_domain *const d = m.domain < DOMAINS ? linux_domains[m.domain] : NULL;
    if (d && d->reply)
        d->reply(t, &m);
}

bool helper_take(struct helper *h, struct translator *t)
{
    struct ring *const mailbox = helper_mailbox(h);
    uint64_t position;
    for (unsigned i = 0; i < TAKE_AT_ONCE; i++) {
        const struct record_head *const head = ring_peek(mailbox, &position);
        if (!head)
            return false;
        if (head->form == RECORD_ETW)
            take_record(t, head, true);
        else if (head->form == RECORD_SAMPLED && is_in_scope(t, head))
            take_record(t, head, false);
        else if (head->form == RECORD_REPLY)
            take_reply(t, head);
        else if (head->form == RECORD_SENTENCE)
            feed_notice(t->feed, "%s", (const char *)(head + 1));
        else if (head->form == RECORD_NAMED)
            helper_name(h);
        else if (head->form == RECORD_KERNEL)
            helper_list_kernel(h);
        ring_release(mailbox);
    }
    return true;
}
