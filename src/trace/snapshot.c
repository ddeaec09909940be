#include "src/trace/snapshot.h"

#include "src/base/mem.h"
#include "src/base/scale.h"
#include "src/event/reorder_list.h"
#include "src/model/rundown.h"
#include "src/os/atomic_file.h"
#include "src/os/priority_boost.h"
#include "src/ring/window.h"
#include "src/trace/save.h"
#include "src/trace/snapshot_part.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BETWEEN_LOOKS = 4096, PARTS = 1000, NAMES_TRIED = 100 };

struct snapshot {
    struct snapshot_options o;
    char *folder, *view, *filter;
    bool is_path_long;
    struct os_thread *thread;
    struct window *events, *marks;
    const uint8_t *mark_piece; /* where the next mark is */
    size_t mark_index, mark_at, mark_bytes;
    struct reorder_list late; /* records that are older than one before them */
    struct save save;
    struct snapshot_part *chosen; /* what the filter takes; NULL: everything */
    uint64_t matching;            /* … and so many of its records matched */
    struct priority_boost priority_boost;
    uint64_t passed; /* records that were written or left out */
    struct snapshot_result result;
    _Atomic unsigned part;
    _Atomic bool is_over, is_canceled;
};

/* ---- names --------------------------------------------------------------------------- */

/* Whatever a machine or a user calls it, it is no path. */
static void make_plain(char *name)
{
    for (char *c = name; *c; c++)
        if (*c == '/' || *c == '\\' || *c == ':' || (unsigned char)*c <= ' ')
            *c = '_';
}

void snapshot_name(const char *folder, const char *name, char *out, size_t room)
{
    char machine[128], when[32], begin[64];
    const time_t now = (time_t)(os_wall_now() / 1000000000);
    const struct tm *const t = localtime(&now);
    os_machine_name(machine, sizeof machine);
    make_plain(machine);
    snprintf(begin, sizeof begin, "%s", name && *name ? name : "tracetop");
    make_plain(begin);
    char standard[700];
    os_default_folder(standard, sizeof standard);
    if (!t || !strftime(when, sizeof when, "%Y%m%d-%H%M%S", t))
        snprintf(when, sizeof when, "%" PRId64, (int64_t)now);
    for (unsigned i = 1; i <= NAMES_TRIED; i++) {
        char again[16] = "";
        if (i > 1)
            snprintf(again, sizeof again, "-%u", i);
        snprintf(out, room, "%.700s/%s-%s-%s%s.etl", folder && *folder ? folder : standard, begin,
                 machine, when, again);
        if (os_path_kind(out) == OS_NOTHING)
            return;
    }
}

/* ---- marks, which have a ring of their own ---------------------------------------------- */

static const struct record_head *next_mark(struct snapshot *s)
{
    while (s->mark_at >= s->mark_bytes) {
        s->mark_piece = window_piece(s->marks, s->mark_index++, &s->mark_bytes);
        s->mark_at = 0;
        if (!s->mark_piece) {
            s->mark_bytes = 0; /* asked again, there is none again */
            return NULL;
        }
    }
    return (const struct record_head *)(const void *)(s->mark_piece + s->mark_at);
}

/* All marks up to this time. */
static void put_marks(struct snapshot *s, int64_t until)
{
    for (;;) {
        const struct record_head *const head = next_mark(s);
        if (!head || head->ts > until)
            return;
        s->mark_at += ring_padded(head->bytes);
        if (!s->o.from_ns || head->ts >= s->o.from_ns)
            save_mark(&s->save, head, head + 1);
    }
}

/* ---- events -------------------------------------------------------------------------------- */

static int64_t time_of(const struct snapshot *s, const struct record_head *head)
{
    if (head->source >= SOURCE_MAX || head->form != RECORD_ETW)
        return 0;
    return trace_clock_ns(&s->o.collector->sources[head->source].clock, head->ts);
}

static bool has_range(const struct snapshot *s)
{
    return s->o.to_ns > s->o.from_ns;
}

