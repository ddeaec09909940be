/* The engine's parts by themselves: maps, generation tables, histograms, the store of facts,
 * tables, and the tables they are described by. */
#include "tests/test.h"

#include "src/base/mem.h"
#include "src/collect/coverage.h"
#include "src/pane/panes.h"
#include "src/table/getters.h"
#include "src/view/view.h"
#include "ui/main/user_views.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t roll(uint32_t *prng)
{
    *prng = *prng * 1664525 + 1013904223;
    return *prng >> 8;
}

static void maps_remember(void **state)
{
    (void)state;
    enum { KEYS = 3000 };
    static uint32_t expected[KEYS];
    memset(expected, 0, sizeof expected);
    struct map m;
    map_init(&m);
    uint32_t prng = 1, count = 0;
    for (unsigned i = 0; i < 200000; i++) {
        const uint32_t key = roll(&prng) % KEYS, value = roll(&prng) | 1;
        if (roll(&prng) % 3) {
            count += !expected[key];
            map_put(&m, (uint64_t)key << 20, value);
            expected[key] = value;
        } else {
            count -= expected[key] != 0;
            map_remove(&m, (uint64_t)key << 20);
            expected[key] = 0;
        }
        if (i % 1000 == 0)
            for (uint32_t k = 0; k < KEYS; k++)
                assert_int_equal(map_get(&m, (uint64_t)k << 20), expected[k]);
    }
    assert_int_equal(m.count, count);
    map_fini(&m);
}

struct thing {
    uint32_t number;
    enum generation_use use;
};

static enum generation_use use_of_thing(const void *t, const void *unused)
{
    (void)unused;
    return ((const struct thing *)t)->use;
}

static void count_thing(void *t, void *arg)
{
    (void)t;
    ++*(unsigned *)arg;
}

static uint32_t add_thing(struct generation_table *s, enum generation_use use, unsigned *gone)
{
    struct thing *const t = generation_add(s, count_thing, gone);
    t->use = use;
    return t->number;
}

/* Numbers are never used twice, what lives is stepped over, and what went is NULL. */
static void generation_tables_forget_the_oldest(void **state)
{
    (void)state;
    enum { PLACES = 64 };
    struct generation_table s;
    generation_init(&s, sizeof(struct thing), PLACES, use_of_thing);
    unsigned gone = 0;
    uint32_t keeper = 0, newest = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct thing *t = generation_add(&s, count_thing, &gone);
        assert_true(t->number > newest);
        newest = t->number;
        t->use = i == 10 ? GENERATION_IN_USE : GENERATION_UNUSED;
        if (i == 10)
            keeper = t->number;
    }
    assert_non_null(generation_at(&s, keeper));
    assert_non_null(generation_at(&s, newest));
    assert_null(generation_at(&s, 1));
    assert_null(generation_at(&s, 0));
    assert_null(generation_at(&s, newest + PLACES));
    assert_int_equal(gone, 1000 - PLACES);
    assert_int_equal(s.recycled, gone);
    assert_int_equal(s.evicted, 0);
    for (unsigned i = 0; i < PLACES; i++) /* all alive: the oldest goes all the same */
        add_thing(&s, GENERATION_IN_USE, &gone);
    for (unsigned i = 0; i < PLACES; i++)
        assert_non_null(generation_add(&s, count_thing, &gone));
    assert_true(s.evicted > 0);
    generation_fini(&s);
}

/* A walk meets all that is there, and ends where nothing ever was: also while the table grows, and
 * when numbers begin anew. */
static void walks_of_generation_tables_meet_all(void **state)
{
    (void)state;
    enum { PLACES = 2048, MOST = 4 * PLACES, ROUND = 500 };
    struct generation_table s;
    unsigned gone = 0;
    generation_init(&s, sizeof(struct thing), PLACES, use_of_thing);
    generation_may_grow(&s, MOST);
    assert_int_equal(s.end, 0);
    for (unsigned all = 0; all < 3 * MOST; all += ROUND) {
        for (unsigned i = 0; i < ROUND; i++)
            add_thing(&s, GENERATION_IN_USE, &gone);
        unsigned met = 0, there = 0;
        for (uint32_t i = 0; i < s.end; i++)
            met += generation_place(&s, i) != NULL;
        for (uint32_t i = 0; i < s.places; i++)
            there += generation_place(&s, i) != NULL;
        assert_int_equal(met, there);
        if (all + ROUND < PLACES)
            assert_int_equal(s.end, all + ROUND + 1);
        if (all == ROUND * 10)
            s.newest = UINT32_MAX - ROUND / 2;
    }
    generation_fini(&s);
}

