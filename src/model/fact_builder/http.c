/* HTTP: which URL is asked for over which connection, and how long the answer takes, as the
 * server's driver (HttpService) and the clients' libraries (WinINet, and WebIO below WinHTTP)
 * record it. Bytes and the opening of connections are recorded by the kernel; they are not counted
 * here again. */
#include "src/base/address.h"
#include "src/model/fact_builder/helpers.h"

#include <stdlib.h>

static void set_connection(struct model *m, struct fact *f, uint32_t number)
{
    const struct connection *const c = generation_at(&m->connections, number);
    f->entity = c ? c->number : 0;
    f->place = c ? c->remote : 0;
}

static void ask_for(struct model *m, uint32_t number, const char *url)
{
    struct connection *const c = generation_at(&m->connections, number);
    if (c && url && model_rename(m, &c->url, url))
        m->late_names++;
}

static void begin(struct net_handle *request, const struct fact *f)
{
    request->begun_ns = f->time;
    request->is_begun = true;
}

/* The answer of a request whose beginning was seen; it ends once. */
static void end(struct net_handle *request, struct fact *f)
{
    if (!request || !request->is_begun)
        return;
    request->is_begun = false;
    f->op = OP_END;
    fact_latency(f, f->time - request->begun_ns);
}

/* ---- the server ------------------------------------------------------------------------------- */

/* The driver's connections belong to the system, whoever runs when a packet comes. */
enum { SYSTEM_PID = 4 };

/* The rows of HttpService name these, where an event has them. */
enum { HTTP_REQUEST, HTTP_CONNECTION, HTTP_OBJECT, HTTP_STATUS };

static struct net_handle *handle_of(struct model *m, const struct kind *k, const struct event *e,
                                    unsigned field, enum net_handle_kind kind)
{
    uint64_t value;
    return kind_load(k, e, field, &value) ? model_net_handle_met(m, kind, 0, value) : NULL;
}

static void belong(struct model *m, struct fact *f, const struct net_handle *h)
{
    f->op = OP_OTHER;
    m->sources[source_of(m)].has_http = true;
    const uint32_t system = model_process(m, source_of(m), SYSTEM_PID, f->time);
    if (f->process != system)
        set_process(m, f, SYSTEM_PID);
    set_connection(m, f, h ? h->connection : 0);
}

void make_http_connected(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    struct connection_ends ends = {.is_udp = false};
    struct net_handle *const object = handle_of(m, k, e, HTTP_OBJECT, NET_HTTP_OBJECT);
    if (object && connection_end_read(k, e, "RemoteAddr", &ends, true) &&
        connection_end_read(k, e, "LocalAddr", &ends, false)) {
        const uint32_t system = model_process(m, source_of(m), SYSTEM_PID, f->time);
        object->connection = model_connection(m, source_of(m), &ends, system, OP_OTHER, f->time);
        const struct connection *const c = generation_at(&m->connections, object->connection);
        if (c->closed_ns || !c->opened_ns) /* no event said that it was accepted */
            object->connection =
                model_connection(m, source_of(m), &ends, system, OP_ACCEPT, f->time);
    }
    belong(m, f, object);
}

void make_http_assigned(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    const struct net_handle *const object = handle_of(m, k, e, HTTP_OBJECT, NET_HTTP_OBJECT);
    struct net_handle *const c = handle_of(m, k, e, HTTP_CONNECTION, NET_HTTP_CONNECTION);
    if (object && c)
        c->connection = object->connection;
    belong(m, f, c);
}

void make_http_closed(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    struct net_handle *const object = handle_of(m, k, e, HTTP_OBJECT, NET_HTTP_OBJECT);
    struct connection *const c = object ? generation_at(&m->connections, object->connection) : NULL;
    if (c && !c->closed_ns)
        c->closed_ns = f->time;
    belong(m, f, object);
    if (object)
        model_net_handle_gone(m, object);
}

/* A connection that is older than the trace gets its remote end from its first request. */
static void find_connection(struct model *m, const struct event *e, const struct kind *k,
                            const struct fact *f, struct net_handle *h)
{
    struct connection_ends ends = {.is_udp = false};
    if (generation_at(&m->connections, h->connection) ||
        !connection_end_read(k, e, "RemoteAddr", &ends, true))
        return;
    const uint32_t system = model_process(m, source_of(m), SYSTEM_PID, f->time);
    h->connection = model_connection_to(m, source_of(m), &ends, system);
    if (!h->connection)
        h->connection = model_connection(m, source_of(m), &ends, system, OP_OTHER, f->time);
}

void make_http_request(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    struct net_handle *const request = handle_of(m, k, e, HTTP_REQUEST, NET_HTTP_REQUEST);
    struct net_handle *const c = handle_of(m, k, e, HTTP_CONNECTION, NET_HTTP_CONNECTION);
    if (c)
        find_connection(m, e, k, f, c);
    belong(m, f, c);
    f->op = OP_QUERY;
    if (!request)
        return;
    request->connection = f->entity;
    begin(request, f);
}

void make_http_url(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    char url[NAME_ROOM];
    const struct net_handle *const request = handle_of(m, k, e, HTTP_REQUEST, NET_HTTP_REQUEST);
    belong(m, f, request);
    if (f->entity)
        ask_for(m, f->entity, kind_text(k, e, "Url", url, sizeof url));
}

void make_http_answer(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    struct net_handle *const request = handle_of(m, k, e, HTTP_REQUEST, NET_HTTP_REQUEST);
    belong(m, f, request);
    end(request, f);
}

