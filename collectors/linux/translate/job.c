/* Questions about one process or descriptor, and how answers are put into the mailbox. */
#include "collectors/linux/translate/job.h"

#include "src/os/os.h"

#include <assert.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rundown of a machine with 5,000 processes is about 10 MB; the collector takes it out
 * while it is put in. */
enum { MAILBOX_LEAST = 2 << 20, MAILBOX_MOST = 8 << 20, MAILBOX_PART = 16 /* of the ring of events */ };

static size_t mailbox_bytes(const struct translator *t)
{
    const size_t part = t->feed ? ring_capacity(t->feed->collector->hot) / MAILBOX_PART : 0;
    return part < MAILBOX_LEAST ? MAILBOX_LEAST : part > MAILBOX_MOST ? MAILBOX_MOST : part;
}

int64_t job_now(void)
{
    return os_now();
}

bool job_init(struct job *e, const struct translator *t, const char *root, struct err *err)
{
    *e = (struct job){0};
    if (!proc_open(&e->proc, root, err))
        return false;
    e->collector.hot = ring_new(mailbox_bytes(t), RING_SEGMENT);
    if (!e->collector.hot) {
        proc_close(&e->proc);
        return fail(err, "no memory for the helper's mailbox of %zu bytes", mailbox_bytes(t));
    }
    e->feed = (struct feed){.collector = &e->collector, .waits = true};
    e->out.feed = &e->feed;
    e->out.self = t->self;
    e->out.source = t->source;
    proc_sockets_init(&e->sockets);
    proc_builds_init(&e->builds);
    map_init(&e->networks);
    map_init(&e->files);
    return true;
}

void job_fini(struct job *e)
{
    proc_close(&e->proc);
    ring_free(e->collector.hot);
    proc_builds_fini(&e->builds);
    proc_sockets_fini(&e->sockets);
    map_fini(&e->networks);
    map_fini(&e->files);
}

bool job_is_stopped(const struct job *e)
{
    return atomic_load_explicit(&e->collector.stop, memory_order_relaxed);
}

/* ---- replies ------------------------------------------------------------------------- */

static void put(struct job *e, uint8_t form, const void *body, size_t bytes)
{
    const struct record_head head = {
        .bytes = (uint32_t)(sizeof head + bytes),
        .form = form,
        .ts = job_now(),
    };
    feed_put(&e->feed, &head, body, false);
}

void job_reply(struct job *e, const struct reply *m)
{
    put(e, RECORD_REPLY, m, offsetof(struct reply, path) + strlen(m->path) + 1);
}

void job_named(struct job *e)
{
    put(e, RECORD_NAMED, "", 1);
}

void job_kernel(struct job *e)
{
    put(e, RECORD_KERNEL, "", 1);
}

