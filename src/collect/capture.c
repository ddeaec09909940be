#include "src/collect/capture.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/collect/capture_names.h"
#include "src/collect/capture_plan.h"
#include "src/event/providers.h"
#include "src/event/schema.h"
#include "src/event/tracetop_provider.h"
#include "src/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tables are direct-mapped: who shares a place is learned anew when it is met again. */
enum {
    THREADS = 1 << 16,
    SOURCES = 64,
    CPUS = 256,
    MOMENT_SETS = 1 << 17,
    MOMENT_WAYS = 4,
    PACKETS = 1 << 14,
    KINDS = 1 << 10
};

struct other_kind { /* of an event that is none of the kernel's */
    struct guid provider;
    uint16_t id, version;
    uint8_t opcode, header;
    uint8_t class; /* enum fact_class */
    bool is_known, passes;
    struct filter_found names;
};

struct capture {
    struct plan *plan;
    char text[CAPTURE_TEXT];
    struct capture_figures figures;
    struct thread_owner {
        uint32_t tid, pid;
        uint8_t source;
        bool is_known;
        bool has_passed; /* its newest .NET event, whose stack may follow */
    } owners[THREADS];
    uint32_t running[SOURCES][CPUS]; /* thread + 1; 0 = not known */
    int64_t moments[MOMENT_SETS][MOMENT_WAYS]; /* raw times of what was taken: their stacks follow */
    uint64_t packets[PACKETS];       /* I/O requests that were taken: their ends follow */
    struct other_kind kinds[KINDS];
    struct capture_names names;
};

struct capture *capture_new(const char *text, struct err *err)
{
    if (strlen(text) >= CAPTURE_TEXT)
        return fail(err, "a capture filter has at most %d bytes", CAPTURE_TEXT - 1), NULL;
    struct plan *const plan = plan_new(text, err);
    if (!plan)
        return NULL;
    struct capture *const c = mem_new(1, sizeof *c);
    c->plan = plan;
    names_init(&c->names, &plan->filter);
    snprintf(c->text, sizeof c->text, "%s", text);
    return c;
}

void capture_free(struct capture *c)
{
    if (!c)
        return;
    plan_free(c->plan);
    free(c);
}

const char *capture_text(const struct capture *c)
{
    return c->text;
}

const struct capture_figures *capture_figures(const struct capture *c)
{
    return &c->figures;
}

/* ---- who runs -------------------------------------------------------------------------------- */

static uint32_t place_of(unsigned source, uint32_t tid)
{
    return (tid ^ source * 0x9e37u) & (THREADS - 1);
}

static void learn_thread(struct capture *c, uint8_t source, uint32_t tid, uint32_t pid)
{
    if (!tid)
        return;
    struct thread_owner *const o = &c->owners[place_of(source, tid)];
    const bool has_passed = o->has_passed && o->tid == tid && o->source == source;
    *o = (struct thread_owner){tid, pid, source, true, has_passed};
}

static uint32_t *running_on(struct capture *c, unsigned source, unsigned cpu)
{
    return &c->running[source % SOURCES][cpu % CPUS];
}

static void learn_names(struct capture *c, const struct model *m)
{
    for (uint32_t place = 0; place < m->processes.end; place++) {
        const struct process *const p = generation_place(&m->processes, place);
        if (p && p->name && !(p->flags & LIFETIME_ENDED))
            names_learn(&c->names, &c->plan->filter, (uint8_t)(p->source % SOURCES), p->pid,
                        p->name);
    }
}

void capture_learn(struct capture *c, const struct model *m)
{
    learn_names(c, m);
    for (uint32_t place = 0; place < m->threads.end; place++) {
        const struct thread *const t = generation_place(&m->threads, place);
        const struct process *const p = t ? model_process_at(m, t->process) : NULL;
        if (p && !(t->flags & LIFETIME_ENDED))
            learn_thread(c, (uint8_t)(t->source % SOURCES), t->tid, p->pid);
    }
    for (unsigned source = 0; source < m->source_count && source < SOURCES; source++)
        for (unsigned cpu = 0; cpu < m->sources[source].processors_seen && cpu < CPUS; cpu++) {
            const struct thread *const t =
                generation_at(&m->threads, m->sources[source].processors[cpu].thread);
            *running_on(c, source, cpu) = t ? t->tid + 1 : 0;
        }
}

static uint32_t process_of(const struct capture *c, uint8_t source, uint32_t tid)
{
    const struct thread_owner *const o = &c->owners[place_of(source, tid)];
    return tid == 0                                              ? 0
           : o->is_known && o->tid == tid && o->source == source ? o->pid
                                                                 : EVENT_NO_ID;
}