/* However many live, and wherever they stand: the dead make room, round after round. */
static void generation_tables_recycle_the_dead_first(void **state)
{
    (void)state;
    enum { PLACES = 1 << 14, LIVING = PLACES - 1000, ROUNDS = 20 };
    static uint32_t living[LIVING];
    struct generation_table s;
    unsigned gone = 0;
    generation_init(&s, sizeof(struct thing), PLACES, use_of_thing);
    for (unsigned i = 0; i < LIVING; i++)
        living[i] = add_thing(&s, GENERATION_IN_USE, &gone);
    for (unsigned i = 0; i < ROUNDS * PLACES; i++)
        add_thing(&s, GENERATION_UNUSED, &gone);
    for (unsigned i = 0; i < LIVING; i++)
        assert_non_null(generation_at(&s, living[i]));
    assert_int_equal(s.evicted, 0);
    assert_int_equal(s.recycled, gone);
    for (unsigned i = 0; i < LIVING; i += 2) /* who dies later makes room, too */
        ((struct thing *)generation_at(&s, living[i]))->use = GENERATION_UNUSED;
    for (unsigned i = 0; i < 4 * PLACES; i++)
        add_thing(&s, i % 2 || i > PLACES / 2 ? GENERATION_UNUSED : GENERATION_IN_USE, &gone);
    assert_int_equal(s.evicted, 0);
    for (unsigned i = 0; i < LIVING; i++)
        assert_true((generation_at(&s, living[i]) != NULL) == (i % 2 != 0));
    generation_fini(&s);
}

/* What is over but may be asked for goes before the living, and after what nobody asks for. */
static void generation_tables_keep_what_is_wanted_longer(void **state)
{
    (void)state;
    enum { PLACES = 4096, PART = PLACES / 4 };
    struct generation_table s;
    unsigned gone = 0;
    generation_init(&s, sizeof(struct thing), PLACES, use_of_thing);
    for (unsigned i = 0; i < PLACES; i++) {
        static const enum generation_use uses[] = {GENERATION_WANTED, GENERATION_UNUSED, GENERATION_IN_USE, GENERATION_WANTED};
        add_thing(&s, uses[i / PART], &gone);
    }
    for (unsigned i = 0; i < PART; i++)
        add_thing(&s, GENERATION_IN_USE, &gone);
    for (uint32_t n = 1; n <= PLACES; n++)
        assert_true((generation_at(&s, n) != NULL) == ((n - 1) / PART != 1));
    for (unsigned i = 0; i < 2 * PART; i++)
        add_thing(&s, GENERATION_IN_USE, &gone);
    for (uint32_t n = 1; n <= PLACES; n++)
        assert_true((generation_at(&s, n) != NULL) == ((n - 1) / PART == 2));
    assert_int_equal(s.evicted, 0);
    assert_int_equal(s.recycled, 3 * PART);
    add_thing(&s, GENERATION_IN_USE, &gone);
    assert_int_equal(s.evicted, 1);
    generation_fini(&s);
}

/* A generation table that may grow does before anything goes that somebody may ask for; who lives keeps his
 * number, and the places are the free ones first. */
