#include "src/view_find.h"

#include "src/mem.h"
#include "src/view_sieve.h"

#include <stdlib.h>
#include <string.h>

enum { FIND, TAG, LOOKS };

struct finder {
    struct sieve sieves[LOOKS];
    bool is_asking; /* the rule that tags, about an event: should it ask for tags itself, by hand */
    const struct pane *pane; /* that they were read for */
    char texts[LOOKS][FIND_MAX];
    uint64_t names; /* model's late_names that the verdicts stand for */

    /* The answer to the request with this number; 0: there is none. */
    uint64_t sequence;
    bool has_found;
    struct row_key found;
    uint64_t count, at;
};

static const unsigned flags[LOOKS] = {[FIND] = ROW_FOUND, [TAG] = ROW_TAGGED};

struct finder *finder_new(void)
{
    struct finder *const f = mem_new(1, sizeof *f);
    for (unsigned i = 0; i < LOOKS; i++)
        sieve_init(&f->sieves[i]);
    return f;
}

void finder_free(struct finder *f)
{
    for (unsigned i = 0; f && i < LOOKS; i++)
        sieve_fini(&f->sieves[i]);
    free(f);
}

/* Frames of call trees are found by what they are, not by the events that came from them. */
static const struct pane *pane_of(const struct request *r)
{
    return r->pane->view == PANE_TREE ? stack_frames_pane(r->stacks.metric) : r->pane;
}

void finder_ask(struct view *v)
{
    struct finder *const f = v->finder;
    const struct request *const r = &v->request;
    const struct world *const w = view_world(v);
    const struct filter_span span = {facts_earliest(&w->facts), w->newest_ns};
    const struct pane *const pane = pane_of(r);
    const char *const wanted[LOOKS] = {[FIND] = r->find, [TAG] = r->tag};
    for (unsigned i = 0; i < LOOKS; i++) {
        if (f->pane == pane && strncmp(f->texts[i], wanted[i], FIND_MAX) == 0)
            continue;
        memcpy(f->texts[i], wanted[i], FIND_MAX);
        f->texts[i][FIND_MAX - 1] = '\0';
        sieve_read(&f->sieves[i], f->texts[i], pane, &span);
    }
    f->pane = pane;
    if (f->names != view_names(v))
        for (unsigned i = 0; i < LOOKS; i++)
            sieve_forget(&f->sieves[i]);
    f->names = view_names(v);
    if (f->sequence != r->sequence)
        f->sequence = 0;
}

bool finder_is_on(const struct view *v)
{
    return v->finder->texts[FIND][0] || v->finder->texts[TAG][0];
}

unsigned finder_row(const struct view *v, const struct table_row *r, struct row_context *x)
{
    unsigned found = 0;
    for (unsigned i = 0; i < LOOKS; i++)
        if (filter_has(&v->finder->sieves[i].filter, LEVEL_ROW) &&
            view_row_fits(v, &v->finder->sieves[i].filter, r, x))
            found |= flags[i];
    return found;
}

/* A rule that asks for tags itself means those made by hand. */
bool finder_tags_row(const struct view *v, const struct filter *asked, const struct table_row *r,
                     struct row_context *x)
{
    const struct filter *const rule = &v->finder->sieves[TAG].filter;
    return asked != rule && filter_has(rule, LEVEL_ROW) && view_row_fits(v, rule, r, x);
}

bool finder_tags_event(const struct view *v, const struct fact *f)
{
    struct finder *const all = v->finder;
    if (all->is_asking || !filter_has(&all->sieves[TAG].filter, LEVEL_FACT))
        return false;
    all->is_asking = true;
    const bool is_tagged = sieve_passes(&all->sieves[TAG], v, f);
    all->is_asking = false;
    return is_tagged;
}

unsigned finder_event(const struct view *v, const struct fact *f)
{
    unsigned found = 0;
    if (filter_has(&v->finder->sieves[FIND].filter, LEVEL_FACT) &&
        sieve_passes(&v->finder->sieves[FIND], v, f))
        found |= flags[FIND];
    return finder_tags_event(v, f) ? found | flags[TAG] : found;
}

unsigned finder_name(const struct view *v, const char *name, size_t bytes)
{
    unsigned found = 0;
    for (unsigned i = 0; i < LOOKS; i++) {
        const struct filter *const f = &v->finder->sieves[i].filter;
        struct filter_found what = {0, 0};
        if (!filter_has(f, LEVEL_ROW))
            continue;
        filter_look_text(f, f->used[LEVEL_ROW] & f->texts, name, bytes, &what);
        if (filter_decide(f, LEVEL_ROW, what))
            found |= flags[i];
    }
    return found;
}

