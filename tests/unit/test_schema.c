/* Schemas of events: EventInfo records and maps made by hand, cut and damaged at every place, and
 * those of real traces, whose payloads must end where the schema says. */
#include "tests/shared.h"
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/etl/etl.h"
#include "src/event/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct guid provider = {{4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16}};
static const struct guid metadata = {{0xc1, 0xf6, 0xcc, 0xbb, 0xd1, 0x6c, 0xc4, 0x48, 0x80, 0xff,
                                      0x83, 0x94, 0x82, 0xe3, 0x76, 0x71}};

/* ---- blobs ------------------------------------------------------------------------------- */

enum { INFO = 112, PROPERTY = 24, ROOM = 8192, EVENT_INFO = 32, EVENT_MAP_INFO = 33 };

struct blob {
    uint8_t at[ROOM];
    size_t bytes;
};

/* Appends UTF-16 with its NUL; returns its offset from `base`. */
static uint32_t put_name(struct blob *b, const char *text, size_t base)
{
    const uint32_t offset = (uint32_t)(b->bytes - base);
    do {
        assert_true(b->bytes + 2 <= ROOM);
        b->at[b->bytes++] = (uint8_t)*text;
        b->at[b->bytes++] = 0;
    } while (*text++);
    return offset;
}

struct property {
    const char *name;
    uint32_t flags;
    uint16_t in, out, count, length;
    const char *map;
};

static void make_info(struct blob *b, uint16_t id, const struct property *properties,
                      unsigned count, unsigned top_level)
{
    memset(b, 0, sizeof *b);
    memcpy(b->at, provider.b, sizeof provider.b);
    b->bytes = INFO + count * PROPERTY;
    store_u16(b->at + 32, id);
    b->at[37] = 1; /* opcode */
    store_u32(b->at + 52, put_name(b, "Made-Provider", 0));
    store_u32(b->at + 68, put_name(b, "Work ", 0));
    store_u32(b->at + 72, put_name(b, "win:Start", 0));
    store_u32(b->at + 100, count);
    store_u32(b->at + 104, top_level);
    for (unsigned i = 0; i < count; i++) {
        const struct property *const p = &properties[i];
        uint8_t *const at = b->at + INFO + i * PROPERTY;
        store_u32(at, p->flags);
        store_u32(at + 4, put_name(b, p->name, 0));
        store_u16(at + 8, p->in);
        store_u16(at + 10, p->out);
        if (p->map)
            store_u32(at + 12, put_name(b, p->map, 0));
        store_u16(at + 16, p->count);
        store_u16(at + 18, p->length);
    }
}

static void make_map(struct blob *b, const char *name, uint32_t flag, const uint32_t *values,
                     const char *const *names, unsigned count)
{
    enum { HEAD = 16, ENTRIES = 16 };
    memset(b, 0, sizeof *b);
    memcpy(b->at, provider.b, sizeof provider.b);
    b->bytes = HEAD + ENTRIES + count * 8u;
    store_u32(b->at + HEAD, put_name(b, name, HEAD));
    store_u32(b->at + HEAD + 4, flag);
    store_u32(b->at + HEAD + 8, count);
    for (unsigned i = 0; i < count; i++) {
        store_u32(b->at + HEAD + ENTRIES + i * 8, put_name(b, names[i], HEAD));
        store_u32(b->at + HEAD + ENTRIES + i * 8 + 4, values[i]);
    }
}

static bool learn(struct schemas *s, uint32_t source, const struct blob *b, uint8_t opcode)
{
    struct event about;
    const struct event e = {.kind = HEADER_CLASSIC,
                            .provider = metadata,
                            .opcode = opcode,
                            .pointer = 8,
                            .payload = b->at,
                            .payload_bytes = (uint32_t)b->bytes};
    return schema_learn(s, source, &e, &about);
}

static struct event event_of(uint16_t id, const void *payload, size_t bytes)
{
    return (struct event){.kind = HEADER_MANIFEST,
                          .provider = provider,
                          .id = id,
                          .pointer = 8,
                          .opcode = 1,
                          .payload = payload,
                          .payload_bytes = (uint32_t)bytes};
}

