/* `tracetop sessions`: what ETW sessions run on this machine, and what can be done to them. */
#include "collectors/collectors.h"
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

static const char *owner_of(const struct etw_properties *p, char *out, size_t room)
{
    uint32_t pid;
    bool is_gone;
    if (!session_is_tracetop(p, &pid, &is_gone))
        return "-";
    snprintf(out, room, is_gone ? "tracetop %u, exited" : "tracetop %u", (unsigned)pid);
    return out;
}

static const char *mode_of(const struct etw_properties *p)
{
    const ULONG mode = p->p.LogFileMode;
    const bool is_kernel =
        mode & EVENT_TRACE_SYSTEM_LOGGER_MODE || wcscmp(p->name, KERNEL_LOGGER_NAMEW) == 0;
    if (mode & EVENT_TRACE_BUFFERING_MODE)
        return is_kernel ? "kernel, memory" : "memory";
    if (mode & EVENT_TRACE_REAL_TIME_MODE)
        return is_kernel ? "kernel, live" : "live";
    return is_kernel ? "kernel, file" : "file";
}

static void put_safe(FILE *to, const char *text)
{
    show_text(to, text, strlen(text));
}

static int list(FILE *to)
{
    struct session_list l;
    struct err err;
    if (!session_list_read(&l, &err))
        return complain(err.text), EXIT_ERROR;
    show(to, "%-15s %12s %8s %10s %-18s %s\n", "MODE", "BUFFERS", "LOST", "BUF.LOST", "OWNER",
            "NAME");
    for (unsigned i = 0; i < l.count; i++) {
        const struct etw_properties *const p = &l.all[i];
        char name[3 * 256], owner[32], buffers[32];
        snprintf(buffers, sizeof buffers, "%lux%luK", p->p.NumberOfBuffers, p->p.BufferSize);
        show(to, "%-15s %12s %8lu %10lu %-18s ", mode_of(p), buffers, p->p.EventsLost,
                p->p.LogBuffersLost + p->p.RealTimeBuffersLost, owner_of(p, owner, sizeof owner));
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

static int show_one(const char *name, FILE *to)
{
    struct etw_properties p;
    char text[3 * 256], owner[32], guid[40];
    const ULONG error = query(name, &p);
    if (error)
        return refuse("cannot query the session", name, error);
    guid_text(&p.p.Wnode.Guid, guid);
    fputs("name          ", to);
    put_safe(to, utf8_of(p.name, text, sizeof text));
    show(to, "\nguid          {%s}\nmode          %s (0x%08lx)\nowner         %s\n", guid,
            mode_of(&p), p.p.LogFileMode, owner_of(&p, owner, sizeof owner));
    show(to, "buffers       %lu of %lu to %lu, %lu KiB each, %lu free\n", p.p.NumberOfBuffers,
            p.p.MinimumBuffers, p.p.MaximumBuffers, p.p.BufferSize, p.p.FreeBuffers);
    show(to,
            "written       %lu buffers\nlost          %lu events, %lu log buffers, %lu live "
            "buffers\nflush timer   %lu s\nkernel flags  0x%08lx\n",
            p.p.BuffersWritten, p.p.EventsLost, p.p.LogBuffersLost, p.p.RealTimeBuffersLost,
            p.p.FlushTimer, p.p.EnableFlags);
    if (p.p.LogFileNameOffset && p.file[0]) {
        fputs("file          ", to);
        put_safe(to, utf8_of(p.file, text, sizeof text));
        putc('\n', to);
    }
    return each_enabled(&p, to);
}

static int stop(const char *name, FILE *to)
{
    WCHAR wide[ETW_NAME_UNITS];
    const ULONG error =
        utf16_of(name, wide, ETW_NAME_UNITS) ? session_stop_named(wide) : ERROR_INVALID_PARAMETER;
    if (error)
        return refuse("cannot stop the session", name, error);
    message_print(to, "stopped: %s", name);
    return EXIT_DONE;
}

static int flush(const char *name, FILE *to)
{
    struct etw_properties p;
    ULONG error = query(name, &p);
    const struct etw_session s = {.handle = p.p.Wnode.HistoricalContext};
    error = error ? error : session_flush_etw(&s);
    if (error)
        return refuse("cannot flush the session", name, error);
    message_print(to, "flushed: %s", name);
    return EXIT_DONE;
}

static int state(const char *name, FILE *to)
{
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
    int (*run)(const char *session, FILE *to);
} verbs[] = {{"show", show_one}, {"stop", stop}, {"flush", flush}, {"state", state}};

int sessions_run(const struct command_verb *c, FILE *to)
{
    if (!c->verb || strcmp(c->verb, "list") == 0)
        return list(to);
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
            const int one = verbs[i].run(c->words[w], to);
            status = status ? status : one;
        }
        return status;
    }
    complain("expected list, show, stop, flush or state");
    return EXIT_USAGE;
}
