/* How it goes: loss, history, what the stores gave up; and frames, which show that beside
 * what the view has found. */
#include "src/collect/coverage.h"
#include "src/engine/inside.h"

#include <string.h>
#include <stdio.h>

static const int64_t PROGRESS_NS = 100 * 1000000; /* between frames of a running scan */
static const int64_t FIGURES_NS = 500 * 1000000;  /* between looks at slow figures */

/* ---- figures --------------------------------------------------------------------------- */

static double rate(uint64_t now, uint64_t before, double seconds)
{
    return now > before && seconds > 0 ? (double)(now - before) / seconds : 0;
}

/* When it was noticed, for who wants to go there. The oldest make room. A file counts what was lost
 * and does not say when. */
static void note_loss(struct engine *e, uint64_t count)
{
    if (!engine_is_any_live(e))
        return;
    struct losses *const l = &e->losses;
    if (l->count == LOSS_NOTES)
        memmove(l->notes, l->notes + 1, --l->count * sizeof *l->notes);
    l->notes[l->count++] = (struct loss_note){e->dataset.newest_ns, count};
    if (e->timeline)
        timeline_note(e->timeline, STRIP_LOSS, e->dataset.newest_ns, e->dataset.newest_ns);
}

/* By the capture filter that holds. */
static uint64_t left_out(const struct engine *e)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct capture *const c =
            atomic_load_explicit(&e->options.collectors[i]->capture.wanted, memory_order_relaxed);
        sum += c ? atomic_load_explicit(&capture_figures(c)->left_out, memory_order_relaxed) : 0;
    }
    return sum;
}

static void look_at_loss(struct engine *e, double seconds)
{
    struct frame_loss now = engine_loss(e);
    const uint64_t lost = frame_loss_sum(&now), before = frame_loss_sum(&e->loss);
    if (lost > before)
        note_loss(e, lost - before);
    now.kernel_rate = rate(now.kernel, e->loss.kernel, seconds);
    now.undelivered_rate = rate(now.undelivered, e->loss.undelivered, seconds);
    now.realtime_rate = rate(now.realtime, e->loss.realtime, seconds);
    now.ring_rate = rate(now.ring, e->loss.ring, seconds);
    now.decoder_rate = rate(now.decoder, e->loss.decoder, seconds);
    const bool moved = now.kernel_rate + now.realtime_rate + now.ring_rate + now.decoder_rate > 0;
    const bool moves =
        e->loss.kernel_rate + e->loss.realtime_rate + e->loss.ring_rate + e->loss.decoder_rate > 0;
    if (moved || moves || now.is_unknown != e->loss.is_unknown)
        engine_is_due(e);
    const bool leaves_out = left_out(e) > 0;
    if (leaves_out && !e->has_left_out)
        engine_is_due(e);
    e->has_left_out |= leaves_out;
    e->losses.is_losing = moved || leaves_out;
    e->losses.has_lost = e->has_left_out || now.is_unknown || lost > 0;
    e->loss = now;
}

/* What the figure is for is going back: as far as there are records, facts and a sample, and not
 * through the time between recordings. */
static double seconds_since(const struct engine *e, int64_t from)
{
    const struct dataset *const w = &e->dataset;
    const int64_t facts = facts_earliest(&w->facts);
    from = from < w->origin_ns ? w->origin_ns : from;
    from = from < facts ? facts : from;
    const int64_t gap =
        coverage_gap_ns(e->collectors, e->options.collector_count, from, w->newest_ns);
    return (double)(w->newest_ns - from - gap) / 1e9;
}

double engine_history(const struct engine *e)
{
    double least = -1;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct merge_input *l = &e->merge_inputs[i];
        struct record_head oldest;
        if (!ring_oldest(l->ring, PIN_ENGINE, &oldest) || oldest.source >= l->sources)
            continue;
        const double seconds = seconds_since(e, merge_input_time(e, l, &oldest));
        if (least < 0 || seconds < least)
            least = seconds;
    }
    return least > 0 ? least : 0;
}

