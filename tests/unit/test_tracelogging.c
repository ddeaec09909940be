/* Events that describe themselves: a record typed by hand, cut at every length, and those of
 * real traces, whose payloads must end where their own descriptions say. */
#include "tests/shared.h"
#include "tests/test.h"

#include "src/etl/etl.h"
#include "src/event/tracelogging.h"
#include "src/event/error_names.h"
#include "src/event/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An EVENT_HEADER (80 bytes) of provider 01020304-…, two extended items, then the payload:
 *   schema (type 11): size, tags (two bytes), "Hit", fields
 *     n     UInt32          p  UInt64, shown as hex     s  text (UTF-8)
 *     w     UTF-16 text     l  list of UInt16, counted
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
        {"n", "42"}, {"p", "0x1deadbeef"}, {"s", "one"}, {"w", "t\u00e9"}, {"l", "5,6"}};
    struct decoded fields[DECODE_FIELDS];
    assert_int_equal(decode_fields(&d.layout, &e, fields, DECODE_FIELDS), 5);
    for (unsigned i = 0; i < 5; i++) {
        char text[64];
        decode_format(&fields[i], text, sizeof text);
        assert_string_equal(fields[i].field->name, expected[i][0]);
        assert_string_equal(text, expected[i][1]);
    }
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

/* ---- every type -------------------------------------------------------------------------- */

/* A description and a payload in the making, and the event of both. */
struct made {
    uint8_t items[65536], payload[65536];
    size_t item_bytes, payload_bytes;
    struct event event;
};

enum { ITEM_HEAD = 8, SCHEMA_TL = 11 };

static void describe(struct made *m, const void *bytes, size_t count)
{
    assert_true(m->item_bytes + count <= sizeof m->items);
    memcpy(m->items + m->item_bytes, bytes, count);
    m->item_bytes += count;
}

static void carry(struct made *m, const void *bytes, size_t count)
{
    assert_true(m->payload_bytes + count <= sizeof m->payload);
    memcpy(m->payload + m->payload_bytes, bytes, count);
    m->payload_bytes += count;
}

static struct made *begin(void)
{
    static struct made m;
    m.item_bytes = ITEM_HEAD;
    m.payload_bytes = 0;
    memset(m.items, 0, ITEM_HEAD);
    m.items[2] = SCHEMA_TL;
    describe(&m, "\0\0" "\0" "All", 7); /* size below, no tags, name */
    return &m;
}

static const struct event *end(struct made *m)
{
    const size_t schema = m->item_bytes - ITEM_HEAD;
    put_size(m->items + 6, schema);
    put_size(m->items + 8, schema);
    const uint8_t zeros[8] = {0};
    describe(m, zeros, (8 - m->item_bytes % 8) % 8);
    put_size(m->items, m->item_bytes);
    m->event = (struct event){.kind = HEADER_MANIFEST,
                              .pointer = 8,
                              .extended = m->items,
                              .extended_bytes = (uint32_t)m->item_bytes,
                              .payload = m->payload,
                              .payload_bytes = (uint32_t)m->payload_bytes};
    return &m->event;
}

