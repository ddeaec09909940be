/* From records to full buffers: one buffer per processor is being filled; full ones wait for the
 * consumer, no more than the session may have. Beyond that events are lost, and the first
 * buffer that there is again begins with a Lost_Event. */
#include "tests/etw/fake.h"

#include "collectors/synthetic/prng.h"
#include "src/base/bytes.h"
#include "src/base/payload_writer.h"
#include "src/ring/ring.h"

#include <stdlib.h>
#include <string.h>

enum {
    MODE_REAL_TIME = 0x100,
    RECENT = 4096,
    HOOK_STACK = 0x1820,
    LOST_EVENT = 32,
    CLASSIC_BYTES = 48,
    LATE_IN = 8,
    LATE_MS = 600,
};

/* Which event happened at which time, for stacks: they come a little later, by its time. */
static struct {
    int64_t ts;
    uint16_t hook;
} recent[RECENT];

static struct prng prng;

/* ---- one session's ----------------------------------------------------------------------- */

static struct buffer *new_buffer(struct fake_session *s, unsigned cpu)
{
    struct buffer *b = s->free;
    if (b) {
        s->free = b->next;
    } else if (s->buffers < s->buffers_most) {
        const uint32_t size = s->p.BufferSize * 1024;
        b = malloc(sizeof *b + size);
        if (!b)
            return NULL;
        b->size = size;
        s->buffers++;
    }
    if (b) {
        b->next = NULL;
        b->used = 0;
        b->due = 0;
        b->cpu = cpu;
    }
    return b;
}

static void give_back(struct fake_session *s, struct buffer *b)
{
    b->next = s->free;
    s->free = b;
}

static void add(struct buffer *b, const struct record_head *head, const void *record)
{
    memcpy(b->bytes + b->used, head, sizeof *head);
    memcpy(b->bytes + b->used + sizeof *head, record, head->bytes - sizeof *head);
    b->used += (uint32_t)ring_padded(head->bytes);
}

/* "Events before this one were lost": no count comes with it. */
static void add_lost(struct buffer *b, unsigned opcode, unsigned cpu)
{
    static const GUID class = {
        0x6a399ae0, 0x4bc6, 0x4de9, {0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e}};
    uint8_t bytes[CLASSIC_BYTES] = {0};
    struct payload_writer p = {bytes, bytes, bytes + sizeof bytes};
    put_u16(&p, CLASSIC_BYTES);
    put_u8(&p, 20); /* EVENT_TRACE_HEADER, 64 bit */
    put_u8(&p, 0xc0);
    put_u8(&p, opcode);
    put_u8(&p, 0);
    put_u16(&p, 0);
    put_u32(&p, 0);
    put_u32(&p, 0);
    put_u64(&p, (uint64_t)machine_now());
    put_bytes(&p, &class, sizeof class);
    const struct record_head head = {.bytes = sizeof head + CLASSIC_BYTES,
                                     .form = RECORD_ETW,
                                     .cpu = (uint16_t)cpu,
                                     .ts = machine_now()};
    add(b, &head, bytes);
    report_add(FIGURE_LOST_EVENTS_SHOWN, 1);
}

/* A full buffer goes to the consumer, or is lost as the test requests. */
static void hand_over(struct fake_session *s, unsigned cpu)
{
    struct buffer *const b = s->filling[cpu];
    s->filling[cpu] = NULL;
    s->full_count++;
    s->p.BuffersWritten++;
    if (play.lost_buffers && s->full_count % play.lost_buffers == 0) {
        s->p.RealTimeBuffersLost++;
        report_add(FIGURE_BUFFERS_LOST, 1);
        give_back(s, b);
        return;
    }
    if (unkind(UNKIND_DISORDER) && s->full_count % LATE_IN == 0)
        b->due = play_time() + LATE_MS;
    *s->full_end = b;
    s->full_end = &b->next;
}

static bool begin(struct fake_session *s, unsigned cpu)
{
    struct buffer *const b = new_buffer(s, cpu);
    if (!b)
        return false;
    s->filling[cpu] = b;
    if (s->lost_since)
        add_lost(b, LOST_EVENT, cpu);
    s->lost_since = false;
    return true;
}

static void lose(struct fake_session *s, uint64_t events)
{
    s->p.EventsLost += (ULONG)events;
    s->lost_since = true;
    report_add(FIGURE_LOST, (int64_t)events);
}

void buffers_flush(struct fake_session *s)
{
    for (unsigned cpu = 0; cpu < FAKE_CPUS; cpu++)
        if (s->filling[cpu])
            hand_over(s, cpu);
    s->flushed = machine_now();
    WakeAllConditionVariable(&s->changed);
}

struct buffer *buffers_take(struct fake_session *s)
{
    struct buffer *list = NULL, **list_end = &list, **left_end = &s->full;
    const int64_t now = play_time();
    for (struct buffer *b = s->full, *next; b; b = next) {
        struct buffer ***const end = b->due > now && !s->is_stopped ? &left_end : &list_end;
        next = b->next;
        **end = b;
        *end = &b->next;
    }
    *left_end = *list_end = NULL;
    s->full_end = left_end;
    return list;
}

void buffers_return(struct fake_session *s, struct buffer *list)
{
    while (list) {
        struct buffer *const next = list->next;
        give_back(s, list);
        list = next;
    }
}

static void free_list(struct buffer **list)
{
    while (*list) {
        struct buffer *const b = *list;
        *list = b->next;
        free(b);
    }
}

