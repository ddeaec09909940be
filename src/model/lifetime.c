/* Lifetimes of processes and threads. Ids come back: one opens a lifetime, its end
 * closes it, and the next start of the same id is somebody else. */
#include "src/event/providers.h"
#include "src/model/model.h"

#include <stdlib.h>
#include <string.h>

/* A mention may come slightly before the Start event of the same process (its
 * creator already maps memory for it); older mentions belong to a predecessor
 * whose end nobody recorded. */
static const int64_t START_SLACK_NS = 1000000000;

/* ---- processes ------------------------------------------------------------------ */

static void forget_process(void *thing, void *arg)
{
    struct process *p = thing;
    struct model *m = arg;
    m->tally.early_processes += p->flags & LIFETIME_ENDED && model_is_kept(m, p->end_ns);
    model_images_end(m, p->number); /* nobody else will */
    const uint64_t key = model_id_key(p->source, p->pid);
    if (map_get(&m->process_now, key) == p->number)
        map_remove(&m->process_now, key);
    model_unname(m, &p->name);
    model_unname(m, &p->command);
    model_unname(m, &p->user);
    model_unname(m, &p->account);
    model_unname(m, &p->services);
    m->reading_bytes -= memory_history_bytes(p->memory);
    free(p->memory);
    p->memory = NULL;
}

static struct process *process_now(struct model *m, source_id source, uint32_t pid)
{
    const uint32_t number = map_get(&m->process_now, model_id_key(source, pid));
    return number ? generation_at(&m->processes, number) : NULL;
}

static struct process *process_add(struct model *m, source_id source, uint32_t pid, int64_t time)
{
    struct process *p = generation_add(&m->processes, forget_process, m);
    p->source = source;
    p->pid = pid;
    p->first_ns = time;
    if (pid == 0)
        model_rename(m, &p->name, "(idle)");
    map_put(&m->process_now, model_id_key(source, pid), p->number);
    return p;
}

uint32_t model_process_open(struct model *m, source_id source, uint32_t pid, int64_t time)
{
    return pid == EVENT_NO_ID ? 0 : process_add(m, source, pid, time)->number;
}

static bool names_differ(const struct process *p, const char *b)
{
    const char *const a = p->name;
    if (!a || !b || !*a || !*b || strcmp(a, b) == 0)
        return false;
    const bool may_be_cut = p->flags & LIFETIME_ENDED_BY_PROVIDER && strlen(a) == KERNEL_PROCESS_NAME_CUT;
    return !may_be_cut || strncmp(a, b, KERNEL_PROCESS_NAME_CUT) != 0;
}

static void process_close(struct model *m, struct process *p, int64_t time)
{
    if (p->flags & LIFETIME_ENDED)
        return;
    p->flags |= LIFETIME_ENDED;
    p->end_ns = time;
    model_images_end(m, p->number);
}

void model_process_called(struct model *m, struct process *p, int64_t time, const char *name)
{
    if (p->pid != 0 && model_rename(m, &p->name, name) && p->first_ns != time)
        m->late_names++;
}

void model_process_parent(struct process *p, uint32_t pid)
{
    p->has_parent = pid != EVENT_NO_ID; /* so rundowns write what they do not know */
    p->parent_pid = p->has_parent ? pid : 0;
}

uint32_t model_parent_of(const struct model *m, uint32_t number)
{
    const struct process *p = model_process_at(m, number);
    if (!p || p->parent || !p->pid)
        return p ? p->parent : 0;
    const uint32_t parent = map_get(&m->process_now, (uint64_t)p->source << 32 | p->parent_pid);
    const struct process *q = model_process_at(m, parent);
    const int64_t begun = p->start_ns ? p->start_ns : p->first_ns;
    if (!q || !q->pid || parent == number || (q->start_ns && q->start_ns > begun))
        return 0;
    return parent;
}

void model_process_forked(struct model *m, struct process *p)
{
    const struct process *const parent = process_now(m, p->source, p->parent_pid);
    if (!p->has_parent || !parent || parent == p || !parent->user ||
        (p->user && strcmp(p->user, parent->user) != 0))
        return;
    model_rename(m, &p->user, parent->user);
    if (parent->account)
        model_rename(m, &p->account, parent->account);
}

struct process *model_process_start(struct model *m, source_id source, uint32_t pid, int64_t time,
                                    const char *name)
{
    struct process *p = process_now(m, source, pid);
    const bool is_same = p && !p->name && !(p->flags & (LIFETIME_ENDED | LIFETIME_STARTED)) &&
                         time - p->first_ns <= START_SLACK_NS;
    if (p && !is_same)
        process_close(m, p, time);
    if (!is_same)
        p = process_add(m, source, pid, time);
    p->flags |= LIFETIME_STARTED;
    p->start_ns = time;
    model_process_called(m, p, time, name);
    return p;
}

