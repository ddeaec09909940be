#include "collectors/linux/kernel/user_threads.h"

#include "src/base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- whose ------------------------------------------------------------------------------- */

static void take_threads(struct user_threads *o, const char *pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/task", pid);
    DIR *const tasks = opendir(path);
    for (const struct dirent *e; tasks && (e = readdir(tasks));) {
        const uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);
        if (!tid)
            continue;
        if (o->count < USER_THREADS_MAX)
            o->tids[o->count++] = tid;
        else
            o->left_out++;
    }
    if (tasks)
        closedir(tasks);
}

static bool is_ours(const char *pid)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "/proc/%.20s", pid);
    return stat(path, &s) == 0 && s.st_uid == geteuid() &&
           strtoul(pid, NULL, 10) != (unsigned long)getpid();
}

void user_threads_find(struct user_threads *o)
{
    *o = (struct user_threads){.tids = mem_new(USER_THREADS_MAX, sizeof *o->tids)};
    DIR *const proc = opendir("/proc");
    for (const struct dirent *e; proc && (e = readdir(proc));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_ours(e->d_name))
            take_threads(o, e->d_name);
    if (proc)
        closedir(proc);
}

void user_threads_fini(struct user_threads *o)
{
    free(o->tids);
    *o = (struct user_threads){0};
}

/* ---- fd groups -------------------------------------------------------------------------------- */

static void add(struct fd_group *f, int fd, uint64_t id)
{
    f->fds[f->count] = fd;
    f->ids[f->count++] = id;
}

void fd_group_open(struct fd_group *f, struct perf *p, const struct user_threads *o,
                   const struct perf_request *w, int cpu, int owner)
{
    *f = (struct fd_group){0};
    if (!o->count)
        return;
    f->fds = mem_new(o->count, sizeof *f->fds);
    f->ids = mem_new(o->count, sizeof *f->ids);
    const uint32_t ourselves = p->pid;
    for (uint32_t i = 0; i < o->count; i++) {
        struct perf_counts counts;
        int error;
        p->pid = o->tids[i];
        const int fd = perf_open(p, w, cpu, &error, NULL);
        if (fd < 0)
            continue;
        if (perf_redirect(fd, owner, NULL) && perf_read(p, fd, &counts))
            add(f, fd, counts.id);
        else
            perf_close(fd);
    }
    p->pid = ourselves;
}

void fd_group_enable(const struct fd_group *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        perf_enable(f->fds[i]);
}

void fd_group_disable(const struct fd_group *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        perf_disable(f->fds[i]);
}

bool fd_group_redirect(const struct fd_group *f, int owner, struct err *err)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (!perf_redirect(f->fds[i], owner, err))
            return false;
    return true;
}

void fd_group_count(const struct fd_group *f, const struct perf *p, struct perf_counts *sum)
{
    struct perf_counts one;
    for (uint32_t i = 0; i < f->count; i++) {
        if (!perf_read(p, f->fds[i], &one))
            continue;
        sum->fired += one.fired;
        sum->lost += one.lost;
    }
}

void fd_group_close(struct fd_group *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        perf_close(f->fds[i]);
    free(f->fds);
    free(f->ids);
    *f = (struct fd_group){0};
}