static void generation_tables_grow_before_the_living_go(void **state)
{
    (void)state;
    enum { PLACES = GENERATION_CHUNK, MOST = 16 * PLACES };
    struct generation_table s;
    unsigned gone = 0;
    generation_init(&s, sizeof(struct thing), PLACES, use_of_thing);
    generation_may_grow(&s, MOST);
    for (unsigned i = 0; i < 10 * PLACES; i++)
        add_thing(&s, GENERATION_UNUSED, &gone);
    assert_int_equal(s.places, PLACES);
    const uint32_t first = s.newest + 1;
    add_thing(&s, GENERATION_IN_USE, &gone);
    const void *const lies = generation_at(&s, first);
    for (unsigned i = 1; i < MOST; i++)
        add_thing(&s, i % 2 ? GENERATION_WANTED : GENERATION_IN_USE, &gone);
    assert_int_equal(s.places, MOST);
    assert_ptr_equal(generation_at(&s, first), lies); /* whoever held it may go on */
    assert_int_equal(s.evicted, 0);
    assert_int_equal(s.recycled, 10 * PLACES);
    unsigned alive = 0;
    for (uint32_t n = first; n <= s.newest; n++) {
        const struct thing *const t = generation_at(&s, n);
        alive += t != NULL;
        assert_true(!t || t->number == n);
    }
    assert_int_equal(alive, MOST);
    for (unsigned i = 0; i < 2 * MOST; i++) /* no further */
        add_thing(&s, GENERATION_UNUSED, &gone);
    assert_int_equal(s.places, MOST);
    assert_int_equal(s.evicted, 0);
    generation_fini(&s);
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void percentiles_are_close(void **state)
{
    (void)state;
    enum { VALUES = 20000 };
    static uint64_t values[VALUES];
    struct histogram one = {0}, halves[2] = {{0}, {0}};
    uint32_t prng = 7;
    for (unsigned i = 0; i < VALUES; i++) {
        values[i] = (uint64_t)roll(&prng) << roll(&prng) % 20;
        histogram_add(&one, values[i], 1);
        histogram_add(&halves[i % 2], values[i], 1);
    }
    histogram_merge(&halves[0], &halves[1]);
    qsort(values, VALUES, sizeof *values, by_size);
    static const double shares[] = {0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
    for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++) {
        const uint64_t exact = values[(unsigned)(shares[i] * VALUES) - 1];
        const uint64_t ours = histogram_percentile(&one, shares[i]);
        assert_true(ours >= exact && ours - exact <= exact / 16);
        assert_int_equal(ours, histogram_percentile(&halves[0], shares[i]));
    }
    histogram_clear(&one);
    assert_int_equal(histogram_percentile(&one, 0.5), 0);
    for (unsigned bit = 0; bit < 64; bit++) { /* every octave, its edges */
        const uint64_t edge = (uint64_t)1 << bit;
        struct histogram h = {0};
        histogram_add(&h, edge - 1, 1);
        histogram_add(&h, edge, UINT32_MAX);
        histogram_add(&h, edge, 5); /* saturates */
        assert_true(histogram_percentile(&h, 1) >= edge);
        histogram_fini(&h);
    }
    struct histogram full = {0};
    histogram_add(&full, UINT64_MAX, 1);
    assert_true(histogram_percentile(&full, 0.5) == UINT64_MAX);
    histogram_fini(&full);
    histogram_fini(&one);
    histogram_fini(&halves[0]);
    histogram_fini(&halves[1]);
}

/* The oldest go first; a shared look stays as it was. */
static void facts_are_kept(void **state)
{
    (void)state;
    struct facts s;
    facts_init(&s, 3 * FACT_CHUNK);
    struct facts look = {0};
    for (uint64_t i = 0; i < 10 * FACT_CHUNK; i++) {
        facts_add(&s)->value = i;
        if (i == 2 * FACT_CHUNK + 10)
            look = facts_share(&s);
    }
    assert_int_equal(s.end, 10 * FACT_CHUNK);
    assert_int_equal(s.first, 7 * FACT_CHUNK);
    for (uint64_t i = s.first; i < s.end; i += 1000)
        assert_int_equal(facts_at(&s, i)->value, i);
    assert_int_equal(look.end, 2 * FACT_CHUNK + 11);
    for (uint64_t i = look.first; i < look.end; i++)
        assert_int_equal(facts_at(&look, i)->value, i);
    facts_fini(&look);
    facts_fini(&s);
}

/* ---- tables ------------------------------------------------------------------------- */

static struct fact disk_read(uint32_t disk, uint64_t bytes, int64_t time)
{
    return (struct fact){.time = time,
                         .class = FACT_DISK,
                         .op = OP_READ,
                         .place = disk,
                         .value = bytes,
                         .latency = bytes,
                         .flags = FACT_HAS_LATENCY};
}

static uint64_t sum(const struct table *t, const char *measure, enum rate_span span)
{
    const struct row_context x = {.table = t, .span = span};
    uint64_t total = 0;
    for (uint32_t i = 0; i < t->row_count; i++)
        total += row_tally(&x, t->rows[i], table_measure(t, measure));
    assert_int_equal(total, row_tally(&x, t->all, table_measure(t, measure)));
    return total;
}

/* A row shows its last whole interval, whether it was touched since or not. */
static void intervals_turn(void **state)
{
    (void)state;
    struct table t;
    table_init(&t, pane_find("disk"));
    struct fact f = disk_read(0, 100, 5), g = disk_read(1, 7, 6);
    table_feed(&t, &f, 1);
    table_feed(&t, &g, 1);
    assert_int_equal(sum(&t, "read", SPAN_INTERVAL), 0);
    table_step(&t, 1, INT64_MIN);
    assert_int_equal(sum(&t, "read", SPAN_INTERVAL), 107);
    table_feed(&t, &f, 1);
    assert_int_equal(sum(&t, "read", SPAN_INTERVAL), 107);
    struct table copy = table_share(&t);
    table_step(&t, 1, INT64_MIN);
    assert_int_equal(sum(&t, "read", SPAN_INTERVAL), 100);
    assert_int_equal(sum(&t, "reads", SPAN_INTERVAL), 1);
    assert_int_equal(sum(&t, "read", SPAN_TOTAL), 207);
    assert_int_equal(sum(&copy, "read", SPAN_INTERVAL), 107);
    table_feed(&t, &f, 1);
    table_step(&t, 5, INT64_MIN);
    assert_int_equal(sum(&t, "read", SPAN_INTERVAL), 0);
    table_feed(&t, &f, 1);
    assert_int_equal(sum(&t, "read", SPAN_INTERVAL), 0);
    assert_int_equal(sum(&t, "read", SPAN_TOTAL), 407);
    table_clear(&t);
    assert_int_equal(sum(&t, "read", SPAN_TOTAL), 0);
    table_fini(&t);
    table_fini(&copy);
}

/* However many rows come, the table stays bounded and its sums exact. */
static void idle_rows_fold(void **state)
{
    (void)state;
    struct table t;
    table_init(&t, pane_find("disk"));
    enum { ROWS = TABLE_ROWS * 2 };
    for (uint32_t i = 0; i < ROWS; i++) {
        struct fact f = disk_read(i % 7, i, i);
        table_feed(&t, &f, i);
        f = disk_read(0, 1, i); /* one that is never idle */
        table_feed(&t, &f, ROWS + 1);
    }
    assert_true(t.row_count <= TABLE_ROWS);
    assert_true(t.folded > 0);
    assert_int_equal(sum(&t, "read", SPAN_TOTAL), (uint64_t)ROWS * (ROWS - 1) / 2 + ROWS);
    const struct row_context x = {.table = &t, .span = SPAN_TOTAL};
    const struct table_row *busy = table_find(&t, (struct row_key){1, ROWS + 1, 0, 0});
    assert_non_null(busy);
    assert_int_equal(row_tally(&x, busy, table_measure(&t, "reads")), ROWS);
    assert_non_null(
        table_find(&t, (struct row_key){ROW_OTHERS, ROW_OTHERS, ROW_OTHERS, ROW_OTHERS}));
    table_fini(&t);
}

/* Short of memory, ended processes go first; sums stay, and what is frozen stays as it was. */
static void memory_is_given_back(void **state)
{
    (void)state;
    enum { LIFETIMES = 3000 };
    struct model m;
    model_init(&m);
    model_sources(&m, 1);
    struct dataset w;
    dataset_init(&w, FACT_CHUNK);
    const unsigned at = pane_index(pane_find("disk"));
    struct table *const t = &w.tables[at];
    static struct fact facts[LIFETIMES];
    for (uint32_t i = 0; i < LIFETIMES; i++) {
        const uint32_t process = model_process(&m, 0, i * 4 + 8, i);
        facts[i] = disk_read(0, i + 1, i + 1);
        facts[i].process = process;
        dataset_feed(&w, &facts[i], process);
        if (i % 2 == 1)
            model_process_end(&m, 0, i * 4 + 8, i);
    }
    dataset_flush(&w);
    for (unsigned i = 0; i < w.table_count; i++) {
        w.tables[i].model = &m;
        table_step(&w.tables[i], 3, INT64_MIN);
    }
    struct dataset frozen = dataset_freeze(&w);
    const uint64_t all = sum(t, "read", SPAN_TOTAL);
    dataset_trim(&w, SIZE_MAX);
    assert_int_equal(t->row_count, LIFETIMES);
    assert_true(table_fold(t, true));
    for (uint32_t i = 0; i < LIFETIMES; i += 2) /* a quarter was folded, none that runs */
        assert_non_null(table_find(t, (struct row_key){1, facts[i].process, 0, 0}));
    assert_null(table_find(t, (struct row_key){1, facts[1].process, 0, 0}));
    assert_int_equal(t->folded, (LIFETIMES + 1) / 4);
    dataset_trim(&w, table_bytes(t));
    assert_true(t->row_count < LIFETIMES / 2);
    assert_int_equal(sum(t, "read", SPAN_TOTAL), all);
    assert_int_equal(sum(t, "read", SPAN_INTERVAL), 0);
    assert_int_equal(frozen.tables[at].row_count, LIFETIMES);
    assert_int_equal(sum(&frozen.tables[at], "read", SPAN_TOTAL), all);
    dataset_fini(&frozen);
    dataset_fini(&w);
    model_fini(&m);
}

/* A file met by its key, then opened by its path, then named: one row, whichever came first. */
static void files_become_one(void **state)
{
    (void)state;
    enum { KEY = 0x1000, OPEN = 0x2000, OTHER_KEY = 0x3000 };
    struct model m;
    model_init(&m);
    model_sources(&m, 1);
    struct table t;
    table_init(&t, pane_find("files"));
    uint32_t numbers[4];
    numbers[0] = model_file(&m, 0, NAMESPACE_FILE, KEY);
    numbers[1] = model_file(&m, 0, NAMESPACE_FILE, OTHER_KEY);
    numbers[2] = model_file_named(&m, 0, NAMESPACE_OPEN, OPEN, "\\a\\b");
    for (unsigned i = 0; i < 3; i++) {
        const struct fact f = {
            .class = FACT_FILE, .op = OP_READ, .entity = numbers[i], .value = 10};
        table_feed(&t, &f, 1);
    }
    table_settle(&t, &m);
    assert_int_equal(t.row_count, 3);
    model_file_alias(&m, 0, NAMESPACE_FILE, KEY, numbers[2]); /* by the first operation */
    assert_int_equal(model_file(&m, 0, NAMESPACE_FILE, KEY), numbers[2]);
    table_settle(&t, &m);
    assert_int_equal(t.row_count, 2);
    numbers[3] = model_file_named(&m, 0, NAMESPACE_FILE, OTHER_KEY, "\\a\\b"); /* by a rundown */
    assert_int_equal(numbers[3], numbers[2]);
    table_settle(&t, &m);
    assert_int_equal(t.row_count, 1);
    assert_int_equal(t.rows[0]->key.a, numbers[2]);
    assert_int_equal(sum(&t, "read", SPAN_TOTAL), 30);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(model_file_one(&m, numbers[i]), numbers[2]);
        assert_string_equal(model_file_at(&m, numbers[i])->name, "\\a\\b");
    }
    assert_int_equal(model_file(&m, 0, NAMESPACE_KEY, KEY) == numbers[2], false);
    table_fini(&t);
    model_fini(&m);
}

