/* Processes and threads: parents, programs, names, starts and ends.
 *
 * The side band reports all of it (FORK, COMM, EXIT); three tracepoints add what it lacks: the name
 * a thread is born with, the path and arguments that exec was given, and which thread was the last
 * of its process. A thread that ends still runs for a moment: its End is reported where the kernel
 * does, and the model keeps its row for the switches that follow.
 *
 * A table remembers every thread that lives: its process, its name (a child is born with it),
 * how many threads a process has (the last to end ends it), and when it last became another
 * (what the helper read before is no longer true then). */
#include "collectors/linux/translate/task.h"

#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/task_record.h"
#include "src/base/mem.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---------------------------------------------------------------------- */

/* 2^17 threads of 72 bytes, in sets by their ids: those are given in turn, so that the sets
 * fill evenly. Who ended a while ago makes room before another way of all sets is begun, whose memory
 * nothing has touched. A full set gives up the entry that ended longest ago, or else its oldest. */
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

struct program {
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
    unsigned ways; /* that anything is in */
    struct task sets[WAYS][SETS];
    struct program *programs;
    uint32_t program_places;
    struct whole *wholes;
    uint32_t whole_places, whole_newest; /* the number of the newest */
};

static struct task *find(struct tasks *s, uint32_t tid)
{
    for (unsigned way = 0; tid && way < s->ways; way++)
        if (s->sets[way][tid % SETS].tid == tid)
            return &s->sets[way][tid % SETS];
    return NULL;
}

static bool is_needed(const struct task *t)
{
    return t->flags & TASK_ALIVE || t->threads;
}

static int64_t worth(const struct task *t)
{
    return is_needed(t) ? t->touched : t->touched - INT64_MAX / 2;
}

/* The place for a thread that has none. */
static struct task *place_for(struct tasks *s, uint32_t tid, int64_t time)
{
    struct task *least = &s->sets[0][tid % SETS];
    for (unsigned way = 0; way < WAYS; way++) {
        struct task *const at = &s->sets[way][tid % SETS];
        s->ways = way >= s->ways ? way + 1 : s->ways;
        if (!at->tid || (!is_needed(at) && time - at->touched > GONE_NS))
            return at;
        if (worth(at) < worth(least))
            least = at;
    }
    return least;
}

static void leave_process(struct tasks *s, struct task *t)
{
    struct task *const process = find(s, t->pid);
    if (t->flags & TASK_ALIVE && process && process->threads)
        process->threads--;
    t->flags &= (uint16_t)~TASK_ALIVE;
}

/* A fresh entry, alive; an older one of the same id makes way, or the least of its set. */
static struct task *add(struct translator *t, uint32_t pid, uint32_t tid, int64_t time)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    struct task *at = find(s, tid);
    if (!at) {
        at = place_for(s, tid, time);
        t->unpaired += at->flags & TASK_ALIVE;
    }
    leave_process(s, at);
    *at = (struct task){
        .tid = tid, .pid = pid, .touched = time, .exit = EXIT_STILL_ACTIVE, .flags = TASK_ALIVE};
    return at;
}

/* The entry of a process's first thread, made if it is new. */
static struct task *process_of(struct translator *t, uint32_t pid, int64_t time)
{
    struct task *p = find(t->state[DOMAIN_TASK], pid);
    if (p)
        return p;
    p = add(t, pid, pid, time);
    p->threads = 1;
    return p;
}

static void set_comm(struct task *t, const char *name, size_t bytes)
{
    t->comm_bytes = (uint8_t)(bytes < COMM ? bytes : COMM);
    memcpy(t->comm, name, t->comm_bytes);
    t->flags |= TASK_NAMED;
}

static struct program *program_place(struct tasks *s, uint32_t pid)
{
    return &s->programs[pid % s->program_places];
}

static struct whole *whole_place(struct tasks *s, uint32_t number)
{
    return &s->wholes[number % s->whole_places];
}

static struct some_text program_of(struct tasks *s, uint32_t pid)
{
    const struct program *const p = program_place(s, pid);
    if (p->pid != pid)
        return (struct some_text){"", 0};
    const struct whole *const w = whole_place(s, p->whole);
    return p->whole && w->number == p->whole ? (struct some_text){w->text, w->bytes}
                                             : (struct some_text){p->text, p->bytes};
}

