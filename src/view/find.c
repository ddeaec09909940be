#include "src/view/find.h"

#include "src/base/mem.h"
#include "src/view/inside.h"
#include "src/view/predicate.h"

#include <stdlib.h>
#include <string.h>

enum { FIND, TAG, LOOKS };

struct finder {
    struct predicate find;   /* what tags is the view's */
    const struct pane *pane; /* that they were read for */
    char texts[LOOKS][FIND_MAX];
    uint64_t names; /* model's late_names that the match_cache stand for */
};

static const unsigned flags[LOOKS] = {[FIND] = ROW_FOUND, [TAG] = ROW_TAGGED};

struct finder *finder_new(void)
{
    struct finder *const f = mem_new(1, sizeof *f);
    predicate_init(&f->find);
    return f;
}

void finder_free(struct finder *f)
{
    if (f)
        predicate_fini(&f->find);
    free(f);
}

static struct predicate *predicate_of(const struct view *v, unsigned look)
{
    return look == TAG ? &v->tag_rule->predicate : &v->finder->find;
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
    const struct dataset *const w = view_dataset(v);
    const struct filter_span span = {facts_earliest(&w->facts), w->newest_ns};
    const struct pane *const pane = pane_of(r);
    const char *const wanted[LOOKS] = {[FIND] = r->find, [TAG] = r->tag};
    for (unsigned i = 0; i < LOOKS; i++) {
        if (f->pane == pane && strncmp(f->texts[i], wanted[i], FIND_MAX) == 0)
            continue;
        memcpy(f->texts[i], wanted[i], FIND_MAX);
        f->texts[i][FIND_MAX - 1] = '\0';
        predicate_read(predicate_of(v, i), f->texts[i], pane, &span);
    }
    f->pane = pane;
    if (f->names != view_names(v))
        for (unsigned i = 0; i < LOOKS; i++)
            predicate_forget(predicate_of(v, i));
    f->names = view_names(v);
}

bool finder_looks(const struct view *v)
{
    return v->finder->texts[FIND][0];
}

bool finder_is_on(const struct view *v)
{
    return finder_looks(v) || v->finder->texts[TAG][0];
}

unsigned finder_row(const struct view *v, const struct table_row *r, struct row_context *x)
{
    unsigned found = 0;
    for (unsigned i = 0; i < LOOKS; i++) {
        const struct filter *const f = &predicate_of(v, i)->filter;
        if (filter_has(f, LEVEL_ROW) && view_row_fits(v, f, r, x))
            found |= flags[i];
    }
    return found;
}

unsigned finder_event(const struct view *v, const struct fact *f)
{
    unsigned found = 0;
    if (filter_has(&v->finder->find.filter, LEVEL_FACT) && predicate_passes(&v->finder->find, v, f))
        found |= flags[FIND];
    return view_is_tagged_by_rule(v, f) ? found | flags[TAG] : found;
}

unsigned finder_name(const struct view *v, const char *name, size_t bytes)
{
    unsigned found = 0;
    for (unsigned i = 0; i < LOOKS; i++) {
        const struct filter *const f = &predicate_of(v, i)->filter;
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
static void look_at_frame(const struct filter *f, unsigned term, const struct reported_frame *x,
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

unsigned finder_frame(const struct view *v, const struct reported_frame *frame)
{
    const struct filter *const f = &v->finder->find.filter;
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
