/* Values as text, owners and names: rows of input and expectation. */
#include "tests/test.h"

#include "src/event/decode/table.h"

#include <string.h>

/* ---- values ---------------------------------------------------------------------------- */

static void values_read_well(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        uint64_t number;
        const char *bytes;
        size_t count;
        const char *text;
    } rows[] = {
        {FIELD_U32, 4294967295u, "", 0, "4294967295"},
        {FIELD_I8, (uint64_t)-128, "", 0, "-128"},
        {FIELD_I64, (uint64_t)INT64_MIN, "", 0, "-9223372036854775808"},
        {FIELD_U64, UINT64_MAX, "", 0, "18446744073709551615"},
        {FIELD_POINTER, 0, "", 0, "0x0"},
        {FIELD_POINTER, 0xfffff8a0015f28a0, "", 0, "0xfffff8a0015f28a0"},
        {FIELD_SIZE, 0x26000, "", 0, "0x26000"},
        {FIELD_PORT, 443, "", 0, "443"},
        {FIELD_IPV4, 0, "\xef\xff\xff\xfa", 4, "239.255.255.250"},
        /* RFC 5952: the longest run of zeros, the first of equals, never a single group */
        {FIELD_IPV6, 0, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "::"},
        {FIELD_IPV6, 0, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16, "::1"},
        {FIELD_IPV6, 0, "\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\0", 16, "2001:db8::"},
        {FIELD_IPV6, 0, "\x20\1\xd\xb8\0\0\0\1\0\1\0\1\0\1\0\1", 16, "2001:db8:0:1:1:1:1:1"},
        {FIELD_IPV6, 0, "\x20\1\0\0\0\0\0\1\0\0\0\0\0\0\0\1", 16, "2001:0:0:1::1"},
        {FIELD_IPV6, 0, "\x20\1\xd\xb8\0\0\0\0\0\1\0\0\0\0\0\1", 16, "2001:db8::1:0:0:1"},
        {FIELD_IPV6, 0, "\0\0\0\0\0\0\0\0\0\0\xff\xff\xa\x80\0\x37", 16, "::ffff:10.128.0.55"},
        {FIELD_SID, 0, "\1\1\0\0\0\0\0\5\x12\0\0\0", 12, "S-1-5-18"},
        {FIELD_SID, 0, "\1\0\1\2\3\4\5\6", 8, "S-1-1108152157446"},
        {FIELD_SID, 0, "", 0, ""},
        {FIELD_GUID, 0, "\xd4\xa8\x6f\x3d\x05\xfe\xd0\x11\x9d\xda\0\xc0\x4f\xd7\xba\x7c", 16,
         "3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c"},
        {FIELD_BYTES, 0, "\0\x7f\xff", 3, "007fff"},
        {FIELD_WSTR, 0, "a\0\xe9\0\xac\x20\x34\xd8\x1e\xdd", 10,
         "a\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e"},
        {FIELD_WSTR, 0,
         "\x34\xd8"
         "b\0\x1e\xdd",
         6,
         "\xef\xbf\xbd"
         "b\xef\xbf\xbd"},
        {FIELD_ASTR, 0, "svchost.exe", 11, "svchost.exe"},
        {FIELD_ASTR, 0, "gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f"},
        {FIELD_ASTR, 0, "gr\xfc\xdf", 4, "gr\xc3\xbc\xc3\x9f"}, /* not UTF-8: Latin-1 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct field f = {.name = "x", .type = rows[i].type, .count = 1};
        const struct decoded d = {
            .field = &f,
            .is_present = true,
            .elements = 1,
            .number = rows[i].number,
            .data = (const uint8_t *)rows[i].bytes,
            .bytes = rows[i].count,
        };
        char text[64];
        const size_t n = decode_format(&d, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(n, strlen(text));
        /* any room: a beginning of it, NUL-terminated, no character cut in two */
        for (size_t room = 1; room <= n; room++) {
            char less[64];
            const size_t some = decode_format(&d, less, room);
            assert_true(some < room);
            assert_memory_equal(less, text, some);
            assert_int_equal(less[some], '\0');
            assert_true(((uint8_t)text[some] & 0xc0) != 0x80);
        }
    }
}

