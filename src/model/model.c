/* The whole of a model: its stores, their bounds, what they take, their end. */
#include "src/base/mem.h"
#include "src/model/model.h"
#include "src/model/user_names.h"

#include <stddef.h>
#include <stdlib.h>

/* What is over is wanted while facts of its time are kept: its name is asked for with them. */
static enum generation_use use_when_over(const struct model *m, bool is_over, int64_t end)
{
    if (!is_over)
        return GENERATION_IN_USE;
    return model_is_kept(m, end) ? GENERATION_WANTED : GENERATION_UNUSED;
}

static enum generation_use use_of_process(const void *thing, const void *m)
{
    const struct process *const p = thing;
    return use_when_over(m, p->flags & LIFETIME_ENDED, p->end_ns);
}

static enum generation_use use_of_thread(const void *thing, const void *m)
{
    const struct thread *const t = thing;
    return use_when_over(m, t->flags & LIFETIME_ENDED, t->end_ns);
}

/* Those go that no event has named while half a table of others came: nothing says that Linux'
 * addresses are gone, which are of files, not of openings, and where most are such, the few that
 * were deleted just now would go at once, while rows still name them. Their names come again. Those
 * of Windows come once, and it says what was closed: what was not waits as long as there is room. A
 * module stays while it is in somebody's memory. */
static enum generation_use use_of_file(const void *thing, const void *owner)
{
    const struct file *const f = thing;
    const struct model *const m = owner;
    if (f->images || !generation_is_resting(&m->files, f->met))
        return GENERATION_IN_USE;
    if (!(f->flags & LIFETIME_BOUND))
        return use_when_over(m, true, f->until_ns);
    return m->sources[f->source].is_linux ? GENERATION_UNUSED : GENERATION_WANTED;
}

static enum generation_use use_of_address_binding(const void *thing, const void *m)
{
    (void)m;
    return ((const struct address_binding *)thing)->until_ns ? GENERATION_UNUSED : GENERATION_IN_USE;
}

/* Nothing says that UDP is over: likewise. */
static enum generation_use use_of_connection(const void *thing, const void *owner)
{
    const struct connection *const c = thing;
    const struct model *const m = owner;
    if (c->ends.is_udp && !c->closed_ns && generation_is_resting(&m->connections, c->met))
        return GENERATION_UNUSED;
    return use_when_over(m, c->closed_ns != 0, c->closed_ns);
}

static enum generation_use use_of_image(const void *thing, const void *m)
{
    const struct image *const i = thing;
    if (i->until_ns == INT64_MAX) /* of a process that ended: nothing says when the image went */
        return i->flags & LIFETIME_ENDED ? GENERATION_UNUSED : GENERATION_IN_USE;
    return use_when_over(m, i->flags & LIFETIME_ENDED, i->until_ns);
}

/* Bounds on what is remembered: lifetimes, not ids alive at once. 2^17 processes of
 * about 170 bytes, 2^19 threads of 80, 2^20 files of 64 and their names,
 * 2^17 connections of 110, 2^18 images of 80 and bindings of 40. */
enum { IMAGES = 1 << 18, BINDINGS = 1 << 18 };
enum { PROCESSES = 1 << 17, THREADS = 1 << 19, FILES = 1 << 20, CONNECTIONS = 1 << 17 };

/* Names are of what the tables hold: some bytes for each fact that may be about them. */
static size_t names_most(size_t facts)
{
    enum { LEAST = 16 << 20, BYTES_PER_FACT = 64 };
    const size_t bytes = facts * BYTES_PER_FACT;
    return !facts || bytes > NAMES_BYTES ? NAMES_BYTES : bytes > LEAST ? bytes : LEAST;
}

/* They begin with room for what the facts can be about, and double where all of it is in use. Of
 * bindings that is not known: a process that ends closes all that it had, and nobody says so. */
