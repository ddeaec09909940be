/* Which columns of a table there is room for, and where they stand. */
#include "ui/state/view_columns.h"
#include "src/base/text.h"
#include "ui/state/layout.h"

#include <stdio.h>
#include <string.h>

/* From so many cells on there is room for pictures beside numbers. */
enum { WIDE_FROM = 120 };

/* Growing columns get this much more than their own width before pictures and services join, and
 * before columns do that are not shown by default: a readable path is worth more than either. */
enum { GROWS_BEFORE_WIDE = 8, GROWS_BEFORE_MORE = 40 };

struct choice {
    bool is_in[SLOTS_MAX];
    bool is_wide;   /* there is room for what is only shown then */
    int room, used; /* cells, gaps included */
};

/* The column that a tree stands in needs room for what stands deep in it. */
enum { TREE_LEAST = 30 };

static bool is_tree_column(const struct place *place, const struct column *c)
{
    const struct pane *p = place->pane;
    return place->is_tree && p->tree && strcmp(c->id, p->tree) == 0;
}

static int chosen_width(const struct place *place, const struct column *c)
{
    return place->widths ? place->widths[c - place->pane->columns] : 0;
}

static bool is_grower(const struct place *place, const struct column *c)
{
    if (chosen_width(place, c))
        return false;
    return (c->flags & COLUMN_GROWS) || is_tree_column(place, c);
}

/* Growing columns may be this narrow before they go; what names the row is to be read. */
enum { GROWER_LEAST = 12, NAME_LEAST = 26, LINE_LEAST = 18 };

/* A fitting column is at least as wide as its texts or as its own width, whichever is less, and
 * where there is room as its texts, up to this. */
enum { FITS_MOST = 30 };

static int text_width_of(const struct place *place, const struct column *c)
{
    const int title = grid_width(c->title);
    const int texts = place->fits ? place->fits[c - place->pane->columns] : 0;
    return texts > title ? texts : title;
}

static int fitting_width(const struct place *place, const struct column *c)
{
    const int texts = text_width_of(place, c);
    return texts < c->width ? texts : c->width;
}

static bool is_fitting(const struct place *place, const struct column *c)
{
    return c->flags & COLUMN_FITS && !chosen_width(place, c) && !is_tree_column(place, c);
}

static int least_width(const struct place *place, const struct column *c)
{
    const int most = c->rank == 0 ? NAME_LEAST : GROWER_LEAST;
    if (chosen_width(place, c))
        return chosen_width(place, c);
    if (view_table_is_share(c))
        return c->width + 1 + SHARE_BAR;
    if (is_tree_column(place, c))
        return TREE_LEAST;
    if (is_fitting(place, c))
        return fitting_width(place, c);
    return is_grower(place, c) && c->width > most ? most : c->width;
}

static unsigned column_count(const struct pane *p)
{
    return p->column_count < SLOTS_MAX - 1 ? (unsigned)p->column_count : SLOTS_MAX - 1;
}

static enum column_choice choice_of(const struct place *place, unsigned i)
{
    return place->columns ? (enum column_choice)place->columns[i] : COLUMN_AUTO;
}

/* Cells that fields of payloads take: what happened gives way to them. */
static int payload_width(const struct place *place)
{
    const struct column *const c = place->pane->columns;
    int width = 0;
    for (unsigned i = 0; i < column_count(place->pane); i++)
        if (c[i].flags & COLUMN_OF_PAYLOAD && choice_of(place, i) == COLUMN_ON)
            width += least_width(place, &c[i]) + GAP;
    return width;
}

/* What says in one line what happened takes half of all where nobody wants the room. */
static int line_width(const struct choice *chosen, const struct place *place,
                      const struct column *c)
{
    const int half = chosen->room / 2, left = half - payload_width(place);
    const int least = left < half ? LINE_LEAST : c->width;
    return left > least ? left : least;
}

/* What a title takes: the sorted one with its sign, and others than texts with the sign for a
 * caveat, which may take the blank before the unit. */
static int title_width(const struct column *c, bool is_sorted)
{
    const int caveat = c->measure && c->flags & COLUMN_RIGHT && !strchr(c->title, ' ') ? 1 : 0;
    return is_sorted ? grid_width(c->title) + 1 + 2 * caveat
           : caveat  ? grid_width(c->title) + 1
                     : 0;
}

/* Cells a column takes at least. None takes more than half of all, whatever was chosen where there
 * were more. */
static int base_width(const struct choice *chosen, const struct place *place, unsigned i)
{
    const struct column *c = &place->pane->columns[i];
    const bool is_sorted = place->pane->view != PANE_EVENTS && place->sort == i;
    const int title = title_width(c, is_sorted);
    const int most = chosen->room / 2;
    const bool is_line = c->flags & COLUMN_OF_EVENTS && !chosen_width(place, c);
    const int least = is_line ? line_width(chosen, place, c) : least_width(place, c);
    const int own = chosen_width(place, c) && least > most ? most : least;
    return own > title ? own : title;
}

