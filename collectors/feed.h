/* Feeding a collector's two rings: what every collector here does with a record that
 * is ready to travel. Producer thread only. */
#ifndef COLLECTORS_FEED_H
#define COLLECTORS_FEED_H

#include "src/collect/collector.h"
#include "src/event/event.h"

struct feed {
    struct collector *collector;
    bool waits;         /* a full ring is waited for (files), else counted as loss (live) */
    bool slow_is_stuck; /* nobody takes from the slow ring: it is not waited for */
    /* Published when a full ring has to be waited for, so that the engine need not wait
     * for us at the same time. */
    int64_t complete_ns;
    struct record_lost reported; /* the losses that are in the ring as records */
};

enum feed_result { FEED_PUT, FEED_REFUSED, FEED_STOPPED, FEED_LEFT_OUT };

/* Puts a record into the hot ring and, if it is one of the rare ones, into the slow
 * ring too. FEED_REFUSED: refused by the hot ring, which counted it. FEED_STOPPED: the
 * collector is asked to stop while the ring is full; nothing was put. FEED_LEFT_OUT: by the
 * capture filter, which counted it. */
enum feed_result feed_put(struct feed *f, const struct record_head *head, const void *record, bool is_rare);

/* Rare events are kept long after the hot ring has lapped: what names the things that
 * other events are about (processes, threads, images, files, keys, connections,
 * configuration), and what says that something is missing. */
bool feed_is_rare(const struct event *e);
bool feed_is_rare_hook(uint16_t hook); /* of a kernel event */

/* `all`: losses before the feed, in all up to now. Puts those that are new as a record
 * (RECORD_LOST), so that a file written from the ring has the number and place of losses. `ts` is
 * raw, of the first source's clock. */
void feed_report_lost(struct feed *f, int64_t ts, const struct record_lost *all);

/* Puts a mark with this text; `ts` is raw, of the first source's clock. */
void feed_mark(struct feed *f, int64_t ts, const char *text);

/* Everything up to this time (ns since 1970) has been put. */
void feed_complete(struct feed *f, int64_t time_ns);
void feed_finish(struct feed *f);

/* Says a sentence to the user; see src/base/notices.h. */
void feed_notice(struct feed *f, const char *format, ...) PRINTF_LIKE(2, 3);

/* Sleeps toward `until` (os_now()), at most ten ms at a time so that stopping and
 * changes of mind are heard; false when the collector is to stop. */
bool feed_sleep(struct feed *f, int64_t until);

#endif
