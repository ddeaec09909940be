/* Rundowns: see src/model/rundown.h. The model's generation tables are gone through by number,
 * which stay what they are while the model grows. */
#include "src/model/rundown.h"

#include "src/base/mem.h"
#include "src/base/payload_writer.h"
#include "src/event/retime.h"
#include "src/event/wait_call.h"
#include "src/model/gauge_record.h"
#include "src/model/rundown_append.h"
#include "src/model/rundown_inside.h"
#include "src/model/user_names.h"
#include "src/model/wait.h"
#include "src/os/os.h"
#include "src/ring/ring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hooks, and the version of each record that is written. */
enum {
    HOOK_PROCESS_DCSTART = 0x0303,
    HOOK_PROCESS_DCEND = 0x0304,
    PROCESS_VERSION = 4,
    HOOK_THREAD_DCSTART = 0x0503,
    HOOK_THREAD_DCEND = 0x0504,
    THREAD_VERSION = 3,
    HOOK_IMAGE_DCSTART = 0x1403,
    HOOK_IMAGE_DCEND = 0x1404,
    IMAGE_VERSION = 3,
    HOOK_FILE_NAME = 0x0400,
    HOOK_FILE_RUNDOWN = 0x0424,
    FILE_VERSION = 2,
    HOOK_KEY_BEGIN = 0x0918,
    HOOK_KEY_END = 0x0919,
    KEY_VERSION = 2,
};

/* ---- what lives ------------------------------------------------------------------------------ */

static bool is_ours(const struct model_rundown *r, source_id source)
{
    return source / SOURCE_MAX == r->o.collector && source < r->o.model->source_count;
}

/* Where its beginning was not seen, it had begun before it was first met. */
static bool was_alive(const struct model_rundown *r, int64_t first, int64_t start, int64_t end_ns)
{
    const int64_t since = start ? start : first;
    return since <= r->o.at_ns && (!end_ns || end_ns > r->o.at_ns);
}

static bool was_process_alive(const struct model_rundown *r, const struct process *p)
{
    return is_ours(r, p->source) && was_alive(r, p->first_ns, p->start_ns, p->end_ns);
}

/* "S-1-5-18" as a TOKEN_USER (a pointer and attributes, of which all that is to be seen is
 * whether there is a user) and the identifier; four zero bytes where there is none. */
static void put_user(struct payload_writer *p, const char *text)
{
    enum { POINTER = 8, ATTRIBUTES = 8, AUTHORITY = 6, PARTS_MOST = 15 };
    unsigned long long parts[PARTS_MOST + 2];
    unsigned count = 0;
    const char *at = text && strncmp(text, "S-", 2) == 0 ? text + 1 : "";
    while (*at == '-' && count < PARTS_MOST + 2) {
        char *behind;
        parts[count++] = strtoull(at + 1, &behind, 10);
        at = behind;
    }
    if (*at || count < 3) {
        put_u32(p, 0);
        return;
    }
    put_u64(p, 1);
    put_zeros(p, ATTRIBUTES);
    put_u8(p, (unsigned)parts[0]);
    put_u8(p, count - 2);
    for (unsigned i = AUTHORITY; i > 0; i--)
        put_u8(p, (unsigned)(parts[1] >> 8 * (i - 1)) & 0xff);
    for (unsigned i = 2; i < count; i++)
        put_u32(p, (uint32_t)parts[i]);
}

/* No record that lists a process says when it was started. */
static void list_start(struct model_rundown *r, const struct process *p)
{
    if (r->o.is_end || !p->start_ns || p->start_ns > r->o.at_ns)
        return;
    struct payload_writer *const payload_writer =
        rundown_begin_tracetop(r, p->source, "Lifetime", "pid:u32,since:u64");
    put_u32(payload_writer, p->pid);
    put_u64(payload_writer, (uint64_t)(r->o.at_ns - p->start_ns));
    rundown_end_tracetop(r);
}

