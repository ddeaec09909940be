#include "src/event/function_event.h"

#include "src/event/tracelogging.h"
#include "src/event/tracetop_provider.h"

#include <string.h>

enum { OWN_BYTES = 8 };
static const uint8_t own[OWN_BYTES] = {0x74, 0x72, 0x61, 0x63, 0x65, 0x66, 0x75, 0x6e};

/* The first half says that it is one of these, the second is a hash of the name (FNV-1a). */
struct guid function_provider(const char *file)
{
    struct guid g;
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *file; file++)
        hash = (hash ^ (unsigned char)*file) * 0x100000001b3u;
    memcpy(g.b, own, sizeof own);
    memcpy(g.b + OWN_BYTES, &hash, sizeof hash);
    return g;
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
