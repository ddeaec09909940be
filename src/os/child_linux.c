/* Programs that are started, on Linux. See src/os/os.h for the promises. */
#include "src/os/child_linux.h"

#include "src/base/mem.h"
#include "src/os/environment_linux.h"
#include "src/os/os.h"
#include "src/os/priority_linux.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct os_child {
    pid_t pid;
    bool has_ended;
    int status;
};

bool os_elevate(struct err *err)
{
    return fail(err, "cannot elevate on Linux; quit, and start tracetop with sudo");
}

struct os_child *os_spawn(const char *const *argv, struct err *err)
{
    return os_spawn_with(argv[0], argv, NULL, err);
}

struct os_child *os_spawn_with(const char *program, const char *const *argv,
                               const posix_spawn_file_actions_t *files, struct err *err)
{
    enum { ALWAYS = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF };
    const short own_session = files ? POSIX_SPAWN_SETSID : 0;
    pid_t pid;
    posix_spawnattr_t how;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setschedpolicy(&how, SCHED_OTHER);
    posix_spawnattr_setschedparam(&how, &(struct sched_param){0});
    posix_spawnattr_setflags(&how, ALWAYS | POSIX_SPAWN_SETSCHEDULER | own_session);
    const int niceness = os_step_back();
    int failed =
        posix_spawnp(&pid, program, files, &how, (char *const *)argv, environment_of_children());
    if (failed == EPERM) { /* the policy for idle processors: it cannot be left without rights */
        posix_spawnattr_setflags(&how, ALWAYS | own_session);
        failed = posix_spawnp(&pid, program, files, &how, (char *const *)argv,
                              environment_of_children());
    }
    os_step_forward(niceness);
    posix_spawnattr_destroy(&how);
    if (failed) {
        fail(err, "cannot start '%.500s': %s", argv[0], strerror(failed));
        return NULL;
    }
    os_child_restore_limits(pid);
    struct os_child *const c = mem_new(1, sizeof *c);
    c->pid = pid;
    return c;
}

struct os_child *os_spawn_quietly(const char *commands, struct err *err)
{
    static const char quiet[] = "exec </dev/null >/dev/null 2>&1\n";
    const size_t bytes = strlen(commands);
    char *const script = mem_new(sizeof quiet + bytes, 1);
    memcpy(script, quiet, sizeof quiet - 1);
    memcpy(script + sizeof quiet - 1, commands, bytes + 1);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct os_child *const c = os_spawn(argv, err);
    free(script);
    return c;
}

bool os_child_ended(struct os_child *c, int *status)
{
    int how;
    if (!c->has_ended && waitpid(c->pid, &how, WNOHANG) == c->pid) {
        c->has_ended = true;
        c->status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    }
    *status = c->status;
    return c->has_ended;
}

void os_child_end(struct os_child *c)
{
    if (!c->has_ended)
        kill(c->pid, SIGTERM);
}

void os_child_free(struct os_child *c)
{
    free(c);
}

uint32_t os_child_pid(const struct os_child *c)
{
    return (uint32_t)c->pid;
}
