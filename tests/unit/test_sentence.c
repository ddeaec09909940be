/* Lines that say what happened: the language of templates, and that each template of the tables
 * names fields and facts that there are. */
#include "tests/test.h"

#include "src/base/scale.h"
#include "src/event/decode/maps.h"
#include "src/event/decode/table.h"
#include "src/event/manifest_table.h"
#include "src/event/sentence.h"
#include "src/event/tracelogging.h"
#include "src/event/tracetop_write.h"
#include "src/view/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- templates ----------------------------------------------------------------------------------- */

static const struct value_name colors[] = {{1, "RED"}, {2, "GREEN"}};
static const struct value_name kinds[] = {{3, "LARGE"}};
static const struct value_map kind_map = {.entries = kinds, .count = 1};
static const struct value_map color_map = {
    .entries = colors, .count = 2, .is_bits = true, .part_mask = 0xf0, .part = &kind_map};

static const struct field fields[] = {
    {.name = "Size", .type = FIELD_U32, .count = 1},
    {.name = "Name", .type = FIELD_ASTR, .count = 1},
    {.name = "Empty", .type = FIELD_ASTR, .count = 1},
    {.name = "Zero", .type = FIELD_POINTER, .count = 1},
    {.name = "Color", .type = FIELD_U32, .count = 1, .map = &color_map},
    {.name = "Status", .type = FIELD_U32, .count = 1, .role = FIELD_IS_STATUS},
    {.name = "Gone", .type = FIELD_U32, .count = 1},
};

static const struct decoded values[] = {
    {.field = &fields[0], .is_present = true, .elements = 1, .number = 65536, .bytes = 4},
    {.field = &fields[1],
     .is_present = true,
     .elements = 1,
     .data = (const uint8_t *)"C:\\temp\\x.db",
     .bytes = 12},
    {.field = &fields[2], .is_present = true, .elements = 1, .data = (const uint8_t *)""},
    {.field = &fields[3], .is_present = true, .elements = 1, .bytes = 8},
    {.field = &fields[4], .is_present = true, .elements = 1, .number = 0x31, .bytes = 4},
    {.field = &fields[5], .is_present = true, .elements = 1, .number = 0xc0000022, .bytes = 4},
    {.field = &fields[6]},
};

static bool known(void *of, const char *name, size_t bytes, char *out, size_t room)
{
    (void)of;
    if (bytes != 3 || memcmp(name, "lat", bytes) != 0)
        return false;
    snprintf(out, room, "1.07 ms");
    return true;
}

static const struct sentence_items items = {
    .fields = values, .count = sizeof values / sizeof *values, .fact = known};

static void templates_put_what_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *template, *line;
    } rows[] = {
        {"write {.Size:bytes} {.Name}, {lat}", "write 64 KiB C:\\temp\\x.db, 1.07 ms"},
        {"{.Size}", "65536"},
        {"{.Size:hex}", "0x10000"},
        {"{.Size:pages}", "256 MiB"},
        {"{.Size:us}", "65.5 ms"},
        {"{.Size:100ns}", "6.55 ms"},
        {"{.Name:file}", "x.db"},
        {"a[ {.Size}] b", "a 65536 b"},
        {"a[ {.Gone}] b", "a b"},
        {"a[ {.Empty}] b", "a b"},
        {"a[ {.Zero:set}]", "a"},
        {"a[ {.Zero}]", "a 0x0"},
        {"a[ {absent}]", "a"},
        {"a[, {.Size}[ ({.Gone})]]", "a, 65536"},
        {"a[, {.Gone}[ ({.Size})]]", "a"},
        {"{.Gone|.Empty|lat}", "1.07 ms"},
        {"{absent|'nothing, really'}", "nothing, really"},
        {"{.Color}", "LARGE|RED"},
        {"{.Color:part}", "LARGE"},
        {"{.Size:part|'no part'}", "no part"},
        {"{.Size:name|'no name'}", "no name"},
        {"{.Status:failed}", "ACCESS_DENIED"},
        {"{.Status:status}", "0xc0000022 (ACCESS_DENIED)"},
        {"{.Size:status}", "65536"},
        {"a[: {.Size:failed}]", "a"},
        /* an item outside brackets that is not known: there is no line */
        {"a {.Gone}", ""},
        {"a {absent} b[ {.Size}]", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[SENTENCE_LEAST];
        assert_int_equal(sentence_put(rows[i].template, &items, line, sizeof line),
                         strlen(rows[i].line));
        assert_string_equal(line, rows[i].line);
    }
}

