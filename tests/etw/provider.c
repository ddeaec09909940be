/* Providers: which session wants which events of whom, and events that this program writes. */
#include "tests/etw/fake.h"

#include "src/base/bytes.h"
#include "src/base/payload_writer.h"

#include <string.h>

const GUID fake_provider = {
    0x5a7d1ee0, 0x7e57, 0x4e7a, {0x9b, 0x01, 0x5a, 0x17, 0xde, 0xad, 0xbe, 0xef}};

enum {
    REGISTRATIONS = 16,
    HANDLE_BASE = 0x7000,
    TRAITS = 512,
    FILTERS_MOST = 13,
    RECORD_MOST = 65535,
    HEADER = 80,
    EVENT_HEADER_64 = 19,
    FLAG_EXTENDED = 1,
    FLAG_STRING = 4,
    FLAG_64 = 0x40,
};

static struct registration {
    bool is_used;
    GUID provider;
    PENABLECALLBACK callback;
    void *context;
    uint8_t traits[TRAITS];
    uint16_t traits_bytes;
} registrations[REGISTRATIONS];

/* ---- what a session wants ------------------------------------------------------------------ */

const struct enabled *provider_enabled(const struct fake_session *s, const void *guid)
{
    for (unsigned i = 0; i < s->provider_count; i++)
        if (memcmp(&s->providers[i].provider, guid, sizeof(GUID)) == 0)
            return &s->providers[i];
    return NULL;
}

static bool passes_filters(const struct enabled *p, const struct event *e)
{
    bool is_pid = p->pid_count == 0, is_id = false;
    for (unsigned i = 0; i < p->pid_count; i++)
        is_pid |= p->pids[i] == e->pid;
    for (unsigned i = 0; i < p->id_count; i++)
        is_id |= p->ids[i] == e->id;
    return is_pid && (!p->has_ids || is_id == p->ids_are_wanted);
}

bool provider_wants(const struct fake_session *s, const struct event *e)
{
    const struct enabled *const p = provider_enabled(s, &e->provider);
    if (!p || (e->level && e->level > p->level))
        return false;
    if (!p->any && unkind(UNKIND_ZERO_KEYWORDS))
        return false;
    if (e->keyword == 0 ? (p->property & ETW_PROPERTY_IGNORE_KEYWORD_0) != 0
                        : (p->any && !(e->keyword & p->any)) || (e->keyword & p->all) != p->all)
        return false;
    return passes_filters(p, e);
}

/* ---- EnableTraceEx2 -------------------------------------------------------------------------- */

enum {
    FILTER_PID = (int)0x80000004,
    FILTER_NAME = (int)0x80000008,
    FILTER_ID = (int)0x80000200,
    FILTER_STACK_ID = (int)0x80001000,
};

/* u8 include, u8, u16 count, u16 ids[]. */
static bool take_ids(struct enabled *p, const uint8_t *at, ULONG bytes)
{
    const unsigned count = bytes >= 4 ? load_u16(at + 2) : FAKE_IDS + 1;
    if (count > FAKE_IDS || bytes != 4 + 2 * count)
        return false;
    p->has_ids = true;
    p->ids_are_wanted = at[0];
    p->id_count = (USHORT)count;
    for (unsigned i = 0; i < count; i++)
        p->ids[i] = load_u16(at + 4 + 2 * i);
    return true;
}

static bool take_filter(struct enabled *p, const EVENT_FILTER_DESCRIPTOR *f)
{
    const uint8_t *const at = (const uint8_t *)(uintptr_t)f->Ptr;
    if (!at || !f->Size)
        return false;
    switch ((int)f->Type) {
    case FILTER_PID:
        if (f->Size % sizeof(ULONG) || f->Size > sizeof p->pids)
            return false;
        memcpy(p->pids, at, f->Size);
        p->pid_count = f->Size / sizeof(ULONG);
        return true;
    case FILTER_NAME:
        return f->Size >= 4 && f->Size % 2 == 0 && load_u16(at + f->Size - 2) == 0;
    case FILTER_ID:
        return take_ids(p, at, f->Size);
    case FILTER_STACK_ID: {
        struct enabled unused = {0};
        return take_ids(&unused, at, f->Size);
    }
    default:
        return (f->Type & 0x80000000) != 0;
    }
}

