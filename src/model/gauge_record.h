/* Records of sampled gauges and of what processes have of memory: how they are written, by
 * collectors and rundowns, as events of tracetop's provider (src/event/tracetop_provider.h). */
#ifndef SRC_MODEL_GAUGE_RECORD_H
#define SRC_MODEL_GAUGE_RECORD_H

#include "src/base/payload_writer.h"
#include "src/model/gauge.h"
#include "src/model/memory_history.h"

enum { GAUGE_FIELDS = 1024 }; /* room for a list of fields */

/* "Gauges": the fields of all known values (not NaN); then the values, in the same order. */
void gauge_record_fields(const double values[GAUGES], char out[GAUGE_FIELDS]);
void gauge_record_put(struct payload_writer *p, const double values[GAUGES]);

/* "Processor". */
#define GAUGE_RECORD_CPU "number:u32,user:f64,system:f64,irq:f64,steal:f64"
void gauge_record_put_cpu(struct payload_writer *p, unsigned number, const struct gauge_cpu *c);

/* "ProcessMemory", likewise. */
void gauge_record_memory_fields(const struct memory_reading *r, char out[GAUGE_FIELDS]);
void gauge_record_put_memory(struct payload_writer *p, uint32_t pid,
                             const struct memory_reading *r);

#endif
