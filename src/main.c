/* Introduces everybody: the one file that sees collectors, core and ui. */
#include "collectors/collectors.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/base/message.h"
#include "src/base/show.h"
#include "src/collect/diagnostic.h"
#include "src/command/ask.h"
#include "src/command/batch.h"
#include "src/command/command.h"
#include "src/command/completions.h"
#include "src/command/doctor.h"
#include "src/command/fields.h"
#include "src/command/file_commands.h"
#include "src/command/marks.h"
#include "src/command/mcp.h"
#include "src/command/record.h"
#include "src/command/recorder_command.h"
#include "src/command/remote.h"
#include "src/command/selftest.h"
#include "src/command/session.h"
#include "src/command/source.h"
#include "src/command/stacks.h"
#include "src/command/top.h"
#include "src/engine/watch.h"
#include "src/event/schema_file.h"
#include "src/os/os.h"
#include "src/os/output.h"
#include "src/os/rights.h"

#include "ui/action/saved.h"
#include "ui/config/config.h"
#include "ui/config/keys.h"
#include "ui/main/full_screen.h"
#include "ui/main/manual.h"
#include "ui/main/user_views.h"
#include "ui/state/triggers.h"
#include "ui/term/screen.h"
#include "ui/theme/theme_check.h"
#include "ui/widget/format.h"

#include <stdlib.h>
#include <string.h>

static const struct sources all_sources = {.files = &collector_etl,
                                           .recorder = &collector_recorder,
                                           .demo = &collector_synthetic,
                                           .live = &collector_live};

/* ---- rights ------------------------------------------------------------------------- */

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
    const bool watches = source_is_live(&all_sources, c) && !c->options.help && !c->options.version;
    const struct os_rights_request w = {
        .files = c->files,
        .file_count = c->file_count,
        .reads_kernel_names = c->file_count > 0,
        .kept = watches ? OS_MAY_WATCH | OS_MAY_HURRY : 0,
        .runs_commands = runs_commands(&c->options),
    };
    if (watches && collector_live.prepare)
        collector_live.prepare();
    return os_rights_settle(&w, err);
}

/* ---- commands that print --------------------------------------------------------------- */

static size_t people_format(const void *state, const struct value *v, char *out, size_t room)
{
    return format_value(state, v, "", 0, out, room);
}

static int top(struct batch *b)
{
    const struct format format = {.glyphs = screen_is_utf8() ? &glyphs_unicode : &glyphs_ascii};
    const struct export_people people = {.format = people_format, .state = &format};
    const struct session_options session = source_session(b->sources, b->line);
    const struct top_options o = {.line = b->line,
                                  .session = &session,
                                  .people = &people,
                                  .stop = &b->stop,
                                  .ends_by_stop = &b->ends_by_stop};
    struct err err = {""};
    const enum exit_status status = top_run(&o, b->to, &err);
    const bool has_failed = status == EXIT_ERROR || status == EXIT_USAGE ||
                            status == EXIT_PRIVILEGE || status == EXIT_LIMIT;
    if (has_failed && err.text[0]) /* else it has been said */
        complain(err.text);
    return (int)status;
}

static int ask(struct batch *b)
{
    const struct session_options session = source_session(b->sources, b->line);
    const struct ask_options o = {.line = b->line, .session = &session, .stop = &b->stop};
    struct err err = {""};
    return batch_ended(ask_run(&o, b->to, &err), &err);
}

static int mcp(struct batch *b)
{
    const struct session_options session = source_session(b->sources, b->line);
    const struct mcp_options o = {.line = b->line, .session = &session, .stop = &b->stop};
    struct err err = {""};
    return batch_ended(mcp_run(&o, b->to, &err), &err);
}

/* Stacks of nothing but what they are weighed by, unless the line asks for more. */
static int stacks(struct batch *b)
{
    struct session_options session = source_session(b->sources, b->line);
    const struct watch_request request = stacks_request(b->line);
    session.collector.wanted |= request.classes;
    session.collector.wanted_stacks |= request.stacks;
    const struct stacks_options o = {.line = b->line, .session = &session, .stop = &b->stop};
    struct err err = {""};
    return batch_ended(stacks_run(&o, b->to, stderr, &err), &err);
}

