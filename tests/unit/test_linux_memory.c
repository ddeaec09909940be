/* Limits of memory that control groups set: laid out as the kernel has them, for both versions,
 * and where this machine lets us make a group (v1 or v2), for real. */
#include "tests/test.h"

#include "src/os/memory_linux.h"
#include "src/os/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/tracetop-memory-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line);
}

/* A file of the laid-out system, with the folders that lead to it. */
static void lay(const char *name, const char *path, const char *text)
{
    char at[512], line[600];
    snprintf(at, sizeof at, "%s/%s%s", folder, name, path);
    snprintf(line, sizeof line, "mkdir -p \"$(dirname '%s')\"", at);
    assert_int_equal(system(line), 0);
    FILE *const f = fopen(at, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static uint64_t limit(const char *name)
{
    char at[128];
    snprintf(at, sizeof at, "%s/%s", folder, name);
    return os_memory_limit(at);
}

#define V2_MOUNT "30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNTS                                                                                  \
    "31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"                  \
    "32 24 0:28 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"

static void v2(void **state)
{
    (void)state;
    lay("a", "/proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n" V2_MOUNT);
    lay("a", "/proc/self/cgroup", "0::/user.slice/user-0.slice/app.scope\n");
    assert_true(limit("a") == UINT64_MAX); /* no file says anything */
    lay("a", "/sys/fs/cgroup/user.slice/user-0.slice/app.scope/memory.max", "max\n");
    assert_true(limit("a") == UINT64_MAX);
    lay("a", "/sys/fs/cgroup/user.slice/memory.max", "314572800\n"); /* of a group around it */
    assert_int_equal(limit("a"), 314572800);
    lay("a", "/sys/fs/cgroup/user.slice/user-0.slice/app.scope/memory.max", "209715200\n");
    assert_int_equal(limit("a"), 209715200);
    lay("a", "/sys/fs/cgroup/user.slice/user-0.slice/memory.high", "104857600\n");
    assert_int_equal(limit("a"), 104857600);
    lay("a", "/sys/fs/cgroup/other.slice/memory.max", "4096\n"); /* somebody else's */
    assert_int_equal(limit("a"), 104857600);
}

static void v1(void **state)
{
    (void)state;
    lay("b", "/proc/self/mountinfo", V1_MOUNTS);
    lay("b", "/proc/self/cgroup", "9:cpu,cpuacct:/x\n4:memory:/box/inner\n0::/\n");
    lay("b", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(limit("b"), 9223372036854771712u); /* more than any machine has */
    lay("b", "/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "400000000\n");
    lay("b", "/sys/fs/cgroup/memory/box/inner/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(limit("b"), 400000000);
}

/* A container sees its own group as what is mounted, whatever it is called outside. */
static void mounted_from_within(void **state)
{
    (void)state;
    lay("c", "/proc/self/mountinfo",
        "30 24 0:26 /docker/12ab /sys/fs/cgroup\\040x ro - cgroup2 cgroup rw\n");
    lay("c", "/proc/self/cgroup", "0::/docker/12ab/job\n");
    lay("c", "/sys/fs/cgroup x/memory.max", "80000000\n");
    lay("c", "/sys/fs/cgroup x/job/memory.max", "90000000\n");
    assert_int_equal(limit("c"), 80000000);
    lay("c", "/proc/self/cgroup", "0::/\n"); /* in a namespace of groups */
    assert_int_equal(limit("c"), 80000000);
    lay("c", "/proc/self/cgroup", "0::/docker/12abc\n"); /* another group with the same beginning */
    assert_int_equal(limit("c"), 80000000);
}

static void any_text_is_safe(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "\n", "0", "0:", "0::", "::", "4:memory", " - ", "- cgroup2", "30 24 0:26 / /x - cgroup2",
        "30 24 0:26 / \\04 rw - cgroup2 x y\n", "\\", "30 24 0:26 /a/b/c / rw - cgroup2 x y\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            lay("d", "/proc/self/mountinfo", texts[i]);
            lay("d", "/proc/self/cgroup", texts[j]);
            assert_true(limit("d") == UINT64_MAX);
        }
    assert_true(limit("nowhere") == UINT64_MAX);
}

/* ---- for real -------------------------------------------------------------------------------- */

static bool put(const char *group, const char *file, const char *text)
{
    char at[512];
    snprintf(at, sizeof at, "%s/%s", group, file);
    FILE *const f = fopen(at, "w");
    const bool is_put = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && is_put;
}

/* This process's group of the v1 hierarchy, or of v2's. */
static bool own_group(bool is_v2, char *out, size_t room)
{
    char line[512];
    bool is_found = false;
    FILE *const f = fopen("/proc/self/cgroup", "r");
    while (f && !is_found && fgets(line, sizeof line, f)) {
        const char *const key = is_v2 ? "0::" : ":memory:", *const at = strstr(line, key);
        line[strcspn(line, "\n")] = '\0';
        is_found = at && (!is_v2 || at == line);
        if (is_found)
            snprintf(out, room, "/sys/fs/cgroup%s%.400s/tracetop-%d", is_v2 ? "" : "/memory",
                     at + strlen(key), (int)getpid());
    }
    if (f)
        fclose(f);
    return is_found;
}

static void in_a_real_group(void **state)
{
    (void)state;
    enum { LIMIT = 200 << 20 };
    char group[512], text[32];
    bool is_made = false, is_v2 = true;
    for (int v2 = 0; v2 < 2 && !is_made; v2++) {
        is_v2 = v2;
        if (!own_group(is_v2, group, sizeof group) || mkdir(group, 0755) != 0)
            continue;
        snprintf(text, sizeof text, "%d", LIMIT);
        is_made = put(group, is_v2 ? "memory.max" : "memory.limit_in_bytes", text);
        if (!is_made)
            rmdir(group);
    }
    if (!is_made) {
        print_message("skipped: no control group of memory can be made here (needs root and a "
                      "writable /sys/fs/cgroup with the memory controller)\n");
        skip();
    }
    const pid_t child = fork();
    if (child == 0) {
        snprintf(text, sizeof text, "%d", (int)getpid());
        _exit(!put(group, "cgroup.procs", text) ? 2 : os_memory() == LIMIT ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    while (rmdir(group) != 0 && errno == EBUSY) /* until the kernel has let go of the child */
        usleep(1000);
    assert_int_equal(status, 0);
    assert_true(os_memory_installed() >= os_memory());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v2),
        cmocka_unit_test(v1),
        cmocka_unit_test(mounted_from_within),
        cmocka_unit_test(any_text_is_safe),
        cmocka_unit_test(in_a_real_group),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
