/* The scan behind a view: kept facts one after the other, from the oldest on, into a narrowed
 * table, a list of events, a call tree or a picture. */
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/view/changes.h"
#include "src/view/chart.h"
#include "src/view/inside.h"
#include "src/view/stacks.h"
#include "src/view/values.h"

#include <string.h>

/* ---- where facts go ------------------------------------------------------------------------- */

static void index_add(struct event_index *x, uint64_t number)
{
    if (x->end == x->room && x->first > x->room / 2) {
        memmove(x->numbers, x->numbers + x->first, (x->end - x->first) * sizeof *x->numbers);
        x->end -= x->first;
        x->first = 0;
    }
    if (x->end == x->room) {
        x->room = x->room ? x->room * 2 : 4096;
        x->numbers = mem_grow(x->numbers, x->room, sizeof *x->numbers);
    }
    x->numbers[x->end++] = number;
}

/* Facts for the narrowed table wait until there are enough of them to count together. */
void view_count_waiting(struct view *v)
{
    if (v->waiting_count)
        table_feed_batch(&v->narrowed, v->waiting, NULL, v->waiting_count);
    v->waiting_count = 0;
}

/* The narrowed table's intervals pass up to the one that a time lies in. */
static void turn_to(struct view *v, int64_t time)
{
    struct table *const t = &v->narrowed;
    const struct dataset *w = view_dataset(v);
    if (time < w->origin_ns || v->interval_ns <= 0)
        return;
    const uint64_t since = (uint64_t)(time - w->origin_ns), length = (uint64_t)v->interval_ns;
    if (since < (t->interval + 1ull) * length) /* the same one: spares the division */
        return;
    uint64_t interval = since / length;
    if (interval > w->interval)
        interval = w->interval;
    if (interval > t->interval) {
        view_count_waiting(v);
        table_step(t, (uint32_t)interval - t->interval,
                   w->origin_ns + (int64_t)interval * v->interval_ns);
    }
}

static const struct fact *part_in_range(const struct view *v, const struct fact *f,
                                        struct fact *room)
{
    return view_part_in(f, v->request.from_ns, v->request.to_ns, room);
}

static const struct fact *part_in_base(const struct view *v, const struct fact *f,
                                       struct fact *room)
{
    return v->has_base ? view_part_in(f, v->request.base_from_ns, v->request.base_to_ns, room)
                       : NULL;
}

/* Time slices that go on are counted up to the end of the interval: who looks for those that were
 * on at `to` looks that far. */
static int64_t slices_end(const struct view *v, int64_t to)
{
    const int64_t origin = view_dataset(v)->origin_ns, length = v->interval_ns;
    if ((!v->has_narrowed && !v->chart && !view_shows(v, PANE_CHANGES)) || to < origin ||
        length <= 0)
        return to;
    return clock_plus(to, length - (to - origin) % length);
}

/* The times between which facts are scanned; false: all of them are. */
static bool has_hull(const struct view *v, int64_t *from, int64_t *to)
{
    const struct request *const r = &v->request;
    if (view_shows(v, PANE_CHANGES))
        return changes_hull(v, from, to), *to = slices_end(v, *to), true;
    *from = v->has_base && r->base_from_ns < r->from_ns ? r->base_from_ns : r->from_ns;
    *to = slices_end(v, v->has_base && r->base_to_ns > r->to_ns ? r->base_to_ns : r->to_ns);
    return request_has_range(r);
}

static void count_machine(struct view *v, const struct fact *f, uint32_t process)
{
    struct machine_sums *m = &v->machine;
    const bool is_time = f->class == FACT_SWITCH || f->class == FACT_SAMPLE;
    const bool is_unseen = f->class == FACT_SWITCH && !f->thread;
    const bool is_idle = is_time && model_process_is_idle(v->model, process);
    const uint64_t idle = is_idle || is_unseen ? f->value : 0;
    if (f->class == FACT_SWITCH) {
        m->run += f->value;
        m->idle_run += idle;
    } else if (f->class == FACT_SAMPLE) {
        m->sampled += f->value;
        m->idle_sampled += idle;
    } else if (f->class == FACT_DISK && f->op == OP_READ) {
        m->read += f->value;
    } else if (f->class == FACT_DISK && f->op == OP_WRITE) {
        m->written += f->value;
    }
}

/* Samples are counted by the image that their address lies in. */
static struct fact of_image(const struct view *v, const struct fact *f, uint32_t process)
{
    struct fact of = *f;
    if (v->request.pane->has_images && f->class == FACT_SAMPLE)
        of.entity = view_image_of(v, f, process);
    return of;
}

