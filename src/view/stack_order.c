#include "src/view/stack_order.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct stack_child *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* By one digit of one of the two keys, keeping the order there was. */
static void sort_by_digit(const struct stack_child *from, struct stack_child *to, size_t count,
                          bool is_number, unsigned shift, unsigned digits)
{
    enum { MOST_DIGITS = 1 << 11 };
    size_t starts[MOST_DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        starts[(is_number ? from[i].number : from[i].at) >> shift & (digits - 1)]++;
    for (unsigned d = 0; d < digits; d++) {
        const size_t here = starts[d];
        starts[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[(is_number ? from[i].number : from[i].at) >> shift & (digits - 1)]++] = from[i];
}

/* Of a great many: digit by digit, the last one first. Digits that all have in common are passed
 * over, and most are. */
static void sort_by_digits(struct stack_child *from, size_t count)
{
    enum { BITS = 11, DIGITS = 1 << BITS, KEYS = 2, PASSES = (64 + BITS - 1) / BITS };
    struct stack_child *const room = mem_new(count, sizeof *room), *at = from, *other = room;
    uint64_t differs[KEYS] = {0};
    for (size_t i = 1; i < count; i++) {
        differs[0] |= from[i].at ^ from[0].at;
        differs[1] |= from[i].number ^ from[0].number;
    }
    for (unsigned pass = 0; pass < KEYS * PASSES; pass++) {
        const unsigned shift = pass % PASSES * BITS;
        const bool is_number = pass >= PASSES; /* it counts more than where the frame is */
        if (!(differs[is_number] >> shift & (DIGITS - 1)))
            continue;
        sort_by_digit(at, other, count, is_number, shift, DIGITS);
        struct stack_child *const swap = at;
        at = other;
        other = swap;
    }
    if (at != from)
        memcpy(from, at, count * sizeof *from);
    free(room);
}

void stack_order_sort(struct stack_child *from, size_t count)
{
    enum { MANY = 1024 };
    if (count >= MANY)
        sort_by_digits(from, count);
    else if (count > 1)
        qsort(from, count, sizeof *from, compare);
}

/* ---- modules by name ----------------------------------------------------------------------- */

struct named_module {
    const char *name;
    uint32_t module;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named_module *)a)->name, ((const struct named_module *)b)->name);
}

static const char *module_name(const struct model *m, uint32_t module)
{
    const struct image like = {.module = module};
    const char *const name = model_module_name(m, &like);
    return name ? name : "";
}

void stack_order_rank(struct map *ranks, const struct model *m, const struct stack_tree *t)
{
    struct named_module *all = NULL;
    size_t count = 0, room = 0;
    map_fini(ranks);
    map_init(ranks);
    for (uint32_t n = 1; n < t->count; n++) {
        const uint32_t module = t->nodes[n].site.module;
        if ((n > 1 && module == t->nodes[n - 1].site.module) || map_get(ranks, module))
            continue;
        if (count == room) {
            room = room ? room * 2 : 64;
            all = mem_grow(all, room, sizeof *all);
        }
        all[count++] = (struct named_module){module_name(m, module), module};
        map_put(ranks, module, 1);
    }
    if (count)
        qsort(all, count, sizeof *all, compare_names);
    for (size_t i = 0, rank = 1; i < count; i++) {
        rank += i && strcmp(all[i - 1].name, all[i].name) != 0;
        map_put(ranks, all[i].module, (uint32_t)rank);
    }
    free(all);
}
