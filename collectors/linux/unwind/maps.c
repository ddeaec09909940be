#include "collectors/linux/unwind/maps.h"

#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/symbol/elf_file.h"
#include "src/symbol/symbol.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PROCESSES = 4096,
    MAPPINGS = 8192, /* executable ones of a process */
    FEW_MODULES = 1 << 10, /* room for them doubles where most are in use … */
    MODULES = 1 << 14,     /* … up to so many */
};

struct place {
    uint64_t base, size, offset;
    uint32_t module; /* 0: code of no file */
};

struct process {
    uint32_t pid; /* 0: free */
    uint64_t used;
    bool is_refused;      /* /proc cannot be read */
    struct place *places; /* by base; they do not overlap */
    uint32_t count, room;
};

struct module {
    uint64_t name; /* its key in `by_name` */
    bool is_used;  /* while modules are let go */
    struct symbol_image image; /* how to find it; its path is ours */
    bool is_opened;
    struct elf_file *file;      /* keeps its segments */
    struct unwind_table *table; /* NULL: none */
    int64_t met;                /* when its table was last used */
    int64_t again;              /* when it may be read again; 0: at any time */
};

struct unwind_maps {
    struct proc proc;
    struct map pids; /* → index + 1 */
    struct process processes[PROCESSES];
    struct process *chosen;
    uint64_t clock;
    int64_t now;
    struct map by_name; /* hash of what a module is → index + 1 */
    struct module *modules;
    uint32_t module_count, module_room;
    uint32_t next_module; /* none before this one is free */
    uint32_t refused;     /* requests since the last search, when all were in use */
    size_t table_bytes, tables_most;
};

/* ---- modules ------------------------------------------------------------------------------- */

static void close_table(struct unwind_maps *all, struct module *m)
{
    if (m->table)
        all->table_bytes -= unwind_table_bytes(m->table);
    elf_file_close(m->file);
    unwind_table_free(m->table);
    m->file = NULL;
    m->table = NULL;
}

static void close_module(struct unwind_maps *all, struct module *m)
{
    close_table(all, m);
    m->is_opened = false;
}

/* The least recently used table of those that rest; NULL where none does. */
static struct module *resting_table(const struct unwind_maps *all)
{
    static const int64_t REST_NS = 2000000000;
    struct module *oldest = NULL;
    for (struct module *m = all->modules; m < all->modules + all->module_count; m++)
        if (m->table && all->now - m->met > REST_NS && (!oldest || m->met < oldest->met))
            oldest = m;
    return oldest;
}

static void stay_within_bytes(struct unwind_maps *all, struct module *newest)
{
    static const int64_t AGAIN_NS = 5000000000;
    const bool is_too_large = unwind_table_bytes(newest->table) > all->tables_most;
    struct module *oldest;
    while (!is_too_large && all->table_bytes > all->tables_most &&
           (oldest = resting_table(all)) != NULL)
        close_module(all, oldest);
    if (all->table_bytes <= all->tables_most)
        return;
    close_module(all, newest);
    newest->again = is_too_large ? INT64_MAX : all->now + AGAIN_NS;
}

static struct elf_file *open_file(const struct module *m)
{
    if (strcmp(m->image.path, "[vdso]") == 0)
        return elf_file_of_vdso(m->image.size, NULL);
    const int fd = elf_file_find(&m->image, NULL);
    return fd < 0 ? NULL : elf_file_open(fd, m->image.path, NULL);
}

static void open_module(struct unwind_maps *all, struct module *m)
{
    uint64_t address;
    size_t bytes;
    m->is_opened = true;
    m->met = all->now;
    m->file = open_file(m);
    uint8_t *const frames = m->file ? elf_file_unwind(m->file, &bytes, &address) : NULL;
    m->table = frames ? unwind_table_new(frames, bytes, address) : NULL;
    if (m->file)
        elf_file_let_go(m->file);
    if (!m->table)
        return;
    all->table_bytes += unwind_table_bytes(m->table);
    stay_within_bytes(all, m);
}

/* Code that some file holds, or the kernel. */
static bool is_of_file(const struct unwind_mapping *n)
{
    static const char vdso[] = "[vdso]";
    return n->path_bytes && (n->path[0] == '/' || (n->path_bytes == sizeof vdso - 1 &&
                                                   memcmp(n->path, vdso, n->path_bytes) == 0));
}

static void let_module_go(struct unwind_maps *m, struct module *module)
{
    close_module(m, module);
    map_remove(&m->by_name, module->name);
    free((char *)(uintptr_t)module->image.path);
    *module = (struct module){0};
}

