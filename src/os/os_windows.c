/* The platform calls on Windows 10 and later. See src/os/os.h for the promises. */
#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/os/pty_windows.h"
#include "src/os/signals_windows.h"
#include "src/os/words_windows.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <psapi.h>

#include <io.h>

#define NS 1000000000LL

static void give_up(const char *what)
{
    char text[256];
    fprintf(stderr, "tracetop: cannot %s: %s\n", what, os_reason(GetLastError(), text, sizeof text));
    exit(1);
}

/* ---- time and machine ------------------------------------------------------- */

static int64_t ticks_of(const FILETIME *t)
{
    return (int64_t)((uint64_t)t->dwHighDateTime << 32 | t->dwLowDateTime);
}

int64_t os_now(void)
{
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    /* Whole seconds apart, or the product leaves 64 bits after some minutes. */
    const int64_t seconds = count.QuadPart / frequency.QuadPart;
    const int64_t rest = count.QuadPart % frequency.QuadPart;
    return seconds * NS + rest * NS / frequency.QuadPart;
}

uint32_t os_process_id(void)
{
    return GetCurrentProcessId();
}

int64_t os_wall_now(void)
{
    enum { NS_PER_TICK = 100 };
    const int64_t unix_epoch = 116444736000000000; /* 1970 in ticks since 1601 */
    FILETIME t;
    GetSystemTimePreciseAsFileTime(&t);
    return (ticks_of(&t) - unix_epoch) * NS_PER_TICK;
}

int os_zone_bias(void)
{
    TIME_ZONE_INFORMATION z;
    switch (GetTimeZoneInformation(&z)) {
    case TIME_ZONE_ID_INVALID:
        return 0;
    case TIME_ZONE_ID_DAYLIGHT:
        return (int)(z.Bias + z.DaylightBias);
    case TIME_ZONE_ID_STANDARD:
        return (int)(z.Bias + z.StandardBias);
    default:
        return (int)z.Bias;
    }
}

int64_t os_cpu_time(void)
{
    FILETIME created, ended, kernel, user;
    if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user))
        return 0;
    return (ticks_of(&kernel) + ticks_of(&user)) * 100;
}

/* Milliseconds, rounded up so that nobody wakes early. */
static DWORD milliseconds(int64_t ns)
{
    const int64_t most = INFINITE - 1, ms = ns <= 0 ? 0 : (ns - 1) / 1000000 + 1;
    return (DWORD)(ms < most ? ms : most);
}

void os_sleep(int64_t ns)
{
    Sleep(milliseconds(ns));
}

uint64_t os_memory(void)
{
    return os_memory_installed();
}

uint64_t os_memory_installed(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

uint64_t os_memory_resident(void)
{
    PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof counters};
    return K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters)
               ? counters.WorkingSetSize
               : 0;
}

void os_machine_name(char *out, size_t room)
{
    wchar_t wide[256];
    DWORD length = sizeof wide / sizeof *wide;
    if (!GetComputerNameExW(ComputerNameDnsHostname, wide, &length) || !length ||
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)room, NULL, NULL) <= 0)
        snprintf(out, room, "machine");
}

unsigned os_processors(void)
{
    const DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count ? count : 1;
}

/* Large pages need a privilege that few have; the usual ones do. */
void *os_pages(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void os_heap_tidy(void)
{
    /* This system's heap does so by itself. */
}

void os_heap_trim(void) {} /* it does so by itself */

void os_pages_free(void *pages, size_t bytes)
{
    (void)bytes;
    if (pages)
        VirtualFree(pages, 0, MEM_RELEASE);
}

/* ---- threads ---------------------------------------------------------------- */

struct os_thread {
    HANDLE handle;
    void (*run)(void *);
    void *arg;
};

static DWORD WINAPI thread_main(void *arg)
{
    struct os_thread *t = arg;
    t->run(t->arg);
    return 0;
}

/* Names for debuggers exist since Windows 10 1607, so the call is looked up. */
static void name_thread(HANDLE thread, const char *name)
{
    HRESULT(WINAPI * describe)(HANDLE, PCWSTR) = NULL;
    const FARPROC found = GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "SetThreadDescription");
    wchar_t *wide = os_wide(name);
    memcpy(&describe, &found, sizeof describe); /* no cast between kinds of functions */
    if (describe && wide)
        describe(thread, wide);
    free(wide);
}

