/* Wake-ups: a ring that wakes the collector for each record is replaced. */
#include "tests/live/harness.h"

#include "collectors/linux/live.h"
#include "src/os/os.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLEEPS = 500, SHORT = 100000 /* ns */ };

static const struct live_ring *ring_in_use(const struct linux_live *l, int cpu)
{
    for (int i = 0; i < RINGS_PER_CPU; i++) {
        const struct live_ring *const r = &l->rings[cpu * RINGS_PER_CPU + i];
        if (atomic_load(&r->state) == RING_READY)
            return r;
    }
    return NULL;
}

/* Our context switches go into the ring, and each one wakes whoever reads it: so does every record
 * of a ring whose mark the kernel has lost. */
static int open_restless(int owner, int cpu)
{
    struct perf_event_attr a = {
        .size = sizeof a,
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_IDENTIFIER,
        .wakeup_events = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    const int fd = (int)syscall(SYS_perf_event_open, &a, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner), 0);
    return fd;
}

/* Wake-ups of the processor's rings that their records do not ask for. */
static uint64_t count_wakeups(const struct linux_live *l, int cpu)
{
    uint64_t count = 0;
    for (int i = 0; i < RINGS_PER_CPU; i++) {
        const struct live_ring *const r = &l->rings[cpu * RINGS_PER_CPU + i];
        count += atomic_load(&r->wakes) - atomic_load(&r->urgent);
    }
    return count;
}

static bool is_quiet(const struct linux_live *l, int cpu)
{
    const uint64_t before = count_wakeups(l, cpu);
    for (int i = 0; i < SLEEPS; i++)
        os_sleep(SHORT);
    return (int64_t)(count_wakeups(l, cpu) - before) < SLEEPS / 10;
}

static void a_restless_ring_is_replaced(void **state)
{
    (void)state;
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH | 1u << FACT_READY});
    const struct linux_live *const l = r->session->collector.state;
    const int cpu = live_pin(0);
    const struct live_ring *const ring = ring_in_use(l, cpu);
    assert_non_null(ring);
    const int fd = open_restless(ring->owner, cpu);
    for (const int64_t end = os_now() + PATIENCE_NS; !atomic_load(&l->renewed) && os_now() < end;)
        os_sleep(SHORT);
    assert_true(atomic_load(&l->renewed) > 0);
    bool quiet = false;
    for (const int64_t end = os_now() + PATIENCE_NS; !quiet && os_now() < end;)
        quiet = is_quiet(l, cpu);
    assert_true(quiet);
    live_end(r);
    close(fd);
    live_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restless_ring_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
