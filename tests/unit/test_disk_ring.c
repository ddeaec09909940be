/* The ring on disk: which files it has, what is beyond its limits, and who may write there. */
#include "tests/folder.h"
#include "tests/test.h"

#include "src/os/os.h"
#include "src/trace/disk_ring.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000, START = 1795000000;

struct fixture {
    char folder[64];
};

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    strcpy(x->folder, "/tmp/tracetop-ring-XXXXXX");
    *state = x;
    return mkdtemp(x->folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    const int failed = folder_remove(x->folder);
    free(x);
    return failed;
}

static void path_of(const struct fixture *x, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", x->folder, name);
}

/* A file with such a name and size, which was written so many seconds after START. */
static void put(const struct fixture *x, const char *name, off_t bytes, int64_t written)
{
    char path[128];
    path_of(x, name, path);
    const struct timespec then = {.tv_sec = START + written};
    const int f = open(path, O_CREAT | O_WRONLY | O_EXCL, 0600);
    assert_true(f >= 0);
    assert_int_equal(ftruncate(f, bytes), 0);
    assert_int_equal(futimens(f, (const struct timespec[]){then, then}), 0);
    close(f);
}

static bool has(const struct fixture *x, const char *name)
{
    char path[128];
    path_of(x, name, path);
    return access(path, F_OK) == 0;
}

static struct disk_ring *open_ring(const struct fixture *x, uint64_t bytes, int64_t ns)
{
    struct err err = {""};
    const struct disk_ring_limits limits = {bytes, ns};
    struct disk_ring *const d = disk_ring_open(x->folder, &limits, &err);
    if (!d)
        print_error("%s\n", err.text);
    assert_non_null(d);
    return d;
}

static void files_are_in_the_order_of_their_numbers(void **state)
{
    struct fixture *const x = *state;
    static const char *const others[] = {"ring.etl",
                                         "ring-.etl",
                                         "ring-0000.etl",
                                         "ring-12.etlx",
                                         "other-0003.etl",
                                         "ring-5.etl.part",
                                         "ring--001.etl",
                                         "ring-99999999999.etl",
                                         "lock"};
    struct disk_ring_file *files;
    put(x, "ring-10000.etl", 5, 1);
    put(x, "ring-0009.etl", 4, 2);
    put(x, "ring-9999.etl", 3, 3);
    put(x, "ring-10001.etl.partial", 2, 4);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        put(x, others[i], 1, 0);
    char link[128];
    path_of(x, "ring-0001.etl", link);
    assert_int_equal(symlink("ring-0009.etl", link), 0);
    const size_t count = disk_ring_list(x->folder, &files);
    assert_int_equal(count, 4);
    static const unsigned numbers[] = {9, 9999, 10000, 10001};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(files[i].number, numbers[i]);
        assert_int_equal(files[i].is_partial, i == 3);
        assert_int_equal(files[i].bytes, i == 0 ? 4 : i == 1 ? 3 : i == 2 ? 5 : 2);
        char *const path = disk_ring_path(x->folder, &files[i]);
        assert_int_equal(access(path, F_OK), 0);
        free(path);
    }
    free(files);
}

