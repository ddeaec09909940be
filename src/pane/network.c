/* Network: TCP and UDP payload by connection and process. */
#include "src/pane/helpers.h"

#define NET .classes = BIT(FACT_NETWORK)

static const struct measure network_measures[] = {
    {.id = "received", .kind = MEASURE_BYTES, NET, .ops = OP(OP_RECEIVE)},
    {.id = "sent", .kind = MEASURE_BYTES, NET, .ops = OP(OP_SEND)},
    {.id = "packets", .kind = MEASURE_COUNT, NET, .ops = OP(OP_SEND) | OP(OP_RECEIVE)},
    {.id = "retransmits", .kind = MEASURE_COUNT, NET, .ops = OP(OP_RETRANSMIT)},
    {.id = "connects", .kind = MEASURE_COUNT, NET, .ops = OP(OP_CONNECT) | OP(OP_ACCEPT)},
    {.id = "failures", .kind = MEASURE_COUNT, NET, .ops = OP(OP_FAIL)},
    {.id = "status", .kind = MEASURE_MOST, NET, .ops = OP(OP_FAIL), .of = fact_status},
    {.id = "requests", .kind = MEASURE_COUNT, NET, .ops = OP(OP_QUERY)},
    {.id = "answers", .kind = MEASURE_HISTOGRAM, NET, .ops = OP(OP_END)},
    {.id = "closes", .kind = MEASURE_COUNT, NET, .ops = OP(OP_DISCONNECT)},
};

static const struct connection *connection_of(const struct table_row *r,
                                              const struct row_context *x)
{
    return generation_at(&x->model->connections, r->key.a);
}

static struct value get_protocol(const struct column *c, const struct table_row *r,
                                 struct row_context *x)
{
    const struct connection *n = connection_of(r, x);
    if (!n)
        return value_text(x, c->type, r->key.a == ROW_OTHERS ? "(others)" : "(none)");
    static const char *const names[2][2] = {{"TCP", "TCP6"}, {"UDP", "UDP6"}};
    return value_text(x, c->type, names[n->ends.is_udp][n->ends.is_v6]);
}

static struct value end_of(const struct column *c, const struct table_row *r, struct row_context *x,
                           bool is_remote)
{
    char text[80];
    const struct connection *n = connection_of(r, x);
    return n ? value_text(x, c->type, model_connection_end(n, is_remote, text, sizeof text))
             : value_absent();
}

static struct value get_local(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    return end_of(c, r, x, false);
}

static struct value get_remote(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    return end_of(c, r, x, true);
}

/* By what a query of a name found. */
static struct value get_host(const struct column *c, const struct table_row *r,
                             struct row_context *x)
{
    const struct connection *const n = connection_of(r, x);
    const char *const name = n ? model_host(x->model, n->ends.remote, n->ends.is_v6) : NULL;
    return name ? value_text(x, c->type, name) : value_absent();
}

static struct value get_url(const struct column *c, const struct table_row *r,
                            struct row_context *x)
{
    const struct connection *const n = connection_of(r, x);
    return n && n->url ? value_text(x, c->type, n->url) : value_absent();
}

/* When it was closed, if that is within the row's span; else 0. */
static int64_t closed_by(const struct connection *n, const struct row_context *x)
{
    return n->closed_ns <= x->now_ns ? n->closed_ns : 0;
}

/* What the events said; a connection that was there before them just has traffic. */
static struct value get_state(const struct column *c, const struct table_row *r,
                              struct row_context *x)
{
    const struct connection *n = connection_of(r, x);
    if (!n)
        return value_absent();
    return value_text(x, c->type,
                      closed_by(n, x)              ? "closed"
                      : n->opened_by == OP_CONNECT ? "connected"
                      : n->opened_by == OP_ACCEPT  ? "accepted"
                                                   : "open");
}

/* Who opened it, where that was seen. */
static struct value get_direction(const struct column *c, const struct table_row *r,
                                  struct row_context *x)
{
    const struct connection *n = connection_of(r, x);
    return value_text(x, c->type,
                      !n                           ? NULL
                      : n->opened_by == OP_CONNECT ? "out"
                      : n->opened_by == OP_ACCEPT  ? "in"
                                                   : NULL);
}

static struct value get_segment(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct connection *n = connection_of(r, x);
    return n && n->segment ? value_number(c->type, n->segment) : value_absent();
}

static struct value get_age(const struct column *c, const struct table_row *r,
                            struct row_context *x)
{
    const struct connection *n = connection_of(r, x);
    if (!n || !n->opened_ns)
        return value_absent();
    const int64_t closed = closed_by(n, x), until = closed ? closed : x->now_ns;
    return (struct value){.type = c->type, .ns = until - n->opened_ns};
}

static struct value get_connect(const struct column *c, const struct table_row *r,
                                struct row_context *x)
{
    const struct connection *n = connection_of(r, x);
    if (!n || !n->handshake_ns)
        return value_absent();
    return (struct value){.type = c->type, .ns = n->handshake_ns};
}

static struct value get_closed(const struct column *c, const struct table_row *r,
                               struct row_context *x)
{
    const struct connection *n = connection_of(r, x);
    if (!n || !closed_by(n, x))
        return value_absent();
    return (struct value){.type = c->type, .ns = closed_by(n, x)};
}

