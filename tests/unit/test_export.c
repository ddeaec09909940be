/* Pane tables as text: one hand-made frame, four formats, compared byte by byte. */
#include "tests/test.h"

#include "src/export/export.h"

#include <stdlib.h>
#include <string.h>

static const struct column columns[] = {
    {.id = "pid", .title = "PID", .unit = "", .help = "h", .type = VALUE_ID, .flags = COLUMN_RIGHT},
    {.id = "name", .title = "NAME", .help = "h", .type = VALUE_TEXT, .flags = COLUMN_DEFAULT},
    {.id = "read",
     .title = "READ B/s",
     .unit = "bytes_per_s",
     .help = "h",
     .type = VALUE_BYTE_RATE,
     .flags = COLUMN_RIGHT},
    {.id = "p99",
     .title = "P99",
     .unit = "ns",
     .help = "h",
     .type = VALUE_TIME,
     .flags = COLUMN_RIGHT},
    {.id = "key", .title = "KEY", .unit = "", .help = "h", .type = VALUE_HEX},
    {.id = "last", .title = "LAST", .unit = "", .help = "h", .type = VALUE_INSTANT},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const struct pane pane = {.id = "test", .columns = columns, .column_count = COLUMNS};

#define HOSTILE "a,\"b\"\x1b[31m\tc\n"
static const char arena[] = "plain" HOSTILE "\xe6\xbc\xa2\xff";

#define TEXT(at, length)                                                                           \
    {                                                                                              \
        .type = VALUE_TEXT, .text = {(at), (length) }                                              \
    }

static const struct value cells[][COLUMNS] = {
    {{.type = VALUE_ID, .count = 4},
     TEXT(0, 5),
     {.type = VALUE_BYTE_RATE, .number = 1536},
     {.type = VALUE_TIME, .ns = 1500000},
     {.type = VALUE_HEX, .count = 0xffff8000},
     {.type = VALUE_INSTANT, .ns = 1779013230250000000}},
    {{.type = VALUE_ID, .count = 1234},
     TEXT(5, sizeof HOSTILE - 1),
     {.type = VALUE_BYTE_RATE, .number = 0.33333},
     {.type = VALUE_ABSENT},
     {.type = VALUE_ABSENT},
     {.type = VALUE_ABSENT}},
    {{.type = VALUE_ID, .count = 8},
     TEXT(5 + sizeof HOSTILE - 1, 4),
     {.type = VALUE_BYTE_RATE, .number = 0},
     {.type = VALUE_TIME, .ns = 0},
     {.type = VALUE_HEX, .count = 0},
     {.type = VALUE_ABSENT}},
};

static const struct frame_row rows[] = {
    {.cells = cells[0]}, {.cells = cells[1]}, {.cells = cells[2]}};

static const struct frame frame = {
    .pane = &pane,
    .instant = 1779013230000000000,
    .interval_s = 2,
    .loss = {.kernel = 1, .ring = 2},
    .rows = rows,
    .row_count = 3,
    .arena = arena,
    .arena_bytes = sizeof arena - 1,
};

/* People see numbers in brackets here. */
static size_t in_brackets(const void *state, const struct value *v, char *out, size_t room)
{
    char plain[EXPORT_PLAIN];
    assert_ptr_equal(state, arena);
    return (size_t)snprintf(out, room, "[%s]", export_plain(v, plain));
}

static const struct export_people people = {.format = in_brackets, .state = arena};

static char *written(const char *format, unsigned count, bool is_first)
{
    char *text = NULL;
    size_t bytes = 0;
    struct export_view v = {.frame = &frame,
                            .people = &people,
                            .columns = {0, 1, 2, 3, 4, 5},
                            .column_count = count,
                            .is_first = is_first};
    FILE *const to = open_memstream(&text, &bytes);
    export_find(format)->write(&v, to);
    fclose(to);
    return text;
}

struct format_case {
    const char *format;
    unsigned columns;
    bool is_first;
    const char *expected;
};

#define MARKS "\xe2\x90\x9b" /* the picture of ESC */

static const struct format_case cases[] = {
    {"tsv", 6, true,
     "pid\tname\tread_bytes_per_s\tp99_ns\tkey\tlast\n"
     "4\tplain\t1536\t1500000\t0xffff8000\t2026-05-17T10:20:30.2500000Z\n"
     "1234\ta,\"b\"" MARKS "[31m\xe2\x90\x89"
     "c\xe2\x90\x8a\t0.333\t\t\t\n"
     "8\t\xe6\xbc\xa2\xef\xbf\xbd\t0\t0\t0x0\t\n"},
    {"csv", 3, true,
     "pid,name,read_bytes_per_s\r\n"
     "4,plain,1536\r\n"
     "1234,\"a,\"\"b\"\"" MARKS "[31m\xe2\x90\x89"
     "c\xe2\x90\x8a\",0.333\r\n"
     "8,\xe6\xbc\xa2\xef\xbf\xbd,0\r\n"},
    {"csv", 1, false, "4\r\n1234\r\n8\r\n"},
    {"jsonl", 5, true,
     "{\"schema\":\"tracetop.test.1\",\"time\":\"2026-05-17T10:20:30.0000000Z\",\"interval_s\":2,"
     "\"lost\":3,\"pid\":4,\"name\":\"plain\",\"read\":1536,\"p99\":1500000,\"key\":\"0xffff8000\"}"
     "\n"
     "{\"schema\":\"tracetop.test.1\",\"time\":\"2026-05-17T10:20:30.0000000Z\",\"interval_s\":2,"
     "\"lost\":3,\"pid\":1234,\"name\":\"a,\\\"b\\\"\\u001b[31m\\tc\\n\",\"read\":0.333,\"p99\":"
     "null,"
     "\"key\":null}\n"
     "{\"schema\":\"tracetop.test.1\",\"time\":\"2026-05-17T10:20:30.0000000Z\",\"interval_s\":2,"
     "\"lost\":3,\"pid\":8,\"name\":\"\xe6\xbc\xa2\xef\xbf\xbd\",\"read\":0,\"p99\":0,\"key\":"
     "\"0x0\"}\n"},
    {"markdown", 3, true,
     "| pid | name | read_bytes_per_s |\n"
     "| ---: | --- | ---: |\n"
     "| 4 | plain | 1536 |\n"
     "| 1234 | a,\"b\"" MARKS "\\[31m\xe2\x90\x89"
     "c\xe2\x90\x8a | 0.333 |\n"
     "| 8 | \xe6\xbc\xa2\xef\xbf\xbd | 0 |\n"},
    {"table", 3, true,
     "   PID  NAME           READ B/s\n"
     "   [4]  plain            [1536]\n"
     "[1234]  a,\"b\"" MARKS "[31m\xe2\x90\x89"
     "c\xe2\x90\x8a   [0.333]\n"
     "   [8]  \xe6\xbc\xa2\xef\xbf\xbd                 [0]\n"},
    {"table", 1, false, "\n   [4]\n[1234]\n   [8]\n"},
};

/* Cells that a spreadsheet would evaluate become text; numbers, and texts that only hold such a
 * sign, stay. */
static void csv_is_no_program(void **state)
{
    (void)state;
    static const struct {
        const char *text, *safe, *raw;
    } rows_of[] = {{"=1+1", "'=1+1", "=1+1"},
                   {"+1", "'+1", "+1"},
                   {"-a", "'-a", "-a"},
                   {"@SUM(A1)", "'@SUM(A1)", "@SUM(A1)"},
                   {"=\"a\",b", "\"'=\"\"a\"\",b\"", "\"=\"\"a\"\",b\""},
                   {"  =1", "'  =1", "  =1"},
                   {"a=1", "a=1", "a=1"},
                   {"＝1", "'＝1", "＝1"},
                   {"＋1", "'＋1", "＋1"},
                   {"－1", "'－1", "－1"},
                   {" ＠A", "' ＠A", " ＠A"},
                   {"！1", "！1", "！1"},
                   {"\t=1", "'\xe2\x90\x89=1", "\xe2\x90\x89=1"},
                   {"", "", ""}};
    for (size_t i = 0; i < sizeof rows_of / sizeof *rows_of; i++)
        for (int is_raw = 0; is_raw < 2; is_raw++) {
            char *text = NULL, expected[64];
            size_t bytes = 0;
            const struct value one[] = {
                {.type = VALUE_ID, .count = 7},
                {.type = VALUE_TEXT, .text = {0, (uint32_t)strlen(rows_of[i].text)}}};
            const struct frame_row row = {.cells = one};
            struct frame f = frame;
            f.rows = &row;
            f.row_count = 1;
            f.arena = rows_of[i].text;
            struct export_view v = {.frame = &f,
                                    .people = &people,
                                    .columns = {0, 1},
                                    .column_count = 2,
                                    .is_raw = is_raw};
            FILE *const to = open_memstream(&text, &bytes);
            export_find("csv")->write(&v, to);
            fclose(to);
            snprintf(expected, sizeof expected, "7,%s\r\n",
                     is_raw ? rows_of[i].raw : rows_of[i].safe);
            assert_string_equal(text, expected);
            free(text);
        }
}

static void formats_write(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *const text = written(cases[i].format, cases[i].columns, cases[i].is_first);
        if (strcmp(text, cases[i].expected) != 0)
            fail_msg("%s:\n%s\nexpected:\n%s", cases[i].format, text, cases[i].expected);
        free(text);
    }
    assert_null(export_find("xml"));
}

static void columns_are_chosen_by_id(void **state)
{
    (void)state;
    struct export_view v;
    struct err err;
    assert_true(export_columns(&v, &pane, "read,pid", &err));
    assert_int_equal(v.column_count, 2);
    assert_int_equal(v.columns[0], 2);
    assert_int_equal(v.columns[1], 0);
    assert_true(export_columns(&v, &pane, "all", &err));
    assert_int_equal(v.column_count, COLUMNS);
    assert_true(export_columns(&v, &pane, NULL, &err));
    assert_int_equal(v.column_count, 1);
    assert_int_equal(v.columns[0], 1);
    assert_false(export_columns(&v, &pane, "", &err));
    assert_false(export_columns(&v, &pane, "pid,raed", &err));
    assert_non_null(strstr(err.text, "did you mean 'read'?"));
    assert_false(export_columns(&v, &pane, "pid,", &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_write),
        cmocka_unit_test(csv_is_no_program),
        cmocka_unit_test(columns_are_chosen_by_id),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
