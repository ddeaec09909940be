/* The stand-in itself: what it delivers, and that it does what the test requests. Every part runs
 * in a process of its own, with requests of its own: the program calls itself with the part's name.
 *
 * usage: test_etwfake DLL [PART] */
#include "tests/etw/sessions.h"

#include "collectors/collectors.h"
#include "collectors/windows/etw_session.h"

#include "src/event/event.h"
#include "src/event/mark.h"
#include "src/event/tracetop_provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { RAW = 0x1000 };
enum {
    PROCESS = 1,
    THREAD = 2,
    CSWITCH = 0x10,
    DISK = 0x100,
    FILENAMES = 0x200,
    PROFILE = 0x01000000
};

static const GUID lost_guid = {
    0x6a399ae0, 0x4bc6, 0x4de9, {0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e}};

/* ---- what all parts need -------------------------------------------------------------- */

struct seen_mark {
    volatile LONG count;
    UCHAR level, channel;
    bool has_schema;
    char payload[64];
};

/* What came, seen from a callback. */
static struct seen {
    struct seen_mark mark;
    volatile LONG events, kernel, classes[0x20], own, lost, stacks, wide32, late, names;
    LONGLONG last;
    LONG most; /* buffers; 0 = no limit */
    LONG buffers;
} seen;

static void see_mark(struct seen_mark *to, PEVENT_RECORD r);

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
    see_mark(&seen.mark, r);
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

/* ---- delivery -------------------------------------------------------------------------------- */

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

static void samples_need_the_privilege_and_stacks_a_request(void **unused)
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
    struct etw_properties p = make(REAL_TIME, DISK);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_UPDATE, &p), ERROR_SUCCESS);
    wait_for(&seen.classes[1], 5);
    stop(handle);
    finish(&r);
    etw_api()->CloseTrace(r.trace);
}

static ULONG mode_of(TRACEHANDLE handle)
{
    struct etw_properties p = make(0, 0);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_QUERY, &p), ERROR_SUCCESS);
    return p.p.LogFileMode;
}

/* An update whose mode is 0 ends live delivery; ours do not. */
static void updated_sessions_stay_live(void **unused)
{
    (void)unused;
    WCHAR name[] = L"Growing";
    const TRACEHANDLE handle = start(name, REAL_TIME | SYSTEM, CSWITCH);
    const struct etw_session ours = {.handle = handle, .flags = CSWITCH};
    assert_int_equal(session_grow_etw(&ours, 300), ERROR_SUCCESS);
    assert_true(mode_of(handle) & REAL_TIME);
    assert_int_equal(session_flags_etw(&ours, DISK), ERROR_SUCCESS);
    assert_true(mode_of(handle) & REAL_TIME);
    struct etw_properties p = make(0, DISK);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_UPDATE, &p), ERROR_SUCCESS);
    assert_false(mode_of(handle) & REAL_TIME);
    stop(handle);
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

/* `tracetop mark` as other programs' sessions have it: an event that describes itself. */
static void see_mark(struct seen_mark *to, PEVENT_RECORD r)
{
    const EVENT_HEADER *const h = &r->EventHeader;
    if (memcmp(&h->ProviderId, &tracetop_provider, sizeof h->ProviderId) != 0)
        return;
    to->level = h->EventDescriptor.Level;
    to->channel = h->EventDescriptor.Channel;
    for (USHORT i = 0; i < r->ExtendedDataCount; i++)
        if (r->ExtendedData[i].ExtType == ETW_EXT_SCHEMA_TL)
            to->has_schema = memcmp((const char *)(uintptr_t)r->ExtendedData[i].DataPtr + 3, "Mark",
                                    sizeof "Mark") == 0;
    if (r->UserDataLength <= sizeof to->payload)
        memcpy(to->payload, r->UserData, r->UserDataLength);
    InterlockedIncrement(&to->count);
}

static void marks_are_events_of_a_provider(void **unused)
{
    (void)unused;
    static const char payload[] = "fetch failed\0\x11\0\0\0\0\0\0";
    WCHAR name[] = L"Others";
    GUID provider;
    struct new_mark m = {.level = 3};
    struct err err;
    mark_text(m.text, "fetch failed");
    assert_true(mark_add_field(&m, "order=17", &err));
    assert_false(etw_mark(&m)); /* nobody has it enabled */
    const TRACEHANDLE handle = start(name, REAL_TIME, 0);
    struct reader r = consume(name);
    begin(&r);
    memcpy(&provider, &tracetop_provider, sizeof provider);
    assert_int_equal(etw_api()->EnableTraceEx2(handle, &provider, 1, 5, 0, 0, 0, NULL),
                     ERROR_SUCCESS);
    assert_true(etw_mark(&m));
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_FLUSH, NULL), ERROR_SUCCESS);
    wait_for(&seen.mark.count, 1);
    stop(handle);
    finish(&r);
    etw_api()->CloseTrace(r.trace);
    assert_int_equal(seen.mark.count, 1);
    assert_int_equal(seen.mark.level, 3);
    assert_int_equal(seen.mark.channel, 11);
    assert_true(seen.mark.has_schema);
    assert_memory_equal(seen.mark.payload, payload, sizeof payload);
    assert_false(etw_mark(&m));
}

/* ---- what the test requests ------------------------------------------------------------------ */

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

static ULONG set_mask(TRACEHANDLE handle, ULONG flags)
{
    ULONG masks[ETW_GROUP_MASKS] = {flags};
    return etw_api()->TraceSetInformation(handle, TraceSystemTraceEnableFlagsInfo, masks,
                                          sizeof masks);
}

/* One session, whose group mask is cleared and set again; names that came by then are counted, and
 * those that a rundown brings. */