struct process *model_process_seen(struct model *m, source_id source, uint32_t pid, int64_t time,
                                   const char *name, uint64_t key)
{
    struct process *p = process_now(m, source, pid);
    /* Another name or another kernel object: an end and a start went unrecorded. */
    const bool is_named_otherwise = p && !m->sources[source].is_linux
                                    && names_differ(p, name);
    const bool is_other = p && pid != 0
                          && (is_named_otherwise
                              || (p->has_key && key && p->key && p->key != key));
    if (p && is_other)
        process_close(m, p, time);
    if (!p || is_other)
        p = process_add(m, source, pid, time);
    model_process_called(m, p, time, name);
    return p;
}

struct process *model_process_end(struct model *m, source_id source, uint32_t pid, int64_t time)
{
    struct process *p = process_now(m, source, pid);
    if (!p)
        p = process_add(m, source, pid, time);
    process_close(m, p, time);
    return p;
}

/* ---- threads -------------------------------------------------------------------- */

static void count_thread(struct model *m, struct thread *t, bool is_alive)
{
    struct process *p = generation_at(&m->processes, t->process);
    if (p && is_alive && !t->is_counted)
        p->threads++;
    if (p && !is_alive && t->is_counted && p->threads)
        p->threads--;
    t->is_counted = is_alive && p;
}

static void forget_thread(void *thing, void *arg)
{
    struct thread *t = thing;
    struct model *m = arg;
    const uint64_t key = model_id_key(t->source, t->tid);
    m->tally.early_threads += t->flags & LIFETIME_ENDED && model_is_kept(m, t->end_ns);
    if (map_get(&m->thread_now, key) == t->number)
        map_remove(&m->thread_now, key);
    model_unname(m, &t->name);
    count_thread(m, t, false);
}

static struct thread *thread_now(struct model *m, source_id source, uint32_t tid)
{
    const uint32_t number = map_get(&m->thread_now, model_id_key(source, tid));
    return number ? generation_at(&m->threads, number) : NULL;
}

static struct thread *thread_add(struct model *m, source_id source, uint32_t tid, int64_t time)
{
    struct thread *t = generation_add(&m->threads, forget_thread, m);
    t->source = source;
    t->tid = tid;
    t->first_ns = time;
    map_put(&m->thread_now, model_id_key(source, tid), t->number);
    if (tid == 0) /* every processor's idle thread */
        t->process = model_process(m, source, 0, time);
    return t;
}

uint32_t model_thread_open(struct model *m, source_id source, uint32_t tid, int64_t time)
{
    return tid == EVENT_NO_ID ? 0 : thread_add(m, source, tid, time)->number;
}

void model_thread_belongs(struct model *m, struct thread *t, uint32_t process)
{
    if (t->process || !process)
        return;
    t->process = process;
    m->attributions++;
    if (!(t->flags & LIFETIME_ENDED))
        count_thread(m, t, true);
}

static void thread_close(struct model *m, struct thread *t, int64_t time)
{
    t->flags |= LIFETIME_ENDED;
    t->end_ns = time;
    count_thread(m, t, false);
}

struct thread *model_thread_start(struct model *m, source_id source, uint32_t tid, uint32_t process,
                                  int64_t time)
{
    struct thread *t = thread_now(m, source, tid);
    const bool is_same = t && (tid == 0 || (!t->process && !(t->flags & LIFETIME_ENDED) &&
                                            time - t->first_ns <= START_SLACK_NS));
    if (t && !is_same)
        thread_close(m, t, time);
    if (!is_same)
        t = thread_add(m, source, tid, time);
    t->flags |= LIFETIME_STARTED;
    model_thread_belongs(m, t, process);
    return t;
}

struct thread *model_thread_seen(struct model *m, source_id source, uint32_t tid, uint32_t process,
                                 int64_t time)
{
    struct thread *t = thread_now(m, source, tid);
    const bool is_other = t && tid != 0 && t->process && process && t->process != process;
    if (t && is_other)
        thread_close(m, t, time);
    if (!t || is_other)
        t = thread_add(m, source, tid, time);
    model_thread_belongs(m, t, process);
    return t;
}

struct thread *model_thread_end(struct model *m, source_id source, uint32_t tid, int64_t time)
{
    struct thread *t = thread_now(m, source, tid);
    if (!t)
        t = thread_add(m, source, tid, time);
    if (tid != 0)
        thread_close(m, t, time);
    return t;
}
