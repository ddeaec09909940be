/* /tmp/perf-PID.map of a process: of its own file system, named by the pid that it has there
 * itself, and only if it belongs to the user whom the process runs as. Anybody may write to /tmp,
 * and a process may have a /tmp of its own making: what is somebody else's, a link or a pipe is
 * refused, and no link on the way is followed, which would lead out of the process's file system
 * into ours. The file grows while the process runs: it is read again when it has. */
#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/os/rights.h"
#include "src/symbol/jit.h"

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
static bool status_of(int process, uint32_t *own_pid, uint32_t *uid)
{
    char line[256];
    const int fd = openat(process, "status", O_RDONLY | O_CLOEXEC);
    FILE *const f = fd < 0 ? NULL : fdopen(fd, "re");
    bool has_uid = false, has_pid = false;
    if (!f && fd >= 0)
        close(fd);
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "Uid:", 4) == 0)
            has_uid = sscanf(line, "Uid: %*u %u", uid) == 1;
        else if (strncmp(line, "NSpid:", 6) == 0)
            has_pid = sscanf(strrchr(line, '\t') ? strrchr(line, '\t') : "", "%u", own_pid) == 1;
    }
    if (f)
        fclose(f);
    return has_uid && has_pid;
}

/* One step further; the descriptor before is closed. */
static int step(int from, const char *name, int how)
{
    const int fd = from < 0 ? -1 : openat(from, name, how | O_PATH | O_CLOEXEC);
    const int error = errno;
    if (from >= 0)
        close(from);
    errno = error;
    return fd;
}

/* Looked at first: opening a device may do something. */
static int find_map(int process, uint32_t own)
{
    char name[64];
    snprintf(name, sizeof name, "perf-%u.map", own);
    const int root = openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return step(step(root, "tmp", O_DIRECTORY | O_NOFOLLOW), name, O_NOFOLLOW);
}

/* What O_PATH found, for reading. */
static int open_found(int found)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", found);
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static bool is_its_own(int found, const char *path, uint32_t uid, uint64_t *bytes, struct err *why)
{
    struct stat s;
    if (fstat(found, &s) != 0 || !S_ISREG(s.st_mode))
        return fail(why, "%s: expected a file, found something else", path);
    if (s.st_uid != uid)
        return fail(why, "%s: expected a file of user %u, whose process it is, found one of user %u",
                    path, uid, (unsigned)s.st_uid);
    if ((uint64_t)s.st_size > MAP_MOST)
        return fail(why, "%s: expected at most %d MiB, found %llu bytes", path, MAP_MOST >> 20,
                    (unsigned long long)s.st_size);
    *bytes = (uint64_t)s.st_size;
    return true;
}

static int open_in(int process, uint32_t pid, char *path, size_t room, uint64_t *bytes,
                   struct err *why)
{
    uint32_t own, uid;
    if (process < 0 || !status_of(process, &own, &uid)) {
        fail(why, "process %u has exited: its generated code has no symbols", pid);
        return -1;
    }
    snprintf(path, room, "/proc/%u/root/tmp/perf-%u.map", pid, own);
    const int found = find_map(process, own);
    const bool is_good = found >= 0 && is_its_own(found, path, uid, bytes, why);
    const int fd = is_good ? open_found(found) : -1;
    if (found < 0 || (is_good && fd < 0))
        fail(why, "%s: %s: the process generated this code without symbols", path, strerror(errno));
    if (found >= 0)
        close(found);
    return fd;
}

/* A descriptor, or -1 with a sentence. */
static int open_map(uint32_t pid, char *path, size_t room, uint64_t *bytes, struct err *why)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%u", pid);
    const uint64_t before = os_rights_raise(OS_MAY_READ | OS_MAY_LOOK_IN);
    const int process = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int fd = open_in(process, pid, path, room, bytes, why);
    if (process >= 0)
        close(process);
    os_rights_return(before);
    return fd;
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
