#include "src/aggregate/aggregate.h"

#include "src/base/hash.h"
#include "src/base/payload_writer.h"
#include "src/base/varint.h"

#include <math.h>

/* ---- adding, merging, finishing ------------------------------------------------------------------ */

static void add_sum(void *state, const struct aggregate_input *in)
{
    uint64_t *const sum = state;
    *sum += in->value;
}

static void merge_sums(void *to, const void *from, unsigned count)
{
    sums_merge(to, from, count);
}

static uint64_t finish_word(const void *state)
{
    const uint64_t *const word = state;
    return *word;
}

static void add_largest(void *state, const struct aggregate_input *in)
{
    largest_add(state, in->value);
}

static void merge_largest(void *to, const void *from, unsigned count)
{
    uint64_t *const a = to;
    const uint64_t *const b = from;
    for (unsigned i = 0; i < count; i++)
        largest_add(&a[i], b[i]);
}

/* The moment, which is about milliseconds and wraps after weeks, above the id. Later goes before
 * earlier; within one moment, what comes later. */
static void add_last(void *state, const struct aggregate_input *in)
{
    uint64_t *const last = state;
    const uint64_t moment = (uint64_t)(uint32_t)(in->time >> 20) << 32;
    const uint32_t id = (uint32_t)in->value;
    if (id && (*last & ~0xffffffffull) <= moment)
        *last = moment | id;
}

static uint64_t finish_last(const void *state)
{
    return finish_word(state) & 0xffffffff;
}

static void add_distinct(void *state, const struct aggregate_input *in)
{
    const uint32_t id = (uint32_t)in->value;
    if (!id)
        return;
    /* Twice: once alone spreads neighbours too evenly, and counting goes by chance meetings. */
    const uint64_t mixed = hash_mix(hash_mix(id) * 0xff51afd7ed558ccdu);
    const uint32_t at = (uint32_t)(mixed >> 32) % (DISTINCT_WORDS * 64);
    uint64_t *const words = state;
    words[at / 64] |= 1ull << at % 64;
}

static void merge_distinct(void *to, const void *from, unsigned count)
{
    uint64_t *const a = to;
    const uint64_t *const b = from;
    for (unsigned i = 0; i < count * DISTINCT_WORDS; i++)
        a[i] |= b[i];
}

/* How many different ids set so many bits (linear counting). */
static uint64_t finish_distinct(const void *state)
{
    const uint64_t *const words = state;
    unsigned set = 0;
    for (unsigned i = 0; i < DISTINCT_WORDS; i++)
        set += (unsigned)__builtin_popcountll(words[i]);
    const double bits = DISTINCT_WORDS * 64, free_bits = set < bits ? bits - set : 0.5;
    return (uint64_t)(bits * log(bits / free_bits) + 0.5);
}

static void add_latency(void *state, const struct aggregate_input *in)
{
    latency_add(state, in->value);
}

static void merge_latencies(void *to, const void *from, unsigned count)
{
    struct latency *const a = to;
    const struct latency *const b = from;
    for (unsigned i = 0; i < count; i++) {
        a[i].count += b[i].count;
        a[i].sum += b[i].sum;
        largest_add(&a[i].max, b[i].max);
        histogram_merge(&a[i].histogram, &b[i].histogram);
    }
}

static uint64_t finish_latency(const void *state)
{
    const struct latency *const l = state;
    return l->count;
}

static void free_latency(void *state)
{
    struct latency *const l = state;
    histogram_fini(&l->histogram);
}

void most_add_miss(struct most *s, uint32_t of, uint64_t weight)
{
    unsigned lightest = 0;
    for (unsigned i = 1; i < MOST_CANDIDATES; i++)
        if (s->weight[i] < s->weight[lightest])
            lightest = i;
    /* A miss pays with the lightest one's weight: every candidate loses as much. */
    const uint64_t cost = s->weight[lightest] < weight ? s->weight[lightest] : weight;
    for (unsigned i = 0; i < MOST_CANDIDATES; i++)
        s->weight[i] -= cost;
    if (weight > cost) {
        s->of[lightest] = of;
        s->weight[lightest] = weight - cost;
    }
}

static void add_most(void *state, const struct aggregate_input *in)
{
    most_add(state, (uint32_t)in->value, in->weight);
}

