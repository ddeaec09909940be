#include "src/symbol/names.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 1 << 19,
    MOST = PLACES - PLACES / 16, /* below it, the generation table has a free place */
    HEAP_BLOCK = 16, /* what the heap adds to each text, about */
    NUMBERS = 1 << 30, /* src/symbol/site.c has a use for the highest bit */
};

struct name {
    uint32_t number;
    uint32_t bytes;
    uint32_t met; /* KiB added by then */
    char *text;
};

/* There is a free place: see MOST. */
static enum generation_use use_of_name(const void *thing, const void *owner)
{
    (void)thing, (void)owner;
    return GENERATION_UNUSED;
}

void symbol_names_init(struct symbol_names *n, size_t most)
{
    *n = (struct symbol_names){.most = most};
    generation_init(&n->names, sizeof(struct name), PLACES, use_of_name);
    map_init(&n->number_of);
}

void symbol_names_fini(struct symbol_names *n)
{
    for (uint32_t i = 0; i < n->names.end; i++) {
        struct name *const name = generation_place(&n->names, i);
        if (name)
            free(name->text);
    }
    generation_fini(&n->names);
    map_fini(&n->number_of);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 2;
    for (const char *at = text; *at; at++)
        hash = hash_mix(hash ^ (uint8_t)*at) * 0xff51afd7ed558ccdu;
    return hash;
}

static struct name *name_at(const struct symbol_names *n, uint32_t number)
{
    return generation_at(&n->names, number);
}

/* Of texts whose hashes are the same, only the last has a number to be found by: the other one
 * gets another number when it is added again. */
static struct name *find(const struct symbol_names *n, uint64_t hash, const char *text)
{
    struct name *const name = name_at(n, map_get(&n->number_of, hash));
    return name && strcmp(name->text, text) == 0 ? name : NULL;
}

static void let_go(void *thing, void *names)
{
    struct symbol_names *const n = names;
    struct name *const name = thing;
    const uint64_t hash = hash_of(name->text);
    if (map_get(&n->number_of, hash) == name->number)
        map_remove(&n->number_of, hash);
    n->bytes -= name->bytes;
    n->recycled++;
    free(name->text);
    name->number = 0;
}

static uint32_t now(const struct symbol_names *n)
{
    return (uint32_t)(n->added >> 10);
}

static bool was_met_lately(const struct symbol_names *n, const struct name *name)
{
    return now(n) - name->met < n->most >> 11; /* while half of all texts came */
}

static bool has_room(const struct symbol_names *n, size_t bytes, unsigned sixteenths)
{
    return (uint64_t)(n->bytes + bytes) * 16 <= (uint64_t)n->most * sixteenths &&
           (uint64_t)n->number_of.count * 16 < (uint64_t)MOST * sixteenths;
}

/* In the order of their places, which is that of their coming, all around; whoever was met lately
 * only when there is nobody else. Some more at once, for that is much to look at. */
static void make_room(struct symbol_names *n, size_t bytes)
{
    const uint32_t end = n->names.slab_count * GENERATION_CHUNK;
    if (has_room(n, bytes, 16))
        return;
    for (uint32_t looked = 0; n->bytes && !has_room(n, bytes, 15); looked++) {
        n->hand = n->hand < end ? n->hand : 0;
        struct name *const name = generation_place(&n->names, n->hand++);
        if (name && (looked >= end || !was_met_lately(n, name)))
            let_go(name, n);
    }
}

uint32_t symbol_names_add(struct symbol_names *n, const char *text)
{
    const uint64_t hash = hash_of(text);
    struct name *name = find(n, hash, text);
    if (!name) {
        const size_t bytes = strlen(text) + 1;
        make_room(n, bytes);
        if (n->names.newest >= NUMBERS)
            n->names.newest &= PLACES - 1; /* of years ago: nobody holds those any more */
        name = generation_add(&n->names, let_go, n);
        name->text = mem_copy(text, bytes);
        name->bytes = (uint32_t)bytes;
        n->bytes += bytes;
        n->added += bytes;
        map_put(&n->number_of, hash, name->number);
    }
    name->met = now(n);
    return name->number;
}

const char *symbol_names_text(const struct symbol_names *n, uint32_t number)
{
    struct name *const name = name_at(n, number);
    if (!name)
        return NULL;
    name->met = now(n);
    return name->text;
}

size_t symbol_names_bytes(const struct symbol_names *n)
{
    return n->bytes + (size_t)n->number_of.count * HEAP_BLOCK + generation_bytes(&n->names) +
           map_bytes(&n->number_of);
}
