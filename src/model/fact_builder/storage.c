/* Disks and files. An operation begins with one event and ends with another; what the first
 * says waits for the second in a table of I/O request packets. */
#include "src/model/fact_builder/helpers.h"

enum { IRP_WAYS = 4 }; /* places that an operation may take; the oldest gives way */

static struct irp_slot *irp_bucket(struct irp_slot *slots, uint64_t irp, source_id source)
{
    return &slots[(hash_mix(irp ^ source) >> 40 & (IRP_SLOTS / IRP_WAYS - 1)) * IRP_WAYS];
}

static bool irp_is(const struct irp_slot *s, uint64_t irp, source_id source)
{
    return s->source_used == source + 1u && s->irp == irp;
}

void irp_put(const struct model *m, struct irp_slot *slots, uint64_t irp, source_id source,
             const struct fact *f)
{
    struct irp_slot *const b = irp_bucket(slots, irp, source), *place = b;
    for (unsigned i = 0; i < IRP_WAYS && !irp_is(place, irp, source); i++)
        if (irp_is(&b[i], irp, source) || !b[i].source_used ||
            (place->source_used && b[i].time < place->time))
            place = &b[i];
    *place = (struct irp_slot){
        .number = m->facts ? m->facts->end : 0,
        .irp = irp,
        .time = f->time,
        .source_used = source + 1u,
        .process = f->process,
        .thread = f->thread,
        .entity = f->entity,
        .op = f->op,
    };
}

bool irp_take(struct irp_slot *slots, uint64_t irp, source_id source, struct irp_slot *out)
{
    struct irp_slot *s = irp_bucket(slots, irp, source);
    for (unsigned i = 1; i < IRP_WAYS && !irp_is(s, irp, source); i++)
        s++;
    if (!irp_is(s, irp, source))
        return false;
    *out = *s;
    s->source_used = 0;
    return true;
}

struct fact *irp_beginning(const struct model *m, const struct irp_slot *begun)
{
    return begun->number && begun->number > m->facts->first ? facts_at(m->facts, begun->number - 1)
                                                            : NULL;
}

/* The time an operation had the disk to itself: from the later of its own start
 * and the previous completion. Sums to no more than the time that passed. */
static uint32_t service_ns(struct disk_state *disk, int64_t time, uint64_t latency)
{
    int64_t start = time - (int64_t)latency;
    if (start < disk->completed_ns)
        start = disk->completed_ns;
    if (time > disk->completed_ns)
        disk->completed_ns = time;
    const int64_t service = time > start ? time - start : 0;
    return service < UINT32_MAX ? (uint32_t)service : UINT32_MAX;
}

enum {
    DISK_NUMBER,
    DISK_FLAGS,
    DISK_SIZE,
    DISK_FILE,
    DISK_IRP,
    DISK_RESPONSE,
    DISK_THREAD,
    DISK_OFFSET
};

/* The stack of an operation is walked where it begins; nobody walks the interrupt that ends it. */
static void take_stack(const struct model *m, const struct irp_slot *init, struct fact *f)
{
    struct fact *const start = irp_beginning(m, init);
    if (!start)
        return;
    start->value = m->facts->end;
    f->stack = start->stack;
}

/* Who asked: the payload says so (v3), the completion's header does (v2), or the
 * operation's own *Init event. */
static void set_disk_owner(struct model *m, const struct event *e, const struct kind *k,
                           struct fact *f)
{
    enum { SYSTEM_PID = 4 };
    struct irp_slot init;
    const bool has_init = irp_take(m->disk_irps, field(k, e, DISK_IRP), source_of(m), &init);
    if (has_init)
        take_stack(m, &init, f);
    uint64_t tid;
    if (kind_load(k, e, DISK_THREAD, &tid)) {
        if (tid == EVENT_NO_ID)
            set_process(m, f, SYSTEM_PID);
        else
            set_thread(m, f, tid);
    } else if (e->tid == EVENT_NO_ID || e->kind == HEADER_MANIFEST) {
        f->process = has_init ? init.process : 0;
        f->thread = has_init ? init.thread : 0;
    }
}

