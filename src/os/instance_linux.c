/* The endpoint of a running instance on Linux: a socket in the user's runtime folder. */
#include "src/os/instance_endpoint.h"

#include "src/base/mem.h"
#include "src/os/environment_linux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { NS_PER_MS = 1000000 };

struct instance_endpoint {
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    uid_t owner;
    int listener, caller; /* caller: the other side; who calls has no listener */
    struct os_wakeup *wake;
};

/* ---- where -------------------------------------------------------------------------- */

/* A folder that is the user's alone: who else could put an endpoint there could answer for one. */
static bool is_own_folder(const char *path, uid_t owner, struct err *err)
{
    struct stat s;
    if (lstat(path, &s) != 0 || !S_ISDIR(s.st_mode))
        return fail(err, "'%s' is not a folder", path);
    if (s.st_uid != owner && s.st_uid != 0)
        return fail(err, "'%s' belongs to user %u, not to %u", path, (unsigned)s.st_uid,
                    (unsigned)owner);
    if (s.st_mode & 077)
        return fail(err, "'%s' is open to others (mode %o); it must be 700", path,
                    (unsigned)s.st_mode & 0777);
    return true;
}

static bool make_own_folder(const char *path, uid_t owner, struct err *err)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fail(err, "cannot make the folder '%s': %s", path, strerror(errno));
    return is_own_folder(path, owner, err);
}

/* The user's runtime folder, or one of our own under /tmp. XDG_RUNTIME_DIR is believed only
 * where it is the user's own: sudo may keep or lose it. */
static bool folder_of(uid_t owner, char *out, size_t room)
{
    const char *const reported = getenv("XDG_RUNTIME_DIR");
    struct stat s;
    int length;
    char system[64];
    snprintf(system, sizeof system, "/run/user/%u", (unsigned)owner);
    if (reported && reported[0] == '/' && stat(reported, &s) == 0 && s.st_uid == owner)
        length = snprintf(out, room, "%s/tracetop", reported);
    else if (stat(system, &s) == 0 && s.st_uid == owner)
        length = snprintf(out, room, "%s/tracetop", system);
    else
        length = snprintf(out, room, "/tmp/tracetop-%u", (unsigned)owner);
    return length > 0 && (size_t)length + sizeof "/4294967295.sock" <= room;
}

static bool address_of(const char *path, struct sockaddr_un *to)
{
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof to->sun_path)
        return false;
    strcpy(to->sun_path, path);
    return true;
}

/* The pid in "1234.sock", or 0. */
static uint32_t pid_of(const char *name)
{
    char *end;
    errno = 0;
    const unsigned long pid = strtoul(name, &end, 10);
    return errno || end == name || strcmp(end, ".sock") != 0 || pid > INT32_MAX ? 0 : (uint32_t)pid;
}