void job_report(struct job *e, const char *format, ...)
{
    char text[NOTICE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(e, RECORD_SENTENCE, text, strlen(text) + 1);
}

void job_path(struct reply *m, const char *path, size_t bytes)
{
    static const char dots[] = "…";
    const size_t room = sizeof m->path - 1, mark = sizeof dots - 1;
    if (bytes <= room) {
        memcpy(m->path, path, bytes);
        m->path[bytes] = '\0';
        return;
    }
    memcpy(m->path, dots, mark);
    memcpy(m->path + mark, path + bytes - (room - mark), room - mark);
    m->path[room] = '\0';
}

/* An answer without contents yet. */
static struct reply reply_for(const struct help *question, uint32_t pid, int fd, int64_t time)
{
    return (struct reply){
        .domain = question->domain,
        .kind = question->kind,
        .pid = pid,
        .fd = fd,
        .key = question->key,
        .time = time,
    };
}

static void set_socket(struct reply *m, const struct proc_socket *s)
{
    m->is_found = true;
    m->inode = s->inode;
    m->family = s->family;
    m->protocol = s->protocol;
    memcpy(m->local, s->local, sizeof m->local);
    memcpy(m->remote, s->remote, sizeof m->remote);
    m->local_port = s->local_port;
    m->remote_port = s->remote_port;
}

void job_reply_socket(struct job *e, const struct help *question, uint32_t pid, int fd,
                      const struct proc_socket *s, int64_t time)
{
    struct reply m = reply_for(question, pid, fd, time);
    if (question->kind == HELP_RUNDOWN)
        m.domain = DOMAIN_NETWORK;
    set_socket(&m, s);
    job_reply(e, &m);
}

void job_reply_file(struct job *e, const struct help *question, uint32_t pid,
                    const struct proc_fd *f, int64_t time)
{
    struct reply m = reply_for(question, pid, f->fd, time);
    if (question->kind == HELP_RUNDOWN)
        m.domain = DOMAIN_FILE;
    m.is_found = true;
    m.is_file = f->is_file;
    m.dev = f->dev;
    m.inode = f->inode;
    job_path(&m, f->path, f->path_bytes);
    job_reply(e, &m);
}

/* ---- sockets ---------------------------------------------------------------------- */

/* Sockets are looked up by hundreds, and their lists are long: they are read again when one
 * is not in them, but not more often than this. */
static const int64_t BETWEEN_READINGS = 50 * 1000000;

/* The socket with this inode, after a look at the lists of `pid` where it is new. */
static const struct proc_socket *job_socket(struct job *e, uint32_t pid, uint64_t inode)
{
    const struct proc_socket *const known = proc_socket(&e->sockets, inode);
    const int64_t now = os_now();
    if (known || now - e->sockets_read < BETWEEN_READINGS)
        return known;
    char path[64];
    snprintf(path, sizeof path, "proc/%u/net", pid);
    proc_sockets_read(&e->proc, &e->sockets, path);
    e->sockets_read = now;
    return proc_socket(&e->sockets, inode);
}

struct socket_search {
    struct job *job;
    const struct help *question;
    int64_t time;
};

static bool reply_socket(void *to, const struct proc_fd *f)
{
    const struct socket_search *const s = to;
    struct job *const e = s->job;
    const struct proc_socket *const found = f->socket ? proc_socket(&e->sockets, f->socket) : NULL;
    if (found)
        job_reply_socket(e, s->question, s->question->pid, f->fd, found, s->time);
    return !job_is_stopped(e);
}

void job_sockets(struct job *e, const struct help *question)
{
    struct socket_search s = {e, question, job_now()};
    char path[64];
    /* Afresh, so that none that was closed is named. */
    proc_sockets_fini(&e->sockets);
    proc_sockets_init(&e->sockets);
    snprintf(path, sizeof path, "proc/%u/net", question->pid);
    proc_sockets_read(&e->proc, &e->sockets, path);
    e->sockets_read = os_now();
    struct reply end = reply_for(question, question->pid, -1, s.time);
    end.is_found = proc_descriptors(&e->proc, question->pid, reply_socket, &s);
    e->gone += !end.is_found;
    job_reply(e, &end);
}

void job_fd(struct job *e, const struct help *question)
{
    struct proc_fd f;
    const int64_t time = job_now();
    if (!proc_descriptor_of(&e->proc, question->pid, question->fd, &f, e->text)) {
        const struct reply m = reply_for(question, question->pid, question->fd, time);
        e->gone++;
        job_reply(e, &m);
        return;
    }
    const struct proc_socket *const s = f.socket ? job_socket(e, question->pid, f.socket) : NULL;
    if (s)
        job_reply_socket(e, question, question->pid, question->fd, s, time);
    else
        job_reply_file(e, question, question->pid, &f, time);
}

/* ---- processes -------------------------------------------------------------------- */

/* A user that is new to us may be new to the system; its list is not read again at every process
 * of one that it does not have. */
static const char *name_of_user(struct job *e, uint32_t uid)
{
    static const int64_t between_looks = 10 * 1000000000ll;
    const char *const name = proc_user_name(&e->users, uid);
    const int64_t now = os_now();
    if (*name || (e->users_read && now - e->users_read < between_looks))
        return name;
    e->users_read = now;
    proc_users_read(&e->proc, &e->users);
    return proc_user_name(&e->users, uid);
}

void job_owner(struct job *e, const struct record_from *from, const struct process_record *r)
{
    if (r->has_owner)
        put_owner(&e->out, from, r->pid, r->uid, name_of_user(e, r->uid));
}

void job_program(struct job *e, const struct process_record *r, int64_t time)
{
    struct reply m = {.domain = DOMAIN_TASK,
                     .kind = HELP_PROCESS,
                     .is_found = r->has_owner,
                     .pid = r->pid,
                     .key = r->uid,
                     .time = time};
    m.path[task_cut_text(m.path, TASK_COMMAND_BYTES, r->command)] = '\0';
    job_reply(e, &m);
}

void job_process(struct job *e, const struct help *question)
{
    struct proc_task t;
    char path[64];
    const struct record_from from = {question->pid, question->pid, 0, job_now()};
    if (!proc_task(&e->proc, question->pid, &t)) {
        e->gone++;
        return;
    }
    const size_t arguments =
        t.is_kernel ? 0 : proc_command(&e->proc, question->pid, e->command, sizeof e->command);
    snprintf(path, sizeof path, "proc/%u/exe", question->pid);
    const int64_t link = t.is_kernel ? 0 : proc_link(&e->proc, path, e->text, sizeof e->text);
    struct process_record r = {
        .pid = t.pid,
        .parent = t.parent,
        .session = t.session,
        .name = some(t.comm, t.comm_bytes),
        .command = some(e->command, arguments),
    };
    r.has_owner = proc_owner(&e->proc, t.pid, &r.uid);
    job_program(e, &r, from.time);
    put_command(&e->out, &from, &r, some(e->text, link > 0 ? (size_t)link : 0));
    job_owner(e, &from, &r);
}
