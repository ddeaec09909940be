/* The stand-in itself: it must be as strict as what it stands in for, or tests against it prove
 * nothing. Every part runs in a process of its own, with wishes of its own: the program calls
 * itself with the part's name.
 *
 * usage: test_etwfake DLL [PART] */
#include "tests/test.h"

#include "collectors/windows/etw_api.h"
#include "src/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { REAL_TIME = 0x100, SYSTEM = 0x02000000, TRACED = 0x00020000, RAW = 0x1000 };
enum {
    PROCESS = 1,
    THREAD = 2,
    CSWITCH = 0x10,
    DISK = 0x100,
    FILENAMES = 0x200,
    PROFILE = 0x01000000
};

static const GUID fake_guid = {
    0x5a7d1ee0, 0x7e57, 0x4e7a, {0x9b, 0x01, 0x5a, 0x17, 0xde, 0xad, 0xbe, 0xef}};
static const GUID kernel_guid = {
    0x9e814aad, 0x3204, 0x11d2, {0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39}};
static const GUID lost_guid = {
    0x6a399ae0, 0x4bc6, 0x4de9, {0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e}};

/* ---- what all parts need --------------------------------------------------------------------- */

static struct etw_properties make(ULONG mode, ULONG flags)
{
    struct etw_properties p = {0};
    p.p.Wnode.BufferSize = sizeof p;
    p.p.Wnode.Flags = TRACED;
    p.p.Wnode.ClientContext = ETW_CLOCK_QPC;
    p.p.LogFileMode = mode;
    p.p.EnableFlags = flags;
    p.p.FlushTimer = 1;
    p.p.LoggerNameOffset = offsetof(struct etw_properties, name);
    p.p.LogFileNameOffset = offsetof(struct etw_properties, file);
    return p;
}

static TRACEHANDLE start(const WCHAR *name, ULONG mode, ULONG flags)
{
    struct etw_properties p = make(mode, flags);
    TRACEHANDLE handle = 0;
    assert_int_equal(etw_api()->StartTraceW(&handle, name, &p.p), ERROR_SUCCESS);
    assert_true(handle != 0);
    return handle;
}

static ULONG control(TRACEHANDLE handle, const WCHAR *name, ULONG action, struct etw_properties *p)
{
    struct etw_properties own = make(0, 0);
    return etw_api()->ControlTraceW(handle, name, p ? &p->p : &own.p, action);
}

static void stop(TRACEHANDLE handle)
{
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_STOP, NULL), ERROR_SUCCESS);
}

/* What came, seen from a callback. */
static struct seen {
    volatile LONG events, kernel, classes[0x20], own, lost, stacks, wide32, late, names;
    LONGLONG last;
    LONG most; /* buffers; 0 = no limit */
    LONG buffers;
} seen;

static unsigned group_of(const GUID *class)
{
    for (unsigned group = 0; group < 0x1f; group++)
        if (memcmp(event_class_guid((uint16_t)(group << 8)), class, sizeof *class) == 0)
            return group;
    return 0x1f;
}

static void WINAPI see(PEVENT_RECORD r)
{
    const EVENT_HEADER *const h = &r->EventHeader;
    seen.events++;
    seen.late += h->TimeStamp.QuadPart < seen.last;
    seen.last = h->TimeStamp.QuadPart;
    seen.wide32 += (h->Flags & EVENT_HEADER_FLAG_32_BIT_HEADER) != 0;
    seen.own += IsEqualGUID(&h->ProviderId, &fake_guid);
    seen.lost += IsEqualGUID(&h->ProviderId, &lost_guid);
    if (h->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER) {
        const unsigned group = group_of(&h->ProviderId);
        seen.kernel++;
        seen.classes[group]++;
        seen.stacks += group == 0x18;
        seen.names += group == 4 && h->EventDescriptor.Opcode == 0x24;
    }
}

static ULONG WINAPI see_buffer(PEVENT_TRACE_LOGFILEW file)
{
    seen.buffers++;
    assert_int_equal(file->BuffersRead, seen.buffers);
    return !seen.most || seen.buffers < seen.most;
}

struct reader {
    TRACEHANDLE trace;
    HANDLE thread;
    volatile ULONG result;
};

static DWORD WINAPI read_all(void *arg)
{
    struct reader *const r = arg;
    r->result = etw_api()->ProcessTrace(&r->trace, 1, NULL, NULL);
    return 0;
}

static struct reader consume(WCHAR *name)
{
    EVENT_TRACE_LOGFILEW file = {.LoggerName = name, .BufferCallback = see_buffer};
    file.ProcessTraceMode = REAL_TIME | RAW | PROCESS_TRACE_MODE_EVENT_RECORD;
    file.EventRecordCallback = see;
    memset(&seen, 0, sizeof seen);
    const struct reader r = {.trace = etw_api()->OpenTraceW(&file)};
    assert_true(r.trace != ETW_NO_TRACE);
    assert_true(file.LogfileHeader.PerfFreq.QuadPart > 0);
    assert_true(file.LogfileHeader.NumberOfProcessors > 0);
    return r;
}

