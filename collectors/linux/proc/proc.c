#include "collectors/linux/proc/proc.h"

#include "src/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024 };
_Static_assert((int)PROC_LINE < (int)CHUNK, "a line fits in what is read at once");

bool proc_open(struct proc *p, const char *root, struct err *err)
{
    *p = (struct proc){.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (p->root < 0)
        return fail(err, "cannot open %s: %s", root, strerror(errno));
    p->buffer = mem_new(CHUNK + 1, 1);
    return true;
}

void proc_close(struct proc *p)
{
    if (p->buffer)
        close(p->root);
    free(p->buffer);
    p->buffer = NULL;
}

/* ---- files ------------------------------------------------------------------------ */

static bool count_refusal(struct proc *p)
{
    if (errno == EACCES || errno == EPERM)
        p->refused++;
    else
        p->gone++;
    return false;
}

/* A descriptor, or -1 and the reason counted. */
static int open_path(struct proc *p, const char *path, int flags)
{
    const uint64_t before = os_rights_raise(PROC_RIGHTS);
    const int fd = openat(p->root, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
    os_rights_return(before);
    if (fd < 0)
        count_refusal(p);
    return fd;
}

static ssize_t read_some(int fd, void *to, size_t bytes, size_t offset)
{
    ssize_t got;
    do
        got = pread(fd, to, bytes, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got;
}

/* From the beginning of the file, whatever was read of it before. */
static int64_t read_text(struct proc *p, int fd, char *out, size_t room)
{
    size_t used = 0;
    ssize_t got = 1;
    while (used < room - 1 && got > 0) {
        got = read_some(fd, out + used, room - 1 - used, used);
        used += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        count_refusal(p); /* a process may end between open and read */
    out[used] = '\0';
    return got < 0 ? -1 : (int64_t)used;
}

int64_t proc_read(struct proc *p, const char *path, char *out, size_t room)
{
    const int fd = open_path(p, path, 0);
    if (fd < 0)
        return -1;
    const int64_t bytes = read_text(p, fd, out, room);
    close(fd);
    return bytes;
}

void proc_kept_close(struct proc_kept *f)
{
    if (f->fd)
        close(f->fd);
    f->fd = 0;
}

int64_t proc_read_kept(struct proc *p, struct proc_kept *f, const char *path, char *out,
                       size_t room)
{
    const int fd = f->fd ? f->fd : open_path(p, path, 0);
    if (fd < 0)
        return -1;
    f->fd = fd;
    const int64_t bytes = read_text(p, fd, out, room);
    if (bytes < 0)
        proc_kept_close(f);
    return bytes;
}

bool proc_number(struct proc *p, const char *path, uint64_t *out)
{
    char text[64], *end;
    *out = 0;
    if (proc_read(p, path, text, sizeof text) <= 0)
        return false;
    *out = strtoull(text, &end, 10);
    return end != text;
}

/* The lines of buffer[0, used); what is left over of the last one moves to the front. Its
 * length, or -1 when the callee has had enough. */
static int64_t give_lines(char *buffer, size_t used, bool *skip, proc_line *line, void *to)
{
    char *at = buffer, *const end = buffer + used;
    for (char *feed; (feed = memchr(at, '\n', (size_t)(end - at))); at = feed + 1) {
        const size_t length = (size_t)(feed - at);
        const bool is_whole = !*skip && length < PROC_LINE;
        *skip = false;
        *feed = '\0';
        if (is_whole && !line(to, at, length))
            return -1;
    }
    const size_t left = (size_t)(end - at);
    if (left >= PROC_LINE) { /* nobody's line is so long: the rest of it is passed over */
        *skip = true;
        return 0;
    }
    memmove(buffer, at, left);
    return (int64_t)left;
}

bool proc_lines(struct proc *p, const char *path, proc_line *line, void *to)
{
    const int fd = open_path(p, path, 0);
    if (fd < 0)
        return false;
    int64_t used = 0;
    size_t offset = 0;
    bool skip = false;
    ssize_t got;
    while ((got = read_some(fd, p->buffer + used, CHUNK - (size_t)used, offset)) > 0) {
        offset += (size_t)got;
        used = give_lines(p->buffer, (size_t)(used + got), &skip, line, to);
        if (used < 0)
            break;
    }
    if (got == 0 && used > 0 && !skip) { /* the last line may lack its line feed */
        p->buffer[used] = '\0';
        line(to, p->buffer, (size_t)used);
    }
    if (got < 0)
        count_refusal(p);
    close(fd);
    return got >= 0;
}

bool proc_list(struct proc *p, const char *path, proc_entry *entry, void *to)
{
    const int fd = open_path(p, path, O_DIRECTORY);
    DIR *const directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    const uint64_t before = os_rights_raise(PROC_RIGHTS); /* /proc may hide processes of others */
    for (const struct dirent *d; (d = readdir(directory));) {
        const bool is_self = strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0;
        if (!is_self && !entry(to, d->d_name))
            break;
    }
    os_rights_return(before);
    closedir(directory);
    return true;
}

int64_t proc_link(struct proc *p, const char *path, char *out, size_t room)
{
    const uint64_t before = os_rights_raise(PROC_RIGHTS);
    const ssize_t got = readlinkat(p->root, path, out, room - 1);
    os_rights_return(before);
    if (got < 0)
        count_refusal(p);
    out[got > 0 ? got : 0] = '\0';
    return got;
}

/* ---- processes and threads -------------------------------------------------------- */

/* Numbers behind the name, by their place in proc(5): 3 state, 4 parent, 6 session, 9 flags,
 * 20 threads. */
enum { FIRST_FIELD = 4, FIELD_PARENT = 4, FIELD_SESSION = 6, FIELD_FLAGS = 9, FIELD_THREADS = 20 };

/* The kernel's workers say behind their name what they do just now; events do not. */
static void trim_worker(struct proc_task *t)
{
    enum { COMM = 15 };
    static const char worker[] = "kworker/";
    const size_t length = sizeof worker - 1;
    if (!t->is_kernel || strncmp(t->comm, worker, length) != 0)
        return;
    const size_t end = t->comm[length] == 'R' ? COMM : strcspn(t->comm, "+-");
    if (end < t->comm_bytes)
        t->comm_bytes = (uint8_t)end;
    t->comm[t->comm_bytes] = '\0';
}

bool proc_parse_stat(const char *text, size_t bytes, struct proc_task *out)
{
    enum { KERNEL_THREAD = 0x200000 };
    *out = (struct proc_task){0};
    const char *const open = memchr(text, '(', bytes);
    const char *const close = memrchr(text, ')', bytes); /* names may have brackets, too */
    char *end;
    out->pid = out->tid = (uint32_t)strtoul(text, &end, 10);
    if (!open || !close || close < open || end == text || bytes - (size_t)(close - text) < 4)
        return false;
    const size_t length = (size_t)(close - open) - 1;
    out->comm_bytes = (uint8_t)(length < PROC_COMM ? length : PROC_COMM - 1);
    memcpy(out->comm, open + 1, out->comm_bytes);
    const char *at = close + 3; /* ") S" */
    for (unsigned field = FIRST_FIELD; field <= FIELD_THREADS; field++) {
        const unsigned long long value = strtoull(at, &end, 10);
        if (end == at)
            return false;
        at = end;
        if (field == FIELD_PARENT)
            out->parent = (uint32_t)value;
        else if (field == FIELD_SESSION)
            out->session = (uint32_t)value;
        else if (field == FIELD_FLAGS)
            out->is_kernel = value & KERNEL_THREAD;
        else if (field == FIELD_THREADS)
            out->threads = (uint32_t)value;
    }
    out->has_ended = (close[2] == 'Z' || close[2] == 'X') && out->threads <= 1;
    trim_worker(out);
    return true;
}

bool proc_task(struct proc *p, uint32_t pid, struct proc_task *out)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "proc/%u/stat", pid);
    const int64_t bytes = proc_read(p, path, text, sizeof text);
    if (bytes <= 0 || !proc_parse_stat(text, (size_t)bytes, out))
        return false;
    /* While it is taken apart, the system has zeros for its parent, session and threads. */
    p->gone += out->threads == 0;
    return out->threads != 0;
}

struct pids {
    uint32_t *all;
    size_t count, room;
};

/* A name of digits only, as a number; 0 for others. */
static uint32_t id_of(const char *name)
{
    char *end;
    const unsigned long id = *name >= '0' && *name <= '9' ? strtoul(name, &end, 10) : 0;
    return id && !*end && id <= INT32_MAX ? (uint32_t)id : 0;
}

static bool take_pid(void *to, const char *name)
{
    struct pids *const s = to;
    const uint32_t pid = id_of(name);
    if (!pid)
        return true;
    if (s->count == s->room) {
        s->room = s->room ? s->room * 2 : 256;
        s->all = mem_grow(s->all, s->room, sizeof *s->all);
    }
    s->all[s->count++] = pid;
    return true;
}

size_t proc_pids(struct proc *p, uint32_t **out)
{
    struct pids s = {0};
    proc_list(p, "proc", take_pid, &s);
    *out = s.all;
    return s.count;
}

/* ---- waits ------------------------------------------------------------------------ */

/* By the name that the kernel shows for a descriptor. The file is not opened: it may be on a server
 * that does not answer. */
static unsigned kind_of_descriptor(struct proc *p, uint32_t pid, uint64_t fd)
{
    static const struct {
        const char *begin;
        unsigned kind;
    } kinds[] = {{"pipe:[", S_IFIFO}, {"socket:[", S_IFSOCK}, {"/dev/", S_IFCHR}, {"/", S_IFREG}};
    char path[64], name[PROC_PATH];
    snprintf(path, sizeof path, "proc/%u/fd/%" PRIu64, pid, fd);
    if (proc_link(p, path, name, sizeof name) < 0)
        return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i].begin, strlen(kinds[i].begin)) == 0)
            return kinds[i].kind;
    return 0;
}