/* ---- what the record says -------------------------------------------------------------------- */

static bool load(const struct layout_plan *l, const struct event *e, enum carried which,
                 uint64_t *out)
{
    const struct spot s = l ? l->spots[e->pointer == 8][which] : (struct spot){0};
    if (!s.width || s.width > 8 || (uint32_t)s.at + s.width > e->payload_bytes)
        return false;
    uint64_t number = 0;
    memcpy(&number, e->payload + s.at, s.width);
    *out = s.is_turned ? (number >> 8 | number << 8) & 0xffff : number;
    return true;
}

struct whose {
    uint32_t pid, tid; /* EVENT_NO_ID: not known */
};

static struct whose of_thread(const struct capture *c, const struct event *e, uint64_t tid)
{
    return (struct whose){process_of(c, e->source, (uint32_t)tid), (uint32_t)tid};
}

static struct whose whose_is(const struct capture *c, const struct layout_plan *l,
                             const struct event *e)
{
    enum { SYSTEM_PID = 4 };
    uint64_t pid, tid;
    const bool has_pid = load(l, e, AT_PID, &pid), has_tid = load(l, e, AT_TID, &tid);
    if (has_pid)
        return (struct whose){(uint32_t)pid, has_tid         ? (uint32_t)tid
                                             : pid == e->pid ? e->tid
                                                             : EVENT_NO_ID};
    if (has_tid && (uint32_t)tid == EVENT_NO_ID)
        return (struct whose){SYSTEM_PID, EVENT_NO_ID};
    if (has_tid)
        return of_thread(c, e, tid);
    if (e->pid != EVENT_NO_ID)
        return (struct whose){e->pid, e->tid};
    const uint32_t running = c->running[e->source % SOURCES][e->cpu % CPUS];
    if (running)
        return of_thread(c, e, running - 1);
    return (struct whose){EVENT_NO_ID, EVENT_NO_ID};
}

static void look_at_id(const struct filter *f, unsigned i, uint32_t id, struct filter_found *o)
{
    if (id != EVENT_NO_ID)
        filter_look_number(f, i, id, o);
}

static void look_at_end(const struct filter *f, unsigned i, const struct layout_plan *l,
                        const struct event *e, enum carried which, struct filter_found *o)
{
    const struct spot s = l ? l->spots[e->pointer == 8][which] : (struct spot){0};
    if ((s.width == 4 || s.width == 16) && (uint32_t)s.at + s.width <= e->payload_bytes)
        filter_look_address(f, i, e->payload + s.at, s.width == 16, o);
}

static void look_at(const struct filter *f, unsigned i, const struct layout_plan *l,
                    const struct event *e, enum carried which, struct filter_found *o)
{
    uint64_t number;
    if (load(l, e, which, &number))
        filter_look_number(f, i, number, o);
}

/* Terms whose number lies in the payload, by what they are about. */
static const uint8_t spots_of[FIELD_BYS] = {
    [BY_SIZE] = AT_SIZE,
    [BY_OFFSET] = AT_OFFSET,
    [BY_DISK] = AT_DISK,
    [BY_VA] = AT_VA,
    [BY_STATE] = AT_STATE,
    [BY_OLD_PRIORITY] = AT_OLD_PRIORITY,
    [BY_NEW_PRIORITY] = AT_NEW_PRIORITY,
    [BY_VECTOR] = AT_VECTOR,
    [BY_LOCAL_PORT] = AT_LOCAL_PORT,
    [BY_REMOTE_PORT] = AT_REMOTE_PORT,
};

