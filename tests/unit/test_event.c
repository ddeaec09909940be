/* Event headers: every kind as bytes typed from the format's description, every
 * length field at its edges, every prefix. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/event/event.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 512 };

/* "0a 1b" or "0a1b" to bytes; blanks are free. */
static size_t hex(const char *text, uint8_t *out)
{
    size_t count = 0;
    for (unsigned value; *text; text += 2) {
        while (*text == ' ')
            text++;
        if (!*text)
            break;
        assert_int_equal(sscanf(text, "%2x", &value), 1);
        assert_in_range(count, 0, ROOM - 1);
        out[count++] = (uint8_t)value;
    }
    return count;
}

#define GUID_BYTES                                                                                 \
    "d4a86f3d 05fe d011 9dda 00c04fd7ba7c" /* 3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c                 \
                                            */
#define TIME       "8877665544332211"
#define TIME_VALUE 0x1122334455667788

struct sample {
    const char *name, *bytes;
    struct event expected; /* what the header says; provider by `has_guid` */
    bool has_guid;
    uint32_t payload_at;
};

static const struct sample samples[] = {
    {.name = "SYSTEM64",
     .bytes = "0400 02c0 2400 0a 03  01000000 02000000 " TIME " 05000000 06000000  aabbccdd",
     .expected = {.kind = HEADER_SYSTEM,
                  .type = 2,
                  .pointer = 8,
                  .id = 0x030a,
                  .opcode = 10,
                  .version = 4,
                  .tid = 1,
                  .pid = 2,
                  .payload_bytes = 4,
                  .record_bytes = 36},
     .payload_at = 32},
    {.name = "SYSTEM32",
     .bytes = "0200 01c0 2000 08 00  01000000 02000000 " TIME " 05000000 06000000",
     .expected = {.kind = HEADER_SYSTEM,
                  .type = 1,
                  .pointer = 4,
                  .id = 0x0008,
                  .opcode = 8,
                  .version = 2,
                  .tid = 1,
                  .pid = 2,
                  .record_bytes = 32},
     .payload_at = 32},
    {.name = "COMPACT32",
     .bytes = "0200 03c0 1c00 24 05  01000000 02000000 " TIME "  aabbccdd",
     .expected = {.kind = HEADER_COMPACT,
                  .type = 3,
                  .pointer = 4,
                  .id = 0x0524,
                  .opcode = 0x24,
                  .version = 2,
                  .tid = 1,
                  .pid = 2,
                  .payload_bytes = 4,
                  .record_bytes = 28},
     .payload_at = 24},
    {.name = "COMPACT64",
     .bytes = "0200 04c0 1c00 24 05  01000000 02000000 " TIME "  aabbccdd",
     .expected = {.kind = HEADER_COMPACT,
                  .type = 4,
                  .pointer = 8,
                  .id = 0x0524,
                  .opcode = 0x24,
                  .version = 2,
                  .tid = 1,
                  .pid = 2,
                  .payload_bytes = 4,
                  .record_bytes = 28},
     .payload_at = 24},
    {.name = "PERFINFO32",
     .bytes = "0200 10c0 1400 2e 0f " TIME "  aabbccdd",
     .expected = {.kind = HEADER_PERFINFO,
                  .type = 16,
                  .pointer = 4,
                  .id = 0x0f2e,
                  .opcode = 0x2e,
                  .version = 2,
                  .tid = EVENT_NO_ID,
                  .pid = EVENT_NO_ID,
                  .payload_bytes = 4,
                  .record_bytes = 20},
     .payload_at = 16},
    {.name = "PERFINFO64 with two counters",
     .bytes = "0402 11c0 2400 24 05 " TIME " 0100000000000000 0200000000000000  aabbccdd",
     .expected = {.kind = HEADER_PERFINFO,
                  .type = 17,
                  .pointer = 8,
                  .id = 0x0524,
                  .opcode = 0x24,
                  .version = 4,
                  .tid = EVENT_NO_ID,
                  .pid = EVENT_NO_ID,
                  .counters = 2,
                  .payload_bytes = 4,
                  .record_bytes = 36},
     .payload_at = 32},
    {.name = "PERFINFO64 with a PEBS index and one counter",
     .bytes = "0281 11c0 2100 2e 0f " TIME " 0900000000000000 0200000000000000  aa",
     .expected = {.kind = HEADER_PERFINFO,
                  .type = 17,
                  .pointer = 8,
                  .id = 0x0f2e,
                  .opcode = 0x2e,
                  .version = 2,
                  .tid = EVENT_NO_ID,
                  .pid = EVENT_NO_ID,
                  .counters = 1,
                  .payload_bytes = 1,
                  .record_bytes = 33},
     .payload_at = 32},
    {.name = "SYSTEM64 with a PEBS index",
     .bytes = "0380 02c0 2800 01 05  01000000 02000000 " TIME " 05000000 06000000 0900000000000000",
     .expected = {.kind = HEADER_SYSTEM,
                  .type = 2,
                  .pointer = 8,
                  .id = 0x0501,
                  .opcode = 1,
                  .version = 3,
                  .tid = 1,
                  .pid = 2,
                  .record_bytes = 40},
     .payload_at = 40},
    {.name = "FULL_HEADER32",
     .bytes = "3200 0ac0 0a 04 0300  01000000 02000000 " TIME GUID_BYTES "05000000 06000000  aabb",
     .expected = {.kind = HEADER_CLASSIC,
                  .type = 10,
                  .pointer = 4,
                  .opcode = 10,
                  .level = 4,
                  .version = 3,
                  .tid = 1,
                  .pid = 2,
                  .payload_bytes = 2,
                  .record_bytes = 50},
     .has_guid = true,
     .payload_at = 48},
    {.name = "FULL_HEADER64",
     .bytes = "3000 14c0 20 00 0001  01000000 02000000 " TIME GUID_BYTES "05000000 06000000",
     .expected = {.kind = HEADER_CLASSIC,
                  .type = 20,
                  .pointer = 8,
                  .opcode = 32,
                  .version = 256,
                  .tid = 1,
                  .pid = 2,
                  .record_bytes = 48},
     .has_guid = true,
     .payload_at = 48},
    {.name = "INSTANCE32",
     .bytes = "4a00 0bc0 01 05 0200  01000000 02000000 " TIME GUID_BYTES "05000000 06000000"
              "07000000 08000000 " GUID_BYTES " aabb",
     .expected = {.kind = HEADER_INSTANCE,
                  .type = 11,
                  .pointer = 4,
                  .opcode = 1,
                  .level = 5,
                  .version = 2,
                  .tid = 1,
                  .pid = 2,
                  .payload_bytes = 2,
                  .record_bytes = 74},
     .has_guid = true,
     .payload_at = 72},
    {.name = "INSTANCE64",
     .bytes = "4800 15c0 01 05 0200  01000000 02000000 " TIME GUID_BYTES "05000000 06000000"
              "07000000 08000000 " GUID_BYTES,
     .expected = {.kind = HEADER_INSTANCE,
                  .type = 21,
                  .pointer = 8,
                  .opcode = 1,
                  .level = 5,
                  .version = 2,
                  .tid = 1,
                  .pid = 2,
                  .record_bytes = 72},
     .has_guid = true,
     .payload_at = 72},
    {.name = "EVENT_HEADER64",
     .bytes = "5300 13c0 0000 0000  01000000 02000000 " TIME GUID_BYTES
              "3412 01 0b 04 02 7856 efcdab8967452301 05000000 06000000"
              "000102030405060708090a0b0c0d0e0f aabbcc",
     .expected = {.kind = HEADER_MANIFEST,
                  .type = 19,
                  .pointer = 8,
                  .id = 0x1234,
                  .version = 1,
                  .channel = 11,
                  .level = 4,
                  .opcode = 2,
                  .task = 0x5678,
                  .keyword = 0x0123456789abcdef,
                  .tid = 1,
                  .pid = 2,
                  .payload_bytes = 3,
                  .record_bytes = 83},
     .has_guid = true,
     .payload_at = 80},
    {.name = "EVENT_HEADER32 with two extended items",
     .bytes = "8100 12c0 0100 0000  01000000 02000000 " TIME GUID_BYTES
              "3412 01 0b 04 02 7856 efcdab8967452301 05000000 06000000"
              "000102030405060708090a0b0c0d0e0f"
              "1800 0100 0100 1000 " GUID_BYTES /* related activity, another follows */
              "1800 0500 0000 1000 0000000000000000 11111111 22222222" /* 32-bit stack, the last */
              "aa",
     .expected = {.kind = HEADER_MANIFEST,
                  .type = 18,
                  .pointer = 4,
                  .id = 0x1234,
                  .version = 1,
                  .channel = 11,
                  .level = 4,
                  .opcode = 2,
                  .task = 0x5678,
                  .flags = 1,
                  .keyword = 0x0123456789abcdef,
                  .tid = 1,
                  .pid = 2,
                  .payload_bytes = 1,
                  .extended_bytes = 48,
                  .record_bytes = 129},
     .has_guid = true,
     .payload_at = 128},
    {.name = "ERROR: no payload, whatever follows",
     .bytes = "5300 0dc0 0000 0000  01000000 02000000 " TIME GUID_BYTES
              "3412 01 0b 04 02 7856 efcdab8967452301 05000000 06000000"
              "000102030405060708090a0b0c0d0e0f aabbcc",
     .expected = {.kind = HEADER_MANIFEST,
                  .type = 13,
                  .pointer = 8,
                  .id = 0x1234,
                  .version = 1,
                  .channel = 11,
                  .level = 4,
                  .opcode = 2,
                  .task = 0x5678,
                  .keyword = 0x0123456789abcdef,
                  .tid = 1,
                  .pid = 2,
                  .record_bytes = 83},
     .has_guid = true,
     .payload_at = 83},
    {.name = "MESSAGE with everything",
     .bytes = "3100 0090 0a00 ab00 05000000 " GUID_BYTES TIME " 01000000 02000000 aabbccddee",
     .expected = {.kind = HEADER_MESSAGE,
                  .pointer = 8,
                  .id = 10,
                  .flags = 0xab,
                  .tid = 1,
                  .pid = 2,
                  .payload_bytes = 5,
                  .record_bytes = 49},
     .has_guid = true,
     .payload_at = 44},
    {.name = "MESSAGE with a component id, 32 bit",
     .bytes = "1600 4090 0b00 4c00 05000000 " TIME " aabb",
     .expected = {.kind = HEADER_MESSAGE,
                  .pointer = 4,
                  .id = 11,
                  .flags = 0x4c,
                  .tid = EVENT_NO_ID,
                  .pid = EVENT_NO_ID,
                  .payload_bytes = 2,
                  .record_bytes = 22},
     .payload_at = 20},
};

