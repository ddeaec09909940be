/* Instrumentation manifests in XML: whole ones, damaged ones, in files of users and in pieces
 * within a trace; and those of real traces. */
#include "tests/etl_writer.h"
#include "tests/shared.h"
#include "tests/stage.h"
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/etl/etl.h"
#include "src/event/manifest/pieces.h"
#include "src/event/schema.h"
#include "src/event/schema_file.h"
#include "src/export/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct guid made = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
static const struct guid metadata = {{0xc1, 0xf6, 0xcc, 0xbb, 0xd1, 0x6c, 0xc4, 0x48, 0x80, 0xff,
                                      0x83, 0x94, 0x82, 0xe3, 0x76, 0x71}};

#define HEAD                                                                                       \
    "<?xml version='1.0' encoding='utf-8'?>\n"                                                     \
    "<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'\n"           \
    " xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>\n"                    \
    "<instrumentation><events>\n"
#define PROVIDER_5 /* begins in line 5 */                                                          \
    "<provider name='Made' guid='{04030201-0605-0807-090a-0b0c0d0e0f10}' symbol='MADE'>\n"
#define END_EVENTS "</provider></events></instrumentation>\n"
#define END        END_EVENTS "</instrumentationManifest>\n"

/* Everything that can be in a manifest. */
static const char whole[] = HEAD PROVIDER_5
    "<channels><channel name='Made/Operational' chid='OP' type='Operational' value='17'/>\n"
    "<importChannel name='System' chid='SYS'/></channels>\n"
    "<levels><level name='made:Loud' value='17' message='$(string.loud)'/></levels>\n"
    "<tasks><task name='Copy' value='7'><opcodes><opcode name='Begin' "
    "value='20'/></opcodes></task>\n"
    "<task name='Move' value='8'><opcodes><opcode name='Begin' "
    "value='21'/></opcodes></task></tasks>\n"
    "<opcodes><opcode name='Begin' value='22'/><opcode name='Other' value='23'/></opcodes>\n"
    "<keywords><keyword name='Second' mask='0x2'/><keyword name='First' mask='0x1'/></keywords>\n"
    "<maps><valueMap name='Colors'><map value='1' message='$(string.red)'/>"
    "<map value='0x2' message='$(string.green)'/></valueMap>\n"
    "<bitMap name='Flags'><map value='1' message='$(string.read)'/>"
    "<map value='4' message='$(string.none)' symbol='EXEC'/>"
    "<map value='5' symbol='BOTH'/></bitMap></maps>\n"
    "<templates><template tid='T'>\n"
    "<data name='Count' inType='win:UInt16'/>\n"
    "<data name='Name' inType='win:UnicodeString'/>\n"
    "<data name='Color' inType='win:UInt32' map='Colors'/>\n"
    "<data name='Mode' inType='win:UInt8' map='Flags'/>\n"
    "<data name='Values' inType='win:UInt16' count='Count'/>\n"
    "<struct name='Pairs' count='2'><data name='A' inType='win:UInt8'/>"
    "<data name='B' inType='win:UInt16' outType='win:HexInt16'/></struct>\n"
    "<data name='Size' inType='win:UInt32'/>\n"
    "<data name='Bytes' inType='win:Binary' length='Size'/>\n"
    "<data name='Fixed' inType='win:UnicodeString' length='3'/>\n"
    "<data name='Yes' inType='win:Boolean'/>\n"
    "<data name='Address' inType='win:UInt32' outType='win:IPv4'/>\n"
    "<data name='Port' inType='win:UInt16' outType='win:Port'/>\n"
    "<data name='Counted' inType='win:CountedUnicodeString'/>\n"
    "</template></templates>\n"
    "<events><event value='1' version='2' level='made:Loud' task='Copy' opcode='Begin' "
    "channel='OP'\n"
    " keywords='First Second' template='T' message='$(string.message)'/>\n"
    "<event value='2' task='Move' opcode='Begin' level='win:Error'/>\n"
    "<event value='3' opcode='Begin' symbol='PLAIN'/>\n"
    "<event value='4' task='Copy' opcode='win:Start' symbol='X'/>\n"
    "<event value='5' name='Named'/></events>\n" END_EVENTS
    "<localization><resources culture='de-DE'><stringTable><string id='red' value='Rot'/>"
    "<string id='green' value='Gr\xc3\xbcn'/></stringTable></resources>\n"
    "<resources culture='en-US'><stringTable><string id='red' value='Red'/>"
    "<string id='green' value='Gr\xc3\xa9\xc3\xa9n'/><string id='read' value='Read'/>"
    "<string id='message' value='%1 of &lt;%2&gt;'/></stringTable></resources></localization>"
    "</instrumentationManifest>";

/* ---- helpers -------------------------------------------------------------------------------- */

