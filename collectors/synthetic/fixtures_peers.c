/* The peers that the made-up machine talks to. */
#include "collectors/synthetic/machine.h"

#include <string.h>

static void set_v4(uint8_t *at, unsigned a, unsigned b, unsigned c, unsigned d)
{
    at[0] = (uint8_t)a;
    at[1] = (uint8_t)b;
    at[2] = (uint8_t)c;
    at[3] = (uint8_t)d;
}

/* Addresses from the blocks that are kept for documentation. */
static void set_v6(uint8_t *at, unsigned net, unsigned host)
{
    static const uint8_t prefix[] = {0x20, 0x01, 0x0d, 0xb8};
    memcpy(at, prefix, sizeof prefix);
    at[5] = (uint8_t)net;
    at[14] = (uint8_t)(host >> 8);
    at[15] = (uint8_t)host;
}

uint16_t link_new(struct synthetic *s, struct demo_thread *t, bool is_udp)
{
    uint16_t index = (uint16_t)prng_below(&s->prng, LINK_SLOTS);
    for (unsigned tries = 0; s->links[index].is_used; tries++) {
        if (tries == LINK_SLOTS)
            return NOBODY;
        index = (uint16_t)((index + 1) % LINK_SLOTS);
    }
    const bool is_server = t->role == ROLE_SERVER;
    struct link *l = &s->links[index];
    const unsigned host = prng_below(&s->prng, 60);
    *l = (struct link){
        .here_port = is_server ? 1433 : (uint16_t)prng_between(&s->prng, 49152, 65535),
        .there_port = is_server ? (uint16_t)prng_between(&s->prng, 49152, 65535)
                      : is_udp  ? 53
                                : 443,
        .thread = thread_index(s, t),
        .process = t->process,
        .is_v6 = prng_chance(&s->prng, 300),
        .is_udp = is_udp,
        .is_used = true,
        .trip = prng_spread(&s->prng,
                            is_server ? 6000
                            : is_udp  ? 80000
                                      : 180000,
                            8),
    };
    if (l->is_v6) {
        set_v6(l->here, 1, 0x20);
        set_v6(l->there, is_server ? 1 : 2 + host % 9, host + 0x100);
    } else {
        set_v4(l->here, 192, 0, 2, 20);
        set_v4(l->there, is_server ? 192 : 198, is_server ? 0 : 51, is_server ? 2 : 100, 30 + host);
    }
    t->link = index;
    return index;
}
