/* What a process had of memory, threads and files, as collectors read it now and then. */
#ifndef SRC_MODEL_MEMORY_HISTORY_H
#define SRC_MODEL_MEMORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READING_UNKNOWN UINT64_MAX

/* One reading. Bytes and counts; READING_UNKNOWN where a system does not say. */
struct memory_reading {
    int64_t ns;
    uint64_t rss;            /* in memory: resident set, working set */
    uint64_t own;            /* private: of Windows, what it committed */
    uint64_t shared;         /* of rss: files and memory that others may have, too */
    uint64_t swap;           /* on disk instead */
    uint32_t threads, files; /* open files or handles; UINT32_MAX: not known */
};

/* Readings of a process in order of time; older ones become sparse when there are too many. */
struct memory_history {
    uint32_t count, room;
    struct memory_reading readings[];
};

/* Adds one, unless it is as old as the last or says the same; `*h` may be NULL before. Grows up to
 * `most` readings. Returns how many bytes more it takes. */
size_t memory_history_add(struct memory_history **h, const struct memory_reading *r, uint32_t most);

/* The newest one that is not younger than this; NULL: none is known. */
const struct memory_reading *memory_history_at(const struct memory_history *h, int64_t ns);

size_t memory_history_bytes(const struct memory_history *h); /* NULL: 0 */

#endif