/* Its number. */
static uint32_t keep_whole(struct tasks *s, struct some_text text)
{
    s->whole_newest += s->whole_newest == UINT32_MAX ? 2 : 1;
    struct whole *const w = whole_place(s, s->whole_newest);
    w->number = s->whole_newest;
    w->bytes = (uint32_t)task_cut_text(w->text, sizeof w->text, text);
    return w->number;
}

/* `text` lies outside of the table. */
static void set_program(struct tasks *s, uint32_t pid, struct some_text text)
{
    struct program *const p = program_place(s, pid);
    if (!text.bytes && p->pid != pid)
        return;
    p->pid = pid;
    p->bytes = (uint16_t)task_cut_text(p->text, sizeof p->text, text);
    p->whole = text.bytes > sizeof p->text ? keep_whole(s, text) : 0;
}

static void inherit_program(struct tasks *s, uint32_t pid, uint32_t creator)
{
    struct program inherited = *program_place(s, creator);
    if (inherited.pid != creator) {
        set_program(s, pid, (struct some_text){"", 0});
        return;
    }
    inherited.pid = pid;
    *program_place(s, pid) = inherited;
}

static struct some_text comm_of(const struct task *t)
{
    return (struct some_text){t->comm, t->comm_bytes};
}

static bool is_called(const struct task *t, const char *name, size_t bytes)
{
    return t->flags & TASK_NAMED && t->comm_bytes == bytes && memcmp(t->comm, name, bytes) == 0;
}

bool task_trusts(const struct translator *t, uint32_t pid, uint32_t tid, int64_t read_time)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    if (!s)
        return true;
    const struct task *const process = find(s, pid), *const thread = find(s, tid);
    return !(process && process->changed >= read_time) && !(thread && thread->changed >= read_time);
}

uint32_t task_process(const struct translator *t, uint32_t tid)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    const struct task *const thread = s ? find(s, tid) : NULL;
    return thread ? thread->pid : tid;
}

bool task_has_ended(const struct translator *t, uint32_t pid)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    const struct task *const process = s ? find(s, pid) : NULL;
    return !process || process->flags & TASK_ENDED;
}

/* ---- telling -------------------------------------------------------------------------- */

static struct record_from from_of(const struct sample *s, uint32_t pid, uint32_t tid)
{
    return (struct record_from){pid, tid, s->cpu, s->time};
}

static void ask_for_command(struct translator *t, uint32_t pid, int64_t time)
{
    const struct help question = {
        .kind = HELP_PROCESS, .domain = DOMAIN_TASK, .pid = pid, .time = time};
    if (t->helper)
        helper_ask(t->helper, &question);
}

static void report_process(struct translator *t, unsigned hook, const struct record_from *from,
                           const struct task *task, uint32_t parent)
{
    const struct process_record r = {
        .pid = task->pid,
        .parent = parent,
        .session = task->flags & TASK_HAS_SESSION ? task->session : SESSION_UNKNOWN,
        .exit = task->exit,
        .name = comm_of(task),
        .command = hook == HOOK_PROCESS_START ? program_of(t->state[DOMAIN_TASK], task->pid)
                                              : (struct some_text){"", 0},
        .has_owner = task->flags & TASK_HAS_OWNER,
        .uid = task->uid,
    };
    put_process(t, hook, from, &r);
}

/* The entry of a sample's thread, made if it is new. */
static struct task *thread_of(struct translator *t, const struct sample *s)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    struct task *task = find(all, s->tid);
    if (task || s->tid == s->pid)
        return task ? task : process_of(t, s->pid, s->time);
    struct task *process = process_of(t, s->pid, s->time);
    task = add(t, s->pid, s->tid, s->time);
    process = find(all, s->pid); /* it may have had to make way */
    if (process)
        process->threads++;
    return task;
}

/* The kernel says -1 of a thread that has no id any more. */
static bool has_id(const struct sample *s)
{
    return s->tid && s->pid && s->tid != UINT32_MAX && s->pid != UINT32_MAX;
}

void task_met(struct translator *t, const struct sample *s)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    if (!all || !has_id(s) || find(all, s->tid))
        return;
    const bool is_new_process = !find(all, s->pid);
    const struct task *const task = thread_of(t, s);
    const struct record_from from = from_of(s, s->pid, s->tid);
    put_thread(t, HOOK_THREAD_RUNDOWN, &from, s->pid, s->tid, comm_of(task));
    if (is_new_process)
        ask_for_command(t, s->pid, s->time);
}