/* What live collectors switched on and off, and when. */
static void look_at_active(struct engine *e)
{
    struct recorded *const r = &e->model.recorded;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *const c = e->collectors[i];
        const uint32_t active = atomic_load_explicit(&c->active, memory_order_acquire),
                       changed = active ^ e->merge_inputs[i].active;
        e->merge_inputs[i].active = active;
        for (unsigned class = 0; changed && class < FACT_CLASSES; class ++) {
            const int64_t time =
                atomic_load_explicit(&c->switched_ns[class], memory_order_relaxed);
            if (changed & active & 1u << class)
                recorded_state(r, class, time, RECORDED_ON);
            else if (changed & 1u << class)
                recorded_end(r, class, time);
        }
    }
}

void engine_look_at_figures(struct engine *e)
{
    look_at_active(e);
    const int64_t now = os_now();
    if (e->last_figures && now - e->last_figures < FIGURES_NS)
        return;
    engine_follow_requests(e, now);
    const int64_t cpu = os_cpu_time();
    const double passed = (double)(now - e->last_figures);
    if (e->last_figures)
        e->self_percent = (double)(cpu - e->last_cpu) / passed * 100;
    look_at_loss(e, e->last_figures ? passed / 1e9 : 0);
    engine_look_at_footprint(e);
    e->last_cpu = cpu;
    e->last_figures = now;
    e->ring_s = e->dataset.events ? engine_history(e) : 0;
}

static uint64_t unmatched(const struct engine *e)
{
    const struct model_tally *t = &e->model.tally;
    return t->stacks_unmatched - t->stacks_late + t->completions_unmatched + t->calls_unmatched;
}

/* Counted by the collectors. */
static uint64_t stacks_short(const struct engine *e)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        sum += atomic_load_explicit(&e->collectors[i]->stacks_short, memory_order_relaxed);
    return sum;
}

static struct frame_bounds bounds_of(const struct engine *e)
{
    const struct model *m = &e->model;
    struct frame_bounds b = {
        .evicted_processes = m->processes.evicted + m->tally.early_processes,
        .evicted_threads = m->threads.evicted + m->tally.early_threads,
        .evicted_files = m->files.evicted + m->tally.early_files,
        .evicted_connections = m->connections.evicted + m->tally.early_connections,
        .evicted_images = m->images.evicted + m->tally.early_images,
        .evicted_stacks = m->stack_store.stacks.evicted + m->stack_store.stacks.recycled,
        .stacks_dropped = m->tally.stacks_dropped,
        .stacks_late = m->tally.stacks_late,
        .stacks_short = stacks_short(e),
        .stacks_incomplete = m->tally.stacks_incomplete,
        .images_dropped = m->tally.images_dropped,
        .names_dropped = m->tally.names_dropped,
        .kinds_dropped = m->tally.kinds_dropped,
    };
    for (unsigned i = 0; i < e->dataset.table_count; i++)
        b.rows_folded += e->dataset.tables[i].folded;
    return b;
}

static void publish_bounds(struct engine *e)
{
    const struct frame_bounds now = bounds_of(e);
    uint64_t words[FRAME_BOUNDS];
    memcpy(words, &now, sizeof now);
    for (unsigned i = 0; i < FRAME_BOUNDS; i++)
        atomic_store_explicit(&e->figures.bounds[i], words[i], memory_order_relaxed);
}

void engine_publish_figures(struct engine *e)
{
    publish_bounds(e);
    struct shared_figures *f = &e->figures;
    atomic_store_explicit(&f->events, e->dataset.events, memory_order_relaxed);
    atomic_store_explicit(&f->facts, e->dataset.facts.end, memory_order_relaxed);
    atomic_store_explicit(&f->late, e->late, memory_order_relaxed);
    atomic_store_explicit(&f->newest_ns, e->dataset.newest_ns, memory_order_relaxed);
    atomic_store_explicit(&f->unmatched, unmatched(e), memory_order_relaxed);
    atomic_store_explicit(&f->undecoded, e->undecoded + e->model.tally.cut, memory_order_relaxed);
}

