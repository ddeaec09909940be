/* The endpoint of a running instance: who may call, what comes through, what is refused. */
#include "tests/test.h"

#include "src/os/instance.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;

struct fixture {
    char runtime[64];
    struct os_wakeup *wakeup;
    struct instance *instance;
};

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    struct err err = {""};
    snprintf(x->runtime, sizeof x->runtime, "/tmp/test_instance.XXXXXX");
    if (!mkdtemp(x->runtime))
        return -1;
    setenv("XDG_RUNTIME_DIR", x->runtime, 1);
    unsetenv("SUDO_UID");
    x->wakeup = os_wakeup_new();
    x->instance = instance_open(x->wakeup, &err);
    if (!x->instance)
        print_error("%s\n", err.text);
    *state = x;
    return x->instance ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    char folder[128];
    instance_close(x->instance);
    os_wakeup_free(x->wakeup);
    snprintf(folder, sizeof folder, "%s/tracetop", x->runtime);
    const int failed = rmdir(folder) | rmdir(x->runtime); /* empty: the socket has gone */
    free(x);
    return failed;
}

/* Somebody who calls while the test's thread answers. */
struct caller {
    const char *verb, *text;
    bool is_done;
    char answer[256];
    struct err err;
};

static void call(void *arg)
{
    struct caller *const c = arg;
    c->is_done = instance_ask((uint32_t)getpid(), c->verb, c->text, 5 * SECOND, c->answer,
                              sizeof c->answer, &c->err);
}

static struct instance_call serve(struct fixture *x, struct caller *c, bool yes, const char *what)
{
    struct instance_call got = {"", ""};
    struct os_thread *const t = os_thread_start("caller", call, c);
    for (int i = 0; i < 50 && !instance_take(x->instance, &got); i++)
        os_wakeup_wait(x->wakeup, SECOND / 10);
    instance_answer(x->instance, yes, what);
    os_thread_join(t);
    return got;
}

static void a_call_is_answered(void **state)
{
    struct caller c = {.verb = "mark", .text = "before the deploy \xc3\xa9 \x1b[31m"};
    const struct instance_call got = serve(*state, &c, true, "marked at 10:15:02");
    assert_string_equal(got.verb, "mark");
    assert_string_equal(got.text, c.text);
    assert_true(c.is_done);
    assert_string_equal(c.answer, "marked at 10:15:02");
}

static void a_refusal_is_a_sentence(void **state)
{
    struct caller c = {.verb = "snapshot", .text = ""};
    serve(*state, &c, false, "the disk is full");
    assert_false(c.is_done);
    assert_string_equal(c.err.text, "the disk is full");
}

static void one_call_after_the_other(void **state)
{
    for (int i = 0; i < 20; i++) {
        struct caller c = {.verb = "mark", .text = "again"};
        serve(*state, &c, true, "yes");
        assert_true(c.is_done);
    }
}

static void the_only_one_is_found(void **state)
{
    (void)state;
    /* It is our own process, whose answer nobody gives: found, then no answer in time. */
    struct err err = {""};
    char answer[64];
    assert_false(instance_ask(0, "mark", "x", SECOND / 20, answer, sizeof answer, &err));
    assert_string_equal(err.text, "the monitor did not answer");
}

static void nobody_there_is_reported(void **state)
{
    (void)state;
    struct err err = {""};
    char answer[64];
    assert_false(instance_ask(0x7ffffff0, "mark", "x", SECOND, answer, sizeof answer, &err));
    assert_non_null(strstr(err.text, "no monitor runs as process 2147483632"));
}

static void socket_and_folder_are_private(void **state)
{
    const struct fixture *const x = *state;
    char path[160];
    struct stat s;
    snprintf(path, sizeof path, "%s/tracetop", x->runtime);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/tracetop/%d.sock", x->runtime, (int)getpid());
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
}

static int connected(const struct fixture *x)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const int d = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(to.sun_path, sizeof to.sun_path, "%s/tracetop/%d.sock", x->runtime, (int)getpid());
    assert_int_equal(connect(d, (struct sockaddr *)&to, sizeof to), 0);
    return d;
}

static void answer_to(int d, char *line, size_t room)
{
    const ssize_t got = read(d, line, room - 1);
    line[got > 0 ? got : 0] = '\0';
}

