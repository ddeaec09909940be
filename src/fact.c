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

struct fact *facts_add(struct facts *s)
{
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
