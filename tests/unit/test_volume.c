/* Paths as people write them: whatever a trace has about drives, and wherever. */
#include "tests/stage.h"

#include "src/model/model.h"

#include <stdio.h>

struct bench {
    struct model model;
    int64_t ts;
};

static void bench_open(struct bench *b)
{
    *b = (struct bench){.ts = 1};
    model_init(&b->model);
    model_sources(&b->model, 2);
}

static void feed(struct bench *b, const struct event *like, const struct note *n, source_id source)
{
    struct event e = *like;
    struct fact f = {.time = 0};
    e.ts = b->ts++;
    e.pid = e.tid = EVENT_NO_ID;
    e.pointer = 8;
    e.payload = n->bytes;
    e.payload_bytes = (uint32_t)n->used;
    model_fact(&b->model, &e, source, e.ts * 100, &f);
}

static void send_volume(struct bench *b, source_id source, const char *device, const char *drive)
{
    struct event e = {.kind = HEADER_CLASSIC, .opcode = 35};
    assert_true(guid_parse("9b79ee91-b5fd-41c0-a243-4248e266e9d0", &e.provider));
    struct note n = {.used = 0};
    put_wide(&n, device);
    put_wide(&n, drive);
    feed(b, &e, &n, source);
}

static void send_logical_disk(struct bench *b, char letter, uint32_t type)
{
    const struct event e = {.kind = HEADER_SYSTEM, .id = 0x0b0c, .opcode = 0x0c, .version = 2};
    struct note n = {.used = 0};
    put_u64(&n, 1048576);
    put_u64(&n, 1 << 30);
    put_u32(&n, 0); /* DiskNumber */
    put_u32(&n, 112);
    put_u32(&n, type);
    put_u16(&n, (uint16_t)letter);
    put_u16(&n, ':');
    put_u16(&n, 0);
    put_u16(&n, 0);
    while (n.used < 112)
        put_u8(&n, 0);
    feed(b, &e, &n, 0);
}

static void send_physical_disk(struct bench *b, uint32_t number, const char *name)
{
    const struct event e = {.kind = HEADER_SYSTEM, .id = 0x0b0b, .opcode = 0x0b, .version = 2};
    struct note n = {.used = 0};
    put_u32(&n, number);
    while (n.used < 40)
        put_u8(&n, 0);
    for (const char *c = name; *c; c++)
        put_u16(&n, (unsigned char)*c);
    while (n.used < 568)
        put_u8(&n, 0);
    feed(b, &e, &n, 0);
}

static void expect_disk(const struct bench *b, uint32_t number, const char *label)
{
    char room[DISK_LABEL];
    assert_string_equal(model_disk_label(&b->model, 0, number, room, sizeof room), label);
}

static void send_image(struct bench *b, const char *path)
{
    const struct event e = {.kind = HEADER_SYSTEM, .id = 0x1403, .opcode = 3, .version = 2};
    struct note n = {.used = 0};
    put_u64(&n, 0x7ffc00000000);
    put_u64(&n, 0x1000);
    put_u32(&n, 77);
    put_u32(&n, 0);
    put_u32(&n, 0);
    put_u8(&n, 0), put_u8(&n, 0), put_u16(&n, 0);
    put_u64(&n, 0);
    for (unsigned i = 0; i < 4; i++)
        put_u32(&n, 0);
    put_wide(&n, path);
    feed(b, &e, &n, 0);
}

static void expect(struct bench *b, source_id source, const char *name, const char *wanted)
{
    char room[512];
    const uint32_t number = model_file_called(&b->model, source, NAMESPACE_FILE, name);
    assert_string_equal(
        model_path(&b->model, model_file_at(&b->model, number), room, sizeof room), wanted);
}

