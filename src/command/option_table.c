/* The options that several commands share, in tables. */
#include "src/command/option_table.h"

#include "src/base/mem.h"
#include "src/base/unit.h"
#include "src/engine/span.h"
#include "src/engine/watch.h"
#include "src/symbol/server.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is shown or printed ---------------------------------------------------------------- */

const struct option options_for_interval[] = {
    {'d', "interval", "T", "refresh interval, 100ms or more (default 1s)",
     AT(interval_ns), option_read_interval},
    {.name = NULL},
};

/* "-" is standard output, as for other programs: as if the option were not given. */
static bool read_output(void *field, const char *text, struct err *err)
{
    if (strcmp(text, "-") != 0)
        return option_read_text(field, text, err);
    *(const char **)field = NULL;
    return true;
}

const struct option options_for_output[] = {
    {'o', "output", "FILE", "write to FILE; record and cut require it", AT(output), read_output},
    {.name = NULL},
};

const struct option options_for_force[] = {
    {0, "force", NULL, "overwrite an existing FILE", AT(force), NULL},
    {.name = NULL},
};

const struct option options_for_format[] = {
    {'O', "format", "F", "output format (see Formats)", AT(format), option_read_text},
    {.name = NULL},
};

const struct option options_for_rows[] = {
    {'k', "columns", "LIST", "columns to print: ids separated by commas, or all", AT(columns),
     option_read_text},
    {'N', "rows", "N", "print at most N rows; 0 = all (default)", AT(rows), option_read_count},
    {0, "csv-raw", NULL, "csv: do not escape cells that look like formulas", AT(csv_raw), NULL},
    {0, "separator", "C", "csv: , ; | or tab between cells (default ,)", AT(separator),
     option_read_separator},
    {.name = NULL},
};

const struct option options_for_range[] = {
    {'r', "range", "A..B",
     "only this time: -30s.. (the last 30 s), 5s..10s (from the start), 10:15..10:16 (local), "
     "10:15Z.. (UTC)",
     AT(range), option_read_text},
    {.name = NULL},
};

const struct option options_for_view[] = {
    {0, "view", "FILE", "add the pane of this view file", AT(views), option_read_list},
    {.name = NULL},
};

const struct option options_for_schema[] = {
    {0, "schema", "FILE", "decode events by this manifest (XML, DLL, EXE)", AT(schemas),
     option_read_list},
    {.name = NULL},
};

const struct option options_for_quiet[] = {
    {'q', "quiet", NULL, "print no loss summary at the end", AT(quiet), NULL},
    {.name = NULL},
};

/* ---- recordings and snapshots ---------------------------------------------------------------- */

static bool read_files(void *field, const char *text, struct err *err)
{
    enum { MOST = 100000 };
    uint64_t *const files = field;
    if (!unit_count(text, files, err))
        return false;
    return (*files >= 1 && *files <= MOST) ||
           fail(err, "expected a number of files from 1 to %d, found '%s'", MOST, text);
}

static bool read_filemode(void *field, const char *text, struct err *err)
{
    if (strcmp(text, "sequential") != 0 && strcmp(text, "circular") != 0 &&
        strcmp(text, "rotate") != 0 && strcmp(text, "append") != 0)
        return fail(err, "expected sequential, circular or rotate, found '%s'", text);
    return option_read_text(field, text, err);
}

static bool read_span(void *field, const char *text, struct err *err)
{
    const struct option_list *const l = field;
    struct span s;
    if (l->count == SPANS_MOST)
        return fail(err, "at most %d spans can be followed", SPANS_MOST);
    return span_parse(text, &s, err) && option_read_list(field, text, err);
}

const struct option options_for_spans[] = {
    {0, "span", "DEFINITION",
     "follow a span, 'NAME = from EVENT to EVENT by KEY [max T]', or one "
     "that is shipped; may be repeated",
     AT(spans), read_span},
    {.name = NULL},
};

