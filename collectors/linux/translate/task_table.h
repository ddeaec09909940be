/* The table of tasks: every thread that lives, with its process and names. */
#ifndef COLLECTORS_LINUX_TRANSLATE_TASK_TABLE_H
#define COLLECTORS_LINUX_TRANSLATE_TASK_TABLE_H

#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/task_record.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* 2^17 threads of 72 bytes, in sets by their ids: those are given in turn, so that the sets
 * fill evenly. Who ended a while ago makes room before another way of all sets is begun, whose
 * memory nothing has touched. A full set gives up the entry that ended longest ago, or else its
 * oldest. */
enum { SETS = 1 << 14, WAYS = 8, COMM = 16 };
static const int64_t GONE_NS = 10000000000;

enum task_flag {
    TASK_ALIVE = 1,
    TASK_NAMED = 2,
    TASK_IS_LAST = 4, /* the kernel said that its process ends with it */
    TASK_HAS_SESSION = 8,
    TASK_ENDED = 16,         /* of a process: its End was reported */
    TASK_EXEC_REPORTED = 32, /* without its path: from the side band alone */
    TASK_IN_EXEC = 64,       /* it has its new name, the new program does not run yet */
    TASK_LEAVES = 128,       /* a tracepoint said that it ends */
    TASK_HAS_OWNER = 256,
};

struct task {
    uint32_t tid, pid; /* tid 0: free */
    int64_t changed;   /* started, called exec or ended then; 0 = was there before */
    int64_t touched;   /* newest mention */
    uint32_t threads;  /* of a process, in its first thread's entry: those alive */
    uint32_t session;
    uint32_t parent; /* of a process: who created it; 0 = not known */
    int32_t exit;    /* of a process that ends; EXIT_STILL_ACTIVE */
    uint32_t uid;    /* of a process: whose it is, where TASK_HAS_OWNER */
    uint16_t flags;  /* enum task_flag */
    uint8_t comm_bytes;
    char comm[COMM];
};

/* What processes run, by their ids; who shares a place is not known any more. */
enum {
    PROGRAMS = 1 << 13,
    FEW_PROGRAMS = 1 << 10,
    PROGRAMS_PART = 32, /* of the ring of events */
    PROGRAM_BYTES = 246
};

struct task_program {
    uint32_t pid;
    uint32_t whole; /* number of the whole text where it is longer than this; 0: it is not */
    uint16_t bytes;
    char text[PROGRAM_BYTES]; /* the beginning and "…" where it is longer */
};

/* The newest long texts, each once: children share that of their creator. Whose text has made room
 * keeps its beginning. */
enum { WHOLES = 1 << 9, FEW_WHOLES = 1 << 6, WHOLES_PART = 128 };

struct whole {
    uint32_t number; /* 0: free */
    uint32_t bytes;
    char text[TASK_COMMAND_BYTES];
};

struct tasks {
    /* What the tracepoints add, as far as they have been seen. */
    bool tells_last, tells_exec;
    bool has_lost; /* since the last walk: who came meanwhile may be unknown */
    bool has_reported_dropped;
    int64_t walked; /* when a walk was last asked for again */
    unsigned ways;  /* that anything is in */
    struct task sets[WAYS][SETS];
    struct task_program *programs;
    uint32_t program_places;
    struct whole *wholes;
    uint32_t whole_places, whole_newest; /* the number of the newest */
};

struct task *tasks_find(struct tasks *s, uint32_t tid);
void tasks_leave_process(struct tasks *s, struct task *t);
/* A fresh entry, alive; an older one of the same id makes way, or the least of its set. */
struct task *tasks_add(struct translator *t, uint32_t pid, uint32_t tid, int64_t time);
/* The entry of a process's first thread, made if it is new. */
struct task *tasks_process_of(struct translator *t, uint32_t pid, int64_t time);
void task_set_comm(struct task *t, const char *name, size_t bytes);
struct some_text tasks_program_of(struct tasks *s, uint32_t pid);
/* `text` lies outside of the table. */
void tasks_set_program(struct tasks *s, uint32_t pid, struct some_text text);
void tasks_inherit_program(struct tasks *s, uint32_t pid, uint32_t creator);
struct some_text task_comm_of(const struct task *t);
bool task_is_called(const struct task *t, const char *name, size_t bytes);

#endif
