/* The endpoint of a running instance on Windows: a named pipe \\.\pipe\tracetop-<pid> that only
 * its user, administrators and the system may open. */
#include "src/os/instance_endpoint.h"

#include "src/base/mem.h"

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

static bool read_text(HANDLE pipe, HANDLE done, char line[INSTANCE_LINE], DWORD patience)
{
    OVERLAPPED o = {.hEvent = done};
    DWORD bytes;
    ResetEvent(done);
    int got = -1;
    if (ReadFile(pipe, line, INSTANCE_LINE - 1, &bytes, &o))
        got = (int)bytes;
    else if (GetLastError() == ERROR_IO_PENDING)
        got = finish(pipe, &o, NULL, patience);
    line[got < 0 ? 0 : got] = '\0';
    return got >= 0;
}

static bool write_text(HANDLE pipe, HANDLE done, const char *line)
{
    OVERLAPPED o = {.hEvent = done};
    DWORD bytes;
    const DWORD length = (DWORD)strlen(line);
    ResetEvent(done);
    return WriteFile(pipe, line, length, &bytes, &o) ||
           (GetLastError() == ERROR_IO_PENDING &&
            finish(pipe, &o, NULL, INSTANCE_PATIENCE_MS) == (int)length);
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

bool instance_endpoint_read(struct instance_endpoint *d, char line[INSTANCE_LINE])
{
    return read_text(d->pipe, d->done, line, INSTANCE_PATIENCE_MS);
}

void instance_endpoint_write(struct instance_endpoint *d, const char *line)
{
    write_text(d->pipe, d->done, line);
}

/* What was written is gone with the pipe's end: the caller, who has read it, leaves first, or
 * has had its time. */
void instance_endpoint_hang_up(struct instance_endpoint *d)
{
    char rest[INSTANCE_LINE];
    read_text(d->pipe, d->done, rest, INSTANCE_PATIENCE_MS);
    DisconnectNamedPipe(d->pipe);
}

/* ---- the caller -------------------------------------------------------------------------- */

uint32_t instance_endpoint_find(struct err *err)
{
    WIN32_FIND_DATAW entry;
    uint32_t found = 0;
    unsigned count = 0;
    const HANDLE list = FindFirstFileW(L"\\\\.\\pipe\\tracetop-*", &entry);
    if (list != INVALID_HANDLE_VALUE) {
        do {
            found = (uint32_t)wcstoul(entry.cFileName + wcslen(L"tracetop-"), NULL, 10);
            count += found != 0;
        } while (FindNextFileW(list, &entry));
        FindClose(list);
    }
    if (count == 1)
        return found;
    if (count)
        fail(err, "%u monitors are running; --instance names one by its process id", count);
    else
        fail(err, "no monitor of yours is running: start tracetop first");
    return 0;
}

static bool converse(HANDLE pipe, const char *line, int64_t timeout_ns, char answer[INSTANCE_LINE],
                     struct err *err)
{
    const HANDLE done = CreateEventW(NULL, TRUE, FALSE, NULL);
    DWORD messages = PIPE_READMODE_MESSAGE;
    SetNamedPipeHandleState(pipe, &messages, NULL, NULL);
    bool is_done = write_text(pipe, done, line);
    if (!is_done)
        fail(err, "the monitor does not listen");
    else if (!read_text(pipe, done, answer, (DWORD)(timeout_ns / NS_PER_MS)))
        is_done = fail(err, "the monitor did not answer");
    CloseHandle(done);
    return is_done;
}

bool instance_endpoint_ask(uint32_t pid, const char *line, int64_t timeout_ns,
                           char answer[INSTANCE_LINE], struct err *err)
{
    wchar_t name[NAME];
    name_of(pid, name);
    WaitNamedPipeW(name, INSTANCE_PATIENCE_MS);
    const HANDLE pipe =
        CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                    FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, NULL);
    if (pipe == INVALID_HANDLE_VALUE)
        return fail(err, "cannot call the monitor %u: error %lu", (unsigned)pid, GetLastError());
    /* Whoever has made a pipe of this name must be the monitor that was meant: what is written
     * into it is none of others' business. */
    ULONG server = pid;
    GetNamedPipeServerProcessId(pipe, &server);
    const bool is_done =
        server == pid
            ? converse(pipe, line, timeout_ns, answer, err)
            : fail(err, "the pipe of the monitor %u belongs to another user", (unsigned)pid);
    CloseHandle(pipe);
    return is_done;
}
