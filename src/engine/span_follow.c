/* Beginnings that wait for their ends. They stand in a ring by the time at which they began, and
 * are found by their key; who has waited too long, or is pushed out by younger ones, has failed.
 * All follows from the events in their order alone: who reads a recording twice finds the same. */
#include "src/engine/span.h"

#include "src/base/hash.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/event/schema.h"
#include "src/event/tracetop_write.h"
#include "src/field/field.h"
#include "src/filter/fact.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPEN_MOST = 1 << 14, /* of one span at a time; a power of two */
    RECORD_ROOM = 512,
};

struct open_span {
    uint64_t key;
    int64_t begin;
    uint32_t process, thread; /* of the event that began it */
    bool is_open;
};

/* A filter, and what it can match at all. */
struct side {
    struct filter filter;
    struct match_cache *cache;
    uint64_t ops[FACT_CLASSES];
};

struct followed {
    struct span what;
    struct side from, to;
    const struct field_def *key;
    uint16_t kind;          /* of its facts: an event with its name */
    struct open_span *open; /* [OPEN_MOST], by number modulo that */
    uint32_t first, end;    /* numbers of the oldest, and behind the newest */
    struct map by_key;      /* its place + 1 */
};

struct span_set {
    struct model *model;
    struct followed of[SPANS_MOST];
    unsigned count;
    uint64_t ops[FACT_CLASSES]; /* that any of them can match */
    uint64_t late_names;        /* of the model, when the caches were begun */
    struct fact_callbacks callbacks;
    const struct event *event; /* at hand */
    source_id source;
    struct field_values values; /* room for a key */
    void (*ended)(void *of, const struct fact *f);
    void *to;
};

/* ---- what filters ask about the event at hand ------------------------------------------------- */

static bool record(void *of, const struct fact *f, struct event *out)
{
    const struct span_set *const s = of;
    (void)f;
    *out = *s->event;
    return true;
}

static bool schema(void *of, const struct fact *f, const struct event *e, struct schema *out)
{
    const struct span_set *const s = of;
    (void)f;
    return schema_find(s->model->schemas, s->source, e, out);
}

static bool is_linux(void *of, const struct fact *f, const struct event *e)
{
    const struct span_set *const s = of;
    (void)f, (void)e;
    return s->model->sources[s->source].is_linux;
}

/* ---- beginning and end ------------------------------------------------------------------------ */

static void begin_side(struct side *side, const char *text)
{
    filter_init(&side->filter, text, NULL, NULL, NULL);
    side->cache = match_cache_new();
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        side->ops[class] = class == FACT_SPAN ? 0 : filter_ops(&side->filter, class);
}

static void end_side(struct side *side)
{
    filter_fini(&side->filter);
    match_cache_free(side->cache);
}

/* Its facts are of a kind with its name: an event of tracetop's provider, which never was. */
static uint16_t kind_of(struct model *m, const char *name)
{
    uint8_t bytes[RECORD_ROOM];
    struct payload_writer p = {bytes, bytes, bytes + sizeof bytes};
    struct event e;
    tracetop_write_begin(&p, name, "", EVENT_NO_ID, EVENT_NO_ID, 0);
    tracetop_write_end(&p);
    if (event_parse(bytes, (size_t)(p.at - p.start), &e) != EVENT_OK)
        return 0;
    const uint16_t kind = model_kind(m, &e);
    m->kinds[kind].class = FACT_SPAN; /* that there can be such facts */
    m->kinds[kind].op = OP_END;
    return kind;
}

static void begin_one(struct span_set *s, const struct span *what)
{
    struct followed *const w = &s->of[s->count++];
    w->what = *what;
    begin_side(&w->from, what->from);
    begin_side(&w->to, what->to);
    w->key = field_bind(what->by, strlen(what->by));
    w->kind = kind_of(s->model, what->name);
    w->open = mem_new(OPEN_MOST, sizeof *w->open);
    map_init(&w->by_key);
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        s->ops[class] |= w->from.ops[class] | w->to.ops[class];
}

struct span_set *span_set_new(const char *const *texts, size_t count, struct model *m)
{
    struct span_set *s = NULL;
    struct span what;
    for (size_t i = 0; i < count; i++) {
        if (!span_parse(texts[i], &what, NULL))
            continue;
        if (!s) {
            s = mem_new(1, sizeof *s);
            s->model = m;
            s->callbacks = (struct fact_callbacks){s, record, schema, is_linux, NULL, NULL, NULL};
        }
        if (s->count < SPANS_MOST)
            begin_one(s, &what);
    }
    return s;
}

void span_set_free(struct span_set *s)
{
    for (unsigned i = 0; s && i < s->count; i++) {
        struct followed *const w = &s->of[i];
        end_side(&w->from);
        end_side(&w->to);
        free(w->open);
        map_fini(&w->by_key);
    }
    free(s);
}

/* A filter that says nothing of classes names none. */
static uint32_t classes_of(const struct side *side)
{
    uint32_t classes = 0;
    unsigned count = 0;
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if (side->ops[class]) {
            classes |= 1u << class;
            count++;
        }
    return count < FACT_CLASSES / 2 ? classes : 0;
}

uint32_t span_set_classes(const struct span_set *s)
{
    uint32_t classes = 0;
    for (unsigned i = 0; s && i < s->count; i++)
        classes |= classes_of(&s->of[i].from) | classes_of(&s->of[i].to);
    return classes;
}

/* ---- keys ------------------------------------------------------------------------------------- */