/* A sample in a piece of memory of exactly its size: a sanitizer sees one byte too far. */
static uint8_t *exact(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count ? count : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    return copy;
}

static void same(const struct sample *s, const char *field, uint64_t found, uint64_t expected)
{
    if (found != expected)
        fail_msg("%s: %s is %llu, expected %llu", s->name, field, (unsigned long long)found,
                 (unsigned long long)expected);
}

#define SAME(field) same(s, #field, e.field, s->expected.field)

static void check_sample(const struct sample *s)
{
    uint8_t bytes[ROOM];
    const size_t count = hex(s->bytes, bytes);
    uint8_t *at = exact(bytes, count);
    struct event e;
    if (event_parse(at, count, &e) != EVENT_OK)
        fail_msg("%s: not parsed", s->name);
    SAME(kind);
    SAME(type);
    SAME(pointer);
    SAME(id);
    SAME(opcode);
    SAME(version);
    SAME(tid);
    SAME(pid);
    SAME(level);
    SAME(channel);
    SAME(task);
    SAME(flags);
    SAME(keyword);
    SAME(counters);
    SAME(payload_bytes);
    SAME(record_bytes);
    SAME(extended_bytes);
    assert_int_equal(e.ts, TIME_VALUE);
    assert_true(event_has_time(&e));
    assert_ptr_equal(e.record, at);
    assert_ptr_equal(e.payload, at + s->payload_at);
    struct guid expected = {{0}};
    if (s->has_guid)
        assert_true(guid_parse("3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c", &expected));
    assert_memory_equal(&e.provider, &expected, sizeof expected);
    int64_t ts = 0;
    assert_true(event_time(at, count, &ts));
    assert_int_equal(ts, TIME_VALUE);
    free(at);
}

