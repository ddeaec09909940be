/* Getters that many columns share: a typed value from one measure of a row. */
#include "src/frame_maker.h"
#include "src/table.h"

#include <stdio.h>
#include <string.h>

static uint64_t tally_over(const struct row_context *x, const struct table_row *r,
                           const struct tally *a)
{
    if (x->span == SPAN_TOTAL)
        return a->total;
    /* A row that was not touched since still stands at an earlier interval. */
    const uint32_t behind = x->table->interval - r->interval;
    return behind == 0 ? a->last : behind == 1 ? a->current : 0;
}

uint64_t row_tally(const struct row_context *x, const struct table_row *r, int measure)
{
    if (measure < 0)
        return 0;
    const struct measure_slot s = x->table->measures[measure];
    if (s.kind == MEASURE_HISTOGRAM)
        return tally_over(x, r, &r->latencies[s.index].count);
    return s.kind == MEASURE_MOST ? 0 : tally_over(x, r, &r->tallies[s.index]);
}

const struct latency *row_latency(const struct row_context *x, const struct table_row *r,
                                  int measure)
{
    if (measure < 0 || x->table->measures[measure].kind != MEASURE_HISTOGRAM)
        return NULL;
    return &r->latencies[x->table->measures[measure].index];
}

static const struct histogram *histogram_over(const struct row_context *x,
                                              const struct table_row *r, const struct latency *l)
{
    static const struct histogram none;
    if (x->span == SPAN_TOTAL)
        return &l->total;
    const uint32_t behind = x->table->interval - r->interval;
    return behind == 0 ? &l->last : behind == 1 ? &l->current : &none;
}

int column_measure(const struct row_context *x, const struct column *c, unsigned which)
{
    return x->table->column_measures[2 * (size_t)(c - x->table->pane->columns) + which];
}

static unsigned heaviest_of(const struct most *s)
{
    unsigned heaviest = 0;
    for (unsigned i = 1; i < MOST_CANDIDATES; i++)
        if (s->weight[i] > s->weight[heaviest])
            heaviest = i;
    return heaviest;
}

static const struct most *most_of(const struct row_context *x, const struct table_row *r,
                                  int measure)
{
    if (measure < 0 || x->table->measures[measure].kind != MEASURE_MOST)
        return NULL;
    return &r->mosts[x->table->measures[measure].index];
}

uint32_t row_most(const struct row_context *x, const struct table_row *r, int measure)
{
    const struct most *s = most_of(x, r, measure);
    const unsigned heaviest = s ? heaviest_of(s) : 0;
    return s && s->weight[heaviest] ? s->of[heaviest] : 0;
}

unsigned row_most_percent(const struct row_context *x, const struct table_row *r, int measure,
                          int whole)
{
    struct row_context since_reset = *x;
    since_reset.span = SPAN_TOTAL;
    const struct most *s = most_of(x, r, measure);
    const uint64_t all = row_tally(&since_reset, r, whole);
    const double part = s && all ? (double)s->weight[heaviest_of(s)] / (double)all : 0;
    return part < 1 ? (unsigned)(part * 100 + 0.5) : 100;
}

struct value value_absent(void)
{
    return (struct value){.type = VALUE_ABSENT};
}

struct value value_number(enum value_type type, uint64_t number)
{
    return (struct value){.type = (uint8_t)type, .count = number};
}

struct value value_rate(enum value_type type, double number)
{
    return (struct value){.type = (uint8_t)type, .number = number};
}

struct value value_text(struct row_context *x, enum value_type type, const char *text)
{
    if (!text)
        return value_absent();
    return maker_text(x->texts, type, text, strlen(text));
}

/* The sum of the column's one or two measures. */
static uint64_t sum_of(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return row_tally(x, r, column_measure(x, c, 0)) + row_tally(x, r, column_measure(x, c, 1));
}

static double per_second(const struct row_context *x, uint64_t amount)
{
    return x->seconds > 0 ? (double)amount / x->seconds : 0;
}