/* ---- the side band -------------------------------------------------------------------- */

/* A process that is forked is its creator's, and runs what that runs. */
static void set_owner_of_fork(struct translator *t, struct task *task, uint32_t creator)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    const struct task *const known = find(all, creator);
    if (task->pid == creator || !known)
        return;
    task->uid = known->uid;
    task->flags |= known->flags & TASK_HAS_OWNER;
    if (task->pid == task->tid)
        inherit_program(all, task->pid, creator);
}

static void take_fork(struct translator *t, const struct sample *s)
{
    struct band_task f;
    if (!band_task(s, &f) || !f.tid)
        return;
    const struct record_from from = from_of(s, f.ppid, f.ptid);
    const bool is_thread = f.pid == f.ppid || f.pid != f.tid;
    struct task creator = {0};
    const struct task *const known = find(t->state[DOMAIN_TASK], f.ptid);
    if (known)
        creator = *known; /* it may have to make way */
    struct task *const process = is_thread ? process_of(t, f.pid, s->time) : NULL;
    struct task *const task = add(t, f.pid, f.tid, s->time);
    task->changed = s->time;
    if (creator.flags & TASK_NAMED)
        set_comm(task, creator.comm, creator.comm_bytes);
    task->session = creator.session;
    task->flags |= creator.flags & TASK_HAS_SESSION;
    set_owner_of_fork(t, task, f.ppid);
    if (process && process->pid == f.pid && process != task)
        process->threads++;
    if (!is_thread) {
        task->threads = 1;
        task->parent = f.ppid;
        report_process(t, HOOK_PROCESS_START, &from, task, f.ppid);
    }
    put_thread(t, HOOK_THREAD_START, &from, f.pid, f.tid, comm_of(task));
}

/* Exec in a thread that is not the first gives it the first one's id, which ended before. */
static void revive(struct translator *t, const struct record_from *from, struct task *first)
{
    if (first->flags & TASK_ALIVE)
        return;
    first->flags |= TASK_ALIVE;
    first->threads++;
    put_thread(t, HOOK_THREAD_START, from, first->pid, first->tid, comm_of(first));
}

/* A process got another name by itself (prctl), or by running another program. */
static void report_name(struct translator *t, const struct record_from *from, struct task *process,
                        bool is_exec)
{
    const struct tasks *const all = t->state[DOMAIN_TASK];
    process->changed = from->time;
    if (is_exec) {
        revive(t, from, process);
        process->flags |= TASK_IN_EXEC;
    }
    put_thread_name(t, from, process->pid, process->tid, comm_of(process));
    if (is_exec && !all->tells_exec) {
        put_exec(t, from, process->pid, comm_of(process), (struct some_text){"", 0},
                 (struct some_text){"", 0});
        process->flags |= TASK_EXEC_REPORTED;
    } else {
        put_rename(t, from, process->pid, comm_of(process));
    }
    ask_for_command(t, process->pid, from->time);
}

static void take_comm(struct translator *t, const struct sample *s)
{
    struct band_comm c;
    if (!band_comm(s, &c) || !c.tid)
        return;
    const struct record_from from = from_of(s, c.pid, c.tid);
    const bool is_first = c.pid == c.tid;
    struct task *const task =
        is_first ? process_of(t, c.pid, s->time) : find(t->state[DOMAIN_TASK], c.tid);
    if (task) {
        set_comm(task, c.name.at, c.name.bytes);
        task->touched = s->time;
    }
    if (is_first)
        report_name(t, &from, task, s->misc & PERF_RECORD_MISC_COMM_EXEC);
    else
        put_thread_name(t, &from, c.pid, c.tid, c.name);
}

/* Whether the process ends with this thread. */
static bool is_last(const struct tasks *s, const struct task *task, const struct task *process,
                    const struct band_task *x)
{
    if (s->tells_last && task)
        return task->flags & TASK_IS_LAST;
    return process ? process->threads == 0 : x->pid == x->tid;
}

