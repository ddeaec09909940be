/* The door to a running instance on Linux: see src/instance.h. */
#include "src/instance.h"

#include "src/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINE = INSTANCE_TEXT + 32, PATIENCE_MS = 2000, NS_PER_MS = 1000000 };

/* A call goes from the door's thread to the owner and back: EMPTY → ASKED (thread) → TAKEN
 * (owner) → ANSWERED (owner) → EMPTY (thread). Whoever's turn it is may touch the rest. */
enum state { EMPTY, ASKED, TAKEN, ANSWERED };

struct instance {
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    uid_t owner;
    int listener;
    struct os_bell *bell; /* the owner's */
    struct os_bell *wake; /* the thread's: an answer is there, or the end */
    struct os_thread *thread;
    _Atomic int state;
    _Atomic bool stop;
    struct instance_call call;
    bool is_done;
    char sentence[LINE];
};

/* ---- where -------------------------------------------------------------------------- */

/* Under sudo the user who typed it. */
static uid_t invoking_user(void)
{
    const char *const sudo = getenv("SUDO_UID");
    if (geteuid() != 0 || !sudo)
        return geteuid();
    char *end;
    errno = 0;
    const unsigned long uid = strtoul(sudo, &end, 10);
    return errno || *end || end == sudo || uid > UINT32_MAX - 1 ? 0 : (uid_t)uid;
}

/* A folder that is the user's alone; made where it is missing. */
static bool own_folder(const char *path, uid_t owner, struct err *err)
{
    if (mkdir(path, 0700) == 0) {
        if (owner != geteuid() && chown(path, owner, (gid_t)-1) != 0)
            return fail(err, "cannot give '%s' to its user: %s", path, strerror(errno));
    } else if (errno != EEXIST) {
        return fail(err, "cannot make the folder '%s': %s", path, strerror(errno));
    }
    struct stat s;
    if (lstat(path, &s) != 0 || !S_ISDIR(s.st_mode))
        return fail(err, "'%s' is no folder", path);
    if (s.st_uid != owner && s.st_uid != 0)
        return fail(err, "'%s' belongs to user %u, not to %u", path, (unsigned)s.st_uid,
                    (unsigned)owner);
    if (s.st_mode & 077)
        return fail(err, "'%s' is open to others (mode %o); it must be 700", path,
                    (unsigned)s.st_mode & 0777);
    return true;
}

/* The user's runtime folder, or one of our own under /tmp. XDG_RUNTIME_DIR is believed only
 * where it is the user's own: sudo may keep or lose it. */