/* What it had of memory then. */
static void list_memory(struct model_rundown *r, const struct process *p)
{
    char fields[GAUGE_FIELDS];
    const struct memory_reading *const reading = memory_history_at(p->memory, r->o.at_ns);
    if (r->o.is_end || !reading)
        return;
    gauge_record_memory_fields(reading, fields);
    struct payload_writer *const payload_writer =
        rundown_begin_tracetop(r, p->source, "ProcessMemory", fields);
    gauge_record_put_memory(payload_writer, p->pid, reading);
    rundown_end_tracetop(r);
}

/* The record of the process has the identifier, and no name. */
static void list_owner(struct model_rundown *r, const struct process *p)
{
    uint32_t uid;
    if (!p->account || !user_names_uid(p->user, &uid))
        return;
    struct payload_writer *const payload_writer =
        rundown_begin_tracetop(r, p->source, "Owner", "pid:u32,uid:u32,name:text");
    put_u32(payload_writer, p->pid);
    put_u32(payload_writer, uid);
    rundown_put_narrow(payload_writer, p->account);
    rundown_end_tracetop(r);
}

/* Which part of which file it is, and since when: the record that lists an image has no room for
 * that. */
static void put_mapping(struct model_rundown *r, const struct process *p, const struct image *i)
{
    static const char fields[] = "pid:u32,base:hex64,size:hex64,offset:hex64,device:hex32,"
                                 "inode:u64,build:text,loaded:u64";
    const struct build *const b = generation_at(&r->o.model->builds, i->build);
    const bool was_seen = i->from_ns > 0 && i->from_ns <= r->o.at_ns;
    if (!b && !i->file_offset && !was_seen)
        return;
    struct payload_writer *const payload_writer =
        rundown_begin_tracetop(r, p->source, "Mapping", fields);
    put_u32(payload_writer, p->pid);
    put_u64(payload_writer, model_address_shown(i));
    put_u64(payload_writer, i->size);
    put_u64(payload_writer, i->file_offset);
    put_u32(payload_writer, b ? (uint32_t)b->device : 0);
    put_u64(payload_writer, b ? b->inode : 0);
    put_hex_text(payload_writer, b ? b->id : NULL, b ? b->id_bytes : 0);
    put_u64(payload_writer, was_seen ? (uint64_t)i->from_ns : 0);
    rundown_end_tracetop(r);
}

/* Behind one of Windows, as a merge adds it: which PDB it has. A classic event. */
static void put_pdb_id(struct model_rundown *r, const struct process *p, const struct image *i)
{
    enum { FULL_HEADER64 = 20, RSDS = 0x24 };
    static const struct guid image_id = {{0xd7, 0x75, 0xe6, 0xb3, 0x54, 0x25, 0x18, 0x4f, 0x83,
                                          0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde}};
    static const struct guid none;
    const struct build *const b = generation_at(&r->o.model->builds, i->build);
    if (!b || guid_equal(&b->pdb_guid, &none))
        return;
    struct payload_writer *const payload_writer = rundown_begin(r, p->source, 0, 0);
    payload_writer->at = payload_writer->start;
    put_u16(payload_writer, 0); /* size: when it is known */
    put_u8(payload_writer, FULL_HEADER64);
    put_u8(payload_writer, HEADER_FLAGS);
    put_u8(payload_writer, RSDS);
    put_u8(payload_writer, 0);
    put_u16(payload_writer, 0);
    put_u32(payload_writer, EVENT_NO_ID);
    put_u32(payload_writer, EVENT_NO_ID);
    put_u64(payload_writer, (uint64_t)r->made.head.ts);
    put_bytes(payload_writer, &image_id, sizeof image_id);
    put_u64(payload_writer, 0); /* processor times */
    put_u64(payload_writer, model_address_shown(i));
    put_u32(payload_writer, p->pid);
    put_bytes(payload_writer, &b->pdb_guid, sizeof b->pdb_guid);
    put_u32(payload_writer, b->pdb_age);
    rundown_put_narrow(payload_writer, b->pdb);
    rundown_end_tracetop(r);
}

