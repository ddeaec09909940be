/* The stand-in's checks of arguments: it must be as strict as what it stands in for, or tests
 * against it prove nothing.
 *
 * usage: test_arguments DLL */
#include "tests/etw/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { PROCESS = 1 };

static const GUID kernel_guid = {
    0x9e814aad, 0x3204, 0x11d2, {0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39}};

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

static void WINAPI ignore(PEVENT_RECORD record)
{
    (void)record;
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
    file.EventRecordCallback = ignore;
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

static void schemas_are_reported(void **unused)
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
    static WCHAR numbers[] = L"Tracetop-Numbers", nothing[] = L"Nothing";
    EVENT_MAP_INFO *const map = (void *)room;
    size = 0;
    assert_int_equal(api->TdhGetEventMapInformation(&r, numbers, NULL, &size),
                     ERROR_INSUFFICIENT_BUFFER);
    assert_true(size > 0 && size <= sizeof room);
    assert_int_equal(api->TdhGetEventMapInformation(&r, numbers, map, &size), ERROR_SUCCESS);
    assert_int_equal(map->EntryCount, 32);
    assert_int_equal(api->TdhGetEventMapInformation(&r, nothing, map, &size), ERROR_NOT_FOUND);
    r.EventHeader.EventDescriptor.Id = 2;
    assert_int_equal(api->TdhGetEventInformation(&r, 0, NULL, info, &size), ERROR_NOT_FOUND);
    assert_int_equal(api->TdhGetEventInformation(NULL, 0, NULL, info, &size),
                     ERROR_INVALID_PARAMETER);
    size = 0;
    assert_int_equal(api->TdhEnumerateProviders(NULL, &size), ERROR_INSUFFICIENT_BUFFER);
    assert_int_equal(api->TdhEnumerateProviders((void *)room, &size), ERROR_SUCCESS);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_checked),     cmocka_unit_test(names_and_guids_are_unique),
        cmocka_unit_test(controls_are_checked),   cmocka_unit_test(providers_are_checked),
        cmocka_unit_test(information_is_checked), cmocka_unit_test(consumers_are_checked),
        cmocka_unit_test(schemas_are_reported),
    };
    if (argc != 2)
        return fprintf(stderr, "usage: test_arguments DLL\n"), 2;
    SetEnvironmentVariableA("TRACETOP_TEST_ETW", argv[1]);
    SetEnvironmentVariableA("TRACETOP_TEST_ETW_PLAY", "machine=no");
    return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