void make_http_failure(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    belong(m, f, handle_of(m, k, e, HTTP_REQUEST, NET_HTTP_REQUEST));
    f->op = OP_FAIL;
    model_set_status(m, f, field(k, e, HTTP_STATUS));
}

/* ---- clients ---------------------------------------------------------------------------------- */

/* The values of clients are pointers of their process. */
static struct net_handle *own_handle(struct model *m, const struct kind *k, const struct event *e,
                                     const struct fact *f, unsigned field,
                                     enum net_handle_kind kind)
{
    uint64_t value;
    return kind_load(k, e, field, &value) && value
               ? model_net_handle_met(m, kind, f->process, value)
               : NULL;
}

/* The request goes over that connection from here on: it counts once. */
static void send_over(struct model *m, struct fact *f, struct net_handle *request,
                      uint32_t connection)
{
    f->class = FACT_OTHER;
    f->op = OP_NONE;
    m->sources[source_of(m)].has_http = true;
    if (!request || !generation_at(&m->connections, connection))
        return;
    f->class = FACT_NETWORK;
    f->op = request->connection == connection ? OP_OTHER : OP_QUERY;
    request->connection = connection;
    set_connection(m, f, connection);
    ask_for(m, connection, request->url);
}

enum { CLIENT_REQUEST, CLIENT_CONNECTION };

static void make_request(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f, enum net_handle_kind kind, const char *url_field)
{
    char url[NAME_ROOM];
    struct net_handle *const request = own_handle(m, k, e, f, CLIENT_REQUEST, kind);
    if (!request)
        return;
    begin(request, f);
    request->connection = request->peer = 0;
    model_unname(m, &request->url);
    model_rename(m, &request->url, kind_text(k, e, url_field, url, sizeof url));
}

static void make_answer(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f, enum net_handle_kind kind)
{
    struct net_handle *const request = own_handle(m, k, e, f, CLIENT_REQUEST, kind);
    send_over(m, f, request, request ? request->connection : 0);
    if (f->class == FACT_NETWORK)
        end(request, f);
}

void make_wininet_request(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    make_request(m, e, k, f, NET_WININET_REQUEST, "AddressName");
}

/* A new connection has its ends; one that is used again has the number of its socket alone. */
void make_wininet_connected(struct model *m, const struct event *e, const struct kind *k,
                            struct fact *f)
{
    struct connection_ends ends = {.is_udp = false};
    struct net_handle *const request = own_handle(m, k, e, f, CLIENT_REQUEST, NET_WININET_REQUEST);
    struct net_handle *const socket = own_handle(m, k, e, f, CLIENT_CONNECTION, NET_WININET_SOCKET);
    uint32_t connection = socket ? socket->connection : 0;
    if (connection_end_read(k, e, "RemoteAddress", &ends, true) &&
        connection_end_read(k, e, "LocalAddress", &ends, false)) {
        connection = model_connection(m, source_of(m), &ends, f->process, OP_OTHER, f->time);
        if (socket)
            socket->connection = connection;
    }
    send_over(m, f, request, connection);
}

void make_wininet_answer(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    make_answer(m, e, k, f, NET_WININET_REQUEST);
}

void make_webio_request(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    make_request(m, e, k, f, NET_WEBIO_REQUEST, "URI");
}

/* Where the connection is not open yet, the request goes over it when it is. */
void make_webio_assigned(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    struct net_handle *const request = own_handle(m, k, e, f, CLIENT_REQUEST, NET_WEBIO_REQUEST);
    struct net_handle *const c = own_handle(m, k, e, f, CLIENT_CONNECTION, NET_WEBIO_CONNECTION);
    if (request && c)
        c->peer = request->number;
    send_over(m, f, request, c ? c->connection : 0);
}

/* "192.0.2.7:443", "[2001:db8::7]:443" */
static bool read_end(const char *text, struct connection_ends *ends)
{
    char address[64], *rest;
    const char *const colon = strrchr(text, ':'), *at = address;
    const size_t bytes = colon ? (size_t)(colon - text) : 0, brackets = *text == '[';
    if (bytes >= sizeof address || bytes <= 2 * brackets)
        return false;
    memcpy(address, text + brackets, bytes - 2 * brackets);
    address[bytes - 2 * brackets] = '\0';
    const unsigned long port = strtoul(colon + 1, &rest, 10);
    *ends = (struct connection_ends){.remote_port = (uint16_t)port};
    return port <= UINT16_MAX && !*rest && address_read(&at, ends->remote, &ends->is_v6) && !*at;
}

/* The beginning of a connect has the remote end. */
void make_webio_connect(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    char text[NAME_ROOM];
    struct net_handle *const c = own_handle(m, k, e, f, CLIENT_REQUEST, NET_WEBIO_CONNECTION);
    if (!c)
        return;
    c->connection = 0;
    c->is_begun = read_end(kind_text(k, e, "Address", text, sizeof text), &c->ends);
}

void make_webio_connected(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    uint64_t error = 0;
    struct net_handle *const c = own_handle(m, k, e, f, CLIENT_REQUEST, NET_WEBIO_CONNECTION);
    if (c && c->is_begun && kind_number(k, e, "Error", &error) && !error) {
        c->connection = model_connection_to(m, source_of(m), &c->ends, f->process);
        if (!c->connection)
            c->connection =
                model_connection(m, source_of(m), &c->ends, f->process, OP_OTHER, f->time);
    }
    if (c)
        c->is_begun = false;
    send_over(m, f, c ? generation_at(&m->net_handles, c->peer) : NULL, c ? c->connection : 0);
}

void make_webio_answer(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    make_answer(m, e, k, f, NET_WEBIO_REQUEST);
}
