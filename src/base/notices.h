/* Sentences of a collector for the user. The last NOTICE_MAX are kept: a monitor that runs for a
 * week must be able to say what happens then. Any thread may add and read; nobody waits. */
#ifndef SRC_BASE_NOTICES_H
#define SRC_BASE_NOTICES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { NOTICE_MAX = 16, NOTICE_BYTES = 512 };

/* All zero is empty. */
struct notices {
    _Atomic uint64_t count; /* since the start */
    struct notice {
        _Atomic uint64_t number; /* of the notice, from 1; 0 while it is written */
        _Atomic uint64_t words[NOTICE_BYTES / 8];
    } kept[NOTICE_MAX];
};

/* Longer texts are cut. */
void notices_add(struct notices *n, const char *text);

static inline uint64_t notices_count(const struct notices *n)
{
    return atomic_load_explicit(&n->count, memory_order_acquire);
}

/* The index of the oldest one that is kept, of so many. */
static inline uint64_t notices_oldest(uint64_t count)
{
    return count > NOTICE_MAX ? count - NOTICE_MAX : 0;
}

/* Copies a notice, 0 … notices_count() - 1; false when it has made room for a newer one. */
bool notices_read(const struct notices *n, uint64_t index, char out[NOTICE_BYTES]);

/* The newest one, for tests; false where there is none. */
bool notices_last(const struct notices *n, char out[NOTICE_BYTES]);

#endif
