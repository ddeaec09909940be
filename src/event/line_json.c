/* An event as one JSON object. */
#include "src/event/line_put.h"

#include "src/base/hex.h"
#include "src/base/json.h"
#include "src/event/account.h"
#include "src/event/line_kinds.h"
#include "src/event/status.h"

#include <math.h>

static void put_address(struct line *l, uint64_t n)
{
    char digits[HEX_NUMBER];
    const unsigned count = hex_digits_of(n);
    hex_of_number(n, digits);
    PUT(l, "0x");
    put(l, digits + HEX_NUMBER - count, count);
}

static void put_quoted(struct line *l, const char *text, size_t bytes)
{
    l->at += json_quote(l->at, text, bytes);
}

/* The addresses of the stack that travels with an event, one by one; the item starts with
 * a match id. Always 4 or 8 bytes by the item's own type, whatever the header says. */
enum { ITEM_STACK32 = 5, ITEM_STACK64 = 6, MATCH_ID = 8 };

static bool find_stack(const struct event *e, struct event_item *out)
{
    uint32_t at = 0;
    while (event_item_next(e, &at, out))
        if ((out->type == ITEM_STACK32 || out->type == ITEM_STACK64) && out->size >= MATCH_ID)
            return true;
    return false;
}

static bool is_json_literal(const struct decoded *d)
{
    const unsigned type = d->field->type;
    double wide;
    float narrow;
    const uint32_t bits = (uint32_t)d->number;
    memcpy(&wide, &d->number, sizeof wide);
    memcpy(&narrow, &bits, sizeof narrow);
    if (type == FIELD_F64 || type == FIELD_F32) /* infinity and NaN are none */
        return type == FIELD_F64 ? isfinite(wide) : isfinite(narrow);
    return type <= FIELD_I64 || type == FIELD_PORT || type == FIELD_BOOL8 || type == FIELD_BOOL32 ||
           type == FIELD_NULL;
}

static void json_scalar(struct line *l, const struct decoded *d)
{
    const struct value_map *const m = d->field->map;
    size_t bytes;
    if (m && m->keeps_number && d->field->type == FIELD_HEX32) {
        PUT(l, "\"");
        put_address(l, (uint32_t)d->number);
        PUT(l, "\"");
    } else if (m && m->keeps_number) {
        put_signed(l, (int64_t)d->number); /* of 32 bits at most */
    } else if (m && (bytes = decode_value_name(d, l->value, DECODE_NAME))) {
        put_quoted(l, l->value, bytes);
    } else if (is_json_literal(d)) {
        l->at += decode_format(d, l->at, LINE_VALUE);
    } else if (decode_is_text(d)) {
        put_quoted(l, l->value, decode_format(d, l->value, LINE_VALUE));
    } else {
        PUT(l, "\"");
        l->at += decode_format(d, l->at, LINE_VALUE);
        PUT(l, "\"");
    }
}

static void json_value(struct line *l, const struct decoded *d);

static void json_member(struct line *l, const struct decoded *d, bool is_first)
{
    if (!is_first)
        PUT(l, ",");
    put_quoted(l, d->field->name, strlen(d->field->name));
    PUT(l, ":");
    json_value(l, d);
}

static void json_structure(struct line *l, const struct decoded *d)
{
    bool is_first = true;
    PUT(l, "{");
    for (unsigned i = 0; i < d->field->members; i += 1u + d->members[i].field->members)
        if (d->members[i].is_present) {
            json_member(l, &d->members[i], is_first);
            is_first = false;
        }
    PUT(l, "}");
}

enum { ESCAPED = 6, LITERAL = 8, AROUND = 64 };

static bool has_room(const struct line *l, size_t most)
{
    return !most || (l->at <= l->limit && (size_t)(l->limit - l->at) >= most);
}

/* How many elements are not there, in place of these. */
static void json_left_out(struct line *l, const struct decoded *d, uint32_t written)
{
    if (written == d->elements)
        return;
    if (written)
        PUT(l, ",");
    PUT(l, "\"");
    put_number(l, d->elements - written);
    PUT(l, " elements left out\"");
}

/* The most that one element takes: its names and values, and those of the lists in it, which look
 * for themselves. */
