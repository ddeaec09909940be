#include "collectors/windows/owned.h"

#include "collectors/windows/privilege.h"
#include "collectors/windows/watchdog.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8, INTERVALS = 8 };
enum state { FREE, FILLING, RUNNING, STOPPING };

struct slot {
    _Atomic int state;
    TRACEHANDLE handle;
    GUID guid;
    WCHAR name[ETW_NAME_UNITS];
};

/* Intervals of sampling as they were. */
struct interval {
    _Atomic int state;
    struct etw_profile_interval before;
};

/* Shared with the watchdog, which takes it over when this process is gone. */
struct owned {
    struct slot slots[SLOTS];
    struct interval intervals[INTERVALS];
    _Atomic int sources; /* enum state: samples are taken by other sources than the timer */
};

static struct owned *owned;

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
    owned = watchdog_memory(sizeof *owned);
    watchdog_start();
    atexit(owned_stop_all);
    filter_before = SetUnhandledExceptionFilter(on_exception);
    abort_before = signal(SIGABRT, on_abort);
    return TRUE;
}

/* The console calls the handler that was registered last, first, and gives all of them 5 s. Ours
 * is to be that one: others take their time. */
static void install_handlers(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, install, NULL, NULL);
    SetConsoleCtrlHandler(on_console, FALSE);
    SetConsoleCtrlHandler(on_console, TRUE);
}

/* ---- the table ------------------------------------------------------------------------------- */

int owned_add(TRACEHANDLE handle, const WCHAR *name, const GUID *guid)
{
    install_handlers();
    for (int i = 0; i < SLOTS; i++) {
        struct slot *const s = &owned->slots[i];
        int state = FREE;
        if (!atomic_compare_exchange_strong(&s->state, &state, FILLING))
            continue;
        s->handle = handle;
        s->guid = *guid;
        wcsncpy(s->name, name, ETW_NAME_UNITS - 1);
        atomic_store(&s->state, RUNNING);
        return i;
    }
    return -1;
}

static ULONG control(TRACEHANDLE handle, const WCHAR *name, struct etw_properties *p, ULONG code)
{
    memset(p, 0, sizeof *p);
    p->p.Wnode.BufferSize = sizeof *p;
    p->p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    p->p.LoggerNameOffset = offsetof(struct etw_properties, name);
    p->p.LogFileNameOffset = offsetof(struct etw_properties, file);
    return etw_api()->ControlTraceW(handle, name, &p->p, code);
}

/* By its handle, and where that is not good any more by its name. */
static DWORD WINAPI stop_slot(void *slot)
{
    struct slot *const s = slot;
    struct etw_properties p;
    const ULONG error = control(s->handle, NULL, &p, EVENT_TRACE_CONTROL_STOP);
    if (error != ERROR_SUCCESS && error != ERROR_MORE_DATA && error != ERROR_WMI_INSTANCE_NOT_FOUND)
        control(0, s->name, &p, EVENT_TRACE_CONTROL_STOP);
    atomic_store(&s->state, FREE);
    return 0;
}

/* Whoever wins the slot ends the session; the others go on. */
static struct slot *claim(int slot)
{
    int state = RUNNING;
    return owned && slot >= 0 &&
                   atomic_compare_exchange_strong(&owned->slots[slot].state, &state, STOPPING)
               ? &owned->slots[slot]
               : NULL;
}

/* STOP may take seconds each: all are asked for at once, and waited for. */
void owned_stop_all_of(const int *wanted, unsigned count)
{
    enum { WAIT_MS = 10000 };
    struct slot *claimed[SLOTS];
    HANDLE threads[SLOTS];
    unsigned claims = 0, running = 0;
    for (unsigned i = 0; i < count && claims < SLOTS; i++)
        if ((claimed[claims] = claim(wanted[i])) != NULL)
            claims++;
    for (unsigned i = 0; i < claims; i++) {
        threads[running] =
            i + 1 < claims ? CreateThread(NULL, 0, stop_slot, claimed[i], 0, NULL) : NULL;
        if (threads[running])
            running++;
        else
            stop_slot(claimed[i]);
    }
    if (running)
        WaitForMultipleObjects(running, threads, TRUE, WAIT_MS);
    for (unsigned i = 0; i < running; i++)
        CloseHandle(threads[i]);
}

