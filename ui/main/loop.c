#include "ui/main/loop.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/os/os.h"
#include "src/os/priority_boost.h"
#include "ui/action/copying.h"
#include "ui/action/settings_edit.h"
#include "ui/draw/view.h"
#include "ui/main/dispatch.h"
#include "ui/main/engine_port.h"
#include "ui/state/app.h"
#include "ui/state/recent_texts.h"
#include "ui/state/saver.h"
#include "ui/term/input.h"
#include "ui/term/screen.h"
#include "ui/term/terminal.h"

#include <stdlib.h>
#include <string.h>

struct loop {
    const struct loop_options *options;
    struct app app;
    struct grid grid;
    struct screen *screen;
    struct input *input;
    struct saver *saver;
    struct settings shown; /* as the terminal has them */
    struct priority_boost priority_boost;
    unsigned reaction; /* what is to be done before waiting again */
    bool has_ended;    /* the terminal is gone, or somebody asked us to end */
    int status;
};

static int sooner(int a, int b)
{
    return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

static void resize(struct loop *l, int columns, int rows)
{
    screen_resize(l->screen, columns, rows);
    grid_resize(&l->grid, columns, rows);
    l->reaction |= app_resize(&l->app, l->grid.width, l->grid.height);
}

static void take_size(struct loop *l)
{
    int columns = 80, rows = 24;
    os_terminal_size(1, &columns, &rows);
    resize(l, columns, rows);
}

/* Waits for keys, the wakeup, or what is due. The wakeup is signaled for frames and signals. */
static void wait(struct loop *l)
{
    uint8_t bytes[4096];
    terminal_ask_size();
    const unsigned events = terminal_wait(sooner(app_due(&l->app), input_due(l->input)));
    if (events & TERMINAL_GONE)
        l->has_ended = true;
    if (events & TERMINAL_RESIZED)
        take_size(l);
    if (!(events & TERMINAL_KEYS))
        return;
    const size_t got = terminal_read(bytes, sizeof bytes);
    input_push(l->input, bytes, got);
    if (got == 0)
        l->has_ended = true;
}

static void take_signals(struct loop *l)
{
    const unsigned signals = os_signals_take();
    if (signals & (OS_INTERRUPTED | OS_TERMINATED)) {
        l->has_ended = true;
        l->status = 130;
    }
    if (signals & (OS_RESIZED | OS_RESUMED))
        take_size(l);
}

/* The terminal says its size: where the system knows none. */
static void take_answer(struct loop *l, const struct key *k)
{
    int columns, rows;
    const bool is_new = k->x != l->grid.width || k->y != l->grid.height;
    if (is_new && !os_terminal_size(1, &columns, &rows))
        resize(l, k->x, k->y);
}

static void take_keys(struct loop *l)
{
    for (;;) {
        const struct key k = input_next(l->input);
        if (k.kind == KEY_NOTHING)
            return;
        if (k.kind == KEY_SIZE) {
            take_answer(l, &k);
            continue;
        }
        l->reaction |= app_key(&l->app, &k, os_now());
    }
}

static void take_frames(struct loop *l)
{
    for (unsigned i = 0; i < VIEWS_MAX; i++) { /* those of all views, but no more */
        struct frame *const f = engine_take_frame(l->options->engine);
        if (!f)
            return;
        l->reaction |= app_frame(&l->app, f);
    }
}

static void set_theme(struct loop *l)
{
    struct settings *const s = &l->app.settings;
    struct theme *const theme = mem_new(1, sizeof *theme);
    struct err err;
    if (theme_load(theme, s->theme, &err)) {
        screen_set_theme(l->screen, theme);
        l->reaction |= REACT_REPAINT;
    } else {
        app_message(&l->app, true, "%s", err.text);
        memcpy(s->theme, l->shown.theme, sizeof s->theme);
        l->reaction |= REACT_DRAW;
    }
    free(theme);
}

/* Applies changed settings to the terminal. */
static void follow_settings(struct loop *l)
{
    const struct settings *const s = &l->app.settings;
    if (strcmp(s->theme, l->shown.theme) != 0)
        set_theme(l);
    if (s->has_mouse != l->shown.has_mouse)
        screen_set_mouse(l->screen, s->has_mouse);
    if (s->is_ascii != l->shown.is_ascii) {
        l->app.glyphs = l->grid.glyphs =
            s->is_ascii || !screen_is_utf8() ? &glyphs_ascii : &glyphs_unicode;
        l->reaction |= REACT_REPAINT;
    }
    l->shown = *s;
}

static void send_copied(struct loop *l)
{
    size_t bytes;
    char *const sequence = copying_sequence(&l->app, &bytes);
    if (sequence)
        screen_send(l->screen, sequence, bytes);
    free(sequence);
}

static void react(struct loop *l)
{
    follow_settings(l);
    if (l->reaction & REACT_SUSPEND) {
        screen_suspend(l->screen);
        take_size(l);
    }
    if (l->reaction & REACT_QUIT)
        return;
    if (l->reaction & REACT_COPY)
        send_copied(l);
    if (l->reaction & REACT_BELL)
        screen_bell();
    if (l->reaction & (REACT_DRAW | REACT_REPAINT)) {
        app_draw(&l->app, &l->grid);
        screen_show(l->screen, &l->grid, (l->reaction & REACT_REPAINT) != 0);
        app_was_shown(&l->app, os_now());
    }
    l->reaction = REACT_NONE;
}

static void begin(struct loop *l)
{
    int columns = 80, rows = 24;
    os_terminal_size(1, &columns, &rows);
    const struct app_port port = engine_port(l->options->engine);
    const struct app_options o = {
        .port = &port,
        .columns = columns,
        .rows = rows,
        .is_ascii = l->options->config->settings.is_ascii || !screen_is_utf8(),
        .config = l->options->config,
        .is_whole = l->options->is_whole,
        .pane = l->options->pane,
        .triggers = l->options->triggers,
        .trigger_count = l->options->trigger_count,
        .greeting = l->options->greeting,
        .filter = l->options->filter,
        .view = l->options->view,
        .saver = l->saver,
        .journal = l->options->journal,
        .reports = l->options->reports,
        .made = l->options->made,
        .now = os_now(),
    };
    app_init(&l->app, &o);
    recent_texts_read(&l->app);
    grid_init(&l->grid, columns, rows, l->app.glyphs);
    l->shown = l->app.settings;
    l->reaction = REACT_DRAW;
}

int loop_run(const struct loop_options *o, struct err *err)
{
    const struct screen_options so = {.theme = o->theme,
                                      .color = o->color,
                                      .wake = o->wakeup,
                                      .has_mouse = o->config->settings.has_mouse};
    struct loop l = {.options = o};
    l.screen = screen_open(&so, err);
    if (!l.screen)
        return 1;
    l.input = input_open(screen_is_utf8(), err);
    if (!l.input) {
        screen_close(l.screen);
        return 1;
    }
    const struct saver_options saver = {.engine = o->engine,
                                        .collector = o->collector,
                                        .wakeup = o->wakeup,
                                        .reader = o->reader,
                                        .folder = o->config->settings.folder,
                                        .name = o->config->settings.file_name,
                                        .shape = o->shape};
    l.saver = saver_new(&saver);
    begin(&l);
    if (o->collector && collector_is_live(o->collector))
        l.priority_boost.percent = BOOST_SCREEN;
    while (!l.has_ended) {
        priority_boost_update(&l.priority_boost);
        react(&l);
        if (l.reaction & REACT_QUIT)
            break;
        wait(&l);
        take_signals(&l);
        take_keys(&l);
        take_frames(&l);
        l.reaction |= app_tick(&l.app, os_now());
    }
    if (l.priority_boost.is_boosted)
        os_thread_boost(false);
    screen_close(l.screen);
    if (l.app.leaving.is_error)
        l.status = fail(err, "%s", l.app.leaving.text) ? 0 : 1;
    else if (l.app.leaving.text[0] && !o->is_quiet)
        message_print(stderr, "%s", l.app.leaving.text);
    saver_free(l.saver);
    input_close(l.input);
    grid_fini(&l.grid);
    if (!settings_edit_end(&l.app, err) && l.status == 0)
        l.status = 1;
    struct err why;
    if (!recent_texts_keep(&l.app, &why) && !o->is_quiet)
        message_print(stderr, "recent texts are not kept for the next start: %s", why.text);
    app_fini(&l.app);
    return l.status;
}
