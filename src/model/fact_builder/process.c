/* Processes, threads, images: who is there, and since when. */
#include "src/model/fact_builder/helpers.h"

#include <stdio.h>

enum { PROCESS_ID, PROCESS_PARENT, PROCESS_SESSION, PROCESS_STATUS, PROCESS_KEY };

/* Linux: a process may leave for another session (setsid), which is told beside these records, late
 * perhaps; the last of them bears the one it was born in. */
static bool tells_session(const struct model *m, const struct process *p, enum fact_op op,
                          uint64_t session)
{
    const bool is_linux = m->sources[source_of(m)].is_linux;
    return !is_linux || (session != UINT32_MAX && !(op == OP_END && p->has_session));
}

static void describe_process(struct model *m, const struct event *e, const struct kind *k,
                             enum fact_op op, struct process *p)
{
    uint64_t value;
    if (kind_load(k, e, PROCESS_PARENT, &value))
        model_process_parent(p, (uint32_t)value);
    if (kind_load(k, e, PROCESS_SESSION, &value) && tells_session(m, p, op, value)) {
        p->has_session = value != UINT32_MAX;
        p->session = (uint32_t)value;
    }
    if (kind_load(k, e, PROCESS_KEY, &value) && value) {
        p->has_key = true;
        p->key = value;
    }
    char command[NAME_ROOM];
    model_rename(m, &p->command, kind_text(k, e, "CommandLine", command, sizeof command));
    model_rename(m, &p->user, kind_text(k, e, "UserSID", command, sizeof command));
    if (op == OP_START && m->sources[source_of(m)].is_linux)
        model_process_forked(m, p);
}

/* A fork runs what its parent runs, in a copy of its memory, until it calls exec. */
static void copy_parent(struct model *m, struct process *p)
{
    const struct process *const parent = generation_at(&m->processes, p->parent);
    if (!m->sources[source_of(m)].is_linux || !parent || parent == p)
        return;
    p->forked = parent->number;
    model_process_called(m, p, p->first_ns, p->name ? NULL : parent->name);
    if (!p->command)
        model_rename(m, &p->command, parent->command);
    if (!p->has_session && parent->has_session) {
        p->has_session = true;
        p->session = parent->session;
    }
}

void make_process(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid;
    if (!kind_load(k, e, PROCESS_ID, &pid))
        return;
    char name[NAME_ROOM];
    kind_text(k, e, "ImageFileName", name, sizeof name);
    const source_id source = source_of(m);
    const uint64_t key = field(k, e, PROCESS_KEY);
    struct process *p;
    if (f->op == OP_START)
        p = model_process_start(m, source, (uint32_t)pid, f->time, name);
    else
        p = model_process_seen(m, source, (uint32_t)pid, f->time, name, key);
    describe_process(m, e, k, (enum fact_op)f->op, p);
    if (f->op == OP_START) {
        p->parent = map_get(&m->process_now, (uint64_t)source << 32 | p->parent_pid);
        copy_parent(m, p);
    }
    if (f->op == OP_END)
        p->exit_status = (int32_t)field(k, e, PROCESS_STATUS);
    if (f->op == OP_END || f->op == OP_CLOSE)
        model_process_end(m, source, (uint32_t)pid, f->time);
    if (f->op != OP_END || f->process != p->number)
        f->thread = 0; /* the header names who created or listed it */
    f->process = p->number;
}

void make_of_process(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid;
    if (kind_load(k, e, 0, &pid))
        set_process(m, f, pid);
}

void make_thread(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid, tid;
    if (!kind_load(k, e, 0, &pid) || !kind_load(k, e, 1, &tid))
        return;
    const source_id source = source_of(m);
    const uint32_t process = model_process(m, source, (uint32_t)pid, f->time);
    struct thread *t;
    if (f->op == OP_START)
        t = model_thread_start(m, source, (uint32_t)tid, process, f->time);
    else
        t = model_thread_seen(m, source, (uint32_t)tid, process, f->time);
    uint64_t start;
    if (kind_load(k, e, 2, &start) && start)
        t->start = model_address(e, start);
    if (f->op == OP_END)
        model_thread_end(m, source, (uint32_t)tid, f->time);
    char name[NAME_ROOM];
    model_rename(m, &t->name, kind_text(k, e, "ThreadName", name, sizeof name));
    f->thread = t->number;
    f->process = process;
}

enum { IMAGE_PROCESS, IMAGE_BASE, IMAGE_SIZE, IMAGE_OLD_BASE, IMAGE_OLD_SIZE, IMAGE_STAMP };

void make_image(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    enum { SYSTEM_PID = 4 }; /* kernel modules are listed under pid 0 or 4 */
    uint64_t pid, base, size;
    if (kind_load(k, e, IMAGE_PROCESS, &pid))
        set_process(m, f, pid || m->sources[source_of(m)].is_linux ? pid : SYSTEM_PID);
    if (!kind_load(k, e, IMAGE_BASE, &base) && !kind_load(k, e, IMAGE_OLD_BASE, &base))
        return;
    if (!kind_load(k, e, IMAGE_SIZE, &size))
        kind_load(k, e, IMAGE_OLD_SIZE, &size);
    char path[NAME_ROOM];
    kind_text(k, e, "FileName", path, sizeof path);
    if (!path[0])
        kind_text(k, e, "ImageFileName", path, sizeof path);
    model_volume_hint(m, source_of(m), path);
    const struct image_event image = {.base = model_address(e, base),
                                      .size = size,
                                      .is_narrow = e->pointer == 4,
                                      .time = f->time,
                                      .op = f->op,
                                      .path = path};
    f->value = size;
    f->entity = model_image(m, source_of(m), f->process, &image);
    uint64_t stamp;
    if (kind_load(k, e, IMAGE_STAMP, &stamp) && stamp)
        model_image_built(m, f->entity, &(struct build){.stamp = (uint32_t)stamp,
                                                        .image_size = (uint32_t)size});
}

/* ---- services ---------------------------------------------------------------------------- */

/* Is the name one of those in "a, b, c"? */
static bool is_listed(const char *list, const char *name)
{
    const size_t bytes = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += bytes)
        if ((at == list || at[-1] == ' ') && (at[bytes] == ',' || !at[bytes]))
            return true;
    return false;
}

/* A list of them all comes at the begin or the end of a trace; a process may be host to some
 * dozens, of which as many are kept as fit. */
void make_service(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    enum { PID, STATE, STOPPED = 1, SERVICES_MOST = 1024 };
    uint64_t pid, service_state;
    char name[256], list[SERVICES_MOST];
    f->process = f->thread = 0;
    if (!kind_load(k, e, PID, &pid) || !pid ||
        (kind_load(k, e, STATE, &service_state) && service_state == STOPPED) ||
        !kind_text(k, e, "ServiceName", name, sizeof name)[0])
        return;
    set_process(m, f, pid);
    struct process *const p = generation_at(&m->processes, f->process);
    if (!p || is_listed(p->services, name))
        return;
    const int bytes = snprintf(list, sizeof list, "%s%s%s", p->services ? p->services : "",
                               p->services ? ", " : "", name);
    if (bytes > 0 && (size_t)bytes < sizeof list)
        model_rename(m, &p->services, list);
}