/* The first value of a field that is no number of the model. False: the event has none. */
static bool value_of(struct span_set *s, const struct followed *w, const struct fact *f,
                     uint64_t *out)
{
    struct field_record room = {.is_read = false};
    const struct field_subject subject = {.model = s->model,
                                          .fact = f,
                                          .now_ns = f->time,
                                          .callbacks = &s->callbacks,
                                          .record = &room,
                                          .payload = w->what.by};
    s->values.count = 0;
    s->values.used = 0;
    w->key->get(&subject, &s->values);
    if (!s->values.count)
        return false;
    const struct field_value *const v = &s->values.of[0];
    if (v->kind == FIELD_TEXT)
        *out = hash_bytes(HASH_START, v->text, v->bytes);
    else if (v->kind == FIELD_ADDRESS)
        *out = hash_bytes(HASH_START, v->address, v->is_v6 ? 16 : 4);
    else if (v->kind == FIELD_REAL)
        *out = hash_bytes(HASH_START, &v->real, sizeof v->real);
    else
        *out = v->number;
    return true;
}

static bool key_of(struct span_set *s, const struct followed *w, const struct fact *f,
                   uint32_t process, uint64_t *out)
{
    switch (w->key->group) {
    case GROUP_PROCESS:
        return (*out = process) != 0;
    case GROUP_THREAD:
        return (*out = f->thread) != 0;
    case GROUP_KIND:
        return (*out = f->kind) != 0;
    case GROUP_ENTITY:
    case GROUP_CONNECTION:
    case GROUP_ROUTINE:
        return (*out = f->entity) != 0;
    default:
        return w->key->number ? w->key->number(f, out) : w->key->get && value_of(s, w, f, out);
    }
}

/* ---- one event -------------------------------------------------------------------------------- */

static void report(const struct span_set *s, const struct followed *w, const struct open_span *o,
                   const struct fact *by, bool has_ended)
{
    const struct fact f = {
        .time = by->time,
        .position = by->position,
        .latency = has_ended && by->time > o->begin ? (uint64_t)(by->time - o->begin) : 0,
        .process = o->process,
        .thread = o->thread,
        .kind = w->kind,
        .cpu = by->cpu,
        .class = FACT_SPAN,
        .op = has_ended ? OP_END : OP_FAIL,
        .ring = by->ring,
        .flags = has_ended ? FACT_HAS_LATENCY : FACT_FAILED,
    };
    s->ended(s->to, &f);
}

static struct open_span *open_at(const struct followed *w, uint32_t number)
{
    return &w->open[number % OPEN_MOST];
}

static void forget(struct followed *w, struct open_span *o)
{
    o->is_open = false;
    map_remove(&w->by_key, o->key);
}

/* The oldest goes; it has failed if it was still open. */
static void give_up_oldest(struct span_set *s, struct followed *w, const struct fact *by)
{
    struct open_span *const o = open_at(w, w->first++);
    if (!o->is_open)
        return;
    forget(w, o);
    report(s, w, o, by, false);
}

static void expire(struct span_set *s, struct followed *w, const struct fact *f)
{
    while (w->first != w->end) {
        const struct open_span *const o = open_at(w, w->first);
        if (o->is_open && f->time - o->begin <= w->what.max_ns)
            break;
        give_up_oldest(s, w, f);
    }
}

static void end_span(struct span_set *s, struct followed *w, const struct fact *f, uint64_t key)
{
    const uint32_t place = map_get(&w->by_key, key);
    if (!place)
        return; /* it began before */
    struct open_span *const o = open_at(w, place - 1);
    forget(w, o);
    report(s, w, o, f, true);
}

static void begin_span(struct span_set *s, struct followed *w, const struct fact *f,
                       uint32_t process, uint64_t key)
{
    const uint32_t before = map_get(&w->by_key, key);
    if (before)
        forget(w, open_at(w, before - 1));
    if (w->end - w->first == OPEN_MOST)
        give_up_oldest(s, w, f);
    *open_at(w, w->end) = (struct open_span){
        .key = key, .begin = f->time, .process = process, .thread = f->thread, .is_open = true};
    map_put(&w->by_key, key, w->end++ % OPEN_MOST + 1);
}

static bool passes(struct span_set *s, struct side *side, const struct fact *f, uint32_t process)
{
    return side->ops[f->class] >> f->op & 1 &&
           filter_passes_fact(&side->filter, side->cache, s->model, &s->callbacks, f, process);
}

static void take_one(struct span_set *s, struct followed *w, const struct fact *f, uint32_t process)
{
    const bool is_end = passes(s, &w->to, f, process), is_begin = passes(s, &w->from, f, process);
    uint64_t key;
    if ((!is_end && !is_begin) || !key_of(s, w, f, process, &key))
        return;
    if (is_end)
        end_span(s, w, f, key);
    if (is_begin)
        begin_span(s, w, f, process, key);
}

static void begin_caches_anew(struct span_set *s)
{
    s->late_names = s->model->late_names;
    for (unsigned i = 0; i < s->count; i++) {
        match_cache_clear(s->of[i].from.cache);
        match_cache_clear(s->of[i].to.cache);
    }
}

void span_set_take(struct span_set *s, const struct event *e, source_id source,
                   const struct fact *f, void (*ended)(void *of, const struct fact *f), void *of)
{
    const bool may_match = s->ops[f->class] >> f->op & 1;
    s->event = e;
    s->source = source;
    s->ended = ended;
    s->to = of;
    if (may_match && s->late_names != s->model->late_names)
        begin_caches_anew(s);
    const uint32_t process = may_match ? model_process_of(s->model, f) : 0;
    for (unsigned i = 0; i < s->count; i++) {
        struct followed *const w = &s->of[i];
        if (w->first != w->end)
            expire(s, w, f);
        if (may_match)
            take_one(s, w, f, process);
    }
}
