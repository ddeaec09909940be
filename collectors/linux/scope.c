#include "collectors/linux/scope.h"

#include "src/bytes.h"
#include "src/fact.h"
#include "src/mem.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS_MOST = 1 << 22, /* PID_MAX_LIMIT of 64-bit kernels; 512 KiB of bits */
    NAME = 16,
};

static bool has(const struct scope *s, uint32_t tid)
{
    return tid < THREADS_MOST && s->threads[tid / 64] >> tid % 64 & 1;
}

static void set(struct scope *s, uint32_t tid, bool is_in)
{
    if (tid >= THREADS_MOST)
        return;
    const uint64_t bit = (uint64_t)1 << tid % 64;
    s->threads[tid / 64] = is_in ? s->threads[tid / 64] | bit : s->threads[tid / 64] & ~bit;
}

/* A star that fails takes one character more and tries again. */
bool scope_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}

/* ---- who is there -------------------------------------------------------------------------- */

static uint32_t number(const char *name)
{
    char *end;
    const unsigned long n = strtoul(name, &end, 10);
    return *end || end == name || n >= THREADS_MOST ? 0 : (uint32_t)n;
}

/* All threads of a process. */
static void add_process(struct scope *s, const char *proc, uint32_t pid)
{
    char path[512];
    set(s, pid, true);
    snprintf(path, sizeof path, "%s/%u/task", proc, pid);
    DIR *const threads = opendir(path);
    for (const struct dirent *e; threads && (e = readdir(threads));)
        if (number(e->d_name))
            set(s, number(e->d_name), true);
    if (threads)
        closedir(threads);
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
static bool add_all(struct scope *s, const char *proc)
{
    bool has_added = false;
    DIR *const all = opendir(proc);
    for (const struct dirent *e; all && (e = readdir(all));) {
        const uint32_t pid = number(e->d_name);
        char name[NAME + 1];
        uint32_t parent;
        if (!pid || has(s, pid) || !read_stat(proc, pid, name, &parent))
            continue;
        const bool is_named = s->name[0] && scope_matches(s->name, name);
        if (!is_named && !(s->has_children && has(s, parent)))
            continue;
        add_process(s, proc, pid);
        has_added = true;
    }
    if (all)
        closedir(all);
    return has_added;
}

void scope_init(struct scope *s, const struct collector_scope *wish, const char *proc)
{
    enum { GENERATIONS = 64 };
    *s = (struct scope){.has_children = wish->has_children};
    if (!wish->pid_count && !wish->name)
        return;
    s->threads = mem_new(THREADS_MOST / 64, sizeof *s->threads);
    snprintf(s->name, sizeof s->name, "%s", wish->name ? wish->name : "");
    for (size_t i = 0; i < wish->pid_count; i++)
        add_process(s, proc, wish->pids[i]);
    for (int i = 0; i < GENERATIONS && add_all(s, proc) && s->has_children; i++)
        ;
}

void scope_fini(struct scope *s)
{
    free(s->threads);
    s->threads = NULL;
}

/* ---- who comes ---------------------------------------------------------------------------------
 */

/* u32 pid, ppid, tid, ptid. A child has its parent's name until it runs something else. */
static void follow_fork(struct scope *s, const struct sample *sample)
{
    if (sample->body_bytes < 16)
        return;
    const uint32_t pid = load_u32(sample->body), ppid = load_u32(sample->body + 4);
    const uint32_t tid = load_u32(sample->body + 8);
    const bool is_thread = pid == ppid;
    set(s, tid, has(s, ppid) && (is_thread || s->has_children || s->name[0]));
}

/* u32 pid, tid, name. */
static void follow_exec(struct scope *s, const struct sample *sample)
{
    if (!s->name[0] || sample->body_bytes < 9)
        return;
    char name[NAME + 1];
    const size_t room = sample->body_bytes - 8;
    snprintf(name, sizeof name, "%.*s", (int)(room < NAME ? room : NAME),
             (const char *)sample->body + 8);
    const uint32_t tid = load_u32(sample->body + 4);
    const bool is_kept = s->has_children && has(s, tid);
    set(s, tid, is_kept || scope_matches(s->name, name));
}

void scope_side_band(struct scope *s, const struct sample *sample)
{
    if (!s->threads)
        return;
    if (sample->type == PERF_RECORD_FORK)
        follow_fork(s, sample);
    else if (sample->type == PERF_RECORD_COMM && sample->misc & PERF_RECORD_MISC_COMM_EXEC)
        follow_exec(s, sample);
}

/* ---- whose
 * ---------------------------------------------------------------------------------------- */

/* Where the thread that runs is not the one it is about: the domain knows whose it is. */
static bool is_nobodys(const struct linux_event *e)
{
    return e->classes & 1u << FACT_DISK || !e->classes ||
           (e->group && (strcmp(e->group, "tcp") == 0 || strncmp(e->name, "inet_", 5) == 0));
}

bool scope_has(const struct scope *s, uint32_t tid)
{
    return !s || !s->threads || has(s, tid);
}

bool scope_takes(const struct scope *s, const struct sample *sample)
{
    const struct linux_event *const e = sample->event;
    if (!s->threads || has(s, sample->tid))
        return true;
    if (e->other_thread && has(s, sample_u32(sample, e->other_thread - 1u)))
        return true;
    return is_nobodys(e);
}
