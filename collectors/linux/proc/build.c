/* Which build of a file a process has mapped. */
#include "collectors/linux/proc/proc.h"
#include "src/base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void proc_builds_init(struct proc_builds *b)
{
    *b = (struct proc_builds){0};
    map_init(&b->known);
}

void proc_builds_fini(struct proc_builds *b)
{
    map_fini(&b->known);
    free(b->builds);
}

/* File systems made of several (overlays, subvolumes) say one device in mappings and another
 * here, which then has no number of its own. */
static bool is_it(int fd, const struct proc_mapping *m)
{
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_ino == m->inode &&
           (linux_dev(major(s.st_dev), minor(s.st_dev)) == m->dev || major(s.st_dev) == 0);
}

/* What is mapped there, which takes rights of its own; else by the path, as the process sees it. */
static int open_mapped(const struct proc *p, uint32_t pid, const struct proc_mapping *m)
{
    char path[PROC_PATH + 64];
    enum { HOW = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };
    snprintf(path, sizeof path, "proc/%u/map_files/%llx-%llx", pid, (unsigned long long)m->base,
             (unsigned long long)(m->base + m->size));
    int fd = openat(p->root, path, HOW);
    if (fd >= 0 || m->path[0] != '/')
        return fd;
    snprintf(path, sizeof path, "proc/%u/root%s", pid, m->path);
    fd = openat(p->root, path, HOW);
    if (fd < 0 || is_it(fd, m))
        return fd;
    close(fd);
    return -1;
}

static void read_build(const struct proc *p, uint32_t pid, const struct proc_mapping *m,
                       struct build_id *out)
{
    const uint64_t before = os_rights_raise(PROC_RIGHTS);
    const int fd = open_mapped(p, pid, m);
    os_rights_return(before);
    out->count = 0;
    if (fd < 0)
        return;
    build_id_of_file(fd, out);
    close(fd);
}

/* The oldest makes room. */
static void keep(struct proc_builds *b, uint64_t key, const struct build_id *id)
{
    uint32_t at = b->oldest;
    if (b->count < PROC_BUILDS) {
        if (b->count == b->room) {
            b->room = b->room ? b->room * 2 : 64;
            b->builds = mem_grow(b->builds, b->room, sizeof *b->builds);
        }
        at = b->count++;
    } else {
        map_remove(&b->known, b->builds[at].key);
        b->oldest = (at + 1) % PROC_BUILDS;
    }
    b->builds[at] = (struct proc_build){key, *id};
    map_put(&b->known, key, at + 1);
}

void proc_build_id(struct proc *p, struct proc_builds *b, uint32_t pid,
                   const struct proc_mapping *m, struct build_id *out)
{
    const uint64_t key = linux_file_key(m->dev, m->inode);
    const uint32_t known = map_get(&b->known, key);
    if (known) {
        *out = b->builds[known - 1].id;
        return;
    }
    read_build(p, pid, m, out);
    if (out->count) /* else another process may have it open to us */
        keep(b, key, out);
}

/* "[kernel.kallsyms]" or "[xfs]". */
void proc_kernel_build_id(struct proc *p, const char *path, struct build_id *out)
{
    char file[512] = "sys/kernel/notes", notes[4096];
    const size_t bytes = strlen(path);
    out->count = 0;
    if (bytes < 3 || path[0] != '[' || !build_id_is_module(path + 1, bytes - 2))
        return;
    if (strcmp(path, "[kernel.kallsyms]") != 0)
        snprintf(file, sizeof file, "sys/module/%.*s/notes/.note.gnu.build-id", (int)(bytes - 2),
                 path + 1);
    const int64_t got = proc_read(p, file, notes, sizeof notes);
    if (got > 0)
        build_id_in_notes(notes, (size_t)got, out);
}
