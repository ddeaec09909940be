/* What the getters of columns work with: the rows of one table over a span of time, the values that
 * cells are made of, and the getters that many panes share. */
#ifndef SRC_TABLE_GETTERS_H
#define SRC_TABLE_GETTERS_H

#include "src/model/model.h"
#include "src/table/row.h"
#include "src/table/value_text.h"

struct dictionary;
struct fact_callbacks;

enum rate_span { SPAN_INTERVAL, SPAN_TOTAL };

/* What rates and percentages divide by (src/view/recorded.c). */
struct row_times {
    double of_class[FACT_CLASSES]; /* seconds that the class was recorded; 0: not at all, or by
                                    * fewer than two events */
    double of[MEASURES_MAX];       /* likewise what the measure counts */
    double sampled_s;              /* processor seconds that all samples stand for; 0: not known */
};

struct row_context {
    const struct table *table;
    const struct table *trends; /* whose rows have the intervals before; NULL: not known */
    uint32_t trend_begin;       /* the first interval that may be shown … */
    uint32_t trend_end;         /* … and the one behind the last */
    const struct model *model;
    const struct dictionary
        *dictionary;           /* of texts that rows are made of; NULL: nobody knows any */
    struct value_texts *texts; /* where text values go; NULL: only numbers are wanted */
    enum rate_span span;
    double seconds;            /* of the span */
    const struct row_times *times; /* what of it was recorded; NULL: all of it */
    unsigned cpus;
    bool of_one_cpu;           /* one processor is 100 % */
    const struct fact_callbacks *callbacks; /* for names of frames; NULL: nobody knows any */
    uint8_t paths;             /* enum path_mode (src/frame/frame.h) */
    bool has_switches;         /* CPU% from context switches, else from samples */
    uint64_t missing;          /* columns that nothing was recorded for: bit per column */
    int64_t now_ns;            /* event time */
};

/* Processor seconds that the times of processes are parts of; 0: not known. */
static inline double context_processor_seconds(const struct row_context *x)
{
    return x->has_switches ? x->times->of_class[FACT_SWITCH] * x->cpus : x->times->sampled_s;
}

static inline uint32_t row_process(const struct row_context *x, const struct table_row *r)
{
    return key_process(x->table->pane, r->key);
}

/* Sum or count of a measure over the span. */
uint64_t row_tally(const struct row_context *x, const struct table_row *r, int measure);
struct fixed row_fixed(const struct row_context *x, const struct table_row *r, int measure);
uint32_t row_most(const struct row_context *x, const struct table_row *r, int measure);
/* Of a measure whose state is words: its state over the span; false: it has another. */
bool row_state(const struct row_context *x, const struct table_row *r, int measure,
               uint64_t state[AGGREGATE_WORDS]);

/* The latencies of a MEASURE_HISTOGRAM over the span: figures added up, their histograms side by
 * side; nothing of other measures. */
struct latency_over {
    uint64_t count, sum, max;
    const struct histogram *histograms[2];
    unsigned histogram_count;
};
struct latency_over row_latency(const struct row_context *x, const struct table_row *r, int measure);
/* Asks for the memory that a row lies in. */
void row_ask_all(const struct table *t, const struct table_row *r);
/* Asks for the memory that a row and this measure of it (-1: none) over the span lie in; and, once
 * that is there, for what the histograms of a MEASURE_HISTOGRAM have counted (of other measures
 * nothing). */
void row_ask(const struct row_context *x, const struct table_row *r, int measure);
void row_ask_histograms(const struct row_context *x, const struct table_row *r, int measure);
/* The weight of what row_most() gives in percent of a plain measure's total; like the choice, it
 * is since the reset and, where there were many candidates, rather too small. */
unsigned row_most_percent(const struct row_context *x, const struct table_row *r, int measure,
                          int whole);
int column_measure(const struct row_context *x, const struct column *c, unsigned which);

/* Common getters (column.c), by `measure` and sometimes `measure2`. */
typedef struct value column_get(const struct column *c, const struct table_row *r,
                                struct row_context *x);
column_get get_count, get_rate, get_busy, get_depth;
/* The same since the reset, whatever span the other columns show; of histograms, their times. */
column_get get_sum_count, get_sum_time, get_sum_cpu;

/* What the column divides by: the longer one where it has two measures. */
double column_seconds(const struct row_context *x, const struct column *c);
column_get get_average, get_p50, get_p90, get_p99, get_max, get_share, get_cpu;

/* What the row's measures were in the last intervals: their sum, or the larger one (trend.c). */
column_get get_trend, get_larger_trend;
uint64_t trend_columns(const struct pane *p); /* which ones they are, bit by bit */
#define TREND_COLUMN(measure, measure2, get) \
    {"trend", "TREND", "per_interval", "Values of the last 16 intervals; the scale is each row's own", \
     VALUE_SERIES, COLUMN_WHERE_WIDE | COLUMN_RIGHT, TREND_SHOWN, 6, measure, measure2, get}
/* What counts of a VALUE_SERIES, its last amount, and of VALUE_BINS, all that they count; 0 of
 * empty ones. */
double text_number(enum value_type type, const char *text, size_t bytes);

/* Text values; `bytes` < 0: up to the NUL. A NULL text is VALUE_ABSENT. */
struct value value_text(struct row_context *x, enum value_type type, const char *text);
struct value value_number(enum value_type type, uint64_t number);
struct value value_rate(enum value_type type, double number);
struct value value_absent(void);

/* A path in the form that the request wants; NULL: absent. */
struct value value_path(struct row_context *x, source_id source, const char *name);
/* The path of a file; of files without one, digits of the kernel's address, so that they differ. */
struct value value_file(struct row_context *x, uint32_t id);
/* Its text, in `room` or within `name`, which is not NULL. */
const char *path_shown(const struct row_context *x, source_id source, const char *name, char *room,
                       size_t bytes);

/* The account that a process runs as: the name for accounts of the system, else the text from its
 * event; NULL where it is unknown. */
const char *process_user(const struct process *p);

/* What a process is called, never NULL: "(unknown)", "pid 17" and so on. */
const char *process_label(const struct row_context *x, uint32_t process, char *room, size_t bytes);

#endif
