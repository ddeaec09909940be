/* The scope (-p, -n, -c): exactly the chosen processes are reported; children, threads and new
 * names are covered from their first moment on; and with BPF programs the others' events are not
 * even recorded. Over both sources. */
#include "tests/live/harness.h"

#include "src/base/bytes.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ENTER = 0x0f33, HOOK_UDP_SEND = 0x080a, FAULT = 0x0245 };
enum { CALLS = 500, PAGES = 64, PACKET = 100, CHILDREN = 30, NOISE = 200000 };
enum { CLASSES = 1 << FACT_SYSCALL | 1 << FACT_FAULT | 1 << FACT_NETWORK };

/* What the processes share with the test. */
struct shared {
    int32_t pids[CHILDREN * 2 + 1]; /* of those that work, 0 behind the last */
    _Atomic unsigned count;
    _Atomic bool may_begin, is_noisy;
};

static char *pages; /* nobody has touched them: each process that does has a fault for each */
static struct shared *shared;

/* ---- what is done ---------------------------------------------------------------------------- */

static void send_one(void)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(9)};
    const char packet[PACKET] = "";
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sendto(fd, packet, sizeof packet, 0, (const struct sockaddr *)&to, sizeof to);
    close(fd);
}

static void call(unsigned count, long number)
{
    for (unsigned i = 0; i < count; i++)
        syscall(number);
}

static void work(void)
{
    call(CALLS, SYS_getppid);
    for (unsigned i = 0; i < PAGES; i++)
        pages[i * 4096ul] = 1;
    send_one();
}

static void note_me(void)
{
    shared->pids[atomic_fetch_add(&shared->count, 1)] = getpid();
}

static void wait_for_start(void)
{
    while (!atomic_load(&shared->may_begin))
        usleep(1000);
}

/* A chain of children, each of which begins to work at once. */
static _Noreturn void be_family(unsigned generations)
{
    pid_t child = 0;
    for (; generations && child == 0; generations--) {
        note_me();
        work();
        if (generations > 1)
            child = fork();
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    _exit(0);
}

static _Noreturn void be_noise(void)
{
    wait_for_start();
    call(NOISE, SYS_getppid);
    work();
    _exit(0);
}

static void *be_thread(void *arg)
{
    call(CALLS, SYS_getppid);
    return arg;
}

/* ---- what is reported ------------------------------------------------------------------------ */

struct report {
    uint64_t calls[2]; /* getppid, getuid */
    uint64_t faults, bytes, unknown;
};

static bool is_mine(uint32_t pid)
{
    for (const int32_t *p = shared->pids; *p; p++)
        if ((uint32_t)*p == pid)
            return true;
    return false;
}

static bool count_reported(const struct event *e, void *arg)
{
    struct report *const t = arg;
    const bool is_fault = e->id == FAULT; /* of unknown kind: these are not on */
    if (e->id != ENTER && !is_fault && e->id != HOOK_UDP_SEND)
        return false;
    const uint32_t pid = e->id == HOOK_UDP_SEND ? load_u32(e->payload) : e->pid;
    const uint64_t value = is_fault || e->id == ENTER ? load_u64(e->payload) : 0;
    if (!is_mine(pid))
        t->unknown++;
    else if (e->id == HOOK_UDP_SEND)
        t->bytes += load_u32(e->payload + 4);
    else if (e->id == ENTER)
        t->calls[value == SYS_getuid] += value == SYS_getppid || value == SYS_getuid;
    else
        t->faults += value >= (uintptr_t)pages && value < (uintptr_t)pages + PAGES * 4096ul;
    return false;
}

static const uint8_t sources[] = {KERNEL_AUTO, KERNEL_PERF};
enum { SOURCES = sizeof sources };

static pid_t begin_noise(void)
{
    const pid_t noise = fork();
    if (noise == 0)
        be_noise();
    return noise;
}

static struct live_run *begin(const struct collector_scope *scope, uint8_t source)
{
    return live_begin(&(struct live_request){
        .classes = CLASSES, .scope = *scope, .kernel_source = source, .ring_bytes = 256 << 20});
}

/* Ends the run, and returns what was reported; the noise's events were recorded by perf only. */
static struct report end(struct live_run *r, uint8_t source, pid_t noise)
{
    struct report t = {.faults = 0};
    assert_int_equal(waitpid(noise, NULL, 0), noise);
    live_end(r);
    live_check_accounts(r);
    live_count(r, count_reported, &t);
    const uint64_t made = atomic_load(&r->session->collector.loss.made);
    print_message("%s: %" PRIu64 " + %" PRIu64 " calls, %" PRIu64 " faults, %" PRIu64
                  " bytes of %u processes; %" PRIu64 " records of others; %" PRIu64
                  " events made\n",
                  source == KERNEL_PERF ? "perf" : "BPF", t.calls[0], t.calls[1], t.faults, t.bytes,
                  atomic_load(&shared->count), t.unknown, made);
    assert_int_equal(t.unknown, 0);
    if (source != KERNEL_PERF && live_has_bpf())
        assert_true(made < NOISE);
    else
        assert_true(made > NOISE);
    live_free(r);
    return t;
}

static void reset(void)
{
    memset(shared->pids, 0, sizeof shared->pids);
    atomic_store(&shared->count, 0);
    atomic_store(&shared->may_begin, false);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void children_are_reported_from_their_first_call(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SOURCES; i++) {
        reset();
        const pid_t noise = begin_noise(), first = fork();
        if (first == 0) {
            wait_for_start();
            be_family(CHILDREN);
        }
        const uint32_t pids[] = {(uint32_t)first};
        const struct collector_scope scope = {pids, 1, NULL, true};
        struct live_run *const r = begin(&scope, sources[i]);
        atomic_store(&shared->may_begin, true);
        assert_int_equal(waitpid(first, NULL, 0), first);
        const struct report t = end(r, sources[i], noise);
        assert_int_equal(t.calls[0], CHILDREN * CALLS);
        assert_int_equal(t.faults, CHILDREN * PAGES);
        assert_int_equal(t.bytes, CHILDREN * PACKET);
    }
}

static _Noreturn void be_threads(void)
{
    note_me();
    wait_for_start();
    pthread_t threads[CHILDREN];
    for (unsigned i = 0; i < CHILDREN; i++)
        pthread_create(&threads[i], NULL, be_thread, NULL);
    for (unsigned i = 0; i < CHILDREN; i++)
        pthread_join(threads[i], NULL);
    const pid_t child = fork();
    if (child == 0) {
        work(); /* not asked for: it counts as unknown where it is reported */
        _exit(0);
    }
    waitpid(child, NULL, 0);
    _exit(0);
}

static void threads_are_reported_and_children_are_not(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SOURCES; i++) {
        reset();
        const pid_t noise = begin_noise(), first = fork();
        if (first == 0)
            be_threads();
        while (!atomic_load(&shared->count))
            usleep(1000);
        const uint32_t pids[] = {(uint32_t)first};
        const struct collector_scope scope = {pids, 1, NULL, false};
        struct live_run *const r = begin(&scope, sources[i]);
        atomic_store(&shared->may_begin, true);
        assert_int_equal(waitpid(first, NULL, 0), first);
        const struct report t = end(r, sources[i], noise);
        assert_int_equal(t.calls[0], CHILDREN * CALLS);
    }
}

