/* For those who make facts of kernel events: src/model/fact_builder/, one file per domain. What a
 * make_fact may ask beyond its arguments model_fact() fills before. Engine thread. */
#ifndef SRC_MODEL_FACT_BUILDER_HELPERS_H
#define SRC_MODEL_FACT_BUILDER_HELPERS_H

#include "src/model/model.h"

static inline source_id source_of(const struct model *m)
{
    return m->source;
}

static inline uint64_t field(const struct kind *k, const struct event *e, unsigned i)
{
    uint64_t value;
    kind_load(k, e, i, &value);
    return value;
}

/* Names and paths beyond this are cut; the record keeps them whole. */
enum { NAME_ROOM = 4096 };

static inline void set_thread(struct model *m, struct fact *f, uint64_t tid)
{
    f->thread = model_thread(m, source_of(m), (uint32_t)tid, f->time);
    const struct thread *t = generation_at(&m->threads, f->thread);
    f->process = t ? t->process : 0;
}

static inline void set_process(struct model *m, struct fact *f, uint64_t pid)
{
    f->process = model_process(m, source_of(m), (uint32_t)pid, f->time);
    f->thread = 0;
}

static inline int64_t span_ns(const struct model *m, uint64_t ticks)
{
    return trace_clock_span_ns(&m->sources[source_of(m)].clock, (int64_t)ticks);
}

/* Since the raw time that a field states; 0 means it was not measured. */
static inline void set_latency_since(struct model *m, const struct event *e, struct fact *f,
                                     uint64_t raw)
{
    if (raw)
        fact_latency(f, span_ns(m, (uint64_t)e->ts - raw));
}

/* An operation that begins with this fact waits under its address for its end, in a table of
 * IRP_SLOTS; the end takes it out. False when it is not (any more) there. */
void irp_put(const struct model *m, struct irp_slot *slots, uint64_t irp, source_id source,
             const struct fact *f);
bool irp_take(struct irp_slot *slots, uint64_t irp, source_id source, struct irp_slot *out);

/* The fact with which an operation that was taken out began; NULL where it is no longer kept. */
struct fact *irp_beginning(const struct model *m, const struct irp_slot *begun);

/* Reads a field that is a socket address, of IP, into one end: first the remote, then the local
 * one. False where it is none, or the two are of different versions. */
bool connection_end_read(const struct kind *k, const struct event *e, const char *name,
                         struct connection_ends *ends, bool is_remote);

/* What rows of the table (src/model/fact_builder.c) point to, by file. */
make_fact make_process, make_of_process, make_thread, make_image; /* process.c */
make_fact make_service;                                           /* … */
make_fact make_switch, make_ready;                                /* schedule.c */
make_fact make_disk, make_disk_init;                              /* storage.c */
make_fact make_file_name, make_file, make_file_end;               /* … */
make_fact make_network;                                           /* network.c */
make_fact make_socket, make_socket_gone, make_socket_bind;        /* winsock.c */
make_fact make_socket_connect, make_socket_accept;                /* … */
make_fact make_socket_transfer, make_socket_drop;                 /* … */
make_fact make_http_connected, make_http_assigned;                /* http.c */
make_fact make_http_closed, make_http_request, make_http_url;     /* … */
make_fact make_http_answer, make_http_failure;                    /* … */
make_fact make_wininet_request, make_wininet_connected;           /* … */
make_fact make_wininet_answer, make_webio_request;                /* … */
make_fact make_webio_assigned, make_webio_connect;                /* … */
make_fact make_webio_connected, make_webio_answer;                /* … */
make_fact make_registry, make_key_name;                           /* registry.c */
make_fact make_registry_open, make_registry_key;                  /* … */
make_fact make_dns_results, make_wininet_results;                 /* host.c */
make_fact make_soft_fault, make_hard_fault, make_memory;          /* memory.c */
make_fact make_sample, make_interval, make_stack, make_stack_key; /* sample.c */
make_fact make_pmc;                                               /* … */

#endif
