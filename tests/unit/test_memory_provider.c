/* Microsoft-Windows-Kernel-Memory, -Kernel-Power and -Kernel-Processor-Power: whose events are, and
 * what they say in one line. */
#include "tests/stage.h"

#include "src/event/providers.h"

enum { PID = 1200, MANAGER = 2000, TID = 2004 };

static const struct guid processor_power = {{0x9f, 0xe4, 0x67, 0x0f, 0x51, 0xfe, 0x9f, 0x4e, 0xb4,
                                             0x90, 0x6f, 0x29, 0x48, 0xcc, 0x60, 0x27}};

/* A working set is swapped by a thread of another process. */
static void working_sets_belong_to_their_process(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene manager = {.stage = s, .pid = MANAGER, .tid = TID};
    struct note begin = {.used = 0}, end = {.used = 0}, cut = {.used = 0};
    send_process(&manager, 500, HOOK_DC_START, PID, 4, "app.exe");
    put_u32(&begin, PID);
    send_manifest(&manager, 1000, &kernel_memory_provider, 4, 0, &begin);
    put_u32(&end, PID);
    put_u32(&end, 0);
    put_u32(&end, 512);
    send_manifest(&manager, 2000, &kernel_memory_provider, 5, 0, &end);
    put_u16(&cut, 7);
    send_manifest(&manager, 2100, &kernel_memory_provider, 6, 0, &cut);
    stage_finish(s);
    stage_play(s);
    assert_int_equal(stage_events(s, "provider=Microsoft-Windows-Kernel-Memory pid=1200"), 2);
    stage_check_detail(s, "id=4 pid=1200", "swap out the working set of app.exe (1200)");
    stage_check_detail(s, "id=5 pid=1200", "working set of app.exe (1200) swapped out, 512 pages");
    stage_close(s);
}

static void processors_change_their_speed(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = TID};
    struct note n = {.used = 0};
    put_u32(&n, 3);
    put_u32(&n, 2400);
    put_u16(&n, 0);
    put_u8(&n, 7);
    put_u32(&n, 80);
    send_manifest(&by, 1000, &processor_power, 10, 1, &n);
    stage_finish(s);
    stage_play(s);
    stage_check_detail(s, "id=10",
                       "processor 0:7: performance state 3 at 2400 MHz, performance 80%");
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(working_sets_belong_to_their_process),
        cmocka_unit_test(processors_change_their_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