/* What weighs most of many is found by a few candidates. */
static void the_heaviest_is_known(void **state)
{
    (void)state;
    struct table t;
    table_init(&t, pane_find("disk"));
    uint32_t prng = 3;
    for (unsigned i = 0; i < 10000; i++) {
        struct fact f = disk_read(0, 1000, i);
        f.entity = i % 3 == 0 ? 42 : roll(&prng) % 500 + 100;
        table_feed(&t, &f, 1);
    }
    const struct row_context x = {.table = &t, .span = SPAN_TOTAL};
    assert_int_equal(row_most(&x, t.rows[0], table_measure(&t, "file")), 42);
    table_fini(&t);
}

/* Facts of every kind that some pane counts, by few keys. */
static struct fact any_fact(uint32_t *prng, uint32_t classes)
{
    struct fact f = {.class = (uint8_t)(roll(prng) % FACT_CLASSES),
                     .op = (uint8_t)(roll(prng) % OPS)};
    while (!(classes >> f.class & 1))
        f.class = (uint8_t)(roll(prng) % FACT_CLASSES);
    f.time = 1 + roll(prng);
    f.value = roll(prng) % 100000;
    f.latency = (uint64_t)roll(prng) << roll(prng) % 16;
    f.entity = roll(prng) % 3;
    f.thread = roll(prng) % 2;
    f.place = roll(prng) % 0x300;
    f.kind = (uint16_t)(roll(prng) % 4);
    f.cpu = (uint16_t)(roll(prng) % 20);
    f.status = roll(prng) % 50;
    f.flags = (uint8_t)(roll(prng) & ~(uint32_t)FACT_NO_RECORD);
    return f;
}

