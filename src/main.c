/* Introduces everybody: the one file that sees collectors, core and ui. */
#include "collectors/collectors.h"

#include "src/base/message.h"
#include "src/base/show.h"
#include "src/collect/diagnostic.h"
#include "src/command/batch.h"
#include "src/command/command.h"
#include "src/command/completions.h"
#include "src/command/doctor.h"
#include "src/command/dump_live.h"
#include "src/command/fields.h"
#include "src/command/record.h"
#include "src/command/remote.h"
#include "src/command/session.h"
#include "src/command/stacks.h"
#include "src/command/top.h"
#include "src/engine/watch.h"
#include "src/event/schema_file.h"
#include "src/export/cut.h"
#include "src/export/dump.h"
#include "src/export/info.h"
#include "src/export/machine.h"
#include "src/export/stats.h"
#include "src/filter/filter.h"
#include "src/os/os.h"
#include "src/os/output.h"
#include "src/os/rights.h"
#include "src/pane/event_columns.h"
#include "src/pane/panes.h"

#include "ui/action/saved.h"
#include "ui/config/config.h"
#include "ui/config/journal.h"
#include "ui/config/keys.h"
#include "ui/draw/view_file.h"
#include "ui/main/headless.h"
#include "ui/main/loop.h"
#include "ui/main/manual.h"
#include "ui/main/user_views.h"
#include "ui/state/triggers.h"
#include "ui/term/screen.h"
#include "ui/term/svg.h"
#include "ui/theme/theme_check.h"
#include "ui/widget/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources ------------------------------------------------------------------------ */

static const struct collector_kind *find_kind(const char *id)
{
    const struct collector_kind *const *k = collector_kinds;
    while (*k && strcmp((*k)->id, id) != 0)
        k++;
    return *k;
}

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

/* Who names sessions or providers of this machine does not mean the demo. */
static bool wants_sessions(const struct options *o)
{
    return o->attach || o->session_name || o->stops_existing || o->enable.count || o->sample_ns ||
           o->counters.count || o->kernel_flags;
}

/* What the line asks for: its files, the demo, or else this machine. */
static const struct collector_kind *kind_of(const struct command_line *c)
{
    if (c->file_count)
        return find_kind("etl");
    return wants_demo(&c->options) ? find_kind("synthetic") : &collector_live;
}

/* Commands that watch this machine, or try whether it can be watched. */
static bool is_live(const struct command_line *c)
{
    switch (c->id) {
    case SUBCOMMAND_LIVE:
    case SUBCOMMAND_TOP:
    case SUBCOMMAND_STACKS:
    case SUBCOMMAND_DUMP:
        return kind_of(c) == &collector_live;
    case SUBCOMMAND_RECORD:
        return !remote_is(c) && kind_of(c) == &collector_live;
    default:
        return c->id == SUBCOMMAND_DOCTOR;
    }
}

static bool runs_commands(const struct options *o)
{
    bool runs = o->run != NULL;
    for (size_t i = 0; i < o->triggers.count; i++)
        runs |= trigger_runs_command(o->triggers.items[i]);
    return runs;
}

/* The one place where rights are given up: for every kind of source, and before anything that
 * the line asks for is done. */
static bool settle_rights(const struct command_line *c, struct err *err)
{
    const bool watches = is_live(c) && !c->options.help && !c->options.version;
    const struct os_rights_request w = {
        .files = c->files,
        .file_count = c->file_count,
        .kept = watches ? OS_MAY_WATCH | OS_MAY_HURRY : 0,
        .runs_commands = runs_commands(&c->options),
    };
    if (watches && collector_live.prepare)
        collector_live.prepare();
    return os_rights_settle(&w, err);
}

/* What of the capture filter chooses processes is left to whoever watches them. */
static void push_capture(const struct options *o, struct session_options *to)
{
    const struct capture_scope *const s = &o->capture_scope;
    to->capture = o->capture;
    if (to->kind != &collector_live || (!s->pid_count && !s->name[0]))
        return;
    to->collector.scope = (struct collector_scope){
        .pids = s->pids, .pid_count = s->pid_count, .name = s->name[0] ? s->name : NULL};
    to->pushed = s->reported;
}