static size_t end_of_fields(const struct decoded *fields, unsigned count)
{
    size_t end = 0;
    for (unsigned i = 0; i < count; i++)
        if (!fields[i].is_member && fields[i].is_present && fields[i].end > end)
            end = fields[i].end;
    return end;
}

/* "name=value name=value" of all fields that are there. */
static const char *text_of(struct schemas *s, const struct event *e, char *out, size_t room)
{
    struct schema schema;
    struct decoded fields[DECODE_FIELDS];
    size_t used = 0;
    assert_true(schema_find(s, 0, e, &schema));
    const unsigned count = decode_fields(schema.layout, e, fields, DECODE_FIELDS);
    out[0] = '\0';
    for (unsigned i = 0; i < count && used < room; i++) {
        char value[512];
        if (!fields[i].is_present || fields[i].is_member)
            continue;
        decode_format(&fields[i], value, sizeof value);
        used += (size_t)snprintf(out + used, room - used, "%s%s=%s", used ? " " : "",
                                 fields[i].field->name, value);
    }
    assert_int_equal(end_of_fields(fields, count), e->payload_bytes);
    return out;
}

/* ---- what is learned ------------------------------------------------------------------------ */

enum { STRUCT = 1, LENGTH_OF = 2, COUNT_OF = 4 };
static const struct property kinds[] = {
    {"State", 0, 8, 7, 1, 4, "States"},
    {"Flags", 0, 4, 0, 1, 1, "Bits"},
    {"Name", 0, 1, 1, 1, 0, NULL},
    {"Size", 0, 8, 7, 1, 4, NULL},
    {"Data", LENGTH_OF, 14, 15, 1, 3, NULL},
    {"Mac", 0x10, 14, 15, 1, 6, NULL},
    {"Address", 0, 14, 24, 1, 0, NULL},
    {"Port", 0, 6, 22, 1, 2, NULL},
    {"Pair", LENGTH_OF, 1, 1, 1, 3, NULL},
    {"Status", 0, 8, 31, 1, 4, NULL},
    {"Times", COUNT_OF, 6, 0, 3, 2, NULL},
    {"Items", STRUCT | COUNT_OF, 14, 2, 3, 0, NULL},
    {"Digests", COUNT_OF, 14, 15, 3, 2, NULL},
    {"Frames", 0x20, 16, 19, 2, 4, NULL},
    {"Key", 0, 8, 18, 1, 4, NULL},
    {"Text", 0, 2, 1, 1, 0, NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds, TOP_LEVEL = 14 };

static const uint8_t payload[] = {
    2, 0, 0,    0, 5, 'h', 0, 'i',  0, 0, 0, 2,   0, 0, 0, 0xaa, 0xbb, 1,    2,   3, 4,   5, 6,
    0, 0, 0,    0, 0, 0,   0, 0,    0, 0, 0, 0,   0, 0, 0, 1,    0x1f, 0x90, 'o', 0, 'k', 0, 0x22,
    0, 0, 0xc0, 7, 0, 8,   0, 1,    0, 0, 0, 'x', 0, 2, 0, 0,    0,    0,    1,   2, 3,   4, 0x10,
    0, 0, 0,    0, 0, 0,   0, 0x20, 0, 0, 0, 0,   0, 0, 0, 0x30, 0,    0,    0,   0, 0,   0, 0,
};

static void learn_kinds(struct schemas *s, uint16_t id)
{
    struct blob b;
    make_info(&b, id, kinds, KINDS, TOP_LEVEL);
    assert_true(learn(s, 0, &b, EVENT_INFO));
}

static void every_kind_of_property_is_read(void **state)
{
    (void)state;
    static const uint32_t states[] = {7, 2}, bits[] = {1, 2};
    static const char *const state_names[] = {"Gone", "Ready "}, *const bit_names[] = {"A", "B"};
    struct schemas *const s = schemas_new();
    struct schema schema;
    struct blob b;
    char text[2048];
    const struct event e = event_of(5, payload, sizeof payload);
    assert_false(schema_find(s, 0, &e, &schema));
    learn_kinds(s, 5);
    assert_true(schema_find(s, 0, &e, &schema));
    assert_int_equal(schema.origin, SCHEMA_TRACE);
    assert_string_equal(schema_origin_name(schema.origin), "trace");
    assert_string_equal(schema.provider, "Made-Provider");
    assert_string_equal(schema.event, "Work/Start");
    static const char expected[] =
        "State=2 Flags=5 Name=hi Size=2 Data=aabb Mac=010203040506 Address=::1 Port=8080 Pair=ok "
        "Status=0xc0000022 Times=7,8 Items={Key=0x1 Text=x},{Key=0x2 Text=} "
        "Digests={Digests=0102},{Digests=0304} Frames=0x10,0x20,0x30";
    assert_string_equal(text_of(s, &e, text, sizeof text), expected);
    /* Maps come later, and name what was a number. */
    make_map(&b, "States", 1, states, state_names, 2);
    learn(s, 0, &b, EVENT_MAP_INFO);
    make_map(&b, "Bits", 2, bits, bit_names, 2);
    learn(s, 0, &b, EVENT_MAP_INFO);
    text_of(s, &e, text, sizeof text);
    assert_memory_equal(text, "State=Ready Flags=A|0x4 Name=hi ", 32);
    schemas_free(s);
}

static void misses_and_sources_are_kept_apart(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    struct schema schema;
    struct event e = event_of(5, payload, sizeof payload);
    const size_t before = schemas_bytes(s);
    assert_false(schema_find(s, 1, &e, &schema));
    const size_t after = schemas_bytes(s);
    assert_true(after > before);
    for (unsigned i = 0; i < 1000; i++)
        assert_false(schema_find(s, 1, &e, &schema));
    assert_int_equal(schemas_bytes(s), after); /* the miss is kept, once */
    learn_kinds(s, 5);
    assert_true(schema_find(s, 0, &e, &schema));
    assert_false(schema_find(s, 1, &e, &schema));
    e.version = 1;
    assert_false(schema_find(s, 0, &e, &schema));
    e.version = 0;
    e.id = 6;
    assert_false(schema_find(s, 0, &e, &schema));
    e = (struct event){.kind = HEADER_PERFINFO, .id = 0x0f2e, .version = 2, .opcode = 0x2e};
    assert_true(schema_find(s, 0, &e, &schema));
    assert_string_equal(schema_origin_name(schema.origin), "built in");
    assert_string_equal(schema.provider, "PerfInfo");
    schemas_free(s);
}

/* ---- hostile ones ------------------------------------------------------------------------------ */

static void decode_all(struct schemas *s, const struct event *e)
{
    struct schema schema;
    struct decoded fields[DECODE_FIELDS];
    char text[4096];
    if (!schema_find(s, 0, e, &schema))
        return;
    const unsigned count = decode_fields(schema.layout, e, fields, DECODE_FIELDS);
    assert_true(end_of_fields(fields, count) <= e->payload_bytes);
    for (unsigned i = 0; i < count; i++)
        if (!fields[i].is_member)
            decode_format(&fields[i], text, sizeof text);
}

static void try_blob(const struct blob *b, size_t bytes, uint8_t opcode)
{
    struct schemas *const s = schemas_new();
    uint8_t *const copy = malloc(bytes ? bytes : 1);
    struct event about;
    memcpy(copy, b->at, bytes);
    const struct event record = {.kind = HEADER_CLASSIC,
                                 .provider = metadata,
                                 .opcode = opcode,
                                 .pointer = 8,
                                 .payload = copy,
                                 .payload_bytes = (uint32_t)bytes};
    schema_learn(s, 0, &record, &about);
    const struct event e = event_of(5, payload, sizeof payload);
    decode_all(s, &e);
    free(copy);
    schemas_free(s);
}

/* Cut at every byte; every u16 of head and properties with values that mean harm. */
static void damaged_blobs_do_no_harm(void **state)
{
    (void)state;
    static const uint16_t harm[] = {0, 1, 2, 3, 24, 127, 300, 0x7fff, 0xffff};
    static const uint32_t values[] = {1, 2};
    static const char *const names[] = {"A", "B"};
    struct blob info, map;
    make_info(&info, 5, kinds, KINDS, TOP_LEVEL);
    make_map(&map, "States", 1, values, names, 2);
    for (size_t bytes = 0; bytes <= info.bytes; bytes++)
        try_blob(&info, bytes, EVENT_INFO);
    for (size_t bytes = 0; bytes <= map.bytes; bytes++)
        try_blob(&map, bytes, EVENT_MAP_INFO);
    for (size_t at = 48; at < INFO + KINDS * PROPERTY; at += 2)
        for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
            struct blob b = info;
            store_u16(b.at + at, harm[i]);
            try_blob(&b, b.bytes, EVENT_INFO);
        }
    for (size_t at = 16; at < map.bytes; at += 2)
        for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
            struct blob b = map;
            store_u16(b.at + at, harm[i]);
            try_blob(&b, b.bytes, EVENT_MAP_INFO);
        }
}

