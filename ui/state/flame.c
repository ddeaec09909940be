#include "ui/state/flame.h"

#include "src/base/mem.h"
#include "ui/state/layout.h"
#include "ui/state/stack_facts.h"

#include <stdlib.h>

enum { LEVELS_DEEP = 1100 };

/* ---- where they lie -------------------------------------------------------------------------- */

static uint64_t weight_of(const struct frame *f, unsigned row)
{
    const struct column *const c = pane_column(f->pane, "samples");
    const struct value *const v = &f->rows[row].cells[c - f->pane->columns];
    return v->type == VALUE_TIME ? (uint64_t)v->ns : v->count;
}

static int cell_of(uint64_t weight, uint64_t all, int width)
{
    const int x = all ? (int)((double)weight / (double)all * width + 0.5) : 0;
    return x < width ? x : width;
}

static void add_box(struct flame *g, unsigned row, unsigned level, int x, int end)
{
    if (end <= x)
        return; /* less than half a cell */
    g->boxes[g->count++] = (struct flame_box){row, level, x, end - x};
    if (level > g->deepest)
        g->deepest = level;
}

void flame_lay_out(const struct frame *f, const struct row_key *root, int width, struct flame *out)
{
    static const struct row_key none;
    uint64_t next[LEVELS_DEEP + 2] = {0};
    *out = (struct flame){.boxes = mem_new((size_t)f->row_count + 1, sizeof *out->boxes)};
    bool is_above = !row_key_equal(*root, none);
    uint64_t all = f->stack_weight;
    unsigned base = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        if (is_above && row_key_equal(f->rows[i].key, *root)) {
            all = weight_of(f, i);
            base = i + 1;
        }
    for (unsigned i = 0; i < f->row_count; i++) {
        const unsigned level = f->rows[i].level;
        if (!level || level > LEVELS_DEEP)
            continue;
        if (i < base) { /* what leads to the root is as wide as it */
            add_box(out, i, level, 0, width);
            continue;
        }
        const uint64_t start = next[level], weight = weight_of(f, i);
        next[level] = start + weight;
        next[level + 1] = start;
        add_box(out, i, level, cell_of(start, all, width), cell_of(start + weight, all, width));
    }
}

void flame_fini(struct flame *g)
{
    free(g->boxes);
    *g = (struct flame){0};
}

/* ---- going about ----------------------------------------------------------------------------- */

int flame_cursor(const struct app *a, const struct flame *g)
{
    const struct frame *const f = app_known(a);
    const struct frame_row *const row = app_cursor_row(a);
    for (unsigned i = 0; row && i < g->count; i++)
        if (&f->rows[g->boxes[i].row] == row)
            return (int)i;
    return g->count ? 0 : -1;
}

int flame_at(const struct flame *g, unsigned level, int x)
{
    for (unsigned i = 0; i < g->count; i++)
        if (g->boxes[i].level == level && x >= g->boxes[i].x &&
            x < g->boxes[i].x + g->boxes[i].width)
            return (int)i;
    return -1;
}

static bool grows_up(const struct app *a)
{
    return a->settings.flame == FLAMES_UP;
}

int flame_line(const struct app *a, unsigned level, unsigned top, int height)
{
    const int line = (int)(level - top);
    return grows_up(a) ? height - 1 - line : line;
}

unsigned flame_level(const struct app *a, int line, unsigned top, int height)
{
    return top + (unsigned)(grows_up(a) ? height - 1 - line : line);
}

/* The widest of those that it called. */
static int widest_callee(const struct flame *g, const struct flame_box *from)
{
    int best = -1;
    for (unsigned i = 0; i < g->count; i++) {
        const struct flame_box *const b = &g->boxes[i];
        if (b->level == from->level + 1 && b->x >= from->x && b->x < from->x + from->width &&
            (best < 0 || b->width > g->boxes[best].width))
            best = (int)i;
    }
    return best;
}

int flame_neighbor(const struct app *a, const struct flame *g, int from, enum flame_way way)
{
    if (from < 0 || (unsigned)from >= g->count)
        return -1;
    const struct flame_box *const f = &g->boxes[from];
    const enum flame_way to_callees = grows_up(a) ? FLAME_UP : FLAME_DOWN;
    if (way == to_callees)
        return widest_callee(g, f);
    if (way == FLAME_UP || way == FLAME_DOWN)
        return flame_at(g, f->level - 1, f->x);
    int best = -1;
    for (unsigned i = 0; i < g->count; i++) {
        const struct flame_box *const b = &g->boxes[i];
        if (b->level != f->level)
            continue;
        if (way == FLAME_LEFT && b->x < f->x && (best < 0 || b->x > g->boxes[best].x))
            best = (int)i;
        if (way == FLAME_RIGHT && b->x > f->x && (best < 0 || b->x < g->boxes[best].x))
            best = (int)i;
    }
    return best;
}

unsigned flame_top(const struct flame *g, int cursor, int height)
{
    const unsigned level = cursor >= 0 ? g->boxes[cursor].level : 1;
    if (height < 2 || level <= (unsigned)height)
        return 1;
    const unsigned half = (unsigned)height / 2;
    return 1 + (level - (unsigned)height + half - 1) / half * half;
}

static bool is_shown_alone(const struct app *a)
{
    static const struct row_key none;
    const struct place *const p = app_shown(a);
    const struct row_key *const root = &a->search.zoomed;
    return p->zoom_count && !row_key_equal(*root, none) && row_key_equal(*root, p->stacks.root);
}

void flame_unshow(struct app *a)
{
    if (flame_is_shown(a) && is_shown_alone(a))
        stacks_zoom_out(a);
}

void flame_show(struct app *a, const struct frame *f, const struct row_key *key)
{
    struct place *const p = app_place(a);
    struct search *const x = &a->search;
    struct flame g;
    bool has_box = false;
    flame_lay_out(f, &p->stacks.root, app_layout(a).body.width, &g);
    for (unsigned i = 0; i < g.count && !has_box; i++)
        has_box = row_key_equal(f->rows[g.boxes[i].row].key, *key);
    flame_fini(&g);
    if (has_box)
        return;
    if (!is_shown_alone(a) && p->zoom_count < ZOOMS_MAX)
        p->zoom[p->zoom_count++] = p->stacks.root;
    p->stacks.root = x->zoomed = *key;
    x->zoomed_at = f->sequence;
}
