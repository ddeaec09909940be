/* Tables: the facts of one pane grouped by its row key, accumulated per interval and
 * in total. A root table is fed every fact as it comes and so stays exact beyond the
 * history; a narrowed one is filled by scanning kept facts and then fed too. */
#ifndef SRC_TABLE_TABLE_H
#define SRC_TABLE_TABLE_H

#include "src/aggregate/aggregate.h"
#include "src/base/map.h"
#include "src/model/model.h"
#include "src/table/pane.h"

/* What a row measures in the running interval, in the one before, in all that are over. */
enum age { AGE_CURRENT, AGE_LAST, AGE_OVER, AGES };

/* Where a measure lives in its rows, and what counting it takes (see struct measure). */
struct measure_slot {
    uint8_t kind;      /* enum measure_kind */
    uint8_t aggregate; /* enum aggregate_kind */
    uint16_t index;    /* into tallies (words), latencies or mosts */
    bool by_bytes;
    uint8_t field; /* see struct measure */
    bool is_least, is_of_numbers, has_large;
    union {
        uint32_t (*of)(const struct fact *f);
        uint64_t (*large)(const struct fact *f); /* has_large */
    };
    const struct linear *linear;
    bool (*where)(const struct fact *f);
};

enum { MEASURES_MAX = 32 };

/* What a column shows of the intervals before: rows remember it (struct trend). */
struct trend_slot {
    int8_t of[2];   /* measures, or -1 … */
    bool is_larger; /* … the larger one, not the sum */
};
enum { TRENDS_MAX = 16 };

/* The measures that look at one class and op: from lists[first] on those that add up a
 * number of every fact, then the others, up to `count` in all. */
struct measure_list {
    uint16_t first;
    uint8_t plain, count;
};

enum { TABLE_RECENT = 8 }; /* a power of two */

struct table_slot {
    uint32_t hash, row; /* row index + 1; 0 = free */
};

struct table {
    const struct pane *pane;
    const struct model *model; /* has the ended processes; NULL = none is known to have ended */
    struct table_row **rows;
    uint32_t row_count, row_room;
    struct table_slot *slots; /* open addressing */
    uint32_t slot_mask;
    uint32_t cache_misses;         /* facts of the last batch whose rows were not among … */
    uint32_t recent[TABLE_RECENT]; /* … these: rows of the last facts, by key */
    struct table_row *all;  /* every fact of the table: the header's sums */
    uint32_t interval;      /* number of the running interval */
    int64_t interval_ns;    /* since when it runs; INT64_MIN: not known */
    int64_t begin_ns;       /* since when the table counts; likewise */
    bool counts_all;        /* all there is: interrupts and pauses that went on before it, too */
    uint32_t by_thread;     /* rows that stand under a thread for want of its process */
    uint64_t attributions;  /* model's counts when they were last looked through */
    uint64_t merges;
    uint32_t settled;       /* rows before this one were looked through, too */
    uint64_t folded;        /* rows folded into "(others)" to stay within bounds */
    size_t octaves;         /* of histograms, in all rows */
    uint32_t row_most;      /* so many rows and octaves make some fold */
    size_t octave_most;
    struct measure_slot measures[MEASURES_MAX];
    struct measure_list of[FACT_CLASSES][OPS];
    struct measure_slot *lists;
    uint16_t list_count;
    /* States of an interval: tallies are those that are words, one kind behind the other. */
    uint8_t states[AGGREGATES];              /* how many … */
    uint16_t states_at[AGGREGATES], tallies; /* … from which word on; words in all */
    uint8_t latencies, mosts;
    uint16_t part_at[AGES], mosts_at, row_bytes; /* where they lie in a row */
    uint16_t trends_at;                          /* likewise, of struct trend … */
    uint8_t trend_count; /* … one per column that shows it, in their order */
    struct trend_slot trends[TRENDS_MAX];
    int8_t *column_measures; /* two per column: measure index or -1 */
};

/* Rows beyond this fold the longest idle ones into one row: sums stay right. */
enum { TABLE_ROWS = 1 << 17 };

/* Octaves of histograms (64 bytes each) beyond which rows are folded, too. */
enum { TABLE_OCTAVES = 1 << 20 };

/* What the rows and the histograms of queries and views take at most, whatever they measure. */
enum { TABLE_VIEW_ROWS = 36 << 20, TABLE_VIEW_OCTAVES = 16 << 20 };
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
/* Likewise one of a pane with payload fields, which has all that rows are made of. */
void table_feed_values(struct table *t, const struct fact *f, uint32_t process,
                       const struct fact_values *values);
enum { TABLE_BATCH = 128 };
void table_feed_batch(struct table *t, const struct table_fact *facts, const uint8_t *list,
                      unsigned count);

int table_measure(const struct table *t, const char *id); /* index, -1 = none */

static inline bool table_counts(const struct table *t, const struct fact *f)
{
    return t->of[f->class][f->op].count > 0;
}

/* Memory of the table by now; about right. */
size_t table_bytes(const struct table *t);

/* Gives memory back. Rows that rest (nothing happened for two intervals) keep one histogram
 * instead of three; folding puts up to a quarter of the rows into "(others)", those of ended
 * processes first and of them those that did nothing for longest; only such as rest, if so
 * requested. False: there are too few to fold. */
void table_rest(struct table *t);
bool table_fold(struct table *t, bool only_resting);

/* Likewise the rows at rest of processes and files that the model knows no more. */
void table_fold_forgotten(struct table *t);

/* The table counts from then on, and so does its running interval: of what went on already, only
 * the time since counts. */
void table_begin(struct table *t, int64_t ns);

/* A new interval begins then, `steps` after the running one. */
void table_step(struct table *t, uint32_t steps, int64_t ns);

/* Rows under threads whose process is known by now join their process's row; rows of files
 * that turned out to be one become one. */
void table_settle(struct table *t, const struct model *m);

/* Is it the time of what may go on across the ends of intervals, and whose part before the running
 * one counts only in those that are over? Time on processors is cut at those ends. */
bool measure_is_split(const struct measure *m);

/* The row with this key, or NULL. */
struct table_row *table_find(const struct table *t, struct row_key key);

/* The process in a row's key, 0 where the pane has none. */
static inline uint32_t key_process(const struct pane *p, struct row_key key)
{
    const uint32_t parts[] = {
        [PART_A] = key.a, [PART_B] = key.b, [PART_C] = key.c, [PART_D] = key.d};
    return parts[p->process_part];
}

/* The row of a fact in the pane; `values`: what its record has, where the pane asks for fields. */
static inline struct row_key pane_key(const struct pane *p, const struct fact *f, uint32_t process,
                                      const struct fact_values *values)
{
    return p->key ? p->key(f, process) : p->user_view_key(p->user_view, f, process, values);
}

static inline bool key_is_others(struct row_key key)
{
    return key.a == ROW_OTHERS && key.b == ROW_OTHERS && key.c == ROW_OTHERS && key.d == ROW_OTHERS;
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

#endif
