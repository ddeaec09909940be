/* The flame graph: callees hang below their callers, or stand above them. Kinds of code differ by
 * style; the selected frame is spelled out in the header, with its letter. */
#include "ui/draw/view.h"
#include "ui/state/flame.h"
#include "ui/state/chart.h"
#include "ui/state/layout.h"

#include <string.h>

static const struct value *cell_named(const struct frame *f, unsigned row, const char *id)
{
    return &f->rows[row].cells[pane_column(f->pane, id) - f->pane->columns];
}

static const char *text_at(const struct app *a, const struct value *v, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    const struct format format = app_format(a);
    format_value(&format, v, f->arena, f->arena_bytes, out, room);
    return out;
}

static enum role role_of(const struct frame *f, unsigned row)
{
    const struct value *const mode = cell_named(f, row, "mode");
    switch (mode->type == VALUE_TEXT && mode->text.bytes ? f->arena[mode->text.offset] : 'u') {
    case 'k':
        return ROLE_FRAME_KERNEL;
    case 'd':
        return ROLE_FRAME_DRIVER;
    case 'm':
        return ROLE_FRAME_MANAGED;
    default:
        return ROLE_FRAME_USER;
    }
}

/* In a narrow box the function says more than its module, and the module more than an offset. */
static const char *title_that_fits(const char *text, int width)
{
    const char *const bang = strchr(text, '!');
    return bang && bang[1] && bang[1] != '+' && grid_width(text) > width ? bang + 1 : text;
}

/* The frame's percentage, where the whole name has room beside it: the cells that both take. */
static int write_share(const struct app *a, unsigned row, int width, const char *name,
                       char out[FORMAT_ROOM + 2])
{
    char number[FORMAT_ROOM];
    text_at(a, cell_named(app_known(a), row, "total"), number, sizeof number);
    const int bytes = snprintf(out, FORMAT_ROOM + 2, " %s%%", number);
    return grid_width(name) + bytes <= width ? bytes : 0;
}

static void draw_box(const struct app *a, struct grid *g, const struct rect *at,
                     const struct flame_box *b, bool is_cursor)
{
    const struct frame *const f = app_known(a);
    const struct place *const p = app_shown(a);
    char text[FORMAT_ROOM];
    text_at(a, cell_named(f, b->row, "frame"), text, sizeof text);
    const bool is_highlighted = f->rows[b->row].flags & ROW_FOUND ||
                                (p->highlighted[0] && strcmp(p->highlighted, text) == 0);
    const enum role role = is_cursor        ? ROLE_HEADER_SORT
                           : is_highlighted ? ROLE_MATCH
                                            : role_of(f, b->row);
    grid_fill(g, *at, role);
    const char *const edge = is_cursor ? a->glyphs->cursor : a->glyphs->divider;
    grid_text(g, at->x, at->y, 1, role, edge);
    char percent[FORMAT_ROOM + 2];
    const int share = write_share(a, b->row, at->width - 1, text, percent);
    if (at->width > 3)
        grid_cut(g, at->x + 1, at->y, at->width - 1 - share, role,
                 title_that_fits(text, at->width - 1 - share), CUT_END);
    if (share)
        grid_text(g, at->x + at->width - share, at->y, share, role, percent);
    if (!is_cursor && !is_highlighted)
        grid_over(g, *at, ROLE_FLAME);
}

