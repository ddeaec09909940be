/* Who goes first, on Linux: niceness counts within a session (autogroup) or control group only,
 * the real-time classes beyond them. */
#include "src/os_precede_linux.h"

#include "src/os.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

void os_thread_give_way(void)
{
    enum { NICE = 5 };
    setpriority(PRIO_PROCESS, 0, NICE); /* Linux: of the calling thread */
}

bool os_thread_precede(bool is_ahead)
{
    const struct sched_param p = {.sched_priority = is_ahead ? OS_PRECEDENCE : 0};
    return sched_setscheduler(0, is_ahead ? SCHED_RR : SCHED_OTHER, &p) == 0;
}

int64_t os_thread_cpu_time(void)
{
    enum { NS = 1000000000 };
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * NS + t.tv_nsec;
}

bool os_may_precede(void)
{
    const struct sched_param none = {0}, lowest = {.sched_priority = OS_PRECEDENCE};
    const int policy = sched_getscheduler(0);
    if (policy == SCHED_RR || policy == SCHED_FIFO)
        return true;
    return sched_setscheduler(0, SCHED_RR, &lowest) == 0 &&
           sched_setscheduler(0, SCHED_OTHER, &none) == 0;
}

void os_keep_precedence(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_RTPRIO, &limit) != 0 || limit.rlim_cur >= OS_PRECEDENCE)
        return;
    limit.rlim_cur = OS_PRECEDENCE;
    if (limit.rlim_max < OS_PRECEDENCE)
        limit.rlim_max = OS_PRECEDENCE;
    setrlimit(RLIMIT_RTPRIO, &limit);
}
