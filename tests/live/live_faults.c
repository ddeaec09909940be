/* Page faults: pages touched by a process that knows how many, and what the kernel counted for
 * it over its whole life. */
#include "tests/live/harness.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TRANSITION = 0x020a,
    ZERO,
    COPY,
    HARD_PAGE = 0x020e,
    VIOLATION,
    HARD = 0x0220,
    UNKNOWN = 0x0245
};
enum { PAGES = 1000, PAGE = 4096 };

static const uint32_t FAULTS = 1u << FACT_FAULT, KINDS = 1u << FACT_MEMORY;

/* ---- records of one process ---- */

struct expected {
    uint16_t first, last; /* hooks */
    uint32_t pid;
    uint64_t from, until; /* addresses; 0, 0: any */
    unsigned unmeasured;
};

static bool is_fault(const struct event *e, void *arg)
{
    struct expected *const w = arg;
    if (e->id < w->first || e->id > w->last || e->pid != w->pid)
        return false;
    const uint64_t address = load_u64(e->payload + (e->id == HARD ? 16 : 0));
    if (w->until && (address < w->from || address >= w->until))
        return false;
    w->unmeasured += e->id == HARD && load_u64(e->payload) == 0;
    return true;
}

static uint64_t count(const struct live_run *r, uint16_t hook, uint32_t pid, const void *from,
                      size_t bytes)
{
    struct expected w = {.first = hook,
                     .last = hook,
                     .pid = pid,
                     .from = (uintptr_t)from,
                     .until = (uintptr_t)from + bytes};
    return live_count(r, is_fault, &w);
}

/* Rates times seconds: whole numbers but for the last bit. */
static int64_t shown(const struct live_run *r, uint32_t pid, const char *column)
{
    return llround(live_number(r, "memory", "pid", pid, column));
}

/* All of it, or what is missing is counted as lost. */
static void expect_seen(const struct live_run *r, uint64_t seen, uint64_t truth)
{
    const struct collector_loss *const loss = &r->session->collector.loss;
    const uint64_t lost = atomic_load(&loss->kernel) + ring_figures(r->session->hot).lost;
    assert_in_range(seen, truth > lost ? truth - lost : 0, truth);
}

struct lifetime {
    uint32_t pid;
    uint64_t minor, major; /* as the kernel counted */
    int status;
};

/* A child that does `work`; from its first fault to its last it is watched. */
static struct lifetime run_child(void (*work)(uint8_t *pages), uint8_t *pages)
{
    struct rusage usage;
    struct lifetime l = {0};
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        work(pages);
        _exit(0);
    }
    assert_int_equal(wait4(child, &l.status, 0, &usage), child);
    l.pid = (uint32_t)child;
    l.minor = (uint64_t)usage.ru_minflt;
    l.major = (uint64_t)usage.ru_majflt;
    return l;
}

static uint8_t *map_pages(size_t count, int fd)
{
    uint8_t *const pages = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE,
                                fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    assert_true(pages != MAP_FAILED);
    madvise(pages, count * PAGE, MADV_NOHUGEPAGE);
    return pages;
}

/* The kernel's count against the events. The kernel also counts faults that it handles for a
 * process ahead of time; these have no event. */
static void expect_all(const struct live_run *r, const struct lifetime *l)
{
    struct expected soft = {.first = TRANSITION, .last = COPY, .pid = l->pid};
    const uint64_t minor = live_count(r, is_fault, &soft) + count(r, UNKNOWN, l->pid, NULL, 0);
    const uint64_t major = count(r, HARD, l->pid, NULL, 0);
    print_message("kernel counted %" PRIu64 " minor and %" PRIu64 " major faults; seen %" PRIu64
                  " and %" PRIu64 "\n",
                  l->minor, l->major, minor, major);
    expect_seen(r, minor, l->minor);
    expect_seen(r, major, l->major);
}

/* ---- new pages ------------------------------------------------------------------------------- */

static void write_pages(uint8_t *pages)
{
    for (size_t i = 0; i < PAGES; i++)
        pages[i * PAGE] = 1;
}

static void new_pages_are_exact(void **state)
{
    (void)state;
    uint8_t *const pages = map_pages(PAGES, -1);
    struct live_run *const r = live_begin(&(struct live_request){.classes = FAULTS | KINDS});
    const struct lifetime l = run_child(write_pages, pages);
    live_end(r);
    live_check_accounts(r);
    expect_seen(r, count(r, ZERO, l.pid, pages, PAGES * PAGE), PAGES);
    assert_int_equal(count(r, TRANSITION, l.pid, pages, PAGES * PAGE), 0);
    expect_all(r, &l);
    expect_seen(
        r, (uint64_t)shown(r, l.pid, "zero") < PAGES ? (uint64_t)shown(r, l.pid, "zero") : PAGES,
        PAGES);
    live_free(r);
    munmap(pages, PAGES * PAGE);
}

/* Without the processor's codes the kind is unknown. */
static void plain_faults_are_exact(void **state)
{
    (void)state;
    uint8_t *const pages = map_pages(PAGES, -1);
    struct live_run *const r = live_begin(&(struct live_request){.classes = FAULTS});
    const struct lifetime l = run_child(write_pages, pages);
    live_end(r);
    live_check_accounts(r);
    expect_seen(r, count(r, UNKNOWN, l.pid, pages, PAGES * PAGE), PAGES);
    expect_all(r, &l);
    live_free(r);
    munmap(pages, PAGES * PAGE);
}

