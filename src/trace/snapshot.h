/* Snapshots: what the rings still hold, written to an `.etl` file by a thread of its own while
 * everything goes on. The thread copies the rings into memory of its own (pins are held only
 * while copying), orders the rundowns from the engine, and writes.
 *
 * What is older than the hot ring reaches is there as far as it lasts: who lives and what has
 * which name is in the rundown in front, marks are kept with the time they were made. Rare
 * events that are over (a process that came and went, in the slow ring alone) are not: the
 * file would begin with a stretch in which, for all that it shows, nothing but them
 * happened, and every rate over the whole file would be too small. */
#ifndef SRC_TRACE_SNAPSHOT_H
#define SRC_TRACE_SNAPSHOT_H

#include "src/engine/engine.h"

struct snapshot_options {
    struct engine *engine;
    struct collector *collector;
    const char *path;       /* NULL or "": a name of its own (machine, date, time) in `folder` */
    const char *folder;     /* NULL: the current one */
    const char *name;       /* how its own name begins; NULL or "": "tracetop" */
    bool replace;           /* else an existing file is refused */
    bool is_compressed;
    int64_t from_ns, to_ns; /* events with from_ns ≤ time ≤ to_ns; 0, 0: all there is */
    const char *filter;     /* only what it matches, and what that needs; NULL, "": everything */
    const char *view;       /* text of the sidecar FILE.view; NULL: none */
    struct os_wakeup *wakeup; /* rung when it is done; may be NULL */
};

struct snapshot_result {
    char path[1024];
    uint64_t events, bytes;
    uint64_t examined;  /* with a filter: of so many events; else 0 */
    uint64_t lost;      /* refused by the ring within what was written */
    int64_t first_ns, last_ns;
    int64_t took_ns;
    bool is_done; /* else `err` says why not, and no file was left */
    struct err err;
    char note[256]; /* what is not as it should be though the file is; or "" */
};

struct snapshot;

/* "FOLDER/tracetop-<machine>-<date>-<time>.etl", with "-2" … where that is taken. */
void snapshot_name(const char *folder, const char *name, char *out, size_t room);

/* Copies the options. */
struct snapshot *snapshot_start(const struct snapshot_options *o);

/* True when it is over; before, *part says how much is done (0..1). */
bool snapshot_poll(const struct snapshot *s, double *part);

/* Waits for the end; frees it. `result` may be NULL. */
void snapshot_finish(struct snapshot *s, struct snapshot_result *result);

/* Gives up: whatever is unfinished is removed. */
void snapshot_cancel(struct snapshot *s);

/* "12.3 s, 84213 events, 7.9 MB → /path/x.etl" or why not. Returns `out`. */
const char *snapshot_sentence(const struct snapshot_result *r, char *out, size_t room);

#endif
