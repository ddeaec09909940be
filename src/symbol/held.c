/* Images that several hold at once. */
#include "src/base/mem.h"
#include "src/symbol/backend.h"

#include <stdlib.h>

struct symbol_held *symbol_held_new(const struct symbol_image *image)
{
    struct symbol_held *const h = mem_new(1, sizeof *h);
    h->image = *image;
    h->image.path = mem_string(image->path);
    h->image.pdb = mem_string(image->pdb);
    atomic_store_explicit(&h->holders, 1, memory_order_relaxed);
    return h;
}

struct symbol_held *symbol_hold(struct symbol_held *h)
{
    atomic_fetch_add_explicit(&h->holders, 1, memory_order_relaxed);
    return h;
}

void symbol_let_go(struct symbol_held *h)
{
    if (atomic_fetch_sub_explicit(&h->holders, 1, memory_order_acq_rel) > 1)
        return;
    free((char *)(uintptr_t)h->image.path);
    free((char *)(uintptr_t)h->image.pdb);
    free(h);
}