static struct manifest *read_text(const char *text)
{
    struct err err;
    struct manifest *const m = manifest_read(text, strlen(text), &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static struct event event_of(uint16_t id, uint16_t version, const void *payload, size_t bytes)
{
    return (struct event){.kind = HEADER_MANIFEST,
                          .provider = made,
                          .id = id,
                          .version = version,
                          .pointer = 8,
                          .payload = payload,
                          .payload_bytes = (uint32_t)bytes};
}

struct payload {
    uint8_t at[1 << 17];
    size_t bytes;
};

static void add(struct payload *p, uint64_t value, size_t bytes)
{
    memcpy(p->at + p->bytes, &value, bytes);
    p->bytes += bytes;
}

static void add_wide(struct payload *p, const char *text, size_t units)
{
    for (size_t i = 0; i < units; i++)
        add(p, (uint8_t)text[i], 2);
}

/* Where the last field ends; beyond the payload where one is missing. */
static size_t end_of_fields(const struct schema *schema, const struct event *e)
{
    struct decoded fields[DECODE_FIELDS];
    size_t end = 0;
    const unsigned count = decode_fields(schema->layout, e, fields, DECODE_FIELDS);
    for (unsigned i = 0; i < count; i++) {
        if (!fields[i].is_member && !fields[i].is_present)
            return SIZE_MAX;
        if (!fields[i].is_member && fields[i].end > end)
            end = fields[i].end;
    }
    return end;
}

/* "name=value name=value" of all fields that are there. */
static const char *fields_text(const struct schema *schema, const struct event *e)
{
    static char out[4096];
    struct decoded fields[DECODE_FIELDS];
    size_t used = 0;
    const unsigned count = decode_fields(schema->layout, e, fields, DECODE_FIELDS);
    for (unsigned i = 0; i < count; i++) {
        if (fields[i].is_member || !fields[i].is_present)
            continue;
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%s=", used ? " " : "",
                                 fields[i].field->name);
        used += decode_format(&fields[i], out + used, sizeof out - used);
    }
    return out;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *const f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* A file of ours for the time of one call. */
static bool add_file(const void *bytes, size_t size, struct err *err)
{
    char path[] = "/tmp/tracetop-manifest-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_file(path, bytes, size);
    const bool ok = schema_file_add(path, err);
    unlink(path);
    return ok;
}

/* ---- whole manifests ------------------------------------------------------------------------- */

static void fill_whole(struct payload *p)
{
    p->bytes = 0;
    add(p, 3, 2);
    add_wide(p, "name", 5);
    add(p, 2, 4);
    add(p, 5, 1);
    add(p, 10, 2);
    add(p, 20, 2);
    add(p, 30, 2);
    add(p, 1, 1);
    add(p, 0x12, 2);
    add(p, 2, 1);
    add(p, 0x34, 2);
    add(p, 2, 4);
    add(p, 0xbbaa, 2);
    add_wide(p, "abc", 3);
    add(p, 1, 4);
    add(p, 0x0100007f, 4);
    add(p, 0xbb01, 2);
    add(p, 4, 2);
    add_wide(p, "xy", 2);
}

static void every_kind_of_field(void **state)
{
    (void)state;
    static struct payload p;
    struct err err;
    struct schema schema;
    struct schemas *const s = schemas_new();
    fill_whole(&p);
    const struct event e = event_of(1, 2, p.at, p.bytes);
    assert_false(schema_find(s, 0, &e, &schema));
    schemas_free(s);
    if (!add_file(whole, sizeof whole - 1, &err))
        fail_msg("%s", err.text);
    assert_int_equal(manifest_mistakes(schema_file_at(0)->manifest), 0);
    struct schemas *const with = schemas_new();
    assert_true(schema_find(with, 0, &e, &schema));
    assert_string_equal(schema_origin_name(schema.origin), "manifest");
    assert_non_null(strstr(schema.file, "tracetop-manifest-"));
    assert_string_equal(schema.provider, "Made");
    assert_string_equal(schema.event, "Copy/Begin");
    assert_string_equal(schema.message, "%1 of <%2>");
    assert_int_equal(end_of_fields(&schema, &e), p.bytes);
    /* English goes before German, and a symbol stands in for a message that is missing. */
    assert_string_equal(
        fields_text(&schema, &e),
        "Count=3 Name=name Color=Gr\xc3\xa9\xc3\xa9n Mode=Read|EXEC Values=10,20,30 "
        "Pairs={A=1 B=0x12},{A=2 B=0x34} Size=2 Bytes=aabb Fixed=abc Yes=true "
        "Address=127.0.0.1 Port=443 Counted=xy");
    assert_true(schema_has_field("counted", 7));
    schemas_free(with);
    schema_files_clear();
    assert_false(schema_has_field("counted", 7));
}

static void names_of_events(void **state)
{
    (void)state;
    struct err err;
    struct schema schema;
    struct event e = event_of(1, 2, "", 0);
    char keywords[PROVIDER_KEYWORDS];
    assert_true(add_file(whole, sizeof whole - 1, &err));
    struct schemas *const s = schemas_new();
    assert_true(schema_find(s, 0, &e, &schema));
    e.level = 17;
    e.opcode = 20;
    e.task = 7;
    e.channel = 17;
    e.keyword = 3;
    assert_string_equal(provider_level_name(schema.names, &e), "made:Loud");
    assert_string_equal(provider_opcode_name(schema.names, &e), "Begin");
    assert_string_equal(provider_task_name(schema.names, &e), "Copy");
    assert_string_equal(provider_channel_name(schema.names, &e), "Made/Operational");
    provider_keyword_names(schema.names, &e, keywords);
    assert_string_equal(keywords, "First, Second");
    static const struct {
        uint16_t id;
        const char *name;
    } events[] = {{2, "Move/Begin"}, {3, "PLAIN/Begin"}, {4, "Copy/Start"}, {5, "Named"}};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        e = event_of(events[i].id, 0, "", 0);
        assert_true(schema_find(s, 0, &e, &schema));
        assert_string_equal(schema.event, events[i].name);
        assert_int_equal(schema.layout->field_count, 0);
    }
    e = event_of(1, 0, "", 0); /* another version */
    assert_false(schema_find(s, 0, &e, &schema));
    schemas_free(s);
    schema_files_clear();
}

/* The opcode of an event is the one of its task, else the one of all tasks. */
static void opcodes_of_tasks(void **state)
{
    (void)state;
    static const struct {
        uint16_t id;
        uint8_t opcode;
    } events[] = {{2, 21}, {3, 22}, {4, 1}, {5, 0}};
    struct manifest *const m = read_text(whole);
    struct manifest_blob b = {NULL, 0, 0};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        assert_true(manifest_event_info(m, &made, events[i].id, 0, &b));
        assert_int_equal(b.at[37], events[i].opcode);
    }
    free(b.at);
    manifest_free(m);
}

static void utf16_is_read(void **state)
{
    (void)state;
    static uint8_t wide[4 * sizeof whole];
    struct err err;
    size_t used = 2;
    char text[sizeof whole];
    strcpy(text, whole);
    memset(strstr(text, " encoding='utf-8'"), ' ', strlen(" encoding='utf-8'"));
    wide[0] = 0xff;
    wide[1] = 0xfe;
    used += text_to_utf16(wide + used, sizeof wide - used, text, strlen(text));
    struct manifest *const m = manifest_read(wide, used, &err);
    if (!m)
        fail_msg("%s", err.text);
    assert_int_equal(manifest_event_count(m), 5);
    manifest_free(m);
}

/* ---- mistakes ---------------------------------------------------------------------------------- */

#define EVENTS(events) "<events>" events "</events>"
#define GOOD           "<event value='9' symbol='GOOD'/>"

