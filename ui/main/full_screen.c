#include "ui/main/full_screen.h"

#include "src/base/message.h"
#include "src/command/asked.h"
#include "src/command/batch.h"
#include "src/command/inquiry.h"
#include "src/command/record.h"
#include "src/command/recorder_command.h"
#include "src/export/info.h"
#include "src/export/machine.h"
#include "src/filter/filter.h"
#include "src/os/os.h"
#include "src/os/output.h"
#include "src/os/rights.h"
#include "src/pane/panes.h"

#include "ui/config/journal.h"
#include "ui/draw/view_file.h"
#include "ui/main/headless.h"
#include "ui/main/loop.h"
#include "ui/state/made_panes.h"
#include "ui/state/triggers.h"
#include "ui/term/screen.h"
#include "ui/term/svg.h"

#include <stdlib.h>
#include <string.h>

static void draw_picture(const void *state, const struct grid *g, FILE *out)
{
    grid_svg(g, state, out);
}

struct reports {
    const struct command_line *line;
    const struct session *session;
    const struct collector_kind *kind; /* the session's */
};

/* The pages that the commands print: of the recording, or of the session. */
static void make_report(const void *state, enum report_kind kind, FILE *out,
                        const _Atomic bool *stop)
{
    const struct reports *const r = state;
    const struct command_line *const c = r->line;
    const struct info_options io = {.files = c->files, .file_count = c->file_count, .stop = stop};
    const struct machine_options mo = {.files = c->files,
                                       .file_count = c->file_count,
                                       .system = r->kind,
                                       .running = &r->session->collector,
                                       .stop = stop};
    if (kind == REPORT_MACHINE)
        machine_run(&mo, out, out);
    else if (c->file_count)
        info_run(&io, out, out);
    else
        session_info(r->session, out);
}

/* A recording that is read as fast as possible is shown as a whole, not by its last interval. */
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
static const char *color_of(const struct config *config)
{
    const uint8_t color = config->settings.color;
    return color ? setting_find("ui", "color")->choices[color] : NULL;
}

/* Where --log wants one: after the session has begun, so that the file is the user's, not root's.
 */
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
                        struct made_panes *made, struct err *err)
{
    const struct options *const o = &c->options;
    const bool is_picture = strcmp(c->format, "svg") == 0;
    struct look look;
    struct journal *journal;
    if (!open_journal(o, &journal, err))
        return EXIT_ERROR;
    theme_reduce(theme, DEPTH_TRUE, &look);
    const struct reports state = {c, s, s->collector.kind};
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
        .made = made,
        .is_quiet = o->quiet,
    };
    const int status = headless_run(&h, err);
    const bool is_whole = status != EXIT_DONE || output_arrived(err);
    return end_journal(journal, is_whole ? status : EXIT_ERROR, err);
}

/* Who watches this machine may want what happened before, where a recorder keeps it. */
static const char *greeting_of(const struct sources *sources, const struct command_line *c,
                               const struct session *s)
{
    if (c->followed || !collector_is_live(&s->collector) || !recorder_is_running("default"))
        return NULL;
    return s->collector.kind == sources->recorder
               ? "attached to the recorder 'default': q leaves it running"
               : "a recorder keeps what happened before: tracetop --from default";
}

static int run_screen(const struct sources *sources, const struct command_line *c,
                      struct session *s, struct config *config, struct os_wakeup *wakeup,
                      const struct theme *theme, const struct view_state *view,
                      struct made_panes *made, struct err *err)
{
    struct journal *journal;
    if (!open_journal(&c->options, &journal, err))
        return EXIT_ERROR;
    const struct reports state = {c, s, s->collector.kind};
    const struct report_source reports = {make_report, &state};
    struct asked asked = {s->engine, inquiry_kind(s->collector.kind), c->files, c->file_count};
    const struct instance_reader reader = asked_reader(&asked);
    const struct loop_options l = {
        .reader = &reader,
        .engine = s->engine,
        .wakeup = wakeup,
        .theme = theme,
        .color = color_of(config),
        .triggers = c->options.triggers.items,
        .trigger_count = c->options.triggers.count,
        .filter = c->filter,
        .greeting = greeting_of(sources, c, s),
        .config = config,
        .is_whole = is_whole(c),
        .view = view,
        .collector = &s->collector,
        .shape = shape_of(&c->options),
        .journal = journal,
        .reports = &reports,
        .made = made,
        .is_quiet = c->options.quiet,
    };
    /* Until here Ctrl-C just ends the program: nothing has been touched yet. */
    os_signals_install(wakeup);
    const int status = loop_run(&l, err);
    return end_journal(journal, status, err);
}

