/* The helper: a thread for whatever opens files, so that the collector never waits. Requests go
 * in through a bounded queue; answers come back as replies, which the collector's thread takes
 * between records. Answers are ETW records (put into the rings as they are) or facts for a domain.
 *
 * Threads: helper_ask(), helper_take() and helper_is_busy() are the collector thread's. */
#ifndef COLLECTORS_LINUX_TRANSLATE_HELPER_H
#define COLLECTORS_LINUX_TRANSLATE_HELPER_H

#include "collectors/linux/proc/proc.h"
#include "collectors/linux/translate/translate.h"
#include "src/base/map.h"

#include <stdbool.h>
#include <stdint.h>

enum help_kind {
    HELP_RUNDOWN, /* everything that is there now: processes, threads, images, files, sockets */
    HELP_PROCESS, /* command line and image path of `pid`, just started or exec'ed */
    HELP_FD,      /* what `fd` of `pid` is: file path, device and inode, socket … */
    HELP_SOCKETS, /* addresses of the TCP and UDP sockets of `pid`: a reply for each, then one
                   * with family 0 that ends the answer */
    HELP_INODE,   /* the name of the file with inode `key` on the device `fd` that `pid`, or else
                   * somebody, has open; the answer is a record */
    HELP_DISK,    /* the disk `fd` (as linux_dev() has it), which records call `key`; the answer
                   * is its record */
    HELP_GAUGES,  /* use of memory and the like: of the machine and of some processes */
    HELP_MACHINE, /* the hardware alone, with sentences about what cannot be read */
    HELP_KINDS,
};

struct help {
    uint8_t kind;    /* enum help_kind */
    uint8_t domain;  /* enum linux_domain_id: who asks and gets the reply */
    uint32_t pid;
    int32_t fd;
    uint64_t key;    /* the asker's, comes back in the reply */
    int64_t time;    /* when it was asked: goes into the records */
};

/* An answer for a domain. HELP_RUNDOWN sends, unasked, to DOMAIN_NETWORK every socket of TCP and
 * UDP with its owner (one reply per descriptor), to DOMAIN_FILE every open file likewise, and to
 * DOMAIN_DISK every disk: dev, key = its DiskNumber, path = its name ("sda"). HELP_PROCESS is
 * answered by records, and to DOMAIN_TASK: key = the owner's number (where is_found), path = the
 * command line, cut with "…" where it is longer (task_cut_text()); so is each process of a
 * rundown. */
struct reply {
    uint8_t domain;      /* enum linux_domain_id */
    uint8_t kind;        /* enum help_kind it answers */
    bool is_found;       /* false: the process or descriptor had gone */
    uint32_t pid;
    int32_t fd;
    uint64_t key;
    int64_t time;        /* just before it was looked up (CLOCK_MONOTONIC, ns) */
    uint64_t dev, inode; /* of a file (dev as the kernel writes it, see linux_dev), or the
                          * inode of a socket */
    uint8_t local[16], remote[16]; /* sockets: addresses in network order */
    uint16_t local_port, remote_port; /* host order */
    uint8_t family, protocol;      /* AF_INET, AF_INET6; IPPROTO_TCP, IPPROTO_UDP; 0 = no such socket */
    bool is_file;        /* something with a path: a file, directory or device */
    char path[1024];     /* cut at the front with "…" where longer */
};

/* NULL where /proc is missing: a notice says so. In tests: another root than "/". */
struct helper *helper_start(struct translator *t);
struct helper *helper_start_at(struct translator *t, const char *root, struct err *err);
void helper_stop(struct helper *h); /* NULL is fine */

/* False when the queue is full: the question is dropped and counted. */
bool helper_ask(struct helper *h, const struct help *question);

/* Whether the first walk's answers were taken as far as processes and threads go. */
bool helper_has_named(const struct helper *h);
void helper_name(struct helper *h); /* they were just now */

/* Likewise as far as the kernel's own code goes, without which its addresses have no names. Any
 * thread. */
bool helper_has_kernel(const struct helper *h);
void helper_list_kernel(struct helper *h);

/* Where the collector's thread notes processes for HELP_GAUGES. */
struct gauge_touched *helper_touched(struct helper *h); /* NULL: NULL */

/* Its answers, as it put them. */
struct ring *helper_mailbox(struct helper *h);

/* Takes the answers that are there (reply.c): records into the rings, replies to their domain. True where
 * there are more than it takes at once. */
bool helper_take(struct helper *h, struct translator *t);

/* Whether answers are to come; once it says no, they all can be taken. */
bool helper_is_busy(const struct helper *h);

size_t helper_mailbox_bytes(const struct helper *h); /* by now; NULL: 0 */

struct helper_figures {
    uint64_t asked, dropped, answered, gone;
};
struct helper_figures helper_figures(const struct helper *h);

#endif
