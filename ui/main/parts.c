#include "ui/main/parts.h"

#include "ui/action/exporting.h"
#include "ui/state/chooser.h"
#include "ui/state/compare.h"
#include "ui/state/filtering.h"
#include "ui/state/lacking.h"
#include "ui/state/search.h"
#include "ui/state/sticky_filter.h"
#include "ui/state/marks.h"
#include "ui/state/neighbor.h"
#include "ui/state/strip.h"
#include "ui/state/stack_facts.h"

const struct ui_part parts[] = {
    {"cost", .ask = lacking_ask},
    {"locked filter", .ask = sticky_filter_ask},
    {"search", .ask = search_ask, .sent = search_sent, .take = search_take},
    {"time strip", .ask = strip_ask},
    {"comparison", .ask = compare_ask},
    {"moments", .ask_here = marks_ask, .sent = marks_sent, .take = marks_take},
    {"neighbor", .ask_here = neighbor_ask, .sent = neighbor_sent, .take = neighbor_take},
    {"chooser", .ask_here = chooser_ask, .take = chooser_take},
    {"filter", .ask_here = filtering_ask},
    {"metric", .take = stacks_take},
    {"export", .ask_here = exporting_ask, .sent = exporting_sent},
    {.name = NULL},
};
