/* One buffer's records a piece at a time, for readers that have many buffers open at
 * once: whatever the size of the buffers, each takes a few pieces of memory. */
#ifndef SRC_ETL_FEED_H
#define SRC_ETL_FEED_H

#include "src/etl_file.h"
#include "src/xpress.h"

struct etl_feed {
    struct etl_spot spot;
    struct etl_walk walk;
    struct etl_room room;  /* kept from buffer to buffer */
    struct xpress xpress;
    uint64_t in_at;        /* where the next piece is in the file */
    uint32_t in_left;      /* bytes of the buffer in the file from there */
    bool is_damaged;
};

/* Starts with the buffer at `spot`; `ts` is what messages without a time get before the
 * first that has one. False for errors of the system. */
bool etl_feed_open(struct etl_feed *feed, struct etl_file *f, const struct etl_spot *spot,
                   int64_t ts, struct err *err);

/* The next event, good until the next call on this feed. */
enum etl_answer etl_feed_next(struct etl_feed *feed, struct etl_file *f, struct event *out,
                              struct err *err);

/* Time of the first event of a buffer that has one, from as few bytes as do; *ts stays
 * where none has. False for errors of the system. */
bool etl_feed_first_time(struct etl_file *f, const struct etl_spot *spot, int64_t *ts,
                         struct err *err);

#endif