static void put_image(struct model_rundown *r, const struct process *p, const struct image *i)
{
    const struct file *const module = model_file_at(r->o.model, i->module);
    if (!module)
        return;
    const struct build *const build = generation_at(&r->o.model->builds, i->build);
    struct payload_writer *const payload_writer = rundown_begin(
        r, p->source, r->o.is_end ? HOOK_IMAGE_DCEND : HOOK_IMAGE_DCSTART, IMAGE_VERSION);
    put_u64(payload_writer, model_address_shown(i));
    put_u64(payload_writer, i->size);
    put_u32(payload_writer, p->pid);
    put_u32(payload_writer, 0); /* checksum */
    put_u32(payload_writer, build ? build->stamp : 0);
    put_u32(payload_writer, 0);                      /* signature */
    put_u64(payload_writer, model_address_shown(i)); /* default base */
    put_zeros(payload_writer, 4 * sizeof(uint32_t));
    rundown_put_wide(payload_writer, module->name);
    rundown_end(r);
    /* At the end, the records of loading have that already, except for images inherited
     * from a parent. */
    const bool is_inherited = model_process_at(r->o.model, i->process) != p;
    if (!r->o.is_end || is_inherited)
        put_mapping(r, p, i);
    put_pdb_id(r, p, i);
    r->figures.images++;
}

static bool is_there(const struct image *i, int64_t ns)
{
    return i->from_ns <= ns && i->until_ns > ns;
}

static void list_image(struct model_rundown *r, const struct image *i)
{
    const struct process *const p = model_process_at(r->o.model, i->process);
    if (p && is_ours(r, p->source) && is_there(i, r->o.at_ns))
        put_image(r, p, i);
}

/* A fork that has not called exec has the images that its parent had when it was born. */
static void list_inherited(struct model_rundown *r, const struct process *p)
{
    enum { ANCESTORS = 16 };
    const struct model *const m = r->o.model;
    const struct process *heir = p;
    int64_t ns = r->o.at_ns;
    for (unsigned i = 0; i < ANCESTORS && heir && heir->forked; i++) {
        if (heir->exec_ns && ns >= heir->exec_ns)
            return;
        uint32_t count;
        const uint32_t *const numbers = model_images(m, heir->forked, &count);
        ns = heir->start_ns;
        for (uint32_t n = 0; n < count; n++) {
            const struct image *const image = generation_at(&m->images, numbers[n]);
            if (image && is_there(image, ns))
                put_image(r, p, image);
        }
        heir = model_process_at(m, heir->forked);
    }
}

static void list_process(struct model_rundown *r, const struct process *p)
{
    if (!was_process_alive(r, p) || (!p->name && !p->command))
        return;
    struct payload_writer *const payload_writer = rundown_begin(
        r, p->source, r->o.is_end ? HOOK_PROCESS_DCEND : HOOK_PROCESS_DCSTART, PROCESS_VERSION);
    put_u64(payload_writer, p->key);
    put_u32(payload_writer, p->pid);
    put_u32(payload_writer, p->has_parent ? p->parent_pid : (uint32_t)NO_PARENT);
    put_u32(payload_writer, p->has_session ? p->session : (uint32_t)NO_SESSION);
    put_u32(payload_writer, STATUS_PENDING);
    put_u64(payload_writer, 0); /* page tables */
    put_u32(payload_writer, 0); /* flags */
    put_user(payload_writer, p->user);
    rundown_put_narrow(payload_writer, p->name);
    rundown_put_wide(payload_writer, p->command);
    put_u16(payload_writer, 0); /* package */
    put_u16(payload_writer, 0); /* application */
    rundown_end(r);
    r->figures.processes++;
    list_start(r, p);
    list_owner(r, p);
    list_memory(r, p);
    list_inherited(r, p);
}

/* Only waits in a call that the Linux collector named: the event has no field for Windows' reasons.
 */
