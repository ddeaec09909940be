/* Managed methods: the code that a runtime compiled or loaded in a process, from its own events:
 * one when a method is loaded, and one for each method when a recording begins or ends (rundown).
 *
 * Payload: u64 method, u64 module, u64 start, u32 size, u32 token, u32 flags, then three UTF-16
 * texts: class, name, signature. Of a module: u64 module, u64 assembly, u32 flags, u32 reserved,
 * then the paths of its IL and of its native file. */
#include "src/base/bytes.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Large servers have some hundred thousand. When the room is used up, processes that ended make
 * room; while all live, what is new stays without a name. */
enum {
    METHODS = 1 << 19,
    MODULES = 1 << 14 /* of a process */,
    NAME_BYTES = 1024,
    PATH_BYTES = 2048,
    HOSTS = 1 << 12
};

struct method {
    uint64_t start;
    uint32_t size;
    uint32_t name;   /* of the store's names */
    uint64_t module; /* the runtime's id of it */
    int64_t from_ns, until_ns;
};

/* The methods of one process, in order of their starts once somebody asks. */
struct host {
    uint32_t process;
    struct method *methods;
    uint32_t count, room;
    uint64_t *modules; /* keys in module_of */
    uint32_t module_count, module_room;
    bool is_sorted;
};

struct methods {
    struct host *hosts;
    uint32_t host_count, host_room;
    struct map host_of;   /* process → index + 1 */
    struct map module_of; /* hash of process and module id → a file of the model */
    struct map name_of;   /* hash of a name → index + 1 */
    char **names;
    uint32_t name_count, name_room;
    uint32_t count; /* of all hosts */
};

static struct methods *store(struct model *m)
{
    if (!m->methods) {
        m->methods = mem_new(1, sizeof *m->methods);
        map_init(&m->methods->host_of);
        map_init(&m->methods->module_of);
        map_init(&m->methods->name_of);
    }
    return m->methods;
}

void model_methods_fini(struct model *m)
{
    struct methods *const s = m->methods;
    if (!s)
        return;
    for (uint32_t i = 0; i < s->host_count; i++) {
        free(s->hosts[i].methods);
        free(s->hosts[i].modules);
    }
    for (uint32_t i = 0; i < s->name_count; i++)
        free(s->names[i]);
    free(s->hosts);
    free(s->names);
    map_fini(&s->host_of);
    map_fini(&s->module_of);
    map_fini(&s->name_of);
    free(s);
}

static void forget_host(struct methods *s, uint32_t index)
{
    struct host *const h = &s->hosts[index];
    for (uint32_t i = 0; i < h->module_count; i++)
        map_remove(&s->module_of, h->modules[i]);
    map_remove(&s->host_of, h->process);
    s->count -= h->count;
    free(h->methods);
    free(h->modules);
    *h = s->hosts[--s->host_count];
    if (index < s->host_count)
        map_put(&s->host_of, h->process, index + 1);
}

static bool has_ended(const struct model *m, uint32_t process, bool while_kept)
{
    const struct process *const p = model_process_at(m, process);
    return !p || (p->flags & LIFETIME_ENDED && (while_kept || !model_is_kept(m, p->end_ns)));
}

/* Of processes that ended; the last to go are those of which events are kept. */
static void make_room(struct model *m, uint32_t but)
{
    struct methods *const s = m->methods;
    const uint32_t before = s->host_count;
    for (unsigned while_kept = 0; while_kept < 2 && s->host_count == before; while_kept++)
        for (uint32_t i = s->host_count; i > 0; i--)
            if (s->hosts[i - 1].process != but && has_ended(m, s->hosts[i - 1].process, while_kept))
                forget_host(s, i - 1);
}

