#include "ui/widget/slots.h"

static bool is_set(const struct slots *s, unsigned slot)
{
    return s->is_set((const char *)s->of + slot * s->bytes);
}

unsigned slots_free(const struct slots *s)
{
    unsigned slot = 0;
    while (slot < s->count && is_set(s, slot))
        slot++;
    return slot;
}

unsigned slots_numbered(const struct slots *s, unsigned number)
{
    unsigned slot = 0, seen = 0;
    for (; slot < s->count; slot++)
        if (is_set(s, slot) && ++seen == number)
            break;
    return slot;
}

unsigned slots_used(const struct slots *s)
{
    unsigned used = 0;
    for (unsigned slot = 0; slot < s->count; slot++)
        used += is_set(s, slot);
    return used;
}

bool slots_dropped(const struct slots *s, unsigned number, unsigned *at, unsigned *slot)
{
    if (number) {
        *slot = *at ? s->count : slots_numbered(s, number);
        *at = 1;
        return *slot < s->count;
    }
    while (*at < s->count && !is_set(s, *at))
        ++*at;
    *slot = (*at)++;
    return *slot < s->count;
}
