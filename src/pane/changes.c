/* What changed: rows of all tables whose sums or latencies differ most between the last seconds
 * and those before. src/view/changes.c makes the rows; the cells have the types of the columns
 * that they come from. */
#include "src/pane/helpers.h"

static const struct column change_columns[] = {
    {"score", "CHANGE%", "percent",
     "Change as a share of the larger column total; small for rare events", VALUE_PERCENT,
     SHOWN | COLUMN_ALARMS, 7, 0, NULL, NULL, NULL},
    {"pane", "PANE", "", "The pane that has the row; Enter goes there", VALUE_TEXT, SHOWN_TEXT, 10,
     0, NULL, NULL, NULL},
    {"name", "ROW", "", "Name of the row", VALUE_TEXT, LONG_TEXT, 24, 0, NULL, NULL, NULL},
    {"column", "COLUMN", "", "Column that changed most", VALUE_TEXT, SHOWN_TEXT, 11, 0, NULL, NULL,
     NULL},
    {"before", "BEFORE", "", "Value in the seconds before, in the column's unit", VALUE_REAL, SHOWN,
     8, 1, NULL, NULL, NULL},
    {"now", "NOW", "", "Value in the last, or chosen, seconds", VALUE_REAL, SHOWN, 8, 0, NULL, NULL,
     NULL},
    {"delta", "DELTA", "", "NOW less BEFORE", VALUE_REAL, SHOWN, 9, 1, NULL, NULL, NULL},
    {"times", "TIMES", "", "NOW as a multiple of BEFORE; new, gone", VALUE_TEXT, SHOWN, 6, 2, NULL,
     NULL, NULL},
    {"unit", "UNIT", "", "Unit of BEFORE, NOW and DELTA", VALUE_TEXT, 0, 12, 3, NULL, NULL, NULL},
};

const struct pane pane_changes = {
    .id = "changes",
    .title = "Changes",
    .help = "Rows of all panes that changed most in the last seconds; Enter goes to the row",
    .cost = "low",
    .view = PANE_CHANGES,
    /* These stay on while the pane is visible; it compares whatever is on. */
    .watched = BIT(FACT_PROCESS) | BIT(FACT_THREAD) | BIT(FACT_IMAGE) | BIT(FACT_SWITCH) |
               BIT(FACT_READY) | BIT(FACT_DISK) | BIT(FACT_NETWORK) | BIT(FACT_FAULT),
    .columns = change_columns,
    .column_count = sizeof change_columns / sizeof *change_columns,
    .sort = "score",
};