static bool take_parameters(struct enabled *p, const struct etw_enable_parameters *from)
{
    if (!from)
        return true;
    if ((from->version != 1 && from->version != 2) || from->control_flags ||
        from->filter_count > FILTERS_MOST || (from->filter_count && !from->filters))
        return false;
    p->property = from->enable_property;
    for (ULONG i = 0; i < from->filter_count; i++) {
        for (ULONG k = 0; k < i; k++)
            if (from->filters[k].Type == from->filters[i].Type)
                return false;
        if (!take_filter(p, &from->filters[i]))
            return false;
    }
    return true;
}

static unsigned sessions_of(const GUID *provider)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sessions_top(); i++) {
        const struct fake_session *const s = session_at(i);
        count += s->is_used && !s->is_stopped && provider_enabled(s, provider) != NULL;
    }
    return count;
}

static void log_registration(const struct enabled *p, bool is_on)
{
    for (unsigned i = 0; i < REGISTRATIONS; i++) {
        const struct registration *const r = &registrations[i];
        if (r->is_used && r->callback && IsEqualGUID(&r->provider, &p->provider))
            r->callback(&p->provider, is_on, p->level, p->any, p->all, NULL, r->context);
    }
}

/* The masks that all system providers of the session ask for together. */
static void want_systems(struct fake_session *s)
{
    memset(s->system_masks, 0, sizeof s->system_masks);
    for (unsigned i = 0; i < s->provider_count; i++)
        want_system(&s->providers[i].provider, s->providers[i].any, s->system_masks);
    session_want(s);
}

static void disable(struct fake_session *s, const GUID *provider)
{
    struct enabled *const p = (struct enabled *)provider_enabled(s, provider);
    if (!p)
        return;
    const struct enabled was = *p;
    *p = s->providers[--s->provider_count];
    want_systems(s);
    log_registration(&was, false);
}

/* The kernel's rundown by request. */
static const GUID rundown_provider = {
    0x3b9c9951, 0x3480, 0x4220, {0x93, 0x77, 0x9c, 0x8e, 0x51, 0x84, 0xf5, 0xcd}};
enum { RUNDOWN_FILES = 0x10 };

static ULONG enable(struct fake_session *s, const struct enabled *wanted)
{
    uint32_t masks[ETW_GROUP_MASKS] = {0};
    const bool is_system = want_system(&wanted->provider, wanted->any, masks);
    struct enabled *p = (struct enabled *)provider_enabled(s, &wanted->provider);
    if (is_system && !session_is_kernel(s))
        return ERROR_INVALID_PARAMETER;
    if (!p && (sessions_of(&wanted->provider) >= FAKE_PROVIDER_SESSIONS ||
               s->provider_count == FAKE_PROVIDERS))
        return ERROR_NO_SYSTEM_RESOURCES;
    p = p ? p : &s->providers[s->provider_count++];
    *p = *wanted;
    log_registration(p, true);
    if (is_system) {
        want_systems(s);
        machine_list(s, LISTING_START);
    }
    if (IsEqualGUID(&wanted->provider, &rundown_provider) && session_is_kernel(s) &&
        wanted->any & RUNDOWN_FILES)
        machine_list(s, LISTING_FILES);
    return ERROR_SUCCESS;
}

static ULONG capture(struct fake_session *s, const GUID *provider)
{
    uint32_t masks[ETW_GROUP_MASKS] = {0};
    if (want_system(provider, 0, masks))
        machine_list(s, LISTING_START);
    else if (IsEqualGUID(provider, &fake_provider) && provider_enabled(s, provider))
        provider_flood(1);
    return ERROR_SUCCESS;
}

static ULONG control(TRACEHANDLE handle, LPCGUID provider, ULONG action,
                     const struct enabled *wanted)
{
    struct fake_session *const s = session_of_handle(handle);
    if (play.rights == RIGHTS_USER)
        return ERROR_ACCESS_DENIED;
    if (!s)
        return ERROR_WMI_INSTANCE_NOT_FOUND;
    if (action == EVENT_CONTROL_CODE_ENABLE_PROVIDER)
        return enable(s, wanted);
    if (action == EVENT_CONTROL_CODE_CAPTURE_STATE)
        return capture(s, provider);
    disable(s, provider);
    return ERROR_SUCCESS;
}