static void add(struct choice *c, const struct place *place, unsigned i)
{
    if (c->is_in[i])
        return;
    c->is_in[i] = true;
    c->used += base_width(c, place, i) + GAP;
}

/* The order in which columns are added. What rows are called comes before what was
 * chosen: numbers without a name say nothing. So do sums, which are asked for by a key. What was not recorded is
 * only shown when chosen. */
enum turn { TURN_NAME, TURN_SUM, TURN_CHOSEN, TURN_DEFAULT, TURN_WIDE, TURN_MORE, TURN_NEVER };

static bool has_turn(const struct choice *chosen, const struct place *place, unsigned i,
                     enum turn turn)
{
    const struct column *c = &place->pane->columns[i];
    const bool is_sum = c->flags & COLUMN_IS_SUM;
    const bool is_default = c->flags & COLUMN_DEFAULT;
    const bool is_beside = c->flags & (COLUMN_WHERE_WIDE | COLUMN_OF_SERVICES);
    const bool is_name = is_default && c->flags & COLUMN_SEARCHABLE && c->rank == 0;
    switch (choice_of(place, i)) {
    case COLUMN_ON:
        return turn == TURN_CHOSEN;
    case COLUMN_OFF:
        return false;
    case COLUMN_AUTO:
        break;
    }
    if ((c->flags & COLUMN_WHERE_WIDE && !chosen->is_wide) || c->flags & COLUMN_OF_PAYLOAD ||
        (is_sum && !(place->shows_sums && *place->shows_sums)))
        return false;
    const bool is_empty = place->missing && i < 64 && *place->missing >> i & 1;
    return turn == (is_empty     ? TURN_NEVER
                    : is_name    ? TURN_NAME
                    : is_sum     ? TURN_SUM
                    : is_default ? TURN_DEFAULT
                    : is_beside  ? TURN_WIDE
                                 : TURN_MORE);
}

bool view_column_is_there(const struct place *place, unsigned i)
{
    const struct choice wide = {.is_wide = true};
    for (enum turn turn = TURN_NAME; turn <= TURN_MORE; turn++)
        if (has_turn(&wide, place, i, turn))
            return true;
    return false;
}

/* The column of lowest rank that is not in yet; SLOTS_MAX = none. */
static unsigned next_best(const struct choice *c, const struct place *place, enum turn turn)
{
    const struct pane *p = place->pane;
    unsigned best = SLOTS_MAX;
    for (unsigned i = 0; i < column_count(p); i++) {
        if (c->is_in[i] || !has_turn(c, place, i, turn))
            continue;
        if (best == SLOTS_MAX || p->columns[i].rank < p->columns[best].rank)
            best = i;
    }
    return best;
}

/* Adds columns by rank while they fit; one that does not fit ends it, so that what is
 * shown at a width is also shown at every larger one. */
static bool add_by_rank(struct choice *c, const struct place *place, int width, enum turn turn)
{
    for (;;) {
        const unsigned i = next_best(c, place, turn);
        if (i == SLOTS_MAX)
            return true;
        if (c->used + base_width(c, place, i) + GAP > width)
            return false;
        add(c, place, i);
    }
}

static int growing(const struct choice *c, const struct place *place)
{
    const struct pane *p = place->pane;
    int count = 0;
    for (unsigned i = 0; i < column_count(p); i++)
        count += c->is_in[i] && is_grower(place, &p->columns[i]);
    return count;
}

static struct choice begin_choice(const struct place *place, int width)
{
    struct choice c = {.is_wide = width >= WIDE_FROM - GUTTER - MARGIN, .room = width};
    if (place->pane->view != PANE_EVENTS && place->sort < column_count(place->pane))
        add(&c, place, place->sort);
    return c;
}

static struct choice choose_by_rank(const struct place *place, int width)
{
    struct choice c = begin_choice(place, width);
    for (enum turn turn = TURN_NAME; turn <= TURN_DEFAULT; turn++)
        if (!add_by_rank(&c, place, width, turn))
            return c;
    const bool grows = growing(&c, place) > 0;
    if (add_by_rank(&c, place, width - (grows ? GROWS_BEFORE_WIDE : 0), TURN_WIDE))
        add_by_rank(&c, place, width - (grows ? GROWS_BEFORE_MORE : 0), TURN_MORE);
    return c;
}

