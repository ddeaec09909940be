#include "src/command/source.h"

#include "src/command/ask.h"
#include "src/command/marks.h"
#include "src/command/recorder_command.h"
#include "src/command/remote.h"
#include "src/engine/watch.h"

#include <stdlib.h>
#include <string.h>

/* Options that only the demo understands ask for it. */
static bool wants_demo(const struct options *o)
{
    static const char *const of_demo[] = {"seed", "events", "rate", "start", "hostile"};
    if (o->source)
        return strcmp(o->source, "demo") == 0;
    for (size_t i = 0; i < sizeof of_demo / sizeof *of_demo; i++)
        if (options_given(o, of_demo[i]))
            return true;
    return false;
}

bool source_is_chosen(const struct options *o)
{
    return o->source || o->scope_pids.count || o->scope_name || o->attach || o->session_name ||
           o->stops_existing || o->enable.count || o->sample_ns || o->counters.count ||
           o->kernel_flags;
}

const struct collector_kind *source_of(const struct sources *s, const struct command_line *c)
{
    if (c->file_count)
        return s->files;
    if (c->followed)
        return s->recorder;
    return wants_demo(&c->options) ? s->demo : s->live;
}

bool source_is_live(const struct sources *s, const struct command_line *c)
{
    switch (c->id) {
    case SUBCOMMAND_LIVE:
    case SUBCOMMAND_TOP:
    case SUBCOMMAND_STACKS:
    case SUBCOMMAND_DUMP:
        return source_of(s, c) == s->live;
    case SUBCOMMAND_ASK:
        return !ask_needs_no_events(c) && source_of(s, c) == s->live;
    case SUBCOMMAND_MCP:
        return source_of(s, c) == s->live;
    case SUBCOMMAND_RECORDER:
        return recorder_is_run(c) && source_of(s, c) == s->live;
    case SUBCOMMAND_RECORD:
        return !marks_is(c) && !remote_is(c) && source_of(s, c) == s->live;
    case SUBCOMMAND_PROVIDERS:
        return !c->file_count;
    default:
        return c->id == SUBCOMMAND_DOCTOR ||
               (c->id == SUBCOMMAND_SELFTEST && !c->options.prints_schema);
    }
}

/* What of the capture filter chooses processes is left to whoever watches them. */
static void push_capture(const struct sources *s, const struct options *o,
                         struct session_options *to)
{
    const struct capture_scope *const scope = &o->capture_scope;
    to->capture = o->capture;
    if (to->kind != s->live || (!scope->pid_count && !scope->name[0]))
        return;
    to->collector.scope = (struct collector_scope){.pids = scope->pids,
                                                   .pid_count = scope->pid_count,
                                                   .name = scope->name[0] ? scope->name : NULL};
    to->pushed = scope->reported;
}

/* The environment alone makes nobody download: it may be another's, who became root by `su`.
 * Without writing there is no place for what comes. */
static struct symbol_downloads downloads_of(const struct options *o)
{
    struct symbol_downloads d = {.cache = ""};
    if (o->readonly)
        return d;
    d.servers = o->symbol_servers.items;
    d.server_count = o->symbol_servers.count;
    d.asks_path = o->symbols != NULL;
    return d;
}

/* Who follows a recorder gets what it records, and asks for what its panes need besides. */
static uint32_t wanted_classes(const struct command_line *c)
{
    const struct options *const o = &c->options;
    const uint32_t usual = c->followed ? 0 : watch_usual().classes;
    return (o->classes ? o->classes : usual) | o->stacks_named;
}

struct session_options source_session(const struct sources *s, const struct command_line *c)
{
    const struct options *const o = &c->options;
    struct session_options session = {
        .kind = source_of(s, c),
        .collector = {.files = c->files,
                      .file_count = c->file_count,
                      .folder = c->followed,
                      .speed = o->speed,
                      .seed = o->seed,
                      .events = o->events,
                      .rate = o->rate,
                      .start_ns = o->start_ns,
                      .hostile = (unsigned)o->hostile,
                      .kernel_source = o->kernel_source,
                      .no_unwinding = o->no_unwind,
                      .boosts_priority = true,
                      .wanted = wanted_classes(c),
                      .wanted_stacks = o->stacks,
                      .scope = {.pids = o->scope_pids.pids,
                                .pid_count = o->scope_pids.count,
                                .name = o->scope_name,
                                .has_children = o->has_children},
                      .kernel_bytes = o->buffer_bytes,
                      .buffer_count = o->buffer_count,
                      .session_name = o->session_name,
                      .attach = o->attach,
                      .stops_existing = o->stops_existing,
                      .sample_ns = o->sample_ns,
                      .kernel_flags = o->kernel_flags,
                      .counters = o->counters.items,
                      .counter_count = o->counters.count,
                      .enable = o->enable.items,
                      .enable_count = o->enable.count},
        .ring_bytes = o->ring.bytes,
        .ring_ns = o->ring.ns,
        .interval_ns = o->interval_ns,
        .has_symbols = !o->no_symbols,
        .symbol_path = o->symbols ? o->symbols : getenv("_NT_SYMBOL_PATH"),
        .downloads = downloads_of(o),
        .triggers = o->triggers.items,
        .trigger_count = o->triggers.count,
        .spans = o->spans.items,
        .span_count = o->spans.count,
    };
    push_capture(s, o, &session);
    return session;
}
