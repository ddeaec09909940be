/* The schemas that the machine knows: of the stand-in's own provider, and of nobody else. */
#include "tests/etw/fake.h"

#include <string.h>

enum { TYPE_UNICODE = 1, TYPE_UINT32 = 8, NOT_FOUND = 1168 };

static const WCHAR provider_name[] = L"Tracetop-Stand-In";

/* Texts behind a structure that has offsets of them. */
struct tail {
    uint8_t *start;
    ULONG used, room;
};

static ULONG put(struct tail *t, const WCHAR *text)
{
    const ULONG bytes = (ULONG)((wcslen(text) + 1) * sizeof *text), at = t->used;
    if (t->start && at + bytes <= t->room)
        memcpy(t->start + at, text, bytes);
    t->used += bytes;
    return at;
}

static ULONG finish(const struct tail *t, PULONG size)
{
    *size = t->used;
    return t->used > t->room ? ERROR_INSUFFICIENT_BUFFER : ERROR_SUCCESS;
}

/* How TDH takes every question. */
static ULONG ask(const char *name)
{
    enum { SLOW = 200 };
    const ULONG code = play_call(name, NULL);
    if (unkind(UNKIND_TDH_IS_SLOW))
        Sleep(SLOW);
    return code ? code : unkind(UNKIND_TDH_FAILS) ? NOT_FOUND : ERROR_SUCCESS;
}

/* ---- events -------------------------------------------------------------------------------- */

static const WCHAR map_name[] = L"Tracetop-Numbers";

static const struct {
    const WCHAR *name;
    USHORT type, length;
    const WCHAR *map;
} properties[] = {{L"Number", TYPE_UINT32, 4, map_name}, {L"Text", TYPE_UNICODE, 0, NULL}};
enum { PROPERTIES = sizeof properties / sizeof *properties };

static ULONG describe(const EVENT_RECORD *record, PTRACE_EVENT_INFO info, PULONG size)
{
    const ULONG fixed = (ULONG)(offsetof(TRACE_EVENT_INFO, EventPropertyInfoArray) +
                                PROPERTIES * sizeof(EVENT_PROPERTY_INFO));
    struct tail t = {(uint8_t *)info, fixed, *size};
    TRACE_EVENT_INFO head = {.ProviderGuid = fake_provider,
                             .EventDescriptor = record->EventHeader.EventDescriptor,
                             .DecodingSource = DecodingSourceXMLFile,
                             .ProviderNameOffset = put(&t, provider_name),
                             .TaskNameOffset = put(&t, L"Flood"),
                             .OpcodeNameOffset = put(&t, L"Info"),
                             .LevelNameOffset = put(&t, L"Information"),
                             .PropertyCount = PROPERTIES,
                             .TopLevelPropertyCount = PROPERTIES};
    EVENT_PROPERTY_INFO rows[PROPERTIES] = {0};
    for (unsigned i = 0; i < PROPERTIES; i++) {
        rows[i].NameOffset = put(&t, properties[i].name);
        rows[i].nonStructType.InType = properties[i].type;
        if (properties[i].map)
            rows[i].nonStructType.MapNameOffset = put(&t, properties[i].map);
        rows[i].count = 1;
        rows[i].length = properties[i].length;
    }
    const ULONG code = finish(&t, size);
    if (code)
        return code;
    memcpy(info, &head, offsetof(TRACE_EVENT_INFO, EventPropertyInfoArray));
    memcpy(info->EventPropertyInfoArray, rows, sizeof rows);
    return ERROR_SUCCESS;
}

ULONG WINAPI fake_TdhGetEventInformation(PEVENT_RECORD record, ULONG count, PTDH_CONTEXT context,
                                         PTRACE_EVENT_INFO info, PULONG size)
{
    const ULONG code = ask("TdhGetEventInformation");
    if (code)
        return code;
    if (!record || !size || (count && !context) || (*size && !info))
        return ERROR_INVALID_PARAMETER;
    if (!IsEqualGUID(&record->EventHeader.ProviderId, &fake_provider) ||
        record->EventHeader.EventDescriptor.Id != FAKE_EVENT)
        return NOT_FOUND;
    return describe(record, info, size);
}

