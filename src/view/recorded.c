/* What a view divides by: the time that classes of events were recorded (src/model/recorded.h), cut to
 * what is looked at. */
#include "src/base/clock.h"
#include "src/collect/coverage.h"
#include "src/pane/panes.h"
#include "src/view/inside.h"

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
    return idle;
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
