/* The time that classes of events were recorded (src/model/recorded.h) within a view's span. Views
 * divide by it. */
#include "src/base/clock.h"
#include "src/collect/coverage.h"
#include "src/pane/panes.h"
#include "src/view/inside.h"

#include <string.h>

/* A range has the nanoseconds behind `from` up to and with `to`: a time slice is cut at the
 * beginning of the first one and at the end of the last one. */
const struct fact *view_part_in(const struct fact *f, int64_t from, int64_t to, struct fact *room)
{
    const bool is_in = f->time > from && f->time <= to;
    if (f->class != FACT_SWITCH || !f->value)
        return is_in ? f : NULL;
    const int64_t end = f->time + (f->op == OP_SLICE), start = clock_minus(end, (int64_t)f->value);
    const int64_t begin = clock_plus(from, 1), past = clock_plus(to, 1);
    if (is_in && start >= begin && end <= past)
        return f;
    const int64_t first = start > begin ? start : begin, last = end < past ? end : past;
    if (!is_in && (first >= last || f->time <= from))
        return NULL;
    *room = *f;
    room->value = last > first ? (uint64_t)(last - first) : 0;
    if (!is_in) {
        room->op = OP_SLICE;
        room->time = to;
        room->latency = 0; /* the time it was ready counts at its end */
        room->flags &= (uint8_t)~FACT_HAS_LATENCY;
    }
    return room;
}

double view_class_seconds(const struct view *v, unsigned class, int64_t from, int64_t to)
{
    struct recorded_span spans[RECORDED_SPANS];
    const unsigned count = recorded_in(&v->model->recorded, class, from, to, spans);
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum = clock_plus(sum, clock_minus(clock_minus(spans[i].to, spans[i].from),
                                          coverage_gap_ns(v->collectors, v->collector_count,
                                                          spans[i].from, spans[i].to)));
    return sum > 0 ? (double)sum / 1e9 : 0;
}

uint64_t view_idle_sum(const struct dataset *w, const struct model *m, const struct row_context *x,
                       const char *measure)
{
    struct row_context of = *x;
    of.table = &w->tables[pane_index(pane_find("processes"))];
    const int number = table_measure(of.table, measure);
    uint64_t idle = 0;
    for (uint32_t s = 0; s < m->source_count; s++) {
        const uint32_t process = map_get(&m->process_now, (uint64_t)s << 32);
        const struct table_row *const r =
            process ? table_find(of.table, (struct row_key){.a = process}) : NULL;
        idle += r ? row_tally(&of, r, number) : 0;
    }
    const struct table_row *const unseen =
        strcmp(measure, "run") == 0 ? table_find(of.table, (struct row_key){0}) : NULL;
    return idle + (unseen ? row_tally(&of, unseen, number) : 0);
}

/* Where idle processors are sampled, too, all samples together are all processor time. They are
 * some percent fewer than the clock says (a processor that cannot be interrupted is not sampled),
 * and who has half of the samples had half of the time. Returns what samples there are of those
 * that the clock would have; 1 where idle processors are left out, or sampled now and then. */
static double sampled_part(const struct view *v, const struct dataset *w)
{
    static const double LEAST = 0.5, MOST = 1.5;
    const struct row_context all = {.span = SPAN_TOTAL, .model = v->model};
    const int64_t from = w->reset_ns > w->first_ns ? w->reset_ns : w->first_ns;
    const double seconds =
        view_class_seconds(v, FACT_SAMPLE, from, w->newest_ns) * view_processors(v);
    if (seconds <= 0 || !view_idle_sum(w, v->model, &all, "sampled"))
        return 1;
    const double part = (double)dataset_sum(w, &all, "processes", "sampled") / 1e9 / seconds;
    return part >= LEAST && part <= MOST ? part : 1;
}

/* The processor time that the samples of a stretch stand for, of which the clock says `clock`.
 * Where idle processors are sampled, that of all its samples. Never less than that: the interval of
 * a sample is nominal, and the first of a short stretch stands for time before it. */
static double sampled_seconds(const struct view *v, const struct dataset *w, double clock,
                              uint64_t sampled_ns)
{
    static const double LEAST = 0.5;
    const struct row_context all = {.span = SPAN_TOTAL, .model = v->model};
    const double sampled = (double)sampled_ns / 1e9;
    if (sampled > LEAST * clock && view_idle_sum(w, v->model, &all, "sampled"))
        return sampled;
    const double expected = clock * sampled_part(v, w);
    return sampled > expected ? sampled : expected;
}

static double longest(const struct row_times *times, uint32_t classes)
{
    double most = 0;
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if (classes >> class & 1 && times->of_class[class] > most)
            most = times->of_class[class];
    return most;
}

uint64_t view_sampled(const struct table *t)
{
    const struct row_context x = {.table = t, .span = SPAN_TOTAL};
    const int measure = table_measure(t, "sampled");
    return measure >= 0 ? row_tally(&x, t->all, measure) : 0;
}

void view_times(const struct view *v, const struct dataset *w, const struct table *t, int64_t from,
                int64_t to, uint64_t sampled_ns, struct row_times *out)
{
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        out->of_class[class] = view_class_seconds(v, class, from, to);
    for (size_t i = 0; i < t->pane->measure_count; i++)
        out->of[i] = longest(
            out, availability_classes(&v->column_availability, &t->pane->measures[i]));
    out->sampled_s = 0;
    if (out->of_class[FACT_SAMPLE] > 0)
        out->sampled_s =
            sampled_seconds(v, w, out->of_class[FACT_SAMPLE] * view_processors(v), sampled_ns);
}