/* Takes the name, gives it back, and takes it again by running a program of that name. */
static _Noreturn void be_renamed(void)
{
    note_me();
    wait_for_start();
    for (unsigned i = 0; i < 20; i++) {
        prctl(PR_SET_NAME, "scoped 7");
        call(CALLS, SYS_getppid);
        prctl(PR_SET_NAME, "else");
        call(CALLS, SYS_getuid);
    }
    _exit(0);
}

static void names_are_followed(void **state)
{
    (void)state;
    char path[64], program[512];
    strcpy(path, "/tmp/scoped-XXXXXX");
    close(mkstemp(path));
    unlink(path);
    const ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(bytes > 0);
    program[bytes] = '\0';
    assert_int_equal(symlink(program, path), 0);
    for (unsigned i = 0; i < SOURCES; i++) {
        reset();
        const pid_t noise = begin_noise(), renamed = fork();
        if (renamed == 0)
            be_renamed();
        while (!atomic_load(&shared->count))
            usleep(1000);
        const struct collector_scope scope = {NULL, 0, "sc**ped?*", false};
        struct live_run *const r = begin(&scope, sources[i]);
        atomic_store(&shared->may_begin, true);
        char *const argv[] = {path, (char *)"--calls", NULL};
        pid_t spawned;
        assert_int_equal(posix_spawn(&spawned, path, NULL, NULL, argv, environ), 0);
        shared->pids[atomic_fetch_add(&shared->count, 1)] = spawned;
        assert_int_equal(waitpid(renamed, NULL, 0), renamed);
        assert_int_equal(waitpid(spawned, NULL, 0), spawned);
        const struct report t = end(r, sources[i], noise);
        assert_int_equal(t.calls[0], 21 * CALLS);
        assert_int_equal(t.calls[1], 0);
    }
    unlink(path);
}

/* The same work, watched in its scope and with everything: the same figures. */
static void totals_equal_those_of_everything(void **state)
{
    (void)state;
    double calls[2], faults[2];
    for (unsigned i = 0; i < 2; i++) {
        reset();
        const pid_t first = fork();
        if (first == 0) {
            wait_for_start();
            be_family(1);
        }
        const uint32_t pids[] = {(uint32_t)first};
        const struct collector_scope scopes[] = {{pids, 1, NULL, false}, {NULL, 0, NULL, false}};
        struct live_run *const r = begin(&scopes[i], KERNEL_AUTO);
        atomic_store(&shared->may_begin, true);
        assert_int_equal(waitpid(first, NULL, 0), first);
        live_end(r);
        struct report t = {.faults = 0};
        live_count(r, count_reported, &t);
        calls[i] = (double)t.calls[0];
        faults[i] = live_number(r, "memory", "pid", (uint64_t)first, "soft");
        live_free(r);
    }
    print_message("in scope %.0f calls, %.0f faults; of everything %.0f, %.0f\n", calls[0],
                  faults[0], calls[1], faults[1]);
    assert_int_equal(calls[0], calls[1]);
    assert_in_range(faults[0], faults[1] - 3, faults[1] + 3); /* who waits how often */
}

