/* When events are the stimulus's own. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/base/payload_writer.h"
#include "src/collect/selftest.h"
#include "src/model/fact.h"

#include <stdlib.h>
#include <string.h>

enum { SELF = 4000, THREAD = 4010, CHILD = 4400, OTHER = 5000, T0 = 1000 };
enum { HOOK_CREATE = 0x0440, HOOK_STACK = 0x1820, HOOK_START = 0x0301, HOOK_RUNDOWN = 0x0303 };

static int set_up(void **state)
{
    struct selftest_watch *const w = calloc(1, sizeof *w);
    w->self = (struct stimulus_ids){.pid = SELF, .tid = THREAD};
    atomic_store(&w->since, T0);
    w->owners = attribution_new_live();
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct selftest_watch *const w = *state;
    attribution_free(w->owners);
    free(w);
    return 0;
}

static void put(struct selftest_watch *w, uint16_t hook, uint32_t pid, uint32_t tid, int64_t ts,
                const uint8_t *payload, uint32_t bytes)
{
    enum { AT_THREAD = 16 }; /* of FileIo/Create: behind two addresses */
    uint8_t create[64] = {0};
    memcpy(create + AT_THREAD, &tid, sizeof tid);
    const struct event e = {.kind = HEADER_SYSTEM,
                            .id = hook,
                            .opcode = (uint8_t)hook,
                            .version = 3,
                            .pointer = 8,
                            .pid = pid,
                            .tid = tid,
                            .ts = ts,
                            .payload = payload ? payload : create,
                            .payload_bytes = payload ? bytes : sizeof create};
    selftest_watch_put(w, &e);
}

static void put_stack(struct selftest_watch *w, int64_t of, uint32_t pid)
{
    uint8_t bytes[24];
    struct payload_writer p = {bytes, bytes, bytes + sizeof bytes};
    put_u64(&p, (uint64_t)of);
    put_u32(&p, pid);
    put_u32(&p, THREAD);
    put_u64(&p, 0x1000);
    put(w, HOOK_STACK, EVENT_NO_ID, EVENT_NO_ID, of, bytes, sizeof bytes);
}

/* Process records begin with an address and the process's id (64 bits). */
static void put_process(struct selftest_watch *w, uint16_t hook, uint32_t pid, int64_t ts)
{
    uint8_t bytes[64] = {0};
    struct payload_writer p = {bytes, bytes, bytes + sizeof bytes};
    put_u64(&p, 0);
    put_u32(&p, pid);
    put_u32(&p, SELF);
    put(w, hook, SELF, THREAD, ts, bytes, sizeof bytes);
}

static struct check conclude(struct selftest_watch *w, uint32_t child)
{
    const struct stimulus_ids ids = {SELF, THREAD, child};
    const struct selftest_seen seen = selftest_watch_seen(w, &ids);
    struct check c = check_new("matrix", CHECK_FAILED, "x");
    selftest_conclude(&c, w, &seen);
    return c;
}

static int64_t figure(const struct check *c, const char *name)
{
    for (unsigned i = 0; i < c->figure_count; i++)
        if (strcmp(c->figures[i].name, name) == 0)
            return c->figures[i].value;
    return -1;
}

static void an_event_of_its_thread_is_seen(void **state)
{
    struct selftest_watch *const w = *state;
    w->stimulus = STIMULUS_FILE;
    put(w, HOOK_CREATE, SELF, THREAD, T0 + 1, NULL, 0);
    put_stack(w, T0 + 1, SELF);
    const struct check c = conclude(w, 0);
    assert_int_equal(c.state, CHECK_SEEN);
    assert_int_equal(figure(&c, "own"), 1);
    assert_int_equal(figure(&c, "with_stack"), 100);
    assert_string_equal(c.why, "");
}

static void a_stack_of_another_time_is_of_another_event(void **state)
{
    struct selftest_watch *const w = *state;
    w->stimulus = STIMULUS_FILE;
    put(w, HOOK_CREATE, SELF, THREAD, T0 + 1, NULL, 0);
    put(w, HOOK_CREATE, SELF, THREAD, T0 + 2, NULL, 0);
    put_stack(w, T0 + 1, SELF);
    put_stack(w, T0 + 2, OTHER);
    const struct check c = conclude(w, 0);
    assert_int_equal(figure(&c, "own"), 2);
    assert_int_equal(figure(&c, "with_stack"), 50);
}

