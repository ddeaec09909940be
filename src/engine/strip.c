/* The time strip of a frame: what the timeline has, by columns. */
#include "src/base/mem.h"
#include "src/engine/inside.h"

#include <math.h>

/* The part of the time that is shown. */
struct stretch {
    int64_t from, to;
    unsigned columns;
};

/* The next length of the row 1, 2, 5, 10 … that is not shorter. */
static int64_t round_length(int64_t ns)
{
    int64_t unit = 1;
    while (unit < INT64_MAX / 100 && unit * 10 <= ns)
        unit *= 10;
    return unit >= ns ? unit : unit * 2 >= ns ? unit * 2 : unit * 5 >= ns ? unit * 5 : unit * 10;
}

/* Live, a column is a round length of time and ends a multiple of it from the origin of intervals:
 * bars move by whole columns and do not change on the way. Where the recording is shorter than the
 * strip, it is on the right. */
static struct stretch moving_stretch(const struct strip_look *look, int64_t first, int64_t last,
                                     const struct frame *f)
{
    const int64_t end = look->end_ns && look->end_ns < last ? look->end_ns : last;
    const int64_t columns = look->columns, span = look->span_ns ? look->span_ns : end - first;
    const int64_t least = look->span_ns ? 1 : f->sample_ns;
    const int64_t part = (span + columns - 1) / columns;
    int64_t column = round_length(part > least ? part : least);
    /* The end is rounded up, too: that takes a part of a column. */
    if (!look->span_ns && column * (columns - 1) < span)
        column = round_length(column + 1);
    const int64_t to = f->origin + (end - f->origin + column - 1) / column * column;
    return (struct stretch){to - column * columns, to, (unsigned)columns};
}

static struct stretch fixed_stretch(const struct strip_look *look, int64_t first, int64_t last)
{
    int64_t end = look->end_ns && look->end_ns < last ? look->end_ns : last;
    const int64_t span =
        look->span_ns && look->span_ns < last - first ? look->span_ns : last - first;
    end = end - span < first ? first + span : end;
    const int64_t columns = span < look->columns ? span : look->columns;
    return (struct stretch){end - span, end, (unsigned)columns};
}

/* The metrics that were recorded, or are, live. */
static uint32_t known(const struct timeline *t, const struct frame *f)
{
    static const uint32_t needed[STRIP_METRICS] = {
        [STRIP_CPU] = 1u << TIMELINE_RUN | 1u << TIMELINE_SAMPLED | 1u << TIMELINE_IDLE,
        [STRIP_DISK] = 1u << TIMELINE_DISK,
        [STRIP_NET] = 1u << TIMELINE_NET,
        [STRIP_EVENTS] = 1u << TIMELINE_EVENTS,
    };
    static const uint32_t live[STRIP_METRICS] = {
        [STRIP_CPU] = 1u << FACT_SWITCH | 1u << FACT_SAMPLE,
        [STRIP_DISK] = 1u << FACT_DISK,
        [STRIP_NET] = 1u << FACT_NETWORK,
        [STRIP_EVENTS] = 0,
    };
    uint32_t bits = 0;
    for (unsigned i = 0; i < STRIP_METRICS; i++)
        bits |= (t->has & needed[i] || f->active & live[i] ? 1u : 0u) << i;
    return bits;
}

/* Percent of all processors. Where idle processors are sampled, too, it is the share of all
 * samples, as in the header. */
static double busy_in(const struct engine *e, const struct timeline *t, int64_t from, int64_t to,
                      unsigned cpus)
{
    const bool has_switches = t->has >> TIMELINE_RUN & 1;
    const double busy = timeline_sum(t, has_switches ? TIMELINE_RUN : TIMELINE_SAMPLED, from, to);
    const double ns =
        (double)recorded_ns(&e->model.recorded, has_switches ? FACT_SWITCH : FACT_SAMPLE, from, to);
    const bool has_idle = !has_switches && t->has >> TIMELINE_IDLE & 1;
    const double all =
        has_idle ? busy + timeline_sum(t, TIMELINE_IDLE, from, to) : ns * (cpus ? cpus : 1);
    return ns > 0 && all > 0 ? fmin(busy / all * 100, 100) : (double)NAN;
}

