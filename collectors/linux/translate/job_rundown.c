/* Everything that exists: the system, its disks, then all processes in three rounds: names and
 * threads, mapped images, open files. Other hardware comes behind the first round. So names, which
 * every pane needs, come first; from then on questions are answered between two processes, for
 * events wait for these names. A process that ends on the way loses its own entries only. Each
 * record has the time just before its process was read: later events go before it (helper_take). */
#include "collectors/linux/kernel/privilege.h"
#include "collectors/linux/translate/job.h"
#include "collectors/linux/translate/wait_calls.h"

#include "src/base/mem.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct job *job;
    const struct help *question;
    struct record_from from; /* of the process at hand */
    const struct proc_task *task;
};

/* ---- processes and threads ---------------------------------------------------------- */

/* The task domain learns who is there before the record that says it. */
static void report_domain(const struct walk *w, const struct proc_task *t)
{
    struct reply m = {
        .domain = DOMAIN_TASK,
        .kind = HELP_RUNDOWN,
        .is_found = true,
        .pid = t->pid,
        .fd = (int32_t)t->tid,
        .key = w->task->session | (uint64_t)w->task->parent << 32,
        .time = w->from.time,
    };
    job_path(&m, t->comm, t->comm_bytes);
    job_reply(w->job, &m);
}

/* What it has been waiting for since before events could tell. */
static void report_wait(struct walk *w, const struct proc_task *t)
{
    int64_t call;
    unsigned file;
    if (w->task->is_kernel || !proc_waiting_call(&w->job->proc, t->pid, t->tid, &call, &file))
        return;
    struct payload_writer *const p =
        record_begin_tracetop(&w->job->out, "Wait", "pid:u32,tid:u32,call:text,since:u64", t->pid,
                              t->tid, 0, w->from.time);
    const char *const name = wait_call_name(wait_of_call(call, file));
    put_u32(p, t->pid);
    put_u32(p, t->tid);
    put_text(p, name, strlen(name));
    put_u64(p, 0);
    record_end(&w->job->out);
}

static bool report_thread(void *to, const struct proc_task *t)
{
    struct walk *const w = to;
    const struct record_from from = {t->pid, t->tid, 0, w->from.time};
    report_domain(w, t);
    put_thread(&w->job->out, HOOK_THREAD_RUNDOWN, &from, t->pid, t->tid,
               some(t->comm, t->comm_bytes));
    report_wait(w, t);
    return !job_is_stopped(w->job);
}

static void report_process(struct walk *w, const struct proc_task *t)
{
    struct job *const e = w->job;
    w->task = t;
    const size_t command =
        t->is_kernel ? 0 : proc_command(&e->proc, t->pid, e->command, sizeof e->command);
    struct process_record r = {
        .pid = t->pid,
        .parent = t->parent,
        .session = t->session,
        .name = some(t->comm, t->comm_bytes),
        .command = some(e->command, command),
    };
    r.has_owner = proc_owner(&e->proc, t->pid, &r.uid);
    report_domain(w, t);
    job_program(e, &r, w->from.time);
    put_process(&e->out, HOOK_PROCESS_RUNDOWN, &w->from, &r);
    job_owner(e, &w->from, &r);
    put_thread(&e->out, HOOK_THREAD_RUNDOWN, &w->from, t->pid, t->tid,
               some(t->comm, t->comm_bytes));
    report_wait(w, t);
    if (t->threads != 1)
        proc_threads(&e->proc, t, report_thread, w);
}

/* ---- images -------------------------------------------------------------------------- */

static bool report_image(void *to, const struct proc_mapping *m)
{
    const struct walk *const w = to;
    struct build_id build = {.count = 0};
    if (m->inode)
        proc_build_id(&w->job->proc, &w->job->builds, w->from.pid, m, &build);
    else if (!w->from.pid)
        proc_kernel_build_id(&w->job->proc, m->path, &build);
    const struct image_record r = {
        .build_id = build.bytes,
        .build_id_bytes = build.count,
        .pid = w->from.pid,
        .base = m->base,
        .size = m->size,
        .path = some(m->path, m->path_bytes),
        .offset = m->offset,
        .dev = m->dev,
        .inode = m->inode,
    };
    put_image(&w->job->out, HOOK_IMAGE_RUNDOWN, &w->from, &r);
    return !job_is_stopped(w->job);
}

