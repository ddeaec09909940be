/* Files on Linux. See src/os/os.h for the promises. */
#include "src/os/file_linux.h"

#include "src/base/mem.h"
#include "src/os/os.h"
#include "src/os/reason_linux.h"
#include "src/os/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Standard output through functions of our own: stdio forgets why a write in between failed. */
static _Atomic int output_error;

static ssize_t put_output(void *nothing, const char *bytes, size_t count)
{
    (void)nothing;
    size_t done = 0;
    while (done < count) {
        const ssize_t put = write(STDOUT_FILENO, bytes + done, count - done);
        if (put > 0) {
            done += (size_t)put;
        } else if (put == 0 || errno != EINTR) {
            int none = 0;
            atomic_compare_exchange_strong(&output_error, &none, put ? errno : EIO);
            return 0;
        }
    }
    return (ssize_t)done;
}

FILE *os_output(void)
{
    static FILE *stream;
    if (!stream)
        stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put_output});
    if (stream && isatty(STDOUT_FILENO))
        setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    return stream ? stream : stdout;
}

int os_output_error(FILE *output)
{
    const bool is_bad = fflush(output) != 0 || ferror(output);
    const int error = atomic_load(&output_error);
    return error ? error : is_bad ? EIO : 0;
}

struct os_file {
    int descriptor;
    char *name; /* for sentences */
};

/* "cannot open 'x': No such file or directory"; the path is cut so that the
 * reason always fits into the sentence. */
static bool fail_path(struct err *err, const char *what, const char *path, int error)
{
    char text[128];
    return fail(err, "cannot %s '%.700s': %s", what, path, os_reason(error, text, sizeof text));
}

static bool fail_at(struct err *err, const char *what, const char *path, uint64_t offset, int error)
{
    char text[128];
    return fail(err, "cannot %s '%.700s' at offset %llu: %s", what, path,
                (unsigned long long)offset, os_reason(error, text, sizeof text));
}

struct os_file *os_file_of(int descriptor, const char *name)
{
    struct os_file *f = mem_new(1, sizeof *f);
    f->descriptor = descriptor;
    f->name = mem_string(name);
    return f;
}

int os_file_descriptor(const struct os_file *f)
{
    return f->descriptor;
}

static enum os_kind kind_of(mode_t mode)
{
    if (S_ISREG(mode))
        return OS_REGULAR;
    return S_ISDIR(mode) ? OS_DIRECTORY : OS_OTHER;
}

enum os_kind os_path_kind(const char *path)
{
    struct stat info;
    const int opened = os_rights_opened(path);
    const uint64_t before = os_rights_raise(OS_MAY_WRITE);
    const bool is_seen = (opened >= 0 ? fstat(opened, &info) : stat(path, &info)) == 0;
    os_rights_return(before);
    if (is_seen)
        return kind_of(info.st_mode);
    return errno == EACCES ? OS_CLOSED : OS_NOTHING;
}

bool os_path_is_null(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
}

/* Whether what is open is a regular file; else a sentence. */
static bool is_file(int descriptor, const char *path, struct err *err)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0)
        return fail_path(err, "open", path, errno);
    if (S_ISREG(info.st_mode))
        return true;
    return fail(err, "cannot open '%.700s': expected a regular file, found %s", path,
                S_ISDIR(info.st_mode) ? "a directory" : "a pipe, socket or device");
}

/* A device does something when it is opened (a watchdog reboots the machine): what is there is
 * found by place only, and opened as what was found. Without /proc it is opened by its path. */
static int open_file(const char *path, struct err *err)
{
    enum { HOW = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };
    char found_path[64];
    const int found = open(path, O_PATH | O_CLOEXEC);
    if (found < 0) {
        fail_path(err, "open", path, errno);
        return -1;
    }
    int descriptor = -1;
    if (is_file(found, path, err)) {
        snprintf(found_path, sizeof found_path, "/proc/self/fd/%d", found);
        descriptor = open(found_path, HOW);
        if (descriptor < 0 && errno == ENOENT)
            descriptor = open(path, HOW);
        if (descriptor < 0)
            fail_path(err, "open", path, errno);
    }
    close(found);
    return descriptor;
}