static void assert_same_measure(const struct table *t, const struct table_row *a,
                                const struct table_row *b, unsigned measure, enum rate_span span)
{
    const struct row_context x = {.table = t, .span = span};
    const struct latency_over l = row_latency(&x, a, (int)measure),
                              r = row_latency(&x, b, (int)measure);
    if (row_tally(&x, a, (int)measure) != row_tally(&x, b, (int)measure))
        fail_msg("%s: %s", t->pane->id, t->pane->measures[measure].id);
    assert_true(l.count == r.count && l.sum == r.sum && l.max == r.max);
    for (unsigned i = 1; i < 20; i++)
        assert_int_equal(histograms_percentile(l.histograms, l.histogram_count, i / 20.0),
                         histograms_percentile(r.histograms, r.histogram_count, i / 20.0));
}

/* Rows of tables that each got a part of the facts add up to the row of all facts, in every pane,
 * whichever comes first: what is exact is the same. */
static void parts_add_up_in_every_pane(void **state)
{
    (void)state;
    enum { PARTS = 3, FACTS = 2000 };
    unsigned compared[AGGREGATES] = {0};
    uint32_t prng = 4;
    for (unsigned i = 0; panes[i]; i++) {
        if (panes[i]->view != PANE_TABLE || !panes[i]->key)
            continue;
        struct table whole, parts[PARTS];
        table_init(&whole, panes[i]);
        for (unsigned n = 0; n < PARTS; n++)
            table_init(&parts[n], panes[i]);
        for (unsigned n = 0; n < FACTS; n++) {
            const struct fact f = any_fact(&prng, panes[i]->classes);
            const uint32_t process = roll(&prng) % 3;
            table_feed(&whole, &f, process);
            table_feed(&parts[roll(&prng) % PARTS], &f, process);
            if (n % 700 == 699) { /* so that rows have all ages */
                table_step(&whole, 1, INT64_MIN);
                for (unsigned k = 0; k < PARTS; k++)
                    table_step(&parts[k], 1, INT64_MIN);
            }
        }
        for (uint32_t r = 0; r < whole.row_count; r++) {
            struct table_row *const sum = row_new(&whole, whole.rows[r]->key);
            const unsigned first = roll(&prng) % PARTS;
            for (unsigned n = 0; n < PARTS; n++) {
                const struct table_row *const part =
                    table_find(&parts[(first + n) % PARTS], sum->key);
                if (part)
                    row_add(&whole, sum, part);
            }
            for (unsigned m = 0; m < panes[i]->measure_count; m++) {
                const unsigned aggregate = whole.measures[m].aggregate;
                if (aggregate == AGGREGATE_MOST || aggregate == AGGREGATE_LAST)
                    continue;
                assert_same_measure(&whole, sum, whole.rows[r], m, SPAN_TOTAL);
                assert_same_measure(&whole, sum, whole.rows[r], m, SPAN_INTERVAL);
                compared[aggregate]++;
            }
            row_drop(&whole, sum);
        }
        table_fini(&whole);
        for (unsigned n = 0; n < PARTS; n++)
            table_fini(&parts[n]);
    }
    assert_true(compared[AGGREGATE_SUM] > 100 && compared[AGGREGATE_LATENCY] > 100 &&
                compared[AGGREGATE_LARGEST]);
}