/* Types, a value of each, and how it is shown: as text and in JSON. */
#define BYTES_OF(literal) (literal), sizeof(literal) - 1
static const struct {
    const char *meta; /* behind the name */
    size_t meta_bytes;
    const char *value;
    size_t value_bytes;
    const char *text, *json;
} every_type[] = {
    {BYTES_OF("\x00"), BYTES_OF(""), "null", "null"},
    {BYTES_OF("\x01"), BYTES_OF("h\0\xe9\0\0\0"), "h\u00e9", "\"h\u00e9\""},
    {BYTES_OF("\x02"), BYTES_OF("ansi\0"), "ansi", "\"ansi\""},
    {BYTES_OF("\x82\x23"), BYTES_OF("\xc3\xa9\0"), "\u00e9", "\"\u00e9\""},
    {BYTES_OF("\x03"), BYTES_OF("\x80"), "-128", "-128"},
    {BYTES_OF("\x04"), BYTES_OF("\xff"), "255", "255"},
    {BYTES_OF("\x05"), BYTES_OF("\0\x80"), "-32768", "-32768"},
    {BYTES_OF("\x06"), BYTES_OF("\xff\xff"), "65535", "65535"},
    {BYTES_OF("\x07"), BYTES_OF("\xff\xff\xff\xff"), "-1", "-1"},
    {BYTES_OF("\x08"), BYTES_OF("\xff\xff\xff\xff"), "4294967295", "4294967295"},
    {BYTES_OF("\x09"), BYTES_OF("\xfe\xff\xff\xff\xff\xff\xff\xff"), "-2", "-2"},
    {BYTES_OF("\x0a"), BYTES_OF("\xff\xff\xff\xff\xff\xff\xff\xff"), "18446744073709551615",
     "18446744073709551615"},
    {BYTES_OF("\x0b"), BYTES_OF("\x00\x00\x80\x3e"), "0.25", "0.25"},
    {BYTES_OF("\x0b"), BYTES_OF("\xcd\xcc\xcc\x3d"), "0.1", "0.1"},
    {BYTES_OF("\x0c"), BYTES_OF("\x1f\x85\xeb\x51\xb8\x1e\x09\x40"), "3.14", "3.14"},
    {BYTES_OF("\x0c"), BYTES_OF("\0\0\0\0\0\0\xf0\x7f"), "inf", "\"inf\""},
    {BYTES_OF("\x0d"), BYTES_OF("\1\0\0\0"), "true", "true"},
    {BYTES_OF("\x0e"), BYTES_OF("\3\0\xab\0\xcd"), "ab00cd", "\"ab00cd\""},
    {BYTES_OF("\x0e"), BYTES_OF("\0\0"), "", "\"\""},
    {BYTES_OF("\x0f"), BYTES_OF("\x04\x03\x02\x01\x06\x05\x08\x07\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"),
     "01020304-0506-0708-090a-0b0c0d0e0f10", "\"01020304-0506-0708-090a-0b0c0d0e0f10\""},
    {BYTES_OF("\x10"), BYTES_OF("\xef\xbe\0\0\1\0\0\0"), "0x10000beef", "\"0x10000beef\""},
    {BYTES_OF("\x11"), BYTES_OF("\x00\x40\x6d\x25\xeb\x53\xbf\x01"), "2000-01-01T00:00:00.0000000Z",
     "\"2000-01-01T00:00:00.0000000Z\""},
    {BYTES_OF("\x11"), BYTES_OF("\xff\xff\xff\xff\xff\xff\xff\xff"), "18446744073709551615",
     "\"18446744073709551615\""},
    {BYTES_OF("\x12"), BYTES_OF("\xea\x07\3\0\5\0\x1b\0\3\0\x39\0\x0b\0\7\0"),
     "2026-03-27T03:57:11.007", "\"2026-03-27T03:57:11.007\""},
    {BYTES_OF("\x92\x26"), BYTES_OF("\xea\x07\3\0\5\0\x1b\0\3\0\x39\0\x0b\0\7\0"),
     "2026-03-27T03:57:11.007Z", "\"2026-03-27T03:57:11.007Z\""},
    {BYTES_OF("\x13"), BYTES_OF("\1\2\0\0\0\0\0\5\x20\0\0\0\x21\2\0\0"), "S-1-5-32-545",
     "\"S-1-5-32-545\""},
    {BYTES_OF("\x14"), BYTES_OF("\x0d\xf0\xad\x0b"), "0xbadf00d", "\"0xbadf00d\""},
    {BYTES_OF("\x15"), BYTES_OF("\1\0\0\0\0\0\0\x80"), "0x8000000000000001",
     "\"0x8000000000000001\""},
    {BYTES_OF("\x16"), BYTES_OF("\4\0h\0i\0"), "hi", "\"hi\""},
    {BYTES_OF("\x17"), BYTES_OF("\2\0hi"), "hi", "\"hi\""},
    {BYTES_OF("\x97\x23"), BYTES_OF("\0\0"), "", "\"\""},
    {BYTES_OF("\x19"), BYTES_OF("\2\0\1\2"), "0102", "\"0102\""},
    /* out types */
    {BYTES_OF("\x84\x02"), BYTES_OF("A"), "A", "\"A\""},
    {BYTES_OF("\x86\x02"), BYTES_OF("\xe9\0"), "\u00e9", "\"\u00e9\""},
    {BYTES_OF("\x84\x03"), BYTES_OF("\1"), "true", "true"},
    {BYTES_OF("\x88\x03"), BYTES_OF("\0\0\0\0"), "false", "false"},
    {BYTES_OF("\x84\x04"), BYTES_OF("\x0a"), "0xa", "\"0xa\""},
    {BYTES_OF("\x85\x04"), BYTES_OF("\xff\xff"), "0xffff", "\"0xffff\""},
    {BYTES_OF("\x88\x05"), BYTES_OF("\4\0\0\0"), "4", "4"},
    {BYTES_OF("\x86\x07"), BYTES_OF("\x1f\x90"), "8080", "8080"},
    {BYTES_OF("\x88\x08"), BYTES_OF("\x7f\0\0\1"), "127.0.0.1", "\"127.0.0.1\""},
    {BYTES_OF("\x8e\x09"), BYTES_OF("\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"), "::1", "\"::1\""},
    {BYTES_OF("\x8e\x0a"), BYTES_OF("\x10\0\2\0\x1f\x90\x7f\0\0\1\0\0\0\0\0\0\0\0"),
     "127.0.0.1:8080", "\"127.0.0.1:8080\""},
    {BYTES_OF("\x8a\x10"), BYTES_OF("\x00\x40\x6d\x25\xeb\x53\xbf\x01"),
     "2000-01-01T00:00:00.0000000Z", "\"2000-01-01T00:00:00.0000000Z\""},
    {BYTES_OF("\x88\x11"), BYTES_OF("\xff\xff\xff\xff"), "-1", "-1"},
    {BYTES_OF("\x83\x12"), BYTES_OF("\xff"), "255", "255"},
    {BYTES_OF("\x8a\x25"), BYTES_OF("\xef\xbe\0\0\0\0\0\0"), "0xbeef", "\"0xbeef\""},
    {BYTES_OF("\x88\x7e"), BYTES_OF("\1\0\0\0"), "1", "1"},
    /* field tags in two groups */
    {BYTES_OF("\x88\x80\x81\x01"), BYTES_OF("\7\0\0\0"), "7", "7"},
    /* arrays, of a constant count and with their count before them */
    {BYTES_OF("\x26\3\0"), BYTES_OF("\1\0\2\0\3\0"), "1,2,3", "[1,2,3]"},
    {BYTES_OF("\x46"), BYTES_OF("\2\0\5\0\6\0"), "5,6", "[5,6]"},
    {BYTES_OF("\x46"), BYTES_OF("\0\0"), "", "[]"},
    {BYTES_OF("\x26\0\0"), BYTES_OF(""), "null", "null"},
    {BYTES_OF("\xc6\2"), BYTES_OF("\2\0h\0i\0"), "hi", "\"hi\""},
    {BYTES_OF("\xc4\3"), BYTES_OF("\2\0\1\0"), "true,false", "[true,false]"},
    {BYTES_OF("\x41"), BYTES_OF("\2\0a\0\0\0b\0\0\0"), "a,b", "[\"a\",\"b\"]"},
    {BYTES_OF("\x56"), BYTES_OF("\2\0\2\0a\0\0\0"), "a,", "[\"a\",\"\"]"},
    {BYTES_OF("\x4c"), BYTES_OF("\1\0\0\0\0\0\0\0\xf8\x3f"), "1.5", "[1.5]"},
    {BYTES_OF("\x53"), BYTES_OF("\1\0\1\1\0\0\0\0\0\5\x12\0\0\0"), "S-1-5-18", "[\"S-1-5-18\"]"},
    /* structures: of two, with one within, and as arrays */
    {BYTES_OF("\x98\2" "a\0\4" "b\0\x17"), BYTES_OF("\1\1\0x"), "{a=1 b=x}",
     "{\"a\":1,\"b\":\"x\"}"},
    {BYTES_OF("\x98\2" "a\0\x98\1" "i\0\4" "b\0\4"), BYTES_OF("\1\2"), "{a={i=1} b=2}",
     "{\"a\":{\"i\":1},\"b\":2}"},
    {BYTES_OF("\xd8\1" "s\0\2"), BYTES_OF("\2\0x\0y\0"), "{s=x},{s=y}",
     "[{\"s\":\"x\"},{\"s\":\"y\"}]"},
    {BYTES_OF("\xd8\1" "n\0\xd8\1" "i\0\4"), BYTES_OF("\2\0\1\0\7\2\0\x08\x09"),
     "{n={i=7}},{n={i=8},{i=9}}",
     "[{\"n\":[{\"i\":7}]},{\"n\":[{\"i\":8},{\"i\":9}]}]"},
    {BYTES_OF("\xb8\1\2\0" "i\0\4"), BYTES_OF("\1\2"), "{i=1},{i=2}", "[{\"i\":1},{\"i\":2}]"},
};
enum { TYPES = sizeof every_type / sizeof *every_type };

