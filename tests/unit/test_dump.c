/* Events as lines, and whose they are. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/base/json.h"
#include "src/event/attribution.h"
#include "src/event/tracetop_write.h"
#include "src/export/dump.h"
#include "src/export/line_csv.h"
#include "src/event/line_kinds.h"
#include "src/event/recent_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ------------------------------------------------------------------------------ */

struct page {
    char *text, *value;
    struct line line;
};

static int open_page(void **state)
{
    struct page *p = calloc(1, sizeof *p);
    p->text = malloc(LINE_ROOM);
    p->line.at = p->text;
    p->line.value = p->value = malloc(LINE_VALUE);
    *state = p;
    return 0;
}

static int close_page(void **state)
{
    struct page *p = *state;
    free(p->text);
    free(p->value);
    free(p);
    return 0;
}

static const char *write_line(struct page *p, const struct line_event *e,
                              void (*write)(struct line *, const struct line_event *))
{
    p->line.at = p->text;
    write(&p->line, e);
    *p->line.at = '\0';
    return p->text;
}

/* A volume mapping with a quote, a control and an unpaired surrogate in its name. */
static const uint8_t mapping[] = {'"', 0, 27, 0, 0, 0xd8, 0, 0, 'C', 0, ':', 0, 0, 0, 0xee};

static struct event mapping_event(void)
{
    struct event e = {
        .ts = -5,
        .kind = HEADER_CLASSIC,
        .opcode = 35,
        .pointer = 8,
        .cpu = 11,
        .pid = 4,
        .tid = EVENT_NO_ID,
        .payload = mapping,
        .payload_bytes = sizeof mapping,
    };
    assert_true(guid_parse("9b79ee91-b5fd-41c0-a243-4248e266e9d0", &e.provider));
    return e;
}

static void strings_are_escaped(void **state)
{
    const struct event e = mapping_event();
    const struct line_event le = {
        .event = &e,
        .layout = decode_layout(&e),
        .owner = {.pid = 4, .tid = EVENT_NO_ID, .name = "Sys\"tem\n"},
        .ns = -100,
    };
    assert_string_equal(
        write_line(*state, &le, line_jsonl),
        "{\"time\":\"1969-12-31T23:59:59.9999999Z\",\"ts\":-5,\"cpu\":11,\"pid\":4,\"tid\":null,"
        "\"proc\":\"Sys\\\"tem\\n\",\"provider\":\"9b79ee91-b5fd-41c0-a243-4248e266e9d0\","
        "\"event\":\"SysConfigEx/VolumeMapping\",\"id\":0,\"opcode\":35,\"version\":0,\"level\":0,"
        "\"data\":{\"NtPath\":\"\\\"\\u001b\xef\xbf\xbd\",\"DosPath\":\"C:\"},\"rest\":\"ee\"}\n");
    assert_string_equal(write_line(*state, &le, line_text),
                        "1969-12-31T23:59:59.9999999Z  cpu 11  Sys\"tem\\n(4)  "
                        "SysConfigEx/VolumeMapping v0  NtPath=\"\"\\u001b\xef\xbf\xbd\" "
                        "DosPath=\"C:\" rest=ee\n");
}

/* Whatever they call themselves and their fields. */
static void events_name_themselves(void **state)
{
    static const uint8_t payload[] = {7, 0, 0, 0, 0xaa};
    static const struct field field = {
        .name = "a\"\x1b", .type = FIELD_U32, .count = 1, .offset32 = -1, .offset64 = -1};
    static const struct payload_layout layout = {.fields = &field, .field_count = 1};
    const struct event e = {.kind = HEADER_MANIFEST,
                            .pointer = 8,
                            .payload = payload,
                            .payload_bytes = sizeof payload};
    const struct line_event le = {.event = &e,
                                  .layout = &layout,
                                  .class_name = "My\"s",
                                  .event_name = "\x1b[2J",
                                  .owner = {.pid = 4, .tid = 8}};
    const char *const json = write_line(*state, &le, line_jsonl);
    assert_non_null(strstr(json, "\"event\":\"My\\\"s/\\u001b[2J\",\"id\":0"));
    assert_non_null(strstr(json, "\"data\":{\"a\\\"\\u001b\":7},\"rest\":\"aa\"}"));
    const char *const text = write_line(*state, &le, line_text);
    assert_non_null(strstr(text, "  My\"s/\\u001b[2J v0  a\"\\u001b=7 rest=aa\n"));
}

