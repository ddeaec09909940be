#include "collectors/linux/bpf/process_scope.h"

#include "collectors/linux/bpf/bpf.h"
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/model/fact.h"
#include "src/os/rights.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    THREADS_MOST = 1 << 22, /* PID_MAX_LIMIT of 64-bit kernels; 16 MiB where it is touched */
    NAME = 16,
};

/* Of a process. */
static bool has(const struct scope *s, uint32_t pid)
{
    return pid < THREADS_MOST && s->processes[pid / 64] >> pid % 64 & 1;
}

static bool has_thread(const struct scope *s, uint32_t tid)
{
    return tid < THREADS_MOST && has(s, s->process_of[tid] ? s->process_of[tid] : tid);
}

static void set(struct scope *s, uint32_t pid, bool is_in)
{
    if (pid >= THREADS_MOST)
        return;
    const uint64_t bit = (uint64_t)1 << pid % 64;
    s->processes[pid / 64] = is_in ? s->processes[pid / 64] | bit : s->processes[pid / 64] & ~bit;
}

static void set_thread(struct scope *s, uint32_t tid, uint32_t pid)
{
    if (tid && tid < THREADS_MOST)
        s->process_of[tid] = pid;
}

/* ---- who is there -------------------------------------------------------------------------- */

static uint32_t number(const char *name)
{
    char *end;
    const unsigned long n = strtoul(name, &end, 10);
    return *end || end == name || n >= THREADS_MOST ? 0 : (uint32_t)n;
}

static void learn_threads(struct scope *s, const char *proc, uint32_t pid)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%u/task", proc, pid);
    DIR *const threads = opendir(path);
    for (const struct dirent *e; threads && (e = readdir(threads));)
        set_thread(s, number(e->d_name), pid);
    if (threads)
        closedir(threads);
}

static void add_process(struct scope *s, const char *proc, uint32_t pid, struct bpf *b)
{
    set(s, pid, true);
    bpf_scope_add(b, pid);
    learn_threads(s, proc, pid);
}

/* Name and parent, from "pid (name) S ppid …"; the name may hold anything. */
static bool read_stat(const char *proc, uint32_t pid, char name[NAME + 1], uint32_t *parent)
{
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/%u/stat", proc, pid);
    FILE *const f = fopen(path, "re");
    const size_t bytes = f ? fread(line, 1, sizeof line - 1, f) : 0;
    if (f)
        fclose(f);
    line[bytes] = '\0';
    const char *const open = strchr(line, '('), *const close = strrchr(line, ')');
    if (!open || !close || sscanf(close + 1, " %*c %u", parent) != 1)
        return false;
    snprintf(name, NAME + 1, "%.*s", (int)(close - open - 1), open + 1);
    return true;
}

/* One walk; true when somebody was added: then children of theirs may have been passed. */
static bool add_all(struct scope *s, const char *proc, struct bpf *b)
{
    bool has_added = false;
    DIR *const all = opendir(proc);
    for (const struct dirent *e; all && (e = readdir(all));) {
        const uint32_t pid = number(e->d_name);
        char name[NAME + 1];
        uint32_t parent;
        if (!pid || has(s, pid) || !read_stat(proc, pid, name, &parent))
            continue;
        const bool is_named = s->name[0] && text_is_like(s->name, name, false);
        if (is_named || (s->has_children && has(s, parent))) {
            add_process(s, proc, pid, b);
            has_added = true;
        } else if (s->name[0]) {
            learn_threads(s, proc, pid); /* it may take that name yet */
        }
    }
    if (all)
        closedir(all);
    return has_added;
}

/* The process that an id means: that of a thread is its own. 0: there is none. */
static uint32_t process_at(const char *proc, uint32_t id)
{
    char path[512], line[128];
    snprintf(path, sizeof path, "%s/%u", proc, id);
    struct stat there;
    if (stat(path, &there) != 0)
        return 0;
    snprintf(path, sizeof path, "%s/%u/status", proc, id);
    FILE *const f = fopen(path, "re");
    uint32_t pid = id;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Tgid: %u", &pid) == 1)
            break;
    if (f)
        fclose(f);
    return pid;
}