static void junk_is_refused(void **state)
{
    static const char *const junk[] = {"\n", "averyveryverylongverb x\n", " x\n"};
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
        char line[128];
        const int d = connected(*state);
        assert_int_equal(write(d, junk[i], strlen(junk[i])), (ssize_t)strlen(junk[i]));
        answer_to(d, line, sizeof line);
        assert_string_equal(line, "no expected one line: a verb, a blank and a text\n");
        close(d);
    }
    a_call_is_answered(state);
}

static void a_caller_who_leaves_does_no_harm(void **state)
{
    struct fixture *const x = *state;
    struct instance_call got;
    const int d = connected(x);
    assert_int_equal(write(d, "mark gone\n", 10), 10);
    close(d);
    for (int i = 0; i < 50 && !instance_take(x->instance, &got); i++)
        os_wakeup_wait(x->wakeup, SECOND / 10);
    assert_string_equal(got.text, "gone");
    instance_answer(x->instance, true, "marked");
    a_call_is_answered(state);
}

static void another_user_is_refused(void **state)
{
    struct fixture *const x = *state;
    if (geteuid() != 0) {
        print_message("skipped: only root can become somebody else\n");
        return;
    }
    /* The folder keeps others out. With an open folder, the caller's user id is checked all the
     * same. */
    char path[160];
    chmod(x->runtime, 0755);
    snprintf(path, sizeof path, "%s/tracetop", x->runtime);
    chmod(path, 0755);
    snprintf(path, sizeof path, "%s/tracetop/%d.sock", x->runtime, (int)getpid());
    chmod(path, 0666);
    const pid_t child = fork();
    if (child == 0) {
        char line[128] = "";
        struct sockaddr_un to = {.sun_family = AF_UNIX};
        snprintf(to.sun_path, sizeof to.sun_path, "%.107s", path);
        const int d = socket(AF_UNIX, SOCK_STREAM, 0);
        if (setuid(65534) != 0 || connect(d, (struct sockaddr *)&to, sizeof to) != 0)
            _exit(2);
        answer_to(d, line, sizeof line);
        _exit(strcmp(line, "no this monitor belongs to another user\n") != 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void leftovers_are_swept(void **state)
{
    struct fixture *const x = *state;
    char stale[160];
    struct err err;
    snprintf(stale, sizeof stale, "%s/tracetop/2147483646.sock", x->runtime);
    FILE *const f = fopen(stale, "w");
    assert_non_null(f);
    fclose(f);
    instance_close(x->instance);
    x->instance = instance_open(x->wakeup, &err);
    assert_non_null(x->instance);
    assert_int_not_equal(access(stale, F_OK), 0);
}

static void an_open_folder_is_refused(void **state)
{
    struct fixture *const x = *state;
    char folder[128];
    struct err err = {""};
    instance_close(x->instance);
    snprintf(folder, sizeof folder, "%s/tracetop", x->runtime);
    chmod(folder, 0755);
    x->instance = instance_open(x->wakeup, &err);
    chmod(folder, 0700);
    assert_null(x->instance);
    assert_non_null(strstr(err.text, "open to others (mode 755); it must be 700"));
}

/* A monitor that is still root while a user called sudo would do what that user's other processes
 * ask for. */
static void root_under_sudo_gets_none(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    if (geteuid() != 0) {
        print_message("skipped: this process is not root's\n");
        skip();
    }
    instance_close(x->instance);
    setenv("SUDO_UID", "65534", 1);
    x->instance = instance_open(x->wakeup, &err);
    assert_null(x->instance);
    assert_non_null(strstr(err.text, "no endpoint"));
    setenv("SUDO_UID", "0", 1); /* root called sudo */
    x->instance = instance_open(x->wakeup, &err);
    assert_non_null(x->instance);
    unsetenv("SUDO_UID");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_call_is_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refusal_is_a_sentence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_call_after_the_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_only_one_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_there_is_reported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(socket_and_folder_are_private, set_up, tear_down),
        cmocka_unit_test_setup_teardown(junk_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_caller_who_leaves_does_no_harm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_user_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leftovers_are_swept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_open_folder_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(root_under_sudo_gets_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
