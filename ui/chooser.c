#include "ui/chooser.h"

#include "src/declared.h"
#include "src/text.h"
#include "ui/acting.h"
#include "ui/lines.h"
#include "ui/locking.h"
#include "ui/marks.h"
#include "ui/saved.h"
#include "ui/stacks.h"
#include "ui/view.h"
#include "ui/view_columns.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool chooser_offers(const struct app *a, const struct pane *p)
{
    const struct level *const above = a->depth ? a->levels[a->depth - 1] : NULL;
    return !p->declared || !above || p == app_shown(a)->pane ||
           declared_applies_to(p->declared, above->places[above->at].pane);
}

/* The i-th pane that is offered, or NULL and how many there are. */
static const struct pane *offered(const struct app *a, unsigned i, unsigned *count)
{
    *count = 0;
    for (unsigned at = 0; panes[at]; at++)
        if (chooser_offers(a, panes[at]) && (*count)++ == i)
            return panes[at];
    return NULL;
}

/* Panes first, then the views of the configuration. */
static bool pane_item(const struct app *a, unsigned i, struct choice *out)
{
    unsigned count;
    const struct pane *const p = offered(a, i, &count);
    if (!p)
        return saved_item(a, i - count, out);
    *out = (struct choice){.name = p->id,
                           .title = p->title,
                           .help = p->help,
                           .is_current = p == app_shown(a)->pane,
                           .key = p->digit};
    return true;
}

static void pane_take(struct app *a, unsigned i)
{
    unsigned count;
    const struct pane *const p = offered(a, i, &count);
    if (p)
        app_go_pane(a, p);
    else
        saved_take(a, i - count);
}

static bool sort_item(const struct app *a, unsigned i, struct choice *out)
{
    const struct place *p = app_shown(a);
    if (i >= p->pane->column_count)
        return false;
    const struct column *c = &p->pane->columns[i];
    *out = (struct choice){.name = c->id,
                           .title = c->title,
                           .help = c->help,
                           .is_current = i == p->sort,
                           .is_on = view_table_has(p, app_width(a), i)};
    return true;
}

static bool metric_item(const struct app *a, unsigned i, struct choice *out)
{
    unsigned at = 0, left = i;
    while (at < STACK_METRICS && (!stacks_has_metric(a, at) || left-- > 0))
        at++;
    if (at == STACK_METRICS)
        return false;
    *out = (struct choice){.name = stack_metrics[at].id,
                           .title = stack_metrics[at].title,
                           .help = stack_metrics[at].help,
                           .is_current = at == app_shown(a)->stacks.metric};
    return true;
}

static void metric_take(struct app *a, unsigned i)
{
    struct choice c;
    if (metric_item(a, i, &c))
        stacks_set_metric(a, stack_metric_find(c.name));
}

static bool user_item(const struct app *a, unsigned i, struct choice *out)
{
    if (i == 0) {
        *out = (struct choice){.name = "", .title = "everybody", .help = "Processes of all users"};
        return true;
    }
    *out = (struct choice){.name = ""};
    if (!locking_user(a, i - 1, &out->whose))
        return false;
    out->name = out->whose.field;
    out->title = out->whose.title;
    out->help = out->whose.count;
    return true;
}

static bool mark_item(const struct app *a, unsigned i, struct choice *out)
{
    *out = (struct choice){.name = ""};
    if (!marks_moment(a, i, &out->moment))
        return false;
    out->name = out->help = out->moment.what;
    out->title = out->moment.when;
    return true;
}

static void user_take(struct app *a, unsigned i)
{
    locking_take_user(a, i ? i - 1 : UINT_MAX);
}

static const struct chooser_source own_kinds[CHOOSERS] = {
    [CHOOSE_METRIC] = {"Weigh stacks by", metric_item, metric_take, NULL},
    [CHOOSE_USER] = {"Whose processes", user_item, user_take, NULL},
    [CHOOSE_MARK] = {"Marks, gaps and losses", mark_item, marks_go, NULL},
    [CHOOSE_ACTION] = {"Do with this row", acting_item, acting_take, NULL},
    [CHOOSE_PANE] = {"Views", pane_item, pane_take, NULL},
    [CHOOSE_SORT] = {"Sort by; + is shown", sort_item, app_sort, app_toggle_column},
};

static const struct chooser_source *source_of(enum chooser_kind kind)
{
    return kind == CHOOSE_SETUP ? &setup_source : kind == CHOOSE_THEME ? &setup_themes : &own_kinds[kind];
}

/* ---- narrowing ------------------------------------------------------------------------- */

static bool is_in(const struct text_needle *n, const char *text)
{
    return text_needle_in(n, text, strlen(text));
}

/* The index among all of the n-th item that matches: first those that match by name, then
 * those that do by what they are for. False behind the last. */
static bool nth(const struct app *a, uint64_t n, unsigned *index, struct choice *out)
{
    const struct chooser_source *kind = source_of(a->chooser.kind);
    struct text_needle *needle = text_needle_new(a->chooser.typed, strlen(a->chooser.typed));
    bool is_found = false;
    for (int round = 0; round < 2 && !is_found; round++) {
        for (unsigned i = 0; !is_found && kind->item(a, i, out); i++) {
            const bool by_name = is_in(needle, out->name) || is_in(needle, out->title);
            if (round == 0 ? !by_name : by_name || !is_in(needle, out->help))
                continue;
            *index = i;
            is_found = n-- == 0;
        }
    }
    text_needle_free(needle);
    return is_found;
}

static unsigned count_matches(const struct app *a)
{
    unsigned count = 0, index;
    struct choice c;
    while (nth(a, count, &index, &c))
        count++;
    return count;
}

