#include "ui/draw/text_page.h"

#include "src/base/mem.h"
#include "src/base/text.h"

#include <stdio.h>
#include <stdlib.h>

size_t text_page_bytes(const char *text, size_t bytes, int room)
{
    size_t at = 0;
    while (at < bytes) {
        char safe[TEXT_CLUSTER_ROOM];
        int cells;
        const size_t taken = text_cluster(text + at, bytes - at, safe, sizeof safe, &cells);
        room -= cells;
        if (room < 0)
            break;
        at += taken;
    }
    return at;
}

static void draw_line(struct grid *g, const struct text_page *p, int y, const struct text_line *l)
{
    const int x = p->r.x + 2, width = p->r.width - DETAIL_MARGIN;
    switch (l->kind) {
    case LINE_BLANK:
        break;
    case LINE_TITLE:
        grid_text(g, x, y, width, ROLE_CRUMB, l->text);
        break;
    case LINE_PLAIN:
        grid_text(g, x, y, width, ROLE_TEXT, l->text);
        break;
    case LINE_BYTES:
        grid_text(g, x, y, 8, ROLE_DIM, l->name);
        grid_text(g, x + 8, y, width - 8, ROLE_TEXT, l->text);
        break;
    case LINE_ENTRY:
        grid_cut(g, x, y, p->name_width, ROLE_KEY, l->name, CUT_END);
        grid_cut(g, x + p->name_width + DETAIL_GAP, y, width - p->name_width - DETAIL_GAP,
                 ROLE_TEXT, l->text, CUT_END);
        break;
    }
}

void text_page_draw(const struct app *a, struct grid *g, const struct text_page *p)
{
    const int columns = p->columns > 1 ? p->columns : 1, lines = p->r.height * columns;
    struct text_line *const made = lines > 0 ? mem_new((size_t)lines, sizeof *made) : NULL;
    const int count = made ? (int)p->lines(a, p->list->top, (unsigned)lines, made) : 0;
    struct text_page column = *p;
    column.r.width = p->r.width / columns;
    grid_fill(g, p->r, ROLE_TEXT);
    for (int i = 0; i < count; i++) {
        column.r.x = p->r.x + i / p->r.height * column.r.width;
        draw_line(g, &column, p->r.y + i % p->r.height, &made[i]);
    }
    free(made);
    if (p->list->count > (uint64_t)lines) {
        char text[48];
        const uint64_t seen = p->list->top + (uint64_t)lines;
        snprintf(text, sizeof text, " %llu%% ",
                 (unsigned long long)((seen > p->list->count ? p->list->count : seen) * 100 /
                                      p->list->count));
        grid_right(g, p->r.x, p->r.y + p->r.height - 1, p->r.width - 1, ROLE_DIM, text);
    }
}