static size_t json_most(const struct decoded *d)
{
    size_t most = AROUND;
    for (unsigned i = 0; i < d->field->members; i++) {
        const struct decoded *const m = &d->members[i];
        most += AROUND + ESCAPED * strlen(m->field->name) + LITERAL * m->bytes;
        most += m->field->map ? ESCAPED * DECODE_NAME : 0;
    }
    return most;
}

static void json_structures(struct line *l, const struct decoded *d)
{
    size_t cursor = 0;
    uint32_t written = 0;
    PUT(l, "[");
    for (; decode_structure(d, &cursor); written++) {
        if (!has_room(l, json_most(d)))
            break;
        if (written)
            PUT(l, ",");
        json_structure(l, d);
    }
    json_left_out(l, d, written);
    PUT(l, "]");
}

static void json_numbers(struct line *l, const struct decoded *d)
{
    PUT(l, "[");
    l->at += decode_format_numbers(d, !is_json_literal(d), l->at, AROUND + LITERAL * d->bytes);
    PUT(l, "]");
}

static void json_list(struct line *l, const struct decoded *d)
{
    struct decoded element;
    size_t cursor = 0;
    const size_t most = d->field->map ? AROUND + ESCAPED * DECODE_NAME : 0; /* names are repeated */
    uint32_t written = 0;
    PUT(l, "[");
    for (; has_room(l, most) && decode_element(d, &cursor, &element); written++) {
        if (written)
            PUT(l, ",");
        json_scalar(l, &element);
    }
    json_left_out(l, d, written);
    PUT(l, "]");
}

static void json_value(struct line *l, const struct decoded *d)
{
    if (d->members)
        (d->is_list ? json_structures : json_structure)(l, d);
    else if (decode_is_numbers(d))
        json_numbers(l, d);
    else
        (d->is_list ? json_list : json_scalar)(l, d);
}

/* Payload behind the last field that the layout knows. */
static void json_rest(struct line *l, const struct event *e, size_t end)
{
    if (end >= e->payload_bytes)
        return;
    PUT(l, ",\"rest\":\"");
    line_hex(l, e->payload + end, e->payload_bytes - end);
    PUT(l, "\"");
}

/* Its name beside the number that the record has. */
static void json_status(struct line *l, const struct line_event *e, const struct decoded *d)
{
    uint32_t status;
    if (d->field->role != FIELD_IS_STATUS || !d->is_present || d->is_list ||
        !decode_status(d, e->is_linux, &status))
        return;
    char text[STATUS_TEXT];
    PUT(l, ",\"status\":");
    put_quoted(l, text, status_format(status, text));
}

/* What a number that stays one stands for, as text: a name, a time. Its length, 0 where it has
 * none. */
static size_t name_of(struct line *l, const struct line_event *e, const struct decoded *d)
{
    const struct value_map *const m = d->field->map;
    const char *account;
    if (!d->is_present || d->is_list)
        return 0;
    if (m)
        return m->keeps_number ? decode_value_name(d, l->value, DECODE_NAME) : 0;
    if (decode_is_time(d))
        return decode_show(d, e->is_linux, l->value, DECODE_NAME);
    return (account = account_of_field(d)) ? strlen(strcpy(l->value, account)) : 0;
}

static bool may_have_name(const struct field *f)
{
    return f->map || f->role == FIELD_IS_FILETIME || f->type == FIELD_SID ||
           f->type == FIELD_BARE_SID;
}

static void json_names(struct line *l, const struct line_event *e, const struct decoded *fields,
                       unsigned count)
{
    const char *before = ",\"names\":{";
    bool has_names = false;
    for (unsigned i = 0; i < count; i++) {
        const struct field *const f = fields[i].field;
        const size_t bytes = may_have_name(f) ? name_of(l, e, &fields[i]) : 0;
        if (!bytes)
            continue;
        put(l, before, strlen(before));
        put_quoted(l, f->name, strlen(f->name));
        PUT(l, ":");
        put_quoted(l, l->value, bytes);
        before = ",";
        has_names = true;
    }
    if (has_names)
        PUT(l, "}");
}

static void json_message(struct line *l, const struct line_event *e, const struct decoded *fields,
                         unsigned count)
{
    const size_t bytes = line_message(l, e, fields, count);
    if (!bytes)
        return;
    PUT(l, ",\"message\":");
    put_quoted(l, l->value, bytes);
}

