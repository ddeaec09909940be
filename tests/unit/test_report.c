/* Pages that a thread makes: their lines, and what happens while they are made. */
#include "tests/test.h"

#include "src/os/os.h"
#include "ui/state/report.h"

#include <stdio.h>
#include <string.h>

static void make_lines(const void *state, enum report_kind kind, FILE *out, const _Atomic bool *stop)
{
    (void)stop;
    fprintf(out, "%s %d\n\nlast", (const char *)state, (int)kind);
}

static void lines_are_those_that_were_written(void **state)
{
    (void)state;
    static const char *const lines[] = {"page 1", "", "last"};
    const struct report_source source = {make_lines, "page"};
    struct report *const r = report_new(&source, REPORT_MACHINE, true);
    size_t bytes;
    assert_true(report_is_busy(r)); /* until it is taken */
    assert_null(report_line(r, 0, &bytes));
    assert_true(report_take(r));
    assert_false(report_take(r));
    assert_false(report_is_busy(r));
    for (size_t i = 0; i < 3; i++) {
        const char *const line = report_line(r, i, &bytes);
        assert_non_null(line);
        assert_int_equal(bytes, strlen(lines[i]));
        assert_memory_equal(line, lines[i], bytes);
    }
    assert_null(report_line(r, 3, &bytes));
    report_free(r);
}

static void make_nothing(const void *state, enum report_kind kind, FILE *out, const _Atomic bool *stop)
{
    (void)state, (void)kind, (void)out, (void)stop;
}

static void make_much(const void *state, enum report_kind kind, FILE *out, const _Atomic bool *stop)
{
    (void)state, (void)kind, (void)stop;
    for (unsigned i = 0; i < 3000000; i++)
        fputs("xy\n", out);
}

static void pages_are_bounded(void **state)
{
    (void)state;
    const struct report_source none = {make_nothing, NULL}, much = {make_much, NULL};
    size_t bytes, count = 0;
    struct report *r = report_new(&none, REPORT_INFO, true);
    assert_true(report_take(r));
    assert_null(report_line(r, 0, &bytes));
    report_free(r);
    r = report_new(&much, REPORT_INFO, true);
    assert_true(report_take(r));
    while (report_line(r, count, &bytes))
        count++;
    assert_int_equal(count, 1 << 16);
    report_free(r);
}

static void make_for_ever(const void *state, enum report_kind kind, FILE *out, const _Atomic bool *stop)
{
    (void)state, (void)kind, (void)out;
    while (!*stop)
        os_sleep(1000000);
}

static void one_that_is_not_wanted_any_more_is_stopped(void **state)
{
    (void)state;
    const struct report_source source = {make_for_ever, NULL};
    struct report *const r = report_new(&source, REPORT_INFO, false);
    assert_false(report_take(r));
    assert_true(report_is_busy(r));
    report_free(r);
    report_free(NULL);
    assert_false(report_is_busy(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_that_were_written),
        cmocka_unit_test(pages_are_bounded),
        cmocka_unit_test(one_that_is_not_wanted_any_more_is_stopped),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
