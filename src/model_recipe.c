/* How kernel events become facts: one row per range of hooks, one small function
 * per shape. The functions read the fields their row names, by number, through
 * places that were looked up once per kind of event. */
#include "src/collector.h"
#include "src/mem.h"
#include "src/model.h"

#include <string.h>

/* What a make_fact may ask beyond its arguments; model_fact() fills it. */
static source_id source_of(const struct model *m)
{
    return m->source;
}

static uint64_t field(const struct kind *k, const struct event *e, unsigned i)
{
    uint64_t value;
    kind_load(k, e, i, &value);
    return value;
}

const char *kind_text(const struct kind *k, const struct event *e, const char *name, char *out,
                      size_t room)
{
    const struct layout *l = k->layout;
    out[0] = '\0';
    for (unsigned i = 0; l && i < l->field_count; i++) {
        struct decoded field;
        if (strcmp(l->fields[i].name, name) == 0 && decode_field(l, e, i, &field))
            decode_format(&field, out, room);
    }
    return out;
}

/* Names and paths beyond this are cut; the record keeps them whole. */
enum { NAME_ROOM = 4096 };

static void set_thread(struct model *m, struct fact *f, uint64_t tid)
{
    f->thread = model_thread(m, source_of(m), (uint32_t)tid, f->time);
    const struct thread *t = shelf_at(&m->threads, f->thread);
    f->process = t ? t->process : 0;
}

static void set_process(struct model *m, struct fact *f, uint64_t pid)
{
    f->process = model_process(m, source_of(m), (uint32_t)pid, f->time);
    f->thread = 0;
}

/* Warnings are answers: there is no more to list, the rest does not fit. */
static void set_status(struct fact *f, uint64_t status)
{
    enum { SEVERITY_ERROR = 3 };
    f->status = (uint32_t)status;
    if (f->status >> 30 == SEVERITY_ERROR)
        f->flags |= FACT_FAILED;
}

static int64_t span_ns(const struct model *m, uint64_t ticks)
{
    return trace_clock_span_ns(&m->sources[source_of(m)].clock, (int64_t)ticks);
}

/* Since the raw time that a field states; 0 means it was not measured. */
static void set_latency_since(struct model *m, const struct event *e, struct fact *f, uint64_t raw)
{
    if (raw)
        fact_latency(f, span_ns(m, (uint64_t)e->ts - raw));
}

void make_owned(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid, tid;
    const bool has_pid = kind_load(k, e, 0, &pid);
    if (kind_load(k, e, 1, &tid))
        set_thread(m, f, tid);
    else if (has_pid)
        set_process(m, f, pid);
    if (has_pid && !f->process)
        f->process = model_process(m, source_of(m), (uint32_t)pid, f->time);
}

/* ---- processes, threads, images --------------------------------------------------- */

enum { PROCESS_ID, PROCESS_PARENT, PROCESS_SESSION, PROCESS_STATUS, PROCESS_KEY };

static void describe_process(struct model *m, const struct event *e, const struct kind *k,
                             struct process *p)
{
    uint64_t value;
    if (kind_load(k, e, PROCESS_PARENT, &value))
        model_process_parent(p, (uint32_t)value);
    if (kind_load(k, e, PROCESS_SESSION, &value)) {
        if (value != UINT32_MAX || !m->sources[source_of(m)].is_linux) {
            p->has_session = value != UINT32_MAX;
            p->session = (uint32_t)value;
        }
    }
    if (kind_load(k, e, PROCESS_KEY, &value) && value) {
        p->has_key = true;
        p->key = value;
    }
    char command[NAME_ROOM];
    model_rename(m, &p->command, kind_text(k, e, "CommandLine", command, sizeof command));
    model_rename(m, &p->user, kind_text(k, e, "UserSID", command, sizeof command));
}

/* A fork runs what its parent runs, in a copy of its memory, until it calls exec. */
static void copy_parent(struct model *m, struct process *p)
{
    const struct process *const parent = shelf_at(&m->processes, p->parent);
    if (!m->sources[source_of(m)].is_linux || !parent || parent == p)
        return;
    p->forked = parent->number;
    model_process_called(m, p, p->first_ns, p->name ? NULL : parent->name);
    if (!p->command)
        model_rename(m, &p->command, parent->command);
    if (!p->has_session && parent->has_session) {
        p->has_session = true;
        p->session = parent->session;
    }
}

