/* Words of queries, for completion. */
#include "src/pane/query_pane.h"
#include "src/pane/user_view_inside.h"

#include <string.h>

/* The words of the language behind a whole key, aggregate, filter or order. */
enum { WORDS = 5 };
static const char *const words[QUERY_TOP + 1][WORDS] = {
    [QUERY_BEHIND_KEY] = {"|", "where", "sort", "top"}, [QUERY_FIELD] = {"where", "sort", "top"},
    [QUERY_BEHIND_FIELD] = {"where", "sort", "top"},    [QUERY_WHERE] = {"sort", "top"},
    [QUERY_BEHIND_SORT] = {"asc", "desc", "top"},
};

/* The i-th key; with an aggregate, the i-th field that it can take. */
static const char *key(const struct user_view_aggregate *of, unsigned i)
{
    for (const struct field_def *f = field_defs; f->id; f++)
        if (f->cell && (!of || user_view_counts(of, f)) && i-- == 0)
            return f->id;
    return of ? NULL : field_function_usage(i);
}

/* Percentiles stand in the table once. */
static const char *aggregate(unsigned i)
{
    static const char *const shares[] = {"p50", "p90", "p99", "p999", NULL};
    for (unsigned k = 0; k < user_view_aggregate_count; k++) {
        const char *const id = user_view_aggregates[k].id;
        const bool is_share = strcmp(id, "pNN") == 0;
        if (!is_share && i-- == 0)
            return strcmp(id, "lquantize") == 0 ? "lquantize(" : id;
        for (unsigned s = 0; is_share && shares[s]; s++)
            if (i-- == 0)
                return shares[s];
    }
    return NULL;
}

/* What an aggregate can be of. */
static const char *field(const char *of, unsigned i)
{
    struct user_view_column c = {.field = NULL};
    if (!user_view_aggregate_set(&c, of, "aggregate", NULL) && !c.agg)
        return NULL;
    for (unsigned k = 0; k < AMOUNTS; k++)
        if (k != AMOUNT_EVENTS && user_view_amounts[k] && user_view_form(c.agg, k)->get && i-- == 0)
            return user_view_amounts[k];
    return c.agg->of_id.get ? key(c.agg, i) : NULL;
}

const char *query_pane_word(const struct query_end *end, unsigned i)
{
    unsigned count = 0;
    while (words[end->part][count])
        count++;
    return end->part == QUERY_KEY         ? key(NULL, i)
           : end->part == QUERY_AGGREGATE ? aggregate(i)
           : i < count                    ? words[end->part][i]
           : end->part == QUERY_FIELD     ? field(end->before, i - count)
                                          : NULL;
}
