/* The state of each visible pane: its drill levels, the place last shown at each of them, and the
 * newest frame. Owned by the app; one thread. */
#ifndef UI_STATE_PANE_STATE_H
#define UI_STATE_PANE_STATE_H

#include "src/filter/filter.h"
#include "src/frame/frame.h"
#include "ui/widget/list.h"

#include <stdbool.h>
#include <stdint.h>

/* Of the panes of a level the last one is that of the query. */
enum { PANES_MAX = 40, QUERY_PLACE = PANES_MAX - 1 };
enum { COLUMNS_MAX = 64, LEVELS_MAX = CRUMBS_MAX + 1, ZOOMS_MAX = 32 };

/* Whether a column is shown: as the width allows, or as somebody chose. */
enum column_choice { COLUMN_AUTO, COLUMN_ON, COLUMN_OFF };

/* What is known of a pane's columns, wherever it is shown. */
struct pane_columns {
    uint8_t chosen[COLUMNS_MAX]; /* enum column_choice */
    uint8_t widths[COLUMNS_MAX]; /* in cells, as somebody chose; 0 = as is usual */
    uint8_t fits[COLUMNS_MAX];   /* of COLUMN_FITS: cells of the widest text that was shown */
    uint64_t missing;            /* as the newest frame said: bits of those with nothing recorded */
};

/* Stacks and events of a row: the key that opened them closes them. BELOW: one level up; BESIDE:
 * the place before. */
enum began { BEGAN_NOT, BEGAN_BELOW, BEGAN_BESIDE };

/* A chart in place of the rows (ui/state/chart.h). */
struct chart_place {
    uint8_t kind;    /* enum chart_kind; CHART_NONE: the rows are shown */
    uint8_t measure; /* index into pane->measures: the latency */
    bool of_row, has_cursor;
    struct row_key row;
    int64_t column_ns; /* time in a column; 0 = as much as it takes */
    int64_t at_ns;     /* the cursor: the moment … */
    int at_row;        /* … and a row of the heat map, or a lane */
};

/* One pane at one drill level: cursor, filter and sort as last used. */
struct place {
    const struct pane *pane;
    const uint8_t *columns; /* enum column_choice of each, the pane's at every level; or NULL */
    const uint8_t *widths;  /* of each in cells, as somebody chose, 0 = as is usual; or NULL */
    const uint8_t *fits;    /* of each in cells, its widest text so far; or NULL */
    const uint64_t *missing; /* columns that nothing was recorded for, bit by bit; or NULL */
    const bool *shows_sums;  /* columns of sums are shown beside the others; NULL: they are not */
    struct list list;
    char filter[FILTER_MAX];
    unsigned sort;
    bool ascending;
    bool has_sort;     /* somebody chose it: else it is the pane's */
    bool locks_order;
    bool shows_column; /* the column cursor appears once it was moved */
    unsigned column;   /* slot the column cursor is on, index into pane->columns */
    bool is_tree;      /* rows of a table stand below each other */
    unsigned group;    /* enum group_by: rows of a table stand for several */
    struct row_key folds[FOLDS_MAX]; /* trees: rows that hide what is below them … */
    unsigned fold_count;
    bool folds_all;    /* … or, with this, that do not */
    struct chart_place chart;
    struct stack_look stacks;        /* call trees: direction, weight, hidden frames */
    struct row_key zoom[ZOOMS_MAX];  /* flame graphs: the roots before */
    unsigned zoom_count;
    char highlighted[512]; /* call trees: the frame that is highlighted everywhere; "" = none */
    uint8_t began;         /* enum began: how the key that opened it ends it */
    bool is_open;          /* visited before: open it with this state */
};

struct level {
    struct place places[PANES_MAX];
    unsigned at;        /* index of the pane shown */
    struct row_key row; /* what the next level was entered through (below the root) */
};

/* A row that a sample lacks, and the one that has the cursor meanwhile (ui/state/step.c). */
struct held_row {
    const struct place *place; /* NULL: there is none */
    struct row_key key, stand_in;
    bool has_stand_in;
};

struct location_history; /* ui/state/location_history.h */

/* What each of several panes on screen has of its own. */
struct pane_state {
    struct level *levels[LEVELS_MAX]; /* owned, allocated when first entered */
    unsigned depth;                   /* index of the level shown */
    struct crumb crumbs[CRUMBS_MAX];
    bool is_detail; /* an event's fields cover the list */
    struct list detail;
    struct held_row held;
    struct location_history *location_history; /* owned; NULL before the first */
    struct frame *frame;     /* the newest that belongs to what is shown, or NULL; owned */
    struct request sent;     /* the newest request */
    uint64_t place_sequence; /* first request for the pane and crumbs shown */
    uint64_t rows_sequence;  /* first request for these rows in this order */
};

/* One of several panes on screen (ui/state/splits.h). */
struct split {
    uint8_t view;  /* of the engine */
    bool is_below; /* stands below the one before it, not beside its stack */
    struct pane_state *state; /* owned */
};

#endif