/* What does not fit ends with a sign, and within no character. */
static void lines_are_cut_between_characters(void **state)
{
    (void)state;
    char line[SENTENCE_LEAST];
    const size_t bytes =
        sentence_put("→→→→→→→→→→→→→→→→→→→→→→→→→ {.Name} {.Name}", &items, line, sizeof line);
    assert_int_equal(bytes, strlen(line));
    assert_true(bytes < sizeof line);
    assert_string_equal(line + bytes - 3, "…");
    assert_int_equal((uint8_t)line[bytes - 6], 0xe2); /* a whole arrow before it */
}

static void a_guid_of_zeros_is_nobody(void **state)
{
    (void)state;
    static const struct field guid = {.name = "Of", .type = FIELD_GUID, .count = 1};
    uint8_t bytes[16] = {0};
    const struct decoded value = {
        .field = &guid, .is_present = true, .elements = 1, .data = bytes, .bytes = sizeof bytes};
    const struct sentence_items one = {.fields = &value, .count = 1};
    char line[128];
    sentence_put("{.Of:set|'none'}", &one, line, sizeof line);
    assert_string_equal(line, "none");
    bytes[15] = 7;
    sentence_put("{.Of:set|'none'}", &one, line, sizeof line);
    assert_string_equal(line, "00000000-0000-0000-0000-000000000007");
}

static void fields_are_ordered_by_rank(void **state)
{
    (void)state;
    char line[256];
    sentence_fields(&items, SENTENCE_AS_RECORDED, NULL, line, sizeof line);
    assert_string_equal(line, "Size=65536 Name=C:\\temp\\x.db Empty=\"\" Zero=0x0 Color=LARGE|RED "
                              "Status=ACCESS_DENIED");
    sentence_fields(&items, SENTENCE_BEST_FIRST, NULL, line, sizeof line);
    assert_string_equal(line, "Name=C:\\temp\\x.db Color=LARGE|RED Status=ACCESS_DENIED Size=65536 "
                              "Empty=\"\" Zero=0x0");
    sentence_fields(&items, SENTENCE_AS_RECORDED, &values[1], line, sizeof line);
    assert_string_equal(line,
                        "Size=65536 Empty=\"\" Zero=0x0 Color=LARGE|RED Status=ACCESS_DENIED");
}

static const struct field text_fields[] = {
    {.name = "seq", .type = FIELD_U32, .count = 1},
    {.name = "Message", .type = FIELD_ASTR, .count = 1},
    {.name = "Data", .type = FIELD_BYTES, .count = 0},
    {.name = "Provider", .type = FIELD_GUID, .count = 1},
    {.name = "Offset", .type = FIELD_U64, .count = 1},
    {.name = "Address", .type = FIELD_ASTR, .count = 1},
};

static struct decoded text_of(const struct field *f, const char *text)
{
    return (struct decoded){.field = f,
                            .is_present = true,
                            .elements = 1,
                            .data = (const uint8_t *)text,
                            .bytes = strlen(text)};
}

