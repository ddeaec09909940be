/* Recordings as a source: one or more .etl files, merged by the reader into one
 * timeline, put into the rings at the pace the user wants.
 *
 * Pace. At ×N an event is due when N seconds of the trace per second have gone by since
 * the last anchor, a pair (time of the trace, time of this machine). A new anchor is
 * dropped at the current event whenever speed or pause change, so a change never
 * makes the replay jump. As fast as possible needs no clock at all.
 *
 * Nothing is lost: a full ring is waited for. What could not be read (or is larger than
 * a ring's segment, and can never travel) is counted, said in a sentence, and makes
 * the exit status 6. */
#include "collectors/etl.h"

#include "collectors/collectors.h"
#include "collectors/feed.h"
#include "src/base/mem.h"
#include "src/etl/etl.h"
#include "src/os/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TALLY_EVERY = 4096,   /* events between two looks at what the reader counted … */
    COMPLETE_EVERY = 256, /* … and between two reports to the engine */
    EXIT_FAILED = 1,
    EXIT_SKIPPED = 6,
};

/* The open files, which a collector that reads them again uses after the first one. Nobody opens
 * them by name a second time: they may be others by then, or no longer allowed to be opened. */
struct held {
    struct etl_reader *reader;
    _Atomic unsigned holders;
};

struct state {
    struct held *held;
    struct etl_reader *reader; /* of held */
    struct feed feed;
    struct os_thread *thread;
    size_t files;
    unsigned reported[SOURCE_MAX]; /* sentences of each file already passed on */
    uint64_t events, oversized, oversized_bytes;
    int64_t time_ns; /* of the latest event; never goes back */
    struct {
        int speed;
        bool is_paused;
        int64_t trace_ns, real_ns; /* the anchor */
        int64_t due_ns;            /* events up to this time of the trace are due */
    } pace;
};

/* ---- what the reader says -------------------------------------------------------- */

static void fail_with(struct state *st, int status)
{
    _Atomic int *at = &st->feed.collector->exit_status;
    const int old = atomic_load_explicit(at, memory_order_relaxed);
    if (old == 0 || status == EXIT_FAILED)
        atomic_store_explicit(at, status, memory_order_relaxed);
}

static void pass_on(struct state *st, size_t file)
{
    const struct etl_file *f = etl_reader_file(st->reader, file);
    for (const char *sentence; (sentence = etl_sentence(f, st->reported[file])) != NULL;
         st->reported[file]++)
        feed_notice(&st->feed, "%s", sentence);
}

/* Sums over the files; this thread is the counters' only writer. */
static void tally(struct state *st)
{
    struct collector *c = st->feed.collector;
    uint64_t kernel = 0, buffers = 0, skipped = st->oversized, bytes = st->oversized_bytes;
    for (size_t i = 0; i < st->files; i++) {
        const struct etl_file *f = etl_reader_file(st->reader, i);
        const struct etl_tally *t = etl_tally(f);
        kernel += etl_header(f)->events_lost;
        buffers += etl_header(f)->buffers_lost + t->missing_buffers;
        skipped += t->damaged_buffers;
        bytes += t->skipped_bytes;
        if (!etl_is_whole(t))
            fail_with(st, EXIT_SKIPPED);
        pass_on(st, i);
    }
    atomic_store_explicit(&c->loss.kernel, kernel, memory_order_relaxed);
    atomic_store_explicit(&c->loss.buffers, buffers, memory_order_relaxed);
    atomic_store_explicit(&c->loss.skipped, skipped, memory_order_relaxed);
    atomic_store_explicit(&c->loss.skipped_bytes, bytes, memory_order_relaxed);
    uint64_t done, total;
    etl_reader_progress(st->reader, &done, &total);
    atomic_store_explicit(&c->progress, (int64_t)done, memory_order_relaxed);
    atomic_store_explicit(&c->progress_end, (int64_t)total, memory_order_relaxed);
}

/* ---- pace ---------------------------------------------------------------------------- */

static int64_t scaled(int64_t real_ns, int speed)
{
    return real_ns > INT64_MAX / 2 / speed ? INT64_MAX / 2 : real_ns * speed;
}

