#include "src/trace/select_fact.h"

#include "src/base/mem.h"
#include "src/filter/fact.h"
#include "src/model/model.h"

#include <stdlib.h>
#include <string.h>

/* A model, and for how many sources. */
struct side {
    struct model model;
    unsigned sources;
};

struct fact_select {
    struct filter filter;
    struct match_cache *match_cache;
    uint64_t late_names; /* of the model that is asked: what the cache is of */
    struct fact_select_options options;
    struct side now, *names; /* that events become facts of; that knows all names */
    struct fact_callbacks callbacks;
    const struct event *event; /* at hand */
    uint64_t gap;              /* since the one before of its thread */
    bool has_gap, wants_gap;   /* known; asked for by the filter */
    int64_t *last;             /* by thread: when its last event was + 1; 0 = never */
    size_t threads;
};

static bool is_refused(const struct filter_term *t)
{
    return t->group == GROUP_STACK || t->by == BY_TAG;
}

bool fact_select_is_for(const char *text)
{
    struct filter filter;
    struct filter_error why;
    bool is = false;
    if (filter_init(&filter, text, NULL, NULL, &why))
        for (unsigned i = 0; i < filter.term_count; i++)
            is |= !(filter.terms[i].field->record & FIELD_CUT);
    filter_fini(&filter);
    return is;
}

/* ---- what the filter asks about the event at hand --------------------------------------------- */

static bool record(void *of, const struct fact *f, struct event *out)
{
    const struct fact_select *const s = of;
    (void)f;
    *out = *s->event;
    return true;
}

static bool schema(void *of, const struct fact *f, const struct event *e, struct schema *out)
{
    const struct fact_select *const s = of;
    (void)f;
    return schema_find(s->options.schemas, e->source, e, out);
}

static bool is_linux(void *of, const struct fact *f, const struct event *e)
{
    const struct fact_select *const s = of;
    (void)f;
    return s->options.is_linux[e->source];
}

static bool since(void *of, const struct fact *f, uint64_t *ns)
{
    const struct fact_select *const s = of;
    (void)f;
    *ns = s->gap;
    return s->has_gap;
}

/* ---- beginning and end ------------------------------------------------------------------------ */

struct fact_select *fact_select_new(const struct fact_select_options *o, struct err *err)
{
    struct fact_select *const s = mem_new(1, sizeof *s);
    struct filter_error why;
    s->options = *o;
    model_init(&s->now.model);
    s->names = &s->now;
    if (!o->is_live) {
        s->names = mem_new(1, sizeof *s->names);
        model_init(&s->names->model);
    }
    s->match_cache = match_cache_new();
    s->callbacks = (struct fact_callbacks){s, record, schema, is_linux, since, NULL, NULL};
    bool ok = filter_init(&s->filter, o->filter, NULL, o->span, &why);
    if (!ok)
        filter_fail(err, o->filter, &why);
    for (unsigned i = 0; i < s->filter.term_count && ok; i++)
        if (is_refused(&s->filter.terms[i]))
            ok = fail(
                err,
                "filter '%.200s': dump has no '%s'; ask the events pane: tracetop top events FILE "
                "'%.200s'",
                o->filter, s->filter.terms[i].field->id, o->filter);
    for (unsigned i = 0; i < s->filter.term_count; i++)
        s->wants_gap |= s->filter.terms[i].by == BY_DT;
    if (ok)
        return s;
    fact_select_free(s);
    return NULL;
}

void fact_select_free(struct fact_select *s)
{
    if (!s)
        return;
    if (s->names != &s->now) {
        model_fini(&s->names->model);
        free(s->names);
    }
    model_fini(&s->now.model);
    match_cache_free(s->match_cache);
    filter_fini(&s->filter);
    free(s->last);
    free(s);
}

const struct filter *fact_select_filter(const struct fact_select *s)
{
    return &s->filter;
}

/* ---- events ----------------------------------------------------------------------------------- */

static struct fact fact_of(const struct fact_select *s, struct side *side, const struct event *e,
                           const struct trace_clock *clock, int64_t ns)
{
    static const int64_t LIMIT = INT64_MAX / 4; /* as in panes: differences stay numbers */
    struct fact f = {0};
    if (e->source >= side->sources) {
        model_sources(&side->model, e->source + 1u);
        side->sources = e->source + 1u;
    }
    side->model.sources[e->source].clock = *clock;
    side->model.sources[e->source].is_linux = s->options.is_linux[e->source];
    side->model.sources[e->source].is_live = s->options.is_live;
    model_fact(&side->model, e, e->source, ns < -LIMIT ? -LIMIT : ns > LIMIT ? LIMIT : ns, &f);
    return f;
}

void fact_select_learn(struct fact_select *s, const struct event *e,
                       const struct trace_clock *clock, int64_t ns)
{
    fact_of(s, s->names, e, clock, ns);
}

/* What came late can be older than what it follows. */
static void take_gap(struct fact_select *s, const struct fact *f)
{
    s->has_gap = false;
    if (!f->thread || !s->wants_gap)
        return;
    if (f->thread >= s->threads) {
        const size_t before = s->threads;
        s->threads = f->thread * (size_t)2;
        s->last = mem_grow(s->last, s->threads, sizeof *s->last);
        memset(s->last + before, 0, (s->threads - before) * sizeof *s->last);
    }
    int64_t *const last = &s->last[f->thread];
    s->has_gap = *last != 0;
    s->gap = s->has_gap && f->time > *last - 1 ? (uint64_t)(f->time - (*last - 1)) : 0;
    *last = f->time + 1;
}

bool fact_select_passes(struct fact_select *s, const struct event *e,
                        const struct trace_clock *clock, int64_t ns)
{
    const struct fact f = fact_of(s, &s->now, e, clock, ns);
    const struct model *const names = &s->names->model;
    s->event = e;
    take_gap(s, &f);
    if (s->late_names != names->late_names)
        match_cache_clear(s->match_cache);
    s->late_names = names->late_names;
    return filter_passes_fact(&s->filter, s->match_cache, names, &s->callbacks, &f,
                              model_process_of(names, &f));
}