static void look_at_term(const struct plan *p, unsigned i, const struct layout_plan *l,
                         const struct event *e, struct whose whose, struct filter_found *o)
{
    const struct filter *const f = &p->filter;
    const uint8_t by = f->terms[i].by;
    uint64_t number;
    switch ((enum field_by)by) {
    case BY_CPU:
        filter_look_number(f, i, e->cpu, o);
        break;
    case BY_VERSION:
        filter_look_number(f, i, e->version, o);
        break;
    case BY_PID:
        look_at_id(f, i, whose.pid, o);
        break;
    case BY_TID:
        look_at_id(f, i, whose.tid, o);
        break;
    case BY_PRIORITY:
        if (load(l, e, AT_FLAGS, &number) && number >> 17 & 7)
            filter_look_number(f, i, number >> 17 & 7, o);
        break;
    case BY_REASON:
        if (load(l, e, AT_REASON, &number) && (number & 0xff) < REASONS) {
            o->has |= p->reasons[number & 0xff].has & 1ull << i;
            o->fits |= p->reasons[number & 0xff].fits & 1ull << i;
        }
        break;
    case BY_PORT:
        look_at(f, i, l, e, AT_LOCAL_PORT, o);
        look_at(f, i, l, e, AT_REMOTE_PORT, o);
        break;
    case BY_LOCAL:
    case BY_REMOTE:
    case BY_ADDRESS:
        if (by != BY_REMOTE)
            look_at_end(f, i, l, e, AT_LOCAL, o);
        if (by != BY_LOCAL)
            look_at_end(f, i, l, e, AT_REMOTE, o);
        break;
    case BY_LEVEL:
    case BY_TASK:
    case BY_KEYWORD:
        if (header_is_kernel((enum header_kind)e->kind))
            break;
        if (by == BY_KEYWORD)
            filter_look_bits(f, i, e->keyword, o);
        else
            filter_look_number(f, i, by == BY_LEVEL ? e->level : e->task, o);
        break;
    default:
        if (spots_of[by])
            look_at(f, i, l, e, (enum carried)spots_of[by], o);
    }
}

/* Whoever has no name yet may be the one that is meant: what either cached_match on the name lets
 * pass is stored, since what is not is gone. */
static bool decide(const struct capture *c, uint8_t source, uint32_t pid, struct filter_found found)
{
    const struct filter *const f = &c->plan->filter;
    const struct filter_found *const name =
        c->names.terms ? names_find(&c->names, source, pid) : &found;
    if (name) {
        filter_join(&found, *name);
        return filter_decide(f, LEVEL_FACT, found);
    }
    found.has |= c->names.terms;
    const struct filter_found fits = {found.has, found.fits | c->names.terms};
    return filter_decide(f, LEVEL_FACT, found) || filter_decide(f, LEVEL_FACT, fits);
}

static bool passes(const struct capture *c, const struct layout_plan *l, const struct event *e,
                   unsigned class, struct filter_found names, struct whose whose)
{
    const struct plan *const p = c->plan;
    uint64_t left = p->filter.of_class[class] & ~names.has & ~c->names.terms;
    unsigned i;
    names.has &= p->filter.of_class[class];
    while (filter_next(&left, &i))
        look_at_term(p, i, l, e, whose, &names);
    return decide(c, (uint8_t)(e->source % SOURCES), whose.pid, names);
}

/* ---- the cached_match ----------------------------------------------------------------------------- */

static uint64_t *packet_of(struct capture *c, uint64_t irp)
{
    return &c->packets[hash_mix(irp) >> 40 & (PACKETS - 1)];
}

/* A user's stack may come a quarter of a second late, at rates of some hundred thousand events. */
static int64_t *moments_of(struct capture *c, int64_t ts)
{
    return c->moments[hash_mix((uint64_t)ts) >> 40 & (MOMENT_SETS - 1)];
}

static bool is_taken_moment(struct capture *c, int64_t ts)
{
    const int64_t *const m = moments_of(c, ts);
    return m[0] == ts || m[1] == ts || m[2] == ts || m[3] == ts;
}

/* The oldest makes room. */
static void take_moment(struct capture *c, int64_t ts)
{
    int64_t *const m = moments_of(c, ts);
    unsigned oldest = 0;
    if (is_taken_moment(c, ts))
        return;
    for (unsigned i = 1; i < MOMENT_WAYS; i++)
        oldest = m[i] < m[oldest] ? i : oldest;
    m[oldest] = ts;
}

/* The end of an operation on a file follows its begin. */
static bool takes_end(struct capture *c, const struct layout_plan *l, const struct event *e)
{
    uint64_t irp;
    if (!load(l, e, AT_IRP, &irp) || !irp || *packet_of(c, irp) != irp)
        return false;
    *packet_of(c, irp) = 0;
    return true;
}

static bool takes_stack(struct capture *c, const struct layout_plan *l, const struct event *e)
{
    uint64_t ts;
    return load(l, e, AT_TIME, &ts) && is_taken_moment(c, (int64_t)ts);
}

static bool takes_matched(struct capture *c, const struct hook_plan *h, const struct layout_plan *l,
                          const struct event *e)
{
    const struct filter_found names = l ? l->names : h->names;
    uint64_t irp, tid;
    bool takes = passes(c, l, e, h->class, names, whose_is(c, l, e));
    if (!takes && h->class == FACT_SWITCH && load(l, e, AT_NEW_TID, &tid))
        takes = passes(c, l, e, h->class, names, of_thread(c, e, tid));
    if (h->class == FACT_FILE && load(l, e, AT_IRP, &irp)) {
        uint64_t *const packet = packet_of(c, irp);
        if (takes)
            *packet = irp;
        else if (*packet == irp)
            *packet = 0;
    }
    return takes;
}

