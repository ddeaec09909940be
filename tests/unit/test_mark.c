/* Marks: as lines between processes, as records, what is refused. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/event/mark.h"
#include "src/event/tracelogging.h"
#include "src/event/tracetop_provider.h"
#include "src/os/os.h"

#include <stdio.h>
#include <string.h>

static struct new_mark mark_with(const char *text, const char *const *fields)
{
    struct new_mark m = {.level = 0};
    struct err err;
    mark_text(m.text, text);
    for (; *fields; fields++)
        assert_true(mark_add_field(&m, *fields, &err));
    return m;
}

static struct new_mark sent(const struct new_mark *m)
{
    char line[MARK_LINE];
    struct new_mark got;
    struct err err = {""};
    assert_true(mark_write(m, line, &err));
    assert_null(strchr(line, '\n'));
    assert_true(mark_read(line, &got, &err));
    return got;
}

static void lines_keep_all(void **state)
{
    (void)state;
    struct new_mark m =
        mark_with("fetch = failed", (const char *const[]){"order=17", "who=", NULL});
    m.level = 3;
    m.pid = 4711;
    m.tid = UINT32_MAX;
    m.asked_ns = INT64_MAX;
    const struct new_mark got = sent(&m);
    assert_memory_equal(&got, &m, sizeof m);
    const struct new_mark plain = mark_with("here", (const char *const[]){NULL});
    char line[MARK_LINE];
    struct err err;
    assert_true(mark_write(&plain, line, &err));
    assert_string_equal(line, "here");
}

/* What separates the parts cannot be in one of them. */
static void a_text_cannot_make_fields(void **state)
{
    (void)state;
    struct new_mark m = mark_with("a\x1f"
                                  "b=1",
                                  (const char *const[]){"x=2\x1fy=3", NULL});
    const struct new_mark got = sent(&m);
    assert_int_equal(got.field_count, 1);
    assert_string_equal(got.fields[0].value, "2 y=3");
    assert_string_equal(got.text, "a b=1");
}

static void others_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "\x1f",
        "\x1f"
        "1 2 3",
        "\x1f"
        "1 2 3 4", /* no text */
        "\x1f"
        "6 2 3 4\x1ftext", /* no such level */
        "\x1f"
        "-1 2 3 4\x1ftext",
        "\x1f"
        "1 4294967296 3 4\x1ftext",
        "\x1f"
        "1 2 3 9223372036854775808\x1ftext",
        "\x1f"
        "1 2 3 4 \x1ftext",
        "\x1f"
        "1 2 3 4\x1fname\x1ftext", /* no value */
        "\x1f"
        "1 2 3 4\x1f=value\x1ftext",
        "\x1f"
        "1 2 3 4\x1f"
        "1st=value\x1ftext",
        "\x1f"
        "1 2 3 4\x1f"
        "a,b:u8=value\x1ftext", /* a description of its own */
        "\x1f"
        "1 2 3 4\x1f"
        "a=1\x1f"
        "a=2\x1ftext",
        "\x1f"
        "1 2 3 4\x1ftext=1\x1ftext",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct new_mark m;
        struct err err = {""};
        if (mark_read(lines[i], &m, &err) || !err.text[0])
            fail_msg("line %zu was taken", i);
    }
    struct new_mark many = {.level = 0};
    struct err err;
    char field[MARK_NAME + 2 * MARK_TEXT], line[MARK_LINE];
    for (unsigned i = 0; i < MARK_FIELDS; i++) {
        snprintf(field, sizeof field, "f%u=%0300u", i, i);
        assert_true(mark_add_field(&many, field, &err));
    }
    assert_false(mark_add_field(&many, "more=1", &err));
    assert_false(mark_write(&many, line, &err)); /* sixteen of 255 bytes */
    assert_non_null(strstr(err.text, "4096"));
}