struct engine_figures engine_figures(const struct engine *e)
{
    const struct shared_figures *f = &e->figures;
    uint64_t words[FRAME_BOUNDS];
    for (unsigned i = 0; i < FRAME_BOUNDS; i++)
        words[i] = atomic_load_explicit(&f->bounds[i], memory_order_relaxed);
    struct engine_figures figures = {
        .events = atomic_load_explicit(&f->events, memory_order_relaxed),
        .facts = atomic_load_explicit(&f->facts, memory_order_relaxed),
        .late = atomic_load_explicit(&f->late, memory_order_relaxed),
        .unmatched_stacks = atomic_load_explicit(&f->unmatched, memory_order_relaxed),
        .undecoded = atomic_load_explicit(&f->undecoded, memory_order_relaxed),
        .loss = engine_loss(e),
    };
    memcpy(&figures.bounds, words, sizeof figures.bounds);
    return figures;
}

void engine_take_symbols(struct engine *e)
{
    if (!e->symbols || !symbols_take(e->symbols))
        return;
    const struct symbol_figures f = symbols_figures(e->symbols);
    engine_is_due(e);
    for (unsigned i = 0; f.asked == f.answered && i < ENGINE_VIEWS; i++)
        e->viewports[i].last_frame = 0; /* somebody may wait for the last of them */
}

/* ---- frames ---------------------------------------------------------------------------- */

static enum engine_state state_of(const struct engine *e)
{
    enum { EXIT_STATUS_ERROR = 1 }; /* 6, skipped bytes, is no failure: src/README.md, Exit status */
    bool is_paused = false, has_failed = false;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *c = e->options.collectors[i];
        is_paused |= atomic_load_explicit(&c->paused, memory_order_relaxed);
        has_failed |=
            atomic_load_explicit(&c->exit_status, memory_order_relaxed) == EXIT_STATUS_ERROR;
    }
    if (e->is_done)
        return has_failed ? STATE_FAILED : STATE_FINISHED;
    return is_paused ? STATE_PAUSED : engine_is_any_live(e) ? STATE_LIVE : STATE_REPLAY;
}

static void fill_progress(const struct engine *e, const struct view *v, struct frame *f)
{
    int64_t done = 0, end = 0;
    f->progress = -1;
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *c = e->options.collectors[i];
        done += atomic_load_explicit(&c->progress, memory_order_relaxed);
        end += atomic_load_explicit(&c->progress_end, memory_order_relaxed);
        f->speed = atomic_load_explicit(&c->speed, memory_order_relaxed);
    }
    if (end > 0)
        f->progress = done < end ? (double)done / (double)end : 1;
    f->is_rereading = view_wants_reread(v);
    if (f->is_rereading)
        f->progress = engine_reread_progress(e);
}

/* Bytes of disks over the machine, per second. */
static double disk_rate(const struct row_context *x, const char *measure, const struct dataset *w)
{
    const double seconds = x->times->of_class[FACT_DISK];
    return seconds > 0 ? (double)dataset_sum(w, x, "disk", measure) / seconds : 0;
}

/* Time not spent in any source's idle process. */
static double busy_percent(const struct engine *e, const struct row_context *x,
                           const struct dataset *w)
{
    const char *const measure = x->has_switches ? "run" : "sampled";
    const uint64_t all = dataset_sum(w, x, "processes", measure);
    const uint64_t idle = view_idle_sum(w, &e->model, x, measure);
    const double seconds = context_processor_seconds(x);
    return all && seconds > 0 ? (double)(all - idle) / 1e9 / seconds * 100 : -1;
}

/* Made-up data is called so on screen, whatever else is shown beside it. */
static bool has_synthetic(const struct engine *e)
{
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *c = e->options.collectors[i];
        const unsigned count = atomic_load_explicit(&c->source_count, memory_order_acquire);
        for (unsigned s = 0; s < count; s++)
            if (c->sources[s].is_synthetic)
                return true;
    }
    return false;
}

