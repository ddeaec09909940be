/* Aggregates: what facts add up to. A state takes values one by one, joins another state of its
 * kind, becomes a number, and travels as bytes. Tables keep the states of all measures in their
 * rows, those of built-in panes and of views from files alike (src/table/table.c).
 *
 * Split the input anywhere and merge in any order: exact aggregates have the state of one pass,
 * the others stay within the error that their row in aggregate.c states.
 *
 * Encoded states are what the history of intervals holds (src/table/row_code.h). */
#ifndef SRC_AGGREGATE_AGGREGATE_H
#define SRC_AGGREGATE_AGGREGATE_H

#include "src/base/err.h"
#include "src/base/fixed.h"
#include "src/base/histogram.h"

struct bytes;
struct payload_writer;

/* Before AGGREGATE_LATENCY, states are words of 64 bits, and a row keeps them side by side. */
enum aggregate_kind {
    AGGREGATE_SUM,
    AGGREGATE_LARGEST,        /* of a complement it is the least */
    AGGREGATE_FIRST,          /* the value at the earliest time … */
    AGGREGATE_LAST,           /* … and at the latest; of several the largest */
    AGGREGATE_MOMENTS,        /* count, sum, sum of squares: standard deviation */
    AGGREGATE_DISTINCT,       /* how many different ids */
    AGGREGATE_NUMBERS,        /* the sum of numbers that may be fractions */
    AGGREGATE_LARGEST_NUMBER, /* the largest of such */
    AGGREGATE_LATENCY,        /* count, sum, largest, and a histogram: mean and percentiles */
    AGGREGATE_MOST,           /* the id that weighs most */
    AGGREGATE_TREND,          /* the amounts of the last intervals */
    AGGREGATES,
};

/* One value. Ids (DISTINCT, MOST) are 32 bits, and 0 is none. */
struct aggregate_input {
    uint64_t value;
    uint64_t weight; /* AGGREGATE_MOST */
    int64_t time;    /* AGGREGATE_FIRST, AGGREGATE_LAST; AGGREGATE_TREND: the interval's number */
    const struct fixed *number; /* of NUMBERS, LARGEST_NUMBER, MOMENTS and TREND; NULL: `value` */
};

/* A state of zeros has counted nothing. */
struct aggregate {
    const char *id;
    const char *error; /* NULL = exact */
    size_t bytes;      /* of a state */
    void (*add)(void *state, const struct aggregate_input *in);
    void (*merge)(void *to, const void *from, unsigned count); /* states side by side */
    uint64_t (*finish)(const void *state); /* latencies: how many; else what the name says */
    void (*encode)(const void *state, struct payload_writer *to); /* at most AGGREGATE_ENCODED */
    /* Into a state of zeros. False with a sentence where the bytes are no encoding of a state; to
     * be freed in any case. */
    bool (*decode)(void *state, struct bytes *from, struct err *err);
    void (*free)(void *state); /* what it refers to; NULL = nothing */
};

extern const struct aggregate aggregates[AGGREGATES];

/* Room for any state, encoded. */
enum { AGGREGATE_ENCODED = 8192 };

/* ---- states ------------------------------------------------------------------------------------ */

/* What most facts and rows come by is inline. */

static inline void sums_merge(uint64_t *to, const uint64_t *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] += from[i];
}

static inline void largest_add(uint64_t *largest, uint64_t value)
{
    *largest = value > *largest ? value : *largest;
}

/* The state of AGGREGATE_LARGEST_NUMBER: numbers in the order of unsigned ones; zeros are none. */
struct fixed number_rank(struct fixed number); /* and back */

/* FIRST, LAST: its time as a rank (0 = there is none), and the value. */
enum { AT_TIME_WORDS = 2 };

/* Sums of values with their signs, and of their squares: wide enough for as many as can be counted.
 */
enum { MOMENTS_SUM = 3, MOMENTS_SQUARES = 5 };
struct moments {
    uint64_t count, sum[MOMENTS_SUM], squares[MOMENTS_SQUARES];
};

/* 0 where there is none. */
double moments_deviation(const struct moments *m);

/* The ids that were met, in order; of more than DISTINCT_LISTED, a sketch: by their hashes the
 * longest run of zeros in each register (HyperLogLog), six bits each. */
enum { DISTINCT_LISTED = 31, DISTINCT_REGISTERS = 155, DISTINCT_SKETCH = DISTINCT_LISTED + 1 };
struct distinct {
    uint32_t count; /* of the ids that are listed; DISTINCT_SKETCH: it is a sketch */
    uint32_t of[DISTINCT_LISTED];
};

/* The largest state of words. */
enum { AGGREGATE_WORDS = sizeof(struct distinct) / sizeof(uint64_t) };

/* Latencies: figures, and their histogram. */
struct latency {
    uint64_t count, sum, max;
    struct histogram histogram;
};

/* Returns by how many octaves its histogram grew. */
static inline unsigned latency_add(struct latency *l, uint64_t ns)
{
    const unsigned before = l->histogram.octaves;
    l->count++;
    l->sum += ns;
    largest_add(&l->max, ns);
    histogram_add(&l->histogram, ns, 1);
    return l->histogram.octaves - before;
}

/* Likewise of numbers that may be fractions: `sum` has none, `max` has the bits of a double. */
unsigned latency_add_real(struct latency *l, double number);
double latency_max_real(uint64_t max);

enum { MOST_CANDIDATES = 4 };

/* The heaviest of many by a few candidates (Misra-Gries): what truly weighs more
 * than a fifth of the whole is always among them. */
struct most {
    uint32_t of[MOST_CANDIDATES];
    uint64_t weight[MOST_CANDIDATES];
};

void most_add_miss(struct most *s, uint32_t of, uint64_t weight);
static inline void most_add(struct most *s, uint32_t of, uint64_t weight)
{
    if (!of || !weight)
        return;
    for (unsigned i = 0; i < MOST_CANDIDATES; i++)
        if (s->of[i] == of) {
            s->weight[i] += weight;
            return;
        }
    most_add_miss(s, of, weight);
}

/* What the last one and so many before it amounted to, up to the latest that anything was put
 * into. One step back shows as many as a cell has room for; beyond what is kept, fewer. */
enum { TREND_KEPT = 32 };
struct trend {
    uint64_t interval;     /* number of the last one */
    double of[TREND_KEPT]; /* at the number modulo TREND_KEPT */
};

/* Adds an amount to an interval; to one that is too old, nothing. */
void trend_put(struct trend *t, uint64_t interval, double amount);
double trend_get(const struct trend *t, uint64_t interval);

/* The place of the heaviest. */
static inline unsigned most_heaviest(const struct most *s)
{
    unsigned heaviest = 0;
    for (unsigned i = 1; i < MOST_CANDIDATES; i++)
        if (s->weight[i] > s->weight[heaviest])
            heaviest = i;
    return heaviest;
}

/* Its id; 0 = there is none. */
static inline uint32_t most_id(const struct most *s)
{
    const unsigned heaviest = most_heaviest(s);
    return s->weight[heaviest] ? s->of[heaviest] : 0;
}

#endif
