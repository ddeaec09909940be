#include "src/trace/recorder.h"

#include "src/base/text.h"
#include "src/base/mem.h"
#include "src/base/scale.h"
#include "src/collect/reorder_buffer.h"
#include "src/model/rundown.h"
#include "src/os/priority_boost.h"
#include "src/trace/save.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPY = 1 << 20, MARKS_MOST = 1 << 14, PATH_ROOM = 1024 };

/* A record waits in case that an older one comes late, then in a buffer for its flush: all
 * together well below a second. */
static const int64_t NAP_NS = 20 * 1000000, HOLD_NS = 400 * 1000000, FLUSH_NS = 200 * 1000000;

/* Follows one ring: which record comes next, and how many were missed. */
struct follower {
    struct ring *ring;
    uint64_t position, number; /* of the next record */
    uint64_t until;            /* nothing from here on */
    bool has_begun;
    uint64_t missed;
};

struct shared {
    _Atomic uint64_t events, records, bytes, lost, refused, before, unwritten, overwritten, late;
    _Atomic uint64_t unidentified;
    _Atomic unsigned files;
    _Atomic bool stop, is_canceled, has_begun, is_over;
};

struct recorder {
    struct recorder_options o;
    char path[PATH_ROOM];
    struct os_thread *thread;
    struct os_wakeup *wake;
    struct follower events, marks;
    struct record_head **pending; /* marks whose time among the events has not come, own copies */
    unsigned pending_first, pending_end, pending_room;
    uint64_t marks_dropped; /* beyond MARKS_MOST */
    uint8_t *buffer; /* of marks */
    struct reorder_buffer *reorder_buffer;
    struct save save;
    bool is_full;
    uint64_t refused_before, refused; /* by the ring: until we began, since */
    uint64_t reported_lost;           /* to the file */
    uint64_t in_place;                /* of those too late: they got another time */
    int64_t from_ns;                  /* what is not later is in the rundown */
    struct model_rundown_config known; /* the machine's description, as far as it is written */
    int64_t began, flushed;
    bool has_failed;
    struct err err;
    struct shared shared;
};

/* ---- following -------------------------------------------------------------------------- */

/* Who was overtaken, or begins, has to look which record comes next: that is a walk. */
static void follow_number(struct follower *f, uint64_t at)
{
    if (f->has_begun && at == f->position)
        return;
    const uint64_t number = ring_number(f->ring, at);
    if (f->has_begun && number > f->number)
        f->missed += number - f->number;
    f->number = number;
    f->has_begun = true;
    f->position = at;
}

/* Copies what has come, as far as there is room; bytes. The caller, who walks over the records,
 * counts them. */
static size_t follow(struct follower *f, uint8_t *buffer, size_t room)
{
    const uint64_t at = ring_pin(f->ring, PIN_RECORDER, f->position);
    size_t bytes = 0;
    if (at < ring_figures(f->ring).head && at < f->until) {
        follow_number(f, at);
        bytes = ring_copy(f->ring, &f->position, buffer, room);
    }
    ring_unpin(f->ring, PIN_RECORDER);
    return bytes;
}

/* Keeps a copy, unless MARKS_MOST wait already. */
static void keep_mark(struct recorder *r, const struct record_head *head)
{
    if (r->pending_end == MARKS_MOST && r->pending_first) {
        r->pending_end -= r->pending_first;
        memmove(r->pending, r->pending + r->pending_first, r->pending_end * sizeof *r->pending);
        r->pending_first = 0;
    }
    if (r->pending_end == MARKS_MOST) {
        r->marks_dropped++;
        return;
    }
    if (r->pending_end == r->pending_room)
        r->pending =
            mem_grow_zeroed(r->pending, &r->pending_room, r->pending_end + 1, sizeof *r->pending);
    struct record_head *const copy = mem_new(head->bytes, 1);
    memcpy(copy, head, head->bytes);
    if (copy->ts <= r->from_ns) /* asked for while the recording began */
        copy->ts = r->from_ns + 1;
    r->pending[r->pending_end++] = copy;
}