static int set_up(void **state)
{
    (void)state;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED || pages == MAP_FAILED ||
           madvise(pages, PAGES * 4096, MADV_NOHUGEPAGE) != 0;
}

/* Before anybody is chosen, nothing is on: what a neighbor does fills no ring of the kernel's and
 * takes nothing from the time for stacks. */
static void nobody_is_recorded_before_the_scope_is_chosen(void **state)
{
    (void)state;
    enum { ROOM = 4 << 20 };
    static const uint32_t FAULTS = 1u << FACT_FAULT;
    if (!live_has_bpf()) {
        print_message("skipped: without BPF programs the kernel records everybody\n");
        skip();
    }
    const pid_t noise = fork();
    if (noise == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        char *const room =
            mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(room, ROOM, MADV_NOHUGEPAGE);
        for (;; madvise(room, ROOM, MADV_DONTNEED))
            for (size_t i = 0; i < ROOM; i += 4096) {
                room[i] = 1;
                if (i == ROOM / 2)
                    atomic_store(&shared->is_noisy, true);
            }
    }
    while (!atomic_load(&shared->is_noisy))
        usleep(1000);
    const uint32_t mine = (uint32_t)getpid();
    struct live_run *const r = live_begin(&(struct live_request){
        .classes = FAULTS, .stacks = FAULTS, .scope = {&mine, 1, NULL, false}});
    live_end(r);
    kill(noise, SIGKILL);
    waitpid(noise, NULL, 0);
    const uint64_t left_short = atomic_load(&r->session->collector.stacks_short),
                   lost = atomic_load(&r->session->collector.loss.kernel);
    print_message("%" PRIu64 " stacks cut short, %" PRIu64 " events lost\n", left_short, lost);
    assert_int_equal(left_short, 0);
    live_free(r);
}

/* Switches are recorded, and it has none, or those alone with which it began to wait: that is
 * known. */
static void who_does_nothing_has_zeros(void **state)
{
    (void)state;
    const pid_t idle = fork();
    if (idle == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    const uint32_t pid = (uint32_t)idle;
    struct live_run *const r = live_begin(&(struct live_request){
        .classes = 1u << FACT_SWITCH | 1u << FACT_READY, .scope = {&pid, 1, NULL, false}});
    live_wait_for_text(r, "processes", "pid", pid, "name", "live_scope");
    live_end(r);
    assert_true(live_number(r, "processes", "pid", pid, "csw") >= 0); /* -1: not known */
    assert_true(live_number(r, "processes", "pid", pid, "cpu") >= 0);
    kill(idle, SIGKILL);
    waitpid(idle, NULL, 0);
    live_free(r);
}

/* Spins on the first processor until it is killed. */
static pid_t begin_spinning(void)
{
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        live_pin(0);
        for (;;)
            ;
    }
    return pid;
}

/* Two share a processor with a third: of the other two only what lies beside the watched one's
 * switches is recorded, and that is no time of theirs. */
static void unwatched_processes_have_no_time(void **state)
{
    (void)state;
    enum { TURNS = 20 };
    pid_t spinning[3];
    for (unsigned i = 0; i < 3; i++)
        spinning[i] = begin_spinning();
    const uint32_t pid = (uint32_t)spinning[0];
    struct live_run *const r = live_begin(
        &(struct live_request){.classes = 1u << FACT_SWITCH, .scope = {&pid, 1, NULL, false}});
    while (atomic_load(&r->session->collector.loss.received) < 2 * TURNS)
        usleep(10000);
    live_end(r);
    struct rusage used;
    for (unsigned i = 0; i < 3; i++) {
        kill(spinning[i], SIGKILL);
        assert_int_equal(wait4(spinning[i], NULL, 0, i == 0 ? &used : NULL), spinning[i]);
    }
    const double most = (double)used.ru_utime.tv_sec * 1e9 + (double)used.ru_utime.tv_usec * 1e3 +
                        (double)used.ru_stime.tv_sec * 1e9 + (double)used.ru_stime.tv_usec * 1e3;
    const double own = live_number(r, "processes", "pid", pid, "cpu_time");
    print_message("%.0f ms of at most %.0f\n", own / 1e6, most / 1e6);
    assert_true(own > 0 && own <= most * 1.01);
    for (unsigned i = 1; i < 3; i++)
        assert_true(live_number(r, "processes", "pid", (uint64_t)spinning[i], "cpu_time") < 0);
    live_free(r);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--calls") == 0)
        return call(CALLS, SYS_getppid), 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_are_reported_from_their_first_call),
        cmocka_unit_test(threads_are_reported_and_children_are_not),
        cmocka_unit_test(names_are_followed),
        cmocka_unit_test(totals_equal_those_of_everything),
        cmocka_unit_test(nobody_is_recorded_before_the_scope_is_chosen),
        cmocka_unit_test(who_does_nothing_has_zeros),
        cmocka_unit_test(unwatched_processes_have_no_time),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
