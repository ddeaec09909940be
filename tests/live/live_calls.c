/* System calls and interrupts: a loop that knows how many calls it makes, and the kernel's own
 * counts of interrupts and softirqs. */
#include "tests/live/harness.h"

#include "src/base/bytes.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ENTER = 0x0f33, EXIT, ISR = 0x0f43, DPC, TIMER_DPC };
enum { ROUNDS = 20000 };

/* ---- calls ----------------------------------------------------------------------------------- */

struct expected {
    uint16_t hook;
    uint32_t pid;
    uint64_t value; /* number of the call, or status */
};

static bool is_call(const struct event *e, void *arg)
{
    const struct expected *const w = arg;
    if (e->id != w->hook || e->pid != w->pid)
        return false;
    return w->value == (w->hook == ENTER ? load_u64(e->payload) : load_u32(e->payload));
}

static uint32_t run_child(void (*work)(void))
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return (uint32_t)child;
}

/* All of it, or what is missing is counted as lost. */
static void expect_seen(const struct live_run *r, uint64_t seen, uint64_t truth)
{
    const struct collector_loss *const loss = &r->session->collector.loss;
    const uint64_t lost = atomic_load(&loss->kernel) + ring_figures(r->session->hot).lost;
    assert_in_range(seen, truth > lost ? truth - lost : 0, truth);
}

static void call_in_a_loop(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        syscall(SYS_getppid);
        close(-1); /* fails: no such descriptor */
    }
    const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
}

static void calls_are_exact(void **state)
{
    (void)state;
    const uint32_t BAD_DESCRIPTOR = 0xc000c009;
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SYSCALL, .ring_bytes = 256 << 20});
    const uint32_t pid = run_child(call_in_a_loop);
    live_end(r);
    live_check_accounts(r);
    struct expected w = {.hook = ENTER, .pid = pid, .value = SYS_getppid};
    expect_seen(r, live_count(r, is_call, &w), ROUNDS);
    w.value = SYS_close;
    expect_seen(r, live_count(r, is_call, &w), ROUNDS);
    w = (struct expected){.hook = EXIT, .pid = pid, .value = BAD_DESCRIPTOR};
    expect_seen(r, live_count(r, is_call, &w), ROUNDS);
    /* Others may call it, too. */
    const int64_t calls = llround(live_number_named(r, "calls", "call", "getppid", "calls"));
    const int64_t returns = llround(live_number_named(r, "calls", "call", "getppid", "returns"));
    const double longest = live_number_named(r, "calls", "call", "clock_nanosleep", "max");
    print_message("%d calls of getppid: %" PRId64 " shown, %" PRId64 " with their return\n", ROUNDS,
                  calls, returns);
    expect_seen(r, calls < ROUNDS ? (uint64_t)calls : ROUNDS, ROUNDS);
    expect_seen(r, returns < ROUNDS ? (uint64_t)returns : ROUNDS, ROUNDS);
    assert_true(longest >= 50000000);
    const int64_t failed = llround(live_number(r, "callers", "pid", pid, "errors"));
    expect_seen(r, failed < ROUNDS ? (uint64_t)failed : ROUNDS, ROUNDS);
    assert_true(calls < ROUNDS + 1000 && failed < ROUNDS + 100);
    live_free(r);
}

/* Reporting our own calls would never end: each batch that is read makes the next. */
static void our_own_calls_are_left_out(void **state)
{
    (void)state;
    struct live_run *const r = live_begin(&(struct live_request){.classes = 1u << FACT_SYSCALL});
    for (int i = 0; i < 1000; i++)
        syscall(SYS_getppid);
    live_end(r);
    struct expected w = {.hook = ENTER, .pid = (uint32_t)getpid(), .value = SYS_getppid};
    assert_int_equal(live_count(r, is_call, &w), 0);
    live_free(r);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

enum { LINES = 512, SOFTIRQS = 10 };

struct counts {
    uint64_t lines[LINES];
    uint64_t softirqs[SOFTIRQS];
};

static uint64_t sum_of_columns(char *text)
{
    uint64_t sum = 0;
    for (char *end; *text; text = end) {
        sum += strtoull(text, &end, 10);
        if (end == text)
            break;
    }
    return sum;
}

static void read_lines(struct counts *c)
{
    char line[65536];
    FILE *f = fopen("/proc/interrupts", "re");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *behind;
        const unsigned long number = strtoul(line, &behind, 10);
        if (*behind == ':' && behind != line && number < LINES)
            c->lines[number] = sum_of_columns(behind + 1);
    }
    fclose(f);
}

static struct counts read_counts(void)
{
    struct counts c = {.lines = {0}};
    char line[65536];
    read_lines(&c);
    FILE *const f = fopen("/proc/softirqs", "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    for (unsigned i = 0; i < SOFTIRQS && fgets(line, sizeof line, f); i++)
        c.softirqs[i] = sum_of_columns(strchr(line, ':') + 1);
    fclose(f);
    return c;
}

/* What /proc calls an interrupt: the last word of its line; several share one with commas. */
static bool read_name(unsigned number, char *name, size_t room)
{
    char line[65536];
    bool is_found = false;
    FILE *const f = fopen("/proc/interrupts", "re");
    assert_non_null(f);
    while (!is_found && fgets(line, sizeof line, f)) {
        char *behind;
        line[strcspn(line, "\n")] = '\0';
        const char *const last = strrchr(line, ' ');
        is_found = strtoul(line, &behind, 10) == number && *behind == ':' && behind != line &&
                   last && !strchr(line, ',');
        if (is_found)
            snprintf(name, room, "%s", last + 1);
    }
    fclose(f);
    return is_found;
}

struct routine_request {
    uint16_t hook, vector;
    uint64_t routine;
};

static bool is_routine(const struct event *e, void *arg)
{
    const struct routine_request *const w = arg;
    if (e->id != w->hook)
        return false;
    return e->id == ISR ? load_u16(e->payload + 17) == w->vector
                        : load_u64(e->payload + 8) == w->routine;
}

/* Reads of a disk, pauses and processor time: interrupts of all kinds. */
static void keep_busy(void)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    for (int i = 0; i < 200; i++) {
        nanosleep(&pause, NULL);
        for (volatile int n = 0; n < 200000; n++)
            ;
    }
    sync();
}