static void lists_and_stacks_are_arrays(void **state)
{
    /* two extended items: an activity, then a stack of two 64-bit addresses */
    static const uint8_t items[] = {
        24, 0, 1,    0,    1, 0,  16, 0, 0, 0, 0, 0,  0, 0, 0, 0,    0,    0,    0,
        0,  0, 0,    0,    0, 32, 0,  6, 0, 0, 0, 24, 0, 0, 0, 0,    0,    0,    0,
        0,  0, 0x34, 0x12, 0, 0,  0,  0, 0, 0, 0, 0,  0, 0, 0, 0xf8, 0xff, 0xff,
    };
    static const uint8_t frames[] = {1, 0, 0, 0, 0,    0, 0, 0, 2,    0, 0, 0,
                                     3, 0, 0, 0, 0x10, 0, 0, 0, 0x20, 0, 0, 0};
    const struct event e = {
        .ts = 7,
        .kind = HEADER_SYSTEM,
        .id = 0x1820,
        .opcode = 0x20,
        .version = 2,
        .pointer = 4,
        .level = 3,
        .source = 1,
        .pid = 2,
        .tid = 3,
        .extended = items,
        .extended_bytes = sizeof items,
        .payload = frames,
        .payload_bytes = sizeof frames,
    };
    const struct line_event le = {
        .event = &e, .layout = decode_layout(&e), .owner = {.pid = 2, .tid = 3}, .ns = 1500000000};
    struct page *p = *state;
    p->line.names_source = true;
    assert_string_equal(
        write_line(p, &le, line_jsonl),
        "{\"time\":\"1970-01-01T00:00:01.5000000Z\",\"ts\":7,\"cpu\":0,\"pid\":2,\"tid\":3,"
        "\"proc\":null,\"provider\":\"def2fe46-7bd6-4b80-bd94-f57fe20d0ce3\","
        "\"event\":\"StackWalk/Stack\",\"id\":6176,\"opcode\":32,\"version\":2,\"level\":3,"
        "\"source\":1,\"data\":{\"EventTimeStamp\":1,\"StackProcess\":2,\"StackThread\":3,"
        "\"Stack\":[\"0x10\",\"0x20\"]},\"stack\":[\"0x1234\",\"0xfffff80000000000\"]}\n");
}

/* Who woke a thread, created it or asked for its I/O stands beside whose event it is. */
static void the_header_is_there_where_it_names_another(void **state)
{
    static const struct {
        uint32_t pid, tid;
        const char *expected;
    } rows[] = {
        {2, 3, "\"pid\":2,\"tid\":3,\"proc\":\"a\",\"provider\""},
        {8, 9, "\"pid\":2,\"tid\":3,\"proc\":\"a\",\"header_pid\":8,\"header_tid\":9,\"provider\""},
        {2, 9, "\"proc\":\"a\",\"header_pid\":2,\"header_tid\":9,\"provider\""},
        {8, EVENT_NO_ID, "\"proc\":\"a\",\"header_pid\":8,\"header_tid\":null,\"provider\""},
        {EVENT_NO_ID, EVENT_NO_ID, "\"pid\":2,\"tid\":3,\"proc\":\"a\",\"provider\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct event e = mapping_event();
        e.pid = rows[i].pid;
        e.tid = rows[i].tid;
        const struct line_event le = {
            .event = &e, .owner = {.pid = 2, .tid = 3, .name = "a"}, .ns = 1};
        const char *const line = write_line(*state, &le, line_jsonl);
        if (!strstr(line, rows[i].expected))
            fail_msg("%s is not in %s", rows[i].expected, line);
    }
}

static void unknown_events_are_raw(void **state)
{
    static const uint8_t payload[40] = {0xab, 0xcd};
    struct event e = {.kind = HEADER_MANIFEST,
                      .id = 9,
                      .version = 1,
                      .opcode = 8,
                      .pid = 1,
                      .tid = 2,
                      .payload = payload,
                      .payload_bytes = 2};
    struct line_event le = {.event = &e, .owner = {.pid = 1, .tid = 2, .name = "a.exe"}};
    assert_string_equal(
        write_line(*state, &le, line_jsonl),
        "{\"time\":\"1970-01-01T00:00:00.0000000Z\",\"ts\":0,\"cpu\":0,\"pid\":1,\"tid\":2,"
        "\"proc\":\"a.exe\",\"provider\":\"00000000-0000-0000-0000-000000000000\",\"event\":\"\","
        "\"id\":9,\"opcode\":8,\"version\":1,\"level\":0,"
        "\"level_name\":\"LogAlways\",\"opcode_name\":\"Suspend\",\"raw\":\"abcd\"}\n");
    e.payload_bytes = sizeof payload;
    assert_string_equal(
        write_line(*state, &le, line_text),
        "1970-01-01T00:00:00.0000000Z  cpu 0  a.exe(1)/2  "
        "00000000-0000-0000-0000-000000000000/9 v1  40 bytes "
        "abcd0000000000000000000000000000000000000000000000000000000000000000000000000000\n");
}

/* ---- what manifest providers say ---------------------------------------------------------------- */

static const uint8_t made_record[80] = {[56] = 7, [60] = 250, [61] = 1};
static const uint8_t made_activity[16] = {1, [15] = 2};
/* A related activity and a SID, S-1-5-18, with more bytes behind it. */
static const uint8_t made_items[] = {
    24, 0, 1, 0, 1, 0, 16, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 4,
    24, 0, 2, 0, 0, 0, 14, 0, 1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0, 9, 9, 0, 0,
};
static const uint8_t made_payload[] = {42, 0, 0, 0, 27, 0, 'x', 0, 0, 0};
static const struct field made_fields[] = {
    {.name = "Size", .type = FIELD_U32, .count = 1, .offset32 = -1, .offset64 = -1},
    {.name = "Name", .type = FIELD_WSTR, .count = 1, .offset32 = -1, .offset64 = -1},
};
static const struct payload_layout made_layout = {.fields = made_fields, .field_count = 2};

static struct event made_event(void)
{
    return (struct event){.kind = HEADER_MANIFEST,
                          .id = 5,
                          .task = 3,
                          .level = 3,
                          .opcode = 1,
                          .channel = 16,
                          .keyword = 0x8000000000000005,
                          .flags = EVENT_FLAG_EXTENDED,
                          .pid = EVENT_NO_ID,
                          .tid = EVENT_NO_ID,
                          .activity = made_activity,
                          .extended = made_items,
                          .extended_bytes = sizeof made_items,
                          .payload = made_payload,
                          .payload_bytes = sizeof made_payload,
                          .record = made_record};
}

static struct provider_names *made_names(void)
{
    struct provider_names *const n = provider_names_new(NULL);
    provider_names_put(n, PROVIDER_TASK, 3, "Pack\"");
    provider_names_put(n, PROVIDER_CHANNEL, 16, "Made/Debug");
    provider_names_put(n, PROVIDER_KEYWORD, 2, "Disk");
    provider_names_put(n, PROVIDER_KEYWORD, 63, "Made/Debug");
    return n;
}

static void names_and_message_of_providers(void **state)
{
    struct page *const p = *state;
    struct provider_names *const names = made_names();
    const struct event e = made_event();
    const struct line_event le = {.event = &e,
                                  .layout = &made_layout,
                                  .class_name = "Made",
                                  .event_name = "Pack/Start",
                                  .message = "%1 bytes of %2, %3",
                                  .names = names,
                                  .owner = {EVENT_NO_ID, EVENT_NO_ID, NULL}};
    static const char json[] =
        "\"version\":0,\"level\":3,\"level_name\":\"Warning\",\"task\":3,\"task_name\":"
        "\"Pack\\\"\","
        "\"opcode_name\":\"Start\",\"channel\":16,\"channel_name\":\"Made/Debug\","
        "\"keyword\":\"0x8000000000000005\",\"keyword_names\":[\"Disk\",\"Made/Debug\",\"0x1\"],"
        "\"flags\":1,\"kernel_time\":7,\"user_time\":506,"
        "\"activity\":\"00000001-0000-0000-0000-000000000002\","
        "\"related\":\"00000003-0000-0000-0000-000000000004\",\"sid\":\"S-1-5-18\","
        "\"message\":\"42 bytes of \\u001bx, %3\",\"data\":{\"Size\":42,\"Name\":\"\\u001bx\"}}\n";
    const char *const line = write_line(p, &le, line_jsonl);
    const char *const from = strstr(line, "\"version\"");
    assert_non_null(from);
    assert_string_equal(from, json);
    assert_string_equal(write_line(p, &le, line_text),
                        "1970-01-01T00:00:00.0000000Z  cpu 0  ?  Made/Pack/Start v0  Warning  "
                        "Size=42 Name=\"\\u001bx\"  42 bytes of \\u001bx, %3\n");
    provider_names_free(names);
}

/* The text of a kind is made once; another number in the header makes another text. */
static void kinds_are_kept_apart(void **state)
{
    struct page *const p = *state;
    struct provider_names *const names = made_names();
    struct line_kinds *const kinds = line_kinds_new();
    char *const before = malloc(LINE_ROOM);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 9; i++) {
            struct event e = made_event();
            struct line_event le = {.event = &e,
                                    .class_name = i == 7 ? "Other" : "Made",
                                    .event_name = "Pack/Start",
                                    .names = names,
                                    .is_transient = i == 8};
            e.level += i == 1;
            e.opcode += i == 2;
            e.task += i == 3;
            e.channel += i == 4;
            e.keyword += i == 5;
            e.flags |= i == 6 ? EVENT_FLAG_PRIVATE : 0;
            p->line.kinds = NULL;
            strcpy(before, write_line(p, &le, line_jsonl));
            p->line.kinds = kinds;
            assert_string_equal(write_line(p, &le, line_jsonl), before);
            if (round == 1 && i == 0)
                provider_names_put(names, PROVIDER_KEYWORD, 0, "Late");
        }
    p->line.kinds = NULL;
    free(before);
    line_kinds_free(kinds);
    provider_names_free(names);
}