static void events_of_others_are_not_seen(void **state)
{
    struct selftest_watch *const w = *state;
    w->stimulus = STIMULUS_FILE;
    put(w, HOOK_CREATE, OTHER, OTHER, T0 + 1, NULL, 0);
    put(w, HOOK_CREATE, SELF, THREAD + 1, T0 + 1, NULL, 0); /* another thread of ours */
    const struct check c = conclude(w, 0);
    assert_int_equal(c.state, CHECK_NOT_SEEN);
    assert_int_equal(figure(&c, "of_class"), 2);
    assert_non_null(strstr(c.why, "none of the stimulus"));
}

static void what_was_before_is_not_seen(void **state)
{
    struct selftest_watch *const w = *state;
    w->stimulus = STIMULUS_FILE;
    put(w, HOOK_CREATE, SELF, THREAD, T0 - 1, NULL, 0);
    put(w, HOOK_CREATE, SELF, THREAD, T0 + 5, NULL, 0);
    atomic_store(&w->since, T0 + 10); /* the stimulus began later than the reader */
    assert_int_equal(conclude(w, 0).state, CHECK_NOT_SEEN);
}

static void another_class_is_not_seen(void **state)
{
    struct selftest_watch *const w = *state;
    w->stimulus = STIMULUS_REGISTRY;
    put(w, HOOK_CREATE, SELF, THREAD, T0 + 1, NULL, 0);
    const struct check c = conclude(w, 0);
    assert_int_equal(c.state, CHECK_NOT_SEEN);
    assert_int_equal(figure(&c, "of_class"), 0);
    assert_int_equal(figure(&c, "events"), 1);
    assert_non_null(strstr(c.why, "no event of the class"));
}

static void a_process_is_seen_by_its_id(void **state)
{
    struct selftest_watch *const w = *state;
    w->stimulus = STIMULUS_PROCESS;
    put_process(w, HOOK_START, OTHER, T0 + 1);
    assert_int_equal(conclude(w, CHILD).state, CHECK_NOT_SEEN);
    put_process(w, HOOK_RUNDOWN, CHILD, T0 + 2); /* a list of what is there is no start */
    assert_int_equal(conclude(w, CHILD).state, CHECK_NOT_SEEN);
    put_process(w, HOOK_START, CHILD, T0 + 3);
    const struct check c = conclude(w, CHILD);
    assert_int_equal(c.state, CHECK_SEEN);
    assert_int_equal(figure(&c, "own"), 1);
    assert_int_equal(figure(&c, "rundown"), 1);
}

static void beyond_its_room_it_counts(void **state)
{
    struct selftest_watch *const w = *state;
    w->stimulus = STIMULUS_FILE;
    for (int i = 0; i < WATCH_KEPT + 3; i++)
        put(w, HOOK_CREATE, SELF, THREAD, T0 + 1 + i, NULL, 0);
    const struct check c = conclude(w, 0);
    assert_int_equal(figure(&c, "own"), WATCH_KEPT);
    assert_int_equal(figure(&c, "unkept"), 3);
}

/* Each does something, in a process that runs; those that this system lacks say so. */
static void stimuli_run(void **state)
{
    (void)state;
    for (unsigned s = 0; s < STIMULI; s++) {
        struct stimulus_ids ids = {0};
        struct err err = {""};
        if (!stimulus_exists((enum stimulus)s))
            continue;
        if (!stimulus_run((enum stimulus)s, &ids, &err))
            fail_msg("%s: %s", selftest_stimuli[s].name, err.text);
        assert_true(ids.pid != 0 && ids.tid != 0);
        assert_int_equal(s == STIMULUS_PROCESS, ids.child != 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_event_of_its_thread_is_seen), TEST(a_stack_of_another_time_is_of_another_event),
        TEST(events_of_others_are_not_seen),  TEST(what_was_before_is_not_seen),
        TEST(another_class_is_not_seen),      TEST(a_process_is_seen_by_its_id),
        TEST(beyond_its_room_it_counts),      cmocka_unit_test(stimuli_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
