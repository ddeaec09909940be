/* What rows were in the intervals before: behind each row's measures, one struct trend per column
 * that shows it. Like the measures it is only touched when the row is: the running interval's
 * amount joins when that is over for the row. */
#include "src/aggregate/bins.h"
#include "src/table/getters.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_trend(const struct column *c)
{
    return c->get == get_trend || c->get == get_larger_trend;
}

void trends_place(struct table *t)
{
    t->trend_count = 0;
    for (size_t i = 0; i < t->pane->column_count; i++) {
        const struct column *const c = &t->pane->columns[i];
        if (!is_trend(c))
            continue;
        assert(t->trend_count < TRENDS_MAX);
        t->trends[t->trend_count++] =
            (struct trend_slot){.of = {t->column_measures[2 * i], t->column_measures[2 * i + 1]},
                                .is_larger = c->get == get_larger_trend};
    }
}

static struct trend *trends_of(const struct table *t, const struct table_row *r)
{
    return (struct trend *)(uintptr_t)((const char *)r + t->trends_at);
}

static double amount_of(const struct table *t, const struct table_row *r, int measure)
{
    if (measure < 0)
        return 0;
    const struct measure_slot *const s = &t->measures[measure];
    if (s->kind == MEASURE_HISTOGRAM)
        return (double)row_latencies(t, r, AGE_CURRENT)[s->index].count;
    const uint64_t *const state = &row_tallies(t, r, AGE_CURRENT)[s->index];
    struct fixed number;
    if (s->kind != MEASURE_NUMBERS)
        return s->aggregate == AGGREGATE_SUM ? (double)*state : 0;
    memcpy(&number, state, sizeof number);
    return fixed_real(number);
}

/* Of the running interval, as far as the trend has not got it. */
static double running(const struct table *t, const struct table_row *r, unsigned trend)
{
    const struct trend_slot *const s = &t->trends[trend];
    const double a = amount_of(t, r, s->of[0]), b = amount_of(t, r, s->of[1]);
    return !s->is_larger ? a + b : a > b ? a : b;
}

void trends_keep(const struct table *t, struct table_row *r)
{
    for (unsigned i = 0; i < t->trend_count; i++)
        trend_put(&trends_of(t, r)[i], r->interval, running(t, r, i));
}

/* `to` is at the table's interval. `from` may be at an older one: what runs there is over. */
void trends_add(const struct table *t, struct table_row *to, const struct table_row *from)
{
    if (!t->trend_count)
        return;
    aggregates[AGGREGATE_TREND].merge(trends_of(t, to), trends_of(t, from), t->trend_count);
    for (unsigned i = 0; i < t->trend_count && from->interval != t->interval; i++)
        trend_put(&trends_of(t, to)[i], from->interval, running(t, from, i));
}

static double amount_in(const struct table *t, const struct table_row *r, unsigned trend,
                        uint32_t interval)
{
    const double kept = trend_get(&trends_of(t, r)[trend], interval);
    return interval == r->interval ? kept + running(t, r, trend) : kept;
}

/* Which of the table's trends a column of its pane shows. Panes that are another but for more
 * columns have the same trends. */
static unsigned trend_number(const struct row_context *x, const struct column *c)
{
    unsigned number = 0;
    for (const struct column *before = x->table->pane->columns; before < c; before++)
        number += is_trend(before);
    return number;
}

/* A number as text: a whole one, as nearly all are, with all its digits; returns its length. All
 * rows of all frames come by here. */
static size_t write_amount(double amount, char *out, size_t room)
{
    enum { DIGITS = 20 };
    static const double most = 1e18;
    if (!(amount >= 0 && amount < most) || amount != floor(amount))
        return (size_t)snprintf(out, room, "%.15g", amount);
    char digits[DIGITS];
    size_t at = DIGITS;
    uint64_t left = (uint64_t)llrint(amount);
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    memcpy(out, digits + at, DIGITS - at);
    return DIGITS - at;
}

/* The row in the table that knows, and from which interval on. */
struct value get_trend(const struct column *c, const struct table_row *r, struct row_context *x)
{
    enum { DIGITS = 32 }; /* the longest number, and a blank */
    const struct table *const t = x->trends;
    const struct table_row *const of = !t || t == x->table ? r : table_find(t, r->key);
    const unsigned trend = trend_number(x, c);
    if (!t || !of || trend >= t->trend_count)
        return value_absent();
    const uint32_t shown = x->trend_end > TREND_SHOWN ? x->trend_end - TREND_SHOWN : 0;
    const uint32_t kept = t->interval >= TREND_KEPT ? t->interval - TREND_KEPT + 1 : 0;
    const uint32_t first = shown > kept ? shown : kept;
    char text[TREND_SHOWN * DIGITS];
    size_t used = 0;
    for (uint32_t i = first > x->trend_begin ? first : x->trend_begin; i < x->trend_end; i++) {
        if (used)
            text[used++] = ' ';
        used += write_amount(amount_in(t, of, trend, i), text + used, sizeof text - used);
    }
    return used ? texts_add(x->texts, VALUE_SERIES, text, used) : value_absent();
}

struct value get_larger_trend(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    return get_trend(c, r, x);
}

uint64_t trend_columns(const struct pane *p)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < p->column_count && i < 64; i++)
        if (is_trend(&p->columns[i]))
            columns |= 1ull << i;
    return columns;
}

double text_number(enum value_type type, const char *text, size_t bytes)
{
    char number[32];
    size_t from = bytes;
    if (type == VALUE_BINS)
        return bins_total(text, bytes);
    while (from > 0 && text[from - 1] != ' ')
        from--;
    snprintf(number, sizeof number, "%.*s", (int)(bytes - from < 31 ? bytes - from : 31),
             text + from);
    return strtod(number, NULL);
}
