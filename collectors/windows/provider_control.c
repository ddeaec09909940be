#include "collectors/windows/provider_control.h"

#include "collectors/windows/etw_session.h"
#include "collectors/windows/provider.h"
#include "collectors/windows/registered.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/base/show.h"
#include "src/command/batch.h"
#include "src/command/command.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIDS_MOST = 8, /* what Windows takes */
    IDS_MOST = 64,
    FILTERS = 3,
    VERBOSE = 5,
    /* evntprov.h: EVENT_FILTER_TYPE_… */
    FILTER_PID = (int)0x80000004,
    FILTER_EXECUTABLE = (int)0x80000008,
    FILTER_EVENT_ID = (int)0x80000200,
    STACKS = 4, /* EVENT_ENABLE_PROPERTY_STACK_TRACE */
};

/* EVENT_FILTER_EVENT_ID */
struct id_filter {
    UCHAR is_wanted, reserved;
    USHORT count, ids[IDS_MOST];
};

/* The arguments of EnableTraceEx2, and all that its parameters point to. */
struct request {
    GUID guid;
    TRACEHANDLE session;
    UCHAR level;
    ULONGLONG any, all;
    ULONG pids[PIDS_MOST];
    WCHAR executables[ETW_NAME_UNITS];
    struct id_filter ids;
    EVENT_FILTER_DESCRIPTOR filters[FILTERS];
    struct etw_enable_parameters parameters;
};

/* ---- keywords -------------------------------------------------------------------------------- */

static bool keyword_by_name(const PPROVIDER_FIELD_INFOARRAY all, const char *name, ULONGLONG *bits)
{
    char text[256];
    for (ULONG i = 0; all && i < all->NumberOfElements; i++) {
        const PROVIDER_FIELD_INFO *const f = &all->FieldInfoArray[i];
        const WCHAR *const wide = (const WCHAR *)(const void *)((const char *)all + f->NameOffset);
        if (!f->NameOffset || _stricmp(utf8_of(wide, text, sizeof text), name) != 0)
            continue;
        *bits |= f->Value;
        return true;
    }
    return false;
}

/* "0x10,ReadWrite" */
static bool read_keywords(const GUID *guid, const char *text, ULONGLONG *bits, struct err *err)
{
    const PPROVIDER_FIELD_INFOARRAY all = provider_fields(guid, PROVIDER_KEYWORDS);
    bool is_good = true;
    *bits = 0;
    for (const char *at = text; is_good && *at;) {
        char name[256], *end;
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const ULONGLONG number = strtoull(name, &end, 0);
        if (end != name && !*end)
            *bits |= number;
        else if (!keyword_by_name(all, name, bits))
            is_good = fail(err,
                           "the provider has no keyword '%.100s'; 'tracetop providers show' lists "
                           "them",
                           name);
        at += length + (at[length] == ',');
    }
    free(all);
    return is_good;
}

/* ---- filters --------------------------------------------------------------------------------- */

static void add_filter(struct request *r, int type, const void *at, size_t bytes)
{
    r->filters[r->parameters.filter_count++] =
        (EVENT_FILTER_DESCRIPTOR){.Ptr = (uintptr_t)at, .Size = (ULONG)bytes, .Type = (ULONG)type};
}

static bool filter_pids(struct request *r, const struct provider_settings *s, struct err *err)
{
    if (s->pid_count > PIDS_MOST)
        return fail(err, "Windows takes %d processes at most, found %zu", PIDS_MOST, s->pid_count);
    for (size_t i = 0; i < s->pid_count; i++)
        r->pids[i] = s->pids[i];
    if (s->pid_count)
        add_filter(r, FILTER_PID, r->pids, s->pid_count * sizeof *r->pids);
    return true;
}

/* Windows separates them by semicolons. */
static bool filter_executables(struct request *r, const char *names, struct err *err)
{
    if (!names)
        return true;
    if (!utf16_of(names, r->executables, ETW_NAME_UNITS))
        return fail(err, "expected names of programs such as a.exe,b.exe, found '%.100s'", names);
    for (WCHAR *w = r->executables; *w; w++)
        *w = *w == L',' ? L';' : *w;
    add_filter(r, FILTER_EXECUTABLE, r->executables,
               (wcslen(r->executables) + 1) * sizeof *r->executables);
    return true;
}

