#include "src/model/stack_memo.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Entries lie in sets of four, whose tags are compared first: a miss costs one cache line, and
 * stacks that come by turns do not push each other out. */
enum { WAYS = 4 };

struct tag {
    uint32_t hash, path; /* path 0: free */
};

struct noted {
    uint32_t count;
    uint8_t frames[8 * STACK_MEMO_FRAMES];
};

struct stack_memo {
    uint32_t sets;
    struct tag *tags;
    uint8_t *turns; /* of each set: which of its places is to go next */
    struct noted *places;
};

struct stack_memo *stack_memo_new(uint32_t places)
{
    struct stack_memo *const m = mem_new(1, sizeof *m);
    m->sets = places / WAYS;
    m->tags = mem_new(places, sizeof *m->tags);
    m->turns = mem_new(m->sets, sizeof *m->turns);
    m->places = mem_new(places, sizeof *m->places);
    return m;
}

void stack_memo_free(struct stack_memo *m)
{
    free(m->tags);
    free(m->turns);
    free(m->places);
    free(m);
}

size_t stack_memo_bytes(const struct stack_memo *m)
{
    return sizeof *m + m->sets * (WAYS * (sizeof *m->tags + sizeof *m->places) + sizeof *m->turns);
}

void stack_memo_clear(struct stack_memo *m)
{
    memset(m->tags, 0, (size_t)m->sets * WAYS * sizeof *m->tags);
}

static uint64_t word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Four sums side by side: none waits for the other's product. */
static uint64_t hash_of(const uint8_t *at, size_t count)
{
    static const uint64_t FACTOR = 0x9e3779b97f4a7c15u;
    const uint8_t *const end = at + 8 * count, *const fours = end - count % 4 * 8;
    uint64_t a = count, b = 1, c = 2, d = 3;
    for (; at < fours; at += 32) {
        a = (a ^ word_at(at)) * FACTOR;
        b = (b ^ word_at(at + 8)) * FACTOR;
        c = (c ^ word_at(at + 16)) * FACTOR;
        d = (d ^ word_at(at + 24)) * FACTOR;
    }
    for (; at < end; at += 8)
        a = (a ^ word_at(at)) * FACTOR + 1;
    const uint64_t all = (a ^ b >> 31 ^ c << 17) + (d ^ c >> 27 ^ b << 13);
    return (all ^ all >> 29) * FACTOR;
}

uint32_t stack_memo_find(const struct stack_memo *m, const uint8_t *frames, uint32_t count,
                         uint64_t *place)
{
    const uint64_t hash = *place = hash_of(frames, count);
    const uint32_t first = ((uint32_t)(hash >> 40) & (m->sets - 1)) * WAYS, tag = (uint32_t)hash;
    for (uint32_t i = first; i < first + WAYS; i++) {
        if (m->tags[i].hash != tag || !m->tags[i].path)
            continue;
        const struct noted *const n = &m->places[i];
        if (n->count == count && memcmp(n->frames, frames, 8 * (size_t)count) == 0)
            return m->tags[i].path;
    }
    return 0;
}

void stack_memo_put(struct stack_memo *m, uint64_t place, const uint8_t *frames, uint32_t count,
                    uint32_t path)
{
    const uint32_t set = (uint32_t)(place >> 40) & (m->sets - 1);
    const uint32_t at = set * WAYS + m->turns[set]++ % WAYS;
    struct noted *const n = &m->places[at];
    m->tags[at] = (struct tag){(uint32_t)place, path};
    n->count = count;
    memcpy(n->frames, frames, 8 * (size_t)count);
}
