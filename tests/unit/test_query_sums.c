/* What queries count: split anywhere and merged in any order it is that of one pass; beyond the
 * bounds of a table it is in "(others)", and sums stay exact; memory has a bound whatever is asked.
 */
#include "tests/bound.h"
#include "tests/sanitizer.h"

#include "src/model/model.h"
#include "src/pane/query_pane.h"
#include "src/table/getters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTS = IS_SANITIZED ? 4000 : 20000, PARTS = 7 };

static uint32_t roll(uint32_t *prng)
{
    *prng = *prng * 1664525 + 1013904223;
    return *prng >> 8;
}

static struct fact random_fact(uint32_t *prng)
{
    const bool has_latency = roll(prng) % 4 > 0;
    return (struct fact){.time = (int64_t)(roll(prng) % 5000) * 1000000,
                         .class = FACT_DISK,
                         .op = roll(prng) % 2 ? OP_READ : OP_WRITE,
                         .place = roll(prng) % 3,
                         .cpu = (uint16_t)(roll(prng) % 4),
                         .entity = roll(prng) % 300 + 1,
                         .thread = roll(prng) % 5 + 1,
                         .value = (uint64_t)roll(prng) << roll(prng) % 20,
                         .latency = has_latency ? (uint64_t)roll(prng) << roll(prng) % 12 : 0,
                         .flags = has_latency ? FACT_HAS_LATENCY : 0};
}

static void assert_same_cell(const struct column *c, struct value a, struct value b,
                             const struct value_texts *texts)
{
    bool is_same = a.type == b.type && a.is_estimated == b.is_estimated;
    if (is_same && (a.type == VALUE_BINS || a.type == VALUE_TEXT || a.type == VALUE_SERIES))
        is_same =
            a.text.bytes == b.text.bytes &&
            memcmp(texts->bytes + a.text.offset, texts->bytes + b.text.offset, a.text.bytes) == 0;
    else
        is_same &= a.count == b.count;
    if (!is_same)
        fail_msg("%s differs: %llu, %llu", c->id, (unsigned long long)a.count,
                 (unsigned long long)b.count);
}

/* Every column of the row, and of the row that its parts make. */
static void assert_same_row(const struct table *t, const struct table_row *a,
                            const struct table_row *b, struct model *m)
{
    struct value_texts texts = {0};
    struct row_context x = {
        .table = t, .model = m, .texts = &texts, .span = SPAN_TOTAL, .seconds = 1};
    for (size_t i = 0; i < t->pane->column_count; i++) {
        const struct column *const c = &t->pane->columns[i];
        assert_same_cell(c, c->get(c, a, &x), c->get(c, b, &x), &texts);
    }
    free(texts.bytes);
}

static const char every_aggregate[] =
    "by op, disk, cpu, bucket(size) | count, sum size, rate, avg lat, stddev size, stddev lat, min "
    "lat, max size, p50 lat, p999 size, quantize lat, lquantize(0,1M,50K) size, first lat, last "
    "size, distinct path, most tid";

/* Facts go to any of the tables, in any order, and the tables' intervals pass as they like. */
static void split_and_merged_in_any_order(void **state)
{
    const struct pane *const q = bound(every_aggregate);
    static struct fact facts[FACTS];
    struct table whole, parts[PARTS];
    struct model m;
    uint32_t prng = 11;
    (void)state;
    model_init(&m);
    for (unsigned run = 0; run < 4; run++) {
        table_init(&whole, q);
        for (unsigned i = 0; i < PARTS; i++)
            table_init(&parts[i], q);
        for (unsigned i = 0; i < FACTS; i++) {
            facts[i] = random_fact(&prng);
            facts[i].thread = facts[i].cpu + 1u; /* one a row: the heaviest is certain */
            table_feed(&whole, &facts[i], 0);
        }
        for (unsigned i = FACTS; i > 0; i--) {
            const unsigned at = roll(&prng) % i;
            struct table *const t = &parts[roll(&prng) % PARTS];
            table_feed(t, &facts[at], 0);
            if (roll(&prng) % 500 == 0)
                table_step(t, 1 + roll(&prng) % 2, INT64_MIN);
            facts[at] = facts[i - 1];
        }
        assert_in_range(whole.row_count, 100, TABLE_ROWS);
        for (unsigned i = 0; i < PARTS; i++)
            table_step(&parts[i], 100 - parts[i].interval, INT64_MIN);
        table_step(&whole, 100, INT64_MIN);
        for (uint32_t r = 0; r < whole.row_count; r++) {
            struct table_row *const sum = row_new(&whole, whole.rows[r]->key);
            const unsigned first = roll(&prng) % PARTS;
            for (unsigned i = 0; i < PARTS; i++) {
                const struct table *const t = &parts[(first + i * 3) % PARTS];
                const struct table_row *const part = table_find(t, sum->key);
                if (part)
                    row_add(&whole, sum, part);
            }
            assert_same_row(&whole, whole.rows[r], sum, &m);
            row_drop(&whole, sum);
        }
        table_fini(&whole);
        for (unsigned i = 0; i < PARTS; i++)
            table_fini(&parts[i]);
    }
    model_fini(&m);
    query_pane_free(q);
}

/* Facts of one interval after the other, each to one of the tables; a part that has had none for a
 * while is behind. */