/* From column `i` on in one direction, as long as they fit. */
static void add_beside(struct choice *c, const struct place *place, int width, int i, int step)
{
    for (; i >= 0 && i < (int)column_count(place->pane); i += step) {
        if (c->is_in[i] || !view_column_is_there(place, (unsigned)i))
            continue;
        if (c->used + base_width(c, place, (unsigned)i) + GAP > width)
            return;
        add(c, place, (unsigned)i);
    }
}

/* Panned: what names the rows, the cursor's column, and those beside it, in place of those that
 * stand there by rank. */
static struct choice choose_around(const struct place *place, int width)
{
    struct choice c = begin_choice(place, width);
    add(&c, place, place->column);
    if (add_by_rank(&c, place, width, TURN_NAME)) {
        add_beside(&c, place, width, (int)place->column - 1, -1);
        add_beside(&c, place, width, (int)place->column + 1, 1);
    }
    return c;
}

static struct choice choose(const struct place *place, int width)
{
    if (place->pane->column_count == 0)
        return (struct choice){.room = width};
    const struct choice c = choose_by_rank(place, width);
    const bool is_hidden =
        place->shows_column && place->column < column_count(place->pane) && !c.is_in[place->column];
    return is_hidden ? choose_around(place, width) : c;
}

/* What is left goes to texts that are cut, from the left, and then to those that grow. */
static int spare_for(const struct place *place, const struct column *c, int base, int *left)
{
    if (*left <= 0 || !is_fitting(place, c))
        return 0;
    const int texts = text_width_of(place, c), wanted = texts < FITS_MOST ? texts : FITS_MOST;
    const int more = wanted <= base ? 0 : wanted - base < *left ? wanted - base : *left;
    *left -= more;
    return more;
}

unsigned view_table_layout(const struct place *place, int width, struct column_slot out[SLOTS_MAX])
{
    const struct pane *p = place->pane;
    const int room = width - GUTTER - MARGIN;
    const struct choice c = choose(place, room);
    const int growers = growing(&c, place);
    int left = room - c.used + GAP;
    int x = GUTTER, still = growers;
    unsigned count = 0;
    int widths[SLOTS_MAX];
    for (unsigned i = 0; i < column_count(p); i++) {
        widths[i] = c.is_in[i] ? base_width(&c, place, i) : 0;
        widths[i] += c.is_in[i] ? spare_for(place, &p->columns[i], widths[i], &left) : 0;
    }
    for (unsigned i = 0; i < column_count(p); i++) {
        if (!c.is_in[i])
            continue;
        int w = widths[i];
        if (is_grower(place, &p->columns[i]) && left > 0) {
            const int more = left / still--;
            left -= more;
            w += more;
        }
        out[count++] = (struct column_slot){i, x, w};
        x += w + GAP;
    }
    return count;
}

static int text_cells(const struct frame *f, const struct value *v)
{
    if (v->type == VALUE_ID)
        return snprintf(NULL, 0, "%llu", (unsigned long long)v->count);
    if (v->type != VALUE_TEXT && v->type != VALUE_PATH)
        return 0;
    const size_t cells = text_width(f->arena + v->text.offset, v->text.bytes);
    return cells < FITS_MOST ? (int)cells : FITS_MOST;
}

/* Wider ones come to stay: columns do not move to and fro. What a scan found so far may have wider
 * texts than the whole has ("100%" of the first waits), by chance. */
void view_columns_learn(struct pane_columns *columns, const struct frame *f)
{
    const struct pane *const p = f->pane;
    columns->missing = f->missing;
    for (unsigned c = 0; c < column_count(p) && !f->is_partial; c++)
        for (unsigned i = 0; p->columns[c].flags & COLUMN_FITS && i < f->row_count; i++) {
            const int cells = text_cells(f, &f->rows[i].cells[c]);
            columns->fits[c] = (uint8_t)(cells > columns->fits[c] ? cells : columns->fits[c]);
        }
}

bool view_table_has(const struct place *p, int width, unsigned column)
{
    struct column_slot slots[SLOTS_MAX];
    const unsigned count = view_table_layout(p, width, slots);
    for (unsigned i = 0; i < count; i++)
        if (slots[i].column == column)
            return true;
    return false;
}

int view_table_column_at(const struct app *a, int x)
{
    struct column_slot slots[SLOTS_MAX];
    const unsigned count = view_table_layout(app_shown(a), app_width(a), slots);
    for (unsigned i = 0; i < count; i++)
        if (x >= slots[i].x && x < slots[i].x + slots[i].width)
            return (int)slots[i].column;
    return -1;
}

int view_table_border_at(const struct app *a, int x)
{
    struct column_slot slots[SLOTS_MAX];
    const unsigned count = view_table_layout(app_shown(a), app_width(a), slots);
    for (unsigned i = 0; i < count; i++)
        if (x == slots[i].x + slots[i].width)
            return (int)slots[i].column;
    return -1;
}
