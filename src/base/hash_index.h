/* An index of numbered things by a hash of what they are known by: open addressing, at most half
 * full. It holds numbers (not 0) only; whoever owns the things compares them, and hashes them again
 * when the index grows. Not locked.
 *
 *     for (at = hash_index_first(x, hash); (number = x->numbers[at]); at = hash_index_next(x, at))
 *         if (things[number] is the one)
 *             return number;
 *     hash_index_put(x, at, new_number, hash_of_thing, owner);
 *
 * The hash's low bits decide. */
#ifndef SRC_BASE_HASH_INDEX_H
#define SRC_BASE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct hash_index {
    uint32_t *numbers; /* 0: the place is free */
    uint32_t mask, count;
};

/* The hash of a thing that is in the index. */
typedef uint64_t hash_index_hash(const void *owner, uint32_t number);

/* Room for so many numbers before it grows. */
void hash_index_init(struct hash_index *x, uint32_t room);
void hash_index_fini(struct hash_index *x);
void hash_index_clear(struct hash_index *x); /* keeps its memory */

static inline uint32_t hash_index_first(const struct hash_index *x, uint64_t hash)
{
    return (uint32_t)hash & x->mask;
}

static inline uint32_t hash_index_next(const struct hash_index *x, uint32_t at)
{
    return (at + 1) & x->mask;
}

/* The number at the free place where a search for its hash has ended. */
void hash_index_put(struct hash_index *x, uint32_t at, uint32_t number, hash_index_hash *hash,
                    const void *owner);

/* Holds the numbers from 1 to `count` - 1 and nothing else, without growing. */
void hash_index_refill(struct hash_index *x, uint32_t count, hash_index_hash *hash,
                       const void *owner);

static inline size_t hash_index_bytes(const struct hash_index *x)
{
    return ((size_t)x->mask + 1) * sizeof *x->numbers;
}

#endif
