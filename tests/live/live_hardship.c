/* What a machine does to a monitor: too few descriptors, little memory to lock, perf_event_paranoid
 * at every level, thousands of processes, a tracefs that goes away or lacks events, signals at any
 * moment. The program runs on, or ends with a sentence; the terminal is as it was. */
#include "tests/live/program.h"
#include "tests/terminal.h"
#include "tests/test.h"

#include "collectors/linux/translate/translate.h"
#include "src/os/os.h"
#include "src/pane/panes.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT = 1 << 20, SECONDS = 1000000000 };
static const int64_t PATIENCE = 240ll * SECONDS; /* for what hangs */

static char program[600];

static int find_program(void **state)
{
    (void)state;
    return live_program(program, sizeof program) ? 0 : -1;
}

static void need_root(void)
{
    if (geteuid() == 0)
        return;
    print_message("skipped: only root can make these conditions\n");
    skip();
}

struct ran {
    int status; /* what it ended with; minus a signal */
    double seconds;
    size_t bytes;
    char text[OUTPUT]; /* of both its outputs */
};

/* Runs `command` (a shell's) where `hardship` has been brought about. Free what it returns. */
static struct ran *run(void (*hardship)(void), const char *command)
{
    struct ran *const r = calloc(1, sizeof *r);
    int out[2], status;
    assert_non_null(r);
    assert_int_equal(pipe(out), 0);
    const int64_t began = os_now();
    const pid_t child = fork();
    if (child == 0) {
        dup2(out[1], 1);
        dup2(out[1], 2);
        close(out[0]);
        close(out[1]);
        if (hardship)
            hardship();
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    for (ssize_t n; (n = read(out[0], r->text + r->bytes, OUTPUT - 1 - r->bytes)) > 0;)
        r->bytes += (size_t)n;
    close(out[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    r->seconds = (double)(os_now() - began) / SECONDS;
    r->status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    return r;
}

static struct ran *run_top(void (*hardship)(void), const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "exec %s top %s", program, arguments);
    return run(hardship, command);
}

static void expect(const struct ran *r, int status, const char *text)
{
    if (r->status != status || !strstr(r->text, text))
        fail_msg("status %d, expected %d and '%s' in:\n%.3000s", r->status, status, text, r->text);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void drop(int capability)
{
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
        _exit(126);
}

static void have_few_descriptors(void)
{
    const struct rlimit few = {64, 64};
    drop(CAP_SYS_RESOURCE); /* else root raises them again */
    if (setrlimit(RLIMIT_NOFILE, &few) != 0)
        _exit(126);
}

static void have_hardly_any_descriptors(void)
{
    const struct rlimit few = {16, 16};
    drop(CAP_SYS_RESOURCE);
    if (setrlimit(RLIMIT_NOFILE, &few) != 0)
        _exit(126);
}

static void lock_no_memory(void)
{
    const struct rlimit none = {0, 0};
    drop(CAP_SYS_RESOURCE);
    drop(CAP_IPC_LOCK);
    if (setrlimit(RLIMIT_MEMLOCK, &none) != 0)
        _exit(126);
}

static void too_few_descriptors_are_reported(void **state)
{
    (void)state;
    need_root();
    struct ran *r = run_top(have_few_descriptors, "processes 1 1");
    expect(r, 0, "out of file descriptors; raise ulimit -n");
    free(r);
    r = run_top(have_hardly_any_descriptors, "processes 1 1");
    expect(r, 1, "cannot be");
    free(r);
}

static void little_memory_makes_smaller_buffers(void **state)
{
    (void)state;
    need_root();
    struct ran *const r = run_top(lock_no_memory, "processes 1 1");
    /* What others of this user have locked counts, too: then there may be nothing left. */
    expect(r, r->status ? 1 : 0, r->status ? "ulimit -l" : "NAME");
    free(r);
}

/* ---- paranoid -------------------------------------------------------------------------------- */

static const char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";

static void write_paranoid(const char *text)
{
    const int fd = open(paranoid, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, text, strlen(text)) < 0)
        print_message("%s stays as it was\n", paranoid);
    if (fd >= 0)
        close(fd);
}

static void be_nobody(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        _exit(126);
}

/* Root sees all at every level; others get something, or a sentence with what would help. */
static void every_paranoid_level_is_lived_with(void **state)
{
    (void)state;
    need_root();
    char before[16] = "";
    const int fd = open(paranoid, O_RDWR | O_CLOEXEC);
    if (fd < 0 || read(fd, before, sizeof before - 1) <= 0) {
        print_message("skipped: %s cannot be set\n", paranoid);
        skip();
    }
    close(fd);
    int root[6], nobody[6];
    bool has_sentence = true;
    for (int level = -1; level <= 4; level++) {
        char text[16];
        snprintf(text, sizeof text, "%d\n", level);
        write_paranoid(text);
        struct ran *const all = run_top(NULL, "processes 200ms 1");
        struct ran *const some = run_top(be_nobody, "processes 200ms 1");
        write_paranoid(before);
        root[level + 1] = all->status;
        nobody[level + 1] = some->status;
        has_sentence &= strstr(some->text, "tracetop: ") != NULL;
        free(all);
        free(some);
    }
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(root[i], 0);
        assert_in_range(nobody[i] == 126 ? 0 : nobody[i], 0, 4);
    }
    assert_true(has_sentence);
}

/* ---- thousands ------------------------------------------------------------------------------- */

/* Looks at tables until one has them all: the walk over so many takes its time on a busy machine. */
static unsigned count_missing(const pid_t *pids, unsigned count)
{
    char command[1024], line[512];
    const int64_t began = os_now();
    snprintf(command, sizeof command, "exec %s top processes -O csv -k pid,name 1 1000 2>/dev/null", program);
    FILE *const f = popen(command, "r");
    assert_non_null(f);
    unsigned tables = 0, missing = count;
    bool is_there[1 << 16] = {false};
    while (missing && os_now() - began < PATIENCE && fgets(line, sizeof line, f)) {
        if (strncmp(line, "pid,", 4) == 0) {
            tables++;
            continue;
        }
        char *name;
        const unsigned long pid = strtoul(line, &name, 10);
        for (unsigned i = 0; i < count && strncmp(name, ",live_hardship", 14) == 0; i++)
            if ((unsigned long)pids[i] == pid && !is_there[i]) {
                is_there[i] = true;
                missing--;
            }
    }
    pclose(f); /* it ends when nobody reads its next table */
    print_message("%u sleepers: %u missing, %.2f s for %u tables of 1 s\n", count, missing,
                  (double)(os_now() - began) / SECONDS, tables);
    return missing;
}

static void thousands_of_sleepers_are_all_there(void **state)
{
    (void)state;
    enum { SLEEPERS = 3000 };
    static pid_t pids[SLEEPERS];
    unsigned count = 0;
    need_root();
    for (; count < SLEEPERS && (pids[count] = fork()) > 0; count++)
        ;
    if (count < SLEEPERS && pids[count] == 0) {
        pause();
        _exit(0);
    }
    const unsigned missing = count_missing(pids, count);
    for (unsigned i = 0; i < count; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    assert_int_equal(missing, 0);
}

/* ---- tracefs --------------------------------------------------------------------------------- */

static void have_own_mounts(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        _exit(126);
}

static void a_tracefs_that_vanishes_is_survived(void **state)
{
    (void)state;
    need_root();
    char command[1024];
    snprintf(
        command, sizeof command,
        "(sleep 0.7; umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug) 2>/dev/null & "
        "%s top calls 500ms 4; s=$?; wait; exit $s",
        program);
    struct ran *const r = run(have_own_mounts, command);
    expect(r, 0, "NAME");
    free(r);
}

/* The descriptions of those events that the program asks for, in a folder of its own ($t): reading
 * one takes the kernel long, and it has thousands. */
static void copy_events(char *folder)
{
    char command[1024];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "cd /sys/kernel/tracing && cp trace_clock %s 2>/dev/null", folder);
    (void)!system(command); /* older ones may lack it */
    for (unsigned d = 0; d < DOMAINS; d++)
        for (size_t i = 0; linux_domains[d] && i < linux_domains[d]->event_count; i++) {
            const struct linux_event *const e = &linux_domains[d]->events[i];
            if (!e->group || strchr(e->name, ' ')) /* the same once more, with stacks */
                continue;
            snprintf(command, sizeof command,
                     "t=%s/events/%s/%s; mkdir -p $t; cat /sys/kernel/tracing/events/%s/%s/format >$t/format "
                     "2>/dev/null || rm -r $t",
                     folder, e->group, e->name, e->group, e->name);
            assert_int_equal(system(command), 0);
        }
}

/* Events of another kernel: the ones that are there, as they are, but for what was taken out. */
static void what_lacks_costs_only_what_needs_it(void **state)
{
    (void)state;
    need_root();
    char events[] = "/tmp/tracetop-hardship-XXXXXX", command[4096];
    copy_events(events);
    static const struct {
        const char *change, *said;
    } rows[] = {
        {"rm -r $t/events/block", "block:block_rq_issue is unavailable"},
        {"sed -i 's/int prev_prio;/int former_prio;/; s/pid_t prev_pid;/pid_t former_pid;/' "
         "$t/events/sched/sched_switch/format",
         "sched:sched_switch is unavailable (sched:sched_switch of this kernel has no field "
         "prev_pid)"},
        {"head -c 40 /dev/urandom > $t/events/sock/sock_send_length/format",
         "sock:sock_send_length is unavailable"},
        {": > $t/events/tcp/tcp_destroy_sock/format", "tcp:tcp_destroy_sock is unavailable"},
    };
    struct ran *ran[sizeof rows / sizeof *rows];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(command, sizeof command,
                 "t=%s.changed; cp -r %s $t; %s; "
                 "mount --bind $t /sys/kernel/tracing && cd / && "
                 "%s top processes --linux-source perf 500ms 2; s=$?; "
                 "umount /sys/kernel/tracing; rm -rf $t; exit $s",
                 events, events, rows[i].change, program);
        ran[i] = run(have_own_mounts, command);
    }
    snprintf(command, sizeof command, "rm -r %s", events);
    assert_int_equal(system(command), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect(ran[i], 0, rows[i].said);
        expect(ran[i], 0, "live_hardship");
        free(ran[i]);
    }
}

