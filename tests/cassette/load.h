/* An `.etl` file as a list of buffers and records in memory: read by the paper
 * (../shared/reference/etl-file-format.md, sections 1 to 4 and 10), not by src/etl's reader, so that
 * what is compared does not err in the same way. */
#ifndef TESTS_CASSETTE_LOAD_H
#define TESTS_CASSETTE_LOAD_H

#include "tests/cassette/deliver.h"

#include "src/base/err.h"

struct loaded_buffer {
    const uint8_t *data; /* records */
    uint8_t *unpacked;   /* NULL: `data` lies in the file */
    uint32_t bytes, size;
    uint16_t cpu;
    struct delivery_place place;
    int64_t first_ts;
};

struct loaded {
    uint8_t *file;
    size_t bytes;
    struct loaded_buffer *buffers;
    size_t count;
};

/* `name` may end in .zst. False with a sentence; what is damaged in the middle ends there. */
bool load_file(struct loaded *l, const char *name, struct err *err);
void load_free(struct loaded *l);

/* The record at *at of the buffer's data, and *at behind it; 0 at the end: its bytes. */
uint32_t load_next(const struct loaded_buffer *b, uint32_t *at, const uint8_t **record);

/* All records in the order in which ProcessTrace gives them: by time over the processors; of one
 * processor as they lie in its buffers, unless these went round (then by first event). */
struct loaded_record {
    const uint8_t *at;
    uint32_t bytes;
    uint32_t buffer; /* its index */
    bool is_last;    /* of its buffer */
    int64_t ts;
};

/* free() it. */
struct loaded_record *load_in_order(const struct loaded *l, size_t *count);

#endif
