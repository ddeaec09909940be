/* Pictures of how long operations took or how large they were, and of who ran where: what a request
 * may ask for beside rows, and what a frame then has. What they look like: ui/README.md, Views. */
#ifndef SRC_FRAME_CHART_H
#define SRC_FRAME_CHART_H

#include "src/table/pane.h"
#include "src/table/value.h"

enum chart_kind {
    CHART_NONE,
    CHART_HISTOGRAM, /* latencies or sizes by powers of two */
    CHART_HEAT,      /* the same over the time of the history */
    CHART_ROWS,      /* the same of each row by powers of two */
    CHART_CPUS,      /* who ran where, over the time of the history */
    CHARTS,
};

enum {
    CHART_OCTAVES = 40, /* from below 16 ns on; beyond (two hours) the last one takes all */
    CHART_STEPS = 4,    /* of an octave, in heat maps */
    CHART_COLUMNS = 400,
    CHART_LANES = 64,  /* of processors; where there are more, several share a lane */
    CHART_NAMES = 7,   /* with a color each in a map of processors: as many as themes have */
    CHART_OTHER = 255, /* who: none of those */
};

/* A part of every request; zeroed, there is no picture. Compared as bytes. */
struct chart_look {
    uint8_t kind;      /* enum chart_kind */
    uint8_t measure;   /* of pane->measures: a MEASURE_HISTOGRAM; ignored without a table */
    bool of_row;       /* tables: only of the row with this key */
    struct row_key row;
    uint16_t columns, lanes; /* at most so many are wanted */
    int64_t column_ns; /* 0: as many as it takes for all that is kept; else of the newest */
};

/* What counts in the same way needs no new scan. */
bool chart_look_counts_alike(const struct chart_look *a, const struct chart_look *b);

/* The smallest value of a power of two, in ns or bytes; octave 0 begins at 0, octave n at 2^(n+3).
 */
uint64_t chart_octave_ns(unsigned octave);
unsigned chart_octave_of(uint64_t ns);

/* Likewise of a heat map's row: CHART_STEPS in each octave. */
uint64_t chart_row_ns(unsigned row);
unsigned chart_row_of(uint64_t ns);

/* In a frame; belongs to it. */
struct chart {
    uint8_t kind;
    /* Latencies (ns) or sizes (bytes): all that the picture shows. Percentiles are upper edges of
     * their steps. */
    uint64_t count, sum, max; /* sum and max of histograms of tables alone, else 0 */
    uint64_t p50, p90, p99, p999;
    uint64_t octaves[CHART_OCTAVES];
    uint64_t *of_rows; /* ROWS: of the frame's rows: [row × CHART_OCTAVES + octave]; owned */
    /* Over time: column n is of begin_ns + n × column_ns on. */
    int64_t begin_ns, column_ns;
    unsigned columns;
    uint32_t *cells;     /* HEAT: [column × rows + row], row 0 the fastest; owned */
    unsigned first_row, rows;      /* HEAT: of CHART_OCTAVES × CHART_STEPS, those with counts */
    unsigned lanes, cpus_per_lane; /* CPUS */
    uint64_t *busy;      /* ns that others than the idle threads ran: [column × lanes + lane]; owned */
    uint8_t *who;        /* who ran longest there: index into names + 1, 0 = nobody; owned … */
    uint32_t *pids;      /* … and which process of that name; owned */
    struct value names[CHART_NAMES]; /* of those that ran longest; arena */
    unsigned processes[CHART_NAMES]; /* that have the name */
    unsigned name_count;
    uint64_t busy_ns;    /* of all cells */
};

void chart_free(struct chart *p); /* NULL is fine */

#endif
