/* What rows were in the intervals before: a ring of floats behind each row's measures, at
 * the interval's number modulo its length. Like the measures it is only touched when the row is: the
 * running interval's amount joins when that is over for the row, and intervals in which nothing
 * happened are filled in then. */
#include "src/aggregate/bins.h"
#include "src/table/getters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float *ring_of(const struct table *t, const struct table_row *r)
{
    return (float *)(uintptr_t)((const char *)r + t->trend_at);
}

static double amount_of(const struct table *t, const struct table_row *r, int measure)
{
    if (measure < 0)
        return 0;
    const struct measure_slot *const s = &t->measures[measure];
    if (s->kind == MEASURE_HISTOGRAM)
        return (double)row_latencies(t, r, AGE_CURRENT)[s->index].count;
    return s->kind == MEASURE_MOST ? 0 : (double)row_tallies(t, r, AGE_CURRENT)[s->index];
}

/* Of the running interval, as far as the ring has not got it. */
static float running(const struct table *t, const struct table_row *r)
{
    const double a = amount_of(t, r, t->trend_of[0]), b = amount_of(t, r, t->trend_of[1]);
    return (float)(!t->trend_is_larger ? a + b : a > b ? a : b);
}

void trend_keep(const struct table *t, struct table_row *r)
{
    if (t->trend_at)
        ring_of(t, r)[r->interval % TREND_KEPT] += running(t, r);
}

void trend_pass(const struct table *t, struct table_row *r, uint32_t to)
{
    const uint32_t passed = to - r->interval;
    for (uint32_t i = 1; t->trend_at && i <= passed && i <= TREND_KEPT; i++)
        ring_of(t, r)[(to - i + 1) % TREND_KEPT] = 0;
}

static float trend_of(const struct table *t, const struct table_row *r, uint32_t interval)
{
    if (interval > r->interval || r->interval - interval >= TREND_KEPT)
        return 0;
    const float kept = ring_of(t, r)[interval % TREND_KEPT];
    return interval == r->interval ? kept + running(t, r) : kept;
}

/* `to` is at the table's interval. `from` may be at an older one: its values are added to the
 * intervals that they belong to, and since then it has none. */
void trend_add(const struct table *t, struct table_row *to, const struct table_row *from)
{
    if (!t->trend_at)
        return;
    const uint32_t behind = t->interval - from->interval;
    float *const sums = ring_of(t, to);
    const float *const kept = ring_of(t, from);
    for (uint32_t i = 0; behind == 0 && i < TREND_KEPT; i++)
        sums[i] += kept[i];
    for (uint32_t i = behind; behind > 0 && i < TREND_KEPT; i++)
        sums[(t->interval - i) % TREND_KEPT] += kept[(t->interval - i) % TREND_KEPT];
    if (behind > 0 && behind < TREND_KEPT)
        sums[from->interval % TREND_KEPT] += running(t, from);
}

/* A whole number as text, as "%.0f" has it; returns its length. All rows of all frames come by
 * here. */
static size_t write_amount(double amount, char *out, size_t room)
{
    enum { DIGITS = 20 };
    static const double most = 1e18;
    if (!(amount >= 0 && amount < most))
        return (size_t)snprintf(out, room, "%.0f", amount);
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
    enum { DIGITS = 48 }; /* a float's longest, and a blank */
    (void)c;
    const struct table *const t = x->trends;
    const struct table_row *const of = !t || t == x->table ? r : table_find(t, r->key);
    if (!t || !of || !t->trend_at)
        return value_absent();
    const uint32_t shown = x->trend_end > TREND_SHOWN ? x->trend_end - TREND_SHOWN : 0;
    const uint32_t kept = t->interval >= TREND_KEPT ? t->interval - TREND_KEPT + 1 : 0;
    char text[TREND_SHOWN * DIGITS];
    size_t used = 0;
    for (uint32_t i = shown > kept ? shown : kept; i < x->trend_end; i++) {
        if (used)
            text[used++] = ' ';
        used += write_amount((double)trend_of(t, of, i), text + used, sizeof text - used);
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
        if (p->columns[i].get == get_trend || p->columns[i].get == get_larger_trend)
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