void buffers_free(struct fake_session *s)
{
    for (unsigned cpu = 0; cpu < FAKE_CPUS; cpu++)
        free_list(&s->filling[cpu]);
    free_list(&s->full);
    free_list(&s->free);
    s->buffers = 0;
}

/* ---- damage, as the test requests ------------------------------------------------------------ */

/* The payload ends too early: the record's own size says so, as it would. */
static void cut(struct record_head *head, uint8_t *record, const struct event *e)
{
    const uint32_t keep = prng_below(&prng, e->payload_bytes);
    const uint16_t size = (uint16_t)(e->payload - e->record + keep);
    memcpy(record + (header_is_kernel((enum header_kind)e->kind) ? 4 : 0), &size, sizeof size);
    head->bytes = (uint32_t)sizeof *head + size;
}

static void lie(uint8_t *record, const struct event *e)
{
    const uint32_t at = prng_below(&prng, e->payload_bytes);
    const uint32_t left = e->payload_bytes - at, bytes = prng_below(&prng, left < 16 ? left : 16);
    for (uint32_t i = 0; i <= bytes && at + i < e->payload_bytes; i++)
        record[e->payload - e->record + at + i] =
            (uint8_t)(prng_below(&prng, 3) ? 0xff : prng_below(&prng, 256));
}

static const void *damage(struct record_head *head, const void *record)
{
    static _Alignas(8) uint8_t copy[65536];
    struct event e;
    const bool is_cut = play.cut && prng_below(&prng, play.cut) == 0;
    const bool is_lie = play.lie && prng_below(&prng, play.lie) == 0;
    if (!is_cut && !is_lie)
        return record;
    memcpy(copy, record, head->bytes - sizeof *head);
    if (event_parse(copy, head->bytes - sizeof *head, &e) != EVENT_OK || !e.payload_bytes)
        return record;
    if (is_lie)
        lie(copy, &e);
    if (is_cut)
        cut(head, copy, &e);
    return copy;
}

/* ---- every session's ------------------------------------------------------------------------- */

static void append(struct fake_session *s, struct record_head head, const void *record)
{
    const unsigned cpu = head.cpu % FAKE_CPUS;
    record = damage(&head, record);
    const size_t need = ring_padded(head.bytes) + sizeof head + CLASSIC_BYTES;
    if (s->filling[cpu] && s->filling[cpu]->used + need > s->filling[cpu]->size) {
        hand_over(s, cpu);
        WakeAllConditionVariable(&s->changed);
    }
    if ((!s->filling[cpu] && !begin(s, cpu)) ||
        s->filling[cpu]->used + need > s->filling[cpu]->size)
        lose(s, 1);
    else
        add(s->filling[cpu], &head, record);
}

static bool is_kernel(const uint8_t *record)
{
    const uint8_t type = record[2];
    return record[3] == 0xc0 && ((type >= 1 && type <= 4) || type == 16 || type == 17);
}

/* A stack comes with the event it belongs to, where stacks of such events were asked for. */
static bool wants_kernel(const struct fake_session *s, const struct record_head *head,
                         const uint8_t *record)
{
    unsigned hook = load_u16(record + 6);
    if (!session_is_kernel(s))
        return false;
    if (hook != HOOK_STACK)
        return hook_is_set(s->wants, hook);
    const uint32_t header = record[2] < 16 ? 32 : 16;
    if (head->bytes < sizeof *head + header + sizeof(int64_t))
        return false;
    const int64_t of = (int64_t)load_u64(record + header);
    hook = recent[(uint64_t)of % RECENT].hook;
    return recent[(uint64_t)of % RECENT].ts == of && hook_is_set(s->wants, hook) &&
           hook_is_set(s->stacks, hook);
}

/* Traces that somebody wrote again have kernel events under the older header, by class. */
static bool wants_event(const struct fake_session *s, const struct event *e, unsigned hook)
{
    if (hook < FAKE_HOOKS)
        return session_is_kernel(s) && hook_is_set(s->wants, hook);
    return provider_wants(s, e);
}

void buffers_put(const struct record_head *head, const void *record, struct fake_session *only)
{
    const bool kernel = is_kernel(record);
    struct event e;
    if (!kernel && event_parse(record, head->bytes - sizeof *head, &e) != EVENT_OK)
        return;
    const unsigned hook = !kernel && e.kind == HEADER_CLASSIC
                              ? want_hook_of((const GUID *)(const void *)&e.provider, e.opcode)
                              : FAKE_HOOKS;
    if (kernel && load_u16((const uint8_t *)record + 6) != HOOK_STACK) {
        recent[(uint64_t)head->ts % RECENT].ts = head->ts;
        recent[(uint64_t)head->ts % RECENT].hook = load_u16((const uint8_t *)record + 6);
    }
    const unsigned top = sessions_top();
    for (unsigned i = 0; i < top; i++) {
        struct fake_session *const s = only ? only : session_at(i);
        if (s->is_used && !s->is_stopped && s->p.LogFileMode & MODE_REAL_TIME &&
            (kernel ? wants_kernel(s, head, record) : wants_event(s, &e, hook)))
            append(s, *head, record);
        if (only)
            return;
    }
}

void buffers_lose(uint64_t events)
{
    for (unsigned i = 0; i < sessions_top(); i++) {
        struct fake_session *const s = session_at(i);
        if (s->is_used && !s->is_stopped && session_is_kernel(s) && !s->is_foreign)
            lose(s, events);
    }
}
