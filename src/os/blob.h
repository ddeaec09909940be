/* Bytes of a file, or of memory, read here and there: what readers of large untrusted files work
 * on. Files are read and not mapped: they may shrink meanwhile. One owner. */
#ifndef SRC_OS_BLOB_H
#define SRC_OS_BLOB_H

#include "src/os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blob {
    struct os_file *file;  /* NULL: in memory */
    const uint8_t *memory; /* the caller's */
    uint64_t bytes;        /* as it was opened */
};

bool blob_open(struct blob *b, const char *path, struct err *err);
struct blob blob_of(const void *memory, size_t bytes); /* for tests and fuzzers */
void blob_close(struct blob *b);

/* All of the span or nothing. */
bool blob_read(const struct blob *b, void *to, size_t bytes, uint64_t offset);

/* Likewise, into memory of its own (with a NUL behind), of at most `most` bytes; NULL when the
 * span is not there. free() it. */
uint8_t *blob_copy(const struct blob *b, uint64_t bytes, uint64_t offset, size_t most);

#endif