static void json_data(struct line *l, const struct line_event *e)
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = decode_fields(e->layout, e->event, fields, DECODE_FIELDS);
    size_t end = 0;
    json_message(l, e, fields, count);
    PUT(l, ",\"data\":{");
    l->limit = l->at + LINE_STRUCTURES;
    for (unsigned i = 0, n = 0; i < count; i++) {
        const struct decoded *d = &fields[i];
        if (!d->is_present || d->is_member)
            continue;
        json_member(l, d, n++ == 0);
        end = d->end > end ? d->end : end;
    }
    PUT(l, "}");
    for (unsigned i = 0; i < count; i++)
        json_status(l, e, &fields[i]);
    json_names(l, e, fields, count);
    json_rest(l, e->event, end);
}

static void json_raw(struct line *l, const struct event *e)
{
    PUT(l, ",\"raw\":\"");
    line_hex(l, e->payload, e->payload_bytes);
    PUT(l, "\"");
}

static void json_stack(struct line *l, const struct event *e)
{
    struct event_item item;
    if (!e->extended || !find_stack(e, &item))
        return;
    const size_t size = item.type == ITEM_STACK32 ? 4 : 8;
    PUT(l, ",\"stack\":[");
    for (size_t at = MATCH_ID; at + size <= item.size; at += size) {
        PUT(l, "\"");
        put_address(l, size == 4 ? load_u32(item.data + at) : load_u64(item.data + at));
        PUT(l, "\",");
    }
    if (l->at[-1] == ',')
        l->at--;
    PUT(l, "]");
}

/* Values of the processor's counters that the header carries; a PmcCtrConfig record names them. */
static void json_counters(struct line *l, const struct event *e)
{
    if (!e->counters)
        return;
    PUT(l, ",\"counters\":[");
    for (unsigned i = 0; i < e->counters; i++) {
        if (i)
            PUT(l, ",");
        put_number(l, load_u64(e->pmc + 8u * i));
    }
    PUT(l, "]");
}

static void json_id(struct line *l, uint32_t id)
{
    if (id == EVENT_NO_ID)
        PUT(l, "null");
    else
        put_number(l, id);
}

/* Who logged it, where the payload names somebody else: who woke the thread, created it or asked
 * for the I/O. */
static void json_header_ids(struct line *l, const struct line_event *e)
{
    const struct event *const h = e->event;
    if ((h->pid == EVENT_NO_ID && h->tid == EVENT_NO_ID) ||
        (h->pid == e->owner.pid && h->tid == e->owner.tid))
        return;
    PUT(l, ",\"header_pid\":");
    json_id(l, h->pid);
    PUT(l, ",\"header_tid\":");
    json_id(l, h->tid);
}

static void json_who(struct line *l, const struct line_event *e)
{
    PUT(l, ",\"cpu\":");
    put_number(l, e->event->cpu);
    PUT(l, ",\"pid\":");
    json_id(l, e->owner.pid);
    PUT(l, ",\"tid\":");
    json_id(l, e->owner.tid);
    PUT(l, ",\"proc\":");
    if (e->owner.name)
        put_quoted(l, e->owner.name, strlen(e->owner.name));
    else
        PUT(l, "null");
    json_header_ids(l, e);
}

static void json_name(struct line *l, const struct line_event *e)
{
    const char *class, *name;
    line_names(e, &class, &name);
    const size_t before = strlen(class), behind = strlen(name);
    memcpy(l->value, class, before);
    l->value[before] = '/';
    memcpy(l->value + before + 1, name, behind);
    put_quoted(l, l->value, behind ? before + 1 + behind : before);
}

static void json_what(struct line *l, const struct line_event *le)
{
    const struct event *const e = le->event;
    PUT(l, ",\"provider\":\"");
    put_guid(l, line_provider(e));
    PUT(l, "\",\"event\":");
    json_name(l, le);
    PUT(l, ",\"id\":");
    put_number(l, e->id);
    PUT(l, ",\"opcode\":");
    put_number(l, e->opcode);
    PUT(l, ",\"version\":");
    put_number(l, e->version);
    PUT(l, ",\"level\":");
    put_number(l, e->level);
}

static void json_text_of(struct line *l, const char *key, size_t key_bytes, const char *text)
{
    if (!*text)
        return;
    put(l, key, key_bytes);
    put_quoted(l, text, strlen(text));
}