#define GROWING(member, type, most, facts_each)                                                    \
    {offsetof(struct model, member), sizeof(struct type), most, facts_each, use_of_##type, true}
#define FIXED(member, type, most, facts_each)                                                      \
    {offsetof(struct model, member), sizeof(struct type), most, facts_each, use_of_##type, false}

static const struct {
    size_t at, size;
    uint32_t most;
    unsigned facts_each;
    enum generation_use (*use)(const void *thing, const void *m);
    bool grows;
} things[] = {
    GROWING(processes, process, PROCESSES, 32),
    GROWING(threads, thread, THREADS, 16),
    GROWING(files, file, FILES, 16),
    FIXED(bindings, address_binding, BINDINGS, 16),
    GROWING(connections, connection, CONNECTIONS, 32),
    GROWING(images, image, IMAGES, 16),
};

#undef GROWING
#undef FIXED

void model_init(struct model *m)
{
    model_init_for(m, 0);
}

void model_init_for(struct model *m, size_t facts)
{
    *m = (struct model){ .name_most = names_most(facts) };
    for (size_t i = 0; i < sizeof things / sizeof *things; i++) {
        struct generation_table *const table = (struct generation_table *)((char *)m + things[i].at);
        generation_init(table, things[i].size,
                        model_places(facts, things[i].most, things[i].facts_each), things[i].use);
        if (things[i].grows)
            generation_may_grow(table, things[i].most);
    }
    model_builds_init(m);
    model_routines_init(m);
    model_hosts_init(m);
    model_net_handles_init(m);
    map_init(&m->image_spaces);
    map_init(&m->connection_now);
    map_init(&m->remote_now);
    map_init(&m->peer_now);
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
    GENERATION_TABLE(MODEL_OTHER, hosts),
    GENERATION_TABLE(MODEL_OTHER, net_handles),
    GENERATION_TABLE(MODEL_STACKS, stack_store.keys),
    GENERATION_TABLE(MODEL_STACKS, stack_store.stacks),
    MAP(MODEL_PROCESSES, process_now),
    MAP(MODEL_THREADS, thread_now),
    MAP(MODEL_FILES, file_now),
    MAP(MODEL_FILES, file_named),
    MAP(MODEL_FILES, binding_now),
    MAP(MODEL_CONNECTIONS, connection_now),
    MAP(MODEL_CONNECTIONS, peer_now),
    MAP(MODEL_MODULES, image_spaces),
    MAP(MODEL_OTHER, routine_now),
    MAP(MODEL_OTHER, host_now),
    MAP(MODEL_OTHER, net_handle_now),
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
               hash_index_bytes(&s->call_index) +
               STACK_SLOTS * sizeof *s->slots + STACK_MATCHES * sizeof *s->matches +
               s->update_places * sizeof *s->updates + stack_memo_bytes(s->memo);
    case MODEL_OTHER:
        return (size_t)m->kind_room * sizeof *m->kinds + schemas_bytes(m->schemas) +
               model_runtimes_bytes(m) + user_names_bytes(m) +
               IRP_SLOTS * (sizeof *m->disk_irps + sizeof *m->file_irps);
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

static size_t most_beside_stores(const struct model *m, enum model_part part)
{
    const struct stack_store *const s = &m->stack_store;
    const size_t now = beside_stores(m, part);
    if (part == MODEL_NAMES)
        return m->name_most + m->name_most / 4;
    if (part != MODEL_STACKS || s->call_room >= s->call_most)
        return now;
    return now + (s->call_most - s->call_room) * (sizeof *s->calls + 2 * sizeof(uint32_t));
}

/* The places of a part's largest table. */
static uint32_t places_of(const struct model *m, enum model_part part)
{
    uint32_t most = 0;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        const struct generation_table *const s = (const void *)((const char *)m + stores[i].at);
        if (stores[i].part == part && !stores[i].is_map && s->places > most)
            most = s->places;
    }
    return most;
}

/* Maps have a key for each thing at most, and are a quarter to a half full. */
static size_t map_bytes_most(const struct map *map, uint32_t places)
{
    const size_t full = (size_t)places * 4 * sizeof *map->entries, now = map_bytes(map);
    return now > full ? now : full;
}

size_t model_part_most(const struct model *m, enum model_part part)
{
    const uint32_t places = places_of(m, part);
    size_t sum = most_beside_stores(m, part);
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        const void *const store = (const char *)m + stores[i].at;
        if (stores[i].part == part)
            sum += stores[i].is_map ? map_bytes_most(store, places) : generation_bytes_most(store);
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
    for (uint32_t i = 0; i < m->processes.end; i++) {
        const struct process *const p = generation_place(&m->processes, i);
        if (p) {
            free(p->name);
            free(p->command);
            free(p->user);
            free(p->account);
            free(p->services);
            free(p->memory);
        }
    }
    for (uint32_t i = 0; i < m->threads.end; i++) {
        const struct thread *const t = generation_place(&m->threads, i);
        if (t)
            free(t->name);
    }
    for (uint32_t i = 0; i < m->files.end; i++) {
        const struct file *const f = generation_place(&m->files, i);
        if (f)
            free(f->name);
    }
    for (uint32_t i = 0; i < m->connections.end; i++) {
        const struct connection *const c = generation_place(&m->connections, i);
        if (c)
            free(c->url);
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
    model_runtimes_fini(m);
    model_routines_fini(m);
    model_hosts_fini(m);
    model_counters_fini(m);
    model_net_handles_fini(m);
    map_fini(&m->peer_now);
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
        model_watched_free(m->sources[i].watched);
    }
    free(m->sources);
    model_volumes_fini(m);
    user_names_fini(m);
    model_stacks_fini(m);
    free(m->disk_irps);
    free(m->file_irps);
    model_kinds_fini(m);
}
