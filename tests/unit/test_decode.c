/* The layout tables against records that other programs published, against payloads typed
 * from the documentation, and against themselves. */
#include "tests/test.h"

#include "src/base/bytes.h"
#include "src/event/decode.h"
#include "src/event/decode/table.h"

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
        .provider = *decode_class_guid(class),
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
    struct field unnamed = *d->field;
    struct decoded plain = *d;
    unnamed.map = NULL; /* those tables have the numbers */
    plain.field = d->members ? d->field : &unnamed;
    decode_format(&plain, text, sizeof text);
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

static char *notation(const struct event *e, size_t *end)
{
    static char out[LINE * 4];
    struct decoded fields[DECODE_FIELDS];
    const struct payload_layout *l = decode_layout(e);
    char *at = out + 1;
    *end = 0;
    *at = '\0';
    if (!l)
        return strcpy(out, "no layout");
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

/* Shorter payloads lack their last fields and lose nothing else; decoded from copies of
 * exactly that size, so that a sanitizer sees one byte too far. */
static void check_prefixes(struct event e)
{
    struct decoded all[DECODE_FIELDS], some[DECODE_FIELDS];
    const uint8_t *const whole = e.payload;
    const uint32_t bytes = e.payload_bytes;
    const struct payload_layout *l = decode_layout(&e);
    const unsigned count = decode_fields(l, &e, all, DECODE_FIELDS);
    for (uint32_t n = 0; n < bytes; n++) {
        uint8_t *copy = malloc(n ? n : 1);
        memcpy(copy, whole, n);
        e.payload = copy;
        e.payload_bytes = n;
        assert_int_equal(decode_fields(l, &e, some, DECODE_FIELDS), count);
        for (unsigned i = 0; i < count; i++) {
            if (!some[i].is_present)
                continue;
            assert_true(some[i].end <= n);
            if (some[i].end == all[i].end && !some[i].is_list)
                assert_int_equal(some[i].number, all[i].number);
        }
        free(copy);
    }
}

/* Which layouts some payload was decoded with; at the end none may be left. */
struct coverage {
    const struct payload_layout *seen[1024];
    unsigned count;
};

static struct coverage covered;

static bool is_covered(const struct payload_layout *l)
{
    for (unsigned i = 0; i < covered.count; i++)
        if (covered.seen[i] == l)
            return true;
    return false;
}

static void cover(const struct payload_layout *l)
{
    assert_true(covered.count < 1024);
    if (!is_covered(l))
        covered.seen[covered.count++] = l;
}

/* Takes out what lies between the two. */
static void cut_out(char *text, const char *from, const char *to)
{
    char *const at = strstr(text, from), *const end = at ? strstr(at, to) : NULL;
    assert_non_null(end);
    memmove(at, end, strlen(end) + 1);
}

/* Published tables have the time zone as bytes. Our own table of payloads has its fields. */
static void compare(char *found, struct row *r, unsigned line)
{
    if (strstr(r->expected, ";TimeZoneInformation=")) {
        cut_out(r->expected, ";TimeZoneInformation=", ";BootTime=");
        cut_out(found, ";Bias=", ";BootTime=");
    }
    if (strcmp(found, r->expected) != 0)
        fail_msg("line %u, %s %u version %u, %u-bit:\nexpected %s\nfound    %s", line, r->class,
                 r->type, r->version, r->pointer * 8, r->expected, found);
}

static void check_payload(struct row *r, unsigned line)
{
    const struct event e = event_of_row(r, r->payload);
    size_t end;
    compare(notation(&e, &end), r, line);
    assert_true(end <= r->payload_bytes);
    check_prefixes(e);
    cover(decode_layout(&e));
}

/* ---- whole records --------------------------------------------------------------------- */

static int print_ids(char *at, const struct event *e)
{
    return sprintf(at, "ThreadId=%u;ProcessId=%u;TimeStamp=%lld", e->tid, e->pid, (long long)e->ts);
}

static int print_counters(char *at, const struct event *e)
{
    int n = sprintf(at, ";PmcCount=%u", e->counters);
    if (e->record[1] & 0x80)
        n += sprintf(at + n, ";PebsIndex=0x%llx", (unsigned long long)load_u64(e->pmc - 8));
    for (unsigned i = 0; i < e->counters; i++)
        n += sprintf(at + n, ";Pmc%u=%llu", i, (unsigned long long)load_u64(e->pmc + 8 * i));
    return n;
}

static void print_header(char *at, const struct event *e)
{
    at += sprintf(at, "HeaderType=%u;HeaderFlags=0xc0;Size=%u;Type=%u;", e->type, e->record_bytes,
                  e->opcode);
    if (e->kind == HEADER_CLASSIC) {
        char guid[GUID_TEXT];
        at += sprintf(at, "Version=%u;", e->version);
        at += print_ids(at, e);
        sprintf(at, ";Guid=%s", guid_format(&e->provider, guid));
    } else if (e->kind == HEADER_SYSTEM) {
        at += sprintf(at, "Group=%u;", e->id >> 8);
        at += print_ids(at, e);
        sprintf(at, ";KernelTime=%u;UserTime=%u", load_u32(e->record + 24),
                load_u32(e->record + 28));
    } else {
        at += sprintf(at, "Group=%u;TimeStamp=%lld", e->id >> 8, (long long)e->ts);
        print_counters(at, e);
    }
}

/* Those tables leave the version of kernel headers and that of some classic ones to the
 * column, and call a payload's ProcessId PayloadProcessId beside that of the header. */
static char *without(char *text, const char *part, const char *instead)
{
    char *at = strstr(text, part);
    if (!at)
        return text;
    const size_t tail = strlen(at + strlen(part)) + 1;
    memmove(at + strlen(instead), at + strlen(part), tail);
    memcpy(at, instead, strlen(instead));
    return text;
}

static void check_record(struct row *r, unsigned line)
{
    static char found[LINE];
    struct event e;
    const size_t given = r->payload_bytes;
    memset(r->payload + given, 0, sizeof r->payload - given);
    assert_int_equal(event_parse(r->payload, sizeof r->payload, &e), EVENT_OK);
    assert_int_equal(e.version, r->version);
    assert_int_equal(e.pointer, r->pointer);
    print_header(found, &e);
    if (e.record_bytes <= given) {
        size_t end;
        sprintf(found + strlen(found), ";%s", notation(&e, &end));
        without(r->expected, "PayloadProcessId", "ProcessId");
        if (!strstr(r->expected, "PmcCount"))
            without(found, ";PmcCount=0", "");
    }
    compare(found, r, line);
}

/* ---- tables of rows --------------------------------------------------------------------- */

struct counts {
    unsigned payloads, records;
};

static struct counts check_table(const char *name, FILE *f)
{
    static char line[LINE * 3];
    static struct row r;
    struct counts n = {0, 0};
    for (unsigned number = 1; fgets(line, sizeof line, f); number++) {
        if (line[0] == '#' || strncmp(line, "class\t", 6) == 0)
            continue;
        read_row(line, &r);
        if (strcmp(r.header, "none") == 0) {
            check_payload(&r, number);
            n.payloads++;
        } else {
            check_record(&r, number);
            n.records++;
        }
    }
    fclose(f);
    print_message("%s: %u payloads and %u records decode as expected\n", name, n.payloads,
                  n.records);
    return n;
}

static void published_records_decode(void **state)
{
    (void)state;
    const char *name = "../shared/etl/kernel-records.tsv";
    FILE *f = open_shared(name);
    if (!f)
        skip_for("no %s", name);
    const struct counts n = check_table(name, f);
    assert_int_equal(n.payloads + n.records, 149);
}

static void check_covered(const struct event_class *class, unsigned type)
{
    const struct event_type *k = &class->kinds[type];
    for (unsigned i = 0; i < k->layout_count; i++)
        if (!is_covered(&k->layouts[i]))
            fail_msg("%s %u version %u: no payload in the table", class->name, type,
                     k->layouts[i].version);
}

static void documented_layouts_decode(void **state)
{
    (void)state;
    const char *name = "tests/data/kernel-layouts.tsv";
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    check_table(name, f);
    for (unsigned i = 0; decode_class(i); i++)
        for (unsigned type = 0; type < decode_class(i)->kind_count; type++)
            check_covered(decode_class(i), type);
}

/* ---- the tables against themselves ------------------------------------------------------ */

/* Bytes of one value of fixed size, as the documentation lists them; 0 for the others. */
static unsigned size_of(const struct field *f, unsigned pointer)
{
    static const unsigned sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 0, 0, 16, 4, 16, 2};
    if (f->type == FIELD_POINTER || f->type == FIELD_SIZE)
        return pointer;
    if (f->type == FIELD_WCHARS)
        return f->count * 2u;
    return f->type == FIELD_BYTES ? f->count : f->type <= FIELD_PORT ? sizes[f->type] : 0;
}

