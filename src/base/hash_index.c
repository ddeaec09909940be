#include "src/base/hash_index.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

void hash_index_init(struct hash_index *x, uint32_t room)
{
    uint32_t places = 2;
    while (places / 2 < room)
        places *= 2;
    *x = (struct hash_index){.numbers = mem_new(places, sizeof *x->numbers), .mask = places - 1};
}

void hash_index_fini(struct hash_index *x)
{
    free(x->numbers);
    *x = (struct hash_index){.numbers = NULL};
}

void hash_index_clear(struct hash_index *x)
{
    memset(x->numbers, 0, hash_index_bytes(x));
    x->count = 0;
}

/* Where there is room for another. */
static void add(struct hash_index *x, uint64_t hash, uint32_t number)
{
    uint32_t at = hash_index_first(x, hash);
    while (x->numbers[at])
        at = hash_index_next(x, at);
    x->numbers[at] = number;
    x->count++;
}

static void grow(struct hash_index *x, hash_index_hash *hash, const void *owner)
{
    struct hash_index larger;
    hash_index_init(&larger, x->mask + 1);
    for (uint32_t i = 0; i <= x->mask; i++)
        if (x->numbers[i])
            add(&larger, hash(owner, x->numbers[i]), x->numbers[i]);
    free(x->numbers);
    *x = larger;
}

void hash_index_refill(struct hash_index *x, uint32_t count, hash_index_hash *hash,
                       const void *owner)
{
    hash_index_clear(x);
    for (uint32_t number = 1; number < count; number++)
        add(x, hash(owner, number), number);
}

void hash_index_put(struct hash_index *x, uint32_t at, uint32_t number, hash_index_hash *hash,
                    const void *owner)
{
    x->numbers[at] = number;
    if (++x->count > x->mask / 2)
        grow(x, hash, owner);
}