/* Those that no known process has in its memory go. Returns how many remain. */
static uint32_t let_modules_go(struct unwind_maps *m)
{
    uint32_t remain = 0;
    for (uint32_t i = 0; i < m->module_count; i++)
        m->modules[i].is_used = false;
    for (unsigned i = 0; i < PROCESSES; i++)
        for (uint32_t k = 0; k < m->processes[i].count; k++)
            if (m->processes[i].places[k].module)
                m->modules[m->processes[i].places[k].module - 1].is_used = true;
    for (uint32_t i = 0; i < m->module_count; i++)
        if (m->modules[i].image.path && !m->modules[i].is_used)
            let_module_go(m, &m->modules[i]);
        else
            remain += m->modules[i].image.path != NULL;
    m->next_module = 0;
    m->refused = 0;
    return remain;
}

/* Makes room where every place is taken: by modules that are in no process any more, then by twice
 * as many places. False where MODULES are in use; then only every PATIENCE-th call looks again. */
static bool make_room(struct unwind_maps *m)
{
    enum { PATIENCE = 1024 };
    if (m->module_room == MODULES && m->refused++ % PATIENCE)
        return false;
    const uint32_t remain = let_modules_go(m);
    if (remain > m->module_room / 2 || !m->module_room) {
        const uint32_t wanted = m->module_room ? 2 * m->module_room : FEW_MODULES;
        m->module_room = wanted < MODULES ? wanted : MODULES;
        m->modules = mem_grow(m->modules, m->module_room, sizeof *m->modules);
    }
    m->refused = remain == MODULES;
    return remain < m->module_room;
}

/* The index + 1 of a place for a module; 0 where processes use all. */
static uint32_t free_module(struct unwind_maps *m)
{
    while (m->next_module < m->module_count && m->modules[m->next_module].image.path)
        m->next_module++;
    if (m->next_module == m->module_room)
        return make_room(m) ? free_module(m) : 0;
    if (m->next_module == m->module_count)
        m->modules[m->module_count++] = (struct module){0};
    return ++m->next_module;
}

static uint32_t module_of(struct unwind_maps *m, const struct unwind_mapping *n)
{
    if (!is_of_file(n))
        return 0;
    const uint64_t file[] = {n->dev, n->inode};
    const uint64_t name =
        hash_bytes(hash_bytes(hash_bytes(1, file, sizeof file), n->build, n->build_bytes), n->path,
                   n->path_bytes);
    const uint32_t known = map_get(&m->by_name, name);
    const uint32_t number = known ? known : free_module(m);
    if (known || !number)
        return known;
    char *const path = mem_new(n->path_bytes + 1, 1);
    memcpy(path, n->path, n->path_bytes);
    struct module *const new = &m->modules[number - 1];
    *new = (struct module){.name = name,
                           .image = {.system = SYMBOL_OF_ELF,
                                     .is_live = true,
                                     .path = path,
                                     .pid = n->pid,
                                     .base = n->base,
                                     .size = n->size,
                                     .file_offset = n->offset,
                                     .dev = n->dev,
                                     .inode = n->inode}};
    if (n->build && n->build_bytes <= SYMBOL_BUILD_MAX) {
        memcpy(new->image.build, n->build, n->build_bytes);
        new->image.build_bytes = (uint8_t)n->build_bytes;
    }
    map_put(&m->by_name, name, number);
    return number;
}

/* ---- processes ----------------------------------------------------------------------------- */

static struct process *known_process(struct unwind_maps *m, uint32_t pid)
{
    const uint32_t index = map_get(&m->pids, pid);
    return index ? &m->processes[index - 1] : NULL;
}

static void forget(struct unwind_maps *m, struct process *p)
{
    if (p->pid)
        map_remove(&m->pids, p->pid);
    free(p->places);
    *p = (struct process){0};
    if (m->chosen == p)
        m->chosen = NULL;
}

static struct process *new_process(struct unwind_maps *m, uint32_t pid)
{
    struct process *oldest = &m->processes[0];
    for (unsigned i = 0; i < PROCESSES && oldest->pid; i++)
        if (m->processes[i].used < oldest->used)
            oldest = &m->processes[i];
    forget(m, oldest);
    oldest->pid = pid;
    oldest->used = ++m->clock;
    map_put(&m->pids, pid, (uint32_t)(oldest - m->processes) + 1);
    return oldest;
}

