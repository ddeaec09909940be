#include "src/view/predicate.h"

#include "src/base/mem.h"
#include "src/view/inside.h"

#include <stdlib.h>

void predicate_init(struct predicate *s)
{
    filter_init(&s->filter, "", NULL, NULL, NULL);
    s->match_cache = NULL;
}

void predicate_fini(struct predicate *s)
{
    filter_fini(&s->filter);
    match_cache_free(s->match_cache);
}

bool predicate_read(struct predicate *s, const char *text, const struct pane *pane,
                    const struct filter_span *span)
{
    filter_fini(&s->filter);
    predicate_forget(s);
    if (text[0] && !s->match_cache)
        s->match_cache = match_cache_new();
    return filter_init(&s->filter, text, pane, span, NULL);
}

void predicate_forget(struct predicate *s)
{
    if (s->match_cache)
        match_cache_clear(s->match_cache);
}

bool predicate_passes(const struct predicate *s, const struct view *v, const struct fact *f)
{
    if (!s->match_cache)
        return true;
    const uint32_t process = model_process_of(v->model, f);
    return filter_passes_fact(&s->filter, s->match_cache, v->model, &v->side_callbacks, f, process);
}

struct tag_rule *tag_rule_new(void)
{
    struct tag_rule *const r = mem_new(1, sizeof *r);
    predicate_init(&r->predicate);
    return r;
}

void tag_rule_free(struct tag_rule *r)
{
    if (r)
        predicate_fini(&r->predicate);
    free(r);
}
