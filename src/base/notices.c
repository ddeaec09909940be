#include "src/base/notices.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = NOTICE_BYTES / 8 };

/* Whoever reads a word of the new text sees, behind it, that the old number is gone. */
void notices_add(struct notices *n, const char *text)
{
    uint64_t words[WORDS] = {0};
    snprintf((char *)words, sizeof words, "%s", text);
    const uint64_t index = atomic_fetch_add_explicit(&n->count, 1, memory_order_acq_rel);
    struct notice *const kept = &n->kept[index % NOTICE_MAX];
    atomic_store_explicit(&kept->number, 0, memory_order_relaxed);
    for (unsigned i = 0; i < WORDS; i++)
        atomic_store_explicit(&kept->words[i], words[i], memory_order_release);
    atomic_store_explicit(&kept->number, index + 1, memory_order_release);
}

bool notices_read(const struct notices *n, uint64_t index, char out[NOTICE_BYTES])
{
    const struct notice *const kept = &n->kept[index % NOTICE_MAX];
    uint64_t words[WORDS];
    if (atomic_load_explicit(&kept->number, memory_order_acquire) != index + 1)
        return false;
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = atomic_load_explicit(&kept->words[i], memory_order_acquire);
    memcpy(out, words, NOTICE_BYTES);
    return atomic_load_explicit(&kept->number, memory_order_relaxed) == index + 1;
}

bool notices_last(const struct notices *n, char out[NOTICE_BYTES])
{
    const uint64_t count = notices_count(n);
    const uint64_t kept = count < NOTICE_MAX ? count : NOTICE_MAX;
    for (uint64_t back = 1; back <= kept; back++) /* the newest may just be written */
        if (notices_read(n, count - back, out))
            return true;
    return false;
}
