/* What the columns of user views show, and the aggregates that one can name. */
#include "src/pane/user_view_cells.h"

#include "src/table/dictionary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts of payloads ------------------------------------------------------------------------- */

static bool is_decimal(const char *text)
{
    enum { MOST_DIGITS = 19 };
    const size_t digits = strspn(text, "0123456789");
    return digits && digits <= MOST_DIGITS && !text[digits] && (text[0] != '0' || digits == 1);
}

static struct value value_of_text(struct row_context *x, uint32_t id)
{
    const char *const text = id == ROW_OTHERS ? "(others)"
                             : x->dictionary  ? dictionary_text(x->dictionary, id)
                                              : NULL;
    if (text && is_decimal(text))
        return value_number(VALUE_ID, strtoull(text, NULL, 10));
    return value_text(x, VALUE_TEXT, text ? text : "(forgotten)");
}

/* ---- cells ----------------------------------------------------------------------------------- */

static const struct user_view_column *spec_of(const struct column *c, const struct row_context *x)
{
    const struct user_view *const d = x->table->pane->user_view;
    return &d->specs[c - d->columns];
}

/* What an id stands for; the text of a payload field may be a number. */
static struct value value_of_id(const struct user_view_column *s, struct row_context *x,
                                uint32_t id)
{
    return s->of_payload ? value_of_text(x, id) : field_cell_value(s->field, x, id);
}

uint32_t user_view_key_part(struct row_key key, unsigned part)
{
    const uint32_t parts[] = {key.a, key.b, key.c, key.d};
    return parts[part];
}

struct value user_view_key_cell(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct user_view_column *const s = spec_of(c, x);
    return value_of_id(s, x, user_view_key_part(r->key, s->part));
}

static struct value get_most(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const uint32_t id = row_most(x, r, column_measure(x, c, 0));
    return id ? value_of_id(spec_of(c, x), x, id) : value_absent();
}

static struct value get_id_at_time(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const uint32_t id = (uint32_t)row_tally(x, r, column_measure(x, c, 0));
    return id ? value_of_id(spec_of(c, x), x, id) : value_absent();
}

static struct value get_distinct(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    struct value v = value_number(VALUE_COUNT, row_tally(x, r, column_measure(x, c, 0)));
    v.is_estimated = v.count > DISTINCT_LISTED;
    return v;
}

static struct value value_of_amount(const struct column *c, uint64_t amount)
{
    if (c->type == VALUE_TIME)
        return (struct value){.type = VALUE_TIME, .ns = (int64_t)(amount & INT64_MAX)};
    return value_number((enum value_type)c->type, amount);
}

/* The sum as an amount, not per second. */
struct value user_view_sum_cell(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    return value_of_amount(c, row_tally(x, r, column_measure(x, c, 0)));
}

/* Time on processors: from context switches, else from samples. */
struct value user_view_run_cell(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const int measure = column_measure(x, c, x->has_switches ? 0 : 1);
    struct value v = value_of_amount(c, row_tally(x, r, measure));
    v.is_estimated = !x->has_switches;
    return x->has_switches || row_tally(x, x->table->all, measure) ? v : value_absent();
}

struct value user_view_run_rate_cell(const struct column *c, const struct table_row *r,
                                     struct row_context *x)
{
    const int measure = column_measure(x, c, x->has_switches ? 0 : 1);
    const double seconds = column_seconds(x, c);
    struct value v = value_rate(VALUE_TIME_RATE, (double)row_tally(x, r, measure) / seconds);
    v.is_estimated = !x->has_switches;
    return seconds > 0 ? v : value_absent();
}

/* The largest is kept as the one above it: 0 is none. */
static struct value get_largest(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const uint64_t found = row_tally(x, r, column_measure(x, c, 0));
    return found ? value_of_amount(c, found - 1) : value_absent();
}

/* The least is kept as the largest complement. */
static struct value get_least(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    const uint64_t found = row_tally(x, r, column_measure(x, c, 0));
    return found ? value_of_amount(c, ~found) : value_absent();
}

