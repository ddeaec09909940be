#include "ui/draw/sign.h"

#include "ui/draw/loss.h"
#include "ui/state/layout.h"
#include "ui/state/compare.h"
#include "ui/state/flame.h"
#include "ui/state/chart.h"
#include "ui/state/saver.h"
#include "ui/state/strip.h"

#include <stddef.h>
#include <string.h>

/* Where a sign can stand. */
enum {
    IN_TABLE = 1,   /* rows of a pane, also as a tree */
    IN_EVENTS = 2,  /* the event stream */
    IN_CALLS = 4,   /* call trees */
    IN_CHANGES = 8, /* what changed */
    IN_FLAME = 16,
    IN_CHART = 32, /* histogram, heat map, processors */
    IN_DETAIL = 64,
    IN_FOLDS = 128, /* beside TABLE or CALLS: rows stand below each other */

    IN_ROWS = IN_TABLE | IN_EVENTS | IN_CALLS | IN_CHANGES,
    IN_COLUMNS = IN_TABLE | IN_CALLS,
    ANYWHERE = IN_ROWS | IN_FLAME | IN_CHART | IN_DETAIL,
};

static unsigned kinds_shown(const struct app *a)
{
    const struct place *const p = app_shown(a);
    static const unsigned kinds[] = {[PANE_TABLE] = IN_TABLE,
                                     [PANE_EVENTS] = IN_EVENTS,
                                     [PANE_TREE] = IN_CALLS | IN_FOLDS,
                                     [PANE_CHANGES] = IN_CHANGES};
    if (a->focus->is_detail)
        return IN_DETAIL;
    if (chart_is_shown(a))
        return IN_CHART;
    if (flame_is_shown(a))
        return IN_FLAME;
    return kinds[p->pane->view] | (p->is_tree ? IN_FOLDS : 0);
}

/* ---- what a sign needs beside its place ----------------------------------------------------- */

static const struct frame *frame_of(const struct app *a)
{
    return a->focus->frame;
}

static bool is_in_state(const struct app *a, enum engine_state state)
{
    return frame_of(a) && !a->is_frozen && frame_of(a)->state == state;
}

static bool is_live(const struct app *a) { return is_in_state(a, STATE_LIVE); }
static bool is_replay(const struct app *a) { return is_in_state(a, STATE_REPLAY); }
static bool is_paused(const struct app *a) { return is_in_state(a, STATE_PAUSED); }
static bool is_finished(const struct app *a) { return is_in_state(a, STATE_FINISHED); }
static bool has_failed(const struct app *a) { return is_in_state(a, STATE_FAILED); }
static bool is_frozen(const struct app *a) { return a->is_frozen; }
static bool has_folds(const struct app *a) { return kinds_shown(a) & IN_FOLDS; }
static bool has_difference(const struct app *a)
{
    return compare_is_shown(a) && !a->glyphs->is_ascii;
}
static bool has_ascii_difference(const struct app *a)
{
    return compare_is_shown(a) && a->glyphs->is_ascii;
}

/* The status line's word of a file that is being written begins with the sign's. */
static bool is_saving(const struct app *a, enum sign s)
{
    char text[64];
    return strstr(saver_status(a->saver, text, sizeof text), sign_text(a->glyphs, s));
}

static bool is_recording(const struct app *a) { return is_saving(a, SIGN_RECORDING); }
static bool is_snapshot(const struct app *a) { return is_saving(a, SIGN_SNAPSHOT); }

