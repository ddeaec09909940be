#include "src/event/decode/names.h"

#include "src/event/decode/maps.h"

#include <stdbool.h>
#include <stddef.h>

const char *name_wait_reason(unsigned reason)
{
    const struct value_map *const m = &map_wait_reason; /* whose numbers have no gap */
    return reason < m->count ? m->entries[reason].name : NULL;
}

/* What stands behind the reasons that the Linux collector gives. */
static const char *const linux_reasons[] = {
    [0] = "D-state",
    [1] = "reclaim",
    [2] = "page-in",
    [4] = "sleep",
    [5] = "stopped",
    [6] = "poll/wait",
    [15] = "no work",
    [16] = "receive",
    [17] = "send",
    [22] = "exited",
    [24] = "cpu quota",
    [27] = "rwsem",
    [29] = "mutex",
    [30] = "preempted",
    [32] = "preempted",
    [33] = "yield",
    [37] = "futex",
};

const char *name_wait_reason_linux(unsigned reason)
{
    const bool is_known = reason < sizeof linux_reasons / sizeof *linux_reasons;
    return is_known && linux_reasons[reason] ? linux_reasons[reason] : name_wait_reason(reason);
}
