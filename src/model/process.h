/* Processes and threads: one number for each lifetime, never a pid. */
#ifndef SRC_MODEL_PROCESS_H
#define SRC_MODEL_PROCESS_H

#include "src/model/memory_history.h"
#include "src/model/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process {
    uint32_t number;
    uint32_t pid;
    source_id source;
    uint8_t flags; /* enum lifetime_flag */
    bool has_parent, has_session, has_key;
    uint16_t execs;              /* times it began to run another program … */
    int64_t exec_ns;             /* … and when it did last; 0 = never seen */
    uint32_t parent_pid, parent; /* pid and, where it is known, number */
    uint32_t forked;             /* number of whom it is a copy of until exec_ns; 0 = of nobody */
    uint32_t session;
    int32_t exit_status;
    uint32_t threads;            /* alive now */
    uint64_t key;                /* address of the kernel's process object */
    int64_t first_ns;            /* first mention */
    int64_t start_ns, end_ns;    /* 0 = not seen */
    char *name, *command;        /* UTF-8 as it came, or NULL */
    char *user;                  /* its security identifier, likewise */
    char *account;               /* its name, where an event has that separately, likewise */
    struct memory_history *memory; /* what it had of memory, by time; NULL: not known */
    char *services;              /* of Windows, that run in it: "Dhcp, EventLog"; or NULL */
};

struct thread {
    uint32_t number;
    uint32_t tid;
    source_id source;
    uint8_t flags;
    bool is_counted;  /* in its process's `threads` */
    uint32_t process; /* number, 0 while it is not known */
    uint8_t wait_reason;  /* of its last wait: OldThreadWaitReason … */
    uint8_t wait_call;    /* … and in which call it was: enum wait_call */
    uint16_t cpu;         /* where it ran last … */
    bool has_run;         /* … if it ever did */
    bool leaves_unseen;   /* nobody saw it leave its processor the last time */
    bool has_switched;    /* it came to a processor, left one or was made ready */
    bool waits_longer;    /* than since wait_ns, when it was found waiting */
    uint16_t call_epoch;  /* its newest system call was met in this one: see model.call_epoch */
    int64_t first_ns, end_ns; /* first mention; 0 = lives, or its end was not seen */
    uint64_t start;       /* address where its code begins; 0 = not known */
    int64_t ready_ns; /* made ready and not yet running; 0 = no */
    int64_t wait_ns;  /* waiting since; 0 = not, or not known */
    int64_t call_ns;  /* in this system call since then … */
    uint32_t call;    /* … a routine; 0 = in none that is known */
    char *name;       /* its own, UTF-8 as it came, or NULL */
};

/* The lifetime that an id means at `time`; opens a provisional one. Number. */
uint32_t model_process_open(struct model *m, source_id source, uint32_t pid, int64_t time);
uint32_t model_thread_open(struct model *m, source_id source, uint32_t tid, int64_t time);

static inline uint64_t model_id_key(source_id source, uint32_t id)
{
    return (uint64_t)source << 32 | id;
}

/* A lifetime that begins, is confirmed or ends. `name` may be NULL. */
struct process *model_process_start(struct model *m, source_id source, uint32_t pid, int64_t time,
                                    const char *name);
struct process *model_process_seen(struct model *m, source_id source, uint32_t pid, int64_t time,
                                   const char *name, uint64_t key);
struct process *model_process_end(struct model *m, source_id source, uint32_t pid, int64_t time);
struct thread *model_thread_start(struct model *m, source_id source, uint32_t tid, uint32_t process,
                                  int64_t time);
struct thread *model_thread_seen(struct model *m, source_id source, uint32_t tid, uint32_t process,
                                 int64_t time);
struct thread *model_thread_end(struct model *m, source_id source, uint32_t tid, int64_t time);

/* A thread's process, learned from an event that carries both. */
void model_thread_belongs(struct model *m, struct thread *t, uint32_t process);

/* A name for a process that stays the one it is. */
void model_process_called(struct model *m, struct process *p, int64_t time, const char *name);
void model_process_memory(struct model *m, struct process *p, const struct memory_reading *r);
void model_process_parent(struct process *p, uint32_t pid);
/* The parent of a process: from its start event, or the one that has the parent's id, unless that
 * began after it. 0: not known. */
uint32_t model_parent_of(const struct model *m, uint32_t number);
void model_process_forked(struct model *m, struct process *p); /* it is its parent's user's */

#endif