static void mistakes_cost_what_they_are_in(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {EVENTS("<event value='1' template='None'/>" GOOD),
         "line 6: event 1: template 'None' is not defined"},
        {EVENTS("<event value='70000'/>\n" GOOD),
         "line 6: event: expected a number up to 65535 as value, found '70000'"},
        {EVENTS("<event value='1' version='-1'/>\n" GOOD),
         "line 6: event: expected a number up to 255 as version, found '-1'"},
        {EVENTS("<event/>" GOOD),
         "line 6: event: expected a number up to 65535 as value, found ''"},
        {EVENTS("<event value='9' task='None' symbol='GOOD'/>"),
         "line 6: event 9: task 'None' is not defined"},
        {EVENTS("<event value='9' keywords='A' symbol='GOOD'/>"),
         "line 6: event 9: keyword 'A' is not defined"},
        {"<tasks><task value='1'/></tasks>" EVENTS(GOOD),
         "line 6: task: attribute name is missing"},
        {"<templates><template tid='T'><data name='a' "
         "inType='win:What'/></template></templates>" EVENTS(
             "<event value='9' template='T' symbol='GOOD'/>"),
         "line 6: data 'a': inType 'win:What' is unknown"},
        {"<templates><template tid='T'><data name='a' "
         "inType='win:Binary'/></template></templates>" EVENTS(GOOD),
         "line 6: data 'a': win:Binary without a length"},
        {"<templates><template tid='T'><data name='a' inType='win:UInt8' count='b'/>"
         "<data name='b' inType='win:UInt8'/></template></templates>" EVENTS(GOOD),
         "line 6: template 'T': count of 'a': no data 'b' before it"},
        {"<templates><template tid='T'><data name='a' inType='win:UInt8' count='99999'/>"
         "</template></templates>" EVENTS(GOOD),
         "line 6: a: expected a number up to 65535 as count, found '99999'"},
        {"<maps><valueMap name='M'><map value='0x100000000'/></valueMap></maps>" EVENTS(GOOD),
         "line 6: map: expected a number up to 4294967295 as value, found '0x100000000'"},
        {"</provider><provider name='Other' guid='none'>" EVENTS(
             "<event value='1'/>") "</provider><provider name='Made' "
                                   "guid='{04030201-0605-0807-090a-0b0c0d0e0f10}'>" EVENTS(GOOD),
         "line 6: provider 'Other': expected a GUID, found 'none'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        struct manifest_blob b = {NULL, 0, 0};
        snprintf(text, sizeof text, "%s%s%s%s", HEAD, PROVIDER_5, cases[i].text, END);
        struct manifest *const m = read_text(text);
        assert_int_equal(manifest_mistakes(m), 1);
        assert_string_equal(manifest_sentence(m, 0), cases[i].sentence);
        assert_true(manifest_event_info(m, &made, 9, 0, &b)); /* the others are there */
        assert_int_equal(manifest_event_count(m), 1);
        free(b.at);
        manifest_free(m);
    }
}

/* A field of unknown type takes the bytes up to those behind it. */
static void an_unknown_type_costs_its_field(void **state)
{
    (void)state;
    char text[4096];
    struct err err;
    struct schema schema;
    const uint8_t payload[] = {1, 0, 0xaa, 0xbb, 0xcc, 7};
    const struct event e = event_of(1, 0, payload, sizeof payload);
    snprintf(text, sizeof text, "%s%s%s%s", HEAD, PROVIDER_5,
             "<templates><template tid='T'><data name='A' inType='win:UInt16'/>"
             "<data name='B' inType='win:Future'/><data name='C' inType='win:UInt8'/></template>"
             "</templates>" EVENTS("<event value='1' template='T'/>"),
             END);
    assert_true(add_file(text, strlen(text), &err));
    struct schemas *const s = schemas_new();
    assert_true(schema_find(s, 0, &e, &schema));
    const char *const shown = fields_text(&schema, &e);
    assert_non_null(strstr(shown, "A=1 B="));
    assert_non_null(strstr(shown, "aabbcc"));
    assert_non_null(strstr(shown, " C=7"));
    schemas_free(s);
    schema_files_clear();
}

static void what_is_no_manifest_is_refused(void **state)
{
    (void)state;
    static char deep[8192];
    for (unsigned i = 0; i < 1000; i++)
        strcat(deep, "<a>");
    const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "expected an instrumentation manifest"},
        {"MZ", "it has no resource WEVT_TEMPLATE"},
        {"CRIM", "no event is defined"},
        {"<a>\n<b></a>", "line 2: mismatched tag"},
        {"<a/>", "no event is defined"},
        {deep, "line 1: elements are nested more than 32 deep"},
        {HEAD PROVIDER_5 "<events/>" END, "no event is defined"},
        {HEAD PROVIDER_5 EVENTS("<event value='x'/>") END,
         "no event is defined; line 6: event: expected a number up to 65535 as value, found 'x'"},
        {HEAD PROVIDER_5 EVENTS(GOOD), "no element found"},
        {"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
         "line 1: a document type (DOCTYPE) is not allowed"},
        {"<!DOCTYPE a [<!ENTITY x 'xxxxxxxxxx'><!ENTITY y "
         "'&x;&x;&x;&x;&x;&x;&x;&x;'>]>\n<a>&y;</a>",
         "line 1: a document type (DOCTYPE) is not allowed"},
        {"<a b='&nobody;'/>", "line 1: undefined entity"},
        {"<?xml version='1.0' encoding='windows-1252'?><a/>", "line 1: unknown encoding"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {""};
        assert_null(manifest_read(cases[i].text, strlen(cases[i].text), &err));
        if (!strstr(err.text, cases[i].sentence))
            fail_msg("expected '%s', found '%s'", cases[i].sentence, err.text);
    }
    struct err err;
    assert_false(add_file("<a/>", 4, &err));
    assert_non_null(strstr(err.text, "cannot use '/tmp/tracetop-manifest-"));
    assert_false(schema_file_add("/nonexistent/x.man", &err));
    assert_non_null(strstr(err.text, "/nonexistent/x.man"));
    assert_null(schema_file_at(0));
}

/* Cut at every byte, and with every byte changed: an answer or a sentence, under the sanitizers. */
static void damaged_ones_are_safe(void **state)
{
    (void)state;
    static char text[sizeof whole];
    static struct payload p;
    struct manifest_blob b = {NULL, 0, 0};
    struct err err;
    unsigned whole_ones = 0;
    fill_whole(&p);
    for (size_t i = 0; i < 2 * (sizeof whole - 1); i++) {
        const bool is_cut = i < sizeof whole - 1;
        memcpy(text, whole, sizeof whole);
        if (!is_cut)
            text[i - (sizeof whole - 1)] = (char)(text[i - (sizeof whole - 1)] + 1);
        struct manifest *const m = manifest_read(text, is_cut ? i : sizeof whole - 1, &err);
        if (!m)
            continue;
        whole_ones++;
        for (uint16_t id = 0; id < 6; id++)
            manifest_event_info(m, &made, id, id == 1 ? 2 : 0, &b);
        manifest_map_info(m, &made, "Colors", &b);
        manifest_free(m);
    }
    free(b.at);
    assert_true(whole_ones > 1000); /* most changes are in names */
}

