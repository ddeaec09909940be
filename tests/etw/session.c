/* Controlling sessions: StartTraceW, ControlTraceW, QueryAllTracesW. Arguments are checked as
 * documented; where several mistakes are made at once, the order of the answers is ours. */
#include "tests/etw/fake.h"

#include <string.h>
#include <wchar.h>

static struct fake_session sessions[FAKE_SESSIONS];
static unsigned generations[FAKE_SESSIONS], top;

const WCHAR kernel_logger[] = L"NT Kernel Logger";
const GUID kernel_guid = {
    0x9e814aad, 0x3204, 0x11d2, {0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39}};

enum {
    PROPERTIES = sizeof(EVENT_TRACE_PROPERTIES),
    TRACED_GUID = 0x00020000,
    MODE_SYSTEM = 0x02000000,
    MODE_REAL_TIME = 0x100,
    MODE_ALONE = 0x08000000,  /* independent */
    FIRST_WITH_SYSTEM = 9200, /* Windows 8 */
    FLAG_PROFILE = 0x01000000,
    SIZE_MOST = 16384, /* KB of a buffer */
    CLOCKS = 3,
};

/* ---- finding ---------------------------------------------------------------------------- */

struct fake_session *session_at(unsigned index)
{
    return index < FAKE_SESSIONS ? &sessions[index] : NULL;
}

unsigned sessions_top(void)
{
    return top;
}

TRACEHANDLE session_handle(const struct fake_session *s)
{
    return (TRACEHANDLE)generations[s->index] << 16 | (s->index + 1);
}

struct fake_session *session_of_handle(TRACEHANDLE handle)
{
    const unsigned index = (unsigned)(handle & 0xffff) - 1;
    struct fake_session *const s = session_at(index);
    return s && s->is_used && !s->is_stopped && session_handle(s) == handle ? s : NULL;
}

struct fake_session *session_of_name(const WCHAR *name)
{
    for (unsigned i = 0; i < FAKE_SESSIONS; i++)
        if (sessions[i].is_used && !sessions[i].is_stopped && _wcsicmp(sessions[i].name, name) == 0)
            return &sessions[i];
    return NULL;
}

bool session_is_kernel(const struct fake_session *s)
{
    return s->p.LogFileMode & MODE_SYSTEM || IsEqualGUID(&s->p.Wnode.Guid, &kernel_guid);
}

/* A row that another process owns; FAKE_SESSIONS = none. */
static unsigned row_of(TRACEHANDLE handle, const WCHAR *name)
{
    struct fake_row *const rows = table_open();
    for (unsigned i = 0; i < FAKE_SESSIONS; i++)
        if (rows[i].state == ROW_RUNS && !sessions[i].is_used &&
            (handle ? handle == i + 1 : _wcsicmp(rows[i].name, name) == 0))
            return i;
    return FAKE_SESSIONS;
}

static bool is_alive(DWORD process)
{
    DWORD status;
    const HANDLE h = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process);
    const bool is = h && GetExitCodeProcess(h, &status) && status == STILL_ACTIVE;
    if (h)
        CloseHandle(h);
    return is;
}

/* ---- checking --------------------------------------------------------------------------- */

static ULONG check_offsets(const EVENT_TRACE_PROPERTIES *p, bool is_start)
{
    const ULONG size = p->Wnode.BufferSize;
    if (size < PROPERTIES)
        return ERROR_BAD_LENGTH;
    if (p->LoggerNameOffset && p->LoggerNameOffset < PROPERTIES)
        return ERROR_INVALID_PARAMETER;
    if (p->LogFileNameOffset && p->LogFileNameOffset < PROPERTIES)
        return ERROR_INVALID_PARAMETER;
    if (p->LoggerNameOffset >= size || p->LogFileNameOffset >= size)
        return ERROR_BAD_LENGTH;
    if (is_start && !p->LoggerNameOffset)
        return ERROR_INVALID_PARAMETER;
    return ERROR_SUCCESS;
}

