/* The hardware of this machine without a session: the helper's records, read from its mailbox. */
#include "collectors/linux/live.h"
#include "collectors/linux/translate/job.h"

#include "src/base/mem.h"
#include "src/os/os.h"

#include <stdlib.h>
#include <unistd.h>

static void take(const struct collector_description *d, const struct record_head *head)
{
    struct event e;
    if (head->form == RECORD_ETW && event_of_record(head, &e) == EVENT_OK)
        d->event(d->to, &e);
    else if (head->form == RECORD_SENTENCE)
        d->sentence(d->to, (const char *)(head + 1));
}

static void take_all(const struct collector_description *d, struct ring *mailbox)
{
    uint64_t position;
    for (const struct record_head *head; (head = ring_peek(mailbox, &position));) {
        take(d, head);
        ring_release(mailbox);
    }
}

bool live_describe_at(const struct collector_description *d, const char *root, struct err *err)
{
    enum { PAUSE_NS = 2000000 };
    struct translator *const t = mem_new(1, sizeof *t);
    t->self = (uint32_t)getpid();
    struct helper *const h = helper_start_at(t, root, err);
    if (h) {
        const struct help question = {.kind = HELP_MACHINE, .time = job_now()};
        helper_ask(h, &question);
        for (bool is_busy = true; is_busy && !(d->stop && *d->stop);) {
            is_busy = helper_is_busy(h); /* before: what it says now is not missed */
            take_all(d, helper_mailbox(h));
            if (is_busy)
                os_sleep(PAUSE_NS);
        }
        helper_stop(h);
    }
    free(t);
    return h != NULL;
}

bool live_describe(const struct collector_description *d, struct err *err)
{
    return live_describe_at(d, "/", err);
}