static void boosts_by_capability_alone(void)
{
    const struct rlimit none = {0, 0};
    drop(CAP_SYS_RESOURCE);
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0)
        _exit(126);
}

/* What is kept beyond what events need, and why. */
static void the_right_to_boost_is_reported(void **state)
{
    (void)state;
    need_root();
    char command[1024];
    snprintf(command, sizeof command, "exec %s doctor", program);
    struct ran *r = run(NULL, command); /* root may have neither the limit nor what raises it */
    if (!strstr(r->text, "without a capability"))
        expect(r, r->status, "permitted by CAP_SYS_NICE");
    free(r);
    r = run(boosts_by_capability_alone, command);
    expect(r, r->status, "permitted by CAP_SYS_NICE");
    free(r);
}

/* ---- containers ------------------------------------------------------------------------- */

/* Where our numbers of processes are not the events', it is said, by doctor as well. */
static void numbers_of_a_container_are_reported(void **state)
{
    (void)state;
    need_root();
    char command[1024];
    struct ran *r = run(NULL, "unshare --pid --fork --mount-proc true");
    const bool can = r->status == 0;
    free(r);
    if (!can) {
        print_message("skipped: no namespaces for processes\n");
        skip();
    }
    snprintf(command, sizeof command, "unshare --pid --fork --mount-proc %s top processes 200ms 1",
             program);
    r = run(NULL, command);
    expect(r, 0, "process names will not match the events; start the container with --pid=host");
    free(r);
    snprintf(command, sizeof command, "unshare --pid --fork --mount-proc %s doctor", program);
    r = run(NULL, command);
    expect(r, 3, "this container has its own process ids");
    free(r);
    r = run_top(NULL, "processes 200ms 1");
    assert_null(strstr(r->text, "process names will not match the events"));
    free(r);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* The lines of a folder's listing: what is left behind would be one more. */
static unsigned entries(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "ls %s 2>/dev/null | wc -l", folder);
    FILE *const f = popen(command, "r");
    unsigned count = 0;
    assert_non_null(f);
    if (fscanf(f, "%u", &count) != 1)
        count = 0;
    pclose(f);
    return count;
}

