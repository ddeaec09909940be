/* Events that describe themselves: a record typed by hand, cut at every length, and those of
 * real traces, whose payloads must end where their own descriptions say. */
#include "tests/shared.h"
#include "tests/test.h"

#include "src/etl/etl.h"
#include "src/event/tracelogging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An EVENT_HEADER (80 bytes) of provider 01020304-…, two extended items, then the payload:
 *   schema (type 11): size, tags (two bytes), "Hit", fields
 *     n     UInt32          p  UInt64, shown as hex     s  text (UTF-8)
 *     w     UTF-16 text     l  list of UInt16 (no type of ours: the rest)
 *   traits (type 12): size, "Made" */
static const uint8_t record[] = {
    0x00, 0x00, 0x13, 0xc0, 0x01, 0x00, 0x00, 0x00, /* size below; type 19; extended */
    0x07, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, /* thread 7, process 8 */
    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* time */
    0x04, 0x03, 0x02, 0x01, 0x06, 0x05, 0x08, 0x07, /* provider */
    0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10,
    0x00, 0x00, 0x00, 0x0b, 0x04, 0x00, 0x00, 0x00, /* id, version, channel, level … */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* keyword */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* times of processor */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* activity */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    /* 80: schema, 8 + 25 bytes, padded to 40 */
    0x28, 0x00, 0x0b, 0x00, 0x01, 0x00, 0x19, 0x00,
    0x19, 0x00, 0x80, 0x00, 'H', 'i', 't', 0x00,
    'n', 0x00, 0x08,
    'p', 0x00, 0x8a, 0x04,
    's', 0x00, 0x82, 0x23,
    'w', 0x00, 0x01,
    'l', 0x00, 0x46, /* 33 bytes so far */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    /* 120: traits, 8 + 7 bytes, padded to 16 … */
    0x10, 0x00, 0x0c, 0x00, 0x00, 0x00, 0x07, 0x00,
    0x07, 0x00, 'M', 'a', 'd', 'e', 0x00, 0x00,
    /* 136: payload */
    0x2a, 0x00, 0x00, 0x00,
    0xef, 0xbe, 0xad, 0xde, 0x01, 0x00, 0x00, 0x00,
    'o', 'n', 'e', 0x00,
    't', 0x00, 0xe9, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x05, 0x00, 0x06, 0x00,
};

static void put_size(uint8_t *at, size_t bytes)
{
    at[0] = (uint8_t)bytes;
    at[1] = (uint8_t)(bytes >> 8);
}

static void a_description_is_read(void **state)
{
    (void)state;
    uint8_t copy[sizeof record];
    struct event e;
    struct tracelogging d;
    memcpy(copy, record, sizeof record);
    put_size(copy, sizeof record);
    assert_int_equal(event_parse(copy, sizeof copy, &e), EVENT_OK);
    assert_true(tracelogging_read(&e, &d));
    assert_string_equal(d.provider, "Made");
    assert_string_equal(d.event, "Hit");
    static const char *const expected[][2] = {
        {"n", "42"}, {"p", "0x1deadbeef"}, {"s", "one"}, {"w", "t\u00e9"}, {"l", "020005000600"}};
    struct decoded fields[DECODE_FIELDS];
    assert_int_equal(decode_fields(&d.layout, &e, fields, DECODE_FIELDS), 5);
    for (unsigned i = 0; i < 5; i++) {
        char text[64];
        decode_format(&fields[i], text, sizeof text);
        assert_string_equal(fields[i].field->name, expected[i][0]);
        assert_string_equal(text, expected[i][1]);
    }
    struct tracelogging room;
    assert_ptr_equal(tracelogging_layout(&e, &room), &room.layout);
    const uint32_t hash = tracelogging_hash(&e);
    assert_int_not_equal(hash, 0);
    copy[80 + 12] = 'B'; /* "Bit" */
    assert_int_not_equal(tracelogging_hash(&e), hash);
}

/* Every size of record and every size of the schema, from copies of just that size. */
static void cut_descriptions_do_no_harm(void **state)
{
    (void)state;
    enum { SCHEMA = 80, SCHEMA_BYTES = 25 };
    for (size_t bytes = 80; bytes <= sizeof record; bytes++)
        for (size_t schema = 0; schema <= SCHEMA_BYTES; schema++) {
            uint8_t *const copy = malloc(bytes);
            struct event e;
            struct tracelogging d;
            struct decoded fields[DECODE_FIELDS];
            memcpy(copy, record, bytes);
            put_size(copy, bytes);
            if (bytes > SCHEMA + 8)
                copy[SCHEMA + 6] = (uint8_t)schema;
            if (event_parse(copy, bytes, &e) == EVENT_OK && tracelogging_read(&e, &d)) {
                assert_true(d.layout.field_count <= 5);
                decode_fields(&d.layout, &e, fields, DECODE_FIELDS);
            }
            tracelogging_hash(&e);
            free(copy);
        }
}

struct tally {
    unsigned tracelogging, whole;
};

static void check_event(struct tally *t, const struct event *e, const char *file)
{
    struct tracelogging d;
    struct decoded fields[DECODE_FIELDS];
    if (!tracelogging_read(e, &d))
        return;
    t->tracelogging++;
    assert_true(d.event[0] && tracelogging_hash(e));
    const unsigned count = decode_fields(&d.layout, e, fields, DECODE_FIELDS);
    size_t end = 0;
    for (unsigned i = 0; i < count; i++)
        end = fields[i].end > end ? fields[i].end : end;
    if (end != e->payload_bytes)
        fail_msg("%s: %s: %zu of %u bytes consumed", file, d.event, end, e->payload_bytes);
    t->whole += !count || d.fields[count - 1].type != FIELD_BYTES;
}

static void real_descriptions_fit_their_payloads(void **state)
{
    (void)state;
    struct tally t = {0};
    glob_t files = shared_files("../shared/etl/*.etl*");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct err err;
        struct event e;
        struct etl_file *const file = etl_open(files.gl_pathv[i], &err);
        if (!file)
            fail_msg("%s: %s", files.gl_pathv[i], err.text);
        while (etl_next(file, &e, &err) == ETL_EVENT)
            check_event(&t, &e, files.gl_pathv[i]);
        etl_close(file);
    }
    globfree(&files);
    print_message("%u described events, %u of them to their last field\n", t.tracelogging, t.whole);
    assert_in_range(t.tracelogging, 150, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_is_read),
        cmocka_unit_test(cut_descriptions_do_no_harm),
        cmocka_unit_test(real_descriptions_fit_their_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