void make_disk(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    const uint64_t file = field(k, e, DISK_FILE);
    model_file_ask(m, source_of(m), NAMESPACE_FILE, file);
    set_disk_owner(m, e, k, f);
    f->place = (uint32_t)field(k, e, DISK_NUMBER);
    f->value = field(k, e, DISK_SIZE);
    f->entity = model_file(m, source_of(m), NAMESPACE_FILE, file);
    const unsigned priority = (unsigned)(field(k, e, DISK_FLAGS) >> 17) & 7;
    f->flags |= (uint8_t)(priority << FACT_PRIORITY_SHIFT);
    struct disk_state *const disk = model_disk(m, f->place);
    uint64_t ticks; /* 0: not measured */
    if (kind_load(k, e, DISK_RESPONSE, &ticks) && ticks) {
        fact_latency(f, span_ns(m, ticks));
        f->status = service_ns(disk, f->time, f->latency);
    }
    uint64_t offset;
    if (f->op == OP_FLUSH || !kind_load(k, e, DISK_OFFSET, &offset))
        return;
    if (offset == disk->next)
        f->flags |= FACT_SEQUENTIAL;
    disk->next = offset + f->value;
}

void make_disk_init(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t tid, irp;
    if (kind_load(k, e, 1, &tid) && tid != EVENT_NO_ID)
        set_thread(m, f, tid);
    if (kind_load(k, e, 0, &irp))
        irp_put(m, m->disk_irps, irp, source_of(m), f);
}

/* ---- files ----------------------------------------------------------------------------- */

void make_file_name(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t key;
    f->process = f->thread = 0;
    if (!kind_load(k, e, 0, &key))
        return;
    model_file_ask(m, source_of(m), NAMESPACE_FILE, key);
    char name[NAME_ROOM];
    kind_text(k, e, "FileName", name, sizeof name);
    f->entity = model_file_named(m, source_of(m), NAMESPACE_FILE, key, name);
    if (f->op == OP_DELETE)
        model_file_gone(m, source_of(m), NAMESPACE_FILE, key);
}

enum { FILE_IRP, FILE_THREAD, FILE_OBJECT, FILE_KEY, FILE_SIZE };

void make_file(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    const source_id source = source_of(m);
    uint64_t tid, irp;
    if (kind_load(k, e, FILE_THREAD, &tid))
        set_thread(m, f, tid);
    const uint64_t object = field(k, e, FILE_OBJECT), key = field(k, e, FILE_KEY);
    f->value = m->sources[source].is_linux ? 0 : field(k, e, FILE_SIZE);
    if (f->op == OP_OPEN) {
        char path[NAME_ROOM];
        kind_text(k, e, e->kind == HEADER_MANIFEST ? "FileName" : "OpenPath", path, sizeof path);
        model_file_gone(m, source, NAMESPACE_OPEN, object);
        f->entity = model_file_named(m, source, NAMESPACE_OPEN, object, path);
    } else if (key) {
        /* The first operation on an open file ties its name to the file's key. */
        const uint32_t opened = object ? model_file_known(m, source, NAMESPACE_OPEN, object) : 0;
        model_file_alias(m, source, NAMESPACE_FILE, key, opened);
        f->entity = model_file(m, source, NAMESPACE_FILE, key);
    } else {
        f->entity = model_file(m, source, NAMESPACE_OPEN, object);
    }
    if (f->op == OP_CLOSE)
        model_file_gone(m, source, NAMESPACE_OPEN, object);
    if (kind_load(k, e, FILE_IRP, &irp))
        irp_put(m, m->file_irps, irp, source, f);
}

void make_file_end(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    struct irp_slot op;
    model_set_status(m, f, field(k, e, 1));
    if (!irp_take(m->file_irps, field(k, e, 0), source_of(m), &op)) {
        m->tally.completions_unmatched++;
        if (e->tid == EVENT_NO_ID || e->kind == HEADER_MANIFEST)
            f->process = f->thread = 0; /* who runs where it ends need not have asked */
        return;
    }
    m->tally.completions_matched++;
    f->process = op.process;
    f->thread = op.thread;
    f->entity = model_file_one(m, op.entity);
    f->place = op.op;
    if (op.op != OP_OPEN) /* whose ExtraInfo says what became of the file: opened, created … */
        f->value = field(k, e, 2);
    if (m->sources[source_of(m)].is_linux)
        f->flags |= FACT_MOVED;
    fact_latency(f, f->time - op.time);
}