static void begin(struct reader *r)
{
    r->result = 0xffff;
    r->thread = CreateThread(NULL, 0, read_all, r, 0, NULL);
}

static ULONG finish(struct reader *r)
{
    assert_int_equal(WaitForSingleObject(r->thread, 20000), WAIT_OBJECT_0);
    CloseHandle(r->thread);
    return r->result;
}

static void wait_for(volatile LONG *counter, LONG least)
{
    for (int i = 0; i < 1000 && *counter < least; i++)
        Sleep(10);
    assert_true(*counter >= least);
}

/* Starts a session, reads it until `counter` says enough, stops it; the statistics. */
static struct etw_properties watch(ULONG mode, ULONG flags, volatile LONG *counter, LONG least)
{
    WCHAR name[] = L"Watched";
    const TRACEHANDLE handle = start(name, mode | REAL_TIME, flags);
    struct reader r = consume(name);
    struct etw_properties p = make(0, 0);
    begin(&r);
    wait_for(counter, least);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_STOP, &p), ERROR_SUCCESS);
    assert_int_equal(finish(&r), ERROR_SUCCESS);
    assert_int_equal(etw_api()->CloseTrace(r.trace), ERROR_SUCCESS);
    return p;
}

/* ---- arguments ---------------------------------------------------------------------------------
 */

static void starts_are_checked(void **unused)
{
    enum { PRIVATE = 0x800, CIRCULAR = 2, BUFFERING = 0x400, PAGED = 0x01000000 };
    static const struct {
        const char *what;
        const WCHAR *name;
        ULONG mode, size, name_at, flags, clock, kilobytes;
        ULONG expected;
    } rows[] = {
        {"well", L"A", REAL_TIME, 0, 0, TRACED, 1, 64, ERROR_SUCCESS},
        {"the allocation is too small", L"A", REAL_TIME, 100, 0, TRACED, 1, 64, ERROR_BAD_LENGTH},
        {"no room for the name", L"Long enough", REAL_TIME, 122, 120, TRACED, 1, 64,
         ERROR_BAD_LENGTH},
        {"the name lies outside", L"A", REAL_TIME, 0, 100000, TRACED, 1, 64, ERROR_BAD_LENGTH},
        {"the name lies inside", L"A", REAL_TIME, 0, 8, TRACED, 1, 64, ERROR_INVALID_PARAMETER},
        {"no WNODE_FLAG_TRACED_GUID", L"A", REAL_TIME, 0, 0, 0, 1, 64, ERROR_INVALID_PARAMETER},
        {"no such clock", L"A", REAL_TIME, 0, 0, TRACED, 4, 64, ERROR_INVALID_PARAMETER},
        {"buffers of 32 MB", L"A", REAL_TIME, 0, 0, TRACED, 1, 32768, ERROR_INVALID_PARAMETER},
        {"no name", L"", REAL_TIME, 0, 0, TRACED, 1, 64, ERROR_INVALID_PARAMETER},
        {"real time and private", L"A", REAL_TIME | PRIVATE, 0, 0, TRACED, 1, 64,
         ERROR_INVALID_PARAMETER},
        {"real time and buffering", L"A", REAL_TIME | BUFFERING, 0, 0, TRACED, 1, 64,
         ERROR_INVALID_PARAMETER},
        {"circular without a size", L"A", REAL_TIME | CIRCULAR, 0, 0, TRACED, 1, 64,
         ERROR_INVALID_PARAMETER},
        {"system and paged", L"A", REAL_TIME | SYSTEM | PAGED, 0, 0, TRACED, 1, 64,
         ERROR_INVALID_PARAMETER},
        {"kernel logger, other GUID", L"NT Kernel Logger", REAL_TIME, 0, 0, TRACED, 1, 64,
         ERROR_INVALID_PARAMETER},
        {"neither file nor mode", L"A", 0, 0, 0, TRACED, 1, 64, ERROR_BAD_PATHNAME},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct etw_properties p = make(rows[i].mode, 0);
        TRACEHANDLE handle = 77;
        p.p.Wnode.BufferSize = rows[i].size ? rows[i].size : sizeof p;
        p.p.LoggerNameOffset = rows[i].name_at ? rows[i].name_at : p.p.LoggerNameOffset;
        p.p.LogFileNameOffset = rows[i].size ? 0 : p.p.LogFileNameOffset;
        p.p.Wnode.Flags = rows[i].flags;
        p.p.Wnode.ClientContext = rows[i].clock;
        p.p.BufferSize = rows[i].kilobytes;
        const ULONG code = etw_api()->StartTraceW(&handle, rows[i].name, &p.p);
        if (code != rows[i].expected)
            fail_msg("%s: %lu, expected %lu", rows[i].what, code, rows[i].expected);
        if (code)
            assert_true(handle == 0);
        else
            stop(handle);
    }
    TRACEHANDLE handle;
    struct etw_properties p = make(REAL_TIME, 0);
    assert_int_equal(etw_api()->StartTraceW(NULL, L"A", &p.p), ERROR_INVALID_PARAMETER);
    assert_int_equal(etw_api()->StartTraceW(&handle, NULL, &p.p), ERROR_INVALID_PARAMETER);
    assert_int_equal(etw_api()->StartTraceW(&handle, L"A", NULL), ERROR_INVALID_PARAMETER);
}

