/* The newest sampled gauges (src/model/gauge.h), as records of tracetop's provider or of Windows'
 * kernel say them. Engine's thread. */
#ifndef SRC_MODEL_GAUGE_SAMPLES_H
#define SRC_MODEL_GAUGE_SAMPLES_H

#include "src/model/types.h"
#include "src/model/gauge.h"

struct gauge_samples {
    double values[GAUGES]; /* where `ns` is not 0 */
    int64_t ns[GAUGES];    /* when each was sampled */
    unsigned cpu_count;
    struct gauge_sampled_cpu {
        struct gauge_cpu parts;
        int64_t ns;
    } * cpus;
};

/* What is so old at `ns` is not known any more; NaN then. */
double gauge_sample_at(const struct gauge_samples *s, enum gauge g, int64_t ns);

/* Likewise of a processor; parts are NaN then. */
struct gauge_cpu gauge_sample_cpu(const struct gauge_samples *s, unsigned cpu, int64_t ns);

/* Another value of a gauge. */
void gauge_sample(struct gauge_samples *s, enum gauge g, double value, int64_t ns);

/* Fact builders of the events. */
make_fact make_gauges, make_gauges_of_processor, make_process_memory;

#endif
