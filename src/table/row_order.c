#include "src/table/row_order.h"

#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/table/table.h"

#include <stdlib.h>

enum { FIRST_SIZE = 256 };

void row_order_clear(struct row_order *h)
{
    free(h->places);
    *h = (struct row_order){0};
}

/* The place of a key, or the free place where it belongs. */
static struct row_order_place *place_of(const struct row_order *h, struct row_key key)
{
    const uint64_t mixed = row_key_mixed(key);
    uint32_t i = (uint32_t)mixed & h->mask;
    while (h->places[i].rank && !row_key_equal(h->places[i].key, key))
        i = (i + 1) & h->mask;
    return &h->places[i];
}

uint32_t row_order_rank(const struct row_order *h, struct row_key key)
{
    return h->count ? place_of(h, key)->rank : 0;
}

static void grow(struct row_order *h)
{
    const struct row_order old = *h;
    const uint32_t size = old.places ? (old.mask + 1) * 2 : FIRST_SIZE;
    h->places = mem_new(size, sizeof *h->places);
    h->mask = size - 1;
    for (uint32_t i = 0; old.places && i <= old.mask; i++)
        if (old.places[i].rank)
            *place_of(h, old.places[i].key) = old.places[i];
    free(old.places);
}

uint32_t row_order_add(struct row_order *h, struct row_key key)
{
    if (!h->places || h->count >= h->mask / 2) /* half full: probes stay short */
        grow(h);
    *place_of(h, key) = (struct row_order_place){.key = key, .rank = ++h->count};
    return h->count;
}
