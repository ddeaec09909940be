/* Lifetimes of processes and threads. Ids come back: one opens a lifetime, its end
 * closes it, and the next start of the same id is somebody else. */
#include "src/mem.h"
#include "src/model.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A mention may come slightly before the Start event of the same process (its
 * creator already maps memory for it); older mentions belong to a predecessor
 * whose end nobody recorded. */
static const int64_t START_SLACK_NS = 1000000000;

void model_unname(struct model *m, char **text)
{
    if (*text)
        m->name_bytes -= strlen(*text) + 1;
    free(*text);
    *text = NULL;
}

bool model_rename(struct model *m, char **text, const char *now)
{
    if (!now || !*now || (*text && strcmp(*text, now) == 0))
        return false;
    const size_t bytes = strlen(now) + 1;
    if (bytes > NAMES_BYTES - m->name_bytes) {
        m->tally.names_dropped++;
        return false;
    }
    model_unname(m, text);
    *text = mem_copy(now, bytes);
    m->name_bytes += bytes;
    return true;
}

/* ---- processes ------------------------------------------------------------------ */

bool model_is_kept(const struct model *m, int64_t time)
{
    const struct facts *const f = m->facts;
    return f && f->end > f->first && time >= facts_at(f, f->first)->time;
}

static void forget_process(void *thing, void *arg)
{
    struct process *p = thing;
    struct model *m = arg;
    m->tally.early_processes += p->flags & LIFE_ENDED && model_is_kept(m, p->end_ns);
    model_images_end(m, p->number); /* nobody else will */
    const uint64_t key = model_id_key(p->source, p->pid);
    if (map_get(&m->process_now, key) == p->number)
        map_remove(&m->process_now, key);
    model_unname(m, &p->name);
    model_unname(m, &p->command);
    model_unname(m, &p->user);
    model_unname(m, &p->account);
    model_unname(m, &p->services);
}

static struct process *process_now(struct model *m, source_id source, uint32_t pid)
{
    const uint32_t number = map_get(&m->process_now, model_id_key(source, pid));
    return number ? shelf_at(&m->processes, number) : NULL;
}

static struct process *process_add(struct model *m, source_id source, uint32_t pid, int64_t time)
{
    struct process *p = shelf_add(&m->processes, forget_process, m);
    p->source = source;
    p->pid = pid;
    p->first_ns = time;
    if (pid == 0)
        model_rename(m, &p->name, "(idle)");
    map_put(&m->process_now, model_id_key(source, pid), p->number);
    return p;
}

uint32_t model_process_open(struct model *m, source_id source, uint32_t pid, int64_t time)
{
    return pid == EVENT_NO_ID ? 0 : process_add(m, source, pid, time)->number;
}

static bool names_differ(const char *a, const char *b)
{
    return a && b && *a && *b && strcmp(a, b) != 0;
}

static void process_close(struct model *m, struct process *p, int64_t time)
{
    if (p->flags & LIFE_ENDED)
        return;
    p->flags |= LIFE_ENDED;
    p->end_ns = time;
    model_images_end(m, p->number);
}

void model_process_called(struct model *m, struct process *p, int64_t time, const char *name)
{
    if (p->pid != 0 && model_rename(m, &p->name, name) && p->first_ns != time)
        m->late_names++;
}

void model_process_parent(struct process *p, uint32_t pid)
{
    p->has_parent = pid != EVENT_NO_ID; /* so rundowns write what they do not know */
    p->parent_pid = p->has_parent ? pid : 0;
}

void model_process_forked(struct model *m, struct process *p)
{
    const struct process *const parent = process_now(m, p->source, p->parent_pid);
    if (!p->has_parent || !parent || parent == p || !parent->user ||
        (p->user && strcmp(p->user, parent->user) != 0))
        return;
    model_rename(m, &p->user, parent->user);
    if (parent->account)
        model_rename(m, &p->account, parent->account);
}

struct process *model_process_start(struct model *m, source_id source, uint32_t pid, int64_t time,
                                    const char *name)
{
    struct process *p = process_now(m, source, pid);
    const bool is_same = p && !p->name && !(p->flags & (LIFE_ENDED | LIFE_STARTED))
                         && time - p->first_ns <= START_SLACK_NS;
    if (p && !is_same)
        process_close(m, p, time);
    if (!is_same)
        p = process_add(m, source, pid, time);
    p->flags |= LIFE_STARTED;
    p->start_ns = time;
    model_process_called(m, p, time, name);
    return p;
}

