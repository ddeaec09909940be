/* Connections: what TCP and UDP events are about, by both ends. Events carry no
 * usable connection id, so the ends are the identity; a Connect or Accept on ends
 * that were opened or closed before (or on ends that another process had) is another
 * connection. */
#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdio.h>

static uint64_t remote_key(const struct connection_ends *e)
{
    uint64_t words[2];
    memcpy(words, e->remote, 16);
    return hash_mix(hash_mix(words[0]) ^ words[1]) * 0xff51afd7ed558ccdu ^ e->is_v6;
}

/* The first connection to its address that is still known; two addresses with one key are
 * compared. */
static uint32_t remote_of(struct model *m, const struct connection *c)
{
    const uint64_t key = remote_key(&c->ends);
    const struct connection *const first =
        generation_at(&m->connections, map_get(&m->remote_now, key));
    if (first && first->ends.is_v6 == c->ends.is_v6 &&
        memcmp(first->ends.remote, c->ends.remote, 16) == 0)
        return first->number;
    map_put(&m->remote_now, key, c->number);
    return c->number;
}

/* Of all connections of a process to one remote end. */
static uint64_t peer_key(const struct connection_ends *e, source_id source, uint32_t process)
{
    return hash_mix(remote_key(e) ^ source) ^
           hash_mix((uint64_t)process << 32 | (uint32_t)e->remote_port << 1 | e->is_udp);
}

static void forget_connection(void *thing, void *arg)
{
    struct connection *const c = thing;
    struct model *m = arg;
    const uint64_t peer = peer_key(&c->ends, c->source, c->process);
    m->tally.early_connections += c->closed_ns && model_is_kept(m, c->closed_ns);
    if (map_get(&m->connection_now, c->key) == c->number)
        map_remove(&m->connection_now, c->key);
    if (map_get(&m->peer_now, peer) == c->number)
        map_remove(&m->peer_now, peer);
    model_unname(m, &c->url);
    if (c->remote == c->number && map_get(&m->remote_now, remote_key(&c->ends)) == c->number)
        map_remove(&m->remote_now, remote_key(&c->ends));
}

static uint64_t ends_key(const struct connection_ends *e, source_id source, uint32_t process)
{
    uint64_t words[5] = {0};
    memcpy(words, e->local, 16);
    memcpy(words + 2, e->remote, 16);
    words[4] = (uint64_t)e->local_port << 48 | (uint64_t)e->remote_port << 32 |
               (uint64_t)e->is_udp << 17 | (uint64_t)e->is_v6 << 16 | source;
    uint64_t key = process;
    for (unsigned i = 0; i < 5; i++)
        key = hash_mix(key ^ words[i]) * 0xff51afd7ed558ccdu;
    return key;
}

static bool same_ends(const struct connection_ends *a, const struct connection_ends *b)
{
    return a->is_udp == b->is_udp && a->is_v6 == b->is_v6 && a->local_port == b->local_port &&
           a->remote_port == b->remote_port && memcmp(a->local, b->local, 16) == 0 &&
           memcmp(a->remote, b->remote, 16) == 0;
}

/* The connection with these ends now. Two pairs of ends with one key are compared; the newer one
 * then has the key. */
static struct connection *connection_now(const struct model *m, uint64_t key,
                                         const struct connection_ends *ends, uint32_t process)
{
    struct connection *c = generation_at(&m->connections, map_get(&m->connection_now, key));
    return c && c->process == process && same_ends(&c->ends, ends) ? c : NULL;
}

static bool opens(enum fact_op op)
{
    return op == OP_CONNECT || op == OP_ACCEPT;
}

uint32_t model_connection(struct model *m, source_id source, const struct connection_ends *ends,
                          uint32_t process, enum fact_op op, int64_t time)
{
    const uint64_t key = ends_key(ends, source, process);
    struct connection *c = connection_now(m, key, ends, process);
    if (!c || (opens(op) && (c->closed_ns || c->opened_ns))) {
        c = generation_add(&m->connections, forget_connection, m);
        c->ends = *ends;
        c->key = key;
        c->process = process;
        c->first_ns = time;
        c->source = source;
        map_put(&m->connection_now, key, c->number);
        map_put(&m->peer_now, peer_key(ends, source, process), c->number);
        c->remote = remote_of(m, c);
    }
    c->met = m->connections.newest;
    if (opens(op)) {
        c->opened_ns = time;
        c->opened_by = (uint8_t)op;
    }
    if (op == OP_DISCONNECT && !c->closed_ns)
        c->closed_ns = time;
    return c->number;
}

uint32_t model_connection_to(const struct model *m, source_id source,
                             const struct connection_ends *ends, uint32_t process)
{
    const struct connection *const c =
        generation_at(&m->connections, map_get(&m->peer_now, peer_key(ends, source, process)));
    const bool is_it = c && c->source == source && c->process == process &&
                       c->ends.is_udp == ends->is_udp && c->ends.is_v6 == ends->is_v6 &&
                       c->ends.remote_port == ends->remote_port &&
                       memcmp(c->ends.remote, ends->remote, sizeof ends->remote) == 0;
    return is_it ? c->number : 0;
}

const char *model_connection_address(const struct connection *c, bool is_remote, char *out,
                                     size_t room)
{
    static const struct field v4 = {.name = "", .type = FIELD_IPV4, .count = 1};
    static const struct field v6 = {.name = "", .type = FIELD_IPV6, .count = 1};
    const struct decoded d = {.field = c->ends.is_v6 ? &v6 : &v4,
                              .is_present = true,
                              .data = is_remote ? c->ends.remote : c->ends.local,
                              .bytes = c->ends.is_v6 ? 16 : 4};
    decode_format(&d, out, room);
    return out;
}

const char *model_connection_end(const struct connection *c, bool is_remote, char *out, size_t room)
{
    static const uint8_t nothing[16];
    const uint8_t *const address = is_remote ? c->ends.remote : c->ends.local;
    const unsigned port = is_remote ? c->ends.remote_port : c->ends.local_port;
    if (!port && memcmp(address, nothing, c->ends.is_v6 ? 16 : 4) == 0) {
        snprintf(out, room, "(unknown)");
        return out;
    }
    char text[64];
    model_connection_address(c, is_remote, text, sizeof text);
    snprintf(out, room, c->ends.is_v6 ? "[%s]:%u" : "%s:%u", text, port);
    return out;
}