static void signals_at_any_moment_leave_nothing(void **state)
{
    (void)state;
    enum { ROUNDS = 20 }; /* each signal with each key */
    static const int signals[] = {SIGTERM, SIGHUP, SIGSEGV, SIGABRT};
    static const char *const keys[] = {"1", "9", "8", "4", "7"};
    const char *const argv[] = {program, NULL};
    const char *const env[] = {NULL};
    const unsigned instances = entries("/sys/kernel/tracing/instances");
    need_root();
    srand(7);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct terminal *const t = terminal_start(argv, env, 100, 30);
        const int64_t when = os_now() + rand() % 800 * 1000000ll;
        bool has_pressed = false;
        while (os_now() < when) {
            terminal_pump(t, 20);
            if (!has_pressed && terminal_shows(t, "ev/s")) {
                terminal_press(t, keys[i % 5]); /* dear events are being switched on */
                if (strcmp(keys[i % 5], "9") == 0)
                    terminal_press(t, "Enter"); /* it asks before */
                has_pressed = true;
            }
        }
        terminal_signal(t, signals[i % 4]);
        int status;
        const int64_t deadline = os_now() + PATIENCE;
        while (!terminal_ended(t, &status) && os_now() < deadline)
            terminal_pump(t, 20);
        while (terminal_pump(t, 20))
            ;
        const char *sentence = "";
        if (!terminal_ended(t, &status))
            fail_msg("round %u: signal %d did not end it", i, signals[i % 4]);
        if (!terminal_is_restored(t, &sentence))
            fail_msg("round %u: signal %d after %s: %s", i, signals[i % 4],
                     has_pressed ? "a key" : "no key", sentence);
        terminal_free(t);
    }
    assert_int_equal(entries("/sys/kernel/tracing/instances"), instances);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_few_descriptors_are_reported),
        cmocka_unit_test(little_memory_makes_smaller_buffers),
        cmocka_unit_test(every_paranoid_level_is_lived_with),
        cmocka_unit_test(thousands_of_sleepers_are_all_there),
        cmocka_unit_test(a_tracefs_that_vanishes_is_survived),
        cmocka_unit_test(what_lacks_costs_only_what_needs_it),
        cmocka_unit_test(the_right_to_boost_is_reported),
        cmocka_unit_test(numbers_of_a_container_are_reported),
        cmocka_unit_test(signals_at_any_moment_leave_nothing),
    };
    return cmocka_run_group_tests(tests, find_program, NULL);
}
