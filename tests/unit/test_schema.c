/* Schemas of events: EventInfo records and maps made by hand, cut and damaged at every place, and
 * those of real traces, whose payloads must end where the schema says. */
#include "tests/sanitizer.h"
#include "tests/shared.h"
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/etl/etl.h"
#include "src/event/manifest_table.h"
#include "src/event/schema.h"

#include <ctype.h>
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
    b->at[35] = 17;                            /* channel */
    b->at[36] = 4;                             /* level */
    b->at[37] = 1;                             /* opcode */
    store_u16(b->at + 38, 3);                  /* task */
    store_u64(b->at + 40, 0x8000000000000014); /* keyword */
    store_u32(b->at + 52, put_name(b, "Made-Provider", 0));
    store_u32(b->at + 56, put_name(b, "win:Informational", 0));
    store_u32(b->at + 60, put_name(b, "Made-Provider/Analytic", 0));
    store_u32(b->at + 64, put_name(b, "Disk", 0));
    put_name(b, "Network ", 0);
    put_name(b, "", 0);
    store_u32(b->at + 68, put_name(b, "Work ", 0));
    store_u32(b->at + 72, put_name(b, "win:Start", 0));
    store_u32(b->at + 76, put_name(b, "State is %1, flags are %2 ", 0));
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

static const char *keywords_of(const struct schema *s, struct event e, uint64_t keyword, char *out)
{
    e.keyword = keyword;
    provider_keyword_names(s->names, &e, out);
    return out;
}

static void names_and_message_are_read(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    struct schema schema;
    struct event e = event_of(5, payload, sizeof payload);
    char text[PROVIDER_KEYWORDS];
    learn_kinds(s, 5);
    assert_true(schema_find(s, 0, &e, &schema));
    assert_string_equal(schema.message, "State is %1, flags are %2");
    e.level = 4;
    e.channel = 17;
    e.task = 3;
    assert_string_equal(provider_level_name(schema.names, &e), "Information");
    assert_string_equal(provider_channel_name(schema.names, &e), "Made-Provider/Analytic");
    assert_string_equal(provider_task_name(schema.names, &e), "Work");
    assert_string_equal(provider_opcode_name(schema.names, &e), "Start");
    assert_string_equal(keywords_of(&schema, e, 4, text), "Disk");
    assert_string_equal(keywords_of(&schema, e, 0x10, text), "Network");
    assert_string_equal(keywords_of(&schema, e, 0x8000000000000014, text),
                        "Disk, Network, Made-Provider/Analytic");
    /* The names are those of numbers: an event with others has others. */
    e.level = 2;
    e.channel = 16;
    e.task = 4;
    assert_string_equal(provider_level_name(schema.names, &e), "Error");
    assert_string_equal(provider_channel_name(schema.names, &e), "");
    assert_string_equal(provider_task_name(schema.names, &e), "");
    assert_string_equal(keywords_of(&schema, e, 0x4001000000000015, text),
                        "Disk, Network, ResponseTime, 0x4000000000000001");
    schemas_free(s);
}

/* With a name too few or too many nobody can say which bit has which. */
static void keyword_names_need_a_bit_each(void **state)
{
    (void)state;
    static const uint64_t keywords[] = {0x4, 0x1c, 0x00ffffffffffffff, 0};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        struct schemas *const s = schemas_new();
        struct schema schema;
        struct blob b;
        char text[PROVIDER_KEYWORDS];
        const struct event e = event_of(5, payload, sizeof payload);
        make_info(&b, 5, kinds, KINDS, TOP_LEVEL);
        store_u64(b.at + 40, keywords[i]);
        assert_true(learn(s, 0, &b, EVENT_INFO));
        assert_true(schema_find(s, 0, &e, &schema));
        assert_string_equal(keywords_of(&schema, e, 0x14, text), "0x14");
        schemas_free(s);
    }
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

