/* Processes, threads and images as Microsoft-Windows-Kernel-Process records them: alone, and beside
 * the kernel logger, where each thing counts once. */
#include "tests/stage.h"

#include "src/event/providers.h"

enum { PID = 1200, PARENT = 600, TID = 1204, CREATOR = 604 };

static const char path[] = "\\Device\\HarddiskVolume2\\Tools\\SearchProtocolHost.exe";

/* 2026-05-17 10:20:30 UTC */
static const uint64_t CREATED = 134235012300000000u;

static void put_sid(struct note *n)
{
    static const uint8_t sid[] = {1, 1, 0, 0, 0, 0, 0, 16, 0, 0x40, 0, 0}; /* S-1-16-16384 */
    put(n, sid, sizeof sid);
}

/* Versions 3 to 5 have more before the path and behind it; rundowns are like starts of a version
 * that is two higher. */
static void put_start(struct note *n, unsigned version, uint32_t pid, uint32_t parent,
                      const char *name)
{
    put_u32(n, pid);
    if (version >= 3)
        put_u64(n, 77);
    put_u64(n, CREATED);
    put_u32(n, parent);
    if (version >= 3)
        put_u64(n, 66);
    put_u32(n, 1); /* session */
    if (version >= 1)
        put_u32(n, 0);
    if (version >= 3) {
        put_u32(n, 1);
        put_u32(n, 1);
        put_sid(n);
    }
    put_wide(n, name);
    if (version >= 2) {
        put_u32(n, 0);
        put_u32(n, 0x5f000000);
        put_wide(n, "");
        put_wide(n, "");
    }
    if (version >= 4)
        put_u32(n, 0);
    if (version >= 5) {
        put_u32(n, 0);
        put_u16(n, 0x8664);
    }
}

static void send_start(const struct scene *s, int64_t us, unsigned version, uint32_t pid)
{
    struct note n = {.used = 0};
    put_start(&n, version, pid, PARENT, path);
    send_manifest(s, us, &kernel_process_provider, KERNEL_PROCESS_START, (uint8_t)version, &n);
}

static void send_stop(const struct scene *s, int64_t us, unsigned version, uint32_t pid,
                      uint32_t exit)
{
    struct note n = {.used = 0};
    put_u32(&n, pid);
    if (version >= 2)
        put_u64(&n, 77);
    put_u64(&n, CREATED);
    put_u64(&n, CREATED + 10000000);
    put_u32(&n, exit);
    put_u32(&n, 1);
    put_u32(&n, 100);
    put_u64(&n, 4096);
    put_u64(&n, 8192);
    if (version >= 1) {
        put_u64(&n, 1000000);
        for (unsigned i = 0; i < 5; i++)
            put_u32(&n, 0);
    }
    put(&n, "SearchProtocol", sizeof "SearchProtocol"); /* it is cut */
    send_manifest(s, us, &kernel_process_provider, KERNEL_PROCESS_STOP, (uint8_t)version, &n);
}

static void send_provider_thread(const struct scene *s, int64_t us, uint16_t id, unsigned version,
                                 uint32_t pid, uint32_t tid)
{
    struct note n = {.used = 0};
    put_u32(&n, pid);
    put_u32(&n, tid);
    for (unsigned i = 0; i < 7; i++)
        put_u64(&n, 0x7ff700001000u);
    if (version >= 1) {
        put_u32(&n, 0);
        put_u64(&n, 5000);
    }
    send_manifest(s, us, &kernel_process_provider, id, (uint8_t)version, &n);
}

static void send_provider_image(const struct scene *s, int64_t us, uint16_t id, uint32_t pid,
                                uint64_t base)
{
    struct note n = {.used = 0};
    put_u64(&n, base);
    put_u64(&n, 0x8000);
    put_u32(&n, pid);
    put_u32(&n, 0);
    put_u32(&n, 0x5f000000);
    put_u64(&n, base);
    put_wide(&n, path);
    send_manifest(s, us, &kernel_process_provider, id, 0, &n);
}

static void send_image(const struct scene *s, int64_t us, uint16_t hook, uint32_t pid,
                       uint64_t base)
{
    struct note n = {.used = 0};
    put_u64(&n, base);
    put_u64(&n, 0x8000);
    put_u32(&n, pid);
    for (unsigned i = 0; i < 3; i++)
        put_u32(&n, 0);
    put_u64(&n, base);
    for (unsigned i = 0; i < 4; i++)
        put_u32(&n, 0);
    put_wide(&n, path);
    send_record(s, us, hook, 2, &n);
}

