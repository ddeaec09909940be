/* A recorder in the background as a source: what it writes into its ring on disk, as it writes it,
 * from the last minute on. It records alone; whoever reads it needs no rights but to its files, and
 * any number can. Who may call it (src/os/instance.h) can have more recorded than it was started
 * for, while he reads (src/collect/watch_request.h).
 *
 * The recorder puts events into a buffer for each processor, and writes all of these five times a
 * second. So an event can be put into its place in time when the newest buffer that was found is
 * half a second younger, or when nothing has come for as long. */
#include "collectors/collectors.h"
#include "collectors/etl.h"
#include "collectors/feed.h"
#include "src/base/mem.h"
#include "src/base/scale.h"
#include "src/base/text.h"
#include "src/collect/coverage.h"
#include "src/collect/watch_request.h"
#include "src/etl/etl.h"
#include "src/event/mark.h"
#include "src/event/retime.h"
#include "src/os/instance.h"
#include "src/os/os.h"
#include "src/trace/disk_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPLETE_EVERY = 256, /* events between two reports to the engine */
    RECORD_MOST = 1 << 16,
    MS = 1000000,
    SECOND = 1000 * MS,
};
static const int64_t LOOK_NS = 50 * MS;        /* between looks at the file's end … */
static const int64_t LIST_NS = 250 * MS;       /* … and at which files there are */
static const int64_t HOLD_NS = 500 * MS;       /* see above */
static const int64_t LATE_NS = 2ll * SECOND;   /* a quiet recorder has written by then */
static const int64_t GAP_NS = 2ll * SECOND;    /* between two files: nobody recorded */
static const int64_t SAME_CLOCK_NS = 100 * MS; /* it is set a little all the time */
static const int64_t ASK_NS = 10ll * SECOND;   /* what is wanted is asked for again */
static const int64_t SWITCH_NS = 200 * MS;     /* … and soon where it is not on yet */
static const int64_t ANSWER_NS = 2ll * SECOND;

/* A mark on its way to the recorder; the list stands newest first. */
struct new_line {
    struct new_line *next;
    char text[MARK_LINE];
};

struct state {
    struct feed feed;
    _Atomic(struct new_line *) marks;
    struct os_thread *thread;
    char *folder;
    struct etl_reader *reader; /* NULL: no file is open */
    unsigned number;           /* the file's, or that of the last one; 0: there was none */
    bool is_final;             /* nobody writes that file any more */
    bool is_rebased;           /* its clock is not the source's */
    bool has_left;             /* the recorder has ended, and that was said */
    unsigned reported;         /* sentences of the file passed on */
    struct record_lost lost, lost_before; /* in all; and in the files before */
    uint64_t damaged, skipped_bytes;      /* in the files before */
    int64_t time_ns;                      /* of the latest event */
    int64_t grown_at, listed_at;          /* os_now() */
    uint64_t events;
    struct watch_request asked; /* for, at asked_at (os_now(); 0: never) */
    int64_t asked_at;
    bool was_refused; /* it takes no calls of this user, and that was said */
    uint64_t record[RECORD_MOST / sizeof(uint64_t)]; /* one by another clock */
};

static bool is_stopping(const struct state *st)
{
    return atomic_load_explicit(&st->feed.collector->stop, memory_order_relaxed);
}

static struct etl_file *file_of(const struct state *st)
{
    return etl_reader_file(st->reader, 0);
}

/* ---- which file ------------------------------------------------------------------------------ */

/* A range as text: the file that the last minute begins in. */
#define LAST_MINUTE "-60s.."

/* The oldest file after the one that was read, or at first the one to begin with; false: there is
 * none. *is_last: no other follows it. Numbers begin again where somebody has emptied the folder.
 */
