/* The door to a running instance on Windows: a named pipe \\.\pipe\tracetop-<pid> that only
 * its user, administrators and the system may open. See src/instance.h. */
#include "src/instance.h"

#include "src/mem.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <sddl.h>

enum { LINE = INSTANCE_TEXT + 32, PATIENCE_MS = 2000, NAME = 64, NS_PER_MS = 1000000 };
enum state { EMPTY, ASKED, TAKEN, ANSWERED }; /* see instance_linux.c */

static const wchar_t prefix[] = L"\\\\.\\pipe\\tracetop-";

struct instance {
    struct os_bell *bell;
    struct os_thread *thread;
    HANDLE pipe, wake, done; /* wake: an answer is there, or the end; done: of one transfer */
    _Atomic int state;
    _Atomic bool stop;
    struct instance_call call;
    bool is_done;
    char sentence[LINE];
};

static void name_of(uint32_t pid, wchar_t *out)
{
    _snwprintf(out, NAME, L"%ls%u", prefix, (unsigned)pid);
}

static bool is_stopping(struct instance *i)
{
    return atomic_load_explicit(&i->stop, memory_order_acquire);
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

static int read_text(HANDLE pipe, HANDLE done, char *to, DWORD room, HANDLE stop, DWORD patience)
{
    OVERLAPPED o = {.hEvent = done};
    DWORD bytes;
    if (ReadFile(pipe, to, room - 1, &bytes, &o)) {
        to[bytes] = '\0';
        return (int)bytes;
    }
    const int got = GetLastError() == ERROR_IO_PENDING ? finish(pipe, &o, stop, patience) : -1;
    if (got >= 0)
        to[got] = '\0';
    return got;
}

static bool write_text(HANDLE pipe, HANDLE done, const char *word, const char *text)
{
    char line[LINE];
    snprintf(line, sizeof line, "%s %s", word, text);
    OVERLAPPED o = {.hEvent = done};
    DWORD bytes;
    const DWORD length = (DWORD)strlen(line);
    return WriteFile(pipe, line, length, &bytes, &o) ||
           (GetLastError() == ERROR_IO_PENDING &&
            finish(pipe, &o, NULL, PATIENCE_MS) == (int)length);
}

static bool split_call(char *line, struct instance_call *call)
{
    char *const blank = strchr(line, ' ');
    const char *text = "";
    if (blank) {
        *blank = '\0';
        text = blank + 1;
    }
    if (!line[0] || strlen(line) >= sizeof call->verb || strlen(text) >= sizeof call->text)
        return false;
    strcpy(call->verb, line);
    strcpy(call->text, text);
    return true;
}

static void serve(struct instance *i)
{
    char line[LINE];
    if (read_text(i->pipe, i->done, line, sizeof line, i->wake, PATIENCE_MS) < 0 ||
        !split_call(line, &i->call)) {
        write_text(i->pipe, i->done, "no", "expected one line: a verb, a blank and a text");
        return;
    }
    ResetEvent(i->wake);
    atomic_store_explicit(&i->state, ASKED, memory_order_release);
    os_bell_ring(i->bell);
    while (atomic_load_explicit(&i->state, memory_order_acquire) != ANSWERED && !is_stopping(i))
        WaitForSingleObject(i->wake, PATIENCE_MS);
    if (is_stopping(i))
        write_text(i->pipe, i->done, "no", "the monitor has ended");
    else
        write_text(i->pipe, i->done, i->is_done ? "ok" : "no", i->sentence);
    atomic_store_explicit(&i->state, EMPTY, memory_order_release);
}

static void run(void *arg)
{
    struct instance *const i = arg;
    while (!is_stopping(i)) {
        OVERLAPPED o = {.hEvent = i->done};
        ResetEvent(i->done);
        bool is_there = ConnectNamedPipe(i->pipe, &o) || GetLastError() == ERROR_PIPE_CONNECTED;
        if (!is_there && GetLastError() == ERROR_IO_PENDING)
            is_there = finish(i->pipe, &o, i->wake, INFINITE) >= 0;
        if (is_there && !is_stopping(i)) {
            serve(i);
            FlushFileBuffers(i->pipe);
        }
        DisconnectNamedPipe(i->pipe);
    }
}

static bool make_pipe(struct instance *i, struct err *err)
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
    i->pipe = CreateNamedPipeW(
        name, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
        PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, CALLERS,
        LINE, LINE, 0, &security);
    LocalFree(security.lpSecurityDescriptor);
    return i->pipe != INVALID_HANDLE_VALUE ||
           fail(err, "cannot make the pipe of this monitor: error %lu", GetLastError());
}