static void merge_most(void *to, const void *from, unsigned count)
{
    struct most *const a = to;
    const struct most *const b = from;
    for (unsigned i = 0; i < count; i++)
        for (unsigned n = 0; n < MOST_CANDIDATES; n++)
            most_add(&a[i], b[i].of[n], b[i].weight[n]);
}

static uint64_t finish_most(const void *state)
{
    return most_id(state);
}

/* ---- as bytes ------------------------------------------------------------------------------------ */

static void put_varint(struct payload_writer *to, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        put_u8(to, (unsigned)(number & 0x7f) | 0x80);
    put_u8(to, (unsigned)number);
}

/* A number of at most `most`, in as few bytes as it takes. */
static bool read_number(struct bytes *from, uint64_t most, uint64_t *out, struct err *err)
{
    const uint8_t *const start = from->at;
    unsigned bits;
    *out = bytes_varint(from, &bits);
    if (from->bad)
        return fail(err, "the state ends early");
    const size_t bytes = (size_t)(from->at - start);
    if ((bytes > 1 && !from->at[-1]) || bytes > 10 || (bytes == 10 && from->at[-1] > 1))
        return fail(err, "a number takes %zu bytes, more than it needs", bytes);
    return *out <= most || fail(err, "expected a number of at most %llu, found %llu",
                                (unsigned long long)most, (unsigned long long)*out);
}

static void encode_word(const void *state, struct payload_writer *to)
{
    put_varint(to, finish_word(state));
}

static bool decode_word(void *state, struct bytes *from, struct err *err)
{
    return read_number(from, UINT64_MAX, state, err);
}

static bool decode_last(void *state, struct bytes *from, struct err *err)
{
    const uint64_t *const last = state;
    if (!decode_word(state, from, err))
        return false;
    return !*last || finish_last(last) || fail(err, "a last id has a time, but is 0");
}

static void encode_distinct(const void *state, struct payload_writer *to)
{
    put_bytes(to, state, DISTINCT_WORDS * sizeof(uint64_t));
}

static bool decode_distinct(void *state, struct bytes *from, struct err *err)
{
    const uint8_t *const words = bytes_take(from, DISTINCT_WORDS * sizeof(uint64_t));
    if (!words)
        return fail(err, "the state ends early");
    memcpy(state, words, DISTINCT_WORDS * sizeof(uint64_t));
    return true;
}

/* Octaves of any value of 64 bits. */
enum { OCTAVES = 61 };

static const uint32_t *octave_at(const struct histogram *h, unsigned octave)
{
    return h->counts + (size_t)(octave - h->first) * HISTOGRAM_STEPS;
}

static bool is_octave_empty(const struct histogram *h, unsigned octave)
{
    const uint32_t *const counts = octave_at(h, octave);
    for (unsigned i = 0; i < HISTOGRAM_STEPS; i++)
        if (counts[i])
            return false;
    return true;
}

/* Count, sum, largest, first octave, how many, their steps; of no latencies the count alone.
 * Octaves at the ends that count nothing stay behind. */
static void encode_latency(const void *state, struct payload_writer *to)
{
    const struct latency *const l = state;
    const struct histogram *const h = &l->histogram;
    unsigned first = h->first, end = h->first + (unsigned)h->octaves;
    put_varint(to, l->count);
    if (!l->count)
        return;
    while (first < end && is_octave_empty(h, first))
        first++;
    while (first < end && is_octave_empty(h, end - 1))
        end--;
    put_varint(to, l->sum);
    put_varint(to, l->max);
    put_varint(to, first);
    put_varint(to, end - first);
    for (unsigned octave = first; octave < end; octave++)
        for (unsigned i = 0; i < HISTOGRAM_STEPS; i++)
            put_varint(to, octave_at(h, octave)[i]);
}

/* What the steps count together; UINT64_MAX where one counts no further. */
static uint64_t steps_count(const struct histogram *h)
{
    uint64_t all = 0;
    for (size_t i = 0; i < (size_t)h->octaves * HISTOGRAM_STEPS; i++) {
        if (h->counts[i] == UINT32_MAX)
            return UINT64_MAX;
        all += h->counts[i];
    }
    return all;
}

/* The largest lies in the last step that counts, and the histogram ends at its octave. */
static bool is_of_histogram(const struct histogram *h, uint64_t largest)
{
    const unsigned octave = histogram_octave(largest), step = histogram_step(largest, octave);
    if (octave != h->first + h->octaves - 1u || is_octave_empty(h, h->first))
        return false;
    const uint32_t *const counts = octave_at(h, octave);
    for (unsigned i = step + 1; i < HISTOGRAM_STEPS; i++)
        if (counts[i])
            return false;
    return counts[step];
}

