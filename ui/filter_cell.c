/* Filters from cells: = keeps what is like the cell under the cursor, ! leaves it out. */
#include "ui/action.h"
#include "ui/app.h"
#include "ui/filtering.h"

#include "src/filter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A column's word in filters: the field that means the same, or the column itself. */
static const char *word_of(const struct column *c)
{
    return strcmp(c->id, "name") == 0 ? "proc" : c->id;
}

/* Where nobody has moved the column cursor, = and ! are about whose row it is. */
static const struct column *cell_column(const struct place *p)
{
    if (p->shows_column)
        return &p->pane->columns[p->column];
    const struct column *const name = pane_column(p->pane, "name");
    return name ? name : &p->pane->columns[0];
}

bool filtering_floor(double number, char *out, size_t room)
{
    double unit = 1;
    int decimals = 0;
    if (!(number >= 0 && number < 1e18))
        return false;
    while (decimals < 9 && number * unit < 1000) {
        unit *= 10;
        decimals++;
    }
    while (!decimals && number * unit >= 10000)
        unit /= 10;
    double whole = floor(number * unit), read;
    do /* what is read back may be a hair more, as decimals are */
        snprintf(out, room, "%.*f", decimals, whole-- / unit);
    while (sscanf(out, "%lf", &read) == 1 && read > number);
    return true;
}

/* The value as the language reads it back; false where the cell holds none. */
static bool write_value(const struct frame *f, const struct value *v, char *out, size_t room)
{
    switch ((enum value_type)v->type) {
    case VALUE_TEXT: case VALUE_PATH:
        break;
    case VALUE_ID: case VALUE_COUNT: case VALUE_BYTES:
        return snprintf(out, room, "%llu", (unsigned long long)v->count) > 0;
    case VALUE_HEX:
        return snprintf(out, room, "0x%llx", (unsigned long long)v->count) > 0;
    case VALUE_TIME:
        return snprintf(out, room, "%lldns", (long long)v->ns) > 0;
    case VALUE_TIME_RATE:
        return snprintf(out, room, "%.0fns", floor(v->number)) > 0;
    case VALUE_RATE: case VALUE_BYTE_RATE: case VALUE_PERCENT:
        return filtering_floor(v->number, out, room);
    case VALUE_ABSENT: case VALUE_INSTANT: case VALUE_SERIES:
        return false;
    }
    size_t used = 0;
    out[used++] = '"';
    for (uint32_t i = 0; i < v->text.bytes && used + 3 < room; i++) {
        const char c = f->arena[v->text.offset + i];
        if (c == '"')
            out[used++] = c;
        out[used++] = c;
    }
    out[used++] = '"';
    out[used] = '\0';
    /* Plain words need no quotes; a star or a question mark would be a wildcard without. */
    if (used > 2 && !strpbrk(out + 1, " \t,|()*?") && !memchr(out + 1, '"', used - 2)
        && !memchr(out, '\0', used)) {
        memmove(out, out + 1, used - 2);
        out[used - 2] = '\0';
    }
    return !memchr(out, '\0', used > 2 ? used - 2 : 0);
}

/* Numbers are rarely the same twice: what is measured is kept or left out from there on. */
static const char *sign_of(const struct column *c, bool includes)
{
    const bool is_text = c->type == VALUE_TEXT || c->type == VALUE_PATH;
    const bool is_identity = is_text || c->type == VALUE_ID || c->type == VALUE_HEX;
    return is_identity ? (includes ? "=" : "!=") : includes ? ">=" : "<";
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

const struct column *filtering_column(const struct pane *p, const char *id, const char *aliases)
{
    char among[256], wanted[96];
    snprintf(among, sizeof among, " %s %s ", id, aliases ? aliases : "");
    for (unsigned i = 0; i < p->column_count; i++) {
        snprintf(wanted, sizeof wanted, " %s ", word_of(&p->columns[i]));
        if (strstr(among, wanted))
            return &p->columns[i];
    }
    return NULL;
}

/* From the cursor's row on, so that it is about what one looks at. */
bool filtering_example(const struct app *a, const struct column *c, char *out, size_t room)
{
    const struct frame *const f = app_known(a);
    const size_t column = (size_t)(c - app_shown(a)->pane->columns);
    const uint64_t cursor = app_shown(a)->list.cursor;
    const unsigned first = f && cursor >= f->first ? (unsigned)(cursor - f->first) : 0;
    for (unsigned i = 0; f && i < f->row_count; i++) {
        const struct value *const v = &f->rows[(first + i) % f->row_count].cells[column];
        char value[FILTER_MAX];
        if (value_is_zero(v) || !write_value(f, v, value, sizeof value) || !strcmp(value, "\"\""))
            continue;
        snprintf(out, room, "%s%s%s", word_of(c), sign_of(c, true), value);
        return true;
    }
    return false;
}

static bool is_meant(const struct app *a, const struct frame_row *row, const struct frame_row *cursor)
{
    const struct tags *const t = &a->tags;
    const bool has_tags = t->count && t->pane == app_shown(a)->pane;
    const bool has_rule = a->finding.rule[0] && a->finding.rule_pane == app_shown(a)->pane;
    if (!has_tags && !has_rule)
        return row == cursor;
    return row->flags & ROW_TAGGED || app_is_tagged(a, &row->key);
}

ACTION(filter_cell)
{
    UNUSED(k);
    const struct frame *const f = a->frame;
    const struct frame_row *const cursor = app_cursor_row(a);
    const struct column *const c = cell_column(app_shown(a));
    const bool includes = b->argument > 0;
    char filter[FILTER_MAX], value[FILTER_MAX];
    if (!f || !cursor)
        return REACT_NONE;
    const char *const word = word_of(c), *const sign = sign_of(c, includes);
    snprintf(filter, sizeof filter, "%s", app_shown(a)->filter);
    bool has_value = false;
    for (unsigned i = 0; i < f->row_count; i++) {
        if (!is_meant(a, &f->rows[i], cursor)
            || !write_value(f, &f->rows[i].cells[c - f->pane->columns], value, sizeof value))
            continue;
        has_value = true;
        if (!append(filter, word, sign, value)) {
            app_say(a, true, "the filter would be longer than %d bytes", FILTER_MAX - 1);
            return REACT_DRAW;
        }
    }
    if (!has_value)
        app_say(a, true, "%s is empty here", c->title);
    else
        filtering_set(a, filter);
    return REACT_DRAW;
}