/* ---- built-in layouts ----------------------------------------------------------------------------- */

static struct guid guid_of(const char *text)
{
    struct guid g;
    assert_true(guid_parse(text, &g));
    return g;
}

/* One line of src/event/manifest_table.tsv: an event of a provider. */
struct table_line {
    struct event event;
    unsigned variant; /* how many lines before it are of the same event */
    char provider[256];
};

typedef void on_line(void *owner, const struct table_line *l);

enum { PART = IS_SANITIZED ? 8 : 1 }; /* of the lines one in so many is looked at */

/* Reads the lines itself, by another way than the program. */
static unsigned for_each_line(on_line *f, void *owner)
{
    static char line[1 << 16];
    static uint8_t seen[1 << 16][32]; /* of a provider: variants by id and version */
    struct table_line l = {.variant = 0};
    unsigned count = 0, id, version;
    char guid[GUID_TEXT], kind[16];
    FILE *const in = fopen("src/event/manifest_table.tsv", "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "provider\t%36s\t%15s", guid, kind) == 2) {
            memset(seen, 0, sizeof seen);
            const bool is_classic = strcmp(kind, "classic") == 0;
            l.event = (struct event){.kind = is_classic ? HEADER_CLASSIC : HEADER_MANIFEST,
                                     .provider = guid_of(guid),
                                     .payload = (const uint8_t *)guid};
            snprintf(l.provider, sizeof l.provider, "%s", strrchr(line, '\t') + 1);
        } else if (sscanf(line, "%u.%u\t", &id, &version) == 2) {
            assert_true(id < 1 << 16 && version < 32);
            const bool is_classic = l.event.kind == HEADER_CLASSIC;
            l.event.id = is_classic ? 0 : (uint16_t)id;
            l.event.opcode = is_classic ? (uint8_t)id : 0;
            l.event.version = (uint8_t)version;
            l.variant = seen[id][version]++;
            if (count++ % PART == 0)
                f(owner, &l);
        }
    }
    fclose(in);
    return count;
}

static void check_map(const struct guid *g, const char *name)
{
    struct manifest_map map;
    char text[EVENT_INFO_NAME];
    size_t bytes = 0;
    uint32_t last = 0;
    if (!manifest_table_map(g, name, &map))
        fail_msg("no map %s", name);
    assert_true(map.count > 0);
    for (uint32_t i = 0; i < map.count; i++) {
        const uint32_t number = manifest_map_entry(&map, text);
        assert_true(i == 0 || number > last);
        assert_true(*text);
        bytes += strlen(text) + 1;
        last = number;
    }
    assert_true(bytes <= map.text_bytes);
}

/* Payloads of one kind of byte, and of noise. */
static void decode_noise(const struct payload_layout *l, struct event e)
{
    static uint8_t noise[512];
    struct decoded fields[DECODE_FIELDS];
    for (unsigned kind = 0; kind < 4; kind++) {
        for (unsigned i = 0; i < sizeof noise; i++)
            noise[i] = (uint8_t)(kind == 0 ? 0 : kind == 1 ? 0xff : kind == 2 ? i : 1);
        e.pointer = kind & 1 ? 4 : 8;
        e.payload = noise;
        e.payload_bytes = kind == 3 ? 7 : sizeof noise;
        const unsigned count = decode_fields(l, &e, fields, DECODE_FIELDS);
        assert_true(end_of_fields(fields, count) <= e.payload_bytes);
    }
}

