/* Things that events name by an address: files, and keys of the registry. An
 * address means one thing until an event says that it is gone; the next one that
 * lives there is another thing. */
#include "src/mem.h"
#include "src/model.h"

#include <stdlib.h>
#include <string.h>

/* Kernel and user addresses are sign-extended from at most 57 bits, in practice
 * 48; realm and source stand above them. */
static uint64_t address_key(source_id source, enum realm realm, uint64_t address)
{
    return (address & 0xffffffffffffu) | (uint64_t)(source & 0x3fff) << 48 | (uint64_t)realm << 62;
}

static void forget_file(void *thing, void *arg)
{
    struct file *f = thing;
    struct model *m = arg;
    if (map_get(&m->file_now, f->key) == f->number)
        map_remove(&m->file_now, f->key);
    model_unname(m, &f->name);
}

static struct file *file_now(const struct model *m, uint64_t key)
{
    const uint32_t number = map_get(&m->file_now, key);
    return number ? shelf_at(&m->files, number) : NULL;
}

uint32_t model_file_known(const struct model *m, source_id source, enum realm realm,
                          uint64_t address)
{
    const struct file *f = file_now(m, address_key(source, realm, address));
    return f ? f->number : 0;
}

static struct file *file_add(struct model *m, source_id source, uint64_t key)
{
    struct file *f = shelf_add(&m->files, forget_file, m);
    f->source = source;
    f->key = key;
    f->flags = LIFE_BOUND;
    map_put(&m->file_now, key, f->number);
    return f;
}

uint32_t model_file(struct model *m, source_id source, enum realm realm, uint64_t address)
{
    if (!address)
        return 0;
    const uint64_t key = address_key(source, realm, address);
    const uint32_t number = map_get(&m->file_now, key);
    if (number && shelf_at(&m->files, number))
        return number;
    return file_add(m, source, key)->number;
}

uint32_t model_file_named(struct model *m, source_id source, enum realm realm, uint64_t address,
                          const char *name)
{
    if (!address)
        return 0;
    const uint64_t key = address_key(source, realm, address);
    struct file *f = file_now(m, key);
    const bool is_other = f && f->name && *name && strcmp(f->name, name) != 0;
    if (is_other)
        f->flags &= (uint8_t)~LIFE_BOUND;
    const bool is_known = f && !is_other;
    if (!is_known)
        f = file_add(m, source, key);
    if (model_rename(m, &f->name, name) && is_known)
        m->late_names++;
    return f->number;
}

void model_file_gone(struct model *m, source_id source, enum realm realm, uint64_t address)
{
    const uint64_t key = address_key(source, realm, address);
    struct file *f = file_now(m, key);
    if (!f)
        return;
    f->flags &= (uint8_t)~LIFE_BOUND;
    map_remove(&m->file_now, key);
}

void model_file_alias(struct model *m, source_id source, enum realm realm, uint64_t address,
                      uint32_t file)
{
    /* An alias outlives its file in the map until the address is met again. */
    enum { ALIASES = 1 << 21 };
    const uint64_t key = address_key(source, realm, address);
    if (address && file && m->file_now.count < ALIASES && !map_get(&m->file_now, key))
        map_put(&m->file_now, key, file);
}
