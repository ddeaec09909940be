/* What the platform file promises in src/os/os.h. */
#include "tests/test.h"

#include "src/os/os.h"
#include "src/os/priority_boost.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct fixture {
    char folder[64];
    char path[128];
};

static int set_up(void **state)
{
    struct fixture *x = calloc(1, sizeof *x);
    snprintf(x->folder, sizeof x->folder, "/tmp/test_os.XXXXXX");
    if (!mkdtemp(x->folder))
        return -1;
    snprintf(x->path, sizeof x->path, "%s/file", x->folder);
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *x = *state;
    unlink(x->path);
    const int failed = rmdir(x->folder);
    free(x);
    return failed;
}

static void a_file_reads_back(void **state)
{
    struct fixture *x = *state;
    struct err err;
    struct os_file *f = os_create(x->path, &err);
    assert_non_null(f);
    struct stat info;
    assert_int_equal(stat(x->path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);

    assert_true(os_write_at(f, "hello", 5, 0, &err));
    assert_true(os_write_at(f, "!", 1, 9, &err)); /* a hole between */
    assert_int_equal(os_size(f), 10);
    assert_true(os_lengthen(f, 4, &err)); /* it is longer already */
    assert_int_equal(os_size(f), 10);
    assert_true(os_lengthen(f, 12, &err));
    assert_int_equal(os_size(f), 12);
    os_truncate(f, 10);
    os_close(f);

    f = os_open(x->path, &err);
    assert_non_null(f);
    char data[16];
    memset(data, 'x', sizeof data);
    assert_int_equal(os_read_at(f, data, sizeof data, 0, &err), 10);
    assert_memory_equal(data, "hello\0\0\0\0!xxxxxx", 16);
    assert_int_equal(os_read_at(f, data, 3, 7, &err), 3);
    assert_memory_equal(data, "\0\0!", 3);
    assert_int_equal(os_read_at(f, data, 1, 10, &err), 0);
    assert_int_equal(os_read_at(f, data, 1, UINT64_MAX, &err), 0);
    assert_int_equal(truncate(x->path, 2), 0);
    assert_int_equal(os_size(f), 2);
    assert_int_equal(os_read_at(f, data, 5, 0, &err), 2);
    assert_false(os_write_at(f, "a", 1, 0, &err)); /* opened for reading */
    assert_non_null(strstr(err.text, x->path));
    assert_non_null(strstr(err.text, "offset 0"));
    os_close(f);
    os_close(NULL);
}

static void create_never_overwrites(void **state)
{
    struct fixture *x = *state;
    struct err err;
    struct os_file *f = os_create(x->path, &err);
    assert_non_null(f);
    os_close(f);
    assert_null(os_create(x->path, &err));
    assert_non_null(strstr(err.text, x->path));
    assert_non_null(strstr(err.text, "File exists"));
}

static void what_is_no_file_is_refused(void **state)
{
    struct fixture *x = *state;
    struct err err;
    assert_null(os_open(x->path, &err));
    assert_non_null(strstr(err.text, x->path));
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(os_path_kind(x->path), OS_NOTHING);

    assert_null(os_open(x->folder, &err));
    assert_non_null(strstr(err.text, "a directory"));
    assert_int_equal(os_path_kind(x->folder), OS_DIRECTORY);

    assert_int_equal(mkfifo(x->path, 0600), 0); /* without a writer: must not wait */
    assert_null(os_open(x->path, &err));
    assert_non_null(strstr(err.text, "regular file"));
    assert_int_equal(os_path_kind(x->path), OS_OTHER);
    assert_null(os_open(x->path, NULL));
    assert_int_equal(os_path_kind("Makefile"), OS_REGULAR);
}

static void a_long_path_leaves_room_for_the_reason(void **state)
{
    (void)state;
    char path[3000];
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    struct err err;
    assert_null(os_open(path, &err));
    assert_non_null(strstr(err.text, "too long"));
}

static void unnamed_files_leave_nothing(void **state)
{
    struct fixture *x = *state;
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    struct err err;

    setenv("TMPDIR", x->folder, 1);
    struct os_file *f = os_open_unnamed(&err);
    assert_non_null(f);
    assert_true(os_write_at(f, "abc", 3, 0, &err));
    char data[3];
    assert_int_equal(os_read_at(f, data, 3, 0, &err), 3);
    assert_memory_equal(data, "abc", 3);
    assert_int_equal(rmdir(x->folder), 0); /* it is empty */
    os_close(f);

    assert_null(os_open_unnamed(&err)); /* the folder is gone */
    assert_non_null(strstr(err.text, x->folder));
    assert_int_equal(mkdir(x->folder, 0700), 0);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
}

static void clocks_move(void **state)
{
    (void)state;
    const int64_t now = os_now(), wall = os_wall_now(), cpu = os_cpu_time();
    os_sleep(2000000);
    os_sleep(-1);
    assert_true(os_now() - now >= 2000000);
    assert_true(os_wall_now() > 1600000000LL * 1000000000);
    assert_true(wall > 0);
    assert_true(os_cpu_time() >= cpu);
    assert_true(os_memory() > 1024 * 1024);
    assert_true(os_processors() >= 1);
}

static int bias_in(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
    return os_zone_bias();
}

static void zones_are_minutes_from_utc(void **state)
{
    (void)state;
    const char *const was = getenv("TZ");
    char *const before = was ? strdup(was) : NULL;
    assert_int_equal(bias_in("EAST-5:30"), -330);
    assert_int_equal(bias_in("WEST8"), 480);
    assert_int_equal(bias_in("UTC0"), 0);
    if (before)
        setenv("TZ", before, 1);
    else
        unsetenv("TZ");
    tzset();
    free(before);
}

struct echo {
    struct os_wakeup *there, *back;
    atomic_int rounds;
};

static void echo_run(void *arg)
{
    struct echo *e = arg;
    for (int i = 0; i < 100; i++) {
        while (!os_wakeup_wait(e->there, -1))
            ;
        atomic_fetch_add(&e->rounds, 1);
        os_wakeup_signal(e->back);
    }
}

static void wakeups_wake_threads(void **state)
{
    (void)state;
    struct echo e = {.there = os_wakeup_new(), .back = os_wakeup_new()};
    struct os_thread *t = os_thread_start("a name that is too long to show", echo_run, &e);
    for (int i = 0; i < 100; i++) {
        os_wakeup_signal(e.there);
        assert_true(os_wakeup_wait(e.back, PATIENCE_NS));
    }
    os_thread_join(t);
    assert_int_equal(atomic_load(&e.rounds), 100);

    os_wakeup_signal(e.there); /* remembered, and one wait takes all */
    os_wakeup_signal(e.there);
    assert_true(os_wakeup_wait(e.there, 0));
    assert_false(os_wakeup_wait(e.there, 0));
    const int64_t start = os_now();
    assert_false(os_wakeup_wait(e.there, 3000000));
    assert_true(os_now() - start >= 3000000);
    assert_true(os_wakeup_descriptor(e.there) >= 0);
    os_wakeup_free(e.there);
    os_wakeup_free(e.back);
    os_wakeup_free(NULL);
}

static void signals_signal_the_wakeup(void **state)
{
    (void)state;
    static const struct {
        int number;
        unsigned request;
    } rows[] = {
        {SIGINT, OS_INTERRUPTED}, {SIGTERM, OS_TERMINATED}, {SIGHUP, OS_TERMINATED},
        {SIGWINCH, OS_RESIZED},   {SIGCONT, OS_RESUMED},
    };
    struct os_wakeup *b = os_wakeup_new();
    os_signals_install(b);
    assert_int_equal(os_signals_take(), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        raise(rows[i].number);
        assert_true(os_wakeup_wait(b, 0));
        assert_int_equal(os_signals_take(), rows[i].request);
        assert_int_equal(os_signals_take(), 0);
    }
    raise(SIGINT);
    raise(SIGWINCH);
    assert_int_equal(os_signals_take(), OS_INTERRUPTED | OS_RESIZED);
    os_wakeup_free(b);
    raise(SIGINT); /* the wakeup is gone, the request is not */
    assert_int_equal(os_signals_take(), OS_INTERRUPTED);
}

static void a_file_is_no_terminal(void **state)
{
    (void)state;
    const int descriptor = open("/dev/null", O_RDONLY);
    int columns = 1, rows = 2;
    assert_false(os_is_terminal(descriptor));
    assert_false(os_terminal_size(descriptor, &columns, &rows));
    assert_false(os_terminal_size(-1, &columns, &rows));
    assert_int_equal(columns, 1);
    assert_int_equal(rows, 2);
    close(descriptor);
}

/* ---- who goes first ---------------------------------------------------------------------- */

static void note_policy(void *to)
{
    *(int *)to = sched_getscheduler(0);
}

static int status_of(const char *script)
{
    const char *const line[] = {"sh", "-c", script, NULL};
    struct err err;
    struct os_child *const c = os_spawn(line, &err);
    int status;
    assert_non_null(c);
    while (!os_child_ended(c, &status))
        os_sleep(1000000);
    os_child_free(c);
    return status;
}

static void one_thread_is_boosted_alone(void **state)
{
    (void)state;
    if (!os_may_boost()) {
        print_message("skipped: real-time priority is not permitted here\n");
        skip();
    }
    assert_int_equal(SCHED_OTHER, sched_getscheduler(0));
    struct priority_boost p = {.percent = 25};
    priority_boost_update(&p);
    assert_true(p.is_boosted);
    assert_int_equal(SCHED_RR, sched_getscheduler(0));
    int policy = -1;
    os_thread_join(os_thread_start("heir", note_policy, &policy));
    assert_int_equal(SCHED_OTHER, policy);
    /* the 41st of stat(5) is the policy; the name before has no blanks here */
    assert_int_equal(SCHED_OTHER, status_of("set -- $(cat /proc/self/stat); shift 40; exit $1"));
    assert_true(os_thread_boost(false));
    assert_int_equal(SCHED_OTHER, sched_getscheduler(0));
}

static void who_is_refused_goes_on(void **state)
{
    (void)state;
    struct priority_boost p = {.percent = 25, .is_refused = true}, never = {.percent = 0};
    priority_boost_update(&p);
    priority_boost_update(&never);
    assert_false(p.is_boosted || never.is_boosted);
    assert_int_equal(SCHED_OTHER, sched_getscheduler(0));
}

/* Started for idle processors only, and without the right to change that: its children start all the
 * same. */
static void idle_ones_have_children(void **state)
{
    (void)state;
    const struct sched_param none = {0};
    const pid_t child = fork();
    if (child == 0) {
        const bool is_idle = sched_setscheduler(0, SCHED_IDLE, &none) == 0 &&
                             (geteuid() != 0 || setresuid(65534, 65534, 65534) == 0);
        _exit(is_idle ? status_of("exit 7") : 77);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("skipped: this process may not leave its policy or its user\n");
        skip();
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_reads_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(create_never_overwrites, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, set_up, tear_down),
        cmocka_unit_test(a_long_path_leaves_room_for_the_reason),
        cmocka_unit_test_setup_teardown(unnamed_files_leave_nothing, set_up, tear_down),
        cmocka_unit_test(clocks_move),
        cmocka_unit_test(zones_are_minutes_from_utc),
        cmocka_unit_test(wakeups_wake_threads),
        cmocka_unit_test(signals_signal_the_wakeup),
        cmocka_unit_test(a_file_is_no_terminal),
        cmocka_unit_test(one_thread_is_boosted_alone),
        cmocka_unit_test(who_is_refused_goes_on),
        cmocka_unit_test(idle_ones_have_children),
    };
    return cmocka_run_group_tests_name("os", tests, NULL, NULL);
}