static void report_kernel(struct walk *w)
{
    bool hidden;
    w->from = (struct record_from){0, 0, 0, job_now()};
    const bool is_found = proc_kernel(&w->job->proc, report_image, w, &hidden);
    if ((!is_found || hidden) && !w->job->has_walked)
        job_report(w->job,
                   "kernel functions have no names: the kernel hides its addresses from this user; "
                   "run as root, with kernel.kptr_restrict at 0 or 1");
    job_kernel(w->job);
}

/* ---- descriptors ---------------------------------------------------------------------- */

static void report_name(struct job *e, uint64_t key, const struct proc_fd *f, int64_t time)
{
    map_put(&e->files, key, 1);
    struct payload_writer *const p =
        record_begin(&e->out, HEADER_PERFINFO, HOOK_FILE_RUNDOWN, 2, 0, 0, 0, time);
    put_u64(p, key);
    put_utf16(p, f->path, f->path_bytes);
    record_end(&e->out);
}

/* A file's name once, however many have it open. */
static void report_file(const struct walk *w, const struct proc_fd *f)
{
    const uint64_t key = linux_file_key(f->dev, f->inode);
    if (!map_get(&w->job->files, key))
        report_name(w->job, key, f, w->from.time);
}

struct inode_search {
    struct job *job;
    const struct help *question;
    bool is_found;
};

static bool is_it(void *to, const struct proc_fd *f)
{
    struct inode_search *const s = to;
    const struct help *const q = s->question;
    if (!f->is_file || f->inode != q->key || f->dev != (uint32_t)q->fd)
        return !job_is_stopped(s->job);
    report_name(s->job, linux_file_key(f->dev, f->inode), f, job_now());
    s->is_found = true;
    return false;
}

/* A build writes hundreds of files that nobody has open by the time they reach the disk: looking
 * for each took half a processor. Searches may take the fiftieth part of one; those that fall
 * out are asked for again with the next bytes of the file. */
static int64_t search_again(int64_t began, int64_t ended)
{
    static const int64_t SHARE = 50, UNFELT = 1000000;
    const int64_t took = ended - began;
    return took > UNFELT ? ended + SHARE * took : 0;
}

/* A file that the kernel writes back is open in some process, as a rule: all processes are searched
 * where the name is not known yet. */
void job_inode(struct job *e, const struct help *question)
{
    struct inode_search s = {.job = e, .question = question};
    proc_descriptors(&e->proc, question->pid, is_it, &s);
    if (s.is_found || map_get(&e->files, linux_file_key((uint32_t)question->fd, question->key)))
        return;
    const int64_t began = os_now();
    if (began < e->next_search)
        return;
    uint32_t *pids;
    const size_t count = proc_pids(&e->proc, &pids);
    for (size_t i = 0; i < count && !s.is_found && !job_is_stopped(e); i++)
        proc_descriptors(&e->proc, pids[i], is_it, &s);
    free(pids);
    e->next_search = search_again(began, os_now());
}

static bool report_descriptor(void *to, const struct proc_fd *f)
{
    struct walk *const w = to;
    struct job *const e = w->job;
    const struct proc_socket *const s = f->socket ? proc_socket(&e->sockets, f->socket) : NULL;
    if (s)
        job_reply_socket(e, w->question, w->from.pid, f->fd, s, w->from.time);
    if (f->is_file) {
        report_file(w, f);
        job_reply_file(e, w->question, w->from.pid, f, w->from.time);
    }
    return !job_is_stopped(e);
}