static void draw_header(const struct app *a, struct grid *g, const struct layout *l,
                        const struct flame *boxes, int cursor)
{
    const struct frame *const f = app_known(a);
    grid_fill(g, l->header, ROLE_HEADER);
    if (cursor < 0)
        return;
    char name[FORMAT_ROOM], weight[FORMAT_ROOM], self[FORMAT_ROOM], part[FORMAT_ROOM],
        mode[FORMAT_ROOM];
    const unsigned row = boxes->boxes[cursor].row;
    text_at(a, cell_named(f, row, "mode"), mode, sizeof mode);
    text_at(a, cell_named(f, row, "frame"), name, sizeof name);
    text_at(a, cell_named(f, row, "samples"), weight, sizeof weight);
    text_at(a, cell_named(f, row, "self"), self, sizeof self);
    text_at(a, cell_named(f, row, "total"), part, sizeof part);
    char figures[4 * FORMAT_ROOM];
    snprintf(figures, sizeof figures, "%s %s  self %s  %s%% of %s ", stack_metrics[f->metric].title,
             weight, self, part, app_shown(a)->stacks.of_visible ? "shown" : "all");
    grid_right(g, l->header.x, l->header.y, l->header.width, ROLE_HEADER, figures);
    const int left = l->header.width - grid_width(figures) - 3;
    if (left > 4)
        grid_text(g, 2, l->header.y, 2, ROLE_HEADER, mode);
    if (left > 8)
        grid_cut(g, 4, l->header.y, left - 3, ROLE_HEADER_SORT, name, CUT_END);
}

/* What the graph does not show: it stands for what has a stack. */
static void draw_account(const struct app *a, struct grid *g, const struct rect *at)
{
    const struct frame *const f = app_known(a);
    const uint8_t type = stack_metrics[f->metric].type;
    const uint64_t figures[] = {f->stack_weight, f->stack_missing, f->stack_hidden, f->stack_cut};
    char texts[4][FORMAT_ROOM];
    for (size_t i = 0; i < 4; i++) {
        const struct value v = type == VALUE_TIME
                                   ? (struct value){.type = type, .ns = (int64_t)figures[i]}
                                   : (struct value){.type = type, .count = figures[i]};
        text_at(a, &v, texts[i], sizeof texts[i]);
    }
    const char *const way =
        app_shown(a)->stacks.shape == STACK_CALLERS ? "callers of" : "callees of";
    int x = 2;
    x += grid_printf(g, x, at->y, at->width - x, ROLE_DIM, "%s all: %s with a stack, %s without",
                     way, texts[0], texts[1]);
    if (f->stack_hidden)
        x += grid_printf(g, x, at->y, at->width - x, ROLE_HIGH, ", %s left out", texts[2]);
    if (f->stack_cut)
        grid_printf(g, x, at->y, at->width - x, ROLE_HIGH, ", %s cut short", texts[3]);
}

static void draw_nothing(struct grid *g, const struct app *a, const struct rect *body)
{
    const char *const text = !app_known(a) ? "gathering" : "no stacks to show";
    const int x = (body->width - grid_width(text)) / 2;
    grid_cut(g, x > 0 ? x : 0, body->y + body->height / 3, body->width, ROLE_DIM, text, CUT_END);
}

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    const struct frame *const f = app_known(a);
    const struct place *const p = app_shown(a);
    struct flame boxes = {0};
    if (f)
        flame_lay_out(f, &p->stacks.root, l->body.width, &boxes);
    const int cursor = f ? flame_cursor(a, &boxes) : -1;
    draw_header(a, g, l, &boxes, cursor);
    if (f && l->totals.height)
        draw_account(a, g, &l->totals);
    if (!boxes.count)
        draw_nothing(g, a, &l->body);
    const unsigned top = flame_top(&boxes, cursor, l->body.height);
    for (unsigned i = 0; i < boxes.count; i++) {
        const struct flame_box *const b = &boxes.boxes[i];
        if (b->level < top || b->level - top >= (unsigned)l->body.height)
            continue;
        const int line = flame_line(a, b->level, top, l->body.height);
        const struct rect at = {l->body.x + b->x, l->body.y + line, b->width, 1};
        draw_box(a, g, &at, b, (int)i == cursor);
    }
    flame_fini(&boxes);
}

static bool is_shown(const struct app *a)
{
    return !a->focus->is_detail && a->overlay != OVERLAY_HELP && flame_is_shown(a) && !chart_is_shown(a);
}

const struct screen_view view_flame = {.id = "flame", .is_shown = is_shown, .draw = draw};
