/* The scope: whose events are translated, from made records and a made /proc. */
#include "tests/linux_bytes.h"
#include "tests/test.h"

#include "collectors/linux/bpf/process_scope.h"
#include "src/model/fact.h"

#include <stdio.h>
#include <sys/stat.h>

/* A /proc of: 10 sh; 11 make, child of 10, with thread 12; 13 cc1, child of 11; 20 "a) b (c". */
static void make_proc(char root[64])
{
    static const struct {
        int pid, parent, thread;
        const char *name;
    } rows[] = {
        {10, 1, 10, "sh"}, {11, 10, 12, "make"}, {13, 11, 13, "cc1"}, {20, 1, 20, "a) b (c"}};
    snprintf(root, 64, "/tmp/tracetop-proc-XXXXXX");
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%d", root, rows[i].pid);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/%d/task", root, rows[i].pid);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/%d/task/%d", root, rows[i].pid, rows[i].thread);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/%d/stat", root, rows[i].pid);
        FILE *const f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f, "%d (%s) S %d 1 1\n", rows[i].pid, rows[i].name, rows[i].parent);
        fclose(f);
    }
}

static void remove_proc(const char *root)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

static const struct sample_layout layout = {.fields = {{.offset = 8, .size = 4}}};
static const struct linux_event call = {.group = "g", .name = "n", .classes = 1u << FACT_SYSCALL},
                                waking = {.group = "sched",
                                          .name = "sched_waking",
                                          .classes = 1u << FACT_READY,
                                          .other_thread = 1},
                                disk = {.group = "block", .name = "n", .classes = 1u << FACT_DISK},
                                softirq = {.group = "irq", .name = "n", .classes = 1u << FACT_DPC};

static bool takes(const struct scope *s, const struct linux_event *e, uint32_t tid, uint32_t other)
{
    uint8_t raw[12] = {0};
    memcpy(raw + 8, &other, 4);
    const struct sample sample = {
        .event = e, .layout = &layout, .tid = tid, .raw = raw, .raw_bytes = sizeof raw};
    return scope_takes(s, &sample);
}

static void fork_record(struct scope *s, uint32_t pid, uint32_t ppid, uint32_t tid)
{
    const uint32_t body[4] = {pid, ppid, tid, ppid};
    const struct sample sample = {
        .type = PERF_RECORD_FORK, .body = (const uint8_t *)body, .body_bytes = sizeof body};
    scope_side_band(s, &sample);
}

static void name_record(struct scope *s, uint32_t pid, uint32_t tid, const char *name,
                        bool is_exec)
{
    uint8_t body[24] = {0};
    memcpy(body, &pid, 4);
    memcpy(body + 4, &tid, 4);
    memcpy(body + 8, name, strlen(name));
    const struct sample sample = {.type = PERF_RECORD_COMM,
                                  .misc = is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
                                  .body = body,
                                  .body_bytes = sizeof body};
    scope_side_band(s, &sample);
}

static void exec_record(struct scope *s, uint32_t pid, const char *name)
{
    name_record(s, pid, pid, name, true);
}

static void everything_without_a_request(void **state)
{
    (void)state;
    struct scope s;
    scope_init(&s, &(struct collector_scope){NULL, 0, NULL, true}, "/nowhere", NULL);
    assert_true(takes(&s, &call, 5, 0));
    assert_true(scope_has(&s, 5) && scope_has(&s, UINT32_MAX) && scope_has(NULL, 5));
    fork_record(&s, 1, 2, 1);
    scope_fini(&s);
}

