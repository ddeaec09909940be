/* Panes: one descriptor each, in src/pane/<id>.c; the list is in src/pane/panes.c. A pane
 * says which facts it counts, what makes a row (key), what is measured, which
 * columns show it and where Enter leads. The engine and every kind of view work
 * from the descriptor; a new pane is one new file and one row. */
#ifndef SRC_TABLE_PANE_H
#define SRC_TABLE_PANE_H

#include "src/base/fixed.h"
#include "src/base/hash.h"
#include "src/model/fact.h"
#include "src/table/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What one row is: the ids its facts share. Unused ids are 0. */
struct row_key {
    uint32_t a, b, c, d;
};

static inline bool row_key_equal(struct row_key a, struct row_key b)
{
    uint64_t x[2], y[2]; /* two parts at once */
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    return x[0] == y[0] && x[1] == y[1];
}

static inline uint64_t row_key_mixed(struct row_key k)
{
    return hash_mix(hash_mix((uint64_t)k.a << 32 | k.b) ^ ((uint64_t)k.d << 32 | k.c));
}

/* What the record of a fact has of the payload fields that a view from a file asks for; texts by
 * their numbers in the dictionary (src/table/dictionary.h). */
enum { FACT_VALUES = 8 };
struct fact_values {
    uint32_t has, has_number; /* bit per field: it is there, as a number */
    uint32_t texts[FACT_VALUES];
    struct fixed numbers[FACT_VALUES];
};

/* Measures: what a row accumulates over its facts, per interval and in total. */
enum measure_kind {
    MEASURE_COUNT,          /* facts */
    MEASURE_BYTES,          /* sum of fact.value */
    MEASURE_LATENCY,        /* sum of fact.latency (ns) */
    MEASURE_HISTOGRAM,      /* log-scaled histogram of fact.latency: avg, percentiles, max */
    MEASURE_STATUS,         /* sum of fact.status, where the class keeps a quantity there */
    MEASURE_MOST,           /* the value of `of` that weighs most (estimated, few candidates) */
    MEASURE_MAX,            /* the largest value of `of` */
    MEASURE_LARGE,          /* the largest value of `large` */
    MEASURE_FIRST,          /* the value of `large`, else of `of`, at the earliest fact … */
    MEASURE_LAST,           /* … and at the latest */
    MEASURE_MOMENTS,        /* of `large`: standard deviation */
    MEASURE_DISTINCT,       /* how many different values of `of`, about */
    MEASURE_NUMBERS,        /* of a field of the payload: the sum of its number … */
    MEASURE_LARGEST_NUMBER, /* … and the largest */
    MEASURE_KINDS,
};

/* What is known of a fact by its class and operation alone. */
enum takes { TAKES_NONE, TAKES_SOME, TAKES_ALL };

struct linear;
struct measure {
    const char *id;
    enum measure_kind kind;
    uint32_t classes;                     /* bit per enum fact_class */
    uint64_t ops;                         /* bit per enum fact_op; 0 = all */
    uint32_t (*of)(const struct fact *f); /* MOST, MAX: which of (0 is left out) … */
    bool by_bytes;                        /* … MOST: weighed by fact.value, not counted */
    bool (*where)(const struct fact *f);  /* only these; NULL = all of the classes and ops */
    /* enum takes: which of them `where` has to be asked about; NULL: about all */
    uint8_t (*takes)(unsigned class, unsigned op);
    uint64_t (*large)(const struct fact *f); /* LARGE, FIRST, LAST, MOMENTS, HISTOGRAM: of it */
    const struct linear *linear; /* HISTOGRAM: counts the values' bins (src/aggregate/bins.h) */
    /* Of a field of the payload, from 1 on: HISTOGRAM and MOMENTS count its number, COUNT the facts
     * that have it; others but those of numbers take its text. Other facts do not count. 0 = none
     * of that. A HISTOGRAM without bins counts no numbers below zero … */
    uint8_t field;
    bool is_least;      /* … or their amounts alone; LARGEST_NUMBER: with the other sign */
    bool is_of_numbers; /* COUNT of a field: only of numbers */
};

/* Is it a histogram of latencies or of sizes, which charts show? Others are of numbers of payloads,
 * or of the numbers of bins. */