static void names_and_guids_are_unique(void **unused)
{
    (void)unused;
    struct etw_properties p = make(REAL_TIME, 0);
    p.p.Wnode.Guid = fake_guid;
    TRACEHANDLE one, two;
    assert_int_equal(etw_api()->StartTraceW(&one, L"One", &p.p), ERROR_SUCCESS);
    p = make(REAL_TIME, 0);
    assert_int_equal(etw_api()->StartTraceW(&two, L"ONE", &p.p), ERROR_ALREADY_EXISTS);
    p.p.Wnode.Guid = fake_guid;
    assert_int_equal(etw_api()->StartTraceW(&two, L"Two", &p.p), ERROR_ALREADY_EXISTS);
    stop(one);
    assert_int_equal(control(one, NULL, EVENT_TRACE_CONTROL_QUERY, NULL),
                     ERROR_WMI_INSTANCE_NOT_FOUND);
    p = make(REAL_TIME, 0);
    p.p.Wnode.Guid = kernel_guid;
    assert_int_equal(etw_api()->StartTraceW(&one, L"NT Kernel Logger", &p.p), ERROR_SUCCESS);
    stop(one);
}

static void controls_are_checked(void **unused)
{
    (void)unused;
    const TRACEHANDLE handle = start(L"Controlled", REAL_TIME, 0);
    struct etw_properties p = make(0, 0);
    assert_int_equal(control(0, NULL, EVENT_TRACE_CONTROL_QUERY, NULL), ERROR_INVALID_PARAMETER);
    assert_int_equal(control(handle, NULL, 6, NULL), ERROR_INVALID_PARAMETER);
    assert_int_equal(etw_api()->ControlTraceW(handle, NULL, NULL, 0), ERROR_INVALID_PARAMETER);
    p.p.Wnode.BufferSize = 119;
    assert_int_equal(control(handle, NULL, 0, &p), ERROR_BAD_LENGTH);
    assert_int_equal(control(0, L"Nobody", 0, NULL), ERROR_WMI_INSTANCE_NOT_FOUND);
    p = make(0, 0);
    assert_int_equal(control(0, L"controlled", EVENT_TRACE_CONTROL_QUERY, &p), ERROR_SUCCESS);
    assert_true(p.p.Wnode.HistoricalContext == handle);
    assert_int_equal(p.p.LogFileMode, REAL_TIME);
    assert_true(wcscmp(p.name, L"Controlled") == 0);
    /* A STOP that has no room for the name stops all the same. */
    p = make(0, 0);
    p.p.Wnode.BufferSize = 124;
    p.p.LoggerNameOffset = 120;
    p.p.LogFileNameOffset = 0;
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_STOP, &p), ERROR_MORE_DATA);
    assert_int_equal(control(handle, NULL, 0, NULL), ERROR_WMI_INSTANCE_NOT_FOUND);
}

