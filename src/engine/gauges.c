/* Gauges of the machine: counted as events come, kept by interval, and put into frames. */
#include "src/base/mem.h"
#include "src/collect/coverage.h"
#include "src/engine/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Those that processors spend while they have nothing to do, and nobody's time, are not busy. */
static bool is_busy(const struct engine *e, uint32_t process)
{
    return process && !model_process_is_idle(&e->model, process);
}

void engine_count_gauges(struct engine *e, const struct fact *f, uint32_t process)
{
    if (e->dataset.gauges)
        gauge_history_count(e->dataset.gauges, f, is_busy(e, process));
}

static unsigned processors(const struct engine *e)
{
    unsigned cpus = coverage_processors(e->collectors, e->options.collector_count);
    for (uint32_t i = 0; i < e->model.source_count; i++)
        if (e->model.sources[i].processors_run > cpus)
            cpus = e->model.sources[i].processors_run;
    return cpus;
}

static const struct {
    enum fact_class class;
    enum gauge first, last;
} gauges_of_class[] = {{FACT_DISK, GAUGE_DISK_BUSY, GAUGE_DISK_WRITE},
                       {FACT_NETWORK, GAUGE_NET_IN, GAUGE_NET_OUT}};
enum { CLASSES_WITH_GAUGES = sizeof gauges_of_class / sizeof *gauges_of_class };

/* A class has no events so far, and nobody states that they are recorded. */
static bool is_unseen(const struct engine *e, unsigned class)
{
    return !e->model.recorded.seen[class].count && !e->model.recorded.counts[class];
}

/* Its events may still come; but where samples say the same, none are waited for. */
static bool is_recorded(const struct engine *e, unsigned class)
{
    for (unsigned i = 0; i < CLASSES_WITH_GAUGES; i++)
        if (gauges_of_class[i].class == class && e->model.gauges.ns[gauges_of_class[i].first])
            return !is_unseen(e, class);
    return true;
}

/* An interval that begins there and ends at `to` at the latest; without counts of events. */
static struct gauge_interval interval_of(const struct engine *e, int64_t from, int64_t to)
{
    struct gauge_interval i = {.cpus = processors(e), .samples = &e->model.gauges, .end_ns = to};
    const int64_t gap = coverage_gap_ns(e->collectors, e->options.collector_count, from, to);
    i.length = to > from + gap ? (double)(to - from - gap) / 1e9 : 0;
    for (unsigned class = 0; class < FACT_CLASSES; class ++) {
        if (!(GAUGE_CLASSES >> class & 1) || to <= from)
            continue;
        const int64_t ns =
            is_recorded(e, class) ? recorded_ns(&e->model.recorded, class, from, to) : 0;
        i.seconds[class] = ns > gap ? (double)(ns - gap) / 1e9 : 0;
    }
    return i;
}

/* Events, in the running interval. */
static uint64_t lost_since(const struct engine *e)
{
    const struct frame_loss loss = engine_loss(e);
    const uint64_t lost = frame_loss_sum(&loss);
    return lost > e->lost_before ? lost - e->lost_before : 0;
}

static int64_t begin_of(const struct engine *e, uint64_t number)
{
    return e->dataset.origin_ns + (int64_t)number * e->options.interval_ns;
}