static void follow_marks(struct recorder *r)
{
    const size_t bytes = follow(&r->marks, r->buffer, COPY);
    for (size_t at = 0; at < bytes; r->marks.number++) {
        const struct record_head *const h = (const struct record_head *)(void *)(r->buffer + at);
        at += ring_padded(h->bytes);
        if (h->form == RECORD_ETW)
            keep_mark(r, h);
    }
}

static bool has_pending_marks(const struct recorder *r)
{
    return r->pending_first < r->pending_end;
}

static void put_marks(struct recorder *r, int64_t until)
{
    while (has_pending_marks(r) && r->pending[r->pending_first]->ts <= until) {
        struct record_head *const mark = r->pending[r->pending_first++];
        save_mark(&r->save, mark, mark + 1);
        free(mark);
    }
    if (!has_pending_marks(r))
        r->pending_first = r->pending_end = 0;
}

/* True when there was something. */
static bool follow_events(struct recorder *r)
{
    const int64_t now = os_now();
    size_t room;
    uint8_t *const to = reorder_room(r->reorder_buffer, now, &room);
    const size_t bytes = to ? follow(&r->events, to, room) : 0;
    if (bytes)
        r->events.number += reorder_put(r->reorder_buffer, bytes, now);
    return bytes > 0 || !to;
}

/* Windows sends the hardware's description when a session ends, with times from its beginning, and
 * that of Linux may be older than the first event: a rundown of ours need not have it. It is
 * written once, where it comes, with the time of what is before it. */
static bool is_configuration(const struct record_head *h)
{
    struct event e;
    return event_of_record(h, &e) == EVENT_OK && model_rundown_is_config(&e);
}

static void put_configuration(struct recorder *r, const struct reordered *e)
{
    const int64_t newest = r->save.last_ns > r->from_ns ? r->save.last_ns : r->from_ns;
    r->in_place += e->is_too_late;
    if (!model_rundown_config_keep(&r->known, e->head, e->head + 1))
        return;
    save_put_at(&r->save, e->head, e->head + 1, newest);
}

static bool put_event(struct recorder *r, const struct reordered *e)
{
    const bool is_of_before = e->ns && e->ns <= r->from_ns;
    const bool is_moved = (is_of_before || e->is_too_late) && is_configuration(e->head);
    if (is_of_before && !is_moved)
        return true;
    if (!save_has_room(&r->save, e->head))
        return false;
    if (is_moved) {
        put_configuration(r, e);
        return true;
    }
    if (has_pending_marks(r) && e->ns)
        put_marks(r, e->ns - 1);
    save_put(&r->save, e->head, e->head + 1, e->ns);
    return true;
}

/* Writes what has waited long enough; with `now` INT64_MAX, all. */
static void put_events(struct recorder *r, int64_t now)
{
    struct reordered e;
    while (!r->is_full && !r->save.has_failed && reorder_next(r->reorder_buffer, now, &e))
        r->is_full = !put_event(r, &e);
}

/* ---- the file ------------------------------------------------------------------------------ */

static struct model_rundown *rundown(void *state, int64_t at_ns, bool is_end)
{
    struct recorder *const r = state;
    return engine_rundown(r->o.engine, 0, &at_ns, is_end);
}

static bool open_file(struct recorder *r, struct err *err)
{
    const struct save_options o = {
        .path = r->path,
        .replace = r->o.replace,
        .collector = r->o.collector,
        .mode = r->o.mode,
        .most_bytes = r->o.most_bytes,
        .files_most = r->o.files_most,
        .first_number = r->o.first_number,
        .most_ns = r->o.file_ns,
        .is_compressed = r->o.is_compressed,
        .is_stream = true,
        .keeps_part = true,
        .rundown = rundown,
        .state = r,
    };
    return save_open(&r->save, &o, err);
}

static void know_configuration(struct recorder *r, const struct model_rundown *list)
{
    size_t bytes;
    const uint8_t *const records = model_rundown_records(list, &bytes);
    for (size_t at = 0; at < bytes;) {
        const struct record_head *const h =
            (const struct record_head *)(const void *)(records + at);
        if (is_configuration(h))
            model_rundown_config_keep(&r->known, h, h + 1);
        at += ring_padded(h->bytes);
    }
}

