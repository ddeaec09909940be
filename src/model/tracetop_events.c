/* Events of tracetop's provider (collectors/linux/translate/task_record.h, to_network.c): names and
 * programs of processes, times of connections, for which ETW's kernel classes have no event or no
 * field. */
#include "src/event/tracetop_provider.h"
#include "src/event/wait_call.h"
#include "src/model/model.h"
#include "src/model/user_names.h"

#include <string.h>

/* The process that the event names; NULL when it names none. */
static struct process *process_of(struct model *m, const struct event *e, struct fact *f)
{
    uint64_t pid;
    m->sources[m->source].is_linux = true; /* nobody else has this provider */
    if (!tracetop_event_number(e, "pid", &pid))
        return NULL;
    f->process = model_process(m, m->source, (uint32_t)pid, f->time);
    return generation_at(&m->processes, f->process);
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
    if (p && tracetop_event_text(e, "name", &name))
        model_process_called(m, p, f->time, name);
}

/* A process runs another program, in new memory. Its arguments may follow in another event. */
static void make_exec(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)k;
    const char *name, *path;
    struct process *const p = process_of(m, e, f);
    if (!p)
        return;
    if (tracetop_event_text(e, "name", &name))
        model_process_called(m, p, f->time, name);
    if ((tracetop_event_text(e, "arguments", &path) && *path) ||
        tracetop_event_text(e, "path", &path))
        model_rename(m, &p->command, path);
    p->exec_ns = f->time;
    p->execs++;
    m->epoch_changes++;
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
    if (tracetop_event_text(e, "name", &text))
        model_process_called(m, p, f->time, text);
    /* Whose parent has ended is another's by now: who created it is known where that was seen. */
    if (tracetop_event_number(e, "parent", &number) && !p->parent_pid)
        model_process_parent(p, (uint32_t)number);
    if (tracetop_event_number(e, "session", &number)) {
        p->has_session = true;
        p->session = (uint32_t)number;
    }
    if ((tracetop_event_text(e, "arguments", &text) && *text) ||
        tracetop_event_text(e, "path", &text))
        model_rename(m, &p->command, text);
}

/* A user of another system than Windows, by number and name. */
static void make_owner(struct model *m, const struct event *e, const struct kind *k,
                       struct fact *f)
{
    (void)k;
    const char *name;
    uint64_t uid;
    struct process *const p = process_of(m, e, f);
    if (!p || !tracetop_event_number(e, "uid", &uid) || uid > UINT32_MAX)
        return;
    if (!tracetop_event_text(e, "name", &name))
        name = "";
    user_names_learn(m, p, (uint32_t)uid, name);
}

static enum routine_kind routine_kind_called(const char *word)
{
    static const char *const words[ROUTINE_KINDS] = {
        [ROUTINE_ISR] = "ISR",           [ROUTINE_DPC] = "DPC",           [ROUTINE_TIMER] = "timer",
        [ROUTINE_THREADED] = "threaded", [ROUTINE_IO_TIMER] = "IO timer", [ROUTINE_CALL] = "call",
    };
    unsigned i = 0;
    while (i < ROUTINE_KINDS && strcmp(words[i], word) != 0)
        i++;
    return i;
}

/* What an interrupt, a softirq or a system call is called. */
static void make_routine_name(struct model *m, const struct event *e, const struct kind *k,
                              struct fact *f)
{
    (void)k;
    const char *kind, *name;
    uint64_t address, vector;
    f->process = f->thread = 0;
    if (!tracetop_event_text(e, "kind", &kind) || !tracetop_event_number(e, "routine", &address) ||
        !tracetop_event_number(e, "vector", &vector) || !tracetop_event_text(e, "name", &name))
        return;
    const enum routine_kind of = routine_kind_called(kind);
    if (of != ROUTINE_KINDS)
        model_routine_named(m, m->source, of, address, (uint32_t)vector, name);
}

