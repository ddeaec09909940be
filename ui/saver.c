#include "ui/saver.h"

#include "src/mem.h"
#include "src/recorder.h"
#include "src/snapshot.h"
#include "ui/action.h"
#include "ui/app.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID = 1536 }; /* a sentence with a path in it */

struct saver {
    struct saver_options o;
    struct snapshot *snapshot;
    struct recorder *recorder;
    bool is_ending; /* the recording: its file is being completed */
    bool owes_snapshot, owes_stop; /* asked for through the door, and not answered yet */
    char recording[1024]; /* its path */
    struct instance *door;
};

struct saver *saver_new(const struct saver_options *o)
{
    struct saver *const s = mem_new(1, sizeof *s);
    struct err err;
    s->o = *o;
    if (o->bell)
        s->door = instance_open(o->bell, &err); /* none: then nobody can call, and that is all */
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
    instance_close(s->door);
    free(s);
}

/* ---- snapshots --------------------------------------------------------------------------- */

bool saver_snapshot(struct saver *s, const struct saver_wish *w, const char *view, struct err *err)
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
        .bell = s->o.bell,
    };
    s->snapshot = snapshot_start(&o);
    return true;
}

/* Screens are narrow and cut what is too long: the name first, its folder last. */
static void say_short(struct snapshot_result *r, char *said, size_t room)
{
    char folder[sizeof r->path];
    snprintf(folder, sizeof folder, "%s", r->path);
    char *const slash = strrchr(folder, '/');
    const bool has_folder = r->is_done && slash && slash != folder;
    if (r->is_done && slash)
        memmove(r->path, r->path + (slash + 1 - folder), strlen(slash + 1) + 1);
    snapshot_sentence(r, said, room);
    if (!has_folder)
        return;
    *slash = '\0';
    const size_t used = strlen(said);
    if (strcmp(folder, ".") != 0 && used < room)
        snprintf(said + used, room - used, ", in %s", folder);
}

static bool take_snapshot(struct saver *s, char *said, size_t room, bool *is_error)
{
    struct snapshot_result r;
    snapshot_finish(s->snapshot, &r);
    s->snapshot = NULL;
    *is_error = !r.is_done;
    if (s->owes_snapshot)
        instance_answer(s->door, r.is_done, snapshot_sentence(&r, said, room));
    s->owes_snapshot = false;
    say_short(&r, said, room);
    return true;
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
        .bell = s->o.bell,
    };
}

/* It is over: what came of it. */
static bool take_recording(struct saver *s, char *said, size_t room)
{
    struct recorder_figures f;
    struct err err;
    const bool is_whole = recorder_stop(s->recorder, &f, &err);
    s->recorder = NULL;
    s->is_ending = false;
    const struct recorder_options o = recording_options(s);
    if (is_whole)
        recorder_sentence(&f, &o, said, room);
    else
        snprintf(said, room, "%s", err.text);
    if (s->owes_stop)
        instance_answer(s->door, is_whole, said);
    s->owes_stop = false;
    return is_whole;
}

/* Its file is completed while the screen goes on: that may wait for a disk. */
static void end_recording(struct saver *s, char *said, size_t room)
{
    s->is_ending = true;
    recorder_end(s->recorder);
    snprintf(said, room, "completing %s", s->recording);
}

bool saver_record(struct saver *s, const char *path, char *said, size_t room)
{
    struct err err;
    if (s->recorder)
        return end_recording(s, said, room), true;
    if (strlen(path) >= sizeof s->recording) {
        snprintf(said, room, "the path is longer than %zu bytes", sizeof s->recording - 1);
        return false;
    }
    if (*path)
        snprintf(s->recording, sizeof s->recording, "%s", path);
    else
        snapshot_name(s->o.folder, s->o.name, s->recording, sizeof s->recording);
    if (os_path_kind(s->recording) != OS_NOTHING) {
        snprintf(said, room, "%s exists already: give another name, or remove it", s->recording);
        return false;
    }
    const struct recorder_options o = recording_options(s);
    s->recorder = recorder_start(&o, &err);
    snprintf(said, room, "%s%s", s->recorder ? "recording to " : "",
             s->recorder ? s->recording : err.text);
    return s->recorder != NULL;
}