bool scope_check(const struct collector_scope *request, const char *proc, uint32_t *absent,
                 struct err *err)
{
    size_t there = 0;
    *absent = 0;
    for (size_t i = 0; i < request->pid_count; i++) {
        const uint64_t before = os_rights_raise(OS_MAY_LOOK_IN);
        const bool is_there = process_at(proc, request->pids[i]) != 0;
        os_rights_return(before);
        there += is_there;
        if (!is_there && !*absent)
            *absent = request->pids[i];
    }
    return there || request->name || !request->pid_count ||
           fail(err, "process %u does not exist", request->pids[0]);
}

/* The programs follow from here on, and choose when everybody who is there is known to them: who
 * comes meanwhile is a child that they see, or met by the last walk, which adds nobody. */
void scope_init(struct scope *s, const struct collector_scope *request, const char *proc,
                struct bpf *b)
{
    enum { GENERATIONS = 64 };
    *s = (struct scope){.has_children = request->has_children};
    if (!scope_is_requested(request))
        return;
    s->processes = mem_new(THREADS_MOST / 64, sizeof *s->processes);
    s->process_of = mem_new(THREADS_MOST, sizeof *s->process_of);
    s->chosen = mem_new(request->pid_count + 1, sizeof *s->chosen);
    snprintf(s->name, sizeof s->name, "%s", request->name ? request->name : "");
    const bool can_choose = bpf_scope_follow(b, s->name, s->has_children);
    const uint64_t before = os_rights_raise(OS_MAY_LOOK_IN); /* /proc may hide who is there */
    for (size_t i = 0; i < request->pid_count; i++) {
        const uint32_t pid = process_at(proc, request->pids[i]);
        s->chosen[i] = pid ? pid : request->pids[i]; /* it may just have gone */
        add_process(s, proc, s->chosen[i], b);
    }
    bool has_added = true;
    for (int i = 0; i < GENERATIONS && has_added; i++)
        has_added = add_all(s, proc, b);
    os_rights_return(before);
    s->is_in_kernel = can_choose && !has_added && bpf_scope_choose(b);
}

void scope_fini(struct scope *s)
{
    free(s->processes);
    free(s->process_of);
    free(s->chosen);
    s->chosen = NULL;
    s->processes = NULL;
    s->process_of = NULL;
}

/* ---- who comes ------------------------------------------------------------------------------ */

/* u32 pid, ppid, tid, ptid. A child has its parent's name until it takes another. */
static void follow_fork(struct scope *s, const struct sample *sample)
{
    if (sample->body_bytes < 16)
        return;
    const uint32_t pid = load_u32(sample->body), ppid = load_u32(sample->body + 4);
    set_thread(s, load_u32(sample->body + 8), pid);
    if (pid != ppid)
        set(s, pid, has(s, ppid) && (s->has_children || s->name[0]));
}

/* u32 pid, tid, name: by running another program, or by prctl(2). A process is called what its
 * first thread is. */
static void follow_name(struct scope *s, const struct sample *sample)
{
    if (!s->name[0] || sample->body_bytes < 9)
        return;
    const uint32_t pid = load_u32(sample->body);
    if (pid != load_u32(sample->body + 4))
        return;
    char name[NAME + 1];
    const size_t room = sample->body_bytes - 8;
    snprintf(name, sizeof name, "%.*s", (int)(room < NAME ? room : NAME),
             (const char *)sample->body + 8);
    set(s, pid, (s->has_children && has(s, pid)) || text_is_like(s->name, name, false));
}

void scope_side_band(struct scope *s, const struct sample *sample)
{
    if (!s->processes)
        return;
    if (sample->type == PERF_RECORD_FORK)
        follow_fork(s, sample);
    else if (sample->type == PERF_RECORD_COMM)
        follow_name(s, sample);
}

/* ---- whose ---------------------------------------------------------------------------------- */

/* Where the thread that runs is not the one it is about: the domain knows whose it is. */
static bool is_nobodys(const struct linux_event *e)
{
    return e->classes & 1u << FACT_DISK || !e->classes ||
           (e->group && (strcmp(e->group, "tcp") == 0 || strncmp(e->name, "inet_", 5) == 0));
}

bool scope_has(const struct scope *s, uint32_t tid)
{
    return !s || !s->processes || has_thread(s, tid);
}

bool scope_takes(const struct scope *s, const struct sample *sample)
{
    const struct linux_event *const e = sample->event;
    if (!s->processes || has(s, sample->pid) || has_thread(s, sample->tid))
        return true;
    if (e->other_thread && has_thread(s, sample_u32(sample, e->other_thread - 1u)))
        return true;
    return is_nobodys(e);
}
