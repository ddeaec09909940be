#include "src/model/host.h"

#include "src/base/address.h"
#include "src/model/model.h"

#include <stdlib.h>
#include <string.h>

/* Distinct addresses that are remembered; the oldest make room. */
enum { HOSTS = 1 << 15 };

static uint64_t host_key(const uint8_t *address, bool is_v6)
{
    uint64_t words[2] = {0};
    memcpy(words, address, is_v6 ? 16 : 4);
    return hash_mix(hash_mix(words[0]) ^ words[1] ^ is_v6);
}

static bool is_it(const struct named_host *h, const uint8_t *address, bool is_v6)
{
    return h && h->is_v6 == is_v6 && memcmp(h->address, address, is_v6 ? 16 : 4) == 0;
}

static void forget_host(void *thing, void *arg)
{
    struct named_host *const h = thing;
    struct model *const m = arg;
    const uint64_t key = host_key(h->address, h->is_v6);
    if (map_get(&m->host_now, key) == h->number)
        map_remove(&m->host_now, key);
    model_unname(m, &h->name);
}

static enum generation_use use_of_host(const void *thing, const void *m)
{
    (void)thing, (void)m;
    return GENERATION_UNUSED;
}

void model_hosts_init(struct model *m)
{
    generation_init(&m->hosts, sizeof(struct named_host), HOSTS, use_of_host);
    map_init(&m->host_now);
}

void model_hosts_fini(struct model *m)
{
    for (uint32_t i = 0; i < m->hosts.end; i++) {
        const struct named_host *const h = generation_place(&m->hosts, i);
        if (h)
            free(h->name);
    }
    generation_fini(&m->hosts);
    map_fini(&m->host_now);
}

void model_host_named(struct model *m, const uint8_t address[16], bool is_v6, const char *name)
{
    const bool turns = is_v6 && address_is_mapped(address);
    const uint8_t *const bytes = turns ? address + 12 : address;
    is_v6 = is_v6 && !turns;
    const uint64_t key = host_key(bytes, is_v6);
    struct named_host *h = generation_at(&m->hosts, map_get(&m->host_now, key));
    if (!is_it(h, bytes, is_v6)) {
        h = generation_add(&m->hosts, forget_host, m);
        h->is_v6 = is_v6;
        memcpy(h->address, bytes, is_v6 ? 16 : 4);
        map_put(&m->host_now, key, h->number);
    }
    if (model_rename(m, &h->name, name))
        m->late_names++;
}

const char *model_host(const struct model *m, const uint8_t *address, bool is_v6)
{
    const struct named_host *const h =
        generation_at(&m->hosts, map_get(&m->host_now, host_key(address, is_v6)));
    return is_it(h, address, is_v6) ? h->name : NULL;
}
