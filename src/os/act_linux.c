/* What is done to processes and files because somebody asked for it, on Linux. See src/os/os.h. */
#include "src/base/mem.h"
#include "src/os/environment_linux.h"
#include "src/os/os.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

/* When the process began, ns since 1970, from its start in clock ticks since boot; 0 = it is not
 * there. Field 22 of stat, counted behind the name, which may hold anything. */
static int64_t begun_at(uint32_t pid)
{
    enum { FIELDS_BEFORE = 19 };
    char path[64], text[2048];
    struct timespec boot, now;
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *const f = fopen(path, "re");
    const size_t bytes = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[bytes] = '\0';
    const char *at = strrchr(text, ')');
    for (unsigned i = 0; at && i <= FIELDS_BEFORE; i++)
        at = strchr(at + 1, ' ');
    if (!at)
        return 0;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t ticks = strtoll(at, NULL, 10), second = 1000000000;
    const int64_t age = boot.tv_sec * second + boot.tv_nsec - ticks * (second / sysconf(_SC_CLK_TCK));
    return now.tv_sec * second + now.tv_nsec - age;
}

bool os_terminate(uint32_t pid, int64_t alive_ns, struct err *err)
{
    if (pid <= 1 || pid > INT32_MAX || (pid_t)pid == getpid())
        return fail(err, "cannot terminate process %u: the system needs it, or it is tracetop",
                    pid);
    const int handle = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (handle < 0)
        return fail(err, "process %u: %s", pid, strerror(errno));
    /* The handle stays the process's own: what is true of it now is true when it is used. A tick
     * is 10 ms at most, the age is known as exactly. */
    const int64_t begun = begun_at(pid), tick = 20000000;
    bool is_well = begun && begun <= alive_ns + tick;
    if (!is_well)
        fail(err, "process %u has exited; its id now belongs to another process", pid);
    else if (syscall(SYS_pidfd_send_signal, handle, SIGTERM, NULL, 0) != 0)
        is_well = fail(err, "process %u: %s", pid, strerror(errno));
    close(handle);
    return is_well;
}

/* The folder that the path lies in, or is. */
static bool folder_of(const char *path, char *out, size_t room, struct err *err)
{
    struct stat s;
    snprintf(out, room, "%s", path);
    if (path[0] != '/' || strlen(path) >= room || stat(path, &s) != 0)
        return fail(err, "%.200s does not exist", path);
    char *const slash = strrchr(out, '/');
    if (!S_ISDIR(s.st_mode))
        slash[slash == out] = '\0';
    return true;
}

bool os_show_folder(const char *path, struct err *err)
{
    char folder[4096];
    if (!folder_of(path, folder, sizeof folder, err))
        return false;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return fail(err, "cannot show %.200s: no desktop session", folder);
    const pid_t child = fork();
    if (child == 0) { /* a child of nobody: it is not waited for. No shell reads the path. */
        if (fork() != 0)
            _exit(0);
        setsid();
        const int none = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3; i++)
            dup2(none, i);
        char opener[] = "xdg-open", *const argv[] = {opener, folder, NULL};
        execvpe(opener, argv, environment_of_children());
        _exit(127);
    }
    if (child < 0)
        return fail(err, "xdg-open: %s", strerror(errno));
    waitpid(child, NULL, 0);
    return true;
}
