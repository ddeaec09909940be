#include "src/event/tracetop_provider.h"

#include "src/base/bytes.h"
#include "src/event/tracelogging.h"

#include <string.h>

/* Made from the name as providers of TraceLogging make theirs. */
const struct guid tracetop_provider = {{0xae, 0x59, 0x12, 0x09, 0x0a, 0x74, 0xdc, 0x5b, 0x86, 0xe5,
                                        0xc5, 0xdd, 0x89, 0xb2, 0x04, 0x81}};

struct tracetop_fields {
    struct tracelogging tracelogging;
    struct decoded fields[DECODE_FIELDS];
};

static bool read_tracetop(const struct event *e, struct tracelogging *out)
{
    return e->kind == HEADER_MANIFEST && guid_equal(&e->provider, &tracetop_provider) &&
           tracelogging_read(e, out);
}

const char *tracetop_event_name(const struct event *e)
{
    struct tracelogging d;
    return read_tracetop(e, &d) ? d.event : NULL;
}

static bool is_one_of(const struct event *e, const char *const *names, size_t count)
{
    const char *const name = tracetop_event_name(e);
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool tracetop_event_is_of_linux(const struct event *e)
{
    static const char *const names[] = {"Machine", "Command", "Exec", "Owner",
                                        "Rename",  "Topology", "Mount"};
    return is_one_of(e, names, sizeof names / sizeof *names);
}

bool tracetop_event_is_configuration(const struct event *e)
{
    static const char *const names[] = {"Machine", "Mount", "Routine", "Topology"};
    return is_one_of(e, names, sizeof names / sizeof *names);
}

bool tracetop_event_is_sampled(const struct event *e)
{
    static const char *const names[] = {"Gauges", "ProcessMemory", "Processor"};
    return is_one_of(e, names, sizeof names / sizeof *names);
}

/* The first field with this name, NULL where there is none; the description is in `room`. */
static const struct decoded *find_described(const struct event *e, const char *name,
                                            struct tracetop_fields *room)
{
    const unsigned count =
        decode_fields(&room->tracelogging.layout, e, room->fields, DECODE_FIELDS);
    for (unsigned i = 0; i < count; i++)
        if (room->fields[i].is_present && strcmp(room->fields[i].field->name, name) == 0)
            return &room->fields[i];
    return NULL;
}

static const struct decoded *find(const struct event *e, const char *name,
                                  struct tracetop_fields *room)
{
    return read_tracetop(e, &room->tracelogging) ? find_described(e, name, room) : NULL;
}

static bool is_integer(const struct decoded *d)
{
    return d->field->type <= FIELD_I64 || d->field->type == FIELD_HEX32 ||
           d->field->type == FIELD_HEX64;
}

static bool take_integer(const struct decoded *d, uint64_t *out)
{
    const bool is_one = d && !d->is_list && is_integer(d);
    *out = is_one ? d->number : 0;
    return is_one;
}

bool tracetop_event_number(const struct event *e, const char *field, uint64_t *out)
{
    struct tracetop_fields room;
    return take_integer(find(e, field, &room), out);
}

bool described_event_number(const struct event *e, const char *field, uint64_t *out)
{
    struct tracetop_fields room;
    *out = 0;
    return tracelogging_read(e, &room.tracelogging) &&
           take_integer(find_described(e, field, &room), out);
}

static double real_of(const struct decoded *d)
{
    double real;
    memcpy(&real, d->data, sizeof real);
    return real;
}

bool tracetop_event_numbers(const struct event *e, tracetop_number *take, void *to)
{
    struct tracetop_fields room;
    if (!read_tracetop(e, &room.tracelogging))
        return false;
    const unsigned count = decode_fields(&room.tracelogging.layout, e, room.fields, DECODE_FIELDS);
    for (unsigned i = 0; i < count; i++) {
        const struct decoded *const d = &room.fields[i];
        if (!d->is_present || d->is_list)
            continue;
        if (d->field->type == FIELD_F64 && d->bytes == sizeof(double))
            take(to, d->field->name, real_of(d));
        else if (is_integer(d))
            take(to, d->field->name, (double)d->number);
    }
    return true;
}

bool tracetop_event_set_number(uint8_t *record, const struct event *e, const char *field,
                               uint64_t number)
{
    struct tracetop_fields room;
    const struct decoded *const d = find(e, field, &room);
    if (!d || d->is_list || (d->bytes != sizeof number && d->bytes != sizeof(uint32_t)))
        return false;
    uint8_t *const at = record + (d->data - e->record);
    if (d->bytes == sizeof number)
        store_u64(at, number);
    else
        store_u32(at, (uint32_t)number);
    return true;
}

bool tracetop_event_text(const struct event *e, const char *field, const char **out)
{
    struct tracetop_fields room;
    const struct decoded *const d = find(e, field, &room);
    *out = "";
    /* Its NUL must be there: a text at the end of the payload may lack it. */
    if (!d || d->is_list || d->field->type != FIELD_ASTR ||
        (size_t)(d->data - e->payload) + d->bytes >= d->end)
        return false;
    *out = (const char *)d->data;
    return true;
}
