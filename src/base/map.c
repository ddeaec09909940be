#include "src/base/map.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 64 };

void map_init(struct map *m)
{
    m->entries = mem_new(FIRST_SIZE, sizeof *m->entries);
    m->mask = FIRST_SIZE - 1;
    m->count = 0;
}

void map_fini(struct map *m)
{
    free(m->entries);
    *m = (struct map){0};
}

/* The place of a key, or the free place where it belongs. */
static struct map_entry *place_of(const struct map *m, uint64_t key)
{
    uint32_t i = (uint32_t)hash_mix(key) & m->mask;
    while (m->entries[i].value && m->entries[i].key != key)
        i = (i + 1) & m->mask;
    return &m->entries[i];
}

static void grow(struct map *m)
{
    const struct map old = *m;
    m->mask = old.mask * 2 + 1;
    m->entries = mem_new((size_t)m->mask + 1, sizeof *m->entries);
    for (uint32_t i = 0; i <= old.mask; i++)
        if (old.entries[i].value)
            *place_of(m, old.entries[i].key) = old.entries[i];
    free(old.entries);
}

void map_put(struct map *m, uint64_t key, uint32_t value)
{
    struct map_entry *e = place_of(m, key);
    if (!e->value) {
        if (m->count >= m->mask / 2) { /* half full: probes stay short */
            grow(m);
            e = place_of(m, key);
        }
        m->count++;
    }
    *e = (struct map_entry){.key = key, .value = value};
}

/* Closes the gap: every entry behind it that may stand there moves up, so that no
 * search ever meets a false end. */
void map_remove(struct map *m, uint64_t key)
{
    struct map_entry *gone = place_of(m, key);
    if (!gone->value)
        return;
    uint32_t gap = (uint32_t)(gone - m->entries);
    for (uint32_t i = (gap + 1) & m->mask; m->entries[i].value; i = (i + 1) & m->mask) {
        const uint32_t home = (uint32_t)hash_mix(m->entries[i].key) & m->mask;
        if (((i - home) & m->mask) >= ((i - gap) & m->mask)) {
            m->entries[gap] = m->entries[i];
            gap = i;
        }
    }
    m->entries[gap].value = 0;
    m->count--;
}

static uint32_t chunks_of(const struct generation_table *s)
{
    return (s->places + GENERATION_CHUNK - 1) / GENERATION_CHUNK;
}

void generation_init(struct generation_table *s, size_t size, uint32_t places,
                     enum generation_use (*use)(const void *thing, const void *owner))
{
    *s = (struct generation_table){.size = size, .places = places, .most = places, .use = use};
    s->things = mem_new(places, sizeof *s->things);
    s->slabs = mem_new(chunks_of(s), sizeof *s->slabs);
    s->full = mem_new(chunks_of(s), sizeof *s->full);
}

void generation_fini(struct generation_table *s)
{
    for (uint32_t i = 0; i < s->slab_count; i++)
        free(s->slabs[i]);
    free(s->slabs);
    free(s->things);
    free(s->full);
    *s = (struct generation_table){0};
}

static uint32_t number_of(const void *thing)
{
    return thing ? *(const uint32_t *)thing : 0;
}

/* Memory for one more thing. There are never more of them than places, and so no more slabs than
 * chunks. */
static void *new_thing(struct generation_table *s)
{
    const uint32_t slab = s->places < GENERATION_CHUNK ? s->places : GENERATION_CHUNK;
    if (!s->slab_left) {
        s->slabs[s->slab_count++] = mem_new(slab, s->size);
        s->slab_left = slab;
    }
    return (char *)s->slabs[s->slab_count - 1] + (size_t)--s->slab_left * s->size;
}

/* The next number whose place is free or may become so among the rest of its chunk's places; 0
 * where there is none. `*number`: before the first that is tried, then the last that was. */
static uint32_t search_chunk(struct generation_table *s, const void *owner, uint32_t *number)
{
    const uint32_t before = *number, last = before | (GENERATION_CHUNK - 1);
    const bool is_whole = (before & (GENERATION_CHUNK - 1)) == GENERATION_CHUNK - 1;
    uint32_t *const full = &s->full[((before + 1) & (s->places - 1)) / GENERATION_CHUNK];
    const uint32_t end = is_whole ? before + GENERATION_CHUNK : last;
    *number = end;
    if (is_whole && *full && (int32_t)(*full - before) > 0)
        return 0; /* these places were searched not long ago */
    for (uint32_t n = before + 1; n != end + 1; n++) {
        const void *const thing = s->things[n & (s->places - 1)];
        if (!n || (number_of(thing) && s->use(thing, owner) > s->takes))
            continue;
        *number = n;
        return n;
    }
    if (is_whole)
        *full = end + s->places / 4;
    return 0;
}

static void forget_looks(struct generation_table *s)
{
    memset(s->full, 0, chunks_of(s) * sizeof *s->full);
}

/* All around. */
static uint32_t search_all(struct generation_table *s, const void *owner)
{
    uint32_t found = 0, number = s->newest;
    for (uint32_t i = 0; i <= chunks_of(s) && !found; i++)
        found = search_chunk(s, owner, &number);
    if (!found)
        forget_looks(s);
    return found;
}

/* Half of the things get the places where their numbers belong now; where they lie stays. */
static bool double_places(struct generation_table *s)
{
    const uint32_t before = s->places, chunks = chunks_of(s);
    if (before >= s->most || before < GENERATION_CHUNK)
        return false;
    s->places *= 2;
    s->things = mem_grow(s->things, s->places, sizeof *s->things);
    s->slabs = mem_grow(s->slabs, chunks_of(s), sizeof *s->slabs);
    s->full = mem_grow(s->full, chunks_of(s), sizeof *s->full);
    s->end = s->places;
    memset(s->things + before, 0, before * sizeof *s->things);
    memset(s->slabs + chunks, 0, chunks * sizeof *s->slabs);
    forget_looks(s);
    for (uint32_t place = 0; place < before; place++) {
        const uint32_t belongs = number_of(s->things[place]) & (s->places - 1);
        if (belongs < before)
            continue;
        s->things[belongs] = s->things[place];
        s->things[place] = NULL;
    }
    return true;
}

/* What is unused is looked for again after a while where there was nothing. */
static uint32_t next_number(struct generation_table *s, const void *owner)
{
    enum { PART = 64 }; /* of all the places: so many things come between two fruitless looks */
    if (s->until_look && !--s->until_look) {
        s->takes = GENERATION_UNUSED;
        forget_looks(s);
    }
    while (s->takes < GENERATION_IN_USE) {
        const uint32_t found = search_all(s, owner);
        if (found)
            return found;
        if (s->takes == GENERATION_UNUSED && double_places(s))
            continue;
        s->takes++;
        s->until_look = s->places / PART + 1;
    }
    return s->newest + 1 ? s->newest + 1 : 1;
}

void *generation_add(struct generation_table *s, void (*let_go)(void *thing, void *arg), void *arg)
{
    s->newest = next_number(s, arg);
    const uint32_t at = s->newest & (s->places - 1);
    void **const place = &s->things[at];
    s->end = at < s->end ? s->end : at + 1;
    if (!*place)
        *place = new_thing(s);
    if (number_of(*place)) {
        *(s->use(*place, arg) == GENERATION_IN_USE ? &s->evicted : &s->recycled) += 1;
        let_go(*place, arg);
    }
    memset(*place, 0, s->size);
    *(uint32_t *)*place = s->newest;
    return *place;
}