static struct scene by_creator(struct stage *s)
{
    return (struct scene){.stage = s, .pid = PARENT, .tid = CREATOR};
}

/* ---- the provider alone -------------------------------------------------------------------- */

static void all_versions_name_processes(void **state)
{
    (void)state;
    static const unsigned stops[] = {0, 0, 1, 1, 2, 2};
    for (unsigned version = 0; version <= 5; version++) {
        struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
        const struct scene by = by_creator(s);
        const struct scene self = {.stage = s, .pid = PID, .tid = TID};
        send_start(&by, 1000, version, PID);
        send_provider_thread(&by, 1100, KERNEL_PROCESS_THREAD_START, version > 2, PID, TID);
        send_provider_thread(&by, 1200, KERNEL_PROCESS_THREAD_START, version > 2, PID, TID + 4);
        send_provider_image(&by, 1300, KERNEL_PROCESS_IMAGE_LOAD, PID, 0x7ff700000000u);
        send_provider_thread(&self, 2000, KERNEL_PROCESS_THREAD_STOP, version > 2, PID, TID);
        send_stop(&self, 2100000, stops[version], PID, 5);
        stage_finish(s);
        stage_play(s);
        struct frame *const f = stage_show(s, "processes", "");
        const int row = row_named(f, "name", "SearchProtocolHost.exe");
        assert_true(row >= 0);
        assert_int_equal(cell(f, (unsigned)row, "pid").count, PID);
        assert_int_equal(cell(f, (unsigned)row, "ppid").count, PARENT);
        assert_int_equal(cell(f, (unsigned)row, "session").count, 1);
        assert_int_equal(cell(f, (unsigned)row, "threads").count, 1);
        assert_string_equal(text_of(f, cell(f, (unsigned)row, "exit")), "5");
        assert_string_equal(text_of(f, cell(f, (unsigned)row, "cmd")), path);
        assert_string_equal(text_of(f, cell(f, (unsigned)row, "recorded_by")), "Kernel-Process");
        char text[FRAME_RECORDER];
        assert_string_equal(frame_recorder(f, text), "Kernel-Process");
        frame_free(f);
        assert_int_equal(stage_events(s, "class=process op=start pid=1200"), 1);
        assert_int_equal(stage_events(s, "class=thread op=end pid=1200 tid=1204"), 1);
        assert_int_equal(stage_events(s, "class=image op=start pid=1200"), 1);
        stage_close(s);
    }
}

/* A process whose Start was not seen has a name from its Stop; a list of processes has more. */
static void stops_and_rundowns_name_processes(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene self = {.stage = s, .pid = PID, .tid = TID};
    for (unsigned version = 0; version <= 3; version++) {
        struct note n = {.used = 0};
        put_start(&n, version + 2, 2000 + version * 4, PARENT, path);
        send_manifest(&self, 10 + version, &kernel_process_provider, KERNEL_PROCESS_RUNDOWN,
                      (uint8_t)version, &n);
    }
    send_stop(&self, 1000, 1, PID, 0xc0000005);
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "processes", "");
    const int row = row_named(f, "name", "SearchProtocol");
    assert_true(row >= 0);
    assert_string_equal(text_of(f, cell(f, (unsigned)row, "exit")),
                        "0xc0000005 (ACCESS_VIOLATION)");
    unsigned listed = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        listed += strcmp(text_of(f, cell(f, i, "name")), "SearchProtocolHost.exe") == 0 &&
                  cell(f, i, "start").type != VALUE_ABSENT;
    assert_int_equal(listed, 4);
    frame_free(f);
    stage_close(s);
}

/* ---- beside the kernel logger ---------------------------------------------------------------- */

enum by { BY_LOGGER, BY_PROVIDER };

