/* Fields of payloads, by their names: "DestAddress", "Kernel-Network.size", "TcpIp.Send.daddr". */
#include "src/field/inside.h"
#include "src/event/provider_names.h"
#include "src/field/put.h"

#include "src/base/text.h"
#include "src/event/schema.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = FIELD_ROOM };

/* ---- names --------------------------------------------------------------------------------------- */

/* "Provider.Event" and "Field"; the first is empty where any provider will do. */
struct payload_name {
    const char *owner, *field;
    size_t owner_bytes;
};

static struct payload_name name_of(const char *name)
{
    const char *const point = strrchr(name, '.');
    return (struct payload_name){.owner = name,
                                 .field = point ? point + 1 : name,
                                 .owner_bytes = point ? (size_t)(point - name) : 0};
}

static bool is_same(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    return a_bytes == b_bytes && text_compare(a, a_bytes, b, b_bytes) == 0;
}

/* An event is "Task/Opcode", and each of the two will do. */
static bool is_event(const char *name, size_t name_bytes, const char *event)
{
    const size_t bytes = strlen(event), task = strcspn(event, "/");
    return is_same(name, name_bytes, event, bytes) || is_same(name, name_bytes, event, task) ||
           (task < bytes && is_same(name, name_bytes, event + task + 1, bytes - task - 1));
}

/* Is it "provider", "event" or "provider.event"? */
static bool is_owner(const struct payload_name *n, const char *provider, const char *event)
{
    const size_t bytes = strlen(provider);
    if (is_same(n->owner, n->owner_bytes, provider, bytes) ||
        is_event(n->owner, n->owner_bytes, event))
        return true;
    return n->owner_bytes > bytes && n->owner[bytes] == '.' &&
           is_same(n->owner, bytes, provider, bytes) &&
           is_event(n->owner + bytes + 1, n->owner_bytes - bytes - 1, event);
}

static bool is_of(const struct payload_name *n, const char *provider, const char *event)
{
    const char *const name = provider_short_name(provider);
    return !n->owner_bytes || is_owner(n, provider, event) ||
           (name != provider && is_owner(n, name, event));
}

const char *field_payload_name(const char *name)
{
    return name_of(name).field;
}

bool field_payload_is_of(const char *name, const char *provider, const char *event)
{
    const struct payload_name n = name_of(name);
    return is_of(&n, provider, event);
}

bool field_is_of_payload(const char *name, size_t bytes)
{
    return memchr(name, '.', bytes) || schema_has_field(name, bytes);
}

/* Its index; -1: there is none. */
static int index_in(const struct payload_layout *l, const char *field)
{
    const size_t bytes = strlen(field);
    for (unsigned i = 0; i < l->field_count; i++)
        if (is_same(field, bytes, l->fields[i].name, strlen(l->fields[i].name)))
            return (int)i;
    return -1;
}

bool field_is_in_layout(const char *name, const struct payload_layout *l)
{
    return index_in(l, name_of(name).field) >= 0;
}

/* ---- values -------------------------------------------------------------------------------------- */

static void put_real(struct field_values *out, double real)
{
    field_put_value(out, FIELD_REAL)->real = real;
}

static void put_signed(struct field_values *out, int64_t number)
{
    if (number < 0)
        put_real(out, (double)number);
    else
        field_put_number(out, (uint64_t)number);
}

/* As it is shown: of 32 bits, 0.1 is the number that is closest to 0.1. */
static void put_number(struct field_values *out, const struct decoded *d, const char *text)
{
    switch ((enum field_type)d->field->type) {
    case FIELD_I8:
    case FIELD_I16:
    case FIELD_I32:
    case FIELD_I64:
        put_signed(out, (int64_t)d->number);
        break;
    case FIELD_F32:
    case FIELD_F64:
        put_real(out, strtod(text, NULL));
        break;
    case FIELD_U8:
    case FIELD_U16:
    case FIELD_U32:
    case FIELD_U64:
    case FIELD_POINTER:
    case FIELD_SIZE:
    case FIELD_PORT:
    case FIELD_HEX8:
    case FIELD_HEX16:
    case FIELD_HEX32:
    case FIELD_HEX64:
    case FIELD_BOOL8:
    case FIELD_BOOL32:
        field_put_number(out, d->number);
        break;
    default:
        break;
    }
}

static void put_address(struct field_values *out, const struct decoded *d)
{
    enum { IPV4 = 4, IPV6 = 16 };
    bool is_v6;
    const uint8_t *const address = decode_address(d, &is_v6);
    if (!address)
        return;
    struct field_value *const v = field_put_value(out, FIELD_ADDRESS);
    v->address = address;
    v->is_v6 = is_v6;
    v->bytes = is_v6 ? IPV6 : IPV4;
}

/* In each form in which it may be asked for. Lists and structures are texts. */
static void put_field(struct field_values *out, const struct decoded *d, bool is_linux)
{
    char *const text = field_put_room(out, TEXT);
    struct field_value *const v = field_put_value(out, FIELD_TEXT);
    v->text = text;
    v->bytes = decode_show(d, is_linux, text, TEXT);
    if (d->is_list || d->members)
        return;
    put_number(out, d, text);
    put_address(out, d);
}

bool field_decode(const char *payload, const struct schema *schema, const struct event *e,
                  struct decoded *out)
{
    const struct payload_name name = name_of(payload);
    const int index =
        is_of(&name, schema->provider, schema->event) ? index_in(schema->layout, name.field) : -1;
    return index >= 0 && decode_field(schema->layout, e, (unsigned)index, out);
}

void field_get_payload(const struct field_subject *s, struct field_values *out)
{
    const struct fact_callbacks *const c = s->callbacks;
    const struct event *const e = field_record_of(s);
    struct schema schema;
    struct decoded d;
    if (e && c->schema && c->schema(c->of, s->fact, e, &schema) && schema.layout &&
        field_decode(s->payload, &schema, e, &d))
        put_field(out, &d, c->is_linux && c->is_linux(c->of, s->fact, e));
}
