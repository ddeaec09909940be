/* Getters of what a fact does not hold: its record's own words, and its place in the window. */
#include "src/field/inside.h"
#include "src/field/put.h"

#include "src/event/decode.h"
#include "src/event/message.h"
#include "src/event/schema.h"

#include <string.h>

const struct event *field_record_of(const struct field_subject *s)
{
    const struct fact_callbacks *const c = s->callbacks;
    struct field_record *const r = s->record;
    if (!r->is_read)
        r->is_missing = !c->record || !c->record(c->of, s->fact, &r->event);
    r->is_read = true;
    return r->is_missing ? NULL : &r->event;
}

/* Kernel events have no levels, keywords and tasks. */
static const struct event *record_with_level(const struct field_subject *s)
{
    const struct event *const e = field_record_of(s);
    return e && !header_is_kernel((enum header_kind)e->kind) ? e : NULL;
}

void field_get_level(const struct field_subject *s, struct field_values *out)
{
    const struct event *const e = record_with_level(s);
    if (e)
        field_put_number(out, e->level);
}

/* All empty where nothing is known. */
static struct schema schema_of(const struct field_subject *s, const struct event *e)
{
    const struct fact_callbacks *const c = s->callbacks;
    struct schema out = {.provider = "", .event = "", .message = "", .file = ""};
    if (c->schema)
        c->schema(c->of, s->fact, e, &out);
    return out;
}

void field_get_keyword(const struct field_subject *s, struct field_values *out)
{
    const char *names[PROVIDER_KEYWORD_BITS];
    const struct event *const e = record_with_level(s);
    if (!e)
        return;
    field_put_value(out, FIELD_BITS)->number = e->keyword;
    provider_keywords(schema_of(s, e).names, e, names);
    for (unsigned bit = 0; bit < PROVIDER_KEYWORD_BITS; bit++)
        if (*names[bit])
            field_put_text(out, names[bit]);
}

void field_get_task(const struct field_subject *s, struct field_values *out)
{
    const struct event *const e = record_with_level(s);
    if (!e)
        return;
    const char *const name = provider_task_name(schema_of(s, e).names, e);
    field_put_number(out, e->task);
    if (*name)
        field_put_text(out, name);
}

/* Classic events have opcodes without names of their own: their names are those of the events. */
void field_get_opcode_names(const struct field_subject *s, struct field_values *out)
{
    const struct event *const e = field_record_of(s);
    if (!e)
        return;
    const char *const name = provider_opcode_name(schema_of(s, e).names, e);
    field_put_number(out, e->opcode);
    if (*name)
        field_put_text(out, name);
}

void field_get_message(const struct field_subject *s, struct field_values *out)
{
    struct decoded fields[DECODE_FIELDS];
    const struct fact_callbacks *const c = s->callbacks;
    const struct event *const e = record_with_level(s);
    const struct schema schema = e ? schema_of(s, e) : (struct schema){.message = ""};
    if (!*schema.message || !schema.layout)
        return;
    char *const text = field_put_room(out, FIELD_ROOM);
    const unsigned count = decode_fields(schema.layout, e, fields, DECODE_FIELDS);
    const bool is_linux = c->is_linux && c->is_linux(c->of, s->fact, e);
    struct field_value *const v = field_put_value(out, FIELD_TEXT);
    v->text = text;
    v->bytes = message_format(schema.message, fields, count, is_linux, text, FIELD_ROOM);
}

/* A number of the record under the first of these names that its layout has; names end with
 * NULL. */
static void put_decoded(const struct event *e, const char *const *names, struct field_values *out)
{
    const struct payload_layout *const l = e ? decode_layout(e) : NULL;
    for (; l && *names; names++)
        for (unsigned i = 0; i < l->field_count; i++) {
            struct decoded d;
            if (strcmp(l->fields[i].name, *names) != 0)
                continue;
            if (decode_field(l, e, i, &d))
                field_put_number(out, d.number);
            return;
        }
}

void field_get_offset(const struct field_subject *s, struct field_values *out)
{
    static const char *const names[] = {"ByteOffset", "Offset", "ReadOffset", NULL};
    put_decoded(field_record_of(s), names, out);
}

void field_get_va(const struct field_subject *s, struct field_values *out)
{
    static const char *const names[] = {"VirtualAddress", NULL};
    put_decoded(field_record_of(s), names, out);
}

void field_get_new_priority(const struct field_subject *s, struct field_values *out)
{
    static const char *const names[] = {"NewThreadPriority", NULL};
    put_decoded(field_record_of(s), names, out);
}

/* Operations on a value bear its name where others bear the key's. */
void field_get_value(const struct field_subject *s, struct field_values *out)
{
    enum { DELETE_VALUE = 0x090f, QUERY_MANY = 0x0913, SET_VALUE = 0x090e, QUERY_VALUE = 0x0910 };
    enum { NAME = 1024 };
    const struct event *const e = field_record_of(s);
    const uint16_t hook = e ? decode_hook(e) : 0;
    if (hook != SET_VALUE && hook != DELETE_VALUE && hook != QUERY_VALUE && hook != QUERY_MANY)
        return;
    const struct payload_layout *const l = decode_layout(e);
    for (unsigned i = 0; l && i < l->field_count; i++) {
        struct decoded d;
        if (strcmp(l->fields[i].name, "KeyName") != 0 || !decode_field(l, e, i, &d))
            continue;
        char *const name = field_put_room(out, NAME);
        const size_t bytes = decode_format(&d, name, NAME);
        struct field_value *const v = field_put_value(out, FIELD_TEXT);
        v->text = name;
        v->bytes = bytes;
        return;
    }
}

void field_get_dt(const struct field_subject *s, struct field_values *out)
{
    const struct fact_callbacks *const c = s->callbacks;
    uint64_t ns;
    if (c->since && c->since(c->of, s->fact, &ns))
        field_put_number(out, ns);
}

void field_get_tag(const struct field_subject *s, struct field_values *out)
{
    const struct fact_callbacks *const c = s->callbacks;
    field_put_flag(out, c->is_tagged && c->is_tagged(c->of, s->fact));
}
