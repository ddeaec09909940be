/* A processor that goes and comes back while we run. It is taken from everybody on this machine for
 * some seconds, so only who asks for that gets it: TRACETOP_HOTPLUG=1. */
#include "tests/live/harness.h"

#include "src/base/bytes.h"
#include "src/os/os.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOOK_SWITCH = 0x0524, ROUNDS = 500 };
static const int64_t SECOND = 1000000000;

/* False where this machine does not allow it. */
static bool set_online(unsigned cpu, bool is_online)
{
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/online", cpu);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool is_done = write(fd, is_online ? "1" : "0", 1) == 1;
    close(fd);
    return is_done;
}

static void pin(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        _exit(1);
}

/* A child on that processor that goes to sleep so many times. */
static uint32_t sleep_on(unsigned cpu)
{
    const pid_t child = fork();
    if (child == 0) {
        pin(cpu);
        for (int i = 0; i < ROUNDS; i++)
            usleep(200);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return (uint32_t)child;
}

struct leaves {
    uint32_t tid;
    unsigned cpu;
};

static bool goes_to_sleep(const struct event *e, void *arg)
{
    enum { OLD_AT = 4, STATE_AT = 14, WAITING = 5 };
    const struct leaves *const l = arg;
    return e->id == HOOK_SWITCH && e->cpu == l->cpu && load_u32(e->payload + OLD_AT) == l->tid &&
           e->payload[STATE_AT] == WAITING;
}

static void a_processor_goes_and_comes_back(void **state)
{
    (void)state;
    const char *const request = getenv("TRACETOP_HOTPLUG");
    const unsigned last = (unsigned)sysconf(_SC_NPROCESSORS_CONF) - 1;
    if (!request || strcmp(request, "1") != 0) {
        print_message("skipped: TRACETOP_HOTPLUG=1 takes a processor away for some seconds\n");
        skip();
    }
    struct live_run *const r = live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH});
    struct leaves before = {sleep_on(last), last};
    if (!set_online(last, false)) {
        print_message("skipped: processor %u cannot be taken away here\n", last);
        live_end(r);
        live_free(r);
        skip();
    }
    os_sleep(SECOND * 3 / 2); /* a look of ours falls into that */
    struct leaves meanwhile = {sleep_on(0), 0};
    const bool is_back = set_online(last, true);
    os_sleep(SECOND * 5 / 2);
    assert_true(is_back);
    struct leaves after = {sleep_on(last), last};
    live_end(r);
    live_check_accounts(r);
    const uint64_t seen[] = {live_count(r, goes_to_sleep, &before),
                             live_count(r, goes_to_sleep, &meanwhile),
                             live_count(r, goes_to_sleep, &after)};
    const uint64_t lost = atomic_load(&r->session->collector.loss.kernel);
    print_message("%d sleeps: %" PRIu64 " seen before, %" PRIu64 " meanwhile, %" PRIu64
                  " after; %" PRIu64 " lost\n",
                  ROUNDS, seen[0], seen[1], seen[2], lost);
    for (unsigned i = 0; i < 3; i++)
        assert_true(seen[i] + lost >= ROUNDS);
    live_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_processor_goes_and_comes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