static const struct column network_columns[] = {
    {"proto", "PROTO", "", "Protocol", VALUE_TEXT, SHOWN_TEXT, 5, 1, NULL, NULL, get_protocol},
    {"laddr", "LOCAL", "", "Local address and port", VALUE_TEXT, SHOWN_TEXT | COLUMN_OF_ENDS, 21, 2,
     NULL, NULL, get_local},
    {"raddr", "REMOTE", "", "Remote address and port", VALUE_TEXT, LONG_TEXT | COLUMN_OF_ENDS, 21,
     0, NULL, NULL, get_remote},
    {"host", "HOST", "", "Name of the remote address, by DNS queries that found it", VALUE_TEXT,
     SHOWN_TEXT, 20, 6, NULL, NULL, get_host},
    {"pid", "PID", "", "Process that the connection belongs to", VALUE_ID, SHOWN_ID, 7, 1, NULL,
     NULL, get_pid},
    {"name", "NAME", "", "Image name of the process", VALUE_TEXT, SHOWN_TEXT, 18, 0, NULL, NULL,
     get_name},
    {"recv", "RECV B/s", "bytes_per_s", "Payload received", VALUE_BYTE_RATE, SHOWN_SUM, 8, 0,
     "received", NULL, get_rate},
    {"send", "SEND B/s", "bytes_per_s", "Payload sent", VALUE_BYTE_RATE, SHOWN_SUM, 8, 0, "sent",
     NULL, get_rate},
    {"total", "TOTAL B/s", "bytes_per_s", "Payload received and sent", VALUE_BYTE_RATE, SHOWN_SUM,
     9, 3, "received", "sent", get_rate},
    {"packets", "PKT/S", "per_s", "Send and receive operations per second", VALUE_RATE, SHOWN_SUM,
     6, 2, "packets", NULL, get_rate},
    {"retr", "RETR/S", "per_s", "Retransmissions per second", VALUE_RATE, SHOWN_SUM, 6, 2,
     "retransmits", NULL, get_rate},
    OPS_COLUMN("Send and receive operations", "packets", NULL),
    SUM_COLUMN("bytes", "BYTES", "bytes", "Payload received and sent", VALUE_BYTES, 8, "received",
               "sent", get_sum_count),
    {"state", "STATE", "", "Connected, accepted or closed, as far as known", VALUE_TEXT, SHOWN_TEXT,
     9, 3, NULL, NULL, get_state},
    {"age", "AGE", "ns", "Time since it was connected or accepted", VALUE_TIME, SHOWN, 6, 4, NULL,
     NULL, get_age},
    {"connect", "CONNECT", "ns", "Time from connect request to answer", VALUE_TIME, SHOWN, 7, 4,
     NULL, NULL, get_connect},
    {"connects", "CONN/S", "per_s", "Connects and accepts per second", VALUE_RATE, SUM, 6, 7,
     "connects", NULL, get_rate},
    {"fails", "FAIL/S", "per_s", "Failures per second", VALUE_RATE, SUM, 6, 7, "failures", NULL,
     get_rate},
    {"dir", "DIR", "", "Opened by this side (out) or by the other (in)", VALUE_TEXT,
     COLUMN_SEARCHABLE, 3, 7, NULL, NULL, get_direction},
    {"mss", "MSS B", "bytes", "Largest segment, as agreed when it was opened", VALUE_BYTES, NUMBER,
     5, 7, NULL, NULL, get_segment},
    {"closed", "CLOSED", "", "When it was closed", VALUE_INSTANT, NUMBER, 12, 7, NULL, NULL,
     get_closed},
    {"why", "FAILED WITH", "", "Most frequent status of failures", VALUE_TEXT, COLUMN_SEARCHABLE,
     22, 7, "status", NULL, get_most_status},
    {"url", "URL", "", "URL of its newest request, by HttpService, WinINet or WebIO", VALUE_TEXT,
     SHOWN_TEXT | COLUMN_OF_FEW, 30, 1, "requests", NULL, get_url},
    {"requests", "REQ/S", "per_s", "HTTP requests per second", VALUE_RATE,
     SHOWN_SUM | COLUMN_OF_FEW, 6, 1, "requests", NULL, get_rate},
    {"answer_p99", "REQ-P99", "ns", "99th percentile of times from HTTP request to response",
     VALUE_TIME, SHOWN | COLUMN_OF_FEW, 7, 2, "answers", NULL, get_p99},
    {"answer_avg", "REQ-AVG", "ns", "Mean time from HTTP request to response", VALUE_TIME, NUMBER,
     7, 7, "answers", NULL, get_average},
    TREND_COLUMN("received", "sent", get_trend),
    SHARE_COLUMN,
};

const struct pane pane_network = {
    .id = "network",
    .title = "Network",
    .help = "TCP and UDP payload by connection; Enter shows the events of one",
    .cost = "medium",
    .digit = '5',
    .view = PANE_TABLE,
    .classes = BIT(FACT_NETWORK),
    .key = key_entity_process,
    .process_part = PART_B,
    .measures = network_measures,
    .measure_count = sizeof network_measures / sizeof *network_measures,
    .stacks = "bytes",
    .columns = network_columns,
    .column_count = sizeof network_columns / sizeof *network_columns,
    .sort = "total",
    .drill = "events",
    .crumb = CRUMB_CONNECTION,
};
