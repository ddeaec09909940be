/* A service of Windows. See src/os/service.h for the promises.
 *
 * StartServiceCtrlDispatcher keeps the thread that calls it until the service has stopped, so that
 * is a thread of its own; the main thread works. */
#include "src/os/service.h"

#include "src/base/mem.h"
#include "src/os/background.h"
#include "src/os/child_windows.h"
#include "src/os/os.h"
#include "src/os/signals_windows.h"
#include "src/os/words_windows.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    START_MS = 30000, /* until it runs, or has ended */
    STOP_MS = 30000,  /* as long as its last file takes */
    LOOK_MS = 100,
};

/* ---- the process that is one ----------------------------------------------------------------- */

/* The service manager's calls come without an argument. */
static struct {
    wchar_t *name;
    struct os_thread *thread;
    _Atomic(SERVICE_STATUS_HANDLE) handle; /* NULL: it has not called yet */
    atomic_uint state;
    atomic_bool is_refused; /* nobody waits for a service */
} own;

static void report(DWORD state, DWORD exit_code)
{
    const SERVICE_STATUS_HANDLE handle = atomic_load(&own.handle);
    const bool is_between = state == SERVICE_START_PENDING || state == SERVICE_STOP_PENDING;
    SERVICE_STATUS s = {
        .dwServiceType = SERVICE_WIN32_OWN_PROCESS,
        .dwCurrentState = state,
        .dwControlsAccepted =
            state == SERVICE_RUNNING ? SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN : 0,
        .dwWin32ExitCode = exit_code ? ERROR_SERVICE_SPECIFIC_ERROR : NO_ERROR,
        .dwServiceSpecificExitCode = exit_code,
        .dwWaitHint = is_between ? START_MS : 0,
    };
    atomic_store(&own.state, state);
    if (handle)
        SetServiceStatus(handle, &s);
}

static DWORD WINAPI on_control(DWORD control, DWORD type, void *data, void *of)
{
    (void)type, (void)data, (void)of;
    if (control == SERVICE_CONTROL_STOP || control == SERVICE_CONTROL_SHUTDOWN) {
        report(SERVICE_STOP_PENDING, 0);
        os_signal(OS_TERMINATED);
        return NO_ERROR;
    }
    return control == SERVICE_CONTROL_INTERROGATE ? NO_ERROR : ERROR_CALL_NOT_IMPLEMENTED;
}

/* On a thread of the service manager's; it may return while the service goes on. */
static void WINAPI begin(DWORD count, wchar_t **words)
{
    (void)count, (void)words;
    atomic_store(&own.handle, RegisterServiceCtrlHandlerExW(own.name, on_control, NULL));
    report(SERVICE_START_PENDING, 0);
}

static void dispatch(void *arg)
{
    (void)arg;
    const SERVICE_TABLE_ENTRYW table[] = {{own.name, begin}, {NULL, NULL}};
    if (!StartServiceCtrlDispatcherW(table))
        atomic_store(&own.is_refused, true);
}

bool service_begin(const char *name, struct err *err)
{
    own.name = os_wide(name);
    if (!own.name)
        return fail(err, "a service's name must be UTF-8");
    own.thread = os_thread_start("service", dispatch, NULL);
    for (unsigned ms = 0; ms < START_MS && !atomic_load(&own.is_refused); ms += LOOK_MS) {
        if (atomic_load(&own.handle))
            return true;
        Sleep(LOOK_MS);
    }
    return fail(err, "no service manager waits for this process: 'tracetop recorder install' makes "
                     "a service, which it starts");
}

void service_running(void)
{
    if (atomic_load(&own.state) == SERVICE_START_PENDING)
        report(SERVICE_RUNNING, 0);
}

void service_end(int status)
{
    if (!atomic_load(&own.handle))
        return;
    report(SERVICE_STOPPED, (DWORD)status);
    os_thread_join(own.thread); /* the dispatcher comes back now */
    free(own.name);
}

/* ---- from outside ---------------------------------------------------------------------------- */

/* A service manager and a service of it; NULL where there is none, or no right. */
struct opened {
    SC_HANDLE manager, service;
};

static void close_all(struct opened *o)
{
    const DWORD error = GetLastError();
    if (o->service)
        CloseServiceHandle(o->service);
    if (o->manager)
        CloseServiceHandle(o->manager);
    SetLastError(error);
}

static bool failed(const char *what, const char *name, struct err *err)
{
    char text[256];
    const DWORD error = GetLastError();
    return fail(err, "cannot %s the service '%s': %s%s", what, name,
                os_reason(error, text, sizeof text),
                error == ERROR_ACCESS_DENIED ? "; start this as an administrator" : "");
}

