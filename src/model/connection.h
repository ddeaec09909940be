/* Connections of TCP and UDP. */
#ifndef SRC_MODEL_CONNECTION_H
#define SRC_MODEL_CONNECTION_H

#include "src/model/fact.h"
#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both ends of a connection: addresses of 4 or 16 bytes in network order. */
struct connection_ends {
    uint8_t local[16], remote[16];
    uint16_t local_port, remote_port; /* host order */
    bool is_udp, is_v6;
};

struct connection {
    uint32_t number;
    uint32_t process;
    uint64_t key;
    struct connection_ends ends;
    uint8_t opened_by;              /* OP_CONNECT, OP_ACCEPT; 0 = was there before */
    source_id source;
    uint16_t segment;               /* largest it sends, as agreed when it opened; 0 = unknown */
    uint32_t met; /* the newest connection when an event was about this one last */
    int64_t first_ns;               /* first mention */
    int64_t opened_ns, closed_ns;   /* 0 = not seen */
    int64_t handshake_ns;           /* from our request to the answer; 0 = not known */
    uint32_t remote;                /* first connection to the same address: stands for it */
    char *url; /* of the newest request, where a provider records it; or NULL */
};

/* The connection an event is about; `op` opens and closes it. Number. */
uint32_t model_connection(struct model *m, source_id source, const struct connection_ends *ends,
                          uint32_t process, enum fact_op op, int64_t time);

/* The newest connection of the process to that remote end, from whichever local one; 0 = none is
 * known. */
uint32_t model_connection_to(const struct model *m, source_id source,
                             const struct connection_ends *ends, uint32_t process);

/* "10.0.0.1:443" or "[fe80::1]:443", "(unknown)" for an end without address and port; returns
 * `out`. */
const char *model_connection_end(const struct connection *c, bool is_remote, char *out,
                                 size_t room);

/* Likewise without the port. */
const char *model_connection_address(const struct connection *c, bool is_remote, char *out,
                                     size_t room);

#endif
