/* A filter typed over recordings that were read already against the same filter on from the first
 * event; tests/live/live_record.c asks the same of a recording of this machine. */
#include "tests/retro.h"
#include "tests/shared.h"

static void of_kernel_events(void **state)
{
    (void)state;
    static const struct retro_question asked[] = {
        {.pane = "processes", .filter = "proc=svchost.exe lat>=1ms"},
        {.pane = "disk", .filter = "op=read size>=4K lat>2ms"},
        {.pane = "files", .filter = "path~/\\.dll$/ !proc=System"},
        {.pane = "cpu", .filter = "cpu=1 ready>100us"},
        {.pane = "events", .filter = "event=Read | event=Write"},
        {.pane = "stacks", .filter = "module:ntdll"},
        {.pane = "disk", .filter = "stack:ntfs"},
    };
    glob_t found = shared_files("../shared/etl/perfview-win7-PerfViewData.etl.zst");
    const unsigned rows = retro_compare(found.gl_pathv[0], asked, sizeof asked / sizeof *asked);
    print_message("%u rows\n", rows);
    assert_true(rows > 400);
    globfree(&found);
}

static void of_other_events(void **state)
{
    (void)state;
    static const struct retro_question asked[] = {
        {.pane = "rates", .filter = "provider:Http"}, {.pane = "events", .filter = "event:Send"}, {.pane = "processes", .filter = "pid>4"}};
    glob_t found = shared_files("../shared/etl/tx-*.etl");
    for (size_t i = 0; i < found.gl_pathc; i++)
        print_message("%s: %u rows\n", found.gl_pathv[i],
                      retro_compare(found.gl_pathv[i], asked, sizeof asked / sizeof *asked));
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_kernel_events),
        cmocka_unit_test(of_other_events),
    };
    return cmocka_run_group_tests_name("retroactive", tests, NULL, NULL);
}