/* The kernel checks rights when this file is read, not only when it is opened. */
static bool read_call(struct proc *p, uint32_t pid, uint32_t tid, char *out, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "proc/%u/task/%u/syscall", pid, tid);
    const uint64_t before = os_rights_raise(PROC_RIGHTS);
    const int64_t bytes = proc_read(p, path, out, room);
    os_rights_return(before);
    return bytes > 0;
}

bool proc_waiting_call(struct proc *p, uint32_t pid, uint32_t tid, int64_t *call, unsigned *file)
{
    char text[256];
    uint64_t argument, stack;
    /* "running"; the number, six arguments, stack pointer and program counter; or "-1" and the last
     * two. */
    if (!read_call(p, pid, tid, text, sizeof text) ||
        sscanf(text, "%" SCNd64 " %" SCNx64 " %*x %*x %*x %*x %*x %" SCNx64, call, &argument,
               &stack) != 3 ||
        *call < 0 || stack <= UINT32_MAX) /* of 32 bits: other numbers */
        return false;
    *file = kind_of_descriptor(p, pid, argument);
    return true;
}

bool proc_threads(struct proc *p, const struct proc_task *process, proc_thread *thread, void *to)
{
    char path[96];
    struct pids s = {0};
    snprintf(path, sizeof path, "proc/%u/task", process->pid);
    const bool is_there = proc_list(p, path, take_pid, &s);
    bool goes_on = true;
    for (size_t i = 0; i < s.count && goes_on; i++) {
        struct proc_task t = {.pid = process->pid, .tid = s.all[i]};
        if (t.tid == process->pid)
            continue;
        snprintf(path, sizeof path, "proc/%u/task/%u/comm", t.pid, t.tid);
        int64_t bytes = proc_read(p, path, t.comm, sizeof t.comm);
        if (bytes < 0)
            continue;
        if (bytes > 0 && t.comm[bytes - 1] == '\n')
            t.comm[--bytes] = '\0';
        t.comm_bytes = (uint8_t)bytes;
        goes_on = thread(to, &t);
    }
    free(s.all);
    return is_there;
}

/* "…" at the end of a text that fills its room, behind a whole character. */
static size_t mark_cut(char *out, size_t bytes, size_t room)
{
    static const char more[] = "…";
    if (bytes + sizeof more > room)
        bytes = room > sizeof more ? room - sizeof more : 0;
    while (bytes && ((uint8_t)out[bytes] & 0xc0) == 0x80)
        bytes--;
    if (room >= sizeof more)
        memcpy(out + bytes, more, sizeof more);
    return room >= sizeof more ? bytes + sizeof more - 1 : bytes;
}

size_t proc_command(struct proc *p, uint32_t pid, char *out, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "proc/%u/cmdline", pid);
    int64_t bytes = proc_read(p, path, out, room);
    const bool is_cut = bytes > 0 && (size_t)bytes + 1 == room;
    while (bytes > 0 && !out[bytes - 1])
        bytes--;
    for (int64_t i = 0; i < bytes; i++)
        if (!out[i])
            out[i] = ' ';
    return is_cut ? mark_cut(out, (size_t)bytes, room) : bytes > 0 ? (size_t)bytes : 0;
}