static void every_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check_sample(&samples[i]);
}

static void every_prefix_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        uint8_t bytes[ROOM];
        const size_t count = hex(samples[i].bytes, bytes);
        for (size_t cut = 0; cut < count; cut++) {
            uint8_t *at = exact(bytes, cut);
            struct event e;
            int64_t ts;
            if (event_parse(at, cut, &e) != EVENT_BAD_SIZE)
                fail_msg("%s cut to %zu bytes passes", samples[i].name, cut);
            event_time(at, cut, &ts);
            free(at);
        }
    }
}

/* Every byte of every sample as 0, 1, 0x7f, 0x80, 0xff and one up and down: any answer is
 * good, as long as what it says lies in the record. */
static void every_field_at_its_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        uint8_t bytes[ROOM];
        const size_t count = hex(samples[i].bytes, bytes);
        uint8_t *at = exact(bytes, count);
        for (size_t b = 0; b < count; b++) {
            const uint8_t was = at[b];
            const uint8_t edges[] = {
                0, 1, 0x7f, 0x80, 0xff, (uint8_t)(was + 1), (uint8_t)(was - 1)};
            for (size_t v = 0; v < sizeof edges; v++) {
                at[b] = edges[v];
                struct event e;
                if (event_parse(at, count, &e) != EVENT_OK)
                    continue;
                assert_in_range(e.record_bytes, 8, count);
                assert_true(e.payload >= at && e.payload + e.payload_bytes <= at + e.record_bytes);
                struct event_item item;
                for (uint32_t n = 0; event_item_next(&e, &n, &item);)
                    assert_true(item.data + item.size <= e.payload);
            }
            at[b] = was;
        }
        free(at);
    }
}

