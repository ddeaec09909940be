/* The process and thread of an event, from its payload. The table files mark the fields (PID, TID);
 * where a class marks none, the header or the processor's current thread has them. */
#include "src/base/bytes.h"
#include "src/event/decode.h"

static uint32_t load_id(const struct event *e, const struct field *f)
{
    const unsigned at = (unsigned)(e->pointer == 4 ? f->offset32 : f->offset64);
    /* a pointer-sized id (TTID of FileIo version 2) has the id in its low half */
    if (at > e->payload_bytes || e->payload_bytes - at < 4)
        return EVENT_NO_ID;
    return load_u32(e->payload + at);
}

bool decode_owner(const struct event *e, uint32_t *pid, uint32_t *tid)
{
    *pid = *tid = EVENT_NO_ID;
    const struct payload_layout *l = decode_layout(e);
    for (unsigned i = 0; l && i < l->field_count; i++) {
        const struct field *f = &l->fields[i];
        if (f->role == FIELD_IS_PID)
            *pid = load_id(e, f);
        else if (f->role == FIELD_IS_TID)
            *tid = load_id(e, f);
    }
    return *pid != EVENT_NO_ID || *tid != EVENT_NO_ID;
}
