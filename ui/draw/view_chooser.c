/* Choosers: the box, and the lines of the list that narrowing leaves. */
#include "ui/draw/lines.h"
#include "ui/draw/view.h"
#include "ui/state/chooser.h"
#include "ui/state/layout.h"

static void draw_item(struct grid *g, const struct rect *box, int columns, const struct choice *c)
{
    enum { TITLE_ALONE = 50, LEAST_HELP = 4 }; /* narrower columns have no room for help */
    const int usual = box->width > 70 || (columns > 1 && box->width >= TITLE_ALONE) ? 22
                      : columns > 1 && box->width < TITLE_ALONE                     ? box->width - 8
                                                                                    : 14;
    const int most = box->width - 7 - grid_width(c->help);
    const int title = c->is_long && most > usual ? most : usual;
    const char key[] = {c->is_on ? '+' : c->key, '\0'};
    grid_text(g, box->x + 1, box->y, 1, ROLE_KEY, c->is_current ? "*" : " ");
    grid_text(g, box->x + 3, box->y, 1, ROLE_KEY, key);
    const int value = c->value[0] ? (box->width > 70 ? 18 : 14) : 0;
    const int x = box->x + 6 + title;
    grid_cut(g, box->x + 5, box->y, title, ROLE_NAME, c->title, CUT_END);
    grid_cut(g, x, box->y, value, ROLE_KEY, c->value, CUT_END);
    const int room = box->width - title - 7 - value - !!value;
    if (room >= LEAST_HELP)
        grid_cut(g, x + value + !!value, box->y, room, ROLE_DIM, c->help, CUT_END);
}

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    (void)l;
    const struct rect box = chooser_box(a);
    const struct chooser *c = &a->chooser;
    lines_box(g, box, chooser_title(a));
    const int used = grid_text(g, box.x + 2, box.y + 1, 12, ROLE_DIM, "narrow to: ");
    const int typed =
        grid_text(g, box.x + 2 + used, box.y + 1, box.width - used - 4, ROLE_FILTER, c->typed);
    g->cursor_x = box.x + 2 + used + typed;
    g->cursor_y = box.y + 1;
    const int lines = chooser_lines(a, &box), columns = chooser_columns(a);
    const struct rect inner = {box.x + 1, box.y + 2, box.width - 2, lines};
    const int width = inner.width / columns;
    for (int i = 0; i < lines * columns; i++) {
        const struct rect r = {inner.x + i / lines * width, inner.y + i % lines, width, 1};
        struct choice item;
        unsigned index;
        if (!chooser_item(a, c->list.top + (uint64_t)i, &index, &item))
            break;
        draw_item(g, &r, columns, &item);
        if (c->list.top + (uint64_t)i != c->list.cursor)
            continue;
        grid_over(g, r, ROLE_ROW_CURSOR);
        if (c->kind == CHOOSE_SETUP || columns > 1)
            grid_cut(g, inner.x + 1, box.y + box.height - 2, inner.width - 2, ROLE_TEXT, item.help,
                     CUT_END);
    }
    if (c->list.count == 0)
        grid_text(g, inner.x + 2, inner.y + 1, inner.width - 4, ROLE_DIM,
                  "nothing matches; Esc closes");
}

static bool is_shown(const struct app *a)
{
    return a->overlay == OVERLAY_CHOOSER;
}

const struct screen_view view_chooser = {.id = "chooser", .is_shown = is_shown, .draw = draw};
