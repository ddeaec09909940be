/* The collector's thread: intakes in, rings out, in the order of time. */
#include "collectors/windows/live.h"

#include "src/base/bytes.h"
#include "src/base/payload_writer.h"
#include "src/event/tracetop_provider.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    NAP_MS = 50,
    TYPE_AT = 2,
    HOOK_AT = 6,
    CLASS_AT = 24,
    CLASSIC32 = 10,
    CLASSIC64 = 20,
    MANIFEST64 = 19
};

static int64_t raw_now(void)
{
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    return now.QuadPart;
}

/* By the clock of the sessions. */
static int64_t now_of(const struct windows_live *l)
{
    const int64_t now =
        l->clock.kind == CLOCK_QPC ? raw_now() : trace_clock_raw(&l->clock, os_wall_now());
    return now + l->ahead;
}

static int64_t seconds_of(const struct windows_live *l, int64_t raw)
{
    return trace_clock_span_ns(&l->clock, raw) / (1000 * LIVE_MS);
}

static bool is_sampled(const struct record_head *head)
{
    struct event e;
    return event_of_record(head, &e) == EVENT_OK && tracetop_event_is_sampled(&e);
}

/* What names things, or says that something is missing, is kept long. */
static bool is_rare(const struct record_head *head)
{
    static const uint32_t SYS_CONFIG_EX = 0x9b79ee91, LOST_EVENT = 0x6a399ae0, OWN = 0x091259ae;
    const uint8_t *const record = (const uint8_t *)(head + 1);
    switch (record[TYPE_AT]) {
    case CLASSIC32:
    case CLASSIC64:
        return load_u32(record + CLASS_AT) == SYS_CONFIG_EX ||
               load_u32(record + CLASS_AT) == LOST_EVENT;
    case MANIFEST64: /* our own provider sends each event once, but for samples */
        return load_u32(record + CLASS_AT) == OWN && !is_sampled(head);
    case 1:
    case 2:
    case 16:
    case 17:
        return feed_is_rare_hook(load_u16(record + HOOK_AT));
    default:
        return false;
    }
}

/* ---- clocks that jump --------------------------------------------------------------------- */

/* Events seconds ahead of now would wait for their time; now follows them. */
static void follow_clock(struct windows_live *l, int64_t window)
{
    enum { JUMP_S = 10 };
    const struct record_head *const head = order_next(l->order, INT64_MAX);
    const int64_t ahead = head ? head->ts - now_of(l) : 0;
    if (seconds_of(l, ahead) < JUMP_S)
        return;
    l->ahead += ahead + window;
    feed_notice(&l->feed,
                "the clock of the sessions jumped ahead by %" PRId64
                " s: the time between has no events",
                seconds_of(l, ahead));
}

/* Those that are long past cannot be put where they belong: what was shown stays. What is listed
 * when we begin may be some seconds old. */
static void look_for_past(struct windows_live *l, const struct record_head *head)
{
    enum { JUMP_S = 60 };
    const int64_t behind = l->newest - head->ts;
    if (head->ts > l->newest || seconds_of(l, behind) < JUMP_S) {
        l->newest = head->ts > l->newest ? head->ts : l->newest;
        return;
    }
    l->newest = head->ts;
    feed_notice(&l->feed,
                "the clock of the sessions jumped back by %" PRId64
                " s: events and times around now are unreliable",
                seconds_of(l, behind));
}

/* ---- the way of a record ------------------------------------------------------------------- */

static void pass_on(struct windows_live *l, int64_t until)
{
    order_look(l->order);
    for (const struct record_head *head; (head = order_next(l->order, until));) {
        look_for_past(l, head);
        if (!l->scope || scope_takes(l->scope, head))
            feed_put(&l->feed, head, head + 1, is_rare(head));
        order_take(l->order);
    }
    if (until != INT64_MAX)
        follow_clock(l, now_of(l) - until);
}

/* ---- records of our own -------------------------------------------------------------------- */

struct made_record {
    struct record_head head;
    uint8_t bytes[128];
};

static struct payload_writer begin(struct made_record *r, int64_t raw)
{
    *r = (struct made_record){.head = {.form = RECORD_ETW, .ts = raw}};
    return (struct payload_writer){
        .start = r->bytes, .at = r->bytes, .end = r->bytes + sizeof r->bytes};
}

static void put(struct windows_live *l, struct made_record *r, const struct payload_writer *p)
{
    r->head.bytes = (uint32_t)(sizeof r->head + (size_t)(p->at - p->start));
    feed_put(&l->feed, &r->head, r->bytes, is_rare(&r->head));
}

static void mark_gap(struct windows_live *l, int64_t raw)
{
    static const char *const texts[] = {
        [GAP_STOPPED] = "tracetop: events are missing before this (session stopped)",
        [GAP_NAMES] = "tracetop: events of a moment are missing before this (open files and keys "
                      "were listed)"};
    const int gap = atomic_exchange(&l->wants_gap, GAP_NONE);
    if (gap != GAP_NONE)
        feed_mark(&l->feed, raw, texts[gap]);
}

/* PerfInfo CollectionStart: what one sample of the processors stands for. */
static void put_interval(struct windows_live *l, int64_t raw)
{
    enum { VERSION = 3, PERFINFO64 = 0x11, FLAGS = 0xc0, HOOK = 0x0f49, BYTES = 16 + 12 + 12 };
    struct made_record r;
    const uint32_t interval = atomic_exchange(&l->interval, 0);
    if (!interval)
        return;
    struct payload_writer p = begin(&r, raw);
    put_u16(&p, VERSION);
    put_u8(&p, PERFINFO64);
    put_u8(&p, FLAGS);
    put_u16(&p, BYTES);
    put_u16(&p, HOOK);
    put_u64(&p, (uint64_t)raw);
    put_u32(&p, 0); /* source: the timer */
    put_u32(&p, interval);
    put_u32(&p, interval);
    put_ascii16(&p, "Timer");
    put_u16(&p, 0);
    put(l, &r, &p);
}

static uint64_t load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void report_lost(struct windows_live *l, int64_t raw)
{
    const struct collector_loss *const loss = &l->feed.collector->loss;
    const struct record_lost all = {
        .events = load(&loss->kernel) + load(&loss->intake) + load(&loss->skipped),
        .buffers = load(&loss->buffers)};
    feed_report_lost(&l->feed, raw, &all);
}

/* ---- the thread ------------------------------------------------------------------------------ */

void drain_run(void *live)
{
    struct windows_live *const l = live;
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_ABOVE_NORMAL);
    for (;;) {
        /* Before the look: what ended by then is all in the intakes. */
        const bool is_over = atomic_load_explicit(&l->is_over, memory_order_acquire);
        const int64_t window = atomic_load_explicit(&l->window, memory_order_relaxed);
        const int64_t until_ns = trace_clock_ns(&l->clock, now_of(l)) - window;
        const int64_t until = trace_clock_raw(&l->clock, until_ns);
        mark_gap(l, until);
        put_interval(l, until);
        pass_on(l, is_over ? INT64_MAX : until);
        report_lost(l, until);
        messages_pass_on(&l->messages, &l->feed);
        feed_complete(&l->feed, until_ns);
        if (is_over)
            break;
        os_wakeup_wait(l->drain_wakeup, NAP_MS * LIVE_MS);
    }
    feed_finish(&l->feed);
}
