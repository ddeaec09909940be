#include "src/aggregate/inside.h"

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

static void take_at_time(uint64_t *state, uint64_t rank, uint64_t value)
{
    if (rank > state[0] || (rank == state[0] && value > state[1])) {
        state[0] = rank;
        state[1] = value;
    }
}

/* Times in the order of ranks, which begin with 1. */
static uint64_t rank_of(int64_t time)
{
    const uint64_t rank = (uint64_t)time ^ 1ull << 63;
    return rank ? rank : 1;
}

static void add_first(void *state, const struct aggregate_input *in)
{
    take_at_time(state, rank_of(~in->time), in->value);
}

static void add_last(void *state, const struct aggregate_input *in)
{
    take_at_time(state, rank_of(in->time), in->value);
}

static void merge_at_time(void *to, const void *from, unsigned count)
{
    uint64_t *const a = to;
    const uint64_t *const b = from;
    for (unsigned i = 0; i < count * AT_TIME_WORDS; i += AT_TIME_WORDS)
        take_at_time(a + i, b[i], b[i + 1]);
}

static uint64_t finish_at_time(const void *state)
{
    const uint64_t *const at = state;
    return at[1];
}

static struct fixed number_of(const struct aggregate_input *in)
{
    return in->number ? *in->number : fixed_of_whole(in->value);
}

static void add_number(void *state, const struct aggregate_input *in)
{
    const struct fixed number = number_of(in);
    fixed_add(state, &number);
}

static void merge_numbers(void *to, const void *from, unsigned count)
{
    struct fixed *const a = to;
    const struct fixed *const b = from;
    for (unsigned i = 0; i < count; i++)
        fixed_add(&a[i], &b[i]);
}

static uint64_t finish_number(const void *state)
{
    bool is_negative;
    uint64_t size;
    const struct fixed *const number = state;
    fixed_is_whole(*number, &is_negative, &size);
    return size;
}

struct fixed number_rank(struct fixed number)
{
    number.words[FIXED_WORDS - 1] ^= 1ull << 63;
    return number;
}

static void rank_add(struct fixed *largest, const struct fixed *rank)
{
    unsigned i = FIXED_WORDS - 1;
    while (i && rank->words[i] == largest->words[i])
        i--;
    if (rank->words[i] > largest->words[i])
        *largest = *rank;
}

static void add_largest_number(void *state, const struct aggregate_input *in)
{
    const struct fixed rank = number_rank(number_of(in));
    rank_add(state, &rank);
}

static void merge_largest_numbers(void *to, const void *from, unsigned count)
{
    struct fixed *const a = to;
    const struct fixed *const b = from;
    for (unsigned i = 0; i < count; i++)
        rank_add(&a[i], &b[i]);
}

static uint64_t finish_largest_number(const void *state)
{
    const struct fixed *const rank = state, number = number_rank(*rank);
    return finish_number(&number);
}

unsigned latency_add_real(struct latency *l, double number)
{
    const unsigned before = l->histogram.octaves;
    uint64_t bits = 0;
    if (number > 0)
        memcpy(&bits, &number, sizeof bits);
    l->count++;
    largest_add(&l->max, bits); /* of numbers above 0 they have the same order */
    histogram_add_real(&l->histogram, number);
    return l->histogram.octaves - before;
}

