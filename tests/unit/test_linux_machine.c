/* The hardware that /proc and /sys describe: as a page, as records that fit the published layouts,
 * and what of it users can choose. */
#include "tests/made_tree.h"
#include "tests/shared.h"

#include "collectors/linux/live.h"
#include "collectors/linux/proc/hardware.h"
#include "src/base/bytes.h"
#include "src/export/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a machine ------------------------------------------------------------------------ */

static void make_machine(struct made_tree *t)
{
    tree_make(t);
    tree_text(t, "etc/os-release", "ID=made\nPRETTY_NAME=\"Made Linux 1\"\n");
    tree_text(t, "proc/stat", "cpu 1 2\nbtime 1000000000\n");
    tree_text(t, "proc/cpuinfo",
              "processor\t: 0\nvendor_id\t: MadeVendor\ncpu family\t: 6\nmodel\t\t: 7\nmodel name\t: Made "
              "CPU\nstepping\t: 8\ncpu MHz\t\t: 2100.5\n\nprocessor\t: 1\nvendor_id\t: MadeVendor\ncpu "
              "family\t: 6\nmodel\t\t: 7\nmodel name\t: Made CPU\nstepping\t: 8\ncpu MHz\t\t: 1200.1\n");
    for (unsigned i = 0; i < 4; i++) {
        char path[96];
        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/topology/core_id", i);
        tree_text(t, path, "0\n");
        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/topology/core_siblings_list", i);
        tree_text(t, path, "0-3\n");
        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", i);
        tree_text(t, path, i % 2 ? "1,3\n" : "0,2\n");
    }
    tree_text(t, "sys/devices/system/node/node0/meminfo", "");
    tree_text(t, "sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
    tree_text(t, "sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
    tree_text(t, "sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n");
    tree_text(t, "sys/devices/system/cpu/cpu0/cache/index1/level", "2\n");
    tree_text(t, "sys/devices/system/cpu/cpu0/cache/index1/type", "Unified\n");
    tree_text(t, "sys/devices/system/cpu/cpu0/cache/index1/size", "2048K\n");
    tree_text(t, "sys/class/dmi/id/sys_vendor", "Made Inc.\n");
    tree_text(t, "sys/class/dmi/id/product_name", "Maker 3000\n");
    tree_text(t, "sys/class/dmi/id/bios_date", "01/02/2024\n");
    tree_text(t, "sys/class/dmi/id/bios_version", "1.2\n");
    tree_file(t, "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
              "\6\0\0\0\1", 5);
    tree_text(t, "sys/block/sda/dev", "8:0\n");
    tree_text(t, "sys/block/sda/size", "4194304\n");
    tree_text(t, "sys/block/sda/device/model", "FAST DISK\n");
    tree_text(t, "sys/block/sda/sda1/dev", "8:1\n");
    tree_text(t, "sys/block/sda/sda1/partition", "1\n");
    tree_text(t, "sys/block/sda/sda1/start", "2048\n");
    tree_text(t, "sys/block/sda/sda1/size", "2097152\n");
    tree_text(t, "proc/self/mountinfo",
              "20 1 0:20 / /proc rw - proc proc rw\n"
              "21 1 8:1 / /made\\040folder rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
              "22 1 8:1 / /again rw - ext4 /dev/sda1 rw\n");
    tree_text(t, "sys/class/net/made0/address", "02:03:04:05:06:07\n");
    tree_text(t, "sys/class/net/made0/ifindex", "77\n");
    tree_link(t, "sys/class/net/made0/device/driver", "../../drivers/maker_net");
    tree_text(t, "proc/net/route", "Iface\tDestination\nmade0\t00000000\n");
    tree_text(t, "etc/resolv.conf", "search x\nnameserver 192.0.2.1\nnameserver nonsense\n"
                                    "nameserver 2001:db8::1\n");
    tree_text(t, "sys/class/drm/card0/device/vendor", "0x8086\n");
    tree_text(t, "sys/class/drm/card0/device/device", "0x9a49\n");
    tree_link(t, "sys/class/drm/card0/device/driver", "../../i915");
    tree_text(t, "sys/class/drm/card0-DP-1/status", "connected\n");
    tree_text(t, "sys/class/drm/card0-DP-1/modes", "2560x1440\n1920x1080\n");
    tree_text(t, "sys/power/state", "freeze standby mem disk\n");
    tree_text(t, "sys/power/mem_sleep", "[s2idle] deep\n");
    tree_text(t, "proc/interrupts", "           CPU0       CPU1\n  9:  5  0  IO-APIC   9-fasteoi   acpi\n"
                                    "NMI:  0  0  Non-maskable interrupts\n");
    tree_text(t, "proc/irq/9/smp_affinity", "00000000,00000003\n");
    tree_text(t, "sys/fs/cgroup/system.slice/made.service/cgroup.procs", "40\n41\n");
    tree_text(t, "sys/fs/cgroup/system.slice/over.service/cgroup.procs", "");
    tree_process(t, 40, "maked", 1, 40, 0, 1);
}

/* ---- its page --------------------------------------------------------------------------- */

struct seen {
    struct machine_page *page;
    void (*record)(const struct event *e);
    char sentences[1024];
};

static void take_event(void *to, const struct event *e)
{
    struct seen *const s = to;
    machine_page_take(s->page, e);
    if (s->record)
        s->record(e);
}

static void take_sentence(void *to, const char *sentence)
{
    struct seen *const s = to;
    const size_t used = strlen(s->sentences);
    snprintf(s->sentences + used, sizeof s->sentences - used, "%s\n", sentence);
}

/* To be freed. */
static char *page_of(const struct made_tree *t, struct seen *s)
{
    char *text;
    size_t bytes;
    struct err err;
    const struct collector_description d = {take_event, take_sentence, s, NULL, NULL};
    s->page = machine_page_new();
    assert_true(live_describe_at(&d, t->root, &err));
    FILE *const out = open_memstream(&text, &bytes);
    machine_page_text(s->page, out);
    fclose(out);
    machine_page_free(s->page);
    return text;
}

static void expect(const char *page, const char *part)
{
    if (!strstr(page, part))
        fail_msg("'%s' is not in:\n%s", part, page);
}

static void a_page_says_what_the_files_say(void **state)
{
    (void)state;
    static const char *const says[] = {
        "  distribution  Made Linux 1\n",
        "  booted        2001-09-09T01:46:40.0000000Z\n",
        "  packages    1\n  cores       2\n  processors  4\n  NUMA nodes  1\n",
        "  caches      L1 data 48K, L2 2048K\n",
        "  2100  MadeVendor  Family 6 Model 7 Stepping 8  Made CPU\n",
        "  manufacturer  Made Inc.\n  product       Maker 3000\n  BIOS date     01/02/2024\n",
        "  secure boot           yes\n",
        "  0     2 GiB  512     1           no                 sda FAST DISK\n",
        "          0     1 GiB        ext4\n",
        "  sda1                ext4         /made folder\n",
        "  made0 (maker_net)  02:03:04:05:06:07                192.0.2.1;2001:db8::1\n",
        "  card0 8086:9a49  2560   1440            i915\n",
        "  S1  yes\n  S2  no\n  S3  yes\n  S4  yes\n  S5  yes\n",
        "  running  40   made     maked",
        "  9    0x3         IO-APIC 9-fasteoi acpi\n",
    };
    struct made_tree tree;
    struct seen s = {.record = NULL};
    make_machine(&tree);
    char *const page = page_of(&tree, &s);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        expect(page, says[i]);
    assert_null(strstr(page, "over")); /* a service that has ended */
    assert_null(strstr(page, "/again"));
    assert_string_equal(s.sentences, "");
    free(page);
    tree_remove(&tree);
}

static void an_empty_machine_is_still_a_computer(void **state)
{
    (void)state;
    struct made_tree tree;
    struct seen s = {.record = NULL};
    tree_make(&tree);
    char *const page = page_of(&tree, &s);
    expect(page, "Computer\n");
    expect(page, "System\n");
    assert_null(strstr(page, "Disks"));
    free(page);
    tree_remove(&tree);
}

/* ---- its records, by the published layouts ------------------------------------------------ */

enum { LINE = 512 };

static unsigned checked; /* records */

static unsigned size_of(const char *type, const uint8_t *at, const uint8_t *end)
{
    unsigned count;
    if (sscanf(type, "wchar[%u]", &count) == 1)
        return 2 * count;
    if (strcmp(type, "wstr") == 0) {
        const uint8_t *to = at;
        while (to + 2 <= end && load_u16(to))
            to += 2;
        assert_true(to + 2 <= end);
        return (unsigned)(to + 2 - at);
    }
    return strcmp(type, "ptr") == 0 ? 8 : (unsigned)atoi(type + 1) / 8;
}

/* Field for field; the payload ends where the last one does. */
static void check_record(const struct event *e)
{
    char line[LINE], type[32], at_text[16];
    unsigned fields = 0, hook, version;
    if (!header_is_kernel((enum header_kind)e->kind) || e->id == 0x0b25) /* no table has it */
        return;
    FILE *const f = fopen("../shared/reference/kernel-event-layouts.tsv", "r");
    assert_non_null(f);
    const uint8_t *at = e->payload, *const end = at + e->payload_bytes;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%*[^\t]\t%*u\t0x%x\t%u\t%*[^\t]\t%*u\t%*[^\t]\t%31[^\t]\t", &hook, &version, type) != 3 ||
            hook != e->id || version != e->version)
            continue;
        /* The eighth of the columns behind: where it lies, if that is fixed. */
        const char *tab = line;
        for (unsigned i = 0; i < 9; i++)
            tab = strchr(tab, '\t') + 1;
        snprintf(at_text, sizeof at_text, "%.*s", (int)strcspn(tab, "\t"), tab);
        if (at_text[0])
            assert_int_equal(at - e->payload, atoi(at_text));
        at += size_of(type, at, end);
        assert_true(at <= end);
        fields++;
    }
    fclose(f);
    if (!fields || at != end)
        fail_msg("record 0x%04x version %u: %u fields end %td bytes before its end", e->id, e->version,
                 fields, end - at);
    checked++;
}