/* NULL: there is no room for what is told of another process. */
static struct host *host_of(struct model *m, uint32_t process)
{
    struct methods *const s = m->methods;
    if (s->host_count == HOSTS && !map_get(&s->host_of, process))
        make_room(m, process);
    const uint32_t known = map_get(&s->host_of, process);
    if (known)
        return &s->hosts[known - 1];
    if (s->host_count == HOSTS)
        return NULL;
    if (s->host_count == s->host_room) {
        s->host_room = s->host_room ? s->host_room * 2 : 8;
        s->hosts = mem_grow(s->hosts, s->host_room, sizeof *s->hosts);
    }
    s->hosts[s->host_count++] = (struct host){.process = process};
    map_put(&s->host_of, process, s->host_count);
    return &s->hosts[s->host_count - 1];
}

static uint64_t hash_text(const char *text)
{
    return hash_bytes(5, text, strlen(text));
}

/* Index + 1; 0 when there is no room. */
static uint32_t name_number(struct model *m, struct methods *s, const char *name)
{
    uint64_t hash = hash_text(name);
    for (uint32_t known; (known = map_get(&s->name_of, hash)) != 0; hash++)
        if (strcmp(s->names[known - 1], name) == 0)
            return known;
    if (s->name_count == s->name_room) {
        s->name_room = s->name_room ? s->name_room * 2 : 256;
        s->names = mem_grow(s->names, s->name_room, sizeof(char *));
    }
    s->names[s->name_count] = NULL;
    if (!model_rename(m, &s->names[s->name_count], name))
        return 0;
    map_put(&s->name_of, hash, ++s->name_count);
    return s->name_count;
}

uint32_t model_method_named(struct model *m, const char *name)
{
    return *name ? name_number(m, store(m), name) : 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* UTF-16 up to its NUL, which must be there. */
static bool take_text(struct bytes *b, char *out, size_t room)
{
    size_t units = 0;
    while (b->left / 2 > units && load_u16(b->at + units * 2))
        units++;
    if (b->left / 2 <= units)
        return false;
    out[text_from_utf16(out, room - 1, b->at, units * 2)] = '\0';
    return bytes_skip(b, units * 2 + 2);
}

static uint64_t module_key(uint32_t process, uint64_t module)
{
    return hash_mix(module ^ (uint64_t)process << 48) ^ process;
}

/* A method with two events (when it is loaded, and in a rundown) counts once. */
static struct method *known_method(const struct host *h, uint64_t start, uint32_t size,
                                   uint32_t name)
{
    enum { LOOKED_AT = 64 }; /* rundowns repeat in order: then it is near the end, or sorted */
    for (uint32_t i = h->count; i > 0 && h->count - i < LOOKED_AT; i--) {
        struct method *const k = &h->methods[i - 1];
        if (k->start == start && k->size == size && k->name == name)
            return k;
    }
    return NULL;
}

static void add_method(struct model *m, uint32_t process, const struct method *method)
{
    struct methods *const s = m->methods;
    if (s->count == METHODS)
        make_room(m, process);
    struct host *const h = host_of(m, process);
    if (!h || s->count == METHODS) {
        m->tally.images_dropped++;
        return;
    }
    struct method *const known = known_method(h, method->start, method->size, method->name);
    if (known) {
        known->from_ns = method->from_ns < known->from_ns ? method->from_ns : known->from_ns;
        return;
    }
    if (h->count == h->room) {
        h->room = h->room ? h->room * 2 : 64;
        h->methods = mem_grow(h->methods, h->room, sizeof *h->methods);
    }
    h->methods[h->count++] = *method;
    h->is_sorted = false;
    s->count++;
    m->images_learned++;
}

static bool read_method(struct model *m, const struct event *e, struct method *out)
{
    char class[NAME_BYTES], name[NAME_BYTES], all[2 * NAME_BYTES + 2];
    struct bytes b = bytes_of(e->payload, e->payload_bytes);
    const uint8_t *const head = bytes_take(&b, 36);
    if (!head || !take_text(&b, class, sizeof class) || !take_text(&b, name, sizeof name))
        return false;
    *out = (struct method){
        .start = load_u64(head + 16),
        .size = load_u32(head + 24),
        .module = load_u64(head + 8),
        .from_ns = INT64_MIN,
        .until_ns = INT64_MAX,
    };
    snprintf(all, sizeof all, "%s%s%s", class, class[0] ? "." : "", name);
    out->name = out->size && all[0] ? name_number(m, store(m), all) : 0;
    return out->name != 0;
}

void make_method(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)k;
    struct method method;
    if (f->process && read_method(m, e, &method)) {
        f->entity = f->op == OP_JIT ? method.name : 0;
        if (f->op != OP_RUNDOWN)
            method.from_ns = f->time;
        add_method(m, f->process, &method);
    }
}

