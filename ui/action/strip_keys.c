/* Keys in the time strip, and clicks on it. */
#include "ui/action/strip_keys.h"

#include "ui/action/action.h"
#include "ui/state/step.h"
#include "ui/state/strip.h"

#include <stdlib.h>

ACTION(strip)
{
    UNUSED(b), UNUSED(k);
    if (a->strip.has_focus)
        strip_hide(a);
    else
        strip_enter(a);
    return REACT_DRAW;
}

/* Shows what the column covers, of what is kept. */
static void show_column(struct app *a, const struct strip *s, int64_t begin, int64_t end)
{
    const struct frame *const f = a->focus->frame;
    const int64_t first = step_first(a, f);
    if (!s->kept_ns) {
        app_message(a, false, "no history yet");
        return;
    }
    if (begin >= s->last_ns || end <= first)
        app_message(a, false, "the history %s here", end <= first ? "begins" : "ends");
    if (begin < s->last_ns && end > first)
        step_to(a, begin - 1, end < s->last_ns ? end - 1 : end);
}

/* From column to column. Those beyond the part that is shown come with it. */
ACTION(strip_move)
{
    UNUSED(k);
    const struct strip *const s = strip_known(a);
    int64_t from, to;
    if (!s || abs(b->argument) == STEP_FAR_ON)
        return step_by(a, b->argument), REACT_DRAW;
    a->message[0] = '\0';
    strip_shown(a, s, &from, &to);
    const bool is_last = a->range_to <= a->range_from && a->focus->frame->is_total;
    const int64_t middle = is_last ? s->last_ns - 1 : from + (to - from + 1) / 2;
    const int64_t column = (int64_t)strip_column(s, middle) + b->argument + is_last;
    const int64_t by = (s->end_ns - s->begin_ns) / (int64_t)s->columns;
    if (column >= 0 && column < (int64_t)s->columns)
        show_column(a, s, strip_time(s, (unsigned)column), strip_time(s, (unsigned)column + 1));
    else
        show_column(a, s, strip_time(s, 0) + column * by, strip_time(s, 0) + (column + 1) * by);
    return REACT_DRAW;
}

/* Around what is shown; live, up to the newest. */
ACTION(strip_scale)
{
    UNUSED(k);
    const struct strip *const s = strip_known(a);
    int64_t from, to;
    if (!s)
        return REACT_NONE;
    /* As asked for last, which the frame may not show yet. */
    const int64_t span = a->strip.span_ns ? a->strip.span_ns : s->end_ns - s->begin_ns;
    if (b->argument > 0 && span / (int64_t)s->columns <= s->cell_ns) {
        app_message(a, false, "cannot zoom in further");
        return REACT_DRAW;
    }
    if (b->argument < 0 && !a->strip.span_ns)
        app_message(a, false, "all the recorded time is shown");
    a->strip.span_ns = b->argument > 0 ? span / 2 : span * 2;
    strip_shown(a, s, &from, &to);
    a->strip.end_ns = from + (to - from) / 2 + a->strip.span_ns / 2;
    if (a->strip.span_ns >= s->last_ns - s->first_ns)
        a->strip.span_ns = a->strip.end_ns = 0;
    return REACT_DRAW;
}

ACTION(strip_end)
{
    UNUSED(b), UNUSED(k);
    const struct strip *const s = strip_known(a);
    struct strip_place *const p = &a->strip;
    if (!s)
        return REACT_NONE;
    p->end_count = p->end_count < 2 ? p->end_count : 0;
    strip_shown(a, s, &p->ends[p->end_count].from, &p->ends[p->end_count].to);
    p->end_count++;
    app_message(a, false,
                p->end_count == 1 ? "one end is set; Space sets the other, Enter shows it"
                                  : "both ends are set; Enter shows the range");
    return REACT_DRAW;
}

ACTION(strip_go)
{
    UNUSED(b), UNUSED(k);
    const struct strip *const s = strip_known(a);
    int64_t from, to;
    if (s && strip_chosen(a, s, &from, &to))
        step_to(a, from, to);
    a->strip.end_count = 0;
    a->strip.has_focus = false;
    a->message[0] = '\0';
    return REACT_DRAW;
}

/* The next of the recorded figures. */
ACTION(strip_metric)
{
    UNUSED(k);
    const struct strip *const s = strip_known(a);
    const bool is_known = !s || s->known >> a->settings.strip_metric & 1;
    int next = is_known ? a->settings.strip_metric : s->metric;
    do
        next = (next + b->argument + STRIP_METRICS) % STRIP_METRICS;
    while (s && s->known && !(s->known >> next & 1));
    a->settings.strip_metric = (uint8_t)next;
    return REACT_DRAW;
}

unsigned strip_click(struct app *a, const struct rect *line, const struct key *k)
{
    const struct strip *const s = strip_known(a);
    const struct rect plot = strip_plot(line);
    if (!s || !s->columns || k->x < plot.x || k->x >= plot.x + plot.width)
        return s ? strip_enter(a), REACT_DRAW : REACT_NONE;
    const unsigned column = (unsigned)(k->x - plot.x) * s->columns / (unsigned)plot.width;
    show_column(a, s, strip_time(s, column), strip_time(s, column + 1));
    return REACT_DRAW;
}
