#include "src/view/predicate.h"

#include "src/base/mem.h"

#include <stdlib.h>

void sieve_init(struct sieve *s)
{
    filter_init(&s->filter, "", NULL, NULL, NULL);
    s->verdicts = verdicts_new();
}

void sieve_fini(struct sieve *s)
{
    filter_fini(&s->filter);
    verdicts_free(s->verdicts);
}

bool sieve_read(struct sieve *s, const char *text, const struct pane *pane,
                const struct filter_span *span)
{
    filter_fini(&s->filter);
    sieve_forget(s);
    return filter_init(&s->filter, text, pane, span, NULL);
}

void sieve_forget(struct sieve *s)
{
    verdicts_clear(s->verdicts);
}

bool sieve_passes(const struct sieve *s, const struct view *v, const struct fact *f)
{
    const uint32_t process = model_process_of(v->model, f);
    return filter_passes_fact(&s->filter, s->verdicts, v->model, &v->side_door, f, process);
}

struct tag_rule *tag_rule_new(void)
{
    struct tag_rule *const r = mem_new(1, sizeof *r);
    sieve_init(&r->sieve);
    return r;
}

void tag_rule_free(struct tag_rule *r)
{
    if (r)
        sieve_fini(&r->sieve);
    free(r);
}
