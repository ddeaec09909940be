/* Processes and threads: parents, programs, names, starts and ends.
 *
 * The side band reports all of it (FORK, COMM, EXIT); three tracepoints tasks_add what it lacks:
 * the name a thread is born with, the path and arguments that exec was given, and which thread was
 * the last of its process. A thread that ends still runs for a moment: its End is reported where
 * the kernel does, and the model keeps its row for the switches that follow.
 *
 * A table remembers every thread that lives: its process, its name (a child is born with it),
 * how many threads a process has (the last to end ends it), and when it last became another
 * (what the helper read before is no longer true then). */
#include "collectors/linux/translate/task.h"

#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/task_record.h"
#include "collectors/linux/translate/task_table.h"
#include "src/base/mem.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---------------------------------------------------------------------- */

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
        .name = task_comm_of(task),
        .command = hook == HOOK_PROCESS_START ? tasks_program_of(t->state[DOMAIN_TASK], task->pid)
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
    struct task *task = tasks_find(all, s->tid);
    if (task || s->tid == s->pid)
        return task ? task : tasks_process_of(t, s->pid, s->time);
    tasks_process_of(t, s->pid, s->time);
    task = tasks_add(t, s->pid, s->tid, s->time);
    struct task *const process = tasks_find(all, s->pid); /* NULL: it had to make way */
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
    if (!all || !has_id(s) || tasks_find(all, s->tid))
        return;
    const bool is_new_process = !tasks_find(all, s->pid);
    const struct task *const task = thread_of(t, s);
    const struct record_from from = from_of(s, s->pid, s->tid);
    put_thread(t, HOOK_THREAD_RUNDOWN, &from, s->pid, s->tid, task_comm_of(task));
    if (is_new_process)
        ask_for_command(t, s->pid, s->time);
}

/* ---- the side band -------------------------------------------------------------------- */

/* A process that is forked is its creator's, and runs what that runs. */
static void set_owner_of_fork(struct translator *t, struct task *task, uint32_t creator)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    const struct task *const known = tasks_find(all, creator);
    if (task->pid == creator || !known)
        return;
    task->uid = known->uid;
    task->flags |= known->flags & TASK_HAS_OWNER;
    if (task->pid == task->tid)
        tasks_inherit_program(all, task->pid, creator);
}

static void take_fork(struct translator *t, const struct sample *s)
{
    struct band_task f;
    if (!band_task(s, &f) || !f.tid)
        return;
    const struct record_from from = from_of(s, f.ppid, f.ptid);
    const bool is_thread = f.pid == f.ppid || f.pid != f.tid;
    struct task creator = {0};
    const struct task *const known = tasks_find(t->state[DOMAIN_TASK], f.ptid);
    if (known)
        creator = *known; /* it may have to make way */
    struct task *const process = is_thread ? tasks_process_of(t, f.pid, s->time) : NULL;
    struct task *const task = tasks_add(t, f.pid, f.tid, s->time);
    task->changed = s->time;
    if (creator.flags & TASK_NAMED)
        task_set_comm(task, creator.comm, creator.comm_bytes);
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
    put_thread(t, HOOK_THREAD_START, &from, f.pid, f.tid, task_comm_of(task));
}

