/* Ranges as people write them. */
#include "tests/test.h"

#include "src/base/unit.h"
#include "src/etl/etl.h"
#include "src/export/part.h"
#include "src/filter/range.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t at(const char *text)
{
    int64_t ns;
    assert_true(unit_instant(text, &ns, NULL));
    return ns;
}

/* The trace: ten minutes in UTC+2 around a midnight there, or ten minutes by day. */
static void ranges_mean_instants(void **state)
{
    (void)state;
    static const struct {
        const char *first, *last, *range;
        const char *from, *to; /* NULL: the sentence is `sentence` */
        const char *sentence;
    } rows[] = {
#define DAY "2026-05-17T10:10:00Z", "2026-05-17T10:20:00.5Z"
        {DAY, "..", "2026-05-17T10:10:00Z", "2026-05-17T10:20:00.5Z", NULL},
        {DAY, "-30s..", "2026-05-17T10:19:30.5Z", "2026-05-17T10:20:00.5Z", NULL},
        {DAY, "-60s..-30s", "2026-05-17T10:19:00.5Z", "2026-05-17T10:19:30.5Z", NULL},
        {DAY, "..5s", "2026-05-17T10:10:00Z", "2026-05-17T10:10:05Z", NULL},
        {DAY, "1.5s..2m", "2026-05-17T10:10:01.5Z", "2026-05-17T10:12:00Z", NULL},
        {DAY, "90..1000ms", NULL, NULL, "ends before it begins"},
        {DAY, "10:15Z..10:16Z", "2026-05-17T10:15:00Z", "2026-05-17T10:16:00Z", NULL},
        {DAY, "12:15..12:16", "2026-05-17T10:15:00Z", "2026-05-17T10:16:00Z", NULL},
        {DAY, "12:15:00.25..12:15:30.5", "2026-05-17T10:15:00.25Z", "2026-05-17T10:15:30.5Z", NULL},
        {DAY, "2026-05-17T10:11:00Z..2026-05-17T10:12:00Z", "2026-05-17T10:11:00Z",
         "2026-05-17T10:12:00Z", NULL},
        {DAY, "2020-05-17T10:11:00Z..2029-05-17T10:12:00Z", "2026-05-17T10:10:00Z",
         "2026-05-17T10:20:00.5Z", NULL},
        {DAY, "1h..", NULL, NULL, "11:10:00.0000000Z on lies outside of the trace"},
        {DAY, "10:30Z..10:40Z", NULL, NULL, "lies outside of the trace"},
        {DAY, "..-1h", NULL, NULL, "lies outside of the trace"},
        {DAY, "2h..1h", NULL, NULL, "ends before it begins"},
        {DAY, "..08:00", NULL, NULL, "lies outside of the trace"},
        {DAY, "23:00..12:12", "2026-05-17T10:10:00Z", "2026-05-17T10:12:00Z", NULL},
        {DAY, "12:12..01:00", "2026-05-17T10:12:00Z", "2026-05-17T10:20:00.5Z", NULL},
        {DAY, "2026-05-17T12:11:00..", "2026-05-17T10:11:00Z", "2026-05-17T10:20:00.5Z", NULL},
        {DAY, "2026-05-17T12:11:00.25..2026-05-17T12:11:01", "2026-05-17T10:11:00.25Z",
         "2026-05-17T10:11:01Z", NULL},
        {DAY, "2026-05-17T12:11..", NULL, NULL, "expected a time"},
#define NIGHT "2026-05-17T21:55:00Z", "2026-05-17T22:05:00Z"
        {NIGHT, "23:56..00:01", "2026-05-17T21:56:00Z", "2026-05-17T22:01:00Z", NULL},
        {NIGHT, "23:50..00:06", "2026-05-17T21:55:00Z", "2026-05-17T22:05:00Z", NULL},
        {NIGHT, "..00:06", "2026-05-17T21:55:00Z", "2026-05-17T22:05:00Z", NULL},
        {NIGHT, "00:06..", NULL, NULL, "lies outside of the trace"},
        {NIGHT, "08:00..20:00", NULL, NULL, "lies outside of the trace"},
        {NIGHT, "00:01..", "2026-05-17T22:01:00Z", "2026-05-17T22:05:00Z", NULL},
        {NIGHT, "22:01Z..22:02Z", "2026-05-17T22:01:00Z", "2026-05-17T22:02:00Z", NULL},
        {DAY, "5s", NULL, NULL, "expected a range"},
        {DAY, "", NULL, NULL, "expected a range"},
        {DAY, "x..", NULL, NULL, "found 'x'"},
        {DAY, "..25:00", NULL, NULL, "found '25:00'"},
        {DAY, "10:15:99..", NULL, NULL, "found '10:15:99'"},
        {DAY, "10:15:..", NULL, NULL, "found '10:15:'"},
        {DAY, "10:15Zx..", NULL, NULL, "found '10:15Zx'"},
        {DAY, "-..", NULL, NULL, "expected a time"},
    };
    setenv("TZ", "XYZ-2", 1); /* two hours east of Greenwich */
    tzset();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct range r;
        struct err err = {""};
        int64_t from = 0, to = 0;
        const bool is_good =
            range_read(rows[i].range, &r, &err) &&
            range_resolve(&r, at(rows[i].first), at(rows[i].last), &from, &to, &err);
        if (is_good != (rows[i].sentence == NULL) ||
            (rows[i].sentence && !strstr(err.text, rows[i].sentence)))
            fail_msg("'%s': '%s'", rows[i].range, err.text);
        if (is_good && (from != at(rows[i].from) || to != at(rows[i].to)))
            fail_msg("'%s': %lld to %lld", rows[i].range, (long long)from, (long long)to);
    }
}

