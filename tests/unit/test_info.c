/* `info` over every real trace, against counts that other people's parsers made; what it and
 * `machine` say of real computers. */
#include "tests/shared.h"
#include "tests/test.h"

#include "src/export/info.h"
#include "src/export/machine.h"

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

/* The page of both, to be freed. */
static char *machine_of(const char *const *files, size_t count, bool is_json)
{
    char *text, *errors;
    size_t bytes, error_bytes;
    FILE *const out = open_memstream(&text, &bytes), *const err = open_memstream(&errors, &error_bytes);
    const struct machine_options o = {.files = files, .file_count = count, .is_json = is_json};
    assert_true(out && err);
    const int status = machine_run(&o, out, err);
    fclose(out);
    fclose(err);
    if (status != 0)
        fail_msg("%s: status %d: %s", files[0], status, errors);
    free(errors);
    return text;
}

static unsigned occurrences(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

static void a_machine_is_described_once(void **state)
{
    (void)state;
    static const char *const says[] = {
        "  host             JEFFSCHW-GC2\n",
        "  memory           3.50 GiB\n",
        "  0     100 GiB  512     1           yes          C     Virtual HD ATA Device\n",
        "  C:      0     100 GiB  75.2 GiB  NTFS\n",
        "  Microsoft Hyper-V Network Adapter  00:1d:d8:b8:2a:01  2001:4898:",
        "  running  452   AeLookupSvc                     svchost.exe        netsvcs ",
        "Windows\n"
        "  product    Windows 7 Enterprise\n"
        "  version    6.1\n"
        "  build      7601\n"
        "  build lab  7601.19160.amd64fre.win7sp1_gdr.160211-0600\n"
        "  folder     C:\\Windows\\\n"
        "  booted     2016-05-25T23:48:30.1250000Z\n",
    };
    glob_t found = shared_files("../shared/etl/perfview-win7-PerfViewData.etl.zst");
    const char *const file = found.gl_pathv[0], *const twice[] = {file, file};
    char *const page = machine_of(&file, 1, false), *const again = machine_of(twice, 2, false);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (!strstr(page, says[i]))
            fail_msg("'%s' is not in:\n%s", says[i], page);
    assert_string_equal(page, again);
    char *const json = machine_of(&file, 1, true);
    assert_int_equal(occurrences(json, "{\"state\":"), 164); /* of the trace's records */
    free(json);
    free(again);
    free(page);
    globfree(&found);
}

/* Records of several kinds fill one list: the header, a merge tool's records, and nodes and groups.
 */
static void lists_are_filled_by_several_records(void **state)
{
    (void)state;
    static const char *const says[] = {
        "  revision   4652\n",
        "  installed  2025-02-04T07:49:28.0000000Z\n  booted     2025-07-10T10:09:19.5000000Z\n",
        "Topology\n  processors        20\n  NUMA nodes        1\n  processor groups  1\n",
    };
    glob_t found = shared_files("../shared/etl/etwanalyzer-TraceLoggingTester.etl.zst");
    const char *const file = found.gl_pathv[0], *const twice[] = {file, file};
    char *const page = machine_of(&file, 1, false), *const again = machine_of(twice, 2, false);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (!strstr(page, says[i]))
            fail_msg("'%s' is not in:\n%s", says[i], page);
    assert_string_equal(page, again);
    free(again);
    free(page);
    globfree(&found);
}

static void a_trace_may_not_describe_its_machine(void **state)
{
    (void)state;
    glob_t found = shared_files("../shared/etl/tx-Process.etl.zst");
    const char *const file = found.gl_pathv[0];
    const struct machine_options o = {.files = &file, .file_count = 1};
    char *errors;
    size_t bytes;
    FILE *const err = open_memstream(&errors, &bytes);
    assert_int_equal(machine_run(&o, stdout, err), 1);
    fclose(err);
    assert_non_null(strstr(errors, "no description of the machine"));
    free(errors);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_events_have_a_provider),
                                       cmocka_unit_test(a_page_says_what_the_trace_does),
                                       cmocka_unit_test(a_machine_is_described_once),
                                       cmocka_unit_test(lists_are_filled_by_several_records),
                                       cmocka_unit_test(a_trace_may_not_describe_its_machine)};
    return cmocka_run_group_tests_name("info", tests, NULL, NULL);
}
