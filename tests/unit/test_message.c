/* Messages of providers: templates with fields inserted, and hostile templates. */
#include "tests/test.h"

#include "src/base/text.h"
#include "src/event/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static const struct value_name colors[] = {{1, "red"}, {2, "green"}};
static const struct value_map color_map = {.entries = colors, .count = 2};

#define FIELD(name_, type_)                                                                        \
    {                                                                                              \
        .name = name_, .type = type_, .count = 1, .offset32 = -1, .offset64 = -1                   \
    }
static const struct field fields[] = {
    FIELD("Number", FIELD_U32), /* 1 */
    FIELD("Signed", FIELD_I32),
    FIELD("Text", FIELD_WSTR),
    {.name = "Color",
     .type = FIELD_U8,
     .count = 1,
     .map = &color_map,
     .offset32 = -1,
     .offset64 = -1},
    {.name = "Pair",
     .type = FIELD_STRUCT,
     .count = 1,
     .members = 2,
     .offset32 = -1,
     .offset64 = -1},
    FIELD("X", FIELD_U8),
    FIELD("Y", FIELD_U8),
    FIELD("Bytes", FIELD_HEX64), /* 6 */
    {.name = "Status",
     .type = FIELD_HEX32,
     .count = 1,
     .role = FIELD_IS_STATUS,
     .offset32 = -1,
     .offset64 = -1},
    FIELD("From", FIELD_IPV4),
    FIELD("Empty", FIELD_WSTR),
    FIELD("Gone", FIELD_U64), /* 10: behind the payload's end */
};
enum { FIELDS = sizeof fields / sizeof *fields };
static const struct payload_layout layout = {.fields = fields, .field_count = FIELDS};

static const uint8_t payload[] = {
    0x2a, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 'c',  0, 0x3a, 0x26, 'd', 0, 0, 0, 2, 7, 8,
    0x10, 0, 0, 0, 1,    0,    0,    0,    0x22, 0, 0,    0xc0, 127, 0, 0, 1, 0, 0,
};

static unsigned decode(struct decoded out[DECODE_FIELDS])
{
    const struct event e = {
        .kind = HEADER_MANIFEST, .pointer = 8, .payload = payload, .payload_bytes = sizeof payload};
    return decode_fields(&layout, &e, out, DECODE_FIELDS);
}

static const char *text_of(const char *template, char out[ROOM])
{
    struct decoded all[DECODE_FIELDS];
    const unsigned count = decode(all);
    const size_t bytes = message_format(template, all, count, false, out, ROOM);
    assert_int_equal(bytes, strlen(out));
    return out;
}

static const struct {
    const char *template, *text;
} texts[] = {
    {"", ""},
    {"plain", "plain"},
    {"n=%1, s=%2, t=\"%3\".", "n=42, s=-2, t=\"c\u263ad\"."},
    /* As details show them. */
    {"%4 %5 %6 %7 %8", "green {X=7 Y=8} 0x100000010 ACCESS_DENIED 127.0.0.1"},
    /* Numbers that no field has, and a field that the payload lacks. */
    {"%10|%11|%99|%9|", "%10|%11|%99||"},
    {"%11!d! %10!s!", "%11 %10"},
    /* %0 ends, a digit behind two is text. */
    {"%14%0 never", "%14"},
    {"%112", "%112"},
    {"a%0b", "a"},
    {"ends with %", "ends with"},
    /* Labels that name another field. */
    {"Signed=%1;%nText=%2;%nFrom=%3", "Signed=-2; Text=c\u263ad; From=127.0.0.1"},
    {"Text=%3 Number=%4!d! of=%1", "Text=c\u263ad Number=42 of=42"},
    {"Texts=%1 =%1 Text =%1", "Texts=42 =42 Text =42"},
    /* One line. */
    {"a%nb%r%n%tc%bd", "a b c d"},
    {"a;\r\nb;\r\n\tc ", "a; b; c"},
    {"%n%nfirst", "first"},
    {"100%% sure%! Yes%.", "100% sure! Yes."},
    {"%%1833 and %%", "%%1833 and %"},
    {"%q%{", "q{"},
    /* printf's formats. */
    {"[%1!d!] [%2!d!] [%2!u!] [%2!x!] [%2!X!]", "[42] [-2] [4294967294] [fffffffe] [FFFFFFFE]"},
    {"[%1!5d!] [%1!-5d!] [%1!05d!] [%1!.4d!] [%1!+d!] [%1! d!]",
     "[   42] [42   ] [00042] [0042] [+42] [ 42]"},
    {"[%1!#x!] [%1!08X!] [%1!#06x!] [%6!I64x!] [%6!llx!] [%1!hu!]",
     "[0x2a] [0000002A] [0x002a] [100000010] [100000010] [42]"},
    {"[%4!d!] [%4!s!] [%4!x!]", "[2] [green] [2]"},
    {"[%3!s!] [%3!S!] [%3!.2s!] [%3!5s!] [%3!-5ls!]",
     "[c\u263ad] [c\u263ad] [c\u263a] [  c\u263ad] [c\u263ad  ]"},
    {"[%3!d!] [%8!u!] [%5!s!]", "[c\u263ad] [127.0.0.1] [{X=7 Y=8}]"},
    {"[%9!3s!]", "[   ]"},
    /* No formats: signs like others. */
    {"%1! Yes!", "42! Yes!"},
    {"%1!", "42!"},
    {"%1!*.*s! %1!n! %1!s", "42!*.*s! 42!n! 42!s"},
    {"%1!-+ #0!", "42!-+ #0!"},
};