/* Late drives apply to earlier names; each machine has its own drives. */
static void drives_are_reported(void **state)
{
    (void)state;
    static const char kernel32[] = "\\Device\\HarddiskVolume2\\Windows\\kernel32.dll";
    struct bench b;
    bench_open(&b);
    expect(&b, 0, kernel32, kernel32);
    const uint64_t before = b.model.late_names;
    send_volume(&b, 0, "\\Device\\HarddiskVolume2\\", "C:\\");
    send_volume(&b, 0, "\\Device\\HarddiskVolume2\\mnt\\", "E:\\");
    send_volume(&b, 0, "\\SystemRoot\\", "C:\\Windows\\");
    send_volume(&b, 0, "\\??\\", "");
    send_volume(&b, 0, "\\Device\\Mup\\", "\\\\");
    assert_true(b.model.late_names > before);
    static const char *const cases[][2] = {
        {kernel32, "C:\\Windows\\kernel32.dll"},
        {"\\DEVICE\\harddiskvolume2\\x", "C:\\x"},
        {"\\Device\\HarddiskVolume2\\mnt\\y", "E:\\y"}, /* the longest one */
        {"\\Device\\HarddiskVolume2\\", "C:\\"},
        {"\\Device\\HarddiskVolume2", "C:\\"},
        {"\\Device\\HarddiskVolume20\\x", "\\Device\\HarddiskVolume20\\x"},
        {"\\SystemRoot\\system32\\a.sys", "C:\\Windows\\system32\\a.sys"},
        {"\\??\\D:\\b", "D:\\b"},
        {"\\Device\\Mup\\server\\share", "\\\\server\\share"},
        {"/usr/bin/true", "/usr/bin/true"},
        {"C:\\already", "C:\\already"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(&b, 0, cases[i][0], cases[i][1]);
    expect(&b, 1, kernel32, kernel32);
    send_volume(&b, 1, "\\Device\\HarddiskVolume3", "D:"); /* without a separator */
    expect(&b, 1, "\\Device\\HarddiskVolume3\\z", "D:\\z");
    expect(&b, 1, "\\Device\\HarddiskVolume30\\z", "\\Device\\HarddiskVolume30\\z");
    model_fini(&b.model);
}

/* One drive, and the volume that the system lies on: that is it. Two drives: nobody knows. */
static void the_only_drive_is_the_systems(void **state)
{
    (void)state;
    static const char file[] = "\\Device\\HarddiskVolume3\\data\\x",
                      other[] = "\\Device\\HarddiskVolume4\\data\\x";
    struct bench b;
    bench_open(&b);
    send_logical_disk(&b, 'C', 1);
    send_logical_disk(&b, 'Z', 2); /* no partition */
    expect(&b, 0, file, file);
    send_image(&b, "\\Device\\HarddiskVolume3\\Programs\\a.dll");
    expect(&b, 0, file, file);
    send_image(&b, "\\Device\\HarddiskVolume3\\WINDOWS\\system32\\ntdll.dll");
    expect(&b, 0, file, "C:\\data\\x");
    expect(&b, 0, other, other);
    send_logical_disk(&b, 'D', 1);
    expect(&b, 0, file, file);
    model_fini(&b.model);
}

/* Windows' record has the model of a disk, ours its name; and a loop's has its file. */
static void disks_have_names(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    expect_disk(&b, 0, "disk 0");
    send_logical_disk(&b, 'D', 1);
    send_logical_disk(&b, 'C', 1);
    expect_disk(&b, 0, "PhysicalDrive0 C: D:");
    send_physical_disk(&b, 3, "FAST DISK");
    expect_disk(&b, 3, "PhysicalDrive3");
    b.model.sources[0].is_linux = true;
    send_physical_disk(&b, 0, "sda FAST DISK");
    send_physical_disk(&b, 1, "loop0 /srv/my image");
    expect_disk(&b, 0, "sda");
    expect_disk(&b, 1, "loop0 /srv/my image");
    model_fini(&b.model);
}

/* More disks than there is room for share what is remembered, and no name. */
static void many_disks_are_harmless(void **state)
{
    (void)state;
    struct bench b;
    char name[300];
    bench_open(&b);
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    b.model.sources[0].is_linux = true;
    for (uint32_t i = 0; i < 3000; i++)
        send_physical_disk(&b, i * 77, i == 5 ? name : "sda");
    expect_disk(&b, 77, "sda");
    expect_disk(&b, 2999 * 77, "disk 230923");
    name[DISK_NAME - 1] = '\0';
    expect_disk(&b, 5 * 77, name);
    model_fini(&b.model);
}

/* More volumes than anybody has are left out, and bytes that say nothing say nothing. */
static void wild_volumes_are_harmless(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b);
    for (unsigned i = 0; i < 2000; i++) {
        char device[64];
        snprintf(device, sizeof device, "\\Device\\HarddiskVolume%u\\", i);
        send_volume(&b, 0, device, "Q:\\");
    }
    expect(&b, 0, "\\Device\\HarddiskVolume7\\x", "Q:\\x");
    expect(&b, 0, "\\Device\\HarddiskVolume1999\\x", "\\Device\\HarddiskVolume1999\\x");
    send_volume(&b, 0, "", "C:\\");
    send_logical_disk(&b, '\xff', 1);
    model_fini(&b.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_are_reported),
        cmocka_unit_test(the_only_drive_is_the_systems),
        cmocka_unit_test(disks_have_names),
        cmocka_unit_test(many_disks_are_harmless),
        cmocka_unit_test(wild_volumes_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