static bool is_same_kind(const struct other_kind *k, const struct event *e)
{
    return k->is_known && k->id == e->id && k->version == e->version && k->opcode == e->opcode &&
           k->header == e->kind && guid_equal(&k->provider, &e->provider);
}

/* Providers' events: the decision is made once per kind. Always taken: tracetop's own events,
 * events that name code, and events that complete others. */
static bool takes_by_kind(struct capture *c, const struct event *e)
{
    uint64_t mixed;
    memcpy(&mixed, e->provider.b, sizeof mixed);
    mixed = hash_mix(mixed ^ ((uint64_t)e->id << 16 | (uint64_t)e->version << 8 | e->opcode));
    struct other_kind *const k = &c->kinds[mixed >> 40 & (KINDS - 1)];
    if (!is_same_kind(k, e)) {
        const char *class_name, *event_name;
        const struct fact_builder *const b = fact_builder_of_manifest(e);
        const struct hook_class made =
            b ? (struct hook_class){b->class, b->op} : (struct hook_class){FACT_OTHER, OP_NONE};
        decode_name(e, &class_name, &event_name);
        *k = (struct other_kind){.provider = e->provider,
                                 .id = e->id,
                                 .version = e->version,
                                 .opcode = e->opcode,
                                 .header = e->kind,
                                 .class = made.class,
                                 .is_known = true};
        k->passes = guid_equal(&e->provider, &tracetop_provider) || fact_builder_of_build(e) ||
                    fact_builder_tells_names(b) || schema_is_about(e) || *class_name;
        k->names = plan_names(c->plan, e, made);
    }
    const struct whose whose = {e->pid, e->tid};
    if (guid_equal(&e->provider, &tracetop_provider))
        names_learn_tracetop(&c->names, &c->plan->filter, e);
    return k->passes || passes(c, NULL, e, k->class, k->names, whose);
}

/* A stack walk of a .NET runtime follows its event on the same thread. */
static bool takes_other(struct capture *c, const struct event *e)
{
    if (e->kind != HEADER_MANIFEST || !guid_equal(&e->provider, &dotnet_provider))
        return takes_by_kind(c, e);
    struct thread_owner *const o = &c->owners[place_of(e->source, e->tid)];
    const bool is_same = o->is_known && o->tid == e->tid && o->source == e->source;
    if (e->id == DOTNET_WALK)
        return is_same && o->has_passed;
    const bool takes = takes_by_kind(c, e);
    if (!is_same)
        learn_thread(c, e->source, e->tid, e->pid);
    o->has_passed = takes;
    return takes;
}

static void learn(struct capture *c, uint16_t hook, const struct layout_plan *l,
                  const struct event *e)
{
    enum { THREAD_START = 0x0501, THREAD_RUNDOWN = 0x0503, THREAD_LAST = 0x0504, SWITCH = 0x0524 };
    enum { PROCESS_START = 0x0301, PROCESS_LAST = 0x0304 };
    uint64_t pid, tid;
    if (e->pid != EVENT_NO_ID && e->tid != EVENT_NO_ID)
        learn_thread(c, e->source, e->tid, e->pid);
    if (hook == SWITCH && load(l, e, AT_NEW_TID, &tid))
        *running_on(c, e->source, e->cpu) = (uint32_t)tid + 1;
    if ((hook == THREAD_START || hook == THREAD_RUNDOWN || hook == THREAD_LAST) &&
        load(l, e, AT_PID, &pid) && load(l, e, AT_TID, &tid))
        learn_thread(c, e->source, (uint32_t)tid, (uint32_t)pid);
    if (hook >= PROCESS_START && hook <= PROCESS_LAST)
        names_learn_kernel(&c->names, &c->plan->filter, e);
}

static const struct layout_plan *layout_of(const struct hook_plan *h, unsigned version)
{
    for (unsigned i = h->layout_count; i-- > 0;)
        if (h->layouts[i].layout->version <= version)
            return &h->layouts[i];
    return NULL;
}

static bool takes_kernel(struct capture *c, uint16_t hook, const struct event *e)
{
    const struct hook_plan *const h = &c->plan->hooks[hook];
    const struct layout_plan *const l = layout_of(h, e->version);
    bool takes = true;
    switch ((enum fate)h->fate) {
    case FATE_PASSES:
        break;
    case FATE_STACK:
        return takes_stack(c, l, e);
    case FATE_END:
        takes = takes_end(c, l, e);
        break;
    case FATE_MATCHED:
        takes = takes_matched(c, h, l, e);
        break;
    }
    learn(c, hook, l, e);
    return takes;
}