/* Exec in a thread that is not the first gives it the first one's id, which ended before. */
static void revive(struct translator *t, const struct record_from *from, struct task *first)
{
    if (first->flags & TASK_ALIVE)
        return;
    first->flags |= TASK_ALIVE;
    first->threads++;
    put_thread(t, HOOK_THREAD_START, from, first->pid, first->tid, task_comm_of(first));
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
    put_thread_name(t, from, process->pid, process->tid, task_comm_of(process));
    if (is_exec && !t->tells_exec && !all->tells_exec) {
        put_exec(t, from, process->pid, task_comm_of(process), (struct some_text){"", 0},
                 (struct some_text){"", 0});
        process->flags |= TASK_EXEC_REPORTED;
    } else {
        put_rename(t, from, process->pid, task_comm_of(process));
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
        is_first ? tasks_process_of(t, c.pid, s->time) : tasks_find(t->state[DOMAIN_TASK], c.tid);
    if (task) {
        task_set_comm(task, c.name.at, c.name.bytes);
        task->touched = s->time;
    }
    if (is_first)
        report_name(t, &from, task, s->misc & PERF_RECORD_MISC_COMM_EXEC);
    else
        put_thread_name(t, &from, c.pid, c.tid, c.name);
}

/* Whether the process ends with this thread. Kernels before 6.16 say so behind the EXIT:
 * take_leave() ends the process then. */
static bool is_last(const struct translator *t, const struct tasks *s, const struct task *task,
                    const struct task *process, const struct band_task *x)
{
    if ((t->tells_last || s->tells_last) && task)
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

static void end_process(struct translator *t, const struct record_from *from, struct task *process,
                        uint32_t parent)
{
    const struct task unknown = {.tid = from->pid, .pid = from->pid, .exit = EXIT_STILL_ACTIVE};
    report_process(t, HOOK_PROCESS_END, from, process ? process : &unknown, parent);
    if (!process)
        return;
    process->changed = process->touched = from->time;
    process->flags |= TASK_ENDED;
    process->threads = 0;
}

static void take_exit(struct translator *t, const struct sample *s)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    struct band_task x;
    if (!band_task(s, &x) || !x.tid)
        return;
    const struct record_from from = from_of(s, x.pid, x.tid);
    struct task *const task = tasks_find(all, x.tid);
    if (task && only_runs_another(all, task, s->time))
        return;
    struct task *const process = tasks_find(all, x.pid);
    if (task) {
        tasks_leave_process(all, task);
        task->changed = task->touched = s->time;
    }
    put_thread(t, HOOK_THREAD_END, &from, x.pid, x.tid,
               task ? task_comm_of(task) : (struct some_text){"", 0});
    if (!is_last(t, all, task, process, &x))
        return;
    end_process(t, &from, process, process && process->parent ? process->parent : x.ppid);
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
    struct task *const task = tasks_find(t->state[DOMAIN_TASK], sample_u32(s, BORN_TID));
    if (!task || !bytes || task_is_called(task, comm, bytes))
        return;
    task_set_comm(task, comm, bytes);
    const struct record_from from = from_of(s, s->pid, s->tid);
    put_thread_name(t, &from, task->pid, task->tid, task_comm_of(task));
    if (task->pid == task->tid)
        put_rename(t, &from, task->pid, task_comm_of(task));
}

/* Exec in a thread that was not the first: that one's id is no more. */
static void end_old(struct translator *t, const struct sample *s, uint32_t pid, uint32_t old_tid)
{
    struct tasks *const all = t->state[DOMAIN_TASK];
    struct task *const old = tasks_find(all, old_tid);
    const struct record_from from = from_of(s, pid, pid);
    put_thread(t, HOOK_THREAD_END, &from, pid, old_tid,
               old ? task_comm_of(old) : (struct some_text){"", 0});
    if (!old)
        return;
    tasks_leave_process(all, old);
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
    struct task *const task = tasks_process_of(t, pid, s->time);
    const struct record_from from = from_of(s, pid, pid);
    const struct some_text command = read_arguments(s, arguments);
    tasks_set_program(all, pid, command);
    if (!(task->flags & TASK_EXEC_REPORTED))
        put_exec(t, &from, pid, task_comm_of(task), (struct some_text){path, bytes}, command);
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
        task_set_comm(task, comm, bytes);
    task->flags |= TASK_LEAVES;
    if (!sample_has(s, EXIT_IS_LAST))
        return;
    all->tells_last = true;
    if (!sample_u32(s, EXIT_IS_LAST))
        return;
    task->flags |= TASK_IS_LAST;
    const bool has_gone = !(task->flags & TASK_ALIVE);
    struct task *const process = tasks_process_of(t, s->pid, s->time);
    if (sample_has(s, EXIT_CODE))
        process->exit = exit_of(sample_u32(s, EXIT_CODE));
    if (!has_gone || process->flags & TASK_ENDED)
        return;
    const struct record_from from = from_of(s, s->pid, s->tid);
    end_process(t, &from, process, process->parent);
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
    struct task *const process = tasks_find(t->state[DOMAIN_TASK], m->pid);
    if (!process || !task_trusts(t, m->pid, m->pid, m->time))
        return;
    if (m->is_found) {
        process->uid = (uint32_t)m->key;
        process->flags |= TASK_HAS_OWNER;
    }
    tasks_set_program(t->state[DOMAIN_TASK], m->pid, (struct some_text){m->path, strlen(m->path)});
}

/* A thread that the walk met. */
static void task_reply(struct translator *t, const struct reply *m)
{
    const uint32_t tid = (uint32_t)m->fd;
    if (m->kind == HELP_PROCESS)
        learn_program(t, m);
    if (m->kind != HELP_RUNDOWN || !tid || !task_trusts(t, m->pid, tid, m->time))
        return;
    struct task *const process = tasks_process_of(t, m->pid, m->time);
    struct task *task = tasks_find(t->state[DOMAIN_TASK], tid);
    if (!task) {
        task = tasks_add(t, m->pid, tid, m->time);
        process->threads++;
    }
    task_set_comm(task, m->path, strlen(m->path)); /* trusted: no event is newer */
    task->session = (uint32_t)m->key;
    process->parent = (uint32_t)(m->key >> 32);
    task->flags |= TASK_HAS_SESSION;
}

/* After a loss another walk lists all processes; not more often than this, for the walk itself
 * would tasks_add to a loss that goes on. */
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
    struct task *const self = tasks_process_of(t, t->self, 0);
    task_set_comm(self, t->self_name, strnlen(t->self_name, COMM));
    self->uid = t->self_uid;
    self->flags |= TASK_HAS_OWNER;
    if (t->self_command)
        tasks_set_program(t->state[DOMAIN_TASK], t->self,
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
