#include "src/os/apart_linux.h"

#include "src/base/mem.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10 };

struct apart {
    int (*call)(void *to);
    void *to;
    int result;
};

/* A signal for our group is not meant for a call that is under way. */
static int run(void *arg)
{
    struct apart *const a = arg;
    setsid();
    a->result = a->call(a->to);
    return 0;
}

int os_call_apart(int (*call)(void *to), void *to)
{
    struct apart a = {call, to, -1};
    char *const stack = mem_new(STACK_BYTES, 1);
    /* As vfork() does: this thread goes on when the other one has ended. */
    const int child = clone(run, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | CLONE_FILES, &a);
    if (child < 0)
        a.result = call(to);
    while (child > 0 && waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
        ;
    free(stack);
    return a.result;
}
