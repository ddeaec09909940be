/* The filter language: one for tables, events, commands and files.
 *
 *   filter = or;  or = and { ("or" | "||") and };  and = alt { ["and" | "&&"] alt }
 *   alt    = not { "|" not };  not = ("!" | "not") not | primary
 *   primary = "(" or ")" | field op value { "," value } | text
 *   op     = "=" "!=" "<" "<=" ">" ">=" ":" "~" "!~"
 *
 * Text is looked for in names: word, "quoted words", 'whole, ^start, end$, /regex/.
 * Blank means and; the single bar binds tighter. A backslash is a character like any
 * other but in /regex/. What a field lacks fits nothing, != included.
 *
 * A filter is compiled once, for one pane, and then decides in two places: about rows
 * (text, columns, what the row's process is) and about facts (everything an event says);
 * see enum filter_level. Deciding allocates nothing: every term is one bit of a set. */
#ifndef SRC_FILTER_FILTER_H
#define SRC_FILTER_FILTER_H

#include "src/base/err.h"
#include "src/base/pattern.h"
#include "src/field/field.h"
#include "src/table/pane.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILTER_TERMS = 48, FILTER_VALUES = 96, FILTER_NODES = 160, FILTER_DEPTH = 24 };

/* One alternative of a term: a pattern or a stretch of numbers. */
struct filter_value {
    struct pattern *pattern; /* texts; NULL = numbers */
    uint64_t low, high;      /* both belong to it; low > high: nothing does */
    double from, to;         /* the same for rates and percent */
    uint8_t address[16];
    uint8_t address_bits;
    bool is_v6;
    bool is_address;
    bool is_real; /* numbers of any type: from and to count, low and high do not */
};

struct filter_term {
    const struct field_def *field; /* NULL: BY_COLUMN */
    uint8_t by, group, type;
    uint8_t column;      /* BY_COLUMN: of the pane */
    bool is_presence;    /* field=*: has a value at all */
    char *payload;       /* BY_PAYLOAD: the name of the field, NUL-terminated; else NULL */
    uint8_t first, count; /* values */
};

/* Its values are numbers, and texts as well that stand for them. */
static inline bool filter_has_names(const struct filter_term *t)
{
    return t->field && t->field->has_names;
}

enum filter_node_kind { NODE_TERM, NODE_AND, NODE_OR, NODE_NOT };

struct filter_node {
    uint8_t kind;
    uint8_t a, b; /* nodes; of NODE_TERM: a = the term */
};

/* Where a part of a filter is decided. Parts are what "and" puts together; all terms of one
 * part must be decided in the same place. */
enum filter_level { LEVEL_ROW, LEVEL_FACT, FILTER_LEVELS };

enum { FILTER_NONE = 0xff };

/* A filter for facts is a list of parts that must all match. They are tried cheapest first until
 * one does not. */
struct filter_part {
    uint64_t terms;
    uint8_t node;
    bool is_any, is_none;        /* matches where any term does, where none does; else see `node` */
    uint8_t looks[FACT_CLASSES]; /* at what of a fact: enum filter_look */
};

enum filter_look {
    LOOK_FACT = 1, LOOK_KIND = 2, LOOK_PROCESS = 4, LOOK_MOVING = 8, LOOK_THREAD = 16,
    LOOK_THING = 32, LOOK_STACK = 64, LOOK_CALLBACK = 128,
};

struct filter {
    const struct pane *pane; /* NULL: for records */
    unsigned term_count, value_count, node_count;
    struct filter_term terms[FILTER_TERMS];
    struct filter_value values[FILTER_VALUES];
    struct filter_node nodes[FILTER_NODES];
    uint8_t roots[FILTER_LEVELS];       /* FILTER_NONE: nothing to decide there */
    uint64_t used[FILTER_LEVELS];       /* bit per term */
    struct filter_part parts[FILTER_TERMS]; /* of LEVEL_FACT: what its root puts together */
    unsigned part_count;
    uint64_t of_group[FIELD_GROUPS];   /* bit per term */
    uint64_t of_class[FACT_CLASSES];    /* terms that facts of the class can have */
    uint64_t texts;                     /* terms that are BY_TEXT */
    uint64_t excluding;                 /* terms with != or !~ */
    uint64_t moving;                    /* terms whose cached_match on a row changes with time */
};