static inline bool measure_is_of_latencies(const struct measure *m)
{
    return m->kind == MEASURE_HISTOGRAM && !m->field && !m->large && !m->linear;
}

static inline bool measure_is_of_sizes(const struct measure *m)
{
    return m->kind == MEASURE_HISTOGRAM && !m->field && m->large && !m->linear;
}

static inline bool measure_has_chart(const struct measure *m)
{
    return measure_is_of_latencies(m) || measure_is_of_sizes(m);
}

/* What the measure does with facts of a class and operation (enum takes). */
static inline unsigned measure_takes(const struct measure *m, unsigned class, unsigned op)
{
    if (!(m->classes >> class & 1) || (m->ops && !(m->ops >> op & 1)))
        return TAKES_NONE;
    return m->takes ? m->takes(class, op) : m->where ? TAKES_SOME : TAKES_ALL;
}

enum column_flag {
    COLUMN_RIGHT = 1,      /* right-aligned (numbers) */
    COLUMN_DEFAULT = 2,    /* shown by default at 120 columns */
    COLUMN_SEARCHABLE = 4, /* bare filter text looks here */
    COLUMN_GROWS = 8,      /* takes the width that is left */
    COLUMN_SUMS = 16,      /* adds up: the header shows the total, SHARE counts it */
    COLUMN_ALARMS = 32, /* percentages: high ones deserve a look (time and durations always do) */
    COLUMN_OF_SERVICES = 64, /* shown by default, too, where services are known, else absent */
    COLUMN_IS_SUM =
        256, /* since the reset, whatever span the others show; shown beside them on request */
    COLUMN_OF_EVENTS = 512, /* what happened, EVENT_FIELDS_SIGN, and the fields, which are dim */
    COLUMN_OF_PAYLOAD =
        1024,              /* of events: its id names a field of the payload (src/field/field.h) */
    COLUMN_FITS = 2048,    /* narrower where its texts are; wider for them where there is room */
    COLUMN_OF_ENDS = 4096, /* addresses with ports: long ones lose their middle */
    COLUMN_OF_FEW = 8192, /* of providers that are rarely recorded: not named where it is missing */
    COLUMN_WHERE_WIDE = 128, /* shown by default, too, where 120 cells are there and room is left */
};

/* Amounts of a series that a cell shows. */
enum { TREND_SHOWN = 16 };

struct table_row;   /* the engine's: a row with its measures (src/table/table.h) */
struct user_view;   /* a view from a file (src/pane/user_view.h) */
struct row_context; /* names, interval length, machine (src/table/table.h) */

struct column {
    const char *id;    /* stable: fields, filters, exports */
    const char *title; /* with its unit */
    const char *unit;  /* for exports: "bytes_per_s", "ns", "" */
    const char *help;
    uint8_t type; /* enum value_type it yields */
    uint16_t flags;
    uint8_t width;                  /* cells by default, at least 3 */
    uint8_t rank;                   /* when cells are short, higher ranks go first */
    const char *measure, *measure2; /* ids; read by the common getters; may be NULL */
    struct value (*get)(const struct column *c, const struct table_row *r, struct row_context *x);
};

/* CHANGES: rows of all tables, by how much they changed (src/view/changes.c). */
enum pane_view { PANE_TABLE, PANE_EVENTS, PANE_TREE, PANE_CHANGES };

/* USUAL: numbers descend, names ascend. */
enum pane_order { ORDER_USUAL, ORDER_ASCENDING, ORDER_DESCENDING };

