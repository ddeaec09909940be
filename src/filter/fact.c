#include "src/filter/fact.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Direct-mapped but for kinds, of which there are no more. */
enum { KINDS = 1 << 16, NAMES = 1 << 14, STACKS = 1 << 15, MANY_NAMES = 1 << 17 };

struct cached_match {
    uint32_t number, round;
    struct filter_found found;
};

struct match_cache {
    uint32_t round; /* matches of earlier rounds are forgotten */
    struct cached_match kinds[KINDS], processes[NAMES], threads[NAMES], connections[NAMES],
        routines[NAMES], stacks[STACKS];
    struct cached_match *entities; /* NAMES, more where that many files take each other's places */
    uint32_t entity_room, entities_lost;
};

struct match_cache *match_cache_new(void)
{
    struct match_cache *const v = mem_new(1, sizeof *v);
    v->round = 1;
    v->entities = mem_new(NAMES, sizeof *v->entities);
    v->entity_room = NAMES;
    return v;
}

void match_cache_free(struct match_cache *v)
{
    if (v)
        free(v->entities);
    free(v);
}

void match_cache_clear(struct match_cache *v)
{
    struct cached_match *const entities = v->entities;
    const uint32_t room = v->entity_room;
    v->entities_lost = 0;
    if (++v->round)
        return;
    memset(v, 0, sizeof *v); /* once in 2^32 */
    memset(entities, 0, room * sizeof *entities);
    v->round = 1;
    v->entities = entities;
    v->entity_room = room;
}

/* ---- names --------------------------------------------------------------------------------- */

static bool has_file(const struct fact *f)
{
    static const uint32_t named = 1u << FACT_DISK | 1u << FACT_FILE | 1u << FACT_FAULT |
                                  1u << FACT_REGISTRY | 1u << FACT_NAME | 1u << FACT_MARK |
                                  1u << FACT_IMAGE;
    return named >> f->class & 1;
}

const struct file *fact_file(const struct model *m, const struct fact *f)
{
    if (f->class == FACT_IMAGE) {
        const struct image *image = generation_at(&m->images, f->entity);
        return image ? model_file_at(m, image->module) : NULL;
    }
    return has_file(f) ? model_file_at(m, f->entity) : NULL;
}

/* ---- values of fields ------------------------------------------------------------------------- */

/* One value that is no text, for the terms of `which`. */
static void look_at_value(const struct filter *f, uint64_t which, const struct field_value *v,
                          struct filter_found *o)
{
    unsigned i;
    while (filter_next(&which, &i))
        switch ((enum field_value_kind)v->kind) {
        case FIELD_BITS:
            filter_look_bits(f, i, v->number, o);
            break;
        case FIELD_REAL:
            filter_look_real(f, i, v->real, o);
            break;
        case FIELD_FLAG:
            filter_look_flag(i, v->number, o);
            break;
        case FIELD_ADDRESS:
            filter_look_address(f, i, v->address, v->is_v6, o);
            break;
        default:
            filter_look_number(f, i, v->number, o);
        }
}

/* What a getter finds, for the terms of `which`. */
static void look_at(const struct filter *f, uint64_t which, field_get *get,
                    const struct field_subject *s, struct filter_found *o)
{
    struct field_values values;
    values.count = 0;
    values.used = 0;
    get(s, &values);
    for (unsigned n = 0; n < values.count; n++) {
        const struct field_value *const v = &values.of[n];
        if (v->kind == FIELD_TEXT)
            filter_look_text(f, which, v->text, v->bytes, o);
        else
            look_at_value(f, which, v, o);
    }
}

static field_get *getter_of(const struct filter *f, unsigned term, enum field_group group)
{
    const struct filter_term *const t = &f->terms[term];
    if (t->by == BY_TEXT)
        return field_texts[group];
    return group == GROUP_CALLBACK && t->field->get_names ? t->field->get_names : t->field->get;
}

/* Terms about one thing of a group; those with the same getter have it called once. */
static void look_at_thing(const struct filter *f, enum field_group group, uint64_t terms,
                          const struct field_subject *s, struct filter_found *o)
{
    unsigned i, n;
    while (filter_next(&terms, &i)) {
        field_get *const get = getter_of(f, i, group);
        uint64_t same = 1ull << i, left = terms;
        while (filter_next(&left, &n))
            same |= (uint64_t)(getter_of(f, n, group) == get) << n;
        terms &= ~same;
        if (get)
            look_at(f, same, get, s, o);
    }
}

