/* Recording: everything from now on into an `.etl` file, by a thread that follows the ring
 * beside the engine. What it is too slow for is overwritten and counted as its own loss; nobody
 * waits for it. The file is readable at any moment up to its last whole buffer, and all that
 * is older than a second is in the system's hands. Events lie in it in order of time, as far as
 * they come less than 0.4 s late (src/collect/reorder_buffer.h). */
#ifndef SRC_TRACE_RECORDER_H
#define SRC_TRACE_RECORDER_H

#include "src/engine/engine.h"
#include "src/etl/log.h"

struct recorder_options {
    struct engine *engine;
    struct collector *collector;
    const char *path;
    bool replace;
    enum etl_log_mode mode; /* a sequential file ends the recording when it is full */
    uint64_t most_bytes;    /* of a file; 0: no bound (sequential only) */
    unsigned files_most;    /* rotate: the oldest go; 0: all stay */
    unsigned first_number;  /* rotate: of the first file; 0: 1 */
    int64_t file_ns;        /* rotate: the time that a file covers at most; 0: no bound */
    bool is_compressed;     /* not circular */
    int64_t duration_ns;    /* 0: until it is stopped */
    int64_t hold_ns;        /* how long an event waits for older ones that come late; 0: 0.4 s */
    int64_t nap_ns;         /* between looks at an empty ring; 0: 20 ms */
    bool is_whole;          /* from the source's first record on, which begins with older state */
    struct os_wakeup *wakeup; /* rung when it has begun, when another file begins, and when it ends
                               * by itself; may be NULL */
};

struct recorder_figures {
    uint64_t events, bytes; /* in all files; events without rundowns and the files' own */
    uint64_t records;       /* what the files that are left hold in all, as `tracetop stats` counts */
    uint64_t lost;          /* overwritten in the ring before they could be written */
    uint64_t refused;       /* by the ring, which was full */
    uint64_t before;        /* lost before they came to the ring: the system's buffers were full … */
    uint64_t unwritten;     /* for the file could not be written any more; of `events` */
    uint64_t overwritten;   /* by a circular file, as it should */
    uint64_t unidentified;  /* images whose PDB is not named: reading their files took too long */
    uint64_t late;          /* written behind a younger one: they came too late */
    unsigned files;
    int64_t began; /* os_now() */
};

struct recorder;

/* Creates the file. NULL with a sentence, and nothing was left behind. Copies the options. */
struct recorder *recorder_start(const struct recorder_options *o, struct err *err);

/* Does everything that happens from now on belong into the file? recorder_start() comes back
 * before that. */
bool recorder_has_begun(const struct recorder *r);

/* Figures as of now; true when it has ended by itself (a bound, the disk). */
bool recorder_poll(const struct recorder *r, struct recorder_figures *figures);

/* Asks for the end: the file is completed with what came up to now, which may take as long as its
 * disk does. recorder_poll() says when it is over; then comes recorder_stop(). */
void recorder_end(struct recorder *r);

/* Completes the file with what came up to now; frees it. False with a sentence when that, or
 * anything before, went wrong: the file then holds what was written until then. */
bool recorder_stop(struct recorder *r, struct recorder_figures *figures, struct err *err);

/* Removes the file in the making instead, those that are complete stay; frees it. */
void recorder_cancel(struct recorder *r);

/* "x.etl: 3.2 s, 84213 events, 7.9 MB", and what is not in it. Returns `out`. */
const char *recorder_sentence(const struct recorder_figures *f, const struct recorder_options *o,
                              char *out, size_t room);

#endif
