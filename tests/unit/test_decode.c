/* The layout tables against records that other programs published, against payloads typed
 * from the documentation, and against themselves. */
#include "tests/test.h"

#include "src/decode.h"
#include "src/decode/table.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE = 1 << 16 };

/* ---- one row of a table of records -------------------------------------------------- */

struct row {
    char class[32], header[16];
    unsigned type, version, pointer;
    uint8_t payload[LINE / 2];
    size_t payload_bytes;
    char expected[LINE];
};

static int hex_digit(int c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

static size_t read_hex(const char *text, uint8_t *out)
{
    size_t n = 0;
    for (; text[0] && text[0] != '-'; text += 2)
        out[n++] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
    return n;
}

/* class type version header pointer_bits hex expected … */
static void read_row(char *line, struct row *r)
{
    char *column[7];
    for (unsigned i = 0; i < 7; i++) {
        column[i] = line;
        line += strcspn(line, "\t\r\n");
        if (*line)
            *line++ = '\0';
    }
    snprintf(r->class, sizeof r->class, "%s", column[0]);
    r->type = (unsigned)atoi(column[1]);
    r->version = (unsigned)atoi(column[2]);
    snprintf(r->header, sizeof r->header, "%s", column[3]);
    r->pointer = (unsigned)atoi(column[4]) / 8;
    r->payload_bytes = read_hex(column[5], r->payload);
    snprintf(r->expected, sizeof r->expected, "%s", column[6]);
}

/* The index of a class in the tables: its group for kernel classes. */
static unsigned class_index(const char *name)
{
    for (unsigned i = 0; decode_class(i); i++)
        if (strcmp(decode_class(i)->name, name) == 0)
            return i;
    fail_msg("class %s is not in the tables", name);
    return 0;
}

static struct event event_of_row(const struct row *r, const uint8_t *payload)
{
    const unsigned class = class_index(r->class);
    const bool is_kernel = class < 0x1f;
    const unsigned group = strcmp(r->class, "Image") == 0 && r->type == 10 ? 3 : class;
    return (struct event){
        .kind = is_kernel ? HEADER_PERFINFO : HEADER_CLASSIC,
        .id = (uint16_t)(is_kernel ? group << 8 | r->type : 0),
        .provider = decode_class(class)->guid,
        .opcode = (uint8_t)r->type,
        .version = (uint16_t)r->version,
        .pointer = (uint8_t)r->pointer,
        .payload = payload,
        .payload_bytes = (uint32_t)r->payload_bytes,
    };
}

/* ---- a decoded payload in the notation of those tables ------------------------------- */

static char *append_escaped(char *at, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f || strchr("%;=", c))
            at += sprintf(at, "%%%02X", c);
        else
            *at++ = *text;
    }
    *at = '\0';
    return at;
}

static char *append_field(char *at, const char *name, const struct decoded *d)
{
    static char text[LINE * 2];
    decode_format(d, text, sizeof text);
    at += sprintf(at, "%s%s=", at[-1] ? ";" : "", name);
    return append_escaped(at, text);
}

/* The MOF, and with it those tables, count frames as Stack1, Stack2, … */
static char *append_frames(char *at, const struct decoded *d)
{
    struct decoded frame;
    size_t cursor = 0;
    char name[16];
    for (unsigned i = 1; decode_element(d, &cursor, &frame); i++) {
        snprintf(name, sizeof name, "Stack%u", i);
        at = append_field(at, name, &frame);
    }
    return at;
}

static const char *notation(const struct event *e, size_t *end)
{
    static char out[LINE * 4];
    struct decoded fields[DECODE_FIELDS];
    const struct layout *l = decode_layout(e);
    char *at = out + 1;
    *end = 0;
    *at = '\0';
    if (!l)
        return "no layout";
    const unsigned count = decode_fields(l, e, fields, DECODE_FIELDS);
    for (unsigned i = 0; i < count; i++) {
        const struct decoded *d = &fields[i];
        if (!d->is_present)
            continue;
        *end = d->end > *end ? d->end : *end;
        at = strcmp(d->field->name, "Stack") == 0 ? append_frames(at, d)
                                                  : append_field(at, d->field->name, d);
    }
    return out + 1;
}

/* ---- tests ----------------------------------------------------------------------------- */

static FILE *open_shared(const char *name)
{
    FILE *f = fopen(name, "r");
    if (!f && getenv("TRACETOP_REQUIRE_SHARED"))
        fail_msg("%s: cannot be opened, and TRACETOP_REQUIRE_SHARED is set", name);
    if (!f)
        print_message("%s is not there: skipped\n", name);
    return f;
}

/* Decodes one row from an exact-size copy, so that a sanitizer sees one byte too far. */
static void check_row(const struct row *r, unsigned line)
{
    uint8_t *payload = malloc(r->payload_bytes ? r->payload_bytes : 1);
    memcpy(payload, r->payload, r->payload_bytes);
    const struct event e = event_of_row(r, payload);
    size_t end;
    const char *found = notation(&e, &end);
    if (strcmp(found, r->expected) != 0)
        fail_msg("line %u, %s %u version %u, %u-bit:\nexpected %s\nfound    %s", line, r->class,
                 r->type, r->version, r->pointer * 8, r->expected, found);
    assert_true(end <= r->payload_bytes);
    free(payload);
}

static unsigned check_table(const char *name, FILE *f)
{
    static char line[LINE * 3];
    static struct row r;
    unsigned number = 0, rows = 0;
    while (fgets(line, sizeof line, f)) {
        number++;
        if (line[0] == '#' || strncmp(line, "class\t", 6) == 0)
            continue;
        read_row(line, &r);
        if (strcmp(r.header, "none") != 0)
            continue;
        check_row(&r, number);
        rows++;
    }
    fclose(f);
    print_message("%s: %u payloads decode as expected\n", name, rows);
    return rows;
}

static void published_records_decode(void **state)
{
    (void)state;
    const char *name = "../shared/etl/kernel-records.tsv";
    FILE *f = open_shared(name);
    if (!f)
        skip();
    assert_int_equal(check_table(name, f), 142);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_records_decode),
    };
    return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
