#include "collectors/windows/session_report.h"

#include "collectors/windows/provider.h"

#include "src/base/show.h"
#include "src/collect/session_settings.h"

#include <string.h>

enum { NAME_BYTES = 3 * ETW_NAME_UNITS };

const char *session_owner(const struct etw_properties *p, char *out, size_t room)
{
    uint32_t pid;
    bool is_gone;
    if (!session_is_tracetop(p, &pid, &is_gone))
        return "-";
    snprintf(out, room, is_gone ? "tracetop %u, exited" : "tracetop %u", (unsigned)pid);
    return out;
}

const char *session_mode(const struct etw_properties *p)
{
    const ULONG mode = p->p.LogFileMode;
    const bool is_kernel = session_is_of_kernel(p);
    if (mode & EVENT_TRACE_BUFFERING_MODE)
        return is_kernel ? "kernel, memory" : "memory";
    if (mode & EVENT_TRACE_REAL_TIME_MODE)
        return is_kernel ? "kernel, live" : "live";
    return is_kernel ? "kernel, file" : "file";
}

static const char *clock_of(const struct etw_properties *p)
{
    switch (p->p.Wnode.ClientContext) {
    case ETW_CLOCK_QPC:
        return "qpc";
    case ETW_CLOCK_SYSTEM:
        return "system";
    case ETW_CLOCK_CYCLES:
        return "cycle";
    default:
        return "not known";
    }
}

static const char *filemode_of(ULONG mode)
{
    return mode & EVENT_TRACE_FILE_MODE_CIRCULAR  ? "circular"
           : mode & EVENT_TRACE_FILE_MODE_APPEND  ? "append"
           : mode & EVENT_TRACE_FILE_MODE_NEWFILE ? "rotate"
                                                  : "sequential";
}

/* The logging thread's id, which the API gives as a handle. */
static unsigned thread_of(const struct etw_properties *p)
{
    return (unsigned)(uintptr_t)p->p.LoggerThreadId;
}

/* Figures, in the order of EVENT_TRACE_PROPERTIES. */
static const struct figure {
    const char *name, *json;
    size_t at; /* of a ULONG in EVENT_TRACE_PROPERTIES */
    const char *unit;
} figures[] = {
#define AT(member) offsetof(EVENT_TRACE_PROPERTIES, member)
    {"buffer size", "buffer_kib", AT(BufferSize), " KiB"},
    {"least buffers", "min_buffers", AT(MinimumBuffers), ""},
    {"most buffers", "max_buffers", AT(MaximumBuffers), ""},
    {"file limit", "max_file_mib", AT(MaximumFileSize), " MiB"},
    {"flush timer", "flush_s", AT(FlushTimer), " s"},
    {"buffers", "buffers", AT(NumberOfBuffers), ""},
    {"free buffers", "free_buffers", AT(FreeBuffers), ""},
    {"written", "buffers_written", AT(BuffersWritten), " buffers"},
    {"lost", "events_lost", AT(EventsLost), " events"},
    {"log lost", "log_buffers_lost", AT(LogBuffersLost), " buffers"},
    {"live lost", "realtime_buffers_lost", AT(RealTimeBuffersLost), " buffers"},
#undef AT
};

static ULONG figure_of(const struct etw_properties *p, const struct figure *f)
{
    ULONG value;
    memcpy(&value, (const char *)&p->p + f->at, sizeof value);
    return value;
}

static void put_line(FILE *to, const char *name, const char *text)
{
    show(to, "%-13s ", name);
    show_text(to, text, strlen(text));
    fputc('\n', to);
}

void session_report(const struct etw_properties *p, FILE *to)
{
    char text[NAME_BYTES], owner[32], guid[40], flags[512];
    guid_text(&p->p.Wnode.Guid, guid);
    put_line(to, "name", utf8_of(p->name, text, sizeof text));
    show(to, "%-13s {%s}\n", "guid", guid);
    show(to, "%-13s %s (0x%08lx)\n", "mode", session_mode(p), p->p.LogFileMode);
    put_line(to, "owner", session_owner(p, owner, sizeof owner));
    put_line(to, "clock", clock_of(p));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        show(to, "%-13s %lu%s\n", figures[i].name, figure_of(p, &figures[i]), figures[i].unit);
    show(to, "%-13s %ld min\n", "age limit", p->p.AgeLimit);
    show(to, "%-13s %u\n", "thread", thread_of(p));
    show(to, "%-13s 0x%08lx %s\n", "kernel flags", p->p.EnableFlags,
         session_flags_print(p->p.EnableFlags, flags, sizeof flags));
    if (p->p.LogFileNameOffset && p->file[0]) {
        put_line(to, "file", utf8_of(p->file, text, sizeof text));
        put_line(to, "file mode", filemode_of(p->p.LogFileMode));
    }
}

void session_report_json(const struct etw_properties *p, struct json_out *to)
{
    char text[NAME_BYTES], owner[32], guid[40], flags[512];
    guid_text(&p->p.Wnode.Guid, guid);
    utf8_of(p->name, text, sizeof text);
    json_out_put(to, "{\"name\":");
    json_out_text(to, text, strlen(text), sizeof text);
    json_out_member(to, "guid", guid);
    json_out_member(to, "mode", session_mode(p));
    json_out_put(to, ",\"log_file_mode\":%lu", p->p.LogFileMode);
    json_out_member(to, "owner", session_owner(p, owner, sizeof owner));
    json_out_member(to, "clock", clock_of(p));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_out_put(to, ",\"%s\":%lu", figures[i].json, figure_of(p, &figures[i]));
    json_out_put(to, ",\"age_limit_min\":%ld,\"thread\":%u,\"kernel_flags\":%lu", p->p.AgeLimit,
                 thread_of(p), p->p.EnableFlags);
    json_out_member(to, "kernel", session_flags_print(p->p.EnableFlags, flags, sizeof flags));
    if (p->p.LogFileNameOffset && p->file[0]) {
        json_out_member(to, "file", utf8_of(p->file, text, sizeof text));
        json_out_member(to, "filemode", filemode_of(p->p.LogFileMode));
    }
}

const char *session_total(const struct etw_properties *p, char *out, size_t room)
{
    snprintf(out, room, "%lu buffers written; %lu events and %lu buffers lost", p->p.BuffersWritten,
             p->p.EventsLost, p->p.LogBuffersLost + p->p.RealTimeBuffersLost);
    return out;
}