/* A SID that says it is longer than its item is none; private sessions keep other times. */
static void headers_are_not_believed(void **state)
{
    struct page *const p = *state;
    struct event e = made_event();
    const struct line_event le = {.event = &e, .owner = {EVENT_NO_ID, EVENT_NO_ID, NULL}};
    uint8_t items[sizeof made_items];
    memcpy(items, made_items, sizeof items);
    items[33] = 2;
    e.extended = items;
    assert_null(strstr(write_line(p, &le, line_jsonl), "\"sid\""));
    assert_non_null(strstr(p->text, "\"kernel_time\""));
    e.flags |= EVENT_FLAG_PRIVATE;
    assert_null(strstr(write_line(p, &le, line_jsonl), "_time\""));
}

static void times_of_all_ages_are_reported(void **state)
{
    static const int64_t rows[] = {
        INT64_MIN, -1, 0, 1, 999999999, 1000000000, 1000000100, 1463999999999999999, INT64_MAX};
    const struct event e = {.kind = HEADER_MANIFEST};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct line_event le = {.event = &e, .ns = rows[i]};
        char expected[CLOCK_TEXT + 16], iso[CLOCK_TEXT];
        snprintf(expected, sizeof expected, "{\"time\":\"%s\"", clock_format_iso(rows[i], iso));
        assert_ptr_equal(strstr(write_line(*state, &le, line_jsonl), expected),
                         ((struct page *)*state)->text);
    }
}

static void every_byte_has_its_digits(void **state)
{
    uint8_t payload[257];
    char expected[2 * sizeof payload + 1];
    for (unsigned i = 0; i < sizeof payload; i++) {
        payload[i] = (uint8_t)i;
        sprintf(expected + 2 * i, "%02x", payload[i]);
    }
    const struct event e = {
        .kind = HEADER_MANIFEST,
        .payload = payload,
        .payload_bytes = sizeof payload,
    };
    const struct line_event le = {.event = &e};
    assert_non_null(strstr(write_line(*state, &le, line_jsonl), expected));
}

