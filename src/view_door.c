/* What filters ask about a fact that it does not hold itself: its record, which a ring or a copy
 * of it still has; its distance to the event before it of the same thread; whether its row is
 * tagged.
 *
 * Distances are counted once somebody asks for one, over all kept facts, and then as more come:
 * most filters do not ask, and facts have no room for them. */
#include "src/mem.h"
#include "src/view_find.h"

#include <stdlib.h>
#include <string.h>

struct gaps {
    uint64_t first, end; /* facts that were counted; not all of them need be kept */
    uint32_t *back;      /* by number: so many facts back is the one before; 0 = there is none */
    size_t room;         /* a power of two, more than are ever kept */
    uint64_t *last;      /* by thread: number + 1 of its newest */
    size_t threads;
};

static struct gaps *gaps_new(const struct facts *s)
{
    struct gaps *const g = mem_new(1, sizeof *g);
    g->room = s->slots * FACT_CHUNK;
    g->back = mem_new(g->room, sizeof *g->back);
    return g;
}

static void gaps_free(struct gaps *g)
{
    if (!g)
        return;
    free(g->back);
    free(g->last);
    free(g);
}

static uint64_t *last_of(struct gaps *g, uint32_t thread)
{
    if (thread >= g->threads) {
        const size_t old = g->threads;
        g->threads = (size_t)thread * 2 + 64;
        g->last = mem_grow(g->last, g->threads, sizeof *g->last);
        memset(g->last + old, 0, (g->threads - old) * sizeof *g->last);
    }
    return &g->last[thread];
}

static void gaps_count(struct gaps *g, const struct facts *s)
{
    if (g->end < s->first)
        g->first = g->end = s->first;
    for (; g->end < s->end; g->end++) {
        const uint32_t thread = facts_at(s, g->end)->thread;
        uint64_t *const last = thread ? last_of(g, thread) : NULL;
        const uint64_t back = last && *last > g->first ? g->end + 1 - *last : 0;
        g->back[g->end & (g->room - 1)] = back < g->room ? (uint32_t)back : 0;
        if (last)
            *last = g->end + 1;
    }
}

static bool since(void *of, const struct fact *f, uint64_t *ns)
{
    struct view *const v = of;
    const struct facts *const s = &view_world(v)->facts;
    uint64_t number;
    if (!facts_number(s, f, &number))
        return false;
    if (!v->gaps)
        v->gaps = gaps_new(s);
    if (number >= v->gaps->end)
        gaps_count(v->gaps, s);
    const uint32_t back =
        number >= v->gaps->first ? v->gaps->back[number & (v->gaps->room - 1)] : 0;
    if (!back || number - back < s->first)
        return false;
    const int64_t gap = f->time - facts_at(s, number - back)->time;
    *ns = gap > 0 ? (uint64_t)gap : 0; /* what came late can be older than what it follows */
    return true;
}

static bool record(void *of, const struct fact *f, struct event *out)
{
    return view_record(of, f, out);
}

/* The same for the filter that is shown: what it cannot ask any more is told. A picture beside the
 * rows asks about a fact again. */
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

bool view_is_tagged(const struct view *v, struct row_key key)
{
    const struct request *const r = &v->request;
    for (unsigned i = 0; i < r->tag_count && i < TAGS_MAX; i++)
        if (row_key_equal(r->tags[i], key))
            return true;
    return false;
}

static bool is_tagged(void *of, const struct fact *f)
{
    const struct view *const v = of;
    uint64_t number;
    return facts_number(&view_world(v)->facts, f, &number) &&
           (view_is_tagged(v, view_event_key(number)) || finder_tags_event(v, f));
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

void view_door_init(struct view *v)
{
    v->door = (struct fact_door){v, shown_record, since, is_tagged, frame};
    v->side_door = (struct fact_door){v, record, since, is_tagged, frame};
}

void view_door_fini(struct view *v)
{
    gaps_free(v->gaps);
    v->gaps = NULL;
}
