/* Panes: one descriptor each, in src/pane/<id>.c; the list is in src/pane/panes.c. A pane
 * says which facts it counts, what makes a row (key), what is measured, which
 * columns show it and where Enter leads. The engine and every kind of view work
 * from the descriptor; a new pane is one new file and one row. */
#ifndef SRC_TABLE_PANE_H
#define SRC_TABLE_PANE_H

#include "src/model/fact.h"
#include "src/table/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What one row is: the ids its facts share. Unused ids are 0. */
struct row_key {
    uint32_t a, b, c;
};

static inline bool row_key_equal(struct row_key a, struct row_key b)
{
    uint64_t x, y; /* two parts at once */
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y && a.c == b.c;
}

/* What the record of a fact has of the payload fields that a view from a file asks for; texts by
 * their numbers in the dictionary (src/table/dictionary.h). */
enum { FACT_VALUES = 8 };
struct fact_values {
    uint32_t has, has_number; /* bit per field: it is there, as a number */
    uint32_t texts[FACT_VALUES];
    int64_t numbers[FACT_VALUES];
};

/* Measures: what a row accumulates over its facts, per interval and in total. */
enum measure_kind {
    MEASURE_COUNT,     /* facts */
    MEASURE_BYTES,     /* sum of fact.value */
    MEASURE_LATENCY,   /* sum of fact.latency (ns) */
    MEASURE_HISTOGRAM, /* log-scaled histogram of fact.latency: avg, percentiles, max */
    MEASURE_STATUS,    /* sum of fact.status, where the class keeps a quantity there */
    MEASURE_MOST,      /* the value of `of` that weighs most (estimated, few candidates) */
    MEASURE_MAX,       /* the largest value of `of` */
    MEASURE_LARGE,     /* the largest value of `large` */
    MEASURE_LAST,      /* the value of `of` at the latest fact (by milliseconds) */
    MEASURE_DISTINCT,  /* how many different values of `of`: about, and up to some thousands */
    MEASURE_KINDS,
};

struct measure {
    const char *id;
    enum measure_kind kind;
    uint32_t classes;                     /* bit per enum fact_class */
    uint64_t ops;                         /* bit per enum fact_op; 0 = all */
    uint32_t (*of)(const struct fact *f); /* MOST, MAX: which of (0 is left out) … */
    bool by_bytes;                        /* … MOST: weighed by fact.value, not counted */
    bool (*where)(const struct fact *f);  /* only these; NULL = all of the classes and ops */
    uint64_t (*large)(const struct fact *f); /* LARGE */
    /* Of a field of the payload, from 1 on: BYTES adds up its number, HISTOGRAM counts it, LARGE is
     * the largest by measure_rank(), COUNT the facts that have it; others take its text. Other
     * facts do not count. 0 = none of that. */
    uint8_t field;
    bool is_least;      /* LARGE of a field: of the complement */
    bool is_of_numbers; /* COUNT of a field: only of numbers */
};

/* Numbers in the order of unsigned ones; never 0 of what struct fact_values holds. */
static inline uint64_t measure_rank(int64_t number)
{
    return (uint64_t)number ^ 1ull << 63;
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
    COLUMN_OF_EVENTS = 512,  /* what happened, EVENT_FIELDS_SIGN, and the fields, which are dim */
    COLUMN_OF_PAYLOAD = 1024, /* of events: its id names a field of the payload (src/field/field.h) */
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
    const char *drill;     /* pane that Enter opens with the row as crumb; NULL = none */
    bool has_images;       /* samples count by the image that their address lies in */
    const char *tree;    /* column of paths, or of names of processes: t makes a tree of the rows
                          * by them; NULL = there is none */
    const char *threads;   /* pane with threads as rows, or back from there; NULL = none */
    const char *not_on_linux; /* why it stays empty where all sources are Linux; NULL = it need not */
    const char *if_empty;  /* what is missing where it shows nothing and nothing is hidden; or NULL */
    bool is_scanned;       /* counted from the kept window when asked for, not as events come */
    uint8_t crumb;         /* enum crumb_kind: what a row of this pane means as a filter */
    bool joins_names;      /* rows of processes with one name are one row (src/view/names.h) */
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
    const char *const *fields;
    unsigned field_count;
    uint32_t key_fields, text_fields; /* … and of those whose texts are asked for */
};

/* Is a row of the pane about one process? */
static inline bool pane_is_of_processes(const struct pane *p)
{
    return p->process_part && !p->joins_names;
}

enum key_part { PART_NONE, PART_A, PART_B, PART_C };

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
    CRUMB_ROW,          /* key = of a row of the user view whose number the crumb has */
};

/* By its id; or NULL. */
const struct column *pane_column(const struct pane *p, const char *id);

#endif
