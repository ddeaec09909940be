#include "collectors/windows/registered.h"

#include "collectors/windows/etw_session.h"

#include "src/base/mem.h"

#include <stdlib.h>

enum { TRIES = 8, FIRST_BYTES = 64 * 1024 };

/* Lists grow between two calls: more room each time, some tries. */
static void *query(ULONG class, void *in, ULONG in_bytes, ULONG *bytes, ULONG *error)
{
    ULONG room = FIRST_BYTES;
    void *out = NULL;
    *error =
        etw_api()->EnumerateTraceGuidsEx ? ERROR_INSUFFICIENT_BUFFER : ERROR_CALL_NOT_IMPLEMENTED;
    for (int tries = 0; tries < TRIES && *error == ERROR_INSUFFICIENT_BUFFER; tries++) {
        free(out);
        out = mem_new(room, 1);
        *bytes = 0;
        *error = etw_api()->EnumerateTraceGuidsEx(class, in, in_bytes, out, room, bytes);
        room = (*bytes > room ? *bytes : room) * 2;
    }
    if (*error == ERROR_SUCCESS)
        return out;
    free(out);
    return NULL;
}

GUID *registered_list(size_t *count, struct err *err)
{
    ULONG bytes, error;
    char reason[256];
    GUID *const list = query(TraceGuidQueryList, NULL, 0, &bytes, &error);
    *count = list ? bytes / sizeof *list : 0;
    if (!list)
        fail(err, "the registered providers cannot be listed: %s",
             etw_reason(error, reason, sizeof reason));
    return list;
}

/* TRACE_GUID_INFO, then for each process that registers it an instance, and behind that its
 * enablings; every step is checked against what the system says it wrote. */
bool registered_info(const GUID *guid, void (*report)(void *to, const struct registration *r),
                     void *to)
{
    ULONG bytes, error;
    GUID in = *guid;
    char *const room = query(TraceGuidQueryInfo, &in, sizeof in, &bytes, &error);
    size_t at = sizeof(TRACE_GUID_INFO);
    const ULONG count =
        room && bytes >= at ? ((const TRACE_GUID_INFO *)(void *)room)->InstanceCount : 0;
    for (ULONG i = 0; i < count && at + sizeof(TRACE_PROVIDER_INSTANCE_INFO) <= bytes; i++) {
        const TRACE_PROVIDER_INSTANCE_INFO *const instance = (const void *)(room + at);
        const TRACE_ENABLE_INFO *const enabled = (const void *)(instance + 1);
        const size_t left = (bytes - at - sizeof *instance) / sizeof *enabled;
        struct registration r = {.guid = guid, .pid = instance->Pid};
        for (ULONG e = 0; e < instance->EnableCount && e < left; e++) {
            r.enabled = &enabled[e];
            report(to, &r);
        }
        if (!instance->EnableCount)
            report(to, &r);
        if (instance->NextOffset < sizeof *instance)
            break;
        at += instance->NextOffset;
    }
    const bool is_known = room != NULL;
    free(room);
    return is_known;
}
