/* What other shells ask of this monitor through its endpoint. */
#include "ui/action/serving.h"

#include "src/command/marks.h"
#include "src/event/mark.h"
#include "ui/action/action.h"
#include "ui/state/saver_inside.h"

#include <stdio.h>
#include <string.h>

/* What other shells ask for is no exception. */
#define READ_ONLY "the monitor is read-only"

static void answer_mark(struct saver *s, struct app *a, const char *text)
{
    struct new_mark m;
    struct err err;
    if (!mark_read(text, &m, &err)) {
        instance_answer(s->endpoint, false, err.text);
        return;
    }
    action_mark_text(a, text);
    marks_answer(s->endpoint, m.text);
}

static void answer_snapshot(struct saver *s, struct app *a, const char *text)
{
    struct err err;
    if (a->settings.is_readonly)
        instance_answer(s->endpoint, false, READ_ONLY);
    else if (action_snapshot_begin(a, text, false, &err))
        s->owes_snapshot = true;
    else
        instance_answer(s->endpoint, false, err.text);
}

static void answer_record(struct saver *s, struct app *a, const char *text)
{
    static const char start[] = "start ";
    char reported[SENTENCE_BYTES];
    bool is_well = false;
    const bool is_stop = strcmp(text, "stop") == 0;
    const bool is_start = strncmp(text, start, sizeof start - 1) == 0;
    if (strcmp(text, "status") == 0) {
        is_well = saver_recording_status(s, reported, sizeof reported);
        instance_answer(s->endpoint, is_well, reported);
        return;
    }
    if (a->settings.is_readonly) {
        instance_answer(s->endpoint, false, READ_ONLY);
        return;
    }
    if (is_stop && s->recorder) {
        s->owes_stop = true; /* when it is complete */
        saver_end_recording(s, reported, sizeof reported);
        return;
    }
    if (!is_start && !is_stop)
        snprintf(reported, sizeof reported, "expected start, stop or status");
    else if (is_start && s->recorder)
        snprintf(reported, sizeof reported, "a recording to %s is running", s->recording);
    else if (is_stop)
        snprintf(reported, sizeof reported, "no recording is running");
    else
        is_well = saver_record(s, text + sizeof start - 1, reported, sizeof reported);
    instance_answer(s->endpoint, is_well, reported);
    app_message(a, !is_well, "%s", reported);
}

unsigned saver_serve(struct saver *s, struct app *a)
{
    struct instance_call call;
    if (!s || s->owes_snapshot || s->owes_stop || !instance_take(s->endpoint, &call))
        return REACT_NONE;
    if (strcmp(call.verb, "mark") == 0)
        answer_mark(s, a, call.text);
    else if (strcmp(call.verb, "snapshot") == 0)
        answer_snapshot(s, a, call.text);
    else
        answer_record(s, a, call.text);
    return REACT_DRAW;
}