static bool find_next(struct state *st, struct disk_ring_file *out, bool *is_last)
{
    struct disk_ring_file *files;
    const size_t count = disk_ring_list(st->folder, &files);
    if (count && files[count - 1].number < st->number)
        st->number = 0;
    size_t at = count && !st->number ? disk_ring_first_of(files, count, LAST_MINUTE) : 0;
    while (at < count && files[at].number <= st->number)
        at++;
    const bool is_found = at < count;
    if (is_found)
        *out = files[at];
    *is_last = at + 1 >= count;
    free(files);
    return is_found;
}

static bool is_same_clock(const struct trace_clock *a, const struct trace_clock *b)
{
    const int64_t difference = clock_minus(trace_clock_ns(a, b->anchor_raw), b->anchor_ns);
    return a->frequency == b->frequency && difference < SAME_CLOCK_NS &&
           difference > -SAME_CLOCK_NS;
}

/* The first file says what the machine is. Those that follow are of the same recorder, so that all
 * are one source. */
static void publish(struct state *st)
{
    struct collector *const c = st->feed.collector;
    struct source *const s = &c->sources[0];
    const struct trace_clock clock = etl_clock(file_of(st));
    st->is_rebased = false;
    if (atomic_load_explicit(&c->source_count, memory_order_relaxed)) {
        st->is_rebased = !is_same_clock(&s->clock, &clock);
        return;
    }
    etl_describe_source(file_of(st), s);
    s->start_ns = s->end_ns = 0; /* it goes on */
    atomic_store_explicit(&c->source_count, 1, memory_order_release);
}

static void put_mark(struct state *st, int64_t time, const char *text)
{
    feed_mark(&st->feed, trace_clock_raw(&st->feed.collector->sources[0].clock, time), text);
}

/* Files that went before they were read; or a recorder that was off: what lies between is no quiet
 * time. */
static void report_gap(struct state *st, unsigned removed)
{
    const int64_t start = clock_of_filetime((uint64_t)etl_header(file_of(st))->start);
    char text[TEXT_COUNT];
    if (st->time_ns == INT64_MIN)
        return;
    if (removed) {
        feed_notice(&st->feed, "files of the recorder that were removed before they were read: %u",
                    removed);
        put_mark(st, start, "tracetop: events are missing before this (files were removed)");
    } else if (clock_minus(start, st->time_ns) >= GAP_NS) {
        scale_time((double)(start - st->time_ns), text, sizeof text);
        feed_notice(&st->feed, "the recorder runs again: nothing was recorded for %s", text);
        put_mark(st, start, "tracetop: nothing was recorded before this");
    }
}

static bool open_file(struct state *st, const struct disk_ring_file *f, struct err *err)
{
    const unsigned removed = st->number ? f->number - st->number - 1 : 0;
    char *const path = disk_ring_path(st->folder, f);
    st->reader = etl_reader_open_growing(path, err);
    free(path);
    if (!st->reader)
        return false;
    st->number = f->number;
    st->is_final = false;
    st->reported = 0;
    st->grown_at = os_now();
    publish(st);
    report_gap(st, removed);
    return true;
}

/* ---- what is lost ---------------------------------------------------------------------------- */

static void set(_Atomic uint64_t *counter, uint64_t to)
{
    atomic_store_explicit(counter, to, memory_order_relaxed);
}

static void tally(struct state *st)
{
    struct collector *const c = st->feed.collector;
    const struct etl_file *const f = file_of(st);
    const struct etl_header *const h = etl_header(f);
    const struct etl_tally *const t = etl_tally(f);
    st->lost.events = st->lost_before.events + h->events_lost;
    st->lost.buffers = st->lost_before.buffers + h->buffers_lost + t->missing_buffers;
    set(&c->loss.kernel, st->lost.events);
    set(&c->loss.buffers, st->lost.buffers);
    set(&c->loss.skipped, st->damaged + t->damaged_buffers);
    set(&c->loss.skipped_bytes, st->skipped_bytes + t->skipped_bytes);
    if (!etl_is_whole(t))
        atomic_store_explicit(&c->exit_status, 6, memory_order_relaxed);
    /* That it was never stopped is no news here. */
    for (const char *sentence; (sentence = etl_sentence(f, st->reported)) != NULL; st->reported++)
        if (!etl_is_whole(t))
            feed_notice(&st->feed, "%s", sentence);
    const int64_t newest = etl_reader_newest(st->reader);
    feed_report_lost(&st->feed, newest > INT64_MIN ? newest : c->sources[0].clock.anchor_raw,
                     &st->lost);
}

