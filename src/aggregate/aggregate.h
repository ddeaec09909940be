/* Aggregates: what facts add up to. A state takes values one by one, joins another state of its
 * kind, becomes a number, and travels as bytes. Tables keep the states of all measures in their
 * rows, those of built-in panes and of views from files alike (src/table/table.c).
 *
 * Split the input anywhere and merge in any order: exact aggregates have the state of one pass,
 * the others stay within the error that their row in aggregate.c states.
 *
 * Encoding and decoding have no caller but the test yet: partial results that one process sends to
 * another will be made of them. */
#ifndef SRC_AGGREGATE_AGGREGATE_H
#define SRC_AGGREGATE_AGGREGATE_H

#include "src/base/err.h"
#include "src/base/histogram.h"

struct bytes;
struct payload_writer;

/* Up to AGGREGATE_DISTINCT, states are words of 64 bits, and a row keeps them side by side. */
enum aggregate_kind {
    AGGREGATE_SUM,
    AGGREGATE_LARGEST,  /* of a complement it is the least */
    AGGREGATE_LAST,     /* an id, at the latest time */
    AGGREGATE_DISTINCT, /* how many different ids */
    AGGREGATE_LATENCY,  /* count, sum, largest, and a histogram: mean and percentiles */
    AGGREGATE_MOST,     /* the id that weighs most */
    AGGREGATES,
};

/* One value; ids are 32 bits, and 0 is none. */
struct aggregate_input {
    uint64_t value;
    uint64_t weight; /* AGGREGATE_MOST */
    int64_t time;    /* AGGREGATE_LAST */
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

/* Which ids were met, a bit each by their hash: 512 bits tell some thousands apart. */
enum { DISTINCT_WORDS = 8 };

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