const struct option options_for_duration[] = {
    {'t', "duration", "T", "stop after T (default: at Ctrl-C; ask, stacks: 10s)", AT(duration_ns),
     option_read_span},
    {.name = NULL},
};

const struct option options_for_recording[] = {
    {0, "max-size", "SIZE", "limit of a trace file; --filemode circular and rotate require it",
     AT(most_bytes), option_read_size},
    {0, "filemode", "MODE", "trace files: sequential (default), circular or rotate", AT(filemode),
     read_filemode},
    {.name = NULL},
};

const struct option options_for_rotation[] = {
    {0, "max-files", "N", "rotate: keep the newest N files (default: all)", AT(files_most),
     read_files},
    {.name = NULL},
};

const struct option options_for_compress[] = {
    {0, "compress", NULL, "compress the traces that are written", AT(compress), NULL},
    {.name = NULL},
};

const struct option options_for_instance[] = {
    {0, "instance", "PID", "process id of the monitor, if several are running", AT(instance),
     option_read_count},
    {.name = NULL},
};

/* ---- what is watched and stored -------------------------------------------------------------- */

static bool read_ring(void *field, const char *text, struct err *err)
{
    static const int64_t LEAST = 1000000000, MOST = 86400000000000;
    struct ring_request *const ring = field;
    if (!option_size_or_time(text, &ring->bytes, &ring->ns, err))
        return false;
    return !ring->ns || (ring->ns >= LEAST && ring->ns <= MOST) ||
           fail(err, "expected a time between 1s and 24h, found '%s'", text);
}

/* Also fills its neighbor: classes and stacks. */
static bool read_panes(void *field, const char *text, struct err *err)
{
    uint32_t *const bits = field;
    struct watch_request request;
    if (!watch_of_panes(text, &request, err))
        return false;
    bits[0] = request.classes;
    bits[1] |= request.stacks;
    return true;
}

static bool read_stacks(void *field, const char *text, struct err *err)
{
    struct options *const o = (struct options *)(void *)((char *)field - AT(stacks));
    return watch_stacks(text, &o->stacks, &o->stacks_named, err);
}

static bool read_pids(void *field, const char *text, struct err *err)
{
    enum { PIDS_MOST = 1024 };
    struct option_pids *const p = field;
    for (const char *at = text; *at; at += *at == ',') {
        char *end;
        const unsigned long pid = strtoul(at, &end, 10);
        if (end == at || (*end && *end != ',') || pid == 0 || pid > INT32_MAX)
            return fail(err, "expected process ids such as 812,940, found '%s'", text);
        if (p->count == PIDS_MOST)
            return fail(err, "at most %d process ids are possible", PIDS_MOST);
        p->pids = mem_grow(p->pids, p->count + 1, sizeof *p->pids);
        p->pids[p->count++] = (uint32_t)pid;
        at = end;
    }
    return p->count || fail(err, "expected process ids such as 812,940, found none");
}

const struct option options_for_watching[] = {
    {'P', "panes", "LIST", "live: collect for these panes, or all (default proc,cpu,disk,net,mem)",
     AT(classes), read_panes},
    {'g', "stacks", "LIST",
     "live: collect stacks of these classes of events: none, default, or names such as "
     "disk,net,other",
     AT(stacks), read_stacks},
    {0, "no-unwind", NULL, "live: unwind stacks by frame pointers only", AT(no_unwind), NULL},
    {.name = NULL},
};

const struct option options_for_pids[] = {
    {'p', "pid", "LIST", "live: watch only these processes", AT(scope_pids), read_pids},
    {.name = NULL},
};

const struct option options_for_scope[] = {
    {'n', "name", "PATTERN", "live: watch only processes with this name (* and ?)", AT(scope_name),
     option_read_text},
    {'c', "children", NULL, "live: watch their children, too", AT(has_children), NULL},
    {.name = NULL},
};