/* What is found out about a thing once, and then cached. */
static struct filter_found of_thing(const struct filter *f, const struct model *m,
                                    enum field_group group, uint32_t id, int64_t now_ns)
{
    const struct field_subject s = {.model = m, .id = id, .now_ns = now_ns};
    struct filter_found found = {0, 0};
    look_at_thing(f, group, f->texts | (f->of_group[group] & ~f->moving), &s, &found);
    return found;
}

static void look_at_process(const struct filter *f, const struct model *m, uint32_t process,
                            uint64_t terms, int64_t now_ns, struct filter_found *o)
{
    const struct field_subject s = {.model = m, .id = process, .now_ns = now_ns};
    look_at_thing(f, GROUP_PROCESS, terms, &s, o);
}

struct filter_found filter_look_process(const struct filter *f, const struct model *m,
                                        uint32_t process, int64_t now_ns)
{
    struct filter_found found = {0, 0};
    look_at_process(f, m, process, f->of_group[GROUP_PROCESS], now_ns, &found);
    return found;
}

static uint64_t terms_by(const struct filter *f, enum field_by by)
{
    uint64_t left = f->of_group[GROUP_STACK], terms = 0;
    unsigned i;
    while (filter_next(&left, &i))
        terms |= (uint64_t)(f->terms[i].by == by) << i;
    return terms;
}

/* A stack holds what any of its frames does. */
static struct filter_found of_stack(const struct filter *f, const struct model *m,
                                    const struct fact_callbacks *callbacks, uint32_t number)
{
    uint64_t frames[2 * STACK_FRAMES];
    const struct stack *const s = generation_at(&m->stack_store.stacks, number);
    const unsigned count = s ? model_stack_frames(m, s, frames) : 0;
    const uint64_t all = f->of_group[GROUP_STACK];
    const bool asks_functions = all & ~terms_by(f, BY_MODULE) && callbacks && callbacks->frame,
               asks_modules = all & ~terms_by(f, BY_FUNCTION);
    struct filter_found found = {0, 0};
    char room[512];
    for (unsigned i = 0; i < count && found.fits != all; i++) {
        const uint32_t at = model_image_at(m, s->source, s->process, frames[i], s->time);
        const struct image *const image = at ? generation_at(&m->images, at) : NULL;
        const struct field_subject frame = {
            .model = m,
            .module = image && asks_modules ? model_module_name(m, image) : NULL,
            .function = asks_functions
                            ? callbacks->frame(callbacks->of, s, frames, i, room, sizeof room)
                            : NULL};
        look_at_thing(f, GROUP_STACK, all, &frame, &found);
    }
    return found;
}

void filter_look_record(const struct filter *f, uint64_t terms, const struct field_subject *s,
                        struct filter_found *found)
{
    uint64_t left = terms;
    unsigned i;
    while (filter_next(&left, &i)) {
        const struct filter_term *const t = &f->terms[i];
        struct field_subject one = *s;
        if (t->by != BY_PAYLOAD)
            continue;
        one.payload = t->payload;
        look_at(f, 1ull << i, t->field->get, &one, found);
        terms &= ~(1ull << i);
    }
    look_at_thing(f, GROUP_CALLBACK, terms, s, found);
}

static void look_at_fact(const struct filter *f, const struct model *m, unsigned i,
                         const struct fact *fact, struct filter_found *o)
{
    const struct field_def *const field = f->terms[i].field;
    const struct field_subject s = {.model = m, .fact = fact};
    uint64_t number;
    if (!field->number)
        look_at(f, 1ull << i, field->get, &s, o);
    else if (field->number(fact, &number))
        filter_look_number(f, i, number, o);
}

static struct filter_found look_at_callbacks(const struct filter *f,
                                             const struct fact_callbacks *callbacks,
                                             const struct fact *fact, uint64_t terms)
{
    struct field_record record = {.is_read = false};
    const struct field_subject s = {.fact = fact, .callbacks = callbacks, .record = &record};
    struct filter_found found = {0, 0};
    filter_look_record(f, terms, &s, &found);
    return found;
}

bool filter_is_of_facts(const struct filter *f)
{
    uint64_t left = f->used[LEVEL_FACT];
    unsigned i;
    while (filter_next(&left, &i))
        if (!f->terms[i].field || !f->terms[i].field->number)
            return false;
    return true;
}

/* ---- what can never pass -------------------------------------------------------------------------- */

