/* The endpoint of a running instance on Windows: a named pipe \\.\pipe\tracetop-<pid> that only
 * its user, administrators and the system may open. */
#include "src/os/instance_endpoint.h"

#include "src/base/mem.h"
#include "src/os/words_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <sddl.h>

enum { NAME = 64, NS_PER_MS = 1000000 };

static const wchar_t prefix[] = L"\\\\.\\pipe\\tracetop-";

struct instance_endpoint {
    HANDLE pipe, wake, done; /* wake: the thread's; done: of one transfer */
};

static void name_of(uint32_t pid, wchar_t *out)
{
    _snwprintf(out, NAME, L"%ls%u", prefix, (unsigned)pid);
}

/* Waits for an overlapped call that was begun; the bytes it moved, or -1 when it failed, took
 * too long or the end came first. */
static int finish(HANDLE pipe, OVERLAPPED *o, HANDLE stop, DWORD patience)
{
    const HANDLE either[2] = {o->hEvent, stop};
    DWORD bytes;
    if (WaitForMultipleObjects(stop ? 2 : 1, either, FALSE, patience) != WAIT_OBJECT_0) {
        CancelIo(pipe);
        GetOverlappedResult(pipe, o, &bytes, TRUE);
        return -1;
    }
    return GetOverlappedResult(pipe, o, &bytes, FALSE) ? (int)bytes : -1;
}

/* One message: its bytes, or -1. */
static int read_message(struct instance_endpoint *d, char *to, size_t room, int64_t ns)
{
    OVERLAPPED o = {.hEvent = d->done};
    DWORD bytes;
    ResetEvent(d->done);
    if (ReadFile(d->pipe, to, (DWORD)room, &bytes, &o))
        return (int)bytes;
    return GetLastError() == ERROR_IO_PENDING ? finish(d->pipe, &o, NULL, (DWORD)(ns / NS_PER_MS))
                                              : -1;
}

bool instance_endpoint_read(struct instance_endpoint *d, char line[INSTANCE_LINE], int64_t ns)
{
    const int got = read_message(d, line, INSTANCE_LINE - 1, ns);
    line[got < 0 ? 0 : got] = '\0';
    return got >= 0;
}

bool instance_endpoint_read_bytes(struct instance_endpoint *d, char *to, size_t bytes, int64_t ns)
{
    const int64_t deadline = os_now() + ns;
    for (size_t used = 0; used < bytes;) {
        const int64_t left = deadline - os_now();
        const int got = left > 0 ? read_message(d, to + used, bytes - used, left) : -1;
        if (got <= 0)
            return false;
        used += (size_t)got;
    }
    return true;
}

static bool write_message(struct instance_endpoint *d, const char *from, size_t length)
{
    OVERLAPPED o = {.hEvent = d->done};
    DWORD bytes;
    ResetEvent(d->done);
    return WriteFile(d->pipe, from, (DWORD)length, &bytes, &o) ||
           (GetLastError() == ERROR_IO_PENDING &&
            finish(d->pipe, &o, NULL, INSTANCE_PATIENCE_MS) == (int)length);
}

bool instance_endpoint_write(struct instance_endpoint *d, const char *line)
{
    return write_message(d, line, strlen(line));
}

/* As messages that fit the pipe. */
bool instance_endpoint_write_bytes(struct instance_endpoint *d, const char *from, size_t bytes)
{
    for (size_t used = 0; used < bytes;) {
        const size_t part = bytes - used < INSTANCE_LINE ? bytes - used : INSTANCE_LINE;
        if (!write_message(d, from + used, part))
            return false;
        used += part;
    }
    return true;
}

/* ---- the monitor's side -------------------------------------------------------------- */

static bool make_pipe(struct instance_endpoint *d, struct err *err)
{
    /* Protected: the owner, administrators and the system, and nobody through inheritance. */
    static const wchar_t access[] = L"D:P(A;;GA;;;OW)(A;;GA;;;BA)(A;;GA;;;SY)";
    enum { CALLERS = 1 };
    SECURITY_ATTRIBUTES security = {.nLength = sizeof security};
    wchar_t name[NAME];
    name_of(GetCurrentProcessId(), name);
    if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(access, SDDL_REVISION_1,
                                                              &security.lpSecurityDescriptor, NULL))
        return fail(err, "no access list for the pipe: error %lu", GetLastError());
    d->pipe = CreateNamedPipeW(
        name, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
        PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, CALLERS,
        INSTANCE_LINE, INSTANCE_LINE, 0, &security);
    LocalFree(security.lpSecurityDescriptor);
    return d->pipe != INVALID_HANDLE_VALUE ||
           fail(err, "cannot make the pipe of this monitor: error %lu", GetLastError());
}

