#include "src/command/trigger_watch.h"

#include "src/base/mem.h"
#include "src/base/message.h"
#include "src/engine/trigger.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/trace/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watched {
    char *text;
    struct trigger what;
    uint64_t seen;          /* hits that were acted on */
    int64_t around_ns;      /* of the snapshot that waits for its end; 0: none does */
    struct os_child *child; /* its command; NULL: none was started */
};

struct trigger_watch {
    struct engine *engine;
    struct collector *collector;
    const char *folder;
    struct watched of[TRIGGERS_MAX];
    uint32_t settings[TRIGGERS_MAX]; /* as in frames: an older one's hits are not ours */
    size_t count;
    struct snapshot *snapshot; /* NULL: none is being written */
};

bool trigger_watch_check(const char *const *texts, size_t count, struct err *err)
{
    struct trigger t;
    struct err why;
    if (count > TRIGGERS_MAX)
        return fail(err, "--on: %zu triggers, at most %d can be set", count, (int)TRIGGERS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!trigger_parse(texts[i], &t, &why))
            return fail(err, "--on: %s", why.text);
        if (t.action != TRIGGER_MARK && t.action != TRIGGER_SNAPSHOT && t.action != TRIGGER_RUN)
            return fail(err,
                        "--on: without a screen a trigger can mark, snapshot or run, found "
                        "'%.200s'",
                        texts[i]);
    }
    return true;
}

struct trigger_watch *trigger_watch_new(struct engine *engine, struct collector *collector,
                                        const char *const *texts, size_t count, const char *folder)
{
    struct trigger_watch *const w = mem_new(1, sizeof *w);
    *w = (struct trigger_watch){.engine = engine, .collector = collector, .folder = folder};
    for (; w->count < count; w->count++) {
        w->of[w->count].text = mem_string(texts[w->count]);
        w->settings[w->count] = 1;
        trigger_parse(texts[w->count], &w->of[w->count].what, NULL);
    }
    /* Frames bring the state of triggers, whatever they show. */
    struct request r = request_for(panes[0]);
    r.sequence = 1;
    r.rows = 1;
    engine_request(engine, &r);
    return w;
}

/* ---- actions --------------------------------------------------------------------------------- */

static void mark(struct trigger_watch *w, const struct watched *t, FILE *log)
{
    struct command c = {.kind = COMMAND_MARK};
    snprintf(c.text, sizeof c.text, "%s", t->what.argument[0] ? t->what.argument : t->what.filter);
    engine_command(w->engine, &c);
    message_print(log, "trigger %.200s: marked", t->text);
}

static void report_snapshot(struct trigger_watch *w, FILE *log)
{
    struct snapshot_result result;
    char sentence[1400];
    snapshot_finish(w->snapshot, &result);
    w->snapshot = NULL;
    message_print(log, "snapshot: %s", snapshot_sentence(&result, sentence, sizeof sentence));
}

static void take_snapshot(struct trigger_watch *w, struct watched *t, FILE *log)
{
    const int64_t at = t->around_ns, before = t->what.before_ns, after = t->what.after_ns;
    const bool has_range = before || after;
    if (w->snapshot)
        report_snapshot(w, log); /* waits for it */
    w->snapshot = snapshot_start(&(struct snapshot_options){.engine = w->engine,
                                                            .collector = w->collector,
                                                            .folder = w->folder,
                                                            .from_ns = has_range ? at - before : 0,
                                                            .to_ns = has_range ? at + after : 0});
    t->around_ns = 0;
    message_print(log, "trigger %.200s: writing a snapshot", t->text);
}

/* What was started before ends before it is started again. */
static void run(struct watched *t, FILE *log)
{
    struct err err;
    int status;
    if (t->child && !os_child_ended(t->child, &status)) {
        message_print(log, "trigger %.200s: its last command is still running", t->text);
        return;
    }
    os_child_free(t->child);
    t->child = os_spawn_quietly(t->what.argument, &err);
    message_print(log, "trigger %.200s: %s", t->text, t->child ? "started" : err.text);
}

static void act(struct trigger_watch *w, struct watched *t, const struct trigger_state *s,
                FILE *log)
{
    if (t->what.action == TRIGGER_MARK)
        mark(w, t, log);
    else if (t->what.action == TRIGGER_RUN)
        run(t, log);
    else
        t->around_ns = s->last_ns;
}

/* ---- looking --------------------------------------------------------------------------------- */

void trigger_watch_look(struct trigger_watch *w, FILE *log)
{
    struct frame *const f = engine_take_frame(w->engine);
    double part;
    if (w->snapshot && snapshot_poll(w->snapshot, &part))
        report_snapshot(w, log);
    for (size_t i = 0; f && i < w->count; i++) {
        struct watched *const t = &w->of[i];
        const struct trigger_state *const s = &f->triggers[i];
        if (s->setting != w->settings[i])
            continue;
        if (s->hits > t->seen)
            act(w, t, s, log);
        t->seen = s->hits;
        if (t->around_ns && f->newest_ns >= t->around_ns + t->what.after_ns)
            take_snapshot(w, t, log);
    }
    frame_free(f);
}

/* Snapshots that wait for their end are taken now. */
static void finish(struct trigger_watch *w, FILE *log)
{
    trigger_watch_look(w, log);
    for (size_t i = 0; i < w->count; i++)
        if (w->of[i].around_ns)
            take_snapshot(w, &w->of[i], log);
    if (w->snapshot)
        report_snapshot(w, log);
    for (size_t i = 0; i < w->count; i++) {
        os_child_free(w->of[i].child);
        free(w->of[i].text);
    }
}

static bool is_same(const struct trigger_watch *w, const char *const *texts, size_t count)
{
    bool is_same = w->count == count;
    for (size_t i = 0; is_same && i < count; i++)
        is_same = strcmp(w->of[i].text, texts[i]) == 0;
    return is_same;
}

static void set(struct trigger_watch *w, size_t slot, const char *text)
{
    struct command c = {.kind = COMMAND_TRIGGER, .number = (double)slot};
    snprintf(c.text, sizeof c.text, "%s", text);
    engine_command(w->engine, &c);
    w->settings[slot]++;
}

void trigger_watch_change(struct trigger_watch *w, const char *const *texts, size_t count,
                          FILE *log)
{
    const size_t before = w->count;
    if (is_same(w, texts, count))
        return;
    finish(w, log);
    for (w->count = 0; w->count < count; w->count++) {
        struct watched *const t = &w->of[w->count];
        *t = (struct watched){.text = mem_string(texts[w->count])};
        trigger_parse(t->text, &t->what, NULL);
        set(w, w->count, t->text);
    }
    for (size_t slot = count; slot < before; slot++)
        set(w, slot, "");
}

void trigger_watch_end(struct trigger_watch *w, FILE *log)
{
    if (w)
        finish(w, log);
    free(w);
}
