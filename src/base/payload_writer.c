#include "src/base/payload_writer.h"

#include "src/base/text.h"

void put_utf16(struct payload_writer *p, const char *text, size_t length)
{
    const size_t room = payload_room(p);
    if (room < 2)
        return;
    p->at += length ? text_to_utf16(p->at, room - 2, text, length) : 0;
    put_u16(p, 0);
}

void put_utf16_field(struct payload_writer *p, const char *text, size_t units)
{
    const size_t bytes = text_to_utf16(p->at, 2 * (units - 1), text, strlen(text));
    p->at += bytes;
    put_zeros(p, 2 * units - bytes);
}

void put_text(struct payload_writer *p, const char *text, size_t length)
{
    const size_t room = payload_room(p);
    if (!room)
        return;
    put_bytes(p, text, length < room - 1 ? length : room - 1);
    put_u8(p, 0);
}