/* Whether every source that is known runs Linux, and there is one. */
static bool is_all_linux(const struct engine *e)
{
    unsigned known = 0;
    for (size_t i = 0; i < e->options.collector_count; i++)
        for (unsigned s = 0; s < e->merge_inputs[i].sources; s++, known++)
            if (!e->model.sources[i * SOURCE_MAX + s].is_linux)
                return false;
    return known > 0;
}

static void report_capture(const struct engine *e, struct frame_capture *to)
{
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct capture_slot *const d = &e->options.collectors[i]->capture;
        const struct capture *const c = atomic_load_explicit(&d->wanted, memory_order_relaxed);
        snprintf(to->pushed, sizeof to->pushed, "%s", d->pushed ? d->pushed : "");
        if (!c)
            continue;
        snprintf(to->text, sizeof to->text, "%s", capture_text(c));
        to->kept += atomic_load_explicit(&capture_figures(c)->kept, memory_order_relaxed);
        to->left_out += atomic_load_explicit(&capture_figures(c)->left_out, memory_order_relaxed);
    }
}

/* What the live collectors have on; nothing where none is live. */
static void fill_watched(const struct engine *e, struct frame *f)
{
    for (size_t i = 0; i < e->options.collector_count; i++) {
        struct collector *const c = e->collectors[i];
        f->active |= atomic_load_explicit(&c->active, memory_order_relaxed);
        f->active_stacks |= atomic_load_explicit(&c->active_stacks, memory_order_relaxed);
        f->refused |= atomic_load_explicit(&c->refused, memory_order_relaxed);
        f->unwind_percent += atomic_load_explicit(&c->unwind_percent, memory_order_relaxed);
    }
}

static void fill_machine(const struct engine *e, const struct view *v, struct frame *f,
                         const struct row_context *x)
{
    const struct dataset *w = view_dataset(v);
    f->events = e->dataset.events;
    f->late = e->late;
    f->late_classes = e->late_classes;
    f->unmatched = unmatched(e);
    f->stacks_matched = e->model.tally.stacks_matched;
    f->stacks_unmatched = e->model.tally.stacks_unmatched;
    f->loss = e->loss;
    report_capture(e, &f->capture);
    model_watched_text(&e->model, f->watched, sizeof f->watched);
    f->bounds = bounds_of(e);
    if (view_counts_itself(v))
        f->bounds.rows_folded = view_folded(v);
    f->footprint = e->footprint;
    f->ring_s = e->ring_s;
    f->self_percent = e->self_percent;
    f->state = state_of(e);
    f->is_synthetic = has_synthetic(e);
    f->is_linux = is_all_linux(e);
    const int64_t first = e->dataset.first_ns, newest = e->dataset.newest_ns;
    const int64_t whole =
        newest - first - coverage_gap_ns(e->collectors, e->options.collector_count, first, newest);
    const double seconds = (double)(e->options.interval_ns) / 1e9;
    f->events_per_s = e->dataset.interval && !e->is_done
                          ? (double)e->dataset.interval_events[1] / seconds
                      : whole > 0 ? (double)e->dataset.events / ((double)whole / 1e9)
                                  : 0;
    if (!request_has_range(view_request(v))) { /* else the view has counted them */
        f->cpu_percent = busy_percent(e, x, w);
        f->disk_read = disk_rate(x, "read", w);
        f->disk_write = disk_rate(x, "write", w);
    }
    engine_fill_gauges(e, v, f);
    fill_progress(e, v, f);
    fill_watched(e, f);
}

static void fill_notices_of(const struct notices *n, struct frame_maker *maker)
{
    char text[NOTICE_BYTES];
    struct frame_notices *const to = &maker->frame.notices;
    const uint64_t count = notices_count(n), first = notices_oldest(count);
    to->older += first;
    for (uint64_t i = first; i < count; i++)
        if (to->count < FRAME_NOTICES && notices_read(n, i, text))
            to->texts[to->count++] = maker_text(maker, VALUE_TEXT, text, strlen(text));
        else
            to->older++;
}