static void make_process(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    uint64_t pid;
    if (!kind_load(k, e, PROCESS_ID, &pid))
        return;
    char name[NAME_ROOM];
    kind_text(k, e, "ImageFileName", name, sizeof name);
    const source_id source = source_of(m);
    const uint64_t key = field(k, e, PROCESS_KEY);
    struct process *p;
    if (f->op == OP_START)
        p = model_process_start(m, source, (uint32_t)pid, f->time, name);
    else
        p = model_process_seen(m, source, (uint32_t)pid, f->time, name, key);
    describe_process(m, e, k, p);
    if (f->op == OP_START) {
        p->parent = map_get(&m->process_now, (uint64_t)source << 32 | p->parent_pid);
        copy_parent(m, p);
    }
    if (f->op == OP_END)
        p->exit_status = (int32_t)field(k, e, PROCESS_STATUS);
    if (f->op == OP_END || f->op == OP_CLOSE)
        model_process_end(m, source, (uint32_t)pid, f->time);
    if (f->op != OP_END || f->process != p->number)
        f->thread = 0; /* the header names who created or listed it */
    f->process = p->number;
}

static void make_of_process(struct model *m, const struct event *e, const struct kind *k,
                            struct fact *f)
{
    uint64_t pid;
    if (kind_load(k, e, 0, &pid))
        set_process(m, f, pid);
}

static void make_thread(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    uint64_t pid, tid;
    if (!kind_load(k, e, 0, &pid) || !kind_load(k, e, 1, &tid))
        return;
    const source_id source = source_of(m);
    const uint32_t process = model_process(m, source, (uint32_t)pid, f->time);
    struct thread *t;
    if (f->op == OP_START)
        t = model_thread_start(m, source, (uint32_t)tid, process, f->time);
    else
        t = model_thread_seen(m, source, (uint32_t)tid, process, f->time);
    uint64_t start;
    if (kind_load(k, e, 2, &start) && start)
        t->start = model_address(e, start);
    if (f->op == OP_END)
        model_thread_end(m, source, (uint32_t)tid, f->time);
    char name[NAME_ROOM];
    model_rename(m, &t->name, kind_text(k, e, "ThreadName", name, sizeof name));
    f->thread = t->number;
    f->process = process;
}

enum { IMAGE_PROCESS, IMAGE_BASE, IMAGE_SIZE, IMAGE_OLD_BASE, IMAGE_OLD_SIZE };

static void make_image(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f)
{
    enum { SYSTEM_PID = 4 }; /* kernel modules are listed under pid 0 or 4 */
    uint64_t pid, base, size;
    if (kind_load(k, e, IMAGE_PROCESS, &pid))
        set_process(m, f, pid || m->sources[source_of(m)].is_linux ? pid : SYSTEM_PID);
    if (!kind_load(k, e, IMAGE_BASE, &base) && !kind_load(k, e, IMAGE_OLD_BASE, &base))
        return;
    if (!kind_load(k, e, IMAGE_SIZE, &size))
        kind_load(k, e, IMAGE_OLD_SIZE, &size);
    char path[NAME_ROOM];
    kind_text(k, e, "FileName", path, sizeof path);
    if (!path[0])
        kind_text(k, e, "ImageFileName", path, sizeof path);
    model_volume_hint(m, source_of(m), path);
    const struct image_event image = { .base = model_address(e, base), .size = size,
                                       .is_narrow = e->pointer == 4,
                                       .time = f->time, .op = f->op, .path = path };
    f->value = size;
    f->entity = model_image(m, source_of(m), f->process, &image);
}

/* ---- the scheduler ------------------------------------------------------------------ */

enum { STATE_READY = 1, STATE_STANDBY = 3, STATE_WAITING = 5, STATE_DEFERRED_READY = 7 };

static bool is_runnable(uint64_t state)
{
    return state == STATE_READY || state == STATE_STANDBY || state == STATE_DEFERRED_READY;
}

/* What a thread is from here on, and whether its stay was on another processor. */
static void leave_processor(struct thread *t, uint16_t cpu, struct fact *f, uint64_t state,
                            uint8_t reason)
{
    if (t->has_run && t->cpu != cpu)
        f->flags |= FACT_MIGRATED;
    t->has_run = true;
    t->cpu = cpu;
    t->wait_ns = state == STATE_WAITING ? f->time : 0;
    t->wait_reason = reason;
    if (is_runnable(state))
        t->ready_ns = f->time;
}

enum { SWITCH_NEW, SWITCH_OLD, SWITCH_REASON, SWITCH_STATE, SWITCH_PRIORITY, SWITCH_IDEAL, SWITCH_C_STATE };