const struct option options_for_capture[] = {
    {'F', "capture", "FILTER", "store only matching events, plus the records that name things",
     AT(capture), option_read_text},
    {.name = NULL},
};

const struct option options_for_ring[] = {
    {0, "ring", "SIZE|TIME", "size of the history, such as 64M or 60s (default up to 72M)",
     AT(ring), read_ring},
    {.name = NULL},
};

const struct option options_for_loss[] = {
    {0, "fail-on-loss", "P%", "exit with status 5 if over P% of events were lost",
     AT(fail_on_loss), option_read_percent},
    {.name = NULL},
};

/* ---- sessions of the kernel and of ETW ------------------------------------------------------- */

/* SIZE, or N buffers of a size: "64x128K". Also fills its neighbor: the number of buffers. */
static bool read_buffers(void *field, const char *text, struct err *err)
{
    uint64_t *const sizes = field;
    const char *at = strpbrk(text, "x*");
    const char *const cross = strstr(text, "\303\227"); /* the sign for it */
    char count[24] = "";
    at = cross ? cross : at;
    if (at && (size_t)(at - text) < sizeof count)
        memcpy(count, text, (size_t)(at - text));
    if (at && (!unit_count(count, &sizes[1], NULL) || !sizes[1]))
        return fail(err, "expected a size, or a number and a size as 64x128K, found '%s'", text);
    return unit_size(at ? at + (cross ? 2 : 1) : text, field, err);
}

/* What Windows takes: from 0.1221 ms on. */
static bool read_sampling(void *field, const char *text, struct err *err)
{
    static const int64_t LEAST = 130000, MOST = 1000000000;
    int64_t *const ns = field;
    if (!unit_time(text, ns, NULL) || *ns < LEAST || *ns > MOST)
        return fail(err, "expected a time from 130us to 1s, found '%s'", text);
    return true;
}

/* Kernel events that no pane needs. */
static bool read_kernel_flags(void *field, const char *text, struct err *err)
{
    enum { DBGPRINT = 0x00040000, ALPC = 0x00100000, SPLITIO = 0x00200000, DRIVER = 0x00800000 };
    uint32_t flags;
    if (!session_flags_read(text, DBGPRINT | ALPC | SPLITIO | DRIVER, &flags, err))
        return false;
    *(uint32_t *)field |= flags;
    return true;
}

const struct option options_for_etw[] = {
    {0, "buffers", "[Nx]SIZE", "live: size of the kernel's buffers (default: by event rate)",
     AT(buffer_bytes), read_buffers},
    {'e', "enable", "PROVIDER[:KEYWORDS[:LEVEL]]",
     "also collect this provider; Linux: tp:SYSTEM:EVENT or u:FILE:FUNCTION", AT(enable),
     option_read_list},
    {0, "sample-every", "T", "Windows: time between CPU samples, 130us to 1s", AT(sample_ns),
     read_sampling},
    {0, "pmc", "COUNTER[:N]", "Windows: also sample by this hardware counter (doctor lists them)",
     AT(counters), option_read_list},
    {0, "kernel-flags", "LIST", "Windows: also collect alpc, dbgprint, driver or splitio events",
     AT(kernel_flags), read_kernel_flags},
    {0, "session-name", "NAME", "Windows: prefix of session names (default tracetop)",
     AT(session_name), option_read_text},
    {0, "attach", "NAME", "Windows: read a session of another program", AT(attach),
     option_read_text},
    {0, "stop-existing", NULL, "Windows: stop a running session with our name", AT(stops_existing),
     NULL},
    {.name = NULL},
};

/* One of some words, to its place among them from `first` on. */
static bool read_word(const char *text, const char *const *words, uint32_t first, uint32_t *out,
                      struct err *err)
{
    char all[100] = "";
    for (uint32_t i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0)
            return *out = first + i, true;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", words[i]);
    }
    return fail(err, "expected one of %s, found '%s'", all, text);
}