/* Where nothing else says what happened, a message among the fields does, or the only field. */
static void texts_of_events_are_their_lines(void **state)
{
    (void)state;
    char line[256];
    const struct decoded said[] = {
        {.field = &text_fields[0], .is_present = true, .elements = 1, .number = 7, .bytes = 4},
        text_of(&text_fields[1], "session created"),
        text_of(&text_fields[2], ""),
    };
    const struct sentence_items all = {.fields = said, .count = 3},
                                one = {.fields = said + 1, .count = 1},
                                number = {.fields = said, .count = 1}, none = {.count = 0};
    assert_ptr_equal(sentence_text(&all), &said[1]);
    assert_ptr_equal(sentence_text(&one), &said[1]);
    assert_null(sentence_text(&number));
    assert_null(sentence_text(&none));
    assert_null(sentence_text(&items)); /* two texts, and none is called so */
    sentence_fields(&all, SENTENCE_AS_RECORDED, NULL, line, sizeof line);
    assert_string_equal(line, "seq=7 Message=\"session created\" Data=[]");
}

/* In whatever room, fields stay within it. */
static void fields_are_cut_to_the_room(void **state)
{
    (void)state;
    const struct decoded said[] = {text_of(&text_fields[1], "session created"),
                                   text_of(&text_fields[2], ""),
                                   text_of(&text_fields[5], "at the end of the line")};
    const struct sentence_items all = {.fields = said, .count = 3};
    for (size_t room = SENTENCE_LEAST; room < 96; room++) {
        char *const line = malloc(room);
        assert_non_null(line);
        const size_t bytes = sentence_fields(&all, SENTENCE_AS_RECORDED, NULL, line, room);
        assert_true(bytes < room);
        assert_int_equal(strlen(line), bytes);
        free(line);
    }
}

static void values_have_names_and_forms(void **state)
{
    (void)state;
    /* Microsoft-Windows-Kernel-Process, and one that nobody has */
    static const uint8_t known_guid[] = {0xd6, 0x2c, 0xfb, 0x22, 0x7b, 0x0e, 0x2b, 0x42,
                                         0xa0, 0xc7, 0x2f, 0xad, 0x1f, 0xd0, 0xe7, 0x16},
                         other_guid[16] = {1};
    const struct decoded said[] = {
        {.field = &text_fields[3],
         .is_present = true,
         .elements = 1,
         .data = known_guid,
         .bytes = 16},
        {.field = &text_fields[4],
         .is_present = true,
         .elements = 1,
         .number = UINT64_MAX,
         .bytes = 8},
        text_of(&text_fields[5], "[fe80::1]:53"),
    };
    const struct sentence_items all = {.fields = said, .count = 3};
    char line[SENTENCE_LEAST];
    sentence_put("{.Provider}[ at {.Offset:at}]", &all, line, sizeof line);
    assert_string_equal(line, "Microsoft-Windows-Kernel-Process");
    sentence_put("server {.Address:host}", &all, line, sizeof line);
    assert_string_equal(line, "server fe80::1");
    const struct decoded other = {.field = &text_fields[3],
                                  .is_present = true,
                                  .elements = 1,
                                  .data = other_guid,
                                  .bytes = 16};
    sentence_value(&other, false, line, sizeof line);
    assert_string_equal(line, "00000001-0000-0000-0000-000000000000");
}

/* ---- tracetop's own events ----------------------------------------------------------------------- */