/* Names of a number's bits: any number has some. */
static ULONG describe_map(PEVENT_MAP_INFO map, PULONG size)
{
    enum { NAMES = 32 };
    const ULONG fixed =
        (ULONG)(offsetof(EVENT_MAP_INFO, MapEntryArray) + NAMES * sizeof(EVENT_MAP_ENTRY));
    struct tail t = {(uint8_t *)map, fixed, *size};
    EVENT_MAP_INFO head = {.NameOffset = put(&t, map_name),
                           .Flag = EVENTMAP_INFO_FLAG_MANIFEST_BITMAP,
                           .EntryCount = NAMES};
    EVENT_MAP_ENTRY rows[NAMES];
    for (ULONG i = 0; i < NAMES; i++) {
        WCHAR name[8] = L"bit00 ";
        name[3] = (WCHAR)(L'0' + i / 10);
        name[4] = (WCHAR)(L'0' + i % 10);
        rows[i] = (EVENT_MAP_ENTRY){.OutputOffset = put(&t, name), .Value = 1u << i};
    }
    const ULONG code = finish(&t, size);
    if (code)
        return code;
    memcpy(map, &head, offsetof(EVENT_MAP_INFO, MapEntryArray));
    memcpy(map->MapEntryArray, rows, sizeof rows);
    return ERROR_SUCCESS;
}

ULONG WINAPI fake_TdhGetEventMapInformation(PEVENT_RECORD record, LPWSTR name, PEVENT_MAP_INFO map,
                                            PULONG size)
{
    const ULONG code = ask("TdhGetEventMapInformation");
    if (code)
        return code;
    if (!record || !name || !size || (*size && !map))
        return ERROR_INVALID_PARAMETER;
    if (!IsEqualGUID(&record->EventHeader.ProviderId, &fake_provider) ||
        wcscmp(name, map_name) != 0)
        return NOT_FOUND;
    return describe_map(map, size);
}

/* ---- providers ------------------------------------------------------------------------------- */

static const struct {
    GUID guid;
    const WCHAR *name;
} providers[] = {
    {{0x5a7d1ee0, 0x7e57, 0x4e7a, {0x9b, 0x01, 0x5a, 0x17, 0xde, 0xad, 0xbe, 0xef}},
     L"Tracetop-Stand-In"},
    {{0x22fb2cd6, 0x0e7b, 0x422b, {0xa0, 0xc7, 0x2f, 0xad, 0x1f, 0xd0, 0xe7, 0x16}},
     L"Microsoft-Windows-Kernel-Process"},
};
enum { PROVIDERS = sizeof providers / sizeof *providers };

ULONG WINAPI fake_TdhEnumerateProviders(PPROVIDER_ENUMERATION_INFO to, PULONG size)
{
    ULONG code = ask("TdhEnumerateProviders");
    if (code)
        return code;
    if (!size || (*size && !to))
        return ERROR_INVALID_PARAMETER;
    struct tail t = {(uint8_t *)to,
                     (ULONG)(offsetof(PROVIDER_ENUMERATION_INFO, TraceProviderInfoArray) +
                             PROVIDERS * sizeof(TRACE_PROVIDER_INFO)),
                     *size};
    TRACE_PROVIDER_INFO rows[PROVIDERS];
    for (unsigned i = 0; i < PROVIDERS; i++)
        rows[i] = (TRACE_PROVIDER_INFO){.ProviderGuid = providers[i].guid,
                                        .ProviderNameOffset = put(&t, providers[i].name)};
    code = finish(&t, size);
    if (code)
        return code;
    to->NumberOfProviders = PROVIDERS;
    to->Padding = 0;
    memcpy(to->TraceProviderInfoArray, rows, sizeof rows);
    return ERROR_SUCCESS;
}

ULONG WINAPI fake_TdhEnumerateProviderFieldInformation(LPCGUID guid, ULONG type,
                                                       PPROVIDER_FIELD_INFOARRAY to, PULONG size)
{
    enum { KEYWORDS = 0, TYPES = 5 };
    ULONG code = ask("TdhEnumerateProviderFieldInformation");
    if (code)
        return code;
    if (!guid || !size || type >= TYPES || (*size && !to))
        return ERROR_INVALID_PARAMETER;
    if (!IsEqualGUID(guid, &fake_provider) || type != KEYWORDS)
        return NOT_FOUND;
    struct tail t = {(uint8_t *)to, sizeof(PROVIDER_FIELD_INFOARRAY), *size};
    const PROVIDER_FIELD_INFO row = {.NameOffset = put(&t, L"Flood"), .Value = 1};
    code = finish(&t, size);
    if (code)
        return code;
    to->NumberOfElements = 1;
    to->FieldType = EventKeywordInformation;
    to->FieldInfoArray[0] = row;
    return ERROR_SUCCESS;
}