static bool read_clock(void *field, const char *text, struct err *err)
{
    static const char *const words[] = {"qpc", "system", "cycle", NULL};
    return read_word(text, words, 1, field, err);
}

static bool read_sequence(void *field, const char *text, struct err *err)
{
    static const char *const words[] = {"global", "local", NULL};
    uint32_t sequence;
    if (!read_word(text, words, SESSION_SEQUENCE_GLOBAL, &sequence, err))
        return false;
    *(uint8_t *)field = (uint8_t)sequence;
    return true;
}

static bool read_session_flags(void *field, const char *text, struct err *err)
{
    struct options *const o = (struct options *)(void *)((char *)field - AT(session.kernel_flags));
    o->session.has_kernel_flags = true;
    return session_flags_read(text, SESSION_FLAGS_ALL, &o->session.kernel_flags, err);
}

const struct option options_for_sessions[] = {
    {0, "orphans", NULL, "stop: sessions left behind by a tracetop that has exited", NO_MEMBER,
     NULL},
    {0, "realtime", NULL, "start, update: for programs that read it live", AT(session.is_live),
     NULL},
    {0, "no-realtime", NULL, "update: no longer", AT(session.is_not_live), NULL},
    {0, "kernel", "LIST", "start, update: kernel events, such as process,diskio,tcpip",
     AT(session.kernel_flags), read_session_flags},
    {0, "buffer-size", "SIZE", "start: of each buffer", AT(session.buffer_bytes), option_read_size},
    {0, "min-buffers", "N", "start: buffers at least", AT(session.min_buffers), option_read_count},
    {0, "max-buffers", "N", "start, update: buffers at most", AT(session.max_buffers),
     option_read_count},
    {0, "flush", "T", "start, update: time after which a buffer is delivered, full or not",
     AT(session.flush_ns), option_read_span},
    {0, "clock", "qpc|system|cycle", "start: clock of the events (default qpc)", AT(session.clock),
     read_clock},
    {0, "sequence", "global|local", "start: number the messages of TraceMessage",
     AT(session.sequence), read_sequence},
    {0, "guid", "GUID", "start: of the session, or of the provider of a private one",
     AT(session.guid), option_read_text},
    {0, "paged", NULL, "start: buffers in paged memory, not for kernel events",
     AT(session.is_paged), NULL},
    {0, "preallocate", NULL, "start: reserve the space of the file", AT(session.is_preallocated),
     NULL},
    {0, "private", NULL, "start: for providers within one process", AT(session.is_private), NULL},
    {0, "private-in-proc", NULL, "start: likewise, by the process of the provider alone",
     AT(session.is_private_in_process), NULL},
    {0, "secure", NULL, "start: only who has the right to log may", AT(session.is_secure), NULL},
    {.name = NULL},
};

const struct option options_for_providers[] = {
    {0, "in", "SESSION", "enable, disable, state: the session", AT(provider.session),
     option_read_text},
    {0, "keywords", "LIST", "enable: events with any of these, by name or 0x10 (default all)",
     AT(provider.keywords), option_read_text},
    {0, "all-keywords", "LIST", "enable: of those the events with all of these",
     AT(provider.all_keywords), option_read_text},
    {0, "event-ids", "LIST", "enable: only events with these ids; !1,2: all but these",
     AT(provider.event_ids), option_read_text},
    {0, "exe", "LIST", "enable: only in programs of these names, such as a.exe,b.exe",
     AT(provider.executables), option_read_text},
    {0, "with-stacks", NULL, "enable: with the stack of each event", AT(provider.has_stacks), NULL},
    {.name = NULL},
};

const struct option options_for_level[] = {
    {0, "level", "LEVEL", "critical, error, warning, info or verbose", AT(provider.level),
     option_read_text},
    {.name = NULL},
};

const struct option options_for_mark[] = {
    {0, "field", "NAME=VALUE", "add this field to the mark; may be repeated", AT(mark_fields),
     option_read_list},
    {.name = NULL},
};