/* The first that ends behind the address. */
static uint32_t place_behind(const struct process *p, uint64_t address)
{
    uint32_t low = 0, high = p->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (p->places[middle].base + p->places[middle].size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What it overlaps is gone. */
static void put_place(struct process *p, const struct place *new)
{
    const uint32_t first = place_behind(p, new->base);
    uint32_t end = first;
    while (end < p->count && p->places[end].base < new->base + new->size)
        end++;
    if (end == first && p->count == MAPPINGS)
        return;
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 16;
        p->places = mem_grow(p->places, p->room, sizeof *p->places);
    }
    memmove(p->places + first + 1, p->places + end, (p->count - end) * sizeof *p->places);
    p->places[first] = *new;
    p->count = p->count - (end - first) + 1;
}

static void put_mapping(struct unwind_maps *m, struct process *p, const struct unwind_mapping *n)
{
    if (!n->size || n->size > UINT64_MAX - n->base)
        return;
    const struct place new = {n->base, n->size, n->offset, module_of(m, n)};
    put_place(p, &new);
}

void unwind_maps_add(struct unwind_maps *m, const struct unwind_mapping *n)
{
    struct process *const p = known_process(m, n->pid);
    if (p)
        put_mapping(m, p, n);
}

void unwind_maps_exec(struct unwind_maps *m, uint32_t pid)
{
    struct process *const p = known_process(m, pid);
    if (p)
        forget(m, p);
    new_process(m, pid);
}

void unwind_maps_exit(struct unwind_maps *m, uint32_t pid)
{
    struct process *const p = known_process(m, pid);
    if (p)
        forget(m, p);
}

struct reading {
    struct unwind_maps *maps;
    struct process *process;
};

static bool take_mapping(void *to, const struct proc_mapping *m)
{
    const struct reading *const r = to;
    const struct unwind_mapping n = {.pid = r->process->pid,
                                     .base = m->base,
                                     .size = m->size,
                                     .offset = m->offset,
                                     .dev = m->dev,
                                     .inode = m->inode,
                                     .path = m->path,
                                     .path_bytes = m->path_bytes};
    put_mapping(r->maps, r->process, &n);
    return true;
}

bool unwind_maps_choose(struct unwind_maps *m, uint32_t pid, int64_t now)
{
    m->now = now;
    struct process *p = known_process(m, pid);
    if (!p) {
        p = new_process(m, pid);
        struct reading r = {m, p};
        p->is_refused = !proc_mappings(&m->proc, pid, take_mapping, &r);
    }
    p->used = ++m->clock;
    m->chosen = p;
    return p->count != 0;
}

enum unwind_found unwind_maps_find(void *arg, uint64_t address, struct unwind_rule *out)
{
    struct unwind_maps *const m = arg;
    const struct process *const p = m->chosen;
    const uint32_t at = p ? place_behind(p, address) : 0;
    if (!p || at == p->count || address < p->places[at].base)
        return UNWIND_NOWHERE;
    const struct place *const place = &p->places[at];
    struct module *const module = place->module ? &m->modules[place->module - 1] : NULL;
    if (module && !module->is_opened && m->now >= module->again)
        open_module(m, module);
    uint64_t in_file;
    if (module)
        module->met = m->now;
    if (!module || !module->table ||
        !elf_file_address(module->file, address - place->base + place->offset, &in_file) ||
        !unwind_table_find(module->table, in_file, out))
        return UNWIND_BARE;
    return UNWIND_RULE;
}

/* ---- beginning and end --------------------------------------------------------------------- */

struct unwind_maps *unwind_maps_new(size_t tables_most)
{
    struct unwind_maps *const m = mem_new(1, sizeof *m);
    m->tables_most = tables_most;
    if (!proc_open(&m->proc, "/", NULL)) {
        free(m);
        return NULL;
    }
    map_init(&m->pids);
    map_init(&m->by_name);
    return m;
}

void unwind_maps_free(struct unwind_maps *m)
{
    if (!m)
        return;
    for (unsigned i = 0; i < PROCESSES; i++)
        free(m->processes[i].places);
    for (uint32_t i = 0; i < m->module_count; i++) {
        close_module(m, &m->modules[i]);
        free((char *)(uintptr_t)m->modules[i].image.path);
    }
    free(m->modules);
    map_fini(&m->pids);
    map_fini(&m->by_name);
    proc_close(&m->proc);
    free(m);
}

size_t unwind_maps_bytes(const struct unwind_maps *m)
{
    size_t sum = sizeof *m + m->table_bytes + m->module_room * sizeof *m->modules +
                 map_bytes(&m->pids) + map_bytes(&m->by_name);
    for (unsigned i = 0; i < PROCESSES; i++)
        sum += m->processes[i].room * sizeof *m->processes[i].places;
    return sum;
}