/* Exec takes away the counters of its own that a task may have had, and kernels (6.18 among them)
 * then report an exit, some microseconds behind the name, though nothing ends. Where tracepoints
 * are on, a real end has its own event before. */
static bool only_runs_another(const struct tasks *s, struct task *task, int64_t time)
{
    enum { EXEC_NS = 100000 };
    const bool is_new =
        task->flags & TASK_IN_EXEC && (s->tells_exec || time - task->changed < EXEC_NS);
    task->flags &= (uint16_t)~TASK_IN_EXEC;
    return is_new && !(task->flags & TASK_LEAVES);
}

static void take_exit(struct translator *t, const struct sample *s)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    struct band_task x;
    if (!band_task(s, &x) || !x.tid)
        return;
    const struct record_from from = from_of(s, x.pid, x.tid);
    struct task *const task = find(all, x.tid);
    if (task && only_runs_another(all, task, s->time))
        return;
    struct task *const process = find(all, x.pid);
    if (task) {
        leave_process(all, task);
        task->changed = task->touched = s->time;
    }
    put_thread(t, HOOK_THREAD_END, &from, x.pid, x.tid,
               task ? comm_of(task) : (struct some_text){"", 0});
    if (!is_last(all, task, process, &x))
        return;
    const struct task unknown = {.tid = x.pid, .pid = x.pid, .exit = EXIT_STILL_ACTIVE};
    const uint32_t parent = process && process->parent ? process->parent : x.ppid;
    report_process(t, HOOK_PROCESS_END, &from, process ? process : &unknown, parent);
    if (!process)
        return;
    process->changed = process->touched = s->time;
    process->flags |= TASK_ENDED;
    process->threads = 0;
}

static void task_side_band(struct translator *t, const struct sample *s)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    if (s->type == PERF_RECORD_LOST)
        all->has_lost = true;
    if (s->type == PERF_RECORD_FORK)
        take_fork(t, s);
    else if (s->type == PERF_RECORD_COMM)
        take_comm(t, s);
    else if (s->type == PERF_RECORD_EXIT)
        take_exit(t, s);
}

/* ---- tracepoints ------------------------------------------------------------------------ */

enum { BORN_TID, BORN_COMM };
enum { EXEC_PATH, EXEC_PID, EXEC_OLD_TID, EXEC_ARGUMENTS, EXEC_ALL_BYTES };
enum { EXIT_TID, EXIT_COMM, EXIT_IS_LAST, EXIT_CODE };

/* Right behind the FORK of the same thread. Its first name is reported where the table did not know
 * its creator's name, or knew an older one. */
static void take_birth(struct translator *t, const struct sample *s)
{
    char comm[COMM];
    const size_t bytes = sample_text(s, BORN_COMM, comm, sizeof comm);
    struct task *const task = find(t->state[DOMAIN_TASK], sample_u32(s, BORN_TID));
    if (!task || !bytes || is_called(task, comm, bytes))
        return;
    set_comm(task, comm, bytes);
    const struct record_from from = from_of(s, s->pid, s->tid);
    put_thread_name(t, &from, task->pid, task->tid, comm_of(task));
    if (task->pid == task->tid)
        put_rename(t, &from, task->pid, comm_of(task));
}

/* Exec in a thread that was not the first: that one's id is no more. */
static void end_old(struct translator *t, const struct sample *s, uint32_t pid, uint32_t old_tid)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    struct task *const old = find(all, old_tid);
    const struct record_from from = from_of(s, pid, pid);
    put_thread(t, HOOK_THREAD_END, &from, pid, old_tid,
               old ? comm_of(old) : (struct some_text){"", 0});
    if (!old)
        return;
    leave_process(all, old);
    old->changed = s->time;
}

enum { ARGUMENTS = 4096 };

/* As /proc has them, with blanks for the NULs between them; "…" for what was cut off. */
static struct some_text read_arguments(const struct sample *s, char out[ARGUMENTS])
{
    static const char more[] = "…"; /* as task_cut_text() has it */
    size_t bytes;
    const uint8_t *const from = sample_bytes(s, EXEC_ARGUMENTS, &bytes);
    const bool is_cut = sample_u32(s, EXEC_ALL_BYTES) > bytes;
    if (!from || bytes > ARGUMENTS - sizeof more)
        return (struct some_text){"", 0};
    while (bytes && !from[bytes - 1])
        bytes--;
    for (size_t i = 0; i < bytes; i++)
        out[i] = from[i] ? (char)from[i] : ' ';
    if (is_cut && bytes) {
        memcpy(out + bytes, more, sizeof more - 1);
        bytes += sizeof more - 1;
    }
    return (struct some_text){out, bytes};
}