static void check_layout(void *owner, const struct table_line *l)
{
    static struct event_info info;
    if (!manifest_table_read(&l->event, l->variant, &info))
        fail_msg("%s, event %u, opcode %u, version %u, variant %u: cannot be read", l->provider,
                 l->event.id, l->event.opcode, l->event.version, l->variant);
    assert_string_equal(info.provider_name, l->provider);
    assert_int_equal(info.version, l->event.version);
    for (unsigned i = 0; i < info.field_count; i++) {
        const struct field *const f = &info.fields[i];
        assert_true(*f->name && f->counted_by <= i);
        if (f->counted_by) {
            const unsigned type = info.fields[f->counted_by - 1].type;
            assert_true(type <= FIELD_SIZE || (type >= FIELD_HEX32 && type <= FIELD_HEX16));
        }
        if (info.maps[i][0])
            check_map(&l->event.provider, info.maps[i]);
        *(unsigned *)owner += 1;
    }
    decode_noise(
        &(struct payload_layout){.fields = info.fields, .field_count = (uint16_t)info.field_count},
        l->event);
}

static void every_built_in_layout_is_well_formed(void **state)
{
    (void)state;
    enum { LINES = 28000, FIELDS = 110000, PROVIDERS = 288 };
    unsigned fields = 0;
    const unsigned lines = for_each_line(check_layout, &fields);
    print_message("%u layouts with %u fields\n", lines, fields);
    assert_true(lines > LINES && fields > FIELDS / PART);
    assert_int_equal(manifest_table_count, PROVIDERS);
    size_t bytes = 0;
    for (unsigned i = 0; i < manifest_table_count; i++) {
        assert_true(i == 0 || strcmp(manifest_table[i - 1], manifest_table[i]) < 0);
        bytes += strlen(manifest_table[i]);
    }
    assert_true(bytes < 2u << 20);
}

/* The names of a list: what stands after each tab from the second one on. */
static unsigned check_names(const char *line, const char *end)
{
    unsigned names = 0;
    const char *at = memchr(line, '\t', (size_t)(end - line));
    while (at && (at = memchr(at + 1, '\t', (size_t)(end - at - 1)))) {
        const size_t bytes = strcspn(at + 1, ":\t\n");
        if (at[1] == '@')
            continue;
        char other[256];
        assert_true(bytes < sizeof other);
        for (size_t i = 0; i < bytes; i++)
            other[i] = (char)(isalpha((unsigned char)at[1 + i]) ? at[1 + i] ^ 0x20 : at[1 + i]);
        assert_true(manifest_table_has_field(other, bytes));
        names++;
    }
    return names;
}