static void list_wait(struct model_rundown *r, const struct process *p, const struct thread *t)
{
    const struct wait_now w = model_wait_at(r->o.model, t, r->o.at_ns);
    const char *const call = wait_call_name(t->wait_call);
    if (r->o.is_end || w.state != WAIT_BLOCKED || !call)
        return;
    struct payload_writer *const payload_writer =
        rundown_begin_tracetop(r, t->source, "Wait", "pid:u32,tid:u32,call:text,since:u64");
    put_u32(payload_writer, p->pid);
    put_u32(payload_writer, t->tid);
    rundown_put_narrow(payload_writer, call);
    put_u64(payload_writer, w.is_longer ? 0 : (uint64_t)(r->o.at_ns - w.ns));
    rundown_end_tracetop(r);
}

static void list_thread(struct model_rundown *r, const struct thread *t)
{
    const struct process *const p = model_process_at(r->o.model, t->process);
    if (!p || !is_ours(r, t->source) || !was_alive(r, t->first_ns, 0, t->end_ns))
        return;
    struct payload_writer *const payload_writer = rundown_begin(
        r, t->source, r->o.is_end ? HOOK_THREAD_DCEND : HOOK_THREAD_DCSTART, THREAD_VERSION);
    put_u32(payload_writer, p->pid);
    put_u32(payload_writer, t->tid);
    put_zeros(payload_writer, 5 * sizeof(uint64_t)); /* stacks, affinity: not known */
    put_u64(payload_writer, t->start);
    put_zeros(payload_writer, sizeof(uint64_t));     /* TEB: not known */
    put_zeros(payload_writer, 2 * sizeof(uint32_t)); /* service tag, priorities */
    rundown_put_wide(payload_writer, t->name);
    rundown_end(r);
    r->figures.threads++;
    list_wait(r, p, t);
}

/* A name for an address of files or registry keys. */
static void list_name(struct model_rundown *r, uint64_t key, const char *name)
{
    const source_id source = model_key_source(key);
    const enum key_namespace key_namespace = model_key_namespace(key);
    const uint64_t address = model_key_address(key);
    if (!name || !address || !is_ours(r, source) ||
        (key_namespace != NAMESPACE_FILE && key_namespace != NAMESPACE_KEY))
        return;
    if (key_namespace == NAMESPACE_FILE) {
        put_u64(rundown_begin(r, source, r->o.is_end ? HOOK_FILE_RUNDOWN : HOOK_FILE_NAME,
                              FILE_VERSION),
                address);
        r->figures.files++;
    } else {
        struct payload_writer *const payload_writer =
            rundown_begin(r, source, r->o.is_end ? HOOK_KEY_END : HOOK_KEY_BEGIN, KEY_VERSION);
        put_u64(payload_writer, 0); /* no duration */
        put_u32(payload_writer, 0); /* status */
        put_u32(payload_writer, 0); /* index */
        put_u64(payload_writer, address);
        r->figures.keys++;
    }
    rundown_put_wide(&r->made.payload_writer, name);
    rundown_end(r);
}

static void list_file(struct model_rundown *r, const struct file *f)
{
    if (f->since_ns <= r->o.at_ns && (!f->until_ns || f->until_ns > r->o.at_ns))
        list_name(r, f->key, f->name);
}

static void list_binding(struct model_rundown *r, const struct address_binding *b)
{
    const struct file *const f = model_file_at(r->o.model, b->file);
    if (f && b->since_ns <= r->o.at_ns && (!b->until_ns || b->until_ns > r->o.at_ns))
        list_name(r, b->key, f->name);
}

/* The first or the last half of an address, as a number; an IPv4 address is the first alone. */
static uint64_t address_half(const uint8_t *address, bool is_v6, unsigned half)
{
    const unsigned bytes = is_v6 ? 8 : half ? 0 : 4;
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | address[half * 8 + i];
    return number;
}