static bool has_span(const struct app *a)
{
    const struct frame *const f = frame_of(a);
    return f && f->pane->view == PANE_TABLE &&
           (is_finished(a) || (is_live(a) && f->is_total));
}
static bool has_mean(const struct app *a) { return has_span(a) && !a->is_accumulating; }
static bool has_sums(const struct app *a) { return has_span(a) && a->is_accumulating; }
static bool is_rereading(const struct app *a) { return frame_of(a) && frame_of(a)->is_rereading; }
static bool has_largest(const struct app *a)
{
    return app_known(a) && app_known(a)->is_of_history;
}
static bool has_figures(const struct app *a) { return frame_of(a) && !a->is_still; }
static bool has_watched(const struct app *a)
{
    return frame_of(a) && frame_of(a)->watched[0];
}
static bool has_capture(const struct app *a) { return frame_of(a) && frame_of(a)->capture.text[0]; }
static bool has_classes(const struct app *a) { return has_figures(a) && frame_of(a)->active; }
static bool has_late(const struct app *a) { return frame_of(a) && frame_of(a)->late; }
static bool has_unmatched(const struct app *a) { return frame_of(a) && frame_of(a)->unmatched; }
static bool has_recorder(const struct app *a)
{
    char text[FRAME_RECORDER];
    return frame_of(a) && *frame_recorder(frame_of(a), text);
}
static bool has_left_out(const struct app *a) { return frame_of(a) && loss_left_out(frame_of(a)); }
static bool has_self(const struct app *a)
{
    return has_figures(a) && frame_of(a)->self_percent >= 0;
}
static bool has_meters(const struct app *a)
{
    return app_meters(a).lines > 0;
}
static bool is_demo(const struct app *a) { return frame_of(a) && frame_of(a)->is_synthetic; }
static bool has_lock(const struct app *a) { return a->locked[0]; }
static bool has_hidden(const struct app *a) { return app_known(a) && app_known(a)->hidden; }
static bool counts_twice(const struct app *a)
{
    return app_known(a) && app_known(a)->counts_twice;
}
static bool has_unread(const struct app *a) { return app_known(a) && app_known(a)->unread; }
static bool has_given_up(const struct app *a)
{
    return app_known(a) && app_known(a)->given_up;
}
static bool is_filling(const struct app *a) { return app_known(a) && app_known(a)->is_partial; }
static bool hides_idle(const struct app *a) { return a->settings.hides_idle; }
static bool hides_system(const struct app *a) { return a->settings.hides_system; }
static bool hides_self(const struct app *a)
{
    return a->settings.hides_self;
}
static bool locks_order(const struct app *a) { return app_shown(a)->locks_order; }
static bool has_short(const struct app *a)
{
    return frame_of(a) && frame_of(a)->bounds.stacks_short;
}

static bool has_strip_sign(const struct app *a, enum strip_sign sign)
{
    const struct strip *const s = strip_height(a) ? strip_known(a) : NULL;
    for (unsigned i = 0; s && i < s->columns; i++)
        if (s->signs[i] & sign)
            return true;
    return false;
}
static bool has_strip_mark(const struct app *a)
{
    return has_strip_sign(a, STRIP_MARK);
}
static bool has_strip_trigger(const struct app *a)
{
    return has_strip_sign(a, STRIP_TRIGGER);
}
static bool has_strip_loss(const struct app *a)
{
    return has_strip_sign(a, STRIP_LOSS);
}
static bool has_strip_gap(const struct app *a)
{
    return has_strip_sign(a, STRIP_GAP);
}

/* ---- the table ------------------------------------------------------------------------------ */

#define GLYPH(name) NULL, offsetof(struct glyphs, name)
#define WORD(text) text, 0

