/* The collectors of this room; collectors.c lists them in collector_kinds[]. */
#ifndef COLLECTORS_COLLECTORS_H
#define COLLECTORS_COLLECTORS_H

#include "src/collector.h"

extern const struct collector_kind collector_etl;
extern const struct collector_kind collector_synthetic;
extern const struct collector_kind collector_live; /* this platform's: "linux" … */

#endif
