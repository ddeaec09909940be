/* `tracetop sessions`: what ETW sessions run on this machine, and what can be done to them. */
#include "collectors/collectors.h"
#include "collectors/windows/etw_session.h"
#include "collectors/windows/provider.h"
#include "collectors/windows/registered.h"
#include "collectors/windows/session_report.h"
#include "collectors/windows/session_start.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/base/show.h"
#include "src/command/batch.h"
#include "src/command/command.h"

#include <stdlib.h>
#include <string.h>

static int status_of(ULONG error)
{
    return error == ERROR_SUCCESS                                              ? EXIT_DONE
           : error == ERROR_ACCESS_DENIED || error == ERROR_PRIVILEGE_NOT_HELD ? EXIT_PRIVILEGE
                                                                               : EXIT_ERROR;
}

static int refuse(const char *what, const char *name, ULONG error)
{
    char text[640], reason[256];
    snprintf(text, sizeof text, "%s '%.200s': %s", what, name,
             etw_reason(error, reason, sizeof reason));
    complain(text);
    return status_of(error);
}

static ULONG query(const char *name, struct etw_properties *p)
{
    WCHAR wide[ETW_NAME_UNITS];
    if (!utf16_of(name, wide, ETW_NAME_UNITS))
        return ERROR_INVALID_PARAMETER;
    const ULONG error = session_query_etw(wide, p);
    return error == ERROR_MORE_DATA ? ERROR_SUCCESS : error;
}

/* ---- list ---------------------------------------------------------------------------------- */

static void put_safe(FILE *to, const char *text)
{
    show_text(to, text, strlen(text));
}

static void list_json(const struct session_list *l, FILE *to)
{
    struct json_out out = {.most = SIZE_MAX};
    json_out_put(&out, "[");
    for (unsigned i = 0; i < l->count; i++) {
        json_out_put(&out, "%s", i ? ",\n" : "\n");
        session_report_json(&l->all[i], &out);
        json_out_put(&out, "}");
    }
    json_out_put(&out, "\n]");
    put_safe(to, out.text);
    fputc('\n', to);
    json_out_free(&out);
}

static int list(const struct command_verb *c, FILE *to)
{
    struct session_list l;
    struct err err;
    if (!session_list_read(&l, &err))
        return complain(err.text), EXIT_ERROR;
    if (c->prints_json) {
        list_json(&l, to);
        session_list_free(&l);
        return EXIT_DONE;
    }
    show(to, "%-15s %12s %8s %10s %-18s %s\n", "MODE", "BUFFERS", "LOST", "BUF.LOST", "OWNER",
            "NAME");
    for (unsigned i = 0; i < l.count; i++) {
        const struct etw_properties *const p = &l.all[i];
        char name[3 * 256], owner[32], buffers[32];
        snprintf(buffers, sizeof buffers, "%lux%luK", p->p.NumberOfBuffers, p->p.BufferSize);
        show(to, "%-15s %12s %8lu %10lu %-18s ", session_mode(p), buffers, p->p.EventsLost,
             p->p.LogBuffersLost + p->p.RealTimeBuffersLost, session_owner(p, owner, sizeof owner));
        put_safe(to, utf8_of(p->name, name, sizeof name));
        putc('\n', to);
    }
    session_list_free(&l);
    return EXIT_DONE;
}

/* ---- one session ----------------------------------------------------------------------------- */

struct enabled {
    FILE *to;            /* prints them … */
    TRACEHANDLE session; /* … or asks each for its state */
    USHORT logger;
    unsigned count;
};

static void take_enabled(void *to, const struct registration *r)
{
    struct enabled *const e = to;
    char guid[40];
    if (!r->enabled || !r->enabled->IsEnabled || r->enabled->LoggerId != e->logger)
        return;
    e->count++;
    guid_text(r->guid, guid);
    if (e->to)
        show(e->to, "provider      {%s} level %u keywords 0x%llx process %lu\n", guid,
                r->enabled->Level, r->enabled->MatchAnyKeyword, r->pid);
    else if (etw_api()->EnableTraceEx2)
        etw_api()->EnableTraceEx2(e->session, r->guid, EVENT_CONTROL_CODE_CAPTURE_STATE,
                                  r->enabled->Level, r->enabled->MatchAnyKeyword,
                                  r->enabled->MatchAllKeyword, 0, NULL);
}

static int each_enabled(const struct etw_properties *p, FILE *to)
{
    struct err err;
    size_t count;
    struct enabled e = {.to = to,
                        .session = p->p.Wnode.HistoricalContext,
                        .logger = (USHORT)p->p.Wnode.HistoricalContext};
    GUID *const all = registered_list(&count, &err);
    if (!all)
        return complain(err.text), EXIT_ERROR;
    for (size_t i = 0; i < count; i++)
        registered_info(&all[i], take_enabled, &e);
    free(all);
    if (!e.count && to)
        fputs("provider      none registered now\n", to);
    return EXIT_DONE;
}