/* More items than one template may have, and as many keywords as there can be names for. */
static void sizes_are_bounded(void **state)
{
    (void)state;
    enum { ITEMS = 3000, ROOM = 1 << 19 };
    char *const text = malloc(ROOM);
    struct manifest_blob b = {NULL, 0, 0};
    size_t used =
        (size_t)snprintf(text, ROOM, "%s%s<templates><template tid='T'>", HEAD, PROVIDER_5);
    for (unsigned i = 0; i < ITEMS; i++)
        used +=
            (size_t)snprintf(text + used, ROOM - used, "<data name='a%u' inType='win:UInt8'/>", i);
    snprintf(text + used, ROOM - used, "</template></templates>%s%s",
             EVENTS("<event value='1' template='T'/>"), END);
    struct manifest *const m = read_text(text);
    assert_int_equal(manifest_mistakes(m), ITEMS - 1024);
    assert_true(manifest_event_info(m, &made, 1, 0, &b));
    assert_int_equal(load_u32(b.at + 100), 1024);
    free(b.at);
    manifest_free(m);
    free(text);
}

/* ---- pieces in traces --------------------------------------------------------------------------- */

enum { PIECE_ID = 0xfffe, PIECE_OPCODE = 0xfe };

/* The piece `number` of `total` of a text. */
static struct event piece_of(struct payload *p, const char *text, unsigned number, unsigned total)
{
    const size_t length = strlen(text), from = length * number / total,
                 to = length * (number + 1) / total;
    p->bytes = 0;
    add(p, 0x5b000101, 4);
    add(p, total, 2);
    add(p, number, 2);
    memcpy(p->at + p->bytes, text + from, to - from);
    p->bytes += to - from;
    struct event e = event_of(PIECE_ID, 1, p->at, p->bytes);
    e.opcode = PIECE_OPCODE;
    e.pid = 10;
    e.tid = 11;
    return e;
}

static bool learn(struct schemas *s, uint32_t source, const char *text, unsigned number,
                  unsigned total, uint32_t tid)
{
    static struct payload p;
    struct event about, e = piece_of(&p, text, number, total);
    e.tid = tid;
    return schema_learn(s, source, &e, &about);
}

static bool knows(struct schemas *s, uint32_t source)
{
    struct schema schema;
    const struct event e = event_of(5, 0, "", 0);
    const bool is_known = schema_find(s, source, &e, &schema);
    if (is_known)
        assert_int_equal(schema.origin, SCHEMA_TRACE);
    return is_known;
}

static const char *described(struct schemas *s, uint32_t source)
{
    static char out[300];
    static struct payload p;
    const struct event e = piece_of(&p, whole, 0, 1);
    schema_describe_piece(s, source, &e, out, sizeof out);
    return out;
}

static void pieces_make_a_manifest(void **state)
{
    (void)state;
    static struct payload p;
    struct schema schema;
    struct schemas *const s = schemas_new();
    struct event about, e = piece_of(&p, whole, 0, 3);
    assert_true(schema_is_about(&e));
    assert_true(schema_find(s, 0, &e, &schema));
    assert_string_equal(schema.provider, ""); /* not known so far */
    assert_string_equal(schema.event, "ManifestData");
    assert_non_null(strstr(fields_text(&schema, &e),
                           "Format=1 MajorVersion=1 MinorVersion=0 Magic=91 TotalChunks=3 "
                           "ChunkNumber=0 Manifest=<?xml"));
    assert_false(knows(s, 0));
    /* Out of order, and those of two threads mixed. */
    assert_false(learn(s, 0, whole, 2, 3, 11));
    assert_false(learn(s, 0, whole, 1, 3, 12));
    assert_false(learn(s, 0, whole, 0, 3, 11));
    assert_string_equal(described(s, 0), "2 of 3 pieces are here");
    assert_false(knows(s, 0));
    assert_false(learn(s, 0, whole, 2, 3, 12));
    e = piece_of(&p, whole, 1, 3);
    e.tid = 11;
    assert_true(schema_learn(s, 0, &e, &about));
    assert_true(manifest_is_piece(&about));
    assert_true(guid_equal(&about.provider, &made));
    assert_true(knows(s, 0));
    assert_false(knows(s, 1)); /* another source */
    assert_string_equal(described(s, 0), "complete, 5 events");
    assert_true(schema_find(s, 0, &e, &schema));
    assert_string_equal(schema.provider, "Made");
    assert_false(learn(s, 0, whole, 0, 3, 12)); /* the same once more */
    assert_int_equal(schemas_dropped(s), 0);
    schemas_free(s);
}

static void missing_and_damaged_pieces(void **state)
{
    (void)state;
    static struct payload p;
    char room[SCHEMAS_SENTENCE];
    struct event about;
    struct schemas *const s = schemas_new();
    assert_null(schemas_sentence(s, 0, room));
    assert_string_equal(described(s, 0), "pieces are missing");
    learn(s, 0, whole, 0, 2, 1);
    learn(s, 0, "<a>", 0, 1, 2);
    struct event e = piece_of(&p, whole, 0, 2);
    p.at[3] = 0; /* no magic number */
    assert_false(schema_learn(s, 0, &e, &about));
    e = piece_of(&p, whole, 0, 2);
    store_u16(p.at + 6, 2); /* beyond their count */
    assert_false(schema_learn(s, 0, &e, &about));
    e.payload_bytes = 5;
    assert_false(schema_learn(s, 0, &e, &about));
    assert_string_equal(schemas_sentence(s, 0, room),
                        "incomplete manifests of EventSources: 1; events that only these define are"
                        " shown as bytes");
    assert_string_equal(schemas_sentence(s, 1, room),
                        "damaged pieces of manifests: 3; they were left out");
    assert_string_equal(
        schemas_sentence(s, 2, room),
        "the manifest of provider 04030201-0605-0807-090a-0b0c0d0e0f10 cannot be used:"
        " line 1: no element found");
    assert_null(schemas_sentence(s, 3, room));
    assert_string_equal(described(s, 0), "cannot be used: line 1: no element found");
    /* The missing one: then all is well. */
    assert_true(learn(s, 0, whole, 1, 2, 1));
    assert_true(knows(s, 0));
    schemas_free(s);
}

/* A provider cannot say what the events of others are. */
static void a_manifest_is_about_its_own_provider(void **state)
{
    (void)state;
    static struct payload p;
    char room[SCHEMAS_SENTENCE];
    struct event about, e = piece_of(&p, whole, 0, 1);
    struct schemas *const s = schemas_new();
    e.provider.b[0]++;
    assert_false(schema_learn(s, 0, &e, &about));
    assert_false(knows(s, 0));
    assert_non_null(
        strstr(schemas_sentence(s, 0, room), "it defines no event of the provider that wrote it"));
    schemas_free(s);
}