static void add_type(struct made *m, size_t i)
{
    char name[16];
    describe(m, name, (size_t)snprintf(name, sizeof name, "f%zu", i) + 1);
    describe(m, every_type[i].meta, every_type[i].meta_bytes);
    carry(m, every_type[i].value, every_type[i].value_bytes);
}

/* As jsonl has it: what stands behind "data" and before the end of the line. */
static const char *json_of(const struct event *e, const struct payload_layout *l)
{
    static char text[LINE_ROOM], value[LINE_VALUE];
    struct line line = {.at = text, .value = value};
    const struct line_event le = {.event = e, .layout = l, .owner = {EVENT_NO_ID, EVENT_NO_ID, NULL}};
    line_jsonl(&line, &le);
    line.at[-2] = '\0';
    const char *const data = strstr(text, ",\"data\":");
    assert_non_null(data);
    return data + strlen(",\"data\":");
}

static size_t end_of_fields(const struct decoded *fields, unsigned count)
{
    size_t end_of_all = 0;
    for (unsigned i = 0; i < count; i++)
        if (!fields[i].is_member && fields[i].is_present && fields[i].end > end_of_all)
            end_of_all = fields[i].end;
    return end_of_all;
}

/* Each type alone, as the last thing of a payload, and cut short by a byte. */
static void check_alone(size_t i)
{
    struct tracelogging d;
    struct decoded fields[DECODE_FIELDS];
    char text[256], expected[256];
    struct made *const m = begin();
    add_type(m, i);
    const struct event *e = end(m);
    assert_true(tracelogging_read(e, &d));
    const unsigned count = decode_fields(&d.layout, e, fields, DECODE_FIELDS);
    assert_true(fields[0].is_present);
    decode_format(&fields[0], text, sizeof text);
    assert_string_equal(text, every_type[i].text);
    assert_int_equal(end_of_fields(fields, count), m->payload_bytes);
    snprintf(expected, sizeof expected, "{\"f%zu\":%s}", i, every_type[i].json);
    assert_string_equal(json_of(e, &d.layout), expected);
    if (m->payload_bytes) {
        m->event.payload_bytes--;
        json_of(e, &d.layout);
        assert_true(end_of_fields(fields, decode_fields(&d.layout, e, fields, DECODE_FIELDS)) <=
                    m->event.payload_bytes);
    }
}