/* Once more after a minute; a failure is forgotten after a day. And only the rights that recording
 * takes. What the system does not know is left out. */
static void configure(SC_HANDLE service)
{
    SC_ACTION again = {SC_ACTION_RESTART, 60000};
    SERVICE_FAILURE_ACTIONSW failure = {
        .dwResetPeriod = 86400, .cActions = 1, .lpsaActions = &again};
    static wchar_t rights[] =
        L"SeSystemProfilePrivilege\0SeDebugPrivilege\0SeChangeNotifyPrivilege\0";
    SERVICE_REQUIRED_PRIVILEGES_INFOW required = {rights};
    static wchar_t words[] = L"Records events of the kernel and keeps the newest on disk.";
    SERVICE_DESCRIPTIONW description = {words};
    ChangeServiceConfig2W(service, SERVICE_CONFIG_FAILURE_ACTIONS, &failure);
    ChangeServiceConfig2W(service, SERVICE_CONFIG_REQUIRED_PRIVILEGES_INFO, &required);
    ChangeServiceConfig2W(service, SERVICE_CONFIG_DESCRIPTION, &description);
}

static wchar_t *command_of(const char *const *words)
{
    char program[4096];
    const char *argv[256] = {program};
    size_t count = 1;
    background_program(program, sizeof program);
    for (; *words && count < sizeof argv / sizeof *argv - 1; words++)
        argv[count++] = *words;
    char *const line = child_line(argv);
    wchar_t *const wide = os_wide(line);
    free(line);
    return wide;
}

/* The state in which it is after `from`, or `from` itself when it stays so too long. */
static SERVICE_STATUS wait_while(SC_HANDLE service, DWORD from, unsigned most_ms)
{
    SERVICE_STATUS s = {.dwCurrentState = 0};
    for (unsigned ms = 0;
         QueryServiceStatus(service, &s) && s.dwCurrentState == from && ms < most_ms; ms += LOOK_MS)
        Sleep(LOOK_MS);
    return s;
}

static bool start(SC_HANDLE service, const char *name, struct err *err)
{
    if (!StartServiceW(service, 0, NULL))
        return failed("start", name, err);
    const SERVICE_STATUS s = wait_while(service, SERVICE_START_PENDING, START_MS);
    return s.dwCurrentState == SERVICE_RUNNING ||
           fail(
               err,
               "the service '%s' is installed, but does not run (status %lu): its recorder.log may "
               "say why",
               name, (unsigned long)s.dwServiceSpecificExitCode);
}

bool service_install(const char *name, const char *title, const char *const *words, struct err *err)
{
    wchar_t *const wide_name = os_wide(name), *const wide_title = os_wide(title);
    wchar_t *const command = command_of(words);
    struct opened o = {.manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CREATE_SERVICE)};
    if (o.manager && wide_name && wide_title && command)
        o.service = CreateServiceW(o.manager, wide_name, wide_title, SERVICE_ALL_ACCESS,
                                   SERVICE_WIN32_OWN_PROCESS, SERVICE_AUTO_START,
                                   SERVICE_ERROR_NORMAL, command, NULL, NULL, NULL, NULL, NULL);
    bool is_done = o.service || failed("install", name, err);
    if (is_done) {
        configure(o.service);
        is_done = start(o.service, name, err);
    }
    close_all(&o);
    free(wide_name);
    free(wide_title);
    free(command);
    return is_done;
}

static bool stop(SC_HANDLE service, const char *name, struct err *err)
{
    SERVICE_STATUS s;
    if (!QueryServiceStatus(service, &s))
        return failed("query", name, err);
    if (s.dwCurrentState == SERVICE_STOPPED)
        return true;
    if (!ControlService(service, SERVICE_CONTROL_STOP, &s))
        return failed("stop", name, err);
    s = wait_while(service, SERVICE_RUNNING, STOP_MS);
    s = wait_while(service, SERVICE_STOP_PENDING, STOP_MS);
    return s.dwCurrentState == SERVICE_STOPPED ||
           fail(err, "the service '%s' does not stop; it stays installed", name);
}

bool service_remove(const char *name, struct err *err)
{
    wchar_t *const wide = os_wide(name);
    struct opened o = {.manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT)};
    if (o.manager && wide)
        o.service = OpenServiceW(o.manager, wide, SERVICE_STOP | SERVICE_QUERY_STATUS | DELETE);
    const bool is_done = o.service ? stop(o.service, name, err) &&
                                         (DeleteService(o.service) || failed("remove", name, err))
                                   : failed("open", name, err);
    close_all(&o);
    free(wide);
    return is_done;
}
