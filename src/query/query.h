/* A query: keys, aggregates, filter and order, as people type them (QUERY_GRAMMAR below):
 * "by proc, path | count, sum size, p99 lat where op=read sort p99 top 50". Without the part behind
 * the bar, events are counted. Blanks and line ends separate words; quotes and brackets keep theirs
 * together. Keys may have arguments, as in dir(path, 2), and so may aggregates: lquantize(0, 100,
 * 10).
 *
 * Parsing knows the form alone. Which keys, fields and aggregates there are is found out when the
 * query is bound (src/pane/query_pane.h). */
#ifndef SRC_QUERY_QUERY_H
#define SRC_QUERY_QUERY_H

#include "src/base/err.h"

#include <stddef.h>
#include <stdint.h>

#define QUERY_GRAMMAR                                                                              \
    "by KEY, … | AGGREGATE [FIELD], … [where FILTER] [sort AGGREGATE [FIELD] [asc|desc]] [top N]"

enum {
    QUERY_KEYS = 4,
    QUERY_AGGREGATES = 16,
    QUERY_WORD = 128,   /* room for a key or a field, with its arguments */
    QUERY_FILTER = 512, /* room for the filter */
    QUERY_TEXT = 4096,  /* room for any query's canonical text */
};

struct query_aggregate {
    char name[QUERY_WORD];  /* "p99", "lquantize(0, 100, 10)" */
    char field[QUERY_WORD]; /* "" where none was given: count */
};

struct query {
    char keys[QUERY_KEYS][QUERY_WORD];
    unsigned key_count;
    struct query_aggregate aggregates[QUERY_AGGREGATES];
    unsigned aggregate_count;  /* at least 1 */
    char where[QUERY_FILTER];  /* "" lets all events through */
    char sort[2 * QUERY_WORD]; /* an aggregate's name, its name and field, or a key; "": the first
                                  aggregate */
    bool is_ascending, has_order; /* has_order: `asc` or `desc` was given */
    uint64_t top;                 /* rows; 0 = all */
};

/* Does the text begin like a query, so that it is none of the filters? */
bool query_is_one(const char *text);

/* False with an error that says where the text is wrong. */
bool query_parse(struct query *q, const char *text, struct err *err);

/* What stands at the end of a text that is being typed: a key, …, one of the words that go on
 * behind a whole one. */
enum query_part {
    QUERY_KEY,
    QUERY_BEHIND_KEY,
    QUERY_AGGREGATE,
    QUERY_FIELD, /* of the aggregate before it, or a word that goes on */
    QUERY_BEHIND_FIELD,
    QUERY_WHERE, /* in the filter */
    QUERY_SORT,
    QUERY_BEHIND_SORT,
    QUERY_TOP,
};

struct query_end {
    enum query_part part;
    size_t at;               /* where the word begins that is being typed */
    char before[QUERY_WORD]; /* the word before it, in the same item; or "" */
};

/* False where the text is no query. */
bool query_unfinished(const char *text, struct query_end *out);

/* Writes the canonical text, QUERY_TEXT bytes at most: parsed again it is the same query. */
void query_print(const struct query *q, char *out);

#endif