struct instance_endpoint *instance_endpoint_open(struct err *err)
{
    struct instance_endpoint *const d = mem_new(1, sizeof *d);
    if (!make_pipe(d, err)) {
        free(d);
        return NULL;
    }
    d->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    d->done = CreateEventW(NULL, TRUE, FALSE, NULL);
    return d;
}

/* The name lives as long as the pipe: whoever comes still gets an answer. */
void instance_endpoint_hide(struct instance_endpoint *d)
{
    (void)d;
}

void instance_endpoint_close(struct instance_endpoint *d)
{
    CloseHandle(d->pipe);
    CloseHandle(d->wake);
    CloseHandle(d->done);
    free(d);
}

void instance_endpoint_wake(struct instance_endpoint *d)
{
    SetEvent(d->wake);
}

void instance_endpoint_wait_wake(struct instance_endpoint *d)
{
    WaitForSingleObject(d->wake, INFINITE);
}

bool instance_endpoint_wait(struct instance_endpoint *d)
{
    OVERLAPPED o = {.hEvent = d->done};
    ResetEvent(d->done);
    bool is_there = ConnectNamedPipe(d->pipe, &o) || GetLastError() == ERROR_PIPE_CONNECTED;
    if (!is_there && GetLastError() == ERROR_IO_PENDING)
        is_there = finish(d->pipe, &o, d->wake, INFINITE) >= 0;
    if (!is_there)
        DisconnectNamedPipe(d->pipe); /* one that came and went: the next can come */
    return is_there;
}

/* The pipe's access list has answered that: it lets in the owner, administrators and the system,
 * from this machine, and nobody else. */
bool instance_endpoint_may_call(const struct instance_endpoint *d)
{
    return d != NULL;
}

bool instance_endpoint_has_left(const struct instance_endpoint *d)
{
    DWORD bytes;
    return !PeekNamedPipe(d->pipe, NULL, 0, NULL, &bytes, NULL);
}

/* What was written is gone with the pipe's end: the caller, who has read it, leaves first, or
 * has had its time. */
void instance_endpoint_hang_up(struct instance_endpoint *d)
{
    char rest[INSTANCE_LINE];
    instance_endpoint_read(d, rest, INSTANCE_PATIENCE_NS);
    DisconnectNamedPipe(d->pipe);
}

/* ---- the caller -------------------------------------------------------------------------- */

unsigned instance_endpoint_list(uint32_t pids[INSTANCES], struct err *err)
{
    WIN32_FIND_DATAW entry;
    unsigned count = 0;
    const HANDLE list = FindFirstFileW(L"\\\\.\\pipe\\tracetop-*", &entry);
    if (list != INVALID_HANDLE_VALUE) {
        do {
            const uint32_t pid =
                (uint32_t)wcstoul(entry.cFileName + wcslen(L"tracetop-"), NULL, 10);
            if (pid)
                pids[count++] = pid;
        } while (count < INSTANCES && FindNextFileW(list, &entry));
        FindClose(list);
    }
    if (!count)
        fail(err, "%s", INSTANCE_NONE);
    return count;
}

/* Of those that can be seen, one that may not be opened is elevated, or somebody else's. */
static bool refuse_dial(uint32_t pid, DWORD error, struct err *err)
{
    char text[256];
    if (error == ERROR_ACCESS_DENIED)
        return fail(err,
                    "the monitor %u runs with more rights, or as another user; run this "
                    "as administrator, too",
                    (unsigned)pid);
    return fail(err, "cannot connect to the monitor %u: %s", (unsigned)pid,
                os_reason(error, text, sizeof text));
}

struct instance_endpoint *instance_endpoint_dial(uint32_t pid, struct err *err)
{
    wchar_t name[NAME];
    name_of(pid, name);
    WaitNamedPipeW(name, INSTANCE_PATIENCE_MS);
    const HANDLE pipe =
        CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                    FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, NULL);
    if (pipe == INVALID_HANDLE_VALUE)
        return refuse_dial(pid, GetLastError(), err), NULL;
    /* Whoever has made a pipe of this name must be the monitor that was meant: what is written
     * into it is none of others' business. */
    ULONG server = pid;
    DWORD messages = PIPE_READMODE_MESSAGE;
    GetNamedPipeServerProcessId(pipe, &server);
    if (server != pid) {
        CloseHandle(pipe);
        return fail(err, "the pipe of the monitor %u belongs to another user", (unsigned)pid), NULL;
    }
    SetNamedPipeHandleState(pipe, &messages, NULL, NULL);
    struct instance_endpoint *const d = mem_new(1, sizeof *d);
    d->pipe = pipe;
    d->done = CreateEventW(NULL, TRUE, FALSE, NULL);
    return d;
}

void instance_endpoint_leave(struct instance_endpoint *d)
{
    CloseHandle(d->pipe);
    CloseHandle(d->done);
    free(d);
}