/* Pages of before a fork are shared until somebody writes. */
static void copies_are_exact(void **state)
{
    (void)state;
    uint8_t *const pages = map_pages(PAGES, -1);
    write_pages(pages);
    struct live_run *const r = live_begin(&(struct live_request){.classes = FAULTS | KINDS});
    const struct lifetime l = run_child(write_pages, pages);
    live_end(r);
    expect_seen(r, count(r, COPY, l.pid, pages, PAGES * PAGE), PAGES);
    expect_all(r, &l);
    expect_seen(
        r, (uint64_t)shown(r, l.pid, "copy") < PAGES ? (uint64_t)shown(r, l.pid, "copy") : PAGES,
        PAGES);
    live_free(r);
    munmap(pages, PAGES * PAGE);
}

/* ---- pages that lie on a disk ---------------------------------------------------------------- */

enum { FAR = 64 }; /* every so many pages one is read: around it, others come along */

static void read_far_pages(uint8_t *pages)
{
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < PAGES / 4; i++)
        sum = (uint8_t)(sum + pages[i * FAR * PAGE]);
}

static void pages_from_a_disk_are_exact(void **state)
{
    (void)state;
    enum { FILE_PAGES = PAGES / 4 * FAR };
    char path[64];
    snprintf(path, sizeof path, "build/live_faults.%d", (int)getpid());
    const int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    unlink(path);
    uint8_t *const room = mem_new(FILE_PAGES, PAGE);
    memset(room, 9, (size_t)FILE_PAGES * PAGE);
    assert_int_equal(write(fd, room, (size_t)FILE_PAGES * PAGE), (size_t)FILE_PAGES * PAGE);
    free(room);
    assert_int_equal(fsync(fd), 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    uint8_t *const pages = map_pages(FILE_PAGES, fd);
    madvise(pages, (size_t)FILE_PAGES * PAGE, MADV_RANDOM);
    struct live_run *const r = live_begin(&(struct live_request){.classes = FAULTS | KINDS});
    const struct lifetime l = run_child(read_far_pages, pages);
    live_end(r);
    live_check_accounts(r);
    struct expected w = {.first = HARD,
                     .last = HARD,
                     .pid = l.pid,
                     .from = (uintptr_t)pages,
                     .until = (uintptr_t)pages + (size_t)FILE_PAGES * PAGE};
    const uint64_t hard = live_count(r, is_fault, &w);
    print_message("%d pages read from a disk: %" PRIu64 " hard faults, %u without a time\n",
                  PAGES / 4, hard, w.unmeasured);
    expect_seen(r, hard, PAGES / 4);
    assert_int_equal(w.unmeasured, 0);
    expect_all(r, &l);
    assert_int_equal(shown(r, l.pid, "hard"), count(r, HARD, l.pid, NULL, 0));
    assert_true(shown(r, l.pid, "max") > 1000);
    live_free(r);
    munmap(pages, (size_t)FILE_PAGES * PAGE);
    close(fd);
}

/* ---- what cannot be served ------------------------------------------------------------------- */

static void break_rules(uint8_t *pages)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL); /* not the test's own */
    *(volatile uint8_t *)(pages + 123) = 1;
}

static void violations_are_seen(void **state)
{
    (void)state;
    uint8_t *const pages = map_pages(1, -1);
    assert_int_equal(mprotect(pages, PAGE, PROT_NONE), 0);
    struct live_run *const r = live_begin(&(struct live_request){.classes = FAULTS | KINDS});
    const struct lifetime l = run_child(break_rules, pages);
    live_end(r);
    assert_true(WIFSIGNALED(l.status));
    live_check_accounts(r);
    expect_seen(r, count(r, VIOLATION, l.pid, pages + 123, 1), 1);
    expect_seen(r, shown(r, l.pid, "violation") == 1, 1);
    live_free(r);
    munmap(pages, PAGE);
}

/* ---- somebody else who listens ---------------------------------------------------------- */

enum { LISTENERS = 256 };

/* As "perf record -a -g -e minor-faults" does, but with nobody to read it. */
static unsigned listen_too(int fds[LISTENERS])
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
        .sample_id_all = 1,
    };
    unsigned count = 0;
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < cpus && count < LISTENERS; cpu++) {
        const long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd >= 0)
            fds[count++] = (int)fd;
    }
    assert_true(count > 0);
    return count;
}

/* Kernels mix up the two listeners' records; every fault is there all the same, and readable. */
static void check_beside_another(uint32_t stacks)
{
    int fds[LISTENERS];
    uint8_t *const pages = map_pages(PAGES, -1);
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = FAULTS, .stacks = stacks});
    const unsigned count_of_others = listen_too(fds);
    const struct lifetime l = run_child(write_pages, pages);
    for (unsigned i = 0; i < count_of_others; i++)
        close(fds[i]);
    live_end(r);
    live_check_accounts(r);
    expect_seen(r, count(r, UNKNOWN, l.pid, pages, PAGES * PAGE), PAGES);
    expect_all(r, &l);
    live_free(r);
    munmap(pages, PAGES * PAGE);
}

static void another_with_call_chains_spoils_nothing(void **state)
{
    (void)state;
    check_beside_another(0);
}

static void another_spoils_nothing_of_ours_with_stacks(void **state)
{
    (void)state;
    check_beside_another(FAULTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_pages_are_exact), cmocka_unit_test(plain_faults_are_exact),
        cmocka_unit_test(copies_are_exact),    cmocka_unit_test(pages_from_a_disk_are_exact),
        cmocka_unit_test(violations_are_seen),
        cmocka_unit_test(another_with_call_chains_spoils_nothing),
        cmocka_unit_test(another_spoils_nothing_of_ours_with_stacks),
    };
    return cmocka_run_group_tests_name("page faults, live", tests, NULL, NULL);
}