struct value get_count(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return value_number(c->type, sum_of(c, r, x));
}

struct value get_rate(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return value_rate(c->type, per_second(x, sum_of(c, r, x)));
}

/* Time-like sums per second, 100 % at a second per second. */
struct value get_busy(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return value_rate(VALUE_PERCENT, per_second(x, sum_of(c, r, x)) / 1e9 * 100);
}

/* Mean outstanding operations: time spent waiting per time passed (Little). */
struct value get_depth(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return value_rate(c->type, per_second(x, sum_of(c, r, x)) / 1e9);
}

static struct value get_time(struct row_context *x, const struct table_row *r,
                             const struct latency *l, uint64_t ns)
{
    if (!l || !tally_over(x, r, &l->count))
        return value_absent();
    return (struct value){.type = VALUE_TIME, .ns = ns < INT64_MAX ? (int64_t)ns : INT64_MAX};
}

static const struct latency *latency_of(const struct column *c, const struct table_row *r,
                                        struct row_context *x)
{
    return row_latency(x, r, column_measure(x, c, 0));
}

struct value get_average(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct latency *l = latency_of(c, r, x);
    const uint64_t count = l ? tally_over(x, r, &l->count) : 0;
    return get_time(x, r, l, count ? tally_over(x, r, &l->sum) / count : 0);
}

struct value get_max(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct latency *l = latency_of(c, r, x);
    return get_time(x, r, l, l ? tally_over(x, r, &l->max) : 0);
}

/* A step's upper edge can lie above the largest value met: never say more than that. */
static struct value percentile(const struct column *c, const struct table_row *r,
                               struct row_context *x, double share)
{
    const struct latency *l = latency_of(c, r, x);
    if (!l)
        return value_absent();
    const uint64_t max = tally_over(x, r, &l->max);
    const uint64_t ns = histogram_percentile(histogram_over(x, r, l), share);
    return get_time(x, r, l, ns < max ? ns : max);
}

struct value get_p50(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return percentile(c, r, x, 0.50);
}

struct value get_p90(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return percentile(c, r, x, 0.90);
}

struct value get_p99(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return percentile(c, r, x, 0.99);
}

/* Percent of the machine: time on processors where switches say it, else samples. */
struct value get_cpu(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const uint64_t ns = row_tally(x, r, column_measure(x, c, x->has_switches ? 0 : 1));
    if (!x->has_switches && !row_tally(x, x->table->all, column_measure(x, c, 1)))
        return value_absent();
    const double cpus = x->cpus ? x->cpus : 1;
    struct value v = value_rate(VALUE_PERCENT, per_second(x, ns) / 1e9 / cpus * 100);
    v.is_estimated = !x->has_switches;
    return v;
}

/* The largest part this row has in any sum of the header. */
struct value get_share(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct pane *p = x->table->pane;
    double largest = 0;
    for (size_t i = 0; i < p->column_count; i++) {
        const struct column *other = &p->columns[i];
        if (!(other->flags & COLUMN_SUMS) || !other->measure)
            continue;
        const uint64_t whole = sum_of(other, x->table->all, x);
        const double share = whole ? (double)sum_of(other, r, x) / (double)whole : 0;
        largest = share > largest ? share : largest;
    }
    return value_rate(c->type, largest * 100);
}

const char *process_label(const struct row_context *x, uint32_t process, char *room, size_t bytes)
{
    enum { SYSTEM_PID = 4 };
    if (process == ROW_OTHERS)
        return "(others)";
    if (!process || process & FACT_BY_THREAD)
        return "(unknown)";
    const struct process *p = model_process_at(x->model, process);
    if (!p)
        return "(forgotten)";
    if (p->name)
        return p->name;
    if (p->pid == SYSTEM_PID)
        return "System";
    snprintf(room, bytes, "pid %u", p->pid);
    return room;
}