static void count_in(const struct view *v, struct table *t, const struct fact *f, uint32_t process,
                     const struct fact_values *values)
{
    const struct fact of = of_image(v, f, process);
    if (values)
        table_feed_values(t, &of, process, values);
    else
        table_feed(t, &of, process);
}

/* A range is counted as a whole (but for trends) and whatever was reset since; all else by
 * intervals. */
static void count_fact(struct view *v, const struct fact *f, uint32_t process)
{
    if (!table_counts(&v->narrowed, f))
        return;
    struct fact_values values;
    struct fact room;
    const struct pane *const pane = v->request.pane;
    const struct fact_values *const fields = pane->field_count > 0 ? &values : NULL;
    if (fields && !view_values(v, pane, f, &values))
        return;
    const struct fact *const base = part_in_base(v, f, &room);
    if (base && table_counts(&v->base, base))
        count_in(v, &v->base, base, process, fields);
    const struct fact *part = f;
    if (request_has_range(&v->request)) {
        part = part_in_range(v, f, &room);
        if (!part || !table_counts(&v->narrowed, part))
            return;
    } else if (f->time < view_dataset(v)->reset_ns) {
        return;
    }
    if (view_counts_by_interval(v))
        turn_to(v, part->time);
    if (fields || part == &room || (pane->has_images && f->class == FACT_SAMPLE)) {
        count_in(v, &v->narrowed, part, process, fields);
        return;
    }
    v->waiting[v->waiting_count++] = (struct table_fact){f, process};
    if (v->waiting_count == TABLE_BATCH)
        view_count_waiting(v);
}

/* ---- fact by fact --------------------------------------------------------------------------- */

/* Is it a time that the scan is about? `part`: what of it is in the range. */
static bool is_in_time(const struct view *v, const struct fact *f, const struct fact *part)
{
    int64_t from, to;
    struct fact room;
    if (view_shows(v, PANE_CHANGES))
        return !has_hull(v, &from, &to) || (f->time > from && f->time <= to);
    return part || part_in_base(v, f, &room);
}

/* The machine's sums are made of those. */
static const uint32_t MACHINE = 1u << FACT_SWITCH | 1u << FACT_SAMPLE | 1u << FACT_DISK;

static void put(struct view *v, const struct fact *f, uint32_t process, uint64_t number)
{
    if (!view_filter_passes(v, f, process))
        v->index.hidden++; /* of lists */
    else if (v->has_narrowed)
        count_fact(v, f, process);
    else
        index_add(&v->index, number);
}

/* A fact of the range, where the filter decides the rest. */
static void scan_simply(struct view *v, const struct fact *f, uint64_t number)
{
    const uint32_t process = model_process_of(v->model, f);
    struct fact room;
    if (MACHINE >> f->class & 1 && request_has_range(&v->request))
        count_machine(v, part_in_range(v, f, &room), process);
    if (v->request.pane->where && !view_pane_passes(v, v->request.pane, f, process))
        return;
    put(v, f, process, number);
}

static void scan_closely(struct view *v, const struct fact *f, uint64_t number)
{
    const bool has_range = request_has_range(&v->request);
    struct fact room;
    const struct fact *const part = has_range ? part_in_range(v, f, &room) : f;
    const bool ends_later = part == &room && f->time > v->request.to_ns;
    if (!is_in_time(v, f, part) ||
        (view_shows(v, PANE_TABLE) && !v->has_narrowed && !chart_looks_at(v, f)))
        return;
    const uint32_t process = model_process_of(v->model, f);
    if (has_range && part)
        count_machine(v, part, process);
    if (v->request.pane->where && !view_pane_passes(v, v->request.pane, f, process))
        return;
    const bool passes = !v->request.crumb_count || view_fact_passes(v, f, process);
    if (!passes && !(view_shows(v, PANE_TREE) && tree_follows(v, f)))
        return;
    if (v->chart && part && passes)
        chart_feed(v, part, process);
    if (view_shows(v, PANE_TREE)) {
        if (!ends_later)
            tree_feed(v, f, number);
    } else if (view_shows(v, PANE_TABLE) && !v->has_narrowed) {
        return; /* scanned for the picture alone */
    } else if (view_shows(v, PANE_CHANGES)) {
        if (view_filter_passes(v, f, process))
            changes_feed(v, f, process);
    } else if (v->has_narrowed || (f->op != OP_SLICE && !ends_later)) { /* which is no event */
        put(v, f, process, number);
    }
}

