/* Files in the making: what is there when everything goes well, and when it does not. */
#include "tests/folder.h"
#include "tests/folder.h"
#include "tests/test.h"

#include "src/os/atomic_file.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    char folder[64];
    char path[128];
};

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    strcpy(x->folder, "/tmp/tracetop-draft-XXXXXX");
    if (!x || !mkdtemp(x->folder))
        return -1;
    snprintf(x->path, sizeof x->path, "%s/file", x->folder);
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    const int failed = folder_remove(x->folder);
    free(x);
    return failed;
}

static size_t files_in(const struct fixture *x)
{
    char pattern[128];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", x->folder);
    const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static void kept_appears_under_its_name(void **state)
{
    const struct fixture *const x = *state;
    struct atomic_file d;
    struct err err = {""};
    struct stat info;
    assert_true(atomic_file_open(&d, x->path, false, &err));
    assert_true(os_write_at(d.file, "new", 3, 0, &err));
    assert_int_equal(os_path_kind(x->path), OS_NOTHING);
    assert_true(atomic_file_commit(&d, &err));
    assert_int_equal(stat(x->path, &info), 0);
    assert_private(info.st_mode);
    file_holds(x->path, "new");
    assert_int_equal(files_in(x), 1);
}

static void dropped_leaves_nothing(void **state)
{
    const struct fixture *const x = *state;
    struct atomic_file d;
    struct err err = {""};
    assert_true(atomic_file_open(&d, x->path, false, &err));
    atomic_file_discard(&d);
    atomic_file_discard(&d); /* nothing to do */
    assert_int_equal(files_in(x), 0);
    assert_true(atomic_file_open(&d, x->path, false, &err));
    atomic_file_abandon(&d);
    assert_true(!HERE_IS_POSIX || files_in(x) == 0); /* elsewhere once nobody has it open */
    atomic_file_discard(&d);
    assert_int_equal(files_in(x), 0);
}

static void existing_is_only_replaced_with_force(void **state)
{
    const struct fixture *const x = *state;
    struct atomic_file d;
    struct err err = {""};
    file_put(x->path, "old");
    assert_false(atomic_file_open(&d, x->path, false, &err));
    assert_non_null(strstr(err.text, "already exists; --force overwrites it"));
    file_holds(x->path, "old");
    assert_int_equal(files_in(x), 1);

    assert_true(atomic_file_open(&d, x->path, true, &err));
    assert_true(os_write_at(d.file, "new", 3, 0, &err));
    file_holds(x->path, "old"); /* until it is complete */
    assert_true(atomic_file_commit(&d, &err));
    file_holds(x->path, "new");
    assert_int_equal(files_in(x), 1);
}

/* Somebody else was faster. */
static void name_taken_in_the_meantime(void **state)
{
    const struct fixture *const x = *state;
    struct atomic_file d;
    struct err err = {""};
    assert_true(atomic_file_open(&d, x->path, false, &err));
    file_put(x->path, "theirs");
    assert_false(atomic_file_commit(&d, &err));
    assert_non_null(strstr(err.text, REASON("File exists")));
    file_holds(x->path, "theirs");
    assert_int_equal(files_in(x), 1);
}

static void folder_vanishes(void **state)
{
    const struct fixture *const x = *state;
    if (!HERE_IS_POSIX) {
        print_message("a folder with an open file in it cannot be moved here: skipped\n");
        skip();
    }
    char folder[128], moved[128], path[192];
    snprintf(folder, sizeof folder, "%s/sub", x->folder);
    snprintf(moved, sizeof moved, "%s/moved", x->folder);
    snprintf(path, sizeof path, "%s/file", folder);
    struct atomic_file d;
    struct err err = {""};
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_true(atomic_file_open(&d, path, false, &err));
    assert_true(os_write_at(d.file, "new", 3, 0, &err));
    assert_int_equal(rename(folder, moved), 0);
    assert_false(atomic_file_commit(&d, &err));
    assert_non_null(strstr(err.text, REASON("No such file or directory")));
    assert_int_equal(rmdir(moved), 0); /* nothing is in it */

    assert_int_equal(mkdir(folder, 0700), 0);
    assert_true(atomic_file_open(&d, path, false, &err));
    assert_int_equal(folder_remove(folder), 0);
    assert_false(atomic_file_commit(&d, &err));
    assert_int_equal(files_in(x), 0);
}

/* What cannot be made again stays, and the sentence says where it is. */
static void what_stays_is_reported(void **state)
{
    const struct fixture *const x = *state;
    struct atomic_file d;
    struct err err = {""};
    char temporary[256];
    snprintf(temporary, sizeof temporary, "%s.partial", x->path);
    assert_true(atomic_file_open(&d, x->path, false, &err));
    d.stays = true;
    assert_true(os_write_at(d.file, "new", 3, 0, &err));
    file_put(x->path, "theirs");
    assert_false(atomic_file_commit(&d, &err));
    assert_non_null(strstr(err.text, REASON("File exists; the data is in ")));
    assert_non_null(strstr(err.text, temporary));
    file_holds(x->path, "theirs");
    file_holds(temporary, "new");
    /* and is in the way of the next, reported or not */
    assert_false(atomic_file_open(&d, x->path, true, &err));
    assert_non_null(strstr(err.text, ".partial exists: "));
    file_holds(temporary, "new");
    assert_int_equal(files_in(x), 2);
}

static void impossible_names(void **state)
{
    const struct fixture *const x = *state;
    char path[512];
    struct atomic_file d;
    struct err err = {""};
    snprintf(path, sizeof path, "%s/%0300d", x->folder, 1);
    assert_false(atomic_file_open(&d, path, false, &err));
    assert_non_null(strstr(err.text, REASON("File name too long")));
    assert_false(atomic_file_open(&d, x->folder, true, &err));
    assert_non_null(strstr(err.text, "found a directory"));
    snprintf(path, sizeof path, "%s/none/file", x->folder);
    assert_false(atomic_file_open(&d, path, false, &err));
    assert_non_null(strstr(err.text, REASON("No such file or directory")));
    assert_int_equal(files_in(x), 0);
}

/* Whoever may write to the folder puts a file of his own under the temporary name: it is neither
 * given the name nor removed. */
static void what_took_its_place_is_left_alone(void **state)
{
    const struct fixture *const x = *state;
    struct atomic_file d;
    struct err err = {""};
    char temporary[256];
    snprintf(temporary, sizeof temporary, "%s.partial", x->path);
    if (!HERE_IS_POSIX) {
        print_message("skipped: an open file keeps its name here\n");
        skip();
    }
    assert_true(atomic_file_open(&d, x->path, true, &err));
    assert_int_equal(remove(temporary), 0);
    file_put(temporary, "theirs");
    assert_false(atomic_file_commit(&d, &err));
    assert_non_null(strstr(err.text, "was replaced by another file"));
    assert_int_equal(access(x->path, F_OK), -1);
    file_holds(temporary, "theirs");
    assert_int_equal(remove(temporary), 0);
    assert_true(atomic_file_open(&d, x->path, true, &err));
    assert_int_equal(remove(temporary), 0);
    file_put(temporary, "theirs");
    atomic_file_discard(&d);
    file_holds(temporary, "theirs");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kept_appears_under_its_name),
        TEST(dropped_leaves_nothing),
        TEST(existing_is_only_replaced_with_force),
        TEST(name_taken_in_the_meantime),
        TEST(folder_vanishes),
        TEST(what_stays_is_reported),
        TEST(impossible_names),
        TEST(what_took_its_place_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
