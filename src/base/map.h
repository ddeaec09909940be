/* Small open-addressing map from 64-bit keys to non-zero 32-bit values, and the
 * generation table: numbered things of one size, of which only the newest so many are kept. */
#ifndef SRC_BASE_MAP_H
#define SRC_BASE_MAP_H

#include "src/base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
    uint64_t key;
    uint32_t value; /* 0 = the place is free */
};

struct map {
    struct map_entry *entries;
    uint32_t mask, count;
};

void map_init(struct map *m);
void map_fini(struct map *m);

/* The value of a key, or 0. */
static inline uint32_t map_get(const struct map *m, uint64_t key)
{
    for (uint32_t i = (uint32_t)hash_mix(key) & m->mask;; i = (i + 1) & m->mask) {
        const struct map_entry *e = &m->entries[i];
        if (!e->value)
            return 0;
        if (e->key == key)
            return e->value;
    }
}

/* The key will be looked for soon. */
static inline void map_ask(const struct map *m, uint64_t key)
{
    __builtin_prefetch(&m->entries[(uint32_t)hash_mix(key) & m->mask]);
}

static inline size_t map_bytes(const struct map *m)
{
    return ((size_t)m->mask + 1) * sizeof *m->entries;
}

void map_put(struct map *m, uint64_t key, uint32_t value); /* value is not 0 */
void map_remove(struct map *m, uint64_t key);

/* How soon a thing of a generation table may make room for others, by the table's `use`. */
enum generation_use {
    GENERATION_UNUSED, /* at once */
    GENERATION_WANTED, /* it is over, but may still be asked for: when nothing else may go */
    GENERATION_IN_USE, /* never, but that there must be room for the next thing */
};

/* A generation table hands out numbers that are never used twice: 1, 2, 3 … Each number has a
 * place. When all places are taken, the next unused thing makes room: an old number gives NULL
 * and never another thing. If nothing is unused, the table doubles, up to `most` places. After
 * that, wanted things make room, and at the very last the oldest in use. Every thing starts with
 * its own number (uint32_t). Memory comes in slabs, on demand; a thing never moves: pointers to it
 * hold until it makes room. */
struct generation_table {
    void **things; /* by place; NULL: no thing was there yet */
    void **slabs;  /* memory of things */
    uint32_t
        *full; /* of each chunk of places: nothing in it may go until `newest` has come so far */
    size_t size;     /* of one thing */
    uint32_t places, most; /* a power of two; how many they may become */
    uint32_t newest; /* last number given */
    uint32_t end;    /* places from this one on were never taken: a walk over all ends here */
    uint32_t slab_count;
    uint32_t slab_left;   /* things of the newest slab that no place has yet */
    uint8_t takes;        /* enum generation_use: the last that makes room … */
    uint32_t until_look;  /* … for so many things to come */
    uint64_t evicted, recycled; /* made room: though they were in use, since they were not */
    enum generation_use (*use)(const void *thing, const void *owner);
};

/* `use` is asked with the `arg` of generation_add(). */
void generation_init(struct generation_table *s, size_t size, uint32_t places,
                     enum generation_use (*use)(const void *thing, const void *owner));

/* Lets it double up to so many places, a power of two; only where it has a chunk of them. */
static inline void generation_may_grow(struct generation_table *s, uint32_t most)
{
    s->most = most > s->places ? most : s->places;
}

/* Frees the places; what the things own is the caller's to free first. */
void generation_fini(struct generation_table *s);

enum { GENERATION_CHUNK = 1024 };

/* Memory that it takes by now. */
static inline size_t generation_bytes(const struct generation_table *s)
{
    const uint32_t slab = s->places < GENERATION_CHUNK ? s->places : GENERATION_CHUNK;
    return (size_t)s->slab_count * slab * s->size + s->end * sizeof *s->things;
}

/* The same with a thing in every place that there is now. */
static inline size_t generation_bytes_most(const struct generation_table *s)
{
    return s->places * (s->size + sizeof *s->things);
}

/* The thing with this number, or NULL when it has gone. */
static inline void *generation_at(const struct generation_table *s, uint32_t number)
{
    void *const thing = s->things[number & (s->places - 1)];
    return thing && *(const uint32_t *)thing == number && number ? thing : NULL;
}

/* The thing at a place 0 … end - 1, or NULL where there is none: for walks over all. */
static inline void *generation_place(const struct generation_table *s, uint32_t place)
{
    void *const thing = s->things[place];
    return thing && *(const uint32_t *)thing ? thing : NULL;
}

/* Have as many others come as half of the places hold since `newest` was `met`? A thing that nobody
 * met since then is not in use, where nothing else says when it is over. */
static inline bool generation_is_resting(const struct generation_table *s, uint32_t met)
{
    return s->newest - met > s->places / 2;
}

/* Makes a zeroed thing with the next number. What had to go for it is handed to
 * `let_go` first (to free what it owns and to drop its keys). */
void *generation_add(struct generation_table *s, void (*let_go)(void *thing, void *arg), void *arg);

#endif