/* Has the user changed speed or pause? Then the anchor is here and now. */
static void look_at_requests(struct state *st)
{
    const struct collector *c = st->feed.collector;
    const int requested = atomic_load_explicit(&c->speed, memory_order_relaxed);
    const int speed = requested > 0 ? requested : 0;
    const bool is_paused = atomic_load_explicit(&c->paused, memory_order_relaxed);
    if (speed == st->pace.speed && is_paused == st->pace.is_paused)
        return;
    st->pace.speed = speed;
    st->pace.is_paused = is_paused;
    st->pace.trace_ns = st->time_ns;
    st->pace.real_ns = os_now();
    st->pace.due_ns = st->time_ns;
}

/* Waits until the event at st->time_ns is due; false when the collector is to stop. */
static bool wait_until_due(struct state *st)
{
    for (;;) {
        look_at_requests(st);
        int64_t wake = INT64_MAX;
        if (!st->pace.is_paused) {
            if (!st->pace.speed || st->time_ns <= st->pace.due_ns)
                return true;
            const int64_t now = os_now();
            st->pace.due_ns = st->pace.trace_ns + scaled(now - st->pace.real_ns, st->pace.speed);
            if (st->time_ns <= st->pace.due_ns)
                return true;
            wake = now + (st->time_ns - st->pace.due_ns) / st->pace.speed;
        }
        if (!feed_sleep(&st->feed, wake))
            return false;
    }
}

/* Most events are due the moment the one before them was: no clock is asked. */
static bool is_due(struct state *st)
{
    const struct collector *c = st->feed.collector;
    if (atomic_load_explicit(&c->paused, memory_order_relaxed) ||
        atomic_load_explicit(&c->speed, memory_order_relaxed) != st->pace.speed)
        return false;
    return !st->pace.speed || st->time_ns <= st->pace.due_ns;
}

/* ---- the thread ------------------------------------------------------------------------- */

static void skip(struct state *st, const struct event *e, uint32_t bytes)
{
    const size_t largest = ring_largest(st->feed.collector->hot);
    if (st->oversized++ == 0)
        feed_notice(&st->feed,
                    "%s: a record of %u bytes is larger than the %zu bytes that fit into the ring: "
                    "skipped",
                    st->feed.collector->sources[e->source].name, (unsigned)bytes, largest);
    st->oversized_bytes += bytes;
    fail_with(st, EXIT_SKIPPED);
}

/* False when the collector is to stop. */
static bool put(struct state *st, const struct event *e)
{
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + e->record_bytes,
        .form = RECORD_ETW,
        .source = e->source,
        .cpu = e->cpu,
        .ts = e->ts,
    };
    if (head.bytes > ring_largest(st->feed.collector->hot)) {
        skip(st, e, e->record_bytes);
        return true;
    }
    return feed_put(&st->feed, &head, e->record, feed_is_rare(e)) != FEED_STOPPED;
}

static bool is_stopping(const struct state *st)
{
    return atomic_load_explicit(&st->feed.collector->stop, memory_order_relaxed);
}

/* One event on its way; false when the collector is to stop. */
static bool forward(struct state *st, const struct event *e)
{
    const struct source *source = &st->feed.collector->sources[e->source];
    const int64_t time = trace_clock_ns(&source->clock, e->ts);
    if (st->events == 0)
        st->pace.trace_ns = st->pace.due_ns = st->time_ns = time;
    if (time > st->time_ns) {
        st->time_ns = time;
        st->feed.complete_ns = time - 1; /* others at the same time may follow */
    }
    if (!is_due(st)) {
        feed_complete(&st->feed, st->feed.complete_ns);
        tally(st);
        if (!wait_until_due(st))
            return false;
    }
    if (!put(st, e))
        return false;
    st->events++;
    if (st->events % COMPLETE_EVERY == 0)
        feed_complete(&st->feed, st->feed.complete_ns);
    if (st->events % TALLY_EVERY == 0)
        tally(st);
    return !is_stopping(st);
}

/* What the files' headers say was lost is for all that they hold; it comes first. */
static void report_lost(struct state *st)
{
    const struct collector *const c = st->feed.collector;
    struct record_lost all = {0};
    for (size_t i = 0; i < st->files; i++) {
        all.events += c->sources[i].events_lost;
        all.buffers += c->sources[i].buffers_lost;
    }
    feed_report_lost(&st->feed, c->sources[0].clock.anchor_raw, &all);
}

