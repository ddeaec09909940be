/* What drivers and libraries call the ends of connections and the requests on them by: sockets,
 * objects and ids in their events. Few events name both a request and addresses; handles tie them
 * together. The oldest make room. */
#ifndef SRC_MODEL_NET_HANDLE_H
#define SRC_MODEL_NET_HANDLE_H

#include "src/model/connection.h"

/* Whose values they are. */
enum net_handle_kind {
    NET_SOCKET, /* AFD's endpoints */
    NET_HTTP_OBJECT,
    NET_HTTP_CONNECTION,
    NET_HTTP_REQUEST,
    NET_WININET_SOCKET,
    NET_WININET_REQUEST,
    NET_WEBIO_CONNECTION,
    NET_WEBIO_REQUEST,
};

struct net_handle {
    uint32_t number;
    uint8_t kind; /* enum net_handle_kind */
    bool is_begun;
    source_id source;
    uint32_t owner;               /* the process in which the value means this; 0: in all of them */
    uint32_t process, connection; /* 0 = not known */
    uint32_t peer;                /* the request that waits for a connection to open */
    uint64_t value;
    int64_t begun_ns;            /* of the request or connect that goes on, with is_begun */
    struct connection_ends ends; /* of sockets, as far as known */
    char *url;
};

/* The handle, of the source at hand; NULL where it is not known, or not any more. */
struct net_handle *model_net_handle(const struct model *m, enum net_handle_kind kind,
                                    uint32_t owner, uint64_t value);

/* Likewise; it is made where it is not known. */
struct net_handle *model_net_handle_met(struct model *m, enum net_handle_kind kind, uint32_t owner,
                                        uint64_t value);

/* From here on the value means something else. */
void model_net_handle_gone(struct model *m, struct net_handle *h);

void model_net_handles_init(struct model *m);
void model_net_handles_fini(struct model *m);

#endif
