#include "ui/draw/view_file.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/query/query.h"
#include "ui/draw/view.h"
#include "ui/state/app.h"
#include "ui/state/queries.h"
#include "ui/state/splits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEW_MOST = 1 << 20 };

/* ---- writing ---------------------------------------------------------------------------- */

struct writer {
    char *text;
    size_t used, room;
};

static void write_bytes(struct writer *w, const char *text, size_t bytes)
{
    if (w->used + bytes + 1 > w->room) {
        w->room = (w->used + bytes + 1) * 2;
        w->text = mem_grow(w->text, w->room, 1);
    }
    memcpy(w->text + w->used, text, bytes);
    w->used += bytes;
    w->text[w->used] = '\0';
}

static void write_line(struct writer *w, const char *format, ...) PRINTF_LIKE(2, 3);

/* One line: what the user typed or a trace brought may not begin another. */
static void write_line(struct writer *w, const char *format, ...)
{
    char line[FILTER_MAX + 256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    write_bytes(w, line, strlen(line));
    write_bytes(w, "\n", 1);
}

static void write_value(struct writer *w, const char *key, const char *number,
                        const struct frame *f, const struct value *v)
{
    if (value_is_text(v))
        write_line(w, "%s%s = %.*s", key, number, (int)v->text.bytes, f->arena + v->text.offset);
}

/* Rows have numbers that mean nothing in another session: what is restored are their filters. */
static void write_crumbs(struct writer *w, const struct app *a, const char *number)
{
    const struct frame *const f = app_known(a);
    for (unsigned i = 0; f && i < f->crumb_count && i < a->focus->depth; i++) {
        write_value(w, "crumb", number, f, &f->crumbs[i].name);
        write_value(w, "within", number, f, &f->crumbs[i].term);
    }
}

static const char *const shapes[] = {[STACK_CALLEES] = "callees", [STACK_CALLERS] = "callers",
                                     [STACK_FLAT] = "flat"};

/* How call trees were shown; the tree around one frame belongs to that frame, and is not kept. */
static void write_stacks(struct writer *w, const struct stack_look *look, const char *number)
{
    write_line(w, "metric%s = %s", number, stack_metrics[look->metric].id);
    if (look->shape < sizeof shapes / sizeof *shapes)
        write_line(w, "shape%s = %s%s", number, shapes[look->shape], look->is_flame ? " flame" : "");
}

static void write_times(struct writer *w, const struct frame *f)
{
    char text[CLOCK_TEXT];
    write_line(w, "interval_ns = %" PRId64, f->sample_ns);
    write_line(w, "origin_ns = %" PRId64, f->origin);
    if (f->instant)
        write_line(w, "instant = %s", clock_format_iso(f->instant, text));
    write_line(w, "[loss]");
    write_line(w, "kernel = %" PRIu64, frame_loss_kernel(&f->loss));
    write_line(w, "undelivered = %" PRIu64, f->loss.undelivered);
    write_line(w, "buffers = %" PRIu64, f->loss.realtime);
    write_line(w, "ring = %" PRIu64, f->loss.ring);
    write_line(w, "undecoded = %" PRIu64, f->loss.decoder);
}

static void write_screen(struct writer *w, const struct app *a)
{
    struct grid g;
    grid_init(&g, a->columns, a->rows, a->glyphs);
    app_draw(a, &g);
    char *const text = grid_to_text(&g, false);
    grid_fini(&g);
    write_line(w, "[screen]");
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        write_bytes(w, "| ", 2); /* no line of it reads as one of ours */
        write_bytes(w, at, length);
        write_bytes(w, "\n", 1);
        at += length + (at[length] == '\n');
    }
    free(text);
}

/* Of several panes all but the first have their number behind their keys. */
static void write_place(struct writer *w, const struct app *a)
{
    char number[8] = "";
    const struct place *const p = app_shown(a);
    if (a->split_at) {
        snprintf(number, sizeof number, "%u", (a->split_at + 1) % 10);
        write_line(w, "split%s = %s", number, a->splits[a->split_at].is_below ? "rows" : "columns");
    }
    write_line(w, "pane%s = %s", number, query_pane_is(p->pane) ? p->pane->title : p->pane->id);
    write_line(w, "filter%s = %s", number, p->filter);
    if (p->sort < p->pane->column_count)
        write_line(w, "sort%s = %s%s", number, p->pane->columns[p->sort].id,
                   p->ascending ? ":asc" : "");
    write_crumbs(w, a, number);
    if (p->pane->view == PANE_TREE)
        write_stacks(w, &p->stacks, number);
}

