/* The seam to ETW: every call goes through one table of pointers, so that the test program can
 * put a stand-in behind it and nothing else differs (tests/etw/). Functions that this system
 * does not have are NULL and tested for. Besides, what the compiler's headers lack of the API.
 *
 * Threads: the table is made once, by the first call, which the program's start makes; then it
 * is read only. */
#ifndef COLLECTORS_WINDOWS_ETW_API_H
#define COLLECTORS_WINDOWS_ETW_API_H

#include "collectors/windows/etw_event.h"

#include <evntprov.h>
#include <evntrace.h>
#include <tdh.h>

/* ---- what the headers lack ----------------------------------------------------------- */

enum {
    /* ENABLE_TRACE_PARAMETERS.EnableProperty */
    ETW_PROPERTY_PSM_KEY = 0x8,
    ETW_PROPERTY_IGNORE_KEYWORD_0 = 0x10,
    ETW_PROPERTY_PROCESS_START_KEY = 0x80,
    ETW_PROPERTY_EVENT_KEY = 0x100,

    /* EVENT_INFO_CLASS and the first byte of EVENT_DATA_DESCRIPTOR.Reserved */
    ETW_SET_TRAITS = 2,
    ETW_DATA_EVENT_METADATA = 1,
    ETW_DATA_PROVIDER_METADATA = 2,

    /* TRACE_INFO_CLASS beyond the headers' last */
    ETW_MAX_LOGGERS_QUERY = 19,

    /* Sessions: EVENT_TRACE_PROPERTIES */
    ETW_CLOCK_QPC = 1,
    ETW_CLOCK_SYSTEM = 2,
    ETW_CLOCK_CYCLES = 3,
    ETW_NAME_UNITS = 1024,   /* of session and file names, with their NUL */
    ETW_SESSIONS_MOST = 256, /* EtwMaxLoggers can say at most this */
    ETW_KERNEL_SESSIONS = 6, /* private ones: of eight places Windows keeps two, for the "NT Kernel
                              * Logger" and the "Circular Kernel Context Logger" */
    ETW_BUILD_8 = 9200,      /* the first with private kernel sessions */
    ETW_BUILD_PROVIDERS = 20348, /* the first with System providers */
    ETW_CLASSIC_IDS = 256,       /* of TraceStackTracingInfo */
    ETW_GROUP_MASKS = 8,         /* 32-bit words of PERFINFO_GROUPMASK */
};

#define ETW_NO_TRACE ((TRACEHANDLE)INVALID_HANDLE_VALUE) /* what OpenTraceW returns on failure */

/* What a session is made of: the properties and room for both names behind them. */
struct etw_properties {
    EVENT_TRACE_PROPERTIES p;
    WCHAR name[ETW_NAME_UNITS];
    WCHAR file[ETW_NAME_UNITS];
};

/* CLASSIC_EVENT_ID and TRACE_PROFILE_INTERVAL as documented; not in every evntrace.h. */
struct etw_classic_id {
    GUID guid;
    UCHAR type;
    UCHAR reserved[7];
};

struct etw_profile_interval {
    ULONG source;
    ULONG interval; /* 100 ns */
};

/* ENABLE_TRACE_PARAMETERS of version 2. */
struct etw_enable_parameters {
    ULONG version;
    ULONG enable_property;
    ULONG control_flags;
    GUID source_id;
    PEVENT_FILTER_DESCRIPTOR filters;
    ULONG filter_count;
};

/* ---- the table ----------------------------------------------------------------------- */

/* Every function: what it returns, its name, its parameters. The one list for the table and for
 * both loaders. Where the API has enumerations, it takes ULONG here: the headers' lack values. */
#define ETW_FUNCTIONS(F)                                                                           \
    F(ULONG, StartTraceW, (PTRACEHANDLE, LPCWSTR, PEVENT_TRACE_PROPERTIES))                        \
    F(ULONG, ControlTraceW, (TRACEHANDLE, LPCWSTR, PEVENT_TRACE_PROPERTIES, ULONG))                \
    F(ULONG, QueryAllTracesW, (PEVENT_TRACE_PROPERTIES *, ULONG, PULONG))                          \
    F(ULONG, EnableTraceEx2,                                                                       \
      (TRACEHANDLE, LPCGUID, ULONG, UCHAR, ULONGLONG, ULONGLONG, ULONG,                            \
       struct etw_enable_parameters *))                                                            \
    F(ULONG, TraceSetInformation, (TRACEHANDLE, ULONG, PVOID, ULONG))                              \
    F(ULONG, TraceQueryInformation, (TRACEHANDLE, ULONG, PVOID, ULONG, PULONG))                    \
    F(ULONG, EnumerateTraceGuidsEx, (ULONG, PVOID, ULONG, PVOID, ULONG, PULONG))                   \
    F(TRACEHANDLE, OpenTraceW, (PEVENT_TRACE_LOGFILEW))                                            \
    F(ULONG, ProcessTrace, (PTRACEHANDLE, ULONG, LPFILETIME, LPFILETIME))                          \
    F(ULONG, CloseTrace, (TRACEHANDLE))                                                            \
    F(ULONG, EventRegister, (LPCGUID, PENABLECALLBACK, PVOID, PREGHANDLE))                         \
    F(ULONG, EventUnregister, (REGHANDLE))                                                         \
    F(ULONG, EventWrite, (REGHANDLE, PCEVENT_DESCRIPTOR, ULONG, PEVENT_DATA_DESCRIPTOR))           \
    F(ULONG, EventWriteString, (REGHANDLE, UCHAR, ULONGLONG, PCWSTR))                              \
    F(ULONG, EventSetInformation, (REGHANDLE, ULONG, PVOID, ULONG))                                \
    F(ULONG, TdhGetEventInformation,                                                               \
      (PEVENT_RECORD, ULONG, PTDH_CONTEXT, PTRACE_EVENT_INFO, PULONG))                             \
    F(ULONG, TdhGetEventMapInformation, (PEVENT_RECORD, LPWSTR, PEVENT_MAP_INFO, PULONG))          \
    F(ULONG, TdhEnumerateProviders, (PPROVIDER_ENUMERATION_INFO, PULONG))                          \
    F(ULONG, TdhEnumerateProviderFieldInformation,                                                 \
      (LPCGUID, ULONG, PPROVIDER_FIELD_INFOARRAY, PULONG))

struct etw_api {
#define ETW_MEMBER(type, name, parameters) type(WINAPI *name) parameters;
    ETW_FUNCTIONS(ETW_MEMBER)
#undef ETW_MEMBER
    ULONG build; /* of this Windows; 0: unknown, to be taken for a current one */
};

/* Never NULL; its members may be. */
const struct etw_api *etw_api(void);

#endif
