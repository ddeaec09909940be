/* EVENT_RECORD and its parts as documented, for a 64-bit consumer. */
#ifndef TESTS_CASSETTE_NATIVE_EVNTCONS_H
#define TESTS_CASSETTE_NATIVE_EVNTCONS_H

#include <windows.h>

#define EVENT_HEADER_EXT_TYPE_INSTANCE_INFO 4
#define EVENT_HEADER_EXT_TYPE_PEBS_INDEX 7
#define EVENT_HEADER_EXT_TYPE_PMC_COUNTERS 8

#define EVENT_HEADER_PROPERTY_LEGACY_EVENTLOG 4

#define EVENT_HEADER_FLAG_EXTENDED_INFO 0x001
#define EVENT_HEADER_FLAG_PRIVATE_SESSION 0x002
#define EVENT_HEADER_FLAG_STRING_ONLY 0x004
#define EVENT_HEADER_FLAG_TRACE_MESSAGE 0x008
#define EVENT_HEADER_FLAG_NO_CPUTIME 0x010
#define EVENT_HEADER_FLAG_32_BIT_HEADER 0x020
#define EVENT_HEADER_FLAG_64_BIT_HEADER 0x040
#define EVENT_HEADER_FLAG_CLASSIC_HEADER 0x100
#define EVENT_HEADER_FLAG_PROCESSOR_INDEX 0x200

typedef struct {
    USHORT Id;
    UCHAR Version, Channel, Level, Opcode;
    USHORT Task;
    ULONGLONG Keyword;
} EVENT_DESCRIPTOR;

typedef struct {
    USHORT Size, HeaderType, Flags, EventProperty;
    ULONG ThreadId, ProcessId;
    LARGE_INTEGER TimeStamp;
    GUID ProviderId;
    EVENT_DESCRIPTOR EventDescriptor;
    union {
        struct {
            ULONG KernelTime, UserTime;
        };
        ULONG64 ProcessorTime;
    };
    GUID ActivityId;
} EVENT_HEADER;

typedef struct {
    union {
        struct {
            UCHAR ProcessorNumber, Alignment;
        };
        USHORT ProcessorIndex;
    };
    USHORT LoggerId;
} ETW_BUFFER_CONTEXT;

typedef struct {
    USHORT Reserved1, ExtType;
    struct {
        USHORT Linkage : 1;
        USHORT Reserved2 : 15;
    };
    USHORT DataSize;
    ULONGLONG DataPtr;
} EVENT_HEADER_EXTENDED_DATA_ITEM;

typedef struct {
    EVENT_HEADER EventHeader;
    ETW_BUFFER_CONTEXT BufferContext;
    USHORT ExtendedDataCount, UserDataLength;
    EVENT_HEADER_EXTENDED_DATA_ITEM *ExtendedData;
    PVOID UserData, UserContext;
} EVENT_RECORD;

_Static_assert(sizeof(EVENT_HEADER) == 80, "EVENT_HEADER");
_Static_assert(offsetof(EVENT_HEADER, ProviderId) == 24, "ProviderId");
_Static_assert(offsetof(EVENT_HEADER, EventDescriptor) == 40, "EventDescriptor");
_Static_assert(offsetof(EVENT_HEADER, ActivityId) == 64, "ActivityId");
_Static_assert(sizeof(EVENT_HEADER_EXTENDED_DATA_ITEM) == 16, "extended data");
_Static_assert(sizeof(EVENT_RECORD) == 112, "EVENT_RECORD");
_Static_assert(offsetof(EVENT_RECORD, BufferContext) == 80, "BufferContext");
_Static_assert(offsetof(EVENT_RECORD, ExtendedData) == 88, "ExtendedData");

#endif
