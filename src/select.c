#include "src/select.h"

#include "src/bytes.h"
#include "src/decode.h"
#include "src/filter.h"
#include "src/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 128 * 1024 };

struct select {
    struct filter filter;
    const struct rundown *names;
    char text[TEXT_ROOM];
};

struct select *select_new(const char *filter, const struct rundown *names)
{
    struct select *const s = mem_new(1, sizeof *s);
    filter_init(&s->filter, filter);
    s->names = names;
    return s;
}

void select_free(struct select *s)
{
    if (!s)
        return;
    filter_fini(&s->filter);
    free(s);
}

static uint16_t bits_of(const struct select *s, const char *text)
{
    return filter_bits(&s->filter, text, strlen(text));
}

/* Class and name; for events without, what numbers them. */
static uint16_t kind_bits(const struct select *s, const struct event *e)
{
    const char *class_name, *event_name;
    char guid[GUID_TEXT], number[32];
    decode_name(e, &class_name, &event_name);
    if (!*class_name)
        class_name = guid_format(&e->provider, guid);
    if (!*event_name) {
        const bool is_classic = e->kind == HEADER_CLASSIC || e->kind == HEADER_INSTANCE;
        snprintf(number, sizeof number, is_classic ? "opcode %u" : "id %u",
                 is_classic ? e->opcode : e->id);
        event_name = number;
    }
    return bits_of(s, class_name) | bits_of(s, event_name);
}

static uint16_t owner_bits(const struct select *s, const struct owner *owner)
{
    char pid[16];
    if (owner->pid == EVENT_NO_ID)
        return 0;
    snprintf(pid, sizeof pid, "%u", owner->pid);
    return bits_of(s, pid) | (owner->name ? bits_of(s, owner->name) : 0);
}

static bool is_text(enum field_type type)
{
    return type == FIELD_ASTR || type == FIELD_WSTR || type == FIELD_WCHARS || type == FIELD_SID;
}

static uint16_t field_bits(struct select *s, const struct decoded *d)
{
    const size_t bytes = decode_format(d, s->text, sizeof s->text);
    return filter_bits(&s->filter, s->text, bytes);
}

static uint16_t text_bits(struct select *s, const struct event *e)
{
    struct decoded fields[DECODE_FIELDS];
    const struct layout *const l = decode_layout(e);
    const unsigned count = l ? decode_fields(l, e, fields, DECODE_FIELDS) : 0;
    uint16_t bits = 0;
    for (unsigned i = 0; i < count && fields[i].is_present; i++)
        if (is_text(fields[i].field->type))
            bits |= field_bits(s, &fields[i]);
    return bits;
}

/* What the event is about has its name in another record. */
static uint16_t name_bits(struct select *s, const struct event *e, int64_t ns)
{
    static const struct {
        const char *field;
        enum rundown_class class;
    } links[] = {
        {"FileObject", RUNDOWN_FILE}, {"FileKey", RUNDOWN_FILE}, {"KeyHandle", RUNDOWN_KEY}};
    const struct layout *const l = decode_layout(e);
    uint16_t bits = 0;
    for (size_t i = 0; l && i < sizeof links / sizeof *links; i++) {
        unsigned at;
        enum field_type type;
        struct event name;
        if (!layout_place(l, links[i].field, e->pointer, &at, &type) || at > e->payload_bytes)
            continue;
        struct bytes b = bytes_of(e->payload + at, e->payload_bytes - at);
        const uint64_t object = bytes_pointer(&b, e->pointer);
        if (!b.bad && rundown_name(s->names, links[i].class, e->source, object, ns, &name))
            bits |= text_bits(s, &name);
    }
    return bits;
}

bool select_passes(struct select *s, const struct event *e, const struct owner *owner, int64_t ns)
{
    const uint16_t bits =
        kind_bits(s, e) | owner_bits(s, owner) | text_bits(s, e) | name_bits(s, e, ns);
    return filter_passes(&s->filter, bits);
}