/* Terms that the class and the operation alone decide. */
static uint64_t terms_of_ops(const struct filter *f, const struct fact *like)
{
    const bool is_end = like->class == FACT_FILE && like->op == OP_END; /* of another operation */
    uint64_t left = f->of_group[GROUP_FACT], terms = 0;
    unsigned i;
    while (filter_next(&left, &i)) {
        const uint8_t by = f->terms[i].by;
        if (by == BY_CLASS || by == BY_FAULT || (by == BY_OP && !is_end))
            terms |= 1ull << i;
    }
    return terms;
}

/* Terms about fields that facts of that class have only at their end. */
static uint64_t terms_lacking(const struct filter *f, const struct fact *like)
{
    const bool is_paired = like->class == FACT_FILE || like->class == FACT_SYSCALL;
    uint64_t left = is_paired && like->op != OP_END ? f->of_group[GROUP_FACT] : 0, terms = 0;
    unsigned i;
    while (filter_next(&left, &i))
        if (f->terms[i].by == BY_STATUS || f->terms[i].by == BY_FAILED ||
            f->terms[i].by == BY_LATENCY)
            terms |= 1ull << i;
    return terms;
}

/* By the terms that are known of all such facts: can each part hold that has no others? */
static bool may_pass(const struct filter *f, const struct fact *like, uint64_t known)
{
    for (unsigned n = 0; n < f->part_count; n++) {
        uint64_t left = f->parts[n].terms & f->of_class[like->class];
        struct filter_found found = {0, 0};
        unsigned i;
        if (left & ~known)
            continue;
        while (filter_next(&left, &i))
            look_at_fact(f, NULL, i, like, &found);
        if (!filter_part_holds(f, &f->parts[n], found))
            return false;
    }
    return true;
}

uint64_t filter_ops(const struct filter *f, unsigned class)
{
    uint64_t ops = 0;
    for (unsigned op = 0; op < OPS; op++) {
        const struct fact like = {.class = (uint8_t) class, .op = (uint8_t)op};
        const uint64_t known = terms_of_ops(f, &like) | terms_lacking(f, &like);
        ops |= (uint64_t)may_pass(f, &like, known) << op;
    }
    return ops;
}

uint64_t filter_lacking(const struct filter *f, unsigned class)
{
    uint64_t ops = 0;
    for (unsigned op = 0; op < OPS; op++) {
        const struct fact like = {.class = (uint8_t) class, .op = (uint8_t)op};
        const uint64_t lacking = terms_lacking(f, &like);
        ops |= (uint64_t)(lacking && !may_pass(f, &like, lacking)) << op;
    }
    return ops;
}

/* ---- look-up ------------------------------------------------------------------------------------- */

#define LOOK_UP(v, table, size, key, make)                                                         \
    __extension__({                                                                                \
        struct cached_match *const known = &(v)->table[(key) & ((size)-1)];                        \
        if (known->round != (v)->round || known->number != (key))                                  \
            *known = (struct cached_match){(key), (v)->round, (make)};                             \
        known->found;                                                                              \
    })

/* What is found out anew stays out of the way of what was found before, which is nearly all. */
__attribute__((noinline)) static struct filter_found match_kind(const struct filter *f,
                                                                struct match_cache *v,
                                                                const struct model *m,
                                                                uint16_t number)
{
    const struct filter_found found = of_thing(f, m, GROUP_KIND, number, 0);
    v->kinds[number] = (struct cached_match){number, v->round, found};
    return found;
}

__attribute__((noinline)) static struct filter_found match_process(const struct filter *f,
                                                                   struct match_cache *v,
                                                                   const struct model *m,
                                                                   uint32_t number)
{
    const struct filter_found found = of_thing(f, m, GROUP_PROCESS, number, 0);
    v->processes[number & (NAMES - 1)] = (struct cached_match){number, v->round, found};
    return found;
}

/* As many files as take each other's places again and again are worth more places. */
static void more_entities(struct match_cache *v)
{
    v->entities_lost = 0;
    if (v->entity_room >= MANY_NAMES)
        return;
    free(v->entities);
    v->entity_room = MANY_NAMES;
    v->entities = mem_new(v->entity_room, sizeof *v->entities);
}

__attribute__((noinline)) static struct filter_found
match_file(const struct filter *f, struct match_cache *v, const struct model *m, uint32_t number)
{
    const struct file *const file = model_file_at(m, number);
    if (!file || !file->name)
        return (struct filter_found){0, 0};
    v->entities_lost += v->entities[number & (v->entity_room - 1)].round == v->round;
    if (v->entities_lost > v->entity_room / 4)
        more_entities(v);
    const struct filter_found found = of_thing(f, m, GROUP_ENTITY, number, 0);
    v->entities[number & (v->entity_room - 1)] = (struct cached_match){number, v->round, found};
    return found;
}

