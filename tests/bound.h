/* Queries as one types them, bound to panes. */
#ifndef TESTS_BOUND_H
#define TESTS_BOUND_H

#include "tests/test.h"

#include "src/pane/query_pane.h"

/* The pane of a query that must be right. */
static inline const struct pane *bound(const char *text)
{
    struct query q;
    struct err err = {""};
    if (!query_parse(&q, text, &err))
        fail_msg("%s", err.text);
    const struct pane *const p = query_pane_new(&q, &err);
    if (!p)
        fail_msg("\"%s\": %s", text, err.text);
    return p;
}

#endif