/* Opens a snapshot with the view that was saved in it, and with the same interval boundaries. */
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

/* What the recorder of this machine records; NULL: there is none. */
static struct session *start_attached(const struct sources *sources, struct session_options o)
{
    char *const folder = recorder_folder("default", NULL);
    os_rights_drop();
    o.kind = sources->recorder;
    o.collector.folder = folder;
    o.collector.wanted = 0;
    struct session *const s = folder ? session_start(&o, NULL) : NULL;
    free(folder);
    return s;
}

/* A recorder that runs already and records for us what we need as well saves a second set of kernel
 * events, and knows the last minute. */
static bool may_attach(const struct sources *sources, const struct command_line *c,
                       const struct session_options *o)
{
    return o->kind == sources->live && !c->options.headless && !source_is_chosen(&c->options) &&
           options_of_traces(&c->options, NULL) && recorder_can_be_asked("default");
}

/* Who may not trace sees what the recorder of this machine records, or else made-up events. Not
 * silently: the screen says which, and why. */
static struct session *start_instead(const struct sources *sources, struct session_options *o,
                                     struct err *why, struct err *err)
{
    struct session *s = start_attached(sources, *o);
    if (s) {
        fail(why, "events of the recorder 'default', because %s", err->text);
    } else {
        o->kind = sources->demo;
        fail(why, "made-up events, because %s", err->text);
        s = session_start(o, err);
    }
    return s;
}

/* A session with somebody looking at it. The status of the looking counts where it is not
 * 0, else what became of the session. */
static int watch(const struct sources *sources, const struct command_line *c, struct config *config,
                 struct os_wakeup *wakeup, const struct theme *theme, struct err *err)
{
    struct session_options o = source_session(sources, c);
    enum exit_status refusal;
    o.frame_wakeup = wakeup;
    o.refusal = &refusal;
    struct view_state view;
    take_view(c, &o, &view);
    struct session *s = may_attach(sources, c, &o) ? start_attached(sources, o) : NULL;
    s = s ? s : session_start(&o, err);
    struct err why = {""};
    if (!s && o.kind == sources->live && !source_is_chosen(&c->options))
        s = start_instead(sources, &o, &why, err);
    if (!s)
        return (int)refusal;
    if (why.text[0])
        notices_add(&s->collector.notices, why.text);
    const char *mistake;
    for (unsigned i = 0; (mistake = config_warning(config, i)); i++)
        notices_add(&s->collector.notices, mistake);
    struct made_panes made = {0};
    const int seen = c->options.headless
                         ? run_headless(c, s, config, theme, &view, &made, err)
                         : run_screen(sources, c, s, config, wakeup, theme, &view, &made, err);
    session_leave_soon();
    session_stop(s);
    if (!c->options.quiet && seen != EXIT_ERROR)
        session_summary(s, true, stderr);
    const int status = seen ? seen : session_status(s, c->options.fail_on_loss);
    session_free(s);
    made_panes_fini(&made);
    return status;
}

/* A missing theme is an error when the command line names it. When the configuration names it, a
 * warning is shown and the default theme is used. */
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

int full_screen_run(const struct sources *sources, const struct command_line *c,
                    struct config *config)
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
    const struct color_hints hints = {
        .option = c->options.color ? c->options.color : color_of(config), .colors = -1};
    struct color_choice choice;
    if (!screen_choose_colors(&hints, &choice, &err))
        return complain(err.text), EXIT_USAGE;
    if (!load_theme(c, config, &theme, &err))
        return complain(err.text), EXIT_USAGE;
    struct os_wakeup *const wakeup = os_wakeup_new();
    const int status = watch(sources, c, config, wakeup, &theme, &err);
    os_wakeup_free(wakeup);
    if (err.text[0])
        complain(err.text);
    return status;
}
