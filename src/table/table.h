/* Tables: the facts of one pane grouped by its row key, accumulated per interval and
 * in total. A root table is fed every fact as it comes and so stays exact beyond the
 * kept window; a narrowed one is filled by scanning kept facts and then fed too. */
#ifndef SRC_TABLE_TABLE_H
#define SRC_TABLE_TABLE_H

#include "src/base/histogram.h"
#include "src/base/map.h"
#include "src/model/model.h"
#include "src/table/pane.h"
#include "src/table/value_text.h"

enum { MOST_CANDIDATES = 4 };

/* The heaviest of many by a few candidates (Misra-Gries): what truly weighs more
 * than a fifth of the whole is always among them. */
struct most {
    uint32_t of[MOST_CANDIDATES];
    uint64_t weight[MOST_CANDIDATES];
};

struct latency {
    uint64_t count, sum, max;
    struct histogram histogram;
};

/* What a row measures in the running interval, in the one before, in all that are over. */
enum age { AGE_CURRENT, AGE_LAST, AGE_OVER, AGES };

/* A row and, behind it, its measures (see row.c). Frozen tables share their rows with
 * the live one until either changes them. */
struct table_row {
    struct row_key key;
    uint32_t interval; /* the interval that AGE_CURRENT belongs to */
    uint32_t match;    /* cached_match of a filter on the row's texts; 0 = none (view.c) */
    uint32_t holders;  /* tables that it stands in */
    int64_t first_ns, last_ns;
};

enum span { SPAN_INTERVAL, SPAN_TOTAL };

/* Where a measure lives in its rows, and what counting it takes (see struct measure). */
struct measure_slot {
    uint8_t kind;  /* enum measure_kind */
    uint8_t index; /* into tallies, latencies or mosts */
    bool by_bytes;
    union {
        uint32_t (*of)(const struct fact *f);
        uint64_t (*large)(const struct fact *f); /* MEASURE_LARGE */
    };
    bool (*where)(const struct fact *f);
};

enum { MEASURES_MAX = 32 };

/* A row remembers what one amount was in so many intervals, where its pane has a column that shows
 * the last of them. One step back shows as many; beyond what is remembered, fewer. */
enum { TREND_KEPT = 32 };

/* The measures that look at one class and op: from lists[first] on those that add up a
 * number of every fact, then the others, up to `count` in all. */
struct measure_list {
    uint16_t first;
    uint8_t plain, count;
};

enum { TABLE_RECENT = 8 }; /* a power of two */

/* Which values were met, a bit each by their hash: 512 bits tell some thousands apart. */
enum { DISTINCT_WORDS = 8 };

struct table_slot {
    uint32_t hash, row; /* row index + 1; 0 = free */
};

struct table {
    const struct pane *pane;
    const struct model *model; /* tells which processes have ended; NULL = none is known to */
    struct table_row **rows;
    uint32_t row_count, row_room;
    struct table_slot *slots; /* open addressing */
    uint32_t slot_mask;
    uint32_t cache_misses;         /* facts of the last batch whose rows were not among … */
    uint32_t recent[TABLE_RECENT]; /* … these: rows of the last facts, by key */
    struct table_row *all;  /* every fact of the table: the header's sums */
    uint32_t interval;      /* number of the running interval */
    uint32_t by_thread;     /* rows that stand under a thread for want of its process */
    uint64_t attributions;  /* model's counts when they were last looked through */
    uint64_t merges;
    uint32_t settled;       /* rows before this one were looked through, too */
    uint64_t folded;        /* rows folded into "(others)" to stay within bounds */
    size_t octaves;         /* of histograms, in all rows */
    struct measure_slot measures[MEASURES_MAX];
    struct measure_list of[FACT_CLASSES][OPS];
    struct measure_slot *lists;
    uint16_t list_count;
    /* tallies: sums, behind them maxima, behind them bits */
    uint8_t sums, maxima_end, tallies, latencies, mosts;
    uint16_t part_at[AGES], mosts_at, row_bytes; /* where they lie in a row */
    uint16_t trend_at;         /* likewise, of TREND_KEPT floats; 0 = rows remember none */
    int8_t trend_of[2];        /* measures that are remembered, or -1 … */
    bool trend_is_larger;      /* … the larger one, not the sum */
    int8_t *column_measures; /* two per column: measure index or -1 */
};