struct os_file *os_open(const char *path, struct err *err)
{
    const int opened = os_rights_opened(path);
    const int descriptor = opened >= 0 ? fcntl(opened, F_DUPFD_CLOEXEC, 3) : open_file(path, err);
    if (descriptor < 0) {
        if (opened >= 0)
            fail_path(err, "open", path, errno);
        return NULL;
    }
    if (is_file(descriptor, path, err))
        return os_file_of(descriptor, path);
    close(descriptor);
    return NULL;
}

/* File systems without O_TMPFILE (overlay on old kernels, NFS) get a name that is
 * taken away at once. */
static int open_and_unlink(const char *folder)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/tracetop-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(path);
    return descriptor;
}

struct os_file *os_open_unnamed(struct err *err)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (descriptor < 0)
        descriptor = open_and_unlink(folder);
    if (descriptor < 0) {
        fail_path(err, "create a temporary file in", folder, errno);
        return NULL;
    }
    char name[1024];
    snprintf(name, sizeof name, "temporary file in %.700s", folder);
    return os_file_of(descriptor, name);
}

struct os_file *os_create(const char *path, struct err *err)
{
    const uint64_t before = os_rights_raise(OS_MAY_WRITE);
    const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    os_rights_return(before);
    if (descriptor < 0) {
        fail_path(err, "create", path, errno);
        return NULL;
    }
    return os_file_of(descriptor, path);
}

FILE *os_stream(struct os_file *f, struct err *err)
{
    const int descriptor = fcntl(f->descriptor, F_DUPFD_CLOEXEC, 3);
    FILE *const stream = descriptor < 0 ? NULL : fdopen(descriptor, "r+b");
    if (stream)
        return stream;
    fail_path(err, "write", f->name, errno);
    if (descriptor >= 0)
        close(descriptor);
    return NULL;
}

/* Without O_NONBLOCK a pipe that nobody reads would be waited for. */
static int open_log(const char *path)
{
    enum { HOW = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK };
    const uint64_t before = os_rights_raise(OS_MAY_WRITE);
    const int descriptor = open(path, HOW, 0600);
    os_rights_return(before);
    return descriptor;
}

FILE *os_log(const char *path, struct err *err)
{
    struct stat info;
    const bool is_other = os_path_kind(path) == OS_OTHER; /* opening a device may do something */
    const int descriptor = is_other ? -1 : open_log(path);
    FILE *log = NULL;
    if (!is_other && descriptor < 0 && errno == ELOOP)
        fail(err,
             "cannot write '%.700s': expected a regular file, found a link; name the file "
             "itself",
             path);
    else if (is_other || (descriptor < 0 && errno == ENXIO)) /* it became one meanwhile */
        fail(err, "cannot write '%.700s': expected a regular file, found a pipe, socket or device",
             path);
    else if (descriptor < 0)
        fail_path(err, "write", path, errno);
    else if (fstat(descriptor, &info) == 0 && !S_ISREG(info.st_mode))
        fail(err, "cannot write '%.700s': expected a regular file, found a pipe, socket or device",
             path);
    else if (!(log = fdopen(descriptor, "a")))
        fail_path(err, "write", path, errno);
    if (!log && descriptor >= 0)
        close(descriptor);
    return log;
}

bool os_has_name(struct os_file *f, const char *path)
{
    struct stat open_one, found;
    const uint64_t before = os_rights_raise(OS_MAY_WRITE);
    const bool is_seen = fstat(f->descriptor, &open_one) == 0 && lstat(path, &found) == 0;
    os_rights_return(before);
    return is_seen && open_one.st_dev == found.st_dev && open_one.st_ino == found.st_ino;
}

void os_truncate(struct os_file *f, uint64_t bytes)
{
    if (os_size(f) > (int64_t)bytes && ftruncate(f->descriptor, (off_t)bytes) != 0)
        errno = 0; /* then it stays too long, which readers notice */
}

bool os_lengthen(struct os_file *f, uint64_t bytes, struct err *err)
{
    return os_size(f) >= (int64_t)bytes || ftruncate(f->descriptor, (off_t)bytes) == 0 ||
           fail_path(err, "write", f->name, errno);
}

bool os_sync(struct os_file *f, struct err *err)
{
    /* EINVAL: a file without a medium (a pipe or device by a name of /proc). */
    return fdatasync(f->descriptor) == 0 || errno == EINVAL ||
           fail_path(err, "write", f->name, errno);
}