/* What came lies between what the kernel counted within and around; what had no begin or no end
 * is counted as such, and so are the time slices of threads that a kernel hides, with their
 * interrupts. */
static bool is_between(const struct live_run *r, const char *what, unsigned number, uint64_t seen,
                       uint64_t within, uint64_t around)
{
    const struct collector_loss *const loss = &r->session->collector.loss;
    const uint64_t missing = atomic_load(&loss->unpaired) + atomic_load(&loss->kernel);
    if (around)
        print_message("%s %u: %" PRIu64 " within, %" PRIu64 " seen, %" PRIu64 " around\n", what,
                      number, within, seen, around);
    return seen + missing >= within && seen <= around;
}

static void the_kernel_counts_the_same(void **state)
{
    (void)state;
    bool is_true = true;
    const struct counts before = read_counts();
    struct live_run *const r = live_begin(
        &(struct live_request){.classes = 1u << FACT_ISR | 1u << FACT_DPC | 1u << FACT_SWITCH,
                            .ring_bytes = 256 << 20});
    usleep(10000); /* what was under way is over */
    const struct counts begun = read_counts();
    run_child(keep_busy);
    const struct counts done = read_counts();
    usleep(10000);
    live_end(r);
    const struct counts after = read_counts();
    live_check_accounts(r);
    print_message("without begin or end: %" PRIu64 "\n",
                  atomic_load(&r->session->collector.loss.unpaired));
    uint64_t interrupts = 0, softirqs = 0, most = 0;
    unsigned busiest = 0;
    for (unsigned i = 0; i < LINES; i++) {
        struct routine_request w = {.hook = ISR, .vector = (uint16_t)i};
        const uint64_t seen = live_count(r, is_routine, &w);
        is_true &= is_between(r, "interrupt", i, seen, done.lines[i] - begun.lines[i],
                              after.lines[i] - before.lines[i]);
        interrupts += seen;
        busiest = seen > most ? i : busiest;
        most = seen > most ? seen : most;
    }
    for (unsigned i = 0; i < SOFTIRQS; i++) {
        struct routine_request w = {.hook = DPC, .routine = i + 1};
        struct routine_request timer = {.hook = TIMER_DPC, .routine = i + 1};
        const uint64_t seen = live_count(r, is_routine, &w) + live_count(r, is_routine, &timer);
        is_true &= is_between(r, "softirq", i, seen, done.softirqs[i] - begun.softirqs[i],
                              after.softirqs[i] - before.softirqs[i]);
        softirqs += seen;
    }
    assert_true(interrupts > 0 && softirqs > 0);
    assert_int_equal(llround(live_sum(r, "interrupts", "count")), interrupts + softirqs);
    assert_true(live_number_named(r, "interrupts", "routine", "TIMER", "time") > 0);
    char name[64];
    if (read_name(busiest, name, 32)) /* as much of it as there is room for */
        assert_int_equal(llround(live_number_named(r, "interrupts", "routine", name, "count")),
                         most);
    if (!is_true)
        live_must_be_alone(r);
    live_free(r);
    assert_true(is_true);
}

#ifdef __x86_64__
/* As a 32-bit program does: getppid is another number there. */
static void call_by_32_bits(void)
{
    enum { GETPPID_32 = 64 };
    for (int i = 0; i < ROUNDS; i++) {
        long number = GETPPID_32;
        __asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
        if (number <= 0)
            _exit(1);
    }
}

static void calls_of_32_bits_are_distinguished(void **state)
{
    (void)state;
    if (!live_has_bpf()) {
        print_message("skipped: without BPF they cannot be distinguished\n");
        skip();
    }
    const pid_t probe = fork();
    if (probe == 0) {
        signal(SIGSEGV,
               SIG_DFL); /* how a kernel without them ends it; cmocka would catch it here */
        call_by_32_bits();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(probe, &status, 0), probe);
    if (status != 0) {
        print_message("skipped: this kernel has no 32-bit calls\n");
        skip();
    }
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SYSCALL, .ring_bytes = 256 << 20});
    const uint32_t pid = run_child(call_by_32_bits);
    live_end(r);
    struct expected of_32 = {ENTER, pid, 1ull << 32 | 64}, own = {ENTER, pid, 64};
    expect_seen(r, live_count(r, is_call, &of_32), ROUNDS);
    assert_int_equal(live_count(r, is_call, &own), 0);
    assert_true(live_number_named(r, "calls", "call", "getppid (32-bit)", "calls") > 0);
    live_free(r);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_exact),
        cmocka_unit_test(our_own_calls_are_left_out),
        cmocka_unit_test(the_kernel_counts_the_same),
#ifdef __x86_64__
        cmocka_unit_test(calls_of_32_bits_are_distinguished),
#endif
    };
    return cmocka_run_group_tests_name("calls and interrupts, live", tests, NULL, NULL);
}
