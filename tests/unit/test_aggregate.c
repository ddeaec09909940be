/* Aggregates: split anywhere and merged in any order they have the state of one pass, or stay
 * within their stated error; as bytes they come back as they were, and other bytes are refused. */
#include "tests/test.h"

#include "src/aggregate/bins.h"
#include "src/base/bytes.h"
#include "src/base/payload_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 1500, PARTS = 9, RUNS = 40 };

union state {
    uint64_t words[AGGREGATE_WORDS];
    struct moments moments;
    struct latency latency;
    struct most most;
    struct trend trend;
};

static uint32_t roll(uint32_t *prng)
{
    *prng = *prng * 1664525 + 1013904223;
    return *prng >> 8;
}

/* Ids of few and of many values, none among them; values of every size; times that jump. */
static void make_inputs(struct aggregate_input in[INPUTS], uint32_t *prng, enum aggregate_kind kind)
{
    const bool is_id = kind == AGGREGATE_DISTINCT || kind == AGGREGATE_MOST;
    const uint32_t ids = 1 + roll(prng) % (kind == AGGREGATE_MOST ? 30 : 1000);
    const unsigned heavy = roll(prng) % 3;
    for (unsigned i = 0; i < INPUTS; i++) {
        const uint64_t large = (uint64_t)roll(prng) << 24 | roll(prng);
        const bool is_heavy = heavy && roll(prng) % 2;
        in[i] = (struct aggregate_input){
            .value = !is_id ? large * (kind == AGGREGATE_MOMENTS ? 0x10001u : 1) >> roll(prng) % 48
                     : is_heavy ? 7
                                : roll(prng) % ids,
            .weight = roll(prng) % 5,
            .time = kind == AGGREGATE_TREND ? roll(prng) % 3 * 20 + roll(prng) % 30
                                            : (int64_t)(roll(prng) % 3000) * 100000,
        };
        if (kind == AGGREGATE_TREND)
            in[i].value >>= 7; /* sums below 2^53 are exact */
    }
}

static void free_state(enum aggregate_kind kind, union state *s)
{
    if (aggregates[kind].free)
        aggregates[kind].free(s);
}

/* Each input into one of the parts; then two of them join until one is left. */
static union state in_parts(enum aggregate_kind kind, const struct aggregate_input *in,
                            uint32_t *prng)
{
    const struct aggregate *const a = &aggregates[kind];
    union state parts[PARTS] = {0};
    for (unsigned i = 0; i < INPUTS; i++)
        a->add(&parts[roll(prng) % PARTS], &in[i]);
    for (unsigned left = PARTS; left > 1; left--) {
        const unsigned to = roll(prng) % left, other = roll(prng) % (left - 1);
        const unsigned from = other + (other >= to);
        a->merge(&parts[to], &parts[from], 1);
        free_state(kind, &parts[from]);
        parts[from] = parts[left - 1]; /* which may be the one that was merged into */
    }
    return parts[0];
}

static size_t encoded(enum aggregate_kind kind, const union state *s,
                      uint8_t bytes[AGGREGATE_ENCODED])
{
    struct payload_writer to = {bytes, bytes, bytes + AGGREGATE_ENCODED};
    aggregates[kind].encode(s, &to);
    assert_true(to.at > to.start && to.at <= to.end);
    return (size_t)(to.at - to.start);
}

/* The bytes of a state are the same where the states count the same. */
static void assert_same(enum aggregate_kind kind, const union state *a, const union state *b)
{
    static uint8_t left[AGGREGATE_ENCODED], right[AGGREGATE_ENCODED];
    const size_t bytes = encoded(kind, a, left);
    assert_int_equal(encoded(kind, b, right), bytes);
    assert_memory_equal(left, right, bytes);
    assert_true(aggregates[kind].finish(a) == aggregates[kind].finish(b));
}

static uint64_t weight_of(const struct aggregate_input *in, uint64_t id)
{
    uint64_t weight = 0;
    for (unsigned i = 0; i < INPUTS; i++)
        weight += !id || in[i].value == id ? (in[i].value ? in[i].weight : 0) : 0;
    return weight;
}

/* No weight is too large, none is too small by more than a fifth of the whole, and what weighs more
 * than that is there. */
