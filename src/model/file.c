/* Things that events name by an address: files, and keys of the registry. An
 * address means one thing until an event says that it is gone; the next one that
 * lives there is another thing, unless it has the name of one that is known: every
 * open of a file has an address of its own, and the file is one. */
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdlib.h>
#include <string.h>

/* Kernel and user addresses are sign-extended from at most 57 bits, in practice
 * 48; namespace and source stand above them. */
static uint64_t address_key(source_id source, enum key_namespace key_namespace, uint64_t address)
{
    return (address & 0xffffffffffffu) | (uint64_t)(source & 0x3fff) << 48 |
           (uint64_t)key_namespace << 62;
}

/* By name: of files, whatever kind of address they have, and of keys. */
static uint64_t name_key(uint64_t key, const char *name)
{
    const bool is_key = key >> 62 == NAMESPACE_KEY;
    const uint64_t start = hash_mix((key >> 48 & 0x3fff) << 1 | is_key) | 1;
    return hash_mix(hash_bytes(start, name, strlen(name)));
}

static bool is_alike(uint64_t a, uint64_t b)
{
    return (a >> 48 & 0x3fff) == (b >> 48 & 0x3fff)
           && (a >> 62 == NAMESPACE_KEY) == (b >> 62 == NAMESPACE_KEY);
}

/* An event names it. */
static void meet(const struct model *m, struct file *f)
{
    f->met = m->files.newest;
}

static struct file *file_by_name(const struct model *m, uint64_t key, const char *name)
{
    const uint32_t number = *name ? map_get(&m->file_named, name_key(key, name)) : 0;
    struct file *f = generation_at(&m->files, number);
    if (!f || !f->name || !is_alike(f->key, key) || strcmp(f->name, name) != 0)
        return NULL;
    meet(m, f);
    return f;
}

static bool rename_file(struct model *m, struct file *f, const char *name)
{
    if (!model_rename(m, &f->name, name))
        return false;
    map_put(&m->file_named, name_key(f->key, name), f->number);
    return true;
}

static void forget_file(void *thing, void *arg)
{
    struct file *f = thing;
    struct model *m = arg;
    m->tally.early_files += !(f->flags & LIFETIME_BOUND) && model_is_kept(m, f->until_ns);
    const uint64_t named = f->name ? name_key(f->key, f->name) : 0;
    if (named && map_get(&m->file_named, named) == f->number)
        map_remove(&m->file_named, named);
    if (map_get(&m->file_now, f->key) == f->number)
        map_remove(&m->file_now, f->key);
    model_unname(m, &f->name);
}

static struct file *file_now(const struct model *m, uint64_t key)
{
    struct file *const f = generation_at(&m->files, map_get(&m->file_now, key));
    if (f)
        meet(m, f);
    return f;
}

static void forget_binding(void *thing, void *arg)
{
    const struct address_binding *b = thing;
    struct model *m = arg;
    if (map_get(&m->binding_now, b->key) != b->number)
        return;
    map_remove(&m->binding_now, b->key);
    if (map_get(&m->file_now, b->key) == b->file)
        map_remove(&m->file_now, b->key);
}

/* The address means something else, or nothing, from here on. `f` is what it meant. */
static void unbind(struct model *m, struct file *f, uint64_t key)
{
    struct address_binding *b = generation_at(&m->bindings, map_get(&m->binding_now, key));
    if (b && !b->until_ns)
        b->until_ns = m->time;
    if (f->key == key && !f->until_ns) {
        f->flags &= (uint8_t)~LIFETIME_BOUND;
        f->until_ns = m->time;
    }
}

/* From here on the address means a file that is known already. */
static void bind_again(struct model *m, uint64_t key, uint32_t file)
{
    struct address_binding *b = generation_add(&m->bindings, forget_binding, m);
    b->file = file;
    b->key = key;
    b->since_ns = m->time;
    map_put(&m->binding_now, key, b->number);
    map_put(&m->file_now, key, file);
}

/* What was nameless turns out to be a file that is known: facts from here on say so, and who
 * reads older ones asks model_file_one(). */
static void become(struct model *m, struct file *f, uint64_t key, const struct file *known)
{
    model_rename(m, &f->name, known->name);
    f->same_as = known->number;
    unbind(m, f, key);
    bind_again(m, key, known->number);
    m->merges++;
    m->late_names++;
}

void model_file_ask(const struct model *m, source_id source, enum key_namespace key_namespace,
                    uint64_t address)
{
    map_ask(&m->file_now, address_key(source, key_namespace, address));
}

uint32_t model_file_known(const struct model *m, source_id source, enum key_namespace key_namespace,
                          uint64_t address)
{
    const struct file *f = file_now(m, address_key(source, key_namespace, address));
    return f ? f->number : 0;
}

static struct file *file_add(struct model *m, source_id source, uint64_t key)
{
    struct file *f = generation_add(&m->files, forget_file, m);
    f->source = source;
    f->key = key;
    f->flags = LIFETIME_BOUND;
    meet(m, f);
    f->since_ns = m->time;
    map_put(&m->file_now, key, f->number);
    return f;
}

uint32_t model_file(struct model *m, source_id source, enum key_namespace key_namespace,
                    uint64_t address)
{
    if (!address)
        return 0;
    const uint64_t key = address_key(source, key_namespace, address);
    const struct file *const f = file_now(m, key);
    return f ? f->number : file_add(m, source, key)->number;
}

uint32_t model_file_named(struct model *m, source_id source, enum key_namespace key_namespace,
                          uint64_t address, const char *name)
{
    if (!address)
        return 0;
    const uint64_t key = address_key(source, key_namespace, address);
    struct file *f = file_now(m, key);
    const bool is_other = f && f->name && *name && strcmp(f->name, name) != 0;
    if (is_other)
        unbind(m, f, key);
    const bool is_known = f && !is_other;
    struct file *const same = is_known && f->name ? NULL : file_by_name(m, key, name);
    if (same && is_known) {
        become(m, f, key, same);
        return same->number;
    }
    if (same) {
        bind_again(m, key, same->number);
        return same->number;
    }
    if (!is_known)
        f = file_add(m, source, key);
    if (rename_file(m, f, name) && is_known)
        m->late_names++;
    return f->number;
}

uint32_t model_file_called(struct model *m, source_id source, enum key_namespace key_namespace,
                           const char *name)
{
    const uint64_t key = address_key(source, key_namespace, 0);
    struct file *f = file_by_name(m, key, name);
    if (f || !*name)
        return f ? f->number : 0;
    f = generation_add(&m->files, forget_file, m);
    f->source = source;
    f->key = key;
    rename_file(m, f, name);
    return f->number;
}

void model_file_gone(struct model *m, source_id source, enum key_namespace key_namespace,
                     uint64_t address)
{
    const uint64_t key = address_key(source, key_namespace, address);
    struct file *f = file_now(m, key);
    if (!f)
        return;
    unbind(m, f, key);
    map_remove(&m->file_now, key);
}

void model_file_alias(struct model *m, source_id source, enum key_namespace key_namespace,
                      uint64_t address, uint32_t file)
{
    const uint64_t key = address_key(source, key_namespace, address);
    const struct file *to = generation_at(&m->files, file);
    if (!address || !to)
        return;
    struct file *f = file_now(m, key);
    if (f && !f->name && to->name && f != to)
        become(m, f, key, to);
    else if (!f)
        bind_again(m, key, file);
}
