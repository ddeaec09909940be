/* What follows from rights, row by row: pure, so every situation is met everywhere. */
#include "tests/test.h"

#include "collectors/linux/kernel/privilege.h"
#include "src/os/rights_linux.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#define CAP(name) (1ull << CAP_##name)

struct row {
    const char *name;
    struct rights rights;
    enum linux_access situation;
    bool is_complete;
    const char *why, *fix; /* must be found there; NULL = that one is empty */
};

static const struct row rows[] = {
    {"root",
     {.tracefs = TRACEFS_READABLE,
      .has_types = true,
      .can_system = true,
      .can_kernel = true,
      .can_trace = true,
      .can_bpf = true,
      .can_own = true},
     SITUATION_ALL,
     true,
     NULL,
     NULL},
    {"no capability for BPF",
     {.tracefs = TRACEFS_READABLE,
      .has_types = true,
      .can_system = true,
      .can_kernel = true,
      .can_trace = true,
      .can_own = true},
     SITUATION_PERF,
     false,
     "BPF programs may not be loaded",
     "sudo setcap"},
    {"a kernel without types: rights change nothing",
     {.tracefs = TRACEFS_READABLE,
      .can_system = true,
      .can_kernel = true,
      .can_trace = true,
      .can_own = true},
     SITUATION_PERF,
     true,
     "CONFIG_DEBUG_INFO_BTF",
     NULL},
    {"tracefs is root's",
     {.tracefs = TRACEFS_REFUSED,
      .has_types = true,
      .can_system = true,
      .can_kernel = true,
      .can_bpf = true,
      .can_own = true},
     SITUATION_BPF,
     false,
     "tracefs may not be read",
     "cap_dac_read_search"},
    {"tracefs is not mounted",
     {.tracefs = TRACEFS_MISSING,
      .has_types = true,
      .can_system = true,
      .can_kernel = true,
      .can_bpf = true,
      .can_own = true},
     SITUATION_BPF,
     false,
     "not mounted",
     "sudo mount -t tracefs nodev /sys/kernel/tracing"},
    {"perf only, tracefs is root's",
     {.capabilities = CAP(PERFMON),
      .tracefs = TRACEFS_REFUSED,
      .can_system = true,
      .can_kernel = true,
      .can_own = true},
     SITUATION_SOFTWARE,
     false,
     "neither tracefs nor BPF",
     "sudo setcap"},
    {"perf only, tracefs is not mounted",
     {.capabilities = CAP(PERFMON),
      .tracefs = TRACEFS_MISSING,
      .can_system = true,
      .can_kernel = true,
      .can_own = true},
     SITUATION_SOFTWARE,
     false,
     "tracefs is not mounted here, and BPF",
     "sudo mount"},
    {"nothing, perf_event_paranoid 2",
     {.paranoid = 2, .tracefs = TRACEFS_REFUSED, .has_types = true, .can_own = true},
     SITUATION_OWN,
     false,
     "the kernel's events may not be read",
     "sudo setcap"},
    {"nothing, perf_event_paranoid 0: users, not the kernel",
     {.paranoid = 0, .can_system = true, .can_own = true},
     SITUATION_OWN,
     false,
     "the kernel's events may not be read",
     "sudo setcap"},
    {"all capabilities, and a kernel that asks for more (Debian's, perf_event_paranoid 3)",
     {.paranoid = 3, .capabilities = CAP(PERFMON) | CAP(BPF), .has_types = true, .can_bpf = true},
     SITUATION_NOTHING,
     false,
     "kernel.perf_event_paranoid is above 2",
     "sudo sysctl kernel.perf_event_paranoid=2"},
    {"nothing, perf_event_paranoid 3",
     {.paranoid = 3},
     SITUATION_NOTHING,
     false,
     "kernel.perf_event_paranoid is above 2",
     "sudo setcap"},
    {"a container",
     {.paranoid = 2, .is_filtered = true},
     SITUATION_NOTHING,
     false,
     "seccomp",
     "--cap-add PERFMON --cap-add BPF"},
    {"a kernel without events",
     {.paranoid = 2},
     SITUATION_NOTHING,
     false,
     "not in this kernel",
     ""},
};

static void check_text(const char *name, const char *what, const char *text, const char *expected)
{
    if (expected ? !strstr(text, expected) : text[0] != '\0')
        fail_msg("%s: %s is '%s', expected '%s'", name, what, text, expected ? expected : "");
}

static void test_what_follows_from_rights(void **state)
{
    (void)state;
    for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
        struct privilege p;
        struct rights rights = r->rights;
        strcpy(rights.program, "/opt/tracetop");
        privilege_assess(&rights, &p);
        if (p.situation != r->situation || p.is_complete != r->is_complete)
            fail_msg("%s: situation %d (complete: %d), expected %d (%d)", r->name, p.situation,
                     p.is_complete, r->situation, r->is_complete);
        check_text(r->name, "why", p.why, r->why);
        check_text(r->name, "fix", p.fix, r->fix);
        assert_true(p.works[0] != '\0');
    }
}

static void test_a_path_of_any_length_fits(void **state)
{
    (void)state;
    struct privilege p;
    struct rights r = {.paranoid = 2, .can_own = true};
    memset(r.program, 'x', sizeof r.program - 1);
    privilege_assess(&r, &p);
    assert_true(strlen(p.fix) > sizeof r.program);
    assert_int_equal(p.fix[strlen(p.fix) - 1], 'x');
}

static void test_the_list_names_what_is_kept(void **state)
{
    (void)state;
    char list[OS_RIGHTS_LIST];
    os_rights_list(privilege_needed(), list, sizeof list);
    assert_string_equal(list, "cap_perfmon,cap_bpf,cap_dac_read_search,cap_sys_ptrace,cap_syslog,"
                              "cap_ipc_lock");
    os_rights_list(CAP(BPF) | CAP(SYS_ADMIN), list, sizeof list);
    assert_string_equal(list, "cap_bpf");
    os_rights_list(0, list, sizeof list);
    assert_string_equal(list, "");
}

static void test_rights_say_the_same_twice(void **state)
{
    (void)state;
    struct rights first, again;
    rights_find(&first);
    rights_find(&again);
    assert_int_equal(first.capabilities, again.capabilities);
    assert_int_equal(first.can_system, again.can_system);
    assert_int_equal(first.can_own, again.can_own);
    assert_true(first.program[0] == '/');
    struct privilege p;
    privilege_assess(&first, &p);
    assert_true(p.is_complete || p.why[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_follows_from_rights),
        cmocka_unit_test(test_a_path_of_any_length_fits),
        cmocka_unit_test(test_the_list_names_what_is_kept),
        cmocka_unit_test(test_rights_say_the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