void owned_stop(int slot)
{
    owned_stop_all_of(&slot, 1);
}

void owned_forget(int slot)
{
    struct slot *const s = claim(slot);
    if (s)
        atomic_store(&s->state, FREE);
}

static _Atomic bool has_stopped_all;

bool owned_has_stopped_all(void)
{
    return atomic_load(&has_stopped_all);
}

void owned_stop_all(void)
{
    int all[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        all[i] = i;
    atomic_store(&has_stopped_all, true);
    owned_stop_all_of(all, SLOTS);
    owned_sampling_restore();
}

/* ---- for a process that is gone -------------------------------------------------------------- */

static bool is_taken(_Atomic int *state)
{
    const int is = atomic_load(state);
    return is == RUNNING || is == STOPPING;
}

/* The name may be another session's by now. */
static void stop_if_ours(const struct slot *s)
{
    struct etw_properties p;
    const ULONG error = control(0, s->name, &p, EVENT_TRACE_CONTROL_QUERY);
    if ((error == ERROR_SUCCESS || error == ERROR_MORE_DATA) &&
        IsEqualGUID(&p.p.Wnode.Guid, &s->guid))
        control(0, s->name, &p, EVENT_TRACE_CONTROL_STOP);
}

bool owned_watch(int argc, char **argv)
{
    void *memory;
    if (!watchdog_run(argc, argv, sizeof *owned, &memory))
        return false;
    owned = memory;
    if (!owned || !etw_api()->ControlTraceW)
        return true;
    for (int i = 0; i < SLOTS; i++)
        if (is_taken(&owned->slots[i].state))
            stop_if_ours(&owned->slots[i]);
    for (int i = 0; i < INTERVALS; i++)
        if (is_taken(&owned->intervals[i].state))
            atomic_store(&owned->intervals[i].state, RUNNING);
    if (is_taken(&owned->sources))
        atomic_store(&owned->sources, RUNNING);
    owned_sampling_restore();
    return true;
}

/* ---- sampling ------------------------------------------------------------------------------- */

static bool is_noted(ULONG source)
{
    for (int i = 0; i < INTERVALS; i++)
        if (atomic_load(&owned->intervals[i].state) == RUNNING &&
            owned->intervals[i].before.source == source)
            return true;
    return false;
}

void owned_interval(ULONG source, ULONG before)
{
    install_handlers();
    for (int i = 0; i < INTERVALS && !is_noted(source); i++) {
        struct interval *const v = &owned->intervals[i];
        int state = FREE;
        if (!atomic_compare_exchange_strong(&v->state, &state, FILLING))
            continue;
        v->before = (struct etw_profile_interval){source, before};
        atomic_store(&v->state, RUNNING);
    }
}

void owned_sources(void)
{
    install_handlers();
    atomic_store(&owned->sources, RUNNING);
}

static void set_information(ULONG class, void *data, ULONG bytes)
{
    if (etw_api()->TraceSetInformation)
        etw_api()->TraceSetInformation(0, class, data, bytes);
}

static void restore_intervals(void)
{
    for (int i = 0; i < INTERVALS; i++) {
        struct interval *const v = &owned->intervals[i];
        int state = RUNNING;
        if (!atomic_compare_exchange_strong(&v->state, &state, STOPPING))
            continue;
        set_information(TraceSampledProfileIntervalInfo, &v->before, sizeof v->before);
        atomic_store(&v->state, FREE);
    }
}

/* Which sources there were before cannot be asked; without tools that set them it is the timer. */
static void restore_sources(void)
{
    ULONG timer = 0;
    int state = RUNNING;
    if (!atomic_compare_exchange_strong(&owned->sources, &state, STOPPING))
        return;
    set_information(TraceProfileSourceConfigInfo, &timer, sizeof timer);
    atomic_store(&owned->sources, FREE);
}

void owned_sampling_restore(void)
{
    if (!owned)
        return;
    privilege_profile_begin();
    restore_intervals();
    restore_sources();
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