static const struct {
    const char *event, *fields, *line;
} own[] = {
    {"Exec", "pid:u32,name:text,path:text,arguments:text", "process 7 runs b: c"},
    {"Command", "pid:u32,name:text,path:text,arguments:text", "process 7 runs b: c"},
    {"Rename", "pid:u32,name:text", "process 7 is now named a"},
    {"Owner", "pid:u32,uid:u32,name:text", "process 7 belongs to a"},
    {"Lifetime", "pid:u32,since:u64", "process 7 began 1.50 ms ago"},
    {"DiskCommand", "command:text,disk:u32,offset:u64,bytes:u32,response:u64",
     "a 7 B at 1.43 MiB of disk 7, 1.50 ms"},
    {"TcpOpened", "connid:u32,handshake:u64,since:u64",
     "TCP connection 7 opened, handshake 1.50 ms"},
    {"Recorded", "class:text,from:u64,until:u64", "events of class a are recorded"},
    {"Mount", "device:text,path:text,type:text", "a is mounted at b, c"},
    {"Machine", "system:text,release:text,machine:text,distribution:text", "a b, c, d"},
    {"Topology", "processors:u32,cores:u32,caches:text", "7 processors, 7 cores, a"},
    {"Mapping", "pid:u32,base:hex64,size:hex64", "1.43 MiB at 0x16e360 of process 7"},
    {"Connection", "pid:u32,local_port:u16,remote_port:u16,since:u64",
     "TCP connection of process 7, ports 9 and 9, open for 1.50 ms"},
    {"TcpOpened", "connid:u32,handshake:u64", "TCP connection 7 opened"},
    {"Connection", "pid:u32,local_port:u16,remote_port:u16,since:u64",
     "TCP connection of process 7, ports 9 and 9"},
    {"Nothing", "pid:u32", ""},
};

/* Texts are a, b, c …, other fields a number by their type; times are 0 where the line has none. */
static size_t make_own(unsigned i, uint8_t *record, size_t room)
{
    struct payload_writer p = {record, record, record + room};
    char letter = 'a';
    tracetop_write_begin(&p, own[i].event, own[i].fields, 1, 2, 3);
    for (const char *at = strchr(own[i].fields, ':'); at; at = strchr(at + 1, ':'))
        switch (at[1] == 'u' ? atoi(at + 2) : at[1] == 'h' ? 64 : 0) {
        case 16:
            put_u16(&p, 9);
            break;
        case 32:
            put_u32(&p, 7);
            break;
        case 64:
            put_u64(&p, at[1] == 'h' || strstr(own[i].line, " ms") ? 1500000 : 0);
            break;
        default:
            put_u8(&p, (uint8_t)letter++);
            put_u8(&p, 0);
        }
    tracetop_write_end(&p);
    return (size_t)(p.at - record);
}

static void own_events_have_lines(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++) {
        uint8_t record[1024];
        struct event e;
        struct tracelogging t;
        struct decoded d[DECODE_FIELDS];
        char line[256] = "";
        const size_t bytes = make_own(i, record, sizeof record);
        assert_int_equal(event_parse(record, bytes, &e), EVENT_OK);
        assert_true(tracelogging_read(&e, &t));
        const char *const template = sentence_template(&e);
        const struct sentence_items made = {
            .fields = d, .count = decode_fields(&t.layout, &e, d, DECODE_FIELDS), .is_linux = true};
        assert_int_equal(template != NULL, *own[i].line != '\0');
        if (template)
            sentence_put(template, &made, line, sizeof line);
        assert_string_equal(line, own[i].line);
    }
}

static void quantities_read_well(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *bytes, *time;
    } rows[] = {
        {0, "0 B", "0 ns"},
        {999, "999 B", "999 ns"},
        {1024, "1 KiB", "1.02 µs"},
        {65536, "64 KiB", "65.5 µs"},
        {1070000, "1.02 MiB", "1.07 ms"},
        {1023.9 * 1024, "1.00 MiB", "1.05 ms"},
        {60e9, "55.9 GiB", "1 min"},
        {7200e9, "6.55 TiB", "2 h"},
        {18446744073709551615.0, "16 EiB", "5124096 h"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        scale_bytes(rows[i].number, text, sizeof text);
        assert_string_equal(text, rows[i].bytes);
        scale_time(rows[i].number, text, sizeof text);
        assert_string_equal(text, rows[i].time);
    }
}

/* ---- the tables ---------------------------------------------------------------------------------- */

/* Whose templates are checked: has a layout the field? */
struct owner {
    const struct event_type *kind; /* of kernel classes */
    const struct guid *provider;   /* of manifests */
    uint16_t id;
    const char *what;
};

