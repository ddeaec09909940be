/* Processes, threads, images: who is there, and since when. */
#include "src/model/fact_builder/helpers.h"
#include "src/model/user_names.h"

#include <stdio.h>

/* ---- one thing, two events ---------------------------------------------------------------- */

/* The kernel logger and the provider Kernel-Process may both be in a session. They record the same
 * starts and ends, some microseconds apart and in either order. */
static bool is_of_provider(const struct event *e)
{
    return e->kind == HEADER_MANIFEST;
}

/* Has the other one recorded this start (or end) already? `flags` and `when` are of the start (or
 * end) that is known. */
static bool is_repeated(const struct model *m, const struct event *e, const struct fact *f,
                        uint8_t flags, int64_t when)
{
    static const int64_t APART_NS = 1000000000;
    const uint8_t by_provider =
        f->op == OP_START ? LIFETIME_STARTED_BY_PROVIDER : LIFETIME_ENDED_BY_PROVIDER;
    return m->sources[source_of(m)].has_process_provider &&
           !(flags & by_provider) == is_of_provider(e) && f->time - when <= APART_NS;
}

/* The thing counts once: the second event is like any other of its provider. */
static void count_as_other(struct fact *f)
{
    f->class = FACT_OTHER;
    f->op = OP_NONE;
}

static uint8_t by_provider(const struct event *e, enum lifetime_flag flag)
{
    return is_of_provider(e) ? (uint8_t)flag : 0;
}

static bool is_alive_since_start(uint8_t flags)
{
    return (flags & (LIFETIME_STARTED | LIFETIME_ENDED)) == LIFETIME_STARTED;
}

/* ---- processes ------------------------------------------------------------------------------ */

enum {
    PROCESS_ID,
    PROCESS_PARENT,
    PROCESS_SESSION,
    PROCESS_STATUS,
    PROCESS_KEY,
    PROCESS_CREATED
};

/* Linux: a process may move to another session (setsid). Other events report that, perhaps late;
 * the last of these records has the session at its start. */
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
    if (kind_load(k, e, PROCESS_CREATED, &value) && !p->start_ns)
        p->start_ns = clock_of_filetime(value);
    char command[NAME_ROOM];
    model_rename(m, &p->command, kind_text(k, e, "CommandLine", command, sizeof command));
    if (model_rename(m, &p->user, kind_text(k, e, "UserSID", command, sizeof command)))
        model_unname(m, &p->account); /* that of another */
    if (op == OP_START && m->sources[source_of(m)].is_linux)
        model_process_forked(m, p);
    user_names_apply(m, p);
}

/* Whether `text` ends with "…", and `whole` begins with what stands before it. */
static bool is_beginning_of(const char *text, const char *whole)
{
    static const char more[] = "…";
    const size_t bytes = strlen(text), mark = sizeof more - 1;
    return bytes > mark && strcmp(text + bytes - mark, more) == 0 &&
           strncmp(text, whole, bytes - mark) == 0;
}

/* A fork runs what its parent runs, in a copy of its memory, until it calls exec. Its record may
 * have the beginning of a long command line alone. */
static void copy_parent(struct model *m, struct process *p)
{
    const struct process *const parent = generation_at(&m->processes, p->parent);
    if (!m->sources[source_of(m)].is_linux || !parent || parent == p)
        return;
    p->forked = parent->number;
    model_process_called(m, p, p->first_ns, p->name ? NULL : parent->name);
    if (!p->command || (parent->command && is_beginning_of(p->command, parent->command)))
        model_rename(m, &p->command, parent->command);
    if (!p->has_session && parent->has_session) {
        p->has_session = true;
        p->session = parent->session;
    }
}

/* The start of a process. The event of the kernel logger and that of the provider complete each
 * other. */
