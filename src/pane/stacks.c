/* Stacks: which code the events came from, as a call tree. The cells are made by the
 * view (src/view/stacks.c), which knows stacks and images; here is how they look. */
#include "src/pane/helpers.h"

static const struct column stacks_columns[] = {
    { .id = "frame", .title = "FRAME", .unit = "",
      .help = "Module and function, outermost first; callees below",
      .type = VALUE_TEXT, .flags = COLUMN_DEFAULT | COLUMN_GROWS, .width = 40 },
    { .id = "mode", .title = "M", .unit = "", .help = "Code: k kernel, d driver, u user, m managed",
      .type = VALUE_TEXT, .flags = COLUMN_DEFAULT, .width = 3 },
    { .id = "samples", .title = "EVENTS", .unit = "", .help = "Events of this frame and its callees",
      .type = VALUE_COUNT, .flags = SHOWN_SUM, .width = 8 },
    { .id = "self", .title = "SELF", .unit = "", .help = "Events of this frame alone",
      .type = VALUE_COUNT, .flags = SHOWN_SUM, .width = 8, .rank = 2 },
    { .id = "total", .title = "TOTAL%", .unit = "percent",
      .help = "Share of all events with a stack", .type = VALUE_PERCENT, .flags = SHOWN,
      .width = 7, .rank = 1 },
    { .id = "depth", .title = "DEPTH", .unit = "", .help = "Frames from the outermost one on",
      .type = VALUE_ID, .flags = NUMBER, .width = 5, .rank = 7 },
};

const struct pane pane_stacks = {
    .id = "stacks",
    .title = "Stacks",
    .help = "Call tree, flame graph (f) or flat table (t) of the code behind events",
    .cost = "high",
    .digit = '0',
    .view = PANE_TREE,
    .classes = ~BIT(FACT_STACK),
    .watched = BIT(FACT_SAMPLE),
    .watched_stacks = BIT(FACT_SAMPLE) | BIT(FACT_DISK),
    .stacks = "samples",
    .columns = stacks_columns,
    .column_count = sizeof stacks_columns / sizeof *stacks_columns,
    .sort = "samples",
    .crumb = CRUMB_NONE,
};