/* Of the time in which it was recorded; NaN: it was not. */
static double value_in(const struct engine *e, enum strip_metric metric, int64_t from, int64_t to,
                       unsigned cpus)
{
    static const struct {
        enum timeline_sum sum;
        enum fact_class class;
    } of[STRIP_METRICS] = {[STRIP_DISK] = {TIMELINE_DISK, FACT_DISK},
                           [STRIP_NET] = {TIMELINE_NET, FACT_NETWORK},
                           [STRIP_EVENTS] = {TIMELINE_EVENTS, FACT_OTHER}};
    const struct timeline *const t = e->timeline;
    if (metric == STRIP_CPU)
        return busy_in(e, t, from, to, cpus);
    const int64_t ns = metric == STRIP_EVENTS
                           ? to - from
                           : recorded_ns(&e->model.recorded, of[metric].class, from, to);
    return ns > 0 ? timeline_sum(t, of[metric].sum, from, to) / (double)ns * 1e9 : (double)NAN;
}

/* The figure of what the rows are about: of a range, of everything, or of the last interval. */
static double value_shown(const struct engine *e, const struct strip *s, const struct frame *f)
{
    const int64_t from = f->range_to > f->range_from ? f->range_from + 1
                         : f->is_total               ? s->first_ns
                                                     : s->last_ns - f->sample_ns;
    const int64_t to = f->range_to > f->range_from ? f->range_to + 1 : s->last_ns;
    return to > from ? value_in(e, s->metric, from, to, f->cpus) : (double)NAN;
}

static void fill_values(const struct engine *e, struct strip *s, unsigned cpus)
{
    for (unsigned i = 0; i < s->columns; i++) {
        const int64_t begin = strip_time(s, i), end = strip_time(s, i + 1);
        const int64_t from = begin > s->first_ns ? begin : s->first_ns;
        const int64_t to = end < s->last_ns ? end : s->last_ns;
        const double v = to > from ? value_in(e, s->metric, from, to, cpus) : (double)NAN;
        s->values[i] = (float)v;
        s->peak = v > s->peak ? v : s->peak;
    }
}

static bool is_going_on(const struct engine *e)
{
    return engine_is_any_live(e) && !e->is_done;
}

/* Live, the last interval that is over: time slices that go on are counted up to there. */
static int64_t end_of(const struct engine *e, const struct view *v, const struct frame *f)
{
    const int64_t newest = view_dataset(v)->newest_ns;
    const int64_t over = f->origin + (int64_t)f->interval * f->sample_ns;
    return is_going_on(e) && f->interval && over < newest ? over : newest;
}

void engine_fill_strip(const struct engine *e, const struct view *v, struct frame *f)
{
    const struct strip_look *const look = &view_request(v)->strip;
    const struct timeline *const t = e->timeline;
    const int64_t last = end_of(e, v, f);
    if (!look->columns || look->columns > STRIP_COLUMNS || look->metric >= STRIP_METRICS || !t ||
        !t->newest_ns || last <= t->all.begin_ns)
        return;
    const int64_t first = t->all.begin_ns;
    const struct stretch at =
        is_going_on(e) ? moving_stretch(look, first, last, f) : fixed_stretch(look, first, last);
    struct strip *const s = mem_new(1, sizeof *s);
    const uint32_t bits = known(t, f);
    *s = (struct strip){.metric = bits >> look->metric & 1 ? look->metric : STRIP_EVENTS,
                        .known = bits,
                        .columns = at.columns,
                        .begin_ns = at.from,
                        .end_ns = at.to,
                        .first_ns = first,
                        .last_ns = last,
                        .kept_ns = f->kept_first,
                        .cell_ns = timeline_cell_ns(t, at.from > first ? at.from : first),
                        .values = mem_new(at.columns + 1, sizeof *s->values),
                        .signs = mem_new(at.columns + 1, sizeof *s->signs)};
    fill_values(e, s, f->cpus);
    s->shown = value_shown(e, s, f);
    const bool is_at_end = s->end_ns >= last && !f->is_frozen;
    timeline_signs(t, s, is_at_end ? INT64_MAX : s->end_ns - 1);
    f->strip = s;
}