static void every_field_of_the_table_is_known_by_name(void **state)
{
    (void)state;
    enum { FIELDS = 50000, NAMES = 16000 };
    unsigned fields = 0;
    for (unsigned i = 0; i < manifest_table_count; i++)
        for (const char *line = manifest_table[i], *end; *line; line = end + 1) {
            end = strchr(line, '\n');
            if (strncmp(line, "fields\t", 7) == 0 || isdigit((unsigned char)*line))
                fields += check_names(line, end);
        }
    print_message("%u fields, %u names\n", fields, manifest_name_count);
    assert_true(fields > FIELDS && manifest_name_count > NAMES);
    static const char *const others[] = {"", "FILTER_START", "TargetNam", "zz"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(manifest_table_has_field(others[i], strlen(others[i])));
}

static void find_line(void *owner, const struct table_line *l)
{
    struct schema schema;
    schema_find(owner, 0, &l->event, &schema);
}

/* All that the table has, asked for twice. */
static void built_in_layouts_are_kept_once(void **state)
{
    (void)state;
    enum { MOST = 32 << 20 };
    struct schemas *const s = schemas_new();
    for_each_line(find_line, s);
    const size_t bytes = schemas_bytes(s);
    print_message("all of them take %zu bytes\n", bytes);
    for_each_line(find_line, s);
    assert_int_equal(schemas_bytes(s), bytes);
    assert_int_equal(schemas_dropped(s), 0);
    assert_true(bytes < MOST);
    schemas_free(s);
}

static const char *text_of_built_in(struct schemas *s, const struct event *e, const char *event,
                                    char *out, size_t room)
{
    struct schema schema;
    assert_true(schema_find(s, 0, e, &schema));
    assert_int_equal(schema.origin, SCHEMA_BUILT_IN);
    assert_string_equal(schema.event, event);
    return text_of(s, e, out, room);
}

static const char kernel_process[] = "22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716";

static void put(struct blob *b, uint64_t value, size_t bytes)
{
    assert_true(b->bytes + bytes <= ROOM);
    for (; bytes--; value >>= 8)
        b->at[b->bytes++] = (uint8_t)value;
}

static void put_text(struct blob *b, const char *text)
{
    put_name(b, text, 0);
}

/* A manifest event of 64-bit programs. */
static struct event built_in_event(const char *guid, uint16_t id, uint8_t version,
                                   const struct blob *b)
{
    struct event e = event_of(id, b->at, b->bytes);
    e.provider = guid_of(guid);
    e.version = version;
    return e;
}

static void a_structure_and_a_map_of_the_table(void **state)
{
    (void)state;
    static struct blob b;
    char text[2048];
    struct schemas *const s = schemas_new();
    put(&b, 1, 4);
    put(&b, 8, 2);
    put(&b, 0x11, 8);
    put(&b, 0x22, 8);
    put(&b, 3, 4);
    put(&b, 0x19, 4);
    put(&b, 20, 1);
    put_text(&b, "List");
    put(&b, 2, 4);
    put(&b, 7, 8);
    put(&b, 9, 8);
    const struct event e = built_in_event("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", 15, 0, &b);
    text_of_built_in(s, &e, "Type/BulkType", text, sizeof text);
    assert_string_equal(text,
                        "Count=1 ClrInstanceID=8 Values={TypeID=0x11 ModuleID=0x22 TypeNameID=3 "
                        "Flags=Delegate|Array|0x10 CorElementType=20 Name=List "
                        "TypeParameterCount=2 TypeParameters=0x7,0x9}");
    schemas_free(s);
}

static void put_process(struct blob *b, bool has_flags)
{
    put(b, 4000, 4);
    put(b, 116444736000000000, 8);
    put(b, 4, 4);
    put(b, 1, 4);
    if (has_flags)
        put(b, 3, 4);
    put_text(b, "a.exe");
}

static const char *const process_start = "ProcessStart/Start";

static void versions_of_the_table(void **state)
{
    (void)state;
    static struct blob b, with_flags;
    char text[2048];
    struct schemas *const s = schemas_new();
    struct schema schema;
    put_process(&b, false);
    put_process(&with_flags, true);
    struct event e = built_in_event(kernel_process, 1, 0, &b);
    text_of_built_in(s, &e, process_start, text, sizeof text);
    assert_string_equal(text, "ProcessID=4000 CreateTime=1970-01-01T00:00:00.0000000Z "
                              "ParentProcessID=4 SessionID=1 ImageName=a.exe");
    e = built_in_event(kernel_process, 1, 1, &with_flags);
    text_of_built_in(s, &e, process_start, text, sizeof text);
    assert_non_null(strstr(text, "Flags=PackageId|0x2"));
    /* A version that the table lacks: the nearest lower one, where it fits. */
    const uint64_t sizes[] = {0, 6};
    for (unsigned i = 0; i < 2; i++) {
        static struct blob newer;
        newer.bytes = 0;
        put(&newer, 4000, 4);
        put(&newer, 17, 8);
        put(&newer, 0, 8);
        put(&newer, 4, 4);
        put(&newer, 16, 8);
        for (unsigned k = 0; k < 4; k++)
            put(&newer, k, 4);
        put(&newer, 0x0000000000000001, 8); /* a SID without sub-authorities */
        put_text(&newer, "b.exe");
        put(&newer, 0, 8);
        put_text(&newer, "");
        put_text(&newer, "");
        put(&newer, 0, 10);
        put(&newer, 0, sizes[i]);
        e = built_in_event(kernel_process, 1, 17, &newer);
        assert_true(schema_find(s, 0, &e, &schema));
        assert_int_equal(schema.layout->version, 5);
        assert_string_equal(schema.event, process_start);
    }
    e = built_in_event(kernel_process, 1, 17, &b);
    assert_false(schema_find(s, 0, &e, &schema));
    e.version = 5; /* its own version has it in any case: last fields are missing */
    assert_true(schema_find(s, 0, &e, &schema));
    e.id = 999;
    assert_false(schema_find(s, 0, &e, &schema));
    schemas_free(s);
}

/* Two layouts of one version: which of them it is, each payload says. */
static void variants_of_the_table(void **state)
{
    (void)state;
    static const char graphics[] = "802ec45a-1e99-4b83-9920-87c98277ba9d";
    static struct blob five, four;
    char text[2048];
    struct schemas *const s = schemas_new();
    for (unsigned i = 1; i <= 5; i++) {
        put(&five, i, 4);
        if (i < 5)
            put(&four, i, 4);
    }
    for (unsigned i = 0; i < 4; i++) {
        struct schema schema;
        const struct event e = built_in_event(graphics, 318, 0, i & 1 ? &four : &five);
        assert_true(schema_find(s, i >> 1, &e, &schema));
        text_of_built_in(s, &e, schema.event, text, sizeof text);
        assert_string_equal(text, i & 1 ? "DWMCount=1 VsyncCount=2 VsyncFlag=3 VsyncWaiters=4"
                                        : "DWMCount=1 VsyncCount=2 VsyncFlag=3 VsyncWaiters=4 "
                                          "VsyncType=5");
    }
    schemas_free(s);
}

/* Tasks and opcodes of their own: the numbers are the event's, the names the table's. */
static void names_of_the_table(void **state)
{
    (void)state;
    struct schemas *const s = schemas_new();
    struct schema schema;
    static struct blob b;
    struct event e = built_in_event("dd5ef90a-6398-47a4-ad34-4dcecdef795f", 2, 0, &b);
    e.task = 1;
    e.opcode = 12;
    assert_true(schema_find(s, 0, &e, &schema));
    assert_string_equal(provider_task_name(schema.names, &e), "HTTPRequestTraceTask");
    assert_string_equal(provider_opcode_name(schema.names, &e), "Parse");
    e = built_in_event(kernel_process, 1, 0, &b);
    e.opcode = 1;
    assert_true(schema_find(s, 0, &e, &schema));
    assert_string_equal(provider_task_name(schema.names, &e), "");
    assert_string_equal(provider_opcode_name(schema.names, &e), "Start");
    schemas_free(s);
}

static void classic_events_of_the_table(void **state)
{
    (void)state;
    static struct blob b;
    char text[2048];
    struct schemas *const s = schemas_new();
    put(&b, 77, 8);
    put(&b, 0, 16);
    put(&b, 'G', 2);
    put(&b, '/', 2);
    put(&b, 0, 1);
    struct event e = built_in_event("06a01367-79d3-4594-8eb3-c721603c4679", 0, 0, &b);
    struct schema schema;
    assert_false(schema_find(s, 0, &e, &schema)); /* it is none of a manifest */
    e.kind = HEADER_CLASSIC;
    text_of_built_in(s, &e, "AspNetReq/Start", text, sizeof text);
    assert_string_equal(text, "ConnID=77 ContextId=00000000-0000-0000-0000-000000000000 Method=G "
                              "Path=/ QueryString=");
    schemas_free(s);
}

/* What the trace says goes before the table, also when it comes later. */
static void a_trace_goes_before_the_table(void **state)
{
    (void)state;
    static struct blob b, info;
    static const struct property property = {"Everything", 0, 14, 15, 1, 0, NULL};
    struct schemas *const s = schemas_new();
    struct schema schema;
    put_process(&b, false);
    const struct event e = built_in_event(kernel_process, 1, 0, &b);
    assert_true(schema_find(s, 0, &e, &schema));
    assert_int_equal(schema.origin, SCHEMA_BUILT_IN);
    const struct schema before = schema;
    make_info(&info, 1, &property, 1, 1);
    memcpy(info.at, e.provider.b, sizeof e.provider.b);
    assert_true(learn(s, 0, &info, EVENT_INFO));
    assert_true(schema_find(s, 0, &e, &schema));
    assert_int_equal(schema.origin, SCHEMA_TRACE);
    assert_string_equal(schema.event, "Work/Start");
    assert_true(schema_find(s, 1, &e, &schema)); /* another source carries none */
    assert_ptr_equal(schema.layout, before.layout);
    schemas_free(s);
}

/* A trace that has events of every id and version. */
static void asking_the_table_is_bounded(void **state)
{
    (void)state;
    enum { MOST = 64 << 20 };
    static struct blob b;
    struct schemas *const s = schemas_new();
    struct schema schema;
    for (unsigned i = 0; i < 200000; i++) {
        const struct event e =
            built_in_event(i & 1 ? kernel_process : "00000000-0000-0000-0000-000000000000",
                           (uint16_t)(i % 65536), (uint8_t)(i >> 13), &b);
        schema_find(s, 0, &e, &schema);
    }
    assert_true(schemas_bytes(s) < MOST);
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
    /* PerfView writes four bytes more into this one than its own manifest says. */
    const bool is_longer = strcmp(schema.event, "ClrEnableParameters") == 0;
    if (end_of_fields(fields, count) + (is_longer ? 4 : 0) != e->payload_bytes)
        fail_msg("%s: %s %s: %zu of %u bytes consumed", name, schema.provider, schema.event,
                 end_of_fields(fields, count), e->payload_bytes);
}

/* Payloads that the list of verified layouts counts for a kind, and ours by the table alone. */
struct verified {
    struct guid provider;
    unsigned id, version, events, exact, left_over, failed, none;
    unsigned our_events, our_exact, our_left_over, our_failed, our_none;
};

enum { VERIFIED = 1024 };

static unsigned read_verified(struct verified *rows)
{
    static char line[4096];
    FILE *const in = fopen("../shared/reference/manifest-verified.tsv", "r");
    unsigned count = 0;
    char guid[GUID_TEXT];
    if (!in)
        return 0;
    while (fgets(line, sizeof line, in)) {
        struct verified *const v = &rows[count];
        const char *const at = strchr(line, '\t');
        if (*line == '#' || !at)
            continue;
        assert_true(count < VERIFIED);
        assert_int_equal(sscanf(at, " %36s %u %u %u %u %u %u %u", guid, &v->id, &v->version,
                                &v->events, &v->exact, &v->left_over, &v->failed, &v->none),
                         8);
        v->provider = guid_of(guid);
        count++;
    }
    fclose(in);
    return count;
}

static void count_verified(struct schemas *s, struct verified *rows, unsigned count,
                           const struct event *e)
{
    struct schema schema;
    struct decoded fields[DECODE_FIELDS];
    struct verified *v = rows;
    while (v < rows + count &&
           (v->id != e->id || v->version != e->version || !guid_equal(&v->provider, &e->provider)))
        v++;
    if (v == rows + count)
        return;
    const bool is_found = schema_find(s, 0, e, &schema);
    if (is_found && schema.origin == SCHEMA_TRACELOGGING)
        return;
    v->our_events++;
    if (!is_found) {
        v->our_none++;
        return;
    }
    assert_int_equal(schema.origin, SCHEMA_BUILT_IN);
    const unsigned fields_there = decode_fields(schema.layout, e, fields, DECODE_FIELDS);
    unsigned missing = 0;
    for (unsigned i = 0; i < fields_there; i++)
        missing += !fields[i].is_member && !fields[i].is_present;
    const size_t end = end_of_fields(fields, fields_there);
    v->our_failed += missing > 0;
    v->our_exact += !missing && end == e->payload_bytes;
    v->our_left_over += !missing && end != e->payload_bytes;
}

/* Without what the traces carry themselves. */
static void the_table_consumes_what_was_verified(void **state)
{
    (void)state;
    static struct verified rows[VERIFIED];
    const unsigned count = read_verified(rows);
    if (!count)
        skip_for("no ../shared/reference/manifest-verified.tsv");
    glob_t files = shared_files("../shared/etl/*.etl*");
    struct schemas *const s = schemas_new();
    unsigned bad = 0, exact = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct err err;
        struct event e;
        if (strstr(files.gl_pathv[i], "/derived-"))
            continue; /* damaged copies of other traces */
        struct etl_file *const file = etl_open(files.gl_pathv[i], &err);
        assert_non_null(file);
        while (etl_next(file, &e, &err) == ETL_EVENT)
            if (e.kind == HEADER_MANIFEST)
                count_verified(s, rows, count, &e);
        etl_close(file);
    }
    globfree(&files);
    schemas_free(s);
    for (unsigned i = 0; i < count; i++) {
        const struct verified *const v = &rows[i];
        char guid[GUID_TEXT];
        exact += v->our_exact;
        if (v->events == v->our_events && v->exact == v->our_exact &&
            v->left_over == v->our_left_over && v->failed == v->our_failed &&
            v->none == v->our_none)
            continue;
        print_error(
            "%s %u version %u: %u events, %u exact, %u with bytes left, %u cut, %u unknown; "
            "here %u, %u, %u, %u, %u\n",
            guid_format(&v->provider, guid), v->id, v->version, v->events, v->exact, v->left_over,
            v->failed, v->none, v->our_events, v->our_exact, v->our_left_over, v->our_failed,
            v->our_none);
        bad++;
    }
    print_message("%u events are consumed exactly by the table\n", exact);
    assert_int_equal(bad, 0);
}

