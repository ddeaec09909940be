/* A file full of what the synthetic machine does. */
#ifndef TESTS_MAKE_ETL_H
#define TESTS_MAKE_ETL_H

#include "collectors/synthetic/synthetic.h"
#include "tests/etl_writer.h"

/* Writes records until the machine is done or the file has `most_bytes` (0 = no limit);
 * *records: how many. Of `shape` only what makes it odd is taken: buffer size, unstopped;
 * the rest is the machine's. */
bool make_etl(const char *path, const struct synthetic_options *o,
              const struct etl_writer_options *shape, uint64_t most_bytes, uint64_t *records,
              struct err *err);

#endif
