/* The table of tasks. See task.h. */
#include "collectors/linux/kernel/side_band.h"
#include "collectors/linux/translate/helper.h"
#include "collectors/linux/translate/task.h"
#include "collectors/linux/translate/task_record.h"
#include "collectors/linux/translate/task_table.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

struct task *tasks_find(struct tasks *s, uint32_t tid)
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

void tasks_leave_process(struct tasks *s, struct task *t)
{
    struct task *const process = tasks_find(s, t->pid);
    if (t->flags & TASK_ALIVE && process && process->threads)
        process->threads--;
    t->flags &= (uint16_t)~TASK_ALIVE;
}

struct task *tasks_add(struct translator *t, uint32_t pid, uint32_t tid, int64_t time)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    struct task *at = tasks_find(s, tid);
    if (!at) {
        at = place_for(s, tid, time);
        t->unpaired += at->flags & TASK_ALIVE;
    }
    tasks_leave_process(s, at);
    *at = (struct task){
        .tid = tid, .pid = pid, .touched = time, .exit = EXIT_STILL_ACTIVE, .flags = TASK_ALIVE};
    return at;
}

struct task *tasks_process_of(struct translator *t, uint32_t pid, int64_t time)
{
    struct task *p = tasks_find(t->state[DOMAIN_TASK], pid);
    if (p)
        return p;
    p = tasks_add(t, pid, pid, time);
    p->threads = 1;
    return p;
}

void task_set_comm(struct task *t, const char *name, size_t bytes)
{
    t->comm_bytes = (uint8_t)(bytes < COMM ? bytes : COMM);
    memcpy(t->comm, name, t->comm_bytes);
    t->flags |= TASK_NAMED;
}

static struct task_program *program_place(struct tasks *s, uint32_t pid)
{
    return &s->programs[pid % s->program_places];
}

static struct whole *whole_place(struct tasks *s, uint32_t number)
{
    return &s->wholes[number % s->whole_places];
}

struct some_text tasks_program_of(struct tasks *s, uint32_t pid)
{
    const struct task_program *const p = program_place(s, pid);
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

void tasks_set_program(struct tasks *s, uint32_t pid, struct some_text text)
{
    struct task_program *const p = program_place(s, pid);
    if (!text.bytes && p->pid != pid)
        return;
    p->pid = pid;
    p->bytes = (uint16_t)task_cut_text(p->text, sizeof p->text, text);
    p->whole = text.bytes > sizeof p->text ? keep_whole(s, text) : 0;
}

void tasks_inherit_program(struct tasks *s, uint32_t pid, uint32_t creator)
{
    struct task_program inherited = *program_place(s, creator);
    if (inherited.pid != creator) {
        tasks_set_program(s, pid, (struct some_text){"", 0});
        return;
    }
    inherited.pid = pid;
    *program_place(s, pid) = inherited;
}

struct some_text task_comm_of(const struct task *t)
{
    return (struct some_text){t->comm, t->comm_bytes};
}

bool task_is_called(const struct task *t, const char *name, size_t bytes)
{
    return t->flags & TASK_NAMED && t->comm_bytes == bytes && memcmp(t->comm, name, bytes) == 0;
}

bool task_trusts(const struct translator *t, uint32_t pid, uint32_t tid, int64_t read_time)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    if (!s)
        return true;
    const struct task *const process = tasks_find(s, pid), *const thread = tasks_find(s, tid);
    return !(process && process->changed >= read_time) && !(thread && thread->changed >= read_time);
}

uint32_t task_process(const struct translator *t, uint32_t tid)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    const struct task *const thread = s ? tasks_find(s, tid) : NULL;
    return thread ? thread->pid : tid;
}

bool task_has_ended(const struct translator *t, uint32_t pid)
{
    struct tasks *const s = t->state[DOMAIN_TASK];
    const struct task *const process = s ? tasks_find(s, pid) : NULL;
    return !process || process->flags & TASK_ENDED;
}