static struct process *started(struct model *m, const struct event *e, struct fact *f, uint32_t pid,
                               const char *name)
{
    const source_id source = source_of(m);
    struct process *p =
        generation_at(&m->processes, map_get(&m->process_now, model_id_key(source, pid)));
    if (p && is_alive_since_start(p->flags) && is_repeated(m, e, f, p->flags, p->start_ns)) {
        model_process_called(m, p, f->time, name);
        count_as_other(f);
        return p;
    }
    p = model_process_start(m, source, pid, f->time, name);
    p->flags |= by_provider(e, LIFETIME_STARTED_BY_PROVIDER);
    return p;
}

static void ended(struct model *m, const struct event *e, struct fact *f, struct process *p)
{
    if (p->flags & LIFETIME_ENDED && f->op == OP_END &&
        is_repeated(m, e, f, p->flags, p->end_ns)) {
        count_as_other(f);
        return;
    }
    if (!(p->flags & LIFETIME_ENDED))
        p->flags |= by_provider(e, LIFETIME_ENDED_BY_PROVIDER);
    model_process_end(m, p->source, p->pid, f->time);
}

/* The text before the name is the path of the program, which stands in for an unknown command
 * line. */
static const char *name_in_path(const char *path)
{
    const char *const last = strrchr(path, '\\');
    return last ? last + 1 : path;
}

void make_process(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid;
    const enum fact_op op = (enum fact_op)f->op;
    const source_id source = source_of(m);
    if (!kind_load(k, e, PROCESS_ID, &pid))
        return;
    m->sources[source].has_process_provider |= is_of_provider(e);
    char path[NAME_ROOM];
    kind_text(k, e, is_of_provider(e) ? "ImageName" : "ImageFileName", path, sizeof path);
    const char *const name = is_of_provider(e) ? name_in_path(path) : path;
    const bool is_cut = is_of_provider(e) && op == OP_END; /* its name */
    struct process *const p = op == OP_START
                                  ? started(m, e, f, (uint32_t)pid, name)
                                  : model_process_seen(m, source, (uint32_t)pid, f->time,
                                                       is_cut ? NULL : name,
                                                       field(k, e, PROCESS_KEY));
    if (!p->name)
        model_process_called(m, p, f->time, name);
    describe_process(m, e, k, op, p);
    if (!p->command && name > path)
        model_rename(m, &p->command, path);
    if (op == OP_START) {
        p->parent = map_get(&m->process_now, (uint64_t)source << 32 | p->parent_pid);
        copy_parent(m, p);
    }
    if (op == OP_END)
        p->exit_status = (int32_t)field(k, e, PROCESS_STATUS);
    if (op == OP_END || op == OP_CLOSE)
        ended(m, e, f, p);
    if (op != OP_END || f->process != p->number)
        f->thread = 0; /* the header names who created or listed it */
    f->process = p->number;
}

