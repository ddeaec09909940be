/* What the files of the writer share. */
#ifndef SRC_ETL_WRITE_INSIDE_H
#define SRC_ETL_WRITE_INSIDE_H

#include "src/base/bytes.h"
#include "src/etl/buffer.h"
#include "src/etl/write.h"
#include "src/etl/write_header.h"
#include "src/etl/xpress.h"

enum {
    LOGGER = 1,
    STATE_FLUSH = 3,
    TYPE_EVENTS = 0,
    TYPE_HEADER = 4,
    AT_SEQUENCE = 0x18, /* of a buffer's header */
    FLAG_LAST = 0x01,   /* of a flush */
    FLAG_EVENTS_LOST = 0x02,
    FLAG_BUFFERS_LOST = 0x04,
    FLAG_PROCESSOR = 0x20, /* the processor index has 16 bits */
    FLAG_COMPRESSED = 0x40,
    HEADER_ALIGN = 512, /* of a compressed file's first buffer, whose size no other one shares */
    SLOTS_LEAST = 2,    /* of a circular file: one for events at least */
    BEHIND = 16,        /* full buffers of a stream that are on their way to the medium */
    PAUSE = 256,        /* … and go there by themselves where it cannot keep up */
};

static const int64_t SLOW_NS = 20 * 1000000;

struct write_buffer {
    uint8_t *bytes;
    uint32_t used;  /* header included */
    uint32_t filed; /* of `used`, in the file already; 0: it has no place there */
    uint32_t slot;  /* its place, in buffers */
    uint32_t sequence;
    uint32_t events, filed_events;
    uint16_t cpu, flags;
    int64_t last; /* raw time of the latest event */
};

/* What a place of a circular file holds. */
struct slot {
    struct write_buffer *holder; /* an unfinished buffer, or NULL */
    uint32_t events;
};

struct etl_write {
    char *name;
    struct os_file *file;
    uint32_t buffer_bytes;
    struct write_buffer header;
    struct write_buffer *cpus[ETL_WRITE_CPUS];
    unsigned cpu_count; /* the highest that logged something, + 1 */
    struct etl_header_counts counts;
    struct trace_clock clock;
    struct etl_written written;
    uint32_t sequence;            /* of the last buffer */
    uint32_t slot_count;          /* of a circular file; 0: it grows */
    struct slot *slots;           /* likewise */
    uint32_t first;               /* slots before it are kept */
    uint32_t next;                /* where the next buffer goes */
    uint32_t waiting;             /* buffers that hold something and have no place yet */
    struct xpress_packer *packer; /* NULL: the file is not compressed */
    uint8_t *packed;              /* a buffer as it goes to the file; likewise */
    uint64_t end;                 /* of a compressed file */
    uint16_t loss_flags;          /* for the next buffer */
    int64_t last;
    bool is_stream;
    uint32_t behind[BEHIND]; /* slots on their way; 0: none (that is the header's) */
    uint64_t passed;         /* slots so far, which turn round in `behind` */
    unsigned pause;          /* buffers that are not passed on */
};

uint32_t etl_write_align8(uint32_t n);
/* Of the file, with the header's. */
uint64_t etl_write_places(const struct etl_write *w);
void etl_write_describe(const struct etl_write *w, struct write_buffer *b, uint16_t type,
                        uint16_t flags);
void etl_write_pad(const struct etl_write *w, struct write_buffer *b);
void etl_buffer_clear(struct write_buffer *b);
bool etl_buffer_init(struct etl_write *w, struct write_buffer *b, struct err *err);
/* Its bytes up to `end` into a place of its own. */
bool etl_write_first(struct etl_write *w, const struct write_buffer *b, uint32_t slot, uint32_t end,
                     struct err *err);
bool etl_write_at_end(struct etl_write *w, const uint8_t *from, uint32_t bytes, struct err *err);
/* One that is full or the last; then there is an empty one in its stead. */
bool etl_buffer_finish(struct etl_write *w, struct write_buffer *b, uint16_t flags,
                       struct err *err);
bool etl_buffer_has_news(const struct write_buffer *b);
bool etl_write_finish_all(struct etl_write *w, struct err *err);
/* As they are now. Those that were put last end the file: it is as long as if they were full. */
bool etl_write_news(struct etl_write *w, struct err *err);

#endif