static void templates_become_lines(void **state)
{
    (void)state;
    char text[ROOM];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(text_of(texts[i].template, text), texts[i].text);
}

static void widths_are_bounded(void **state)
{
    (void)state;
    char text[ROOM];
    assert_int_equal(strlen(text_of("%1!99999999999d!x", text)), 256);
    assert_int_equal(strlen(text_of("%1!.99999999999d!x", text)), 256);
    assert_int_equal(strlen(text_of("%3!4294967297s!x", text)), 2 + 256);
    assert_string_equal(text_of("%3!.99999999999s!", text), "c\u263ad");
}

/* Every length around the end of the room: the text is cut between characters, and says so. */
static void long_texts_are_cut(void **state)
{
    (void)state;
    static const char sign[] = "\u2026";
    char template[ROOM], *const text = malloc(MESSAGE_ROOM);
    struct decoded all[DECODE_FIELDS];
    const unsigned count = decode(all);
    for (unsigned length = MESSAGE_ROOM - MESSAGE_SPARE - 8; length < MESSAGE_ROOM; length++)
        for (unsigned i = 0; i < 2; i++) {
            memset(template, 'x', length);
            strcpy(template + length, i ? "\u263a\u263a%3%3%3!100s!" : "%3%3");
            const size_t bytes = message_format(template, all, count, false, text, MESSAGE_ROOM);
            assert_true(bytes < MESSAGE_ROOM && bytes == strlen(text));
            const bool is_cut = length + (i ? 118 : 10) > MESSAGE_ROOM - MESSAGE_SPARE;
            assert_true(text_is_valid(text, bytes));
            assert_int_equal(memcmp(text + bytes - 3, sign, 3) == 0, is_cut);
        }
    free(text);
}

/* 10^6 inserts: as much as there is room for, and no more work than that. */
static void many_inserts_end(void **state)
{
    (void)state;
    enum { MANY = 1000000 };
    static const char *const inserts[] = {"%1",  "%3",       "%5",       "%9",
                                          "%99", "%1!255d!", "%3!255s!", "%n"};
    char *const template = malloc(MANY * 8 + 1), text[ROOM];
    for (size_t i = 0; i < sizeof inserts / sizeof *inserts; i++) {
        const size_t length = strlen(inserts[i]);
        for (size_t j = 0; j < MANY; j++)
            memcpy(template + j * length, inserts[i], length + 1);
        text_of(template, text);
        assert_true(strlen(text) < ROOM - MESSAGE_SPARE + 4);
    }
    free(template);
}

/* Lists of names and values repeat the fields. */
static void lists_of_pairs_have_no_text(void **state)
{
    (void)state;
    static const struct {
        const char *template;
        bool has_words;
    } rows[] = {
        {"", false},
        {"ClrInstanceID=%1", false},
        {"HeapNum=%1;%nClrInstanceID=%2", false},
        {"HeapNum=%1; ClrInstanceID=%2\r\n", false},
        {"A=%1,B=%2 ", false},
        {"Provider %1 was registered.", true},
        {"A=%1 failed", true},
        {"%1", true},
        {"A=", true},
        {"A=%", true},
        {"A=%n", true},
    };
    assert_false(message_has_words(NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(message_has_words(rows[i].template), rows[i].has_words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_become_lines), cmocka_unit_test(lists_of_pairs_have_no_text),
        cmocka_unit_test(widths_are_bounded),     cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(many_inserts_end),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
