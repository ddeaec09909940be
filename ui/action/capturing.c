#include "ui/action/capturing.h"

#include "src/collect/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Who filters: every event is taken from the system and matched here, unless the start said whom it
 * is to watch. That is no more changed while it runs: of whom it did not watch it would not know
 * which files and sockets they have opened meanwhile. */
static const char *who_filters(const struct frame_capture *c, const char *filter, char *out,
                               size_t room)
{
    struct capture_scope scope;
    capture_scope_of(filter, &scope);
    if (c->pushed[0])
        snprintf(out, room, "%s", c->pushed);
    else if (scope.reported[0])
        snprintf(out, room, "checked by tracetop (-F at the start lets the system check %s=)",
                 scope.name[0] ? "proc" : "pid");
    else
        snprintf(out, room, "checked by tracetop, not by the system");
    return out;
}

static void report(struct app *a)
{
    char filters[160];
    const struct frame_capture *const c = a->focus->frame ? &a->focus->frame->capture : NULL;
    if (!c || (!c->text[0] && !c->pushed[0]))
        app_message(a, false, "all events are stored; :capture FILTER limits them");
    else if (!c->text[0])
        app_message(a, false, "%s; all events of these processes are stored", c->pushed);
    else
        app_message(a, false, "%" PRIu64 " records stored, %" PRIu64 " not stored; %s", c->kept,
                    c->left_out, who_filters(c, c->text, filters, sizeof filters));
}

static bool is_over(const struct app *a)
{
    return a->focus->frame && a->focus->frame->state == STATE_FINISHED;
}

unsigned capturing_run(struct app *a, const char *argument)
{
    struct err err;
    if (!*argument) {
        report(a);
        return REACT_DRAW;
    }
    if (strcmp(argument, "off") == 0) {
        app_command(a, COMMAND_CAPTURE, 0, "");
        const bool has_scope = a->focus->frame && a->focus->frame->capture.pushed[0];
        app_message(a, false, "all events are stored from now on%s%s", has_scope ? "; still: " : "",
                    has_scope ? a->focus->frame->capture.pushed : "");
        app_ask(a);
        return REACT_DRAW;
    }
    struct capture *const c = capture_new(argument, &err);
    if (!c) {
        app_message(a, true, "%s", err.text);
        return REACT_DRAW;
    }
    capture_free(c);
    app_command(a, COMMAND_CAPTURE, 0, argument);
    static const struct frame_capture nothing;
    char filters[160];
    if (is_over(a))
        app_message(a, false, "set, but the trace has ended: no more events");
    else
        app_message(a, false, "storing only matching events, and names; %s",
                    who_filters(a->focus->frame ? &a->focus->frame->capture : &nothing, argument,
                                filters, sizeof filters));
    app_ask(a);
    return REACT_DRAW;
}