struct filter_error {
    size_t at;      /* byte of the text where it goes wrong */
    char text[256]; /* what was expected there */
};

/* The span that times refer to; both 0 = unknown. */
struct filter_span {
    int64_t first_ns, last_ns;
};

/* Compiles for a pane, or for records where `pane` is NULL; false with *error (both may be
 * NULL), and *f lets everything pass. filter_fini() it in any case. */
bool filter_init(struct filter *f, const char *text, const struct pane *pane,
                 const struct filter_span *span, struct filter_error *error);
void filter_fini(struct filter *f);

/* The error as one sentence about the text, for commands; returns false. */
bool filter_fail(struct err *err, const char *text, const struct filter_error *error);

/* Would it compile for the pane? False with a sentence. */
bool filter_check(const char *text, const struct pane *pane, struct err *err);

/* Times that all facts must have, where parts of the filter say so: those parts are taken out, and
 * who looks at facts of the span alone needs them no more. False: none say so. */
bool filter_take_span(struct filter *f, struct filter_span *span);

/* Is there anything to decide in that place? */
static inline bool filter_has(const struct filter *f, enum filter_level level)
{
    return f->roots[level] != FILTER_NONE;
}

/* What was found out about the terms, as bits: which had a value to look at, and which of
 * them fit one. A term with several values to look at fits when one does; an excluding one
 * holds when none does. */
struct filter_found {
    uint64_t has, fits;
};

static inline void filter_join(struct filter_found *to, struct filter_found more)
{
    to->has |= more.has;
    to->fits |= more.fits;
}

bool filter_decide(const struct filter *f, enum filter_level level, struct filter_found found);

/* The same of one part; found.has holds terms of it alone. */
bool filter_part_decide(const struct filter *f, const struct filter_part *p,
                        struct filter_found found);
static inline bool filter_part_holds(const struct filter *f, const struct filter_part *p,
                                     struct filter_found found)
{
    if (p->is_any || p->is_none)
        return p->is_any == ((found.has & (found.fits ^ f->excluding)) != 0);
    return filter_part_decide(f, p, found);
}

/* Look at one value for one term; texts for all terms of `which`. A NULL text is none. */
void filter_look_text(const struct filter *f, uint64_t which, const char *text, size_t bytes,
                      struct filter_found *found);
void filter_look_number(const struct filter *f, unsigned term, uint64_t number,
                        struct filter_found *found);
/* A mask: one of the bits asked for is enough. */
void filter_look_bits(const struct filter *f, unsigned term, uint64_t bits,
                      struct filter_found *found);
void filter_look_real(const struct filter *f, unsigned term, double number,
                      struct filter_found *found);
void filter_look_address(const struct filter *f, unsigned term, const uint8_t *address, bool is_v6,
                         struct filter_found *found);
void filter_look_flag(unsigned term, bool is_set, struct filter_found *found);

/* The lowest of some terms, which is then no longer among them: `while (filter_next(&left, &i))`. */
static inline bool filter_next(uint64_t *left, unsigned *i)
{
    if (!*left)
        return false;
    *i = (unsigned)__builtin_ctzll(*left);
    *left &= *left - 1;
    return true;
}

/* Would the whole text be read as the name of a field: letters, digits, points …? */
bool filter_reads_name(const char *text);

/* The part of a text (ended by `bytes`) that is being typed as a field or a value, for
 * completion: where it begins, and the field where it is a value (else NULL). */
size_t filter_unfinished(const char *text, size_t bytes, const struct field_def **field);

#endif