static bool folder_of(uid_t owner, char *out, size_t room)
{
    const char *const said = getenv("XDG_RUNTIME_DIR");
    struct stat s;
    int length;
    char system[64];
    snprintf(system, sizeof system, "/run/user/%u", (unsigned)owner);
    if (said && said[0] == '/' && stat(said, &s) == 0 && s.st_uid == owner)
        length = snprintf(out, room, "%s/tracetop", said);
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

/* ---- lines --------------------------------------------------------------------------- */

static int64_t deadline_in(int64_t ns)
{
    return os_now() + ns;
}

static bool is_readable(int descriptor, int64_t deadline)
{
    struct pollfd p = {.fd = descriptor, .events = POLLIN};
    for (;;) {
        const int64_t left = deadline - os_now();
        const int ms = left <= 0 ? 0 : (int)(left / NS_PER_MS + 1);
        const int ready = poll(&p, 1, ms);
        if (ready >= 0 || errno != EINTR)
            return ready > 0;
    }
}

/* Reads up to a line's end, which is cut off; false when none came in time or room. */
static bool read_line(int descriptor, char *line, size_t room, int64_t deadline)
{
    for (size_t used = 0; used + 1 < room;) {
        if (!is_readable(descriptor, deadline))
            return false;
        const ssize_t got = read(descriptor, line + used, room - 1 - used);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            return false;
        char *const end = memchr(line + used, '\n', (size_t)got);
        used += (size_t)got;
        if (end) {
            *end = '\0';
            return strlen(line) == (size_t)(end - line);
        }
    }
    return false;
}

static bool write_line(int descriptor, const char *word, const char *text)
{
    char line[LINE];
    const int length = snprintf(line, sizeof line, "%s %s", word, text);
    size_t bytes = length < 0 ? 0 : (size_t)length;
    if (bytes > sizeof line - 2)
        bytes = sizeof line - 2;
    for (size_t i = 0; i < bytes; i++)
        if (line[i] == '\n' || line[i] == '\0')
            line[i] = ' ';
    line[bytes++] = '\n';
    return send(descriptor, line, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

/* ---- the door's thread --------------------------------------------------------------- */

static bool may_call(const struct instance *i, int descriptor)
{
    struct ucred who;
    socklen_t bytes = sizeof who;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
           (who.uid == 0 || who.uid == i->owner || who.uid == geteuid());
}

static bool is_stopping(struct instance *i)
{
    return atomic_load_explicit(&i->stop, memory_order_acquire);
}

static bool split_call(char *line, struct instance_call *call)
{
    char *const blank = strchr(line, ' ');
    const char *text = "";
    if (blank) {
        *blank = '\0';
        text = blank + 1;
    }
    if (!line[0] || strlen(line) >= sizeof call->verb || strlen(text) >= sizeof call->text)
        return false;
    strcpy(call->verb, line);
    strcpy(call->text, text);
    return true;
}

/* The owner's turn; back with an answer, or because the program ends. */
static void let_answer(struct instance *i)
{
    atomic_store_explicit(&i->state, ASKED, memory_order_release);
    os_bell_ring(i->bell);
    while (atomic_load_explicit(&i->state, memory_order_acquire) != ANSWERED && !is_stopping(i))
        os_bell_wait(i->wake, -1);
}

static void serve(struct instance *i, int caller)
{
    char line[LINE];
    if (!may_call(i, caller)) {
        write_line(caller, "no", "this monitor belongs to somebody else");
        return;
    }
    if (!read_line(caller, line, sizeof line, deadline_in((int64_t)PATIENCE_MS * NS_PER_MS)) ||
        !split_call(line, &i->call)) {
        write_line(caller, "no", "expected one line: a verb, a blank and a text");
        return;
    }
    let_answer(i);
    if (is_stopping(i))
        write_line(caller, "no", "the monitor has ended");
    else
        write_line(caller, i->is_done ? "ok" : "no", i->sentence);
    atomic_store_explicit(&i->state, EMPTY, memory_order_release);
}

static void run(void *arg)
{
    struct instance *const i = arg;
    struct pollfd from[2] = {
        {.fd = i->listener, .events = POLLIN},
        {.fd = os_bell_descriptor(i->wake), .events = POLLIN},
    };
    while (!is_stopping(i)) {
        if (poll(from, 2, -1) < 0 && errno != EINTR)
            return;
        if (from[1].revents)
            os_bell_wait(i->wake, 0);
        const int caller = from[0].revents ? accept4(i->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (caller < 0)
            continue;
        serve(i, caller);
        close(caller);
    }
}

/* ---- the owner ------------------------------------------------------------------------- */

static bool listen_at(struct instance *i, struct err *err)
{
    struct sockaddr_un address;
    enum { CALLERS = 8 };
    if (!address_of(i->path, &address))
        return fail(err, "the path '%s' is too long for a socket", i->path);
    i->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlink(i->path); /* of an earlier process with our pid */
    const mode_t before = umask(0177);
    const bool is_bound =
        i->listener >= 0 && bind(i->listener, (struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    if (!is_bound || (i->owner != geteuid() && chown(i->path, i->owner, (gid_t)-1) != 0) ||
        listen(i->listener, CALLERS) != 0)
        return fail(err, "cannot listen at '%s': %s", i->path, strerror(errno));
    return true;
}

struct instance *instance_open(struct os_bell *bell, struct err *err)
{
    struct instance *const i = mem_new(1, sizeof *i);
    char folder[sizeof i->path];
    i->owner = invoking_user();
    i->listener = -1;
    i->bell = bell;
    const bool has_folder = folder_of(i->owner, folder, sizeof folder) ||
                            fail(err, "the path of the runtime folder is too long");
    if (has_folder && own_folder(folder, i->owner, err)) {
        sweep(folder);
        snprintf(i->path, sizeof i->path, "%.91s/%u.sock", folder, (unsigned)getpid());
        if (listen_at(i, err)) {
            i->wake = os_bell_new();
            i->thread = os_thread_start("instance", run, i);
            return i;
        }
        unlink(i->path);
    }
    if (i->listener >= 0)
        close(i->listener);
    free(i);
    return NULL;
}

void instance_close(struct instance *i)
{
    if (!i)
        return;
    unlink(i->path);
    atomic_store_explicit(&i->stop, true, memory_order_release);
    os_bell_ring(i->wake);
    os_thread_join(i->thread);
    close(i->listener);
    os_bell_free(i->wake);
    free(i);
}

bool instance_take(struct instance *i, struct instance_call *call)
{
    if (!i || atomic_load_explicit(&i->state, memory_order_acquire) != ASKED)
        return false;
    *call = i->call;
    atomic_store_explicit(&i->state, TAKEN, memory_order_release);
    return true;
}

void instance_answer(struct instance *i, bool is_done, const char *sentence)
{
    i->is_done = is_done;
    snprintf(i->sentence, sizeof i->sentence, "%s", sentence);
    atomic_store_explicit(&i->state, ANSWERED, memory_order_release);
    os_bell_ring(i->wake);
}

/* ---- the caller -------------------------------------------------------------------------- */

/* The one that runs; 0 with a sentence when there is none, or more than one. */
static uint32_t find_only(const char *folder, struct err *err)
{
    char list[256] = "";
    size_t used = 0;
    uint32_t found = 0;
    unsigned count = 0;
    DIR *const d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        const uint32_t pid = pid_of(e->d_name);
        if (!pid || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
            continue;
        found = pid;
        count++;
        const int length = snprintf(list + used, sizeof list - used, " %u", (unsigned)pid);
        if (length > 0 && used + (size_t)length < sizeof list)
            used += (size_t)length;
    }
    if (d)
        closedir(d);
    if (count == 1)
        return found;
    if (count)
        fail(err, "several monitors are running (%s); --instance names one", list + 1);
    else
        fail(err, "no monitor of yours is running: start tracetop first");
    return 0;
}

static bool connect_to(int descriptor, const char *path, uint32_t pid, struct err *err)
{
    struct sockaddr_un address;
    if (!address_of(path, &address))
        return fail(err, "the path '%s' is too long for a socket", path);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
        return true;
    if (errno == ENOENT || errno == ECONNREFUSED)
        return fail(err, "no monitor runs as process %u", (unsigned)pid);
    return fail(err, "cannot call the monitor %u: %s", (unsigned)pid, strerror(errno));
}

static bool converse(int descriptor, const char *verb, const char *text, int64_t timeout_ns,
                     char *answer, size_t room, struct err *err)
{
    char line[LINE];
    if (!write_line(descriptor, verb, text))
        return fail(err, "the monitor does not listen: %s", strerror(errno));
    if (!read_line(descriptor, line, sizeof line, deadline_in(timeout_ns)))
        return fail(err, "the monitor gave no answer");
    if (strncmp(line, "ok ", 3) != 0)
        return fail(err, "%.900s", strncmp(line, "no ", 3) == 0 ? line + 3 : line);
    snprintf(answer, room, "%s", line + 3);
    return true;
}

bool instance_ask(uint32_t pid, const char *verb, const char *text, int64_t timeout_ns,
                  char *answer, size_t room, struct err *err)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path], path[sizeof folder + 32];
    if (strlen(text) >= INSTANCE_TEXT || strchr(text, '\n'))
        return fail(err, "the text must be one line of at most %d bytes", INSTANCE_TEXT - 1);
    if (!folder_of(invoking_user(), folder, sizeof folder))
        return fail(err, "the path of the runtime folder is too long");
    if (!pid)
        pid = find_only(folder, err);
    if (!pid)
        return false;
    snprintf(path, sizeof path, "%s/%u.sock", folder, (unsigned)pid);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return fail(err, "no socket to be had: %s", strerror(errno));
    const bool is_done = connect_to(descriptor, path, pid, err) &&
                         converse(descriptor, verb, text, timeout_ns, answer, room, err);
    close(descriptor);
    return is_done;
}
