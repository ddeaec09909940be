#include "src/base/pattern.h"

#include "src/base/mem.h"
#include "src/base/regex.h"

#include <stdlib.h>
#include <string.h>

/* One of both. */
struct pattern {
    char *typed;
    struct text_needle *needle;
    enum text_where where;
    struct regex *regex;
};

static char *typed_copy(const char *text, size_t bytes)
{
    return memcpy(mem_new(bytes + 1, 1), text, bytes);
}

struct pattern *pattern_text(const char *text, size_t bytes, enum text_where where)
{
    struct pattern *const p = mem_new(1, sizeof *p);
    *p = (struct pattern){
        .typed = typed_copy(text, bytes), .needle = text_needle_new(text, bytes), .where = where};
    return p;
}

/* Characters behind a backslash do not count: \S and \D are no capitals. */
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
    *p = (struct pattern){.typed = typed_copy(text, bytes), .regex = regex};
    return p;
}

void pattern_free(struct pattern *p)
{
    if (!p)
        return;
    free(p->typed);
    text_needle_free(p->needle);
    regex_free(p->regex);
    free(p);
}

const char *pattern_typed(const struct pattern *p)
{
    return p->typed;
}

uint64_t pattern_given_up(const struct pattern *p)
{
    return p->regex ? regex_given_up(p->regex) : 0;
}

bool pattern_fits(const struct pattern *p, const char *text, size_t bytes)
{
    return p->regex ? regex_in(p->regex, text, bytes)
                    : text_needle_at(p->needle, p->where, text, bytes);
}