static void pieces_take_bounded_memory(void **state)
{
    (void)state;
    static struct payload p;
    struct event about;
    struct schemas *const s = schemas_new();
    size_t most = 0;
    for (unsigned i = 0; i < 20000; i++) {
        struct event e = piece_of(&p, whole, 0, 2);
        e.payload_bytes = 60000; /* with old bytes behind its own */
        e.tid = i % 100;
        store_u16(p.at + 4, 256);
        store_u16(p.at + 6, (uint16_t)(i / 100));
        assert_false(schema_learn(s, 0, &e, &about));
        most = schemas_bytes(s) > most ? schemas_bytes(s) : most;
    }
    assert_true(most < 12 << 20);
    schemas_free(s);
    struct schemas *const many = schemas_new();
    for (unsigned i = 0; i < 1000; i++) {
        char text[sizeof whole + 16];
        snprintf(text, sizeof text, "%s<!--%u-->", whole, i);
        learn(many, 0, text, 0, 1, 1);
    }
    assert_int_equal(schemas_dropped(many), 1000 - 256);
    schemas_free(many);
}

/* ---- the order ------------------------------------------------------------------------------------ */

/* An EventInfo record of event 5, which names its task `task`. */
static void learn_info(struct schemas *s, const char *task)
{
    static struct payload p;
    struct event about;
    p.bytes = 0;
    memset(p.at, 0, 112);
    memcpy(p.at, made.b, sizeof made.b);
    store_u16(p.at + 32, 5);
    store_u32(p.at + 68, 112);
    p.bytes = 112;
    add_wide(&p, task, strlen(task) + 1);
    const struct event e = {.kind = HEADER_CLASSIC,
                            .provider = metadata,
                            .opcode = 32,
                            .pointer = 8,
                            .payload = p.at,
                            .payload_bytes = (uint32_t)p.bytes};
    assert_true(schema_learn(s, 0, &e, &about));
}

static const char *name_of(struct schemas *s)
{
    struct schema schema;
    const struct event e = event_of(5, 0, "", 0);
    return schema_find(s, 0, &e, &schema) ? schema.event : "";
}

static void replaced(char *text, const char *old, const char *new)
{
    memcpy(strstr(text, old), new, strlen(old));
}

static void which_schema_goes_first(void **state)
{
    (void)state;
    char second[sizeof whole], in_trace[sizeof whole];
    struct err err;
    struct schemas *const s = schemas_new();
    strcpy(second, whole);
    replaced(second, "'Named'", "'Later'");
    strcpy(in_trace, whole);
    replaced(in_trace, "'Named'", "'Trace'");
    assert_string_equal(name_of(s), "");
    assert_true(add_file(whole, strlen(whole), &err));
    assert_true(add_file(second, strlen(second), &err));
    assert_string_equal(name_of(s), "Named"); /* of files the first one */
    assert_true(learn(s, 0, in_trace, 0, 1, 1));
    assert_string_equal(name_of(s), "Trace"); /* the trace's own goes before files */
    learn_info(s, "Info");
    assert_string_equal(name_of(s), "Info");
    schemas_free(s);
    schema_files_clear();
}

/* ---- a trace ---------------------------------------------------------------------------------------- */

enum { HEADER = 80, RECORD_ROOM = HEADER + sizeof((struct payload *)0)->at };

/* The event as a record that lies in a trace. */
static size_t make_record(uint8_t *record, const struct event *e, int64_t ts)
{
    enum { HEADER_64 = 19, MARK = 0xc0, FLAGS = 0x40 };
    memset(record, 0, HEADER);
    store_u16(record, (uint16_t)(HEADER + e->payload_bytes));
    record[2] = HEADER_64;
    record[3] = MARK;
    store_u16(record + 4, FLAGS);
    store_u32(record + 8, e->tid);
    store_u32(record + 12, e->pid);
    store_u64(record + 16, (uint64_t)ts);
    memcpy(record + 24, e->provider.b, sizeof e->provider.b);
    store_u16(record + 40, e->id);
    record[42] = (uint8_t)e->version;
    record[45] = e->opcode;
    memcpy(record + HEADER, e->payload, e->payload_bytes);
    return HEADER + e->payload_bytes;
}

static void write_event(struct etl_writer *w, const struct event *e)
{
    static uint8_t record[RECORD_ROOM];
    static int64_t ts = 1000;
    struct err err;
    const size_t bytes = make_record(record, e, ++ts);
    const struct record_head head = {.bytes = (uint32_t)(sizeof head + bytes), .ts = ts};
    if (!etl_writer_put(w, &head, record, &err))
        fail_msg("%s", err.text);
}

static void write_piece(struct etl_writer *w, const char *text, unsigned number, unsigned total,
                        uint32_t tid)
{
    static struct payload p;
    struct event e = piece_of(&p, text, number, total);
    e.tid = tid;
    write_event(w, &e);
}

/* What `dump` prints about the trace, and its sentences. */
static void dump_of(const char *path, char *out, char *sentences, size_t room)
{
    FILE *const to = tmpfile(), *const err = tmpfile();
    const struct dump_options o = {.files = &path, .file_count = 1, .lines.format = EVENT_JSONL};
    assert_non_null(to);
    assert_non_null(err);
    assert_int_equal(dump_run(&o, to, err), 0);
    rewind(to);
    rewind(err);
    out[fread(out, 1, room - 1, to)] = '\0';
    sentences[fread(sentences, 1, room - 1, err)] = '\0';
    fclose(to);
    fclose(err);
}

/* Events before their manifest, whose pieces two processes have mixed; a third one lost its last.
 */
static void a_trace_of_event_sources(void **state)
{
    (void)state;
    static struct payload p;
    static char out[1 << 17], sentences[1 << 17];
    char path[] = "/tmp/tracetop-sources-XXXXXX";
    struct err err;
    assert_non_null(mkdtemp(path));
    char file[64];
    snprintf(file, sizeof file, "%s/made.etl", path);
    const struct etl_writer_options o = {
        .path = file,
        .clock = trace_clock_make(CLOCK_QPC, 1000, FILETIME_UNIX_EPOCH, 10000000),
        .start = 1000,
        .cpus = 1,
        .build = 19041};
    struct etl_writer *const w = etl_writer_open(&o, &err);
    if (!w)
        fail_msg("%s", err.text);
    fill_whole(&p);
    struct event e = event_of(1, 2, p.at, p.bytes);
    e.pid = 10;
    e.tid = 11;
    write_event(w, &e);
    write_piece(w, whole, 0, 2, 11);
    write_piece(w, whole, 0, 2, 12);
    write_piece(w, whole, 1, 2, 11);
    write_piece(w, whole, 0, 2, 13);
    write_piece(w, whole, 1, 2, 12);
    if (!etl_writer_close(w, &err))
        fail_msg("%s", err.text);
    dump_of(file, out, sentences, sizeof out);
    unlink(file);
    rmdir(path);
    assert_non_null(strstr(out, "\"event\":\"Made/Copy/Begin\""));
    assert_non_null(strstr(out, "\"Color\":\"Gr\xc3\xa9\xc3\xa9n\",\"Mode\":\"Read|EXEC\""));
    assert_non_null(strstr(out, "\"event\":\"Made/ManifestData\""));
    assert_non_null(strstr(out, "\"TotalChunks\":2,\"ChunkNumber\":1,\"Manifest\":\""));
    assert_null(strstr(out, "\"raw\""));
    assert_non_null(strstr(sentences, "incomplete manifests of EventSources: 1;"));
}