ULONG WINAPI fake_EnableTraceEx2(TRACEHANDLE handle, LPCGUID provider, ULONG action, UCHAR level,
                                 ULONGLONG any, ULONGLONG all, ULONG timeout,
                                 struct etw_enable_parameters *parameters)
{
    static const char *const parts[] = {"DISABLE", "ENABLE", "CAPTURE"};
    struct enabled wanted = {.level = level, .any = any, .all = all};
    ULONG code = play_call("EnableTraceEx2", action < 3 ? parts[action] : NULL);
    (void)timeout; /* the stand-in is never late */
    if (code)
        return code;
    if (!handle || !provider || action > EVENT_CONTROL_CODE_CAPTURE_STATE ||
        !take_parameters(&wanted, parameters))
        return ERROR_INVALID_PARAMETER;
    wanted.provider = *provider;
    EnterCriticalSection(&running);
    EnterCriticalSection(&state);
    code = control(handle, provider, action, &wanted);
    LeaveCriticalSection(&state);
    LeaveCriticalSection(&running);
    return code;
}

/* ---- EnumerateTraceGuidsEx ------------------------------------------------------------------- */

static unsigned list_guids(GUID *to, unsigned room)
{
    unsigned count = 0;
    if (count++ < room)
        to[0] = fake_provider;
    for (unsigned i = 0; i < REGISTRATIONS; i++)
        if (registrations[i].is_used && count++ < room)
            to[count - 1] = registrations[i].provider;
    return count;
}

static ULONG give_guids(PVOID to, ULONG bytes, PULONG need)
{
    const unsigned count = list_guids(to, bytes / sizeof(GUID));
    *need = count * (ULONG)sizeof(GUID);
    return *need > bytes ? ERROR_INSUFFICIENT_BUFFER : ERROR_SUCCESS;
}

/* One instance (this process) and the sessions that have it enabled. */
static ULONG give_instances(const GUID *provider, PVOID to, ULONG bytes, PULONG need)
{
    GUID known[REGISTRATIONS + 1];
    const unsigned count = list_guids(known, REGISTRATIONS + 1), enabled = sessions_of(provider);
    unsigned i = 0;
    while (i < count && !IsEqualGUID(&known[i], provider))
        i++;
    if (i == count)
        return ERROR_WMI_GUID_NOT_FOUND;
    *need = (ULONG)(sizeof(TRACE_GUID_INFO) + sizeof(TRACE_PROVIDER_INSTANCE_INFO) +
                    enabled * sizeof(TRACE_ENABLE_INFO));
    if (bytes < *need)
        return ERROR_INSUFFICIENT_BUFFER;
    memset(to, 0, *need);
    ((TRACE_GUID_INFO *)to)->InstanceCount = 1;
    TRACE_PROVIDER_INSTANCE_INFO *const instance = (void *)((TRACE_GUID_INFO *)to + 1);
    instance->EnableCount = enabled;
    instance->Pid = GetCurrentProcessId();
    TRACE_ENABLE_INFO *at = (void *)(instance + 1);
    for (unsigned k = 0; k < sessions_top(); k++) {
        const struct fake_session *const s = session_at(k);
        const struct enabled *const p =
            s->is_used && !s->is_stopped ? provider_enabled(s, provider) : NULL;
        if (p)
            *at++ = (TRACE_ENABLE_INFO){.IsEnabled = TRUE,
                                        .Level = p->level,
                                        .LoggerId = (USHORT)(s->index + 1),
                                        .EnableProperty = p->property,
                                        .MatchAnyKeyword = p->any,
                                        .MatchAllKeyword = p->all};
    }
    return ERROR_SUCCESS;
}

