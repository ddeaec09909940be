/* How the processors are sampled: by their timer, as often as the machine is set or as is
 * requested, and by counters of theirs besides (--pmc). Intervals are the whole machine's: what is
 * changed is put back when sampling ends, and on every way out of the program (owned.h). */
#ifndef COLLECTORS_WINDOWS_SAMPLING_H
#define COLLECTORS_WINDOWS_SAMPLING_H

#include "collectors/windows/etw_api.h"

#include "src/base/err.h"
#include "src/collect/collector.h"

#include <stdbool.h>

struct windows_live;

enum {
    SAMPLING_TIMER = 0,     /* the source that all processors have */
    SAMPLING_COUNTERS = 4,  /* at once; processors have two to eight */
    SAMPLING_SOURCES = 256, /* that a machine lists */
};

struct sampling_source {
    ULONG source, interval; /* of the timer 100 ns, of counters counts; 0: as it is set */
};

struct sampling {
    ULONG timer; /* 100 ns; 0: as the machine is set */
    struct sampling_source counters[SAMPLING_COUNTERS];
    unsigned count;
    bool is_on;        /* intervals are as requested */
    bool has_counters; /* the machine has taken the list of counters */
    bool reported_timer, reported_counters;
};

/* What --sample-every and --pmc ask for; false with a sentence that names what there is. */
bool sampling_read(const struct collector_options *o, struct sampling *out, struct err *err);

/* Before sampling is switched on, and after it was switched off; any number of times. Says what
 * is refused. Control's thread. */
void sampling_begin(struct windows_live *l);
void sampling_end(struct windows_live *l);

/* What is known of a source. */
struct sampling_fact {
    ULONG source, least, most;
    char name[64];
};

/* The sources of this machine, by number; returns how many. */
unsigned sampling_list(struct sampling_fact *out, unsigned room);

/* Of the timer, 100 ns; 0 where it is unknown. */
ULONG sampling_interval(ULONG source);

#endif