struct process *model_process_seen(struct model *m, source_id source, uint32_t pid, int64_t time,
                                   const char *name, uint64_t key)
{
    struct process *p = process_now(m, source, pid);
    /* Another name or another kernel object: an end and a start went unrecorded. */
    const bool is_named_otherwise = p && !m->sources[source].is_linux
                                    && names_differ(p->name, name);
    const bool is_other = p && pid != 0
                          && (is_named_otherwise
                              || (p->has_key && key && p->key && p->key != key));
    if (p && is_other)
        process_close(m, p, time);
    if (!p || is_other)
        p = process_add(m, source, pid, time);
    model_process_called(m, p, time, name);
    return p;
}

struct process *model_process_end(struct model *m, source_id source, uint32_t pid, int64_t time)
{
    struct process *p = process_now(m, source, pid);
    if (!p)
        p = process_add(m, source, pid, time);
    process_close(m, p, time);
    return p;
}

/* ---- threads -------------------------------------------------------------------- */

static void count_thread(struct model *m, struct thread *t, bool is_alive)
{
    struct process *p = shelf_at(&m->processes, t->process);
    if (p && is_alive && !t->is_counted)
        p->threads++;
    if (p && !is_alive && t->is_counted && p->threads)
        p->threads--;
    t->is_counted = is_alive && p;
}

static void forget_thread(void *thing, void *arg)
{
    struct thread *t = thing;
    struct model *m = arg;
    const uint64_t key = model_id_key(t->source, t->tid);
    m->tally.early_threads += t->flags & LIFE_ENDED && model_is_kept(m, t->end_ns);
    if (map_get(&m->thread_now, key) == t->number)
        map_remove(&m->thread_now, key);
    model_unname(m, &t->name);
    count_thread(m, t, false);
}

static struct thread *thread_now(struct model *m, source_id source, uint32_t tid)
{
    const uint32_t number = map_get(&m->thread_now, model_id_key(source, tid));
    return number ? shelf_at(&m->threads, number) : NULL;
}

static struct thread *thread_add(struct model *m, source_id source, uint32_t tid, int64_t time)
{
    struct thread *t = shelf_add(&m->threads, forget_thread, m);
    t->source = source;
    t->tid = tid;
    t->first_ns = time;
    map_put(&m->thread_now, model_id_key(source, tid), t->number);
    if (tid == 0) /* every processor's idle thread */
        t->process = model_process(m, source, 0, time);
    return t;
}

uint32_t model_thread_open(struct model *m, source_id source, uint32_t tid, int64_t time)
{
    return tid == EVENT_NO_ID ? 0 : thread_add(m, source, tid, time)->number;
}

void model_thread_belongs(struct model *m, struct thread *t, uint32_t process)
{
    if (t->process || !process)
        return;
    t->process = process;
    m->attributions++;
    if (!(t->flags & LIFE_ENDED))
        count_thread(m, t, true);
}

static void thread_close(struct model *m, struct thread *t, int64_t time)
{
    t->flags |= LIFE_ENDED;
    t->end_ns = time;
    count_thread(m, t, false);
}

struct thread *model_thread_start(struct model *m, source_id source, uint32_t tid, uint32_t process,
                                  int64_t time)
{
    struct thread *t = thread_now(m, source, tid);
    const bool is_same = t && (tid == 0 || (!t->process && !(t->flags & LIFE_ENDED)
                                            && time - t->first_ns <= START_SLACK_NS));
    if (t && !is_same)
        thread_close(m, t, time);
    if (!is_same)
        t = thread_add(m, source, tid, time);
    t->flags |= LIFE_STARTED;
    model_thread_belongs(m, t, process);
    return t;
}

struct thread *model_thread_seen(struct model *m, source_id source, uint32_t tid, uint32_t process,
                                 int64_t time)
{
    struct thread *t = thread_now(m, source, tid);
    const bool is_other = t && tid != 0 && t->process && process && t->process != process;
    if (t && is_other)
        thread_close(m, t, time);
    if (!t || is_other)
        t = thread_add(m, source, tid, time);
    model_thread_belongs(m, t, process);
    return t;
}

