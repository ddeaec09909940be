/* What the whole machine did over all the time that was recorded, in cells of equal length: sums of
 * events, processor time and bytes, and moments to go to. It takes the same memory however long the
 * recording is: where the cells are used up, each two become one. Live, the last minutes are kept
 * in finer cells as well. Engine thread only. */
#ifndef SRC_ENGINE_TIMELINE_H
#define SRC_ENGINE_TIMELINE_H

#include "src/frame/strip.h"
#include "src/model/model.h"

#include <stddef.h>

enum timeline_sum {
    TIMELINE_EVENTS,
    TIMELINE_RUN,     /* ns that others than the idle threads ran, by context switches … */
    TIMELINE_SAMPLED, /* … and by samples; */
    TIMELINE_IDLE,    /* samples of the idle threads */
    TIMELINE_DISK,    /* bytes read and written */
    TIMELINE_NET,     /* bytes received and sent */
    TIMELINE_SUMS
};

enum {
    TIMELINE_CELLS = 4096,
    TIMELINE_NOTES = 2048, /* of the newest moments */
};

/* A moment, or a stretch without any event. */
struct timeline_note {
    int64_t from_ns, to_ns;
    uint8_t sign; /* enum strip_sign */
};

struct timeline_cell {
    double sums[TIMELINE_SUMS];
};

/* Cell n is of begin_ns + n × cell_ns on, and stands in cells[n % TIMELINE_CELLS]. */
struct timeline_level {
    int64_t begin_ns, cell_ns;
    int64_t last_ns;    /* the newest that was counted: the last cell is that long */
    int64_t first, end; /* numbers of the cells that are kept */
    bool slides;        /* the oldest cells make room; else each two become one */
    struct timeline_cell *cells;
};

struct timeline {
    struct timeline_level all, fine; /* fine: live only, else without cells */
    struct timeline_note notes[TIMELINE_NOTES];
    uint64_t note_count; /* ever; note n stands in notes[n % TIMELINE_NOTES] */
    int64_t newest_ns;   /* of the events that count; 0: none yet */
    int64_t doubtful_ns; /* a far later event: counted when the next one agrees; 0: none */
    uint32_t has;        /* bits of the sums that have counted anything */
};

void timeline_init(struct timeline *t, bool is_live);
void timeline_fini(struct timeline *t);

/* The recording begins here. What was counted from later on stays; what was before is left out. */
void timeline_begin(struct timeline *t, int64_t ns);

/* Counts an event, or a part of a time slice. A stretch of `gap_ns` or more before it is noted. */
void timeline_take(struct timeline *t, const struct model *m, const struct fact *f,
                   uint32_t process, int64_t gap_ns);

void timeline_note(struct timeline *t, enum strip_sign sign, int64_t from_ns, int64_t to_ns);

/* The sum between two moments; cells at their edges count in part. */
double timeline_sum(const struct timeline *t, enum timeline_sum sum, int64_t from_ns,
                    int64_t to_ns);

/* Nothing finer is known from this moment on. */
int64_t timeline_cell_ns(const struct timeline *t, int64_t from_ns);

/* Sets the signs of the strip's columns. What came since its end, up to `until_ns`, is in the last.
 */
void timeline_signs(const struct timeline *t, const struct strip *s, int64_t until_ns);

size_t timeline_bytes(const struct timeline *t);

#endif
