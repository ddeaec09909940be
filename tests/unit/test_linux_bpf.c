/* The BPF programs: what this kernel takes of them, and where their fields lie. Skips where
 * loading is not permitted or the program was built without. */
#include "tests/test.h"

#include "collectors/linux/bpf/bpf.h"

#include <string.h>
#include <unistd.h>

static const char *const programs[] = {
    "block_rq_issue",    "block_rq_requeue", "block_rq_complete", "block_io_done",
    "irq_handler_entry", "softirq_entry",    "irq_handler_exit",  "softirq_exit",
    "sched_waking",      "sched_switch",     "sched_wakeup_new",  "sched_process_exit",
    "sock_send_length",  "sys_enter_path",   "sock_recv_length",
};

static struct bpf *open_or_skip(void)
{
    struct err err;
    struct bpf *const b = bpf_open(NULL, &err);
    if (b)
        return b;
    assert_true(err.text[0] != '\0');
    print_message("no BPF: %s: skipped\n", err.text);
    skip();
    return NULL;
}

/* A tracepoint may be younger than the kernel; a program that the verifier refuses is ours. */
static void test_every_program_loads(void **state)
{
    (void)state;
    struct bpf *const b = open_or_skip();
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        struct err err;
        struct bpf_source *const s = bpf_find(b, programs[i], &err);
        if (!s && strcmp(err.text, "this kernel has no such tracepoint") != 0)
            fail_msg("%s: %s", programs[i], err.text);
        if (s)
            assert_false(bpf_is_on(s));
    }
    bpf_close(b);
}

static void test_an_unknown_program_has_a_reason(void **state)
{
    (void)state;
    struct bpf *const b = open_or_skip();
    struct err err;
    assert_null(bpf_find(b, "no_such_program", &err));
    assert_string_equal(err.text, "there is no such BPF program");
    assert_null(bpf_find(NULL, "sched_switch", &err));
    bpf_close(b);
}

static void test_fields_lie_where_the_struct_has_them(void **state)
{
    (void)state;
    static const struct linux_event e = {
        .fields = {"version", "common_flags", "common_pid", "?no_such_field", "pid", "comm"}};
    struct bpf *const b = open_or_skip();
    struct bpf_source *const s = bpf_find(b, "sched_waking", NULL);
    struct sample_layout l;
    assert_non_null(s);
    assert_true(bpf_layout(s, &e, &l, NULL));
    assert_true(l.is_bpf);
    assert_int_equal(l.fields[0].offset, 0);
    assert_int_equal(l.fields[0].size, 2);
    assert_int_equal(l.fields[1].offset, 2);
    assert_int_equal(l.fields[1].size, 1);
    assert_int_equal(l.fields[2].offset, 4);
    assert_true(l.fields[2].is_signed);
    assert_int_equal(l.fields[3].size, 0);
    assert_true(l.fields[4].is_signed);
    assert_int_equal(l.fields[5].size, 16);
    assert_int_equal(l.bytes, 40);
    bpf_close(b);
}

static void test_a_missing_field_is_named(void **state)
{
    (void)state;
    static const struct linux_event e = {.fields = {"pid", "color"}};
    struct bpf *const b = open_or_skip();
    struct sample_layout l;
    struct err err;
    assert_false(bpf_layout(bpf_find(b, "sched_waking", NULL), &e, &l, &err));
    assert_string_equal(err.text, "the BPF program sched_waking has no field 'color'");
    bpf_close(b);
}

static void test_a_text_elsewhere_is_known_as_such(void **state)
{
    (void)state;
    static const struct linux_event e = {.fields = {"id", "args", "path"}};
    struct bpf *const b = open_or_skip();
    struct sample_layout l;
    assert_true(bpf_layout(bpf_find(b, "sys_enter_path", NULL), &e, &l, NULL));
    assert_false(l.fields[0].is_data_loc);
    assert_int_equal(l.fields[1].size, 48);
    assert_true(l.fields[2].is_data_loc);
    assert_int_equal(l.fields[2].size, 4);
    bpf_close(b);
}

static void test_programs_switch_on_and_off(void **state)
{
    (void)state;
    struct bpf *const b = open_or_skip();
    struct bpf_source *const s = bpf_find(b, "sched_switch", NULL);
    for (int i = 0; i < 3; i++) {
        assert_true(bpf_switch(s, true, NULL));
        assert_true(bpf_is_on(s));
        assert_true(bpf_switch(s, false, NULL));
        assert_false(bpf_is_on(s));
    }
    assert_int_equal(bpf_fired(s, 0), 0); /* nobody listens */
    assert_int_equal(bpf_fired(s, 1000000), 0);
    assert_int_equal(bpf_missed(s), 0); /* it is off */
    bpf_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_program_loads),
        cmocka_unit_test(test_an_unknown_program_has_a_reason),
        cmocka_unit_test(test_fields_lie_where_the_struct_has_them),
        cmocka_unit_test(test_a_missing_field_is_named),
        cmocka_unit_test(test_a_text_elsewhere_is_known_as_such),
        cmocka_unit_test(test_programs_switch_on_and_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
