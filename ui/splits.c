#include "ui/splits.h"

#include "src/mem.h"
#include "ui/action.h"
#include "ui/jumps.h"
#include "ui/lines.h"
#include "ui/place.h"
#include "ui/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is smaller shows nothing: a title, the header and four rows; a name and some numbers. */
enum { LEAST_WIDTH = 36, LEAST_HEIGHT = 6, DIVIDER = 1, WIDE = 160 };

/* ---- which is current ------------------------------------------------------------------------ */

/* As bytes: requests are compared so. */
static void put_away(struct app *a)
{
    memcpy(&a->splits[a->split_at].own, &a->own, sizeof a->own);
}

static void take_out(struct app *a, unsigned i)
{
    a->split_at = i;
    memcpy(&a->own, &a->splits[i].own, sizeof a->own);
}

unsigned splits_enter(struct app *a, unsigned i)
{
    const unsigned current = a->split_at;
    put_away(a);
    take_out(a, i);
    a->is_aside = i != current;
    return current;
}

void splits_leave(struct app *a, unsigned current)
{
    put_away(a);
    take_out(a, current);
    a->is_aside = false;
}

const struct request *splits_sent(const struct app *a, unsigned i)
{
    return i == a->split_at ? &a->sent : &a->splits[i].own.sent;
}

const struct frame *splits_frame(const struct app *a, unsigned i)
{
    return i == a->split_at ? a->frame : a->splits[i].own.frame;
}

/* What is on its way belongs to the one it was asked of. */
static bool may_go(struct app *a)
{
    if (a->exporting.format)
        app_say(a, true, "a file is being written; in a moment");
    return !a->exporting.format;
}

static void forget_what_comes(struct app *a)
{
    a->finding.seek = SEEK_NOT;
    a->finding.sequence = 0;
    a->awaited = (struct awaited){0};
    a->escape = (struct escape){0};
}

bool splits_go(struct app *a, unsigned i)
{
    if (i == a->split_at)
        return true;
    if (!may_go(a))
        return false;
    forget_what_comes(a);
    put_away(a);
    take_out(a, i);
    return true;
}

/* ---- where they stand ------------------------------------------------------------------------ */

struct rect splits_room(const struct app *a)
{
    const struct layout l = app_layout_whole(a);
    return (struct rect){0, l.crumbs.y, a->columns, l.status.y - l.crumbs.y};
}

/* The stack that the i-th stands in: its first, and how many; how many stacks there are, and
 * which it is. */
struct stack_of {
    unsigned first, count, column, columns;
};

static struct stack_of stack_of(const struct app *a, unsigned i)
{
    struct stack_of s = {0};
    for (unsigned k = 0; k < a->split_count; k++) {
        const bool begins = k == 0 || !a->splits[k].is_below;
        s.columns += begins;
        if (begins && k <= i) {
            s.first = k;
            s.column = s.columns - 1;
        }
    }
    for (s.count = 1; s.first + s.count < a->split_count && a->splits[s.first + s.count].is_below;)
        s.count++;
    return s;
}

/* What `count` get of a length, evenly; *at: where the i-th begins. */
static int part_of(int length, unsigned count, unsigned i, int *at)
{
    const int from = length * (int)i / (int)count, to = length * (int)(i + 1) / (int)count;
    *at = from;
    return to - from;
}

struct rect splits_area(const struct app *a, unsigned i)
{
    const struct rect room = splits_room(a);
    const struct stack_of s = stack_of(a, i);
    struct rect r;
    r.width = part_of(room.width + DIVIDER, s.columns, s.column, &r.x) - DIVIDER;
    r.height = part_of(room.height, s.count, i - s.first, &r.y);
    r.x += room.x;
    r.y += room.y;
    return r;
}

static bool has_room(const struct app *a)
{
    for (unsigned i = 0; i < a->split_count; i++) {
        const struct rect r = splits_area(a, i);
        if (r.width < LEAST_WIDTH || r.height < LEAST_HEIGHT)
            return false;
    }
    return true;
}