/* The value of the first or last event, which may be 0. */
static struct value get_at_time(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    uint64_t state[AGGREGATE_WORDS];
    row_state(x, r, column_measure(x, c, 0), state);
    return state[0] ? value_of_amount(c, state[1]) : value_absent();
}

static struct value get_deviation(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    uint64_t state[AGGREGATE_WORDS];
    row_state(x, r, column_measure(x, c, 0), state);
    struct moments m;
    memcpy(&m, state, sizeof m);
    if (!m.count)
        return value_absent();
    const double found = moments_deviation(&m);
    return c->type == VALUE_REAL ? value_rate(VALUE_REAL, found)
                                 : value_of_amount(c, (uint64_t)(found + 0.5));
}

static struct value get_mean(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const uint64_t count = row_tally(x, r, column_measure(x, c, 1));
    return count ? value_of_amount(c, row_tally(x, r, column_measure(x, c, 0)) / count)
                 : value_absent();
}

/* ---- numbers of payloads ---------------------------------------------------------------------- */

/* Whole ones are counts; below zero they have a sign. */
static struct value value_of_number(struct fixed number)
{
    bool is_negative;
    uint64_t size;
    if (!fixed_is_whole(number, &is_negative, &size) || (is_negative && size > INT64_MAX))
        return value_rate(VALUE_REAL, fixed_real(number));
    struct value v = value_number(VALUE_COUNT, is_negative ? -size : size);
    v.is_difference = is_negative;
    return v;
}

static struct value get_field_sum(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    return value_of_number(row_fixed(x, r, column_measure(x, c, 0)));
}

static struct value get_field_rate(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const double seconds = column_seconds(x, c);
    const double sum = fixed_real(row_fixed(x, r, column_measure(x, c, 0)));
    return seconds > 0 ? value_rate(VALUE_RATE, sum / seconds) : value_absent();
}

static struct value get_field_mean(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const uint64_t count = row_tally(x, r, column_measure(x, c, 1));
    const double sum = fixed_real(row_fixed(x, r, column_measure(x, c, 0)));
    return count ? value_rate(VALUE_REAL, sum / (double)count) : value_absent();
}

static bool has_rank(struct fixed rank)
{
    return rank.words[0] || rank.words[1] || rank.words[2];
}

static struct value get_field_largest(const struct column *c, const struct table_row *r,
                                      struct row_context *x)
{
    const struct fixed rank = row_fixed(x, r, column_measure(x, c, 0));
    return has_rank(rank) ? value_of_number(number_rank(rank)) : value_absent();
}

struct value user_view_field_least_cell(const struct column *c, const struct table_row *r,
                                        struct row_context *x)
{
    const struct fixed rank = row_fixed(x, r, column_measure(x, c, 0));
    return has_rank(rank) ? value_of_number(fixed_minus(number_rank(rank))) : value_absent();
}

/* ---- histograms -------------------------------------------------------------------------------- */

/* The value that `share` of the counted do not exceed. Never more than the largest that was met. */
static struct value get_percentile(const struct column *c, const struct table_row *r,
                                   struct row_context *x)
{
    const struct latency_over l = row_latency(x, r, column_measure(x, c, 0));
    const uint64_t found =
        histograms_percentile(l.histograms, l.histogram_count, spec_of(c, x)->share);
    return l.count ? value_of_amount(c, found < l.max ? found : l.max) : value_absent();
}

/* Likewise of numbers of payloads, which are below zero as well: those lie in a histogram of their
 * amounts, and the least is the largest there. */
static struct value get_field_percentile(const struct column *c, const struct table_row *r,
                                         struct row_context *x)
{
    struct fixed number;
    const struct latency_over over = row_latency(x, r, column_measure(x, c, 0)),
                              below = row_latency(x, r, column_measure(x, c, 1));
    const double wanted = spec_of(c, x)->share * (double)(over.count + below.count);
    const bool is_below = below.count && wanted <= (double)below.count;
    const struct latency_over *const of = is_below ? &below : &over;
    const double ahead =
        is_below ? (double)below.count - ceil(wanted) + 1 : wanted - (double)below.count;
    if (!of->count)
        return value_absent();
    const double share = ahead < (double)of->count ? ahead / (double)of->count : 1,
                 found = histograms_percentile_real(of->histograms, of->histogram_count, share),
                 most = latency_max_real(of->max), amount = found < most ? found : most;
    return fixed_of_real(is_below ? -amount : amount, &number) ? value_of_number(number)
                                                               : value_absent();
}

