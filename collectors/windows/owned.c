#include "collectors/windows/owned.h"

#include "collectors/windows/privilege.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8 };
enum state { FREE, FILLING, RUNNING, STOPPING };

static struct slot {
    _Atomic int state;
    TRACEHANDLE handle;
    WCHAR name[ETW_NAME_UNITS];
} slots[SLOTS];

/* Intervals of sampling as they were. */
enum { INTERVALS = 8 };

static struct interval {
    _Atomic int state;
    struct etw_profile_interval before;
} intervals[INTERVALS];

/* ---- ends ------------------------------------------------------------------------------------ */

static LPTOP_LEVEL_EXCEPTION_FILTER filter_before;
static void (*abort_before)(int);

static LONG WINAPI on_exception(EXCEPTION_POINTERS *why)
{
    owned_stop_all();
    return filter_before ? filter_before(why) : EXCEPTION_CONTINUE_SEARCH;
}

static void on_abort(int number)
{
    owned_stop_all();
    if (abort_before && abort_before != SIG_DFL && abort_before != SIG_IGN)
        abort_before(number);
}

/* Ctrl-C is the program's own affair. When the console closes, or the user logs off, the
 * process ends as soon as its handlers have returned. */
static BOOL WINAPI on_console(DWORD event)
{
    if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT)
        owned_stop_all();
    return FALSE;
}

static BOOL CALLBACK install(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    (void)once, (void)parameter, (void)context;
    atexit(owned_stop_all);
    filter_before = SetUnhandledExceptionFilter(on_exception);
    abort_before = signal(SIGABRT, on_abort);
    SetConsoleCtrlHandler(on_console, TRUE);
    return TRUE;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void install_handlers(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, install, NULL, NULL);
}

int owned_add(TRACEHANDLE handle, const WCHAR *name)
{
    install_handlers();
    for (int i = 0; i < SLOTS; i++) {
        int state = FREE;
        if (!atomic_compare_exchange_strong(&slots[i].state, &state, FILLING))
            continue;
        slots[i].handle = handle;
        wcsncpy(slots[i].name, name, ETW_NAME_UNITS - 1);
        atomic_store(&slots[i].state, RUNNING);
        return i;
    }
    return -1;
}

/* Whoever wins the slot ends the session; the others go on. By its handle, and where that is
 * not good any more by its name. */
void owned_stop(int slot)
{
    int state = RUNNING;
    if (slot < 0 || !atomic_compare_exchange_strong(&slots[slot].state, &state, STOPPING))
        return;
    struct etw_properties p;
    memset(&p, 0, sizeof p);
    p.p.Wnode.BufferSize = sizeof p;
    p.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    p.p.LoggerNameOffset = offsetof(struct etw_properties, name);
    p.p.LogFileNameOffset = offsetof(struct etw_properties, file);
    const ULONG error =
        etw_api()->ControlTraceW(slots[slot].handle, NULL, &p.p, EVENT_TRACE_CONTROL_STOP);
    if (error != ERROR_SUCCESS && error != ERROR_MORE_DATA && error != ERROR_WMI_INSTANCE_NOT_FOUND)
        etw_api()->ControlTraceW(0, slots[slot].name, &p.p, EVENT_TRACE_CONTROL_STOP);
    atomic_store(&slots[slot].state, FREE);
}

void owned_forget(int slot)
{
    int state = RUNNING;
    if (slot >= 0)
        atomic_compare_exchange_strong(&slots[slot].state, &state, FREE);
}

static _Atomic bool has_stopped_all;

bool owned_has_stopped_all(void)
{
    return atomic_load(&has_stopped_all);
}

void owned_stop_all(void)
{
    atomic_store(&has_stopped_all, true);
    for (int i = 0; i < SLOTS; i++)
        owned_stop(i);
    owned_intervals_restore();
}

/* ---- intervals ------------------------------------------------------------------------------ */

static bool is_noted(ULONG source)
{
    for (int i = 0; i < INTERVALS; i++)
        if (atomic_load(&intervals[i].state) == RUNNING && intervals[i].before.source == source)
            return true;
    return false;
}

void owned_interval(ULONG source, ULONG before)
{
    install_handlers();
    for (int i = 0; i < INTERVALS && !is_noted(source); i++) {
        int state = FREE;
        if (!atomic_compare_exchange_strong(&intervals[i].state, &state, FILLING))
            continue;
        intervals[i].before = (struct etw_profile_interval){source, before};
        atomic_store(&intervals[i].state, RUNNING);
    }
}

void owned_intervals_restore(void)
{
    privilege_profile_begin();
    for (int i = 0; i < INTERVALS; i++) {
        int state = RUNNING;
        if (!atomic_compare_exchange_strong(&intervals[i].state, &state, STOPPING))
            continue;
        etw_api()->TraceSetInformation(0, TraceSampledProfileIntervalInfo, &intervals[i].before,
                                       sizeof intervals[i].before);
        atomic_store(&intervals[i].state, FREE);
    }
    privilege_profile_end();
}

/* ---- whose ----------------------------------------------------------------------------------- */

/* The GUID: process id, what for, 16 bits of when the process began, and eight bytes that are
 * the same in all of ours. */
static const UCHAR mark[8] = {0x9d, 0x74, 0x72, 0x61, 0x63, 0x65, 0x74, 0xc3};

static USHORT birth_of(HANDLE process)
{
    FILETIME born = {0, 0}, rest[3];
    GetProcessTimes(process, &born, &rest[0], &rest[1], &rest[2]);
    return (USHORT)(born.dwLowDateTime >> 16 ^ born.dwLowDateTime ^ born.dwHighDateTime);
}

GUID owned_guid(unsigned role)
{
    GUID g = {.Data1 = GetCurrentProcessId(),
              .Data2 = (USHORT)role,
              .Data3 = birth_of(GetCurrentProcess())};
    memcpy(g.Data4, mark, sizeof mark);
    return g;
}

static bool is_running(uint32_t pid, USHORT birth)
{
    DWORD code = 0;
    const HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (!process)
        return GetLastError() == ERROR_ACCESS_DENIED; /* it is there, and not ours to ask */
    const bool is_there = GetExitCodeProcess(process, &code) && code == STILL_ACTIVE;
    const bool is_same = birth_of(process) == birth;
    CloseHandle(process);
    return is_there && is_same;
}

bool owned_whose(const GUID *guid, uint32_t *pid, bool *is_gone)
{
    if (memcmp(guid->Data4, mark, sizeof mark) != 0)
        return false;
    *pid = guid->Data1;
    *is_gone = !is_running(*pid, guid->Data3);
    return true;
}
