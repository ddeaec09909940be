#include "src/model/net_handle.h"

#include "src/model/model.h"

#include <stdlib.h>

enum { HANDLES = 1 << 15 };

static uint64_t key_of(source_id source, enum net_handle_kind kind, uint32_t owner, uint64_t value)
{
    return hash_mix(value) ^ hash_mix((uint64_t)owner << 32 | (uint32_t)kind << 16 | source);
}

static uint64_t key_again(const struct net_handle *h)
{
    return key_of(h->source, (enum net_handle_kind)h->kind, h->owner, h->value);
}

static void forget_handle(void *thing, void *arg)
{
    struct net_handle *const h = thing;
    struct model *const m = arg;
    model_net_handle_gone(m, h);
    model_unname(m, &h->url);
}

static enum generation_use use_of_handle(const void *thing, const void *m)
{
    (void)thing, (void)m;
    return GENERATION_UNUSED;
}

struct net_handle *model_net_handle(const struct model *m, enum net_handle_kind kind,
                                    uint32_t owner, uint64_t value)
{
    struct net_handle *const h = generation_at(
        &m->net_handles, map_get(&m->net_handle_now, key_of(m->source, kind, owner, value)));
    return h && h->kind == kind && h->source == m->source && h->owner == owner && h->value == value
               ? h
               : NULL;
}

struct net_handle *model_net_handle_met(struct model *m, enum net_handle_kind kind, uint32_t owner,
                                        uint64_t value)
{
    struct net_handle *h = model_net_handle(m, kind, owner, value);
    if (h)
        return h;
    h = generation_add(&m->net_handles, forget_handle, m);
    h->kind = (uint8_t)kind;
    h->source = m->source;
    h->owner = owner;
    h->value = value;
    map_put(&m->net_handle_now, key_again(h), h->number);
    return h;
}

void model_net_handle_gone(struct model *m, struct net_handle *h)
{
    if (h->kind == NET_SOCKET && h->is_begun) { /* its end was lost: it waits no longer */
        uint32_t *const connects = &m->sources[h->source].connects;
        *connects -= *connects > 0;
        h->is_begun = false;
    }
    if (map_get(&m->net_handle_now, key_again(h)) == h->number)
        map_remove(&m->net_handle_now, key_again(h));
}

void model_net_handles_init(struct model *m)
{
    generation_init(&m->net_handles, sizeof(struct net_handle), HANDLES, use_of_handle);
    map_init(&m->net_handle_now);
}

void model_net_handles_fini(struct model *m)
{
    for (uint32_t i = 0; i < m->net_handles.end; i++) {
        const struct net_handle *const h = generation_place(&m->net_handles, i);
        if (h)
            free(h->url);
    }
    generation_fini(&m->net_handles);
    map_fini(&m->net_handle_now);
}
