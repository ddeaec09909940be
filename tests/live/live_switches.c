/* Switches: what the collector saw against what the kernel counted for the same threads. */
#include "tests/live/harness.h"

#include "src/base/bytes.h"
#include "src/event/tracetop_provider.h"
#include "src/event/wait_call.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HOOK_SWITCH = 0x0524, HOOK_READY = 0x0532 };

struct thread_pair {
    pid_t a, b;
};

static bool leaves(const struct event *e, void *arg)
{
    const uint32_t tid = *(const uint32_t *)arg;
    return e->id == HOOK_SWITCH && load_u32(e->payload + 4) == tid;
}

/* State 5: it waits; not because it was pushed off. */
static bool leaves_to_wait(const struct event *e, void *arg)
{
    return leaves(e, arg) && e->payload[14] == 5;
}

static bool is_woken(const struct event *e, void *arg)
{
    return e->id == HOOK_READY && load_u32(e->payload) == *(const uint32_t *)arg;
}

/* ---- ping-pong -------------------------------------------------------------------------- */

enum { ROUNDS = 20000 };

struct pipes {
    int there[2], back[2];
};

struct report { /* of the child, at the end of its rounds */
    int64_t before_voluntary, before_forced, voluntary, forced;
};

static void pong(const struct pipes *p, int to)
{
    struct report r = {
        .before_voluntary = live_status(0, "voluntary_ctxt_switches"),
        .before_forced = live_status(0, "nonvoluntary_ctxt_switches"),
    };
    char c;
    if (write(p->back[1], "r", 1) != 1)
        _exit(1);
    for (int i = 0; i < ROUNDS; i++)
        if (read(p->there[0], &c, 1) != 1 || write(p->back[1], &c, 1) != 1)
            _exit(1);
    r.voluntary = live_status(0, "voluntary_ctxt_switches");
    r.forced = live_status(0, "nonvoluntary_ctxt_switches");
    if (write(to, &r, sizeof r) != sizeof r)
        _exit(1);
    _exit(0);
}

static void ping(const struct pipes *p)
{
    char c = 'x';
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(write(p->there[1], &c, 1), 1);
        assert_int_equal(read(p->back[0], &c, 1), 1);
    }
}

/* Both ends on one processor: each message is a switch there and one back. The kernel's own
 * count of the child's switches, over its whole life, is what the collector must have seen:
 * the child lives within the run. */
static void ping_pong(void **state)
{
    (void)state;
    live_pin(0);
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH | 1u << FACT_READY});
    struct pipes p;
    int report[2];
    assert_int_equal(pipe(p.there) | pipe(p.back) | pipe(report), 0);
    const pid_t child = fork();
    if (child == 0)
        pong(&p, report[1]);
    char c;
    assert_int_equal(read(p.back[0], &c, 1), 1);
    ping(&p);
    struct report kernel;
    assert_int_equal(read(report[0], &kernel, sizeof kernel), sizeof kernel);
    assert_int_equal(waitpid(child, NULL, 0), child);
    live_end(r);

    uint32_t tid = (uint32_t)child;
    const uint64_t all = live_count(r, leaves, &tid), waited = live_count(r, leaves_to_wait, &tid);
    const uint64_t woken = live_count(r, is_woken, &tid);
    print_message("%d rounds: kernel counted %" PRId64 " voluntary, %" PRId64
                  " other; seen %" PRIu64 " to wait, %" PRIu64 " in all, %" PRIu64 " wake-ups\n",
                  ROUNDS, kernel.voluntary, kernel.forced, waited, all, woken);
    /* The last switch is that of the exit. The report comes before it: writing it wakes the
     * reader, who may push the child off, and so may others on a busy machine; and the exit may
     * have to wait. */
    assert_in_range(waited, kernel.voluntary, kernel.voluntary + 50);
    assert_in_range(all, kernel.voluntary + kernel.forced + 1,
                    kernel.voluntary + kernel.forced + 50);
    /* A reader that is woken may push the writer off before that comes to wait itself: each
     * message is one switch either way. */
    assert_in_range(all, ROUNDS, ROUNDS + 1000 + kernel.forced);
    assert_int_equal(llround(live_number(r, "cpu", "tid", tid, "csw")), all); /* a rate */
    live_check_accounts(r);
    live_free(r);
}

