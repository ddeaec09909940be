/* What is done when a trigger was hit. */
#include "ui/action/trigger_actions.h"

#include "ui/action/action.h"
#include "ui/draw/view_file.h"
#include "ui/state/saver.h"

#include <stdlib.h>

static void take_snapshot(struct app *a, const struct held_trigger *t)
{
    const int64_t at = t->around_ns, before = t->what.before_ns, after = t->what.after_ns;
    const bool has_range = before || after;
    const struct saver_request request = {.path = "",
                                    .filter = "",
                                    .from_ns = has_range ? at - before : 0,
                                    .to_ns = has_range ? at + after : 0};
    struct err err;
    char *const view = view_file_text(a);
    const bool is_begun = a->saver && saver_snapshot(a->saver, &request, view, &err);
    free(view);
    if (is_begun)
        app_message(a, false, "trigger %.60s: writing a snapshot", t->text);
    else
        app_message(a, true, "trigger %.60s: %s", t->text,
                    a->saver ? err.text : "nothing can be saved here");
}

/* What was started before ends before it is started again. */
static void run(struct app *a, struct held_trigger *t)
{
    struct err err;
    int status;
    if (t->child && !os_child_ended(t->child, &status)) {
        app_message(a, true, "trigger %.60s: its last command is still running", t->text);
        return;
    }
    os_child_free(t->child);
    t->child = os_spawn_quietly(t->what.argument, &err);
    app_message(a, !t->child, "trigger %.60s: %s", t->text, t->child ? "started" : err.text);
}

static void start_recording(struct app *a)
{
    if (!saver_recording(a->saver)) /* which would end it */
        action_record_to(a, "");
}

static unsigned run_action(struct app *a, struct held_trigger *t, const struct trigger_state *s)
{
    switch (t->what.action) {
    case TRIGGER_SNAPSHOT:
        t->around_ns = s->last_ns;
        return REACT_DRAW;
    case TRIGGER_MARK:
        action_mark_text(a, t->what.argument[0] ? t->what.argument : t->what.filter);
        return REACT_DRAW;
    case TRIGGER_FREEZE:
        if (!a->is_frozen)
            app_freeze(a, true);
        break;
    case TRIGGER_RECORD:
        start_recording(a);
        return REACT_DRAW;
    case TRIGGER_RUN:
        run(a, t);
        return REACT_DRAW;
    default:
        break;
    }
    app_message(a, false, "trigger %.200s", t->text);
    return REACT_DRAW | (t->what.action == TRIGGER_BELL ? REACT_BELL : 0);
}

unsigned triggers_hear(struct app *a, const struct frame *f)
{
    unsigned reactions = REACT_NONE;
    const bool is_over = f->state == STATE_FINISHED || f->state == STATE_FAILED;
    for (unsigned i = 0; i < TRIGGERS_MAX; i++) {
        struct held_trigger *const t = &a->triggers.of[i];
        const struct trigger_state *const s = &f->triggers[i];
        if (!t->is_set || s->setting != a->triggers.settings[i])
            continue;
        if (s->hits > t->seen)
            reactions |= run_action(a, t, s);
        t->seen = s->hits;
        if (t->around_ns && (is_over || f->newest_ns >= t->around_ns + t->what.after_ns)) {
            take_snapshot(a, t);
            t->around_ns = 0;
            reactions |= REACT_DRAW;
        }
    }
    return reactions;
}