static void make_switch(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    const uint64_t new_tid = field(k, e, SWITCH_NEW), reason = field(k, e, SWITCH_REASON),
                   state = field(k, e, SWITCH_STATE);
    set_thread(m, f, field(k, e, SWITCH_OLD));
    f->place = (uint32_t)(state & 0xff) << 8 | (uint32_t)(reason & 0xff)
               | ((uint32_t)field(k, e, SWITCH_IDEAL) & 0xff) << 16;
    uint64_t c_state; /* that the processor had been in, told when it leaves it */
    if (kind_load(k, e, SWITCH_C_STATE, &c_state))
        f->place |= (((uint32_t)c_state + 1) & 0xff) << 24;
    f->status = (uint32_t)field(k, e, SWITCH_PRIORITY) + 1;
    f->entity = model_thread(m, source_of(m), (uint32_t)new_tid, f->time);
    struct processor *p = model_processor(m, source_of(m), e->cpu);
    if (!p)
        return;
    struct thread *old = shelf_at(&m->threads, f->thread);
    const bool saw_start = p->thread && p->thread == f->thread;
    if (!saw_start && old)
        old->ready_ns = 0; /* that ended with a switch that was lost */
    if (saw_start && f->time >= p->since_ns) {
        const int64_t uncounted = f->time - p->since_ns - p->credited_ns;
        f->value = uncounted > 0 ? (uint64_t)uncounted : 0;
        if (p->ready_ns >= 0)
            fact_latency(f, p->ready_ns);
    }
    if (old && old->tid != 0)
        leave_processor(old, e->cpu, f, state, (uint8_t)reason);
    struct thread *next = shelf_at(&m->threads, f->entity);
    const bool was_ready = next && next->ready_ns && f->time >= next->ready_ns;
    *p = (struct processor){
        .thread = f->entity,
        .since_ns = f->time,
        .ready_ns = was_ready ? f->time - next->ready_ns : -1,
    };
    if (next)
        next->ready_ns = next->wait_ns = 0;
}

static void make_ready(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f)
{
    enum { BY_INTERRUPT = 1 }; /* a DPC did it, not the thread that it interrupted */
    const uint32_t waker = field(k, e, 1) & BY_INTERRUPT ? 0 : f->thread;
    set_thread(m, f, field(k, e, 0));
    f->entity = waker;
    struct thread *t = shelf_at(&m->threads, f->thread);
    if (!t || t->ready_ns)
        return;
    t->ready_ns = f->time;
    if (t->wait_ns && f->time > t->wait_ns) {
        f->value = (uint64_t)(f->time - t->wait_ns);
        fact_latency(f, f->time - t->wait_ns);
        f->place = t->wait_reason + 1u;
    }
    t->wait_ns = 0;
}

/* ---- disks ------------------------------------------------------------------------------ */

enum { IRP_WAYS = 4 }; /* places that an operation may take; the oldest gives way */

static struct irp_slot *irp_bucket(struct irp_slot *slots, uint64_t irp, source_id source)
{
    return &slots[(hash_mix(irp ^ source) >> 40 & (IRP_SLOTS / IRP_WAYS - 1)) * IRP_WAYS];
}

static bool irp_is(const struct irp_slot *s, uint64_t irp, source_id source)
{
    return s->source_used == source + 1u && s->irp == irp;
}

static void irp_put(const struct model *m, struct irp_slot *slots, uint64_t irp, source_id source,
                    const struct fact *f)
{
    struct irp_slot *const b = irp_bucket(slots, irp, source), *place = b;
    for (unsigned i = 0; i < IRP_WAYS && !irp_is(place, irp, source); i++)
        if (irp_is(&b[i], irp, source) || !b[i].source_used
            || (place->source_used && b[i].time < place->time))
            place = &b[i];
    *place = (struct irp_slot){
        .number = m->facts ? m->facts->end : 0,
        .irp = irp, .time = f->time, .source_used = source + 1u,
        .process = f->process, .thread = f->thread, .entity = f->entity, .op = f->op,
    };
}

/* Takes the operation with this address out; false when it is not (any more) there. */
static bool irp_take(struct irp_slot *slots, uint64_t irp, source_id source, struct irp_slot *out)
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

static struct disk_state *disk_state(struct model *m, uint32_t disk)
{
    enum { DISKS = 1024 }; /* numbers beyond are not told apart from one another */
    struct model_source *s = &m->sources[source_of(m)];
    uint32_t index = map_get(&s->disks, disk);
    if (!index) {
        index = s->disks.count < DISKS ? s->disks.count + 1 : DISKS;
        if (s->disks.count < DISKS) {
            map_put(&s->disks, disk, index);
            s->disk_states = mem_grow(s->disk_states, index, sizeof *s->disk_states);
            s->disk_states[index - 1] = (struct disk_state){ INT64_MIN / 2, UINT64_MAX };
        }
    }
    return &s->disk_states[index - 1];
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

enum { DISK_NUMBER, DISK_FLAGS, DISK_SIZE, DISK_FILE, DISK_IRP, DISK_RESPONSE, DISK_THREAD,
       DISK_OFFSET };

/* The stack of an operation is walked where it begins; nobody walks the interrupt that ends it. */
static void take_stack(const struct model *m, const struct irp_slot *init, struct fact *f)
{
    if (!init->number || init->number <= m->facts->first)
        return;
    struct fact *start = facts_at(m->facts, init->number - 1);
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
    } else if (e->tid == EVENT_NO_ID) {
        f->process = has_init ? init.process : 0;
        f->thread = has_init ? init.thread : 0;
    }
}

