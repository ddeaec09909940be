/* Filters that panes have of their own: user views count only what passes theirs. Each is
 * compiled when it is first asked for. */
#include "src/base/mem.h"
#include "src/pane/panes.h"
#include "src/pane/user_view.h"
#include "src/view/inside.h"

#include <stdlib.h>

enum { WHERES = CRUMBS_MAX + 1 }; /* of the pane and of those that rows were opened of */

struct where {
    const struct pane *pane; /* NULL: none yet */
    uint64_t made;           /* its number */
    struct filter filter;
    struct match_cache *match_cache;
};

struct wheres {
    struct where of[WHERES];
    unsigned next;      /* to make room */
    struct where *last; /* asked for; or NULL */
};

/* The filter was tried when the view was read: what it says about events can be compiled. */
static void begin(struct where *w, const struct pane *p)
{
    filter_init(&w->filter, p->where, pane_find("events"), NULL, NULL);
    w->match_cache = match_cache_new();
    w->pane = p;
    w->made = p->made;
}

static void end(struct where *w)
{
    if (!w->pane)
        return;
    filter_fini(&w->filter);
    match_cache_free(w->match_cache);
    w->pane = NULL;
}

/* Those of panes that nobody asks for any more make room. */
static struct where *where_of(struct view *v, const struct pane *p)
{
    if (!v->wheres)
        v->wheres = mem_new(1, sizeof *v->wheres);
    struct wheres *const s = v->wheres;
    if (s->last && s->last->pane == p && s->last->made == p->made)
        return s->last;
    unsigned i = 0;
    while (i < WHERES && s->of[i].pane && s->of[i].pane != p)
        i++;
    if (i == WHERES)
        i = s->next++ % WHERES;
    if (s->of[i].pane != p || s->of[i].made != p->made)
        end(&s->of[i]);
    if (!s->of[i].pane)
        begin(&s->of[i], p);
    return s->last = &s->of[i];
}

const struct filter *view_pane_filter(struct view *v, const struct pane *p)
{
    return p->where ? &where_of(v, p)->filter : NULL;
}

bool view_pane_passes(struct view *v, const struct pane *p, const struct fact *f, uint32_t process)
{
    if (!p->where)
        return true;
    struct where *const w = where_of(v, p);
    return filter_passes_fact(&w->filter, w->match_cache, v->model, &v->side_callbacks, f, process);
}

void view_wheres_clear(struct view *v)
{
    for (unsigned i = 0; v->wheres && i < WHERES; i++)
        if (v->wheres->of[i].pane)
            match_cache_clear(v->wheres->of[i].match_cache);
}

void view_wheres_free(struct view *v)
{
    for (unsigned i = 0; v->wheres && i < WHERES; i++)
        end(&v->wheres->of[i]);
    free(v->wheres);
    v->wheres = NULL;
}
