#include "ui/action/widths.h"

#include "src/base/unit.h"
#include "ui/action/action.h"
#include "ui/state/layout.h"
#include "ui/state/place.h"
#include "ui/state/view_columns.h"

#include <stdio.h>
#include <string.h>

enum { LEAST = 3, LEAST_OF_SHARE = 12, MOST = 250 }; /* a share has a bar behind its number */

static int clamp(const struct column *c, int width)
{
    const int least = strcmp(c->id, "share") == 0 ? LEAST_OF_SHARE : LEAST;
    return width < least ? least : width > MOST ? MOST : width;
}

static uint8_t *width_of(struct app *a, unsigned column)
{
    return &place_columns(a, app_shown(a)->pane)->widths[column];
}

/* ---- dragging --------------------------------------------------------------------------------- */

void widths_grab(struct app *a, unsigned column, int x)
{
    struct column_slot slots[SLOTS_MAX];
    const unsigned count = view_table_layout(app_shown(a), app_width(a), slots);
    for (unsigned i = 0; i < count; i++)
        if (slots[i].column == column)
            a->drag = (struct drag){.pane = app_shown(a)->pane, .column = column, .x = x,
                                    .width = slots[i].width};
}

/* Not while the mouse is elsewhere than it was when the border was taken hold of. */
ACTION(drag)
{
    UNUSED(b);
    const struct pane *const p = app_shown(a)->pane;
    if (a->drag.pane != p || a->drag.column >= p->column_count || a->drag.column >= COLUMNS_MAX)
        return REACT_NONE;
    *width_of(a, a->drag.column) =
        (uint8_t)clamp(&p->columns[a->drag.column], a->drag.width + k->x - a->drag.x);
    return REACT_DRAW;
}

ACTION(drop)
{
    UNUSED(b), UNUSED(k);
    a->drag = (struct drag){.pane = NULL};
    return REACT_NONE;
}

/* ---- as text ----------------------------------------------------------------------------------- */

static bool find_column(const struct pane *p, const char *id, unsigned *out)
{
    for (unsigned i = 0; i < p->column_count && i < COLUMNS_MAX; i++)
        if (strcmp(p->columns[i].id, id) == 0)
            return *out = i, true;
    return false;
}

static bool set(const struct pane *p, const char *id, const char *cells, uint8_t *widths,
                struct err *err)
{
    unsigned column;
    uint64_t number = 0;
    if (!find_column(p, id, &column))
        return fail(err, "%s has no column \"%.60s\"", p->id, id);
    const bool is_usual = strcmp(cells, "auto") == 0;
    if (!is_usual && (!unit_count(cells, &number, NULL) || number < LEAST || number > MOST))
        return fail(err, "%.60s: expected %d to %d cells or auto, found \"%.60s\"", id, LEAST, MOST,
                    cells);
    widths[column] = is_usual ? 0 : (uint8_t)clamp(&p->columns[column], (int)number);
    return true;
}

void widths_write(const struct pane *p, const uint8_t *widths, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < p->column_count && i < COLUMNS_MAX; i++)
        if (widths[i] && used < room)
            used += (size_t)snprintf(out + used, room - used, "%s%s:%u", used ? ", " : "",
                                     p->columns[i].id, widths[i]);
}

bool widths_read(const struct pane *p, const char *text, uint8_t *widths, struct err *err)
{
    for (;;) {
        char word[96];
        text += strspn(text, " ,");
        const size_t length = strcspn(text, " ,");
        if (length == 0)
            return true;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
                 text);
        text += length;
        char *const colon = strchr(word, ':');
        if (!colon)
            return fail(err, "expected a column and its width such as name:24, found \"%s\"", word);
        *colon = '\0';
        if (!set(p, word, colon + 1, widths, err))
            return false;
    }
}

unsigned widths_run(struct app *a, const char *text)
{
    const struct pane *const p = app_shown(a)->pane;
    char id[64];
    struct err err;
    const size_t length = strcspn(text, " ");
    snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), text);
    const char *const cells = text + length + strspn(text + length, " ");
    if (!set(p, id, cells, place_columns(a, p)->widths, &err))
        app_message(a, true, "%s", err.text);
    return REACT_DRAW;
}