static void make_disk(struct model *m, const struct event *e, const struct kind *k,
                      struct fact *f)
{
    const uint64_t file = field(k, e, DISK_FILE);
    model_file_ask(m, source_of(m), REALM_FILE, file);
    set_disk_owner(m, e, k, f);
    f->place = (uint32_t)field(k, e, DISK_NUMBER);
    f->value = field(k, e, DISK_SIZE);
    f->entity = model_file(m, source_of(m), REALM_FILE, file);
    const unsigned priority = (unsigned)(field(k, e, DISK_FLAGS) >> 17) & 7;
    f->flags |= (uint8_t)(priority << FACT_PRIORITY_SHIFT);
    struct disk_state *const disk = disk_state(m, f->place);
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

static void make_disk_init(struct model *m, const struct event *e, const struct kind *k,
                           struct fact *f)
{
    uint64_t tid, irp;
    if (kind_load(k, e, 1, &tid) && tid != EVENT_NO_ID)
        set_thread(m, f, tid);
    if (kind_load(k, e, 0, &irp))
        irp_put(m, m->disk_irps, irp, source_of(m), f);
}

/* ---- files ------------------------------------------------------------------------------- */

static void make_file_name(struct model *m, const struct event *e, const struct kind *k,
                           struct fact *f)
{
    uint64_t key;
    f->process = f->thread = 0;
    if (!kind_load(k, e, 0, &key))
        return;
    model_file_ask(m, source_of(m), REALM_FILE, key);
    char name[NAME_ROOM];
    kind_text(k, e, "FileName", name, sizeof name);
    f->entity = model_file_named(m, source_of(m), REALM_FILE, key, name);
    if (f->op == OP_DELETE)
        model_file_gone(m, source_of(m), REALM_FILE, key);
}

enum { FILE_IRP, FILE_THREAD, FILE_OBJECT, FILE_KEY, FILE_SIZE };

static void make_file(struct model *m, const struct event *e, const struct kind *k,
                      struct fact *f)
{
    const source_id source = source_of(m);
    uint64_t tid, irp;
    if (kind_load(k, e, FILE_THREAD, &tid))
        set_thread(m, f, tid);
    const uint64_t object = field(k, e, FILE_OBJECT), key = field(k, e, FILE_KEY);
    f->value = m->sources[source].is_linux ? 0 : field(k, e, FILE_SIZE);
    if (f->op == OP_OPEN) {
        char path[NAME_ROOM];
        kind_text(k, e, "OpenPath", path, sizeof path);
        model_file_gone(m, source, REALM_OPEN, object);
        f->entity = model_file_named(m, source, REALM_OPEN, object, path);
    } else if (key) {
        /* The first operation on an open file ties its name to the file's key. */
        const uint32_t opened = object ? model_file_known(m, source, REALM_OPEN, object) : 0;
        model_file_alias(m, source, REALM_FILE, key, opened);
        f->entity = model_file(m, source, REALM_FILE, key);
    } else {
        f->entity = model_file(m, source, REALM_OPEN, object);
    }
    if (f->op == OP_CLOSE)
        model_file_gone(m, source, REALM_OPEN, object);
    if (kind_load(k, e, FILE_IRP, &irp))
        irp_put(m, m->file_irps, irp, source, f);
}

static void make_file_end(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    struct irp_slot op;
    set_status(f, field(k, e, 1));
    f->value = field(k, e, 2);
    if (!irp_take(m->file_irps, field(k, e, 0), source_of(m), &op)) {
        m->tally.completions_unmatched++;
        if (e->tid == EVENT_NO_ID)
            f->process = f->thread = 0; /* who runs where it ends need not have asked */
        return;
    }
    m->tally.completions_matched++;
    f->process = op.process;
    f->thread = op.thread;
    f->entity = model_file_one(m, op.entity);
    f->place = op.op;
    if (m->sources[source_of(m)].is_linux)
        f->flags |= FACT_MOVED;
    fact_latency(f, f->time - op.time);
}

/* ---- network, registry, memory ------------------------------------------------- */

enum { NET_PID, NET_SIZE, NET_DADDR, NET_SADDR, NET_DPORT, NET_SPORT, NET_SEGMENT };

static uint16_t port(uint64_t network_order)
{
    return (uint16_t)(network_order >> 8 & 0xff) | (uint16_t)(network_order << 8);
}

/* TCP events say d* for the remote end always; a UDP datagram that was received says
 * it for ours. Failures name no ends. */
static void set_connection(struct model *m, const struct event *e, const struct kind *k,
                           struct fact *f)
{
    enum { UDP_GROUP = 8 };
    struct connection_ends ends = { .is_udp = e->id >> 8 == UDP_GROUP };
    unsigned width = 4;
    const uint8_t *daddr = kind_bytes(k, e, NET_DADDR, width);
    if (!daddr) {
        ends.is_v6 = true;
        width = 16;
        daddr = kind_bytes(k, e, NET_DADDR, width);
    }
    const uint8_t *const saddr = kind_bytes(k, e, NET_SADDR, width);
    uint64_t dport, sport;
    if (!daddr || !saddr || !kind_load(k, e, NET_DPORT, &dport) || !kind_load(k, e, NET_SPORT, &sport))
        return;
    const bool is_turned = ends.is_udp && f->op == OP_RECEIVE;
    memcpy(ends.remote, is_turned ? saddr : daddr, width);
    memcpy(ends.local, is_turned ? daddr : saddr, width);
    ends.remote_port = port(is_turned ? sport : dport);
    ends.local_port = port(is_turned ? dport : sport);
    f->entity = model_connection(m, source_of(m), &ends, f->process, f->op, f->time);
    struct connection *const c = shelf_at(&m->connections, f->entity);
    uint64_t segment;
    if (c && kind_load(k, e, NET_SEGMENT, &segment))
        c->segment = (uint16_t)segment;
    if (f->op == OP_CONNECT || f->op == OP_ACCEPT) {
        m->opened.number = f->entity;
        m->opened.source = source_of(m);
        m->opened.ts = e->ts;
    }
}

static void make_network(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    uint64_t pid;
    /* On Windows the header names whoever ran when a packet came. */
    const bool is_owners = m->sources[source_of(m)].is_linux;
    if (!is_owners)
        f->process = f->thread = 0;
    if (kind_load(k, e, 0, &pid) && (!is_owners || pid != e->pid))
        set_process(m, f, pid);
    f->value = field(k, e, 1);
    set_connection(m, e, k, f);
}

static void make_registry(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    const uint64_t handle = field(k, e, 0);
    f->entity = model_file(m, source_of(m), REALM_KEY, handle);
    if (!handle) { /* the name is a whole path then */
        char path[NAME_ROOM];
        kind_text(k, e, "KeyName", path, sizeof path);
        f->entity = model_file_called(m, source_of(m), REALM_KEY, path);
    }
    set_status(f, field(k, e, 1));
    set_latency_since(m, e, f, field(k, e, 2));
}

static void make_key_name(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    const uint64_t handle = field(k, e, 0);
    char name[NAME_ROOM];
    kind_text(k, e, "KeyName", name, sizeof name);
    f->entity = model_file_named(m, source_of(m), REALM_KEY, handle, name);
    if (f->op == OP_DELETE)
        model_file_gone(m, source_of(m), REALM_KEY, handle);
}

static void make_hard_fault(struct model *m, const struct event *e, const struct kind *k,
                            struct fact *f)
{
    uint64_t tid;
    if (kind_load(k, e, 0, &tid))
        set_thread(m, f, tid);
    f->value = field(k, e, 1);
    f->entity = model_file(m, source_of(m), REALM_FILE, field(k, e, 2));
    set_latency_since(m, e, f, field(k, e, 3));
}

static void make_memory(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    uint64_t pid;
    if (kind_load(k, e, 0, &pid))
        f->process = model_process(m, source_of(m), (uint32_t)pid, f->time);
    f->value = field(k, e, 1);
}

/* ---- samples and stacks -------------------------------------------------------------------- */

static void make_sample(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    set_thread(m, f, field(k, e, 0));
    uint64_t count;
    if (!kind_load(k, e, 1, &count) || !count)
        count = 1;
    f->value = count * m->sources[source_of(m)].sample_ns;
    uint64_t address;
    if (!kind_load(k, e, 2, &address))
        return;
    f->latency = model_address(e, address);
    f->entity = model_image_at(m, source_of(m), f->process, f->latency, f->time);
}

static void make_interval(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    (void)f;
    enum { SOURCE_TIME = 0, MAX_UNITS = 10000000 }; /* 100 ns units; a second at most */
    uint64_t units;
    if (field(k, e, 0) == SOURCE_TIME && kind_load(k, e, 1, &units) && units
        && units <= MAX_UNITS)
        m->sources[source_of(m)].sample_ns = units * 100;
}

enum { STACK_TIME, STACK_PROCESS, STACK_THREAD, STACK_KEY };

static void make_stack(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f)
{
    uint64_t ts, pid, tid;
    if (!kind_load(k, e, STACK_TIME, &ts) || !kind_load(k, e, STACK_PROCESS, &pid)
        || !kind_load(k, e, STACK_THREAD, &tid)) {
        m->tally.stacks_unmatched++; /* cut short: about nothing that can be found */
        return;
    }
    set_thread(m, f, tid);
    const struct stack_walk walk = {
        .ts = (int64_t)ts,
        .process = model_process(m, source_of(m), (uint32_t)pid, f->time),
        .thread = f->thread,
        .key = field(k, e, STACK_KEY),
    };
    if (!f->process)
        f->process = walk.process;
    model_stack_walked(m, e, source_of(m), &walk);
}

static void make_stack_key(struct model *m, const struct event *e, const struct kind *k,
                           struct fact *f)
{
    uint64_t key;
    f->process = f->thread = 0; /* a key is shared by all who were there */
    if (kind_load(k, e, 0, &key) && key)
        model_stack_defined(m, e, source_of(m), key);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define PROCESS_FIELDS { "ProcessId", "ParentId", "SessionId", "ExitStatus", "UniqueProcessKey" }
#define THREAD_FIELDS { "ProcessId", "TThreadId", "Win32StartAddr" }
#define IMAGE_FIELDS { "ProcessId", "ImageBase", "ImageSize", "BaseAddress", "ModuleSize" }
#define DISK_FIELDS { "DiskNumber", "IrpFlags", "TransferSize", "FileObject", "Irp", \
                      "HighResResponseTime", "IssuingThreadId", "ByteOffset" }
#define INIT_FIELDS { "Irp", "IssuingThreadId" }
#define NAME_FIELDS { "FileObject" }
#define FILE_FIELDS { "IrpPtr", "TTID", "FileObject", "FileKey", "IoSize" }
#define NET_FIELDS { "PID", "size", "daddr", "saddr", "dport", "sport", "mss" }
#define KEY_FIELDS { "KeyHandle", "Status", "InitialTime" }
#define ROUTINE_FIELDS { "InitialTime", "Routine", "Vector" }
#define MEMORY_FIELDS { "ProcessId", "RegionSize" }

/* Sorted by hook. */
static const struct recipe recipes[] = {
    { 0x010a, 0x010a, FACT_DISK, OP_READ, make_disk, DISK_FIELDS },
    { 0x010b, 0x010b, FACT_DISK, OP_WRITE, make_disk, DISK_FIELDS },
    { 0x010c, 0x010d, FACT_DISK, OP_START, make_disk_init, INIT_FIELDS },
    { 0x010e, 0x010e, FACT_DISK, OP_FLUSH, make_disk, DISK_FIELDS },
    { 0x010f, 0x010f, FACT_DISK, OP_START, make_disk_init, INIT_FIELDS },
    { 0x0137, 0x0137, FACT_DISK, OP_READ, make_disk, DISK_FIELDS },
    { 0x0138, 0x0138, FACT_DISK, OP_WRITE, make_disk, DISK_FIELDS },
    { 0x0139, 0x0139, FACT_DISK, OP_FLUSH, make_disk, DISK_FIELDS },
    { 0x013a, 0x013c, FACT_DISK, OP_START, make_disk_init, INIT_FIELDS },
    { 0x020a, 0x020a, FACT_FAULT, OP_TRANSITION, NULL, { NULL } },
    { 0x020b, 0x020b, FACT_FAULT, OP_ZERO, NULL, { NULL } },
    { 0x020c, 0x020c, FACT_FAULT, OP_COPY, NULL, { NULL } },
    { 0x020d, 0x020d, FACT_FAULT, OP_GUARD, NULL, { NULL } },
    { 0x020e, 0x020e, FACT_FAULT, OP_OTHER, NULL, { NULL } }, /* told in full by 0x0220 */
    { 0x020f, 0x020f, FACT_FAULT, OP_VIOLATION, NULL, { NULL } },
    { 0x0220, 0x0220, FACT_FAULT, OP_HARD, make_hard_fault,
      { "TThreadId", "ByteCount", "FileObject", "InitialTime" } },
    { 0x0262, 0x0262, FACT_MEMORY, OP_ALLOC, make_memory, MEMORY_FIELDS },
    { 0x0263, 0x0263, FACT_MEMORY, OP_FREE, make_memory, MEMORY_FIELDS },
    { 0x0301, 0x0301, FACT_PROCESS, OP_START, make_process, PROCESS_FIELDS },
    { 0x0302, 0x0302, FACT_PROCESS, OP_END, make_process, PROCESS_FIELDS },
    { 0x0303, 0x0304, FACT_PROCESS, OP_RUNDOWN, make_process, PROCESS_FIELDS },
    { 0x030a, 0x030a, FACT_IMAGE, OP_START, make_image, IMAGE_FIELDS },
    { 0x030b, 0x030b, FACT_PROCESS, OP_OTHER, make_of_process, { "ProcessId" } },
    { 0x0320, 0x0323, FACT_PROCESS, OP_OTHER, make_of_process, { "ProcessId" } },
    { 0x0327, 0x0327, FACT_PROCESS, OP_CLOSE, make_process, PROCESS_FIELDS },
    { 0x0400, 0x0400, FACT_NAME, OP_CREATE, make_file_name, NAME_FIELDS },
    { 0x0420, 0x0420, FACT_NAME, OP_CREATE, make_file_name, NAME_FIELDS },
    { 0x0423, 0x0423, FACT_NAME, OP_DELETE, make_file_name, NAME_FIELDS },
    { 0x0424, 0x0424, FACT_NAME, OP_RUNDOWN, make_file_name, NAME_FIELDS },
    { 0x0440, 0x0440, FACT_FILE, OP_OPEN, make_file, FILE_FIELDS },
    { 0x0441, 0x0441, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS },
    { 0x0442, 0x0442, FACT_FILE, OP_CLOSE, make_file, FILE_FIELDS },
    { 0x0443, 0x0443, FACT_FILE, OP_READ, make_file, FILE_FIELDS },
    { 0x0444, 0x0444, FACT_FILE, OP_WRITE, make_file, FILE_FIELDS },
    { 0x0445, 0x0445, FACT_FILE, OP_SET, make_file, FILE_FIELDS },
    { 0x0446, 0x0446, FACT_FILE, OP_DELETE, make_file, FILE_FIELDS },
    { 0x0447, 0x0447, FACT_FILE, OP_RENAME, make_file, FILE_FIELDS },
    { 0x0448, 0x0448, FACT_FILE, OP_ENUM, make_file, FILE_FIELDS },
    { 0x0449, 0x0449, FACT_FILE, OP_FLUSH, make_file, FILE_FIELDS },
    { 0x044a, 0x044a, FACT_FILE, OP_QUERY, make_file, FILE_FIELDS },
    { 0x044b, 0x044b, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS },
    { 0x044c, 0x044c, FACT_FILE, OP_END, make_file_end, { "IrpPtr", "NtStatus", "ExtraInfo" } },
    { 0x044d, 0x044d, FACT_FILE, OP_ENUM, make_file, FILE_FIELDS },
    { 0x044f, 0x044f, FACT_FILE, OP_DELETE, make_file, FILE_FIELDS },
    { 0x0450, 0x0450, FACT_FILE, OP_RENAME, make_file, FILE_FIELDS },
    { 0x0451, 0x0452, FACT_FILE, OP_OTHER, make_file, FILE_FIELDS },
    { 0x0501, 0x0501, FACT_THREAD, OP_START, make_thread, THREAD_FIELDS },
    { 0x0502, 0x0502, FACT_THREAD, OP_END, make_thread, THREAD_FIELDS },
    { 0x0503, 0x0504, FACT_THREAD, OP_RUNDOWN, make_thread, THREAD_FIELDS },
    { 0x0524, 0x0524, FACT_SWITCH, OP_END, make_switch,
      { "NewThreadId", "OldThreadId", "OldThreadWaitReason", "OldThreadState",
        "OldThreadPriority", "OldThreadWaitIdealProcessor", "PreviousCState" } },
    { 0x0532, 0x0532, FACT_READY, OP_NONE, make_ready, { "TThreadId", "Flag" } },
    { 0x0548, 0x0548, FACT_THREAD, OP_SET, make_thread, { "ProcessId", "ThreadId" } },
    { 0x060a, 0x060a, FACT_NETWORK, OP_SEND, make_network, NET_FIELDS },
    { 0x060b, 0x060b, FACT_NETWORK, OP_RECEIVE, make_network, NET_FIELDS },
    { 0x060c, 0x060c, FACT_NETWORK, OP_CONNECT, make_network, NET_FIELDS },
    { 0x060d, 0x060d, FACT_NETWORK, OP_DISCONNECT, make_network, NET_FIELDS },
    { 0x060e, 0x060e, FACT_NETWORK, OP_RETRANSMIT, make_network, NET_FIELDS },
    { 0x060f, 0x060f, FACT_NETWORK, OP_ACCEPT, make_network, NET_FIELDS },
    { 0x0610, 0x0610, FACT_NETWORK, OP_OTHER, make_network, NET_FIELDS },
    { 0x0611, 0x0611, FACT_NETWORK, OP_FAIL, make_network, NET_FIELDS },
    { 0x0612, 0x0613, FACT_NETWORK, OP_COPY, make_network, NET_FIELDS },
    { 0x0614, 0x0616, FACT_NETWORK, OP_OTHER, make_network, NET_FIELDS },
    { 0x061a, 0x061a, FACT_NETWORK, OP_SEND, make_network, NET_FIELDS },
    { 0x061b, 0x061b, FACT_NETWORK, OP_RECEIVE, make_network, NET_FIELDS },
    { 0x061c, 0x061c, FACT_NETWORK, OP_CONNECT, make_network, NET_FIELDS },
    { 0x061d, 0x061d, FACT_NETWORK, OP_DISCONNECT, make_network, NET_FIELDS },
    { 0x061e, 0x061e, FACT_NETWORK, OP_RETRANSMIT, make_network, NET_FIELDS },
    { 0x061f, 0x061f, FACT_NETWORK, OP_ACCEPT, make_network, NET_FIELDS },
    { 0x0620, 0x0620, FACT_NETWORK, OP_OTHER, make_network, NET_FIELDS },
    { 0x0622, 0x0623, FACT_NETWORK, OP_COPY, make_network, NET_FIELDS },
    { 0x080a, 0x080a, FACT_NETWORK, OP_SEND, make_network, NET_FIELDS },
    { 0x080b, 0x080b, FACT_NETWORK, OP_RECEIVE, make_network, NET_FIELDS },
    { 0x0811, 0x0811, FACT_NETWORK, OP_FAIL, make_network, NET_FIELDS },
    { 0x081a, 0x081a, FACT_NETWORK, OP_SEND, make_network, NET_FIELDS },
    { 0x081b, 0x081b, FACT_NETWORK, OP_RECEIVE, make_network, NET_FIELDS },
    { 0x090a, 0x090a, FACT_REGISTRY, OP_CREATE, make_registry, KEY_FIELDS },
    { 0x090b, 0x090b, FACT_REGISTRY, OP_OPEN, make_registry, KEY_FIELDS },
    { 0x090c, 0x090c, FACT_REGISTRY, OP_DELETE, make_registry, KEY_FIELDS },
    { 0x090d, 0x090d, FACT_REGISTRY, OP_QUERY, make_registry, KEY_FIELDS },
    { 0x090e, 0x090e, FACT_REGISTRY, OP_SET, make_registry, KEY_FIELDS },
    { 0x090f, 0x090f, FACT_REGISTRY, OP_DELETE, make_registry, KEY_FIELDS },
    { 0x0910, 0x0910, FACT_REGISTRY, OP_QUERY, make_registry, KEY_FIELDS },
    { 0x0911, 0x0912, FACT_REGISTRY, OP_ENUM, make_registry, KEY_FIELDS },
    { 0x0913, 0x0913, FACT_REGISTRY, OP_QUERY, make_registry, KEY_FIELDS },
    { 0x0914, 0x0914, FACT_REGISTRY, OP_SET, make_registry, KEY_FIELDS },
    { 0x0915, 0x0915, FACT_REGISTRY, OP_FLUSH, make_registry, KEY_FIELDS },
    { 0x0916, 0x0916, FACT_NAME, OP_CREATE, make_key_name, { "KeyHandle" } },
    { 0x0917, 0x0917, FACT_NAME, OP_DELETE, make_key_name, { "KeyHandle" } },
    { 0x0918, 0x0919, FACT_NAME, OP_RUNDOWN, make_key_name, { "KeyHandle" } },
    { 0x091a, 0x091a, FACT_REGISTRY, OP_OTHER, make_registry, KEY_FIELDS },
    { 0x091b, 0x091b, FACT_REGISTRY, OP_CLOSE, make_registry, KEY_FIELDS },
    { 0x091c, 0x091c, FACT_REGISTRY, OP_SET, make_registry, KEY_FIELDS },
    { 0x091d, 0x091d, FACT_REGISTRY, OP_QUERY, make_registry, KEY_FIELDS },
    { 0x0b0c, 0x0b0c, FACT_OTHER, OP_NONE, make_logical_disk, { "DriveType" } },
    { 0x0f22, 0x0f22, FACT_MARK, OP_NONE, NULL, { NULL } },
    { 0x0f2e, 0x0f2e, FACT_SAMPLE, OP_NONE, make_sample, { "ThreadId", "Count", "InstructionPointer" } },
    { 0x0f32, 0x0f32, FACT_ISR, OP_NONE, make_routine, ROUTINE_FIELDS },
    { 0x0f33, 0x0f33, FACT_SYSCALL, OP_START, make_call_enter, { "SysCallAddress" } },
    { 0x0f34, 0x0f34, FACT_SYSCALL, OP_END, make_call_exit, { "SysCallNtStatus" } },
    { 0x0f42, 0x0f42, FACT_DPC, OP_NONE, make_routine, ROUTINE_FIELDS },
    { 0x0f43, 0x0f43, FACT_ISR, OP_NONE, make_routine, ROUTINE_FIELDS },
    { 0x0f44, 0x0f46, FACT_DPC, OP_NONE, make_routine, ROUTINE_FIELDS },
    { 0x0f48, 0x0f49, FACT_OTHER, OP_NONE, make_interval, { "Source", "NewInterval" } },
    { 0x0f5f, 0x0f5f, FACT_ISR, OP_NONE, make_routine, ROUTINE_FIELDS },
    { 0x1402, 0x1402, FACT_IMAGE, OP_END, make_image, IMAGE_FIELDS },
    { 0x1403, 0x1404, FACT_IMAGE, OP_RUNDOWN, make_image, IMAGE_FIELDS },
    { 0x1820, 0x1820, FACT_STACK, OP_NONE, make_stack,
      { "EventTimeStamp", "StackProcess", "StackThread" } },
    { 0x1822, 0x1824, FACT_STACK, OP_RUNDOWN, make_stack_key, { "Key" } },
    { 0x1825, 0x1826, FACT_STACK, OP_NONE, make_stack,
      { "EventTimeStamp", "StackProcess", "StackThread", "StackKey" } },
};

const struct recipe *recipe_find(uint16_t hook)
{
    size_t low = 0, high = sizeof recipes / sizeof *recipes;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (hook > recipes[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_there = low < sizeof recipes / sizeof *recipes && hook >= recipes[low].first;
    return is_there ? &recipes[low] : NULL;
}