/* Behind a Connect or Accept: how long the handshake took, and how long ago it ended. */
static void make_opened(struct model *m, const struct event *e, const struct kind *k,
                        struct fact *f)
{
    (void)k, (void)f;
    uint64_t ns;
    struct connection *const c = generation_at(&m->connections, m->opened.number);
    if (!c || m->opened.source != m->source || m->opened.ts != e->ts)
        return;
    if (tracetop_event_number(e, "handshake", &ns) && ns <= INT64_MAX)
        c->handshake_ns = (int64_t)ns;
    if (tracetop_event_number(e, "since", &ns) && c->opened_ns > 0 && ns < (uint64_t)c->opened_ns)
        c->opened_ns -= (int64_t)ns;
}

/* Of rundowns, which are of either system: the process that one names, or NULL. */
static struct process *listed_process(struct model *m, const struct event *e, struct fact *f)
{
    uint64_t pid;
    f->process = f->thread = 0;
    if (!tracetop_event_number(e, "pid", &pid) || pid > UINT32_MAX)
        return NULL;
    f->process = model_process(m, m->source, (uint32_t)pid, f->time);
    return generation_at(&m->processes, f->process);
}

/* A moment so long before the event; 0 where that is no time. */
static int64_t time_before(const struct event *e, const struct fact *f)
{
    uint64_t ns;
    return tracetop_event_number(e, "since", &ns) && f->time > 0 && ns < (uint64_t)f->time
               ? f->time - (int64_t)ns
               : 0;
}

static void make_lifetime(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    (void)k;
    struct process *const p = listed_process(m, e, f);
    if (p && !p->start_ns)
        p->start_ns = time_before(e, f);
}

/* Of a thread that has not been seen on a processor: then all that is known of its wait is here. */
static void make_wait(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)k;
    const char *call;
    uint64_t tid, since;
    if (!tracetop_event_number(e, "tid", &tid) || !tracetop_event_text(e, "call", &call) ||
        !tracetop_event_number(e, "since", &since) || tid > UINT32_MAX)
        return;
    f->thread = model_thread(m, m->source, (uint32_t)tid, f->time);
    struct thread *const t = generation_at(&m->threads, f->thread);
    if (!t || t->has_switched || t->wait_ns)
        return;
    t->waits_longer = since == 0;
    t->wait_ns = since ? time_before(e, f) : f->time;
    t->wait_call = (uint8_t)wait_call_named(call);
}

/* Numbers as the rundown writes them: eight bytes of an address each, or the four of IPv4. */
static bool read_end(const struct event *e, const char *const names[3], bool is_v6,
                     uint8_t address[16], uint16_t *port)
{
    uint64_t high, low, number;
    if (!tracetop_event_number(e, names[0], &high) || !tracetop_event_number(e, names[1], &low) ||
        !tracetop_event_number(e, names[2], &number))
        return false;
    for (unsigned i = 0; is_v6 && i < 8; i++) {
        address[i] = (uint8_t)(high >> 8 * (7 - i));
        address[8 + i] = (uint8_t)(low >> 8 * (7 - i));
    }
    for (unsigned i = 0; !is_v6 && i < 4; i++)
        address[i] = (uint8_t)(low >> 8 * (3 - i));
    *port = (uint16_t)number;
    return true;
}

/* How it was opened, unless its opening was seen, too. */
static void describe_opening(struct connection *c, const struct event *e, const struct fact *f)
{
    const char *opened;
    uint64_t number;
    if (c->opened_ns || !tracetop_event_text(e, "opened", &opened) || !*opened)
        return;
    c->opened_by = strcmp(opened, "in") == 0 ? OP_ACCEPT : OP_CONNECT;
    c->opened_ns = time_before(e, f);
    if (tracetop_event_number(e, "handshake", &number) && number <= INT64_MAX)
        c->handshake_ns = (int64_t)number;
    if (tracetop_event_number(e, "mss", &number))
        c->segment = (uint16_t)number;
}

static void make_connection(struct model *m, const struct event *e, const struct kind *k,
                            struct fact *f)
{
    (void)k;
    static const char *const local[] = {"local_high", "local", "local_port"};
    static const char *const remote[] = {"remote_high", "remote", "remote_port"};
    struct connection_ends ends = {.is_udp = false};
    uint64_t is_v6;
    if (!tracetop_event_number(e, "ipv6", &is_v6))
        return;
    ends.is_v6 = is_v6 != 0;
    if (!read_end(e, local, ends.is_v6, ends.local, &ends.local_port) ||
        !read_end(e, remote, ends.is_v6, ends.remote, &ends.remote_port) ||
        !listed_process(m, e, f))
        return;
    f->entity = model_connection(m, m->source, &ends, f->process, OP_RUNDOWN, f->time);
    struct connection *const c = generation_at(&m->connections, f->entity);
    if (c)
        describe_opening(c, e, f);
}