struct instance *instance_open(struct os_bell *bell, struct err *err)
{
    struct instance *const i = mem_new(1, sizeof *i);
    if (!make_pipe(i, err)) {
        free(i);
        return NULL;
    }
    i->bell = bell;
    i->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
    i->done = CreateEventW(NULL, TRUE, FALSE, NULL);
    i->thread = os_thread_start("instance", run, i);
    return i;
}

void instance_close(struct instance *i)
{
    if (!i)
        return;
    atomic_store_explicit(&i->stop, true, memory_order_release);
    SetEvent(i->wake);
    os_thread_join(i->thread);
    CloseHandle(i->pipe);
    CloseHandle(i->wake);
    CloseHandle(i->done);
    free(i);
}

bool instance_take(struct instance *i, struct instance_call *call)
{
    if (!i || atomic_load_explicit(&i->state, memory_order_acquire) != ASKED)
        return false;
    *call = i->call;
    atomic_store_explicit(&i->state, TAKEN, memory_order_release);
    return true;
}

void instance_answer(struct instance *i, bool is_done, const char *sentence)
{
    i->is_done = is_done;
    snprintf(i->sentence, sizeof i->sentence, "%s", sentence);
    atomic_store_explicit(&i->state, ANSWERED, memory_order_release);
    SetEvent(i->wake);
}

static uint32_t find_only(struct err *err)
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

static bool converse(HANDLE pipe, HANDLE done, const char *verb, const char *text,
                     int64_t timeout_ns, char *answer, size_t room, struct err *err)
{
    char line[LINE];
    DWORD messages = PIPE_READMODE_MESSAGE;
    SetNamedPipeHandleState(pipe, &messages, NULL, NULL);
    if (!write_text(pipe, done, verb, text))
        return fail(err, "the monitor does not listen");
    ResetEvent(done);
    if (read_text(pipe, done, line, sizeof line, NULL, (DWORD)(timeout_ns / NS_PER_MS)) < 0)
        return fail(err, "the monitor gave no answer");
    if (strncmp(line, "ok ", 3) != 0)
        return fail(err, "%.900s", strncmp(line, "no ", 3) == 0 ? line + 3 : line);
    snprintf(answer, room, "%s", line + 3);
    return true;
}

bool instance_ask(uint32_t pid, const char *verb, const char *text, int64_t timeout_ns,
                  char *answer, size_t room, struct err *err)
{
    wchar_t name[NAME];
    if (strlen(text) >= INSTANCE_TEXT)
        return fail(err, "the text must be one line of at most %d bytes", INSTANCE_TEXT - 1);
    if (!pid)
        pid = find_only(err);
    if (!pid)
        return false;
    name_of(pid, name);
    WaitNamedPipeW(name, PATIENCE_MS);
    const HANDLE pipe =
        CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                    FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, NULL);
    if (pipe == INVALID_HANDLE_VALUE)
        return fail(err, "cannot call the monitor %u: error %lu", (unsigned)pid, GetLastError());
    const HANDLE done = CreateEventW(NULL, TRUE, FALSE, NULL);
    const bool is_done = converse(pipe, done, verb, text, timeout_ns, answer, room, err);
    CloseHandle(done);
    CloseHandle(pipe);
    return is_done;
}
