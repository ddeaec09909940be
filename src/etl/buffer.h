/* Buffers of an `.etl` file: pure functions from spans to headers and records.
 *
 * WMI_BUFFER_HEADER, 72 bytes before the records:
 *   00 u32 bytes in the file     28 u16 processor index (or u8 number, u8 alignment)
 *   04 u32 saved offset          30 u32 end of the data, this header included and
 *   10 i64 time of the flush            before any compression
 *   18 i64 sequence              34 u16 flags    36 u16 type */
#ifndef SRC_ETL_BUFFER_H
#define SRC_ETL_BUFFER_H

#include "src/base/err.h"
#include "src/etl/etl.h"
#include "src/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ETL_BUFFER_HEADER = 72,
    /* Windows makes buffers of at most 16 MiB; data that does not compress grows by
     * an eighth. Beyond that a size is damage. */
    ETL_DATA_MOST = 16 * 1024 * 1024,
    ETL_BUFFER_MOST = ETL_DATA_MOST + ETL_DATA_MOST / 8 + ETL_BUFFER_HEADER,
};

struct etl_buffer {
    uint32_t bytes; /* in the file, header included */
    uint32_t end;   /* of the data, counted from the start of the (decompressed) buffer */
    uint16_t cpu, flags, type;
    bool is_compressed;
    bool is_zero; /* the header is all zeros: preallocated and never used, or wiped */
};

/* Reads the header at `at`, ETL_BUFFER_HEADER bytes of it. */
struct etl_buffer etl_buffer_read(const uint8_t *at);

/* Could this be a buffer? Says which field is wrong, expected and found. Leaves room for
 * flags and types that later systems may add. */
bool etl_buffer_check(const struct etl_buffer *b, struct err *err);

/* Is it one of those that are known? For searches, where anything may look like one. */
bool etl_buffer_is_familiar(const struct etl_buffer *b);

/* Does the type hold events (general, rundown, header, batched)? */
bool etl_buffer_has_events(const struct etl_buffer *b);

/* A walk over the records of one buffer, or of a piece of it. */
enum { ETL_RECORD_MOST = 64 * 1024 }; /* Size has 16 bits */

struct etl_walk {
    const uint8_t *data; /* records, 8-aligned relative to the buffer */
    uint32_t at, bytes;  /* position in them, and their end */
    uint32_t base;       /* offset of `data` in the buffer's data */
    uint32_t beyond;     /* bytes of the buffer's data behind this piece */
    uint32_t skipped;    /* after a damaged step: bytes that were skipped */
    uint16_t cpu;
    uint8_t source;
    int64_t ts; /* of the event before: what messages without a time get */
};

enum etl_step {
    ETL_STEP_EVENT,
    ETL_STEP_END,    /* of the buffer */
    ETL_STEP_MORE,   /* the next record is not whole in this piece */
    ETL_STEP_DAMAGE, /* the walk went past it (to the next record or the end) */
};

/* The next record of the walk. Damage comes with a sentence of what was expected
 * and found at which offset of the buffer. */
enum etl_step etl_walk_next(struct etl_walk *w, struct event *out, struct err *err);

/* Up to `room` records at once; fewer where the next one needs etl_walk_next(). */
size_t etl_walk_many(struct etl_walk *w, struct event *out, size_t room);

struct etl_unpacked {
    uint32_t bytes;      /* that came out */
    bool is_bad;         /* the stream is damaged; otherwise it ended */
    const char *foreign; /* name of the compression that it is instead, or NULL */
};

/* Decompresses the data of a buffer, at most `room` bytes. */
struct etl_unpacked etl_unpack(const uint8_t *in, size_t bytes, uint8_t *out, uint32_t room);

/* Time of the first record that has one; false where none has. */
bool etl_first_time(const uint8_t *data, size_t bytes, int64_t *ts);

/* Reads TRACE_LOGFILE_HEADER from the first event of a file. */
bool etl_header_read(const struct event *e, struct etl_header *out, struct err *err);

/* The clock that the header describes. */
struct trace_clock etl_header_clock(const struct etl_header *h);

#endif