/* Each field starts where the one before it ends. */
static void check_offsets(const char *class, const struct payload_layout *l, unsigned pointer)
{
    int at = 0;
    for (unsigned i = 0; i < l->field_count; i++) {
        const struct field *f = &l->fields[i];
        const int offset = pointer == 4 ? f->offset32 : f->offset64;
        if (offset != at)
            fail_msg("%s version %u, field %s, %u-bit: expected at %d, found at %d", class,
                     l->version, f->name, pointer * 8, at, offset);
        const bool is_column = f->stride32 != 0;
        const unsigned size =
            f->count == 1 || f->type > FIELD_SID || is_column ? size_of(f, pointer) : 0;
        at = at < 0 || size == 0 ? -1 : at + (int)size;
    }
}

static void check_layouts(const char *class, const struct event_type *k)
{
    for (unsigned i = 0; i < k->layout_count; i++) {
        const struct payload_layout *l = &k->layouts[i];
        assert_true(l->field_count <= DECODE_FIELDS);
        assert_true(i == 0 || k->layouts[i - 1].version < l->version);
        check_offsets(class, l, 4);
        check_offsets(class, l, 8);
        for (unsigned f = 0; f < l->field_count; f++) {
            assert_true(l->fields[f].name[0]);
            assert_true(l->fields[f].counted_by <= f);
            for (unsigned other = 0; other < f; other++)
                assert_string_not_equal(l->fields[f].name, l->fields[other].name);
        }
    }
}