static void assert_most(const union state *s, const struct aggregate_input *in)
{
    const uint64_t whole = weight_of(in, 0);
    for (uint64_t id = 1; id <= 30; id++) {
        const uint64_t true_weight = weight_of(in, id);
        uint64_t kept = 0;
        for (unsigned i = 0; i < MOST_CANDIDATES; i++)
            kept += s->most.of[i] == id ? s->most.weight[i] : 0;
        assert_true(kept <= true_weight);
        assert_true((true_weight - kept) * 5 <= whole);
    }
}

static void merged_parts_are_one_pass(void **state)
{
    (void)state;
    static struct aggregate_input in[INPUTS];
    uint32_t prng = 1;
    for (unsigned run = 0; run < RUNS * AGGREGATES; run++) {
        const enum aggregate_kind kind = (enum aggregate_kind)(run % AGGREGATES);
        union state whole = {0};
        make_inputs(in, &prng, kind);
        for (unsigned i = 0; i < INPUTS; i++)
            aggregates[kind].add(&whole, &in[i]);
        union state parts = in_parts(kind, in, &prng);
        if (kind == AGGREGATE_MOST) {
            assert_most(&whole, in);
            assert_most(&parts, in);
        } else {
            assert_same(kind, &whole, &parts);
        }
        free_state(kind, &whole);
        free_state(kind, &parts);
    }
}

/* Against values counted by hand. */
static void states_become_numbers(void **state)
{
    (void)state;
    union state s[AGGREGATES] = {0};
    for (uint64_t i = 1; i <= 100; i++) {
        const struct aggregate_input in = {
            .value = i, .weight = i == 42 ? 90 : 1, .time = (int64_t)i << 20};
        for (unsigned kind = 0; kind < AGGREGATES; kind++)
            aggregates[kind].add(&s[kind], &in);
    }
    const uint64_t expected[AGGREGATES] = {
        [AGGREGATE_SUM] = 5050,     [AGGREGATE_LARGEST] = 100,
        [AGGREGATE_LAST] = 100,     [AGGREGATE_LATENCY] = 100,
        [AGGREGATE_MOST] = 42,      [AGGREGATE_DISTINCT] = 100,
        [AGGREGATE_NUMBERS] = 5050, [AGGREGATE_LARGEST_NUMBER] = 100,
        [AGGREGATE_FIRST] = 1,      [AGGREGATE_MOMENTS] = 29, /* √((100² − 1) / 12) = 28.87 */
        [AGGREGATE_TREND] = 100,                              /* in the last interval */
    };
    for (unsigned kind = 0; kind < AGGREGATES; kind++) {
        const uint64_t found = aggregates[kind].finish(&s[kind]);
        if (kind == AGGREGATE_DISTINCT)
            assert_in_range(found, 75, 125);
        else
            assert_int_equal(found, expected[kind]);
        free_state((enum aggregate_kind)kind, &s[kind]);
    }
}

/* What doubles add up to depends on the order; this does not. */
static void fractions_add_up_exactly(void **state)
{
    (void)state;
    static const double numbers[] = {1e18, 0.5, -1e18, 0x1p-40, -0.5, -3, 1e-3, -1e-3};
    union state sum = {0}, largest = {0};
    for (unsigned i = 0; i < 8; i++) {
        struct fixed number;
        assert_true(fixed_of_real(numbers[i], &number));
        const struct aggregate_input in = {.number = &number};
        aggregates[AGGREGATE_NUMBERS].add(&sum, &in);
        if (i > 2)
            aggregates[AGGREGATE_LARGEST_NUMBER].add(&largest, &in);
    }
    struct fixed f;
    memcpy(&f, &sum, sizeof f);
    assert_true(fixed_real(f) == -3 + 0x1p-40);
    memcpy(&f, &largest, sizeof f);
    assert_true(fixed_real(number_rank(f)) == 1e-3);
}

/* A few exactly, of many about as many as there are, up to where no list would end. */
static void distinct_ids_stay_distinct(void **state)
{
    (void)state;
    const struct aggregate *const a = &aggregates[AGGREGATE_DISTINCT];
    union state s = {0};
    uint32_t next = 32;
    for (uint32_t n = 1; n <= 3000000; n++) {
        const struct aggregate_input in = {.value = n * 4};
        a->add(&s, &in);
        if (n > DISTINCT_LISTED && n < next)
            continue;
        next = n + n / 64 + 1;
        const uint64_t found = a->finish(&s), error = found > n ? found - n : n - found;
        if (n <= DISTINCT_LISTED ? error : error * 4 > n)
            fail_msg("%u ids count as %llu", n, (unsigned long long)found);
    }
}