static bool is_wanted(const struct snapshot *s, int64_t ns)
{
    return !has_range(s) || (ns >= s->o.from_ns && ns <= s->o.to_ns);
}

static bool is_canceled(const struct snapshot *s)
{
    return atomic_load_explicit(&s->is_canceled, memory_order_relaxed);
}

/* Is it within the snapshot? A record of loss has the time at which it was reported. */
static bool is_record_wanted(const struct snapshot *s, const struct record_head *head, int64_t ns)
{
    const bool is_note = head->form == RECORD_LOST && head->source < SOURCE_MAX;
    return is_wanted(
        s, is_note ? trace_clock_ns(&s->o.collector->sources[head->source].clock, head->ts) : ns);
}

/* NULL behind the last, or when it is to end. */
static const uint8_t *next_piece(struct snapshot *s, size_t index, size_t *bytes)
{
    priority_boost_update(&s->priority_boost);
    return is_canceled(s) ? NULL : window_piece(s->events, index, bytes);
}

/* Told of one record, and when it was (0: it has no time). */
typedef void (*each_record)(struct snapshot *, const struct record_head *, int64_t ns);

/* How far a walk over the copied records has come. */
struct walk {
    const uint8_t *piece;
    size_t next, at, bytes; /* the number of the piece behind this one; bytes in this one */
};

/* The next record that is wanted, and when it was; NULL behind the last, or when it is to end. */
static const struct record_head *next_record(struct snapshot *s, struct walk *w, int64_t *ns)
{
    for (;;) {
        while (w->at >= w->bytes) {
            w->piece = next_piece(s, w->next++, &w->bytes);
            w->at = 0;
            if (!w->piece)
                return NULL;
        }
        const struct record_head *const head =
            (const struct record_head *)(const void *)(w->piece + w->at);
        w->at += ring_padded(head->bytes);
        *ns = time_of(s, head);
        if (is_record_wanted(s, head, *ns))
            return head;
    }
}

/* Walks over the records as they came. */
static void walk(struct snapshot *s, each_record each)
{
    int64_t ns;
    struct walk w = {.next = 0};
    for (const struct record_head *head; (head = next_record(s, &w, &ns));)
        each(s, head, ns);
}

static void measure(struct snapshot *s, const struct record_head *head, int64_t ns)
{
    if (!ns)
        return;
    if (!s->result.first_ns || ns < s->result.first_ns)
        s->result.first_ns = ns;
    if (ns >= s->result.last_ns)
        s->result.last_ns = ns;
    else
        reorder_list_add(&s->late, ns, head);
    s->result.events++;
}

/* Walks over them in order of time; what has none stays where it came. */
static void walk_in_order(struct snapshot *s, each_record each)
{
    int64_t newest = 0, ns;
    struct walk w = {.next = 0};
    if (!s->late.heap.count) {
        walk(s, each);
        return;
    }
    struct reorder_list late = reorder_list_copy(&s->late);
    for (const struct record_head *head; (head = next_record(s, &w, &ns));) {
        if (ns && ns < newest)
            continue;
        for (int64_t at_ns; (at_ns = reorder_list_oldest(&late)) < ns;)
            each(s, reorder_list_take(&late), at_ns);
        newest = ns ? ns : newest;
        each(s, head, ns);
    }
    for (int64_t at_ns; (at_ns = reorder_list_oldest(&late)) != INT64_MAX;)
        each(s, reorder_list_take(&late), at_ns);
    reorder_list_clear(&late);
}

static void learn_one(struct snapshot *s, const struct record_head *head, int64_t ns)
{
    (void)ns;
    snapshot_part_learn(s->chosen, head);
}

/* Is it in the file? Losses are, whatever the filter says. */
static bool is_chosen(struct snapshot *s, const struct record_head *head)
{
    if (!s->chosen || head->form != RECORD_ETW)
        return true;
    const enum dependency_answer answer = snapshot_part_ask(s->chosen, head);
    s->matching += answer == DEPENDENCY_WANTED;
    return answer != DEPENDENCY_NOT;
}