static void a_range_needs_the_newest_files(void **state)
{
    struct fixture *const x = *state;
    struct disk_ring_file *files;
    char name[32];
    for (int i = 1; i <= 10; i++) {
        snprintf(name, sizeof name, "ring-%04d.etl", i);
        put(x, name, 1, 60 * i);
    }
    const size_t count = disk_ring_list(x->folder, &files);
    static const struct {
        const char *range;
        size_t first;
    } cases[] = {{NULL, 0},      {"-30s..", 9},
                 {"-55s..", 8},  {"-60s..", 8},
                 {"-1h..", 0},   {"..-30s", 0},
                 {"5s..10s", 0}, {"10:15..", 0},
                 {"bad", 0},     {"2026-11-18T11:11:40Z..", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(disk_ring_first_of(files, count, cases[i].range), cases[i].first);
    free(files);
}

static void the_oldest_go_by_size(void **state)
{
    struct fixture *const x = *state;
    enum { MIB = 1 << 20 };
    put(x, "ring-0001.etl", 9 * MIB, 0);
    put(x, "ring-0002.etl", 9 * MIB, 1);
    put(x, "ring-0003.etl", 9 * MIB, 2);
    put(x, "ring-0004.etl.partial", 1, 3);
    struct disk_ring *const d = open_ring(x, 32 * MIB, 0);
    assert_true(has(x, "ring-0004.etl") && !has(x, "ring-0004.etl.partial"));
    assert_int_equal(disk_ring_next(d), 5);
    put(x, "ring-0005.etl.partial", 1, 4); /* may become 8 MiB, and 2 more until it is seen */
    disk_ring_tidy(d);
    assert_false(has(x, "ring-0001.etl"));
    assert_true(has(x, "ring-0002.etl") && has(x, "ring-0003.etl") &&
                has(x, "ring-0005.etl.partial"));
    disk_ring_need(d, 17 * MIB);
    disk_ring_tidy(d);
    assert_true(!has(x, "ring-0002.etl") && has(x, "ring-0003.etl"));
    disk_ring_close(d);
}

/* Time in which something was recorded: clocks that were set, and days without a recorder, do not
 * cost what was kept. */
static void the_oldest_go_by_time(void **state)
{
    struct fixture *const x = *state;
    static const int64_t written[] = {0, 60, 120, 86400, 86460, 40000, 40060, 40120};
    char name[32];
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "ring-%04d.etl", i + 1);
        put(x, name, 1, written[i]);
    }
    struct disk_ring *const d = open_ring(x, 0, 16 * 60 * SECOND);
    assert_int_equal(disk_ring_file_ns(d), 60 * SECOND);
    disk_ring_tidy(d);
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "ring-%04d.etl", i + 1);
        assert_true(has(x, name));
    }
    disk_ring_close(d);
    struct disk_ring *const small = open_ring(x, 0, 160 * SECOND); /* files of 10 s */
    disk_ring_tidy(small);
    disk_ring_close(small);
    assert_true(has(x, "ring-0001.etl")); /* 7 files before the newest of 10 s each */
    struct disk_ring *const least = open_ring(x, 0, 60 * SECOND);
    disk_ring_tidy(least);
    disk_ring_close(least);
    assert_false(has(x, "ring-0001.etl"));
    assert_true(has(x, "ring-0002.etl") && has(x, "ring-0008.etl"));
}

static void one_process_writes(void **state)
{
    struct fixture *const x = *state;
    assert_int_equal(disk_ring_writer(x->folder), 0);
    struct disk_ring *const d = open_ring(x, 0, 0);
    const pid_t child = fork();
    if (child == 0) {
        struct err err = {""};
        const struct disk_ring_limits limits = {0};
        char expected[64];
        snprintf(expected, sizeof expected, "process %u records into ", (unsigned)getppid());
        const bool is_refused = !disk_ring_open(x->folder, &limits, &err);
        const bool is_known = disk_ring_writer(x->folder) == (uint32_t)getppid();
        _exit(is_refused && is_known && strncmp(err.text, expected, strlen(expected)) == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    disk_ring_close(d);
    disk_ring_close(open_ring(x, 0, 0));
}

static void names_are_no_paths(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ".", "..", "a/b", "a b", "-x", ".x", "\303\244", "a\n"};
    char folder[256], name[DISK_RING_NAME + 1];
    struct err err;
    setenv("STATE_DIRECTORY", "/srv/one:/srv/two", 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(disk_ring_folder(bad[i], folder, sizeof folder, &err));
    memset(name, 'a', sizeof name);
    name[DISK_RING_NAME] = '\0';
    assert_false(disk_ring_folder(name, folder, sizeof folder, &err));
    name[DISK_RING_NAME - 1] = '\0';
    assert_true(disk_ring_folder(name, folder, sizeof folder, &err));
    assert_true(disk_ring_folder("web-1.a_b", folder, sizeof folder, &err));
    assert_string_equal(folder, "/srv/one/web-1.a_b");
    unsetenv("STATE_DIRECTORY");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_in_the_order_of_their_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_range_needs_the_newest_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_go_by_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_go_by_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_process_writes, set_up, tear_down),
        cmocka_unit_test(names_are_no_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