static void step(const struct scene *creator, const struct scene *self, enum by by, unsigned what,
                 int64_t us)
{
    static const uint64_t BASE = 0x7ff700000000u;
    const bool is_logger = by == BY_LOGGER;
    switch (what) {
    case 0:
        is_logger ? send_process(creator, us, HOOK_START, PID, PARENT, "SearchProtocolHost.exe")
                  : send_start(creator, us, 3, PID);
        break;
    case 1:
        is_logger ? send_thread(creator, us, HOOK_START, PID, TID)
                  : send_provider_thread(creator, us, KERNEL_PROCESS_THREAD_START, 1, PID, TID);
        break;
    case 2:
        is_logger ? send_image(creator, us, 0x030a, PID, BASE)
                  : send_provider_image(creator, us, KERNEL_PROCESS_IMAGE_LOAD, PID, BASE);
        break;
    case 3:
        is_logger ? send_image(self, us, 0x1402, PID, BASE)
                  : send_provider_image(self, us, KERNEL_PROCESS_IMAGE_UNLOAD, PID, BASE);
        break;
    case 4:
        is_logger ? send_thread(self, us, HOOK_END, PID, TID)
                  : send_provider_thread(self, us, KERNEL_PROCESS_THREAD_STOP, 1, PID, TID);
        break;
    default:
        is_logger ? send_process(self, us, HOOK_END, PID, PARENT, "SearchProtocolHost.exe")
                  : send_stop(self, us, 1, PID, 0x103);
        break;
    }
}

/* A process, a thread and an image come and go and come again, each with the same ids. */
static void each_counts_once(void **state)
{
    (void)state;
    enum { STEPS = 6, TIMES = 3 };
    static const char *const filters[] = {
        "class=process op=start", "class=process op=end", "class=thread op=start",
        "class=thread op=end",    "class=image op=start", "class=image op=end"};
    for (enum by first = BY_LOGGER; first <= BY_PROVIDER; first++) {
        struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
        const struct scene creator = by_creator(s);
        const struct scene self = {.stage = s, .pid = PID, .tid = TID};
        for (unsigned time = 0; time < TIMES; time++)
            for (unsigned what = 0; what < STEPS; what++) {
                const int64_t us = 1000 + time * 100000 + what * 1000;
                step(&creator, &self, first, what, us);
                step(&creator, &self, first == BY_LOGGER ? BY_PROVIDER : BY_LOGGER, what, us + 1);
            }
        stage_finish(s);
        stage_play(s);
        for (unsigned i = 0; i < STEPS; i++)
            assert_int_equal(stage_events(s, filters[i]), TIMES);
        struct frame *const f = stage_show(s, "processes", "");
        unsigned rows = 0;
        for (unsigned i = 0; i < f->row_count; i++)
            if (cell(f, i, "pid").count == PID) {
                rows++;
                assert_string_equal(text_of(f, cell(f, i, "name")), "SearchProtocolHost.exe");
                assert_string_equal(text_of(f, cell(f, i, "recorded_by")),
                                    first == BY_LOGGER ? "kernel logger" : "Kernel-Process");
                assert_int_equal(cell(f, i, "threads").type, VALUE_ABSENT);
            }
        assert_int_equal(rows, TIMES);
        char text[FRAME_RECORDER];
        assert_string_equal(frame_recorder(f, text), first == BY_LOGGER
                                                         ? "kernel logger and Kernel-Process"
                                                         : "Kernel-Process and kernel logger");
        frame_free(f);
        stage_close(s);
    }
}

/* The end of a process of which nothing was known: its provider's cut name and the logger's whole
 * one are one process. */
static void cut_names_are_no_other_process(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene self = {.stage = s, .pid = PID, .tid = TID};
    send_stop(&self, 1000, 1, PID, 0);
    send_process(&self, 1001, HOOK_END, PID, PARENT, "SearchProtocolHost.exe");
    stage_finish(s);
    stage_play(s);
    assert_int_equal(stage_events(s, "class=process op=end"), 1);
    struct frame *const f = stage_show(s, "processes", "");
    assert_int_equal(f->row_count, 1);
    assert_string_equal(text_of(f, cell(f, 0, "name")), "SearchProtocolHost.exe");
    frame_free(f);
    stage_close(s);
}

/* Payloads cut at any byte, with lengths and counts as they come. */
static void cut_events_do_no_harm(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = by_creator(s);
    struct note whole = {.used = 0};
    put_start(&whole, 5, PID, PARENT, path);
    int64_t us = 1000;
    for (uint16_t id = 1; id <= 15; id++)
        for (size_t bytes = 0; bytes <= whole.used; bytes += 3) {
            struct note n = whole;
            n.used = bytes;
            send_manifest(&by, us++, &kernel_process_provider, id, (uint8_t)(bytes % 7), &n);
        }
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "processes", "");
    assert_true(f->row_count > 0);
    frame_free(f);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_versions_name_processes),
        cmocka_unit_test(stops_and_rundowns_name_processes),
        cmocka_unit_test(each_counts_once),
        cmocka_unit_test(cut_names_are_no_other_process),
        cmocka_unit_test(cut_events_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
