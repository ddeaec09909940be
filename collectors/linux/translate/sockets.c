#include "collectors/linux/translate/sockets.h"

#include "src/base/mem.h"
#include "src/event/event.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILY_V4 = 2, FAMILY_V6 = 10 };

/* Buckets of so many places: the one used longest ago goes. */
enum { WAYS = 8 };

struct sockets {
    struct socket_entry *places;
    uint64_t bucket_mask;
    uint64_t pushed_out;
    uint32_t numbers;
};

static bool is_mapped(const uint8_t *address)
{
    static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
    return memcmp(address, prefix, sizeof prefix) == 0;
}

struct socket_ends socket_ends_of(unsigned family, const uint8_t *local, const uint8_t *remote,
                                  unsigned local_port, unsigned remote_port)
{
    struct socket_ends e = {.local_port = (uint16_t)local_port,
                            .remote_port = (uint16_t)remote_port};
    e.is_v6 = family == FAMILY_V6 && !is_mapped(local) && !is_mapped(remote);
    const unsigned skip = family == FAMILY_V6 && !e.is_v6 ? 12 : 0;
    const unsigned width = e.is_v6 ? 16 : 4;
    memcpy(e.local, local + skip, width);
    memcpy(e.remote, remote + skip, width);
    return e;
}

struct sockets *sockets_new(unsigned capacity)
{
    assert(capacity >= WAYS && (capacity & (capacity - 1)) == 0);
    struct sockets *s = mem_new(1, sizeof *s);
    s->places = mem_new(capacity, sizeof *s->places);
    s->bucket_mask = capacity / WAYS - 1;
    return s;
}

void sockets_free(struct sockets *s)
{
    if (!s)
        return;
    free(s->places);
    free(s);
}

/* Kernel objects lie some hundred bytes apart: the low bits say little. */
static struct socket_entry *bucket(const struct sockets *s, uint64_t sk)
{
    const uint64_t hash = (sk >> 6) * 0x9e3779b97f4a7c15u;
    return s->places + (hash >> 32 & s->bucket_mask) * WAYS;
}

struct socket_entry *sockets_find(struct sockets *s, uint64_t sk)
{
    struct socket_entry *const b = bucket(s, sk);
    for (unsigned i = 0; sk && i < WAYS; i++)
        if (b[i].sk == sk)
            return &b[i];
    return NULL;
}

static struct socket_entry *place_for(struct sockets *s, uint64_t sk)
{
    struct socket_entry *const known = sockets_find(s, sk);
    if (known)
        return known;
    struct socket_entry *const b = bucket(s, sk), *oldest = b;
    for (unsigned i = 0; i < WAYS; i++) {
        if (!b[i].sk)
            return &b[i];
        if (b[i].used_ns < oldest->used_ns)
            oldest = &b[i];
    }
    s->pushed_out++;
    return oldest;
}

struct socket_entry *sockets_renew(struct sockets *s, uint64_t sk, unsigned protocol, int64_t time)
{
    struct socket_entry *const e = place_for(s, sk);
    if (++s->numbers == 0)
        s->numbers = 1;
    *e = (struct socket_entry){
        .sk = sk,
        .used_ns = time,
        .owner = EVENT_NO_ID,
        .number = s->numbers,
        .protocol = (uint8_t)protocol,
    };
    return e;
}

struct socket_entry *sockets_take(struct sockets *s, uint64_t sk, unsigned protocol, int64_t time)
{
    struct socket_entry *const e = sockets_find(s, sk);
    if (!e || e->protocol != protocol)
        return sockets_renew(s, sk, protocol, time);
    e->used_ns = time;
    return e;
}

void sockets_forget(struct sockets *s, uint64_t sk)
{
    struct socket_entry *const e = sockets_find(s, sk);
    if (e)
        e->sk = 0;
}

uint64_t sockets_pushed_out(const struct sockets *s)
{
    return s->pushed_out;
}
