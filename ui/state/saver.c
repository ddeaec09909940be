#include "ui/state/saver_inside.h"

#include "src/base/mem.h"
#include "src/trace/recorder.h"
#include "src/trace/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct saver *saver_new(const struct saver_options *o)
{
    struct saver *const s = mem_new(1, sizeof *s);
    struct err err;
    s->o = *o;
    if (o->wakeup)
        s->endpoint = instance_open(o->wakeup, INSTANCE_MONITOR, o->reader,
                                    &err); /* none: then nobody can call, and that is all */
    return s;
}

void saver_free(struct saver *s)
{
    if (!s)
        return;
    struct err err;
    snapshot_cancel(s->snapshot);
    if (s->recorder)
        recorder_stop(s->recorder, NULL, &err);
    instance_close(s->endpoint);
    free(s);
}

/* ---- snapshots --------------------------------------------------------------------------- */

bool saver_snapshot(struct saver *s, const struct saver_request *w, const char *view,
                    struct err *err)
{
    if (s->snapshot)
        return fail(err, "a snapshot is being written already");
    const struct snapshot_options o = {
        .engine = s->o.engine,
        .collector = s->o.collector,
        .path = w->path,
        .folder = s->o.folder,
        .name = s->o.name,
        .from_ns = w->from_ns,
        .to_ns = w->to_ns,
        .filter = w->filter,
        .view = view,
        .is_compressed = s->o.shape.is_compressed,
        .wakeup = s->o.wakeup,
    };
    s->snapshot = snapshot_start(&o);
    return true;
}

/* Screens are narrow and cut what is too long: the name first, its folder last. */
static void report_short(struct snapshot_result *r, char *reported, size_t room)
{
    char folder[sizeof r->path];
    snprintf(folder, sizeof folder, "%s", r->path);
    char *const slash = strrchr(folder, '/');
    const bool has_folder = r->is_done && slash && slash != folder;
    if (r->is_done && slash)
        memmove(r->path, r->path + (slash + 1 - folder), strlen(slash + 1) + 1);
    snapshot_sentence(r, reported, room);
    if (!has_folder)
        return;
    *slash = '\0';
    const size_t used = strlen(reported);
    if (strcmp(folder, ".") != 0 && used < room)
        snprintf(reported + used, room - used, ", in %s", folder);
}

static bool take_snapshot(struct saver *s, char *reported, size_t room, bool *is_error)
{
    struct snapshot_result r;
    snapshot_finish(s->snapshot, &r);
    s->snapshot = NULL;
    *is_error = !r.is_done;
    if (s->owes_snapshot)
        instance_answer(s->endpoint, r.is_done, snapshot_sentence(&r, reported, room));
    s->owes_snapshot = false;
    report_short(&r, reported, room);
    return true;
}

bool saver_is_snapshotting(const struct saver *s)
{
    return s && s->snapshot;
}

void saver_snapshot_cancel(struct saver *s)
{
    snapshot_cancel(s->snapshot);
    s->snapshot = NULL;
    if (s->owes_snapshot)
        instance_answer(s->endpoint, false, "the snapshot was canceled");
    s->owes_snapshot = false;
}

/* ---- recordings ---------------------------------------------------------------------------- */

static struct recorder_options recording_options(const struct saver *s)
{
    return (struct recorder_options){
        .engine = s->o.engine,
        .collector = s->o.collector,
        .path = s->recording,
        .mode = s->o.shape.mode,
        .most_bytes = s->o.shape.most_bytes,
        .files_most = s->o.shape.files_most,
        .is_compressed = s->o.shape.is_compressed,
        .wakeup = s->o.wakeup,
    };
}

/* It is over: what came of it. */
static bool take_recording(struct saver *s, char *reported, size_t room)
{
    struct recorder_figures f;
    struct err err;
    const bool is_whole = recorder_stop(s->recorder, &f, &err);
    s->recorder = NULL;
    s->is_ending = false;
    const struct recorder_options o = recording_options(s);
    if (is_whole)
        recorder_sentence(&f, &o, reported, room);
    else
        snprintf(reported, room, "%s", err.text);
    if (s->owes_stop)
        instance_answer(s->endpoint, is_whole, reported);
    s->owes_stop = false;
    return is_whole;
}

void saver_end_recording(struct saver *s, char *reported, size_t room)
{
    s->is_ending = true;
    recorder_end(s->recorder);
    snprintf(reported, room, "completing %s", s->recording);
}

bool saver_record(struct saver *s, const char *path, char *reported, size_t room)
{
    struct err err;
    if (s->recorder)
        return saver_end_recording(s, reported, room), true;
    if (strcmp(path, "-") == 0) {
        snprintf(reported, room, "a trace cannot be written to standard output: name a file");
        return false;
    }
    if (strlen(path) >= sizeof s->recording) {
        snprintf(reported, room, "the path is longer than %zu bytes", sizeof s->recording - 1);
        return false;
    }
    if (*path)
        snprintf(s->recording, sizeof s->recording, "%s", path);
    else
        snapshot_name(s->o.folder, s->o.name, s->recording, sizeof s->recording);
    if (os_path_kind(s->recording) != OS_NOTHING) {
        snprintf(reported, room, "%s already exists; choose another name or remove it",
                 s->recording);
        return false;
    }
    const struct recorder_options o = recording_options(s);
    s->recorder = recorder_start(&o, &err);
    snprintf(reported, room, "%s%s", s->recorder ? "recording to " : "",
             s->recorder ? s->recording : err.text);
    return s->recorder != NULL;
}

bool saver_recording_status(const struct saver *s, char *reported, size_t room)
{
    struct recorder_figures f;
    char figures[SENTENCE_BYTES];
    const struct recorder_options o = recording_options(s);
    if (!s->recorder) {
        snprintf(reported, room, "no recording is running");
        return false;
    }
    recorder_poll(s->recorder, &f);
    snprintf(reported, room, "recording to %s", recorder_sentence(&f, &o, figures, sizeof figures));
    return true;
}

/* ---- news ------------------------------------------------------------------------------------ */

bool saver_news(struct saver *s, char *reported, size_t room, bool *is_error)
{
    double part;
    struct recorder_figures f;
    if (s && s->snapshot && snapshot_poll(s->snapshot, &part))
        return take_snapshot(s, reported, room, is_error);
    if (s && s->recorder && recorder_poll(s->recorder, &f)) {
        *is_error = !take_recording(s, reported, room);
        return true;
    }
    return false;
}

const char *saver_recording(const struct saver *s)
{
    return s && s->recorder && !s->is_ending ? s->recording : NULL;
}

bool saver_is_busy(const struct saver *s)
{
    return s && (s->snapshot || s->recorder);
}

const char *saver_status(const struct saver *s, char *out, size_t room)
{
    double part;
    struct recorder_figures f;
    int used = 0;
    out[0] = '\0';
    if (s && s->recorder) {
        recorder_poll(s->recorder, &f);
        const int64_t seconds = (os_now() - f.began) / 1000000000;
        used = snprintf(out, room, "REC %02" PRId64 ":%02" PRId64 " %.1fM", seconds / 60,
                        seconds % 60, (double)f.bytes / (1 << 20));
    }
    if (s && s->snapshot && used >= 0 && (size_t)used < room && !snapshot_poll(s->snapshot, &part))
        snprintf(out + used, room - (size_t)used, "%ssnapshot %.0f%%", used ? " " : "", part * 100);
    return out;
}