static const struct sample *sample_of(const char *name)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (strcmp(samples[i].name, name) == 0)
            return &samples[i];
    fail_msg("no sample %s", name);
    return NULL;
}

static void extended_items(void **state)
{
    (void)state;
    uint8_t bytes[ROOM];
    const size_t count = hex(sample_of("EVENT_HEADER32 with two extended items")->bytes, bytes);
    struct event e;
    struct event_item item;
    uint32_t at = 0;
    assert_int_equal(event_parse(bytes, count, &e), EVENT_OK);
    assert_true(event_item_next(&e, &at, &item));
    assert_int_equal(item.type, 1);
    assert_int_equal(item.size, 16);
    assert_true(event_item_next(&e, &at, &item));
    assert_int_equal(item.type, 5);
    assert_int_equal(load_u32(item.data + 8), 0x11111111);
    assert_false(event_item_next(&e, &at, &item));

    struct {
        const char *what;
        size_t at;
        uint8_t value;
        enum event_parsed answer;
    } const damage[] = {
        {"size 0", 80, 0, EVENT_BAD_ITEMS},
        {"size not a multiple of 8", 80, 0x1c, EVENT_BAD_ITEMS},
        {"size beyond the record", 81, 0x10, EVENT_BAD_ITEMS},
        {"more data than size", 86, 0x11, EVENT_BAD_ITEMS},
        {"last item says another follows", 108, 1, EVENT_BAD_ITEMS},
        {"first item says it is the last", 84, 0, EVENT_OK},
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        const uint8_t was = bytes[damage[i].at];
        bytes[damage[i].at] = damage[i].value;
        if (event_parse(bytes, count, &e) != damage[i].answer)
            fail_msg("%s: another answer", damage[i].what);
        assert_int_equal(e.record_bytes, 129);
        bytes[damage[i].at] = was;
    }
    bytes[84] = 0; /* stop after the first: the rest is payload */
    assert_int_equal(event_parse(bytes, count, &e), EVENT_OK);
    assert_int_equal(e.extended_bytes, 24);
    assert_int_equal(e.payload_bytes, 25);
}

static void counters_stand_behind_pebs(void **state)
{
    (void)state;
    uint8_t bytes[ROOM];
    const size_t count =
        hex(sample_of("PERFINFO64 with a PEBS index and one counter")->bytes, bytes);
    struct event e;
    assert_int_equal(event_parse(bytes, count, &e), EVENT_OK);
    assert_ptr_equal(e.pmc, bytes + 24);
    assert_int_equal(load_u64(e.pmc), 2);
    bytes[1] = 0x87; /* seven counters do not fit */
    assert_int_equal(event_parse(bytes, count, &e), EVENT_BAD_SIZE);
}