/* ---- contention ----------------------------------------------------------------------------- */

struct stat_line { /* of /proc/self/schedstat: ns on the processor, ns that it stood ready */
    int64_t run, ready;
    int64_t taken; /* neither of both: what the host of a virtual machine took */
};

static struct stat_line read_stat(pid_t pid)
{
    char path[64];
    struct stat_line s = {-1, -1, 0};
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    FILE *const f = fopen(path, "re");
    if (f && fscanf(f, "%" SCNd64 " %" SCNd64, &s.run, &s.ready) != 2)
        s.run = -1;
    if (f)
        fclose(f);
    return s;
}

static bool is_asleep(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *const f = fopen(path, "re");
    const char *const at = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    const bool is_it = at && strncmp(at, ") S", 3) == 0;
    if (f)
        fclose(f);
    return is_it;
}

/* Its account, when it sleeps: nothing is added to that any more. */
static void read_account(pid_t pid, struct stat_line *s)
{
    const int64_t taken = s->taken;
    for (const int64_t until = os_now() + PATIENCE_NS; !is_asleep(pid) && os_now() < until;)
        os_sleep(1000000);
    *s = read_stat(pid);
    s->taken = taken;
}

/* Keeps the processor busy, says how long that took, and sleeps until it is ended. */
static void spin(int to)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int64_t begin = os_now(), end = begin + 1000000000;
    while (os_now() < end)
        ;
    struct stat_line s = read_stat(getpid());
    s.taken = os_now() - begin - s.run - s.ready;
    if (write(to, &s, sizeof s) != sizeof s)
        _exit(1);
    for (;;)
        pause();
}

static void expect_near(const char *what, double seen, double kernel, double taken)
{
    print_message("%s: seen %.3f ms, kernel %.3f ms\n", what, seen / 1e6, kernel / 1e6);
    const double allowed = kernel * 0.02 + 30e6;
    assert_true(seen > kernel - allowed && seen < kernel + allowed + taken);
}

/* Two that never wait, on one processor: half of the time each of them stands ready. */
static void contention(void **state)
{
    (void)state;
    live_pin(0);
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH | 1u << FACT_READY});
    struct stat_line kernel[2];
    int ends[2][2];
    pid_t children[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(ends[i]), 0);
        children[i] = fork();
        if (children[i] == 0)
            spin(ends[i][1]);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read(ends[i][0], &kernel[i], sizeof kernel[i]), sizeof kernel[i]);
        read_account(children[i], &kernel[i]);
    }
    live_end(r);
    for (int i = 0; i < 2; i++) {
        kill(children[i], SIGKILL);
        assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
    }
    for (int i = 0; i < 2; i++) {
        const uint64_t tid = (uint64_t)children[i];
        if (kernel[i].run <= 0) {
            print_message("skipped: this kernel keeps no schedstat\n");
            live_free(r);
            skip();
        }
        const double taken = kernel[i].taken > 0 ? (double)kernel[i].taken : 0;
        expect_near("on the processor", live_number(r, "cpu", "tid", tid, "run"),
                    (double)kernel[i].run, taken);
        expect_near("ready", live_number(r, "cpu", "tid", tid, "ready"), (double)kernel[i].ready,
                    taken);
        assert_true(kernel[i].ready > 300000000);
    }
    live_check_accounts(r);
    live_free(r);
}

/* ---- calls ------------------------------------------------------------------------------------- */

struct place {
    int pipe[2], pair[2], event;
};

static void wait_in_pipe(const struct place *p)
{
    char c;
    (void)!read(p->pipe[0], &c, 1);
}

static void wait_in_socket(const struct place *p)
{
    char c;
    (void)!read(p->pair[0], &c, 1);
}

static void wait_in_eventfd(const struct place *p)
{
    uint64_t n;
    (void)!read(p->event, &n, sizeof n);
}

static void wait_in_poll(const struct place *p)
{
    struct pollfd one = {.fd = p->pipe[0], .events = POLLIN};
    (void)poll(&one, 1, -1);
}

static void wait_in_sleep(const struct place *p)
{
    (void)p;
    (void)sleep(100);
}

static void wait_in_futex(const struct place *p)
{
    int word = 0;
    (void)p;
    syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, NULL, NULL, 0);
}