static void providers_are_checked(void **unused)
{
    (void)unused;
    static const GUID process = {
        0x151f55dc, 0x467d, 0x471f, {0x83, 0xb5, 0x5f, 0x88, 0x9d, 0x46, 0xff, 0x66}};
    const struct etw_api *const api = etw_api();
    const TRACEHANDLE handle = start(L"Providers", REAL_TIME, 0);
    ULONG pids[9] = {1};
    EVENT_FILTER_DESCRIPTOR filters[2] = {{.Ptr = (uintptr_t)pids, .Size = 4, .Type = 0x80000004},
                                          {.Ptr = (uintptr_t)pids, .Size = 4, .Type = 0x80000004}};
    struct etw_enable_parameters p = {.version = 2, .filters = filters, .filter_count = 1};
#define ENABLE(h, g, what, parameters) (int)api->EnableTraceEx2(h, g, what, 4, 0, 0, 0, parameters)
    assert_int_equal(ENABLE(0, &fake_guid, 1, NULL), ERROR_INVALID_PARAMETER);
    assert_int_equal(ENABLE(handle, NULL, 1, NULL), ERROR_INVALID_PARAMETER);
    assert_int_equal(ENABLE(handle, &fake_guid, 3, NULL), ERROR_INVALID_PARAMETER);
    assert_int_equal(ENABLE(handle, &fake_guid, 1, &p), ERROR_SUCCESS);
    p.filter_count = 2; /* of one type twice */
    assert_int_equal(ENABLE(handle, &fake_guid, 1, &p), ERROR_INVALID_PARAMETER);
    p.filter_count = 1;
    filters[0].Size = sizeof pids; /* nine */
    assert_int_equal(ENABLE(handle, &fake_guid, 1, &p), ERROR_INVALID_PARAMETER);
    p.version = 3;
    p.filter_count = 0;
    assert_int_equal(ENABLE(handle, &fake_guid, 1, &p), ERROR_INVALID_PARAMETER);
    /* Kernel events need a session for them. */
    assert_int_equal(ENABLE(handle, &process, 1, NULL), ERROR_INVALID_PARAMETER);
    assert_int_equal(ENABLE(handle + 5, &fake_guid, 1, NULL), ERROR_WMI_INSTANCE_NOT_FOUND);
    assert_int_equal(ENABLE(handle, &fake_guid, 0, NULL), ERROR_SUCCESS);
    stop(handle);
    TRACEHANDLE eight[9];
    WCHAR name[32];
    for (unsigned i = 0; i < 9; i++) {
        swprintf(name, 32, L"Eight %u", i);
        eight[i] = start(name, REAL_TIME, 0);
        assert_int_equal(ENABLE(eight[i], &fake_guid, 1, NULL),
                         i < 8 ? ERROR_SUCCESS : ERROR_NO_SYSTEM_RESOURCES);
    }
    for (unsigned i = 0; i < 9; i++)
        stop(eight[i]);
#undef ENABLE
}

static void information_is_checked(void **unused)
{
    (void)unused;
    const struct etw_api *const api = etw_api();
    const TRACEHANDLE plain = start(L"Plain", REAL_TIME, 0);
    const TRACEHANDLE kernel = start(L"Kernel", REAL_TIME | SYSTEM, PROCESS);
    struct etw_classic_id ids[257] = {0};
    uint32_t masks[8] = {PROCESS};
    struct etw_profile_interval interval = {.interval = 1221};
    ULONG need = 0;
    assert_int_equal(api->TraceSetInformation(plain, 3, ids, sizeof *ids), ERROR_INVALID_PARAMETER);
    assert_int_equal(api->TraceSetInformation(kernel, 3, ids, sizeof *ids), ERROR_SUCCESS);
    assert_int_equal(api->TraceSetInformation(kernel, 3, ids, 5), ERROR_BAD_LENGTH);
    assert_int_equal(api->TraceSetInformation(kernel, 3, ids, sizeof ids), ERROR_INVALID_PARAMETER);
    assert_int_equal(api->TraceSetInformation(kernel, 4, masks, sizeof masks), ERROR_SUCCESS);
    assert_int_equal(api->TraceSetInformation(kernel, 4, masks, 8), ERROR_SUCCESS);
    assert_int_equal(api->TraceSetInformation(kernel, 4, masks, 3), ERROR_BAD_LENGTH);
    assert_int_equal(api->TraceSetInformation(0, 5, &interval, 8), ERROR_SUCCESS);
    interval.interval = 1000;
    assert_int_equal(api->TraceSetInformation(0, 5, &interval, 8), ERROR_INVALID_PARAMETER);
    assert_int_equal(api->TraceSetInformation(kernel, 8, masks, 8), ERROR_NOT_SUPPORTED);
    assert_int_equal(api->TraceQueryInformation(0, 5, &interval, 8, &need), ERROR_SUCCESS);
    assert_int_equal(interval.interval, 1221);
    assert_int_equal(api->TraceQueryInformation(0, 7, masks, 8, &need), ERROR_INSUFFICIENT_BUFFER);
    assert_true(need > 8);
    stop(plain);
    stop(kernel);
}