static struct value get_bins(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const struct user_view_column *const s = spec_of(c, x);
    const struct latency_over over = row_latency(x, r, column_measure(x, c, 0)),
                              below = row_latency(x, r, column_measure(x, c, 1));
    const struct bins bins = {.linear = s->linear.step ? &s->linear : NULL,
                              .is_real = s->of_payload,
                              .of = over.histograms,
                              .of_count = over.histogram_count,
                              .below = below.histograms,
                              .below_count = below.histogram_count};
    char text[BINS_TEXT];
    const size_t bytes = bins_print(&bins, text);
    return bytes ? texts_add(x->texts, VALUE_BINS, text, bytes) : value_absent();
}

uint64_t user_view_size_of(const struct fact *f)
{
    return f->value;
}

static uint64_t size_left(const struct fact *f)
{
    return ~f->value;
}

static uint64_t size_above(const struct fact *f)
{
    return f->value + (f->value < UINT64_MAX);
}

uint64_t user_view_latency_of(const struct fact *f)
{
    return f->latency;
}

static uint64_t latency_left(const struct fact *f)
{
    return ~f->latency;
}

static uint64_t latency_above(const struct fact *f)
{
    return f->latency + (f->latency < UINT64_MAX);
}

/* ---- aggregates ------------------------------------------------------------------------------ */

/* clang-format off */
#define NOT {.kind = 0}
#define FORM(...) {__VA_ARGS__}
#define SIZES(kind, get) FORM(kind, 0, NULL, get, VALUE_BYTES, COLUMN_RIGHT, 8, "bytes", " B")
#define TIMES(kind, get) FORM(kind, 0, NULL, get, VALUE_TIME, COLUMN_RIGHT, 7, "ns", "")
#define NUMBERS(kind, second, get) FORM(kind, second, NULL, get, VALUE_REAL, COLUMN_RIGHT, 8, "", "")
#define BINS(second, unit) \
    FORM(MEASURE_HISTOGRAM, second, NULL, get_bins, VALUE_BINS, COLUMN_RIGHT, TREND_SHOWN, unit, "")
#define SERIES(kind, unit) \
    FORM(kind, 0, NULL, get_trend, VALUE_SERIES, COLUMN_RIGHT, TREND_SHOWN, unit, "")
#define IDS(kind, get) FORM(kind, 0, NULL, get, 0, 0, 0, "", "")