#define JSON_TEXT(line, key, text) json_text_of(line, key, sizeof(key) - 1, text)

static void json_number_of(struct line *l, const char *key, size_t key_bytes, uint64_t number)
{
    if (!number)
        return;
    put(l, key, key_bytes);
    put_number(l, number);
}

#define JSON_NUMBER(line, key, number) json_number_of(line, key, sizeof(key) - 1, number)

/* Bits that have no name are one number in hex, but not alone. */
static void json_keywords(struct line *l, const struct provider_names *names, const struct event *e)
{
    const char *bits[PROVIDER_KEYWORD_BITS];
    if (!e->keyword)
        return;
    PUT(l, ",\"keyword\":\"");
    put_address(l, e->keyword);
    PUT(l, "\"");
    const uint64_t left = provider_keywords(names, e, bits);
    if (left == e->keyword)
        return;
    PUT(l, ",\"keyword_names\":[");
    for (unsigned bit = 0; bit < PROVIDER_KEYWORD_BITS; bit++) {
        if (!*bits[bit])
            continue;
        put_quoted(l, bits[bit], strlen(bits[bit]));
        PUT(l, ",");
    }
    if (left) {
        PUT(l, "\"");
        put_address(l, left);
        PUT(l, "\",");
    }
    l->at[-1] = ']';
}

static void json_guid(struct line *l, const char *key, size_t key_bytes, const uint8_t *bytes)
{
    static const struct guid zero;
    struct guid g;
    if (!bytes || memcmp(bytes, zero.b, sizeof zero.b) == 0)
        return;
    memcpy(g.b, bytes, sizeof g.b);
    put(l, key, key_bytes);
    put_guid(l, &g);
    PUT(l, "\"");
}

#define JSON_GUID(line, key, bytes) json_guid(line, key ":\"", sizeof(key ":\"") - 1, bytes)

/* Only headers of manifest events have these. */
static void json_header_names(struct line *l, const struct line_event *le)
{
    const struct event *const e = le->event;
    if (e->kind != HEADER_MANIFEST)
        return;
    JSON_TEXT(l, ",\"level_name\":", provider_level_name(le->names, e));
    JSON_NUMBER(l, ",\"task\":", e->task);
    JSON_TEXT(l, ",\"task_name\":", provider_task_name(le->names, e));
    JSON_TEXT(l, ",\"opcode_name\":", provider_opcode_name(le->names, e));
    JSON_NUMBER(l, ",\"channel\":", e->channel);
    JSON_TEXT(l, ",\"channel_name\":", provider_channel_name(le->names, e));
    json_keywords(l, le->names, e);
    JSON_NUMBER(l, ",\"flags\":", e->flags);
}

static void json_kind(struct line *l, const struct line_event *e)
{
    size_t bytes;
    char *const start = l->at;
    const char *const kept = l->kinds ? line_kinds_find(l->kinds, e, &bytes) : NULL;
    if (kept) {
        put(l, kept, bytes);
        return;
    }
    json_what(l, e);
    json_header_names(l, e);
    if (l->kinds)
        line_kinds_put(l->kinds, start, (size_t)(l->at - start));
}

static void json_record(struct line *l, const struct event *e)
{
    char sid[LINE_SID];
    uint32_t kernel, user;
    if (event_times(e, &kernel, &user)) {
        JSON_NUMBER(l, ",\"kernel_time\":", kernel);
        JSON_NUMBER(l, ",\"user_time\":", user);
    }
    JSON_GUID(l, ",\"activity\"", e->activity);
    if (!e->extended)
        return;
    JSON_GUID(l, ",\"related\"", event_related(e));
    JSON_TEXT(l, ",\"sid\":", line_sid(e, sid));
}

void line_jsonl(struct line *l, const struct line_event *e)
{
    PUT(l, "{\"time\":\"");
    line_time(l, e->ns);
    PUT(l, "\",\"ts\":");
    put_signed(l, e->event->ts);
    json_who(l, e);
    json_kind(l, e);
    json_record(l, e->event);
    if (l->names_source) {
        PUT(l, ",\"source\":");
        put_number(l, e->event->source);
    }
    if (e->layout)
        json_data(l, e);
    else
        json_raw(l, e->event);
    json_stack(l, e->event);
    json_counters(l, e->event);
    PUT(l, "}\n");
}