static void consumers_are_checked(void **unused)
{
    (void)unused;
    const struct etw_api *const api = etw_api();
    WCHAR name[] = L"Consumed", nobody[] = L"Nobody";
    const TRACEHANDLE session = start(name, REAL_TIME, 0);
    EVENT_TRACE_LOGFILEW file = {.LoggerName = name};
    file.ProcessTraceMode = REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD;
    assert_true(api->OpenTraceW(NULL) == ETW_NO_TRACE);
    assert_true(api->OpenTraceW(&file) == ETW_NO_TRACE); /* no callback */
    assert_int_equal(GetLastError(), ERROR_INVALID_PARAMETER);
    file.EventRecordCallback = see;
    file.LogFileName = name;
    assert_true(api->OpenTraceW(&file) == ETW_NO_TRACE);
    file.LogFileName = NULL;
    file.LoggerName = nobody;
    assert_true(api->OpenTraceW(&file) == ETW_NO_TRACE);
    assert_int_equal(GetLastError(), ERROR_WMI_INSTANCE_NOT_FOUND);
    file.LoggerName = name;
    TRACEHANDLE trace[2] = {api->OpenTraceW(&file), api->OpenTraceW(&file)};
    assert_true(trace[0] != ETW_NO_TRACE && trace[1] != ETW_NO_TRACE);
    FILETIME late = {.dwHighDateTime = 2}, early = {.dwHighDateTime = 1};
    TRACEHANDLE bad = 1;
    assert_int_equal(api->ProcessTrace(NULL, 1, NULL, NULL), ERROR_INVALID_PARAMETER);
    assert_int_equal(api->ProcessTrace(trace, 0, NULL, NULL), ERROR_BAD_LENGTH);
    assert_int_equal(api->ProcessTrace(trace, 65, NULL, NULL), ERROR_BAD_LENGTH);
    assert_int_equal(api->ProcessTrace(trace, 1, &late, &early), ERROR_INVALID_TIME);
    assert_int_equal(api->ProcessTrace(&bad, 1, NULL, NULL), ERROR_INVALID_HANDLE);
    assert_int_equal(api->ProcessTrace(trace, 2, NULL, NULL), ERROR_WMI_ALREADY_ENABLED);
    stop(session);
    assert_int_equal(api->ProcessTrace(trace, 1, NULL, NULL), ERROR_WMI_INSTANCE_NOT_FOUND);
    assert_int_equal(api->CloseTrace(trace[0]), ERROR_SUCCESS);
    assert_int_equal(api->CloseTrace(trace[1]), ERROR_SUCCESS);
    assert_int_equal(api->CloseTrace(trace[0]), ERROR_INVALID_HANDLE);
}

static void schemas_are_told(void **unused)
{
    (void)unused;
    const struct etw_api *const api = etw_api();
    static _Alignas(8) uint8_t room[4096];
    EVENT_RECORD r = {.EventHeader = {.ProviderId = fake_guid, .EventDescriptor = {.Id = 1}}};
    ULONG size = 0;
    assert_int_equal(api->TdhGetEventInformation(&r, 0, NULL, NULL, &size),
                     ERROR_INSUFFICIENT_BUFFER);
    assert_true(size > 0 && size <= sizeof room);
    TRACE_EVENT_INFO *const info = (void *)room;
    assert_int_equal(api->TdhGetEventInformation(&r, 0, NULL, info, &size), ERROR_SUCCESS);
    assert_int_equal(info->TopLevelPropertyCount, 2);
    assert_true(
        wcscmp((WCHAR *)(void *)(room + info->EventPropertyInfoArray[1].NameOffset), L"Text") == 0);
    r.EventHeader.EventDescriptor.Id = 2;
    assert_int_equal(api->TdhGetEventInformation(&r, 0, NULL, info, &size), ERROR_NOT_FOUND);
    assert_int_equal(api->TdhGetEventInformation(NULL, 0, NULL, info, &size),
                     ERROR_INVALID_PARAMETER);
    size = 0;
    assert_int_equal(api->TdhEnumerateProviders(NULL, &size), ERROR_INSUFFICIENT_BUFFER);
    assert_int_equal(api->TdhEnumerateProviders((void *)room, &size), ERROR_SUCCESS);
}

/* ---- delivery
 * ------------------------------------------------------------------------------------- */

static void only_what_is_enabled_comes(void **unused)
{
    (void)unused;
    watch(SYSTEM, PROCESS, &seen.classes[3], 20);
    assert_int_equal(seen.classes[5], 0);
    assert_int_equal(seen.classes[1], 0);
    assert_int_equal(seen.names, 0);
    watch(SYSTEM, CSWITCH, &seen.classes[5], 500);
    assert_int_equal(seen.classes[3], 0);
    assert_true(seen.classes[0xb] > 0); /* how the machine is made: at the end */
    watch(SYSTEM, PROCESS | THREAD | DISK | FILENAMES, &seen.classes[1], 20);
    assert_true(seen.names > 100); /* rundown of names, at the end as well */
    assert_int_equal(seen.stacks, 0);
}

static void a_session_for_providers_gets_no_kernel_events(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Plain";
    const TRACEHANDLE handle = start(name, REAL_TIME, CSWITCH);
    struct reader r = consume(name);
    begin(&r);
    Sleep(300);
    stop(handle);
    assert_int_equal(finish(&r), ERROR_SUCCESS);
    assert_int_equal(seen.events, 0);
    etw_api()->CloseTrace(r.trace);
}

