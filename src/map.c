#include "src/map.h"

#include "src/mem.h"

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

void shelf_init(struct shelf *s, size_t size, uint32_t places, bool (*may_go)(const void *thing))
{
    *s = (struct shelf){.size = size, .places = places, .may_go = may_go};
    s->chunks = mem_new((places + SHELF_CHUNK - 1) / SHELF_CHUNK, sizeof *s->chunks);
}

void shelf_fini(struct shelf *s)
{
    for (uint32_t i = 0; i < (s->places + SHELF_CHUNK - 1) / SHELF_CHUNK; i++)
        free(s->chunks[i]);
    free(s->chunks);
    *s = (struct shelf){0};
}

static char *place_at(struct shelf *s, uint32_t number)
{
    const uint32_t place = number & (s->places - 1);
    void **chunk = &s->chunks[place / SHELF_CHUNK];
    if (!*chunk) {
        *chunk = mem_new(SHELF_CHUNK, s->size);
        s->chunk_count++;
    }
    return (char *)*chunk + (size_t)(place % SHELF_CHUNK) * s->size;
}

void *shelf_add(struct shelf *s, void (*let_go)(void *thing, void *arg), void *arg)
{
    /* Things that may not go are stepped over, but not for ever: a full shelf of
     * living things loses its oldest. */
    enum { PATIENCE = 16 };
    for (unsigned tries = 0;; tries++) {
        if (++s->newest == 0)
            s->newest = 1;
        char *place = place_at(s, s->newest);
        const uint32_t holder = *(const uint32_t *)(const void *)place;
        if (holder && !s->may_go(place) && tries < PATIENCE)
            continue;
        if (holder) {
            let_go(place, arg);
            s->evicted++;
        }
        memset(place, 0, s->size);
        *(uint32_t *)(void *)place = s->newest;
        return place;
    }
}
