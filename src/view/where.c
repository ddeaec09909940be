/* Filters that panes have of their own: user views count only what passes theirs. Each is
 * compiled when it is first asked for. */
#include "src/base/mem.h"
#include "src/pane/panes.h"
#include "src/pane/user_view.h"
#include "src/view/inside.h"

#include <stdlib.h>

enum { WHERES = 64 }; /* more than there are panes */

struct where {
    bool is_known;
    struct filter filter;
    struct match_cache *match_cache;
};

struct wheres {
    struct where of[WHERES];
};

/* The filter was tried when the view was read: what it says about events can be compiled. */
static struct where *where_of(struct view *v, const struct pane *p)
{
    if (!v->wheres)
        v->wheres = mem_new(1, sizeof *v->wheres);
    struct where *const w = &v->wheres->of[pane_index(p) % WHERES];
    if (!w->is_known) {
        filter_init(&w->filter, p->where, pane_find("events"), NULL, NULL);
        w->match_cache = match_cache_new();
        w->is_known = true;
    }
    return w;
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
        if (v->wheres->of[i].is_known)
            match_cache_clear(v->wheres->of[i].match_cache);
}

void view_wheres_free(struct view *v)
{
    for (unsigned i = 0; v->wheres && i < WHERES; i++) {
        if (!v->wheres->of[i].is_known)
            continue;
        filter_fini(&v->wheres->of[i].filter);
        match_cache_free(v->wheres->of[i].match_cache);
    }
    free(v->wheres);
    v->wheres = NULL;
}