static void list_connection(struct model_rundown *r, const struct connection *c)
{
    static const char fields[] = "pid:u32,ipv6:u8,local_high:hex64,local:hex64,local_port:u16,"
                                 "remote_high:hex64,remote:hex64,remote_port:u16,opened:text,"
                                 "since:u64,handshake:u64,mss:u16";
    const struct process *const p = model_process_at(r->o.model, c->process);
    if (!p || !is_ours(r, p->source) || c->ends.is_udp || c->first_ns > r->o.at_ns ||
        (c->closed_ns && c->closed_ns <= r->o.at_ns))
        return;
    const bool is_v6 = c->ends.is_v6, was_seen = c->opened_ns && c->opened_ns <= r->o.at_ns;
    struct payload_writer *const payload_writer =
        rundown_begin_tracetop(r, p->source, "Connection", fields);
    put_u32(payload_writer, p->pid);
    put_u8(payload_writer, is_v6);
    put_u64(payload_writer, is_v6 ? address_half(c->ends.local, is_v6, 0) : 0);
    put_u64(payload_writer, address_half(c->ends.local, is_v6, is_v6));
    put_u16(payload_writer, c->ends.local_port);
    put_u64(payload_writer, is_v6 ? address_half(c->ends.remote, is_v6, 0) : 0);
    put_u64(payload_writer, address_half(c->ends.remote, is_v6, is_v6));
    put_u16(payload_writer, c->ends.remote_port);
    rundown_put_narrow(payload_writer, !was_seen ? "" : c->opened_by == OP_ACCEPT ? "in" : "out");
    put_u64(payload_writer, was_seen ? (uint64_t)(r->o.at_ns - c->opened_ns) : 0);
    put_u64(payload_writer, was_seen ? (uint64_t)c->handshake_ns : 0);
    put_u16(payload_writer, was_seen ? c->segment : 0);
    rundown_end_tracetop(r);
    r->figures.connections++;
}

/* In front of a trace, at its time: a record of long ago would stretch it. */
static void list_config(struct model_rundown *r)
{
    const struct model_rundown_config *const c = r->o.config;
    for (size_t at = 0; c && !r->o.is_end && at < c->used;) {
        struct record_head head;
        struct event e;
        const size_t from = r->used;
        memcpy(&head, c->bytes + at, sizeof head);
        head.ts = rundown_raw_time(r, head.source + r->o.collector * SOURCE_MAX);
        rundown_append(&r->bytes, &r->used, &r->room, &head, c->bytes + at + sizeof head);
        if (event_of_record((const struct record_head *)(void *)(r->bytes + from), &e) == EVENT_OK)
            record_set_time(r->bytes + from + sizeof head, &e, head.ts);
        r->figures.configuration++;
        at += ring_padded(head.bytes);
    }
}

/* At both ends: what goes on at the beginning has its end known later. */
static void list_recorded(struct model_rundown *r)
{
    const struct model *const m = r->o.model;
    const source_id source = (source_id)(r->o.collector * SOURCE_MAX);
    struct recorded_span spans[RECORDED_SPANS];
    for (unsigned class = 0; class < FACT_CLASSES && is_ours(r, source); class ++)
        for (unsigned i = 0, count = recorded_known(&m->recorded, class, spans); i < count; i++) {
            const struct recorded_span *const s = &spans[i];
            struct payload_writer *const payload_writer =
                rundown_begin_tracetop(r, source, "Recorded", "class:text,from:u64,until:u64");
            rundown_put_narrow(payload_writer, recorded_class_name(class));
            put_u64(payload_writer, (uint64_t)s->from);
            put_u64(payload_writer, s->to == RECORDED_ON ? 0 : (uint64_t)s->to);
            rundown_end_tracetop(r);
        }
}

/* Whom the session is about: nobody else's time is known. */
static void put_watched(struct model_rundown *r, source_id source, uint32_t pid, const char *name,
                        bool has_children)
{
    struct payload_writer *const payload_writer =
        rundown_begin_tracetop(r, source, "Watched", "pid:u32,name:text,children:u32");
    put_u32(payload_writer, pid);
    rundown_put_narrow(payload_writer, name);
    put_u32(payload_writer, has_children);
    rundown_end_tracetop(r);
}