/* Rows beyond this fold the longest idle ones into one row: sums stay right. */
enum { TABLE_ROWS = 1 << 17 };

/* Octaves of histograms (64 bytes each) beyond which rows are folded, too. */
enum { TABLE_OCTAVES = 1 << 20 };
#define ROW_OTHERS 0xffffffffu /* every part of the key of that row */

void table_init(struct table *t, const struct pane *pane);
void table_fini(struct table *t);
void table_clear(struct table *t); /* no rows, no sums */

/* A table of its own that shares the rows until either changes them; table_fini() it. */
struct table table_share(struct table *t);

/* A fact to be counted; `process` is model_process_of() it. */
struct table_fact {
    const struct fact *fact;
    uint32_t process;
};

/* Counts one fact, or `count` of many: those whose places stand in the list, or without one
 * the first ones. Many at once, up to TABLE_BATCH, cost less: in large tables their rows are
 * brought into the cache together. */
void table_feed(struct table *t, const struct fact *f, uint32_t process);
enum { TABLE_BATCH = 128 };
void table_feed_batch(struct table *t, const struct table_fact *facts, const uint8_t *list,
                      unsigned count);

static inline bool table_counts(const struct table *t, const struct fact *f)
{
    return t->of[f->class][f->op].count > 0;
}

/* Memory of the table by now; about right. */
size_t table_bytes(const struct table *t);

/* Gives memory back. Rows that rest (nothing happened for two intervals) keep one histogram
 * instead of three; folding puts up to a quarter of the rows into "(others)", those of ended
 * processes first and of them those that did nothing for longest; only such as rest, if so
 * wished. False: there are too few to fold. */
void table_rest(struct table *t);
bool table_fold(struct table *t, bool only_resting);

/* Likewise the rows at rest of processes and files that the model knows no more. */
void table_fold_forgotten(struct table *t);

/* A new interval begins, `steps` after the running one. */
void table_step(struct table *t, uint32_t steps);

/* Rows under threads whose process is known by now join their process's row; rows of files
 * that turned out to be one become one. */
void table_settle(struct table *t, const struct model *m);

/* The row with this key, or NULL. */
struct table_row *table_find(const struct table *t, struct row_key key);

/* ---- rows (row.c) -------------------------------------------------------- */

/* A row outside any table with the pane's shape, and adding one row to another. */
struct table_row *row_new(const struct table *t, struct row_key key);
void row_drop(const struct table *t, struct table_row *r); /* NULL is fine */
void row_add(const struct table *t, struct table_row *to, const struct table_row *from);

/* The row at *place for writing: a copy takes its place where others hold it, too. */
struct table_row *row_part_from(const struct table *t, struct table_row **place);
static inline struct table_row *row_own(const struct table *t, struct table_row **place)
{
    return (*place)->holders == 1 ? *place : row_part_from(t, place);
}

/* Trends (src/table/trend.c): the amount of the running interval is remembered; those between it
 * and the table's were nothing; what another row remembers is added. */
void trend_keep(const struct table *t, struct table_row *r);
void trend_pass(const struct table *t, struct table_row *r, uint32_t to);
void trend_add(const struct table *t, struct table_row *to, const struct table_row *from);

/* Nothing happened in the row for two intervals or more: all is over. */
void row_rest(const struct table *t, struct table_row *r);

size_t row_octaves(const struct table *t, const struct table_row *r);

/* Where the measures lie in the row of a table whose measures were placed. */
void table_place_parts(struct table *t);

static inline uint64_t *row_tallies(const struct table *t, const struct table_row *r, enum age age)
{
    return (uint64_t *)(uintptr_t)((const char *)r + t->part_at[age]);
}

static inline struct latency *row_latencies(const struct table *t, const struct table_row *r,
                                            enum age age)
{
    return (struct latency *)(void *)(row_tallies(t, r, age) + t->tallies);
}

static inline struct most *row_mosts(const struct table *t, const struct table_row *r)
{
    return (struct most *)(uintptr_t)((const char *)r + t->mosts_at);
}

/* Rows turn to the running interval when they are next touched, not all at once. */
void row_turn_over(const struct table *t, struct table_row *r);
static inline void row_turn(const struct table *t, struct table_row *r)
{
    if (r->interval != t->interval)
        row_turn_over(t, r);
}