/* The longest payloads of what grows most: they must fit the room a line is given. */
static void longest_lines_fit(void **state)
{
    static uint8_t payload[65535 - 16];
    static const struct {
        uint16_t hook;
        uint8_t version, pointer, fill, head;
    } rows[] = {
        {0x1820, 2, 4, 0xff, 0},    /* a list of pointers */
        {0x0f22, 0, 8, 0x01, 0},    /* controls in an 8-bit string */
        {0x0f22, 0, 8, 0x85, 0},    /* Latin-1 controls */
        {0x0400, 2, 8, 0x01, 8},    /* UTF-16 */
        {0x0f30, 2, 8, 0x00, 0xff}, /* empty strings in a list */
        {0x0220, 2, 8, 0xff, 0},    /* bytes behind the layout */
        {0x0221, 2, 8, 0xff, 0},    /* raw */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(payload, rows[i].fill, sizeof payload);
        if (rows[i].head == 0xff)
            memset(payload, 0xff, 4);
        const struct event e = {
            .kind = HEADER_PERFINFO,
            .id = rows[i].hook,
            .opcode = rows[i].hook & 0xff,
            .version = rows[i].version,
            .pointer = rows[i].pointer,
            .payload = payload,
            .payload_bytes = sizeof payload,
        };
        const struct line_event le = {.event = &e, .layout = decode_layout(&e)};
        assert_true(strlen(write_line(*state, &le, line_jsonl)) < LINE_ROOM);
        assert_true(strlen(write_line(*state, &le, line_text)) < LINE_ROOM);
    }
}

/* Flags of kernel events: JSON keeps the number, and has the names beside it. */
static void flags_of_kernel_events_have_names(void **state)
{
    const uint8_t read[28] = {0, 0, 0, 0, 0x03, 0, 0x06, 0}; /* IrpFlags 0x60003 */
    const struct event e = {.kind = HEADER_PERFINFO,
                            .id = 0x010a,
                            .opcode = 0x0a,
                            .pointer = 4,
                            .payload = read,
                            .payload_bytes = sizeof read};
    const struct line_event le = {.event = &e, .layout = decode_layout(&e)};
    const char *line = write_line(*state, &le, line_jsonl);
    assert_non_null(strstr(line, "\"IrpFlags\":393219,"));
    assert_non_null(
        strstr(line, ",\"names\":{\"IrpFlags\":\"PRIORITY_NORMAL|NOCACHE|PAGING_IO\"}"));
    line = write_line(*state, &le, line_text);
    assert_non_null(strstr(line, " IrpFlags=PRIORITY_NORMAL|NOCACHE|PAGING_IO "));
}

/* ---- JSON strings ------------------------------------------------------------------------- */