static bool takes(struct capture *c, const struct event *e)
{
    const uint16_t hook = decode_hook(e);
    if (hook != DECODE_NO_HOOK && hook < PLAN_HOOKS)
        return takes_kernel(c, hook, e);
    if (e->pid != EVENT_NO_ID && e->tid != EVENT_NO_ID)
        learn_thread(c, e->source, e->tid, e->pid);
    return takes_other(c, e);
}

static void count(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

bool capture_takes(struct capture *c, const struct event *e, bool always)
{
    const bool is_taken = takes(c, e) || always;
    if (is_taken)
        take_moment(c, e->ts);
    count(is_taken ? &c->figures.kept : &c->figures.left_out);
    return is_taken;
}

/* ---- the slot -------------------------------------------------------------------------------- */

bool capture_set(struct capture_slot *d, struct capture *c)
{
    enum { ROOM = sizeof d->retired / sizeof *d->retired };
    struct capture *const old = atomic_load_explicit(&d->wanted, memory_order_relaxed);
    const struct capture *const asked = atomic_load_explicit(&d->asked, memory_order_acquire);
    unsigned free_place = ROOM;
    for (unsigned i = 0; i < ROOM; i++) {
        if (d->retired[i] && asked == old) { /* whoever feeds has left those before */
            capture_free(d->retired[i]);
            d->retired[i] = NULL;
        }
        free_place = d->retired[i] ? free_place : i;
    }
    if (free_place == ROOM)
        return false;
    d->retired[free_place] = old;
    atomic_store_explicit(&d->wanted, c, memory_order_release);
    return true;
}

void capture_slot_fini(struct capture_slot *d)
{
    for (size_t i = 0; i < sizeof d->retired / sizeof *d->retired; i++) {
        capture_free(d->retired[i]);
        d->retired[i] = NULL;
    }
    capture_free(atomic_exchange_explicit(&d->wanted, NULL, memory_order_relaxed));
}

bool capture_leaves_out(struct capture_slot *d, const struct record_head *head, const void *record,
                        bool always)
{
    struct capture *const c = atomic_load_explicit(&d->wanted, memory_order_acquire);
    if (atomic_load_explicit(&d->asked, memory_order_relaxed) != c)
        atomic_store_explicit(&d->asked, c, memory_order_release);
    struct event e;
    if (!c || head->form != RECORD_ETW ||
        event_parse(record, head->bytes - sizeof *head, &e) != EVENT_OK)
        return false; /* the reader reports unreadable records */
    e.cpu = head->cpu;
    e.source = head->source;
    return !capture_takes(c, &e, always);
}

/* ---- what can be pushed down ----------------------------------------------------------------- */

static void read_pids(const char *word, struct capture_scope *out)
{
    unsigned count = 0;
    while (*word >= '0' && *word <= '9' && count < sizeof out->pids / sizeof *out->pids) {
        char *end;
        out->pids[count++] = (uint32_t)strtoul(word, &end, 10);
        word = *end == ',' ? end + 1 : end;
    }
    out->pid_count = *word ? 0 : count;
}

static void read_name(const char *word, struct capture_scope *out)
{
    static const char *const fields[] = {"proc=", "process=", "name="};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const size_t bytes = strlen(fields[i]);
        if (strncmp(word, fields[i], bytes) == 0 && word[bytes] && !strchr(word, ',') &&
            strlen(word + bytes) < sizeof out->name)
            strcpy(out->name, word + bytes);
    }
}

void capture_scope_of(const char *text, struct capture_scope *out)
{
    char words[CAPTURE_TEXT];
    *out = (struct capture_scope){.pid_count = 0};
    if (strlen(text) >= sizeof words || strpbrk(text, "|()!\"/&") || strstr(text, " or ") ||
        strstr(text, "not "))
        return; /* not all of its words must hold, or they are no plain words */
    strcpy(words, text);
    for (char *left, *word = strtok_r(words, " \t", &left); word;
         word = strtok_r(NULL, " \t", &left)) {
        if (strncmp(word, "pid=", 4) == 0 && !out->pid_count)
            read_pids(word + 4, out);
        if (!out->name[0])
            read_name(word, out);
    }
    if (out->name[0])
        out->pid_count = 0; /* a scope is of those with a number or with a name */
    if (out->name[0])
        snprintf(out->reported, sizeof out->reported,
                 "proc=%.40s chosen where processes are watched", out->name);
    else if (out->pid_count)
        snprintf(out->reported, sizeof out->reported, "pid= chosen where processes are watched");
}