void os_write_out(struct os_file *f, uint64_t offset, uint64_t bytes)
{
    const int error = errno; /* a hint: what has no medium refuses it */
    sync_file_range(f->descriptor, (off_t)offset, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
    errno = error;
}

void os_let_go(struct os_file *f, uint64_t offset, uint64_t bytes)
{
    posix_fadvise(f->descriptor, (off_t)offset, (off_t)bytes, POSIX_FADV_DONTNEED);
}

/* For file systems that cannot rename without replacing: a second name is only given
 * where there is none. */
static int move_by_link(const char *from, const char *to)
{
    return link(from, to) == 0 && unlink(from) == 0 ? 0 : -1;
}

bool os_move(const char *from, const char *to, bool replace, struct err *err)
{
    const uint64_t before = os_rights_raise(OS_MAY_WRITE);
    int moved = renameat2(AT_FDCWD, from, AT_FDCWD, to, replace ? 0 : RENAME_NOREPLACE);
    if (moved != 0 && !replace && (errno == EINVAL || errno == ENOSYS))
        moved = move_by_link(from, to);
    os_rights_return(before);
    return moved == 0 || fail_path(err, "give the finished file the name", to, errno);
}

void os_remove(const char *path)
{
    const uint64_t before = os_rights_raise(OS_MAY_WRITE);
    unlink(path);
    os_rights_return(before);
}

char *os_place(struct os_file *f)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", f->descriptor);
    const ssize_t bytes = readlink(link, path, sizeof path - 1);
    if (bytes <= 0)
        return mem_string(f->name);
    path[bytes] = '\0';
    /* The system shows a deleted file as "… (deleted)", which may be another file's name. */
    return mem_string(os_has_name(f, path) ? path : f->name);
}

char *os_full_path(const char *path)
{
    char here[4096];
    if (path[0] == '/' || !getcwd(here, sizeof here))
        return mem_string(path);
    const size_t room = strlen(here) + strlen(path) + 2;
    char *const full = mem_new(room, 1);
    snprintf(full, room, "%s/%s", here, path);
    return full;
}

struct os_file *os_open_again(const struct os_file *f, struct err *err)
{
    const int descriptor = fcntl(f->descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) {
        fail_path(err, "open", f->name, errno);
        return NULL;
    }
    return os_file_of(descriptor, f->name);
}

void os_close(struct os_file *f)
{
    if (!f)
        return;
    close(f->descriptor);
    free(f->name);
    free(f);
}

int64_t os_size(struct os_file *f)
{
    struct stat info;
    return fstat(f->descriptor, &info) == 0 ? (int64_t)info.st_size : -1;
}

int64_t os_read_at(struct os_file *f, void *to, size_t bytes, uint64_t offset, struct err *err)
{
    if (offset > INT64_MAX)
        return 0; /* no file reaches there */
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got =
            pread(f->descriptor, (char *)to + done, bytes - done, (off_t)(offset + done));
        if (got == 0)
            break;
        if (got > 0) {
            done += (size_t)got;
        } else if (errno != EINTR) {
            fail_at(err, "read", f->name, offset + done, errno);
            return -1;
        }
    }
    return (int64_t)done;
}

int64_t os_input_read(void *to, size_t room, int64_t timeout_ns)
{
    const struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    const int found = ppoll(&p, 1, &t, NULL);
    const ssize_t count = found > 0 ? read(STDIN_FILENO, to, room) : -1;
    const bool has_failed = found > 0 && count < 0 && errno != EINTR && errno != EAGAIN;
    return has_failed ? 0 : count;
}

bool os_write_at(struct os_file *f, const void *from, size_t bytes, uint64_t offset,
                 struct err *err)
{
    if (offset > INT64_MAX)
        return fail_at(err, "write", f->name, offset, EFBIG);
    size_t done = 0;
    while (done < bytes) {
        const ssize_t put =
            pwrite(f->descriptor, (const char *)from + done, bytes - done, (off_t)(offset + done));
        if (put > 0)
            done += (size_t)put;
        else if (put == 0 || errno != EINTR)
            return fail_at(err, "write", f->name, offset + done, put == 0 ? ENOSPC : errno);
    }
    return true;
}