static struct filter_found look_up_file(const struct filter *f, struct match_cache *v,
                                        const struct model *m, uint32_t number)
{
    const struct cached_match *const known = &v->entities[number & (v->entity_room - 1)];
    return known->round == v->round && known->number == number ? known->found
                                                               : match_file(f, v, m, number);
}

static struct filter_found look_up_thing(const struct filter *f, struct match_cache *v,
                                         const struct model *m, const struct fact *fact)
{
    static const uint32_t routines = 1u << FACT_DPC | 1u << FACT_ISR | 1u << FACT_SYSCALL;
    const uint32_t number = fact->entity;
    if (fact->class == FACT_IMAGE) {
        const struct image *const image = generation_at(&m->images, number);
        return image ? look_up_file(f, v, m, image->module) : (struct filter_found){0, 0};
    }
    if (has_file(fact))
        return look_up_file(f, v, m, number);
    if (fact->class == FACT_NETWORK)
        return LOOK_UP(v, connections, NAMES, number, of_thing(f, m, GROUP_CONNECTION, number, 0));
    if (routines >> fact->class & 1)
        return LOOK_UP(v, routines, NAMES, number,
                       of_thing(f, m, GROUP_ROUTINE, number, fact->time));
    return (struct filter_found){0, 0};
}

/* What costs more than names of kinds and processes. */
__attribute__((noinline)) static void
look_further(const struct filter *f, struct match_cache *v, const struct model *m,
             const struct fact_callbacks *callbacks, const struct fact *fact, uint32_t process,
             uint64_t terms, unsigned looks, struct filter_found *found)
{
    uint64_t left = terms & f->of_group[GROUP_FACT];
    unsigned i;
    while (filter_next(&left, &i))
        look_at_fact(f, m, i, fact, found);
    if (looks & LOOK_MOVING)
        look_at_process(f, m, process, terms & f->moving & f->of_group[GROUP_PROCESS], fact->time,
                        found);
    if (looks & LOOK_THREAD)
        filter_join(found, LOOK_UP(v, threads, NAMES, fact->thread,
                                   of_thing(f, m, GROUP_THREAD, fact->thread, 0)));
    if (looks & LOOK_THING && terms & ~found->fits)
        filter_join(found, look_up_thing(f, v, m, fact));
    if (looks & LOOK_STACK && fact->stack)
        filter_join(found, LOOK_UP(v, stacks, STACKS, fact->stack, of_stack(f, m, callbacks, fact->stack)));
}

/* A term that fitted something is decided: texts are looked for where it costs least first. */
static struct filter_found look_at_part(const struct filter *f, struct match_cache *v,
                                        const struct model *m,
                                        const struct fact_callbacks *callbacks,
                                        const struct fact *fact, uint32_t process,
                                        const struct filter_part *p)
{
    const unsigned looks = p->looks[fact->class];
    const uint64_t terms = p->terms & f->of_class[fact->class];
    struct filter_found found = {0, 0};
    if (looks & LOOK_KIND) {
        const struct cached_match *const known = &v->kinds[fact->kind];
        found = known->round == v->round ? known->found : match_kind(f, v, m, fact->kind);
    }
    if (looks & LOOK_PROCESS && terms & ~found.fits) {
        const struct cached_match *const known = &v->processes[process & (NAMES - 1)];
        const bool is_known = known->round == v->round && known->number == process;
        filter_join(&found, is_known ? known->found : match_process(f, v, m, process));
    }
    if (looks & ~(LOOK_KIND | LOOK_PROCESS | LOOK_CALLBACK) && terms & ~found.fits)
        look_further(f, v, m, callbacks, fact, process, terms, looks, &found);
    if (looks & LOOK_CALLBACK && callbacks)
        filter_join(&found,
                    look_at_callbacks(f, callbacks, fact, terms & f->of_group[GROUP_CALLBACK]));
    found.has &= terms; /* a registry key is no path, though both are names of files here */
    return found;
}

bool filter_passes_fact(const struct filter *f, struct match_cache *v, const struct model *m,
                        const struct fact_callbacks *callbacks, const struct fact *fact,
                        uint32_t process)
{
    for (unsigned i = 0; i < f->part_count; i++) {
        const struct filter_part *const p = &f->parts[i];
        if (!filter_part_holds(f, p, look_at_part(f, v, m, callbacks, fact, process, p)))
            return false;
    }
    return true;
}