/* Sockets of monitors that are gone. */
static void sweep(const char *folder)
{
    DIR *const d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        const uint32_t pid = pid_of(e->d_name);
        if (pid && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}

/* ---- either side -------------------------------------------------------------------- */

/* Waits until it can be read, or written; false when it cannot in time. */
static bool is_ready(int descriptor, short event, int64_t deadline)
{
    struct pollfd p = {.fd = descriptor, .events = event};
    for (;;) {
        const int64_t left = deadline - os_now();
        const int ms = left <= 0 ? 0 : (int)(left / NS_PER_MS + 1);
        const int ready = poll(&p, 1, ms);
        if (ready >= 0 || errno != EINTR)
            return ready > 0;
    }
}

static bool is_passing(void)
{
    return errno == EINTR || errno == EAGAIN;
}

/* Takes no byte behind the line's end, which is cut off. */
bool instance_endpoint_read(struct instance_endpoint *d, char line[INSTANCE_LINE], int64_t ns)
{
    const int64_t deadline = os_now() + ns;
    for (size_t used = 0; used + 1 < INSTANCE_LINE && is_ready(d->caller, POLLIN, deadline);) {
        char *const at = line + used;
        const ssize_t there = recv(d->caller, at, INSTANCE_LINE - 1 - used, MSG_PEEK);
        const char *const end = there > 0 ? memchr(at, '\n', (size_t)there) : NULL;
        const ssize_t got =
            there > 0 ? recv(d->caller, at, end ? (size_t)(end - at) + 1 : (size_t)there, 0)
                      : there;
        if (got < 0 && is_passing())
            continue;
        if (got <= 0)
            return false;
        used += (size_t)got;
        if (end) {
            line[used - 1] = '\0';
            return strlen(line) == used - 1;
        }
    }
    return false;
}

bool instance_endpoint_read_bytes(struct instance_endpoint *d, char *to, size_t bytes, int64_t ns)
{
    const int64_t deadline = os_now() + ns;
    for (size_t used = 0; used < bytes;) {
        const ssize_t got =
            is_ready(d->caller, POLLIN, deadline) ? recv(d->caller, to + used, bytes - used, 0) : 0;
        if (got <= 0 && !(got < 0 && is_passing()))
            return false;
        used += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool instance_endpoint_write_bytes(struct instance_endpoint *d, const char *from, size_t bytes)
{
    enum { TIMES = 5 }; /* who goes on reading gets more time than who does not, but not for ever */
    const int64_t end = os_now() + TIMES * INSTANCE_PATIENCE_NS;
    for (size_t used = 0; used < bytes;) {
        const int64_t next = os_now() + INSTANCE_PATIENCE_NS;
        const ssize_t sent =
            is_ready(d->caller, POLLOUT, next < end ? next : end)
                ? send(d->caller, from + used, bytes - used, MSG_NOSIGNAL | MSG_DONTWAIT)
                : 0;
        if (sent <= 0 && !(sent < 0 && is_passing()))
            return false;
        used += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool instance_endpoint_write(struct instance_endpoint *d, const char *text)
{
    char line[INSTANCE_LINE];
    const int length = snprintf(line, sizeof line, "%s\n", text);
    return length > 0 && (size_t)length < sizeof line &&
           instance_endpoint_write_bytes(d, line, (size_t)length);
}

/* ---- the monitor's side -------------------------------------------------------------- */

static bool listen_at(struct instance_endpoint *d, struct err *err)
{
    struct sockaddr_un address;
    enum { CALLERS = 8 };
    if (!address_of(d->path, &address))
        return fail(err, "the path '%s' is too long for a socket", d->path);
    d->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlink(d->path); /* of an earlier process with our pid */
    const mode_t before = umask(0177);
    const bool is_bound =
        d->listener >= 0 && bind(d->listener, (struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    if (!is_bound || listen(d->listener, CALLERS) != 0)
        return fail(err, "cannot listen at '%s': %s", d->path, strerror(errno));
    return true;
}

/* What root's process can do a user's other processes must not be able to ask for. */
static bool is_whose_it_seems(struct err *err)
{
    const char *const user = environment_had("SUDO_UID");
    return geteuid() != 0 || !user || strcmp(user, "0") == 0 ||
           fail(err, "no endpoint: this process is root's, and user %.20s called sudo", user);
}

struct instance_endpoint *instance_endpoint_open(struct err *err)
{
    struct instance_endpoint *const d = mem_new(1, sizeof *d);
    char folder[sizeof d->path];
    d->owner = geteuid();
    d->listener = d->caller = -1;
    const bool has_folder = is_whose_it_seems(err) && (folder_of(d->owner, folder, sizeof folder) ||
                            fail(err, "the path of the runtime folder is too long"));
    if (has_folder && make_own_folder(folder, d->owner, err)) {
        sweep(folder);
        snprintf(d->path, sizeof d->path, "%.91s/%u.sock", folder, (unsigned)getpid());
        if (listen_at(d, err)) {
            d->wake = os_wakeup_new();
            return d;
        }
        unlink(d->path);
    }
    if (d->listener >= 0)
        close(d->listener);
    free(d);
    return NULL;
}

void instance_endpoint_hide(struct instance_endpoint *d)
{
    unlink(d->path);
}

void instance_endpoint_close(struct instance_endpoint *d)
{
    close(d->listener);
    os_wakeup_free(d->wake);
    free(d);
}

void instance_endpoint_wake(struct instance_endpoint *d)
{
    os_wakeup_signal(d->wake);
}

void instance_endpoint_wait_wake(struct instance_endpoint *d)
{
    os_wakeup_wait(d->wake, -1);
}

bool instance_endpoint_wait(struct instance_endpoint *d)
{
    struct pollfd from[2] = {
        {.fd = d->listener, .events = POLLIN},
        {.fd = os_wakeup_descriptor(d->wake), .events = POLLIN},
    };
    if (poll(from, 2, -1) < 0)
        return false;
    if (from[1].revents)
        os_wakeup_wait(d->wake, 0);
    d->caller = from[0].revents ? accept4(d->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    return d->caller >= 0;
}

bool instance_endpoint_may_call(const struct instance_endpoint *d)
{
    struct ucred who;
    socklen_t bytes = sizeof who;
    return getsockopt(d->caller, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
           (who.uid == 0 || who.uid == d->owner);
}

/* Its end of the socket is closed: who waits for an answer keeps it open. */
bool instance_endpoint_has_left(const struct instance_endpoint *d)
{
    struct pollfd p = {.fd = d->caller, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0;
}

void instance_endpoint_hang_up(struct instance_endpoint *d)
{
    close(d->caller);
    d->caller = -1;
}

/* ---- the caller -------------------------------------------------------------------------- */

unsigned instance_endpoint_list(uint32_t pids[INSTANCES], struct err *err)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    unsigned count = 0;
    if (!folder_of(geteuid(), folder, sizeof folder)) {
        fail(err, "the path of the runtime folder is too long");
        return 0;
    }
    if (access(folder, F_OK) == 0 && !is_own_folder(folder, geteuid(), err))
        return 0;
    DIR *const d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e && count < INSTANCES; e = readdir(d)) {
        const uint32_t pid = pid_of(e->d_name);
        if (pid && (kill((pid_t)pid, 0) == 0 || errno != ESRCH))
            pids[count++] = pid;
    }
    if (d)
        closedir(d);
    if (!count)
        fail(err, "%s", INSTANCE_NONE);
    return count;
}

/* Who listens is the caller's user, or root: the kernel says so. */
static bool is_ours(int descriptor, uint32_t pid, struct err *err)
{
    struct ucred who;
    socklen_t bytes = sizeof who;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &bytes) != 0)
        return fail(err, "cannot read the owner of the monitor %u: %s", (unsigned)pid,
                    strerror(errno));
    return who.uid == geteuid() || who.uid == 0 ||
           fail(err, "the monitor %u belongs to user %u", (unsigned)pid, (unsigned)who.uid);
}

static bool connect_to(int descriptor, const char *path, uint32_t pid, struct err *err)
{
    struct sockaddr_un address;
    if (!address_of(path, &address))
        return fail(err, "the path '%s' is too long for a socket", path);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
        return is_ours(descriptor, pid, err);
    if (errno == ENOENT || errno == ECONNREFUSED)
        return fail(err, "no monitor runs as process %u", (unsigned)pid);
    return fail(err, "cannot connect to the monitor %u: %s", (unsigned)pid, strerror(errno));
}

struct instance_endpoint *instance_endpoint_dial(uint32_t pid, struct err *err)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path], path[sizeof folder + 32];
    if (!folder_of(geteuid(), folder, sizeof folder))
        return fail(err, "the path of the runtime folder is too long"), NULL;
    if (access(folder, F_OK) == 0 && !is_own_folder(folder, geteuid(), err))
        return NULL;
    snprintf(path, sizeof path, "%s/%u.sock", folder, (unsigned)pid);
    struct instance_endpoint *const d = mem_new(1, sizeof *d);
    d->caller = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (d->caller < 0)
        fail(err, "cannot create a socket: %s", strerror(errno));
    else if (connect_to(d->caller, path, pid, err))
        return d;
    instance_endpoint_leave(d);
    return NULL;
}

void instance_endpoint_leave(struct instance_endpoint *d)
{
    if (d->caller >= 0)
        close(d->caller);
    free(d);
}