struct thread *model_thread_end(struct model *m, source_id source, uint32_t tid, int64_t time)
{
    struct thread *t = thread_now(m, source, tid);
    if (!t)
        t = thread_add(m, source, tid, time);
    if (tid != 0)
        thread_close(m, t, time);
    return t;
}

/* ---- the shelves ------------------------------------------------------------------ */

static bool process_may_go(const void *thing)
{
    return ((const struct process *)thing)->flags & LIFE_ENDED;
}

static bool thread_may_go(const void *thing)
{
    return ((const struct thread *)thing)->flags & LIFE_ENDED;
}

/* Of addresses that nothing says are gone (Linux' are of files, not of openings), those go that
 * nobody has met for a whole round of the shelf; a module stays while it is in somebody's memory. */
static bool file_may_go(const void *thing)
{
    struct file *const f = (struct file *)(uintptr_t)thing;
    const bool is_resting = !f->is_fresh;
    f->is_fresh = false;
    return !f->images && (!(f->flags & LIFE_BOUND) || is_resting);
}

static bool binding_may_go(const void *thing)
{
    return ((const struct address_binding *)thing)->until_ns != 0;
}

/* Nothing says that UDP is over: those go that nobody has used for a whole round. */
static bool connection_may_go(const void *thing)
{
    struct connection *const c = (struct connection *)(uintptr_t)thing;
    const bool is_resting = !c->is_fresh;
    c->is_fresh = false;
    return c->closed_ns || (c->ends.is_udp && is_resting);
}

static bool image_may_go(const void *thing)
{
    return ((const struct image *)thing)->flags & LIFE_ENDED;
}

/* Bounds on what is remembered: lifetimes, not ids alive at once. 2^17 processes of
 * about 170 bytes, 2^19 threads of 80, 2^20 files of 64 and their names,
 * 2^17 connections of 110, 2^18 images of 80 and bindings of 40. */
enum { IMAGES = 1 << 18, BINDINGS = 1 << 18 };
enum { PROCESSES = 1 << 17, THREADS = 1 << 19, FILES = 1 << 20, CONNECTIONS = 1 << 17 };

/* A part of the most, where each thing has some facts that are about it. */
static uint32_t places_for(size_t facts, uint32_t most, unsigned facts_each)
{
    enum { LEAST = 8192 };
    while (facts && most > LEAST && most > facts / facts_each)
        most /= 2;
    return most;
}

void model_init(struct model *m)
{
    model_init_for(m, 0);
}

void model_init_for(struct model *m, size_t facts)
{
    *m = (struct model){ 0 };
    shelf_init(&m->processes, sizeof(struct process), places_for(facts, PROCESSES, 16),
               process_may_go);
    shelf_init(&m->threads, sizeof(struct thread), places_for(facts, THREADS, 8), thread_may_go);
    shelf_init(&m->files, sizeof(struct file), places_for(facts, FILES, 8), file_may_go);
    shelf_init(&m->bindings, sizeof(struct address_binding), places_for(facts, BINDINGS, 16),
               binding_may_go);
    shelf_init(&m->connections, sizeof(struct connection), places_for(facts, CONNECTIONS, 32),
               connection_may_go);
    shelf_init(&m->images, sizeof(struct image), places_for(facts, IMAGES, 8), image_may_go);
    model_builds_init(m);
    model_routines_init(m);
    map_init(&m->image_spaces);
    map_init(&m->connection_now);
    map_init(&m->remote_now);
    map_init(&m->process_now);
    map_init(&m->thread_now);
    map_init(&m->file_now);
    map_init(&m->binding_now);
    map_init(&m->file_named);
    model_stacks_init(m);
    m->disk_irps = mem_new(IRP_SLOTS, sizeof *m->disk_irps);
    m->file_irps = mem_new(IRP_SLOTS, sizeof *m->file_irps);
    model_kinds_init(m);
}

#define SHELF(of, member) {of, false, offsetof(struct model, member)}
#define MAP(of, member)   {of, true, offsetof(struct model, member)}

