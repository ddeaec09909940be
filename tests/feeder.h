/* Feeds whole .etl files into a stage's rings, each collector on a thread of its own,
 * waiting for room like a file does. */
#ifndef TESTS_FEEDER_H
#define TESTS_FEEDER_H

#include "tests/stage.h"

#include "src/etl/etl.h"

struct feeder {
    struct stage *stage;
    unsigned collector;
    const char *file;
    struct etl_reader *reader;
    struct os_thread *thread;
    int64_t shift;   /* added to every raw time */
    unsigned rounds; /* how often the file is fed */
    _Atomic uint64_t fed;
};

UNUSED static void feed_event(struct feeder *f, const struct event *e, int64_t shift)
{
    struct ring *ring = f->stage->collectors[f->collector].hot;
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + e->record_bytes,
        .form = RECORD_ETW,
        .cpu = e->cpu,
        .ts = e->ts + shift,
    };
    if (head.bytes > ring_largest(ring))
        return;
    while (!ring_has_room(ring, head.bytes)) {
        if (atomic_load(&f->stage->collectors[f->collector].stop))
            return;
        os_sleep(50000);
    }
    assert_true(ring_put(ring, &head, e->record));
    atomic_fetch_add_explicit(&f->fed, 1, memory_order_relaxed);
}

UNUSED static void feeder_run(void *arg)
{
    struct feeder *f = arg;
    struct ring *ring = f->stage->collectors[f->collector].hot;
    struct err err;
    struct event e;
    enum etl_answer answer;
    while ((answer = etl_reader_next(f->reader, &e, &err)) == ETL_EVENT)
        feed_event(f, &e, f->shift);
    ring_finish(ring);
}

/* Opens the file and describes it as the collector's source 0. */
UNUSED static bool feeder_open(struct feeder *f)
{
    struct err err;
    f->reader = etl_reader_open(&f->file, 1, &err);
    if (!f->reader) {
        print_message("%s\n", err.text);
        return false;
    }
    struct etl_file *file = etl_reader_file(f->reader, 0);
    struct source *source = &f->stage->collectors[f->collector].sources[0];
    source->clock = etl_clock(file);
    source->cpus = etl_header(file)->cpus;
    return true;
}

UNUSED static void feeder_start(struct feeder *f)
{
    f->thread = os_thread_start("feeder", feeder_run, f);
}

UNUSED static void feeder_stop(struct feeder *f)
{
    atomic_store(&f->stage->collectors[f->collector].stop, true);
    os_thread_join(f->thread);
    etl_reader_close(f->reader);
}

#endif
