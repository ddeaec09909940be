/* Actions that write a file: snapshots and recordings. */
#include "src/trace/snapshot_ask.h"
#include "ui/action/action.h"
#include "ui/draw/view_file.h"
#include "ui/state/app.h"
#include "ui/state/chooser.h"
#include "ui/state/filtering.h"
#include "ui/state/saver.h"
#include "ui/state/search.h"

#include <stdlib.h>
#include <string.h>

static bool has_saver(struct app *a)
{
    if (!a->saver)
        app_message(a, true, "nothing can be saved here");
    return a->saver != NULL;
}

/* A picture that stands still is saved as it stands: the range it shows, or up to where it
 * was frozen. */
static void request_as_shown(const struct app *a, const struct frame *f, struct saver_request *w)
{
    const bool has_range = a->range_to > a->range_from;
    w->from_ns = has_range ? a->range_from + 1 : a->is_frozen && f ? 1 : 0;
    w->to_ns = has_range ? a->range_to : w->from_ns ? f->kept_last : 0;
}

bool action_snapshot_begin(struct app *a, const char *text, bool as_shown, struct err *err)
{
    struct snapshot_ask ask;
    const struct frame *const f = app_known(a);
    if (!snapshot_ask_read(text, &ask, err))
        return false;
    struct saver_request request = {.path = ask.path, .filter = ask.filter};
    if (!ask.has_range && as_shown)
        request_as_shown(a, f, &request);
    if (ask.has_range && (!f || !f->kept_last))
        return fail(err, "no events yet: a range needs some");
    if (ask.has_range && !range_resolve(&ask.range, f->kept_first, f->kept_last, &request.from_ns,
                                        &request.to_ns, err))
        return false;
    char *const view = view_file_text(a);
    const bool is_begun = saver_snapshot(a->saver, &request, view, err);
    free(view);
    return is_begun;
}

/* The pane's filter does not limit a snapshot: it takes all events unless `text` has a filter of
 * its own. A message says so. */
unsigned action_snapshot_of(struct app *a, const char *text)
{
    struct err err;
    if (!has_saver(a))
        return REACT_DRAW;
    if (!action_snapshot_begin(a, text, true, &err))
        app_message(a, true, "%s", err.text);
    else if (!*text && app_place(a)->filter[0])
        app_message(a, false, "writing a snapshot of all events; :snapshot %s filters it",
                    app_place(a)->filter);
    else
        app_message(a, false, "writing a snapshot");
    return REACT_DRAW;
}

ACTION(snapshot)
{
    UNUSED(b), UNUSED(k);
    return action_snapshot_of(a, "");
}

unsigned action_record_to(struct app *a, const char *path)
{
    char reported[512];
    if (!has_saver(a))
        return REACT_DRAW;
    const bool is_over = a->focus->frame && a->focus->frame->state == STATE_FINISHED;
    if (is_over && !saver_recording(a->saver)) {
        app_message(a, true, "nothing to record: the trace has ended");
        return REACT_DRAW;
    }
    const bool is_well = saver_record(a->saver, path, reported, sizeof reported);
    a->leave_at = 0;
    app_message(a, !is_well, "%s", reported);
    return REACT_DRAW;
}

ACTION(record)
{
    UNUSED(b), UNUSED(k);
    return action_record_to(a, "");
}

ACTION(choose)
{
    UNUSED(k);
    chooser_open(a, (enum chooser_kind)b->argument);
    return REACT_DRAW;
}

ACTION(choose_move)
{
    UNUSED(k);
    list_move(&a->chooser.list, b->argument);
    return REACT_DRAW;
}

ACTION(choose_page)
{
    UNUSED(k);
    list_page(&a->chooser.list, b->argument);
    return REACT_DRAW;
}

ACTION(choose_toggle)
{
    UNUSED(b);
    return chooser_toggle(a, k);
}