/* The table in the repository against those that it was collected in. */
static void the_table_is_what_its_script_makes(void **state)
{
    (void)state;
    static const char layouts[] = "../shared/reference/manifest-event-layouts.tsv.zst";
    FILE *const in = fopen(layouts, "r");
    if (!in)
        skip_for("no %s", layouts);
    fclose(in);
    if (!HERE_IS_POSIX || system("command -v zstd >/dev/null 2>&1") != 0)
        skip_for("no shell or no zstd here");
    assert_int_equal(system("sh src/event/manifest_table.sh "
                            "../shared/reference/manifest-event-layouts.tsv.zst "
                            "../shared/reference/manifest-maps.tsv | "
                            "cmp - src/event/manifest_table.tsv"),
                     0);
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
    assert_true(t.decoded * 100 >= t.events * 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_property_is_read),
        cmocka_unit_test(names_and_message_are_read),
        cmocka_unit_test(keyword_names_need_a_bit_each),
        cmocka_unit_test(misses_and_sources_are_kept_apart),
        cmocka_unit_test(damaged_blobs_do_no_harm),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(every_built_in_layout_is_well_formed),
        cmocka_unit_test(every_field_of_the_table_is_known_by_name),
        cmocka_unit_test(built_in_layouts_are_kept_once),
        cmocka_unit_test(a_structure_and_a_map_of_the_table),
        cmocka_unit_test(versions_of_the_table),
        cmocka_unit_test(variants_of_the_table),
        cmocka_unit_test(names_of_the_table),
        cmocka_unit_test(classic_events_of_the_table),
        cmocka_unit_test(a_trace_goes_before_the_table),
        cmocka_unit_test(asking_the_table_is_bounded),
        cmocka_unit_test(the_table_consumes_what_was_verified),
        cmocka_unit_test(the_table_is_what_its_script_makes),
        cmocka_unit_test(real_payloads_are_consumed),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
