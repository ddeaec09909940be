#include "tests/watcher.h"

#include "src/base/mem.h"
#include "src/model/model.h"

#include <stdlib.h>
#include <string.h>

enum { HOOKS = 0x10000 };

struct watcher {
    struct model model;
    unsigned hooks[HOOKS];
};

struct watcher *watcher_new(void)
{
    struct watcher *const w = mem_new(1, sizeof *w);
    model_init(&w->model);
    model_sources(&w->model, 1);
    w->model.sources[0].clock = (struct trace_clock){.frequency = 1000000000, .kind = CLOCK_QPC};
    w->model.sources[0].is_linux = true;
    return w;
}

void watcher_free(struct watcher *w)
{
    model_fini(&w->model);
    free(w);
}

void watcher_take(struct watcher *w, const struct record_head *head)
{
    struct event e;
    if (event_of_record(head, &e) != EVENT_OK)
        abort();
    watcher_take_event(w, &e);
}

void watcher_take_event(struct watcher *w, const struct event *e)
{
    struct fact f = {0};
    if (header_is_kernel((enum header_kind)e->kind))
        w->hooks[e->id]++;
    model_fact(&w->model, e, 0, e->ts, &f);
}

struct watched_process watched_number(const struct watcher *w, uint32_t number)
{
    const struct process *const p = model_process_at(&w->model, number);
    if (!p)
        return (struct watched_process){0};
    return (struct watched_process){
        .number = p->number,
        .pid = p->pid,
        .parent = p->parent_pid,
        .session = p->session,
        .threads = p->threads,
        .execs = p->execs,
        .has_session = p->has_session,
        .has_started = p->flags & LIFETIME_STARTED,
        .has_ended = p->flags & LIFETIME_ENDED,
        .start_ns = p->start_ns,
        .end_ns = p->end_ns,
        .exit = p->exit_status,
        .name = p->name,
        .command = p->command,
        .user = p->user,
        .account = p->account,
    };
}

struct watched_process watched_born(const struct watcher *w, uint32_t pid, int64_t from, int64_t to)
{
    for (uint32_t n = 1; n <= w->model.processes.newest; n++) {
        const struct process *const p = model_process_at(&w->model, n);
        if (p && p->pid == pid && p->start_ns >= from && p->start_ns <= to)
            return watched_number(w, n);
    }
    return (struct watched_process){0};
}

struct watched_process watched_process(const struct watcher *w, uint32_t pid)
{
    return watched_number(w, map_get(&w->model.process_now, pid));
}

bool watched_thread_ended(const struct watcher *w, uint32_t tid, uint32_t *process)
{
    const struct thread *const t =
        generation_at(&w->model.threads, map_get(&w->model.thread_now, tid));
    *process = t ? t->process : 0;
    return t && t->flags & LIFETIME_ENDED;
}

const char *watched_thread_name(const struct watcher *w, uint32_t tid)
{
    const struct thread *const t =
        generation_at(&w->model.threads, map_get(&w->model.thread_now, tid));
    return t && t->name ? t->name : "";
}

const char *watched_module(const struct watcher *w, uint32_t pid, uint64_t address, int64_t time)
{
    const uint32_t process = map_get(&w->model.process_now, pid);
    const uint32_t number = model_image_at(&w->model, 0, process, address, time);
    const struct image *const i = generation_at(&w->model.images, number);
    const char *const name = i ? model_module_name(&w->model, i) : NULL;
    return name ? name : "";
}

unsigned watched_hooks(const struct watcher *w, uint16_t hook)
{
    return w->hooks[hook];
}

unsigned watched_own(const struct watcher *w, const char *name)
{
    uint64_t events = 0;
    for (uint32_t i = 0; i < w->model.kind_count; i++)
        if (w->model.kinds[i].tracelogging && strcmp(w->model.kinds[i].event_name, name) == 0)
            events += w->model.kinds[i].events;
    return (unsigned)events;
}