/* The rundown that the recording begins with, as of now, or ends with; without an engine to ask
 * there is none. */
static void put_edge(struct recorder *r, bool is_end)
{
    int64_t at = is_end ? r->save.last_ns : 0;
    if (is_end && !at)
        return; /* no event came: nothing ends */
    struct model_rundown *const list = engine_rundown(r->o.engine, 0, &at, is_end);
    if (!list)
        return;
    if (at) /* else no event was read: nothing is known, of no time */
        save_rundown(&r->save, list, !is_end);
    if (!is_end && at) {
        know_configuration(r, list);
        r->from_ns = at;
        save_from(&r->save, at + 1);
    }
    model_rundown_free(list);
}

/* By the recorder: what was overwritten before it was read, and marks that had no room. */
static uint64_t missed(const struct recorder *r)
{
    return r->events.missed + r->marks.missed + r->marks_dropped;
}

/* Writes the losses that the file does not have yet. */
static void report_lost(struct recorder *r)
{
    r->refused = ring_figures(r->events.ring).lost - r->refused_before;
    const uint64_t lost = missed(r) + r->refused;
    save_lost(&r->save, lost - r->reported_lost);
    r->reported_lost = lost;
}

static void wake_owner(const struct recorder *r)
{
    if (r->o.wakeup)
        os_wakeup_signal(r->o.wakeup);
}

static void publish(struct recorder *r, const struct etl_written *now, unsigned files)
{
    struct shared *const s = &r->shared;
    atomic_store_explicit(&s->events, r->save.events, memory_order_relaxed);
    atomic_store_explicit(&s->records, now->events - now->overwritten_events, memory_order_relaxed);
    atomic_store_explicit(&s->bytes, now->bytes, memory_order_relaxed);
    atomic_store_explicit(&s->overwritten, now->overwritten_events, memory_order_relaxed);
    atomic_store_explicit(&s->lost, missed(r), memory_order_relaxed);
    atomic_store_explicit(&s->refused, r->refused, memory_order_relaxed);
    atomic_store_explicit(&s->before, r->save.lost - r->reported_lost, memory_order_relaxed);
    atomic_store_explicit(&s->late, reorder_too_late(r->reorder_buffer) - r->in_place,
                          memory_order_relaxed);
    atomic_store_explicit(&s->unidentified, r->save.unidentified, memory_order_relaxed);
    if (atomic_exchange_explicit(&s->files, files, memory_order_relaxed) != files)
        wake_owner(r);
}

static void publish_now(struct recorder *r)
{
    const struct etl_written now = etl_log_count(r->save.log);
    report_lost(r);
    publish(r, &now, etl_log_files(r->save.log));
}

static void close_file(struct recorder *r)
{
    struct etl_written all = {0};
    report_lost(r);
    const unsigned files = etl_log_files(r->save.log);
    put_edge(r, true);
    r->has_failed = !save_finish(&r->save, &all, &r->err);
    publish(r, &all, files);
    atomic_store_explicit(&r->shared.unwritten, all.lost_events - r->save.lost,
                          memory_order_relaxed);
}