static const struct {
    void (*wait)(const struct place *p);
    enum wait_call call;
} calls[] = {
    {wait_in_pipe, WAIT_PIPE_READ},     {wait_in_socket, WAIT_RECEIVE},
    {wait_in_eventfd, WAIT_EVENT_READ}, {wait_in_poll, WAIT_POLL},
    {wait_in_sleep, WAIT_OWN_SLEEP},    {wait_in_futex, WAIT_FUTEX},
};
enum { CALLS = sizeof calls / sizeof *calls };

struct left_in {
    uint32_t tid;
    enum wait_call call;
};

static bool waits_in(const struct event *e, void *arg)
{
    const struct left_in *const l = arg;
    uint32_t tid = l->tid;
    return leaves_to_wait(e, &tid) && load_u32(e->payload + 20) == l->call;
}

/* "S": it sleeps, and so has left its processor. */
static void wait_until_it_sleeps(pid_t pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    while (state != 'S') {
        FILE *const f = fopen(path, "re");
        assert_non_null(f);
        assert_int_equal(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
        fclose(f);
        os_sleep(1000000);
    }
}

static void waits_are_named_by_call(void **state)
{
    (void)state;
    if (!live_has_bpf())
        skip();
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH | 1u << FACT_READY});
    struct place p;
    pid_t children[CALLS];
    assert_int_equal(pipe(p.pipe) | socketpair(AF_UNIX, SOCK_STREAM, 0, p.pair), 0);
    assert_true((p.event = eventfd(0, 0)) >= 0);
    for (size_t i = 0; i < CALLS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            calls[i].wait(&p);
            _exit(0);
        }
        wait_until_it_sleeps(children[i]);
    }
    for (size_t i = 0; i < CALLS; i++) {
        kill(children[i], SIGKILL);
        assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
    }
    live_end(r);
    for (size_t i = 0; i < CALLS; i++) {
        struct left_in left = {(uint32_t)children[i], calls[i].call};
        if (live_count(r, waits_in, &left) != 1)
            fail_msg("%s: not seen once", wait_call_name(calls[i].call));
    }
    live_free(r);
}

static bool was_met_waiting(const struct event *e, void *arg)
{
    const struct left_in *const l = arg;
    const char *const name = tracetop_event_name(e);
    const char *call;
    uint64_t tid;
    return name && strcmp(name, "Wait") == 0 && tracetop_event_number(e, "tid", &tid) &&
           tracetop_event_text(e, "call", &call) && tid == l->tid &&
           wait_call_named(call) == l->call;
}

/* Children that wait, and behind them one more; false where the kernel began again with low ids. */
static bool fork_in_order(const struct place *p, pid_t children[CALLS + 1])
{
    bool is_in_order = true;
    for (size_t i = 0; i <= CALLS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            if (i < CALLS)
                calls[i].wait(p);
            pause();
            _exit(0);
        }
        wait_until_it_sleeps(children[i]);
        is_in_order &= !i || children[i] > children[i - 1];
    }
    return is_in_order;
}

static void end_children(const pid_t children[CALLS + 1])
{
    for (size_t i = 0; i <= CALLS; i++) {
        kill(children[i], SIGKILL);
        assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
    }
}

/* They waited already when tracing began, and no event says so. Processes are looked through in the
 * order of their ids: when the last one has a name, that was done with the others. */
static void waits_from_before_are_named(void **state)
{
    (void)state;
    struct place p;
    pid_t children[CALLS + 1];
    assert_int_equal(pipe(p.pipe) | socketpair(AF_UNIX, SOCK_STREAM, 0, p.pair), 0);
    assert_true((p.event = eventfd(0, 0)) >= 0);
    while (!fork_in_order(&p, children))
        end_children(children);
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH | 1u << FACT_READY});
    live_wait_for_text(r, "processes", "pid", (uint64_t)children[CALLS], "name", "live_switches");
    live_end(r);
    end_children(children);
    for (size_t i = 0; i < CALLS; i++) {
        struct left_in left = {(uint32_t)children[i], calls[i].call};
        if (live_count(r, was_met_waiting, &left) != 1)
            fail_msg("%s: not seen once", wait_call_name(calls[i].call));
    }
    live_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ping_pong),
        cmocka_unit_test(contention),
        cmocka_unit_test(waits_are_named_by_call),
        cmocka_unit_test(waits_from_before_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