char *view_file_text(const struct app *a)
{
    struct writer w = {0};
    const struct frame *const f = app_known(a);
    struct app *const each = mem_copy(a, sizeof *a);
    write_line(&w, "# what tracetop showed when the trace beside this was written");
    write_line(&w, "[view]");
    for (unsigned i = 0; i < a->split_count; i++) {
        const unsigned current = splits_enter(each, i);
        write_place(&w, each);
        splits_leave(each, current);
    }
    free(each);
    if (f)
        write_times(&w, f);
    write_screen(&w, a);
    return w.text;
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool read_number(const char *text, int64_t *out)
{
    char *end;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || value < 0)
        return false;
    *out = value;
    return true;
}

static void read_sort(struct view_place *s, char *value)
{
    char *const colon = strchr(value, ':');
    if (colon)
        *colon = '\0';
    s->ascending = colon && strcmp(colon + 1, "asc") == 0;
    snprintf(s->sort, sizeof s->sort, "%s", value);
}

/* Into the list of terms, as far as there is room. */
static void read_within(struct view_place *s, const char *value)
{
    const size_t used = strlen(s->within);
    if (used + strlen(value) + 2 <= sizeof s->within)
        snprintf(s->within + used, sizeof s->within - used, "%s%s", used ? " " : "", value);
}

static void read_shape(struct view_place *s, char *value)
{
    char *const blank = strchr(value, ' ');
    s->stacks.is_flame = blank && strcmp(blank, " flame") == 0;
    if (blank)
        *blank = '\0';
    for (uint8_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(value, shapes[i]) == 0)
            s->stacks.shape = i;
}

static void read_metric(struct view_place *s, const char *value)
{
    const enum stack_metric metric = stack_metric_find(value);
    if (metric != STACK_METRICS)
        s->stacks.metric = (uint8_t)metric;
}

static void read_times(struct view_state *s, const char *key, const char *value)
{
    if (strcmp(key, "interval_ns") == 0) {
        enum { LEAST = 100000000 };
        int64_t ns;
        if (read_number(value, &ns) && ns >= LEAST && ns <= 86400ll * 1000000000)
            s->interval_ns = ns;
    } else if (strcmp(key, "origin_ns") == 0) {
        read_number(value, &s->origin_ns);
    }
}

/* "sort" is of the first pane, "sort2" of the second. */
static void read_item(struct view_state *state, char *key, char *value)
{
    char *const last = key + strlen(key) - 1;
    const bool is_other = last > key && *last >= '2' && *last < '1' + VIEWS_MAX;
    struct view_place *const s = &state->places[is_other ? *last - '1' : 0];
    if (is_other)
        *last = '\0';
    if (strcmp(key, "pane") == 0)
        snprintf(s->pane, sizeof s->pane, "%s", value);
    else if (strcmp(key, "split") == 0)
        s->is_below = strcmp(value, "rows") == 0;
    else if (strcmp(key, "filter") == 0)
        snprintf(s->filter, sizeof s->filter, "%s", value);
    else if (strcmp(key, "sort") == 0)
        read_sort(s, value);
    else if (strcmp(key, "within") == 0)
        read_within(s, value);
    else if (strcmp(key, "metric") == 0)
        read_metric(s, value);
    else if (strcmp(key, "shape") == 0)
        read_shape(s, value);
    else
        read_times(state, key, value);
}

/* Lines of the section [view] alone. */
static void read_text(struct view_state *s, char *text)
{
    bool is_view = false;
    for (char *line = text; line && *line;) {
        char *const end = strchr(line, '\n');
        if (end)
            *end = '\0';
        char *const equals = strstr(line, " = ");
        if (line[0] == '[') {
            is_view = strcmp(line, "[view]") == 0;
        } else if (is_view && equals) {
            *equals = '\0';
            read_item(s, line, equals + 3);
        }
        line = end ? end + 1 : NULL;
    }
}

bool view_file_read(const char *trace, struct view_state *out, struct err *err)
{
    char path[1100];
    *out = (struct view_state){0};
    err->text[0] = '\0';
    if (snprintf(path, sizeof path, "%s.view", trace) >= (int)sizeof path ||
        os_path_kind(path) != OS_REGULAR)
        return false;
    struct os_file *const f = os_open(path, err);
    if (!f)
        return false;
    char *const text = mem_new(VIEW_MOST + 1, 1);
    const int64_t bytes = os_read_at(f, text, VIEW_MOST, 0, err);
    os_close(f);
    if (bytes >= 0) {
        text[bytes] = '\0';
        read_text(out, text);
    }
    free(text);
    const char *const pane = out->places[0].pane;
    if (bytes >= 0 && !query_is_one(pane) && !pane_find(pane))
        return fail(err, "%s names no pane: it is passed over", path);
    return bytes >= 0;
}
