/* Terminating processes: only the one that was meant, never the system's nor our own; and folders
 * that are not there. */
#include "tests/test.h"

#include "src/os/os.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* A child that does nothing until it is ended. */
static pid_t sleeper(void)
{
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    assert_true(child > 0);
    return child;
}

static void the_one_meant_ends(void **state)
{
    (void)state;
    struct err err;
    int status = 0;
    const pid_t child = sleeper();
    assert_true(os_terminate((uint32_t)child, now_ns(), &err));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_false(os_terminate((uint32_t)child, now_ns(), &err)); /* it has gone */
}

/* Whoever got the id after that moment is somebody else. */
static void another_one_is_left_alone(void **state)
{
    (void)state;
    struct err err;
    const int64_t minute = 60000000000;
    const pid_t child = sleeper();
    assert_false(os_terminate((uint32_t)child, now_ns() - minute, &err));
    assert_non_null(strstr(err.text, "belongs to another process"));
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void some_are_never_ended(void **state)
{
    (void)state;
    struct err err;
    const uint32_t never[] = {0, 1, UINT32_MAX, (uint32_t)getpid()};
    for (unsigned i = 0; i < sizeof never / sizeof *never; i++) {
        assert_false(os_terminate(never[i], now_ns(), &err));
        assert_non_null(strstr(err.text, "cannot terminate process"));
    }
}

static void folders_must_be_there(void **state)
{
    (void)state;
    struct err err;
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    assert_false(os_show_folder("/no/such/folder", &err));
    assert_non_null(strstr(err.text, "does not exist"));
    assert_false(os_show_folder("relative", &err));
    assert_false(os_show_folder("/", &err));
    assert_non_null(strstr(err.text, "no desktop"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_one_meant_ends), cmocka_unit_test(another_one_is_left_alone),
        cmocka_unit_test(some_are_never_ended), cmocka_unit_test(folders_must_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
