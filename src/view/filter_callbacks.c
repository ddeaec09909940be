/* What filters ask about a fact that it does not hold itself: its record, which a ring or a copy
 * of it still has; its distance to the event before it of the same thread; whether its row is
 * tagged.
 *
 * Distances are counted once somebody asks for one, over all kept facts, and then as more come:
 * most filters do not ask, and facts have no room for them. */
#include "src/base/mem.h"
#include "src/view/inside.h"
#include "src/view/predicate.h"
#include "src/view/record.h"

#include <stdlib.h>
#include <string.h>

struct gaps {
    const struct facts *of; /* never looked into: others are counted anew */
    uint64_t first, end; /* facts that were counted; not all of them need be kept */
    uint64_t *ns;        /* by number: since the one before; NO_GAP: none is known */
    size_t room;         /* a power of two, more than are ever kept */
    int64_t *last;       /* by thread: time of its newest; NEVER: it has none */
    size_t threads;
};

static const uint64_t NO_GAP = UINT64_MAX;
static const int64_t NEVER = INT64_MIN;

static struct gaps *gaps_new(const struct facts *s)
{
    struct gaps *const g = mem_new(1, sizeof *g);
    g->of = s;
    g->room = s->slots * FACT_CHUNK;
    g->ns = mem_new(g->room, sizeof *g->ns);
    return g;
}

static void gaps_free(struct gaps *g)
{
    if (!g)
        return;
    free(g->ns);
    free(g->last);
    free(g);
}

static int64_t *last_of(struct gaps *g, uint32_t thread)
{
    if (thread >= g->threads) {
        const size_t old = g->threads;
        g->threads = (size_t)thread * 2 + 64;
        g->last = mem_grow(g->last, g->threads, sizeof *g->last);
        for (size_t i = old; i < g->threads; i++)
            g->last[i] = NEVER;
    }
    return &g->last[thread];
}

/* Facts have gone that were not counted: what stands before a gap is not known. */
static void gaps_begin(struct gaps *g, uint64_t first)
{
    g->first = g->end = first;
    for (size_t i = 0; i < g->threads; i++)
        g->last[i] = NEVER;
}

/* What came late can be older than what it follows. */
static uint64_t gap_between(int64_t before, int64_t now)
{
    return before == NEVER ? NO_GAP : now > before ? (uint64_t)now - (uint64_t)before : 0;
}

static void gaps_count(struct gaps *g, const struct facts *s)
{
    if (g->end < s->first)
        gaps_begin(g, s->first);
    for (; g->end < s->end; g->end++) {
        const struct fact *const f = facts_at(s, g->end);
        int64_t *const last = f->thread ? last_of(g, f->thread) : NULL;
        g->ns[g->end & (g->room - 1)] = last ? gap_between(*last, f->time) : NO_GAP;
        if (last)
            *last = f->time;
    }
}

static bool since(void *of, const struct fact *f, uint64_t *ns)
{
    struct view *const v = of;
    const struct facts *const s = &view_scanned(v)->facts;
    uint64_t number;
    if (!facts_number(s, f, &number))
        return false;
    if (v->gaps && v->gaps->of != s)
        view_callbacks_fini(v);
    if (!v->gaps)
        v->gaps = gaps_new(s);
    if (number >= v->gaps->end)
        gaps_count(v->gaps, s);
    *ns = number >= v->gaps->first ? v->gaps->ns[number & (v->gaps->room - 1)] : NO_GAP;
    return *ns != NO_GAP;
}

static bool record(void *of, const struct fact *f, struct event *out)
{
    return view_record(of, f, out);
}

/* The same for the visible filter: counts the records that are gone, as `unread`. A chart beside
 * the rows asks for the same record again, which counts once. */
static bool shown_record(void *of, const struct fact *f, struct event *out)
{
    struct view *const v = of;
    if (view_record(v, f, out))
        return true;
    v->unread += !v->unread || v->unread_at != f->position || v->unread_ring != f->ring;
    v->unread_at = f->position;
    v->unread_ring = f->ring;
    return false;
}

static bool schema(void *of, const struct fact *f, const struct event *e, struct schema *out)
{
    const struct view *const v = of;
    return schema_find(v->model->schemas, view_source_of(f, e), e, out);
}

static bool is_linux(void *of, const struct fact *f, const struct event *e)
{
    return view_is_of_linux(of, f, e);
}

bool view_is_tagged(const struct view *v, struct row_key key)
{
    const struct request *const r = &v->request;
    for (unsigned i = 0; i < r->tag_count && i < TAGS_MAX; i++)
        if (row_key_equal(r->tags[i], key))
            return true;
    return false;
}

bool view_is_tagged_by_rule(const struct view *v, const struct fact *f)
{
    struct tag_rule *const rule = v->tag_rule;
    if (rule->is_asking || !filter_has(&rule->predicate.filter, LEVEL_FACT))
        return false;
    rule->is_asking = true;
    const bool is_tagged = predicate_passes(&rule->predicate, v, f);
    rule->is_asking = false;
    return is_tagged;
}

static bool is_tagged(void *of, const struct fact *f)
{
    const struct view *const v = of;
    uint64_t number;
    return facts_number(&view_scanned(v)->facts, f, &number) &&
           (view_is_tagged(v, view_event_key(number)) || view_is_tagged_by_rule(v, f));
}

static char *frame(void *of, const struct stack *s, const uint64_t *frames, unsigned index,
                   char *out, size_t room)
{
    struct view *const v = of;
    const struct site site = site_of(&v->sites, v->model, s, frames, index);
    return site_text(&v->sites, v->model, &site, out, room);
}

uint64_t view_names(const struct view *v)
{
    return v->model->late_names + view_symbols(v).version;
}

void view_callbacks_init(struct view *v)
{
    v->callbacks = (struct fact_callbacks){v, shown_record, schema, is_linux, since, is_tagged, frame};
    v->side_callbacks = (struct fact_callbacks){v, record, schema, is_linux, since, is_tagged, frame};
}

void view_callbacks_fini(struct view *v)
{
    gaps_free(v->gaps);
    v->gaps = NULL;
}
