#include "src/frame/strip.h"

#include <stdlib.h>

/* A row is a line, so that it reads as a table. */
/* clang-format off */
const struct strip_metric_info strip_metrics[STRIP_METRICS] = {
    [STRIP_CPU] = {"cpu", "CPU", GAUGE_PERCENT},
    [STRIP_DISK] = {"disk", "Disk", GAUGE_BYTE_RATE},
    [STRIP_NET] = {"net", "Net", GAUGE_BYTE_RATE},
    [STRIP_EVENTS] = {"events", "Events", GAUGE_EVENT_RATE},
};
/* clang-format on */

void strip_free(struct strip *s)
{
    if (!s)
        return;
    free(s->values);
    free(s->signs);
    free(s);
}

unsigned strip_column(const struct strip *s, int64_t instant)
{
    unsigned low = 0, high = s->columns;
    while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;
        if (strip_time(s, middle) <= instant)
            low = middle;
        else
            high = middle;
    }
    return low;
}
