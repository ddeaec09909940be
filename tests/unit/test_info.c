/* `info` over every real trace, against counts that other people's parsers made, and what it says of
 * one machine. */
#include "tests/shared.h"
#include "tests/test.h"

#include "src/export/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The page, to be freed. */
static char *page_of(const char *file, bool is_json)
{
    char *text, *errors;
    size_t bytes, error_bytes;
    FILE *const out = open_memstream(&text, &bytes), *const err = open_memstream(&errors, &error_bytes);
    const struct info_options o = {.files = &file, .file_count = 1, .is_json = is_json};
    assert_true(out && err);
    const int status = info_run(&o, out, err);
    fclose(out);
    fclose(err);
    if (status != 0 && status != 6)
        fail_msg("%s: status %d: %s", file, status, errors);
    free(errors);
    return text;
}

/* The number behind each "key": in the text from `at` on; *count of them are added up. */
static uint64_t sum_of(const char *at, const char *key, unsigned *count)
{
    uint64_t sum = 0;
    for (*count = 0; (at = strstr(at, key)) != NULL; (*count)++)
        sum += strtoull(at += strlen(key), NULL, 10);
    return sum;
}

static uint64_t independent_count(const char *counts)
{
    char line[512];
    uint64_t total = UINT64_MAX;
    FILE *const f = fopen(counts, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "# total_events %" SCNu64, &total) == 1)
            break;
    fclose(f);
    return total;
}

static void all_events_have_a_provider(void **state)
{
    (void)state;
    glob_t found = shared_files("../shared/etl/*.counts.tsv");
    unsigned files = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char file[512];
        const size_t stem = strlen(found.gl_pathv[i]) - strlen(".counts.tsv");
        snprintf(file, sizeof file, "%.*s.etl", (int)stem, found.gl_pathv[i]);
        if (access(file, R_OK) != 0)
            snprintf(file, sizeof file, "%.*s.etl.zst", (int)stem, found.gl_pathv[i]);
        if (access(file, R_OK) != 0)
            continue;
        unsigned rows, once;
        char *const page = page_of(file, true), *const list = strstr(page, "\"providers\":[");
        assert_non_null(list);
        *list = '\0';
        const uint64_t total = sum_of(page, "\"events\":", &once);
        const uint64_t sum = sum_of(list + 1, "\"events\":", &rows);
        print_message("%s: %" PRIu64 " events of %u providers\n", file, sum, rows);
        assert_int_equal(once, 1);
        assert_int_equal(sum, total);
        assert_int_equal(total, independent_count(found.gl_pathv[i]));
        free(page);
        files++;
    }
    globfree(&found);
    assert_true(files > 0);
}

/* SystemConfig says more of a machine than the log header; providers have names that stand in the
 * trace behind their events. */
static void a_page_says_what_the_trace_does(void **state)
{
    (void)state;
    static const struct {
        const char *file, *says;
    } rows[] = {
        {"../shared/etl/perfview-win7-PerfViewData.etl.zst", "  system       Windows 6.1, build 7601\n"},
        {"../shared/etl/perfview-win7-PerfViewData.etl.zst",
         "  machine      4 processors at 2993 MHz, 3.50 GiB of memory\n"},
        {"../shared/etl/perfview-win7-PerfViewData.etl.zst", "  Microsoft-Windows-DNS-Client\n"},
        {"../shared/etl/msbuild-PerfViewData.etl", "  Microsoft-Build\n"},
        {"../shared/etl/tx-HTTP_Server.etl", "  size         288 KiB in 36 buffers of 8 KiB, sequential\n"},
        {"../shared/etl/tx-HTTP_Server.etl", "           -           -  EventTraceEvent\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        glob_t found = shared_files(rows[i].file);
        char *const page = page_of(found.gl_pathv[0], false);
        if (!strstr(page, rows[i].says))
            fail_msg("'%s' is not in:\n%s", rows[i].says, page);
        free(page);
        globfree(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_events_have_a_provider),
                                       cmocka_unit_test(a_page_says_what_the_trace_does)};
    return cmocka_run_group_tests_name("info", tests, NULL, NULL);
}