/* Recording ends here. */
static bool is_at_bound(const struct recorder *r)
{
    return r->save.has_failed || r->is_full ||
           (r->o.duration_ns && os_now() - r->began >= r->o.duration_ns);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static bool is_stopping(const struct recorder *r)
{
    return atomic_load_explicit(&r->shared.stop, memory_order_acquire);
}

static void flush_if_due(struct recorder *r)
{
    if (os_now() - r->flushed < FLUSH_NS)
        return;
    save_flush(&r->save);
    r->flushed = os_now();
}

/* The number of the next record, where there is one. */
static void follow_from(struct follower *f, unsigned slot)
{
    f->position = ring_pin(f->ring, slot, f->position);
    f->has_begun = f->position < ring_figures(f->ring).head;
    if (f->has_begun)
        f->number = ring_number(f->ring, f->position);
    ring_unpin(f->ring, slot);
}

static void begin(struct recorder *r)
{
    r->events = (struct follower){.ring = r->o.collector->hot, .until = UINT64_MAX};
    r->marks = (struct follower){.ring = engine_marks(r->o.engine), .until = UINT64_MAX};
    r->marks.position = ring_figures(r->marks.ring).head;
    if (r->o.is_whole) { /* what the ring does not hold any more was missed */
        r->events.has_begun = true;
    } else {
        /* What the engine has read is in the rundown; what it has not read yet is not older. */
        r->events.position = ring_figures(r->events.ring).read;
        r->refused_before = ring_figures(r->events.ring).lost;
        follow_from(&r->events, PIN_RECORDER);
        put_edge(r, false);
    }
    save_flush(&r->save);
    r->flushed = os_now();
}

static void run(void *arg)
{
    struct recorder *const r = arg;
    struct priority_boost priority_boost = {.percent =
                                        collector_is_live(r->o.collector) ? BOOST_WRITER : 0};
    begin(r);
    atomic_store_explicit(&r->shared.has_begun, true, memory_order_release);
    wake_owner(r);
    for (bool is_ending = false; !is_at_bound(r);) {
        priority_boost_update(&priority_boost);
        if (!is_ending && is_stopping(r)) {
            /* what came before the stop, and no more */
            r->events.until = ring_figures(r->events.ring).head;
            is_ending = true;
        }
        follow_marks(r);
        const bool has_more = follow_events(r);
        put_events(r, is_ending && !has_more ? INT64_MAX : os_now());
        flush_if_due(r);
        publish_now(r);
        if (!has_more && is_ending)
            break;
        if (!has_more)
            os_wakeup_wait(r->wake, r->o.nap_ns ? r->o.nap_ns : NAP_NS);
    }
    if (atomic_load_explicit(&r->shared.is_canceled, memory_order_acquire)) {
        save_drop(&r->save);
    } else {
        put_events(r, INT64_MAX); /* where it ends by time */
        put_marks(r, INT64_MAX);
        close_file(r);
    }
    atomic_store_explicit(&r->shared.is_over, true, memory_order_release);
    wake_owner(r);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* What the file could not be, before it is begun. */
static bool check(const struct recorder_options *o, struct err *err)
{
    if (o->mode != ETL_LOG_SEQUENTIAL && !o->most_bytes)
        return fail(err, "--filemode circular and rotate need --max-size");
    if (o->files_most && o->mode != ETL_LOG_ROTATE)
        return fail(err, "--max-files needs numbered files: --filemode rotate");
    if (o->is_compressed && o->mode == ETL_LOG_CIRCULAR)
        return fail(err, "--compress: a circular file's buffers have places of one size; record "
                         "sequential or rotate");
    if (ends_with(o->path, ".zst"))
        return fail(err,
                    "%s: .etl.zst cannot be written while events come; record an .etl, then: "
                    "tracetop dump FILE.etl -O etl -o FILE.etl.zst",
                    o->path);
    return true;
}

struct recorder *recorder_start(const struct recorder_options *o, struct err *err)
{
    if (strlen(o->path) >= PATH_ROOM) {
        fail(err, "the path is longer than %d bytes", PATH_ROOM - 1);
        return NULL;
    }
    if (!check(o, err))
        return NULL;
    struct recorder *const r = mem_new(1, sizeof *r);
    r->o = *o;
    strcpy(r->path, o->path);
    r->began = os_now();
    if (!open_file(r, err)) {
        free(r);
        return NULL;
    }
    r->buffer = mem_new(COPY, 1);
    r->reorder_buffer = reorder_new(o->collector, o->hold_ns ? o->hold_ns : HOLD_NS);
    r->wake = os_wakeup_new();
    r->thread = os_thread_start("recorder", run, r);
    return r;
}

bool recorder_has_begun(const struct recorder *r)
{
    return atomic_load_explicit(&r->shared.has_begun, memory_order_acquire);
}

bool recorder_poll(const struct recorder *r, struct recorder_figures *f)
{
    const struct shared *const s = &r->shared;
    *f = (struct recorder_figures){
        .events = atomic_load_explicit(&s->events, memory_order_relaxed),
        .records = atomic_load_explicit(&s->records, memory_order_relaxed),
        .bytes = atomic_load_explicit(&s->bytes, memory_order_relaxed),
        .lost = atomic_load_explicit(&s->lost, memory_order_relaxed),
        .refused = atomic_load_explicit(&s->refused, memory_order_relaxed),
        .before = atomic_load_explicit(&s->before, memory_order_relaxed),
        .unwritten = atomic_load_explicit(&s->unwritten, memory_order_relaxed),
        .overwritten = atomic_load_explicit(&s->overwritten, memory_order_relaxed),
        .unidentified = atomic_load_explicit(&s->unidentified, memory_order_relaxed),
        .late = atomic_load_explicit(&s->late, memory_order_relaxed),
        .files = atomic_load_explicit(&s->files, memory_order_relaxed),
        .began = r->began,
    };
    return atomic_load_explicit(&s->is_over, memory_order_acquire);
}

void recorder_end(struct recorder *r)
{
    atomic_store_explicit(&r->shared.stop, true, memory_order_release);
    os_wakeup_signal(r->wake);
}

static void join(struct recorder *r)
{
    recorder_end(r);
    os_thread_join(r->thread);
}

static void recorder_free(struct recorder *r)
{
    os_wakeup_free(r->wake);
    reorder_free(r->reorder_buffer);
    free(r->buffer);
    model_rundown_config_free(&r->known);
    while (has_pending_marks(r))
        free(r->pending[r->pending_first++]);
    free(r->pending);
    free(r);
}

bool recorder_stop(struct recorder *r, struct recorder_figures *figures, struct err *err)
{
    struct recorder_figures ours;
    join(r);
    recorder_poll(r, figures ? figures : &ours);
    const bool is_done = !r->has_failed || fail(err, "%s", r->err.text);
    recorder_free(r);
    return is_done;
}

void recorder_cancel(struct recorder *r)
{
    atomic_store_explicit(&r->shared.is_canceled, true, memory_order_release);
    join(r);
    recorder_free(r);
}

/* Adds to a sentence; what does not fit is cut. */
PRINTF_LIKE(3, 4) static void add(char *out, size_t room, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + used, room - used, format, args);
    va_end(args);
}

const char *recorder_sentence(const struct recorder_figures *f, const struct recorder_options *o,
                              char *out, size_t room)
{
    const bool are_fewer = o->files_most && f->files > o->files_most;
    const unsigned kept = are_fewer ? o->files_most : f->files;
    const unsigned before = o->first_number ? o->first_number - 1 : 0;
    char *const first = etl_log_name(o->path, o->mode, before + f->files - kept + 1);
    char *const last = etl_log_name(o->path, o->mode, before + (f->files ? f->files : 1));
    snprintf(out, room, "%s", first);
    if (kept > 1)
        add(out, room, " to %s", last);
    char size[32];
    scale_bytes((double)f->bytes, size, sizeof size);
    char count[TEXT_COUNT];
    add(out, room, ": %.1f s, %s, %s", (double)(os_now() - f->began) / 1e9,
        text_count(count, f->records, "event"), size);
    if (f->files > 1)
        add(out, room, " in %u files", f->files);
    if (are_fewer)
        add(out, room, ", of which %u remain", kept);
    if (f->overwritten)
        add(out, room, ", the oldest %" PRIu64 " overwritten", f->overwritten);
    if (f->lost)
        add(out, room, ", %" PRIu64 " lost: writing was too slow", f->lost);
    if (f->unwritten)
        add(out, room, ", %" PRIu64 " of them not written", f->unwritten);
    if (f->refused)
        add(out, room, ", %" PRIu64 " lost because the ring was full", f->refused);
    if (f->before)
        add(out, room, ", %" PRIu64 " lost before collection", f->before);
    if (f->late)
        add(out, room, ", %" PRIu64 " came too late for their place in time", f->late);
    if (f->unidentified)
        add(out, room, ", %s left without a PDB: reading image files took too long",
            text_count(count, f->unidentified, "image"));
    free(first);
    free(last);
    return out;
}