static void by_id(void **state)
{
    (void)state;
    char proc[64];
    make_proc(proc);
    struct scope s;
    const uint32_t pids[] = {11};
    scope_init(&s, &(struct collector_scope){pids, 1, NULL, false}, proc, NULL);
    assert_true(takes(&s, &call, 11, 0) && takes(&s, &call, 12, 0));
    assert_false(takes(&s, &call, 13, 0) || takes(&s, &call, 10, 0));
    assert_true(takes(&s, &waking, 10, 12)); /* it is woken */
    assert_false(takes(&s, &waking, 10, 13));
    assert_true(takes(&s, &disk, 10, 0));    /* nobody's: the domain knows */
    assert_true(takes(&s, &softirq, 12, 0)); /* whom it interrupted */
    assert_false(takes(&s, &softirq, 10, 0) || takes(&s, &softirq, 0, 0));
    assert_true(scope_has(&s, 11) && !scope_has(&s, 10) && !scope_has(&s, UINT32_MAX));
    fork_record(&s, 11, 11, 30);
    assert_true(takes(&s, &call, 30, 0)); /* a new thread */
    fork_record(&s, 31, 11, 31);
    assert_false(takes(&s, &call, 31, 0)); /* a child, not asked for */
    fork_record(&s, 40, 1, 12);
    assert_false(takes(&s, &call, 12, 0)); /* the id is somebody else's now */
    fork_record(&s, 1u << 31, 11, 1u << 31);
    assert_false(takes(&s, &call, 1u << 31, 0)); /* no id that Linux gives */
    scope_fini(&s);
    remove_proc(proc);
}

static void with_children(void **state)
{
    (void)state;
    char proc[64];
    make_proc(proc);
    struct scope s;
    const uint32_t pids[] = {10};
    scope_init(&s, &(struct collector_scope){pids, 1, NULL, true}, proc, NULL);
    assert_true(takes(&s, &call, 11, 0) && takes(&s, &call, 12, 0) && takes(&s, &call, 13, 0));
    assert_false(takes(&s, &call, 20, 0));
    fork_record(&s, 50, 13, 50);
    exec_record(&s, 50, "as");
    assert_true(takes(&s, &call, 50, 0));
    scope_fini(&s);
    remove_proc(proc);
}

static void by_name(void **state)
{
    (void)state;
    char proc[64];
    make_proc(proc);
    struct scope s;
    scope_init(&s, &(struct collector_scope){NULL, 0, "a) b*", false}, proc, NULL);
    assert_true(takes(&s, &call, 20, 0));
    assert_false(takes(&s, &call, 10, 0));
    fork_record(&s, 60, 20, 60);
    assert_true(takes(&s, &call, 60, 0)); /* still of that name */
    exec_record(&s, 60, "other");
    assert_false(takes(&s, &call, 60, 0));
    exec_record(&s, 10, "a) b2");
    assert_true(takes(&s, &call, 10, 0));
    /* By prctl(2): the first thread's name is the process's, and goes for all its threads. */
    name_record(&s, 11, 12, "a) b3", false);
    assert_false(takes(&s, &call, 11, 0) || takes(&s, &call, 12, 0));
    name_record(&s, 11, 11, "a) b3", false);
    assert_true(takes(&s, &call, 11, 0) && takes(&s, &call, 12, 0));
    name_record(&s, 11, 11, "make", false);
    assert_false(takes(&s, &call, 11, 0) || takes(&s, &call, 12, 0));
    scope_fini(&s);
    remove_proc(proc);
}

static void who_is_not_there(void **state)
{
    (void)state;
    char proc[64];
    make_proc(proc);
    static const struct {
        uint32_t pids[2];
        size_t count;
        const char *name;
        bool is_fine;
        uint32_t absent;
    } rows[] = {
        {{11, 13}, 2, NULL, true, 0},   {{11, 99}, 2, NULL, true, 99},
        {{99, 98}, 2, NULL, false, 99}, {{99}, 1, "any", true, 99},
        {{0}, 1, NULL, false, 0},       {{0}, 0, "any", true, 0},
        {{0}, 0, NULL, true, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {""};
        uint32_t absent;
        const struct collector_scope request = {rows[i].pids, rows[i].count, rows[i].name, false};
        assert_int_equal(scope_check(&request, proc, &absent, &err), rows[i].is_fine);
        assert_int_equal(absent, rows[i].absent);
        assert_int_equal(err.text[0] != '\0', !rows[i].is_fine);
    }
    remove_proc(proc);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everything_without_a_request),
        cmocka_unit_test(by_id),    cmocka_unit_test(with_children),
        cmocka_unit_test(by_name),  cmocka_unit_test(who_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