bool splits_are_shown(const struct app *a)
{
    return a->split_count > 1 && !a->is_zoomed && has_room(a);
}

bool splits_shows(const struct app *a, unsigned i)
{
    return i == a->split_at || (i < a->split_count && splits_are_shown(a));
}

int splits_at(const struct app *a, int x, int y)
{
    for (unsigned i = 0; i < a->split_count; i++) {
        const struct rect r = splits_area(a, i);
        if (x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height)
            return (int)i;
    }
    return -1;
}

/* ---- opening and closing ---------------------------------------------------------------------- */

static uint8_t free_view(const struct app *a)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < a->split_count; i++)
        taken |= 1u << a->splits[i].view;
    uint8_t view = 0;
    while (taken >> view & 1)
        view++;
    return view;
}

static void insert(struct app *a, unsigned at, bool is_below)
{
    const uint8_t view = free_view(a);
    memmove(a->splits + at + 1, a->splits + at, (a->split_count - at) * sizeof *a->splits);
    a->splits[at] = (struct split){.view = view, .is_below = is_below};
    a->split_count++;
}

/* The row behind the current one, or the column behind the whole of its stack. */
static unsigned place_of_new(const struct app *a, bool is_below)
{
    const struct stack_of s = stack_of(a, a->split_at);
    return is_below ? a->split_at + 1 : s.first + s.count;
}

/* What it had is the caller's to free before. The next of its stack begins it now. */
static void take_away(struct app *a, unsigned at)
{
    if (at + 1 < a->split_count && !a->splits[at].is_below)
        a->splits[at + 1].is_below = false;
    a->split_count--;
    memmove(a->splits + at, a->splits + at + 1, (a->split_count - at) * sizeof *a->splits);
}

/* The levels down to the current one, as they are. */
static void copy_levels(struct split *to, const struct app *a)
{
    for (unsigned d = 0; d <= a->depth; d++)
        to->own.levels[d] = mem_copy(a->levels[d], sizeof *a->levels[d]);
    memcpy(to->own.crumbs, a->crumbs, sizeof to->own.crumbs);
    to->own.depth = a->depth;
}

bool splits_open(struct app *a, const struct pane *p, bool is_below)
{
    if (a->split_count == VIEWS_MAX) {
        app_say(a, true, "%d panes at once is as many as there can be", VIEWS_MAX);
        return false;
    }
    if (!may_go(a))
        return false;
    const unsigned at = place_of_new(a, is_below);
    const bool was_zoomed = a->is_zoomed;
    insert(a, at, is_below);
    a->is_zoomed = false;
    if (!has_room(a)) {
        take_away(a, at);
        a->is_zoomed = was_zoomed;
        app_say(a, true, "no room for another pane here: each takes %dx%d", LEAST_WIDTH, LEAST_HEIGHT);
        return false;
    }
    copy_levels(&a->splits[at], a);
    splits_go(a, at);
    if (p && p != app_shown(a)->pane)
        place_open(a, p);
    return true;
}

/* Of a split that is not the current one. */
static void free_split(struct app *a, unsigned i)
{
    struct split *const s = &a->splits[i];
    if (s->own.frame)
        a->port.release(a->port.state, s->own.frame);
    jumps_free(s->own.jumps);
    for (unsigned d = 0; d < LEVELS_MAX; d++)
        free(s->own.levels[d]);
    *s = (struct split){.view = s->view, .is_below = s->is_below};
}

bool splits_close(struct app *a)
{
    const unsigned at = a->split_at;
    if (a->split_count < 2 || !may_go(a))
        return false;
    splits_go(a, at ? at - 1 : 1);
    free_split(a, at);
    take_away(a, at);
    a->split_at = at ? at - 1 : 0;
    a->is_zoomed = a->is_zoomed && a->split_count > 1;
    return true;
}