static void close_file(struct state *st)
{
    tally(st);
    const struct etl_tally *const t = etl_tally(file_of(st));
    st->lost_before = st->lost;
    st->damaged += t->damaged_buffers;
    st->skipped_bytes += t->skipped_bytes;
    etl_reader_close(st->reader);
    st->reader = NULL;
}

/* ---- events ---------------------------------------------------------------------------------- */

static int64_t time_of(const struct state *st, int64_t ts)
{
    const struct trace_clock own = etl_clock(file_of(st));
    return trace_clock_ns(st->is_rebased ? &own : &st->feed.collector->sources[0].clock, ts);
}

/* Up to when all events are there. */
static int64_t known_until(const struct state *st)
{
    const int64_t newest = etl_reader_newest(st->reader);
    if (st->is_final || newest == INT64_MIN || os_now() - st->grown_at > HOLD_NS)
        return INT64_MAX;
    return clock_minus(time_of(st, newest), HOLD_NS);
}

/* The record by the source's clock, with all times in it; sets that of the record. */
static const uint8_t *rebased(struct state *st, const struct event *e, int64_t *ts)
{
    const struct trace_clock own = etl_clock(file_of(st));
    memcpy(st->record, e->record, e->record_bytes);
    *ts =
        record_change_clock((uint8_t *)st->record, e, &own, &st->feed.collector->sources[0].clock);
    return (const uint8_t *)st->record;
}

/* False when the collector is to stop. */
static bool put(struct state *st, const struct event *e, int64_t time)
{
    struct collector *const c = st->feed.collector;
    int64_t ts = e->ts;
    const bool is_rebased = st->is_rebased && e->record_bytes <= sizeof st->record;
    const uint8_t *const record = is_rebased ? rebased(st, e, &ts) : e->record;
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + e->record_bytes,
        .form = RECORD_ETW,
        .cpu = e->cpu,
        .ts = ts,
    };
    if (head.bytes > ring_largest(c->hot)) {
        st->damaged++;
        st->skipped_bytes += e->record_bytes;
        return true;
    }
    if (time > st->time_ns) {
        st->time_ns = time;
        st->feed.complete_ns = time - 1; /* others at the same time may follow */
    }
    if (++st->events % COMPLETE_EVERY == 0)
        feed_complete(&st->feed, st->feed.complete_ns);
    return feed_put(&st->feed, &head, record, feed_is_rare(e)) != FEED_STOPPED;
}

/* Everything that is known to have its place in time. */
static enum etl_answer put_all(struct state *st, struct err *err)
{
    const int64_t until = known_until(st);
    enum etl_answer answer = ETL_END;
    struct event e;
    while (!is_stopping(st) && (answer = etl_reader_next(st->reader, &e, err)) == ETL_EVENT) {
        const int64_t time = time_of(st, e.ts);
        if (time > until) {
            etl_reader_put_back(st->reader);
            break;
        }
        if (!put(st, &e, time))
            break;
    }
    return answer;
}

/* Time goes on where nothing happens, too. */
static void complete(struct state *st)
{
    const int64_t quiet = st->has_left ? 0 : os_wall_now() - LATE_NS;
    if (quiet > st->feed.complete_ns)
        st->feed.complete_ns = quiet;
    feed_complete(&st->feed, st->feed.complete_ns);
}

/* ---- what the screen needs ------------------------------------------------------------------- */

