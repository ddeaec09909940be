/* Where the fields of a layout are. See decode.h. */
#include "src/base/bytes.h"
#include "src/event/decode.h"
#include "src/event/decode_value.h"

#include <string.h>

void layout_fix_offsets(struct field *fields, unsigned count)
{
    unsigned at32 = 0, at64 = 0;
    for (unsigned i = 0; i < count && fields[i].type != FIELD_STRUCT; i++) {
        struct field *const f = &fields[i];
        f->offset32 = (int16_t)at32;
        f->offset64 = (int16_t)at64;
        if (!decode_value_bytes(f->type, 8) || f->count != 1 || f->counted_by || f->has_prefix)
            return;
        at32 += (unsigned)decode_value_bytes(f->type, 4);
        at64 += (unsigned)decode_value_bytes(f->type, 8);
    }
}

bool layout_place(const struct payload_layout *l, const char *name, unsigned pointer,
                  unsigned *offset, enum field_type *type)
{
    for (unsigned i = 0; i < l->field_count; i++) {
        const struct field *f = &l->fields[i];
        const int16_t at = pointer == 4 ? f->offset32 : f->offset64;
        if (at < 0 || strcmp(f->name, name) != 0)
            continue;
        *offset = (unsigned)at;
        *type = (enum field_type)f->type;
        return true;
    }
    return false;
}