void make_of_process(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid;
    if (kind_load(k, e, 0, &pid))
        set_process(m, f, pid);
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct thread *thread_started(struct model *m, const struct event *e, struct fact *f,
                                     uint32_t tid, uint32_t process)
{
    const source_id source = source_of(m);
    struct thread *t =
        generation_at(&m->threads, map_get(&m->thread_now, model_id_key(source, tid)));
    if (t && tid != 0 && is_alive_since_start(t->flags) && t->process == process &&
        is_repeated(m, e, f, t->flags, t->first_ns)) {
        count_as_other(f);
        return t;
    }
    t = model_thread_start(m, source, tid, process, f->time);
    t->flags |= by_provider(e, LIFETIME_STARTED_BY_PROVIDER);
    return t;
}

static void thread_ended(struct model *m, const struct event *e, struct fact *f, struct thread *t)
{
    if (t->flags & LIFETIME_ENDED && is_repeated(m, e, f, t->flags, t->end_ns)) {
        count_as_other(f);
        return;
    }
    if (!(t->flags & LIFETIME_ENDED))
        t->flags |= by_provider(e, LIFETIME_ENDED_BY_PROVIDER);
    model_thread_end(m, t->source, t->tid, f->time);
}

void make_thread(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    uint64_t pid, tid;
    if (!kind_load(k, e, 0, &pid) || !kind_load(k, e, 1, &tid))
        return;
    const source_id source = source_of(m);
    m->sources[source].has_process_provider |= is_of_provider(e);
    const uint32_t process = model_process(m, source, (uint32_t)pid, f->time);
    struct thread *const t = f->op == OP_START
                                 ? thread_started(m, e, f, (uint32_t)tid, process)
                                 : model_thread_seen(m, source, (uint32_t)tid, process, f->time);
    uint64_t start;
    if (kind_load(k, e, 2, &start) && start)
        t->start = model_address(e, start);
    if (f->op == OP_END)
        thread_ended(m, e, f, t);
    char name[NAME_ROOM];
    model_rename(m, &t->name, kind_text(k, e, "ThreadName", name, sizeof name));
    f->thread = t->number;
    f->process = process;
}

/* ---- images ---------------------------------------------------------------------------------- */

enum { IMAGE_PROCESS, IMAGE_BASE, IMAGE_SIZE, IMAGE_OLD_BASE, IMAGE_OLD_SIZE, IMAGE_STAMP };

/* The image that the other event about it has loaded or unloaded already; 0: there is none. */
static uint32_t image_repeated(const struct model *m, const struct event *e, const struct fact *f,
                               uint64_t base)
{
    if (!m->sources[source_of(m)].has_process_provider)
        return 0;
    const uint32_t number = model_image_based(m, source_of(m), f->process, base, f->time);
    const struct image *const i = generation_at(&m->images, number);
    if (!i || (f->op != OP_START && f->op != OP_END))
        return 0;
    const bool is_known = f->op == OP_START ? i->from_ns != INT64_MIN && i->until_ns == INT64_MAX
                                            : i->until_ns != INT64_MAX;
    return is_known && is_repeated(m, e, f, i->flags, f->op == OP_START ? i->from_ns : i->until_ns)
               ? number
               : 0;
}

static uint32_t image_of_event(struct model *m, const struct event *e, struct fact *f,
                           const struct image_event *image)
{
    const uint32_t known = image_repeated(m, e, f, image->base);
    if (known) {
        count_as_other(f);
        return known;
    }
    const uint32_t number = model_image(m, source_of(m), f->process, image);
    struct image *const i = generation_at(&m->images, number);
    if (i)
        i->flags |= by_provider(e, f->op == OP_START ? LIFETIME_STARTED_BY_PROVIDER
                                                     : LIFETIME_ENDED_BY_PROVIDER);
    return number;
}

void make_image(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    enum { SYSTEM_PID = 4 }; /* kernel modules are listed under pid 0 or 4 */
    uint64_t pid, base, size;
    m->sources[source_of(m)].has_process_provider |= is_of_provider(e);
    if (kind_load(k, e, IMAGE_PROCESS, &pid))
        set_process(m, f, pid || m->sources[source_of(m)].is_linux ? pid : SYSTEM_PID);
    if (!kind_load(k, e, IMAGE_BASE, &base) && !kind_load(k, e, IMAGE_OLD_BASE, &base))
        return;
    if (!kind_load(k, e, IMAGE_SIZE, &size))
        kind_load(k, e, IMAGE_OLD_SIZE, &size);
    static const char *const names[] = {"FileName", "ImageFileName", "ImageName"};
    char path[NAME_ROOM] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names && !path[0]; i++)
        kind_text(k, e, names[i], path, sizeof path);
    model_volume_hint(m, source_of(m), path);
    const struct image_event image = {.base = model_address(e, base),
                                      .size = size,
                                      .is_narrow = e->pointer == 4,
                                      .time = f->time,
                                      .op = f->op,
                                      .path = path};
    f->value = size;
    f->entity = image_of_event(m, e, f, &image);
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