static void list_watched(struct model_rundown *r)
{
    const source_id source = (source_id)(r->o.collector * SOURCE_MAX);
    const struct watched *const w = r->o.model->sources[source].watched;
    if (!w || !is_ours(r, source))
        return;
    for (size_t i = 0; i < w->count; i++)
        put_watched(r, source, w->pids[i], "", w->has_children);
    if (w->name[0])
        put_watched(r, source, 0, w->name, w->has_children);
}

/* The machine's levels, as they were sampled last; not those of long after the rundown's time. */
static void list_gauges(struct model_rundown *r)
{
    static const int64_t AGE_NS = 15000000000;
    const struct gauge_samples *const s = &r->o.model->gauges;
    const source_id source = (source_id)(r->o.collector * SOURCE_MAX);
    char fields[GAUGE_FIELDS];
    double values[GAUGES];
    for (unsigned g = 0; g < GAUGES; g++)
        values[g] = gauge_is_level(g) && s->ns[g] - r->o.at_ns < AGE_NS
                        ? gauge_sample_at(s, g, r->o.at_ns)
                        : NAN;
    gauge_record_fields(values, fields);
    if (r->o.is_end || !fields[0] || !is_ours(r, source))
        return;
    gauge_record_put(rundown_begin_tracetop(r, source, "Gauges", fields), values);
    rundown_end_tracetop(r);
}

/* ---- slices ---------------------------------------------------------------------------------- */

struct model_rundown *model_rundown_new(const struct model_rundown_options *o)
{
    struct model_rundown *const r = mem_new(1, sizeof *r);
    r->o = *o;
    list_config(r);
    list_recorded(r);
    list_watched(r);
    list_gauges(r);
    r->step = STEP_PROCESSES;
    return r;
}

static const struct generation_table *table_of_kind(const struct model_rundown *r)
{
    const struct model *const m = r->o.model;
    switch (r->step) {
    case STEP_PROCESSES:
        return &m->processes;
    case STEP_THREADS:
        return &m->threads;
    case STEP_IMAGES:
        return &m->images;
    case STEP_FILES:
        return &m->files;
    case STEP_CONNECTIONS:
        return &m->connections;
    default:
        return &m->bindings;
    }
}

static void list_one(struct model_rundown *r, const void *thing)
{
    if (r->step == STEP_PROCESSES)
        list_process(r, thing);
    else if (r->step == STEP_THREADS)
        list_thread(r, thing);
    else if (r->step == STEP_IMAGES)
        list_image(r, thing);
    else if (r->step == STEP_FILES)
        list_file(r, thing);
    else if (r->step == STEP_CONNECTIONS)
        list_connection(r, thing);
    else
        list_binding(r, thing);
}

/* The next thing; false when the step has no more. Places are walked round from behind the newest
 * thing: so the older come first, whatever stayed while others came and went. */
static bool step_once(struct model_rundown *r)
{
    const struct generation_table *const s = table_of_kind(r);
    if (r->at == 0 && r->part == 0) {
        r->first = s->newest + 1;
        r->places = s->places;
    }
    if (r->at == r->places)
        return false;
    const uint32_t place = ((r->first + r->at) & (r->places - 1)) + r->part;
    const void *const thing = generation_place(s, place);
    r->part += r->places;
    if (r->part == s->places) {
        r->part = 0;
        r->at++;
    }
    if (thing)
        list_one(r, thing);
    return true;
}

bool model_rundown_work(struct model_rundown *r, int64_t deadline)
{
    while (r->step < STEPS) {
        for (unsigned i = 0; i < BETWEEN_LOOKS && r->step < STEPS; i++) {
            if (!step_once(r)) {
                r->step++;
                r->at = r->part = 0;
            }
        }
        if (os_now() >= deadline)
            break;
    }
    return r->step < STEPS;
}

const uint8_t *model_rundown_records(const struct model_rundown *r, size_t *bytes)
{
    *bytes = r->used;
    return r->bytes;
}

struct model_rundown_figures model_rundown_figures(const struct model_rundown *r)
{
    return r->figures;
}

void model_rundown_free(struct model_rundown *r)
{
    if (!r)
        return;
    free(r->bytes);
    free(r);
}