static void not_a_record(void **state)
{
    (void)state;
    static const struct {
        const char *name, *bytes;
    } rows[] = {
        {"zeros", "0000000000000000"},
        {"filler", "ffffffffffffffff"},
        {"type 0", "080000c000000000"},
        {"type 5", "080005c008000000"},
        {"TIMED", "08000cc008000000"},
        {"WNODE", "08000ec008000000"},
        {"type 15 in an 0xC0 header", "08000fc008000000"},
        {"type 22", "080016c008000000"},
        {"ULONG32_TIME", "180002b000000000"},
        {"0x80 alone", "0800028008000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[ROOM];
        const size_t count = hex(rows[i].bytes, bytes);
        struct event e;
        int64_t ts;
        if (event_parse(bytes, count, &e) != EVENT_BAD_MARKER || event_time(bytes, count, &ts))
            fail_msg("%s passes", rows[i].name);
    }
}

static void messages_without_a_time(void **state)
{
    (void)state;
    const uint8_t bytes[] = {9, 0, 0, 0x90, 7, 0, 0, 0, 0xaa};
    struct event e;
    int64_t ts;
    assert_int_equal(event_parse(bytes, sizeof bytes, &e), EVENT_OK);
    assert_false(event_has_time(&e));
    assert_false(event_time(bytes, sizeof bytes, &ts));
    assert_int_equal(e.payload_bytes, 1);
    assert_int_equal(e.id, 7);
}

static void records_travel(void **state)
{
    (void)state;
    struct {
        struct record_head head;
        uint8_t body[64];
    } r = {.head = {.form = RECORD_ETW, .source = 3, .cpu = 257, .ts = 99}};
    const size_t count = hex("0900 0090 0700 0000 aa", r.body);
    r.head.bytes = (uint32_t)(sizeof r.head + count);
    struct event e;
    assert_int_equal(event_of_record(&r.head, &e), EVENT_OK);
    assert_int_equal(e.ts, 99);
    assert_int_equal(e.cpu, 257);
    assert_int_equal(e.source, 3);
    assert_ptr_equal(e.payload, r.body + 8);
    r.head.bytes--;
    assert_int_equal(event_of_record(&r.head, &e), EVENT_BAD_SIZE);
    r.head.bytes = 3;
    assert_int_equal(event_of_record(&r.head, &e), EVENT_BAD_SIZE);
    r.head.form = RECORD_LOST;
    assert_int_equal(event_of_record(&r.head, &e), EVENT_BAD_MARKER);
}

static void classes(void **state)
{
    (void)state;
    static const struct {
        uint16_t hook;
        const char *guid;
    } rows[] = {
        {0x0000, "68fdd900-4a3e-11d1-84f4-0000f80464e3"},
        {0x010a, "3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c"},
        {0x0220, "3d6fa8d3-fe05-11d0-9dda-00c04fd7ba7c"},
        {0x0301, "3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c"},
        {0x030a, "2cb15d1d-5fc1-11d2-abe1-00a0c911f518"},
        {0x0440, "90cbdc39-4a3e-11d1-84f4-0000f80464e3"},
        {0x0524, "3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c"},
        {0x060a, "9a280ac0-c8e0-11d1-84e2-00c04fb998a2"},
        {0x080a, "bf3a50c5-a9c9-4988-a005-2df0b7c80f80"},
        {0x0916, "ae53722e-c863-11d2-8659-00c04fa321a1"},
        {0x0b0a, "01853a65-418f-4f36-aefc-dc0f1d2fd235"},
        {0x0f2e, "ce1dbfb4-137e-4da6-87b0-3f59aa102cbc"},
        {0x1403, "2cb15d1d-5fc1-11d2-abe1-00a0c911f518"},
        {0x1820, "def2fe46-7bd6-4b80-bd94-f57fe20d0ce3"},
        {0x1a21, "45d8cccd-539f-4b72-a8b7-5c683142609a"},
        {0x1e00, "2ce9a149-effe-42f0-a635-a1d39e26c8f2"},
        {0x1f00, "00000000-0000-0000-0000-000000000000"},
        {0xffff, "00000000-0000-0000-0000-000000000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[GUID_TEXT];
        assert_string_equal(guid_format(event_class_guid(rows[i].hook), text), rows[i].guid);
    }
    assert_string_equal(header_kind_name(HEADER_COMPACT), "compact");
    assert_string_equal(header_kind_name(HEADER_MESSAGE), "message");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(every_field_at_its_edges),
        cmocka_unit_test(extended_items),
        cmocka_unit_test(counters_stand_behind_pebs),
        cmocka_unit_test(not_a_record),
        cmocka_unit_test(messages_without_a_time),
        cmocka_unit_test(records_travel),
        cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
