#include "src/base/pattern.h"

#include "src/base/mem.h"
#include "src/base/regex.h"

#include <stdlib.h>

/* One of both. */
struct pattern {
    struct text_needle *needle;
    enum text_where where;
    struct regex *regex;
};

struct pattern *pattern_text(const char *text, size_t bytes, enum text_where where)
{
    struct pattern *const p = mem_new(1, sizeof *p);
    *p = (struct pattern){.needle = text_needle_new(text, bytes), .where = where};
    return p;
}

/* \S and \D are no capitals: what follows a backslash is not looked at. */
static bool has_capital(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] >= 'A' && text[i] <= 'Z')
            return true;
    }
    return false;
}

struct pattern *pattern_regex(const char *text, size_t bytes, enum pattern_case how, size_t *at,
                              struct err *err)
{
    const bool ignores_case = how == CASE_SMART ? !has_capital(text, bytes) : how == CASE_IGNORED;
    struct regex *const regex = regex_new(text, bytes, ignores_case, at, err);
    if (!regex)
        return NULL;
    struct pattern *const p = mem_new(1, sizeof *p);
    *p = (struct pattern){.regex = regex};
    return p;
}

void pattern_free(struct pattern *p)
{
    if (!p)
        return;
    text_needle_free(p->needle);
    regex_free(p->regex);
    free(p);
}

bool pattern_fits(const struct pattern *p, const char *text, size_t bytes)
{
    return p->regex ? regex_in(p->regex, text, bytes)
                    : text_needle_at(p->needle, p->where, text, bytes);
}
