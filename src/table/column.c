/* Getters that many columns share: a typed value from one measure of a row. */
#include "src/event/account.h"
#include "src/table/getters.h"

#include <stdio.h>
#include <string.h>

/* Ages that make up the context's span for this row, none to two. A row that was not
 * touched since still stands at an earlier interval. */
struct ages {
    enum age age[2];
    unsigned count;
};

static struct ages ages_of(const struct row_context *x, const struct table_row *r)
{
    if (x->span == SPAN_TOTAL)
        return (struct ages){{AGE_CURRENT, AGE_OVER}, 2};
    const uint32_t behind = x->table->interval - r->interval;
    return (struct ages){{behind ? AGE_CURRENT : AGE_LAST}, behind < 2};
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct latency_over row_latency(const struct row_context *x, const struct table_row *r, int measure)
{
    if (measure < 0 || x->table->measures[measure].kind != MEASURE_HISTOGRAM)
        return (struct latency_over){0};
    const unsigned index = x->table->measures[measure].index;
    const struct ages ages = ages_of(x, r);
    struct latency_over sum = {0};
    for (unsigned i = 0; i < ages.count; i++) {
        const struct latency *l = &row_latencies(x->table, r, ages.age[i])[index];
        sum.count += l->count;
        sum.sum += l->sum;
        sum.max = larger(sum.max, l->max);
        sum.histograms[sum.histogram_count++] = &l->histogram;
    }
    return sum;
}

/* Lines of memory that `bytes` from here on lie in. */
static void ask(const void *from, size_t bytes)
{
    enum { LINE = 64 };
    const char *const begin = from;
    for (size_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch(begin + at);
    __builtin_prefetch(begin + bytes - 1);
}

void row_ask(const struct row_context *x, const struct table_row *r, int measure)
{
    const struct table *const t = x->table;
    const enum age ages[] = {AGE_CURRENT, x->span == SPAN_TOTAL ? AGE_OVER : AGE_LAST};
    ask(r, sizeof *r);
    for (unsigned i = 0; measure >= 0 && i < 2; i++) {
        const struct measure_slot *const s = &t->measures[measure];
        if (s->kind == MEASURE_HISTOGRAM)
            ask(&row_latencies(t, r, ages[i])[s->index], sizeof(struct latency));
        else if (s->kind != MEASURE_MOST)
            ask(&row_tallies(t, r, ages[i])[s->index], sizeof(uint64_t));
    }
}

void row_ask_all(const struct table *t, const struct table_row *r)
{
    ask(r, t->row_bytes);
}

void row_ask_histograms(const struct row_context *x, const struct table_row *r, int measure)
{
    const struct latency_over l = row_latency(x, r, measure);
    for (unsigned i = 0; i < l.histogram_count; i++)
        if (l.histograms[i]->octaves)
            ask(l.histograms[i]->counts,
                l.histograms[i]->octaves * HISTOGRAM_STEPS * sizeof(uint32_t));
}

bool row_state(const struct row_context *x, const struct table_row *r, int measure,
               uint64_t state[AGGREGATE_WORDS])
{
    const struct measure_slot *const s = measure >= 0 ? &x->table->measures[measure] : NULL;
    memset(state, 0, AGGREGATE_WORDS * sizeof *state);
    if (!s || s->aggregate >= AGGREGATE_LATENCY)
        return false;
    const struct ages ages = ages_of(x, r);
    for (unsigned i = 0; i < ages.count; i++)
        aggregates[s->aggregate].merge(state, &row_tallies(x->table, r, ages.age[i])[s->index], 1);
    return true;
}

/* Of what is no sum: the states of all ages together. */
__attribute__((noinline)) static uint64_t finished(const struct row_context *x,
                                                   const struct table_row *r, int measure)
{
    uint64_t state[AGGREGATE_WORDS];
    if (row_state(x, r, measure, state))
        return aggregates[x->table->measures[measure].aggregate].finish(state);
    return row_latency(x, r, measure).count;
}

uint64_t row_tally(const struct row_context *x, const struct table_row *r, int measure)
{
    if (measure < 0)
        return 0;
    const struct measure_slot *const s = &x->table->measures[measure];
    if (s->aggregate != AGGREGATE_SUM)
        return finished(x, r, measure);
    const struct ages ages = ages_of(x, r);
    uint64_t sum = 0;
    for (unsigned i = 0; i < ages.count; i++)
        sum += row_tallies(x->table, r, ages.age[i])[s->index];
    return sum;
}

/* Of AGGREGATE_NUMBERS and AGGREGATE_LARGEST_NUMBER: the state. */
struct fixed row_fixed(const struct row_context *x, const struct table_row *r, int measure)
{
    struct fixed state = {{0}};
    const struct measure_slot *const s = &x->table->measures[measure];
    const struct ages ages = ages_of(x, r);
    for (unsigned i = 0; i < ages.count; i++)
        aggregates[s->aggregate].merge(&state, &row_tallies(x->table, r, ages.age[i])[s->index], 1);
    return state;
}

int column_measure(const struct row_context *x, const struct column *c, unsigned which)
{
    return x->table->column_measures[2 * (size_t)(c - x->table->pane->columns) + which];
}

static const struct most *most_of(const struct row_context *x, const struct table_row *r,
                                  int measure)
{
    if (measure < 0 || x->table->measures[measure].kind != MEASURE_MOST)
        return NULL;
    return &row_mosts(x->table, r)[x->table->measures[measure].index];
}

uint32_t row_most(const struct row_context *x, const struct table_row *r, int measure)
{
    const struct most *s = most_of(x, r, measure);
    return s ? most_id(s) : 0;
}

unsigned row_most_percent(const struct row_context *x, const struct table_row *r, int measure,
                          int whole)
{
    struct row_context since_reset = *x;
    since_reset.span = SPAN_TOTAL;
    const struct most *s = most_of(x, r, measure);
    const uint64_t all = row_tally(&since_reset, r, whole);
    const double part = s && all ? (double)s->weight[most_heaviest(s)] / (double)all : 0;
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
    return texts_add(x->texts, type, text, strlen(text));
}

/* As much as the model keeps of a name, and a drive. */
enum { PATH_ROOM = 4096 + 64 };

/* The part behind the last separator; the whole path where it ends with one. */
static const char *name_in(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; at++)
        if ((*at == '\\' || *at == '/') && at[1])
            name = at + 1;
    return name;
}

const char *path_shown(const struct row_context *x, source_id source, const char *name, char *room,
                       size_t bytes)
{
    if (x->paths != PATHS_DEVICE)
        name = model_path_of(x->model, source, name, room, bytes);
    return x->paths == PATHS_NAME ? name_in(name) : name;
}

struct value value_path(struct row_context *x, source_id source, const char *name)
{
    char room[PATH_ROOM];
    return name ? value_text(x, VALUE_PATH, path_shown(x, source, name, room, sizeof room))
                : value_absent();
}

struct value value_file(struct row_context *x, uint32_t id)
{
    const struct file *const f = model_file_at(x->model, id);
    if (f && f->name)
        return value_path(x, f->source, f->name);
    char text[32];
    snprintf(text, sizeof text, f ? "(unknown %08x)" : "(unknown)", f ? (uint32_t)f->key : 0);
    return value_text(x, VALUE_TEXT, text);
}

/* The sum of the column's one or two measures. */
static uint64_t sum_of(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return row_tally(x, r, column_measure(x, c, 0)) + row_tally(x, r, column_measure(x, c, 1));
}

static double measure_seconds(const struct row_context *x, int measure)
{
    return !x->times ? x->seconds : measure >= 0 ? x->times->of[measure] : 0;
}

double column_seconds(const struct row_context *x, const struct column *c)
{
    if (c->get == get_cpu)
        return measure_seconds(x, column_measure(x, c, x->has_switches ? 0 : 1));
    const double one = measure_seconds(x, column_measure(x, c, 0)),
                 two = measure_seconds(x, column_measure(x, c, 1));
    return one > two ? one : two;
}

/* Amounts that there was no time for are no rates. */
static struct value rate_of(const struct column *c, const struct table_row *r,
                            struct row_context *x, enum value_type type, double unit)
{
    const double seconds = column_seconds(x, c);
    return seconds > 0 ? value_rate(type, (double)sum_of(c, r, x) / seconds / unit)
                       : value_absent();
}

struct value get_count(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return value_number(c->type, sum_of(c, r, x));
}

struct value get_sum_count(const struct column *c, const struct table_row *r, struct row_context *x)
{
    struct row_context since_reset = *x;
    since_reset.span = SPAN_TOTAL;
    return get_count(c, r, &since_reset);
}

static uint64_t time_in(const struct row_context *x, const struct table_row *r, int measure)
{
    const bool is_histogram = measure >= 0 && x->table->measures[measure].kind == MEASURE_HISTOGRAM;
    return is_histogram ? row_latency(x, r, measure).sum : row_tally(x, r, measure);
}

struct value get_sum_time(const struct column *c, const struct table_row *r, struct row_context *x)
{
    struct row_context since_reset = *x;
    since_reset.span = SPAN_TOTAL;
    const uint64_t ns = time_in(&since_reset, r, column_measure(x, c, 0));
    return (struct value){.type = c->type, .ns = ns < INT64_MAX ? (int64_t)ns : INT64_MAX};
}

/* The first measure where switches are recorded, else the second, of samples. */
struct value get_sum_cpu(const struct column *c, const struct table_row *r, struct row_context *x)
{
    struct row_context since_reset = *x;
    since_reset.span = SPAN_TOTAL;
    const int measure = column_measure(x, c, x->has_switches ? 0 : 1);
    if (!x->has_switches && !row_tally(&since_reset, x->table->all, measure))
        return value_absent();
    const uint64_t ns = row_tally(&since_reset, r, measure);
    return (struct value){.type = c->type,
                          .ns = ns < INT64_MAX ? (int64_t)ns : INT64_MAX,
                          .is_estimated = !x->has_switches};
}

struct value get_rate(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return rate_of(c, r, x, (enum value_type)c->type, 1);
}

/* Time-like sums per second, 100 % at a second per second. */
struct value get_busy(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return rate_of(c, r, x, VALUE_PERCENT, 1e9 / 100);
}

/* Mean outstanding operations: time spent waiting per time passed (Little). */
struct value get_depth(const struct column *c, const struct table_row *r, struct row_context *x)
{
    return rate_of(c, r, x, (enum value_type)c->type, 1e9);
}

/* A latency column's measure over the span; a count of 0 where there is none. */
static struct latency_over latency_of(const struct column *c, const struct table_row *r,
                                      const struct row_context *x)
{
    return row_latency(x, r, column_measure(x, c, 0));
}

static struct value value_time(const struct latency_over *l, uint64_t ns)
{
    if (!l->count)
        return value_absent();
    return (struct value){.type = VALUE_TIME, .ns = ns < INT64_MAX ? (int64_t)ns : INT64_MAX};
}

struct value get_average(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct latency_over l = latency_of(c, r, x);
    return value_time(&l, l.count ? l.sum / l.count : 0);
}

struct value get_max(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct latency_over l = latency_of(c, r, x);
    return value_time(&l, l.max);
}

/* A step's upper edge can lie above the largest value met: never say more than that. */
static struct value percentile(const struct column *c, const struct table_row *r,
                               struct row_context *x, double share)
{
    const struct latency_over l = latency_of(c, r, x);
    const uint64_t ns = histograms_percentile(l.histograms, l.histogram_count, share);
    return value_time(&l, ns < l.max ? ns : l.max);
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
    const int measure = column_measure(x, c, x->has_switches ? 0 : 1);
    const double cpus = x->cpus ? x->cpus : 1;
    double seconds = measure_seconds(x, measure) * cpus;
    if (!x->has_switches && x->times)
        seconds = x->times->sampled_s;
    if (seconds <= 0 || (!x->has_switches && !row_tally(x, x->table->all, measure)))
        return value_absent();
    const double part = (double)row_tally(x, r, measure) / 1e9 / seconds;
    struct value v = value_rate(VALUE_PERCENT, part * (x->of_one_cpu ? cpus : 1) * 100);
    v.is_estimated = !x->has_switches;
    return v;
}

static double amount_of(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const int measure = column_measure(x, c, 0);
    if (measure >= 0 && x->table->measures[measure].aggregate == AGGREGATE_NUMBERS)
        return fixed_real(row_fixed(x, r, measure));
    return (double)sum_of(c, r, x);
}

/* The largest part this row has in any sum of the header. */
struct value get_share(const struct column *c, const struct table_row *r, struct row_context *x)
{
    const struct pane *p = x->table->pane;
    double largest = 0;
    for (size_t i = 0; i < p->column_count; i++) {
        const struct column *other = &p->columns[i];
        if (!(other->flags & COLUMN_SUMS) || other->flags & COLUMN_IS_SUM || !other->measure)
            continue;
        const double whole = amount_of(other, x->table->all, x);
        const double share = whole != 0 ? amount_of(other, r, x) / whole : 0;
        largest = share > largest ? share : largest;
    }
    return value_rate(c->type, largest * 100);
}

const char *process_user(const struct process *p)
{
    const char *const name = p->user ? account_of_sid(p->user) : NULL;
    return name ? name : p->account ? p->account : p->user;
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
