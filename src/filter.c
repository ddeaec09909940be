#include "src/filter.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* One word from *p: plain up to a blank, or quoted with "" for a quote inside.
 * Appends it to the filter's text; false when it is empty. */
static bool take_word(struct filter *f, const char **p, size_t *used)
{
    const bool is_quoted = **p == '"';
    const size_t start = *used;
    if (is_quoted)
        (*p)++;
    while (**p && (is_quoted || !is_blank(**p))) {
        if (is_quoted && **p == '"') {
            (*p)++;
            if (**p != '"')
                break;
        }
        if (*used < sizeof f->text)
            f->text[(*used)++] = **p;
        (*p)++;
    }
    f->at[f->count] = (uint16_t)start;
    f->bytes[f->count] = (uint16_t)(*used - start);
    return *used > start;
}

static bool has_capital(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] >= 'A' && text[i] <= 'Z')
            return true;
    return false;
}

static bool is_word(const char *p, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(p, word, length) == 0 && (is_blank(p[length]) || !p[length]);
}

void filter_parse(struct filter *f, const char *text)
{
    *f = (struct filter){ 0 };
    size_t used = 0;
    bool is_negated = false;
    for (const char *p = text; *p && f->count < FILTER_WORDS;) {
        if (is_blank(*p)) {
            p++;
        } else if (*p == '!') {
            is_negated = !is_negated;
            p++;
        } else if (is_word(p, "not")) {
            is_negated = !is_negated;
            p += strlen("not");
        } else if (is_word(p, "and")) {
            p += strlen("and");
        } else if (take_word(f, &p, &used)) {
            const uint16_t bit = (uint16_t)(1u << f->count);
            f->wanted |= is_negated ? 0 : bit;
            f->unwanted |= is_negated ? bit : 0;
            if (has_capital(f->text + f->at[f->count], f->bytes[f->count]))
                f->with_case |= bit;
            f->count++;
            is_negated = false;
        }
    }
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool holds(const char *text, size_t bytes, const char *word, size_t length, bool with_case)
{
    for (size_t i = 0; i + length <= bytes; i++) {
        size_t n = 0;
        while (n < length && (with_case ? text[i + n] : lower(text[i + n])) == word[n])
            n++;
        if (n == length)
            return true;
    }
    return false;
}

uint16_t filter_bits(const struct filter *f, const char *text, size_t bytes)
{
    uint16_t bits = 0;
    for (unsigned i = 0; i < f->count; i++)
        if (holds(text, bytes, f->text + f->at[i], f->bytes[i], f->with_case >> i & 1))
            bits |= (uint16_t)(1u << i);
    return bits;
}
