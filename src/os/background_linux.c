/* A program in the background on Linux. See src/os/background.h for the promises. */
#include "src/os/background.h"

#include "src/os/child_linux.h"
#include "src/os/environment_linux.h"
#include "src/os/file_linux.h"
#include "src/os/reason_linux.h"
#include "src/os/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

/* Before and after root is given up, the folder is that of the user who called sudo. */
static const char *home_of_user(void)
{
    const char *const name = getuid() == 0 ? environment_had("SUDO_UID") : NULL;
    const struct passwd *const p = name ? getpwuid((uid_t)strtoul(name, NULL, 10)) : NULL;
    if (p && p->pw_uid != 0)
        return p->pw_dir;
    return getuid() == 0 ? NULL : environment_had("HOME");
}

void background_system_folder(char *out, size_t room)
{
    snprintf(out, room, "/var/lib/tracetop");
}

void background_folder(char *out, size_t room)
{
    const char *const service = getenv("STATE_DIRECTORY"), *const state = getenv("XDG_STATE_HOME");
    const char *const home = home_of_user();
    out[0] = '\0';
    if (service && service[0] == '/') /* several are separated by colons */
        snprintf(out, room, "%.*s", (int)strcspn(service, ":"), service);
    else if (state && state[0] == '/')
        snprintf(out, room, "%s/tracetop", state);
    else if (home && home[0] == '/')
        snprintf(out, room, "%s/.local/state/tracetop", home);
    else if (getuid() == 0)
        background_system_folder(out, room);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A lock of the whole file that ends with the process, of which the kernel says whose it is. It
 * also ends when this process closes the file by another descriptor. */
static struct flock whole_file(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

static uint32_t holder_of(int descriptor)
{
    struct flock lock = whole_file();
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0
               ? (uint32_t)lock.l_pid
               : 0;
}

static int open_own(const char *path, int how)
{
    const uint64_t before = os_rights_raise(OS_MAY_WRITE);
    const int descriptor = open(path, how | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0640);
    os_rights_return(before);
    return descriptor;
}

struct os_file *background_hold(const char *path, uint32_t *holder, struct err *err)
{
    struct flock lock = whole_file();
    char text[128];
    *holder = 0;
    const int descriptor = open_own(path, O_RDWR | O_CREAT);
    if (descriptor >= 0 && fcntl(descriptor, F_SETLK, &lock) == 0)
        return os_file_of(descriptor, path);
    const int error = errno;
    if (descriptor >= 0)
        *holder = holder_of(descriptor);
    fail(err, "cannot lock '%.700s': %s", path, os_reason(error, text, sizeof text));
    if (descriptor >= 0)
        close(descriptor);
    return NULL;
}

uint32_t background_holder(const char *path)
{
    const int descriptor = open_own(path, O_RDONLY);
    const uint32_t holder = descriptor >= 0 ? holder_of(descriptor) : 0;
    if (descriptor >= 0)
        close(descriptor);
    return holder;
}

bool background_file(const char *path, uint64_t *bytes, int64_t *written_ns)
{
    struct stat s;
    const uint64_t before = os_rights_raise(OS_MAY_WRITE);
    const bool is_there = lstat(path, &s) == 0 && S_ISREG(s.st_mode);
    os_rights_return(before);
    if (!is_there)
        return false;
    *bytes = (uint64_t)s.st_size;
    *written_ns = s.st_mtim.tv_sec * INT64_C(1000000000) + s.st_mtim.tv_nsec;
    return true;
}

uint64_t background_room(const char *folder)
{
    struct statvfs s;
    return statvfs(folder, &s) == 0 ? (uint64_t)s.f_bavail * s.f_frsize : UINT64_MAX;
}

void background_share(const char *path)
{
    struct stat s;
    const int descriptor = open_own(path, O_RDONLY);
    if (descriptor < 0)
        return;
    const bool is_ours = fstat(descriptor, &s) == 0 && s.st_uid == geteuid();
    const mode_t mode = is_ours && S_ISDIR(s.st_mode) ? 0750 : 0640;
    if (is_ours && (s.st_mode & 0777) != mode) /* any change would clear the bit for groups */
        fchmod(descriptor, mode);
    close(descriptor);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Not the link in /proc itself: a process is called as the path that it was started by. */
void background_program(char *out, size_t room)
{
    static const char link[] = "/proc/self/exe", gone[] = " (deleted)";
    const ssize_t length = readlink(link, out, room - 1);
    out[length > 0 ? length : 0] = '\0';
    if (length <= 0 || strstr(out, gone))
        snprintf(out, room, "%s", link);
}

struct os_child *background_start(const char *const *words, FILE **messages, struct err *err)
{
    char program[4096];
    const char *argv[256] = {"tracetop"};
    int ends[2];
    size_t count = 1;
    for (; *words && count < sizeof argv / sizeof *argv - 1; words++)
        argv[count++] = *words;
    if (*words)
        return fail(err, "too many words on the command line"), NULL;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(err, "cannot start the recorder: %s", strerror(errno)), NULL;
    background_program(program, sizeof program);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
    /* What our starter left open, such as a lock, must not stay so as long as the recorder runs. */
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    struct os_child *const c = os_spawn_with(program, argv, &files, err);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    *messages = c ? fdopen(ends[0], "r") : NULL;
    if (!*messages)
        close(ends[0]);
    return c;
}

void background_detach(void)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stderr);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
}

bool background_guard(const char *folder, struct err *err)
{
    (void)folder, (void)err;
    return true;
}

/* sd_notify(3) describes it: a datagram to the socket that the variable names; "@" stands for the
 * zero byte of an abstract one. */
void background_notify(const char *state)
{
    const char *const path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const size_t length = path ? strlen(path) : 0;
    if (length < 2 || length >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(to.sun_path, path, length);
    if (to.sun_path[0] == '@')
        to.sun_path[0] = '\0';
    const int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s < 0)
        return;
    const socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    sendto(s, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to, bytes);
    close(s);
}
