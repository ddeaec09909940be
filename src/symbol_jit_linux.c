/* /tmp/perf-PID.map of a process: of its own file system, named by the pid that it has there
 * itself, and only if it belongs to whom the process runs as (or to root). Anybody may write to
 * /tmp: a file of somebody else, a link, a pipe is refused. It grows while the process runs: it is
 * read again when it has. */
#include "src/mem.h"
#include "src/os.h"
#include "src/symbol_jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_MOST = 256 << 20 };

static const int64_t AGAIN_NS = 1000000000; /* between looks whether it has grown */

struct opened {
    struct symbol_table names;
    uint32_t pid;
    uint64_t bytes; /* when it was read */
    int64_t looked;
};

static bool claims(const struct symbol_image *i)
{
    return i->system == SYMBOL_OF_JIT && i->is_live && i->pid;
}

/* The pid that a process has in its own namespace, and whose it is. */
static bool status_of(uint32_t pid, uint32_t *own_pid, uint32_t *uid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%u/status", pid);
    FILE *const f = fopen(path, "re");
    bool has_uid = false;
    *own_pid = pid;
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "Uid:", 4) == 0)
            has_uid = sscanf(line, "Uid: %*u %u", uid) == 1;
        else if (strncmp(line, "NSpid:", 6) == 0)
            *own_pid = (uint32_t)strtoul(strrchr(line, '\t') ? strrchr(line, '\t') : "", NULL, 10);
    }
    if (f)
        fclose(f);
    return has_uid;
}

/* A descriptor, or -1 with a sentence. */
static int open_map(uint32_t pid, char *path, size_t room, uint64_t *bytes, struct err *why)
{
    uint32_t own, uid;
    struct stat s;
    if (!status_of(pid, &own, &uid)) {
        fail(why, "process %u has ended: nobody says what code it had made", pid);
        return -1;
    }
    snprintf(path, room, "/proc/%u/root/tmp/perf-%u.map", pid, own);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        fail(why, "%s: %s: the process made this code itself and does not say what it is", path,
             strerror(errno));
        return -1;
    }
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
        fail(why, "%s: expected a file, found something else", path);
    else if (s.st_uid != uid && s.st_uid != 0)
        fail(why, "%s: expected a file of user %u, whose process it is, found one of user %u", path,
             uid, (unsigned)s.st_uid);
    else if ((uint64_t)s.st_size > MAP_MOST)
        fail(why, "%s: expected at most %d MiB, found %llu bytes", path, MAP_MOST >> 20,
             (unsigned long long)s.st_size);
    else {
        *bytes = (uint64_t)s.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

static bool read_map(struct opened *o, char *path, size_t room, struct err *why)
{
    uint64_t bytes;
    const int fd = open_map(o->pid, path, room, &bytes, why);
    o->looked = os_now();
    if (fd < 0)
        return false;
    if (bytes != o->bytes || !o->names.count) {
        char *const text = mem_try((size_t)bytes + 1, 1);
        const ssize_t got = text ? pread(fd, text, (size_t)bytes, 0) : -1;
        symbol_table_fini(&o->names);
        if (got > 0)
            symbol_jit_read(&o->names, text, (size_t)got);
        symbol_table_finish(&o->names);
        o->bytes = bytes;
        free(text);
    }
    close(fd);
    return true;
}

static void *open_jit(const struct symbol_search *s, const struct symbol_image *i, char *from,
                      size_t *bytes, struct err *why)
{
    (void)s;
    struct opened *const o = mem_new(1, sizeof *o);
    o->pid = i->pid;
    if (!read_map(o, from, SYMBOL_NAME_MAX, why))
        from[0] = '\0'; /* it may come: programs write it when they make the first code */
    *bytes = symbol_table_bytes(&o->names);
    return o;
}

static bool find(void *opened, uint64_t offset, struct symbol_found *out)
{
    struct opened *const o = opened;
    char path[256];
    if (symbol_table_find(&o->names, offset, out))
        return true;
    if (os_now() - o->looked < AGAIN_NS)
        return false;
    return read_map(o, path, sizeof path, NULL) && symbol_table_find(&o->names, offset, out);
}

static void close_jit(void *opened)
{
    struct opened *const o = opened;
    symbol_table_fini(&o->names);
    free(o);
}

const struct symbol_backend symbol_jit = {
    .id = "perf map",
    .claims = claims,
    .open = open_jit,
    .find = find,
    .close = close_jit,
};
