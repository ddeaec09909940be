#include "ui/state/step.h"

#include "src/filter/range.h"
#include "ui/state/app.h"
#include "ui/state/strip.h"

#include <stdio.h>
#include <string.h>

/* Numbers of samples: the history's and the one that is shown. */
struct samples {
    int64_t first, last;
    int64_t oldest_shown, newest_shown;
};

/* What was asked for holds from then on, though the frame may be of before. */
static int64_t sample_ns(const struct app *a, const struct frame *f)
{
    return a->interval_asked ? a->interval_asked : f->sample_ns;
}

static int64_t sample_of(const struct app *a, const struct frame *f, int64_t instant)
{
    const int64_t since = instant - f->origin, ns = sample_ns(a, f);
    return since >= 0 ? since / ns : -((ns - 1 - since) / ns);
}

/* The frame to step from; NULL (and a sentence) while nothing is kept. */
static const struct frame *kept(struct app *a)
{
    const struct frame *f = a->focus->frame;
    if (f && f->sample_ns > 0 && f->kept_last)
        return f;
    app_message(a, false, "no history yet");
    return NULL;
}

/* Before the beginning a live source only reports what exists already: that is no sample. What can
 * be read again need not be kept: "5s" counts from the beginning of the whole recording, as with
 * -r. */
static int64_t first_event(const struct frame *f)
{
    if (f->recorded_first)
        return f->recorded_first;
    return f->kept_first > f->origin ? f->kept_first : f->origin;
}

int64_t step_first(const struct app *a, const struct frame *f)
{
    const int64_t first = first_event(f);
    const bool has_sums = f->sums_first && f->pane->view == PANE_TABLE && !a->focus->depth;
    return has_sums && f->sums_first < first ? f->sums_first : first;
}

static struct samples samples_of(const struct app *a, const struct frame *f)
{
    struct samples s = {sample_of(a, f, step_first(a, f)), sample_of(a, f, f->kept_last), 0, 0};
    if (a->range_to > a->range_from) {
        s.oldest_shown = sample_of(a, f, a->range_from + 1);
        s.newest_shown = sample_of(a, f, a->range_to);
    } else if (f->is_total) { /* everything: the first step back shows its last sample */
        s.oldest_shown = s.newest_shown = s.last + 1;
    } else { /* the last one that was over */
        s.oldest_shown = s.newest_shown = s.last - 1;
    }
    return s;
}

/* A row that stood in for a missing one hands the cursor back, unless it was moved. */
static void recall_row(struct app *a)
{
    struct place *p = app_place(a);
    struct held_row *h = &a->focus->held;
    if (h->place != p)
        return;
    const bool is_unmoved =
        !p->list.has_key || (h->has_stand_in && row_key_equal(p->list.key, h->stand_in));
    if (is_unmoved && !p->list.is_first && !p->list.is_tail) {
        p->list.key = h->key;
        p->list.has_key = true;
        h->has_stand_in = false;
    } else {
        h->place = NULL;
    }
}

static void show(struct app *a, int64_t from, int64_t to)
{
    app_freeze(a, true);
    recall_row(a);
    strip_follow(a, from, to);
    a->range_from = from;
    a->range_to = to;
}

static void show_sample(struct app *a, const struct frame *f, int64_t number)
{
    const int64_t from = f->origin + number * sample_ns(a, f) - 1;
    show(a, from, from + sample_ns(a, f));
}

void step_to(struct app *a, int64_t from, int64_t to)
{
    show(a, from, to);
}

bool step_moment(struct app *a, int64_t *from, int64_t *to)
{
    const struct frame *const f = kept(a);
    if (!f)
        return false;
    const struct samples s = samples_of(a, f);
    *from = a->range_from;
    *to = a->range_to;
    if (*to <= *from) {
        const int64_t number = s.newest_shown > s.last ? s.last : s.newest_shown;
        *from = f->origin + (number > s.first ? number : s.first) * sample_ns(a, f) - 1;
        *to = *from + sample_ns(a, f);
    }
    return true;
}

void step_by(struct app *a, int64_t by)
{
    const struct frame *f = kept(a);
    if (!f)
        return;
    const struct samples s = samples_of(a, f);
    a->message[0] = '\0'; /* that it was at an end before */
    const int64_t target = (by < 0 ? s.oldest_shown : s.newest_shown) + by;
    if (target < s.first)
        app_message(a, false, "the history begins here");
    else if (target > s.last)
        app_message(a, false, "the history ends here");
    show_sample(a, f, target < s.first ? s.first : target > s.last ? s.last : target);
}

/* Times of day are typed as they are shown. */
static void turn_to_zone(const struct app *a, struct range_edge *edge)
{
    if (edge->form == RANGE_DAY_LOCAL && a->settings.time == TIME_UTC)
        edge->form = RANGE_DAY_UTC;
}

/* "-30s" before the window's end, a time of day as times are shown, or an instant. */
static bool read_time(const struct app *a, const struct frame *f, const char *text, int64_t *out)
{
    struct range_edge edge;
    struct err err;
    if (!range_edge_read(text, &edge, &err))
        return false;
    turn_to_zone(a, &edge);
    *out = range_edge_at(&edge, step_first(a, f), f->kept_last);
    return true;
}

void step_at(struct app *a, const char *text)
{
    int64_t at;
    const struct frame *f = kept(a);
    if (!f)
        return;
    if (!read_time(a, f, text, &at)) {
        app_message(
            a, true,
            ":at takes a time: -30s, 10:20:30 or 2026-05-17T10:20:30Z; ' lists marks; found \"%s\"",
            text);
        return;
    }
    step_at_time(a, at);
}

void step_at_time(struct app *a, int64_t at)
{
    const struct frame *const f = kept(a);
    if (!f)
        return;
    const int64_t first = step_first(a, f);
    if (at < first || at > f->kept_last)
        app_message(a, false, "the history %s here", at < first ? "begins" : "ends");
    at = at < first ? first : at > f->kept_last ? f->kept_last : at;
    show_sample(a, f, sample_of(a, f, at));
}

void step_range(struct app *a, const char *text)
{
    struct range range;
    struct err err;
    int64_t from, to;
    const struct frame *const f = kept(a);
    if (!f)
        return;
    if (!range_read(text, &range, &err)) {
        app_message(a, true,
                    ":range takes two times, or one: -60s..-30s, 5s.., 10:20..10:21; found \"%s\"",
                    text);
        return;
    }
    turn_to_zone(a, &range.from);
    turn_to_zone(a, &range.to);
    if (range_resolve(&range, step_first(a, f), f->kept_last, &from, &to, &err) && from < to)
        show(a, from - 1, to);
    else
        app_message(a, true, "no history in %s", text);
}

bool step_into(struct app *a, int64_t from, int64_t to)
{
    const struct frame *const f = kept(a);
    if (!f)
        return false;
    if (to - from <= sample_ns(a, f))
        show_sample(a, f, sample_of(a, f, from));
    else
        show(a, from - 1, to);
    return true;
}

int64_t step_distance(const struct frame *f, int64_t instant)
{
    return instant < f->kept_last ? f->kept_last - instant : 0;
}

void step_lost_row(struct app *a)
{
    const struct list *l = &app_place(a)->list;
    if (a->focus->held.place != app_place(a))
        a->focus->held = (struct held_row){.place = app_place(a), .key = l->key};
}

void step_found_row(struct app *a)
{
    const struct list *l = &app_place(a)->list;
    if (a->focus->held.place == app_place(a) && row_key_equal(a->focus->held.key, l->key))
        a->focus->held.place = NULL;
}