double latency_max_real(uint64_t max)
{
    double number;
    memcpy(&number, &max, sizeof number);
    return number;
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

static void encode_word(const void *state, struct payload_writer *to)
{
    put_varint(to, finish_word(state));
}

static bool decode_word(void *state, struct bytes *from, struct err *err)
{
    return read_number(from, UINT64_MAX, state, err);
}

static void encode_at_time(const void *state, struct payload_writer *to)
{
    const uint64_t *const at = state;
    put_varint(to, at[0]);
    if (at[0])
        put_varint(to, at[1]);
}

static bool decode_at_time(void *state, struct bytes *from, struct err *err)
{
    uint64_t *const at = state;
    return read_number(from, UINT64_MAX, &at[0], err) &&
           (!at[0] || read_number(from, UINT64_MAX, &at[1], err));
}

static void encode_number(const void *state, struct payload_writer *to)
{
    const struct fixed *const number = state;
    for (unsigned i = 0; i < FIXED_WORDS; i++)
        put_varint(to, number->words[i]);
}

static bool decode_number(void *state, struct bytes *from, struct err *err)
{
    struct fixed *const number = state;
    for (unsigned i = 0; i < FIXED_WORDS; i++)
        if (!read_number(from, UINT64_MAX, &number->words[i], err))
            return false;
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

/* Behind a step that counts nothing stands how many others follow it that do not, either. */
static void encode_steps(const uint32_t *counts, size_t steps, struct payload_writer *to)
{
    for (size_t i = 0; i < steps; i++) {
        const size_t zero = i;
        put_varint(to, counts[i]);
        if (counts[i])
            continue;
        while (i + 1 < steps && !counts[i + 1])
            i++;
        put_varint(to, i - zero);
    }
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
    if (first < end)
        encode_steps(octave_at(h, first), (size_t)(end - first) * HISTOGRAM_STEPS, to);
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

static bool decode_steps(uint32_t *counts, size_t steps, struct bytes *from, struct err *err)
{
    bool is_behind_zeros = false;
    uint64_t number, more;
    for (size_t i = 0; i < steps; i++) {
        if (!read_number(from, UINT32_MAX, &number, err))
            return false;
        counts[i] = (uint32_t)number;
        if (!number && is_behind_zeros)
            return fail(err, "zeros of a histogram stand apart");
        is_behind_zeros = !number;
        if (is_behind_zeros && !read_number(from, steps - i - 1, &more, err))
            return false;
        i += is_behind_zeros ? more : 0;
    }
    return true;
}

static bool decode_histogram(struct latency *l, struct bytes *from, struct err *err)
{
    uint64_t first, octaves;
    struct histogram *const h = &l->histogram;
    if (!read_number(from, OCTAVES - 1, &first, err) ||
        !read_number(from, OCTAVES - first, &octaves, err))
        return false;
    if (!octaves)
        return fail(err, "a histogram without octaves");
    histogram_widen(h, (unsigned)first);
    histogram_widen(h, (unsigned)(first + octaves - 1));
    if (!decode_steps(h->counts, octaves * HISTOGRAM_STEPS, from, err))
        return false;
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
    [AGGREGATE_FIRST] = {"first", NULL, AT_TIME_WORDS * sizeof(uint64_t), add_first, merge_at_time,
                         finish_at_time, encode_at_time, decode_at_time, NULL},
    [AGGREGATE_LAST] = {"last", NULL, AT_TIME_WORDS * sizeof(uint64_t), add_last, merge_at_time,
                        finish_at_time, encode_at_time, decode_at_time, NULL},
    [AGGREGATE_MOMENTS] = {"moments", NULL, sizeof(struct moments), moments_add, moments_merge,
                           moments_finish, moments_encode, moments_decode, NULL},
    [AGGREGATE_DISTINCT] = {"distinct", "none up to 31 ids, else mostly 8 % and rarely a quarter",
                            sizeof(struct distinct), distinct_add, distinct_merge, distinct_finish,
                            distinct_encode, distinct_decode, NULL},
    [AGGREGATE_NUMBERS] = {"numbers", NULL, sizeof(struct fixed), add_number, merge_numbers,
                           finish_number, encode_number, decode_number, NULL},
    [AGGREGATE_LARGEST_NUMBER] = {"largest number", NULL, sizeof(struct fixed), add_largest_number,
                                  merge_largest_numbers, finish_largest_number, encode_number,
                                  decode_number, NULL},
    [AGGREGATE_LATENCY] = {"latency", "percentiles 1/16 too large; the state itself is exact",
                           sizeof(struct latency), add_latency, merge_latencies, finish_latency,
                           encode_latency, decode_latency, free_latency},
    [AGGREGATE_MOST] = {"most", "a weight is up to a fifth of the whole too small",
                        sizeof(struct most), add_most, merge_most, finish_most, encode_most,
                        decode_most, NULL},
    [AGGREGATE_TREND] = {"trend", "none of whole numbers below 2^53; else that of double precision",
                         sizeof(struct trend), trend_add, trend_merge, trend_finish, trend_encode,
                         trend_decode, NULL},
};