/* What ETW says of it now; in JSON, or as lines with the providers that it has. */
static int print_one(const struct command_verb *c, const struct etw_properties *p, FILE *to)
{
    if (!c->prints_json) {
        session_report(p, to);
        return each_enabled(p, to);
    }
    struct json_out out = {.most = SIZE_MAX};
    session_report_json(p, &out);
    json_out_put(&out, "}");
    put_safe(to, out.text);
    fputc('\n', to);
    json_out_free(&out);
    return EXIT_DONE;
}

static int show_one(const struct command_verb *c, const char *name, FILE *to)
{
    struct etw_properties p;
    const ULONG error = query(name, &p);
    return error ? refuse("cannot query the session", name, error) : print_one(c, &p, to);
}

/* Its final figures are those of the stop itself; where there is no room for its name (234) it has
 * stopped all the same. */
static int stop(const struct command_verb *c, const char *name, FILE *to)
{
    WCHAR wide[ETW_NAME_UNITS];
    struct etw_properties p;
    char total[128];
    session_properties_begin(&p);
    const ULONG error =
        utf16_of(name, wide, ETW_NAME_UNITS) ? session_end_etw(wide, &p) : ERROR_INVALID_PARAMETER;
    if (error)
        return refuse("cannot stop the session", name, error);
    if (c->prints_json)
        return print_one(c, &p, to);
    message_print(to, "stopped: %s; %s", name, session_total(&p, total, sizeof total));
    return EXIT_DONE;
}

static int change(const struct command_verb *c, const char *name, bool is_update, FILE *to)
{
    WCHAR wide[ETW_NAME_UNITS];
    struct etw_properties p;
    struct err err;
    if (!utf16_of(name, wide, ETW_NAME_UNITS))
        return refuse("cannot name a session", name, ERROR_INVALID_PARAMETER);
    const ULONG error =
        (is_update ? session_update_for : session_start_for)(wide, c->settings, &p, &err);
    if (error && err.text[0])
        return complain(err.text), EXIT_USAGE;
    if (error)
        return refuse(is_update ? "cannot update the session" : "cannot start the session", name,
                      error);
    return print_one(c, &p, to);
}

static int start(const struct command_verb *c, const char *name, FILE *to)
{
    return change(c, name, false, to);
}

static int update(const struct command_verb *c, const char *name, FILE *to)
{
    return change(c, name, true, to);
}

static int flush(const struct command_verb *c, const char *name, FILE *to)
{
    (void)c;
    struct etw_properties p;
    ULONG error = query(name, &p);
    const struct etw_session s = {.handle = p.p.Wnode.HistoricalContext};
    error = error ? error : session_flush_etw(&s);
    if (error)
        return refuse("cannot flush the session", name, error);
    message_print(to, "flushed: %s", name);
    return EXIT_DONE;
}

static int state(const struct command_verb *c, const char *name, FILE *to)
{
    (void)c;
    struct etw_properties p;
    const ULONG error = query(name, &p);
    if (error)
        return refuse("cannot query the session", name, error);
    const int status = each_enabled(&p, NULL);
    if (status == EXIT_DONE)
        message_print(to, "requested the state of the providers of %s", name);
    return status;
}

static int stop_orphans(FILE *to)
{
    const unsigned count = session_reclaim();
    message_print(to,
                  count == 1 ? "stopped %u session of an exited tracetop"
                             : "stopped %u sessions of exited tracetops",
                  count);
    return EXIT_DONE;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*run)(const struct command_verb *c, const char *session, FILE *to);
} verbs[] = {{"show", show_one}, {"start", start}, {"update", update},
             {"stop", stop},     {"flush", flush}, {"state", state}};

int sessions_run(const struct command_verb *c, FILE *to)
{
    if (!c->verb || strcmp(c->verb, "list") == 0)
        return list(c, to);
    if (c->orphans && strcmp(c->verb, "stop") == 0)
        return stop_orphans(to);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, c->verb) != 0)
            continue;
        if (!c->word_count)
            return complain("expected the name of a session; 'tracetop sessions' lists them"),
                   EXIT_USAGE;
        int status = EXIT_DONE;
        for (size_t w = 0; w < c->word_count; w++) {
            const int one = verbs[i].run(c, c->words[w], to);
            status = status ? status : one;
        }
        return status;
    }
    complain("expected list, show, start, update, stop, flush or state");
    return EXIT_USAGE;
}