static const struct {
    uint8_t part; /* enum model_part */
    bool is_map;
    size_t at;
} stores[] = {
    SHELF(MODEL_PROCESSES, processes),
    SHELF(MODEL_THREADS, threads),
    SHELF(MODEL_FILES, files),
    SHELF(MODEL_FILES, bindings),
    SHELF(MODEL_CONNECTIONS, connections),
    SHELF(MODEL_MODULES, images),
    SHELF(MODEL_MODULES, builds),
    SHELF(MODEL_OTHER, routines),
    SHELF(MODEL_STACKS, stack_store.keys),
    SHELF(MODEL_STACKS, stack_store.stacks),
    MAP(MODEL_PROCESSES, process_now),
    MAP(MODEL_THREADS, thread_now),
    MAP(MODEL_FILES, file_now),
    MAP(MODEL_FILES, file_named),
    MAP(MODEL_FILES, binding_now),
    MAP(MODEL_CONNECTIONS, connection_now),
    MAP(MODEL_MODULES, image_spaces),
    MAP(MODEL_OTHER, routine_now),
    MAP(MODEL_STACKS, stack_store.key_now),
    MAP(MODEL_STACKS, stack_store.stack_now),
};

#undef SHELF
#undef MAP

/* What no store of the above holds. */
static size_t beside_stores(const struct model *m, enum model_part part)
{
    const struct stack_store *const s = &m->stack_store;
    switch (part) {
    case MODEL_NAMES:
        return m->name_bytes + m->name_bytes / 4; /* small pieces: their heads, too */
    case MODEL_MODULES:
        return (size_t)m->space_room * sizeof *m->spaces + model_methods_bytes(m);
    case MODEL_STACKS:
        return (size_t)s->call_room * sizeof *s->calls +
               ((size_t)s->call_mask + 1) * sizeof *s->call_slots;
    case MODEL_OTHER:
        return (size_t)m->kind_room * sizeof *m->kinds;
    default:
        return 0;
    }
}

size_t model_part_bytes(const struct model *m, enum model_part part)
{
    size_t sum = beside_stores(m, part);
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        const void *const store = (const char *)m + stores[i].at;
        if (stores[i].part == part)
            sum += stores[i].is_map ? map_bytes(store) : shelf_bytes(store);
    }
    return sum;
}

size_t model_bytes(const struct model *m)
{
    size_t sum = 0;
    for (unsigned part = 0; part < MODEL_PARTS; part++)
        sum += model_part_bytes(m, part);
    return sum;
}

void model_sources(struct model *m, uint32_t count)
{
    if (count <= m->source_count)
        return;
    m->sources = mem_grow(m->sources, count, sizeof *m->sources);
    for (uint32_t i = m->source_count; i < count; i++) {
        m->sources[i] = (struct model_source){
            .clock = trace_clock_make(CLOCK_QPC, 0, FILETIME_UNIX_EPOCH, 0),
            .sample_ns = 1000000,
        };
        map_init(&m->sources[i].disks);
    }
    m->source_count = count;
}

static void free_names(struct model *m)
{
    for (uint32_t i = 0; i < m->processes.places; i++) {
        const struct process *const p = shelf_place(&m->processes, i);
        if (p) {
            free(p->name);
            free(p->command);
            free(p->user);
            free(p->account);
            free(p->services);
        }
    }
    for (uint32_t i = 0; i < m->threads.places; i++) {
        const struct thread *const t = shelf_place(&m->threads, i);
        if (t)
            free(t->name);
    }
    for (uint32_t i = 0; i < m->files.places; i++) {
        const struct file *const f = shelf_place(&m->files, i);
        if (f)
            free(f->name);
    }
}

void model_fini(struct model *m)
{
    free_names(m);
    shelf_fini(&m->processes);
    shelf_fini(&m->threads);
    shelf_fini(&m->files);
    shelf_fini(&m->connections);
    model_images_fini(m);
    model_builds_fini(m);
    model_methods_fini(m);
    model_routines_fini(m);
    map_fini(&m->connection_now);
    map_fini(&m->remote_now);
    map_fini(&m->process_now);
    map_fini(&m->thread_now);
    map_fini(&m->file_now);
    map_fini(&m->binding_now);
    shelf_fini(&m->bindings);
    map_fini(&m->file_named);
    for (uint32_t i = 0; i < m->source_count; i++) {
        map_fini(&m->sources[i].disks);
        free(m->sources[i].processors);
        free(m->sources[i].disk_states);
    }
    free(m->sources);
    model_volumes_fini(m);
    model_stacks_fini(m);
    free(m->disk_irps);
    free(m->file_irps);
    model_kinds_fini(m);
}