/* ---- programs --------------------------------------------------------------------------------------- */

static void add_sign(struct payload *p, const char *signature)
{
    memcpy(p->at + p->bytes, signature, 4);
    p->bytes += 4;
}

/* The head of a part: its signature, its size (which nobody reads), its count. */
static void begin_part(struct payload *p, unsigned index, const char *signature, uint32_t count)
{
    enum { PARTS = 36 + 20 };
    store_u32(p->at + PARTS + 8 * index, (uint32_t)p->bytes);
    add_sign(p, signature);
    add(p, 0, 4);
    add(p, count, 4);
}

/* A text behind its size; stores where it is. */
static void add_name(struct payload *p, size_t place, const char *text)
{
    store_u32(p->at + place, (uint32_t)p->bytes);
    add(p, 6 + 2 * strlen(text), 4);
    add_wide(p, text, strlen(text) + 1);
}

static void add_item(struct payload *p, uint32_t flags, unsigned in, uint32_t map, unsigned count)
{
    add(p, flags, 4);
    add(p, in, 4);
    add(p, map, 4);
    add(p, count, 4);
    add(p, 0, 4);
}

/* A resource WEVT_TEMPLATE: one event with a field of each kind that is known. */
static void make_resource(struct payload *p)
{
    enum { PARTS = 8 };
    memset(p, 0, sizeof *p);
    add_sign(p, "CRIM");
    add(p, 0, 4);
    add(p, 0x10005, 4);
    add(p, 1, 4);
    memcpy(p->at + p->bytes, made.b, sizeof made.b);
    p->bytes += sizeof made.b;
    add(p, 36, 4);
    add_sign(p, "WEVT");
    add(p, 0, 4);
    add(p, UINT32_MAX, 4);
    add(p, PARTS, 4);
    p->bytes += 4 + 8 * PARTS;
    begin_part(p, 0, "PRVA", 1);
    add(p, 1, 4);
    add(p, p->bytes + 4, 4);
    add_wide(p, "Made", 5);
    begin_part(p, 1, "TASK", 1);
    const size_t task = p->bytes;
    add(p, 7, 4);
    p->bytes += 20;
    add(p, 0, 4);
    add_name(p, task + 24, "Copy");
    begin_part(p, 2, "OPCO", 1);
    const size_t opcode = p->bytes;
    add(p, 7 | 20 << 16, 8);
    add(p, 0, 4);
    add_name(p, opcode + 8, "Begin");
    begin_part(p, 3, "LEVL", 1);
    const size_t level = p->bytes;
    add(p, 17, 8);
    add(p, 0, 4);
    add_name(p, level + 8, "made:Loud");
    begin_part(p, 4, "KEYW", 2);
    const size_t keywords = p->bytes;
    add(p, 2, 8);
    add(p, 0, 8);
    add(p, 1, 8);
    add(p, 0, 8);
    add_name(p, keywords + 12, "Second");
    add_name(p, keywords + 28, "First");
    begin_part(p, 5, "MAPS", 1);
    add(p, p->bytes + 4, 4);
    const size_t map = p->bytes;
    add_sign(p, "VMAP");
    add(p, 36, 4);
    add(p, 0, 8);
    add(p, 2, 4);
    add(p, 1, 4);
    add(p, 2, 4); /* message 2 */
    add(p, 2, 4);
    add(p, 3, 4);
    add_name(p, map + 8, "Colors");
    begin_part(p, 6, "TTBL", 1);
    const size_t template = p->bytes;
    enum { ITEMS = 4, TEMPLATE = 40, ITEM = 20 };
    add_sign(p, "TEMP");
    add(p, TEMPLATE + ITEMS * ITEM, 4);
    add(p, ITEMS, 4);
    add(p, ITEMS, 4);
    add(p, template + TEMPLATE, 4);
    p->bytes += 20;
    add_item(p, 0, 1, 0, 0);
    add_item(p, 0, 8, (uint32_t)map, 0);
    add_item(p, 8, 4 | 16 << 8, 0, 3);
    add_item(p, 2, 14, 0, 0); /* flags that no document explains */
    const char *const names[] = {"Name", "Color", "Values", "Odd"};
    for (unsigned i = 0; i < ITEMS; i++)
        add_name(p, template + TEMPLATE + i * ITEM + 16, names[i]);
    begin_part(p, 7, "EVNT", 1);
    add(p, 0, 4);
    add(p, 1 | 2 << 16, 4);
    add(p, 17 | 20 << 8 | 7 << 16, 4);
    add(p, 3, 8);
    add(p, 1, 4); /* message 1 */
    add(p, template, 4);
    add(p, opcode, 4);
    add(p, level, 4);
    add(p, task, 4);
    p->bytes += 12;
}

/* The event that the resource describes. */
static struct event made_event(struct payload *p)
{
    p->bytes = 0;
    add_wide(p, "name", 5);
    add(p, 2, 4);
    add(p, 0x030201, 3);
    add(p, 0xbbaa, 2);
    struct event e = event_of(1, 2, p->at, p->bytes);
    e.level = 17;
    e.opcode = 20;
    e.task = 7;
    e.keyword = 3;
    return e;
}

static void check_made_event(bool has_messages)
{
    static struct payload p;
    struct schema schema;
    char keywords[PROVIDER_KEYWORDS];
    struct schemas *const s = schemas_new();
    const struct event e = made_event(&p);
    assert_true(schema_find(s, 0, &e, &schema));
    assert_string_equal(schema.provider, "Made");
    assert_string_equal(schema.event, "Copy/Begin");
    assert_string_equal(schema.message, has_messages ? "%1 is %2" : "");
    assert_string_equal(provider_level_name(schema.names, &e), "made:Loud");
    provider_keyword_names(schema.names, &e, keywords);
    assert_string_equal(keywords, "First, Second");
    const char *const shown = fields_text(&schema, &e);
    assert_non_null(strstr(shown, has_messages ? "Name=name Color=Green Values="
                                               : "Name=name Color=2 Values="));
    assert_non_null(strstr(shown, "Values=0x1,0x2,0x3 Odd="));
    assert_non_null(strstr(shown, "aabb"));
    assert_int_equal(end_of_fields(&schema, &e), p.bytes);
    schemas_free(s);
}

