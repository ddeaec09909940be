/* src/tracetop_event.h as other programs use it: what reaches an endpoint, and where it does not.
 */
#include "src/tracetop_event.h"

#include "tests/test.h"

#include "src/event/mark.h"
#include "src/os/instance.h"
#include "src/os/os.h"

#include <stdatomic.h>

static const int64_t SECOND = 1000000000;

struct fixture {
    char runtime[64], folder[96];
    struct os_wakeup *wakeup;
    struct instance *instance;
    struct os_thread *thread;
    _Atomic bool is_over, refuses;
    _Atomic unsigned calls;
    struct new_mark last;
};

static void answer(void *arg)
{
    struct fixture *const x = arg;
    struct instance_call call;
    while (!atomic_load(&x->is_over)) {
        os_wakeup_wait(x->wakeup, SECOND / 100);
        if (!instance_take(x->instance, &call))
            continue;
        struct err err = {""};
        assert_string_equal(call.verb, "mark");
        const bool is_mark = mark_read(call.text, &x->last, &err);
        atomic_fetch_add(&x->calls, is_mark);
        instance_answer(x->instance, is_mark && !atomic_load(&x->refuses), "an answer");
    }
}

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    struct err err = {""};
    snprintf(x->runtime, sizeof x->runtime, "/tmp/test_event.XXXXXX");
    if (!mkdtemp(x->runtime))
        return -1;
    snprintf(x->folder, sizeof x->folder, "%s/tracetop", x->runtime);
    setenv("XDG_RUNTIME_DIR", x->runtime, 1);
    unsetenv("SUDO_UID");
    x->wakeup = os_wakeup_new();
    x->instance = instance_open(x->wakeup, INSTANCE_RECORDING, NULL, &err);
    if (!x->instance)
        return print_error("%s\n", err.text), -1;
    x->thread = os_thread_start("owner", answer, x);
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    atomic_store(&x->is_over, true);
    os_thread_join(x->thread);
    instance_close(x->instance);
    os_wakeup_free(x->wakeup);
    const int failed = rmdir(x->folder) | rmdir(x->runtime);
    free(x);
    return failed;
}

static void a_call_becomes_a_mark(void **state)
{
    struct fixture *const x = *state;
    const int64_t before = os_now();
    assert_int_equal(tracetop_event(TRACETOP_WARNING, "payment\nfailed", "order=17",
                                    "shop=a\x1f"
                                    "b=1",
                                    NULL),
                     1);
    assert_int_equal(x->calls, 1);
    assert_string_equal(x->last.text, "payment failed");
    assert_int_equal(x->last.level, 3);
    assert_int_equal(x->last.pid, getpid());
    assert_true(x->last.tid > 0);
    assert_true(x->last.asked_ns >= before && x->last.asked_ns <= os_now());
    assert_int_equal(x->last.field_count, 2);
    assert_string_equal(x->last.fields[1].name, "shop");
    assert_string_equal(x->last.fields[1].value, "a b=1");
    atomic_store(&x->refuses, true);
    assert_int_equal(tracetop_event(TRACETOP_INFO, "again", NULL), 0);
    assert_int_equal(tracetop_event(TRACETOP_INFO, "no field", "1=2", NULL), 0);
    assert_int_equal(x->calls, 2);
}

static void what_is_too_long_says_so(void **state)
{
    struct fixture *const x = *state;
    char field[5000] = "a=";
    memset(field + 2, 'x', sizeof field - 3);
    assert_int_equal(tracetop_event(TRACETOP_INFO, "text", field, NULL), -1);
    assert_int_equal(tracetop_event(TRACETOP_INFO, field, NULL), -1);
    assert_int_equal(x->calls, 0);
    field[3900] = '\0';
    assert_int_equal(tracetop_event(TRACETOP_INFO, field, NULL),
                     1); /* a mark keeps its beginning */
    assert_int_equal(strlen(x->last.text), MARK_TEXT - 1);
}

/* Nobody is there any more, and a folder that others can write to. */
static void other_sockets_get_nothing(void **state)
{
    struct fixture *const x = *state;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "%.80s/1.sock", x->folder);
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s, (struct sockaddr *)&to, sizeof to), 0); /* nobody listens */
    assert_int_equal(tracetop_event(TRACETOP_INFO, "one", NULL), 1);
    assert_int_equal(chmod(x->folder, 0777), 0);
    assert_int_equal(tracetop_event(TRACETOP_INFO, "none", NULL), 0);
    assert_int_equal(chmod(x->folder, 0700), 0);
    assert_int_equal(x->calls, 1);
    close(s);
    unlink(to.sun_path);
    char other[96];
    snprintf(other, sizeof other, "%s/other", x->runtime);
    assert_int_equal(mkdir(other, 0700), 0);
    setenv("XDG_RUNTIME_DIR", other, 1); /* no folder of tracetop's is there */
    assert_int_equal(tracetop_event(TRACETOP_INFO, "none", NULL), 0);
    rmdir(other);
    assert_int_equal(x->calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_call_becomes_a_mark, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_too_long_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_sockets_get_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