void most_add_miss(struct most *s, uint32_t of, uint64_t weight);
static inline void most_add(struct most *s, uint32_t of, uint64_t weight)
{
    if (!of || !weight)
        return;
    for (unsigned i = 0; i < MOST_CANDIDATES; i++)
        if (s->of[i] == of) {
            s->weight[i] += weight;
            return;
        }
    most_add_miss(s, of, weight);
}

/* The process in a row's key, 0 where the pane has none. */
static inline uint32_t key_process(const struct pane *p, struct row_key key)
{
    const uint32_t parts[] = {[PART_A] = key.a, [PART_B] = key.b, [PART_C] = key.c};
    return parts[p->process_part];
}

/* The row of a fact in the pane. */
static inline struct row_key pane_key(const struct pane *p, const struct fact *f, uint32_t process)
{
    return p->key ? p->key(f, process) : p->user_view_key(p->user_view, f, process);
}

static inline bool key_is_others(struct row_key key)
{
    return key.a == ROW_OTHERS && key.b == ROW_OTHERS && key.c == ROW_OTHERS;
}

/* The key with another process, where the pane has one. */
struct row_key key_with_process(const struct pane *p, struct row_key key, uint32_t process);

/* ---- inside (table.c, fold.c) --------------------------------------------- */

static inline bool table_is_by_thread(const struct table *t, struct row_key key)
{
    return (key_process(t->pane, key) & FACT_BY_THREAD) && !key_is_others(key);
}

/* Rows of files and keys, whose numbers may turn out to mean one thing. */
static inline bool table_is_of_files(const struct table *t)
{
    const struct pane *const p = t->pane;
    return p->crumb == CRUMB_FILE || p->crumb == CRUMB_KEY || p->has_files;
}

/* ---- what getters of columns work with --------------------------------------- */


/* What rates and percentages divide by (src/view/recorded.c). */
struct row_times {
    double of_class[FACT_CLASSES]; /* seconds that the class was recorded; 0: not at all, or by
                                    * fewer than two events */
    double of[MEASURES_MAX];       /* likewise what the measure counts */
    double sampled_s;              /* processor seconds that all samples stand for; 0: not known */
};

struct row_context {
    const struct table *table;
    const struct table *trends; /* whose rows tell the intervals before; NULL: nobody can */
    uint32_t trend_end;         /* the interval behind the last one that is shown */
    const struct model *model;
    struct value_texts *texts; /* where text values go; NULL: only numbers are wanted */
    enum span span;
    double seconds;            /* of the span */
    const struct row_times *times; /* what of it was recorded; NULL: all of it */
    unsigned cpus;
    bool of_one_cpu;           /* one processor is 100 % */
    uint8_t paths;             /* enum path_mode (src/frame/frame.h) */
    bool has_switches;         /* CPU% from context switches, else from samples */
    uint64_t missing;          /* columns that nothing was recorded for: bit per column */
    int64_t now_ns;            /* event time */
};

static inline uint32_t row_process(const struct row_context *x, const struct table_row *r)
{
    return key_process(x->table->pane, r->key);
}

/* Sum or count of a measure over the span. */
uint64_t row_tally(const struct row_context *x, const struct table_row *r, int measure);
uint32_t row_most(const struct row_context *x, const struct table_row *r, int measure);

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
int table_measure(const struct table *t, const char *id); /* index, -1 = none */

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
    {"trend", "TREND", "per_interval", "What rows go by, in the last 16 intervals; each row by its own largest", \
     VALUE_SERIES, COLUMN_WHERE_WIDE | COLUMN_RIGHT, TREND_SHOWN, 6, measure, measure2, get}
double series_last(const char *text, size_t bytes); /* 0 of an empty one */

/* Text values; `bytes` < 0: up to the NUL. A NULL text is VALUE_ABSENT. */
struct value value_text(struct row_context *x, enum value_type type, const char *text);
struct value value_number(enum value_type type, uint64_t number);
struct value value_rate(enum value_type type, double number);
struct value value_absent(void);

/* A path as the request wants paths told; NULL: absent. */
struct value value_path(struct row_context *x, source_id source, const char *name);

/* The account that a process runs as: by name where it is one of the system's, else as it was
 * told; NULL where it was not. */
const char *process_user(const struct process *p);

/* What a process is called, never NULL: "(unknown)", "pid 17" and so on. */
const char *process_label(const struct row_context *x, uint32_t process, char *room, size_t bytes);

#endif
