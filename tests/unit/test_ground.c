/* The ground floor: errors, guids, clocks, the byte cursor. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/err.h"
#include "src/base/guid.h"

static void guid_reads_back(void **state)
{
    (void)state;
    struct guid g;
    char text[GUID_TEXT];
    assert_true(guid_parse("{3D6FA8D4-FE05-11D0-9DDA-00C04FD7BA7C}", &g));
    assert_int_equal(g.b[0], 0xd4);
    assert_int_equal(g.b[15], 0x7c);
    assert_string_equal(guid_format(&g, text), "3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c");
    assert_false(guid_parse("3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7", &g));
    assert_false(guid_parse("{3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c", &g));
    assert_false(guid_parse("", &g));
}

static void clock_is_exact(void **state)
{
    (void)state;
    /* perfview-win7: first record 737398659705 at 2016-05-26T20:17:22.478931Z */
    const struct trace_clock qpc =
        trace_clock_make(CLOCK_QPC, 737398659705, 131087674424789310, 10000000);
    char text[CLOCK_TEXT];
    assert_string_equal(clock_format_iso(trace_clock_ns(&qpc, 737398659705), text),
                        "2016-05-26T20:17:22.4789310Z");
    assert_string_equal(clock_format_iso(trace_clock_ns(&qpc, 737472226046), text),
                        "2016-05-26T20:17:29.8355651Z");
    const struct trace_clock odd = trace_clock_make(CLOCK_QPC, 1000, FILETIME_UNIX_EPOCH, 3119142);
    assert_int_equal(trace_clock_ns(&odd, 1000 + 3119142LL * 86400), 86400LL * 1000000000);
    assert_int_equal(trace_clock_ns(&odd, 1000 - 3119142), -1000000000);
    assert_int_equal(trace_clock_span_ns(&odd, INT64_MAX), INT64_MAX);
    assert_int_equal(trace_clock_raw(&odd, 86400LL * 1000000000), 1000 + 3119142LL * 86400);
    assert_string_equal(clock_format_iso(-1, text), "1969-12-31T23:59:59.9999999Z");
    assert_string_equal(clock_format_iso(951782400000000000, text), "2000-02-29T00:00:00.0000000Z");
}

static void filetimes_beyond_our_times_are_none(void **state)
{
    (void)state;
    const uint64_t epoch = FILETIME_UNIX_EPOCH, most = epoch + INT64_MAX / 100;
    assert_int_equal(clock_of_filetime(0), 0);
    assert_int_equal(clock_of_filetime(epoch), 0);
    assert_int_equal(clock_of_filetime(epoch + 1), 100);
    assert_int_equal(clock_of_filetime(most), INT64_MAX / 100 * 100);
    assert_int_equal(clock_of_filetime(most + 1), 0);
    assert_int_equal(clock_of_filetime((uint64_t)INT64_MIN), 0);
    assert_int_equal(clock_of_filetime(UINT64_MAX), 0);
    assert_int_equal(clock_filetime(clock_of_filetime(131087674424789310)), 131087674424789310);
}

static void cursor_marks_the_end(void **state)
{
    (void)state;
    const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7};
    struct bytes b = bytes_of(data, sizeof data);
    assert_int_equal(bytes_u16(&b), 0x0201);
    assert_int_equal(bytes_u32(&b), 0x06050403);
    assert_false(b.bad);
    assert_int_equal(bytes_u16(&b), 0);
    assert_true(b.bad);
    assert_int_equal(bytes_u8(&b), 0);
}

static void fail_writes_a_message(void **state)
{
    (void)state;
    struct err err;
    assert_false(fail(&err, "expected %d, found %d", 1, 2));
    assert_string_equal(err.text, "expected 1, found 2");
    assert_false(fail(NULL, "nobody listens"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guid_reads_back),
        cmocka_unit_test(clock_is_exact),
        cmocka_unit_test(filetimes_beyond_our_times_are_none),
        cmocka_unit_test(cursor_marks_the_end),
        cmocka_unit_test(fail_writes_a_message),
    };
    return cmocka_run_group_tests_name("ground", tests, NULL, NULL);
}
