#include "src/event/function_event.h"

#include "src/event/tracelogging.h"
#include "src/event/tracetop_provider.h"

#include <string.h>

static const char own[8] = "tracefun"; /* how their providers' ids begin */

struct guid function_provider(const char *file)
{
    return guid_of_name(own, file);
}

bool function_event_is_return(const struct event *e)
{
    static const char end[] = "/return";
    struct tracelogging d;
    if (e->kind != HEADER_MANIFEST || memcmp(e->provider.b, own, sizeof own) != 0 ||
        !tracelogging_read(e, &d))
        return false;
    const size_t bytes = strlen(d.event), end_bytes = sizeof end - 1;
    return bytes > end_bytes && strcmp(d.event + bytes - end_bytes, end) == 0;
}

bool function_event_duration(const struct event *e, uint64_t *ns)
{
    return described_event_number(e, FUNCTION_DURATION, ns);
}
