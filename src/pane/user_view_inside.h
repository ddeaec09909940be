/* What the files of user views share: see src/pane/user_view.h. */
#ifndef SRC_PANE_USER_VIEW_INSIDE_H
#define SRC_PANE_USER_VIEW_INSIDE_H

#include "src/aggregate/bins.h"
#include "src/field/field.h"
#include "src/pane/event_columns.h"
#include "src/pane/helpers.h"
#include "src/pane/user_view.h"
#include "src/query/query.h"

/* What is added up where a column names no id. AMOUNT_FIELD is a number of the payload, which has a
 * name of its own; time on processors has the forms of latencies. */
enum amount {
    AMOUNT_EVENTS,
    AMOUNT_SIZE,
    AMOUNT_LATENCY,
    AMOUNT_FIELD,
    FORMS,
    AMOUNT_RUN = FORMS,
    AMOUNTS,
};

/* A field of the registry; of the payload its number in the view, from 1 on, else 0. */
struct user_view_field {
    const struct field_def *def;
    uint8_t of_payload;
    bool is_of_process;
    uint32_t classes;                     /* of facts that have it */
    uint32_t (*of)(const struct fact *f); /* its id, where that takes no argument; else NULL */
};

struct user_view_column {
    char id[USER_VIEW_ID], title[USER_VIEW_ID], help[USER_VIEW_TEXT], unit[12];
    const struct field_def *field; /* NULL: `amount` */
    struct field_made made;        /* a function of a field, where it is one */
    uint8_t of_payload;            /* see struct user_view_field */
    const struct user_view_aggregate *agg; /* NULL: the row is made of it */
    char agg_name[16];                     /* "p99", "lquantize" */
    char field_text[QUERY_WORD], agg_text[QUERY_WORD]; /* as given; "": not */
    double share;                                      /* of a percentile */
    struct linear linear;                              /* of lquantize */
    uint8_t amount, width, part;        /* part: of the row's key, from 0 */
    bool is_hidden, is_sort, has_field;
};

struct user_view {
    struct pane pane;
    char empty[USER_VIEW_TEXT]; /* what an empty pane says; "": the usual */
    char id[USER_VIEW_ID], title[USER_VIEW_ID], help[USER_VIEW_TEXT], drill[USER_VIEW_ID],
        filter[USER_VIEW_FILTER], applies_to[USER_VIEW_TEXT];
    struct user_view_column specs[USER_VIEW_COLUMNS_MAX];
    struct column columns[USER_VIEW_COLUMNS_MAX + 1 + AMOUNTS]; /* share, sums */
    struct measure measures[2 * USER_VIEW_COLUMNS_MAX];
    char measure_ids[2 * USER_VIEW_COLUMNS_MAX][8];
    unsigned column_count, key_count, sources;
    struct user_view_field keys[USER_VIEW_KEYS];
    char field_names[FACT_VALUES][EVENT_COLUMN_NAME];
    const char *fields[FACT_VALUES];
    uint32_t classes;
    char *query;                  /* "Query: " and its text; NULL: its items say what it counts */
    bool has_source, is_of_kinds, /* of events, each of which counts */
        counts_ends; /* counts_ends: of operations that have one: its filter looks at them */
};

/* What a column measures besides: how many, to divide by; numbers below zero. */
enum second { SECOND_NONE, SECOND_COUNT, SECOND_BELOW };

/* How one column of an amount is counted and shown. */
struct form {
    uint8_t kind;   /* enum measure_kind */
    uint8_t second; /* enum second */
    uint64_t (*large)(const struct fact *f);
    column_get *get;
    uint8_t type;
    uint16_t flags;
    uint8_t width;
    const char *unit, *sign; /* for exports; for the title */
};

/* One word behind agg. "pNN" stands for all percentiles; lquantize has arguments. */
struct user_view_aggregate {
    const char *id;
    struct form of[FORMS]; /* events, size, lat, a number of the payload */
    struct form of_id;     /* of what is no amount */
};

extern const struct user_view_aggregate user_view_aggregates[];
extern const unsigned user_view_aggregate_count;
/* Can the aggregate of ids be of the field? */
bool user_view_counts(const struct user_view_aggregate *agg, const struct field_def *field);

/* The column with that id, which may be a new one; NULL with a sentence. */
struct user_view_column *user_view_column_at(struct user_view *d, const char *id, struct err *err);
/* Sets the column's field; false with a sentence. */
bool user_view_field_set(struct user_view *d, struct user_view_column *c, const char *word,
                         struct err *err);
/* Sets the column's aggregate; false with a sentence, which calls it `what`. */
bool user_view_aggregate_set(struct user_view_column *c, const char *word, const char *what,
                             struct err *err);
/* The help of a column that has none: what it counts. */
void user_view_describe(struct user_view_column *c);
/* From what was set to a pane, which is in no list yet. False with a sentence. */
bool user_view_finish(struct user_view *d, struct err *err);

/* NULL: it has no name. */
extern const char *const user_view_amounts[AMOUNTS];

/* Time on a processor adds up and no more: at the end of an interval, time slices are cut. */
static inline const struct form *user_view_form(const struct user_view_aggregate *agg,
                                                unsigned amount)
{
    static const struct form none = {.get = NULL};
    if (amount != AMOUNT_RUN)
        return &agg->of[amount];
    const struct form *const form = &agg->of[AMOUNT_LATENCY];
    return form->kind == MEASURE_LATENCY ? form : &none;
}

#endif
