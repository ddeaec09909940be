/* Fields of an event, read by what its kind knows of them. */
#include "src/model/model.h"

#include <string.h>

bool kind_load_slowly(struct load_place p, const struct event *e, uint64_t *out)
{
    *out = 0;
    if (!p.width || p.width > sizeof *out || p.offset + (uint32_t)p.width > e->payload_bytes)
        return false;
    memcpy(out, e->payload + p.offset, p.width);
    return true;
}

bool kind_field(const struct kind *k, const struct event *e, const char *name, struct decoded *out)
{
    const struct payload_layout *l = k->layout;
    for (unsigned i = 0; l && i < l->field_count; i++)
        if (strcmp(l->fields[i].name, name) == 0 && decode_field(l, e, i, out))
            return true;
    return false;
}

const char *kind_text(const struct kind *k, const struct event *e, const char *name, char *out,
                      size_t room)
{
    struct decoded field;
    out[0] = '\0';
    if (kind_field(k, e, name, &field))
        decode_format(&field, out, room);
    return out;
}

bool kind_number(const struct kind *k, const struct event *e, const char *name, uint64_t *out)
{
    struct decoded field;
    if (!kind_field(k, e, name, &field))
        return false;
    *out = field.number;
    return true;
}