static void allow_profiling(void)
{
    HANDLE token;
    TOKEN_PRIVILEGES wanted = {.PrivilegeCount = 1};
    wanted.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
    assert_true(OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &token));
    assert_true(
        LookupPrivilegeValueW(NULL, L"SeSystemProfilePrivilege", &wanted.Privileges[0].Luid));
    assert_true(AdjustTokenPrivileges(token, FALSE, &wanted, 0, NULL, NULL));
    CloseHandle(token);
}

static void samples_need_the_privilege_and_stacks_a_wish(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Stacks";
    struct etw_properties p = make(REAL_TIME | SYSTEM, PROFILE);
    TRACEHANDLE handle;
    assert_int_equal(etw_api()->StartTraceW(&handle, name, &p.p), ERROR_PRIVILEGE_NOT_HELD);
    allow_profiling();
    handle = start(name, REAL_TIME | SYSTEM, PROFILE);
    struct reader r = consume(name);
    begin(&r);
    control(handle, NULL, EVENT_TRACE_CONTROL_FLUSH, NULL);
    wait_for(&seen.classes[0xf], 20);
    assert_int_equal(seen.stacks, 0);
    struct etw_classic_id id = {.type = 46};
    memcpy(&id.guid, event_class_guid(0x0f2e), sizeof id.guid);
    assert_int_equal(etw_api()->TraceSetInformation(handle, 3, &id, sizeof id), ERROR_SUCCESS);
    wait_for(&seen.stacks, 20);
    stop(handle);
    finish(&r);
    etw_api()->CloseTrace(r.trace);
}

static void flags_can_change(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Changing";
    const TRACEHANDLE handle = start(name, REAL_TIME | SYSTEM, 0);
    struct reader r = consume(name);
    begin(&r);
    Sleep(200);
    assert_int_equal(seen.events, 0);
    uint32_t masks[8] = {CSWITCH};
    assert_int_equal(etw_api()->TraceSetInformation(handle, 4, masks, sizeof masks), ERROR_SUCCESS);
    control(handle, NULL, EVENT_TRACE_CONTROL_FLUSH, NULL);
    wait_for(&seen.classes[5], 200);
    struct etw_properties p = make(0, DISK);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_UPDATE, &p), ERROR_SUCCESS);
    wait_for(&seen.classes[1], 5);
    stop(handle);
    finish(&r);
    etw_api()->CloseTrace(r.trace);
}

static void closing_ends_the_reading(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Closed";
    const TRACEHANDLE handle = start(name, REAL_TIME | SYSTEM, CSWITCH);
    struct reader r = consume(name);
    begin(&r);
    wait_for(&seen.events, 1);
    assert_int_equal(etw_api()->CloseTrace(r.trace), ERROR_CTX_CLOSE_PENDING);
    assert_int_equal(finish(&r), ERROR_SUCCESS);
    assert_int_equal(etw_api()->CloseTrace(r.trace),
                     ERROR_INVALID_HANDLE); /* it went with the end */
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_QUERY, NULL), ERROR_SUCCESS);
    stop(handle);
}

static void the_buffer_callback_can_say_enough(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Enough";
    const TRACEHANDLE handle = start(name, REAL_TIME | SYSTEM, CSWITCH);
    struct reader r = consume(name);
    seen.most = 2;
    begin(&r);
    assert_int_equal(finish(&r), ERROR_CANCELLED);
    assert_int_equal(seen.buffers, 2);
    assert_int_equal(etw_api()->CloseTrace(r.trace), ERROR_SUCCESS);
    stop(handle);
}

static void own_events_come_back(void **unused)
{
    (void)unused;
    const struct etw_api *const api = etw_api();
    static const GUID mine = {1, 2, 3, {4, 5, 6, 7, 8, 9, 10, 11}};
    WCHAR name[] = L"Marks";
    REGHANDLE reg = 0;
    const TRACEHANDLE handle = start(name, REAL_TIME, 0);
    assert_int_equal(api->EventRegister(&mine, NULL, NULL, &reg), ERROR_SUCCESS);
    struct reader r = consume(name);
    begin(&r);
    assert_int_equal(api->EventWriteString(reg, 4, 1, L"nobody listens"), ERROR_SUCCESS);
    assert_int_equal(api->EnableTraceEx2(handle, &mine, 1, 4, 0, 0, 0, NULL), ERROR_SUCCESS);
    assert_int_equal(api->EventWriteString(reg, 5, 1, L"too detailed"), ERROR_SUCCESS);
    assert_int_equal(api->EventWriteString(reg, 4, 1, L"heard"), ERROR_SUCCESS);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_FLUSH, NULL), ERROR_SUCCESS);
    wait_for(&seen.events, 1);
    assert_int_equal(api->EventUnregister(reg), ERROR_SUCCESS);
    assert_int_equal(api->EventUnregister(reg), ERROR_INVALID_HANDLE);
    assert_int_equal(api->EventWriteString(reg, 4, 1, L"gone"), ERROR_INVALID_HANDLE);
    stop(handle);
    finish(&r);
    assert_int_equal(seen.events, 1);
    api->CloseTrace(r.trace);
}

