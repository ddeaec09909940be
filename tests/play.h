/* Plays what the synthetic machine does to a real engine. */
#ifndef TESTS_PLAY_H
#define TESTS_PLAY_H

#include "tests/stage.h"

#include "collectors/synthetic/synthetic.h"
#include "src/base/mem.h"

enum { PLAY_ROOM = 256 * 1024, PLAY_RATE = 8000, PLAY_EVENTS = 64000 };

static const int64_t PLAY_START_NS = 1700000000000000000;

/* A machine and an engine that is shown what it does. */
struct play {
    struct stage *stage;
    struct synthetic *machine;
    uint8_t *buffer;
};

/* A time slice that is not over is counted at the end of an interval only; with
 * intervals as long as this there are none of those, like in the machine's count. */
UNUSED static const int64_t PLAY_WHOLE = 1000000000000;

/* An engine that a machine with these options is shown to, as a file or live. */
UNUSED static struct play play_begin(const struct synthetic_options *o, size_t ring_bytes,
                                     const struct collector_kind *kind,
                                     const struct engine_options *engine)
{
    struct play p = {
        .stage = stage_open(1, ring_bytes, RING_SEGMENT),
        .machine = synthetic_new(o),
        .buffer = mem_new(PLAY_ROOM, 1),
    };
    struct source *const source = &p.stage->collectors[0].sources[0];
    source->clock = synthetic_clock(p.machine);
    source->cpus = (uint16_t)synthetic_cpus(p.machine);
    p.stage->collectors[0].kind = kind;
    stage_play_with(p.stage, *engine);
    return p;
}

UNUSED static struct play play_new_in(uint64_t seed, int64_t interval_ns, size_t ring_bytes,
                                      uint64_t events)
{
    const struct synthetic_options o = {.seed = seed,
                                        .events = events,
                                        .rate = PLAY_RATE,
                                        .start_ns = PLAY_START_NS,
                                        .keep_totals = true};
    const struct engine_options engine = {.interval_ns = interval_ns, .wait_ns = 50000000};
    return play_begin(&o, ring_bytes, &stage_file, &engine);
}

UNUSED static struct play play_new(uint64_t seed, int64_t interval_ns)
{
    return play_new_in(seed, interval_ns, 4 << 20, PLAY_EVENTS);
}

UNUSED static void play_free(struct play *p)
{
    stage_close(p->stage);
    synthetic_free(p->machine);
    free(p->buffer);
}

UNUSED static void pass_on(const struct play *p, size_t bytes)
{
    struct ring *ring = p->stage->collectors[0].hot;
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, p->buffer + at, sizeof head);
        while (!ring_has_room(ring, head.bytes))
            os_sleep(50000);
        assert_true(ring_put(ring, &head, p->buffer + at + sizeof head));
        at += (head.bytes + 7u) & ~(size_t)7;
    }
}

/* Lets the machine run until then, and the engine count what it did. */
UNUSED static void play_until(const struct play *p, int64_t ticks)
{
    for (size_t bytes; (bytes = synthetic_fill(p->machine, p->buffer, PLAY_ROOM, ticks)) > 0;)
        pass_on(p, bytes);
    while (engine_figures(p->stage->engine).events < synthetic_totals(p->machine)->records)
        os_sleep(100000);
}

UNUSED static void play_all(const struct play *p)
{
    play_until(p, INT64_MAX);
    assert_true(synthetic_is_done(p->machine));
    stage_finish(p->stage);
}

/* The frame that answers what is wanted, with all its rows. */
UNUSED static struct frame *play_ask(const struct play *p, const struct request *wanted)
{
    enum { ROWS_MOST = 100000 };
    struct request *const r = stage_request(p->stage, wanted->pane->id);
    const uint64_t sequence = r->sequence;
    *r = *wanted;
    r->sequence = sequence;
    r->rows = ROWS_MOST;
    return stage_ask(p->stage);
}

#endif