static int fields(struct batch *b)
{
    struct err err;
    const struct pane *const only = b->line->subject ? fields_pane(b->line->subject, &err) : NULL;
    if (b->line->subject && !only)
        return complain(err.text), EXIT_USAGE;
    (b->line->options.json ? fields_print_json : fields_print)(only, b->to);
    return EXIT_DONE;
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

static int doctor(struct batch *b)
{
    struct doctor d;
    doctor_begin(&d, b->to, strcmp(b->line->format, "json") == 0);
    for (const struct collector_kind *const *k = collector_kinds; *k; k++)
        doctor_examine(&d, *k);
    doctor_examine_memory(&d);
    doctor_examine_downloads(&d);
    examine_terminal(&d);
    return doctor_end(&d);
}

static int selftest(struct batch *b)
{
    const struct selftest_options o = {.line = b->line, .live = b->sources->live, .stop = &b->stop};
    struct err err = {""};
    return batch_ended(selftest_run(&o, b->to, &err), &err);
}

static struct command_verb command_verb_of(const struct command_line *c)
{
    const struct options *const o = &c->options;
    enum { BEFORE = 2 }; /* the command, the verb */
    return (struct command_verb){
        .verb = o->word_count >= BEFORE ? o->words[1] : NULL,
        .words = o->word_count > BEFORE ? o->words + BEFORE : NULL,
        .word_count = o->word_count > BEFORE ? o->word_count - BEFORE : 0,
        .orphans = options_given(o, "orphans"),
        .prints_json = c->format && strcmp(c->format, "json") == 0,
        .settings = &o->session,
    };
}

static int refuse_change(const char *verb)
{
    struct err err;
    fail(&err, "%s: not with --readonly", verb);
    complain(err.text);
    return EXIT_USAGE;
}

static enum session_file session_filemode(const char *word)
{
    static const char *const words[] = {NULL, "sequential", "circular", "append", "rotate"};
    enum session_file mode = SESSION_FILE_ROTATE;
    while (word && mode > SESSION_FILE_USUAL && strcmp(words[mode], word) != 0)
        mode--;
    return word ? mode : SESSION_FILE_USUAL;
}

static int sessions(struct batch *b)
{
    const struct options *const o = &b->line->options;
    struct command_verb c = command_verb_of(b->line);
    struct session_settings s = o->session;
    static const char *const changing[] = {"stop", "start", "update"};
    for (size_t i = 0; o->readonly && c.verb && i < sizeof changing / sizeof *changing; i++)
        if (strcmp(c.verb, changing[i]) == 0)
            return refuse_change(c.verb);
    s.log = o->log;
    s.file_bytes = o->most_bytes;
    s.filemode = session_filemode(o->filemode);
    c.settings = &s;
    return sessions_run(&c, b->to);
}

static int providers(struct batch *b)
{
    if (b->line->file_count)
        return command_providers(b);
    const struct options *const o = &b->line->options;
    struct command_verb c = command_verb_of(b->line);
    struct provider_settings s = o->provider;
    if (o->readonly && c.verb && (strcmp(c.verb, "enable") == 0 || strcmp(c.verb, "disable") == 0))
        return refuse_change(c.verb);
    s.pids = o->scope_pids.pids;
    s.pid_count = o->scope_pids.count;
    c.provider = &s;
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
        show(stderr, here ? "%s: %u of its colors cannot be distinguished or read\n" : "%s: ok\n",
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

/* ---- the line -------------------------------------------------------------------------------- */

/* The functions of the subcommands that print, by id; the others are the screen. */
static const batch_command batch_commands[SUBCOMMANDS] = {
    [SUBCOMMAND_INFO] = command_info,
    [SUBCOMMAND_MACHINE] = command_machine,
    [SUBCOMMAND_STATS] = command_stats,
    [SUBCOMMAND_DUMP] = command_dump,
    [SUBCOMMAND_TOP] = top,
    [SUBCOMMAND_STACKS] = stacks,
    [SUBCOMMAND_ASK] = ask,
    [SUBCOMMAND_MCP] = mcp,
    [SUBCOMMAND_THEME] = theme,
    [SUBCOMMAND_KEYS] = keys,
    [SUBCOMMAND_FIELDS] = fields,
    [SUBCOMMAND_CUT] = command_cut,
    [SUBCOMMAND_DOCTOR] = doctor,
    [SUBCOMMAND_SELFTEST] = selftest,
    [SUBCOMMAND_SESSIONS] = sessions,
    [SUBCOMMAND_PROVIDERS] = providers,
    [SUBCOMMAND_COMPLETIONS] = completions,
    [SUBCOMMAND_MANUAL] = manual,
};

static void print_more(const char *name, uint32_t more, FILE *to)
{
    char count[TEXT_COUNT];
    message_print(to, "%.500s: %s", name, text_count(count, more, "more mistake"));
}

/* Those that are kept, and how many more there are. */
static void print_mistakes(const struct config *config, FILE *to)
{
    const char *text;
    for (unsigned i = 0; (text = config_warning(config, i)); i++)
        message_print(to, "%s", text);
    if (config->warnings > CONFIG_WARNINGS)
        print_more(config->path, config->warnings - CONFIG_WARNINGS, to);
}

/* The command line and its configuration, read once more. */
struct reading {
    struct command_line line;
    struct config config;
};

static struct {
    int argc;
    char *const *argv;
    struct reading *last; /* NULL: they were read once */
} started;

static void forget(struct reading *r)
{
    if (!r)
        return;
    config_fini(&r->config);
    command_line_fini(&r->line);
    free(r);
}

static const struct command_line *read_again(struct session_options *session, FILE *log,
                                             unsigned *mistakes, struct err *err)
{
    struct reading *const r = mem_new(1, sizeof *r);
    if (command_line_read(&r->line, started.argc, started.argv, err) ||
        !config_load(&r->config, r->line.options.config, err)) {
        forget(r);
        return NULL;
    }
    config_meet(&r->config, &r->line.options, r->line.id);
    config_meet_spans(&r->config, &r->line.options, r->line.id);
    config_meet_recorder(&r->config, &r->line.options, recorder_name(&r->line));
    print_mistakes(&r->config, log);
    *mistakes = r->config.warnings;
    forget(started.last);
    started.last = r;
    *session = source_session(&all_sources, &r->line);
    return &r->line;
}

static int recorder(const struct command_line *c)
{
    const struct session_options o = source_session(&all_sources, c);
    const int status = recorder_command(c, &o, read_again);
    forget(started.last);
    return status;
}

static int record(const struct command_line *c)
{
    const struct session_options o = source_session(&all_sources, c);
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
        return full_screen_run(&all_sources, c, config);
    if (marks_is(c))
        return marks_run(c, etw_mark);
    if (remote_is(c))
        return remote_run(c);
    if (c->id == SUBCOMMAND_RECORD)
        return record(c);
    if (c->id == SUBCOMMAND_RECORDER)
        return recorder(c);
    return batch_run(c, &all_sources, batch_commands[c->id]);
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
        print_more(f->name, count - MANIFEST_SENTENCES, stderr);
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

/* Commands that print report mistakes in the configuration here; the screen shows them itself. */
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
        print_mistakes(config, stderr);
        return true;
    }
    saved_check(config);
    config_meet(config, &c->options, c->id);
    config_meet_spans(config, &c->options, c->id);
    if (c->id == SUBCOMMAND_RECORDER)
        config_meet_recorder(config, &c->options, recorder_name(c));
    if (!is_screen(c) && !recorder_is_start(c))
        print_mistakes(config, stderr);
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
    if (collector_live.help_out && collector_live.help_out(argc, argv))
        return EXIT_DONE;
    os_heap_tidy(); /* before collectors make their tables: large ones take memory only as they fill */
    user_views_builtin();
    schema_system_set(system_schemas());
    struct command_line line;
    struct err err;
    started.argc = argc;
    started.argv = argv;
    const enum exit_status status = command_line_read(&line, argc, argv, &err);
    struct config config = {.keys = NULL};
    if (!status && line.bare_file && !line.options.quiet)
        message_print(
            stderr,
            "'%s' is a file in this folder and is read as a trace; to filter by this text, "
            "put it in quotes of its own: '\"%s\"'",
            line.bare_file, line.bare_file);
    const bool is_settled =
        !status && recorder_prepare(&line, argc, argv, &err) && settle_rights(&line, &err);
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
