/* A query: which events, by which keys, which aggregates, in which order. As people type it:
 *
 *     by KEY, … | AGGREGATE [FIELD], … [where FILTER] [sort AGGREGATE [FIELD] [asc|desc]] [top N]
 *
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

#include <stdint.h>

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

/* False with a sentence that tells where the text is wrong. */
bool query_parse(struct query *q, const char *text, struct err *err);

/* Writes the canonical text, QUERY_TEXT bytes at most: parsed again it is the same query. */
void query_print(const struct query *q, char *out);

#endif
