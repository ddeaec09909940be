/* What the ui saves: snapshots, recordings, and requests of other shells to this monitor. One of
 * each at a time; progress and results are checked between keys. Main thread. */
#ifndef UI_STATE_SAVER_H
#define UI_STATE_SAVER_H

#include "src/engine/engine.h"
#include "src/etl/log.h"
#include "src/os/instance.h"

struct app;

/* What files are made like. */
struct saver_shape {
    bool is_compressed;
    enum etl_log_mode mode; /* of recordings, as in struct recorder_options: */
    uint64_t most_bytes;
    unsigned files_most;
};

struct saver_options {
    struct engine *engine;
    struct collector *collector;
    struct os_wakeup *wakeup; /* signaled by what ends and by calls; NULL: nobody can call */
    const struct instance_reader *reader; /* of calls that are not the screen's; or NULL */
    const char *folder;   /* where files go that get a name of their own; NULL: here … */
    const char *name;     /* … and how that begins; NULL: "tracetop" */
    struct saver_shape shape;
};

struct saver;

struct saver *saver_new(const struct saver_options *o);

/* Ends a recording well, gives up a snapshot; before the engine stops. NULL is fine. */
void saver_free(struct saver *s);

struct saver_request {
    const char *path;       /* "" makes a name */
    int64_t from_ns, to_ns; /* as in struct snapshot_options */
    const char *filter;     /* likewise */
};

/* Begins a snapshot. False with a sentence when one is running. */
bool saver_snapshot(struct saver *s, const struct saver_request *w, const char *view,
                    struct err *err);

/* Starts a recording (`path` "" makes a name), or begins to end the one that runs: saver_news() has
 * the result. A message in either case; false when it reports a failure. */
bool saver_record(struct saver *s, const char *path, char *reported, size_t room);

/* Something has ended since: a sentence, and whether it is about a failure. */
bool saver_news(struct saver *s, char *reported, size_t room, bool *is_error);

/* "REC 00:12 34M", "snapshot 40%", or "" when nothing runs. */
const char *saver_status(const struct saver *s, char *out, size_t room);

/* The path of the recording that runs, and is not ending; or NULL. */
const char *saver_recording(const struct saver *s);

/* Is a snapshot being written? */
bool saver_is_snapshotting(const struct saver *s);

/* Gives it up: no file is left. Tells who asked for it from another shell. */
void saver_snapshot_cancel(struct saver *s);

/* Does something run, so that its figures move? */
bool saver_is_busy(const struct saver *s);

#endif