/* ---- this machine or the demo ---------------------------------------------------------------- */

static bool read_kernel_source(void *field, const char *text, struct err *err)
{
    static const char *const names[] = {"auto", "perf", "bpf"};
    for (uint8_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return *(uint8_t *)field = i, true;
    return fail(err, "expected auto, perf or bpf, found '%s'", text);
}

static bool read_source(void *field, const char *text, struct err *err)
{
    if (strcmp(text, "live") != 0 && strcmp(text, "demo") != 0)
        return fail(err, "expected live or demo, found '%s'", text);
    *(const char **)field = text;
    return true;
}

const struct option options_for_demo[] = {
    {0, "source", "live|demo", "this machine, or made-up events (default live)", AT(source),
     read_source},
    {0, "seed", "N", "demo: seed of the random events", AT(seed), option_read_count},
    {0, "events", "N", "demo: stop after N events", AT(events), option_read_count},
    {0, "rate", "N", "demo: events per second; 0: maximum (default 20000)", AT(rate),
     option_read_count},
    {0, "start", "INSTANT", "demo: first event, such as 2026-05-17T10:20:30Z", AT(start_ns),
     option_read_instant},
    {0, "hostile", "N", "demo: number of hostile names in 1000 (for tests)", AT(hostile),
     option_read_count},
    {0, "linux-source", "S", NULL, AT(kernel_source), read_kernel_source},
    {.name = NULL},
};

/* ---- the rest -------------------------------------------------------------------------------- */

static bool read_server(void *field, const char *text, struct err *err)
{
    struct symbol_servers servers = {.count = 0};
    return symbol_servers_add(&servers, text, err) && option_read_list(field, text, err);
}

const struct option options_for_symbols[] = {
    {0, "symbols", "PATH", "symbol path: folders and srv*FOLDER, separated by ;", AT(symbols),
     option_read_text},
    {0, "symbol-server", "URL",
     "download missing symbol files: https://…, srv*FOLDER*https://…, env", AT(symbol_servers),
     read_server},
    {0, "no-symbols", NULL, "show stacks as module and offset, without symbols", AT(no_symbols),
     NULL},
    {.name = NULL},
};

const struct option options_for_readonly[] = {
    {0, "readonly", NULL, "do not write files or change the system", AT(readonly), NULL},
    {.name = NULL},
};

const struct option options_for_config[] = {
    {0, "config", "FILE", "configuration file (default: tracetop.conf)",
     AT(config), option_read_text},
    {.name = NULL},
};

const struct option options_for_all[] = {
    {0, "version", NULL, "print the version", AT(version), NULL},
    {'h', "help", NULL, "print help; after a command, help of that command", AT(help), NULL},
    {.name = NULL},
};

const struct option_command_help option_command_helps[] = {
    {"pid", FOR(PROVIDERS), "enable: only in these processes"},
    {"level", FOR(PROVIDERS),
     "enable: critical, error, warning, info, verbose (default), or 0 to 255"},
    {"log", FOR(SESSIONS), "start, update: file that the session writes"},
    {"max-size", FOR(SESSIONS), "start: limit of the file"},
    {"filemode", FOR(SESSIONS), "start: sequential (default), circular, append or rotate"},
    {"from", FOR(ASK),
     "query a running tracetop (pid:N, or monitor for the only one), or what a recorder keeps"},
    {"output", FOR(RECORD) | FOR(CUT), "write to FILE (required)"},
    {"output", ALL_COMMANDS, "write to FILE"},
    {"duration", FOR(STACKS) | FOR(ASK), "stop after T (default 10s)"},
    {"duration", ALL_COMMANDS, "stop after T (default: at Ctrl-C)"},
    {.name = NULL},
};

/* ---- the order ------------------------------------------------------------------------------- */

const struct option_group option_groups[] = {
#define X(name, commands) {options_for_##name, commands},
    OPTION_TABLES(X)
#undef X
        {.options = NULL},
};
