/* Tables: the facts of one pane grouped by its row key, accumulated per interval and
 * in total. A root table is fed every fact as it comes and so stays exact beyond the
 * kept window; a narrowed one is filled by scanning kept facts and then fed too. */
#ifndef SRC_TABLE_H
#define SRC_TABLE_H

#include "src/histogram.h"
#include "src/map.h"
#include "src/model.h"
#include "src/pane.h"

/* One measured quantity: in the running interval, in the last whole one, in total. */
struct tally {
    uint64_t current, last, total;
};

enum { MOST_CANDIDATES = 4 };

/* The heaviest of many by a few candidates (Misra-Gries): what truly weighs more
 * than a fifth of the whole is always among them. */
struct most {
    uint32_t of[MOST_CANDIDATES];
    uint64_t weight[MOST_CANDIDATES];
};

struct latency {
    struct tally count, sum, max;
    struct histogram current, last, total;
};

struct table_row {
    struct row_key key;
    uint32_t interval;      /* the interval that `current` belongs to */
    uint32_t match;         /* verdict of a filter on the row's texts; 0 = none (view.c) */
    int64_t first_ns, last_ns;
    struct tally *tallies;  /* one per measure that needs one */
    struct latency *latencies;
    struct most *mosts;
};

enum span { SPAN_INTERVAL, SPAN_TOTAL };

/* Where a measure lives in its rows. */
struct measure_slot {
    uint8_t kind;  /* enum measure_kind */
    uint8_t index; /* into tallies, latencies or mosts */
};

enum { MEASURES_MAX = 32 };

struct table {
    const struct pane *pane;
    struct table_row **rows;
    uint32_t row_count, row_room;
    uint32_t *slots;        /* open addressing: row index + 1 */
    uint32_t slot_mask;
    uint32_t last_row;      /* of the last fact: the next one is often its neighbour */
    struct table_row *all;  /* every fact of the table: the header's sums */
    uint32_t interval;      /* number of the running interval */
    uint32_t by_thread;     /* rows that stand under a thread for want of its process */
    uint64_t attributions;  /* model's count when they were last looked through */
    uint64_t folded;        /* rows folded into "(others)" to stay within bounds */
    size_t octaves;         /* of histograms, in all rows */
    struct measure_slot measures[MEASURES_MAX];
    uint8_t of_class[FACT_CLASSES][MEASURES_MAX]; /* measures that look at a class … */
    uint8_t of_class_count[FACT_CLASSES];         /* … and how many they are */
    uint8_t tallies, latencies, mosts;
    int8_t *column_measures; /* two per column: measure index or -1 */
};

/* Rows beyond this fold the longest idle ones into one row: sums stay right. */
enum { TABLE_ROWS = 1 << 17 };

/* Octaves of histograms (64 bytes each) beyond which rows are folded, too. */
enum { TABLE_OCTAVES = 1 << 20 };
#define ROW_OTHERS 0xffffffffu /* every part of the key of that row */

void table_init(struct table *t, const struct pane *pane);
void table_fini(struct table *t);
struct table table_copy(const struct table *t);
void table_clear(struct table *t); /* no rows, no sums */

/* Counts one fact. `process` is model_process_of() it. */
void table_feed(struct table *t, const struct fact *f, uint32_t process);

/* A new interval begins, `steps` after the running one. */
void table_step(struct table *t, uint32_t steps);

/* Rows under threads whose process is known by now join their process's row. */
void table_settle(struct table *t, const struct model *m);

/* The row with this key, or NULL. */
struct table_row *table_find(const struct table *t, struct row_key key);

/* A row outside any table with the pane's shape, and adding one row to another. */
struct table_row *row_new(const struct table *t, struct row_key key);
void row_free(const struct table *t, struct table_row *r);
void row_add(const struct table *t, struct table_row *to, const struct table_row *from);

static inline bool row_key_equal(struct row_key a, struct row_key b)
{
    return a.a == b.a && a.b == b.b && a.c == b.c;
}

/* ---- what getters of columns work with --------------------------------------- */

struct frame_maker; /* src/frame.h's other side: the arena (src/frame.c) */

struct row_context {
    const struct table *table;
    const struct model *model;
    struct frame_maker *texts; /* where text values go; NULL: only numbers are wanted */
    enum span span;
    double seconds;            /* what "/s" divides by */
    unsigned cpus;
    bool has_switches;         /* CPU% from context switches, else from samples */
    uint64_t missing;          /* columns that nothing was recorded for: bit per column */
    int64_t now_ns;            /* event time */
};

/* Sum or count of a measure over the span. */
uint64_t row_tally(const struct row_context *x, const struct table_row *r, int measure);
const struct latency *row_latency(const struct row_context *x, const struct table_row *r,
                                  int measure);
uint32_t row_most(const struct row_context *x, const struct table_row *r, int measure);
/* The weight of what row_most() gives in percent of a plain measure's total; like the choice, it
 * is since the reset and, where there were many candidates, rather too small. */
unsigned row_most_percent(const struct row_context *x, const struct table_row *r, int measure,
                          int whole);
int column_measure(const struct row_context *x, const struct column *c, unsigned which);
int table_measure(const struct table *t, const char *id); /* index, -1 = none */

/* Common getters (table_column.c), by `measure` and sometimes `measure2`. */
typedef struct value column_get(const struct column *c, const struct table_row *r,
                                struct row_context *x);
column_get get_count, get_rate, get_busy, get_depth;
column_get get_average, get_p50, get_p90, get_p99, get_max, get_share, get_cpu;

/* Text values; `bytes` < 0: up to the NUL. A NULL text is VALUE_ABSENT. */
struct value value_text(struct row_context *x, enum value_type type, const char *text);
struct value value_number(enum value_type type, uint64_t number);
struct value value_rate(enum value_type type, double number);
struct value value_absent(void);

/* What a process is called, never NULL: "(unknown)", "pid 17" and so on. */
const char *process_label(const struct row_context *x, uint32_t process, char *room, size_t bytes);

#endif
