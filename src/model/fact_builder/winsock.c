/* Winsock: what fails on sockets, as their driver (AFD) records it, with the socket's connection
 * and the status. What succeeds is counted by the kernel's events of TCP and UDP. */
#include "src/model/fact_builder/helpers.h"

enum { SOCKET, SOCKET_STEP, SOCKET_STATUS, SOCKET_PLACE, SOCKET_PROCESS, SOCKET_TYPE, SOCKET_NEW };

/* EnterExit */
enum { STEP_BEGINS, STEP_ENDED };

static const uint64_t PENDING = 0x103;

/* Calls that would block or were given up are no failures. */
static bool is_failure(uint64_t status)
{
    static const uint64_t WOULD_BLOCK = 0xc00000a3, CANCELED = 0xc0000120;
    return status >> 30 == 3 && status != WOULD_BLOCK && status != CANCELED;
}

static bool has_ended(const struct kind *k, const struct event *e)
{
    return field(k, e, SOCKET_STEP) == STEP_ENDED && field(k, e, SOCKET_STATUS) != PENDING;
}

static bool has_failed(const struct kind *k, const struct event *e)
{
    return has_ended(k, e) && is_failure(field(k, e, SOCKET_STATUS));
}

/* The event is one of AFD's. It counts as OTHER unless the caller changes that. */
static void note(struct model *m, struct fact *f)
{
    m->sources[source_of(m)].has_winsock = true;
    f->class = FACT_OTHER;
    f->op = OP_NONE;
}

/* The socket of the event. Calls begin in their own process and may end in any. */
static struct net_handle *socket_of(struct model *m, const struct event *e, const struct kind *k,
                                    struct fact *f)
{
    struct net_handle *const s = model_net_handle_met(m, NET_SOCKET, 0, field(k, e, SOCKET));
    if (!s->process && field(k, e, SOCKET_STEP) == STEP_BEGINS)
        s->process = f->process;
    note(m, f);
    return s;
}

static uint32_t connection_of(struct model *m, const struct fact *f, struct net_handle *s,
                              const struct connection_ends *ends)
{
    static const struct connection_ends none;
    struct connection_ends far = *ends;
    far.is_udp = far.is_v6 = false;
    if (generation_at(&m->connections, s->connection) && !ends->is_udp)
        return s->connection;
    if (memcmp(&far, &none, sizeof far) == 0)
        return 0;
    const uint32_t known =
        ends->remote_port ? model_connection_to(m, source_of(m), ends, f->process) : 0;
    return known ? known : model_connection(m, source_of(m), ends, f->process, OP_FAIL, f->time);
}

static void own(struct fact *f, const struct net_handle *s)
{
    if (!s->process || s->process == f->process)
        return;
    f->process = s->process;
    f->thread = 0;
}

static void set_failed(struct model *m, const struct event *e, const struct kind *k, struct fact *f,
                       uint32_t connection)
{
    const struct connection *const c = generation_at(&m->connections, connection);
    f->class = FACT_NETWORK;
    f->op = OP_FAIL;
    f->entity = connection;
    f->place = c ? c->remote : 0;
    model_set_status(m, f, field(k, e, SOCKET_STATUS));
}

static void fail(struct model *m, const struct event *e, const struct kind *k, struct fact *f,
                 struct net_handle *s, const struct connection_ends *ends)
{
    own(f, s);
    set_failed(m, e, k, f, connection_of(m, f, s, ends));
}

void make_socket(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    enum { DATAGRAM = 2 };
    struct net_handle *s = socket_of(m, e, k, f);
    if (field(k, e, SOCKET_STEP) == STEP_BEGINS && s->connection) { /* the address of another */
        model_net_handle_gone(m, s);
        s = socket_of(m, e, k, f);
    }
    uint64_t pid;
    if (kind_load(k, e, SOCKET_PROCESS, &pid) && pid && pid < UINT32_MAX)
        s->process = model_process(m, source_of(m), (uint32_t)pid, f->time);
    s->ends.is_udp = field(k, e, SOCKET_TYPE) == DATAGRAM;
}

void make_socket_gone(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    struct net_handle *const s = model_net_handle(m, NET_SOCKET, 0, field(k, e, SOCKET));
    note(m, f);
    if (s)
        model_net_handle_gone(m, s);
}

void make_socket_bind(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    struct net_handle *const s = socket_of(m, e, k, f);
    struct connection_ends ends = {.is_udp = s->ends.is_udp};
    if (connection_end_read(k, e, "Address", &ends, true)) { /* alone: it has the version */
        memcpy(s->ends.local, ends.remote, sizeof ends.remote);
        s->ends.local_port = ends.remote_port;
        s->ends.is_v6 = ends.is_v6;
    }
    if (has_failed(k, e))
        fail(m, e, k, f, s, &s->ends);
}

/* An attempt that fails belongs to the remote end, from whichever port it was made. */
void make_socket_connect(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    struct net_handle *const s = socket_of(m, e, k, f);
    struct model_source *const source = &m->sources[source_of(m)];
    connection_end_read(k, e, "Address", &s->ends, true);
    if (field(k, e, SOCKET_STEP) == STEP_BEGINS) {
        source->connects += !s->is_begun;
        source->connect_ns = f->time;
        s->is_begun = true;
        s->connection = 0;
        return;
    }
    if (!has_ended(k, e))
        return;
    source->connects -= s->is_begun && source->connects;
    s->is_begun = false;
    struct connection_ends ends = s->ends;
    if (has_failed(k, e)) {
        memset(ends.local, 0, sizeof ends.local);
        ends.local_port = 0;
        own(f, s);
        set_failed(m, e, k, f,
                   model_connection(m, source_of(m), &ends, f->process, OP_FAIL, f->time));
    } else if (!s->connection && ends.remote_port) {
        s->connection = model_connection_to(m, source_of(m), &ends, s->process);
    }
}

void make_socket_accept(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    struct net_handle *const s = socket_of(m, e, k, f);
    uint64_t value;
    if (has_failed(k, e)) {
        fail(m, e, k, f, s, &s->ends);
    } else if (has_ended(k, e) && kind_load(k, e, SOCKET_NEW, &value) && value) {
        struct net_handle *const accepted = model_net_handle_met(m, NET_SOCKET, 0, value);
        accepted->ends = s->ends;
        accepted->process = s->process;
        if (connection_end_read(k, e, "Address", &accepted->ends, true))
            accepted->connection =
                model_connection_to(m, source_of(m), &accepted->ends, accepted->process);
    }
}

void make_socket_transfer(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    /* Where buffered sends end, their call ends once more. */
    enum { BUFFERED_SEND_ENDED = 3024, BUFFERED_SENDS_ENDED = 3073 };
    struct net_handle *const s = socket_of(m, e, k, f);
    const uint64_t place = field(k, e, SOCKET_PLACE);
    struct connection_ends ends = s->ends;
    connection_end_read(k, e, "Address", &ends, true);
    if (has_failed(k, e) && place != BUFFERED_SEND_ENDED && place != BUFFERED_SENDS_ENDED)
        fail(m, e, k, f, s, &ends);
}

/* A datagram that came and found no room. */
void make_socket_drop(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    struct net_handle *const s = socket_of(m, e, k, f);
    struct connection_ends ends = s->ends;
    ends.is_udp = true;
    connection_end_read(k, e, "Address", &ends, true);
    fail(m, e, k, f, s, &ends);
}