void engine_step_gauges(struct engine *e, uint32_t steps)
{
    const struct dataset *const w = &e->dataset;
    if (!w->gauges)
        return;
    const int64_t from = begin_of(e, w->interval);
    struct gauge_interval i = interval_of(e, from, from + e->options.interval_ns);
    i.events = w->interval_events[0];
    i.lost = lost_since(e);
    e->lost_before += i.lost;
    gauge_history_step(w->gauges, w->interval, steps, &i);
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* Numbers of the intervals that a frame shows: up to, and with, the last one. */
struct shown {
    uint64_t first, last, end; /* `end`: after the last known one */
    bool has_running;          /* the one that runs is the last of all */
    struct gauge_interval running;
};

/* The one that has this instant. */
static uint64_t number_at(const struct engine *e, const struct dataset *w, int64_t time)
{
    const int64_t since = time - w->origin_ns;
    const uint64_t number = since > 0 ? (uint64_t)(since / e->options.interval_ns) : 0;
    return number < w->interval ? number : w->interval;
}

static struct gauge_interval running_of(const struct engine *e, const struct dataset *w)
{
    struct gauge_interval i = interval_of(e, begin_of(e, w->interval), w->newest_ns);
    i.events = w->interval_events[0];
    i.lost = lost_since(e);
    return i;
}

static struct shown shown_in(const struct engine *e, const struct view *v, const struct frame *f)
{
    const struct dataset *const w = view_dataset(v);
    const struct request *const r = view_request(v);
    struct shown s = {.has_running = e->is_done || !w->interval};
    if (request_has_range(r)) {
        s.first = number_at(e, w, r->from_ns + 1);
        s.last = number_at(e, w, r->to_ns);
        s.has_running |= s.last == w->interval;
    } else if (f->is_total) {
        s.first = w->reset_ns ? number_at(e, w, w->reset_ns) : 0;
        s.last = w->interval - !s.has_running;
    } else {
        s.first = s.last = w->interval - !s.has_running;
    }
    s.end = gauge_history_end(w->gauges) + s.has_running;
    s.running = running_of(e, w);
    return s;
}

/* Zero is not known where nothing was recorded. */
static void forget_unrecorded(const struct engine *e, float values[GAUGES])
{
    for (unsigned i = 0; i < CLASSES_WITH_GAUGES; i++)
        for (unsigned of = gauges_of_class[i].first; of <= gauges_of_class[i].last; of++)
            if (is_unseen(e, gauges_of_class[i].class) && !e->model.gauges.ns[of])
                values[of] = NAN;
}

/* Of one interval: one that is kept, or the running one. */
static void take_values(const struct engine *e, const struct dataset *w, const struct shown *s,
                        uint64_t number, float out[GAUGES])
{
    if (number < gauge_history_end(w->gauges))
        memcpy(out, gauge_history_at(w->gauges, number), GAUGES * sizeof *out);
    else
        gauge_history_running(w->gauges, &s->running, out);
    forget_unrecorded(e, out);
}

static bool is_known(const struct dataset *w, const struct shown *s)
{
    return s->last >= gauge_history_first(w->gauges) && s->last < s->end;
}

/* The intervals up to what is shown, and as many behind it: no screen has more columns. */
static void fill_series(const struct engine *e, const struct dataset *w, const struct shown *s,
                        struct frame_gauges *g)
{
    enum { MOST = 512 };
    const uint64_t kept = gauge_history_first(w->gauges);
    const uint64_t first = s->last - kept < MOST ? kept : s->last - MOST + 1;
    const uint64_t end = s->end - s->last - 1 < MOST ? s->end : s->last + 1 + MOST;
    float *const series = mem_new((size_t)(end - first) * GAUGES, sizeof *series);
    for (uint64_t n = first; n < end; n++)
        take_values(e, w, s, n, series + (n - first) * GAUGES);
    g->series = series;
    g->series_count = (unsigned)(s->last - first + 1);
    g->series_later = (unsigned)(end - s->last - 1);
    g->series_from_ns = begin_of(e, first);
}

enum { CPU_VALUES = sizeof(struct gauge_cpu) / sizeof(float) };

/* Processors of an interval: one that is kept, or the running one. */
static unsigned take_cpus(const struct dataset *w, const struct shown *s, uint64_t number,
                          struct gauge_cpu *out, unsigned room)
{
    const bool is_running = s->has_running && number + 1 == s->end;
    return gauge_history_cpus(w->gauges, number, is_running ? &s->running : NULL, out, room);
}

/* Means of the intervals shown in which they are known. */
static void fill_cpus(const struct engine *e, const struct dataset *w, const struct shown *s,
                      struct frame_gauges *g)
{
    const unsigned room = processors(e), values = room * CPU_VALUES;
    struct gauge_cpu *const cpus = mem_new(room, sizeof *cpus);
    float *const sums = mem_new(values, sizeof *sums), *const one = &cpus[0].user;
    unsigned *const counts = mem_new(values, sizeof *counts);
    const uint64_t kept = gauge_history_first(w->gauges), first = s->first > kept ? s->first : kept;
    for (uint64_t n = first < s->last ? first : s->last; n <= s->last; n++) {
        const unsigned known = take_cpus(w, s, n, cpus, room);
        g->cpu_count = known > g->cpu_count ? known : g->cpu_count;
        for (unsigned i = 0; i < known * CPU_VALUES; i++)
            if (!isnan(one[i])) {
                sums[i] += one[i];
                counts[i]++;
            }
    }
    for (unsigned i = 0; i < g->cpu_count * CPU_VALUES; i++)
        one[i] = counts[i] ? sums[i] / (float)counts[i] : NAN;
    free(sums);
    free(counts);
    if (g->cpu_count)
        g->cpus = cpus;
    else
        free(cpus);
}

/* What amounts were on average between two intervals, and levels at last. */
static void fill_now(const struct engine *e, const struct dataset *w, const struct shown *s,
                     struct frame_gauges *g)
{
    double sums[GAUGES] = {0};
    unsigned counts[GAUGES] = {0};
    float values[GAUGES];
    const uint64_t kept = gauge_history_first(w->gauges), first = s->first > kept ? s->first : kept;
    for (uint64_t n = first < s->last ? first : s->last; n <= s->last; n++) {
        take_values(e, w, s, n, values);
        for (unsigned of = 0; of < GAUGES; of++) {
            sums[of] += isnan(values[of]) ? 0 : (double)values[of];
            counts[of] += !isnan(values[of]);
        }
    }
    for (unsigned of = 0; of < GAUGES; of++)
        g->now[of] = gauge_is_level(of) ? (double)values[of]
                     : !counts[of]      ? (double)NAN
                     : of == GAUGE_LOST ? sums[of]
                                        : sums[of] / counts[of];
}

/* The same figures as above the rows, where those are known. */
static void take_from_frame(struct frame *f)
{
    double *const now = f->gauges.now;
    if (f->cpu_percent >= 0)
        now[GAUGE_CPU] = f->cpu_percent;
    if (!isnan(now[GAUGE_DISK_READ]) && f->class_s[FACT_DISK] > 0 && f->has_disks) {
        now[GAUGE_DISK_READ] = f->disk_read;
        now[GAUGE_DISK_WRITE] = f->disk_write;
    }
}

void engine_fill_gauges(const struct engine *e, const struct view *v, struct frame *f)
{
    struct frame_gauges *const g = &f->gauges;
    const struct dataset *const w = view_dataset(v);
    for (unsigned of = 0; of < GAUGES; of++)
        g->now[of] = NAN;
    if (!w->gauges || !w->events)
        return;
    const struct shown s = shown_in(e, v, f);
    if (!is_known(w, &s))
        return;
    fill_series(e, w, &s, g);
    fill_cpus(e, w, &s, g);
    fill_now(e, w, &s, g);
    take_from_frame(f);
}
