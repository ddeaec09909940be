#include "src/filter.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_word(const char *p, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(p, word, length) == 0 && (is_blank(p[length]) || !p[length]);
}

/* One word from *p into `out`: plain up to a blank, or quoted with "" for a quote
 * inside. What does not fit is cut. Returns its bytes. */
static size_t take_word(const char **p, char *out, size_t room)
{
    const bool is_quoted = **p == '"';
    size_t bytes = 0;
    if (is_quoted)
        (*p)++;
    while (**p && (is_quoted || !is_blank(**p))) {
        if (is_quoted && **p == '"') {
            (*p)++;
            if (**p != '"')
                break;
        }
        if (bytes < room)
            out[bytes++] = **p;
        (*p)++;
    }
    return bytes;
}

static void add_word(struct filter *f, const char *word, size_t bytes, bool is_negated)
{
    const uint16_t bit = (uint16_t)(1u << f->count);
    *(is_negated ? &f->unwanted : &f->wanted) |= bit;
    f->words[f->count++] = text_needle_new(word, bytes);
}

void filter_init(struct filter *f, const char *text)
{
    *f = (struct filter){0};
    bool is_negated = false;
    for (const char *p = text; *p && f->count < FILTER_WORDS;) {
        char word[256];
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
        } else {
            const size_t bytes = take_word(&p, word, sizeof word);
            if (bytes)
                add_word(f, word, bytes, is_negated);
            is_negated = false;
        }
    }
}

void filter_fini(struct filter *f)
{
    for (unsigned i = 0; i < f->count; i++)
        text_needle_free(f->words[i]);
    *f = (struct filter){0};
}

uint16_t filter_bits(const struct filter *f, const char *text, size_t bytes)
{
    uint16_t bits = 0;
    for (unsigned i = 0; i < f->count; i++)
        if (text_needle_in(f->words[i], text, bytes))
            bits |= (uint16_t)(1u << i);
    return bits;
}
