/* The capture filter on this machine: what it stores of a process's calls is what a run in which
 * everything is stored has of the same work, whether it was there from the start or came while it
 * ran; of others nothing is stored but who they are. */
#include "tests/live/harness.h"

#include "src/os/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENTER = 0x0f33, CALLS = 2000, OTHERS = 20000 };
enum { CLASSES = 1 << FACT_SYSCALL | 1 << FACT_SWITCH };
enum when { NEVER, AT_START, LATER };

static int gate[2]; /* who waits at it makes no calls: it opens when the last writer closes it */

static void call(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        syscall(SYS_getppid);
}

struct report {
    uint32_t pid, other;
    uint64_t calls, others, switches;
};

static bool count_reported(const struct event *e, void *arg)
{
    struct report *const t = arg;
    if (e->kind != HEADER_SYSTEM && e->kind != HEADER_PERFINFO)
        return false;
    t->calls += e->id == ENTER && e->pid == t->pid;
    t->others += e->id == ENTER && e->pid == t->other;
    t->switches += e->id == 0x0524;
    return false;
}

static pid_t begin_work(unsigned calls)
{
    char nothing;
    const pid_t child = fork();
    if (child)
        return child;
    close(gate[1]);
    while (read(gate[0], &nothing, 1) > 0)
        ;
    call(calls);
    _exit(0);
}

/* As the prompt does; back when the collector asks it. */
static void set_while_it_runs(struct live_run *r, const char *filter)
{
    struct capture_slot *const d = &r->session->collector.capture;
    struct command c = {.kind = COMMAND_CAPTURE};
    snprintf(c.text, sizeof c.text, "%s", filter);
    engine_command(r->session->engine, &c);
    const int64_t until = os_now() + PATIENCE_NS;
    while ((!atomic_load(&d->asked) || !atomic_load(&d->wanted)) && os_now() < until)
        usleep(1000);
    assert_non_null(atomic_load(&d->asked));
}

static struct report watch(enum when when)
{
    char filter[64];
    assert_int_equal(pipe(gate), 0);
    const pid_t child = begin_work(CALLS), other = begin_work(OTHERS);
    snprintf(filter, sizeof filter, "class=syscall pid=%d", (int)child);
    /* Room for the calls of a busy machine. */
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = CLASSES,
                                          .capture = when == AT_START ? filter : NULL,
                                          .kernel_bytes = 32 << 20,
                                          .ring_bytes = 512 << 20});
    if (when == LATER)
        set_while_it_runs(r, filter);
    close(gate[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(waitpid(other, NULL, 0), other);
    close(gate[0]);
    live_end(r);
    struct report t = {.pid = (uint32_t)child, .other = (uint32_t)other};
    live_count(r, count_reported, &t);
    const struct capture *const c = atomic_load(&r->session->collector.capture.wanted);
    print_message("%" PRIu64 " calls, %" PRIu64 " of another, %" PRIu64 " switches", t.calls,
                  t.others, t.switches);
    if (c)
        print_message("; %" PRIu64 " kept, %" PRIu64 " left out", capture_figures(c)->kept,
                      capture_figures(c)->left_out);
    print_message("\n");
    live_free(r);
    return t;
}

static void stores_what_everything_has(void **state)
{
    (void)state;
    const struct report whole = watch(NEVER), part = watch(AT_START);
    assert_true(whole.others >= OTHERS && whole.switches > 0);
    assert_in_range(whole.calls, CALLS, CALLS + 10); /* and how it ends */
    assert_int_equal(part.calls, whole.calls);
    assert_int_equal(part.others, 0);
    assert_int_equal(part.switches, 0);
}

static void may_come_while_it_runs(void **state)
{
    (void)state;
    const struct report part = watch(LATER);
    assert_in_range(part.calls, CALLS, CALLS + 10);
    assert_int_equal(part.others, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_what_everything_has),
        cmocka_unit_test(may_come_while_it_runs),
    };
    return cmocka_run_group_tests_name("live_capture", tests, NULL, NULL);
}