/* Bits of LogFileMode that exclude each other. */
static bool is_consistent(const EVENT_TRACE_PROPERTIES *p)
{
    enum {
        SEQUENTIAL = 1,
        CIRCULAR = 2,
        APPEND = 4,
        NEWFILE = 8,
        PREALLOCATE = 0x20,
        NONSTOPPABLE = 0x40,
        BUFFERING = 0x400,
        PRIVATE = 0x800,
        PAGED = 0x01000000,
    };
    static const struct {
        ULONG one, others;
    } excluded[] = {
        {MODE_REAL_TIME, PRIVATE | APPEND | BUFFERING},
        {APPEND, CIRCULAR | NEWFILE | PRIVATE},
        {BUFFERING, SEQUENTIAL | CIRCULAR | APPEND | NEWFILE},
        {MODE_SYSTEM, PAGED | PRIVATE},
        {NONSTOPPABLE, NONSTOPPABLE},
    };
    const ULONG mode = p->LogFileMode;
    for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++)
        if (mode & excluded[i].one && mode & excluded[i].others)
            return false;
    return p->MaximumFileSize || !(mode & (CIRCULAR | NEWFILE | PREALLOCATE));
}

static const WCHAR *file_name(const EVENT_TRACE_PROPERTIES *p)
{
    return p->LogFileNameOffset ? (const WCHAR *)((const char *)p + p->LogFileNameOffset) : L"";
}

static ULONG check_start(const WCHAR *name, const EVENT_TRACE_PROPERTIES *p)
{
    enum { BUFFERING = 0x400 };
    const ULONG bad = check_offsets(p, true);
    if (bad)
        return bad;
    const size_t units = wcslen(name) + 1;
    if (p->LoggerNameOffset + units * sizeof *name > p->Wnode.BufferSize)
        return ERROR_BAD_LENGTH;
    if (play.build && play.build < FIRST_WITH_SYSTEM && p->LogFileMode & (MODE_SYSTEM | MODE_ALONE))
        return ERROR_INVALID_PARAMETER;
    const bool is_kernel_guid = IsEqualGUID(&p->Wnode.Guid, &kernel_guid);
    if (units == 1 || units > FAKE_NAME || !(p->Wnode.Flags & TRACED_GUID) ||
        p->Wnode.ClientContext > CLOCKS || p->BufferSize > SIZE_MOST || !is_consistent(p) ||
        is_kernel_guid != (_wcsicmp(name, kernel_logger) == 0))
        return ERROR_INVALID_PARAMETER;
    if (!(p->LogFileMode & (MODE_REAL_TIME | BUFFERING)) && !*file_name(p))
        return ERROR_BAD_PATHNAME;
    return ERROR_SUCCESS;
}

/* SeSystemProfilePrivilege, enabled in this process's token. */
static bool may_profile(void)
{
    HANDLE token;
    BOOL has = FALSE;
    PRIVILEGE_SET wanted = {.PrivilegeCount = 1, .Control = PRIVILEGE_SET_ALL_NECESSARY};
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    if (LookupPrivilegeValueW(NULL, L"SeSystemProfilePrivilege", &wanted.Privilege[0].Luid))
        PrivilegeCheck(token, &wanted, &has);
    CloseHandle(token);
    return has;
}

static ULONG check_rights(const EVENT_TRACE_PROPERTIES *p)
{
    const bool is_kernel =
        p->LogFileMode & MODE_SYSTEM || IsEqualGUID(&p->Wnode.Guid, &kernel_guid);
    if (play.rights == RIGHTS_USER || (play.rights == RIGHTS_PERFORMANCE && is_kernel))
        return ERROR_ACCESS_DENIED;
    if (is_kernel && p->EnableFlags & FLAG_PROFILE && !may_profile())
        return ERROR_PRIVILEGE_NOT_HELD;
    return ERROR_SUCCESS;
}

/* ---- the machine's limits ------------------------------------------------------------------- */

const GUID context_guid = {
    0x54dea73a, 0xed1f, 0x42a4, {0xaf, 0x71, 0x3e, 0x63, 0xd0, 0x56, 0xf1, 0x74}};

static bool is_reserved(const GUID *guid)
{
    return IsEqualGUID(guid, &kernel_guid) || IsEqualGUID(guid, &context_guid);
}