/* The sockets of every network that somebody lives in are read once. */
static void meet_network(struct job *e, uint32_t pid)
{
    enum { NETWORKS_MAX = 256 };
    const uint64_t network = proc_network(&e->proc, pid);
    if (!network || map_get(&e->networks, network) || e->networks.count >= NETWORKS_MAX)
        return;
    map_put(&e->networks, network, 1);
    char path[64];
    snprintf(path, sizeof path, "proc/%u/net", pid);
    proc_sockets_read(&e->proc, &e->sockets, path);
}

/* ---- all ------------------------------------------------------------------------------- */

enum pass { WHO, IMAGES, DESCRIPTORS };

struct visited {
    bool is_kernel;                           /* or gone: there is no more to ask */
    bool has_closed_images, has_closed_files; /* that are not ours to see */
    uint8_t comm_bytes;
    char comm[PROC_COMM];
};

static void visit(struct walk *w, uint32_t pid, enum pass pass, struct visited *v)
{
    struct job *const e = w->job;
    const uint64_t refused = e->proc.refused;
    w->from = (struct record_from){pid, pid, 0, job_now()};
    if (pass == WHO) {
        struct proc_task t = {0};
        const bool is_there = proc_task(&e->proc, pid, &t) && t.pid == pid && !t.has_ended;
        v->is_kernel = !is_there || t.is_kernel;
        v->comm_bytes = t.comm_bytes;
        memcpy(v->comm, t.comm, sizeof v->comm);
        if (is_there)
            report_process(w, &t);
    } else if (v->is_kernel) {
        return;
    } else if (pass == IMAGES) {
        proc_mappings(&e->proc, pid, report_image, w);
        v->has_closed_images = e->proc.refused > refused;
    } else {
        meet_network(e, pid);
        proc_descriptors(&e->proc, pid, report_descriptor, w);
        v->has_closed_files = e->proc.refused > refused;
    }
}

static void start_afresh(struct job *e)
{
    map_fini(&e->networks);
    map_init(&e->networks);
    map_fini(&e->files);
    map_init(&e->files);
    proc_sockets_fini(&e->sockets);
    proc_sockets_init(&e->sockets);
}

/* Reports processes that we have no right to read. With all rights there is no report: some
 * processes guard themselves, and nobody can change that. */
static void report_closed(struct job *e, const uint32_t *pids, const struct visited *visited,
                          size_t count)
{
    size_t closed = 0, first = 0;
    bool images = false, files = false;
    for (size_t i = 0; i < count; i++) {
        if (!visited[i].has_closed_images && !visited[i].has_closed_files)
            continue;
        first = closed++ ? first : i;
        images |= visited[i].has_closed_images;
        files |= visited[i].has_closed_files;
    }
    if (!closed || e->has_walked || rights_to_look_in())
        return;
    char others[64] = "";
    if (closed > 1)
        snprintf(others, sizeof others, " and %zu of %zu others", closed - 1, count - 1);
    job_report(
        e,
        "process %" PRIu32
        " (%.*s)%s cannot be read: their %s opened earlier stay unnamed (needs CAP_SYS_PTRACE)",
        pids[first], (int)visited[first].comm_bytes, visited[first].comm, others,
        !images  ? "files and sockets"
        : !files ? "images"
                 : "images, files and sockets");
}

void job_rundown(struct job *e, const struct help *question)
{
    struct walk w = {.job = e, .question = question};
    uint32_t *pids;
    start_afresh(e);
    job_disks(e, question);
    const size_t count = proc_pids(&e->proc, &pids);
    struct visited *const visited = mem_new(count + 1, sizeof *visited);
    for (enum pass pass = WHO; pass <= DESCRIPTORS; pass++) {
        for (size_t i = 0; i < count && !job_is_stopped(e); i++) {
            visit(&w, pids[i], pass, &visited[i]);
            if (pass != WHO && e->answer_waiting)
                e->answer_waiting(e);
        }
        if (pass == WHO) {
            job_named(e);
            report_kernel(&w);
            job_hardware(e);
        }
    }
    report_closed(e, pids, visited, count);
    e->has_walked = true;
    free(visited);
    free(pids);
}