ULONG WINAPI fake_EnumerateTraceGuidsEx(ULONG class, PVOID in, ULONG in_bytes, PVOID out,
                                        ULONG out_bytes, PULONG need)
{
    ULONG code = play_call("EnumerateTraceGuidsEx", NULL), size = 0;
    if (code)
        return code;
    if (class > 1 || (out_bytes && !out) || (class == 1 && (!in || in_bytes != sizeof(GUID))))
        return ERROR_INVALID_PARAMETER;
    if (play.rights == RIGHTS_USER && class == 1)
        return ERROR_ACCESS_DENIED;
    EnterCriticalSection(&state);
    code = class == 0 ? give_guids(out, out_bytes, need ? need : &size)
                      : give_instances(in, out, out_bytes, need ? need : &size);
    LeaveCriticalSection(&state);
    return code;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_header(struct payload_writer *p, const GUID *provider, const EVENT_DESCRIPTOR *d,
                       unsigned flags, int64_t now)
{
    put_u16(p, 0); /* size: when it is known */
    put_u8(p, EVENT_HEADER_64);
    put_u8(p, 0xc0);
    put_u16(p, flags | FLAG_64);
    put_u16(p, 0);
    put_u32(p, GetCurrentThreadId());
    put_u32(p, GetCurrentProcessId());
    put_u64(p, (uint64_t)now);
    put_bytes(p, provider, sizeof *provider);
    put_bytes(p, d, sizeof *d);
    put_zeros(p, 8 + 16); /* times, activity */
}

static void put_item(struct payload_writer *p, unsigned type, bool is_last, const void *data,
                     uint16_t bytes)
{
    const size_t padded = ((size_t)bytes + 7) & ~(size_t)7;
    put_u16(p, (unsigned)(8 + padded));
    put_u16(p, type);
    put_u16(p, !is_last);
    put_u16(p, bytes);
    put_bytes(p, data, bytes);
    put_zeros(p, padded - bytes);
}

static unsigned type_of(const EVENT_DATA_DESCRIPTOR *d)
{
    return d->Reserved & 0xff;
}

static const void *data_of(const EVENT_DATA_DESCRIPTOR *d)
{
    return (const void *)(uintptr_t)d->Ptr;
}

/* TraceLogging describes itself in items beside the payload. */
static void put_items(struct payload_writer *p, ULONG count, const EVENT_DATA_DESCRIPTOR *data)
{
    unsigned items = 0, at = 0;
    for (ULONG i = 0; i < count; i++)
        items += type_of(&data[i]) != 0;
    for (ULONG i = 0; i < count; i++)
        if (type_of(&data[i]))
            put_item(p,
                     type_of(&data[i]) == ETW_DATA_EVENT_METADATA ? ETW_EXT_SCHEMA_TL
                                                                  : ETW_EXT_PROV_TRAITS,
                     ++at == items, data_of(&data[i]), (uint16_t)data[i].Size);
}

static ULONG write(const GUID *provider, const EVENT_DESCRIPTOR *d, unsigned flags, ULONG count,
                   const EVENT_DATA_DESCRIPTOR *data)
{
    static _Alignas(8) uint8_t record[RECORD_MOST + 1];
    const int64_t now = machine_now();
    size_t bytes = HEADER;
    bool has_items = false;
    for (ULONG i = 0; i < count; i++) {
        bytes += data[i].Size + 16;
        has_items |= type_of(&data[i]) != 0;
    }
    if (bytes > RECORD_MOST)
        return ERROR_ARITHMETIC_OVERFLOW;
    struct payload_writer p = {record, record, record + sizeof record};
    put_header(&p, provider, d, flags | (has_items ? FLAG_EXTENDED : 0), now);
    put_items(&p, count, data);
    for (ULONG i = 0; i < count; i++)
        if (!type_of(&data[i]) && data[i].Size)
            put_bytes(&p, data_of(&data[i]), data[i].Size);
    const uint16_t size = (uint16_t)(p.at - p.start);
    memcpy(record, &size, sizeof size);
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + size, .form = RECORD_ETW, .ts = now};
    buffers_put(&head, record, NULL);
    return ERROR_SUCCESS;
}

uint64_t provider_flood(uint64_t count)
{
    static ULONG number;
    static const WCHAR text[] = L"the quick brown fox";
    static const EVENT_DESCRIPTOR d = {.Id = FAKE_EVENT, .Level = 4, .Keyword = 1};
    for (uint64_t i = 0; i < count; i++) {
        number++;
        const EVENT_DATA_DESCRIPTOR data[] = {{.Ptr = (uintptr_t)&number, .Size = sizeof number},
                                              {.Ptr = (uintptr_t)text, .Size = sizeof text}};
        write(&fake_provider, &d, 0, 2, data);
    }
    return count;
}

