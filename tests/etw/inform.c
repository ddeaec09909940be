/* TraceSetInformation and TraceQueryInformation. */
#include "tests/etw/fake.h"

#include <string.h>

enum {
    STACKS = 3,
    FLAGS = 4,
    INTERVAL = 5,
    CONFIG = 6,
    SOURCES = 7,
    VERSION = 11,
    LOGGERS = 19,
    INTERVAL_LEAST = 1221, /* 100 ns */
    INTERVAL_MOST = 10000000,
};

/* Counters of the processors, where the test requests them: numbers as Windows'. */
static const struct source {
    ULONG source, interval; /* before anybody changes it */
    const WCHAR *name;
} sources[] = {{0, 10000, L"Timer"},
               {2, 65536, L"TotalIssues"},
               {6, 65536, L"BranchInstructions"},
               {10, 4096, L"CacheMisses"}};

enum { ALL = sizeof sources / sizeof *sources, COUNTER_LEAST = 4096 };

static unsigned changes;

unsigned inform_changes(void)
{
    return changes;
}

ULONG inform_counter(void)
{
    return table_sampled()->by;
}

static ULONG interval_of(unsigned i)
{
    const ULONG changed = table_sampled()->intervals[i];
    return changed ? changed : sources[i].interval;
}

/* Nobody leaves the machine other than it was. */
bool inform_is_as_before(void)
{
    bool is = table_sampled()->by == 0;
    for (unsigned i = 0; i < ALL; i++)
        is = is && interval_of(i) == sources[i].interval;
    return is;
}

/* Those that there are: the timer first. */
static unsigned source_count(void)
{
    return play.counters ? ALL : 1;
}

/* ALL = there is no such source. */
static unsigned index_of(ULONG source)
{
    for (unsigned i = 0; i < source_count(); i++)
        if (sources[i].source == source)
            return i;
    return ALL;
}

static ULONG set_sources(const ULONG *wanted, ULONG bytes)
{
    if (!bytes || bytes % sizeof *wanted)
        return ERROR_BAD_LENGTH;
    for (ULONG i = 0; i < bytes / sizeof *wanted; i++)
        if (index_of(wanted[i]) == ALL)
            return ERROR_INVALID_PARAMETER;
    if (play.rights != RIGHTS_ADMINISTRATOR)
        return ERROR_PRIVILEGE_NOT_HELD;
    table_sampled()->by = wanted[0];
    return ERROR_SUCCESS;
}

static ULONG set_stacks(struct fake_session *s, const struct etw_classic_id *ids, ULONG bytes)
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

static ULONG set_flags(struct fake_session *s, const void *masks, ULONG bytes)
{
    if (bytes % sizeof *s->masks || bytes > sizeof s->masks || !bytes)
        return ERROR_BAD_LENGTH;
    static const ULONG empty[ETW_GROUP_MASKS];
    const bool had = s->masks[0] != 0;
    if (had && memcmp(masks, empty, bytes) == 0)
        machine_list(s, LISTING_CLEAR);
    memset(s->masks, 0, sizeof s->masks);
    memcpy(s->masks, masks, bytes);
    session_want(s);
    if (!had && s->masks[0])
        machine_list(s, LISTING_START);
    return ERROR_SUCCESS;
}

static ULONG set_interval(const struct etw_profile_interval *i, ULONG bytes)
{
    if (bytes != sizeof *i)
        return ERROR_BAD_LENGTH;
    const unsigned at = index_of(i->source);
    if (at == ALL || i->interval < (at ? COUNTER_LEAST : INTERVAL_LEAST) ||
        (!at && i->interval > INTERVAL_MOST))
        return ERROR_INVALID_PARAMETER;
    if (play.rights != RIGHTS_ADMINISTRATOR)
        return ERROR_PRIVILEGE_NOT_HELD;
    table_sampled()->intervals[at] = i->interval;
    changes++;
    return ERROR_SUCCESS;
}

static ULONG set(TRACEHANDLE handle, ULONG class, PVOID data, ULONG bytes)
{
    if (class == INTERVAL)
        return set_interval(data, bytes);
    if (class == CONFIG && unkind(UNKIND_NO_COUNTERS))
        return ERROR_NOT_SUPPORTED;
    if (class == CONFIG)
        return set_sources(data, bytes);
    struct fake_session *const s = session_of_handle(handle);
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
        [STACKS] = "STACKS", [FLAGS] = "FLAGS", [INTERVAL] = "INTERVAL", [CONFIG] = "CONFIG"};
    ULONG code = play_call("TraceSetInformation", class <= CONFIG ? parts[class] : NULL);
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

enum { SOURCE_BYTES = sizeof(PROFILE_SOURCE_INFO) + 64 };

static void put_source(BYTE *to, ULONG source, const WCHAR *name, bool is_last)
{
    PROFILE_SOURCE_INFO s = {.NextEntryOffset = is_last ? 0 : SOURCE_BYTES,
                             .Source = source,
                             .MinInterval = source ? COUNTER_LEAST : INTERVAL_LEAST,
                             .MaxInterval = source ? 0x7fffffff : INTERVAL_MOST};
    memset(to, 0, SOURCE_BYTES);
    memcpy(to, &s, sizeof s);
    memcpy(to + offsetof(PROFILE_SOURCE_INFO, Description), name,
           (wcslen(name) + 1) * sizeof *name);
}

/* The sources of samples: the timer, and counters. */
static ULONG give_sources(PVOID to, ULONG bytes, PULONG need)
{
    if (unkind(UNKIND_NO_COUNTERS))
        return ERROR_NOT_SUPPORTED;
    const ULONG count = source_count();
    *need = count * SOURCE_BYTES;
    if (bytes < *need)
        return ERROR_INSUFFICIENT_BUFFER;
    for (ULONG i = 0; i < count; i++)
        put_source((BYTE *)to + i * SOURCE_BYTES, sources[i].source, sources[i].name,
                   i + 1 == count);
    return ERROR_SUCCESS;
}

/* The caller says of which source. */
static ULONG give_interval(struct etw_profile_interval *i, ULONG bytes, PULONG need)
{
    *need = sizeof *i;
    if (bytes < sizeof *i)
        return ERROR_BAD_LENGTH;
    const unsigned at = index_of(i->source);
    if (at == ALL)
        return ERROR_INVALID_PARAMETER;
    i->interval = interval_of(at);
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
    ULONG code = play_call("TraceQueryInformation", NULL), size;
    if (code)
        return code;
    if (!to)
        return ERROR_INVALID_PARAMETER;
    need = need ? need : &size;
    switch (class) {
    case INTERVAL:
        return give_interval(to, bytes, need);
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
    const struct fake_session *const s = session_of_handle(handle);
    code = s ? give(to, bytes, s->masks, sizeof s->masks, need) : ERROR_WMI_INSTANCE_NOT_FOUND;
    LeaveCriticalSection(&state);
    return code;
}