/* Values with signs, and the largest there are, against the definition. */
static void deviations_are_those_of_the_values(void **state)
{
    static const struct {
        unsigned count;
        int64_t values[4];
        double expected;
    } cases[] = {
        {0, {0}, 0},
        {1, {INT64_MIN}, 0},
        {2, {-10, 10}, 10},
        {4, {2, 4, 4, 6}, 1.4142135623730951},
        {3, {-1, -1, -1}, 0},
        {2, {INT64_MIN, INT64_MAX}, 9223372036854775807.5},
        {3, {1000000000000000001, 1000000000000000002, 1000000000000000003}, 0.816496580927726},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        union state s = {0};
        for (unsigned n = 0; n < cases[i].count; n++) {
            const bool is_below = cases[i].values[n] < 0;
            const uint64_t value = (uint64_t)cases[i].values[n];
            struct fixed number = fixed_of_whole(is_below ? 0 - value : value);
            if (is_below)
                number = fixed_minus(number);
            const struct aggregate_input in = {.number = &number};
            aggregates[AGGREGATE_MOMENTS].add(&s, &in);
        }
        const double found = moments_deviation(&s.moments), expected = cases[i].expected;
        if (found < expected * (1 - 1e-14) || found > expected * (1 + 1e-14))
            fail_msg("case %zu: %.17g, not %.17g", i, found, expected);
    }
}

/* Every value in the bin that a search through all bins finds for it; the same from parts. */
static void bins_hold_their_values(void **state)
{
    static const struct linear scales[] = {
        {.step = 0}, {0, 100, 10}, {-50, 51, 7}, {INT64_MIN, INT64_MAX, INT64_MAX / 100}};
    (void)state;
    uint32_t prng = 9;
    for (unsigned run = 0; run < 40; run++) {
        const struct linear *const l = &scales[run % 4];
        struct histogram of[2] = {{0}}, below = {0};
        const struct histogram *const parts[] = {&of[0], &of[1]}, *const left[] = {&below};
        static struct {
            int64_t name;
            bool is_below, is_above;
            uint64_t count;
        } bins[LINEAR_LEVELS + 2];
        unsigned bin_count = 0;
        if (l->step) {
            bins[bin_count].is_below = true;
            bins[bin_count++].name = l->low;
            __extension__ typedef __int128 wide; /* the next one may be beyond 64 bits */
            for (wide at = l->low; at < l->high; at += l->step)
                bins[bin_count++].name = (int64_t)at;
            bins[bin_count].is_above = true;
            bins[bin_count++].name = l->high;
        } else {
            for (int bit = 63; bit >= 0; bit--)
                bins[bin_count++].name = -(int64_t)((uint64_t)1 << (bit < 63 ? bit : 62));
            bins[0].name = INT64_MIN;
            bins[bin_count++].name = 0;
            for (int bit = 0; bit < 63; bit++)
                bins[bin_count++].name = (int64_t)1 << bit;
        }
        for (unsigned i = 0; i < bin_count; i++)
            bins[i].count = 0;
        for (unsigned i = 0; i < 500; i++) {
            const uint64_t large =
                (uint64_t)roll(&prng) << 40 | (uint64_t)roll(&prng) << 20 | roll(&prng);
            const int64_t value = (int64_t)(large >> roll(&prng) % 62) * (roll(&prng) % 2 ? 1 : -1);
            unsigned at = 0;
            if (l->step) { /* the last bin that begins at or before the value */
                for (unsigned b = 1; b < bin_count; b++)
                    at = bins[b].name <= value ? b : at;
                histogram_add(&of[i % 2], linear_place(l, value), 1);
            } else { /* below zero, the last that ends at or behind it */
                for (unsigned b = 0; b < bin_count; b++)
                    if (value >= 0 ? bins[b].name >= 0 && bins[b].name <= value
                                   : bins[b].name < 0 && bins[b].name >= value && !at)
                        at = b;
                if (value < 0 && bins[0].name >= value)
                    at = 0;
                histogram_add(value < 0 ? &below : &of[i % 2],
                              value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
            }
            bins[at].count++;
        }
        const struct bins b = {l->step ? l : NULL, false, parts, left, 2, 1};
        char text[BINS_TEXT], expected[BINS_TEXT] = "";
        const size_t bytes = bins_print(&b, text);
        unsigned first = 0, end = bin_count;
        while (!bins[first].count)
            first++;
        while (!bins[end - 1].count)
            end--;
        for (unsigned i = first; i < end; i++)
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected),
                     "%s%s%lld:%llu", i > first ? " " : "",
                     bins[i].is_below   ? "<"
                     : bins[i].is_above ? ">="
                                        : "",
                     (long long)bins[i].name, (unsigned long long)bins[i].count);
        assert_string_equal(text, expected);
        assert_true(bins_total(text, bytes) == 500);
        for (unsigned i = 0; i < bin_count; i++)
            bins[i].is_below = bins[i].is_above = false;
        histogram_fini(&of[0]);
        histogram_fini(&of[1]);
        histogram_fini(&below);
    }
}