/* ---- the describing tables --------------------------------------------------------------- */

static void panes_are_whole(void **state)
{
    (void)state;
    user_views_builtin(); /* Enter leads to some of them */
    for (unsigned i = 0; panes[i]; i++) {
        const struct pane *p = panes[i];
        assert_true(p->id[0] && p->title[0] && p->help[0] && p->cost[0]);
        assert_ptr_equal(pane_find(p->id), p);
        assert_int_equal(pane_index(p), i);
        assert_non_null(pane_column(p, p->sort));
        assert_true(!p->drill || pane_find(p->drill));
        struct table t;
        table_init(&t, p);
        for (size_t c = 0; c < p->column_count; c++) {
            const struct column *column = &p->columns[c];
            assert_ptr_equal(pane_column(p, column->id), column);
            assert_true(column->title[0] && column->help[0] && column->width >= 3);
            assert_true(p->view != PANE_TABLE || column->get);
            assert_true(!column->measure || table_measure(&t, column->measure) >= 0);
            assert_true(!column->measure2 || table_measure(&t, column->measure2) >= 0);
        }
        table_fini(&t);
    }
    assert_null(pane_find("nothing"));
    assert_null(pane_find(""));
    assert_ptr_equal(pane_find("1"), pane_find("processes"));
    assert_ptr_equal(pane_find("proc"), pane_find("processes"));
}