/* A trace with more schemas than anybody has: they stop being kept, and that is counted. */
static void memory_is_bounded(void **state)
{
    (void)state;
    enum { MANY = 4000, PROPERTIES = 127, MOST = 96 << 20 };
    static struct property properties[PROPERTIES];
    static struct blob b;
    char name[] = "a-name-that-all-fields-have-and-that-takes-some-room";
    struct schemas *const s = schemas_new();
    for (unsigned i = 0; i < PROPERTIES; i++)
        properties[i] = (struct property){i ? "" : name, 0, 8, 0, 1, 4, NULL};
    make_info(&b, 0, properties, PROPERTIES, PROPERTIES);
    for (unsigned i = 0; i < PROPERTIES; i++) /* all by the name of the first */
        memcpy(b.at + INFO + i * PROPERTY + 4, b.at + INFO + 4, 4);
    for (unsigned i = 0; i < MANY * 2; i++) {
        store_u16(b.at + 32, (uint16_t)i);
        learn(s, 0, &b, EVENT_INFO);
    }
    struct schema schema;
    for (unsigned i = 0; i < 300000; i++) {
        struct event e = event_of((uint16_t)i, payload, 0);
        e.version = (uint8_t)(1 + (i >> 16));
        schema_find(s, 7, &e, &schema);
    }
    assert_true(schemas_bytes(s) < MOST);
    assert_true(schemas_dropped(s) > 0);
    schemas_free(s);
}