/* ---- what the test wishes
 * ----------------------------------------------------------------------------- */

static void limits_hold(void **unused)
{
    (void)unused;
    struct etw_properties p = make(REAL_TIME | SYSTEM, 0);
    struct etw_properties *const all = calloc(64, sizeof *all);
    PEVENT_TRACE_PROPERTIES at[64];
    TRACEHANDLE handle;
    ULONG count = 0;
    assert_int_equal(etw_api()->StartTraceW(&handle, L"Ninth", &p.p), ERROR_NO_SYSTEM_RESOURCES);
    handle = start(L"Last", REAL_TIME, 0); /* 55 + 8 are there */
    p = make(REAL_TIME, 0);
    TRACEHANDLE none;
    assert_int_equal(etw_api()->StartTraceW(&none, L"One more", &p.p), ERROR_NO_SYSTEM_RESOURCES);
    for (unsigned i = 0; i < 64; i++) {
        all[i] = make(0, 0);
        at[i] = &all[i].p;
    }
    assert_int_equal(etw_api()->QueryAllTracesW(at, 10, &count), ERROR_MORE_DATA);
    assert_int_equal(count, 64);
    assert_int_equal(etw_api()->QueryAllTracesW(at, 64, &count), ERROR_SUCCESS);
    assert_int_equal(count, 64);
    stop(handle);
    free(all);
}

static void faults_come_when_they_are_due(void **unused)
{
    (void)unused;
    struct etw_properties p = make(REAL_TIME, 0);
    TRACEHANDLE handle = 0;
    assert_int_equal(etw_api()->StartTraceW(&handle, L"A", &p.p), ERROR_ACCESS_DENIED);
    assert_int_equal(etw_api()->StartTraceW(&handle, L"A", &p.p), ERROR_SUCCESS);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_QUERY, NULL), ERROR_SUCCESS);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_FLUSH, NULL), ERROR_SUCCESS);
    for (int i = 0; i < 3; i++)
        assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_QUERY, NULL),
                         ERROR_WMI_INSTANCE_NOT_FOUND);
    assert_null(etw_api()->TdhEnumerateProviders);
    stop(handle);
}

static void rights_are_asked_for(void **unused)
{
    (void)unused;
    struct etw_properties p = make(REAL_TIME | SYSTEM, PROCESS);
    TRACEHANDLE handle = 0;
    assert_int_equal(etw_api()->StartTraceW(&handle, L"A", &p.p), ERROR_ACCESS_DENIED);
    stop(start(L"B", REAL_TIME, 0));
}

static void losses_are_counted_and_told(void **unused)
{
    (void)unused;
    const struct etw_properties p = watch(SYSTEM, CSWITCH | THREAD, &seen.lost, 3);
    assert_true(p.p.EventsLost > 0);
    assert_true(p.p.RealTimeBuffersLost > 0);
}

static void disorder_is_made(void **unused)
{
    (void)unused;
    watch(SYSTEM, CSWITCH, &seen.events, 2000);
    assert_true(seen.late > 50);
}

static void somebody_stops_the_session(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Victim";
    const TRACEHANDLE handle = start(name, REAL_TIME | SYSTEM, CSWITCH);
    struct reader r = consume(name);
    begin(&r);
    assert_int_equal(finish(&r), ERROR_SUCCESS);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_STOP, NULL),
                     ERROR_WMI_INSTANCE_NOT_FOUND);
    assert_int_equal(etw_api()->CloseTrace(r.trace), ERROR_SUCCESS);
}

static void reading_breaks_off(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Broken";
    const TRACEHANDLE handle = start(name, REAL_TIME | SYSTEM, CSWITCH);
    struct reader r = consume(name);
    begin(&r);
    assert_int_equal(finish(&r), ERROR_NOACCESS);
    assert_int_equal(etw_api()->CloseTrace(r.trace), ERROR_SUCCESS);
    stop(handle);
}

static void the_provider_floods(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Flooded";
    const TRACEHANDLE handle = start(name, REAL_TIME, 0);
    assert_int_equal(etw_api()->EnableTraceEx2(handle, &fake_guid, 1, 5, 0, 0, 0, NULL),
                     ERROR_SUCCESS);
    struct reader r = consume(name);
    begin(&r);
    wait_for(&seen.own, 5000);
    stop(handle);
    finish(&r);
    etw_api()->CloseTrace(r.trace);
}