/* Every field that a fact builder reads is a field of some event of its shape. */
static bool has_field(uint16_t hook, const char *name)
{
    for (unsigned version = 0; version < 8; version++) {
        const struct event e = {.kind = HEADER_SYSTEM,
                                .id = hook,
                                .opcode = hook & 0xff,
                                .version = (uint16_t)version,
                                .pointer = 8};
        const struct payload_layout *l = decode_layout(&e);
        unsigned offset;
        enum field_type type;
        if (l && layout_place(l, name, 8, &offset, &type))
            return true;
    }
    return false;
}

static void fact_builders_read_existing_fields(void **state)
{
    (void)state;
    unsigned rows = 0, last = 0;
    for (unsigned hook = 1; hook < 0xffff; hook++) {
        const struct fact_builder *r = fact_builder_find((uint16_t)hook);
        if (!r)
            continue;
        assert_true(r->first <= hook && hook <= r->last);
        if (hook != r->first)
            continue;
        assert_true(r->first > last);
        rows++;
        last = r->last;
        for (unsigned i = 0; i < FACT_BUILDER_FIELDS && r->fields[i]; i++) {
            bool found = false;
            for (unsigned h = 1; h < 0xffff && !found; h++) {
                const struct fact_builder *other = fact_builder_find((uint16_t)h);
                found = other && other->make == r->make && has_field((uint16_t)h, r->fields[i]);
            }
            if (!found)
                fail_msg("fact builder 0x%04x: no layout has %s", hook, r->fields[i]);
        }
    }
    assert_true(rows > 90);
}

/* Time between recordings is nobody's; unless one of them does not say when it was. */
static void gaps_between_recordings(void **state)
{
    (void)state;
    struct collector *c = calloc(1, sizeof *c);
    struct collector *const list[] = {c};
    static const int64_t spans[][2] = {{1000, 2000}, {5000, 6000}, {1500, 2500}, {5500, 5600}};
    for (unsigned i = 0; i < 4; i++) {
        c->sources[i].start_ns = spans[i][0];
        c->sources[i].end_ns = spans[i][1];
    }
    atomic_store(&c->source_count, 1);
    assert_int_equal(coverage_gap_ns(list, 1, 1000, 9000), 0);
    atomic_store(&c->source_count, 2);
    assert_int_equal(coverage_gap_ns(list, 1, 1000, 6000), 3000);
    assert_int_equal(coverage_gap_ns(list, 1, 1000, 4000), 2000);
    assert_int_equal(coverage_gap_ns(list, 1, 3000, 6000), 2000);
    assert_int_equal(coverage_gap_ns(list, 1, 900, 7000), 3000);
    atomic_store(&c->source_count, 4);
    assert_int_equal(coverage_gap_ns(list, 1, 1000, 6000), 2500);
    c->sources[2].end_ns = 0;
    assert_int_equal(coverage_gap_ns(list, 1, 1000, 6000), 0);
    free(c);
}

/* An operation has the disk to itself until `end`, for `status`. */
static void serve(struct table *t, int64_t end, uint32_t ns)
{
    const struct fact f = {.class = FACT_DISK, .op = OP_READ, .time = end, .status = ns};
    table_feed(t, &f, 1);
}

/* The table counts from 10 on, its second interval is from 100 to 200. */
static void a_disk_is_no_busier_than_time_passes(void **state)
{
    (void)state;
    struct table t;
    table_init(&t, pane_find("disk"));
    table_begin(&t, 10);
    serve(&t, 30, 50);
    assert_int_equal(sum(&t, "service", SPAN_TOTAL), 20);
    table_step(&t, 1, 100);
    serve(&t, 130, 90);
    serve(&t, 160, 30);
    serve(&t, 50, 5); /* late */
    assert_int_equal(sum(&t, "service", SPAN_TOTAL), 20 + 90 + 30 + 5);
    table_step(&t, 1, 200);
    assert_int_equal(sum(&t, "service", SPAN_INTERVAL), 30 + 30);
    table_fini(&t);
}

