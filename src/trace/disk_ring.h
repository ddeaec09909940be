/* A ring on disk: what a recorder keeps. Traces with numbers in a folder of their own,
 * ring-0001.etl and on, each one a trace that can be opened alone; the oldest go when there are
 * more than the limits allow. It goes on where an earlier recorder ended, also one that was killed
 * or a machine that lost its power: then the newest trace has all but its last second.
 *
 * Writing is a recorder's (src/trace/recorder.h); this is which files there are, and how many. One
 * thread. */
#ifndef SRC_TRACE_DISK_RING_H
#define SRC_TRACE_DISK_RING_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DISK_RING_NAME = 64 /* bytes of a recorder's name */ };

/* What is kept at least (time) and at most (bytes); 0: no limit of that kind. */
struct disk_ring_limits {
    uint64_t bytes;
    int64_t ns; /* of time in which something was recorded */
};

/* What is kept where nothing is given: 1 GB. */
struct disk_ring_limits disk_ring_limits_of(const struct disk_ring_limits *given);

/* The least that `bytes` may be. */
extern const uint64_t DISK_RING_LEAST;

struct disk_ring_file {
    unsigned number;
    bool is_partial; /* it is being written, or its writer was killed */
    uint64_t bytes;
    int64_t written_ns; /* its last write, ns since 1970 */
};

/* ---- reading --------------------------------------------------------------------------------- */

/* The folder of the recorder with this name, in the usual place. False with a sentence where it is
 * no name (letters, digits, '-', '_' and '.'), or the system has no place. */
bool disk_ring_folder(const char *name, char *out, size_t room, struct err *err);

/* The same to read from: where this user has no such files, the folder of the machine's own
 * recorder of this name. */
bool disk_ring_find(const char *name, char *out, size_t room, struct err *err);

/* The process that records into the folder; 0: none. */
uint32_t disk_ring_writer(const char *folder);

/* The files of the ring, the oldest first; free() them. How many. */
size_t disk_ring_list(const char *folder, struct disk_ring_file **files);

/* The path of one of them; free() it. */
char *disk_ring_path(const char *folder, const struct disk_ring_file *f);

/* "5 files, 120 MB, 54 min". Returns `out`. */
const char *disk_ring_sentence(const char *folder, char *out, size_t room);

/* Where in a list (of one or more) a reader of a range (src/filter/range.h; NULL: of all) has to
 * begin, by the times at which files were written: the rest is older than the range. */
size_t disk_ring_first_of(const struct disk_ring_file *files, size_t count, const char *range);

/* ---- keeping --------------------------------------------------------------------------------- */

struct disk_ring;

/* Makes the folder where there is none, holds it, and gives their names to files that an earlier
 * writer left unfinished. NULL with a sentence: another process records there. */
struct disk_ring *disk_ring_open(const char *folder, const struct disk_ring_limits *limits,
                                 struct err *err);
void disk_ring_close(struct disk_ring *d); /* NULL is fine */

/* Other limits from now on; files are removed by the next disk_ring_tidy(). */
void disk_ring_limit(struct disk_ring *d, const struct disk_ring_limits *limits);

const char *disk_ring_folder_of(const struct disk_ring *d);

/* For a recorder that rotates. */
const char *disk_ring_base(const struct disk_ring *d); /* the path without its number */
unsigned disk_ring_next(const struct disk_ring *d);    /* the number of its first file */
uint64_t disk_ring_file_bytes(const struct disk_ring *d);
void disk_ring_need(struct disk_ring *d, uint64_t bytes); /* a file takes so many at least */
int64_t disk_ring_file_ns(const struct disk_ring *d);

/* Removes what is beyond the limits, and before the disk is full the oldest files; how many of
 * these. To be called about once a second, and before a recorder begins. */
unsigned disk_ring_tidy(struct disk_ring *d);

#endif
