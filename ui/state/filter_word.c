/* Columns and cells in the words of the filter language. */
#include "ui/state/filtering.h"

#include "src/filter/filter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *filtering_word(const struct column *c)
{
    return strcmp(c->id, "name") == 0 ? "proc" : c->id;
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

bool filtering_value(const struct frame *f, const struct value *v, char *out, size_t room)
{
    switch ((enum value_type)v->type) {
    case VALUE_TEXT: case VALUE_PATH:
        break;
    case VALUE_ID: case VALUE_COUNT: case VALUE_BYTES:
        if (v->is_difference)
            return snprintf(out, room, "%lld", (long long)v->ns) > 0;
        return snprintf(out, room, "%llu", (unsigned long long)v->count) > 0;
    case VALUE_HEX:
        return snprintf(out, room, "0x%llx", (unsigned long long)v->count) > 0;
    case VALUE_TIME:
        return snprintf(out, room, "%lldns", (long long)v->ns) > 0;
    case VALUE_TIME_RATE:
        return snprintf(out, room, "%.0fns", floor(v->number)) > 0;
    case VALUE_RATE:
    case VALUE_REAL:
    case VALUE_BYTE_RATE:
    case VALUE_PERCENT:
        return filtering_floor(v->number, out, room);
    case VALUE_ABSENT:
    case VALUE_INSTANT:
    case VALUE_SERIES:
    case VALUE_BINS:
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

const char *filtering_sign(const struct column *c, bool includes)
{
    const bool is_text = c->type == VALUE_TEXT || c->type == VALUE_PATH;
    const bool is_identity = is_text || c->type == VALUE_ID || c->type == VALUE_HEX;
    return is_identity ? (includes ? "=" : "!=") : includes ? ">=" : "<";
}

const struct column *filtering_column(const struct pane *p, const char *id, const char *aliases)
{
    char among[256], wanted[96];
    snprintf(among, sizeof among, " %s %s ", id, aliases ? aliases : "");
    for (unsigned i = 0; i < p->column_count; i++) {
        snprintf(wanted, sizeof wanted, " %s ", filtering_word(&p->columns[i]));
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
        if (value_is_zero(v) || !filtering_value(f, v, value, sizeof value) || !strcmp(value, "\"\""))
            continue;
        snprintf(out, room, "%s%s%s", filtering_word(c), filtering_sign(c, true), value);
        return true;
    }
    return false;
}