void make_method_gone(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)k;
    struct method method;
    const uint32_t host = m->methods ? map_get(&m->methods->host_of, f->process) : 0;
    if (!host || !read_method(m, e, &method))
        return;
    struct host *const h = &m->methods->hosts[host - 1];
    for (uint32_t i = h->count; i > 0; i--)
        if (h->methods[i - 1].start == method.start && h->methods[i - 1].name == method.name &&
            h->methods[i - 1].until_ns == INT64_MAX) {
            h->methods[i - 1].until_ns = f->time;
            return;
        }
}

static void add_module(struct model *m, uint32_t process, uint64_t key, uint32_t module)
{
    struct methods *const s = store(m);
    struct host *const h = host_of(m, process);
    if (!h)
        return;
    if (!map_get(&s->module_of, key)) {
        if (h->module_count == MODULES) {
            m->tally.images_dropped++;
            return;
        }
        if (h->module_count == h->module_room) {
            h->module_room = h->module_room ? h->module_room * 2 : 16;
            h->modules = mem_grow(h->modules, h->module_room, sizeof *h->modules);
        }
        h->modules[h->module_count++] = key;
    }
    map_put(&s->module_of, key, module);
}

void make_module(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)k;
    char il[PATH_BYTES];
    struct bytes b = bytes_of(e->payload, e->payload_bytes);
    const uint8_t *const head = bytes_take(&b, 24);
    if (!head || !f->process || !take_text(&b, il, sizeof il) || !il[0])
        return;
    const uint32_t module = model_module(m, il);
    if (module)
        add_module(m, f->process, module_key(f->process, load_u64(head)), module);
}

/* ---- questions ------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct method *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* What rundowns repeat counts once. */
static void sort(struct host *h)
{
    uint32_t kept = 0;
    if (h->count)
        qsort(h->methods, h->count, sizeof *h->methods, by_start);
    for (uint32_t i = 0; i < h->count; i++) {
        const struct method *const last = kept ? &h->methods[kept - 1] : NULL;
        const struct method *const k = &h->methods[i];
        if (!last || last->start != k->start || last->size != k->size || last->name != k->name)
            h->methods[kept++] = *k;
    }
    h->count = kept;
    h->is_sorted = true;
}

struct model_method model_method_at(const struct model *m, uint32_t process, uint64_t address,
                                    int64_t time)
{
    enum { NEIGHBORS = 16 };
    struct model_method found = {0};
    struct methods *const s = m->methods;
    const uint32_t number = s ? map_get(&s->host_of, process) : 0;
    if (!number)
        return found;
    struct host *const h = &s->hosts[number - 1];
    const uint32_t before = h->count;
    if (!h->is_sorted)
        sort(h);
    s->count -= before - h->count;
    uint32_t low = 0, high = h->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (h->methods[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t looked = 0; low > 0 && looked < NEIGHBORS; looked++) {
        const struct method *const k = &h->methods[--low];
        if (address - k->start >= k->size || time < k->from_ns || time >= k->until_ns)
            continue;
        found.name = k->name;
        found.module = map_get(&s->module_of, module_key(process, k->module));
        found.start = k->start;
        break;
    }
    return found;
}

const char *model_method_name(const struct model *m, uint32_t name)
{
    return m->methods && name && name <= m->methods->name_count ? m->methods->names[name - 1] : "";
}

size_t model_methods_bytes(const struct model *m)
{
    size_t sum = 0;
    for (uint32_t i = 0; m->methods && i < m->methods->host_count; i++)
        sum += m->methods->hosts[i].room * sizeof(struct method) +
               m->methods->hosts[i].module_room * sizeof(uint64_t);
    return sum;
}