/* id, {events, size, lat, a number of the payload}, what is no amount */
const struct user_view_aggregate user_view_aggregates[] = {
    {"sum",
     {NOT,
      FORM(MEASURE_BYTES, 0, NULL, user_view_sum_cell, VALUE_BYTES, SUM, 8, "bytes", " B"),
      FORM(MEASURE_LATENCY, 0, NULL, user_view_sum_cell, VALUE_TIME, SUM, 8, "ns", ""),
      FORM(MEASURE_NUMBERS, 0, NULL, get_field_sum, VALUE_REAL, SUM, 8, "", "")},
     NOT},
    {"rate",
     {FORM(MEASURE_COUNT, 0, NULL, get_rate, VALUE_RATE, SUM, 7, "per_s", "/S"),
      FORM(MEASURE_BYTES, 0, NULL, get_rate, VALUE_BYTE_RATE, SUM, 9, "bytes_per_s", " B/s"),
      FORM(MEASURE_LATENCY, 0, NULL, get_rate, VALUE_TIME_RATE, SUM, 9, "ns_per_s", " ms/s"),
      FORM(MEASURE_NUMBERS, 0, NULL, get_field_rate, VALUE_RATE, SUM, 8, "per_s", "/S")},
     NOT},
    {"avg",
     {NOT,
      FORM(MEASURE_BYTES, SECOND_COUNT, NULL, get_mean, VALUE_BYTES, COLUMN_RIGHT, 8, "bytes", " B"),
      FORM(MEASURE_LATENCY, SECOND_COUNT, NULL, get_mean, VALUE_TIME, COLUMN_RIGHT, 7, "ns", ""),
      FORM(MEASURE_NUMBERS, SECOND_COUNT, NULL, get_field_mean, VALUE_REAL, COLUMN_RIGHT, 8, "", "")},
     NOT},
    {"stddev",
     {NOT, SIZES(MEASURE_MOMENTS, get_deviation), TIMES(MEASURE_MOMENTS, get_deviation),
      FORM(MEASURE_MOMENTS, 0, NULL, get_deviation, VALUE_REAL, COLUMN_RIGHT, 8, "", "")},
     NOT},
    {"min",
     {NOT,
      FORM(MEASURE_LARGE, 0, size_left, get_least, VALUE_BYTES, COLUMN_RIGHT, 8, "bytes", " B"),
      FORM(MEASURE_LARGE, 0, latency_left, get_least, VALUE_TIME, COLUMN_RIGHT, 7, "ns", ""),
      NUMBERS(MEASURE_LARGEST_NUMBER, 0, user_view_field_least_cell)},
     NOT},
    {"max",
     {NOT,
      FORM(MEASURE_LARGE, 0, size_above, get_largest, VALUE_BYTES, COLUMN_RIGHT, 8, "bytes", " B"),
      FORM(MEASURE_LARGE, 0, latency_above, get_largest, VALUE_TIME, COLUMN_RIGHT, 7, "ns", ""),
      NUMBERS(MEASURE_LARGEST_NUMBER, 0, get_field_largest)},
     NOT},
    {"pNN",
     {NOT, SIZES(MEASURE_HISTOGRAM, get_percentile), TIMES(MEASURE_HISTOGRAM, get_percentile),
      NUMBERS(MEASURE_HISTOGRAM, SECOND_BELOW, get_field_percentile)},
     NOT},
    {"quantize",
     {NOT, BINS(0, "bytes"), BINS(0, "ns"), BINS(SECOND_BELOW, "")},
     NOT},
    {"lquantize",
     {NOT, BINS(0, "bytes"), BINS(0, "ns"), BINS(0, "")},
     NOT},
    {"count",
     {FORM(MEASURE_COUNT, 0, NULL, get_count, VALUE_COUNT, SUM, 8, "", ""),
      NOT,
      NOT,
      FORM(MEASURE_COUNT, 0, NULL, get_count, VALUE_COUNT, SUM, 8, "", "")},
     NOT},
    {"trend",
     {SERIES(MEASURE_COUNT, "per_interval"),
      SERIES(MEASURE_BYTES, "bytes_per_interval"),
      SERIES(MEASURE_LATENCY, "ns_per_interval"),
      SERIES(MEASURE_NUMBERS, "per_interval")},
     NOT},
    {"first",
     {NOT, SIZES(MEASURE_FIRST, get_at_time), TIMES(MEASURE_FIRST, get_at_time), NOT},
     IDS(MEASURE_FIRST, get_id_at_time)},
    {"last",
     {NOT, SIZES(MEASURE_LAST, get_at_time), TIMES(MEASURE_LAST, get_at_time), NOT},
     IDS(MEASURE_LAST, get_id_at_time)},
    {"most", {NOT, NOT, NOT, NOT}, IDS(MEASURE_MOST, get_most)},
    {"distinct",
     {NOT, NOT, NOT, NOT},
     FORM(MEASURE_DISTINCT, 0, NULL, get_distinct, VALUE_COUNT, COLUMN_RIGHT, 7, "", "")},
};
/* clang-format on */
const unsigned user_view_aggregate_count =
    sizeof user_view_aggregates / sizeof *user_view_aggregates;

const char *const user_view_amounts[AMOUNTS] = {[AMOUNT_EVENTS] = "events",
                                                [AMOUNT_SIZE] = "size",
                                                [AMOUNT_LATENCY] = "lat",
                                                [AMOUNT_RUN] = "run"};