/* A place for a session, or why there is none. */
static ULONG find_place(const WCHAR *name, const EVENT_TRACE_PROPERTIES *p, unsigned *place)
{
    static const GUID none = {0};
    struct fake_row *const rows = table_open();
    unsigned systems = 0, privates = 0, found = FAKE_SESSIONS;
    const bool is_system = p->LogFileMode & MODE_SYSTEM;
    const bool is_private = is_system && !is_reserved(&p->Wnode.Guid);
    for (unsigned i = FAKE_SESSIONS; i-- > 0;) {
        const struct fake_row *const r = &rows[i];
        if (r->state == ROW_FREE) {
            if (!sessions[i].is_used)
                found = i;
            continue;
        }
        systems += (r->mode & MODE_SYSTEM) != 0 || IsEqualGUID(&r->guid, &kernel_guid);
        privates += (r->mode & MODE_SYSTEM) != 0 && !is_reserved(&r->guid);
        if (_wcsicmp(r->name, name) == 0 ||
            (!IsEqualGUID(&r->guid, &none) && IsEqualGUID(&r->guid, &p->Wnode.Guid)))
            return ERROR_ALREADY_EXISTS;
    }
    *place = found;
    if (is_private && unkind(UNKIND_SIX_SLOTS) && privates >= FAKE_PRIVATE_SESSIONS)
        return ERROR_NO_SYSTEM_RESOURCES;
    if (found == FAKE_SESSIONS || (is_system && systems >= FAKE_SYSTEM_SESSIONS))
        return ERROR_NO_SYSTEM_RESOURCES;
    return ERROR_SUCCESS;
}

void session_want(struct fake_session *s)
{
    uint32_t masks[ETW_GROUP_MASKS];
    for (unsigned i = 0; i < ETW_GROUP_MASKS; i++)
        masks[i] = s->masks[i] | s->system_masks[i];
    want_hooks(masks, s->wants);
}

static struct fake_session *make(unsigned place, const WCHAR *name, const EVENT_TRACE_PROPERTIES *p)
{
    struct fake_session *const s = &sessions[place];
    const unsigned cpus = machine_cpus();
    memset(s, 0, sizeof *s);
    s->is_used = true;
    s->index = place;
    generations[place]++;
    top = top > place ? top : place + 1;
    s->p = *p;
    s->p.BufferSize = p->BufferSize ? p->BufferSize : 64;
    if (s->p.MinimumBuffers < 2 * cpus)
        s->p.MinimumBuffers = 2 * cpus;
    if (s->p.MaximumBuffers < s->p.MinimumBuffers + 20)
        s->p.MaximumBuffers = s->p.MinimumBuffers + 20;
    s->buffers_most = s->p.MaximumBuffers;
    if (s->p.LogFileMode & MODE_REAL_TIME && !s->p.FlushTimer)
        s->p.FlushTimer = 1;
    if (session_is_kernel(s))
        s->masks[0] = p->EnableFlags & 0x0fffffff;
    wcscpy(s->name, name);
    wcsncpy(s->file, file_name(p), FAKE_NAME - 1);
    s->full_end = &s->full;
    s->flushed = machine_now();
    InitializeConditionVariable(&s->changed);
    session_want(s);
    return s;
}

static void enter_row(const struct fake_session *s)
{
    struct fake_row *const r = &table_open()[s->index];
    r->owner = s->is_foreign ? 0 : GetCurrentProcessId();
    r->mode = s->p.LogFileMode;
    r->flags = s->masks[0];
    r->guid = s->p.Wnode.Guid;
    r->p = s->p;
    wcscpy(r->name, s->name);
    wcscpy(r->file, s->file);
    r->state = ROW_RUNS;
}