static void list_names(LONG *by_clearing, LONG *by_request)
{
    static const GUID rundown = {
        0x3b9c9951, 0x3480, 0x4220, {0x93, 0x77, 0x9c, 0x8e, 0x51, 0x84, 0xf5, 0xcd}};
    WCHAR name[] = L"Named";
    const TRACEHANDLE handle = start(name, SYSTEM | REAL_TIME, THREAD | CSWITCH | FILENAMES);
    struct reader r = consume(name);
    begin(&r);
    wait_for(&seen.kernel, 1);
    assert_int_equal(set_mask(handle, 0), ERROR_SUCCESS);
    assert_int_equal(set_mask(handle, THREAD | CSWITCH | FILENAMES), ERROR_SUCCESS);
    const LONG switches = seen.classes[5];
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_FLUSH, NULL), ERROR_SUCCESS);
    wait_for(&seen.classes[5], switches + 1); /* delivered behind the names */
    *by_clearing = seen.names;
    assert_int_equal(etw_api()->EnableTraceEx2(handle, &rundown, EVENT_CONTROL_CODE_ENABLE_PROVIDER,
                                               255, 0x10, 0, 0, NULL),
                     ERROR_SUCCESS);
    stop(handle);
    assert_int_equal(finish(&r), ERROR_SUCCESS);
    assert_int_equal(etw_api()->CloseTrace(r.trace), ERROR_SUCCESS);
    *by_request = seen.names - *by_clearing;
}

static void clearing_the_mask_lists_names(void **unused)
{
    LONG by_clearing, by_request;
    (void)unused;
    list_names(&by_clearing, &by_request);
    assert_true(by_clearing > 0);
    assert_int_equal(by_request, 0);
}

static void a_rundown_lists_files(void **unused)
{
    LONG by_clearing, by_request;
    (void)unused;
    list_names(&by_clearing, &by_request);
    assert_int_equal(by_clearing, 0);
    assert_true(by_request > 0);
}

static void windows_keeps_two_places(void **unused)
{
    (void)unused;
    struct etw_properties p = make(REAL_TIME | SYSTEM, 0);
    TRACEHANDLE handle;
    const TRACEHANDLE sixth = start(L"Sixth", REAL_TIME | SYSTEM, 0);
    assert_int_equal(etw_api()->StartTraceW(&handle, L"Seventh", &p.p), ERROR_NO_SYSTEM_RESOURCES);
    stop(sixth);
}

static void flags_are_forgotten(void **unused)
{
    (void)unused;
    struct etw_properties p = make(0, 0);
    ULONG masks[ETW_GROUP_MASKS], bytes;
    const TRACEHANDLE handle = start(L"A", REAL_TIME | SYSTEM, PROCESS | THREAD);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_QUERY, &p), ERROR_SUCCESS);
    assert_int_equal(p.p.EnableFlags, 0);
    assert_int_equal(control(handle, NULL, EVENT_TRACE_CONTROL_UPDATE, &p), ERROR_SUCCESS);
    assert_int_equal(etw_api()->TraceQueryInformation(handle, TraceSystemTraceEnableFlagsInfo,
                                                      masks, sizeof masks, &bytes),
                     ERROR_SUCCESS);
    assert_int_equal(masks[0], 0);
    stop(handle);
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

static void losses_are_counted_and_reported(void **unused)
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

static void files_are_reported_as_if_now(void **unused)
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

/* ---- the parts ------------------------------------------------------------------------------- */

#define FILES_32 "../shared/etl/sawbuck-process_data_32_v3.etl"

#define TEST(f) cmocka_unit_test(f)
static const struct part {
    const char *name, *play;
    struct CMUnitTest tests[10];
    const char *needs; /* a file, or NULL */
} parts[] = {
    {"delivery",
     "rate=20000",
     {TEST(only_what_is_enabled_comes), TEST(a_session_for_providers_gets_no_kernel_events),
      TEST(samples_need_the_privilege_and_stacks_a_request), TEST(flags_can_change),
      TEST(updated_sessions_stay_live), TEST(closing_ends_the_reading),
      TEST(the_buffer_callback_can_say_enough), TEST(own_events_come_back),
      TEST(marks_are_events_of_a_provider)},
     NULL},
    {"limits", "machine=no;sessions=55;system_sessions=8", {TEST(limits_hold)}, NULL},
    {"clear",
     "unkind=no-names-on-stop,no-names-provider",
     {TEST(clearing_the_mask_lists_names)},
     NULL},
    {"rundown", "unkind=no-names-on-stop,no-names-on-clear", {TEST(a_rundown_lists_files)}, NULL},
    {"places",
     "machine=no;unkind=six-slots;system_sessions=5;reserved=1",
     {TEST(windows_keeps_two_places)},
     NULL},
    {"flags", "machine=no;unkind=forgets-flags", {TEST(flags_are_forgotten)}, NULL},
    {"faults",
     "machine=no;fail=StartTraceW:5@1;fail=ControlTraceW.QUERY:4201@2+;absent="
     "TdhEnumerateProviders",
     {TEST(faults_come_when_they_are_due)},
     NULL},
    {"rights", "rights=performance", {TEST(rights_are_asked_for)}, NULL},
    {"loss", "rate=50000;lose=200;lost_buffers=2", {TEST(losses_are_counted_and_reported)}, NULL},
    {"disorder", "rate=50000;disorder=50", {TEST(disorder_is_made)}, NULL},
    {"stop", "stop=400ms", {TEST(somebody_stops_the_session)}, NULL},
    {"break", "break=400ms:998", {TEST(reading_breaks_off)}, NULL},
    {"flood", "machine=no;flood=20000", {TEST(the_provider_floods)}, NULL},
    {"files",
     "machine=no;speed=1000;files=" FILES_32,
     {TEST(files_are_reported_as_if_now)},
     FILES_32},
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
