/* What the helper's thread works with: /proc, a payload writer for records, and the mailbox that
 * the collector's thread empties. Helper's thread only. */
#ifndef COLLECTORS_LINUX_TRANSLATE_JOB_H
#define COLLECTORS_LINUX_TRANSLATE_JOB_H

#include "collectors/linux/proc/proc.h"
#include "collectors/linux/translate/gauge.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/task_record.h"

#include <stdatomic.h>

/* In the mailbox beside RECORD_ETW, which is of what names things and lasts. RECORD_SAMPLED is a
 * record like it that does not. */
enum { RECORD_REPLY = 0x80, RECORD_SENTENCE, RECORD_NAMED, RECORD_KERNEL, RECORD_SAMPLED };

struct job {
    struct proc proc;
    struct collector collector; /* no collector runs: its hot ring is the mailbox */
    struct feed feed;
    struct translator out; /* for records into the mailbox: payload writer, room and feed alone */
    struct proc_sockets sockets;
    int64_t sockets_read;    /* when; os_now() */
    struct proc_builds builds;
    struct proc_users users;
    int64_t users_read;      /* when; os_now() */
    struct gauge_touched touched; /* the collector's thread notes, this one takes */
    struct job_gauges *gauges;    /* NULL: nobody asked yet */
    struct map networks;     /* namespaces whose sockets were read → 1 */
    struct map files;        /* keys that were reported → 1 */
    int64_t next_search;     /* not before, among all processes; os_now() */
    uint32_t mhz;            /* of processors without known limits: as first read; 0: not yet */
    bool has_walked;         /* once: what a walk says about itself has been said */
    uint64_t answered, gone; /* questions; those whose process or descriptor had gone */
    void (*answer_waiting)(struct job *e); /* between two steps of a walk; NULL in tests */
    char text[PROC_PATH + 1];
    char command[PROC_PATH];
};

bool job_init(struct job *e, const struct translator *t, const char *root, struct err *err);
void job_fini(struct job *e);

/* The mailbox may be full: these wait until there is room or the helper is to stop. */
void job_reply(struct job *e, const struct reply *m);
void job_named(struct job *e); /* all processes and threads were reported */
void job_kernel(struct job *e); /* the kernel's own code was */
void job_report(struct job *e, const char *format, ...) PRINTF_LIKE(2, 3);
bool job_is_stopped(const struct job *e);

/* The path of a reply, cut at the front where it is too long. */
void job_path(struct reply *m, const char *path, size_t bytes);

void job_rundown(struct job *e, const struct help *question); /* job_rundown.c */
/* job_hardware.c: the system and its disks; the other hardware; both and the processors' record. */
void job_disks(struct job *e, const struct help *question);
void job_disk(struct job *e, const struct help *question); /* one that was plugged in later */
void job_hardware(struct job *e);
void job_machine(struct job *e, const struct help *question);
/* Tells whose it is; and the task domain, for the records of what it starts, that and what it runs.
 */
void job_owner(struct job *e, const struct record_from *from, const struct process_record *r);
void job_program(struct job *e, const struct process_record *r, int64_t time);
void job_process(struct job *e, const struct help *question);
void job_fd(struct job *e, const struct help *question);
void job_sockets(struct job *e, const struct help *question);
void job_inode(struct job *e, const struct help *question); /* job_rundown.c */
void job_gauges(struct job *e, const struct help *question); /* job_gauge.c */
struct job_gauges;
void job_gauges_free(struct job_gauges *g); /* NULL is fine */

void job_reply_socket(struct job *e, const struct help *question, uint32_t pid, int fd,
                      const struct proc_socket *s, int64_t time);
void job_reply_file(struct job *e, const struct help *question, uint32_t pid,
                    const struct proc_fd *f, int64_t time);

static inline struct some_text some(const char *at, size_t bytes)
{
    return (struct some_text){at, bytes};
}

/* CLOCK_MONOTONIC, as the records of the kernel have it. */
int64_t job_now(void);

#endif