static void resources_of_programs(void **state)
{
    (void)state;
    static struct payload p;
    struct err err;
    make_resource(&p);
    if (!add_file(p.at, p.bytes, &err))
        fail_msg("%s", err.text);
    const struct manifest *const m = schema_file_at(0)->manifest;
    assert_int_equal(manifest_event_count(m), 1);
    assert_int_equal(manifest_mistakes(m), 1);
    assert_non_null(strstr(manifest_sentence(m, 0), "field 'Odd' of the template at 0x"));
    check_made_event(false);
    schema_files_clear();
}

static void shell(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s failed", command);
}

/* A library that mingw's tools make, with its messages; and a trace whose event it describes. */
static void libraries_of_windows(void **state)
{
    (void)state;
    static const char messages[] = "SeverityNames=(Success=0x0)\nFacilityNames=(System=0x0)\n"
                                   "LanguageNames=(English=0x409:MSG00409)\n"
                                   "MessageId=0x1\nSeverity=Success\nFacility=System\nSymbolicName="
                                   "A\nLanguage=English\n%1 is %2\n.\n"
                                   "MessageId=0x2\nSeverity=Success\nFacility=System\nSymbolicName="
                                   "B\nLanguage=English\nRed\n.\n"
                                   "MessageId=0x3\nSeverity=Success\nFacility=System\nSymbolicName="
                                   "C\nLanguage=English\nGreen\n.\n";
    static struct payload p;
    static char out[1 << 16], sentences[1 << 16];
    char folder[] = "/tmp/tracetop-library-XXXXXX", path[100], command[700];
    struct err err;
    if (!HERE_IS_POSIX || system("command -v x86_64-w64-mingw32-windmc >/dev/null 2>&1 && "
                                 "command -v x86_64-w64-mingw32-windres >/dev/null 2>&1 && "
                                 "command -v x86_64-w64-mingw32-gcc >/dev/null 2>&1") != 0)
        skip_for("no windmc, windres and gcc of mingw-w64 here");
    assert_non_null(mkdtemp(folder));
    make_resource(&p);
    snprintf(path, sizeof path, "%s/wevt.bin", folder);
    write_file(path, p.at, p.bytes);
    snprintf(path, sizeof path, "%s/m.mc", folder);
    write_file(path, messages, sizeof messages - 1);
    snprintf(
        command, sizeof command,
        "cd %s && x86_64-w64-mingw32-windmc m.mc && "
        "echo '1 WEVT_TEMPLATE \"wevt.bin\"' >>m.rc && "
        "x86_64-w64-mingw32-windres m.rc -O coff -o m.o && "
        "x86_64-w64-mingw32-gcc -shared -nostdlib -o made.dll m.o -Wl,--entry=0 && "
        "grep -v WEVT_TEMPLATE m.rc >t.rc && x86_64-w64-mingw32-windres t.rc -O coff -o t.o && "
        "x86_64-w64-mingw32-gcc -shared -nostdlib -o made.dll.mui t.o -Wl,--entry=0",
        folder);
    shell(command);
    snprintf(path, sizeof path, "%s/made.dll", folder);
    if (!schema_file_add(path, &err))
        fail_msg("%s", err.text);
    check_made_event(true);
    snprintf(path, sizeof path, "%s/made.etl", folder);
    const struct etl_writer_options o = {
        .path = path,
        .clock = trace_clock_make(CLOCK_QPC, 1000, FILETIME_UNIX_EPOCH, 10000000),
        .start = 1000,
        .cpus = 1,
        .build = 19041};
    struct etl_writer *const w = etl_writer_open(&o, &err);
    if (!w)
        fail_msg("%s", err.text);
    const struct event e = made_event(&p);
    write_event(w, &e);
    assert_true(etl_writer_close(w, &err));
    dump_of(path, out, sentences, sizeof out);
    assert_non_null(strstr(out, "\"event\":\"Made/Copy/Begin\""));
    assert_non_null(strstr(out, "\"Name\":\"name\",\"Color\":\"Green\""));
    schema_files_clear();
    /* A library without messages, and the file with those of its language. */
    snprintf(path, sizeof path, "%s/made.dll.mui", folder);
    assert_false(schema_file_add(path, &err));
    assert_non_null(strstr(err.text, "it has no resource WEVT_TEMPLATE"));
    make_resource(&p);
    assert_true(add_file(p.at, p.bytes, &err));
    check_made_event(false);
    if (!schema_file_add(path, &err))
        fail_msg("%s", err.text);
    assert_null(schema_file_at(1));
    check_made_event(true);
    schema_files_clear();
    snprintf(command, sizeof command, "rm -r %s", folder);
    shell(command);
}

/* Cut at every byte, and with numbers changed at every fourth: an answer or a sentence. */
static void damaged_resources_are_safe(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 36, 200};
    static struct payload p, changed;
    struct manifest_blob b = {NULL, 0, 0};
    struct err err;
    unsigned good = 0;
    make_resource(&p);
    for (size_t i = 0; i < p.bytes * (1 + sizeof numbers / sizeof *numbers); i++) {
        const size_t at = i % p.bytes, which = i / p.bytes;
        const bool is_cut = which == 0;
        changed.bytes = is_cut ? at : p.bytes;
        uint8_t *const copy = mem_copy(p.at, changed.bytes + !changed.bytes);
        if (!is_cut && at % 4 == 0 && at + 4 <= p.bytes)
            store_u32(copy + at, numbers[which - 1]);
        struct manifest *const m = manifest_read(copy, changed.bytes, &err);
        good += m != NULL;
        if (m) {
            manifest_event_info(m, &made, 1, 2, &b);
            manifest_map_info(m, &made, "Colors", &b);
            assert_true(manifest_bytes(m) < 1 << 20);
        }
        manifest_free(m);
        free(copy);
    }
    free(b.at);
    assert_true(good > 1000);
}

/* ---- the screen --------------------------------------------------------------------------------------- */

static void send_event(struct stage *s, const struct event *e, int64_t ts)
{
    static uint8_t record[RECORD_ROOM];
    const size_t bytes = make_record(record, e, ts);
    const struct record_head head = {
        .bytes = (uint32_t)(sizeof head + bytes), .form = RECORD_ETW, .ts = ts};
    assert_true(ring_put(s->collectors[0].hot, &head, record));
}