/* The number of the first fact that a slice comes before, from the next one on. */
static uint64_t next_slice(struct view *v, const struct dataset *w)
{
    if (v->slice_next < w->slices.first)
        v->slice_next = w->slices.first;
    return v->slice_next < w->slices.end ? facts_at(&w->slices, v->slice_next)->position
                                         : UINT64_MAX;
}

/* Slices of stays count in their place among the facts. */
static void scan_slices(struct view *v, const struct dataset *w, uint64_t before)
{
    while (next_slice(v, w) <= before) {
        const struct fact *const f = facts_at(&w->slices, v->slice_next++);
        if (f->position >= w->facts.first && v->scan_ops[f->class] >> f->op & 1)
            scan_closely(v, f, 0);
    }
}

void view_choose_facts(struct view *v)
{
    const bool has_range = request_has_range(&v->request), has_chart = v->chart != NULL;
    for (unsigned class = 0; class < FACT_CLASSES; class ++) {
        uint64_t ops = UINT64_MAX;
        for (unsigned op = 0; op < OPS && v->has_narrowed; op++)
            if (!v->narrowed.of[class][op].count)
                ops &= ~(1ull << op);
        if (v->has_narrowed && !has_chart)
            ops &= v->counted_ops[class];
        if (view_shows(v, PANE_EVENTS) && !has_chart)
            ops &= ~(1ull << OP_SLICE); /* no event of its own */
        const bool is_summed = v->has_narrowed && (has_range || has_chart);
        v->scan_ops[class] = is_summed && MACHINE >> class & 1 ? UINT64_MAX : ops;
    }
    v->scans_simply = !v->has_base && !has_chart && !v->request.crumb_count &&
                      (v->has_narrowed || view_shows(v, PANE_EVENTS));
}

/* Passes over facts that lie outside the range, block by block. */
static void skip_blocks(struct view *v, const struct dataset *w, uint64_t last)
{
    int64_t from, to;
    const bool has_ends = has_hull(v, &from, &to);
    while (has_ends && v->scan_next % FACT_BLOCK == 0 &&
           v->scan_next + FACT_BLOCK <= last &&
           !facts_block_reaches(&w->facts, v->scan_next, from, to))
        v->scan_next += FACT_BLOCK;
}

/* To the end of the block: facts that lie side by side. */
static void scan_block(struct view *v, const struct dataset *w, uint64_t last)
{
    enum { AHEAD = 12 };
    uint64_t number = v->scan_next, end = (number / FACT_BLOCK + 1) * FACT_BLOCK;
    uint64_t slice = next_slice(v, w);
    const struct request *const r = &v->request;
    const bool is_simple =
        v->scans_simply &&
        (!request_has_range(r) || facts_block_within(&w->facts, number, r->from_ns, r->to_ns));
    end = end < last ? end : last;
    for (const struct fact *f = facts_at(&w->facts, number); number < end; number++, f++) {
        __builtin_prefetch(f + AHEAD); /* perhaps of nothing: that costs nothing */
        if (slice <= number) {
            scan_slices(v, w, number);
            slice = next_slice(v, w);
        }
        if (!(v->scan_ops[f->class] >> f->op & 1))
            continue;
        if (is_simple)
            scan_simply(v, f, number);
        else
            scan_closely(v, f, number);
    }
    v->scan_next = end;
}

bool view_scan_facts(struct view *v, uint64_t end, int64_t deadline)
{
    const struct dataset *const w = view_scanned(v);
    if (v->scan_next < w->facts.first) {
        v->scan_next = w->facts.first;
        v->scan_from = facts_earliest(&w->facts);
    }
    while (v->index.first < v->index.end && v->index.numbers[v->index.first] < w->facts.first)
        v->index.first++;
    while (v->scan_next < end) {
        skip_blocks(v, w, end);
        if (v->scan_next < end)
            scan_block(v, w, end);
        if (v->scan_next < end && os_now() >= deadline)
            return false;
    }
    if (end == w->facts.end)
        scan_slices(v, w, end);
    return true;
}

void view_pass_time(struct view *v)
{
    const struct dataset *const w = view_dataset(v);
    const bool has_all = !v->reread && v->scan_next >= w->facts.end;
    if (has_all && v->has_narrowed && !request_has_range(&v->request))
        turn_to(v, w->newest_ns);
}
