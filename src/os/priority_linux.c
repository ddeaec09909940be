/* Who goes first, on Linux: niceness counts within a session (autogroup) or control group only,
 * the real-time classes beyond them. */
#include "src/os/priority_linux.h"

#include "src/os/os.h"
#include "src/os/rights.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

void os_thread_give_way(void)
{
    enum { NICE = 5 };
    setpriority(PRIO_PROCESS, 0, NICE); /* Linux: of the calling thread */
}

bool os_thread_boost(bool is_boosted)
{
    const struct sched_param p = {.sched_priority = is_boosted ? OS_BOOST_PRIORITY : 0};
    const uint64_t before = os_rights_raise(is_boosted ? OS_MAY_HURRY : 0);
    const bool is_done = sched_setscheduler(0, is_boosted ? SCHED_RR : SCHED_OTHER, &p) == 0;
    os_rights_return(before);
    return is_done;
}

int64_t os_thread_cpu_time(void)
{
    enum { NS = 1000000000 };
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * NS + t.tv_nsec;
}

bool os_may_boost(void)
{
    const struct sched_param none = {0}, lowest = {.sched_priority = OS_BOOST_PRIORITY};
    const int policy = sched_getscheduler(0);
    if (policy == SCHED_RR || policy == SCHED_FIFO)
        return true;
    const uint64_t before = os_rights_raise(OS_MAY_HURRY);
    const bool may = sched_setscheduler(0, SCHED_RR, &lowest) == 0 &&
                     sched_setscheduler(0, SCHED_OTHER, &none) == 0;
    os_rights_return(before);
    return may;
}

static struct kept_limit {
    int resource;
    rlim_t wanted;
    bool is_changed;
    struct rlimit before;
} kept_limits[] = {
    {.resource = RLIMIT_RTPRIO, .wanted = OS_BOOST_PRIORITY},
    {.resource = RLIMIT_NICE, .wanted = OS_LEAST_NICE},
};

enum { KEPT_LIMITS = sizeof kept_limits / sizeof *kept_limits };

static int nice_at_start;
static bool has_nice_at_start;

void os_permit_boost(void)
{
    if (!has_nice_at_start)
        nice_at_start = getpriority(PRIO_PROCESS, 0);
    has_nice_at_start = true;
    for (struct kept_limit *k = kept_limits; k < kept_limits + KEPT_LIMITS; k++) {
        struct rlimit limit;
        if (k->is_changed || getrlimit(k->resource, &limit) != 0 || limit.rlim_cur >= k->wanted)
            continue;
        k->before = limit;
        limit.rlim_cur = k->wanted;
        if (limit.rlim_max < k->wanted)
            limit.rlim_max = k->wanted;
        k->is_changed = setrlimit(k->resource, &limit) == 0;
    }
}

void os_child_restore_limits(int pid)
{
    for (const struct kept_limit *k = kept_limits; k < kept_limits + KEPT_LIMITS; k++)
        if (k->is_changed)
            prlimit(pid, (__rlimit_resource_t)k->resource, &k->before, NULL);
}

int os_step_back(void)
{
    const int now = getpriority(PRIO_PROCESS, 0);
    if (has_nice_at_start && now < nice_at_start)
        setpriority(PRIO_PROCESS, 0, nice_at_start);
    return now;
}

void os_step_forward(int niceness)
{
    if (getpriority(PRIO_PROCESS, 0) == niceness)
        return;
    const uint64_t before = os_rights_raise(OS_MAY_HURRY);
    setpriority(PRIO_PROCESS, 0, niceness);
    os_rights_return(before);
}
