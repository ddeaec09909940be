#include "ui/action/columns.h"

#include "ui/state/layout.h"
#include "ui/state/made_panes.h"
#include "ui/state/place.h"
#include "ui/state/seen_names.h"
#include "ui/state/view_columns.h"

#include <stdio.h>
#include <string.h>

/* ---- adding ------------------------------------------------------------------------------------ */

/* Nobody has chosen the column, and so no pane shows it. */
static bool is_free(const void *of, unsigned column)
{
    const struct app *const a = of;
    return app_shown(a)->columns[column] != COLUMN_ON;
}

/* The column of that name, made where it is a field of payloads; false with a message. */
static bool find(struct app *a, const char *name, unsigned *out)
{
    struct err err;
    const bool is_known = pane_column(app_shown(a)->pane, name);
    if (!event_panes_add(&a->made->events, app_shown(a)->pane, name, is_free, a, &err)) {
        app_message(a, true, "%s", err.text);
        return false;
    }
    place_renew(a);
    const struct pane *const p = app_shown(a)->pane;
    *out = (unsigned)(pane_column(p, name) - p->columns);
    if (!is_known && *out < COLUMNS_MAX) {
        place_columns(a, p)->chosen[*out] = COLUMN_AUTO;
        place_columns(a, p)->widths[*out] = 0;
        seen_names_drop(a, name);
    }
    return *out < COLUMNS_MAX;
}

/* ---- the chooser --------------------------------------------------------------------------------- */

static bool column_item(const struct app *a, unsigned i, struct choice *out)
{
    const struct place *const p = app_shown(a);
    const struct column *const c = &p->pane->columns[i];
    *out = (struct choice){.name = c->id,
                           .title = c->flags & COLUMN_OF_PAYLOAD ? c->id : c->title,
                           .help = c->flags & COLUMN_OF_PAYLOAD ? "payload field" : c->help,
                           .is_long = c->flags & COLUMN_OF_PAYLOAD,
                           .is_on = view_table_has(p, app_width(a), i)};
    return true;
}

static bool seen_item(const struct app *a, unsigned i, struct choice *out)
{
    const struct seen_field *const n = seen_names_at(a, i);
    if (n)
        *out = (struct choice){.name = n->name, .title = n->name, .help = n->help, .is_long = true};
    return n;
}

/* What was typed in full, where no event has had it so far. */
static bool typed_item(const struct app *a, struct choice *out)
{
    const char *const name = a->chooser.typed;
    if (!event_columns_reads(name) || pane_column(app_shown(a)->pane, name) ||
        seen_names_have(a, name))
        return false;
    *out = (struct choice){
        .name = name, .title = name, .help = "payload field, not seen yet", .is_long = true};
    return true;
}

static bool item(const struct app *a, unsigned i, struct choice *out)
{
    const unsigned columns = (unsigned)app_shown(a)->pane->column_count;
    const unsigned seen = a->chooser.seen ? a->chooser.seen->count : 0;
    if (i < columns)
        return column_item(a, i, out);
    return i < columns + seen ? seen_item(a, i - columns, out)
                              : i == columns + seen && typed_item(a, out);
}

static void toggle(struct app *a, unsigned i)
{
    struct choice c;
    char name[EVENT_COLUMN_NAME];
    unsigned column;
    if (!item(a, i, &c))
        return;
    snprintf(name, sizeof name, "%s", c.name);
    if (!find(a, name, &column))
        return;
    app_toggle_column(a, column);
    chooser_go(a, name);
}

const struct chooser_source columns_source = {
    "Columns; + is shown; typing finds fields of payloads", item, toggle, toggle};

void columns_open(struct app *a)
{
    chooser_open(a, app_shown(a)->pane->view == PANE_EVENTS ? CHOOSE_COLUMNS : CHOOSE_SORT);
}

/* ---- the command --------------------------------------------------------------------------------- */

unsigned columns_run(struct app *a, const char *list)
{
    unsigned column;
    if (!list[strspn(list, " ,")])
        columns_open(a);
    for (const char *at = list + strspn(list, " ,"); *at; at += strspn(at, " ,")) {
        char name[EVENT_COLUMN_NAME];
        const size_t bytes = strcspn(at, " ,");
        snprintf(name, sizeof name, "%.*s", (int)(bytes < sizeof name ? bytes : sizeof name - 1),
                 at);
        at += bytes;
        if (!find(a, name, &column))
            break;
        app_toggle_column(a, column);
    }
    return REACT_DRAW;
}
