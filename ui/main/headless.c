#include "ui/main/headless.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/base/show.h"
#include "src/base/text.h"
#include "src/os/os.h"
#include "ui/action/settings_edit.h"
#include "ui/draw/view.h"
#include "ui/main/dispatch.h"
#include "ui/main/engine_port.h"
#include "ui/state/saver.h"
#include "ui/state/splits.h"
#include "ui/term/input.h"

#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000LL

/* A script is typed by a person; beyond a megabyte it is something else. */
enum { SCRIPT_MAX = 1024 * 1024, LINE_ROOM = 2048 };

/* How long a frame may take before the engine counts as stuck; and how long reading a
 * whole recording may take (some minutes for the largest). */
static const int64_t frame_time = 60 * SECOND, settle_time = 3600 * SECOND;

/* Scripts have a clock of their own: a tenth of a second passes with every key. */
static const int64_t key_time = SECOND / 10;

struct headless {
    const struct headless_options *options;
    struct app app;
    struct grid grid;
    int64_t now;
    unsigned frames; /* printed */
    bool has_quit, is_interrupted;
};

/* ---- frames -------------------------------------------------------------------------- */

/* Waits in slices: whoever wants to end the program is heard within one of them. */
static struct frame *await(struct headless *h, const struct request *r, bool is_settled)
{
    const int64_t end = os_now() + (is_settled ? settle_time : frame_time);
    while (os_now() < end && !h->is_interrupted) {
        struct frame *f =
            engine_wait_view(h->options->engine, r->view, r->sequence, is_settled, SECOND / 5);
        if (f)
            return f;
        h->is_interrupted = (os_signals_take() & (OS_INTERRUPTED | OS_TERMINATED)) != 0;
    }
    return NULL;
}

/* Takes frames of one pane until one answers its newest request and nothing is left to fill in.
 * Rows that moved may ask again. */
static bool take_frames(struct headless *h, unsigned split, bool is_settled, struct err *err)
{
    const struct app *const a = &h->app;
    const int64_t deadline = os_now() + (is_settled ? settle_time : frame_time);
    for (int round = 0; round < 8 && os_now() < deadline && splits_shows(a, split);) {
        const struct request wanted = *splits_sent(a, split);
        const struct frame *shown = splits_frame(a, split);
        if (!is_settled && shown && shown->sequence == wanted.sequence && !shown->is_partial)
            return true; /* the key changed nothing that the engine knows of */
        struct frame *f = await(h, &wanted, is_settled);
        if (!f && h->is_interrupted)
            return false;
        if (!f)
            return fail(err, "the engine has not answered in time");
        app_frame(&h->app, f);
        const uint64_t sequence = splits_sent(a, split)->sequence;
        shown = splits_frame(a, split);
        if (shown && shown->sequence == sequence && !shown->is_partial)
            return true;
        round += sequence != wanted.sequence;
    }
    return true;
}

/* Of all panes on screen; what one of them brings may make another ask again. */
static bool take_frame(struct headless *h, bool is_settled, struct err *err)
{
    for (int round = 0; round < 4; round++) {
        for (unsigned i = 0; i < h->app.split_count; i++)
            if (splits_shows(&h->app, i) && !take_frames(h, i, is_settled, err))
                return false;
        if (app_is_answered(&h->app))
            break;
    }
    return true;
}

static bool take_new_frame(struct headless *h, bool is_settled, struct err *err)
{
    app_ask(&h->app);
    return take_frame(h, is_settled, err);
}

/* "wait": a recording is read to its end, an endless source goes on for an interval. */
static bool wait_more(struct headless *h, struct err *err)
{
    const struct frame *f = h->app.focus->frame;
    h->now += SECOND;
    app_tick(&h->app, h->now);
    if (f && f->state == STATE_PAUSED)
        return take_new_frame(h, false, err);
    if (!h->options->is_endless)
        return take_new_frame(h, true, err);
    const double interval = f && f->interval_s > 0 && f->interval_s < 60 ? f->interval_s : 1;
    os_sleep((int64_t)(interval * 1e9));
    return take_new_frame(h, false, err);
}

static void print(struct headless *h, const char *after)
{
    app_draw(&h->app, &h->grid);
    app_was_shown(&h->app, h->now);
    if (h->options->dumps_all)
        show(h->options->out, "--- %u %s\n", h->frames, after);
    h->frames++;
    if (h->options->draw)
        h->options->draw(h->options->state, &h->grid, h->options->out);
    else
        grid_print(&h->grid, h->options->out, h->options->has_roles);
}

/* ---- the script ------------------------------------------------------------------------ */

static bool press(struct headless *h, const struct key *k, struct err *err)
{
    h->now += key_time;
    if (app_key(&h->app, k, h->now) & REACT_QUIT) {
        h->has_quit = true;
        return true;
    }
    return take_frame(h, false, err);
}

static bool type(struct headless *h, const char *text, struct err *err)
{
    while (*text && !h->has_quit) {
        char one[8] = "";
        struct key k = {.kind = KEY_CHARACTER, .code = ' '};
        size_t used = 1;
        while ((text[used] & 0xc0) == 0x80 && used < 4)
            used++;
        memcpy(one, text, used);
        if (*text != ' ' && !key_parse(one, &k))
            return fail(err, "text that is not UTF-8");
        if (!press(h, &k, err))
            return false;
        text += used;
    }
    return true;
}