static void absent_values_are_empty(void **state)
{
    (void)state;
    const struct field f = {.name = "x", .type = FIELD_U32, .count = 1};
    const struct decoded d = {.field = &f};
    char text[8] = "before";
    assert_int_equal(decode_format(&d, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(decode_format(&d, text, 0), 0);
}

/* ---- events ----------------------------------------------------------------------------- */

static const uint8_t numbers[64] = {
    1, 0, 0, 0, 2, 0, 0,  0, 3, 0, 0,  0, 4, 0, 0,  0, 5, 0, 0,  0, 6, 0, 0,  0, 7, 0, 0,  0, 8, 0,
    0, 0, 9, 0, 0, 0, 10, 0, 0, 0, 11, 0, 0, 0, 12, 0, 0, 0, 13, 0, 0, 0, 14, 0, 0, 0, 15, 0, 0, 0,
};

static struct event kernel_event(uint16_t hook, unsigned version, unsigned pointer, uint32_t bytes)
{
    return (struct event){
        .kind = HEADER_PERFINFO,
        .id = hook,
        .opcode = hook & 0xff,
        .version = (uint16_t)version,
        .pointer = (uint8_t)pointer,
        .pid = EVENT_NO_ID,
        .tid = EVENT_NO_ID,
        .payload = numbers,
        .payload_bytes = bytes,
    };
}

/* Payloads are the numbers 1, 2, 3, … as u32, so an id shows where it was read. */
static void payloads_name_owners(void **state)
{
    (void)state;
    static const struct {
        uint16_t hook;
        unsigned version, pointer, bytes;
        uint32_t pid, tid;
    } rows[] = {
        {0x0301, 4, 8, 60, 3, EVENT_NO_ID}, /* Process Start: behind the key */
        {0x0301, 1, 4, 60, 2, EVENT_NO_ID},
        {0x0501, 3, 8, 60, 1, 2},            /* Thread Start */
        {0x0501, 0, 8, 60, 2, 1},            /* … whose ids were the other way round */
        {0x0524, 4, 8, 24, EVENT_NO_ID, 1},  /* CSwitch: the new thread */
        {0x030a, 3, 8, 60, 5, EVENT_NO_ID},  /* Image Load */
        {0x010a, 3, 8, 52, EVENT_NO_ID, 13}, /* DiskIo Read */
        {0x010a, 2, 8, 48, EVENT_NO_ID, EVENT_NO_ID},
        {0x0443, 3, 8, 44, EVENT_NO_ID, 9}, /* FileIo Read */
        {0x0443, 2, 8, 48, EVENT_NO_ID, 5}, /* … pointer-sized, in front of the keys */
        {0x0443, 2, 4, 32, EVENT_NO_ID, 4},
        {0x061a, 2, 8, 60, 1, EVENT_NO_ID},           /* TcpIp Send */
        {0x0220, 2, 8, 40, EVENT_NO_ID, 9},           /* HardFault */
        {0x0262, 2, 8, 24, 5, EVENT_NO_ID},           /* VirtualAlloc */
        {0x0f2e, 2, 8, 16, EVENT_NO_ID, 3},           /* SampledProfile */
        {0x1820, 2, 8, 32, 3, 4},                     /* StackWalk */
        {0x1820, 2, 8, 12, 3, EVENT_NO_ID},           /* … cut behind the process */
        {0x0f44, 2, 8, 16, EVENT_NO_ID, EVENT_NO_ID}, /* DPC: nobody's */
        {0x0bff, 2, 8, 16, EVENT_NO_ID, EVENT_NO_ID},
        {0xffff, 2, 8, 16, EVENT_NO_ID, EVENT_NO_ID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct event e =
            kernel_event(rows[i].hook, rows[i].version, rows[i].pointer, rows[i].bytes);
        uint32_t pid = 0, tid = 0;
        const bool known = decode_owner(&e, &pid, &tid);
        if (pid != rows[i].pid || tid != rows[i].tid)
            fail_msg("hook 0x%04x version %u: expected %u/%u, found %u/%u", rows[i].hook,
                     rows[i].version, rows[i].pid, rows[i].tid, pid, tid);
        assert_int_equal(known, pid != EVENT_NO_ID || tid != EVENT_NO_ID);
    }
}

enum { NEWER_THAN_KNOWN = 200 };

/* The newest version that has a layout of its own. */
static int newest_layout(uint16_t hook)
{
    int newest = -1;
    for (unsigned version = 0; version < NEWER_THAN_KNOWN; version++) {
        const struct event e = kernel_event(hook, version, 8, 0);
        const struct payload_layout *l = decode_layout(&e);
        if (l && l->version == version)
            newest = (int)version;
    }
    return newest;
}

static void events_have_names(void **state)
{
    (void)state;
    const struct {
        uint16_t hook;
        unsigned version;
        const char *class, *name;
        int layout; /* its version, -1 = none */
    } rows[] = {
        {0x010a, 3, "DiskIo", "Read", 3},
        {0x010a, NEWER_THAN_KNOWN, "DiskIo", "Read", newest_layout(0x010a)},
        {0x030a, 3, "Image", "Load", 3}, /* not of its group's class */
        {0x140a, 3, "Image", "Load", 3},
        {0x060a, 1, "TcpIp", "Send", 1}, /* renamed since */
        {0x060a, 2, "TcpIp", "SendIPV4", 2},
        {0x0532, 1, "Thread", "ReadyThread", -1}, /* older than known */
        {0x0221, 2, "PageFault", "REMOVEPAGEBYCOLOR", -1},
        {0x1233, 2, "Power", "PPM_PERF_STATE_CHANGE", 0},
        {0x1234, 2, "Power", "PPM_THROTTLE_STATE_CHANGE", -1},
        {0x03ff, 2, "Process", "", -1},
        {0x1d01, 2, "Hypervisor", "", -1},
        {0xff01, 2, "", "", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct event e = kernel_event(rows[i].hook, rows[i].version, 8, 0);
        const struct payload_layout *l = decode_layout(&e);
        const char *class, *name;
        decode_name(&e, &class, &name);
        assert_string_equal(class, rows[i].class);
        assert_string_equal(name, rows[i].name);
        assert_int_equal(l ? l->version : -1, rows[i].layout);
        assert_int_equal(decode_hook(&e), rows[i].hook);
    }
}

static void classic_events_stand_for_hooks(void **state)
{
    (void)state;
    static const struct {
        const char *guid;
        uint8_t type;
        uint16_t hook;
        const char *class, *name;
    } rows[] = {
        {"3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c", 1, 0x0301, "Process", "Start"},
        {"2cb15d1d-5fc1-11d2-abe1-00a0c911f518", 10, 0x030a, "Image", "Load"},
        {"2cb15d1d-5fc1-11d2-abe1-00a0c911f518", 2, 0x1402, "Image", "UnLoad"},
        {"b3e675d7-2554-4f18-830b-2762732560de", 36, DECODE_NO_HOOK, "ImageId", "DbgID_RSDS"},
        {"9b79ee91-b5fd-41c0-a243-4248e266e9d0", 35, DECODE_NO_HOOK, "SysConfigEx",
         "VolumeMapping"},
        {"6a399ae0-4bc6-4de9-870b-3657f8947e7e", 32, DECODE_NO_HOOK, "Lost_Event", "RTLostEvent"},
        {"00000000-0000-0000-0000-000000000000", 1, DECODE_NO_HOOK, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct event e = {.kind = HEADER_CLASSIC, .opcode = rows[i].type, .version = 2};
        const char *class, *name;
        assert_true(guid_parse(rows[i].guid, &e.provider));
        decode_name(&e, &class, &name);
        assert_string_equal(class, rows[i].class);
        assert_string_equal(name, rows[i].name);
        assert_int_equal(decode_hook(&e), rows[i].hook);
        /* a manifest event with such a GUID is none of these */
        e.kind = HEADER_MANIFEST;
        assert_null(decode_layout(&e));
        assert_int_equal(decode_hook(&e), DECODE_NO_HOOK);
    }
}

static void places_are_found(void **state)
{
    (void)state;
    const struct event e = kernel_event(0x0304, 4, 8, 0);
    const struct payload_layout *l = decode_layout(&e);
    unsigned offset;
    enum field_type type;
    assert_true(layout_place(l, "ParentId", 4, &offset, &type));
    assert_int_equal(offset, 8);
    assert_true(layout_place(l, "ParentId", 8, &offset, &type));
    assert_int_equal(offset, 12);
    assert_int_equal(type, FIELD_U32);
    assert_false(layout_place(l, "ImageFileName", 8, &offset, &type)); /* behind the SID */
    assert_false(layout_place(l, "Nothing", 8, &offset, &type));
}

/* A SID behind a pointer that somebody cleared is read; a cleared one without is none. */
static void cleared_sids(void **state)
{
    (void)state;
    uint8_t payload[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,   0,
                         0, 1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0, 'x', 0};
    static const struct field fields[] = {
        SID("UserSID", 0, 0),
        ASTR("Name", AFTER),
    };
    const struct payload_layout l = {.fields = fields, .field_count = 2};
    struct event e = {.payload = payload, .payload_bytes = sizeof payload, .pointer = 8};
    struct decoded d[2];
    char text[32];
    assert_int_equal(decode_fields(&l, &e, d, 2), 2);
    decode_format(&d[0], text, sizeof text);
    assert_string_equal(text, "S-1-5-18");
    assert_int_equal(d[1].end, sizeof payload);
    payload[16] = 0; /* no revision 1: four bytes of nobody, then the name */
    payload[4] = 'y';
    decode_fields(&l, &e, d, 2);
    assert_true(d[0].is_present);
    assert_int_equal(d[0].end, 4);
    decode_format(&d[1], text, sizeof text);
    assert_string_equal(text, "y");
    payload[0] = 1; /* somebody, but not a SID: nothing behind it can be found */
    decode_fields(&l, &e, d, 2);
    assert_false(d[0].is_present);
    assert_false(d[1].is_present);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_read_well),
        cmocka_unit_test(absent_values_are_empty),
        cmocka_unit_test(payloads_name_owners),
        cmocka_unit_test(events_have_names),
        cmocka_unit_test(classic_events_stand_for_hooks),
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(cleared_sids),
    };
    return cmocka_run_group_tests_name("decode_format", tests, NULL, NULL);
}