static void fill_notices(const struct engine *e, struct frame_maker *maker)
{
    for (size_t i = 0; i < e->options.collector_count; i++)
        fill_notices_of(&e->options.collectors[i]->notices, maker);
}

/* Of the first collector that lacks something. */
static void fill_lack(const struct engine *e, struct frame_maker *maker)
{
    for (size_t i = 0; i < e->options.collector_count; i++) {
        const struct collector *const c = e->collectors[i];
        if (!c->lack_why[0])
            continue;
        maker->frame.lack_why = maker_text(maker, VALUE_TEXT, c->lack_why, strlen(c->lack_why));
        if (c->lack_fix[0])
            maker->frame.lack_fix = maker_text(maker, VALUE_TEXT, c->lack_fix, strlen(c->lack_fix));
        return;
    }
}

static int64_t refresh_ns(const struct engine *e)
{
    return e->options.interval_ns < 1000 * MS ? e->options.interval_ns : 1000 * MS;
}

/* Collectors that rest between frames are to have delivered just before one. */
static void announce_frame(const struct engine *e)
{
    enum { BEFORE = 4 };
    const int64_t due = e->last_frame + refresh_ns(e) - BEFORE * MS;
    for (size_t i = 0; i < e->options.collector_count; i++)
        atomic_store_explicit(&e->collectors[i]->due, due, memory_order_relaxed);
}

void engine_make_frame(struct engine *e, struct viewport *l)
{
    struct frame_maker maker;
    const int64_t began = os_now();
    engine_look_at_figures(e);
    engine_count_slices(e);
    const struct row_context x = view_fill(l->view, &maker);
    fill_machine(e, l->view, &maker.frame, &x);
    fill_notices(e, &maker);
    fill_lack(e, &maker);
    engine_report_triggers(e, &maker.frame);
    engine_fill_strip(e, l->view, &maker.frame);
    l->is_due = false;
    l->last_frame = e->last_frame = os_now();
    l->frame_ns = l->last_frame - began;
    l->shown_events = e->dataset.events;
    l->shown_interval = e->dataset.interval;
    l->shown_partial = view_is_partial(l->view);
    announce_frame(e);
    frame_free(atomic_exchange_explicit(&e->frames[l - e->viewports], maker_take(&maker),
                                        memory_order_acq_rel));
    os_wakeup_signal(e->answer);
    if (e->options.frame_wakeup)
        os_wakeup_signal(e->options.frame_wakeup);
}

int64_t engine_until_frame(const struct engine *e)
{
    int64_t until = INT64_MAX;
    const int64_t now = os_now();
    for (unsigned i = 0; i < ENGINE_VIEWS; i++) {
        const struct viewport *const l = &e->viewports[i];
        const bool has_news = l->is_due || l->shown_events != e->dataset.events;
        const int64_t left = l->last_frame + refresh_ns(e) - now;
        if (view_request(l->view) && (has_news || left > 0) && left < until)
            until = left;
    }
    return until;
}

bool engine_frame_waits(const struct engine *e, const struct viewport *l)
{
    return view_request(l->view)->is_settled && !(e->is_done && view_is_complete(l->view));
}

bool engine_frame_is_due(const struct engine *e, const struct viewport *l)
{
    const struct request *const r = view_request(l->view);
    if (!r || engine_frame_waits(e, l))
        return false;
    if (r->is_settled && l->is_due)
        return true;
    enum { MOST_PART = 8 }; /* of the time, that goes into frames of what is not whole yet */
    const int64_t passed = os_now() - l->last_frame;
    const bool is_complete = view_is_complete(l->view);
    const int64_t progress_ns =
        l->frame_ns * MOST_PART > PROGRESS_NS ? l->frame_ns * MOST_PART : PROGRESS_NS;
    if (l->shown_partial && (is_complete || passed >= progress_ns))
        return true;
    return (l->is_due || l->shown_events != e->dataset.events) && passed >= refresh_ns(e);
}
