/* Values of options that several of them take. */
#include "src/command/option_table.h"

#include "src/base/mem.h"
#include "src/base/unit.h"

bool option_read_text(void *field, const char *text, struct err *err)
{
    if (!*text)
        return fail(err, "expected some text, found none");
    *(const char **)field = text;
    return true;
}

bool option_read_count(void *field, const char *text, struct err *err)
{
    return unit_count(text, field, err);
}

/* Only characters that times, numbers and names of columns do not contain: those are not quoted. */
bool option_read_separator(void *field, const char *text, struct err *err)
{
    static const struct {
        const char *text;
        char separator;
    } separators[] = {{",", ','}, {";", ';'}, {"|", '|'}, {"tab", '\t'}};
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++)
        if (strcmp(text, separators[i].text) == 0) {
            *(char *)field = separators[i].separator;
            return true;
        }
    return fail(err, "expected , ; | or tab, found '%s'", text);
}

bool option_read_size(void *field, const char *text, struct err *err)
{
    return unit_size(text, field, err);
}

bool option_read_list(void *field, const char *text, struct err *err)
{
    struct option_list *const l = field;
    if (!*text)
        return fail(err, "expected some text, found none");
    l->items = mem_grow(l->items, l->count + 1, sizeof *l->items);
    l->items[l->count++] = text;
    return true;
}

bool option_read_percent(void *field, const char *text, struct err *err)
{
    return unit_percent(text, field, err);
}

bool option_read_instant(void *field, const char *text, struct err *err)
{
    return unit_instant(text, field, err);
}

/* Below 100 ms a screen only flickers; above a day it is a typing error. */
bool option_interval(const char *text, int64_t *ns, struct err *err)
{
    if (!unit_time(text, ns, err))
        return false;
    if (*ns < 100000000 || *ns > 86400000000000)
        return fail(err, "expected a time between 100ms and 24h, found '%s'", text);
    return true;
}

bool option_read_interval(void *field, const char *text, struct err *err)
{
    return option_interval(text, field, err);
}

bool option_read_span(void *field, const char *text, struct err *err)
{
    return unit_time(text, field, err);
}

bool option_size_or_time(const char *text, uint64_t *bytes, int64_t *ns, struct err *err)
{
    const size_t length = strlen(text);
    const bool are_minutes = length && text[length - 1] == 'm'; /* sizes have large letters */
    *bytes = 0;
    *ns = 0;
    if (!are_minutes && unit_size(text, bytes, NULL))
        return true;
    return unit_time(text, ns, NULL) ||
           fail(err, "expected a size or a time such as 64M or 60s, found '%s'", text);
}