static struct registration *registration_of(REGHANDLE handle)
{
    const REGHANDLE index = handle - HANDLE_BASE;
    return index < REGISTRATIONS && registrations[index].is_used ? &registrations[index] : NULL;
}

/* Sessions that have it enabled already. */
static void report_state(const struct registration *r)
{
    for (unsigned i = 0; r->callback && i < sessions_top(); i++) {
        const struct fake_session *const s = session_at(i);
        const struct enabled *const p =
            s->is_used && !s->is_stopped ? provider_enabled(s, &r->provider) : NULL;
        if (p)
            r->callback(&p->provider, true, p->level, p->any, p->all, NULL, r->context);
    }
}

ULONG WINAPI fake_EventRegister(LPCGUID provider, PENABLECALLBACK callback, PVOID context,
                                PREGHANDLE handle)
{
    const ULONG code = play_call("EventRegister", NULL);
    unsigned i = 0;
    if (code)
        return code;
    if (!provider || !handle)
        return ERROR_INVALID_PARAMETER;
    EnterCriticalSection(&state);
    while (i < REGISTRATIONS && registrations[i].is_used)
        i++;
    if (i < REGISTRATIONS) {
        registrations[i] = (struct registration){
            .is_used = true, .provider = *provider, .callback = callback, .context = context};
        *handle = HANDLE_BASE + i;
        report_add(FIGURE_REGISTRATIONS, 1);
        report_state(&registrations[i]);
    }
    LeaveCriticalSection(&state);
    return i < REGISTRATIONS ? ERROR_SUCCESS : ERROR_NOT_ENOUGH_MEMORY;
}

ULONG WINAPI fake_EventUnregister(REGHANDLE handle)
{
    const ULONG code = play_call("EventUnregister", NULL);
    if (code)
        return code;
    EnterCriticalSection(&state);
    struct registration *const r = registration_of(handle);
    if (r) {
        r->is_used = false;
        report_add(FIGURE_REGISTRATIONS, -1);
    }
    LeaveCriticalSection(&state);
    return r ? ERROR_SUCCESS : ERROR_INVALID_HANDLE;
}

ULONG WINAPI fake_EventWrite(REGHANDLE handle, PCEVENT_DESCRIPTOR d, ULONG count,
                             PEVENT_DATA_DESCRIPTOR data)
{
    ULONG code = play_call("EventWrite", NULL);
    if (code)
        return code;
    if (!d || count > MAX_EVENT_DATA_DESCRIPTORS || (count && !data))
        return ERROR_INVALID_PARAMETER;
    EnterCriticalSection(&state);
    const struct registration *const r = registration_of(handle);
    code = r ? write(&r->provider, d, 0, count, data) : ERROR_INVALID_HANDLE;
    LeaveCriticalSection(&state);
    return code;
}

ULONG WINAPI fake_EventWriteString(REGHANDLE handle, UCHAR level, ULONGLONG keyword, PCWSTR text)
{
    ULONG code = play_call("EventWriteString", NULL);
    if (code)
        return code;
    if (!text)
        return ERROR_INVALID_PARAMETER;
    const EVENT_DESCRIPTOR d = {.Level = level, .Keyword = keyword};
    const EVENT_DATA_DESCRIPTOR data = {.Ptr = (uintptr_t)text,
                                        .Size = (ULONG)((wcslen(text) + 1) * sizeof *text)};
    EnterCriticalSection(&state);
    const struct registration *const r = registration_of(handle);
    code = r ? write(&r->provider, &d, FLAG_STRING, 1, &data) : ERROR_INVALID_HANDLE;
    LeaveCriticalSection(&state);
    return code;
}

ULONG WINAPI fake_EventSetInformation(REGHANDLE handle, ULONG class, PVOID data, ULONG bytes)
{
    ULONG code = play_call("EventSetInformation", NULL);
    if (code)
        return code;
    EnterCriticalSection(&state);
    struct registration *const r = registration_of(handle);
    code = !r ? ERROR_INVALID_HANDLE : ERROR_SUCCESS;
    if (r && class == ETW_SET_TRAITS) {
        if (!data || bytes > TRAITS || bytes < 3 || load_u16(data) != bytes)
            code = ERROR_INVALID_PARAMETER;
        else
            memcpy(r->traits, data, r->traits_bytes = (uint16_t)bytes);
    }
    LeaveCriticalSection(&state);
    return code;
}
