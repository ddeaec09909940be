/* Sockets by the address of their kernel object: what their events do not say. Bounded and
 * allocated once; a socket that is not used for long gives its place to a new one. The
 * collector's thread only. */
#ifndef COLLECTORS_LINUX_TRANSLATE_SOCKETS_H
#define COLLECTORS_LINUX_TRANSLATE_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

/* Both ends, addresses in network order (IPv4: the first 4 bytes), ports in host order. */
struct socket_ends {
    uint8_t local[16], remote[16];
    uint16_t local_port, remote_port;
    bool is_v6;
};

/* What one record said: `family` is the socket's (2 or 10), its addresses 4 or 16 bytes. A v6
 * socket that talks IPv4 (::ffff:a.b.c.d) gives IPv4 ends. */
struct socket_ends socket_ends_of(unsigned family, const uint8_t *local, const uint8_t *remote,
                                  unsigned local_port, unsigned remote_port);

struct socket_entry {
    uint64_t sk; /* 0: a free place */
    struct socket_ends ends;
    int64_t used_ns;   /* its last event */
    int64_t asked_ns;  /* the helper was asked about it; 0 = not yet */
    int64_t syn_ns;    /* TCP: our SYN; 0 = not seen */
    int64_t opened_ns; /* TCP: established; 0 = not seen */
    uint32_t owner;    /* process id, EVENT_NO_ID until it is known */
    uint32_t number;   /* counts sockets; never 0 */
    uint8_t protocol;  /* IPPROTO_TCP, IPPROTO_UDP */
    uint8_t lessons;   /* how often teaching events were asked for because of it */
    uint8_t answers;   /* sockets of this protocol in the helper's answer so far */
    bool has_ends;
    bool is_unreported; /* accepted, but not written: the owner is not known yet */
    bool is_closed;     /* its disconnect was reported */
};

struct sockets;

/* `capacity` is a power of two, at least 8. */
struct sockets *sockets_new(unsigned capacity);
void sockets_free(struct sockets *s);

/* NULL where it is not known. */
struct socket_entry *sockets_find(struct sockets *s, uint64_t sk);
/* A fresh entry, in the place of what was known of this address before. */
struct socket_entry *sockets_renew(struct sockets *s, uint64_t sk, unsigned protocol, int64_t time);
/* The entry, or a fresh one. */
struct socket_entry *sockets_take(struct sockets *s, uint64_t sk, unsigned protocol, int64_t time);
void sockets_forget(struct sockets *s, uint64_t sk);

/* Sockets that lost their place to newer ones. */
uint64_t sockets_pushed_out(const struct sockets *s);

#endif
