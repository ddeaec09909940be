#include "src/model/watched.h"

#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/model/model.h"

#include <stdio.h>
#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool has_pid(const struct watched *w, uint32_t pid)
{
    return w->count && bsearch(&pid, w->pids, w->count, sizeof *w->pids, by_number);
}

void model_watch(struct model *m, uint32_t source, uint32_t pid, const char *name,
                 bool has_children)
{
    struct model_source *const s = &m->sources[source];
    struct watched *const w = s->watched ? s->watched : mem_new(1, sizeof *w);
    s->watched = w;
    m->has_watched = true;
    if (pid && w->count < WATCHED_PIDS && !has_pid(w, pid)) {
        w->pids = mem_grow(w->pids, w->count + 1, sizeof *w->pids);
        w->pids[w->count++] = pid;
        qsort(w->pids, w->count, sizeof *w->pids, by_number);
    }
    if (name[0])
        snprintf(w->name, sizeof w->name, "%s", name);
    w->has_children |= has_children;
}

void model_watched_free(struct watched *w)
{
    if (w)
        free(w->pids);
    free(w);
}

static bool is_chosen(const struct watched *w, const struct process *p, bool is_linux)
{
    return has_pid(w, p->pid) ||
           (w->name[0] && p->name && text_is_like(w->name, p->name, !is_linux));
}

bool model_watches(const struct model *m, const struct process *p)
{
    enum { GENERATIONS = 64 }; /* what a trace says of parents may go round */
    const struct model_source *const s = &m->sources[p->source];
    const struct watched *const w = s->watched;
    if (!w)
        return true;
    for (unsigned i = 0; p && i < GENERATIONS; i++) {
        if (is_chosen(w, p, s->is_linux))
            return true;
        p = w->has_children ? model_process_at(m, model_parent_of(m, p->number)) : NULL;
    }
    return false;
}

bool model_is_unwatched(const struct model *m, const struct thread *t)
{
    if (!m->sources[t->source].watched)
        return false;
    const struct process *const p = model_process_at(m, t->process);
    return !p || !model_watches(m, p);
}

static void add_source(const struct watched *w, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < w->count && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%u", i ? ", " : "pid ", w->pids[i]);
    if (w->name[0] && used < room)
        used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", w->name);
    if (w->has_children && used < room)
        snprintf(out + used, room - used, " and children");
}

char *model_watched_text(const struct model *m, char *out, size_t room)
{
    out[0] = '\0';
    for (uint32_t s = 0; s < m->source_count && !out[0]; s++)
        if (m->sources[s].watched)
            add_source(m->sources[s].watched, out, room);
    return out;
}
