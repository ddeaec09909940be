/* Which columns of a pane the recording can fill. What a trace did not record is absent,
 * not zero: a column without a single event behind it shows `-` and gives its width to
 * others. The kinds of event met so far decide, which only become more. */
#ifndef SRC_TABLE_COLUMN_AVAILABILITY_H
#define SRC_TABLE_COLUMN_AVAILABILITY_H

#include "src/model/model.h"
#include "src/table/pane.h"

struct column_availability {
    uint32_t kinds;             /* of the model, so many were read */
    uint64_t ops[FACT_CLASSES]; /* met: bit per enum fact_op */
    bool is_linux;              /* so is every source that events came from */
    uint32_t of_providers;      /* classes that providers recorded, and no kernel logger did */
};

/* Reads the kinds that are new since the last call. */
void availability_look(struct column_availability *f, const struct model *m);

/* Has any event of the class been met? */
static inline bool availability_has(const struct column_availability *f, enum fact_class class)
{
    return f->ops[class] != 0;
}

/* The classes that must be recorded for the measure to be known: those of its facts, or the class
 * that has their kinds. */
uint32_t availability_classes(const struct column_availability *f, const struct measure *q);

/* Bit per column of the pane whose measures have nothing to measure. */
uint64_t availability_missing(const struct column_availability *f, const struct pane *p);

/* Those whose measures count only what lacks something that a filter asks for (filter_lacking()):
 * what would have passed is not known. `passing`: what can pass the filter (filter_ops()). */
uint64_t availability_lacking(const struct column_availability *f, const struct pane *p,
                              const uint64_t lacking[FACT_CLASSES],
                              const uint64_t passing[FACT_CLASSES]);

#endif
