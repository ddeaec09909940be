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
    x->instance = instance_open(x->wakeup, INSTANCE_MONITOR, NULL, &err);
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
    c->is_done = instance_ask((uint32_t)getpid(), c->verb, c->text, PATIENCE_NS, c->answer,
                              sizeof c->answer, &c->err);
}

static struct instance_call take(struct fixture *x)
{
    struct instance_call got = {"", ""};
    const int64_t until = os_now() + PATIENCE_NS;
    while (!instance_take(x->instance, &got) && os_now() < until)
        os_wakeup_wait(x->wakeup, SECOND);
    return got;
}

static struct instance_call serve(struct fixture *x, struct caller *c, bool yes, const char *what)
{
    struct os_thread *const t = os_thread_start("caller", call, c);
    const struct instance_call got = take(x);
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

/* Each kind takes its own verbs; whom to call is found by asking which those are. */
static void a_dump_takes_marks_alone(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    char answer[64];
    const uint32_t pid = (uint32_t)getpid();
    instance_close(x->instance);
    x->instance = instance_open(x->wakeup, INSTANCE_DUMP, NULL, &err);
    assert_true(instance_ask(pid, "serves", "mark", PATIENCE_NS, answer, sizeof answer, &err));
    assert_false(instance_ask(pid, "serves", "record", PATIENCE_NS, answer, sizeof answer, &err));
    assert_false(instance_ask(pid, "snapshot", "", PATIENCE_NS, answer, sizeof answer, &err));
    assert_string_equal(err.text, "this is a dump: it takes marks alone");
    assert_false(instance_ask(pid, "", "mark", PATIENCE_NS, answer, sizeof answer, &err));
    struct caller c = {.verb = "mark", .text = "again"};
    serve(x, &c, true, "yes");
    assert_true(c.is_done);
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
    const int d = connected(x);
    assert_int_equal(write(d, "mark gone\n", 10), 10);
    close(d);
    assert_string_equal(take(x).text, "gone");
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
    x->instance = instance_open(x->wakeup, INSTANCE_MONITOR, NULL, &err);
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
    x->instance = instance_open(x->wakeup, INSTANCE_MONITOR, NULL, &err);
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
    x->instance = instance_open(x->wakeup, INSTANCE_MONITOR, NULL, &err);
    assert_null(x->instance);
    assert_non_null(strstr(err.text, "no endpoint"));
    setenv("SUDO_UID", "0", 1); /* root called sudo */
    x->instance = instance_open(x->wakeup, INSTANCE_MONITOR, NULL, &err);
    assert_non_null(x->instance);
    unsetenv("SUDO_UID");
}

/* ---- what a reader answers ---------------------------------------------------------------------- */

enum { LARGE = 3 << 20 };

/* "large": more than a socket holds; "wait": until the caller has left; else a refusal. */
static bool read_back(void *of, struct instance *i, const char *text, struct json_out *to,
                      struct err *err)
{
    _Atomic bool *const was_given_up = of;
    const size_t bytes = strcmp(text, "large") == 0 ? LARGE : 0;
    const int64_t end = strcmp(text, "wait") == 0 ? os_now() + PATIENCE_NS : 0;
    while (os_now() < end && !instance_is_given_up(i))
        os_sleep(SECOND / 100);
    atomic_store(was_given_up, instance_is_given_up(i));
    while (to->used < bytes)
        json_out_put(to, "%010zu", to->used);
    return bytes || fail(err, "there is no '%s'", text);
}

static void give_reader(struct fixture *x, _Atomic bool *was_given_up)
{
    struct err err;
    const struct instance_reader reader = {"read", read_back, was_given_up};
    instance_close(x->instance);
    x->instance = instance_open(x->wakeup, INSTANCE_MONITOR, &reader, &err);
    assert_non_null(x->instance);
}

static void a_reader_answers_at_length(void **state)
{
    struct fixture *const x = *state;
    _Atomic bool was_given_up = true;
    struct err err;
    size_t bytes;
    give_reader(x, &was_given_up);
    char *const text =
        instance_ask_reader((uint32_t)getpid(), "read", "large", 20 * SECOND, &bytes, &err);
    assert_non_null(text);
    assert_int_equal(bytes, (LARGE + 9) / 10 * 10);
    for (size_t at = 0; at < bytes; at += 10)
        assert_int_equal(strtoul((char[11]){text[at], text[at + 1], text[at + 2], text[at + 3],
                                            text[at + 4], text[at + 5], text[at + 6], text[at + 7],
                                            text[at + 8], text[at + 9]},
                                 NULL, 10),
                         at);
    free(text);
    assert_false(atomic_load(&was_given_up));
    assert_null(instance_ask_reader((uint32_t)getpid(), "read", "x", 20 * SECOND, &bytes, &err));
    assert_string_equal(err.text, "there is no 'x'");
    a_call_is_answered(state);
}

/* One leaves before the answer, one reads nothing of it: the next is served. */
static void a_reader_outlives_its_callers(void **state)
{
    struct fixture *const x = *state;
    _Atomic bool was_given_up = false;
    give_reader(x, &was_given_up);
    int d = connected(x);
    assert_int_equal(write(d, "read wait\n", 10), 10);
    close(d);
    for (int64_t end = os_now() + PATIENCE_NS; os_now() < end && !atomic_load(&was_given_up);)
        os_sleep(SECOND / 100);
    assert_true(atomic_load(&was_given_up));
    d = connected(x);
    assert_int_equal(write(d, "read large\n", 11), 11);
    a_call_is_answered(state); /* which ends, although the other one reads nothing */
    close(d);
}

/* A monitor that is none: what it says to one caller. */
struct impostor {
    int listener;
    const char *answer;
};

static void pretend(void *arg)
{
    const struct impostor *const p = arg;
    char line[128];
    const int d = accept(p->listener, NULL, NULL);
    answer_to(d, line, sizeof line);
    assert_int_equal(write(d, p->answer, strlen(p->answer)), (ssize_t)strlen(p->answer));
    close(d);
}

static void hostile_monitors_get_a_sentence(void **state)
{
    static const struct {
        const char *answer, *sentence;
    } rows[] = {
        {"", "the monitor did not answer"},
        {"ok 5", "the monitor did not answer"},
        {"ok 5\nab", "the monitor's answer is not whole: it has fewer than 5 bytes"},
        {"ok 4194305\n", "expected a number of bytes up to 4194304 from the monitor, found "
                         "'4194305'"},
        {"ok 99999999999999999999999\n", "expected a number of bytes"},
        {"ok -1\n", "expected a number of bytes"},
        {"ok 5x\nabcde", "expected a number of bytes"},
        {"ok \n", "expected a number of bytes"},
        {"no expected mark, snapshot or record\n", "expected mark, snapshot or record"},
        {"what?\n", "what?"},
    };
    const struct fixture *const x = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct impostor p = {socket(AF_UNIX, SOCK_STREAM, 0), rows[i].answer};
        struct sockaddr_un at = {.sun_family = AF_UNIX};
        struct err err = {""};
        size_t bytes;
        snprintf(at.sun_path, sizeof at.sun_path, "%s/tracetop/2147483640.sock", x->runtime);
        assert_int_equal(bind(p.listener, (struct sockaddr *)&at, sizeof at), 0);
        assert_int_equal(listen(p.listener, 1), 0);
        struct os_thread *const t = os_thread_start("impostor", pretend, &p);
        assert_null(instance_ask_reader(2147483640, "read", "x", 5 * SECOND, &bytes, &err));
        os_thread_join(t);
        close(p.listener);
        unlink(at.sun_path);
        if (!strstr(err.text, rows[i].sentence))
            fail_msg("'%s': %s", rows[i].answer, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reader_answers_at_length, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_outlives_its_callers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hostile_monitors_get_a_sentence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_call_is_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refusal_is_a_sentence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_call_after_the_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dump_takes_marks_alone, set_up, tear_down),
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