static struct watch_request wanted(const struct state *st)
{
    const struct collector *const c = st->feed.collector;
    return (struct watch_request){atomic_load_explicit(&c->wanted, memory_order_relaxed),
                                  atomic_load_explicit(&c->wanted_stacks, memory_order_relaxed)};
}

/* It is switching on what was asked for. */
static bool is_switching(const struct state *st)
{
    const struct collector *const c = st->feed.collector;
    const uint32_t off = st->asked.classes & ~(atomic_load(&c->active) | atomic_load(&c->refused)),
                   bare =
                       st->asked.stacks & atomic_load(&c->active) & ~atomic_load(&c->active_stacks);
    return off || bare;
}

static bool is_due(const struct state *st, const struct watch_request *w)
{
    const int64_t passed = os_now() - st->asked_at;
    if (!st->asked_at || w->classes != st->asked.classes || w->stacks != st->asked.stacks)
        return true;
    return passed >= ASK_NS || (passed >= SWITCH_NS && is_switching(st) && !st->was_refused);
}

/* Asks the recorder for the classes of events that are wanted here, and what it records. It goes
 * on without: then it records what it was started for. */
static void ask_for_classes(struct state *st)
{
    const struct watch_request w = wanted(st);
    const uint32_t writer = is_due(st, &w) ? disk_ring_writer(st->folder) : 0;
    char line[INSTANCE_TEXT], answer[INSTANCE_TEXT];
    struct err err;
    if (!writer)
        return;
    st->asked = w;
    st->asked_at = os_now();
    watch_request_write(&w, line, sizeof line);
    if (instance_ask(writer, WATCH_VERB, line, ANSWER_NS, answer, sizeof answer, &err)) {
        st->was_refused = false;
        watch_answer_read(answer, st->feed.collector);
    } else if (!st->was_refused) {
        st->was_refused = true;
        feed_notice(&st->feed, "the recorder does not take requests for more events: %.800s",
                    err.text);
    }
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* With the moment at which it was asked for, as it is passed on a little later. */
static void mark(struct collector *c, const char *line)
{
    struct state *const st = c->state;
    struct new_line *const n = mem_new(1, sizeof *n);
    struct new_mark m;
    const bool is_mark = mark_read(line, &m, NULL);
    if (is_mark && !m.asked_ns)
        m.asked_ns = os_now();
    if (!is_mark || !mark_write(&m, n->text, NULL))
        snprintf(n->text, sizeof n->text, "%s", line);
    n->next = atomic_load_explicit(&st->marks, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&st->marks, &n->next, n, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

static struct new_line *take_marks(struct state *st)
{
    struct new_line *newest = atomic_exchange_explicit(&st->marks, NULL, memory_order_acquire);
    struct new_line *oldest = NULL;
    while (newest) {
        struct new_line *const next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

/* A mark that the recorder does not take stands at least here. */
static void keep_mark(struct state *st, const char *line, const struct err *err)
{
    struct new_mark m;
    feed_notice(&st->feed, "the recorder does not take the mark, which is only shown here: %.700s",
                err->text);
    if (mark_read(line, &m, NULL))
        put_mark(st, os_wall_now(), m.text);
}

static void pass_marks(struct state *st)
{
    for (struct new_line *n = take_marks(st), *next; n; n = next) {
        const uint32_t writer = disk_ring_writer(st->folder);
        char answer[INSTANCE_TEXT];
        struct err err;
        next = n->next;
        if (!writer)
            fail(&err, "it has ended");
        if (!writer ||
            !instance_ask(writer, "mark", n->text, ANSWER_NS, answer, sizeof answer, &err))
            keep_mark(st, n->text, &err);
        free(n);
    }
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void nap(struct state *st, int64_t ns)
{
    const int64_t until = os_now() + ns;
    while (os_now() < until && feed_sleep(&st->feed, until))
        ;
}

static void report_end(struct state *st)
{
    if (st->has_left)
        return;
    st->has_left = true;
    st->asked_at = 0; /* the next one is asked at once */
    coverage_switch(st->feed.collector, 0);
    feed_notice(&st->feed, "the recorder has ended; what it records next will appear here");
}

/* Has the recorder begun another file, or ended? Then this one is read to its end. */
static void look_for_end(struct state *st)
{
    struct disk_ring_file next;
    bool is_last;
    if (st->is_final || os_now() - st->listed_at < LIST_NS)
        return;
    st->listed_at = os_now();
    st->is_final = find_next(st, &next, &is_last) || !disk_ring_writer(st->folder);
}

/* One look at the file. False with a sentence when it cannot be read any further. */
static bool follow(struct state *st, struct err *err)
{
    const int64_t newest = etl_reader_newest(st->reader);
    look_for_end(st);
    if (!etl_reader_grow(st->reader, st->is_final, err))
        return false;
    if (etl_reader_newest(st->reader) != newest)
        st->grown_at = os_now();
    const enum etl_answer answer = put_all(st, err);
    tally(st);
    if (!st->is_final) /* what was there at the start has been read */
        atomic_store_explicit(&st->feed.collector->is_naming, false, memory_order_release);
    if (answer == ETL_END && st->is_final)
        close_file(st);
    else
        complete(st);
    return answer != ETL_FAILED;
}

/* The next file, where there is one by now. */
static void await_file(struct state *st)
{
    struct disk_ring_file next;
    bool is_last;
    struct err err;
    if (find_next(st, &next, &is_last)) {
        if (open_file(st, &next, &err)) {
            st->has_left &= is_last && !disk_ring_writer(st->folder);
            return;
        }
        if (!is_last) { /* it will never be better */
            feed_notice(&st->feed, "%s", err.text);
            st->number = next.number;
            return;
        }
    } else if (!disk_ring_writer(st->folder)) {
        report_end(st);
    }
    nap(st, LIST_NS);
}

static void run(void *arg)
{
    struct state *const st = arg;
    struct err err;
    while (!is_stopping(st)) {
        ask_for_classes(st);
        pass_marks(st);
        if (!st->reader) {
            await_file(st);
        } else if (!follow(st, &err)) {
            feed_notice(&st->feed, "%s", err.text);
            close_file(st);
        } else if (st->reader && !st->is_final) {
            nap(st, LOOK_NS);
        }
    }
    pass_marks(st);
    feed_finish(&st->feed);
}

/* ---- start and stop -------------------------------------------------------------------------- */

static void let_go(struct state *st)
{
    for (struct new_line *n = take_marks(st), *next; n; n = next) {
        next = n->next;
        free(n);
    }
    etl_reader_close(st->reader);
    free(st->folder);
    free(st);
}

static bool start(struct collector *c, const struct collector_options *o, struct err *err)
{
    struct state *const st = mem_new(1, sizeof *st);
    struct disk_ring_file first;
    bool is_last;
    st->folder = mem_string(o->folder);
    st->feed = (struct feed){.collector = c, .waits = true, .complete_ns = INT64_MIN};
    st->time_ns = INT64_MIN;
    if (!find_next(st, &first, &is_last))
        fail(err, "%.700s holds no files of a recorder", st->folder);
    else if (open_file(st, &first, err))
        c->state = st;
    if (!c->state) {
        let_go(st);
        return false;
    }
    atomic_store_explicit(&c->is_naming, true, memory_order_relaxed);
    st->thread = os_thread_start("recorder", run, st);
    return true;
}

static void stop(struct collector *c)
{
    struct state *const st = c->state;
    if (!st)
        return;
    atomic_store_explicit(&c->stop, true, memory_order_relaxed);
    os_thread_join(st->thread);
    let_go(st);
    c->state = NULL;
}

const struct collector_kind collector_recorder = {
    .id = "recorder",
    .title = "a recorder",
    .help = "tracetop --from NAME --follow shows what it records; no rights needed",
    .is_live = true,
    .start = start,
    .stop = stop,
    .mark = mark,
};