struct fake_session *session_make_foreign(const GUID *guid, const WCHAR *name, ULONG mode, ULONG flags)
{
    unsigned place;
    EVENT_TRACE_PROPERTIES p = {
        .Wnode.Guid = *guid, .LogFileMode = mode | MODE_REAL_TIME, .EnableFlags = flags};
    if (find_place(name, &p, &place) != ERROR_SUCCESS)
        return NULL;
    struct fake_session *const s = make(place, name, &p);
    s->is_foreign = true;
    enter_row(s);
    return s;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* A name into its place in the caller's properties; false when there is no room. */
static bool fill_name(EVENT_TRACE_PROPERTIES *p, ULONG offset, const WCHAR *name)
{
    const size_t bytes = (wcslen(name) + 1) * sizeof *name;
    if (!offset)
        return true;
    if (offset + bytes > p->Wnode.BufferSize)
        return false;
    memcpy((char *)p + offset, name, bytes);
    return true;
}

static ULONG fill(EVENT_TRACE_PROPERTIES *to, const EVENT_TRACE_PROPERTIES *p, TRACEHANDLE handle,
                  const WCHAR *name, const WCHAR *file)
{
    const ULONG bytes = to->Wnode.BufferSize, name_at = to->LoggerNameOffset,
                file_at = to->LogFileNameOffset;
    *to = *p;
    to->Wnode.BufferSize = bytes;
    to->Wnode.HistoricalContext = handle;
    to->LoggerNameOffset = name_at;
    to->LogFileNameOffset = file_at;
    return fill_name(to, name_at, name) && fill_name(to, file_at, file) ? ERROR_SUCCESS
                                                                        : ERROR_MORE_DATA;
}

static ULONG fill_session(EVENT_TRACE_PROPERTIES *to, struct fake_session *s)
{
    unsigned idle = 0;
    for (const struct buffer *b = s->free; b; b = b->next)
        idle++;
    s->p.NumberOfBuffers = s->buffers > s->p.MinimumBuffers ? s->buffers : s->p.MinimumBuffers;
    s->p.FreeBuffers = s->p.NumberOfBuffers - s->buffers + idle;
    EVENT_TRACE_PROPERTIES p = s->p;
    p.EnableFlags = unkind(UNKIND_FORGETS_FLAGS) ? 0 : s->masks[0];
    return fill(to, &p, session_handle(s), s->name, s->file);
}

static ULONG fill_row(EVENT_TRACE_PROPERTIES *to, unsigned index)
{
    const struct fake_row *const r = &table_open()[index];
    EVENT_TRACE_PROPERTIES p = r->p;
    p.Wnode.Guid = r->guid;
    p.Wnode.Flags = TRACED_GUID;
    p.LogFileMode = r->mode;
    p.EnableFlags = r->flags;
    return fill(to, &p, index + 1, r->name, r->file);
}

/* ---- the functions --------------------------------------------------------------------------- */

static ULONG start(PTRACEHANDLE handle, LPCWSTR name, PEVENT_TRACE_PROPERTIES p)
{
    unsigned place = 0;
    ULONG code = check_rights(p);
    table_lock();
    sessions_make_others();
    code = code ? code : find_place(name, p, &place);
    struct fake_session *const s = code ? NULL : make(place, name, p);
    if (s)
        enter_row(s);
    table_unlock();
    if (!s)
        return code;
    *handle = session_handle(s);
    if (session_is_kernel(s) && s->masks[0])
        machine_list(s, LISTING_START);
    fill_session(p, s); /* a name that does not fit in was refused before */
    return ERROR_SUCCESS;
}

ULONG WINAPI fake_StartTraceW(PTRACEHANDLE handle, LPCWSTR name, PEVENT_TRACE_PROPERTIES p)
{
    ULONG code = play_call("StartTraceW", NULL);
    if (handle)
        *handle = 0;
    if (code)
        return code;
    if (!handle || !name || !p)
        return ERROR_INVALID_PARAMETER;
    code = check_start(name, p);
    if (code)
        return code;
    play_begin();
    machine_begin();
    EnterCriticalSection(&running);
    EnterCriticalSection(&state);
    code = start(handle, name, p);
    LeaveCriticalSection(&state);
    LeaveCriticalSection(&running);
    return code;
}

void session_end(struct fake_session *s)
{
    static const uint32_t empty[ETW_GROUP_MASKS];
    if (session_is_kernel(s) && !s->is_foreign && !s->is_stopped &&
        memcmp(s->masks, empty, sizeof empty) == 0 &&
        memcmp(s->system_masks, empty, sizeof empty) == 0)
        report_add(FIGURE_DEAF, 1);
    if (session_is_kernel(s) && !s->is_stopped)
        machine_list(s, LISTING_STOP);
    buffers_flush(s);
    s->is_stopped = true;
    s->stopped_at = play_time();
    table_lock();
    table_open()[s->index].state = ROW_FREE;
    table_unlock();
    WakeAllConditionVariable(&s->changed);
    if (!s->has_consumer) {
        buffers_free(s);
        s->is_used = false;
    }
}

/* As documented: what is 0 stays, but for the kernel's flags and the bit of live sessions. */
static void update_row(struct fake_row *r, const EVENT_TRACE_PROPERTIES *p)
{
    if (p->FlushTimer)
        r->p.FlushTimer = p->FlushTimer;
    if (p->MaximumBuffers)
        r->p.MaximumBuffers = p->MaximumBuffers;
    if (r->mode & MODE_SYSTEM || wcscmp(r->name, kernel_logger) == 0)
        r->flags = p->EnableFlags & 0x0fffffff;
    r->mode = (r->mode & ~(ULONG)MODE_REAL_TIME) | (p->LogFileMode & MODE_REAL_TIME);
    if (p->LogFileNameOffset)
        wcsncpy(r->file, file_name(p), FAKE_NAME - 1);
}

static void update(struct fake_session *s, const EVENT_TRACE_PROPERTIES *p)
{
    s->p.LogFileMode =
        (s->p.LogFileMode & ~(ULONG)MODE_REAL_TIME) | (p->LogFileMode & MODE_REAL_TIME);
    if (session_is_kernel(s) && unkind(UNKIND_FORGETS_FLAGS))
        memset(s->masks, 0, sizeof s->masks);
    if (session_is_kernel(s))
        s->masks[0] = p->EnableFlags & 0x0fffffff;
    if (p->FlushTimer)
        s->p.FlushTimer = p->FlushTimer;
    if (p->MaximumBuffers > s->buffers_most)
        s->p.MaximumBuffers = s->buffers_most = p->MaximumBuffers;
    session_want(s);
}

static ULONG control_session(struct fake_session *s, PEVENT_TRACE_PROPERTIES p, ULONG action)
{
    if (action == EVENT_TRACE_CONTROL_UPDATE) {
        update(s, p);
        return fill_session(p, s);
    }
    if (action == EVENT_TRACE_CONTROL_FLUSH)
        buffers_flush(s);
    const ULONG code = fill_session(p, s);
    if (action == EVENT_TRACE_CONTROL_STOP)
        session_end(s);
    return code;
}

/* Another process's: we see its row only. */
static ULONG control_row(TRACEHANDLE handle, LPCWSTR name, PEVENT_TRACE_PROPERTIES p, ULONG action)
{
    table_lock();
    const unsigned index = row_of(handle, name);
    ULONG code = ERROR_WMI_INSTANCE_NOT_FOUND;
    if (index < FAKE_SESSIONS) {
        struct fake_row *const r = &table_open()[index];
        if (action == EVENT_TRACE_CONTROL_UPDATE)
            update_row(r, p);
        code = fill_row(p, index);
        if (action == EVENT_TRACE_CONTROL_STOP)
            r->state = is_alive(r->owner) ? ROW_STOPPED : ROW_FREE;
    }
    table_unlock();
    return code;
}

static ULONG control(TRACEHANDLE handle, LPCWSTR name, PEVENT_TRACE_PROPERTIES p, ULONG action)
{
    sessions_make_others();
    struct fake_session *const s = handle ? session_of_handle(handle) : session_of_name(name);
    if (play.rights == RIGHTS_USER)
        return ERROR_ACCESS_DENIED;
    if (!s)
        return control_row(handle, name, p, action);
    if (session_is_kernel(s) && play.rights != RIGHTS_ADMINISTRATOR)
        return ERROR_ACCESS_DENIED;
    return control_session(s, p, action);
}

/* A stop that fails in these ways has stopped the session all the same: there was no room for
 * its name, or somebody else was quicker. */
static bool stops_anyhow(ULONG code, ULONG action)
{
    return action == EVENT_TRACE_CONTROL_STOP &&
           (code == ERROR_MORE_DATA || code == ERROR_WMI_INSTANCE_NOT_FOUND);
}

/* The sessions of this process that are not short ones. */
static LONG own_running(void)
{
    LONG count = 0;
    EnterCriticalSection(&state);
    for (unsigned i = 0; i < FAKE_SESSIONS; i++)
        count += sessions[i].is_used && !sessions[i].is_stopped && !sessions[i].is_foreign &&
                 !wcsstr(sessions[i].name, L"-rundown-");
    LeaveCriticalSection(&state);
    return count;
}

static bool is_short(TRACEHANDLE handle, const WCHAR *name)
{
    EnterCriticalSection(&state);
    const struct fake_session *const s = handle ? session_of_handle(handle) : session_of_name(name);
    const bool is = !s || s->is_foreign || wcsstr(s->name, L"-rundown-");
    LeaveCriticalSection(&state);
    return is;
}

/* Nobody waits for a second session that is stopped only after the first. */
static void wait_for_other_stops(TRACEHANDLE handle, const WCHAR *name)
{
    enum { MOST = 20000, STEP = 10 };
    static volatile LONG stopping;
    int waited = 0;
    if (!unkind(UNKIND_STOP_TOGETHER) || is_short(handle, name))
        return;
    const LONG all = own_running();
    for (InterlockedIncrement(&stopping); stopping < all && waited < MOST; waited += STEP)
        Sleep(STEP);
    if (waited >= MOST)
        report_add(FIGURE_STOPS_ALONE, 1);
}

/* What the properties hold afterwards is no request. */
static void scramble(EVENT_TRACE_PROPERTIES *p)
{
    enum { NOWHERE = 0x7ffffff0 };
    if (!unkind(UNKIND_SCRAMBLES))
        return;
    p->Wnode.Flags = 0;
    p->Wnode.ClientContext = NOWHERE;
    p->LoggerNameOffset = NOWHERE;
    p->LogFileNameOffset = NOWHERE;
}

static const char *const actions[] = {"QUERY", "STOP", "UPDATE", "FLUSH", "INCREMENT", "CONVERT"};
enum { ACTIONS = sizeof actions / sizeof *actions };

ULONG WINAPI fake_ControlTraceW(TRACEHANDLE handle, LPCWSTR name, PEVENT_TRACE_PROPERTIES p,
                                ULONG action)
{
    const ULONG fault = play_call("ControlTraceW", action < ACTIONS ? actions[action] : NULL);
    if (fault && !stops_anyhow(fault, action))
        return fault;
    if (!p || action >= ACTIONS || (!handle && !name))
        return ERROR_INVALID_PARAMETER;
    ULONG code = check_offsets(p, false);
    if (code)
        return code;
    if (action == EVENT_TRACE_CONTROL_STOP)
        wait_for_other_stops(handle, name);
    EnterCriticalSection(&running);
    EnterCriticalSection(&state);
    code = control(handle, name, p, action);
    LeaveCriticalSection(&state);
    LeaveCriticalSection(&running);
    scramble(p);
    return fault ? fault : code;
}

static ULONG query_all(PEVENT_TRACE_PROPERTIES *array, ULONG room, PULONG count)
{
    const struct fake_row *const rows = table_open();
    ULONG code = ERROR_SUCCESS;
    *count = 0;
    for (unsigned i = 0; i < FAKE_SESSIONS; i++) {
        if (rows[i].state != ROW_RUNS)
            continue;
        if (*count < room) {
            EVENT_TRACE_PROPERTIES *const p = array[*count];
            const ULONG bad = check_offsets(p, false);
            if (bad)
                return bad;
            code = sessions[i].is_used ? fill_session(p, &sessions[i]) : fill_row(p, i);
        }
        ++*count;
    }
    return *count > room ? ERROR_MORE_DATA : code;
}

ULONG WINAPI fake_QueryAllTracesW(PEVENT_TRACE_PROPERTIES *array, ULONG room, PULONG count)
{
    ULONG code = play_call("QueryAllTracesW", NULL);
    if (code)
        return code;
    if (!array || !room || !count)
        return ERROR_INVALID_PARAMETER;
    EnterCriticalSection(&state);
    table_lock();
    sessions_make_others();
    if (play.rights == RIGHTS_USER)
        *count = 0; /* sees those that it may query: none */
    else
        code = query_all(array, room, count);
    table_unlock();
    LeaveCriticalSection(&state);
    return code;
}

unsigned sessions_of_others(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < FAKE_SESSIONS; i++)
        count += sessions[i].is_used && !sessions[i].is_stopped && sessions[i].is_foreign;
    return count;
}

unsigned sessions_left(WCHAR *names, size_t units)
{
    unsigned count = 0;
    names[0] = L'\0';
    for (unsigned i = 0; i < FAKE_SESSIONS; i++) {
        const struct fake_session *const s = &sessions[i];
        if (!s->is_used || s->is_stopped || s->is_foreign)
            continue;
        count++;
        if (wcslen(names) + wcslen(s->name) + 8 < units) {
            wcscat(names, L"left ");
            wcscat(names, s->name);
            wcscat(names, L"\n");
        }
    }
    return count;
}
