#include "ui/capturing.h"

#include "src/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double kept_percent(const struct frame_capture *c)
{
    const uint64_t all = c->kept + c->left_out;
    return all ? 100 * (double)c->kept / (double)all : 100;
}

char *capturing_status(const struct frame *f, char *out, size_t room)
{
    out[0] = '\0';
    if (f->capture.text[0])
        snprintf(out, room, "capture %.60s: kept %.3g%%", f->capture.text,
                 kept_percent(&f->capture));
    return out;
}

static void tell(struct app *a)
{
    const struct frame_capture *const c = a->frame ? &a->frame->capture : NULL;
    if (!c || (!c->text[0] && !c->pushed[0]))
        app_say(a, false, "everything is stored; :capture FILTER stores only what passes");
    else if (!c->text[0])
        app_say(a, false, "%s; all of theirs is stored", c->pushed);
    else
        app_say(a, false, "capture %s: %" PRIu64 " records kept, %" PRIu64 " left out; %s", c->text,
                c->kept, c->left_out,
                c->pushed[0] ? c->pushed : "nothing of it is left to the system");
}

static bool is_over(const struct app *a)
{
    return a->frame && a->frame->state == STATE_FINISHED;
}

unsigned capturing_run(struct app *a, const char *argument)
{
    struct err err;
    if (!*argument) {
        tell(a);
        return REACT_DRAW;
    }
    if (strcmp(argument, "off") == 0) {
        app_command(a, COMMAND_CAPTURE, 0, "");
        const bool has_scope = a->frame && a->frame->capture.pushed[0];
        app_say(a, false, "everything is stored from now on%s%s", has_scope ? "; still: " : "",
                has_scope ? a->frame->capture.pushed : "");
        app_ask(a);
        return REACT_DRAW;
    }
    struct capture *const c = capture_new(argument, &err);
    if (!c) {
        app_say(a, true, "%s", err.text);
        return REACT_DRAW;
    }
    capture_free(c);
    app_command(a, COMMAND_CAPTURE, 0, argument);
    app_say(a, false,
            is_over(a) ? "set; but the recording is over, nothing more will come"
                       : "from now on only what passes is stored, and what names it; "
                         "other figures are less than what happened");
    app_ask(a);
    return REACT_DRAW;
}
