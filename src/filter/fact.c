#include "src/filter/fact.h"

#include "src/base/mem.h"
#include "src/event/decode/names.h"
#include "src/event/status.h"
#include "src/table/getters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Direct-mapped but for kinds, of which there are no more. */
enum { KINDS = 1 << 16, NAMES = 1 << 14, STACKS = 1 << 15, MANY_NAMES = 1 << 17 };

struct cached_match {
    uint32_t number, round;
    struct filter_found found;
};

struct match_cache {
    uint32_t round; /* match_cache of earlier ones are forgotten */
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

static void text(const struct filter *f, uint64_t which, const char *text, struct filter_found *o)
{
    filter_look_text(f, which, text, text ? strlen(text) : 0, o);
}

/* ---- by number ------------------------------------------------------------------------------- */

/* Of a process that has ended, the age is since then: `exited age<5s` ended just now. */
static uint64_t age_of(const struct process *p, int64_t now_ns)
{
    const int64_t started = p->start_ns ? p->start_ns : p->first_ns;
    const int64_t since = p->flags & LIFETIME_ENDED && p->end_ns <= now_ns ? p->end_ns : started;
    return now_ns > since ? (uint64_t)(now_ns - since) : 0;
}

static void look_at_lifetime(const struct filter *f, unsigned i, const struct process *p,
                             int64_t now_ns, struct filter_found *o)
{
    const uint64_t bit = 1ull << i;
    switch ((enum field_by)f->terms[i].by) {
    case BY_PID:
        filter_look_number(f, i, p->pid, o);
        break;
    case BY_PPID:
        if (p->has_parent)
            filter_look_number(f, i, p->parent_pid, o);
        break;
    case BY_COMMAND:
        text(f, bit, p->command, o);
        break;
    case BY_USER:
        text(f, bit, p->user, o);
        text(f, bit, process_user(p), o); /* SYSTEM, too, not only S-1-5-18 */
        break;
    case BY_SERVICE:
        text(f, bit, p->services, o);
        break;
    case BY_SESSION:
        if (p->has_session)
            filter_look_number(f, i, p->session, o);
        break;
    case BY_EXITED:
        filter_look_flag(i, p->flags & LIFETIME_ENDED && p->end_ns <= now_ns, o);
        break;
    case BY_AGE:
        filter_look_number(f, i, age_of(p, now_ns), o);
        break;
    default:
        break;
    }
}

static void look_at_process(const struct filter *f, const struct model *m, uint32_t process,
                            uint64_t terms, int64_t now_ns, struct filter_found *o)
{
    const struct process *const p = model_process_at(m, process);
    const struct row_context x = {.model = m};
    char room[32];
    unsigned i;
    while (filter_next(&terms, &i)) {
        if (f->terms[i].by == BY_PROC)
            text(f, 1ull << i, process_label(&x, process, room, sizeof room), o);
        else if (p)
            look_at_lifetime(f, i, p, now_ns, o);
    }
}

struct filter_found filter_look_process(const struct filter *f, const struct model *m,
                                        uint32_t process, int64_t now_ns)
{
    struct filter_found found = {0, 0};
    look_at_process(f, m, process, f->of_group[GROUP_PROCESS], now_ns, &found);
    return found;
}

static struct filter_found of_process(const struct filter *f, const struct model *m,
                                      uint32_t process)
{
    const struct process *const p = model_process_at(m, process);
    const struct row_context x = {.model = m};
    struct filter_found found = {0, 0};
    char room[32], pid[16];
    look_at_process(f, m, process, f->of_group[GROUP_PROCESS] & ~f->moving, 0, &found);
    text(f, f->texts, process_label(&x, process, room, sizeof room), &found);
    if (p) {
        snprintf(pid, sizeof pid, "%u", p->pid);
        text(f, f->texts, pid, &found);
    }
    return found;
}

static struct filter_found of_thread(const struct filter *f, const struct model *m, uint32_t thread)
{
    const struct thread *const t = generation_at(&m->threads, thread);
    struct filter_found found = {0, 0};
    uint64_t left = t ? f->of_group[GROUP_THREAD] : 0;
    unsigned i;
    while (filter_next(&left, &i)) {
        if (f->terms[i].by == BY_TID)
            filter_look_number(f, i, t->tid, &found);
        else
            text(f, 1ull << i, t->name, &found);
    }
    return found;
}

static struct filter_found of_kind(const struct filter *f, const struct model *m, uint32_t number)
{
    const struct kind *const k = &m->kinds[number];
    char room[KIND_TEXT];
    const char *const provider = kind_provider(k), *const event = kind_event(k, room);
    struct filter_found found = {0, 0};
    text(f, f->texts, provider, &found);
    text(f, f->texts, event, &found);
    uint64_t left = f->of_group[GROUP_KIND];
    unsigned i;
    while (filter_next(&left, &i))
        switch ((enum field_by)f->terms[i].by) {
        case BY_PROVIDER:
            text(f, 1ull << i, provider, &found);
            text(f, 1ull << i, k->guid_text, &found);
            break;
        case BY_EVENT:
            text(f, 1ull << i, event, &found);
            break;
        case BY_EVENT_ID:
            filter_look_number(f, i, k->id, &found);
            break;
        case BY_OPCODE:
            filter_look_number(f, i, k->opcode, &found);
            break;
        default:
            filter_look_number(f, i, k->version, &found);
        }
    return found;
}

/* As the system writes the name, and with its drive. */
static struct filter_found of_file(const struct filter *f, const struct model *m,
                                   const struct file *file)
{
    char room[4096];
    const char *const path = model_path(m, file, room, sizeof room);
    const uint64_t terms = f->texts | f->of_group[GROUP_ENTITY];
    struct filter_found found = {0, 0};
    text(f, terms, file->name, &found);
    if (path != file->name)
        text(f, terms, path, &found);
    return found;
}

static void look_at_end(const struct filter *f, unsigned i, const struct connection *c,
                        bool is_remote, struct filter_found *o)
{
    char room[80];
    const struct filter_term *const t = &f->terms[i];
    if (t->count && f->values[t->first].pattern)
        text(f, 1ull << i, model_connection_end(c, is_remote, room, sizeof room), o);
    else
        filter_look_address(f, i, is_remote ? c->ends.remote : c->ends.local, c->ends.is_v6, o);
}

static void look_at_connection(const struct filter *f, unsigned i, const struct connection *c,
                               struct filter_found *o)
{
    const struct connection_ends *const e = &c->ends;
    const uint8_t by = f->terms[i].by;
    if (by == BY_PROTOCOL) { /* tcp is both of its versions */
        filter_look_number(f, i, e->is_udp, o);
        filter_look_number(f, i, e->is_udp + 2u * e->is_v6, o);
    }
    if (by == BY_LOCAL || by == BY_ADDRESS)
        look_at_end(f, i, c, false, o);
    if (by == BY_REMOTE || by == BY_ADDRESS)
        look_at_end(f, i, c, true, o);
    if (by == BY_LOCAL_PORT || by == BY_PORT)
        filter_look_number(f, i, e->local_port, o);
    if (by == BY_REMOTE_PORT || by == BY_PORT)
        filter_look_number(f, i, e->remote_port, o);
    if (by == BY_DIRECTION && c->opened_by)
        filter_look_number(f, i, c->opened_by == OP_ACCEPT, o);
    if (by == BY_CONNECTION)
        filter_look_number(f, i, c->number, o);
}

static struct filter_found of_connection(const struct filter *f, const struct model *m,
                                         uint32_t number)
{
    const struct connection *const c = generation_at(&m->connections, number);
    struct filter_found found = {0, 0};
    if (!c)
        return found;
    char room[80];
    text(f, f->texts, model_connection_end(c, false, room, sizeof room), &found);
    text(f, f->texts, model_connection_end(c, true, room, sizeof room), &found);
    uint64_t left = f->of_group[GROUP_CONNECTION];
    unsigned i;
    while (filter_next(&left, &i))
        look_at_connection(f, i, c, &found);
    return found;
}

static struct filter_found of_routine(const struct filter *f, const struct model *m,
                                      uint32_t number, int64_t time)
{
    const struct routine *const r = generation_at(&m->routines, number);
    struct filter_found found = {0, 0};
    if (!r)
        return found;
    char room[256];
    const char *const name = model_routine_label(m, number, time, room, sizeof room);
    text(f, f->texts, name, &found);
    uint64_t left = f->of_group[GROUP_ROUTINE];
    unsigned i;
    while (filter_next(&left, &i)) {
        if (f->terms[i].by == BY_VECTOR)
            filter_look_number(f, i, r->vector, &found);
        else if (f->terms[i].by == BY_KIND)
            filter_look_number(f, i, r->kind, &found);
        else
            text(f, 1ull << i, name, &found);
    }
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
    const uint64_t all = f->of_group[GROUP_STACK], of_functions = all & ~terms_by(f, BY_MODULE),
                   of_modules = all & ~terms_by(f, BY_FUNCTION);
    struct filter_found found = {0, 0};
    char room[512];
    for (unsigned i = 0; i < count && found.fits != all; i++) {
        const uint32_t at = model_image_at(m, s->source, s->process, frames[i], s->time);
        const struct image *const image = at ? generation_at(&m->images, at) : NULL;
        if (image && of_modules)
            text(f, of_modules, model_module_name(m, image), &found);
        if (of_functions && callbacks && callbacks->frame)
            text(f, of_functions, callbacks->frame(callbacks->of, s, frames, i, room, sizeof room),
                 &found);
    }
    return found;
}

/* ---- the fact itself ---------------------------------------------------------------------------- */

/* By either word, KWAIT_REASON's or Linux's. */
static void look_at_reason(const struct filter *f, unsigned i, const struct fact *fact,
                           struct filter_found *o)
{
    const unsigned reason = fact->class == FACT_SWITCH ? fact->place & 0xff : fact->place - 1u;
    if (fact->class != FACT_SWITCH && !fact->place)
        return;
    text(f, 1ull << i, name_wait_reason(reason), o);
    text(f, 1ull << i, name_wait_reason_linux(reason), o);
}

/* By its number or, where that is what was typed, by its name or what is shown. */
static void look_at_status(const struct filter *f, unsigned i, const struct fact *fact,
                           struct filter_found *o)
{
    if (fact->op != OP_END && fact->class != FACT_REGISTRY)
        return;
    char shown[STATUS_TEXT];
    const char *name;
    filter_look_number(f, i, status_number(fact->status), o);
    for (unsigned n = 0; (name = status_name(fact->status, n)) != NULL; n++)
        text(f, 1ull << i, name, o);
    status_format(fact->status, shown);
    text(f, 1ull << i, shown, o);
}

static void look_at_waker(const struct filter *f, const struct model *m, unsigned i,
                          const struct fact *fact, struct filter_found *o)
{
    const struct thread *const t = generation_at(&m->threads, fact->entity);
    const struct row_context x = {.model = m};
    char room[32];
    if (t)
        text(f, 1ull << i, process_label(&x, t->process, room, sizeof room), o);
}

/* What is a plain number of the fact; false where it has none. */
static bool number_of(const struct fact *fact, enum field_by by, uint64_t *out)
{
    const bool has_latency = fact->flags & FACT_HAS_LATENCY;
    switch (by) {
    case BY_TIME:
        return *out = (uint64_t)fact->time, true;
    case BY_CPU:
        return *out = fact->cpu, true;
    case BY_CLASS:
        return *out = fact->class, true;
    case BY_OP: /* a completion is of the operation that it ends */
        return *out = fact->class == FACT_FILE && fact->op == OP_END ? fact->place : fact->op, true;
    case BY_FAULT:
        return *out = fact->op, true;
    case BY_SIZE:
        return *out = fact->value, true;
    case BY_LATENCY: case BY_READY:
        return *out = fact->latency, has_latency;
    case BY_WAIT:
        return *out = fact->value, has_latency;
    case BY_DISK:
        return *out = fact->place, true;
    case BY_PRIORITY:
        return *out = fact->flags >> FACT_PRIORITY_SHIFT, *out != 0;
    case BY_STATE:
        return *out = fact->place >> 8 & 0xff, true;
    case BY_OLD_PRIORITY:
        return *out = fact->status - 1, fact->status != 0;
    default:
        return false;
    }
}

static void look_at_fact(const struct filter *f, const struct model *m, unsigned i,
                         const struct fact *fact, struct filter_found *o)
{
    const enum field_by by = (enum field_by)f->terms[i].by;
    uint64_t number;
    if (by == BY_REASON)
        look_at_reason(f, i, fact, o);
    else if (by == BY_STATUS)
        look_at_status(f, i, fact, o);
    else if (by == BY_WAKER)
        look_at_waker(f, m, i, fact, o);
    else if (by == BY_RETRANSMIT)
        filter_look_flag(i, fact->op == OP_RETRANSMIT, o);
    else if (number_of(fact, by, &number))
        filter_look_number(f, i, number, o);
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

/* Terms about what facts of that class tell with their end alone. */
static uint64_t terms_lacking(const struct filter *f, const struct fact *like)
{
    const bool is_paired = like->class == FACT_FILE || like->class == FACT_SYSCALL;
    uint64_t left = is_paired && like->op != OP_END ? f->of_group[GROUP_FACT] : 0, terms = 0;
    unsigned i;
    while (filter_next(&left, &i))
        if (f->terms[i].by == BY_STATUS || f->terms[i].by == BY_LATENCY)
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
    const struct filter_found found = of_kind(f, m, number);
    v->kinds[number] = (struct cached_match){number, v->round, found};
    return found;
}

__attribute__((noinline)) static struct filter_found match_process(const struct filter *f,
                                                                   struct match_cache *v,
                                                                   const struct model *m,
                                                                   uint32_t number)
{
    const struct filter_found found = of_process(f, m, number);
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
    const struct filter_found found = of_file(f, m, file);
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
        return LOOK_UP(v, connections, NAMES, number, of_connection(f, m, number));
    if (routines >> fact->class & 1)
        return LOOK_UP(v, routines, NAMES, number, of_routine(f, m, number, fact->time));
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
        look_at_process(f, m, process, terms & f->moving, fact->time, found);
    if (looks & LOOK_THREAD)
        filter_join(found, LOOK_UP(v, threads, NAMES, fact->thread, of_thread(f, m, fact->thread)));
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
                    filter_look_callbacks(f, callbacks, fact, terms & f->of_group[GROUP_CALLBACK]));
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