/* ---- real ones ----------------------------------------------------------------------------------- */

struct tally {
    unsigned long long events, decoded, of_trace;
};

static void learn_file(struct schemas *s, const char *name)
{
    struct err err;
    struct event e, about;
    struct etl_file *const file = etl_open(name, &err);
    if (!file)
        fail_msg("%s: %s", name, err.text);
    while (etl_next(file, &e, &err) == ETL_EVENT)
        schema_learn(s, 0, &e, &about);
    etl_close(file);
}

static void check_event(struct schemas *s, struct tally *t, const struct event *e, const char *name)
{
    struct schema schema;
    struct decoded fields[DECODE_FIELDS];
    t->events++;
    if (!schema_find(s, 0, e, &schema))
        return;
    t->decoded++;
    if (schema.origin != SCHEMA_TRACE)
        return;
    t->of_trace++;
    const unsigned count = decode_fields(schema.layout, e, fields, DECODE_FIELDS);
    for (unsigned i = 0; i < count; i++)
        if (!fields[i].is_present && !fields[i].is_member)
            fail_msg("%s: %s %s: no %s", name, schema.provider, schema.event,
                     fields[i].field->name);
    if (end_of_fields(fields, count) != e->payload_bytes)
        fail_msg("%s: %s %s: %zu of %u bytes consumed", name, schema.provider, schema.event,
                 end_of_fields(fields, count), e->payload_bytes);
}

static void real_payloads_are_consumed(void **state)
{
    (void)state;
    struct tally t = {0};
    glob_t files = shared_files("../shared/etl/*.etl*");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct err err;
        struct event e;
        struct schemas *const s = schemas_new();
        learn_file(s, files.gl_pathv[i]);
        struct etl_file *const file = etl_open(files.gl_pathv[i], &err);
        assert_non_null(file);
        while (etl_next(file, &e, &err) == ETL_EVENT)
            check_event(s, &t, &e, files.gl_pathv[i]);
        etl_close(file);
        schemas_free(s);
    }
    globfree(&files);
    print_message("%llu of %llu events have a schema, %llu of them one that the trace carries\n",
                  t.decoded, t.events, t.of_trace);
    assert_true(t.of_trace > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_property_is_read),
        cmocka_unit_test(misses_and_sources_are_kept_apart),
        cmocka_unit_test(damaged_blobs_do_no_harm),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(real_payloads_are_consumed),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