static void files_are_told_as_if_now(void **unused)
{
    (void)unused;
    LARGE_INTEGER before, after;
    QueryPerformanceCounter(&before);
    watch(SYSTEM, PROCESS | THREAD, &seen.classes[3], 3);
    QueryPerformanceCounter(&after);
    assert_true(seen.wide32 > 0);
    assert_true(seen.last > before.QuadPart && seen.last < after.QuadPart + 10000000);
}

static void bursts_keep_their_rate(void **unused)
{
    (void)unused;
    watch(SYSTEM, PROCESS | THREAD | CSWITCH | DISK, &seen.events, 100000);
    assert_int_equal(seen.late, 0);
}

/* ---- the parts
 * ------------------------------------------------------------------------------------------ */

#define FILES_32 "../shared/etl/sawbuck-process_data_32_v3.etl"

#define TEST(f) cmocka_unit_test(f)
static const struct part {
    const char *name, *play;
    struct CMUnitTest tests[10];
    const char *needs; /* a file, or NULL */
} parts[] = {
    {"arguments",
     "machine=no",
     {TEST(starts_are_checked), TEST(names_and_guids_are_unique), TEST(controls_are_checked),
      TEST(providers_are_checked), TEST(information_is_checked), TEST(consumers_are_checked),
      TEST(schemas_are_told)},
     NULL},
    {"delivery",
     "rate=20000",
     {TEST(only_what_is_enabled_comes), TEST(a_session_for_providers_gets_no_kernel_events),
      TEST(samples_need_the_privilege_and_stacks_a_wish), TEST(flags_can_change),
      TEST(closing_ends_the_reading), TEST(the_buffer_callback_can_say_enough),
      TEST(own_events_come_back)},
     NULL},
    {"limits", "machine=no;sessions=55;system_sessions=8", {TEST(limits_hold)}, NULL},
    {"faults",
     "machine=no;fail=StartTraceW:5@1;fail=ControlTraceW.QUERY:4201@2+;absent="
     "TdhEnumerateProviders",
     {TEST(faults_come_when_they_are_due)},
     NULL},
    {"rights", "rights=performance", {TEST(rights_are_asked_for)}, NULL},
    {"loss", "rate=50000;lose=200;lost_buffers=2", {TEST(losses_are_counted_and_told)}, NULL},
    {"disorder", "rate=50000;disorder=50", {TEST(disorder_is_made)}, NULL},
    {"stop", "stop=400ms", {TEST(somebody_stops_the_session)}, NULL},
    {"break", "break=400ms:998", {TEST(reading_breaks_off)}, NULL},
    {"flood", "machine=no;flood=20000", {TEST(the_provider_floods)}, NULL},
    {"files", "machine=no;speed=1000;files=" FILES_32, {TEST(files_are_told_as_if_now)}, FILES_32},
    {"burst", "machine=no;burst=1000:5", {TEST(bursts_keep_their_rate)}, NULL},
};

static int run_here(const struct part *p)
{
    size_t count = 0;
    while (count < sizeof p->tests / sizeof *p->tests && p->tests[count].test_func)
        count++;
    return _cmocka_run_group_tests(p->name, p->tests, count, NULL, NULL);
}

static int run_apart(const char *program, const char *library, const struct part *p)
{
    char line[1024];
    DWORD status = 1;
    STARTUPINFOA info = {.cb = sizeof info};
    PROCESS_INFORMATION process;
    snprintf(line, sizeof line, "\"%s\" \"%s\" %s", program, library, p->name);
    SetEnvironmentVariableA("TRACETOP_TEST_ETW", library);
    SetEnvironmentVariableA("TRACETOP_TEST_ETW_PLAY", p->play);
    if (!CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &info, &process))
        return fprintf(stderr, "cannot start %s\n", program), 1;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &status);
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
    if (status)
        printf("part %s ended with status %lu\n", p->name, status);
    return status != 0;
}

static bool is_there(const char *path)
{
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
}

int main(int argc, char **argv)
{
    char program[MAX_PATH];
    int failed = 0;
    if (argc < 2)
        return fprintf(stderr, "usage: test_etwfake DLL [PART]\n"), 2;
    GetModuleFileNameA(NULL, program, sizeof program);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *const p = &parts[i];
        if (argc > 2 && strcmp(argv[2], p->name) == 0)
            return run_here(p);
        if (argc > 2)
            continue;
        if (p->needs && !is_there(p->needs))
            printf("part %s: %s is absent, skipped\n", p->name, p->needs);
        else
            failed += run_apart(program, argv[1], p);
        fflush(stdout);
    }
    return failed != 0;
}
