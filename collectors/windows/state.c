/* What exists when we begin: the kernel lists it, too, when its session starts, but not in another
 * program's session, and not for every way of switching classes on. So processes and threads are
 * always reported, as the DCStart records of a current Windows; images, which are many, only where
 * the kernel's own list does not come. Connections have their process in every event, but not their
 * age: open ones are reported, too. */
#include "collectors/windows/state.h"

#include "collectors/windows/privilege.h"

#include "src/base/mem.h"
#include "src/base/text.h"

#include <stdlib.h>

#include <psapi.h>
#include <tlhelp32.h>

enum {
    HOOK_PROCESS_DCSTART = 0x0303,
    HOOK_THREAD_DCSTART = 0x0503,
    STATUS_PENDING_EXIT = 0x103, /* while it runs */
    SID_BYTES_MOST = 68,
    COMMAND_UNITS = 32768,
    NAMES_MS = 200, /* between two looks at what is wanted */
};

/* ---- processes ---------------------------------------------------------------------------- */

/* TOKEN_USER as the kernel logs it: a pointer, attributes, the SID. Four zero bytes: none. */
static void put_user(struct payload_writer *p, HANDLE process)
{
    union {
        TOKEN_USER user;
        BYTE room[sizeof(TOKEN_USER) + SID_BYTES_MOST];
    } u;
    HANDLE token = NULL;
    DWORD bytes;
    if (process && OpenProcessToken(process, TOKEN_QUERY, &token) &&
        GetTokenInformation(token, TokenUser, &u, sizeof u, &bytes)) {
        put_u64(p, 1);
        put_u64(p, 0);
        put_bytes(p, u.user.User.Sid, GetLengthSid(u.user.User.Sid));
    } else {
        put_u32(p, 0);
    }
    if (token)
        CloseHandle(token);
}

/* UNICODE_STRING and the text behind it, by a call that Windows 8.1 and later have. */
static void put_command(struct payload_writer *p, HANDLE process, const struct state *s)
{
    enum { PROCESS_COMMAND_LINE = 60 };
    struct {
        USHORT bytes, room;
        WCHAR *text;
    } *const line = s->command;
    ULONG got;
    const ULONG room = sizeof *line + COMMAND_UNITS * sizeof(WCHAR);
    if (process && s->query && s->query(process, PROCESS_COMMAND_LINE, line, room, &got) == 0 &&
        line->text && (char *)line->text + line->bytes <= (char *)line + room)
        put_bytes(p, line->text, line->bytes & ~1u);
    put_u16(p, 0);
}

static void put_name(struct payload_writer *p, const WCHAR *name)
{
    char text[3 * MAX_PATH + 1];
    utf8_of(name, text, sizeof text);
    put_text(p, text, strlen(text));
}

const WCHAR *state_process_name(uint32_t pid, const WCHAR *listed)
{
    return pid == 0 ? L"Idle" : listed;
}

static bool report_process(struct state *s, const PROCESSENTRY32W *e)
{
    DWORD session = 0xffffffff;
    ProcessIdToSessionId(e->th32ProcessID, &session);
    const HANDLE process =
        e->th32ProcessID ? OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, e->th32ProcessID)
                         : NULL;
    struct payload_writer *const p = writer_begin(&s->writer, HOOK_PROCESS_DCSTART, 4);
    put_u64(p, 0); /* address of the kernel's object */
    put_u32(p, e->th32ProcessID);
    put_u32(p, e->th32ParentProcessID);
    put_u32(p, session);
    put_u32(p, STATUS_PENDING_EXIT);
    put_u64(p, 0); /* page tables */
    put_u32(p, 0); /* flags */
    put_user(p, process);
    put_name(p, state_process_name(e->th32ProcessID, e->szExeFile));
    put_command(p, process, s);
    put_u16(p, 0); /* package */
    put_u16(p, 0); /* application */
    if (process)
        CloseHandle(process);
    return writer_end(&s->writer);
}

static bool report_thread(struct state *s, const THREADENTRY32 *e)
{
    struct payload_writer *const p = writer_begin(&s->writer, HOOK_THREAD_DCSTART, 3);
    put_u32(p, e->th32OwnerProcessID);
    put_u32(p, e->th32ThreadID);
    put_zeros(p, 56); /* stacks, affinity, entry, environment */
    put_u32(p, 0);    /* service tag */
    put_u8(p, (unsigned)e->tpBasePri);
    put_zeros(p, 3); /* priorities of pages and I/O, flags */
    put_u16(p, 0);   /* name */
    return writer_end(&s->writer);
}

static void report_tasks(struct state *s)
{
    PROCESSENTRY32W process = {.dwSize = sizeof process};
    THREADENTRY32 thread = {.dwSize = sizeof thread};
    const HANDLE list = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS | TH32CS_SNAPTHREAD, 0);
    if (list == INVALID_HANDLE_VALUE) {
        message_write(&s->live->messages, "processes cannot be listed: running processes stay "
                                          "unnamed until the kernel names them");
        return;
    }
    for (BOOL is_one = Process32FirstW(list, &process); is_one && report_process(s, &process);)
        is_one = Process32NextW(list, &process);
    for (BOOL is_one = Thread32First(list, &thread); is_one && report_thread(s, &thread);)
        is_one = Thread32Next(list, &thread);
    CloseHandle(list);
}

/* ---- the thread ----------------------------------------------------------------------------- */

/* The kernel's list of images comes within the first moments, or not at all. */
static bool wait_for_images(const struct windows_live *l)
{
    enum { PATIENCE_MS = 3000, STEP_MS = 50 };
    for (int waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
        if (atomic_load_explicit(&l->kernel.consumer.has_images, memory_order_relaxed) ||
            atomic_load_explicit(&l->is_stopping, memory_order_relaxed))
            return true;
        os_sleep(STEP_MS * LIVE_MS);
    }
    return false;
}

static int64_t raw_time(const struct windows_live *l)
{
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    return l->clock.kind == CLOCK_QPC ? now.QuadPart : trace_clock_raw(&l->clock, os_wall_now());
}

void state_run(void *live)
{
    struct windows_live *const l = live;
    struct state *const s = mem_new(1, sizeof *s);
    s->live = l;
    s->writer.intake = l->intakes[INTAKE_STATE];
    s->writer.is_stopping = &l->is_stopping;
    s->writer.time = raw_time(l);
    s->command = mem_new(1, 64 + COMMAND_UNITS * sizeof(WCHAR));
    const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    if (ntdll)
        s->query = (state_query)(void (*)(void))GetProcAddress(ntdll, "NtQueryInformationProcess");
    /* Others' processes may be looked into where that is permitted. */
    const bool is_debugger = privilege_switch(L"SeDebugPrivilege", true);
    report_tasks(s);
    state_system(s);
    state_volumes(s);
    state_services(s);
    state_sockets(s);
    if (!wait_for_images(l)) {
        s->writer.time = raw_time(l);
        state_images(s);
    }
    if (is_debugger)
        privilege_switch(L"SeDebugPrivilege", false);
    while (!atomic_load_explicit(&l->is_stopping, memory_order_relaxed)) {
        if (!l->kernel.is_attached)
            state_names(s);
        s->writer.time = raw_time(l);
        state_gauge(s);
        os_sleep(NAMES_MS * LIVE_MS);
    }
    state_gauges_free(s->gauges);
    free(s->command);
    free(s);
}