struct pane {
    const char *id; /* "processes", "disk", "events" … */
    const char *title;
    const char *help;
    const char *cost; /* "low", "high" … */
    char digit;       /* '1' … '9', '0'; 0 = none */
    enum pane_view view;
    uint32_t classes; /* facts it counts: bit per enum fact_class */
    /* What it needs of a live collector where that is not its classes (src/engine/watch.h), and which
     * of them with stacks. */
    uint32_t watched, watched_stacks;
    /* The row of a fact that counts for `process` (which may carry FACT_BY_THREAD, see
     * src/model/fact.h, or be known better by now than f->process). */
    struct row_key (*key)(const struct fact *f, uint32_t process);
    uint8_t process_part; /* which part of the key is the process: enum key_part */
    const struct measure *measures;
    size_t measure_count;
    const struct column *columns; /* the row's cells, in screen order */
    size_t column_count;
    const char *sort;      /* default sort column, descending for numbers */
    const char *sort_then; /* a column of numbers that puts ties of `sort` in order; or NULL */
    const char *sort_else; /* instead where the recording has nothing for that one; or NULL */
    uint8_t order;         /* enum pane_order: of `sort` */
    uint64_t top;          /* rows that are shown at most; 0 = all */
    const char *drill;     /* pane that Enter opens with the row as crumb; NULL = none */
    const char *stacks; /* what stacks of its rows add up at first: id of a metric; NULL: events */
    bool has_images;       /* samples count by the image that their address lies in */
    const char *tree;    /* column of paths, or of names of processes: t makes a tree of the rows
                          * by them; NULL = there is none */
    const char *threads;   /* pane with threads as rows, or back from there; NULL = none */
    const char *not_on_linux; /* why it stays empty where all sources are Linux; NULL = it need not */
    const char *if_empty;  /* what is missing where it shows nothing and nothing is hidden; or NULL */
    bool lists_waiting;    /* inside a process: also lists threads that wait and have no event */
    bool is_scanned;       /* counted from the history on request, not as events come */
    uint8_t crumb;         /* enum crumb_kind: what a row of this pane means as a filter */
    /* Parts of the key (1 << PART_A …) whose rows are merged when they show the same text
     * (src/view/names.h); and whether parts of it are stacks. */
    uint8_t joined_parts;
    bool has_stacks;
    bool has_own_fields;   /* filters know its columns and no fields of events */
    bool has_files;        /* key.a is a file or key, of which several may turn out to be one */
    const struct pane *of; /* the one in the list that this is, but for more columns; NULL: itself */
    const char *where;     /* only facts that pass this filter (of the event stream); or NULL */
    /* A view from a file instead of `key`: its description, which makes its keys. */
    const struct user_view *user_view;
    struct row_key (*user_view_key)(const struct user_view *d, const struct fact *f,
                                    uint32_t process, const struct fact_values *values);
    /* … and the payload fields that it asks for: names, bits of those that rows are made of (a fact
     * without one of these is of no row) … */
    uint64_t made; /* serial number of a temporary pane, as its address may be used again; else 0 */
    const char *const *fields;
    unsigned field_count;
    uint32_t key_fields, text_fields; /* … and of those whose texts are asked for */
};

/* Is a row of the pane about one process? */
static inline bool pane_is_of_processes(const struct pane *p)
{
    return p->process_part && !(p->joined_parts >> p->process_part & 1);
}

enum key_part { PART_NONE, PART_A, PART_B, PART_C, PART_D };
enum { KEY_PARTS = PART_D };

/* How a row narrows what is below it. */
enum crumb_kind {
    CRUMB_NONE,
    CRUMB_PROCESS,      /* key.a = process */
    CRUMB_DISK_PROCESS, /* key.a = disk + 1, key.b = process */
    CRUMB_FILE,         /* key.a = entity */
    CRUMB_THREAD,       /* key.a = thread */
    CRUMB_KIND,         /* key.a = event kind + 1 */
    CRUMB_KEY,          /* key.a = entity (a registry key), key.b = process */
    CRUMB_CONNECTION,   /* key.a = entity (a connection), key.b = process */
    CRUMB_IMAGE,        /* key.a = entity (an image) */
    CRUMB_FOLDER,       /* key = hash of a path: all files or keys below (src/view/folder.c) */
    CRUMB_FRAME,        /* key = hash of a call path: events from there or deeper */
    CRUMB_ROUTINE,      /* key.a = entity (a routine of interrupts and deferred calls) */
    CRUMB_CALL,         /* key.a = entity (a system call) */
    CRUMB_GROUP,        /* key = of a group of processes (src/view/group.h) */
    CRUMB_ROW,          /* key = of a row of the user view or query that the crumb names */
};

/* By its id; or NULL. */
const struct column *pane_column(const struct pane *p, const char *id);

#endif
