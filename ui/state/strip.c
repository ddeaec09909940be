#include "ui/state/strip.h"

enum { LABEL = 17, TALL = 30 };

int strip_height(const struct app *a)
{
    const bool is_tall = a->rows >= TALL;
    const bool is_wanted =
        a->settings.strip == STRIP_YES || (a->settings.strip == STRIP_AUTO && is_tall);
    const bool is_shown = a->strip.has_focus || (is_wanted && !a->is_zoomed);
    if (!is_shown || a->rows < 12)
        return 0;
    return is_tall ? 2 : 1;
}

struct rect strip_plot(const struct rect *line)
{
    return (struct rect){line->x + LABEL, line->y, line->width - LABEL - 1, line->height};
}

const struct strip *strip_known(const struct app *a)
{
    return a->focus->frame ? a->focus->frame->strip : NULL;
}

void strip_ask(const struct app *a, struct request *r)
{
    const struct rect line = {0, 0, a->columns, 1};
    const int cells = strip_plot(&line).width, most = STRIP_COLUMNS / 2;
    const int dots = a->settings.symbols == SYMBOLS_BRAILLE && !a->glyphs->is_ascii ? 2 : 1;
    if (!strip_height(a) || cells <= 0)
        return;
    r->strip.metric = a->settings.strip_metric;
    r->strip.columns = (uint16_t)((cells < most ? cells : most) * dots);
    r->strip.span_ns = a->strip.span_ns;
    r->strip.end_ns = a->is_frozen ? a->strip.end_ns : 0;
}

void strip_enter(struct app *a)
{
    a->strip.has_focus = true;
    a->strip.end_count = 0;
    if (!strip_height(a)) {
        a->strip.has_focus = false;
        app_message(a, false, "the time strip needs 12 lines");
    } else if (a->rows < TALL) {
        a->settings.strip = STRIP_YES;
    } else if (a->settings.strip == STRIP_NO) {
        a->settings.strip = STRIP_AUTO;
    }
}

void strip_hide(struct app *a)
{
    a->strip = (struct strip_place){.has_focus = false};
    a->settings.strip = a->rows < TALL ? STRIP_AUTO : STRIP_NO;
}

bool strip_leave(struct app *a)
{
    const bool had_ends = a->strip.end_count, had_focus = a->strip.has_focus;
    a->strip.end_count = 0;
    a->strip.has_focus = had_focus && had_ends;
    return had_focus;
}

void strip_shown(const struct app *a, const struct strip *s, int64_t *from, int64_t *to)
{
    const struct frame *const f = a->focus->frame;
    *from = a->range_from;
    *to = a->range_to;
    if (*to > *from)
        return;
    const int64_t over = f->origin + (int64_t)f->interval * f->sample_ns;
    *to = f->interval && over < s->last_ns ? over : s->last_ns;
    *from = *to - f->sample_ns;
}

bool strip_chosen(const struct app *a, const struct strip *s, int64_t *from, int64_t *to)
{
    const struct strip_place *const p = &a->strip;
    if (!p->end_count)
        return false;
    int64_t other_from = p->ends[1].from, other_to = p->ends[1].to;
    if (p->end_count == 1)
        strip_shown(a, s, &other_from, &other_to);
    *from = p->ends[0].from < other_from ? p->ends[0].from : other_from;
    *to = p->ends[0].to > other_to ? p->ends[0].to : other_to;
    return true;
}

void strip_follow(struct app *a, int64_t from, int64_t to)
{
    struct strip_place *const p = &a->strip;
    const struct strip *const s = strip_known(a);
    if (p->span_ns && s && (from < s->begin_ns || to > s->end_ns))
        p->end_ns = from + (to - from) / 2 + p->span_ns / 2;
}