static void every_type_is_read(void **state)
{
    (void)state;
    struct tracelogging d;
    struct decoded fields[DECODE_FIELDS];
    for (size_t i = 0; i < TYPES; i++)
        check_alone(i);
    struct made *const m = begin();
    for (size_t i = 0; i < TYPES; i++)
        add_type(m, i);
    const struct event *const e = end(m);
    assert_true(tracelogging_read(e, &d));
    const unsigned count = decode_fields(&d.layout, e, fields, DECODE_FIELDS);
    size_t seen = 0;
    for (unsigned i = 0; i < count; i++) {
        char text[256], name[16];
        if (fields[i].is_member)
            continue;
        snprintf(name, sizeof name, "f%zu", seen);
        assert_string_equal(fields[i].field->name, name);
        decode_format(&fields[i], text, sizeof text);
        assert_string_equal(text, every_type[seen++].text);
    }
    assert_int_equal(seen, TYPES);
    assert_int_equal(end_of_fields(fields, count), e->payload_bytes);
}

/* Win32 errors and HRESULT keep their numbers in JSON, with names beside them. */
static void errors_have_names(void **state)
{
    (void)state;
    static const struct {
        const char *meta;
        uint8_t value[4];
        const char *text, *json;
    } rows[] = {
        {"\x88\x0d", {5}, "ERROR_ACCESS_DENIED", "{\"e\":5},\"names\":{\"e\":\"ERROR_ACCESS_DENIED\"}"},
        {"\x87\x0d", {0x46, 0x27}, "WSAECONNRESET", "{\"e\":10054},\"names\":{\"e\":\"WSAECONNRESET\"}"},
        {"\x88\x0d", {0}, "ERROR_SUCCESS", "{\"e\":0},\"names\":{\"e\":\"ERROR_SUCCESS\"}"},
        {"\x88\x0d", {0xff, 0xff}, "65535", "{\"e\":65535}"},
        {"\x88\x0f", {5, 0, 7, 0x80}, "E_ACCESSDENIED", "{\"e\":\"0x80070005\"},\"names\":{\"e\":\"E_ACCESSDENIED\"}"},
        {"\x87\x0f", {2, 0, 7, 0x80}, "ERROR_FILE_NOT_FOUND", "{\"e\":\"0x80070002\"},\"names\":{\"e\":\"ERROR_FILE_NOT_FOUND\"}"},
        {"\x88\x0f", {0}, "S_OK", "{\"e\":\"0x0\"},\"names\":{\"e\":\"S_OK\"}"},
        {"\x88\x0f", {2, 0, 8, 0x80}, "0x80080002", "{\"e\":\"0x80080002\"}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tracelogging d;
        struct decoded fields[DECODE_FIELDS];
        char text[64];
        struct made *const m = begin();
        describe(m, "e", sizeof "e");
        describe(m, rows[i].meta, 2);
        carry(m, rows[i].value, sizeof rows[i].value);
        const struct event *const e = end(m);
        assert_true(tracelogging_read(e, &d));
        assert_int_equal(decode_fields(&d.layout, e, fields, DECODE_FIELDS), 1);
        decode_format(&fields[0], text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_string_equal(json_of(e, &d.layout), rows[i].json);
    }
}

static void check_order(const struct value_map *m)
{
    for (uint32_t i = 1; i < m->count; i++)
        assert_true(m->entries[i - 1].value < m->entries[i].value);
}

static void tables_of_errors_are_sorted(void **state)
{
    (void)state;
    check_order(&map_win32_error);
    check_order(&map_hresult);
}

/* A type that nobody knows: it says so, and fields of fixed size behind it are found. */
static void an_unknown_type_costs_its_field(void **state)
{
    (void)state;
    struct tracelogging d;
    struct made *m = begin();
    describe(m, BYTES_OF("x\0\x1f" "y\0\4" "z\0\6"));
    carry(m, BYTES_OF("\xaa\xbb\7\1\0"));
    const struct event *e = end(m);
    assert_true(tracelogging_read(e, &d));
    assert_string_equal(json_of(e, &d.layout), "{\"x\":\"unknown type 31: aabb\",\"y\":7,\"z\":1}");
    m = begin(); /* behind it a text: where that begins is not known; custom type information */
    describe(m, BYTES_OF("w\0\4" "x\0\x61\2\0??" "y\0\1"));
    carry(m, BYTES_OF("\7\xaa\xbb"));
    e = end(m);
    assert_true(tracelogging_read(e, &d));
    assert_string_equal(json_of(e, &d.layout), "{\"w\":7,\"x\":\"unknown type 1: aabb\"}");
}

/* Structures in structures in structures, lists of them that never end, lists of lists: a bounded
 * amount of work and text. */
static void hostile_descriptions_end(void **state)
{
    (void)state;
    struct tracelogging d;
    struct made *m = begin();
    for (unsigned i = 0; i < 1000; i++)
        describe(m, BYTES_OF("s\0\xd8\x7f"));
    describe(m, BYTES_OF("i\0\0"));
    for (unsigned i = 0; i < 30000; i++)
        carry(m, "\xff\xff", 2);
    assert_true(tracelogging_read(end(m), &d));
    json_of(&m->event, &d.layout);

    m = begin(); /* elements that take two bytes and have no end of empty lists */
    describe(m, BYTES_OF("s\0\xd8\x7f" "n\0\x46"));
    for (unsigned i = 0; i < 100; i++)
        describe(m, BYTES_OF("\0\0"));
    carry(m, "\xff\xff", 2);
    m->payload_bytes = 60000;
    memset(m->payload + 2, 0, 59998);
    assert_true(tracelogging_read(end(m), &d));
    json_of(&m->event, &d.layout);

    m = begin(); /* a name of 30000 characters, 30000 times: no line is that long */
    describe(m, BYTES_OF("s\0\xd8\1"));
    for (unsigned i = 0; i < 30000; i++)
        describe(m, "\1", 1);
    describe(m, BYTES_OF("\0\4"));
    carry(m, "\x30\x75", 2); /* 30000 */
    m->payload_bytes = 30002;
    memset(m->payload + 2, 7, 30000);
    const struct event *const e = end(m);
    assert_true(tracelogging_read(e, &d));
    const char *const json = json_of(e, &d.layout);
    assert_non_null(strstr(json, " elements left out\"]"));
}

/* ---- real ones ----------------------------------------------------------------------------- */

struct tally {
    unsigned tracelogging;
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
    for (unsigned i = 0; i < count; i++)
        if (!fields[i].is_present || fields[i].field->type == FIELD_UNKNOWN)
            fail_msg("%s: %s: %s is not decoded", file, d.event, fields[i].field->name);
    if (end_of_fields(fields, count) != e->payload_bytes)
        fail_msg("%s: %s: %zu of %u bytes consumed", file, d.event, end_of_fields(fields, count),
                 e->payload_bytes);
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
    print_message("%u TraceLogging events, all of them to their last field\n", t.tracelogging);
    assert_in_range(t.tracelogging, 150, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_is_read),
        cmocka_unit_test(cut_descriptions_do_no_harm),
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(errors_have_names),
        cmocka_unit_test(tables_of_errors_are_sorted),
        cmocka_unit_test(an_unknown_type_costs_its_field),
        cmocka_unit_test(hostile_descriptions_end),
        cmocka_unit_test(real_descriptions_fit_their_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