static void trends_split_and_merged_in_any_order(void **state)
{
    enum { STEPS = 45, FACTS_A_STEP = 60 };
    const struct pane *const q = bound("by op | trend, trend size, trend lat");
    struct table whole, parts[PARTS];
    struct model m;
    struct value_texts texts = {0};
    uint32_t prng = 5;
    (void)state;
    model_init(&m);
    table_init(&whole, q);
    for (unsigned i = 0; i < PARTS; i++)
        table_init(&parts[i], q);
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned n = 0; n < FACTS_A_STEP; n++) {
            const struct fact f = random_fact(&prng);
            table_feed(&whole, &f, 0);
            table_feed(&parts[step % 9 ? roll(&prng) % PARTS : 0], &f, 0);
        }
        table_step(&whole, 1, INT64_MIN);
        for (unsigned i = 0; i < PARTS; i++)
            table_step(&parts[i], 1, INT64_MIN);
    }
    struct row_context x = {.table = &whole,
                            .trends = &whole,
                            .trend_end = STEPS,
                            .model = &m,
                            .texts = &texts,
                            .span = SPAN_TOTAL,
                            .seconds = 1};
    for (uint32_t r = 0; r < whole.row_count; r++) {
        struct table_row *const sum = row_new(&whole, whole.rows[r]->key);
        for (unsigned i = 0; i < PARTS; i++)
            row_add(&whole, sum, table_find(&parts[(i * 3 + r) % PARTS], sum->key));
        for (size_t c = 0; c < q->column_count; c++) {
            const struct column *const column = &q->columns[c];
            const struct value all = column->get(column, whole.rows[r], &x);
            assert_true(column->type != VALUE_SERIES || all.type == VALUE_SERIES);
            assert_same_cell(column, all, column->get(column, sum, &x), &texts);
        }
        row_drop(&whole, sum);
    }
    free(texts.bytes);
    table_fini(&whole);
    for (unsigned i = 0; i < PARTS; i++)
        table_fini(&parts[i]);
    model_fini(&m);
    query_pane_free(q);
}

/* All rows together are what the table counted. */
static void assert_rows_are_whole(const struct table *t, struct model *m)
{
    struct table_row *const sum = row_new(t, t->all->key);
    for (uint32_t i = 0; i < t->row_count; i++)
        row_add(t, sum, t->rows[i]);
    assert_same_row(t, t->all, sum, m);
    row_drop(t, sum);
}

/* So many keys, and more than one of each. */
static void many_keys(const char *text, const uint32_t keys)
{
    enum { MOST = 64 << 20 };
    const struct pane *const q = bound(text);
    struct table t;
    struct model m;
    uint32_t prng = 5;
    uint64_t bytes = 0, count = 0;
    model_init(&m);
    table_init(&t, q);
    for (uint32_t i = 0; i < keys; i++) {
        struct fact f = random_fact(&prng);
        f.entity = i + 1;
        f.thread = 1;
        f.time = i;
        table_feed(&t, &f, 0);
        f.entity = roll(&prng) % keys + 1;
        table_feed(&t, &f, 0);
        bytes += 2 * f.value;
        if (i % (keys / 16) == 0) {
            table_step(&t, 1, i);
            assert_true(table_bytes(&t) <= MOST);
        }
    }
    assert_true(t.row_count <= TABLE_ROWS);
    assert_true(table_bytes(&t) <= MOST);
    assert_true(t.folded > 0);
    assert_non_null(
        table_find(&t, (struct row_key){ROW_OTHERS, ROW_OTHERS, ROW_OTHERS, ROW_OTHERS}));
    const struct row_context x = {.table = &t, .span = SPAN_TOTAL};
    for (uint32_t i = 0; i < t.row_count; i++)
        count += row_tally(&x, t.rows[i], 0);
    assert_int_equal(count, 2 * keys);
    if (t.pane->measure_count > 1)
        assert_int_equal(row_tally(&x, t.all, 1), bytes);
    assert_rows_are_whole(&t, &m);
    table_fini(&t);
    model_fini(&m);
    query_pane_free(q);
}

static void overflow_is_exact(void **state)
{
    enum { MANY = IS_SANITIZED ? 200000 : 1000000 };
    (void)state;
    many_keys("by path | count", MANY);
    many_keys("by path | count, sum size, min size, max lat, stddev lat, p99 lat", MANY);
    many_keys("by path, cpu, op | count, sum size, distinct cpu, first size, last lat, "
              "quantize lat, quantize size, lquantize(0, 100ms, 1ms) lat, most tid",
              200000);
}

/* The rows that are there get histograms of every octave. */
static void old_rows_do_not_grow_without_end(void **state)
{
    enum { KEYS = IS_SANITIZED ? 20000 : 60000 };
    const struct pane *const q = bound("by path | count, sum size, quantize size, quantize lat");
    struct table t;
    struct model m;
    (void)state;
    model_init(&m);
    table_init(&t, q);
    for (unsigned octave = 0; octave < 40; octave++)
        for (uint32_t i = 0; i < KEYS; i++) {
            const struct fact f = {.time = octave,
                                   .class = FACT_DISK,
                                   .op = OP_READ,
                                   .entity = i + 1,
                                   .value = 1ull << octave,
                                   .latency = 1ull << octave,
                                   .flags = FACT_HAS_LATENCY};
            table_feed(&t, &f, 0);
        }
    assert_true(table_bytes(&t) <= 64 << 20);
    assert_rows_are_whole(&t, &m);
    table_fini(&t);
    model_fini(&m);
    query_pane_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_and_merged_in_any_order),
        cmocka_unit_test(trends_split_and_merged_in_any_order),
        cmocka_unit_test(overflow_is_exact),
        cmocka_unit_test(old_rows_do_not_grow_without_end),
    };
    return cmocka_run_group_tests_name("sums of queries", tests, NULL, NULL);
}
