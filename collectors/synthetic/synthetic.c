/* The synthetic source as a collector: the generator's thread.
 *
 * Paced (a rate was asked for) it behaves as a live source does: every ten milliseconds
 * it puts what the machine did in that time, never waits, and a full ring is a counted
 * loss. Without a rate it behaves as a file does: as fast as the engine takes the
 * events, waiting for room. There is no "now" that could be missed then, and tests
 * and benchmarks want every event they asked for. */
#include "collectors/synthetic/synthetic.h"

#include "collectors/collectors.h"
#include "collectors/feed.h"
#include "collectors/synthetic/gauges.h"
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER = 256 * 1024,
    BEAT = 10000000, /* ns between two batches of a paced source */
    NS_PER_TICK = 100,
};

struct state {
    struct synthetic *machine;
    struct feed feed;
    struct synthetic_options options;
    struct os_thread *thread;
    struct trace_clock clock;
    uint64_t events;
    uint8_t *buffer;
    struct demo_gauges gauges;
};

static void note_lost(struct collector *c, const uint8_t *record)
{
    struct record_lost lost;
    memcpy(&lost, record, sizeof lost);
    atomic_fetch_add_explicit(&c->loss.kernel, lost.events, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->loss.buffers, lost.buffers, memory_order_relaxed);
}

/* A record's hook lies in bytes 6 and 7 of either kernel header. */
static bool is_rare(const struct record_head *head, const uint8_t *record)
{
    return head->form == RECORD_LOST || feed_is_rare_hook(load_u16(record + 6));
}

/* False when the collector is to stop. */
static bool put_all(struct state *st, size_t bytes)
{
    struct collector *c = st->feed.collector;
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, st->buffer + at, sizeof head);
        const uint8_t *record = st->buffer + at + sizeof head;
        if (head.form == RECORD_LOST)
            note_lost(c, record);
        if (feed_put(&st->feed, &head, record, is_rare(&head, record)) == FEED_STOPPED)
            return false;
        st->feed.complete_ns = trace_clock_ns(&st->clock, head.ts);
        at += ring_padded(head.bytes);
    }
    atomic_store_explicit(&c->progress, (int64_t)synthetic_totals(st->machine)->records,
                          memory_order_relaxed);
    return !atomic_load_explicit(&c->stop, memory_order_relaxed);
}

/* Puts what happens up to `until` (raw); false when nothing is left to do. */
static bool run_until(struct state *st, int64_t until)
{
    for (;;) {
        const size_t bytes = synthetic_fill(st->machine, st->buffer, BUFFER, until);
        if (!put_all(st, bytes) ||
            (st->options.has_gauges && !demo_gauges_put(&st->gauges, st->machine, &st->feed)))
            return false;
        /* Times rise strictly: at this one everything has been put. */
        feed_complete(&st->feed, trace_clock_ns(&st->clock, synthetic_time(st->machine)));
        if (synthetic_is_done(st->machine))
            return false;
        if (bytes == 0)
            return true;
    }
}

static void run_as_fast_as_possible(void *arg)
{
    struct state *st = arg;
    run_until(st, INT64_MAX);
    feed_finish(&st->feed);
}

static void run_paced(void *arg)
{
    struct state *st = arg;
    const int64_t began = os_now(), first = synthetic_time(st->machine);
    int64_t beat = began;
    while (run_until(st, first + (os_now() - began) / NS_PER_TICK)) {
        beat += BEAT;
        if (beat < os_now()) /* we were not let: no use in hurrying through missed beats */
            beat = os_now();
        while (os_now() < beat && feed_sleep(&st->feed, beat))
            ;
    }
    feed_finish(&st->feed);
}

static void publish(struct collector *c, const struct synthetic *machine,
                    const struct synthetic_options *o)
{
    struct source *source = &c->sources[0];
    *source = (struct source){
        .clock = synthetic_clock(machine),
        .start_ns = o->start_ns,
        .cpus = synthetic_cpus(machine),
        .build = SYNTHETIC_BUILD,
        .mhz = SYNTHETIC_MHZ,
        .pointer = 8,
        .is_synthetic = true,
    };
    snprintf(source->name, sizeof source->name, "synthetic (seed %" PRIu64 ")", o->seed);
    atomic_store_explicit(&c->source_count, 1, memory_order_release);
}

bool synthetic_start(struct collector *c, const struct synthetic_options *o, bool is_paced,
                     struct err *err)
{
    (void)err; /* nothing here can fail */
    struct state *st = mem_new(1, sizeof *st);
    st->options = *o;
    st->machine = synthetic_new(o);
    st->clock = synthetic_clock(st->machine);
    st->feed = (struct feed){.collector = c, .waits = !is_paced};
    st->buffer = mem_new(BUFFER, 1);
    c->state = st;
    atomic_store_explicit(&c->progress_end, (int64_t)o->events, memory_order_relaxed);
    publish(c, st->machine, o);
    st->thread = os_thread_start("synthetic", is_paced ? run_paced : run_as_fast_as_possible, st);
    return true;
}

uint64_t synthetic_sampled(const struct collector *c)
{
    const struct state *const st = c->state;
    return atomic_load_explicit(&st->gauges.records, memory_order_relaxed);
}

static bool start(struct collector *c, const struct collector_options *o, struct err *err)
{
    const struct synthetic_options options = {
        .seed = o->seed,
        .events = o->events,
        .rate = o->rate,
        .start_ns = o->start_ns ? o->start_ns : os_wall_now(),
        .hostile = o->hostile,
        .has_gauges = true,
    };
    return synthetic_start(c, &options, o->rate != 0, err);
}

static void stop(struct collector *c)
{
    struct state *st = c->state;
    if (!st)
        return;
    atomic_store_explicit(&c->stop, true, memory_order_relaxed);
    os_thread_join(st->thread);
    synthetic_free(st->machine);
    free(st->buffer);
    free(st);
    c->state = NULL;
}

/* What the first records say of the machine. */
static bool describe(const struct collector_description *d, struct err *err)
{
    (void)err; /* nothing here can fail */
    const struct state *const running = d->running ? d->running->state : NULL;
    const struct synthetic_options o = running ? running->options : (struct synthetic_options){0};
    struct synthetic *const machine = synthetic_new(&o);
    uint8_t *const buffer = mem_new(BUFFER, 1);
    const size_t bytes = synthetic_fill(machine, buffer, BUFFER, INT64_MAX);
    for (size_t at = 0; at < bytes;) {
        struct event e;
        const struct record_head *const head = (const void *)(buffer + at);
        if (event_of_record(head, &e) == EVENT_OK)
            d->event(d->to, &e);
        at += ring_padded(head->bytes);
    }
    free(buffer);
    synthetic_free(machine);
    return true;
}

const struct collector_kind collector_synthetic = {
    .id = "synthetic",
    .title = "demo",
    .help = "tracetop --source demo shows made-up events; no rights needed",
    .is_live = true,
    .start = start,
    .stop = stop,
    .describe = describe,
};
