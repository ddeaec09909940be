#include "src/fact.h"

#include "src/mem.h"

#include <stdlib.h>
#include <string.h>

void facts_init(struct facts *s, size_t room)
{
    const size_t slots = room / FACT_CHUNK + (room % FACT_CHUNK != 0);
    *s = (struct facts){.slots = slots < 2 ? 2 : slots};
    s->chunks = mem_new(s->slots, sizeof *s->chunks);
}

static void drop(struct fact_chunk **slot)
{
    if (*slot && --(*slot)->holders == 0)
        free(*slot);
    *slot = NULL;
}

void facts_fini(struct facts *s)
{
    for (size_t i = 0; i < s->slots; i++)
        drop(&s->chunks[i]);
    free(s->chunks);
    *s = (struct facts){0};
}

/* The slot of a new chunk: its old facts go, and so does the memory when a frozen
 * view still reads it. */
static void open_chunk(struct facts *s)
{
    struct fact_chunk **slot = &s->chunks[s->end / FACT_CHUNK % s->slots];
    if (*slot)
        s->first = s->end - (s->slots - 1) * (uint64_t)FACT_CHUNK;
    if (*slot && (*slot)->holders > 1)
        drop(slot);
    if (!*slot) {
        *slot = mem_new(1, sizeof **slot);
        (*slot)->holders = 1;
    }
}

/* The block before `number`, whose facts are complete and still in the cache. */
static void close_block(struct facts *s, uint64_t number)
{
    const uint64_t first = number - FACT_BLOCK;
    const struct fact *f = facts_at(s, first);
    struct fact_bounds b = {f->time, f->time};
    for (unsigned i = 1; i < FACT_BLOCK; i++) {
        b.low = f[i].time < b.low ? f[i].time : b.low;
        b.high = f[i].time > b.high ? f[i].time : b.high;
    }
    s->chunks[first / FACT_CHUNK % s->slots]->bounds[first % FACT_CHUNK / FACT_BLOCK] = b;
}

struct fact *facts_add(struct facts *s)
{
    if (s->end % FACT_BLOCK == 0 && s->end)
        close_block(s, s->end);
    if (s->end % FACT_CHUNK == 0)
        open_chunk(s);
    struct fact *f = facts_at(s, s->end++);
    *f = (struct fact){0};
    return f;
}

struct facts facts_share(const struct facts *s)
{
    struct facts shared = *s;
    shared.chunks = mem_new(s->slots, sizeof *shared.chunks);
    for (size_t i = 0; i < s->slots; i++) {
        shared.chunks[i] = s->chunks[i];
        if (shared.chunks[i])
            shared.chunks[i]->holders++;
    }
    return shared;
}

/* NULL for the newest block, which nothing was said about yet. */
static const struct fact_bounds *bounds_of(const struct facts *s, uint64_t number)
{
    if (number + FACT_BLOCK >= s->end)
        return NULL;
    return &s->chunks[number / FACT_CHUNK % s->slots]->bounds[number % FACT_CHUNK / FACT_BLOCK];
}

bool facts_block_reaches(const struct facts *s, uint64_t number, int64_t from, int64_t to)
{
    const struct fact_bounds *b = bounds_of(s, number);
    return !b || (b->high > from && b->low <= to);
}

int64_t facts_earliest(const struct facts *s)
{
    if (s->first == s->end)
        return 0;
    int64_t earliest = facts_at(s, s->first)->time;
    const uint64_t most = s->first + FACT_CHUNK < s->end ? s->first + FACT_CHUNK : s->end;
    for (uint64_t n = s->first; n < most; n++) {
        const struct fact_bounds *b = n % FACT_BLOCK == 0 ? bounds_of(s, n) : NULL;
        const int64_t time = b ? b->low : facts_at(s, n)->time;
        earliest = time < earliest ? time : earliest;
        n += b ? FACT_BLOCK - 1 : 0;
    }
    return earliest;
}
