/* One `.etl` file from the inside: what file.c (file order), scan.c (from buffer to
 * buffer), feed.c (the records of one) and reader.c (time order) share. Everybody else uses
 * src/etl/etl.h. */
#ifndef SRC_ETL_FILE_H
#define SRC_ETL_FILE_H

#include "src/etl/buffer.h"
#include "src/etl/etl.h"
#include "src/etl/xpress.h"
#include "src/os/os.h"

/* ---- the records of one buffer (feed.c) -------------------------------------------- */

/* A buffer whose header is good. */
struct etl_spot {
    uint64_t offset; /* of its header in the file */
    struct etl_buffer head;
};

/* Memory that grows. */
struct etl_room {
    uint8_t *bytes;
    size_t room;
};

/* A buffer being read. Large ones come a piece at a time, so that many can be open at
 * once, and so that what is parsed is still in the cache. */
struct etl_feed {
    struct etl_spot spot;
    struct etl_walk walk;
    struct etl_room room; /* kept from buffer to buffer */
    struct xpress xpress;
    uint64_t in_at;   /* where the next piece is in the file */
    uint32_t in_left; /* bytes of the buffer in the file from there */
    bool is_damaged;  /* counted as such already */
};

struct etl_file;

/* Where the bytes of a feed are. */
enum etl_keep {
    ETL_BORROW, /* may stay in the file's window: good until something else is read */
    ETL_OWN,    /* the feed's own */
};

/* Starts with the buffer at `spot`; `ts` is what messages without a time get before the
 * first that has one. False for errors of the system. */
bool etl_feed_open(struct etl_feed *feed, struct etl_file *f, const struct etl_spot *spot,
                   int64_t ts, enum etl_keep keep, struct err *err);

/* The next event, good until the next call on this feed; says and counts damage. */
enum etl_answer etl_feed_next(struct etl_feed *feed, struct etl_file *f, struct event *out,
                              struct err *err);

/* Up to `room` (at least 1) events at once; *count of them with ETL_EVENT. */
enum etl_answer etl_feed_many(struct etl_feed *feed, struct etl_file *f, struct event *out,
                              size_t room, size_t *count, struct err *err);

/* A look at the first `want` bytes of a buffer's data (fewer where it ends), good until
 * the next call that reads; says nothing. False for errors of the system. */
bool etl_feed_peek(struct etl_file *f, const struct etl_spot *spot, uint32_t want,
                   struct etl_walk *out, struct err *err);

/* Time of the first event of a buffer that has one, from as few bytes as do; *ts stays
 * where none has. False for errors of the system. */
bool etl_feed_first_time(struct etl_file *f, const struct etl_spot *spot, int64_t *ts,
                         struct err *err);

/* ---- the file (file.c) ----------------------------------------------------------------- */

/* The part of a file that was read last. Buffers lie one behind the other, so one
 * read brings several small ones. */
struct etl_window {
    struct etl_room room;
    size_t have, chunk; /* chunk: what is read at least */
    uint64_t offset;
};

enum { ETL_SENTENCES = 16 };

struct etl_file {
    char *name;
    struct os_file *os;
    char *damage;  /* met while it was unpacked: the sentence; or NULL */
    uint64_t size; /* when it was opened */
    struct etl_header header;
    struct trace_clock clock;
    struct etl_tally tally;
    char *sentences[ETL_SENTENCES];
    unsigned sentence_count;
    struct etl_window window;
    struct etl_room scratch; /* for a look at compressed data */
    uint64_t at;             /* where the next buffer is expected */
    uint64_t previous;       /* where the last good one was */
    uint32_t stride;         /* size of every buffer; 0 in compressed logs, where they differ */
    uint32_t cpus_seen;      /* the highest that a buffer names, and 1 */
    uint32_t probes;         /* candidates looked behind, searching after damage */
    bool is_finished;        /* the end was met and its sentences said */
    bool is_growing;         /* somebody writes it: behind its last whole buffer is nothing yet */
    struct etl_feed feed;    /* file order: the buffer at hand */
    bool is_feeding;
    struct etl_ahead *ahead; /* large compressed logs, where there are two processors */
    int64_t ts;              /* of the last event */
};

/* Small enough that reading headers alone costs little. */
enum { ETL_SCAN_CHUNK = 4096 };

/* Reads the log header once more: whoever writes the file counts there. Where it cannot be read, it
 * stays what it was. */
bool etl_read_header_again(struct etl_file *f, struct err *err);

/* ---- from buffer to buffer (scan.c) ----------------------------------------------------- */

/* The next good buffer; damage before it is said and counted. ETL_EVENT stands for
 * "there is one". */
enum etl_answer etl_scan(struct etl_file *f, struct etl_spot *out, struct err *err);

/* Where all buffers have one size, a header with another size counts only when that size leads to
 * the next header and the common one does not. False when the size was corrected. */
bool etl_settle_size(struct etl_file *f, struct etl_spot *spot);

/* Does another header begin there, or does the file end there? */
bool etl_is_header_or_end(struct etl_file *f, uint64_t offset);

/* ---- bytes of the file (window.c) ------------------------------------------------------- */

/* Makes room for `bytes`; false with a sentence when there is no memory. */
bool etl_room_get(struct etl_room *r, size_t bytes, struct err *err);

/* The end of the file as it is now. */
uint64_t etl_size_now(const struct etl_file *f);

/* Up to `want` bytes at `offset`, good until the next call; *got = how many the file has. NULL for
 * errors of the system. */
const uint8_t *etl_window_at(struct etl_file *f, uint64_t offset, size_t want, size_t *got,
                             struct err *err);

/* ---- reports (say.c) ---------------------------------------------------------------- */

/* Keeps a sentence for etl_sentence(). */
void etl_notice(struct etl_file *f, const char *format, ...) PRINTF_LIKE(2, 3);

/* Damage, said and counted: bytes that are passed over inside a buffer; a file that ends
 * after `got` of a buffer's `want` bytes; data of which only a part could be
 * decompressed; a header that is no longer what it was. */
void etl_notice_skipped(struct etl_file *f, struct etl_feed *feed, const char *why);
void etl_notice_cut(struct etl_file *f, struct etl_feed *feed, uint32_t want, size_t got);
void etl_notice_unpacked(struct etl_file *f, struct etl_feed *feed, const struct etl_unpacked *u);
void etl_notice_changed(struct etl_file *f, struct etl_feed *feed, const char *why);

#endif
