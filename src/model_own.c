/* What the events of our own provider tell (collectors/linux/task_record.h): names and
 * programs of processes, for which ETW's kernel classes have no event. */
#include "src/model.h"
#include "src/own.h"

#include <string.h>

/* The process that the event names; NULL when it names none. */
static struct process *process_of(struct model *m, const struct event *e, struct fact *f)
{
    uint64_t pid;
    m->sources[m->source].is_linux = true; /* nobody else has this provider */
    if (!own_number(e, "pid", &pid))
        return NULL;
    f->process = model_process(m, m->source, (uint32_t)pid, f->time);
    return shelf_at(&m->processes, f->process);
}

static void make_machine(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    (void)e, (void)k, (void)f;
    m->sources[m->source].is_linux = true;
}

static void make_rename(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    (void)k;
    const char *name;
    struct process *const p = process_of(m, e, f);
    if (p && own_text(e, "name", &name))
        model_process_called(m, p, f->time, name);
}

/* Another program in the same process: its memory is another, its arguments follow. */
static void make_exec(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)k;
    const char *name, *path;
    struct process *const p = process_of(m, e, f);
    if (!p)
        return;
    if (own_text(e, "name", &name))
        model_process_called(m, p, f->time, name);
    if (own_text(e, "path", &path))
        model_rename(m, &p->command, path);
    p->exec_ns = f->time;
    p->execs++;
}

static void make_command(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    (void)k;
    const char *text;
    uint64_t number;
    struct process *const p = process_of(m, e, f);
    if (!p)
        return;
    if (own_text(e, "name", &text))
        model_process_called(m, p, f->time, text);
    if (own_number(e, "parent", &number))
        model_process_parent(p, (uint32_t)number);
    if (own_number(e, "session", &number)) {
        p->has_session = true;
        p->session = (uint32_t)number;
    }
    if ((own_text(e, "arguments", &text) && *text) || own_text(e, "path", &text))
        model_rename(m, &p->command, text);
}

static const struct {
    const char *name;
    struct recipe recipe;
} own_events[] = {
    {"Command", {0, 0, FACT_PROCESS, OP_OTHER, make_command, {NULL}}},
    {"Exec", {0, 0, FACT_PROCESS, OP_OTHER, make_exec, {NULL}}},
    {"Machine", {0, 0, FACT_OTHER, OP_NONE, make_machine, {NULL}}},
    {"Rename", {0, 0, FACT_PROCESS, OP_OTHER, make_rename, {NULL}}},
};

const struct recipe *recipe_of_own(const struct event *e)
{
    const char *const name = own_name(e);
    for (size_t i = 0; name && i < sizeof own_events / sizeof *own_events; i++)
        if (strcmp(own_events[i].name, name) == 0)
            return &own_events[i].recipe;
    return NULL;
}