static void times_go_back_a_little(void **state)
{
    (void)state;
    const int64_t now = 1000000000000000000;
    struct new_mark m = {.asked_ns = os_now() - 20000000};
    int64_t last = 0;
    const int64_t made = mark_time(&m, now, &last);
    assert_true(made <= now - 20000000 && made >= now - 300000000);
    assert_true(last == made);
    last = 0;
    m.asked_ns = 1; /* of another boot */
    assert_true(mark_time(&m, now, &last) == now - 300000000);
    m.asked_ns = INT64_MAX;
    assert_true(mark_time(&m, now, &last) == now);
    m.asked_ns = 0;
    assert_true(mark_time(&m, now, &last) == now);
    m.asked_ns = 1;
    assert_true(mark_time(&m, now, &last) == now); /* not before the last one */
}

/* ---- records ---------------------------------------------------------------------------------- */

static struct event event_of(struct mark_record *r, const struct new_mark *m)
{
    struct event e;
    mark_record_make(r, 77, m);
    assert_int_equal(event_of_record(&r->head, &e), EVENT_OK);
    assert_true(e.ts == 77);
    return e;
}

static void plain_ones_are_of_the_kernel(void **state)
{
    (void)state;
    struct mark_record r;
    const struct new_mark m = mark_with("here", (const char *const[]){NULL});
    const struct event e = event_of(&r, &m);
    assert_int_equal(e.kind, HEADER_PERFINFO);
    assert_int_equal(e.id, 0x0f22);
    assert_int_equal(e.payload_bytes, 5);
    assert_string_equal((const char *)e.payload, "here");
}

static void fields_have_types(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "whole=-17", "real=1.5", "zip=0815", "big=1e9",
        "dot=1.",    "none=",    "zero=0",   "far=99999999999999999999",
        "word=a b",  "minus=-",  NULL};
    static const struct {
        const char *name;
        enum field_type type;
    } expected[] = {{"text", FIELD_ASTR}, {"whole", FIELD_I64}, {"real", FIELD_F64},
                    {"zip", FIELD_ASTR},  {"big", FIELD_ASTR},  {"dot", FIELD_ASTR},
                    {"none", FIELD_ASTR}, {"zero", FIELD_I64},  {"far", FIELD_ASTR},
                    {"word", FIELD_ASTR}, {"minus", FIELD_ASTR}};
    struct mark_record r;
    struct new_mark m = mark_with("typed", fields);
    m.level = 2;
    m.pid = 12;
    m.tid = 13;
    const struct event e = event_of(&r, &m);
    assert_string_equal(tracetop_event_name(&e), "Mark");
    assert_int_equal(e.level, 2);
    assert_int_equal(e.pid, 12);
    assert_int_equal(e.tid, 13);
    struct tracelogging t;
    struct decoded d[DECODE_FIELDS];
    assert_true(tracelogging_read(&e, &t));
    const unsigned count = decode_fields(&t.layout, &e, d, DECODE_FIELDS);
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (unsigned i = 0; i < count; i++) {
        assert_true(d[i].is_present);
        assert_string_equal(d[i].field->name, expected[i].name);
        assert_int_equal(d[i].field->type, expected[i].type);
    }
    assert_true((int64_t)d[1].number == -17);
    double real;
    memcpy(&real, d[2].data, sizeof real);
    assert_true(real == 1.5);
}

/* As many and as long as they can be. */
static void the_largest_fits(void **state)
{
    (void)state;
    struct mark_record r;
    struct new_mark m = {.level = 1};
    struct err err;
    char field[MARK_NAME + 2 * MARK_TEXT];
    memset(m.text, 'x', sizeof m.text - 1);
    for (unsigned i = 0; i < MARK_FIELDS; i++) {
        snprintf(field, sizeof field, "n%062u=v%0400u", i, i);
        assert_true(mark_add_field(&m, field, &err));
    }
    const struct event e = event_of(&r, &m);
    const char *text;
    assert_true(tracetop_event_text(&e, m.fields[MARK_FIELDS - 1].name, &text));
    assert_string_equal(text, m.fields[MARK_FIELDS - 1].value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_keep_all),
        cmocka_unit_test(a_text_cannot_make_fields),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(times_go_back_a_little),
        cmocka_unit_test(plain_ones_are_of_the_kernel),
        cmocka_unit_test(fields_have_types),
        cmocka_unit_test(the_largest_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
