/* Files that the program keeps for itself: what it left unfinished goes, what others write stays.
 */
#include "tests/test.h"

#include "src/os/cache_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static void put_old(const char *folder, const char *name, time_t age)
{
    char path[256];
    snprintf(path, sizeof path, "%s/a/b/%s", folder, name);
    FILE *const f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    const time_t when = time(NULL) - age;
    assert_int_equal(utime(path, &(struct utimbuf){when, when}), 0);
}

static bool is_there(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/a/b/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void remove_all(const char *folder)
{
    static const char *const names[] = {".tracetop-2-0.partial", "other.partial", ".tracetop-notes",
                                        "first"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/a/b/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/a/b", folder);
    assert_int_equal(rmdir(path), 0);
    snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void leftovers_go(void **state)
{
    (void)state;
    enum { HOUR = 3600, DAYS = 3 * 86400 };
    char folder[] = "/tmp/tracetop-cache-XXXXXX";
    struct err err;
    assert_non_null(mkdtemp(folder));
    struct cache_file *c = cache_file_new(folder, "a/b/first", &err);
    assert_non_null(c);
    assert_true(cache_file_keep(c, &err));
    put_old(folder, ".tracetop-1-0.partial", DAYS);
    put_old(folder, ".tracetop-2-0.partial", HOUR); /* somebody may be writing it */
    put_old(folder, "other.partial", DAYS);
    put_old(folder, ".tracetop-notes", DAYS);
    c = cache_file_new(folder, "a/b/second", &err);
    assert_non_null(c);
    cache_file_drop(c);
    assert_false(is_there(folder, ".tracetop-1-0.partial"));
    assert_true(is_there(folder, ".tracetop-2-0.partial"));
    assert_true(is_there(folder, "other.partial"));
    assert_true(is_there(folder, ".tracetop-notes"));
    assert_true(is_there(folder, "first"));
    assert_false(is_there(folder, "second"));
    assert_int_equal(cache_use(folder).files, 4);
    remove_all(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leftovers_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
