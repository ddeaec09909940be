/* TraceSetInformation and TraceQueryInformation. */
#include "tests/etw/fake.h"

#include <string.h>

enum {
    STACKS = 3,
    FLAGS = 4,
    INTERVAL = 5,
    SOURCES = 7,
    VERSION = 11,
    LOGGERS = 19,
    INTERVAL_LEAST = 1221, /* 100 ns */
    INTERVAL_MOST = 10000000,
};

static ULONG interval = 10000;

static ULONG set_stacks(struct session *s, const struct etw_classic_id *ids, ULONG bytes)
{
    if (bytes % sizeof *ids)
        return ERROR_BAD_LENGTH;
    if (bytes / sizeof *ids > ETW_CLASSIC_IDS)
        return ERROR_INVALID_PARAMETER;
    memset(s->stacks, 0, sizeof s->stacks);
    for (ULONG i = 0; i < bytes / sizeof *ids; i++) {
        const unsigned hook = want_hook_of(&ids[i].guid, ids[i].type);
        if (hook < FAKE_HOOKS)
            s->stacks[hook / 8] |= (uint8_t)(1 << hook % 8);
    }
    return ERROR_SUCCESS;
}

static ULONG set_flags(struct session *s, const void *masks, ULONG bytes)
{
    if (bytes % sizeof *s->masks || bytes > sizeof s->masks || !bytes)
        return ERROR_BAD_LENGTH;
    const bool had = s->masks[0] != 0;
    memset(s->masks, 0, sizeof s->masks);
    memcpy(s->masks, masks, bytes);
    session_want(s);
    if (!had && s->masks[0])
        machine_list(s, false);
    return ERROR_SUCCESS;
}

static ULONG set_interval(const struct etw_profile_interval *i, ULONG bytes)
{
    if (bytes != sizeof *i)
        return ERROR_BAD_LENGTH;
    if (i->source != 0 || i->interval < INTERVAL_LEAST || i->interval > INTERVAL_MOST)
        return ERROR_INVALID_PARAMETER;
    if (play.rights != RIGHTS_ADMINISTRATOR)
        return ERROR_PRIVILEGE_NOT_HELD;
    interval = i->interval;
    return ERROR_SUCCESS;
}

static ULONG set(TRACEHANDLE handle, ULONG class, PVOID data, ULONG bytes)
{
    if (class == INTERVAL)
        return set_interval(data, bytes);
    struct session *const s = session_of_handle(handle);
    if (!s)
        return ERROR_WMI_INSTANCE_NOT_FOUND;
    if (class != STACKS && class != FLAGS)
        return ERROR_NOT_SUPPORTED;
    if (!session_is_kernel(s))
        return ERROR_INVALID_PARAMETER;
    return class == STACKS ? set_stacks(s, data, bytes) : set_flags(s, data, bytes);
}

ULONG WINAPI fake_TraceSetInformation(TRACEHANDLE handle, ULONG class, PVOID data, ULONG bytes)
{
    static const char *const parts[] = {
        [STACKS] = "STACKS", [FLAGS] = "FLAGS", [INTERVAL] = "INTERVAL"};
    ULONG code = play_call("TraceSetInformation", class <= INTERVAL ? parts[class] : NULL);
    if (code)
        return code;
    if (!data && bytes)
        return ERROR_INVALID_PARAMETER;
    EnterCriticalSection(&running);
    EnterCriticalSection(&state);
    code = set(handle, class, data, bytes);
    LeaveCriticalSection(&state);
    LeaveCriticalSection(&running);
    return code;
}

/* One source of samples: the timer. */
static ULONG give_sources(PVOID to, ULONG bytes, PULONG need)
{
    static const WCHAR name[] = L"Timer";
    const ULONG size = sizeof(PROFILE_SOURCE_INFO) + sizeof name;
    PROFILE_SOURCE_INFO *const p = to;
    *need = size;
    if (bytes < size)
        return ERROR_INSUFFICIENT_BUFFER;
    memset(p, 0, size);
    p->MinInterval = INTERVAL_LEAST;
    p->MaxInterval = INTERVAL_MOST;
    memcpy(p->Description, name, sizeof name);
    return ERROR_SUCCESS;
}

static ULONG give(PVOID to, ULONG bytes, const void *from, ULONG size, PULONG need)
{
    *need = size;
    if (bytes < size)
        return ERROR_BAD_LENGTH;
    memcpy(to, from, size);
    return ERROR_SUCCESS;
}

ULONG WINAPI fake_TraceQueryInformation(TRACEHANDLE handle, ULONG class, PVOID to, ULONG bytes,
                                        PULONG need)
{
    static const ULONG most = FAKE_SESSIONS, version[2] = {1, 0};
    const struct etw_profile_interval now = {.interval = interval};
    ULONG code = play_call("TraceQueryInformation", NULL), size;
    if (code)
        return code;
    if (!to)
        return ERROR_INVALID_PARAMETER;
    need = need ? need : &size;
    switch (class) {
    case INTERVAL:
        return give(to, bytes, &now, sizeof now, need);
    case SOURCES:
        return give_sources(to, bytes, need);
    case VERSION:
        return give(to, bytes, version, sizeof version, need);
    case LOGGERS:
        return give(to, bytes, &most, sizeof most, need);
    case FLAGS:
        break;
    default:
        return ERROR_NOT_SUPPORTED;
    }
    EnterCriticalSection(&state);
    const struct session *const s = session_of_handle(handle);
    code = s ? give(to, bytes, s->masks, sizeof s->masks, need) : ERROR_WMI_INSTANCE_NOT_FOUND;
    LeaveCriticalSection(&state);
    return code;
}