static void take_exec(struct translator *t, const struct sample *s)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    char path[4096], arguments[ARGUMENTS];
    const size_t bytes = sample_text(s, EXEC_PATH, path, sizeof path);
    const uint32_t pid = sample_u32(s, EXEC_PID), old_tid = sample_u32(s, EXEC_OLD_TID);
    if (!pid)
        return;
    all->tells_exec = true;
    if (old_tid && old_tid != pid)
        end_old(t, s, pid, old_tid);
    struct task *const task = process_of(t, pid, s->time);
    const struct record_from from = from_of(s, pid, pid);
    const struct some_text command = read_arguments(s, arguments);
    set_program(all, pid, command);
    if (!(task->flags & TASK_EXEC_REPORTED))
        put_exec(t, &from, pid, comm_of(task), (struct some_text){path, bytes}, command);
    task->flags &= (uint16_t) ~(TASK_EXEC_REPORTED | TASK_IN_EXEC);
}

/* A status as wait(2) has it: what the program said, or the signal that ended it, negative. */
static int32_t exit_of(uint32_t status)
{
    const int32_t signal = (int32_t)(status & 0x7f);
    return signal ? -signal : (int32_t)(status >> 8 & 0xff);
}

/* Before the side band's EXIT of the same thread, which reports its end. */
static void take_leave(struct translator *t, const struct sample *s)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    char comm[COMM];
    const size_t bytes = sample_text(s, EXIT_COMM, comm, sizeof comm);
    if (!has_id(s))
        return;
    struct task *const task = thread_of(t, s);
    if (bytes && !(task->flags & TASK_NAMED))
        set_comm(task, comm, bytes);
    task->flags |= TASK_LEAVES;
    if (!sample_has(s, EXIT_IS_LAST))
        return;
    all->tells_last = true;
    if (!sample_u32(s, EXIT_IS_LAST))
        return;
    task->flags |= TASK_IS_LAST;
    if (sample_has(s, EXIT_CODE))
        process_of(t, s->pid, s->time)->exit = exit_of(sample_u32(s, EXIT_CODE));
}

/* The process is another user's from here on. */
static void take_user(struct translator *t, const struct sample *s)
{
    if (sample_i64(s, 0) == 0)
        ask_for_command(t, s->pid, s->time);
}

#define USER_CALL(call)                                                                            \
    {                                                                                              \
        .group = "syscalls", .name = "sys_exit_" call, .fields = {"ret"}, .translate = take_user,  \
        .is_urgent = true, /* /proc has the user while the process lives */                        \
            .serves = "processes that change their user"                                           \
    }

static const struct linux_event task_events[] = {
    {.group = "task",
     .name = "task_newtask",
     .fields = {[BORN_TID] = "pid", [BORN_COMM] = "comm"},
     .translate = take_birth,
     .serves = "names of processes that never call exec"},
    {.group = "sched",
     .name = "sched_process_exec",
     .fields = {[EXEC_PATH] = "filename",
                [EXEC_PID] = "pid",
                [EXEC_OLD_TID] = "?old_pid",
                [EXEC_ARGUMENTS] = "?arguments",
                [EXEC_ALL_BYTES] = "?argument_bytes"},
     .translate = take_exec,
     .program = "sched_process_exec",
     .prefers_bpf = true, /* it has the arguments of those that end at once */
     .is_urgent = true,   /* /proc has what else there is as long as the process lives */
     .serves = "paths and arguments of programs"},
    {.group = "sched",
     .name = "sched_process_exit",
     .fields = {[EXIT_TID] = "?pid",
                [EXIT_COMM] = "?comm",
                [EXIT_IS_LAST] = "?group_dead",
                [EXIT_CODE] = "?exit_code"},
     .translate = take_leave,
     .program = "sched_process_exit",
     .prefers_bpf = true, /* the exit code is there alone */
     .serves = "last thread and exit status of processes"},
    USER_CALL("setuid"),
    USER_CALL("setreuid"),
    USER_CALL("setresuid"),
};

