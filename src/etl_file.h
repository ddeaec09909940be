/* One `.etl` file from the inside: what etl_file.c (file order) and etl_reader.c
 * (time order) share. Everybody else uses src/etl.h. */
#ifndef SRC_ETL_FILE_H
#define SRC_ETL_FILE_H

#include "src/etl.h"
#include "src/etl_buffer.h"
#include "src/os.h"

/* The part of a file that was read last. Buffers lie one behind the other, so one
 * read brings several small ones or most of a large one. */
struct etl_window {
    uint8_t *bytes;
    size_t room, have, chunk; /* chunk: what is read at least */
    uint64_t offset;
};

/* Growing memory for one decompressed buffer. */
struct etl_room {
    uint8_t *bytes;
    size_t room;
};

/* A buffer whose header is good. */
struct etl_spot {
    uint64_t offset; /* of its header in the file */
    struct etl_buffer head;
};

struct etl_file {
    char *name;
    struct os_file *os;
    uint64_t size;          /* when it was opened */
    struct etl_header header;
    struct trace_clock clock;
    struct etl_tally tally;
    char *sentences[16];
    unsigned sentence_count;
    struct etl_window window;
    uint64_t at;            /* where the next buffer is expected */
    uint64_t previous;      /* where the last good one was */
    uint32_t stride;        /* size of every buffer; 0 in compressed logs, where they differ */
    bool is_finished;       /* the end was met and its sentences said */
    /* file order */
    struct etl_spot spot;
    struct etl_walk walk;
    struct etl_room unpacked;
    bool is_walking, is_damaged; /* the buffer at hand */
    int64_t ts;             /* of the last event */
};

/* The next good buffer; damage before it is said and counted. ETL_EVENT stands for
 * "there is one". */
enum etl_answer etl_scan(struct etl_file *f, struct etl_spot *out, struct err *err);

/* Up to `want` bytes at `offset`, good until the next call; *got tells how many the
 * file has. NULL for errors of the system. */
const uint8_t *etl_window_at(struct etl_file *f, uint64_t offset, size_t want, size_t *got,
                             struct err *err);

/* Makes the records of a whole buffer ready to walk: in the file's window, or
 * decompressed in `room`. Damage is said and counted (`*is_damaged`). False only for
 * errors of the system. The walk's ts is the first record's. */
bool etl_load(struct etl_file *f, const struct etl_spot *spot, struct etl_room *room,
              struct etl_walk *walk, bool *is_damaged, struct err *err);

/* One step of a walk over `spot`: counts events, says and counts damage. False at the
 * end of the buffer. */
bool etl_step(struct etl_file *f, const struct etl_spot *spot, struct etl_walk *walk,
              bool *is_damaged, struct event *out);

/* Says and counts that the file ends after `got` of the `want` bytes of a buffer, or
 * that only `got` of `want` bytes of data could be decompressed. */
void etl_say_cut(struct etl_file *f, const struct etl_spot *spot, uint32_t want, size_t got,
                 bool *is_damaged);
void etl_say_unpacked(struct etl_file *f, const struct etl_spot *spot, uint32_t want,
                      const struct etl_unpacked *u, bool *is_damaged);

/* Says and counts that a buffer's header is no longer what it was. */
void etl_say_changed(struct etl_file *f, const struct etl_spot *spot, const char *why);

/* Makes room for `bytes`; false with a sentence when there is no memory. */
bool etl_room_get(struct etl_room *r, size_t bytes, struct err *err);

#endif
