/* The whole of a model: its stores, their bounds, what they take, their end. */
#include "src/base/mem.h"
#include "src/model/model.h"

#include <stddef.h>
#include <stdlib.h>

static bool process_may_go(const void *thing)
{
    return ((const struct process *)thing)->flags & LIFE_ENDED;
}

static bool thread_may_go(const void *thing)
{
    return ((const struct thread *)thing)->flags & LIFE_ENDED;
}

/* Those go that nobody has met for a whole round of the generation table: nothing says that Linux' addresses are
 * gone, which are of files, not of openings, and where most are such, the few that were deleted just
 * now would go at once, while rows still name them. A module stays while it is in somebody's memory. */
static bool file_may_go(const void *thing)
{
    struct file *const f = (struct file *)(uintptr_t)thing;
    const bool is_resting = !f->is_fresh;
    f->is_fresh = false;
    return !f->images && is_resting;
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

void model_init(struct model *m)
{
    model_init_for(m, 0);
}

void model_init_for(struct model *m, size_t facts)
{
    *m = (struct model){ 0 };
    generation_init(&m->processes, sizeof(struct process), model_places(facts, PROCESSES, 16),
                    process_may_go);
    generation_init(&m->threads, sizeof(struct thread), model_places(facts, THREADS, 8),
                    thread_may_go);
    generation_init(&m->files, sizeof(struct file), model_places(facts, FILES, 4), file_may_go);
    generation_init(&m->bindings, sizeof(struct address_binding), model_places(facts, BINDINGS, 16),
                    binding_may_go);
    generation_init(&m->connections, sizeof(struct connection),
                    model_places(facts, CONNECTIONS, 32), connection_may_go);
    generation_init(&m->images, sizeof(struct image), model_places(facts, IMAGES, 8), image_may_go);
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
    model_stacks_init(m, facts);
    m->disk_irps = mem_new(IRP_SLOTS, sizeof *m->disk_irps);
    m->file_irps = mem_new(IRP_SLOTS, sizeof *m->file_irps);
    model_kinds_init(m);
}

#define GENERATION_TABLE(of, member) {of, false, offsetof(struct model, member)}
#define MAP(of, member)   {of, true, offsetof(struct model, member)}

static const struct {
    uint8_t part; /* enum model_part */
    bool is_map;
    size_t at;
} stores[] = {
    GENERATION_TABLE(MODEL_PROCESSES, processes),
    GENERATION_TABLE(MODEL_THREADS, threads),
    GENERATION_TABLE(MODEL_FILES, files),
    GENERATION_TABLE(MODEL_FILES, bindings),
    GENERATION_TABLE(MODEL_CONNECTIONS, connections),
    GENERATION_TABLE(MODEL_MODULES, images),
    GENERATION_TABLE(MODEL_MODULES, builds),
    GENERATION_TABLE(MODEL_OTHER, routines),
    GENERATION_TABLE(MODEL_STACKS, stack_store.keys),
    GENERATION_TABLE(MODEL_STACKS, stack_store.stacks),
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

#undef GENERATION_TABLE
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
            sum += stores[i].is_map ? map_bytes(store) : generation_bytes(store);
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
        const struct process *const p = generation_place(&m->processes, i);
        if (p) {
            free(p->name);
            free(p->command);
            free(p->user);
            free(p->account);
            free(p->services);
        }
    }
    for (uint32_t i = 0; i < m->threads.places; i++) {
        const struct thread *const t = generation_place(&m->threads, i);
        if (t)
            free(t->name);
    }
    for (uint32_t i = 0; i < m->files.places; i++) {
        const struct file *const f = generation_place(&m->files, i);
        if (f)
            free(f->name);
    }
}

void model_fini(struct model *m)
{
    free_names(m);
    generation_fini(&m->processes);
    generation_fini(&m->threads);
    generation_fini(&m->files);
    generation_fini(&m->connections);
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
    generation_fini(&m->bindings);
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