/* When a class of events was recorded. Only rundowns have it, so it holds for the whole trace. */
static void make_recorded(struct model *m, const struct event *e, const struct kind *k,
                          struct fact *f)
{
    (void)k;
    const char *name;
    unsigned class;
    uint64_t from, until;
    f->process = f->thread = 0;
    if (!tracetop_event_text(e, "class", &name) || !recorded_class_named(name, &class) ||
        !tracetop_event_number(e, "from", &from) || !tracetop_event_number(e, "until", &until) ||
        from > INT64_MAX)
        return;
    recorded_state(&m->recorded, class, (int64_t)from,
                   !until || until > INT64_MAX ? RECORDED_ON : (int64_t)until);
}

/* Whom a live session was about; holds for the whole trace, too. */
static void make_watched(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    (void)k;
    const char *name;
    uint64_t pid, has_children;
    f->process = f->thread = 0;
    if (tracetop_event_number(e, "pid", &pid) && tracetop_event_text(e, "name", &name) &&
        tracetop_event_number(e, "children", &has_children) && (pid || name[0]))
        model_watch(m, m->source, (uint32_t)pid, name, has_children != 0);
}

static const struct {
    const char *name;
    struct fact_builder fact_builder;
} tracetop_events[] = {
    {"Command", {0, 0, FACT_PROCESS, OP_OTHER, make_command, {NULL}}},
    {"Connection", {0, 0, FACT_NAME, OP_RUNDOWN, make_connection, {NULL}}},
    {"Exec", {0, 0, FACT_PROCESS, OP_OTHER, make_exec, {NULL}}},
    {"Gauges", {0, 0, FACT_OTHER, OP_NONE, make_gauges, {NULL}}},
    {"Lifetime", {0, 0, FACT_PROCESS, OP_RUNDOWN, make_lifetime, {NULL}}},
    {"Machine", {0, 0, FACT_OTHER, OP_NONE, make_machine, {NULL}}},
    {"Mapping", {0, 0, FACT_NAME, OP_RUNDOWN, make_mapping, {NULL}}},
    {"Mark", {0, 0, FACT_MARK, OP_NONE, NULL, {NULL}}},
    {"Mount", {0, 0, FACT_OTHER, OP_NONE, make_machine, {NULL}}},
    {"Owner", {0, 0, FACT_PROCESS, OP_OTHER, make_owner, {NULL}}},
    {"ProcessMemory", {0, 0, FACT_PROCESS, OP_QUERY, make_process_memory, {NULL}}},
    {"Processor", {0, 0, FACT_OTHER, OP_NONE, make_gauges_of_processor, {NULL}}},
    {"Recorded", {0, 0, FACT_OTHER, OP_NONE, make_recorded, {NULL}}},
    {"Rename", {0, 0, FACT_PROCESS, OP_OTHER, make_rename, {NULL}}},
    {"Routine", {0, 0, FACT_NAME, OP_RUNDOWN, make_routine_name, {NULL}}},
    {"Topology", {0, 0, FACT_OTHER, OP_NONE, make_machine, {NULL}}},
    {"TcpOpened", {0, 0, FACT_OTHER, OP_NONE, make_opened, {NULL}}},
    {"Watched", {0, 0, FACT_OTHER, OP_NONE, make_watched, {NULL}}},
    {"Wait", {0, 0, FACT_THREAD, OP_RUNDOWN, make_wait, {NULL}}},
};

const struct fact_builder *fact_builder_of_tracetop(const struct event *e)
{
    const char *const name = tracetop_event_name(e);
    for (size_t i = 0; name && i < sizeof tracetop_events / sizeof *tracetop_events; i++)
        if (strcmp(tracetop_events[i].name, name) == 0)
            return &tracetop_events[i].fact_builder;
    return NULL;
}