static bool kind_has(const struct event_type *k, const char *name, size_t bytes)
{
    for (unsigned i = 0; i < k->layout_count; i++)
        for (unsigned n = 0; n < k->layouts[i].field_count; n++) {
            const char *const is = k->layouts[i].fields[n].name;
            if (strlen(is) == bytes && memcmp(is, name, bytes) == 0)
                return true;
        }
    return false;
}

static bool manifest_has(const struct guid *provider, uint16_t id, const char *name, size_t bytes)
{
    static struct event_info info;
    for (uint16_t version = 0; version < 8; version++) {
        const struct event e = {
            .kind = HEADER_MANIFEST, .provider = *provider, .id = id, .version = version};
        for (unsigned variant = 0; manifest_table_read(&e, variant, &info); variant++)
            for (unsigned i = 0; i < info.field_count; i++)
                if (strlen(info.names[i]) == bytes && memcmp(info.names[i], name, bytes) == 0)
                    return true;
    }
    return false;
}

static void check_item(void *of, bool is_field, const char *name, size_t bytes)
{
    const struct owner *const o = of;
    const bool is_known = !is_field ? view_sentence_knows(name, bytes)
                          : o->kind ? kind_has(o->kind, name, bytes)
                                    : manifest_has(o->provider, o->id, name, bytes);
    if (!is_known)
        fail_msg("%s: %s %.*s is not known", o->what, is_field ? "field" : "fact", (int)bytes,
                 name);
}

static void kernel_templates_name_what_there_is(void **state)
{
    (void)state;
    unsigned templates = 0;
    for (unsigned c = 0; decode_class(c); c++)
        for (unsigned k = 0; k < decode_class(c)->kind_count; k++) {
            const struct event_type *const kind = &decode_class(c)->kinds[k];
            struct owner o = {.kind = kind, .what = kind->sentence};
            if (!kind->sentence)
                continue;
            templates++;
            if (!sentence_check(kind->sentence, check_item, &o))
                fail_msg("ill-formed: %s", kind->sentence);
        }
    assert_true(templates > 150);
}

static void manifest_templates_name_what_there_is(void **state)
{
    (void)state;
    for (unsigned p = 0; p < sentence_provider_count; p++) {
        const struct sentence_provider *const provider = &sentence_providers[p];
        const struct sentence_row *const rows = provider->of->rows;
        for (unsigned r = 0; r < provider->of->count; r++) {
            struct owner o = {
                .provider = provider->guid, .id = rows[r].id, .what = rows[r].template};
            if (r)
                assert_true(rows[r - 1].id < rows[r].id);
            if (!sentence_check(o.what, check_item, &o))
                fail_msg("ill-formed: %s", o.what);
        }
    }
}

/* Has the event a line where each field has a value, and no fact is known? */
static bool has_line(const struct event *e, const struct event_info *info)
{
    static struct field named[DECODE_FIELDS];
    static struct decoded all[DECODE_FIELDS];
    char line[512];
    const struct sentence_items with = {.fields = all, .count = info->field_count};
    const char *const template = sentence_template(e);
    for (unsigned i = 0; i < info->field_count; i++) {
        named[i] = (struct field){.name = info->names[i], .type = FIELD_U32, .count = 1};
        all[i] = (struct decoded){
            .field = &named[i], .is_present = true, .elements = 1, .number = 7, .bytes = 4};
    }
    return template && sentence_put(template, &with, line, sizeof line) > 0;
}

/* Where a provider has rows, each version of their events has a line. */
static void rows_hold_for_every_version(void **state)
{
    (void)state;
    static struct event_info info;
    for (unsigned p = 0; p < sentence_provider_count; p++)
        for (unsigned r = 0; r < sentence_providers[p].of->count; r++)
            for (uint16_t version = 0; version < 8; version++) {
                const struct event e = {.kind = HEADER_MANIFEST,
                                        .provider = *sentence_providers[p].guid,
                                        .id = sentence_providers[p].of->rows[r].id,
                                        .version = version};
                for (unsigned v = 0; manifest_table_read(&e, v, &info) && info.version == version;
                     v++)
                    if (!has_line(&e, &info))
                        fail_msg("no line of version %u: %s", version, sentence_template(&e));
            }
}