/* Frees what was decoded. */
static bool is_decoded(enum aggregate_kind kind, const uint8_t *bytes, size_t count, size_t *left,
                       struct err *err)
{
    static uint8_t again[AGGREGATE_ENCODED];
    union state s = {0};
    struct bytes from = bytes_of(bytes, count);
    const bool ok = aggregates[kind].decode(&s, &from, err);
    *left = from.left;
    if (ok) { /* a state has one encoding */
        assert_int_equal(encoded(kind, &s, again), count - from.left);
        assert_memory_equal(again, bytes, count - from.left);
        aggregates[kind].finish(&s);
    }
    free_state(kind, &s);
    return ok;
}

/* A state, encoded. Where nothing was added, a byte or some zeros. */
static size_t make_encoded(enum aggregate_kind kind, uint32_t *prng, unsigned inputs,
                           uint8_t bytes[AGGREGATE_ENCODED])
{
    static struct aggregate_input in[INPUTS];
    union state s = {0};
    make_inputs(in, prng, kind);
    for (unsigned i = 0; i < inputs; i++)
        aggregates[kind].add(&s, &in[i]);
    const size_t count = encoded(kind, &s, bytes);
    struct bytes from = bytes_of(bytes, count);
    union state copy = {0};
    struct err err = {""};
    if (!aggregates[kind].decode(&copy, &from, &err))
        fail_msg("%s: %s", aggregates[kind].id, err.text);
    assert_int_equal(from.left, 0);
    assert_same(kind, &s, &copy);
    free_state(kind, &s);
    free_state(kind, &copy);
    return count;
}

static void states_travel(void **state)
{
    (void)state;
    static uint8_t bytes[AGGREGATE_ENCODED];
    uint32_t prng = 2;
    for (unsigned run = 0; run < RUNS * AGGREGATES; run++)
        make_encoded((enum aggregate_kind)(run % AGGREGATES), &prng,
                     run < AGGREGATES ? 0 : roll(&prng) % INPUTS, bytes);
    for (unsigned kind = 0; kind < AGGREGATES; kind++) { /* the largest state there is */
        const uint64_t values[] = {1, UINT64_MAX};
        union state s = {0};
        for (unsigned i = 0; i < 2; i++)
            aggregates[kind].add(&s, &(struct aggregate_input){.value = values[i], .weight = 1});
        assert_true(encoded((enum aggregate_kind)kind, &s, bytes) <= AGGREGATE_ENCODED);
        free_state((enum aggregate_kind)kind, &s);
    }
}

/* Cut anywhere: refused with a sentence. A byte changed: refused so, or it is another state. */
static void hostile_bytes_are_refused(void **state)
{
    (void)state;
    static uint8_t bytes[AGGREGATE_ENCODED];
    uint32_t prng = 3;
    unsigned refused[AGGREGATES] = {0};
    for (unsigned run = 0; run < RUNS * AGGREGATES; run++) {
        const enum aggregate_kind kind = (enum aggregate_kind)(run % AGGREGATES);
        const size_t count = make_encoded(kind, &prng, roll(&prng) % 60, bytes);
        size_t left;
        for (size_t cut = 0; cut < count; cut++) {
            struct err err = {""};
            uint8_t *const exact =
                malloc(count - cut ? count - cut : 1); /* no byte may be read behind */
            memcpy(exact, bytes, count - cut);
            assert_true(is_decoded(kind, exact, count - cut, &left, &err) == (cut == 0));
            assert_true(cut == 0 || err.text[0]);
            free(exact);
        }
        for (size_t i = 0; i < count; i++) {
            struct err err = {""};
            const uint8_t was = bytes[i];
            bytes[i] = (uint8_t)(was ^ (1 + roll(&prng) % 255));
            const bool ok = is_decoded(kind, bytes, count, &left, &err);
            assert_true(ok || err.text[0]);
            refused[kind] += !ok;
            bytes[i] = was;
        }
    }
    for (unsigned kind = 0; kind < AGGREGATES; kind++)
        assert_true(refused[kind]);
}

