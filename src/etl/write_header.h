/* The record of the log header from the writer's side: where its fields are. */
#ifndef SRC_ETL_WRITE_HEADER_H
#define SRC_ETL_WRITE_HEADER_H

#include "src/etl/etl.h"

/* What the writer sets in a log header; the rest of it stays as it is. */
struct etl_header_counts {
    uint32_t buffer_bytes, mode, maximum_size, buffers_written, start_buffers, cpus;
    uint32_t events_lost, buffers_lost;
    int64_t end;
};

/* Into `record`, which etl_header_read() took. */
void etl_header_set(uint8_t *record, uint32_t bytes, const struct etl_header_counts *c);

/* When the log began: the record's own raw time, and the FILETIME of the same moment. */
void etl_header_set_start(uint8_t *record, uint32_t bytes, int64_t ts, int64_t start);

#endif