/* The box has room for all items, so that it stays as it is while typing narrows them. */
static struct rect box_of(const struct app *a)
{
    struct choice c;
    int items = 0;
    while (source_of(a->chooser.kind)->item(a, (unsigned)items, &c))
        items++;
    const int width = a->columns < 92 ? a->columns - 4 : 88;
    const int wanted = items + 3 + (a->chooser.kind == CHOOSE_SETUP);
    const int height = wanted < a->rows - 4 ? wanted : a->rows - 4;
    return (struct rect){(a->columns - width) / 2, (a->rows - height) / 3 + 1, width, height};
}

/* Lines for items; where they have values, the last line of the box is the marked one's help. */
static int lines_for(const struct app *a, const struct rect *box)
{
    const int lines = box->height - 3 - (a->chooser.kind == CHOOSE_SETUP);
    return lines > 0 ? lines : 1;
}

static void refit(struct app *a)
{
    const struct rect box = box_of(a);
    list_fit(&a->chooser.list, count_matches(a), lines_for(a, &box));
}

void chooser_fit(struct app *a)
{
    refit(a);
}

enum about chooser_about(const struct app *a)
{
    const bool is_open = a->overlay == OVERLAY_CHOOSER;
    if (!is_open)
        return ABOUT_NOTHING;
    return a->chooser.kind == CHOOSE_USER   ? ABOUT_USERS
           : a->chooser.kind == CHOOSE_MARK ? ABOUT_MARKS
                                            : ABOUT_NOTHING;
}

void chooser_open(struct app *a, enum chooser_kind kind)
{
    a->overlay = OVERLAY_CHOOSER;
    a->chooser = (struct chooser){.kind = kind, .list = list_start(1)};
    refit(a);
    struct choice c;
    unsigned index;
    for (unsigned i = 0; nth(a, i, &index, &c); i++)
        if (c.is_current)
            list_go(&a->chooser.list, i);
}

unsigned chooser_accept(struct app *a)
{
    struct choice c;
    unsigned index;
    if (!nth(a, a->chooser.list.cursor, &index, &c))
        return REACT_NONE;
    a->overlay = OVERLAY_NONE;
    a->reaction = REACT_DRAW;
    source_of(a->chooser.kind)->take(a, index);
    return a->reaction;
}

bool chooser_has_toggle(const struct app *a)
{
    return a->overlay == OVERLAY_CHOOSER && source_of(a->chooser.kind)->toggle != NULL;
}

unsigned chooser_toggle(struct app *a, const struct key *k)
{
    struct choice c;
    unsigned index;
    if (!chooser_has_toggle(a))
        return chooser_type(a, k);
    if (nth(a, a->chooser.list.cursor, &index, &c))
        source_of(a->chooser.kind)->toggle(a, index);
    return REACT_DRAW;
}

unsigned chooser_type(struct app *a, const struct key *k)
{
    struct prompt line = {.history = &a->histories[PROMPT_NONE]};
    prompt_set(&line, a->chooser.typed);
    if (!prompt_key(&line, k))
        return REACT_NONE;
    snprintf(a->chooser.typed, sizeof a->chooser.typed, "%.*s", (int)sizeof a->chooser.typed - 1,
             line.text);
    a->chooser.list = list_start(a->chooser.list.height);
    refit(a);
    return REACT_DRAW;
}

/* ---- drawing ----------------------------------------------------------------------------- */

static void draw_item(struct grid *g, const struct rect *box, int y, const struct choice *c)
{
    const int title = box->width > 70 ? 22 : 14;
    const char key[] = {c->is_on ? '+' : c->key, '\0'};
    grid_text(g, box->x + 1, y, 1, ROLE_KEY, c->is_current ? "*" : " ");
    grid_text(g, box->x + 3, y, 1, ROLE_KEY, key);
    const int value = c->value[0] ? (box->width > 70 ? 18 : 14) : 0;
    const int x = box->x + 6 + title;
    grid_cut(g, box->x + 5, y, title, ROLE_NAME, c->title, CUT_END);
    grid_cut(g, x, y, value, ROLE_KEY, c->value, CUT_END);
    grid_cut(g, x + value + !!value, y, box->width - title - 7 - value - !!value, ROLE_DIM, c->help,
             CUT_END);
}

static void draw(const struct app *a, struct grid *g, const struct layout *l)
{
    (void)l;
    const struct rect box = box_of(a);
    const struct chooser *c = &a->chooser;
    lines_box(g, box, source_of(c->kind)->title);
    const int used = grid_text(g, box.x + 2, box.y + 1, 12, ROLE_DIM, "narrow to: ");
    const int typed =
        grid_text(g, box.x + 2 + used, box.y + 1, box.width - used - 4, ROLE_FILTER, c->typed);
    g->cursor_x = box.x + 2 + used + typed;
    g->cursor_y = box.y + 1;
    struct rect inner = {box.x + 1, box.y + 2, box.width - 2, lines_for(a, &box)};
    for (int i = 0; i < inner.height; i++) {
        struct choice item;
        unsigned index;
        if (!nth(a, c->list.top + (uint64_t)i, &index, &item))
            break;
        draw_item(g, &inner, inner.y + i, &item);
        if (c->list.top + (uint64_t)i != c->list.cursor)
            continue;
        grid_over(g, (struct rect){inner.x, inner.y + i, inner.width, 1}, ROLE_ROW_CURSOR);
        if (c->kind == CHOOSE_SETUP)
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

const struct view view_chooser = {.id = "chooser", .is_shown = is_shown, .draw = draw};
