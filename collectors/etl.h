/* What collectors that read traces have in common. */
#ifndef COLLECTORS_ETL_H
#define COLLECTORS_ETL_H

#include "src/collect/collector.h"
#include "src/etl/etl.h"

/* What the log header says of the source. */
void etl_describe_source(const struct etl_file *f, struct source *out);

#endif