static void records_fit_the_layouts(void **state)
{
    (void)state;
    struct made_tree tree;
    struct seen s = {.record = check_record};
    glob_t found = shared_files("../shared/reference/kernel-event-layouts.tsv");
    make_machine(&tree);
    checked = 0;
    free(page_of(&tree, &s));
    /* One of each class, two processors, a disk and its partition. */
    assert_int_equal(checked, 11);
    tree_remove(&tree);
    globfree(&found);
}

/* ---- what users can choose ------------------------------------------------------------------- */

static void names_are_bounded_and_made_safe(void **state)
{
    (void)state;
    struct made_tree tree;
    struct seen s = {.record = NULL};
    static char mounts[600000], routes[300];
    make_machine(&tree);
    size_t used = (size_t)snprintf(mounts, sizeof mounts,
                                   "21 1 8:1 / /a\\033[2J\\012b\\000c - ext4\x1b[3J /dev/sda1 rw\n"
                                   "22 1 8:1 / /\n23\n24 1 8:1 / - - -\n25 1 x:y / /c - ext4 /dev/x rw\n");
    for (unsigned i = 0; i < 5000; i++)
        used += (size_t)snprintf(mounts + used, sizeof mounts - used,
                                 "30 1 0:%u / /home/u%u rw - fuse.x /dev/sda1 rw\n", i + 50, i);
    tree_file(&tree, "proc/self/mountinfo", mounts, used);
    memset(routes, 'r', sizeof routes - 1);
    tree_text(&tree, "proc/net/route", routes);
    tree_text(&tree, "sys/class/net/e\x1b[2Jvil/ifindex", "-1\n");
    tree_text(&tree, "sys/class/net/e\x1b[2Jvil/address", "zz:\x1b\n");
    tree_text(&tree, "etc/os-release", "PRETTY_NAME=\"\n");
    tree_text(&tree, "proc/stat", "btime 99999999999999999999\n");
    tree_text(&tree, "proc/interrupts", "99999999999999999999: 1\n7:\n: \n 8: 1 2 3\x1b[31m\n");
    tree_text(&tree, "sys/class/drm/card0-DP-1/modes", "99999999x-1\n");
    tree_text(&tree, "sys/fs/cgroup/system.slice/.service/cgroup.procs", "40\n");
    char *const page = page_of(&tree, &s);
    for (const char *c = page; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\n')
            fail_msg("a control character in:\n%s", page);
    expect(page, "/a\\u001b[2J\\nb?c");
    expect(page, "e\\u001b[2Jvil");
    free(page);
    tree_remove(&tree);
}

/* Below what a program of a user serves nothing is asked, which might wait for ever. */
static void nothing_is_asked_below_what_may_hang(void **state)
{
    (void)state;
    static const struct {
        const char *above;
        bool is_measured;
    } rows[] = {
        {"/other", true}, {"/", false}, {"/tm", true}, {"/tmp", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made_tree tree;
        struct proc p;
        struct err err;
        struct hardware_mounts mounts;
        char text[512];
        tree_make(&tree);
        snprintf(text, sizeof text,
                 "21 1 8:1 / /tmp rw - ext4 /dev/sda1 rw\n"
                 "22 1 0:70 / %s rw - fuse.x /dev/sda1 rw\n", rows[i].above);
        tree_text(&tree, "proc/self/mountinfo", text);
        assert_true(proc_open(&p, tree.root, &err));
        hardware_mounts_read(&p, &mounts);
        const struct hardware_mount *const found = hardware_mount_of(&mounts, 8 << 20 | 1, "sda1");
        assert_non_null(found);
        assert_string_equal(found->path, "/tmp"); /* not the one that calls itself sda1 */
        struct hardware_mount m = *found;
        hardware_mount_measure(&mounts, &m);
        assert_int_equal(m.clusters != 0, rows[i].is_measured);
        hardware_mounts_fini(&mounts);
        proc_close(&p);
        tree_remove(&tree);
    }
}

/* ---- another user --------------------------------------------------------------------------- */

static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    struct made_tree tree;
    char path[256];
    if (geteuid() != 0)
        skip();
    make_machine(&tree);
    chmod(tree.root, 0755);
    tree_path(&tree, "sys/class/dmi/id/product_name", path, sizeof path);
    assert_int_equal(chmod(path, 0), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct seen s = {.record = NULL};
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(1);
        char *const page = page_of(&tree, &s);
        _exit(strcmp(s.sentences, "the platform: incomplete, for this user may not read some files in /proc and "
                                  "/sys; root may\n") != 0 ? 2
              : strstr(page, "Maker 3000")  ? 3
              : !strstr(page, "Made Inc.") ? 4
                                           : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tree_remove(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_says_what_the_files_say),
        cmocka_unit_test(an_empty_machine_is_still_a_computer),
        cmocka_unit_test(records_fit_the_layouts),
        cmocka_unit_test(names_are_bounded_and_made_safe),
        cmocka_unit_test(nothing_is_asked_below_what_may_hang),
        cmocka_unit_test(what_cannot_be_read_is_said),
    };
    return cmocka_run_group_tests_name("linux machine", tests, NULL, NULL);
}