/* Each event of a .NET runtime has a line, in every version: among them those of the probes of
 * DTrace's provider "dnet". */
static void dotnet_events_have_lines(void **state)
{
    (void)state;
    static const char *const providers[] = {"e13c0d23-ccbc-4e12-931b-d9cc2eee27e4",
                                            "a669021c-c450-4609-a035-5af59af4df18",
                                            "763fd754-7086-4dfe-95eb-c01a46faf4ca"};
    static struct event_info info;
    unsigned layouts = 0;
    for (size_t p = 0; p < TABLE_COUNT(providers); p++)
        for (uint16_t id = 0; id < 1024; id++)
            for (uint16_t version = 0; version < 8; version++) {
                struct event e = {.kind = HEADER_MANIFEST, .id = id, .version = version};
                assert_true(guid_parse(providers[p], &e.provider));
                for (unsigned v = 0; manifest_table_read(&e, v, &info) && info.version == version;
                     v++) {
                    layouts++;
                    if (!has_line(&e, &info))
                        fail_msg("%s %u version %u has no line", providers[p], id, version);
                }
            }
    assert_true(layouts > 350);
}

static void ignore(void *of, bool is_field, const char *name, size_t bytes)
{
    (void)of, (void)is_field, (void)name, (void)bytes;
}

static void ill_formed_templates_are_found(void **state)
{
    (void)state;
    static const char *const wrong[] = {"a[b", "a]b",    "a{b",  "a}b",
                                        "{}",  "{a||b}", "{a|}", "{.A:furlongs}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(sentence_check(wrong[i], ignore, NULL));
}

static void check_map(const struct value_map *m)
{
    for (uint32_t n = 1; n < m->count; n++)
        assert_true(m->entries[n - 1].value < m->entries[n].value);
    if (m->part_mask)
        check_map(m->part);
}

/* Names are found by halving. */
static void maps_are_sorted(void **state)
{
    (void)state;
    unsigned maps = 0;
    for (unsigned c = 0; decode_class(c); c++)
        for (unsigned k = 0; k < decode_class(c)->kind_count; k++)
            for (unsigned l = 0; l < decode_class(c)->kinds[k].layout_count; l++) {
                const struct payload_layout *const layout = &decode_class(c)->kinds[k].layouts[l];
                for (unsigned f = 0; f < layout->field_count; f++)
                    if (layout->fields[f].map) {
                        check_map(layout->fields[f].map);
                        maps++;
                    }
            }
    assert_true(maps > 50);
    for (uint32_t n = 0; n < map_wait_reason.count; n++) /* name_wait_reason() counts on it */
        assert_int_equal(map_wait_reason.entries[n].value, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_put_what_is_known),
        cmocka_unit_test(lines_are_cut_between_characters),
        cmocka_unit_test(a_guid_of_zeros_is_nobody),
        cmocka_unit_test(fields_are_ordered_by_rank),
        cmocka_unit_test(texts_of_events_are_their_lines),
        cmocka_unit_test(fields_are_cut_to_the_room),
        cmocka_unit_test(values_have_names_and_forms),
        cmocka_unit_test(own_events_have_lines),
        cmocka_unit_test(quantities_read_well),
        cmocka_unit_test(kernel_templates_name_what_there_is),
        cmocka_unit_test(manifest_templates_name_what_there_is),
        cmocka_unit_test(rows_hold_for_every_version),
        cmocka_unit_test(dotnet_events_have_lines),
        cmocka_unit_test(ill_formed_templates_are_found),
        cmocka_unit_test(maps_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