static bool decode_histogram(struct latency *l, struct bytes *from, struct err *err)
{
    uint64_t first, octaves, steps;
    struct histogram *const h = &l->histogram;
    if (!read_number(from, OCTAVES - 1, &first, err) ||
        !read_number(from, OCTAVES - first, &octaves, err))
        return false;
    if (!octaves || octaves * HISTOGRAM_STEPS > from->left)
        return fail(err, "a histogram of %u octaves has %zu bytes", (unsigned)octaves, from->left);
    histogram_widen(h, (unsigned)first);
    histogram_widen(h, (unsigned)(first + octaves - 1));
    for (size_t i = 0; i < octaves * HISTOGRAM_STEPS; i++) {
        if (!read_number(from, UINT32_MAX, &steps, err))
            return false;
        h->counts[i] = (uint32_t)steps;
    }
    const uint64_t counted = steps_count(h);
    if (counted != l->count && counted != UINT64_MAX)
        return fail(err, "%llu latencies, but %llu in the histogram", (unsigned long long)l->count,
                    (unsigned long long)counted);
    return is_of_histogram(h, l->max) || fail(err, "the largest latency is not in the histogram");
}

static bool decode_latency(void *state, struct bytes *from, struct err *err)
{
    struct latency *const l = state;
    uint64_t most;
    if (!read_number(from, UINT64_MAX, &l->count, err))
        return false;
    if (!l->count)
        return true;
    if (!read_number(from, UINT64_MAX, &l->sum, err) ||
        !read_number(from, UINT64_MAX, &l->max, err))
        return false;
    if (__builtin_mul_overflow(l->count, l->max, &most))
        most = UINT64_MAX;
    if (l->sum < l->max || l->sum > most)
        return fail(err, "%llu latencies of at most %llu ns cannot add up to %llu ns",
                    (unsigned long long)l->count, (unsigned long long)l->max,
                    (unsigned long long)l->sum);
    return decode_histogram(l, from, err);
}

static void encode_most(const void *state, struct payload_writer *to)
{
    const struct most *const s = state;
    for (unsigned i = 0; i < MOST_CANDIDATES; i++) {
        put_varint(to, s->of[i]);
        if (s->of[i])
            put_varint(to, s->weight[i]);
    }
}

static bool decode_most(void *state, struct bytes *from, struct err *err)
{
    struct most *const s = state;
    for (unsigned i = 0; i < MOST_CANDIDATES; i++) {
        uint64_t of;
        if (!read_number(from, UINT32_MAX, &of, err))
            return false;
        for (unsigned n = 0; n < i; n++)
            if (of && s->of[n] == of)
                return fail(err, "candidate %u stands twice", (unsigned)of);
        s->of[i] = (uint32_t)of;
        if (of && !read_number(from, UINT64_MAX, &s->weight[i], err))
            return false;
    }
    return true;
}

/* ---- the table ----------------------------------------------------------------------------------- */

const struct aggregate aggregates[AGGREGATES] = {
    [AGGREGATE_SUM] = {"sum", NULL, sizeof(uint64_t), add_sum, merge_sums, finish_word, encode_word,
                       decode_word, NULL},
    [AGGREGATE_LARGEST] = {"largest", NULL, sizeof(uint64_t), add_largest, merge_largest,
                           finish_word, encode_word, decode_word, NULL},
    [AGGREGATE_LAST] = {"last", "one of the ids of the latest 2^20 ns", sizeof(uint64_t), add_last,
                        merge_largest, finish_last, encode_word, decode_last, NULL},
    [AGGREGATE_DISTINCT] = {"distinct", "a fifth, up to 1500 ids; the state itself is exact",
                            DISTINCT_WORDS * sizeof(uint64_t), add_distinct, merge_distinct,
                            finish_distinct, encode_distinct, decode_distinct, NULL},
    [AGGREGATE_LATENCY] = {"latency", "percentiles 1/16 too large; the state itself is exact",
                           sizeof(struct latency), add_latency, merge_latencies, finish_latency,
                           encode_latency, decode_latency, free_latency},
    [AGGREGATE_MOST] = {"most", "a weight is up to a fifth of the whole too small",
                        sizeof(struct most), add_most, merge_most, finish_most, encode_most,
                        decode_most, NULL},
};
