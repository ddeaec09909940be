/* What is asked about a whole recording is answered from all of it, however little of it the engine
 * keeps: answers of an engine that keeps the least are those of one that keeps everything. */
#include "tests/folder.h"
#include "tests/make_etl.h"
#include "tests/retro.h"
#include "tests/sanitizer.h"
#include "tests/shared.h"

#include "ui/main/user_views.h"

#include <stdlib.h>

static const struct retro_question of_kernel[] = {
    {.pane = "processes", .filter = "lat>=1ms"},
    {.pane = "processes", .filter = "op=read", .group = GROUPED_BY_NAME},
    {.pane = "threads", .filter = "cpu=0"},
    {.pane = "cpu", .filter = "cpu=1 ready>100us"},
    {.pane = "disk", .filter = "op=read"},
    {.pane = "disk", .filter = "offset>64K"}, /* which only records know */
    {.pane = "disk", .filter = "op=read", .chart = CHART_HEAT},
    {.pane = "disk", .filter = "op=read", .chart = CHART_HISTOGRAM},
    {.pane = "cpu", .filter = "", .chart = CHART_CPUS},
    {.pane = "files", .filter = "op=read"},
    {.pane = "files", .filter = "", .is_inside = true},
    {.pane = "network", .filter = "size>100"},
    {.pane = "registry", .filter = "op=open"},
    {.pane = "memory", .filter = "op=hard"},
    {.pane = "threads", .filter = "", .is_inside = true},
    {.pane = "stacks", .filter = "", .is_inside = true},
    {.pane = "rates", .filter = ""},
    {.pane = "wakers", .filter = ""},
    {.pane = "opens", .filter = ""},
    {.pane = "slow_io", .filter = ""},
    {.pane = "stacks", .filter = "", .metric = METRIC_OPERATIONS},
    {.pane = "stacks", .filter = "", .metric = METRIC_SAMPLES},
    {.pane = "stacks", .filter = "", .metric = METRIC_WAITING},
    {.pane = "stacks", .filter = "", .metric = METRIC_READY},
    {.pane = "stacks", .filter = "cpu=0", .metric = METRIC_RUNNING},
    {.pane = "stacks", .filter = "", .chart = CHART_HEAT},
    {.pane = "disk", .filter = "stack:ntfs"},
    {.pane = "cpu", .filter = "module:ntdll"},
    {.pane = "cpu", .filter = "dt>1ms"},
};

enum { QUESTIONS = sizeof of_kernel / sizeof *of_kernel, FILES = 4 };

/* Each question reads the whole file again: with a sanitizer each is asked of one file, in turn. */
static unsigned compare(const char *path, unsigned file)
{
    struct retro_question some[QUESTIONS];
    size_t count = 0;
    for (unsigned i = IS_SANITIZED ? file : 0; i < QUESTIONS; i += IS_SANITIZED ? FILES : 1)
        some[count++] = of_kernel[i];
    return retro_compare_kept(path, some, count);
}

static void compare_file(const char *name, unsigned file)
{
    glob_t found = shared_files(name);
    assert_true(compare(found.gl_pathv[0], file) > 100);
    globfree(&found);
}

static void of_windows_7(void **state)
{
    (void)state;
    compare_file("../shared/etl/perfview-win7-PerfViewData.etl.zst", 0);
}

static void of_windows_8(void **state)
{
    (void)state;
    compare_file("../shared/etl/perfview-net.4.5.2.x64.etl.zst", 1);
}

static void compare_synthetic(bool late_rundown, unsigned file)
{
    enum { BYTES = 8 << 20 };
    const struct synthetic_options machine = {
        .seed = 7, .start_ns = 1700000000000000000, .late_rundown = late_rundown};
    const struct etl_writer_options shape = {0};
    char folder[] = "/tmp/tracetop-reread-XXXXXX", path[64];
    uint64_t records;
    struct err err;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/made.etl", folder);
    if (!make_etl(path, &machine, &shape, BYTES, &records, &err))
        fail_msg("%s", err.text);
    const unsigned rows = compare(path, file);
    assert_int_equal(folder_remove(folder), 0);
    assert_true(records > 100000);
    assert_true(rows > (IS_SANITIZED ? 100 : 1000));
}

/* Made up: of every kind of event, with stacks that come later. */
static void of_the_synthetic_machine(void **state)
{
    (void)state;
    compare_synthetic(false, 2);
}

/* What there is has names at the end only. */
static void of_what_is_named_late(void **state)
{
    (void)state;
    compare_synthetic(true, 3);
}

int main(void)
{
    user_views_builtin(); /* the views from files */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_windows_7),
        cmocka_unit_test(of_windows_8),
        cmocka_unit_test(of_the_synthetic_machine),
        cmocka_unit_test(of_what_is_named_late),
    };
    return cmocka_run_group_tests_name("reread", tests, NULL, NULL);
}
