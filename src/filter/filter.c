#include "src/filter/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void filter_fini(struct filter *f)
{
    for (unsigned i = 0; i < f->value_count; i++)
        pattern_free(f->values[i].pattern);
    for (unsigned i = 0; i < f->term_count; i++)
        free(f->terms[i].payload);
    *f = (struct filter){.pane = f->pane, .roots = {FILTER_NONE, FILTER_NONE}};
}

bool filter_wrong(struct filter_error *error, size_t at, const char *format, ...)
{
    if (!error)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->at = at;
    return false;
}

bool filter_fail(struct err *err, const char *text, const struct filter_error *error)
{
    const size_t bytes = strlen(text), at = error->at < bytes ? error->at : bytes;
    if (at == bytes)
        return fail(err, "filter '%.200s', at its end: %s", text, error->text);
    return fail(err, "filter '%.200s', at '%.40s': %s", text, text + at, error->text);
}

/* As deep as the grammar and the chains of its parts: bounded by FILTER_NODES. */
static bool decide(const struct filter *f, uint8_t node, uint64_t bits)
{
    const struct filter_node *const n = &f->nodes[node];
    switch ((enum filter_node_kind)n->kind) {
    case NODE_TERM:
        return bits >> n->a & 1;
    case NODE_AND:
        return decide(f, n->a, bits) && decide(f, n->b, bits);
    case NODE_OR:
        return decide(f, n->a, bits) || decide(f, n->b, bits);
    case NODE_NOT:
        return !decide(f, n->a, bits);
    }
    return false;
}

bool filter_decide(const struct filter *f, enum filter_level level, struct filter_found found)
{
    const uint64_t holds = found.has & (found.fits ^ f->excluding);
    return f->roots[level] == FILTER_NONE || decide(f, f->roots[level], holds);
}

bool filter_part_decide(const struct filter *f, const struct filter_part *p,
                        struct filter_found found)
{
    return decide(f, p->node, found.has & (found.fits ^ f->excluding));
}

static void note(unsigned term, bool fits, struct filter_found *found)
{
    found->has |= 1ull << term;
    if (fits)
        found->fits |= 1ull << term;
}

static bool fits_text(const struct filter *f, const struct filter_term *t, const char *text,
                      size_t bytes)
{
    bool fits = t->is_presence && bytes;
    for (unsigned i = t->first; i < (unsigned)t->first + t->count && !fits; i++)
        fits = f->values[i].pattern && pattern_fits(f->values[i].pattern, text, bytes);
    return fits;
}

void filter_look_text(const struct filter *f, uint64_t which, const char *text, size_t bytes,
                      struct filter_found *found)
{
    unsigned i;
    while (text && filter_next(&which, &i))
        note(i, fits_text(f, &f->terms[i], text, bytes), found);
}

static bool is_number(const struct filter_value *v)
{
    return !v->pattern && !v->is_address;
}

void filter_look_number(const struct filter *f, unsigned term, uint64_t number,
                        struct filter_found *found)
{
    const struct filter_term *const t = &f->terms[term];
    bool fits = t->is_presence;
    for (unsigned i = t->first; i < (unsigned)t->first + t->count && !fits; i++) {
        const struct filter_value *const v = &f->values[i];
        fits = v->is_real ? (double)number >= v->from && (double)number <= v->to
                          : is_number(v) && number >= v->low && number <= v->high;
    }
    note(term, fits, found);
}

void filter_look_bits(const struct filter *f, unsigned term, uint64_t bits,
                      struct filter_found *found)
{
    const struct filter_term *const t = &f->terms[term];
    filter_look_number(f, term, bits, found);
    for (unsigned i = t->first; i < (unsigned)t->first + t->count; i++)
        if (f->values[i].low == f->values[i].high && f->values[i].low & bits)
            note(term, true, found);
}

void filter_look_real(const struct filter *f, unsigned term, double number,
                      struct filter_found *found)
{
    const struct filter_term *const t = &f->terms[term];
    bool fits = t->is_presence;
    for (unsigned i = t->first; i < (unsigned)t->first + t->count && !fits; i++)
        fits = is_number(&f->values[i]) && number >= f->values[i].from && number <= f->values[i].to;
    note(term, fits, found);
}

void filter_look_flag(unsigned term, bool is_set, struct filter_found *found)
{
    note(term, is_set, found);
}

static bool same_network(const struct filter_value *v, const uint8_t *address)
{
    const unsigned whole = v->address_bits / 8, rest = v->address_bits % 8;
    if (memcmp(v->address, address, whole) != 0)
        return false;
    return !rest || !((v->address[whole] ^ address[whole]) >> (8 - rest));
}

void filter_look_address(const struct filter *f, unsigned term, const uint8_t *address, bool is_v6,
                         struct filter_found *found)
{
    const struct filter_term *const t = &f->terms[term];
    bool fits = t->is_presence;
    for (unsigned i = t->first; i < (unsigned)t->first + t->count && !fits; i++)
        fits = f->values[i].is_address && f->values[i].is_v6 == is_v6
               && same_network(&f->values[i], address);
    note(term, fits, found);
}

static bool ends_word(char c)
{
    return c == ' ' || c == '\t' || c == '(' || c == ')' || c == '|' || c == '!' || c == '&';
}

size_t filter_unfinished(const char *text, size_t bytes, const struct field_def **field)
{
    size_t at = bytes;
    while (at > 0 && !ends_word(text[at - 1]))
        at--;
    *field = NULL;
    const size_t sign = at + strcspn(text + at, "=<>:~!");
    if (sign >= bytes)
        return at;
    *field = field_def_find(text + at, sign - at);
    size_t value = sign;
    while (value < bytes && strchr("=<>:~!", text[value]))
        value++;
    for (size_t i = value; i < bytes; i++)
        if (text[i] == ',')
            value = i + 1;
    return value;
}
