#include "ui/parts.h"

#include "ui/chooser.h"
#include "ui/compare.h"
#include "ui/exporting.h"
#include "ui/finding.h"
#include "ui/locking.h"
#include "ui/marks.h"

const struct part parts[] = {
    {"locked filter", .ask = locking_ask},
    {"finding", .ask = finding_ask, .sent = finding_sent, .take = finding_take},
    {"comparison", .ask = compare_ask},
    {"moments", .ask_here = marks_ask, .sent = marks_sent, .take = marks_take},
    {"chooser", .ask_here = chooser_ask},
    {"export", .ask_here = exporting_ask, .sent = exporting_sent},
    {.name = NULL},
};
