/* Gauges (src/model/gauge.h) by interval: what the facts of each interval add up to, and what was
 * sampled in it, for the newest intervals. Engine's thread. */
#ifndef SRC_MODEL_GAUGE_HISTORY_H
#define SRC_MODEL_GAUGE_HISTORY_H

#include "src/model/fact.h"
#include "src/model/gauge.h"
#include "src/model/gauge_samples.h"

#include <stddef.h>

enum { GAUGE_INTERVALS = 4096 }; /* that are kept: over an hour of seconds, 0.5 MB */

/* What the figures of an interval are divided by, and what no fact says of it. */
struct gauge_interval {
    double seconds[FACT_CLASSES]; /* that the class was recorded */
    double length;                /* seconds */
    unsigned cpus;
    uint64_t events, lost;
    const struct gauge_samples *samples; /* NULL: none … */
    int64_t end_ns;                      /* … as of then */
};

struct gauge_history;

struct gauge_history *gauge_history_new(void);
struct gauge_history *gauge_history_copy(const struct gauge_history *h);
void gauge_history_free(struct gauge_history *h);  /* NULL is fine */
void gauge_history_clear(struct gauge_history *h); /* no interval is kept, nothing counted */
size_t gauge_history_bytes(const struct gauge_history *h);

/* Facts of these classes count. */
enum {
    GAUGE_CLASSES = 1u << FACT_SWITCH | 1u << FACT_SAMPLE | 1u << FACT_DISK | 1u << FACT_NETWORK |
                    1u << FACT_DPC | 1u << FACT_ISR
};

/* A fact of the running interval; `is_busy`: its process is known to be none of idle processors. */
void gauge_history_count(struct gauge_history *h, const struct fact *f, bool is_busy);

/* The running interval, which has this number, is over; `steps` later another one runs. Numbers
 * that do not follow drop what was kept. */
void gauge_history_step(struct gauge_history *h, uint64_t number, uint32_t steps,
                        const struct gauge_interval *i);

/* The numbers of intervals that are kept: from the first up to, and without, the end. */
uint64_t gauge_history_first(const struct gauge_history *h);
uint64_t gauge_history_end(const struct gauge_history *h);

/* An interval that is kept: a value for each gauge, NaN where it is not known. */
const float *gauge_history_at(const struct gauge_history *h, uint64_t number);

/* The same of the running interval, up to now. */
void gauge_history_running(const struct gauge_history *h, const struct gauge_interval *i,
                           float out[GAUGES]);

/* Processors of an interval: how many of the `room` were filled in; 0: not known, or kept no more.
 * `i`: of the running interval, else NULL. */
unsigned gauge_history_cpus(const struct gauge_history *h, uint64_t number,
                            const struct gauge_interval *i, struct gauge_cpu *out, unsigned room);

#endif
