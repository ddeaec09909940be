/* Fields of an event, read by what its kind knows of them. */
#include "src/model/model.h"

#include <string.h>

bool kind_load_slowly(struct place p, const struct event *e, uint64_t *out)
{
    *out = 0;
    if (!p.width || p.width > sizeof *out || p.offset + (uint32_t)p.width > e->payload_bytes)
        return false;
    memcpy(out, e->payload + p.offset, p.width);
    return true;
}

const char *kind_text(const struct kind *k, const struct event *e, const char *name, char *out,
                      size_t room)
{
    const struct layout *l = k->layout;
    out[0] = '\0';
    for (unsigned i = 0; l && i < l->field_count; i++) {
        struct decoded field;
        if (strcmp(l->fields[i].name, name) == 0 && decode_field(l, e, i, &field))
            decode_format(&field, out, room);
    }
    return out;
}

bool kind_number(const struct kind *k, const struct event *e, const char *name, uint64_t *out)
{
    const struct layout *l = k->layout;
    for (unsigned i = 0; l && i < l->field_count; i++) {
        struct decoded field;
        if (strcmp(l->fields[i].name, name) != 0 || !decode_field(l, e, i, &field))
            continue;
        *out = field.number;
        return true;
    }
    return false;
}