/* Likewise pauses, and processor time that is reported late; a slice ends behind its time. */
static void what_went_on_counts_from_where_the_table_begins(void **state)
{
    (void)state;
    struct table t;
    table_init(&t, pane_find("dotnet"));
    table_begin(&t, 100);
    const struct fact pause = {.class = FACT_DOTNET,
                               .op = OP_PAUSE,
                               .flags = FACT_HAS_LATENCY,
                               .time = 120,
                               .latency = 50};
    table_feed(&t, &pause, 1);
    assert_int_equal(sum(&t, "paused", SPAN_TOTAL), 20);
    table_step(&t, 1, 110);
    table_feed(&t, &pause, 1);
    assert_int_equal(sum(&t, "paused", SPAN_TOTAL), 40);
    table_step(&t, 1, 210);
    assert_int_equal(sum(&t, "paused", SPAN_INTERVAL), 10);
    table_fini(&t);
    table_init(&t, pane_find("cpu"));
    table_begin(&t, 100);
    const struct fact slice = {.class = FACT_SWITCH, .op = OP_SLICE, .time = 119, .value = 20},
                      left = {.class = FACT_SWITCH, .op = OP_END, .time = 120, .value = 70};
    table_feed(&t, &slice, 1);
    table_feed(&t, &left, 1);
    assert_int_equal(sum(&t, "run", SPAN_TOTAL), 40);
    table_fini(&t);
}

/* No thread waits, or stands ready, longer than an interval in it; percentiles have it whole. */
static void waits_count_from_where_the_table_begins(void **state)
{
    (void)state;
    struct table t;
    table_init(&t, pane_find("cpu"));
    table_begin(&t, 100);
    const struct fact woken = {.class = FACT_READY,
                               .flags = FACT_HAS_LATENCY,
                               .time = 120,
                               .value = 50,
                               .latency = 50},
                      left = {.class = FACT_SWITCH,
                              .op = OP_END,
                              .flags = FACT_HAS_LATENCY,
                              .time = 150,
                              .value = 20,
                              .latency = 60};
    table_feed(&t, &woken, 1);
    table_feed(&t, &left, 1);
    assert_int_equal(sum(&t, "wait", SPAN_TOTAL), 20);
    assert_int_equal(sum(&t, "ready_sum", SPAN_TOTAL), 30);
    assert_int_equal(sum(&t, "run", SPAN_TOTAL), 20);
    table_step(&t, 1, 160);
    const struct fact later = {.class = FACT_SWITCH,
                               .op = OP_END,
                               .flags = FACT_HAS_LATENCY,
                               .time = 180,
                               .value = 15,
                               .latency = 12};
    table_feed(&t, &later, 1);
    assert_int_equal(sum(&t, "ready_sum", SPAN_TOTAL), 42);
    table_step(&t, 1, 200);
    assert_int_equal(sum(&t, "ready_sum", SPAN_INTERVAL), 5);
    assert_int_equal(sum(&t, "run", SPAN_INTERVAL), 15);
    table_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_went_on_counts_from_where_the_table_begins),
        cmocka_unit_test(waits_count_from_where_the_table_begins),
        cmocka_unit_test(maps_remember),
        cmocka_unit_test(generation_tables_forget_the_oldest),
        cmocka_unit_test(walks_of_generation_tables_meet_all),
        cmocka_unit_test(generation_tables_recycle_the_dead_first),
        cmocka_unit_test(generation_tables_keep_what_is_wanted_longer),
        cmocka_unit_test(generation_tables_grow_before_the_living_go),
        cmocka_unit_test(percentiles_are_close),
        cmocka_unit_test(facts_are_kept),
        cmocka_unit_test(intervals_turn),
        cmocka_unit_test(idle_rows_fold),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(files_become_one),
        cmocka_unit_test(the_heaviest_is_known),
        cmocka_unit_test(parts_add_up_in_every_pane),
        cmocka_unit_test(panes_are_whole),
        cmocka_unit_test(fact_builders_read_existing_fields),
        cmocka_unit_test(a_disk_is_no_busier_than_time_passes),
        cmocka_unit_test(gaps_between_recordings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
