/* The helper: a thread for whatever opens files, so that the collector never waits. Requests go
 * in through a bounded queue; answers come back as mail, which the collector's thread takes
 * between records. Answers are ETW records (put into the rings as they are) or facts for a domain.
 *
 * Threads: helper_ask() and helper_mail() are the collector thread's. */
#ifndef COLLECTORS_LINUX_HELPER_H
#define COLLECTORS_LINUX_HELPER_H

#include "collectors/linux/translate.h"

#include <stdbool.h>
#include <stdint.h>

enum help_kind {
    HELP_RUNDOWN,  /* everything that is there now: processes, threads, images, files, sockets */
    HELP_PROCESS,  /* command line and image path of `pid`, just started or exec'ed */
    HELP_FD,       /* what `fd` of `pid` is: file path, device and inode, socket … */
    HELP_SOCKETS,  /* addresses of the TCP and UDP sockets of `pid`: a mail for each, then one
                    * with family 0 that ends the answer */
    HELP_KINDS,
};

struct help {
    uint8_t kind;    /* enum help_kind */
    uint32_t pid;
    int32_t fd;
    uint64_t key;    /* the asker's, comes back in the mail */
    int64_t time;    /* when it was asked: goes into the records */
};

/* An answer. A record (head.bytes != 0): goes into the rings. Else: for `domain`. */
struct mail {
    uint8_t domain;      /* enum linux_domain_id */
    uint8_t kind;        /* enum help_kind it answers */
    bool is_found;       /* false: the process or descriptor had gone */
    uint32_t pid;
    int32_t fd;
    uint64_t key;
    int64_t time;
    uint64_t dev, inode; /* HELP_FD: of a file */
    uint8_t local[16], remote[16]; /* sockets: addresses in network order */
    uint16_t local_port, remote_port;
    uint8_t family, protocol;      /* AF_INET, AF_INET6; IPPROTO_TCP, IPPROTO_UDP; 0 = no socket */
    bool is_file;
    char path[1024];     /* cut at the front with "…" where longer */
};

struct helper *helper_start(struct translator *t);
void helper_stop(struct helper *h); /* NULL is fine */

/* False when the queue is full: the question is dropped and counted. */
bool helper_ask(struct helper *h, const struct help *question);

/* Takes the answers that are there: records into the rings, mail to its domain. */
void helper_take(struct helper *h, struct translator *t);

struct helper_figures {
    uint64_t asked, dropped, answered, gone;
};
struct helper_figures helper_figures(const struct helper *h);

#endif