static const struct row {
    const char *text;
    size_t glyph; /* where there is no text: the member of the glyphs */
    unsigned where;
    bool (*is_now)(const struct app *a); /* NULL: always */
    const char *help;
} signs[SIGNS] = {
    /* clang-format off */
    [SIGN_TAGGED] = {WORD("*"), IN_ROWS, NULL, "Before a row: it is tagged"},
    [SIGN_RULE] = {WORD("!"), IN_ROWS, NULL, "Before a row: a highlight rule matches"},
    [SIGN_EXITED] = {WORD("x"), IN_TABLE, NULL, "Before a row: it has exited"},
    [SIGN_NEW] = {WORD("+"), IN_TABLE, NULL, "Before a row: it is new"},
    [SIGN_FOLDED] = {WORD("+"), IN_COLUMNS, has_folds, "Before a name: folded, with rows below"},
    [SIGN_UNFOLDED] = {WORD("-"), IN_COLUMNS, has_folds, "Before a name: unfolded"},
    [SIGN_ZERO] = {GLYPH(zero), IN_ROWS, NULL, "Zero"},
    [SIGN_ABSENT] = {GLYPH(absent), IN_ROWS, NULL, "Unknown, or not recorded"},
    [SIGN_INCOMPLETE] = {GLYPH(incomplete), IN_ROWS, NULL, "After a title or number: too small, a part is lost"},
    [SIGN_ESTIMATED] = {GLYPH(estimated), IN_TABLE, NULL, "After a title: estimated from samples"},
    [SIGN_STAND_IN] = {WORD("(name)"), IN_ROWS | IN_FLAME, NULL, "Not one thing, such as (idle), (unknown), (others)"},

    [SIGN_LIVE] = {WORD("LIVE"), ANYWHERE, is_live, "Events as they happen; rates over the time shown"},
    [SIGN_REPLAY] = {WORD("REPLAY"), ANYWHERE, is_replay, "Reading a trace: time of its events, and speed"},
    [SIGN_PAUSED] = {WORD("PAUSED"), ANYWHERE, is_paused, "The replay is paused at this time"},
    [SIGN_FINISHED] = {WORD("FINISHED"), ANYWHERE, is_finished, "All events are read; time of the last one"},
    [SIGN_FAILED] = {WORD("FAILED"), ANYWHERE, has_failed, "No more events come; the message says why"},
    [SIGN_FROZEN] = {WORD("FROZEN"), ANYWHERE, is_frozen, "The screen is frozen; collecting goes on"},
    [SIGN_RECORDING] = {WORD("REC"), ANYWHERE, is_recording, "Recording to a file: time and size so far"},
    [SIGN_SNAPSHOT] = {WORD("snapshot"), ANYWHERE, is_snapshot, "Writing a snapshot: the part that is done"},
    [SIGN_MEAN] = {WORD("mean of"), IN_TABLE, has_mean, "Rates are averages over this time"},
    [SIGN_SUMS] = {WORD("sums"), IN_TABLE, has_sums, "Sums and averages over this time"},
    [SIGN_REREADING] = {WORD("reading again"), ANYWHERE, is_rereading, "Reading the trace again for this view"},
    [SIGN_LARGEST] = {WORD("top 50"), IN_TABLE, has_largest, "Largest rows of a time whose events are gone"},
    [SIGN_RATE] = {WORD("ev/s"), ANYWHERE, has_figures, "Events a second"},
    [SIGN_LOST] = {WORD("LOST"), ANYWHERE, NULL, "Events lost and the main cause; :loss lists all"},
    [SIGN_WATCHED] = {WORD("only"), ANYWHERE, has_watched, "Only these processes are recorded (-p, -n, -c)"},
    [SIGN_CAPTURE] = {WORD("capture"), ANYWHERE, has_capture, "Only events that match are stored; their share"},
    [SIGN_RECORDER] = {WORD("by"), IN_TABLE, has_recorder, "Kernel logger or provider whose events are counted"},
    [SIGN_CLASSES] = {WORD("on"), ANYWHERE, has_classes, "Classes of events that are collected"},
    [SIGN_LATE] = {WORD("late"), ANYWHERE, has_late, "Events that came late: counted one interval later"},
    [SIGN_UNMATCHED] = {WORD("unmatched"), ANYWHERE, has_unmatched, "Stacks and completions whose event is missing"},
    [SIGN_LEFT_OUT] = {WORD("left out"), ANYWHERE, has_left_out, "Left out for lack of memory; :loss lists causes"},
    [SIGN_RING] = {WORD("ring"), ANYWHERE, has_figures, "Length of the history in memory"},
    [SIGN_SELF] = {WORD("self"), ANYWHERE, has_self, "Processor use of tracetop; 100% is one processor"},

    [SIGN_DEMO] = {WORD("DEMO"), ANYWHERE, is_demo, "Made-up events of a machine that does not exist"},
    [SIGN_LOCKED] = {WORD("locked"), ANYWHERE, has_lock, "The filter goes along to other panes"},
    [SIGN_HIDDEN] = {WORD("hidden"), ANYWHERE, has_hidden, "Rows that the filter or a setting hides"},
    [SIGN_TWICE] = {WORD("file+disk"), ANYWHERE, counts_twice, "Adds files and disks; class=file or disk: one"},
    [SIGN_UNREAD] = {WORD("unread"), ANYWHERE, has_unread, "Events too old to be checked against the filter"},
    [SIGN_GIVEN_UP] = {WORD("too hard"), ANYWHERE, has_given_up, "Texts too slow for the regular expression"},
    [SIGN_FILLING] = {WORD("filling"), ANYWHERE, is_filling, "Still counting the events of the history"},
    [SIGN_ACTIVE] = {WORD("active"), IN_COLUMNS, hides_idle, "Idle rows are hidden"},
    [SIGN_NO_SYSTEM] = {WORD("no system"), IN_COLUMNS, hides_system, "System processes and drivers are hidden"},
    [SIGN_NO_SELF] = {WORD("no tracetop"), IN_COLUMNS, hides_self, "Rows of tracetop itself are hidden"},
    [SIGN_ORDER_LOCKED] = {WORD("order locked"), IN_COLUMNS, locks_order, "Rows keep their order while values change"},
    [SIGN_STACKS] = {WORD("stacks"), IN_CALLS | IN_FLAME, NULL, "Stacks matched to their event, and orphan stacks"},
    [SIGN_SHORT] = {WORD("short"), IN_CALLS | IN_FLAME, has_short, "Stacks not unwound: too many came at once"},

    [SIGN_STRIP_MARK] = {WORD("M"), ANYWHERE, has_strip_mark, "In the time strip: a mark"},
    [SIGN_STRIP_TRIGGER] = {WORD("T"), ANYWHERE, has_strip_trigger, "In the time strip: a trigger acted"},
    [SIGN_STRIP_LOSS] = {WORD("L"), ANYWHERE, has_strip_loss, "In the time strip: events were lost"},
    [SIGN_STRIP_GAP] = {WORD("="), ANYWHERE, has_strip_gap, "In the time strip: a gap"},

    [SIGN_DIFFERENCE] = {WORD("Δ"), IN_TABLE, has_difference, "Before a title: the difference to moment A"},
    [SIGN_DIFFERENCE_ASCII] = {WORD("d"), IN_TABLE, has_ascii_difference, "Before a title: the difference to moment A"},
    [SIGN_DESCENDING] = {GLYPH(down), IN_COLUMNS, NULL, "After a title: sorted, largest first"},
    [SIGN_ASCENDING] = {GLYPH(up), IN_COLUMNS, NULL, "After a title: sorted, smallest first"},
    [SIGN_CURSOR] = {GLYPH(cursor), IN_ROWS | IN_FLAME, NULL, "The cursor"},
    [SIGN_CUT] = {GLYPH(ellipsis), ANYWHERE, NULL, "The text is cut here"},
    [SIGN_UNITS] = {WORD("K M G T"), IN_ROWS, NULL, "Bytes by 1024 (setting units), counts by 1000"},

    [SIGN_PART_1] = {GLYPH(part[0]), ANYWHERE, has_meters, "Meters: time of programs; memory in use"},
    [SIGN_PART_2] = {GLYPH(part[1]), ANYWHERE, has_meters, "Meters: time of the kernel; memory of buffers"},
    [SIGN_PART_3] = {GLYPH(part[2]), ANYWHERE, has_meters, "Meters: time of interrupts; memory of the cache"},
    [SIGN_PART_4] = {GLYPH(part[3]), ANYWHERE, has_meters, "Meters: time of other machines; memory on standby"},
    [SIGN_PRESSURE] = {WORD("psi"), ANYWHERE, has_meters, "Pressure: time that some task waited, in percent"},
    /* clang-format on */
};

const char *sign_text(const struct glyphs *g, enum sign s)
{
    const char *text = signs[s].text;
    if (!text)
        memcpy(&text, (const char *)g + signs[s].glyph, sizeof text);
    return text;
}

const char *sign_help(enum sign s)
{
    return signs[s].help;
}

bool sign_is_here(const struct app *a, enum sign s)
{
    return signs[s].where & kinds_shown(a) && (!signs[s].is_now || signs[s].is_now(a));
}