static bool resize(struct headless *h, const char *size, struct err *err)
{
    int columns, rows;
    char rest;
    if (sscanf(size, "%dx%d%c", &columns, &rows, &rest) != 2 || columns < 1 || rows < 1 ||
        columns > GRID_SIDE_MAX || rows > GRID_SIDE_MAX)
        return fail(err, "expected a size such as 120x40, at most %dx%d; found \"%s\"",
                    GRID_SIDE_MAX, GRID_SIDE_MAX, size);
    grid_resize(&h->grid, columns, rows);
    app_resize(&h->app, columns, rows);
    return take_frame(h, false, err);
}

static bool step(struct headless *h, const char *line, struct err *err)
{
    struct key k;
    if (strcmp(line, "wait") == 0)
        return wait_more(h, err);
    if (strncmp(line, "text:", 5) == 0)
        return type(h, line + 5, err);
    if (strncmp(line, "size ", 5) == 0)
        return resize(h, line + 5, err);
    if (key_parse(line, &k))
        return press(h, &k, err);
    return fail(err, "expected a key, \"text:…\", \"wait\", \"size WxH\" or \"dump\"; found \"%s\"",
                line);
}

static bool run_line(struct headless *h, const char *line, struct err *err)
{
    if (line[0] == '\0' || strncmp(line, "# ", 2) == 0)
        return true;
    if (strcmp(line, "dump") == 0) {
        print(h, line);
        return true;
    }
    if (!step(h, line, err))
        return false;
    if (h->options->dumps_all && !h->has_quit)
        print(h, line);
    return true;
}

static char *read_script(const char *path, struct err *err)
{
    if (os_path_is_null(path))
        return mem_string("");
    struct os_file *file = os_open(path, err);
    if (!file)
        return NULL;
    const int64_t size = os_size(file);
    char *text = NULL;
    if (size < 0 || size > SCRIPT_MAX) {
        fail(err, "%s: expected a key file of at most %d bytes", path, SCRIPT_MAX);
    } else {
        text = mem_new((size_t)size + 1, 1);
        if (os_read_at(file, text, (size_t)size, 0, err) < 0) {
            free(text);
            text = NULL;
        }
    }
    os_close(file);
    return text;
}

static bool run_script(struct headless *h, struct err *err)
{
    char *script = read_script(h->options->keys, err);
    if (!script)
        return false;
    bool ok = true;
    unsigned number = 0;
    for (char *at = script; ok && *at && !h->has_quit;) {
        const size_t length = strcspn(at, "\n");
        char line[LINE_ROOM];
        number++;
        snprintf(line, sizeof line, "%.*s", (int)(length < LINE_ROOM ? length : LINE_ROOM - 1), at);
        line[strcspn(line, "\r")] = '\0';
        struct err why;
        ok = run_line(h, line, &why);
        if (!ok && !h->is_interrupted)
            ok = fail(err, "%s:%u: %s", h->options->keys, number, why.text);
        at += length + (at[length] == '\n');
    }
    free(script);
    return ok;
}

/* The first frame; what is read as fast as possible is read to its end. */
static bool begin(struct headless *h, struct err *err)
{
    if (!take_frame(h, false, err))
        return false;
    const struct frame *f = h->app.focus->frame;
    if (!h->options->is_endless && f && f->speed == 0 && f->state != STATE_PAUSED)
        return take_new_frame(h, true, err);
    return true;
}

/* What was asked for is written before the end. False with a sentence where no file was written. */
static bool finish_snapshot(struct headless *h, struct err *err)
{
    struct app *const a = &h->app;
    if (!saver_is_snapshotting(a->saver))
        return true;
    a->leaving.awaits_snapshot = true;
    while (!a->leaving.text[0] && !h->is_interrupted) {
        os_sleep(SECOND / 100);
        app_tick(a, h->now);
        h->is_interrupted = (os_signals_take() & (OS_INTERRUPTED | OS_TERMINATED)) != 0;
    }
    if (!a->leaving.text[0])
        return fail(err, "the snapshot was canceled: no file was written");
    if (a->leaving.is_error)
        return fail(err, "%s", a->leaving.text);
    if (!h->options->is_quiet)
        message_print(stderr, "%s", a->leaving.text);
    return true;
}

int headless_run(const struct headless_options *o, struct err *err)
{
    struct headless h = {.options = o, .now = SECOND};
    const struct app_port port = engine_port(o->engine);
    const struct saver_options saving = {.engine = o->engine,
                                         .collector = o->collector,
                                         .folder = o->config ? o->config->settings.folder : NULL,
                                         .name = o->config ? o->config->settings.file_name : NULL,
                                         .shape = o->shape};
    struct saver *const saver = o->collector ? saver_new(&saving) : NULL;
    const struct app_options ao = {
        .port = &port,
        .columns = o->columns > 0 ? o->columns : 80,
        .rows = o->rows > 0 ? o->rows : 24,
        .is_ascii = o->config && o->config->settings.is_ascii,
        .config = o->config,
        .is_whole = o->is_whole,
        .is_still = true,
        .pane = o->pane,
        .triggers = o->triggers,
        .trigger_count = o->trigger_count,
        .filter = o->filter,
        .view = o->view,
        .saver = saver,
        .journal = o->journal,
        .reports = o->reports,
        .made = o->made,
        .now = h.now,
    };
    app_init(&h.app, &ao);
    grid_init(&h.grid, ao.columns, ao.rows, h.app.glyphs);
    bool ok = begin(&h, err);
    if (ok && o->dumps_all)
        print(&h, "start");
    if (ok && o->keys)
        ok = run_script(&h, err);
    ok = finish_snapshot(&h, err) && ok;
    if (ok && !o->dumps_all)
        print(&h, "end");
    grid_fini(&h.grid);
    saver_free(saver);
    ok = settings_edit_end(&h.app, err) && ok;
    app_fini(&h.app);
    return ok ? 0 : h.is_interrupted ? 130 : 1;
}
