/* Inside the parser of filters: its state, and how it reads terms. What returns a node returns 0
 * where p->failed. */
#ifndef SRC_FILTER_PARSER_H
#define SRC_FILTER_PARSER_H

#include "src/filter/parse.h"

#include <string.h>

struct parser {
    const char *text, *at;
    struct filter *f;
    const struct filter_span *span;
    struct filter_error *error;
    unsigned depth;
    bool failed;
};

/* Only the first complaint counts: what follows from it says nothing new. */
#define WRONG(p, where, ...)                                                                       \
    ((p)->failed ? false                                                                           \
                 : ((p)->failed = true,                                                            \
                    filter_wrong((p)->error, (size_t)((where) - (p)->text), __VA_ARGS__)))

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline void skip_blanks(struct parser *p)
{
    while (is_blank(*p->at))
        p->at++;
}

/* Does a word of letters stand here, ended by something that ends words? */
static inline bool is_keyword(const char *at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(at, word, length) != 0)
        return false;
    return !at[length] || is_blank(at[length]) || at[length] == '(' || at[length] == ')';
}

/* Some panes have a column TIME: `time=A..B` is when events were there as well as everywhere. */
bool filter_find_field(const struct pane *pane, const char *id, size_t bytes, enum filter_op op,
                       struct filter_term *t);
/* The operator at `at`, the longest that fits; its length, 0 = none. */
size_t filter_op_at(const char *at, enum filter_op *op);
uint8_t filter_parse_comparison(struct parser *p, const char *id, size_t bytes, size_t op_bytes,
                                enum filter_op op);
/* A field with & behind it, such as keyword&0x8, asks for bits: keyword alone has them. */
bool filter_asks_for_bits(const struct parser *p, const char *id, const char *end);
uint8_t filter_parse_bits(struct parser *p, const char *id, size_t bytes);
/* 'whole, ^start and end$ are for plain words: quotes and slashes mean what they hold. */
uint8_t filter_parse_text(struct parser *p);
uint8_t filter_add_node(struct parser *p, enum filter_node_kind kind, uint8_t a, uint8_t b);

#endif
