/* Connections: what was sent and received, and between which ends. */
#include "src/base/address.h"
#include "src/event/providers.h"
#include "src/model/fact_builder/helpers.h"

#include <string.h>

enum { NET_PID, NET_SIZE, NET_DADDR, NET_SADDR, NET_DPORT, NET_SPORT, NET_SEGMENT };

static uint16_t port(uint64_t network_order)
{
    return (uint16_t)(network_order >> 8 & 0xff) | (uint16_t)(network_order << 8);
}

static bool is_udp(const struct event *e)
{
    enum { UDP_GROUP = 8 };
    if (e->kind == HEADER_MANIFEST)
        return e->id >= KERNEL_NETWORK_UDP;
    return decode_hook(e) >> 8 == UDP_GROUP;
}

/* TCP events say d* for the remote end always; a UDP datagram that was received says
 * it for ours. Failures name no ends. */
static void set_connection(struct model *m, const struct event *e, const struct kind *k,
                           struct fact *f)
{
    struct connection_ends ends = {.is_udp = is_udp(e)};
    unsigned width = 4;
    const uint8_t *daddr = kind_bytes(k, e, NET_DADDR, width);
    if (!daddr) {
        ends.is_v6 = true;
        width = 16;
        daddr = kind_bytes(k, e, NET_DADDR, width);
    }
    const uint8_t *const saddr = kind_bytes(k, e, NET_SADDR, width);
    uint64_t dport, sport;
    if (!daddr || !saddr || !kind_load(k, e, NET_DPORT, &dport) ||
        !kind_load(k, e, NET_SPORT, &sport))
        return;
    const bool is_turned = ends.is_udp && f->op == OP_RECEIVE;
    memcpy(ends.remote, is_turned ? saddr : daddr, width);
    memcpy(ends.local, is_turned ? daddr : saddr, width);
    ends.remote_port = port(is_turned ? sport : dport);
    ends.local_port = port(is_turned ? dport : sport);
    f->entity = model_connection(m, source_of(m), &ends, f->process, f->op, f->time);
    struct connection *const c = generation_at(&m->connections, f->entity);
    uint64_t segment;
    f->place = c ? c->remote : 0;
    if (c && kind_load(k, e, NET_SEGMENT, &segment))
        c->segment = (uint16_t)segment;
    if (f->op == OP_CONNECT || f->op == OP_ACCEPT) {
        m->opened.number = f->entity;
        m->opened.source = source_of(m);
        m->opened.ts = e->ts;
    }
}

bool connection_end_read(const struct kind *k, const struct event *e, const char *name,
                         struct connection_ends *ends, bool is_remote)
{
    enum { FAMILY_IPV4 = 2, FAMILY_IPV6 = 23, PORT_AT = 2, IPV4_AT = 4, IPV6_AT = 8 };
    static const uint8_t any[16];
    struct decoded d;
    if (!kind_field(k, e, name, &d) || d.bytes < IPV4_AT + 4)
        return false;
    const unsigned family = load_u16(d.data);
    if (family != FAMILY_IPV4 && (family != FAMILY_IPV6 || d.bytes < IPV6_AT + 16))
        return false;
    const uint8_t *const at = d.data + (family == FAMILY_IPV4 ? IPV4_AT : IPV6_AT);
    const bool is_mapped = family == FAMILY_IPV6 && address_is_mapped(at);
    const bool is_v6 = family == FAMILY_IPV6 && !is_mapped;
    uint8_t *const to = is_remote ? ends->remote : ends->local;
    memset(to, 0, 16);
    if (is_remote && ends->is_v6 != is_v6)
        memset(ends->local, 0, 16); /* of the other version: any address */
    if (is_remote)
        ends->is_v6 = is_v6;
    if (ends->is_v6 == is_v6)
        memcpy(to, is_mapped ? at + 12 : at, is_v6 ? 16 : 4);
    else if (memcmp(at, any, is_v6 ? 16 : 4) != 0)
        return false;
    *(is_remote ? &ends->remote_port : &ends->local_port) = port(load_u16(d.data + PORT_AT));
    return true;
}

/* Sockets' failures are counted with the socket, where its driver is recorded (winsock.c). */
static bool is_counted_with_socket(const struct model *m, const struct event *e,
                                   const struct fact *f)
{
    static const int64_t LONGEST_CONNECT_NS = 120000000000;
    const struct model_source *const s = &m->sources[source_of(m)];
    if (f->op != OP_FAIL || !s->has_winsock)
        return false;
    return is_udp(e) || (s->connects && f->time - s->connect_ns < LONGEST_CONNECT_NS);
}

void make_network(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid;
    if (is_counted_with_socket(m, e, f)) {
        f->class = FACT_OTHER;
        f->op = OP_NONE;
        return;
    }
    /* On Windows the header names whoever ran when a packet came. */
    const bool is_owners = m->sources[source_of(m)].is_linux;
    if (!is_owners)
        f->process = f->thread = 0;
    if (kind_load(k, e, 0, &pid) && (!is_owners || pid != e->pid))
        set_process(m, f, pid);
    f->value = field(k, e, 1);
    set_connection(m, e, k, f);
}
