#include "collectors/windows/selftest.h"

#include "collectors/windows/etw_session.h"
#include "collectors/windows/privilege.h"
#include "collectors/windows/sampling.h"

#include <stdio.h>
#include <string.h>

static void put(const struct check_taker *t, const struct check *c)
{
    t->put(t->to, c);
}

/* ---- baseline -------------------------------------------------------------------------------- */

/* Not what the manifest makes GetVersionEx() say. */
static void put_version(const struct selftest_probe *p, const struct check_taker *t)
{
    typedef LONG(WINAPI * get_version)(OSVERSIONINFOEXW *);
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    void (*const found)(void) =
        ntdll ? (void (*)(void))GetProcAddress(ntdll, "RtlGetVersion") : NULL;
    OSVERSIONINFOEXW v = {.dwOSVersionInfoSize = sizeof v};
    if (!found || ((get_version)found)(&v) != 0)
        return;
    struct check c = check_new(p->name, CHECK_MEASURED, "Windows");
    check_because(&c, "%s", v.wProductType == VER_NT_WORKSTATION ? "workstation" : "server");
    check_figure(&c, "major", "", v.dwMajorVersion);
    check_figure(&c, "minor", "", v.dwMinorVersion);
    check_figure(&c, "build", "", v.dwBuildNumber);
    put(t, &c);
}

static void put_clock(const struct selftest_probe *p, const struct check_taker *t)
{
    LARGE_INTEGER frequency;
    DWORD adjustment = 0, increment = 0;
    BOOL is_off = FALSE;
    struct check c = check_new(p->name, CHECK_MEASURED, "clock");
    QueryPerformanceFrequency(&frequency);
    GetSystemTimeAdjustment(&adjustment, &increment, &is_off);
    check_figure(&c, "performance_counter", "Hz", frequency.QuadPart);
    check_figure(&c, "timer_increment", "100 ns", increment);
    check_figure(&c, "sampling_interval", "100 ns", sampling_interval(SAMPLING_TIMER));
    put(t, &c);
}

static void put_console(const struct selftest_probe *p, const struct check_taker *t)
{
    DWORD in = 0, out = 0;
    struct check c = check_new(p->name, CHECK_MEASURED, "console");
    if (!GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &in) ||
        !GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &out))
        check_because(&c, "input or output is no console");
    check_figure(&c, "input_mode", "", in);
    check_figure(&c, "output_mode", "", out);
    check_figure(&c, "input_code_page", "", GetConsoleCP());
    check_figure(&c, "output_code_page", "", GetConsoleOutputCP());
    check_figure(&c, "ansi_code_page", "", GetACP());
    put(t, &c);
}

static void put_sessions(const struct selftest_probe *p, const struct check_taker *t)
{
    struct session_list l;
    struct err err = {""};
    unsigned kernel = 0;
    ULONG most = 0, bytes;
    struct check c = check_new(p->name, CHECK_MEASURED, "sessions");
    if (!session_list_read(&l, &err)) {
        c.state = CHECK_FAILED;
        check_because(&c, "%.300s", err.text);
    }
    for (unsigned i = 0; i < l.count; i++)
        kernel += (l.all[i].p.LogFileMode & EVENT_TRACE_SYSTEM_LOGGER_MODE) != 0;
    if (etw_api()->TraceQueryInformation)
        etw_api()->TraceQueryInformation(0, ETW_MAX_LOGGERS_QUERY, &most, sizeof most, &bytes);
    check_figure(&c, "running", "", l.count);
    check_figure(&c, "of_the_kernel", "", kernel);
    check_figure(&c, "most", "", most);
    session_list_free(&l);
    put(t, &c);
}

static void selftest_machine(const struct selftest_probe *p, const struct check_taker *t)
{
    put_version(p, t);
    put_clock(p, t);
    put_console(p, t);
    put_sessions(p, t);
}

/* ---- rights ---------------------------------------------------------------------------------- */

static void ignore(void *to, const struct event *e, const EVENT_RECORD *r)
{
    (void)to, (void)e, (void)r;
}

/* ProcessTrace refuses a session that was stopped before it began to read. */
static const int64_t READ_NS = 200 * 1000000;

static void try_session(const struct selftest_probe *p, const struct check_taker *taker,
                        const char *name, bool is_kernel)
{
    const struct trial_request request = {.is_kernel = is_kernel,
                                          .flags = is_kernel ? EVENT_TRACE_FLAG_PROCESS : 0};
    struct etw_trial *const t = trial_start(p, taker, &request, name, ignore, NULL);
    if (!t)
        return;
    os_sleep(READ_NS);
    if (trial_stop(t))
        trial_free(t);
}

static void selftest_rights(const struct selftest_probe *p, const struct check_taker *t)
{
    static const char *const situations[] = {
        [SITUATION_ELEVATED] = "elevated",
        [SITUATION_LOG_USER] = "member of Performance Log Users, not elevated",
        [SITUATION_NOBODY] = "neither elevated nor a member of Performance Log Users"};
    struct check c = check_new(p->name, CHECK_MEASURED, "process");
    check_because(&c, "%s", situations[privilege_situation()]);
    const bool may_profile = privilege_switch(L"SeSystemProfilePrivilege", true);
    if (may_profile)
        privilege_switch(L"SeSystemProfilePrivilege", false);
    check_figure(&c, "may_profile", "", may_profile);
    check_figure(&c, "may_elevate", "", privilege_can_elevate());
    put(t, &c);
    try_session(p, t, "kernel session", true);
    try_session(p, t, "provider session", false);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct selftest_probe selftest_probes[] = {
    {"machine", "nothing", selftest_machine},
    {"rights", "nothing: refusals are its result", selftest_rights},
    {"clock", "Performance Log Users", selftest_clock},
    {"load", "Performance Log Users", selftest_load},
    {"rundown", "an administrator", selftest_rundown},
    {"matrix", "an administrator", selftest_matrix},
    {"cassette", "an administrator", selftest_cassette},
    {.name = NULL},
};
