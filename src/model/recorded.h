/* Recorded time by class: when events of each class were recorded at all. Rates and percentages
 * divide by it, so that a class that was recorded for part of the time is not diluted.
 *
 * Live collectors state when they switch a class on and off; recordings of ours repeat that in
 * events "Recorded" (src/event/tracetop_provider.h). Where nobody states anything, samples,
 * switches, interrupts and system calls were recorded from the first to the last of their events,
 * all other classes during the whole trace. Engine's thread. */
#ifndef SRC_MODEL_RECORDED_H
#define SRC_MODEL_RECORDED_H

#include "src/model/fact.h"

/* Spans beyond this are merged where the gap between two is the shortest. */
enum { RECORDED_SPANS = 16 };

#define RECORDED_ON INT64_MAX /* the end of a span that goes on */

struct recorded_span {
    int64_t from, to; /* ns since 1970 */
};

struct recorded {
    /* As stated, in order and apart from each other; none: nobody stated anything. */
    struct recorded_span spans[FACT_CLASSES][RECORDED_SPANS];
    uint8_t counts[FACT_CLASSES];
    /* As seen: events. */
    struct {
        int64_t first, last;
        uint64_t count;
    } seen[FACT_CLASSES];
    bool is_over; /* nothing more will come */
};

static inline void recorded_see(struct recorded *r, const struct fact *f)
{
    if (f->op != OP_SLICE && (!r->seen[f->class].count++ || f->time < r->seen[f->class].first))
        r->seen[f->class].first = f->time; /* a slice is no event, but goes on to its end */
    if (f->time > r->seen[f->class].last)
        r->seen[f->class].last = f->time;
}

/* The class was, or is, recorded in that span. An earlier statement with the same beginning is
 * replaced: that a class goes on is known before its end is. */
void recorded_state(struct recorded *r, unsigned class, int64_t from, int64_t to);

/* The class was switched off; nothing where it was not on. */
void recorded_end(struct recorded *r, unsigned class, int64_t to);

/* When the class was recorded, oldest first, where that is stated or follows from its events.
 * Returns the number of spans. */
unsigned recorded_known(const struct recorded *r, unsigned class,
                        struct recorded_span out[RECORDED_SPANS]);

/* What of from … to it was recorded in: all of it where nothing is known; nothing where other
 * classes are stated, and of this one there is no event. */
unsigned recorded_in(const struct recorded *r, unsigned class, int64_t from, int64_t to,
                     struct recorded_span out[RECORDED_SPANS]);

/* How much of from … to that is, ns. */
int64_t recorded_ns(const struct recorded *r, unsigned class, int64_t from, int64_t to);

/* The same of the time of a thread on a processor: all of it, but where switches are stated to have
 * been off meanwhile, as between two recordings. */
static inline int64_t recorded_stay(const struct recorded *r, int64_t from, int64_t to)
{
    const unsigned count = r->counts[FACT_SWITCH];
    const bool is_whole = !count || (count == 1 && r->spans[FACT_SWITCH][0].to == RECORDED_ON);
    return is_whole || to <= from ? to - from : recorded_ns(r, FACT_SWITCH, from, to);
}

/* Names of classes in the event; NULL beyond them. False where no class has that name. */
const char *recorded_class_name(unsigned class);
bool recorded_class_named(const char *name, unsigned *class);

#endif
