/* The time strip: figures of the whole machine over all the time that was recorded, as one line;
 * what a request may ask for, and what a frame then has. It goes back further than single events
 * do. */
#ifndef SRC_FRAME_STRIP_H
#define SRC_FRAME_STRIP_H

#include "src/model/gauge.h"

#include <stdbool.h>
#include <stdint.h>

enum strip_metric {
    STRIP_CPU,    /* percent of all processors */
    STRIP_DISK,   /* bytes a second, read and written */
    STRIP_NET,    /* bytes a second, received and sent */
    STRIP_EVENTS, /* events a second */
    STRIP_METRICS
};

struct strip_metric_info {
    const char *id, *title; /* for configuration; for the screen */
    enum gauge_unit unit;
};

extern const struct strip_metric_info strip_metrics[STRIP_METRICS];

enum { STRIP_COLUMNS = 1000 };

/* A part of every request; zeroed, there is no strip. Compared as bytes. */
struct strip_look {
    uint8_t metric;   /* enum strip_metric */
    uint16_t columns; /* at most so many are wanted; 0: no strip */
    int64_t span_ns;  /* 0: all the time that was recorded, else so much of it … */
    int64_t end_ns;   /* … up to here; 0: up to the newest event */
};

/* What happened in a column, beside its figure: bits. */
enum strip_sign { STRIP_MARK = 1, STRIP_TRIGGER = 2, STRIP_LOSS = 4, STRIP_GAP = 8 };

/* In a frame; belongs to it. */
struct strip {
    uint8_t metric; /* that was asked for, if it was recorded, else events */
    uint32_t known; /* bit per metric that was recorded, or would be, live */
    unsigned columns;
    int64_t begin_ns, end_ns;  /* what the columns cover, in equal parts */
    float *values;             /* the mean of each column; NaN where nothing was recorded; owned */
    uint8_t *signs;            /* of each column: enum strip_sign; owned */
    double peak;               /* the largest value */
    double shown;              /* of what the frame's rows are about; NaN likewise */
    int64_t cell_ns;           /* nothing finer is known of this time */
    int64_t first_ns, last_ns; /* all the time that was recorded */
    int64_t kept_ns;           /* single events are known from here on; 0: none is */
};

void strip_free(struct strip *s); /* NULL is fine */

/* When the column begins; that after the last one: the end. */
static inline int64_t strip_time(const struct strip *s, unsigned column)
{
    const int64_t span = s->end_ns - s->begin_ns, columns = (int64_t)s->columns;
    return s->begin_ns + span / columns * column + span % columns * column / columns;
}

/* The column that the instant lies in; those beyond the ends: the nearest one. Needs columns. */
unsigned strip_column(const struct strip *s, int64_t instant);

#endif