/* A classic event with the class's GUID is one of the class; with another tail it is not. */
static void check_classic(unsigned index)
{
    struct event e = {.kind = HEADER_CLASSIC, .provider = *decode_class_guid(index)};
    const char *class, *name;
    decode_name(&e, &class, &name);
    assert_string_equal(class, decode_class(index)->name);
    e.provider.b[15] ^= 1;
    decode_name(&e, &class, &name);
    assert_string_equal(class, "");
}

static void tables_are_sound(void **state)
{
    (void)state;
    unsigned classes = 0, kinds = 0, layouts = 0;
    for (const struct event_class *c; (c = decode_class(classes)); classes++) {
        assert_non_null(c->name);
        for (unsigned other = 0; other < classes; other++)
            assert_false(guid_equal(decode_class_guid(other), decode_class_guid(classes)));
        check_classic(classes);
        for (unsigned type = 0; type < c->kind_count; type++) {
            kinds += c->kinds[type].name != NULL;
            layouts += c->kinds[type].layout_count;
            check_layouts(c->name, &c->kinds[type]);
        }
    }
    print_message("%u classes, %u kinds of events, %u layouts\n", classes, kinds, layouts);
    assert_int_equal(classes, 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_sound),
        cmocka_unit_test(published_records_decode),
        cmocka_unit_test(documented_layouts_decode),
    };
    return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