/* A trace whose clock is wild: times saturate, and what lies outside is the whole. */
static void times_without_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *range;
        int64_t first, last, from, to;
    } rows[] = {
        {"-1s..", INT64_MIN, INT64_MIN + 5, INT64_MIN, INT64_MIN + 5},
        {"-1s..", INT64_MIN, INT64_MAX, INT64_MAX - 1000000000, INT64_MAX},
        {"..1s", INT64_MAX - 5, INT64_MAX, INT64_MAX - 5, INT64_MAX},
        {"00:00Z..", INT64_MAX - 5, INT64_MAX, INT64_MAX - 5, INT64_MAX},
        {"00:00..", INT64_MIN, INT64_MIN + 5, INT64_MIN, INT64_MIN + 5},
        {"23:59:59..", INT64_MAX - 5, INT64_MAX, INT64_MAX, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct range r;
        struct err err = {""};
        int64_t from = 0, to = 0;
        assert_true(range_read(rows[i].range, &r, &err));
        if (!range_resolve(&r, rows[i].first, rows[i].last, &from, &to, &err))
            fail_msg("'%s' (%zu): '%s'", rows[i].range, i, err.text);
        if (from != rows[i].from || to != rows[i].to)
            fail_msg("'%s' (%zu): %lld to %lld", rows[i].range, i, (long long)from, (long long)to);
    }
}

/* Whoever asks for the range may take that back while the files are read: nothing is read any
 * further, and there is no range. */
struct patience {
    unsigned looks, most;
};

static bool is_at_its_end(void *of)
{
    struct patience *const p = of;
    return ++p->looks >= p->most;
}

static void reading_ends_when_it_is_given_up(void **state)
{
    (void)state;
    static const char *const path = "../shared/etl/msbuild-PerfViewData.etl";
    struct patience p = {0, 2};
    int64_t from, to;
    struct part_options o = {.files = &path, .file_count = 1, .range = ".."};
    assert_int_equal(part_range(&o, &from, &to, stderr), 0);
    assert_true(from > 0 && to > from);
    o.is_given_up = is_at_its_end;
    o.of = &p;
    assert_int_equal(part_range(&o, &from, &to, stderr), 0);
    assert_int_equal(from, 0);
    assert_int_equal(to, 0);
    assert_int_equal(p.looks, 3); /* before two batches, and behind the files */
}

/* A .zst is unpacked before anything of it is read. */
static void unpacking_ends_when_it_is_given_up(void **state)
{
    (void)state;
    static const char *const path = "../shared/etl/etwanalyzer-TraceLoggingTester.etl.zst";
    struct patience whole = {0, UINT_MAX}, p = {0, 3};
    struct err err = {""};
    struct etl_file *f = etl_open_until(path, is_at_its_end, &whole, &err);
    assert_non_null(f);
    etl_close(f);
    assert_true(whole.looks > 3);
    assert_null(etl_open_until(path, is_at_its_end, &p, &err));
    assert_string_equal(
        err.text,
        "../shared/etl/etwanalyzer-TraceLoggingTester.etl.zst: given up while it was unpacked");
    assert_int_equal(p.looks, 3);
    int64_t from, to;
    p = (struct patience){0, whole.looks};
    const struct part_options o = {
        .files = &path, .file_count = 1, .range = "..", .is_given_up = is_at_its_end, .of = &p};
    assert_int_equal(part_range(&o, &from, &to, stderr), 0);
    assert_int_equal(to, 0);
    assert_int_equal(p.looks, whole.looks + 2); /* no batch: why nothing came, behind the files */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_mean_instants),
        cmocka_unit_test(times_without_bounds),
        cmocka_unit_test(reading_ends_when_it_is_given_up),
        cmocka_unit_test(unpacking_ends_when_it_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
