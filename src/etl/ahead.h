/* Decompressing ahead on a second thread, for reading a compressed log in file order. */
#ifndef SRC_ETL_AHEAD_H
#define SRC_ETL_AHEAD_H

#include "src/etl/file.h"

struct etl_ahead;

struct etl_ahead *etl_ahead_new(void);
void etl_ahead_free(struct etl_ahead *a); /* joins the thread; NULL is fine */

/* The next buffer of the file into its feed, like etl_scan() and etl_feed_open(); what was
 * in the feed before is gone. */
enum etl_answer etl_ahead_next(struct etl_ahead *a, struct etl_file *f, struct err *err);

#endif