bool splits_only(struct app *a)
{
    if (a->split_count < 2)
        return false;
    for (unsigned i = a->split_count; i-- > 0;) {
        if (i == a->split_at)
            continue;
        free_split(a, i);
        take_away(a, i);
        a->split_at -= i < a->split_at;
    }
    a->is_zoomed = false;
    return true;
}

void splits_begin(struct app *a)
{
    a->split_count = 1;
}

void splits_fini(struct app *a)
{
    splits_only(a);
}

/* ---- keys and commands ------------------------------------------------------------------------ */

ACTION(split)
{
    UNUSED(k);
    splits_open(a, NULL, b->argument);
    return REACT_DRAW;
}

ACTION(split_step)
{
    UNUSED(k);
    const int count = (int)a->split_count;
    if (count > 1)
        splits_go(a, (unsigned)(((int)a->split_at + b->argument + count) % count));
    return REACT_DRAW;
}

/* The next word of a command; "" behind the last. */
static void next_word(const char **at, char out[64])
{
    *at += strspn(*at, " ");
    const size_t length = strcspn(*at, " ");
    snprintf(out, 64, "%.*s", (int)(length < 64 ? length : 63), *at);
    *at += length;
}

unsigned splits_run(struct app *a, const char *text)
{
    const struct pane *pane = NULL;
    bool is_below = splits_area(a, a->split_at).width < WIDE;
    char word[64];
    for (next_word(&text, word); word[0]; next_word(&text, word)) {
        const struct pane *const named = pane_find(word);
        const bool is_rows = strcmp(word, "rows") == 0;
        if (is_rows || strcmp(word, "columns") == 0) {
            is_below = is_rows;
        } else if (named && !pane) {
            pane = named;
        } else {
            app_say(a, true, ":split takes a pane, rows, columns; found \"%s\"", word);
            return REACT_DRAW;
        }
    }
    splits_open(a, pane, is_below);
    return REACT_DRAW;
}

/* ---- drawing ----------------------------------------------------------------------------------- */

static void draw_one(const struct app *a, struct grid *g)
{
    const struct layout l = app_layout(a);
    lines_crumbs(a, g, &l.crumbs);
    for (size_t i = 0; views[i]; i++)
        if (views[i] != &view_chooser && views[i]->is_shown(a))
            views[i]->draw(a, g, &l);
}

/* The cursor of a pane that has not the keys is only its sign. */
static void dim_cursor(struct grid *g)
{
    for (int i = 0; i < g->width * g->height; i++)
        if (g->cells[i].over == ROLE_ROW_CURSOR || g->cells[i].over == ROLE_COLUMN_CURSOR)
            g->cells[i].over = ROLE_TEXT;
}

static void paste(struct grid *to, const struct grid *from, int x, int y)
{
    for (int row = 0; row < from->height; row++)
        memcpy(grid_cell(to, x, y + row), grid_look(from, 0, row),
               (size_t)from->width * sizeof *from->cells);
    if (from->cursor_x >= 0) {
        to->cursor_x = from->cursor_x + x;
        to->cursor_y = from->cursor_y + y;
    }
}

/* Each is drawn by itself, as if it were all there is, and put where it stands. */
void splits_draw(const struct app *a, struct grid *g)
{
    struct app *const other = mem_copy(a, sizeof *a);
    other->prompting = PROMPT_NONE;
    other->overlay = OVERLAY_NONE;
    for (unsigned i = 0; i < a->split_count; i++) {
        const struct rect r = splits_area(a, i);
        struct grid own;
        grid_init(&own, r.width, r.height, g->glyphs);
        if (i == a->split_at) {
            draw_one(a, &own);
        } else {
            const unsigned current = splits_enter(other, i);
            draw_one(other, &own);
            splits_leave(other, current);
            dim_cursor(&own);
        }
        paste(g, &own, r.x, r.y);
        grid_fini(&own);
        for (int y = r.y; r.x > 0 && y < r.y + r.height; y++)
            grid_text(g, r.x - DIVIDER, y, DIVIDER, ROLE_BORDER, g->glyphs->divider);
    }
    free(other);
}