struct os_thread *os_thread_start(const char *name, void (*run)(void *), void *arg)
{
    struct os_thread *t = mem_new(1, sizeof *t);
    t->run = run;
    t->arg = arg;
    t->handle = CreateThread(NULL, 0, thread_main, t, 0, NULL);
    if (!t->handle)
        give_up("start a thread");
    name_thread(t->handle, name);
    return t;
}

/* Windows shares processors among threads, not sessions: a monitor's have their part. */
bool os_thread_boost(bool is_boosted)
{
    return !is_boosted;
}

bool os_thread_boost_other(struct os_thread *t)
{
    (void)t;
    return false;
}

bool os_may_boost(void)
{
    return false;
}

void os_permit_boost(void)
{
}

int64_t os_thread_cpu_time(void)
{
    FILETIME born, died, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &born, &died, &kernel, &user))
        return 0;
    return (((int64_t)kernel.dwHighDateTime + user.dwHighDateTime) * ((int64_t)1 << 32) +
            kernel.dwLowDateTime + user.dwLowDateTime) *
           100;
}

void os_thread_give_way(void)
{
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

bool os_thread_join_within(struct os_thread *t, int64_t ns)
{
    if (WaitForSingleObject(t->handle, (DWORD)(ns / 1000000)) != WAIT_OBJECT_0)
        return false;
    CloseHandle(t->handle);
    free(t);
    return true;
}

void os_thread_join(struct os_thread *t)
{
    WaitForSingleObject(t->handle, INFINITE);
    CloseHandle(t->handle);
    free(t);
}

/* ---- wakeups ---------------------------------------------------------------- */

struct os_wakeup {
    HANDLE event; /* resets itself when a wait has taken it */
};

struct os_wakeup *os_wakeup_new(void)
{
    struct os_wakeup *b = mem_new(1, sizeof *b);
    b->event = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (!b->event)
        give_up("create an event");
    return b;
}

void os_wakeup_signal(struct os_wakeup *b)
{
    SetEvent(b->event);
}

bool os_wakeup_wait(struct os_wakeup *b, int64_t timeout_ns)
{
    const DWORD wait = timeout_ns < 0 ? INFINITE : milliseconds(timeout_ns);
    return WaitForSingleObject(b->event, wait) == WAIT_OBJECT_0;
}

int os_wakeup_descriptor(struct os_wakeup *b)
{
    (void)b;
    return -1; /* events are no descriptors here */
}

/* ---- terminal and signals ---------------------------------------------------- */

static HANDLE handle_of(int descriptor)
{
    return (HANDLE)_get_osfhandle(descriptor);
}

bool os_is_terminal(int descriptor)
{
    DWORD mode;
    return GetConsoleMode(handle_of(descriptor), &mode) || pty_is(handle_of(descriptor));
}

bool os_terminal_size(int descriptor, int *columns, int *rows)
{
    CONSOLE_SCREEN_BUFFER_INFO info; /* the window, not the buffer behind it */
    if (!GetConsoleScreenBufferInfo(handle_of(descriptor), &info))
        return false;
    *columns = info.srWindow.Right - info.srWindow.Left + 1;
    *rows = info.srWindow.Bottom - info.srWindow.Top + 1;
    return true;
}

/* The console's handler gets no argument, so this is the one state outside a struct:
 * the requests seen, and the event to set (NULL = nobody waits). */
static atomic_uint signals_seen;
static _Atomic(HANDLE) signals_wake;

void os_signal(unsigned signals)
{
    atomic_fetch_or(&signals_seen, signals);
    const HANDLE event = atomic_load(&signals_wake);
    if (event)
        SetEvent(event);
}

static BOOL WINAPI on_console(DWORD kind)
{
    os_signal(kind == CTRL_C_EVENT ? OS_INTERRUPTED : OS_TERMINATED);
    /* The system ends the program when this returns from a closing window, a log-off
     * or a shutdown: the main thread gets its time to put everything in order. */
    if (kind != CTRL_C_EVENT && kind != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return TRUE;
}

/* There is no signal for a changed size here; it comes with the console's input. */
void os_signals_install(struct os_wakeup *b)
{
    atomic_store(&signals_wake, b->event);
    SetConsoleCtrlHandler(on_console, TRUE);
}

unsigned os_signals_take(void)
{
    return atomic_exchange(&signals_seen, 0);
}

void os_wakeup_free(struct os_wakeup *b)
{
    if (!b)
        return;
    HANDLE mine = b->event;
    atomic_compare_exchange_strong(&signals_wake, &mine, NULL);
    CloseHandle(b->event);
    free(b);
}
