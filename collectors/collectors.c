/* Where events come from: one row a collector. */
#include "collectors/collectors.h"

const struct collector_kind *const collector_kinds[] = {
    &collector_etl, &collector_recorder, &collector_synthetic, &collector_live, NULL,
};