static void write_one(struct snapshot *s, const struct record_head *head, int64_t ns)
{
    if (ns)
        put_marks(s, ns - 1);
    if (is_chosen(s, head))
        save_put(&s->save, head, head + 1, ns);
    if (++s->passed % BETWEEN_LOOKS == 0)
        atomic_store_explicit(&s->part, (unsigned)(s->passed * PARTS / (s->result.events + 1)),
                              memory_order_relaxed);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A ring has one pin for snapshots: the copies of two are made one after the other. */
static atomic_flag is_copying = ATOMIC_FLAG_INIT;

static void copy_rings(struct snapshot *s)
{
    enum { MS = 1000000 };
    while (atomic_flag_test_and_set_explicit(&is_copying, memory_order_acquire))
        os_sleep(MS);
    s->marks = window_new(engine_marks(s->o.engine), PIN_SNAPSHOT);
    s->events = window_new(s->o.collector->hot, PIN_SNAPSHOT);
    window_work(s->events, INT64_MAX);
    window_work(s->marks, INT64_MAX);
    atomic_flag_clear_explicit(&is_copying, memory_order_release);
}

/* The filter reads all records before it selects events: names may come late. */
static bool choose(struct snapshot *s, const struct model_rundown *in_front, struct err *err)
{
    if (!s->filter || !*s->filter)
        return true;
    s->chosen = snapshot_part_new(s->o.collector, s->filter, s->result.first_ns, s->result.last_ns);
    snapshot_part_learn_rundown(s->chosen, in_front);
    walk_in_order(s, learn_one);
    return snapshot_part_settle(s->chosen, err);
}

/* In front what was alive when the first event came, behind what was when the last did. */
static bool put_edge(struct snapshot *s, bool is_end, struct err *err)
{
    int64_t at = is_end ? s->result.last_ns : s->result.first_ns;
    struct model_rundown *const r = engine_rundown(s->o.engine, 0, &at, is_end);
    if (!r)
        return fail(err, "the monitor exited while it wrote the snapshot");
    const bool ok = is_end || choose(s, r, err);
    if (ok)
        save_rundown(&s->save, r, !is_end);
    model_rundown_free(r);
    return ok;
}

static bool put_all(struct snapshot *s, struct err *err)
{
    if (!put_edge(s, false, err))
        return false;
    walk_in_order(s, write_one);
    put_marks(s, has_range(s) ? s->o.to_ns : INT64_MAX);
    s->result.lost = window_lost(s->events);
    save_lost(&s->save, s->result.lost);
    if (is_canceled(s))
        return fail(err, "the snapshot was canceled");
    if (s->chosen && !s->matching)
        return fail(err, "no event matches '%s'", s->filter);
    if (s->chosen) {
        s->result.examined = s->result.events;
        s->result.events = s->save.events;
    }
    return put_edge(s, true, err);
}

/* The sidecar is of use with the file only; where it cannot be written the snapshot stands. */
static bool write_view(struct snapshot *s, struct err *err)
{
    char path[sizeof s->result.path + 8];
    struct atomic_file d;
    snprintf(path, sizeof path, "%s.view", s->result.path);
    if (!atomic_file_open(&d, path, true, err))
        return false;
    if (!os_write_at(d.file, s->view, strlen(s->view), 0, err)) {
        atomic_file_discard(&d);
        return false;
    }
    return atomic_file_commit(&d, err);
}

static bool write_file(struct snapshot *s, struct err *err)
{
    const struct save_options o = {.path = s->result.path,
                                   .replace = s->o.replace,
                                   .is_compressed = s->o.is_compressed,
                                   .until_ns = has_range(s) ? s->o.to_ns : 0,
                                   .collector = s->o.collector};
    struct etl_written written = {0};
    if (s->is_path_long)
        return fail(err, "the path is longer than %zu bytes", sizeof s->result.path - 1);
    if (!s->o.replace && os_path_kind(s->result.path) != OS_NOTHING)
        return fail(err, "%s already exists; choose another name or remove it", s->result.path);
    copy_rings(s);
    walk(s, measure);
    if (!s->result.events)
        return fail(err, "there are no events to write yet");
    if (!window_is_whole(s->events))
        return fail(err, "cannot allocate a copy of the ring");
    if (!save_open(&s->save, &o, err))
        return false;
    save_from(&s->save, s->result.first_ns);
    if (!put_all(s, err)) {
        save_drop(&s->save);
        return false;
    }
    if (!save_finish(&s->save, &written, err))
        return false;
    s->result.bytes = written.bytes;
    struct err missed;
    char count[TEXT_COUNT];
    if (s->save.unidentified)
        snprintf(s->result.note, sizeof s->result.note,
                 "%s left without a PDB: reading image files took too long",
                 text_count(count, s->save.unidentified, "image"));
    if (s->view && !write_view(s, &missed))
        snprintf(s->result.note, sizeof s->result.note, "no .view beside it: %.200s", missed.text);
    return true;
}

static void run(void *arg)
{
    struct snapshot *const s = arg;
    const int64_t began = os_now();
    if (collector_is_live(s->o.collector))
        s->priority_boost.percent = BOOST_WRITER;
    priority_boost_update(&s->priority_boost);
    s->result.is_done = write_file(s, &s->result.err);
    s->result.took_ns = os_now() - began;
    snapshot_part_free(s->chosen);
    window_free(s->events);
    window_free(s->marks);
    reorder_list_clear(&s->late);
    atomic_store_explicit(&s->is_over, true, memory_order_release);
    if (s->o.wakeup)
        os_wakeup_signal(s->o.wakeup);
}

static char *copied(const char *text)
{
    return text ? mem_string(text) : NULL;
}

struct snapshot *snapshot_start(const struct snapshot_options *o)
{
    struct snapshot *const s = mem_new(1, sizeof *s);
    s->o = *o;
    s->folder = copied(o->folder);
    s->view = copied(o->view);
    s->filter = copied(o->filter);
    if (!o->path || !*o->path)
        snapshot_name(s->folder, o->name, s->result.path, sizeof s->result.path);
    else if (snprintf(s->result.path, sizeof s->result.path, "%s", o->path) >=
             (int)sizeof s->result.path)
        s->is_path_long = true;
    s->thread = os_thread_start("snapshot", run, s);
    return s;
}

bool snapshot_poll(const struct snapshot *s, double *part)
{
    *part = (double)atomic_load_explicit(&s->part, memory_order_relaxed) / PARTS;
    return atomic_load_explicit(&s->is_over, memory_order_acquire);
}

void snapshot_finish(struct snapshot *s, struct snapshot_result *result)
{
    os_thread_join(s->thread);
    if (result)
        *result = s->result;
    free(s->folder);
    free(s->view);
    free(s->filter);
    free(s);
}

void snapshot_cancel(struct snapshot *s)
{
    if (!s)
        return;
    atomic_store_explicit(&s->is_canceled, true, memory_order_relaxed);
    snapshot_finish(s, NULL);
}

const char *snapshot_sentence(const struct snapshot_result *r, char *out, size_t room)
{
    if (!r->is_done) {
        snprintf(out, room, "no snapshot: %s", r->err.text);
        return out;
    }
    char size[32], of[32] = "";
    scale_bytes((double)r->bytes, size, sizeof size);
    if (r->examined)
        snprintf(of, sizeof of, " of %" PRIu64, r->examined);
    int used = snprintf(out, room, "%s: %.1f s, %" PRIu64 "%s event%s, %s", r->path,
                        (double)(r->last_ns - r->first_ns) / 1e9, r->events, of,
                        r->events == 1 && !r->examined ? "" : "s", size);
    if (r->lost && used > 0 && (size_t)used < room)
        used += snprintf(out + used, room - (size_t)used,
                         ", %" PRIu64 " lost: the ring was too small", r->lost);
    if (r->note[0] && used > 0 && (size_t)used < room)
        snprintf(out + used, room - (size_t)used, "; %s", r->note);
    return out;
}
