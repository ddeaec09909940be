/* What a thread that may not wait hands to the collector's, and the order in which the
 * collector takes it.
 *
 * An intake is one producer's: a system that calls us with an event puts it here, already in
 * the form in which it travels on. An order is the consumer's view of one or more intakes:
 * records of one processor of one intake are taken in the order in which they came, and of all
 * that have come the one with the smallest time is next. A full intake is a counted loss.
 *
 * Threads: the producer of an intake calls reserve and commit; everything else is the
 * consumer's, the counts may be read by any thread. All intakes of an order share one clock. */
#ifndef COLLECTORS_INTAKE_H
#define COLLECTORS_INTAKE_H

#include "src/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intake;

/* `bytes` is a power of two of at least 256 KiB. NULL when there is no memory. */
struct intake *intake_new(size_t bytes);
void intake_free(struct intake *i); /* NULL is fine */

/* ---- producer ------------------------------------------------------------------------ */

/* Room for what stands behind the head (head->bytes - sizeof *head bytes), or NULL when there
 * is none, which is counted. */
uint8_t *intake_reserve(struct intake *i, const struct record_head *head);
void intake_commit(struct intake *i);

/* ---- any thread ---------------------------------------------------------------------- */

struct intake_figures {
    uint64_t put, lost;  /* records */
    uint64_t used, room; /* bytes */
};
struct intake_figures intake_figures(const struct intake *i);

/* ---- consumer ------------------------------------------------------------------------ */

enum { ORDER_INTAKES = 4 };

struct order;

struct order *order_new(unsigned processors);
void order_free(struct order *o);

/* Intakes take part from here on. */
void order_add(struct order *o, struct intake *i);

/* Takes note of what has come. */
void order_look(struct order *o);

/* The next record up to this time, or any while an intake is nearly full; NULL: none. Its
 * bytes stand behind it and are good until order_take(). */
const struct record_head *order_next(struct order *o, int64_t until);
void order_take(struct order *o); /* the one that order_next() gave is done with */

#endif
