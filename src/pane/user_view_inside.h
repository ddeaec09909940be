/* What the files of user views share: see src/pane/user_view.h. */
#ifndef SRC_PANE_USER_VIEW_INSIDE_H
#define SRC_PANE_USER_VIEW_INSIDE_H

#include "src/field/field.h"
#include "src/pane/event_columns.h"
#include "src/pane/helpers.h"
#include "src/pane/user_view.h"

/* What is added up where a column names no id; the last one is a number of the payload, which has a
 * name of its own. */
enum amount { AMOUNT_EVENTS, AMOUNT_SIZE, AMOUNT_LATENCY, AMOUNTS, AMOUNT_FIELD = AMOUNTS, FORMS };

/* A field of the registry; of the payload its number in the view, from 1 on, else 0. */
struct user_view_field {
    const struct field_def *def;
    uint8_t of_payload;
};

struct user_view_column {
    char id[USER_VIEW_ID], title[USER_VIEW_ID], help[USER_VIEW_TEXT], unit[12];
    const struct field_def *field; /* NULL: `amount` */
    uint8_t of_payload;            /* see struct user_view_field */
    const struct user_view_aggregate *agg; /* NULL: the row is made of it */
    uint8_t amount, width, part;        /* part: of the row's key, from 0 */
    bool is_hidden, is_sort, has_field;
};

struct user_view {
    struct pane pane;
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
    bool has_source, has_names, has_instances; /* rows are made of names of processes, of their ids */
};

/* How one column of an amount is counted and shown. A measure of kind COUNT as `second` divides. */
struct form {
    uint8_t kind; /* enum measure_kind */
    bool has_count;
    uint64_t (*large)(const struct fact *f);
    column_get *get;
    uint8_t type;
    uint16_t flags;
    uint8_t width;
    const char *unit, *sign; /* for exports; for the title */
};

/* One word behind agg. */
struct user_view_aggregate {
    const char *id;
    struct form of[FORMS]; /* events, size, lat, a number of the payload */
    struct form of_id;     /* of what is no amount */
};

extern const struct user_view_aggregate user_view_aggregates[];
extern const unsigned user_view_aggregate_count;
/* From what was set to a pane, which is in no list yet. False with a sentence. */
bool user_view_finish(struct user_view *d, struct err *err);
/* Small letters, digits and _. */
bool user_view_is_id(const char *id);

extern const char *const user_view_amounts[AMOUNTS];

#endif