/* False, with a sentence, where none is running. */
static bool recording_status(const struct saver *s, char *said, size_t room)
{
    struct recorder_figures f;
    char figures[SAID];
    const struct recorder_options o = recording_options(s);
    if (!s->recorder) {
        snprintf(said, room, "no recording is running");
        return false;
    }
    recorder_poll(s->recorder, &f);
    snprintf(said, room, "recording to %s", recorder_sentence(&f, &o, figures, sizeof figures));
    return true;
}

/* ---- news ------------------------------------------------------------------------------------ */

bool saver_news(struct saver *s, char *said, size_t room, bool *is_error)
{
    double part;
    struct recorder_figures f;
    if (s && s->snapshot && snapshot_poll(s->snapshot, &part))
        return take_snapshot(s, said, room, is_error);
    if (s && s->recorder && recorder_poll(s->recorder, &f)) {
        *is_error = !take_recording(s, said, room);
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

/* ---- calls through the door --------------------------------------------------------------------
 */

/* What other shells ask for is no exception. */
#define READ_ONLY "that monitor is read-only"

static void answer_mark(struct saver *s, struct app *a, const char *text)
{
    char said[INSTANCE_TEXT + 16];
    action_mark_text(a, text);
    snprintf(said, sizeof said, "marked%s%s", *text ? ": " : "", text);
    instance_answer(s->door, true, said);
}

static void answer_snapshot(struct saver *s, struct app *a, const char *text)
{
    struct err err;
    if (a->settings.is_readonly)
        instance_answer(s->door, false, READ_ONLY);
    else if (action_snapshot_begin(a, text, false, &err))
        s->owes_snapshot = true;
    else
        instance_answer(s->door, false, err.text);
}

static void answer_record(struct saver *s, struct app *a, const char *text)
{
    static const char start[] = "start ";
    char said[SAID];
    bool is_well = false;
    const bool is_stop = strcmp(text, "stop") == 0;
    const bool is_start = strncmp(text, start, sizeof start - 1) == 0;
    if (strcmp(text, "status") == 0) {
        is_well = recording_status(s, said, sizeof said);
        instance_answer(s->door, is_well, said);
        return;
    }
    if (a->settings.is_readonly) {
        instance_answer(s->door, false, READ_ONLY);
        return;
    }
    if (is_stop && s->recorder) {
        s->owes_stop = true; /* when it is complete */
        end_recording(s, said, sizeof said);
        return;
    }
    if (!is_start && !is_stop)
        snprintf(said, sizeof said, "expected start, stop or status");
    else if (is_start && s->recorder)
        snprintf(said, sizeof said, "a recording to %s is running", s->recording);
    else if (is_stop)
        snprintf(said, sizeof said, "no recording is running");
    else
        is_well = saver_record(s, text + sizeof start - 1, said, sizeof said);
    instance_answer(s->door, is_well, said);
    app_say(a, !is_well, "%s", said);
}

unsigned saver_serve(struct saver *s, struct app *a)
{
    struct instance_call call;
    if (!s || s->owes_snapshot || s->owes_stop || !instance_take(s->door, &call))
        return REACT_NONE;
    if (strcmp(call.verb, "mark") == 0)
        answer_mark(s, a, call.text);
    else if (strcmp(call.verb, "snapshot") == 0)
        answer_snapshot(s, a, call.text);
    else if (strcmp(call.verb, "record") == 0)
        answer_record(s, a, call.text);
    else
        instance_answer(s->door, false, "expected mark, snapshot or record");
    return REACT_DRAW;
}
