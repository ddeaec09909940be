#include "collectors/linux/kernel/visit.h"

#include "src/base/mem.h"
#include "src/os/os.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

struct visit {
    cpu_set_t permitted;
    _Atomic bool is_over; /* no further processor */
    _Atomic pid_t thread;
    struct os_thread *visitor;
};

static void run(void *arg)
{
    struct visit *const v = arg;
    atomic_store(&v->thread, gettid());
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && !atomic_load(&v->is_over); cpu++) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (CPU_ISSET(cpu, &v->permitted))
            (void)!sched_setaffinity(0, sizeof one, &one);
    }
}

struct visit *visit_start(void)
{
    struct visit *const v = mem_new(1, sizeof *v);
    if (sched_getaffinity(0, sizeof v->permitted, &v->permitted) == 0)
        v->visitor = os_thread_start("linux visit", run, v);
    return v;
}

void visit_end(struct visit *v)
{
    static const int64_t PATIENCE_NS = 1000000;
    if (!v)
        return;
    atomic_store(&v->is_over, true);
    while (v->visitor && !os_thread_join_within(v->visitor, PATIENCE_NS))
        if (atomic_load(&v->thread)) /* it may wait for a processor that it never gets */
            (void)!sched_setaffinity(atomic_load(&v->thread), sizeof v->permitted, &v->permitted);
    free(v);
}
