/* Frames of call trees as what is looked for: rows of Stacks by their own fields. Nothing is shown
 * in this shape, so there are no getters; the view looks at frames itself (src/view/find.c). What
 * stacks are weighed by decides which numbers their weights are compared with. */
#include "src/pane/helpers.h"

#include "src/frame/stack_look.h"

#define COLUMNS(weight_)                                                                           \
    {                                                                                              \
        [FRAME_TEXT] = { .id = "frame", .title = "FRAME", .unit = "",                              \
                         .help = "The frame as shown: module and function",                \
                         .type = VALUE_TEXT, .flags = COLUMN_SEARCHABLE, .width = 40 },            \
        [FRAME_MODULE] = { .id = "module", .title = "MODULE", .unit = "",                          \
                           .help = "Its module, without the path", .type = VALUE_TEXT,             \
                           .width = 20 },                                                          \
        [FRAME_FUNCTION] = { .id = "func", .title = "FUNCTION", .unit = "",                        \
                             .help = "Its function, or module!function",                      \
                             .type = VALUE_TEXT, .width = 20 },                                    \
        [FRAME_KIND] = { .id = "kind", .title = "KIND", .unit = "",                                \
                         .help = "Code: kernel, driver, user or managed, or its letter",     \
                         .type = VALUE_TEXT, .width = 7 },                                         \
        [FRAME_SAMPLES] = { .id = "samples", .title = "EVENTS", .unit = "",                        \
                            .help = "Weight of this frame and its callees",                  \
                            .type = weight_, .flags = NUMBER, .width = 8 },                        \
        [FRAME_SELF] = { .id = "self", .title = "SELF", .unit = "",                                \
                         .help = "Weight of this frame alone", .type = weight_,                  \
                         .flags = NUMBER, .width = 8 },                                            \
        [FRAME_TOTAL] = { .id = "total", .title = "TOTAL%", .unit = "percent",                     \
                          .help = "Share of all stacks", .type = VALUE_PERCENT,           \
                          .flags = NUMBER, .width = 7 },                                           \
        [FRAME_DEPTH] = { .id = "depth", .title = "DEPTH", .unit = "",                             \
                          .help = "Frames from the outermost one on", .type = VALUE_ID,            \
                          .flags = NUMBER, .width = 5 },                                           \
    }

static const struct column counted[] = COLUMNS(VALUE_COUNT), timed[] = COLUMNS(VALUE_TIME),
                           sized[] = COLUMNS(VALUE_BYTES);

#define FRAMES(columns_)                                                                           \
    {                                                                                              \
        .id = "frames", .title = "Frames", .help = "Text that / finds in stacks",                   \
        .view = PANE_TABLE, .columns = columns_,                                                   \
        .column_count = sizeof columns_ / sizeof *columns_, .sort = "samples",                     \
        .has_own_fields = true,                                                                    \
    }

static const struct pane of_counts = FRAMES(counted), of_times = FRAMES(timed),
                         of_sizes = FRAMES(sized);

const struct pane *stack_frames_pane(unsigned metric)
{
    switch (metric < STACK_METRICS ? stack_metrics[metric].type : VALUE_COUNT) {
    case VALUE_TIME:
        return &of_times;
    case VALUE_BYTES:
        return &of_sizes;
    default:
        return &of_counts;
    }
}
