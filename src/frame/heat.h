/* Heat: counts by time and latency, or by time and processor, of bounded size. Time is cut
 * into equal columns; when there are too many, either two become one or the oldest go. */
#ifndef SRC_FRAME_HEAT_H
#define SRC_FRAME_HEAT_H

#include "src/frame/chart.h"
#include "src/table/row.h"

struct heat_cell { /* of a processor's lane */
    uint64_t busy;
    struct most who;
};

struct heat {
    int64_t origin, column_ns;
    int64_t base;       /* number of the first column: it begins at origin + base × column_ns */
    unsigned used, room; /* columns */
    unsigned rows;
    bool is_fixed;      /* the columns' length stays, the oldest go */
    uint32_t *counts;   /* [column × rows + row]: latencies or sizes … */
    struct heat_cell *cells; /* … or, in a map of processors, this */
};

struct heat_options {
    int64_t origin;    /* a column begins here */
    int64_t column_ns; /* to begin with */
    unsigned columns, rows;
    bool is_fixed, is_of_cpus;
};

void heat_init(struct heat *h, const struct heat_options *o);
void heat_fini(struct heat *h);

/* One operation of that latency or size that ended at `time`. What is older than the oldest column
 * there may be is left out. */
void heat_count(struct heat *h, int64_t time, uint64_t amount);

/* A time slice on a lane that ended at `to` and lasted ns; who: not 0. What lies before `from`
 * counts in the first column. */
void heat_slice(struct heat *h, unsigned lane, int64_t from, int64_t to, uint64_t ns, uint32_t who);

/* Columns that end by `time` go. */
void heat_forget(struct heat *h, int64_t time);

size_t heat_bytes(const struct heat *h);

#endif