static void json_is_safe(void **state)
{
    (void)state;
    static const struct {
        const char *text, *quoted, *shown;
    } rows[] = {
        {"", "\"\"", ""},
        {"C:\\a \"b\"", "\"C:\\\\a \\\"b\\\"\"", "C:\\a \"b\""},
        {"\x1b[31m\n\t\x7f", "\"\\u001b[31m\\n\\t\\u007f\"", "\\u001b[31m\\n\\t\\u007f"},
        {"\xe2\x80\xae"
         "exe",
         "\"\\u202eexe\"", "\\u202eexe"},
        {"\xc3\xa9\xff\xc3", "\"\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\"",
         "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[128];
        const size_t n = strlen(rows[i].text);
        out[json_quote(out, rows[i].text, n)] = '\0';
        assert_string_equal(out, rows[i].quoted);
        out[json_show(out, rows[i].text, n)] = '\0';
        assert_string_equal(out, rows[i].shown);
    }
}

/* Whatever lies before and behind it, and however long the text is, a byte is written alike. */
static void each_byte_is_quoted_alike(void **state)
{
    enum { MOST = 40 };
    static const char odd[] = "\"\\\x1f\x7f\x80 ~";
    (void)state;
    for (size_t bytes = 1; bytes <= MOST; bytes++)
        for (size_t at = 0; at < bytes; at++)
            for (size_t i = 0; i < sizeof odd - 1; i++) {
                char text[MOST + 1] = "", quoted[8 * MOST], expected[8 * MOST] = "\"";
                memset(text, 'a', bytes);
                text[at] = odd[i];
                for (size_t n = 0; n < bytes; n++) {
                    char one[16];
                    const size_t length = json_show(one, text + n, 1);
                    const bool is_sign = text[n] == '"' || text[n] == '\\';
                    strcat(expected, is_sign ? "\\" : "");
                    strncat(expected, one, length);
                }
                strcat(expected, "\"");
                quoted[json_quote(quoted, text, bytes)] = '\0';
                assert_string_equal(quoted, expected);
            }
}

/* Pieces are cut between characters, wherever the character lies. */
static void long_json_is_one_string(void **state)
{
    (void)state;
    for (unsigned before = 250; before < 260; before++) {
        char text[600], expected[1200], found[1200];
        memset(text, 'x', before);
        strcpy(text + before, "\xf0\x9d\x84\x9e\x01yz");
        expected[json_quote(expected, text, strlen(text))] = '\0';
        FILE *f = tmpfile();
        json_text(f, text);
        rewind(f);
        found[fread(found, 1, sizeof found - 1, f)] = '\0';
        fclose(f);
        assert_string_equal(found, expected);
    }
}

/* ---- whose events ---------------------------------------------------------------------------- */

struct script {
    uint8_t bytes[64][64];
    unsigned used;
};

static void store(uint8_t *at, uint32_t n)
{
    memcpy(at, &n, sizeof n);
}

/* Process Start & co, version 1, 32-bit: base, pid, parent, session, exit, no SID, name. */
static struct event process_event(struct script *s, uint8_t type, int64_t ts, uint32_t pid,
                                  const char *name)
{
    uint8_t *p = s->bytes[s->used++];
    store(p + 4, pid);
    strcpy((char *)p + 24, name);
    return (struct event){.kind = HEADER_SYSTEM,
                          .id = (uint16_t)(0x0300 | type),
                          .opcode = type,
                          .version = 1,
                          .pointer = 4,
                          .ts = ts,
                          .payload = p,
                          .payload_bytes = 25 + (uint32_t)strlen(name),
                          .pid = 1,
                          .tid = 1};
}

static struct event thread_event(struct script *s, uint8_t type, int64_t ts, uint32_t pid,
                                 uint32_t tid)
{
    uint8_t *p = s->bytes[s->used++];
    store(p, pid);
    store(p + 4, tid);
    return (struct event){.kind = HEADER_PERFINFO,
                          .id = (uint16_t)(0x0500 | type),
                          .opcode = type,
                          .version = 3,
                          .pointer = 8,
                          .ts = ts,
                          .payload = p,
                          .payload_bytes = 72 - 8,
                          .pid = EVENT_NO_ID,
                          .tid = EVENT_NO_ID};
}

/* A sample: pointer, then thread. */
static struct event sample_event(struct script *s, int64_t ts, uint32_t tid)
{
    uint8_t *p = s->bytes[s->used++];
    store(p + 8, tid);
    return (struct event){.kind = HEADER_PERFINFO,
                          .id = 0x0f2e,
                          .opcode = 0x2e,
                          .version = 2,
                          .pointer = 8,
                          .ts = ts,
                          .payload = p,
                          .payload_bytes = 16,
                          .pid = EVENT_NO_ID,
                          .tid = EVENT_NO_ID};
}

enum { START = 1, END, DC_START, DC_END };

static void ids_are_used_again(void **state)
{
    (void)state;
    struct script s = {.used = 0};
    struct attribution *a = attribution_new();
    const struct event events[] = {
        /* out of order, as buffers of several processors lie in a file */
        thread_event(&s, START, 500, 20, 7),  process_event(&s, START, 400, 20, "second.exe"),
        thread_event(&s, END, 300, 10, 7),    process_event(&s, END, 310, 20, "first.exe"),
        thread_event(&s, DC_END, 900, 30, 8), process_event(&s, DC_END, 900, 30, "late.exe"),
    };
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        attribution_learn(a, &events[i]);
    attribution_settle(a);
    static const struct {
        int64_t ts;
        uint32_t tid, pid;
        const char *name;
    } rows[] = {
        {100, 7, 10, NULL}, /* gone later without a start: was there before */
        {300, 7, 10, NULL},         {350, 7, 10, NULL}, /* runs on a while behind its end */
        {500, 7, 20, "second.exe"}, {9000, 7, 20, "second.exe"},
        {1, 8, 30, "late.exe"},                      /* known only from the rundown at the end */
        {1, 9, EVENT_NO_ID, NULL},  {1, 0, 0, NULL}, /* idle */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct event e = sample_event(&s, rows[i].ts, rows[i].tid);
        const struct owner o = attribution_of(a, &e);
        assert_int_equal(o.tid, rows[i].tid);
        assert_int_equal(o.pid, rows[i].pid);
        if (rows[i].name)
            assert_string_equal(o.name, rows[i].name);
        else
            assert_null(o.name);
    }
    struct event old = process_event(&s, END, 200, 20, "");
    assert_string_equal(attribution_of(a, &old).name, "first.exe");
    old.source = 1; /* another machine's process 20 */
    assert_null(attribution_of(a, &old).name);
    attribution_free(a);
}

/* A process that runs another program, or gives itself a name, is called so from then on. */
static void names_change_in_a_lifetime(void **state)
{
    (void)state;
    struct script s = {.used = 0};
    struct attribution *a = attribution_new();
    static uint8_t room[4][256];
    static const struct {
        const char *event, *name;
        uint32_t pid;
        int64_t ts;
    } tales[] = {{"Exec", "cc1", 20, 500},
                 {"Rename", "worker", 20, 600},
                 {"Exec", "", 20, 650},
                 {"Machine", "no name of it", 20, 660}};
    for (unsigned i = 0; i < 4; i++) {
        struct payload_writer p = {room[i], room[i], room[i] + sizeof room[i]};
        struct event e;
        tracetop_write_begin(&p, tales[i].event, "pid:u32,name:text", 20, 20, tales[i].ts);
        put_u32(&p, tales[i].pid);
        put_text(&p, tales[i].name, strlen(tales[i].name));
        tracetop_write_end(&p);
        assert_int_equal(event_parse(room[i], sizeof room[i], &e), EVENT_OK);
        attribution_learn(a, &e);
    }
    const struct event events[] = {
        process_event(&s, START, 400, 20, "sh"),
        process_event(&s, END, 800, 20, "worker"),
        process_event(&s, START, 900, 20, "other"),
    };
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        attribution_learn(a, &events[i]);
    attribution_settle(a);
    static const struct {
        int64_t ts;
        const char *name;
    } rows[] = {{400, "sh"},     {499, "sh"},     {500, "cc1"},    {599, "cc1"},
                {600, "worker"}, {700, "worker"}, {850, "worker"}, {900, "other"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct event e = process_event(&s, END, rows[i].ts, 20, "");
        assert_string_equal(attribution_of(a, &e).name, rows[i].name);
    }
    attribution_free(a);
}

/* In one pass, a while before it is asked about, is what two passes know. */
static void one_pass_knows_what_two_do(void **state)
{
    (void)state;
    struct script s = {.used = 0};
    struct attribution *const live = attribution_new_live(), *const whole = attribution_new();
    const struct event events[] = {
        thread_event(&s, DC_START, 5, 10, 7), process_event(&s, DC_START, 5, 10, "old.exe"),
        thread_event(&s, END, 300, 10, 7),    process_event(&s, START, 310, 20, "first.exe"),
        thread_event(&s, START, 305, 20, 7),  thread_event(&s, START, 320, 20, 8),
        process_event(&s, END, 400, 20, ""),  thread_event(&s, END, 390, 20, 8),
        thread_event(&s, START, 500, 30, 8),  process_event(&s, START, 500, 30, "second.exe"),
    };
    enum { EVENTS = sizeof events / sizeof *events, AHEAD = 100 };
    for (size_t i = 0; i < EVENTS; i++)
        attribution_learn(whole, &events[i]);
    attribution_settle(whole);
    size_t learned = 0;
    for (int64_t ts = 5; ts < 600; ts++)
        for (uint32_t tid = 7; tid <= 8; tid++) {
            while (learned < EVENTS && events[learned].ts <= ts + AHEAD)
                attribution_learn(live, &events[learned++]);
            const struct event e = sample_event(&(struct script){.used = 0}, ts, tid);
            const struct owner a = attribution_of(live, &e), b = attribution_of(whole, &e);
            if (tid == 8 && ts < 220)
                continue; /* that it is somebody's is not known so far */
            assert_int_equal(a.pid, b.pid);
            assert_true(!a.name == !b.name);
            assert_string_equal(a.name ? a.name : "", b.name ? b.name : "");
        }
    attribution_free(live);
    attribution_free(whole);
}

/* Millions come and go: those that are there are known, those that have gone take no room. */
static void one_pass_forgets_who_has_gone(void **state)
{
    (void)state;
    enum { PROCESSES = 200000, KEPT = 4, STEP = 10 };
    struct attribution *const a = attribution_new_live();
    struct script s = {.used = 0};
    const struct event old = process_event(&s, DC_START, 1, 4, "stays.exe");
    attribution_learn(a, &old);
    for (uint32_t i = 1; i <= PROCESSES; i++) {
        struct script one = {.used = 0};
        char name[32];
        const int64_t ts = (int64_t)i * STEP;
        snprintf(name, sizeof name, "p%u.exe", i);
        const struct event start = process_event(&one, START, ts, i * KEPT + KEPT, name),
                           end = process_event(&one, END, ts + 5, i * KEPT + KEPT, "");
        attribution_learn(a, &start);
        attribution_learn(a, &end);
        struct event e = process_event(&one, END, ts + 3, i * KEPT + KEPT, "");
        assert_string_equal(attribution_of(a, &e).name, name);
    }
    const struct event e = process_event(&s, END, PROCESSES * STEP, 4, "");
    assert_string_equal(attribution_of(a, &e).name, "stays.exe");
    assert_int_equal(attribution_forgotten(a), 0);
    attribution_free(a);
}

static void marks_stay_few(void **state)
{
    (void)state;
    enum { MARKS = 1000000, ALIVE = 1000 };
    struct recent_marks r;
    int64_t asked[MARK_SOURCES] = {0}, gone[MARK_SOURCES] = {0};
    recent_marks_init(&r);
    for (int64_t ts = 1; ts <= MARKS; ts++) {
        if (!recent_marks_has_room(&r)) {
            assert_int_equal(recent_marks_sweep(&r, asked, gone), 0);
            gone[0] = asked[0];
        }
        const bool is_end = ts % 2 == 0;
        recent_marks_add(&r, &(struct mark){
                                 .key = ts <= ALIVE ? (uint64_t)ts : ALIVE + (uint64_t)(ts + 1) / 2,
                                 .ts = ts,
                                 .pid = (uint32_t)ts,
                                 .lifetime = ts > ALIVE && is_end ? LIFETIME_END : LIFETIME_START});
        asked[0] = ts;
    }
    assert_in_range(r.count, ALIVE, 140000);
    for (uint64_t key = 1; key <= ALIVE; key++) {
        const struct mark *before, *after;
        recent_marks_at(&r, key, MARKS, &before, &after);
        assert_non_null(before);
        assert_null(after);
        assert_int_equal(before->ts, key);
    }
    recent_marks_fini(&r);
}

static void running_threads_own_what_they_cause(void **state)
{
    (void)state;
    struct script s = {.used = 0};
    struct attribution *a = attribution_new();
    const struct event alive = thread_event(&s, DC_START, 0, 40, 41);
    attribution_learn(a, &alive);
    attribution_settle(a);
    static const uint8_t nothing[32];
    struct event fault = {.kind = HEADER_PERFINFO,
                          .id = 0x020a,
                          .opcode = 10,
                          .version = 2,
                          .pointer = 8,
                          .cpu = 3,
                          .payload = nothing,
                          .payload_bytes = 16,
                          .pid = EVENT_NO_ID,
                          .tid = EVENT_NO_ID};
    assert_int_equal(attribution_of(a, &fault).tid, EVENT_NO_ID);
    uint8_t *p = s.bytes[s.used++];
    store(p, 41);
    const struct event cswitch = {.kind = HEADER_PERFINFO,
                                  .id = 0x0524,
                                  .opcode = 0x24,
                                  .version = 4,
                                  .pointer = 8,
                                  .cpu = 3,
                                  .payload = p,
                                  .payload_bytes = 24,
                                  .pid = EVENT_NO_ID,
                                  .tid = EVENT_NO_ID};
    assert_int_equal(attribution_of(a, &cswitch).pid, 40);
    assert_int_equal(attribution_of(a, &fault).pid, 40);
    assert_int_equal(attribution_of(a, &fault).tid, 41);
    fault.cpu = 2;
    assert_int_equal(attribution_of(a, &fault).tid, EVENT_NO_ID);
    fault.cpu = 3;
    fault.id = 0x0f44; /* a deferred call interrupts whoever runs: nobody's */
    assert_int_equal(attribution_of(a, &fault).tid, EVENT_NO_ID);
    attribution_free(a);
}

static void requests_end_with_who_began(void **state)
{
    (void)state;
    struct script s = {.used = 0};
    struct attribution *a = attribution_new();
    attribution_settle(a);
    uint8_t *read = s.bytes[s.used++], *end = s.bytes[s.used++];
    store(read + 8, 0xabc0); /* IrpPtr of a Read version 3 … */
    store(read + 32, 77);    /* … and its TTID */
    store(end, 0xabc0);
    struct event e = {.kind = HEADER_PERFINFO,
                      .id = 0x0443,
                      .opcode = 0x43,
                      .version = 3,
                      .pointer = 8,
                      .payload = read,
                      .payload_bytes = 44,
                      .pid = EVENT_NO_ID,
                      .tid = EVENT_NO_ID};
    struct event done = e;
    done.id = 0x044c;
    done.opcode = 0x4c;
    done.payload = end;
    done.payload_bytes = 20;
    assert_int_equal(attribution_of(a, &done).tid, EVENT_NO_ID);
    assert_int_equal(attribution_of(a, &e).tid, 77);
    assert_int_equal(attribution_of(a, &done).tid, 77);
    attribution_free(a);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* ---- comma-separated values ---- */

/* Splits the line into cells as RFC 4180 reads them; they are NUL-terminated in `room`. */
static unsigned read_cells(const char *line, char separator, const char **cells, unsigned most,
                           char *room)
{
    unsigned count = 0;
    for (;;) {
        const bool is_quoted = *line == '"';
        assert_true(count < most);
        cells[count++] = room;
        line += is_quoted;
        while (is_quoted ? *line != '"' || line[1] == '"'
                         : *line != separator && *line != '\r') {
            assert_true(*line && (is_quoted || *line != '"'));
            line += is_quoted && *line == '"';
            *room++ = *line++;
        }
        *room++ = '\0';
        line += is_quoted;
        if (*line == '\r')
            break;
        assert_int_equal(*line++, separator);
    }
    assert_string_equal(line, "\r\n");
    return count;
}

static const struct value_name csv_names[] = {{1, "=One"}};
static const struct value_map csv_map = {.entries = csv_names, .count = 1};
static const struct field csv_fields[] = {
    {.name = "Text", .type = FIELD_ASTR, .count = 1, .offset32 = -1, .offset64 = -1},
    {.name = "More", .type = FIELD_ASTR, .count = 1, .offset32 = -1, .offset64 = -1},
    {.name = "Minus", .type = FIELD_I16, .count = 1, .offset32 = -1, .offset64 = -1},
    {.name = "List", .type = FIELD_U8, .count = 3, .offset32 = -1, .offset64 = -1},
    {.name = "Half", .type = FIELD_F32, .count = 1, .offset32 = -1, .offset64 = -1},
    {.name = "Kind", .type = FIELD_I8, .count = 1, .offset32 = -1, .offset64 = -1, .map = &csv_map},
};
static const struct payload_layout csv_layout = {.fields = csv_fields, .field_count = 6};

static void cells_hold_whole_values(void **state)
{
    struct page *const p = *state;
    static const uint8_t payload[] = "=1+\";\"\0a;b,c\n\x1b[m\0\xfe\xff\1\2\3\0\0\0\xbf\xfd\xab";
    static const struct {
        const char *columns;
        bool is_raw;
        const char *cells[28];
    } rows[] = {
        {NULL,
         false,
         {"1970-01-01T00:00:00.0000000Z",
          "3",
          "8",
          "",
          "Up",
          "Made",
          "Go",
          "5",
          "6",
          "1",
          "4",
          "0x30",
          "Text",
          "'=1+\";\"",
          "More",
          "a;b,c\\n\\u001b[m",
          "Minus",
          "-2",
          "List",
          "1,2,3",
          "Half",
          "-0.5",
          "Kind",
          "-3",
          "rest",
          "ab00",
          NULL}},
        {".Minus,.Text,Made.Go.List,pid,activity",
         true,
         {"-2", "=1+\";\"", "1,2,3", "8", "", NULL}},
        {".Nothing,Other.Text", false, {"", "", NULL}},
    };
    const struct event e = {.kind = HEADER_MANIFEST, .cpu = 3, .id = 5, .opcode = 6, .version = 1,
                            .level = 4, .keyword = 0x30, .pointer = 8, .payload = payload,
                            .payload_bytes = sizeof payload};
    const struct line_event le = {.event = &e, .layout = &csv_layout, .class_name = "Made",
                                  .event_name = "Go", .owner = {8, EVENT_NO_ID, "Up"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err;
        const char *cells[32];
        static char room[1024];
        struct line_csv *const c = line_csv_new(rows[i].columns, ';', rows[i].is_raw, &err);
        assert_non_null(c);
        p->line.at = p->text;
        line_csv_event(c, &p->line, &le);
        *p->line.at = '\0';
        const unsigned count = read_cells(p->text, ';', cells, 32, room);
        for (unsigned k = 0; rows[i].cells[k]; k++) {
            assert_true(k < count);
            assert_string_equal(cells[k], rows[i].cells[k]);
        }
        assert_null(rows[i].cells[count]);
        line_csv_free(c);
    }
}

static void names_and_message_have_columns(void **state)
{
    struct page *const p = *state;
    struct provider_names *const names = made_names();
    struct err err;
    const char *cells[16];
    static const char *const expected[] = {"Warning",
                                           "Pack\"",
                                           "Start",
                                           "Made/Debug",
                                           "Disk, Made/Debug, 0x1",
                                           "1",
                                           "7",
                                           "506",
                                           "S-1-5-18",
                                           "00000003-0000-0000-0000-000000000004",
                                           "42 bytes of \\u001bx"};
    static char room[1024];
    const struct event e = made_event();
    const struct line_event le = {
        .event = &e, .layout = &made_layout, .message = "%1 bytes of %2", .names = names};
    struct line_csv *const c = line_csv_new(
        "level_name,task_name,opcode_name,channel_name,keyword_names,flags,kernel_time,"
        "user_time,sid,related,message",
        ';', false, &err);
    assert_non_null(c);
    p->line.at = p->text;
    line_csv_event(c, &p->line, &le);
    *p->line.at = '\0';
    assert_int_equal(read_cells(p->text, ';', cells, 16, room), 11);
    for (unsigned i = 0; i < 11; i++)
        assert_string_equal(cells[i], expected[i]);
    line_csv_free(c);
    provider_names_free(names);
}

static void columns_that_are_not_there_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *columns, *says;
    } rows[] = {{"tme", "did you mean 'time'"}, {"pid,Depht", "write .Depht"}, {"pid,,tid", "1 to"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {""};
        assert_null(line_csv_new(rows[i].columns, 0, false, &err));
        assert_non_null(strstr(err.text, rows[i].says));
    }
}

static void missing_files_are_reported(void **state)
{
    (void)state;
    const char *const files[] = {"tests/data/no such.etl"};
    const struct dump_options o = {.files = files, .file_count = 1};
    char said[512];
    FILE *out = tmpfile(), *err = tmpfile();
    assert_int_equal(dump_run(&o, out, err), 1);
    rewind(err);
    assert_non_null(fgets(said, sizeof said, err));
    assert_non_null(strstr(said, "no such.etl"));
    assert_int_equal(ftell(out), 0);
    fclose(out);
    fclose(err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(strings_are_escaped, open_page, close_page),
        cmocka_unit_test_setup_teardown(events_name_themselves, open_page, close_page),
        cmocka_unit_test_setup_teardown(lists_and_stacks_are_arrays, open_page, close_page),
        cmocka_unit_test_setup_teardown(the_header_is_there_where_it_names_another, open_page,
                                        close_page),
        cmocka_unit_test_setup_teardown(unknown_events_are_raw, open_page, close_page),
        cmocka_unit_test_setup_teardown(names_and_message_have_columns, open_page, close_page),
        cmocka_unit_test_setup_teardown(names_and_message_of_providers, open_page, close_page),
        cmocka_unit_test_setup_teardown(kinds_are_kept_apart, open_page, close_page),
        cmocka_unit_test_setup_teardown(headers_are_not_believed, open_page, close_page),
        cmocka_unit_test_setup_teardown(times_of_all_ages_are_reported, open_page, close_page),
        cmocka_unit_test_setup_teardown(every_byte_has_its_digits, open_page, close_page),
        cmocka_unit_test_setup_teardown(longest_lines_fit, open_page, close_page),
        cmocka_unit_test_setup_teardown(flags_of_kernel_events_have_names, open_page, close_page),
        cmocka_unit_test(json_is_safe),
        cmocka_unit_test(each_byte_is_quoted_alike),
        cmocka_unit_test(long_json_is_one_string),
        cmocka_unit_test(ids_are_used_again),
        cmocka_unit_test(names_change_in_a_lifetime),
        cmocka_unit_test(one_pass_knows_what_two_do),
        cmocka_unit_test(one_pass_forgets_who_has_gone),
        cmocka_unit_test(marks_stay_few),
        cmocka_unit_test(running_threads_own_what_they_cause),
        cmocka_unit_test(requests_end_with_who_began),
        cmocka_unit_test_setup_teardown(cells_hold_whole_values, open_page, close_page),
        cmocka_unit_test(columns_that_are_not_there_are_refused),
        cmocka_unit_test(missing_files_are_reported),
    };
    return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
