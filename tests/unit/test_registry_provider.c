/* The registry as Microsoft-Windows-Kernel-Registry records it: keys have their names from where
 * they are opened, and operations count once beside the kernel logger. */
#include "tests/stage.h"

#include "src/event/providers.h"

enum { PID = 1200, TID = 1204, SOFTWARE = 0x5000, VENDOR = 0x6000, PARTS = 0x7000 };

static const uint32_t NOT_FOUND = 0xc0000034u;

#define ROOT "\\REGISTRY\\MACHINE\\SOFTWARE"

static struct scene by_process(struct stage *s)
{
    return (struct scene){.stage = s, .pid = PID, .tid = TID};
}

static void send_open(const struct scene *s, int64_t us, uint16_t id, uint64_t base,
                      uint64_t object, uint32_t status, const char *base_name, const char *name)
{
    struct note n = {.used = 0};
    put_u64(&n, base);
    put_u64(&n, object);
    put_u32(&n, status);
    put_u32(&n, 1);
    put_wide(&n, base_name);
    put_wide(&n, name);
    send_manifest(s, us, &kernel_registry_provider, id, 0, &n);
}

/* Query value, set value: status, two numbers, the key's name if the event has it, the value's. */
static void send_value(const struct scene *s, int64_t us, uint16_t id, uint64_t object,
                       uint32_t status, const char *key, const char *value)
{
    struct note n = {.used = 0};
    put_u64(&n, object);
    put_u32(&n, status);
    put_u32(&n, 1);
    put_u32(&n, 8);
    put_wide(&n, key);
    put_wide(&n, value);
    put_u16(&n, 0);
    if (id == 5) {
        put_u32(&n, 0);
        put_u32(&n, 0);
        put_u16(&n, 0);
    }
    send_manifest(s, us, &kernel_registry_provider, id, 0, &n);
}

static void send_close(const struct scene *s, int64_t us, uint64_t object)
{
    struct note n = {.used = 0};
    put_u64(&n, object);
    put_u32(&n, 0);
    put_wide(&n, "");
    send_manifest(s, us, &kernel_registry_provider, 13, 0, &n);
}

static void send_work(const struct scene *by)
{
    send_open(by, 1000, 2, 0, SOFTWARE, 0, "", ROOT);                   /* a whole name */
    send_open(by, 1100, 2, SOFTWARE, VENDOR, 0, "", "Vendor");          /* below an open key */
    send_open(by, 1200, 1, VENDOR, PARTS, 0, ROOT "\\Vendor", "Parts"); /* with the key's name */
    send_open(by, 1300, 2, VENDOR, 0, NOT_FOUND, "", "Missing");
    send_value(by, 1400, 7, PARTS, 0, "", "Size");
    send_value(by, 1500, 7, PARTS, NOT_FOUND, "", "Color");
    send_value(by, 1600, 5, VENDOR, 0, "", "Name");
    send_close(by, 1700, PARTS);
    send_open(by, 1800, 2, SOFTWARE, PARTS, 0, "", "Other"); /* the address again */
    send_value(by, 1900, 7, PARTS, 0, "", "Size");
    send_value(by, 2100000, 7, 0x9000, 0, ROOT "\\Told", ""); /* opened before */
}

static void keys_have_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        unsigned queries, opens, sets;
    } rows[] = {
        {ROOT, 0, 1, 0},
        {ROOT "\\Vendor", 0, 1, 1},
        {ROOT "\\Vendor\\Parts", 2, 1, 0},
        {ROOT "\\Vendor\\Missing", 0, 1, 0},
        {ROOT "\\Other", 1, 1, 0},
        {ROOT "\\Told", 1, 0, 0},
    };
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = by_process(s);
    send_work(&by);
    stage_finish(s);
    stage_play(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char filter[200];
        snprintf(filter, sizeof filter, "class=registry op=query key=%s", rows[i].key);
        assert_int_equal(stage_events(s, filter), rows[i].queries);
        snprintf(filter, sizeof filter, "class=registry op=open,create key=%s", rows[i].key);
        assert_int_equal(stage_events(s, filter), rows[i].opens);
        snprintf(filter, sizeof filter, "class=registry op=set key=%s", rows[i].key);
        assert_int_equal(stage_events(s, filter), rows[i].sets);
    }
    assert_int_equal(stage_events(s, "class=registry op=close key=" ROOT "\\Vendor\\Parts"), 1);
    assert_int_equal(stage_events(s, "class=registry status!=0"), 2);
    assert_int_equal(stage_events(s, "class=registry"), 11);
    struct frame *const f = stage_show(s, "registry", "");
    char text[FRAME_RECORDER];
    assert_string_equal(frame_recorder(f, text), "Kernel-Registry");
    assert_int_equal(f->row_count, sizeof rows / sizeof *rows);
    for (unsigned i = 0; i < f->row_count; i++)
        assert_int_equal(cell(f, i, "pid").count, PID);
    frame_free(f);
    stage_check_detail(s, "class=registry op=open status!=0",
                       "open key " ROOT "\\Vendor\\Missing: OBJECT_NAME");
    stage_check_detail(s, "class=registry op=set", "set Name of " ROOT "\\Vendor, 8 B");
    stage_close(s);
}

/* The kernel logger's event of a query: version 2. */
static void send_logger_query(const struct scene *s, int64_t us)
{
    struct note n = {.used = 0};
    put_u64(&n, 0);
    put_u32(&n, 0);
    put_u32(&n, 0);
    put_u64(&n, 0);
    put_wide(&n, ROOT "\\Logged");
    send_record(s, us, 0x0910, 2, &n);
}

static void each_operation_counts_once(void **state)
{
    (void)state;
    for (unsigned is_logger_first = 0; is_logger_first < 2; is_logger_first++) {
        struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
        const struct scene by = by_process(s);
        if (is_logger_first)
            send_logger_query(&by, 500);
        send_work(&by);
        send_logger_query(&by, 2200000);
        stage_finish(s);
        stage_play(s);
        assert_int_equal(stage_events(s, "class=registry"), is_logger_first ? 2 : 11);
        struct frame *const f = stage_show(s, "registry", "");
        char text[FRAME_RECORDER];
        assert_string_equal(frame_recorder(f, text), is_logger_first
                                                         ? "kernel logger, not Kernel-Registry"
                                                         : "Kernel-Registry, not kernel logger");
        frame_free(f);
        stage_close(s);
    }
}

/* Payloads cut at any byte. */
static void cut_events_do_no_harm(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = by_process(s);
    struct note whole = {.used = 0};
    put_u64(&whole, SOFTWARE);
    put_u64(&whole, VENDOR);
    put_u32(&whole, 0);
    put_u32(&whole, 1);
    put_wide(&whole, ROOT);
    put_wide(&whole, "Vendor");
    int64_t us = 1000;
    for (uint16_t id = 1; id <= 16; id++)
        for (size_t bytes = 0; bytes <= whole.used; bytes++) {
            struct note n = whole;
            n.used = bytes;
            send_manifest(&by, us++, &kernel_registry_provider, id, 0, &n);
        }
    stage_finish(s);
    stage_play(s);
    struct frame *const f = stage_show(s, "registry", "");
    assert_true(f->row_count > 0);
    frame_free(f);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_their_names),
        cmocka_unit_test(each_operation_counts_once),
        cmocka_unit_test(cut_events_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