/* ---- replies -------------------------------------------------------------------------------- */

/* What a process runs, and whose it is. */
static void learn_program(struct translator *t, const struct reply *m)
{
    struct task *const process = find(t->state[DOMAIN_TASK], m->pid);
    if (!process || !task_trusts(t, m->pid, m->pid, m->time))
        return;
    if (m->is_found) {
        process->uid = (uint32_t)m->key;
        process->flags |= TASK_HAS_OWNER;
    }
    set_program(t->state[DOMAIN_TASK], m->pid, (struct some_text){m->path, strlen(m->path)});
}

/* A thread that the walk met. */
static void task_reply(struct translator *t, const struct reply *m)
{
    const uint32_t tid = (uint32_t)m->fd;
    if (m->kind == HELP_PROCESS)
        learn_program(t, m);
    if (m->kind != HELP_RUNDOWN || !tid || !task_trusts(t, m->pid, tid, m->time))
        return;
    struct task *const process = process_of(t, m->pid, m->time);
    struct task *task = find(t->state[DOMAIN_TASK], tid);
    if (!task) {
        task = add(t, m->pid, tid, m->time);
        process->threads++;
    }
    set_comm(task, m->path, strlen(m->path)); /* trusted: no event is newer */
    task->session = (uint32_t)m->key;
    process->parent = (uint32_t)(m->key >> 32);
    task->flags |= TASK_HAS_SESSION;
}

/* After a loss another walk lists all processes; not more often than this, for the walk itself
 * would add to a loss that goes on. */
static const int64_t BETWEEN_WALKS = 10 * 1000000000ll;

static void task_tick(struct translator *t, int64_t now)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    const struct help question = {.kind = HELP_RUNDOWN, .domain = DOMAIN_TASK, .time = now};
    if (!t->helper)
        return;
    if (all->has_lost && now - all->walked > BETWEEN_WALKS && helper_ask(t->helper, &question)) {
        all->has_lost = false;
        all->walked = now;
    }
    const uint64_t dropped = helper_figures(t->helper).dropped;
    if (dropped && !all->has_reported_dropped)
        feed_notice(t->feed,
                    "processes come faster than /proc can be read: %" PRIu64 " requests about them and their files were dropped so far",
                    dropped);
    all->has_reported_dropped |= dropped != 0;
}

/* Processes that we start ourselves may come before the walk has listed the others. */
static void know_ourselves(struct translator *t)
{
    if (!t->self_name[0])
        return;
    struct task *const self = process_of(t, t->self, 0);
    set_comm(self, t->self_name, strnlen(t->self_name, COMM));
    self->uid = t->self_uid;
    self->flags |= TASK_HAS_OWNER;
    if (t->self_command)
        set_program(t->state[DOMAIN_TASK], t->self,
                    (struct some_text){t->self_command, strlen(t->self_command)});
}

static void task_start(struct translator *t)
{
    struct tasks *const s = mem_new(1, sizeof *s);
    s->program_places =
        translator_places(t, sizeof *s->programs, PROGRAMS_PART, FEW_PROGRAMS, PROGRAMS);
    s->programs = mem_new(s->program_places, sizeof *s->programs);
    s->whole_places = translator_places(t, sizeof *s->wholes, WHOLES_PART, FEW_WHOLES, WHOLES);
    s->wholes = mem_new(s->whole_places, sizeof *s->wholes);
    t->state[DOMAIN_TASK] = s;
    know_ourselves(t);
}

static void task_stop(struct translator *t)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    if (!s)
        return;
    free(s->programs);
    free(s->wholes);
    free(s);
    t->state[DOMAIN_TASK] = NULL;
}

static size_t task_bytes(const struct translator *t)
{
    const struct tasks *const s = t->state[DOMAIN_TASK];
    return s ? s->ways * sizeof *s->sets + s->program_places * sizeof *s->programs +
                   s->whole_places * sizeof *s->wholes
             : 0;
}

const struct linux_domain domain_task = {
    .id = "task",
    .events = task_events,
    .event_count = sizeof task_events / sizeof *task_events,
    .side_band = task_side_band,
    .start = task_start,
    .stop = task_stop,
    .bytes = task_bytes,
    .tick = task_tick,
    .reply = task_reply,
};