/* The text of the field of that name in the details of a row. */
static const char *detail_of(struct stage *s, struct request *r, unsigned row, const char *name)
{
    static char text[600];
    r->has_anchor = r->detail = false;
    struct frame *f = stage_ask(s);
    text[0] = '\0';
    r->anchor = f->rows[row].key;
    r->has_anchor = r->detail = true;
    frame_free(f);
    f = stage_ask(s);
    for (unsigned i = 0; i < f->field_count; i++)
        if (strcmp(text_of(f, f->fields[i].name), name) == 0)
            snprintf(text, sizeof text, "%s", text_of(f, f->fields[i].text));
    frame_free(f);
    return text;
}

/* An event that came before its manifest has its names as soon as that is complete; details say
 * where the schema is from. */
static void screens_show_names_and_origin(void **state)
{
    (void)state;
    static struct payload p;
    struct err err;
    struct stage *const s = stage_open(1, 1 << 20, 4096);
    stage_play(s);
    send_event(s,
               &(struct event){.kind = HEADER_MANIFEST,
                               .provider = made,
                               .id = 5,
                               .tid = 9,
                               .pid = 8,
                               .payload = (const uint8_t *)""},
               1000);
    struct event e = piece_of(&p, whole, 0, 1);
    send_event(s, &e, 2000);
    stage_finish(s);
    struct request *const r = stage_request(s, "events");
    r->rows = 10;
    struct frame *const f = stage_ask(s);
    assert_int_equal(f->shown, 2);
    assert_string_equal(text_of(f, cell(f, 0, "provider")), "Made");
    assert_string_equal(text_of(f, cell(f, 0, "event")), "Named");
    assert_string_equal(text_of(f, cell(f, 1, "provider")), "Made");
    assert_string_equal(text_of(f, cell(f, 1, "event")), "ManifestData");
    frame_free(f);
    assert_string_equal(detail_of(s, r, 0, "Schema"), "trace");
    assert_string_equal(detail_of(s, r, 1, "State"), "complete, 5 events");
    assert_string_equal(detail_of(s, r, 1, "TotalChunks"), "1");
    stage_close(s);
    assert_true(add_file(whole, strlen(whole), &err));
    struct stage *const other = stage_open(1, 1 << 20, 4096);
    stage_play(other);
    fill_whole(&p);
    e = event_of(1, 2, p.at, p.bytes);
    send_event(other, &e, 1000);
    stage_finish(other);
    struct request *const asked = stage_request(other, "events");
    asked->rows = 10;
    assert_non_null(
        strstr(detail_of(other, asked, 0, "Schema"), "manifest /tmp/tracetop-manifest-"));
    assert_string_equal(detail_of(other, asked, 0, "Name"), "name");
    stage_close(other);
    schema_files_clear();
}

/* ---- real traces ----------------------------------------------------------------------------------- */

struct source_tally {
    unsigned pieces, of_trace, bad;
};

/* Of one trace: all events of providers that wrote a manifest, by it alone. */
static struct source_tally tally_of(const char *path, struct schemas *s)
{
    struct source_tally t = {0};
    struct err err;
    struct event e, about;
    struct schema schema;
    for (unsigned pass = 0; pass < 2; pass++) {
        struct etl_file *const file = etl_open(path, &err);
        if (!file)
            fail_msg("%s: %s", path, err.text);
        while (etl_next(file, &e, &err) == ETL_EVENT) {
            if (pass == 0 && manifest_is_piece(&e)) {
                t.pieces++;
                schema_learn(s, 0, &e, &about);
            }
            if (pass == 0 || manifest_is_piece(&e) || !schema_find(s, 0, &e, &schema) ||
                schema.origin != SCHEMA_TRACE)
                continue;
            t.of_trace++;
            if (end_of_fields(&schema, &e) == e.payload_bytes)
                continue;
            print_message("%s: %s %s (%u): %zu of %u bytes\n", path, schema.provider, schema.event,
                          e.id, end_of_fields(&schema, &e), (unsigned)e.payload_bytes);
            t.bad++;
        }
        etl_close(file);
    }
    return t;
}

/* From the lists of counts: events of these providers, without pieces. PerfView writes four bytes
 * more into ClrEnableParameters than its manifest says. */
static void real_event_sources(void **state)
{
    (void)state;
    static const struct {
        const char *file, *guids;
        struct source_tally tally;
    } traces[] = {
        {"msbuild-PerfViewData.etl", "a8a71ac1 d44a2098", {34, 0, 0}},
        {"perfview-net.4.5.2.x64.etl.zst", "a8a71ac1 2e5dba47 8e9f5090", {4, 0, 2}},
        {"perfview-win7-PerfViewData.etl.zst", "a8a71ac1 8e9f5090", {5, 0, 2}},
    };
    glob_t files = shared_files("../shared/etl/*.counts.tsv");
    globfree(&files);
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        char path[300], line[512], guid[64], class[32];
        unsigned id, version, type, count, expected = 0;
        struct schemas *const s = schemas_new();
        snprintf(path, sizeof path, "../shared/etl/%s", traces[i].file);
        const struct source_tally t = tally_of(path, s);
        strcpy(strstr(path, ".etl"), ".counts.tsv");
        FILE *const counts = fopen(path, "r");
        assert_non_null(counts);
        while (fgets(line, sizeof line, counts))
            if (sscanf(line, "%31s %63s %u %u %u %u", class, guid, &id, &version, &type, &count) ==
                    6 &&
                strcmp(class, "event") == 0 && id != PIECE_ID) {
                guid[8] = '\0';
                expected += strstr(traces[i].guids, guid) ? count : 0;
            }
        fclose(counts);
        print_message("%s: %u pieces, %u events by manifests\n", traces[i].file, t.pieces,
                      t.of_trace);
        assert_int_equal(t.pieces, traces[i].tally.pieces);
        assert_int_equal(t.of_trace, expected);
        assert_int_equal(t.bad, traces[i].tally.bad);
        schemas_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_field),
        cmocka_unit_test(names_of_events),
        cmocka_unit_test(opcodes_of_tasks),
        cmocka_unit_test(utf16_is_read),
        cmocka_unit_test(mistakes_cost_what_they_are_in),
        cmocka_unit_test(an_unknown_type_costs_its_field),
        cmocka_unit_test(what_is_no_manifest_is_refused),
        cmocka_unit_test(damaged_ones_are_safe),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(pieces_make_a_manifest),
        cmocka_unit_test(missing_and_damaged_pieces),
        cmocka_unit_test(a_manifest_is_about_its_own_provider),
        cmocka_unit_test(pieces_take_bounded_memory),
        cmocka_unit_test(which_schema_goes_first),
        cmocka_unit_test(a_trace_of_event_sources),
        cmocka_unit_test(resources_of_programs),
        cmocka_unit_test(libraries_of_windows),
        cmocka_unit_test(damaged_resources_are_safe),
        cmocka_unit_test(screens_show_names_and_origin),
        cmocka_unit_test(real_event_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
