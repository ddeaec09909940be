/* Finding texts in others, in all forms of Unicode. */
#include "src/base/text.h"

#include "src/base/mem.h"
#include "src/base/text_characters.h"

#include <stdlib.h>
#include <string.h>

#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

struct text_needle {
    bool is_exact; /* a capital letter was typed: case counts */
    bool is_ascii;
    size_t bytes;
    char *text; /* normalized and, unless exact, folded */
};

/* ASCII is its own normal form, and folds to lower case: most names are nothing else. */
static char *normal_ascii(const char *text, size_t bytes, bool is_exact, char *buffer, size_t *out)
{
    char *const form = bytes <= *out ? buffer : mem_new(bytes, 1);
    for (size_t i = 0; i < bytes; i++)
        form[i] = is_exact ? text[i] : text_lower(text[i]);
    *out = bytes;
    return form;
}

/* Normalizes into `buffer` or, beyond *bytes of it, into heap; never NULL. The text is
 * repaired first where it must be: the library refuses ill-formed text. */
static char *normal_form(const char *text, size_t bytes, bool is_exact, char *buffer, size_t *out)
{
    char *repaired = NULL;
    if (all_ascii(text, bytes))
        return normal_ascii(text, bytes, is_exact, buffer, out);
    if (!text_is_valid(text, bytes)) {
        const size_t room = bytes * 3;
        repaired = mem_new(room, 1);
        bytes = text_repair(repaired, room, text, bytes);
        text = repaired;
    }
    uint8_t *form = is_exact
                        ? u8_normalize(UNINORM_NFKC, u8(text), bytes, (uint8_t *)buffer, out)
                        : u8_casefold(u8(text), bytes, NULL, UNINORM_NFKC, (uint8_t *)buffer, out);
    if (!form) { /* no memory: the text as it is is better than no answer */
        form = mem_copy(text, bytes);
        *out = bytes;
    }
    free(repaired);
    return (char *)form;
}

static bool has_capital(const char *text, size_t bytes)
{
    const uint8_t *at = u8(text), *const end = at + bytes;
    while (at < end)
        if (uc_is_general_category_withtable(character(&at, end),
                                             UC_CATEGORY_MASK_Lu | UC_CATEGORY_MASK_Lt))
            return true;
    return false;
}

struct text_needle *text_needle_new(const char *needle, size_t bytes)
{
    struct text_needle *n = mem_new(1, sizeof *n);
    n->is_exact = has_capital(needle, bytes);
    char buffer[256];
    n->bytes = sizeof buffer;
    char *form = normal_form(needle, bytes, n->is_exact, buffer, &n->bytes);
    n->text = mem_copy(form, n->bytes);
    n->is_ascii = all_ascii(n->text, n->bytes);
    if (form != buffer)
        free(form);
    return n;
}

void text_needle_free(struct text_needle *n)
{
    if (!n)
        return;
    free(n->text);
    free(n);
}

static bool starts_with(const char *text, const char *needle, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text_lower(text[i]) != needle[i])
            return false;
    return true;
}

/* Both ASCII, the needle in lower case. Names are short, so the plain way is quick. */
static bool find_ascii(const struct text_needle *n, const char *text, size_t bytes)
{
    for (size_t at = 0; bytes - at >= n->bytes; at++)
        if (text_lower(text[at]) == n->text[0] && starts_with(text + at, n->text, n->bytes))
            return true;
    return false;
}

static bool find_bytes(const struct text_needle *n, const char *text, size_t bytes)
{
    const char *at = text;
    size_t left = bytes;
    while (left >= n->bytes) {
        const char *hit = memchr(at, n->text[0], left - n->bytes + 1);
        if (!hit)
            return false;
        if (memcmp(hit, n->text, n->bytes) == 0)
            return true;
        left -= (size_t)(hit + 1 - at);
        at = hit + 1;
    }
    return false;
}

bool text_needle_in(const struct text_needle *n, const char *text, size_t bytes)
{
    if (n->bytes == 0)
        return true;
    if (all_ascii(text, bytes)) /* is its own normal form */
        return n->is_exact ? find_bytes(n, text, bytes) : n->is_ascii && find_ascii(n, text, bytes);
    char buffer[512];
    size_t form_bytes = sizeof buffer;
    char *form = normal_form(text, bytes, n->is_exact, buffer, &form_bytes);
    const bool found = find_bytes(n, form, form_bytes);
    if (form != buffer)
        free(form);
    return found;
}

/* Bytes of the character at `at`. */
static size_t step_of(const char *text, size_t bytes, size_t at)
{
    size_t next = at + 1;
    while (next < bytes && ((unsigned char)text[next] & 0xc0) == 0x80)
        next++;
    return next - at;
}

/* Only the last star is ever tried again: what stands before it has matched at its earliest. */
static bool is_wild(const char *pattern, size_t pattern_bytes, const char *text, size_t bytes)
{
    size_t p = 0, t = 0, star = SIZE_MAX, from = 0;
    while (t < bytes) {
        if (p < pattern_bytes && pattern[p] == '*') {
            star = ++p;
            from = t;
        } else if (p < pattern_bytes && pattern[p] == '?') {
            p++;
            t += step_of(text, bytes, t);
        } else if (p < pattern_bytes && pattern[p] == text[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star;
            t = from += step_of(text, bytes, from);
        } else {
            return false;
        }
    }
    while (p < pattern_bytes && pattern[p] == '*')
        p++;
    return p == pattern_bytes;
}

static bool stands(const struct text_needle *n, enum text_where where, const char *form,
                   size_t bytes)
{
    switch (where) {
    case TEXT_WHOLE:
        return bytes == n->bytes && memcmp(form, n->text, bytes) == 0;
    case TEXT_START:
        return bytes >= n->bytes && memcmp(form, n->text, n->bytes) == 0;
    case TEXT_END:
        return bytes >= n->bytes && memcmp(form + bytes - n->bytes, n->text, n->bytes) == 0;
    case TEXT_WILD:
        return is_wild(n->text, n->bytes, form, bytes);
    case TEXT_ANYWHERE:
        break;
    }
    return n->bytes == 0 || find_bytes(n, form, bytes);
}

bool text_needle_at(const struct text_needle *n, enum text_where where, const char *text,
                    size_t bytes)
{
    if (where == TEXT_ANYWHERE)
        return text_needle_in(n, text, bytes);
    if (bytes == 0)
        return stands(n, where, "", 0);
    char buffer[512];
    size_t form_bytes = sizeof buffer;
    char *form = normal_form(text, bytes, n->is_exact, buffer, &form_bytes);
    const bool found = stands(n, where, form, form_bytes);
    if (form != buffer)
        free(form);
    return found;
}
