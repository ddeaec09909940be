#include "ui/state/chooser.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/pane/panes.h"
#include "src/pane/user_view.h"
#include "ui/state/seen_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool chooser_offers(const struct app *a, const struct pane *p)
{
    const struct level *const above = a->focus->depth ? a->focus->levels[a->focus->depth - 1] : NULL;
    return !p->user_view || !above || p == app_shown(a)->pane ||
           user_view_applies_to(p->user_view, above->places[above->at].pane);
}

static const struct chooser_source *source_of(const struct app *a)
{
    return a->choosers[a->chooser.kind];
}

/* ---- narrowing ------------------------------------------------------------------------- */

static bool is_in(const struct text_needle *n, const char *text)
{
    return text_needle_in(n, text, strlen(text));
}

/* Goes through the items that match, first those that match by name, until `is_it` holds; how many
 * came before that one. */
static uint64_t look(const struct app *a,
                     bool (*is_it)(const void *of, uint64_t n, const struct choice *c),
                     const void *of, unsigned *index, struct choice *out, bool *is_found)
{
    const struct chooser_source *kind = source_of(a);
    struct text_needle *needle = text_needle_new(a->chooser.typed, strlen(a->chooser.typed));
    uint64_t n = 0;
    *is_found = false;
    for (int round = 0; round < 2 && !*is_found; round++) {
        for (unsigned i = 0; !*is_found && kind->item(a, i, out); i++) {
            const bool by_name = is_in(needle, out->name) || is_in(needle, out->title);
            if (round == 0 ? !by_name : by_name || !is_in(needle, out->help))
                continue;
            *index = i;
            *is_found = is_it(of, n, out);
            n += !*is_found;
        }
    }
    text_needle_free(needle);
    return n;
}

static bool is_number(const void *of, uint64_t n, const struct choice *c)
{
    (void)c;
    return n == *(const uint64_t *)of;
}

bool chooser_item(const struct app *a, uint64_t n, unsigned *index, struct choice *out)
{
    bool is_found;
    look(a, is_number, &n, index, out, &is_found);
    return is_found;
}

static bool is_named(const void *of, uint64_t n, const struct choice *c)
{
    (void)n;
    return strcmp(of, c->name) == 0;
}

void chooser_go(struct app *a, const char *name)
{
    struct choice c;
    unsigned index;
    bool is_found;
    chooser_fit(a);
    const uint64_t n = look(a, is_named, name, &index, &c, &is_found);
    if (is_found)
        list_go(&a->chooser.list, n);
}

static unsigned count_matches(const struct app *a)
{
    const uint64_t none = UINT64_MAX;
    struct choice c;
    unsigned index;
    bool is_found;
    return (unsigned)look(a, is_number, &none, &index, &c, &is_found);
}

/* Lines of the box that are for none of the items: frame, what is typed, help of the marked one. */
static int other_lines(const struct app *a)
{
    return 3 + (a->chooser.kind == CHOOSE_SETUP || chooser_columns(a) > 1);
}

static int count_items(const struct app *a)
{
    struct choice c;
    int items = 0;
    while (source_of(a)->item(a, (unsigned)items, &c))
        items++;
    return items;
}

/* Panes that do not fit below each other stand in two columns. */
int chooser_columns(const struct app *a)
{
    enum { FRAME = 3, AROUND = 4, LEAST = 70 };
    return a->chooser.kind == CHOOSE_PANE && a->columns >= LEAST &&
                   count_items(a) + FRAME > a->rows - AROUND
               ? 2
               : 1;
}

struct rect chooser_box(const struct app *a)
{
    const int columns = chooser_columns(a), items = (count_items(a) + columns - 1) / columns;
    const int most = a->chooser.kind == CHOOSE_PANE ? columns * 140 : 88; /* longer than any help */
    const int width = a->columns - 4 < most ? a->columns - 4 : most;
    const bool grows = a->chooser.kind == CHOOSE_COLUMNS; /* by names that come later */
    const int wanted = items + other_lines(a);
    const int height = wanted < a->rows - 4 && !grows ? wanted : a->rows - 4;
    return (struct rect){(a->columns - width) / 2, (a->rows - height) / 3 + 1, width, height};
}

int chooser_lines(const struct app *a, const struct rect *box)
{
    const int lines = box->height - other_lines(a);
    return lines > 0 ? lines : 1;
}

void chooser_fit(struct app *a)
{
    const struct rect box = chooser_box(a);
    list_fit(&a->chooser.list, count_matches(a), chooser_lines(a, &box) * chooser_columns(a));
}

void chooser_ask(const struct app *a, struct request *r)
{
    if (a->overlay != OVERLAY_CHOOSER || r->about != ABOUT_NOTHING)
        return;
    r->about = (uint8_t)(a->chooser.kind == CHOOSE_USER                    ? ABOUT_USERS
                         : a->chooser.kind == CHOOSE_MARK                  ? ABOUT_MARKS
                         : a->chooser.kind == CHOOSE_COLUMNS && !r->detail ? ABOUT_SEEN
                                                                           : ABOUT_NOTHING);
    if (r->about == ABOUT_SEEN)
        memcpy(r->seen, a->chooser.typed, strlen(a->chooser.typed));
}

void chooser_take(struct app *a, const struct frame *f)
{
    if (a->overlay == OVERLAY_CHOOSER && a->chooser.kind == CHOOSE_COLUMNS)
        seen_names_take(a, f);
}

void chooser_open(struct app *a, enum chooser_kind kind)
{
    a->overlay = OVERLAY_CHOOSER;
    free(a->chooser.seen);
    a->chooser = (struct chooser){.kind = kind, .list = list_start(1)};
    if (kind == CHOOSE_COLUMNS)
        a->chooser.seen = mem_new(1, sizeof *a->chooser.seen);
    chooser_fit(a);
    struct choice c;
    unsigned index;
    for (unsigned i = 0; chooser_item(a, i, &index, &c); i++)
        if (c.is_current)
            list_go(&a->chooser.list, i);
}

unsigned chooser_accept(struct app *a)
{
    struct choice c;
    unsigned index;
    if (!chooser_item(a, a->chooser.list.cursor, &index, &c))
        return REACT_NONE;
    a->overlay = OVERLAY_NONE;
    a->reaction = REACT_DRAW;
    source_of(a)->take(a, index);
    return a->reaction;
}

const char *chooser_title(const struct app *a)
{
    return source_of(a)->title;
}

bool chooser_has_toggle(const struct app *a)
{
    return a->overlay == OVERLAY_CHOOSER && source_of(a)->toggle != NULL;
}

unsigned chooser_toggle(struct app *a, const struct key *k)
{
    struct choice c;
    unsigned index;
    if (!chooser_has_toggle(a))
        return chooser_type(a, k);
    if (chooser_item(a, a->chooser.list.cursor, &index, &c))
        source_of(a)->toggle(a, index);
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
    chooser_fit(a);
    return REACT_DRAW;
}