static void look_at_text(const struct filter *f, unsigned term, const char *text,
                         struct filter_found *found)
{
    filter_look_text(f, 1ull << term, text, text ? strlen(text) : 0, found);
}

/* A function may be asked for with its module or without; whose code, by word or by letter. */
static void look_at_frame(const struct filter *f, unsigned term, const struct told_frame *x,
                          struct filter_found *found)
{
    static const char *const kinds[SITE_MODES] = {[SITE_KERNEL] = "kernel",
                                                  [SITE_USER] = "user",
                                                  [SITE_MANAGED] = "managed",
                                                  [SITE_DRIVER] = "driver"};
    switch (f->terms[term].column) {
    case FRAME_TEXT:
        look_at_text(f, term, x->text, found);
        break;
    case FRAME_MODULE:
        look_at_text(f, term, x->module, found);
        break;
    case FRAME_FUNCTION:
        look_at_text(f, term, x->function, found);
        look_at_text(f, term, x->function ? x->text : NULL, found);
        break;
    case FRAME_KIND:
        look_at_text(f, term, x->mode < SITE_MODES ? kinds[x->mode] : NULL, found);
        look_at_text(f, term, x->mode < SITE_MODES ? site_letter(x->mode) : NULL, found);
        break;
    case FRAME_SAMPLES:
        filter_look_real(f, term, x->samples, found);
        break;
    case FRAME_SELF:
        filter_look_real(f, term, x->self, found);
        break;
    case FRAME_TOTAL:
        filter_look_real(f, term, x->total, found);
        break;
    case FRAME_DEPTH:
        filter_look_real(f, term, x->depth, found);
        break;
    }
}

unsigned finder_frame(const struct view *v, const struct told_frame *frame)
{
    const struct filter *const f = &v->finder->sieves[FIND].filter;
    struct filter_found found = {0, 0};
    if (!filter_has(f, LEVEL_ROW))
        return 0;
    uint64_t left = f->used[LEVEL_ROW] & f->of_group[GROUP_COLUMN];
    unsigned i;
    while (filter_next(&left, &i))
        look_at_frame(f, i, frame, &found);
    filter_look_text(f, f->used[LEVEL_ROW] & f->texts, frame->text, strlen(frame->text), &found);
    return filter_decide(f, LEVEL_ROW, found) ? ROW_FOUND : 0;
}

/* ---- seeking ------------------------------------------------------------------------------ */

bool seek_begin(const struct view *v, struct seeking *s)
{
    const struct request *const r = &v->request;
    *s = (struct seeking){.is_forward = r->seek != SEEK_PREVIOUS, .is_here = r->seek == SEEK_HERE};
    return r->seek && v->finder->texts[FIND][0] && !v->finder->sequence && view_is_complete(v);
}

void seek_start(struct seeking *s, uint64_t rank)
{
    s->has_start = true;
    s->start = rank;
}

/* Of those found: the next one in the direction, and for who comes to the end the first and
 * the last of all. Rows may come in any order. */
void seek_row(struct seeking *s, uint64_t rank, struct row_key key)
{
    if (!s->count || rank < s->first) {
        s->first = rank;
        s->first_key = key;
    }
    if (!s->count || rank > s->last) {
        s->last = rank;
        s->last_key = key;
    }
    s->count++;
    const bool is_ahead = !s->has_start      ? true
                          : rank == s->start ? s->is_here
                          : s->is_forward    ? rank > s->start
                                             : rank < s->start;
    const bool is_nearer = !s->has_best || (s->is_forward ? rank < s->best : rank > s->best);
    if (is_ahead && is_nearer) {
        s->at = s->count;
        s->has_best = true;
        s->best = rank;
        s->best_key = key;
    }
}

void seek_end(struct view *v, struct seeking *s)
{
    struct finder *const f = v->finder;
    if (!s->has_best && s->count) {
        s->best_key = s->is_forward ? s->first_key : s->last_key;
        s->at = s->is_forward ? 1 : s->count;
    }
    f->sequence = v->request.sequence;
    f->has_found = s->count > 0;
    f->found = s->best_key;
    f->count = s->count;
    f->at = s->is_in_order ? s->at : 0;
    if (!f->has_found)
        return;
    v->request.has_anchor = true;
    v->request.anchor = f->found;
    v->request.anchor_line = (int)(v->request.rows / 2);
}

static bool is_answered(const struct view *v)
{
    return v->request.seek && v->finder->sequence == v->request.sequence;
}

bool seek_has_found(const struct view *v)
{
    return is_answered(v) && v->finder->has_found;
}

void seek_tell(const struct view *v, struct frame *to)
{
    const struct finder *const f = v->finder;
    to->is_sought = is_answered(v);
    to->has_found = seek_has_found(v);
    to->found = f->found;
    to->found_count = f->count;
    to->found_at = f->at;
}
