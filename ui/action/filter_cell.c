/* Filters from cells: = keeps what is like the cell under the cursor, ! leaves it out. */
#include "ui/action/action.h"
#include "ui/state/app.h"
#include "ui/state/filtering.h"

#include <stdio.h>
#include <string.h>

/* Where nobody has moved the column cursor, = and ! are about whose row it is. */
static const struct column *cell_column(const struct place *p)
{
    if (p->shows_column)
        return &p->pane->columns[p->column];
    const struct column *const name = pane_column(p->pane, "name");
    return name ? name : &p->pane->columns[0];
}

/* The end of a list of this field and sign in the filter, NULL where there is none: a second
 * value joins the first. */
static char *end_of_list(char *filter, const char *word, const char *sign)
{
    char head[96];
    const int length = snprintf(head, sizeof head, "%s%s", word, sign);
    for (char *at = filter; (at = strstr(at, head)) != NULL; at++) {
        if (at > filter && at[-1] != ' ')
            continue;
        char *end = at + length;
        for (bool quoted = false; *end && (quoted || *end != ' '); end++)
            if (*end == '"')
                quoted = !quoted;
        return end;
    }
    return NULL;
}

static bool append(char filter[FILTER_MAX], const char *word, const char *sign, const char *value)
{
    const bool is_list = strcmp(sign, "=") == 0 || strcmp(sign, "!=") == 0;
    char *const end = is_list ? end_of_list(filter, word, sign) : NULL;
    char joined[FILTER_MAX];
    int length;
    if (end)
        length = snprintf(joined, sizeof joined, "%.*s,%s%s", (int)(end - filter), filter, value, end);
    else
        length = snprintf(joined, sizeof joined, "%s%s%s%s%s", filter, *filter ? " " : "", word, sign,
                          value);
    if (length < 0 || (size_t)length >= sizeof joined)
        return false;
    memcpy(filter, joined, (size_t)length + 1);
    return true;
}

static bool is_meant(const struct app *a, const struct frame_row *row, const struct frame_row *cursor)
{
    const struct tags *const t = &a->tags;
    const bool has_tags = t->count && t->pane == app_shown(a)->pane;
    const bool has_rule = a->search.rule[0] && a->search.rule_pane == app_shown(a)->pane;
    if (!has_tags && !has_rule)
        return row == cursor;
    return row->flags & ROW_TAGGED || app_is_tagged(a, &row->key);
}

ACTION(filter_cell)
{
    UNUSED(k);
    const struct frame *const f = a->focus->frame;
    const struct frame_row *const cursor = app_cursor_row(a);
    const struct column *const c = cell_column(app_shown(a));
    const bool includes = b->argument > 0;
    char filter[FILTER_MAX], value[FILTER_MAX];
    if (!f || !cursor)
        return REACT_NONE;
    const char *const word = filtering_word(c), *const sign = filtering_sign(c, includes);
    snprintf(filter, sizeof filter, "%s", app_shown(a)->filter);
    bool has_value = false;
    for (unsigned i = 0; i < f->row_count; i++) {
        if (!is_meant(a, &f->rows[i], cursor)
            || !filtering_value(f, &f->rows[i].cells[c - f->pane->columns], value, sizeof value))
            continue;
        has_value = true;
        if (!append(filter, word, sign, value)) {
            app_message(a, true, "the filter would be longer than %d bytes", FILTER_MAX - 1);
            return REACT_DRAW;
        }
    }
    if (!has_value)
        app_message(a, true, "%s has no value here", c->title);
    else
        filtering_set(a, filter);
    return REACT_DRAW;
}