static void run(void *arg)
{
    struct state *st = arg;
    struct event e;
    struct err err;
    enum etl_answer answer = ETL_END;
    st->pace.real_ns = os_now();
    report_lost(st);
    while (!is_stopping(st) && (answer = etl_reader_next(st->reader, &e, &err)) == ETL_EVENT)
        if (!forward(st, &e))
            break;
    if (answer == ETL_FAILED) {
        feed_notice(&st->feed, "%s", err.text);
        fail_with(st, EXIT_FAILED);
    }
    tally(st);
    feed_finish(&st->feed);
}

/* ---- start and stop ------------------------------------------------------------------------- */

void etl_describe_source(const struct etl_file *f, struct source *out)
{
    const struct etl_header *h = etl_header(f);
    const size_t length = strlen(etl_name(f));
    const size_t cut =
        length < sizeof out->name ? 0 : length - sizeof out->name + 1; /* keep its tail */
    *out = (struct source){
        .clock = etl_clock(f),
        .start_ns = clock_of_filetime((uint64_t)h->start),
        .end_ns = clock_of_filetime((uint64_t)h->end),
        .cpus = h->cpus,
        .build = h->build,
        .version = h->version,
        .timer_resolution = h->timer_resolution,
        .mhz = h->cpu_mhz,
        .boot_ns = clock_of_filetime((uint64_t)h->boot),
        .bias_minutes = h->bias_minutes,
        .pointer = (uint8_t)(h->pointer == 4 ? 4 : 8),
        .is_linux = etl_header_is_of_linux(h),
        .events_lost = h->events_lost,
        .buffers_lost = h->buffers_lost,
    };
    snprintf(out->name, sizeof out->name, "%s", etl_name(f) + cut);
}

static void let_go(void *of)
{
    struct held *const h = of;
    if (atomic_fetch_sub(&h->holders, 1) > 1)
        return;
    etl_reader_close(h->reader);
    free(h);
}

/* Takes over one holder's share of the files, and begins to read. */
static void begin(struct collector *c, struct held *h, int speed)
{
    struct state *const st = mem_new(1, sizeof *st);
    st->held = h;
    st->reader = h->reader;
    st->files = etl_reader_files(st->reader);
    st->feed = (struct feed){.collector = c, .waits = true, .complete_ns = INT64_MIN};
    atomic_store_explicit(&c->speed, speed, memory_order_relaxed);
    for (size_t i = 0; i < st->files; i++)
        etl_describe_source(etl_reader_file(st->reader, i), &c->sources[i]);
    atomic_store_explicit(&c->source_count, (unsigned)st->files, memory_order_release);
    st->pace.speed = speed > 0 ? speed : 0;
    tally(st); /* damage that was met on opening, sizes for the progress */
    c->state = st;
    st->thread = os_thread_start("replay", run, st);
}

static bool start(struct collector *c, const struct collector_options *o, struct err *err)
{
    if (o->file_count > SOURCE_MAX)
        return fail(err, "%zu files were given; at most %d can be replayed at once", o->file_count,
                    (int)SOURCE_MAX);
    struct etl_reader *reader = etl_reader_open(o->files, o->file_count, err);
    if (!reader)
        return false;
    struct held *const h = mem_new(1, sizeof *h);
    h->reader = reader;
    atomic_init(&h->holders, 1);
    begin(c, h, o->speed);
    return true;
}

static void *hold(struct collector *c)
{
    const struct state *const st = c->state;
    if (st)
        atomic_fetch_add(&st->held->holders, 1);
    return st ? st->held : NULL;
}

static void start_again(struct collector *c, void *of)
{
    struct held *const h = of;
    atomic_fetch_add(&h->holders, 1);
    etl_reader_rewind(h->reader);
    begin(c, h, 0);
}

static void stop(struct collector *c)
{
    struct state *st = c->state;
    if (!st)
        return;
    atomic_store_explicit(&c->stop, true, memory_order_relaxed);
    os_thread_join(st->thread);
    let_go(st->held);
    free(st);
    c->state = NULL;
}

const struct collector_kind collector_etl = {
    .id = "etl",
    .title = "trace files",
    .help = "tracetop FILE.etl opens them; no rights needed",
    .is_live = false,
    .start = start,
    .stop = stop,
    .hold = hold,
    .start_again = start_again,
    .let_go = let_go,
};