static bool filter_ids(struct request *r, const char *text, struct err *err)
{
    if (!text)
        return true;
    const char *at = text + (*text == '!');
    r->ids.is_wanted = *text != '!';
    while (*at) {
        char *end;
        const unsigned long id = strtoul(at, &end, 10);
        if (end == at || (*end && *end != ',') || id > USHRT_MAX)
            return fail(err, "expected ids of events such as 10,11, found '%.100s'", text);
        if (r->ids.count == IDS_MOST)
            return fail(err, "Windows takes %d ids of events at most", IDS_MOST);
        r->ids.ids[r->ids.count++] = (USHORT)id;
        at = end + (*end == ',');
    }
    if (!r->ids.count)
        return fail(err, "expected ids of events such as 10,11, found '%.100s'", text);
    add_filter(r, FILTER_EVENT_ID, &r->ids,
               offsetof(struct id_filter, ids) + r->ids.count * sizeof *r->ids.ids);
    return true;
}

static bool read_request(struct request *r, const char *name, const struct provider_settings *s,
                         struct err *err)
{
    *r = (struct request){
        .level = VERBOSE,
        .any = UINT64_MAX, /* classic providers get all flags: 0 brings nothing of them */
        .parameters = {.version = 2, .enable_property = s->has_stacks ? STACKS : 0}};
    r->parameters.filters = r->filters;
    if (s->level && !provider_level(s->level, &r->level))
        return fail(err,
                    "expected a level 0 to 255 or error, warning, info, verbose, found '%.100s'",
                    s->level);
    return provider_find(name, &r->guid, err) &&
           (!s->keywords || read_keywords(&r->guid, s->keywords, &r->any, err)) &&
           (!s->all_keywords || read_keywords(&r->guid, s->all_keywords, &r->all, err)) &&
           filter_pids(r, s, err) && filter_executables(r, s->executables, err) &&
           filter_ids(r, s->event_ids, err);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* What ETW says of it afterwards. */
struct outcome {
    USHORT logger;
    unsigned registrations;
    bool is_enabled;
    UCHAR level;
    ULONGLONG any, all;
};

static void look(void *to, const struct registration *r)
{
    struct outcome *const o = to;
    o->registrations++;
    if (!r->enabled || !r->enabled->IsEnabled || r->enabled->LoggerId != o->logger)
        return;
    o->is_enabled = true;
    o->level = r->enabled->Level;
    o->any = r->enabled->MatchAnyKeyword;
    o->all = r->enabled->MatchAllKeyword;
}

static void report(const char *name, ULONG code, const struct request *r,
                   const struct provider_settings *s, FILE *to)
{
    struct outcome o = {.logger = (USHORT)r->session};
    registered_info(&r->guid, look, &o);
    if (code == EVENT_CONTROL_CODE_CAPTURE_STATE)
        message_print(to, "requested the state of %s in %s", name, s->session);
    else if (o.is_enabled)
        message_print(to, "%s is enabled in %s: level %u, any of 0x%llx, all of 0x%llx", name,
                      s->session, o.level, o.any, o.all);
    else if (code == EVENT_CONTROL_CODE_DISABLE_PROVIDER)
        message_print(to, "%s is disabled in %s", name, s->session);
    else
        message_print(to, "%s is enabled in %s; no process has registered it now", name,
                      s->session);
}

static int refuse(const char *what, const char *name, ULONG error)
{
    char reason[256];
    struct err err;
    fail(&err, "%s '%.200s': %s", what, name, etw_reason(error, reason, sizeof reason));
    complain(err.text);
    return error == ERROR_ACCESS_DENIED ? EXIT_PRIVILEGE : EXIT_ERROR;
}

int provider_control(const char *name, ULONG code, const struct provider_settings *s, FILE *to)
{
    WCHAR session[ETW_NAME_UNITS];
    struct etw_properties p;
    struct request r;
    struct err err;
    if (!s->session)
        return complain("expected the session: --in SESSION; 'tracetop sessions' lists them"),
               EXIT_USAGE;
    if (!read_request(&r, name, s, &err))
        return complain(err.text), EXIT_USAGE;
    ULONG error = utf16_of(s->session, session, ETW_NAME_UNITS) ? session_query_etw(session, &p)
                                                                : ERROR_INVALID_PARAMETER;
    if (error && error != ERROR_MORE_DATA)
        return refuse("cannot query the session", s->session, error);
    r.session = p.p.Wnode.HistoricalContext;
    error = etw_api()->EnableTraceEx2
                ? etw_api()->EnableTraceEx2(
                      r.session, &r.guid, code, r.level, r.any, r.all, 0,
                      code == EVENT_CONTROL_CODE_ENABLE_PROVIDER ? &r.parameters : NULL)
                : ERROR_CALL_NOT_IMPLEMENTED;
    if (error)
        return refuse("cannot control the provider", name, error);
    report(name, code, &r, s, to);
    return EXIT_DONE;
}
