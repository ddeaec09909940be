/* Cassettes: what ETW gave to a consumer of real-time sessions, verbatim and in its order. Made on
 * a real Windows by `tracetop selftest --cassette`, and from `.etl` files by tests/cassette; played
 * by the stand-in for ETW (tests/etw). Both directions are here; nothing else knows the bytes.
 *
 * Little-endian, offsets in hexadecimal. A head, then frames back to back; every frame, and every
 * part of one that is called padded, is filled up with zeros to a multiple of 8.
 *
 * Head, 64 bytes:
 *   00 u8[8] "ETWTAPE\n"     08 u16 version, 1      0a u16 bytes of the head, 64 or more
 *   0c u16 pointer size of the consumer, 4 or 8     0e u16 processors
 *   10 u32 build of Windows  14 u32 ProcessTraceMode
 *   18 i64 ticks of the performance counter in a second
 *   20 i64 performance counter when recording began  28 i64 the same moment as FILETIME
 *   30 zeros
 *
 * Frame:
 *   00 u32 bytes, padding included    04 u16 kind    06 u16 session, from 0
 *
 *   1 session  08 u32 LogFileMode     0c u32 bit 0: it may have kernel events
 *              10 u16 bytes of TRACE_LOGFILE_HEADER  12 u16 bytes of the name  14 zeros
 *              18 the header as OpenTrace filled it, padded; the name in UTF-16, padded
 *   2 call     08 i64 began           10 i64 took (ticks of the performance counter)
 *              18 u32 result          1c u16 bytes of the function's name
 *              1e u16 bytes of what it was about
 *              20 both texts, UTF-8, padded together
 *   3 event    08 i64 performance counter in the callback
 *              10 EVENT_HEADER, 80 bytes     60 ETW_BUFFER_CONTEXT, 4 bytes
 *              64 u16 extended items         66 u16 bytes of user data
 *              68 u64 bit 0: the pointer to the user data was NULL; bit 1 + n: that of item n was
 *              70 the items' heads, 8 bytes each: u16 Reserved1, u16 ExtType, u16 Linkage and
 *                 Reserved2, u16 bytes of data
 *                 data of each item, padded (none where its pointer was NULL)
 *                 user data, padded (likewise)
 *   4 buffer   08 i64 performance counter in the callback   10 u32 BuffersRead
 *              14 u32 BufferSize   18 u32 Filled   1c u32 EventsLost
 *   5 end      08 u64 events in the cassette   10 u64 events that found no room in it
 *
 * The end is the last frame. A cassette without one was cut off and is good until there. Frames of
 * other kinds are passed over: later versions may add some. */
#ifndef SRC_ETL_CASSETTE_H
#define SRC_ETL_CASSETTE_H

#include "src/base/bytes.h"
#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CASSETTE_VERSION = 1,
    CASSETTE_HEAD = 64,
    CASSETTE_ITEMS = 63, /* that a mask of 64 bits leaves; Windows has 18 types */
    CASSETTE_FRAME_MOST =
        1024 * 1024, /* an event and its items have 64 KiB together, the largest */
    CASSETTE_EVENT_HEADER = 80,
    CASSETTE_CONTEXT = 4,
};

struct cassette_head {
    uint16_t pointer, processors;
    uint32_t build, mode;
    int64_t frequency, began, began_filetime;
};

enum cassette_kind {
    CASSETTE_SESSION = 1,
    CASSETTE_CALL = 2,
    CASSETTE_EVENT = 3,
    CASSETTE_BUFFER = 4,
    CASSETTE_END = 5,
};

struct cassette_session {
    uint32_t mode;
    bool is_kernel;
    uint16_t header_bytes, name_bytes;
    const uint8_t *header, *name; /* name: UTF-16, no end */
};

struct cassette_call {
    int64_t began, took;
    uint32_t result;
    uint16_t name_bytes, about_bytes;
    const char *name, *about; /* no end */
};

struct cassette_item {
    uint16_t reserved, type, linkage, bytes;
    const uint8_t *data; /* NULL: the pointer was */
};

struct cassette_event {
    int64_t arrived;
    const uint8_t *header, *context;
    uint16_t item_count, user_bytes;
    const uint8_t *user; /* NULL: the pointer was */
    struct cassette_item items[CASSETTE_ITEMS];
};

struct cassette_buffer {
    int64_t arrived;
    uint32_t read, size, filled, lost;
};

struct cassette_end {
    uint64_t events, left_out;
};

/* Pointers are into the cassette. */
struct cassette_frame {
    enum cassette_kind kind;
    uint16_t session;
    union {
        struct cassette_session about;
        struct cassette_call call;
        struct cassette_event event;
        struct cassette_buffer buffer;
        struct cassette_end end;
    };
};

/* ---- reading: any bytes are safe ---------------------------------------------------------- */

struct cassette {
    struct cassette_head head;
    struct bytes rest;
    size_t size;
    uint64_t events;
    bool has_ended;
};

enum cassette_answer { CASSETTE_FRAME, CASSETTE_OVER, CASSETTE_DAMAGED };

/* The bytes must stay. False with a sentence. */
bool cassette_open(struct cassette *c, const void *bytes, size_t size, struct err *err);

/* The next frame of a known kind. CASSETTE_OVER behind the end, and where a whole frame is followed
 * by nothing; CASSETTE_DAMAGED with a sentence and the offset. */
enum cassette_answer cassette_next(struct cassette *c, struct cassette_frame *out, struct err *err);

/* ---- writing: into memory of the caller ------------------------------------------------------ */

struct cassette_writer {
    uint8_t *room; /* 8-aligned */
    size_t used, most;
    uint64_t events, left_out;
};

/* `most` bytes of room hold at least the head and the end. */
enum { CASSETTE_LEAST = CASSETTE_HEAD + 24 };
void cassette_begin(struct cassette_writer *w, void *room, size_t most,
                    const struct cassette_head *head);

/* Appends a frame. False where the room is used up, or the frame is beyond what the format bears;
 * an event counts as left out then. */
bool cassette_put(struct cassette_writer *w, const struct cassette_frame *f);

/* Appends the end, for which there always is room. w->used bytes are the cassette. */
void cassette_end(struct cassette_writer *w);

#endif