static struct session_options session_of(const struct command_line *c, struct os_wakeup *wakeup)
{
    const struct options *const o = &c->options;
    struct session_options session = {
        .kind = kind_of(c),
        .collector = {.files = c->files,
                      .file_count = c->file_count,
                      .speed = o->speed,
                      .seed = o->seed,
                      .events = o->events,
                      .rate = o->rate,
                      .start_ns = o->start_ns,
                      .hostile = (unsigned)o->hostile,
                      .kernel_source = o->kernel_source,
                      .no_unwinding = o->no_unwind,
                      .boosts_priority = true,
                      .wanted = (o->classes ? o->classes : watch_usual().classes) | o->stacks_named,
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
        .triggers = o->triggers.items,
        .trigger_count = o->triggers.count,
        .frame_wakeup = wakeup,
    };
    push_capture(o, &session);
    return session;
}

/* ---- commands that print --------------------------------------------------------------- */

static int stats(struct batch *b)
{
    const struct command_line *const c = b->line;
    return stats_run(c->files, c->file_count, strcmp(c->format, "json") == 0, b->to, stderr);
}

static int info(struct batch *b)
{
    const struct command_line *const c = b->line;
    const struct info_options o = {.files = c->files,
                                   .file_count = c->file_count,
                                   .is_json = strcmp(c->format, "json") == 0,
                                   .stop = &b->stop};
    return info_run(&o, b->to, stderr);
}

static int machine(struct batch *b)
{
    const struct command_line *const c = b->line;
    const struct machine_options o = {.files = c->files,
                                      .file_count = c->file_count,
                                      .system = &collector_live,
                                      .is_json = strcmp(c->format, "json") == 0,
                                      .stop = &b->stop};
    return machine_run(&o, b->to, stderr);
}

static size_t people_format(const void *state, const struct value *v, char *out, size_t room)
{
    return format_value(state, v, "", 0, out, room);
}

static int top(struct batch *b)
{
    const struct format format = {.glyphs = screen_is_utf8() ? &glyphs_unicode : &glyphs_ascii};
    const struct export_people people = {.format = people_format, .state = &format};
    const struct session_options session = session_of(b->line, NULL);
    const struct top_options o = {
        .line = b->line, .session = &session, .people = &people, .stop = &b->stop};
    struct err err;
    const enum exit_status status = top_run(&o, b->to, &err);
    const bool has_failed = status == EXIT_ERROR || status == EXIT_USAGE ||
                            status == EXIT_PRIVILEGE || status == EXIT_LIMIT;
    if (has_failed && err.text[0]) /* else it has been said */
        complain(err.text);
    return (int)status;
}

/* Stacks of nothing but what they are weighed by, unless the line asks for more. */
static int stacks(struct batch *b)
{
    struct session_options session = session_of(b->line, NULL);
    const struct watch_request request = stacks_request(b->line);
    session.collector.wanted |= request.classes;
    session.collector.wanted_stacks |= request.stacks;
    const struct stacks_options o = {.line = b->line, .session = &session, .stop = &b->stop};
    struct err err = {""};
    const enum exit_status status = stacks_run(&o, b->to, stderr, &err);
    if (err.text[0])
        complain(err.text);
    return (int)status;
}

static int fields(struct batch *b)
{
    struct err err;
    const struct pane *const only = b->line->subject ? fields_pane(b->line->subject, &err) : NULL;
    if (b->line->subject && !only)
        return complain(err.text), EXIT_USAGE;
    fields_print(only, b->to);
    return EXIT_DONE;
}

static int cut(struct batch *b)
{
    const struct command_line *const c = b->line;
    const struct cut_options o = {
        .files = c->files,
        .file_count = c->file_count,
        .range = c->options.range,
        .filter = c->filter,
        .capture = c->options.capture,
        .to = b->file,
        .to_name = c->options.output,
        .is_compressed = c->options.compress,
        .stop = &b->stop,
    };
    if (c->options.rows)
        return complain("-N is valid for text only: a part of a trace is chosen by -r"), EXIT_USAGE;
    if (b->file)
        return cut_run(&o, stderr);
    complain("-O etl needs -o FILE: a trace cannot be written to standard output");
    return EXIT_USAGE;
}

static int dump_live(struct batch *b, const struct event_writer_options *lines)
{
    const struct session_options session = session_of(b->line, NULL);
    const struct dump_live_options o = {
        .line = b->line, .session = &session, .lines = lines, .batch = b};
    struct err err = {""};
    const enum exit_status status = dump_live_run(&o, stderr, &err);
    if (err.text[0])
        complain(err.text);
    return (int)status;
}

static int dump(struct batch *b)
{
    const struct command_line *const c = b->line;
    const bool is_csv = strcmp(c->format, "csv") == 0;
    if (!is_csv && (c->options.columns || c->options.separator || c->options.csv_raw))
        return complain("-k, --separator and --csv-raw are valid for csv only: add -O csv"), EXIT_USAGE;
    if (strcmp(c->format, "etl") == 0 && c->file_count)
        return cut(b);
    if (c->options.compress)
        return complain("--compress is valid for traces only: add -O etl"), EXIT_USAGE;
    const struct event_writer_options lines = {
        .format = is_csv ? EVENT_CSV : strcmp(c->format, "text") == 0 ? EVENT_TEXT : EVENT_JSONL,
        .columns = c->options.columns,
        .separator = c->options.separator,
        .is_raw = c->options.csv_raw,
    };
    if (!c->file_count)
        return dump_live(b, &lines);
    if (c->options.duration_ns)
        return complain("-t is valid for live events only: a part of a recording is chosen by -r"),
               EXIT_USAGE;
    const struct dump_options o = {
        .files = c->files,
        .file_count = c->file_count,
        .lines = lines,
        .rows = c->options.rows,
        .range = c->options.range,
        .filter = c->filter,
        .capture = c->options.capture,
        .stop = &b->stop,
    };
    return dump_run(&o, b->to, stderr);
}

/* Where the program was started, which a batch's output need not be. */
static void examine_terminal(struct doctor *d)
{
    struct diagnostic f = {.subject = "terminal", .state = "ok"};
    struct screen_facts s;
    screen_examine(&s);
    if (!s.is_known) {
        snprintf(f.state, sizeof f.state, "unknown");
        snprintf(f.fix, sizeof f.fix, "set TERM to the terminal's type, such as xterm-256color");
    } else if (!s.is_utf8) {
        snprintf(f.state, sizeof f.state, "ascii");
        snprintf(f.fix, sizeof f.fix, "export LC_ALL=C.UTF-8 shows lines and names as they are");
    }
    char size[32] = "size unknown";
    if (s.width)
        snprintf(size, sizeof size, "%dx%d", s.width, s.height);
    snprintf(f.why, sizeof f.why, "TERM=%.100s, %s, %s, %s", s.term, s.depth,
             s.is_utf8 ? "UTF-8" : "no UTF-8", size);
    doctor_report(d, &f);
}

enum { MEBIBYTE = 1 << 20 };

static uint64_t mebibytes(uint64_t bytes)
{
    return (bytes + MEBIBYTE / 2) / MEBIBYTE;
}

/* Where a control group grants less than the machine has, that is the limit, and is met by being
 * killed. */
static void examine_memory_limit(struct doctor *d)
{
    const uint64_t installed = os_memory_installed(), limit = os_memory();
    const bool is_limited = limit < installed;
    struct diagnostic f = diagnostic("memory limit", is_limited ? "cgroup" : "none");
    if (is_limited)
        diagnostic_because(&f,
                           "a memory cgroup limits this program to %" PRIu64
                           " MiB of the machine's "
                           "%" PRIu64 " MiB; the kernel kills it beyond that",
                           mebibytes(limit), mebibytes(installed));
    else
        diagnostic_because(&f,
                           "no memory cgroup limits this program; the machine has %" PRIu64 " MiB",
                           mebibytes(installed));
    doctor_report(d, &f);
}

/* What a live monitor takes in all (make soak asserts it), by its ring. */
static void examine_memory(struct doctor *d)
{
    const uint64_t ring = session_ring_default();
    const struct session_memory m = session_memory(ring);
    const bool fits = m.all + m.frozen < os_memory();
    struct diagnostic f = diagnostic("memory budget", fits ? "ok" : "short");
    diagnostic_because(&f,
                       "live, with many short-lived processes and files: at most %" PRIu64 " MiB with the default ring of %" PRIu64
                       " MiB: rings %" PRIu64 ", window %" PRIu64 ", tables %" PRIu64
                       ", collector %" PRIu64 ", program %" PRIu64
                       "; while the screen is frozen, %" PRIu64
                       " more. A smaller ring (--ring) needs less. :footprint lists all parts",
                       mebibytes(m.all), mebibytes(ring), mebibytes(m.ring), mebibytes(m.window),
                       mebibytes(m.tables), mebibytes(m.collector), mebibytes(m.program),
                       mebibytes(m.frozen));
    if (!fits)
        diagnostic_advise(&f, "tracetop --ring %" PRIu64 "M", mebibytes(os_memory() / 32));
    doctor_report(d, &f);
    examine_memory_limit(d);
}

static int doctor(struct batch *b)
{
    struct doctor d;
    doctor_begin(&d, b->to, strcmp(b->line->format, "json") == 0);
    for (const struct collector_kind *const *k = collector_kinds; *k; k++)
        doctor_examine(&d, *k);
    examine_memory(&d);
    examine_terminal(&d);
    return doctor_end(&d);
}

static struct command_verb command_verb_of(const struct command_line *c)
{
    const struct options *const o = &c->options;
    enum { BEFORE = 2 }; /* the command, the verb */
    return (struct command_verb){
        .verb = o->word_count >= BEFORE ? o->words[1] : NULL,
        .words = o->word_count > BEFORE ? o->words + BEFORE : NULL,
        .word_count = o->word_count > BEFORE ? o->word_count - BEFORE : 0,
        .orphans = o->orphans,
    };
}

static int sessions(struct batch *b)
{
    const struct command_verb c = command_verb_of(b->line);
    if (b->line->options.readonly && c.verb && strcmp(c.verb, "stop") == 0)
        return complain("stop: not with --readonly"), EXIT_USAGE;
    return sessions_run(&c, b->to);
}

static int providers(struct batch *b)
{
    const struct command_verb c = command_verb_of(b->line);
    return providers_run(&c, b->to);
}

static int keys(struct batch *b)
{
    struct config config;
    struct err err;
    const bool is_read = config_load(&config, b->line->options.config, &err);
    if (is_read)
        keys_print(config.keys, b->to);
    else
        complain(err.text);
    config_fini(&config);
    return is_read ? EXIT_DONE : EXIT_ERROR;
}

static int show_theme(struct batch *b, const char *name)
{
    struct theme t;
    struct err err;
    if (!theme_load(&t, name, &err)) {
        complain(err.text);
        return EXIT_ERROR;
    }
    theme_print(&t, b->to);
    return EXIT_DONE;
}

/* Without names all that come with the program. */
static int check_themes(struct batch *b, const char *const *names, size_t count)
{
    unsigned bad = 0;
    for (size_t i = 0; count ? i < count : theme_embedded(i) != NULL; i++) {
        struct theme t;
        struct err err;
        const char *const name = count ? names[i] : theme_embedded(i);
        if (!theme_load(&t, name, &err)) {
            complain(err.text);
            return EXIT_ERROR;
        }
        fputs(i ? "\n" : "", b->to);
        show(b->to, "# %s\n", name);
        const unsigned here = theme_check(&t, b->to);
        show(stderr, here ? "%s: %u of its colors cannot be distinguished or read\n" : "%s: well\n",
             name, here);
        bad += here;
    }
    return bad ? EXIT_ERROR : EXIT_DONE;
}

static int theme(struct batch *b)
{
    const struct command_verb c = command_verb_of(b->line);
    if (!c.verb || strcmp(c.verb, "list") == 0)
        return theme_list(b->to), EXIT_DONE;
    if (strcmp(c.verb, "show") == 0 && c.word_count == 1)
        return show_theme(b, c.words[0]);
    if (strcmp(c.verb, "check") == 0)
        return check_themes(b, c.words, c.word_count);
    complain("theme: expected list, show NAME or check NAME");
    return EXIT_USAGE;
}

static int completions(struct batch *b)
{
    struct err err;
    if (completions_print(b->line->subject, b->to, &err))
        return EXIT_DONE;
    complain(err.text);
    return EXIT_USAGE;
}

static int manual(struct batch *b)
{
    struct err err;
    if (manual_print(b->to, b->line->subject, strcmp(b->line->format, "roff") == 0, &err))
        return EXIT_DONE;
    complain(err.text);
    return EXIT_USAGE;
}

/* ---- the screen --------------------------------------------------------------------------- */

static void draw_picture(const void *state, const struct grid *g, FILE *out)
{
    grid_svg(g, state, out);
}

struct reports {
    const struct command_line *line;
    const struct session *session;
};

/* The pages that the commands print: of the recording, or of the session. */
static void make_report(const void *state, enum report_kind kind, FILE *out, const _Atomic bool *stop)
{
    const struct reports *const r = state;
    const struct command_line *const c = r->line;
    const struct info_options io = {.files = c->files, .file_count = c->file_count, .stop = stop};
    const struct machine_options mo = {
        .files = c->files, .file_count = c->file_count, .system = &collector_live, .stop = stop};
    if (kind == REPORT_MACHINE)
        machine_run(&mo, out, out);
    else if (c->file_count)
        info_run(&io, out, out);
    else
        session_info(r->session, out);
}

/* A recording that is read as fast as possible is looked at as a whole. */
static bool is_whole(const struct command_line *c)
{
    return c->file_count && c->options.speed == 0;
}

/* Of snapshots and recordings that are made by key or call. */
static struct saver_shape shape_of(const struct options *o)
{
    return (struct saver_shape){.is_compressed = o->compress,
                                .mode = record_mode(o),
                                .most_bytes = o->most_bytes,
                                .files_most = (unsigned)o->files_most};
}

/* The word of --color, or NULL: as the terminal says. */
static const char *colour_of(const struct config *config)
{
    const uint8_t colour = config->settings.colour;
    return colour ? setting_find("ui", "color")->choices[colour] : NULL;
}

/* Where --log wants one: after the session has begun, so that the file is the user's, not root's. */
static bool open_journal(const struct options *o, struct journal **journal, struct err *err)
{
    *journal = o->log ? journal_open(o->log, o->verbose, err) : NULL;
    return *journal || !o->log;
}

static int end_journal(struct journal *journal, int status, struct err *err)
{
    struct err why;
    const bool is_whole = journal_close(journal, &why);
    if (is_whole || status != EXIT_DONE)
        return status;
    *err = why;
    return EXIT_ERROR;
}

static int run_headless(const struct command_line *c, struct session *s, struct config *config,
                        const struct theme *theme, const struct view_state *view,
                        struct event_panes *event_panes, struct err *err)
{
    const struct options *const o = &c->options;
    const bool is_picture = strcmp(c->format, "svg") == 0;
    struct look look;
    struct journal *journal;
    if (!open_journal(o, &journal, err))
        return EXIT_ERROR;
    theme_reduce(theme, DEPTH_TRUE, &look);
    const struct reports state = {c, s};
    const struct report_source reports = {make_report, &state};
    const struct headless_options h = {
        .engine = s->engine,
        .columns = o->width,
        .rows = o->height,
        .keys = o->keys,
        .dumps_all = o->dump && !is_picture,
        .is_endless = !c->file_count && !o->events,
        .config = config,
        .is_whole = is_whole(c),
        .triggers = o->triggers.items,
        .trigger_count = o->triggers.count,
        .filter = c->filter,
        .view = view,
        .collector = &s->collector,
        .shape = shape_of(o),
        .out = os_output(),
        .draw = is_picture ? draw_picture : NULL,
        .state = &look,
        .journal = journal,
        .reports = &reports,
        .event_panes = event_panes,
        .is_quiet = o->quiet,
    };
    const int status = headless_run(&h, err);
    const bool is_whole = status != EXIT_DONE || output_arrived(err);
    return end_journal(journal, is_whole ? status : EXIT_ERROR, err);
}

static int run_screen(const struct command_line *c, struct session *s, struct config *config,
                      struct os_wakeup *wakeup, const struct theme *theme,
                      const struct view_state *view, struct event_panes *event_panes,
                      struct err *err)
{
    struct journal *journal;
    if (!open_journal(&c->options, &journal, err))
        return EXIT_ERROR;
    const struct reports state = {c, s};
    const struct report_source reports = {make_report, &state};
    const struct loop_options l = {
        .engine = s->engine,
        .wakeup = wakeup,
        .theme = theme,
        .colour = colour_of(config),
        .triggers = c->options.triggers.items,
        .trigger_count = c->options.triggers.count,
        .filter = c->filter,
        .config = config,
        .is_whole = is_whole(c),
        .view = view,
        .collector = &s->collector,
        .shape = shape_of(&c->options),
        .journal = journal,
        .reports = &reports,
        .event_panes = event_panes,
        .is_quiet = c->options.quiet,
    };
    /* Until here Ctrl-C just ends the program: nothing has been touched yet. */
    os_signals_install(wakeup);
    const int status = loop_run(&l, err);
    return end_journal(journal, status, err);
}

/* A snapshot is opened as it was left: its intervals, too, begin where they began. */
static void take_view(const struct command_line *c, struct session_options *o,
                      struct view_state *view)
{
    struct err err = {""};
    *view = (struct view_state){0};
    if (c->file_count != 1 || !view_file_read(c->files[0], view, &err)) {
        if (err.text[0])
            complain(err.text);
        return;
    }
    o->origin_ns = view->origin_ns;
    if (view->interval_ns && !options_given(&c->options, "interval"))
        o->interval_ns = view->interval_ns;
}

/* A session with somebody looking at it. The status of the looking counts where it is not
 * 0, else what became of the session. */
static int watch(const struct command_line *c, struct config *config, struct os_wakeup *wakeup,
                 const struct theme *theme, struct err *err)
{
    struct session_options o = session_of(c, wakeup);
    struct view_state view;
    take_view(c, &o, &view);
    struct session *s = session_start(&o, err);
    struct err why = {""};
    const bool is_chosen = c->options.source || wants_sessions(&c->options) ||
                           c->options.scope_pids.count || c->options.scope_name;
    if (!s && o.kind == &collector_live && !is_chosen) {
        /* Not silently: the screen says that this is the demo, and why. */
        fail(&why, "made-up events, because %s", err->text);
        err->text[0] = '\0';
        os_rights_drop();
        o.kind = find_kind("synthetic");
        s = session_start(&o, err);
    }
    if (!s)
        return (int)session_refusal(o.kind);
    if (why.text[0])
        notices_add(&s->collector.notices, why.text);
    const char *mistake;
    for (unsigned i = 0; (mistake = config_warning(config, i)); i++)
        notices_add(&s->collector.notices, mistake);
    struct event_panes event_panes = {0};
    const int seen = c->options.headless
                         ? run_headless(c, s, config, theme, &view, &event_panes, err)
                         : run_screen(c, s, config, wakeup, theme, &view, &event_panes, err);
    session_leave_soon();
    session_stop(s);
    if (!c->options.quiet && seen != EXIT_ERROR)
        session_summary(s, true, stderr);
    const int status = seen ? seen : session_status(s, c->options.fail_on_loss);
    session_free(s);
    event_panes_fini(&event_panes);
    return status;
}

/* A theme that the line names must be there; one that a file names is told about and done
 * without. */
static bool load_theme(const struct command_line *c, struct config *config, struct theme *theme,
                       struct err *err)
{
    if (theme_load(theme, config->settings.theme, err)) {
        if (theme->warnings)
            config_warn_text(config, theme->warning.text);
        return true;
    }
    if (c->options.theme)
        return false;
    config_warn(config, 0, "%s", err->text);
    err->text[0] = '\0';
    snprintf(config->settings.theme, sizeof config->settings.theme, "default");
    return theme_load(theme, "default", err);
}

static int screen(const struct command_line *c, struct config *config)
{
    struct err err = {""};
    struct theme theme = {0};
    if (!c->options.headless && !os_is_terminal(1)) {
        complain("standard output is not a terminal; 'tracetop top PANE' prints tables, "
                 "--headless prints screens");
        return EXIT_USAGE;
    }
    if (!filter_check(c->filter, panes[0], &err))
        return complain(err.text), EXIT_USAGE;
    if (c->options.triggers.count > TRIGGERS_MAX)
        return complain("--on: too many triggers"), EXIT_USAGE;
    for (size_t i = 0; i < c->options.triggers.count; i++)
        if (!triggers_check(c->options.triggers.items[i], FROM_COMMAND_LINE, &err))
            return complain(err.text), EXIT_USAGE;
    const struct colour_hints hints = {
        .option = c->options.color ? c->options.color : colour_of(config), .colours = -1};
    struct colour_choice choice;
    if (!screen_choose_colours(&hints, &choice, &err))
        return complain(err.text), EXIT_USAGE;
    if (!load_theme(c, config, &theme, &err))
        return complain(err.text), EXIT_USAGE;
    struct os_wakeup *const wakeup = os_wakeup_new();
    const int status = watch(c, config, wakeup, &theme, &err);
    os_wakeup_free(wakeup);
    if (err.text[0])
        complain(err.text);
    return status;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* The functions of the subcommands that print, by id; the others are the screen. */
static const batch_command batch_commands[SUBCOMMANDS] = {
    [SUBCOMMAND_INFO] = info,     [SUBCOMMAND_MACHINE] = machine,
    [SUBCOMMAND_STATS] = stats,   [SUBCOMMAND_DUMP] = dump,     [SUBCOMMAND_TOP] = top,
    [SUBCOMMAND_STACKS] = stacks,
    [SUBCOMMAND_THEME] = theme,
    [SUBCOMMAND_KEYS] = keys,     [SUBCOMMAND_FIELDS] = fields, [SUBCOMMAND_CUT] = cut,
    [SUBCOMMAND_DOCTOR] = doctor, [SUBCOMMAND_SESSIONS] = sessions,
    [SUBCOMMAND_PROVIDERS] = providers, [SUBCOMMAND_COMPLETIONS] = completions,
    [SUBCOMMAND_MANUAL] = manual,
};

static int record(const struct command_line *c)
{
    const struct session_options o = session_of(c, NULL);
    return record_run(c, &o, stderr);
}

/* The status of a command that has printed all it has to say. */
static int printed(void)
{
    struct err err;
    return output_arrived(&err) ? EXIT_DONE : (complain(err.text), EXIT_ERROR);
}

static int run(const struct command_line *c, struct config *config)
{
    if (c->options.version)
        return fputs("tracetop " TRACETOP_VERSION "\n", os_output()), printed();
    if (c->options.help)
        return command_help(os_output(), c), printed();
    if (c->id == SUBCOMMAND_LIVE || c->id == SUBCOMMAND_REPLAY)
        return screen(c, config);
    if (remote_is(c))
        return remote_run(c);
    if (c->id == SUBCOMMAND_RECORD)
        return record(c);
    return batch_run(c, batch_commands[c->id]);
}

static bool is_screen(const struct command_line *c)
{
    return c->id == SUBCOMMAND_LIVE || c->id == SUBCOMMAND_REPLAY;
}

/* Mistakes in a file: the first few, and how many more there are. */
static void report_mistakes(const struct command_line *c, struct config *config,
                            const struct schema_file *f)
{
    const uint32_t count = manifest_mistakes(f->manifest);
    struct err err;
    for (uint32_t i = 0; i < count && i < MANIFEST_SENTENCES; i++) {
        fail(&err, "%.500s: %s", f->name, manifest_sentence(f->manifest, i));
        if (is_screen(c))
            config_warn_text(config, err.text);
        else
            complain(err.text);
    }
    if (count > MANIFEST_SENTENCES && !is_screen(c))
        message_print(stderr, "%.500s: %" PRIu32 " more mistakes", f->name,
                      count - MANIFEST_SENTENCES);
}

/* After the configuration: its warnings are where the screen shows mistakes. */
static bool read_schemas(const struct command_line *c, struct config *config, struct err *err)
{
    const bool is_needed = !c->options.help && !c->options.version;
    unsigned reported = 0; /* files of messages have nothing to report */
    for (size_t i = 0; is_needed && i < c->options.schemas.count; i++) {
        if (!schema_file_add(c->options.schemas.items[i], err))
            return false;
        if (schema_file_at(reported))
            report_mistakes(c, config, schema_file_at(reported++));
    }
    return true;
}

/* Those that are kept, and how many more there are. */
static void complain_of_all(const struct config *config)
{
    const char *text;
    for (unsigned i = 0; (text = config_warning(config, i)); i++)
        complain(text);
    if (config->warnings > CONFIG_WARNINGS)
        message_print(stderr, "%.300s: %u more mistakes", config->path,
                      config->warnings - CONFIG_WARNINGS);
}

/* Commands that print tell of a configuration's mistakes; the screen does so itself. */
static bool configure(struct command_line *c, struct config *config, struct err *err)
{
    const bool has_panes = options_has("view", c->id);
    if ((!options_has("config", c->id) && !has_panes) || c->options.help || c->options.version)
        return config_parse(config, "", 0, ""), true;
    if (!config_load(config, c->options.config, err))
        return false;
    if (!user_views_files(c->options.views.items, c->options.views.count, err))
        return false;
    if (has_panes)
        user_views_folder(config);
    if (!options_has("config", c->id)) {
        complain_of_all(config);
        return true;
    }
    saved_check(config);
    config_meet(config, &c->options, c->id);
    if (!is_screen(c))
        complain_of_all(config);
    return true;
}

static int refuse(enum exit_status status, const struct err *err)
{
    complain(err->text);
    if (status == EXIT_USAGE)
        fputs("tracetop --help explains the command line.\n", stderr);
    return (int)status;
}

int main(int argc, char **argv)
{
    os_start(&argc, &argv);
    os_heap_tidy(); /* before collectors make their tables: large ones take memory only as they fill */
    user_views_builtin();
    schema_system_set(system_schemas());
    struct command_line line;
    struct err err;
    const enum exit_status status = command_line_read(&line, argc, argv, &err);
    struct config config = {.keys = NULL};
    const bool is_settled = !status && settle_rights(&line, &err);
    const int end = status        ? refuse(status, &err)
                    : !is_settled ? refuse(EXIT_ERROR, &err)
                    : configure(&line, &config, &err) && read_schemas(&line, &config, &err)
                        ? run(&line, &config)
                        : refuse(EXIT_ERROR, &err);
    schema_files_clear();
    config_fini(&config);
    command_line_fini(&line);
    return end;
}