/* Each of them hand-made: what no state can be. */
static void impossible_states_are_refused(void **state)
{
    (void)state;
    static const struct {
        enum aggregate_kind kind;
        size_t count;
        uint8_t bytes[32];
        const char *why;
    } cases[] = {
        {AGGREGATE_SUM, 2, {0x80, 0x00}, "more than it needs"},
        {AGGREGATE_SUM,
         11,
         {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1},
         "more than it needs"},
        {AGGREGATE_SUM, 10, {255, 255, 255, 255, 255, 255, 255, 255, 255, 2}, "more than it needs"},
        {AGGREGATE_LAST, 1, {7}, "ends early"},
        {AGGREGATE_FIRST, 1, {7}, "ends early"},
        {AGGREGATE_MOMENTS, 9, {1, 5, 0, 0, 24, 0, 0, 0, 0}, "no 1 values have these sums"},
        {AGGREGATE_DISTINCT, 1, {1}, "ends early"},
        {AGGREGATE_DISTINCT, 1, {33}, "at most 32"},
        {AGGREGATE_DISTINCT, 2, {1, 0}, "id 1 of 1 does not follow"},
        {AGGREGATE_DISTINCT, 3, {2, 5, 5}, "id 2 of 2 does not follow"},
        {AGGREGATE_DISTINCT, 32, {32, 34}, "register 0 counts more zeros"},
        {AGGREGATE_LATENCY, 3, {2, 1, 5}, "cannot add up to"},
        {AGGREGATE_LATENCY, 3, {2, 11, 5}, "cannot add up to"},
        {AGGREGATE_LATENCY, 5, {1, 5, 5, 61, 1}, "at most 60"},
        {AGGREGATE_LATENCY, 5, {1, 5, 5, 60, 2}, "at most 1"},
        {AGGREGATE_LATENCY, 6, {1, 5, 5, 0, 61, 0}, "the state ends early"},
        {AGGREGATE_LATENCY, 5, {1, 5, 5, 0, 0}, "a histogram without octaves"},
        {AGGREGATE_LATENCY, 9, {1, 5, 5, 0, 1, 0, 1, 0, 1}, "zeros of a histogram stand apart"},
        {AGGREGATE_LATENCY, 10, {1, 5, 5, 0, 1, 0, 4, 2, 0, 9}, "1 latencies, but 2"},
        {AGGREGATE_LATENCY, 10, {1, 5, 5, 0, 1, 0, 5, 1, 0, 8}, "not in the histogram"},
        {AGGREGATE_LATENCY, 10, {1, 5, 5, 1, 1, 0, 4, 1, 0, 9}, "not in the histogram"},
        {AGGREGATE_TREND, 2, {5, 7}, "at most 6"},
        {AGGREGATE_TREND, 2, {99, 33}, "at most 32"},
        {AGGREGATE_TREND, 4, {5, 2, 1, 0}, "begins with an interval that has no amount"},
        {AGGREGATE_TREND,
         12,
         {5, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
         "amount 1 of 1 is no number"},
        {AGGREGATE_MOST, 6, {7, 1, 7, 1, 0, 0}, "candidate 7 stands twice"},
        {AGGREGATE_MOST, 6, {0x80, 0x80, 0x80, 0x80, 0x10, 1}, "at most 4294967295"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {""};
        size_t left;
        assert_false(is_decoded(cases[i].kind, cases[i].bytes, cases[i].count, &left, &err));
        if (!strstr(err.text, cases[i].why))
            fail_msg("case %zu: \"%s\", not \"%s\"", i, err.text, cases[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_parts_are_one_pass),
        cmocka_unit_test(states_become_numbers),
        cmocka_unit_test(fractions_add_up_exactly),
        cmocka_unit_test(distinct_ids_stay_distinct),
        cmocka_unit_test(deviations_are_those_of_the_values),
        cmocka_unit_test(bins_hold_their_values),
        cmocka_unit_test(states_travel),
        cmocka_unit_test(hostile_bytes_are_refused),
        cmocka_unit_test(impossible_states_are_refused),
    };
    return cmocka_run_group_tests_name("aggregates", tests, NULL, NULL);
}
