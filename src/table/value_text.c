#include "src/table/value_text.h"

#include "src/base/mem.h"

#include <stdint.h>
#include <string.h>

/* Rows with all their texts stay far below; longer texts from traces are cut here. The fields of any
 * event have room (src/view/events.c). */
enum { ALL_MAX = 64 << 20, TEXT_MAX = 1 << 19 };

static const char cut_sign[] = "…";

static struct value put_text(struct value_texts *t, struct value v, const char *text, size_t bytes)
{
    if (t->used + bytes > t->room) {
        t->room = (t->used + bytes) * 2 + 1024;
        t->bytes = mem_grow(t->bytes, t->room, 1);
    }
    if (bytes)
        memcpy(t->bytes + t->used, text, bytes);
    v.text.offset = (uint32_t)t->used;
    v.text.bytes = (uint32_t)bytes;
    t->used += bytes;
    return v;
}

/* What finds no room: as much of it as does, and a sign that there is more. All that find none
 * share one sign. */
static struct value put_cut(struct value_texts *t, struct value v, const char *text, size_t room)
{
    enum { SIGN = sizeof cut_sign - 1 };
    if (v.type == VALUE_SERIES || v.type == VALUE_BINS) /* half of it would be another one */
        return put_text(t, v, text, 0);
    if (room < SIGN && t->cut_sign) {
        v.text.offset = t->cut_sign - 1;
        v.text.bytes = SIGN;
        return v;
    }
    size_t bytes = room > SIGN ? room - SIGN : 0;
    while (bytes && ((uint8_t)text[bytes] & 0xc0) == 0x80) /* not within a character */
        bytes--;
    v = put_text(t, v, text, bytes);
    put_text(t, v, cut_sign, SIGN);
    v.text.bytes += SIGN;
    t->cut_sign = (uint32_t)t->used - SIGN + 1;
    return v;
}

struct value texts_add(struct value_texts *t, enum value_type type, const char *text, size_t bytes)
{
    const struct value v = {.type = (uint8_t)type};
    if (!t)
        return v;
    const size_t left = t->used < ALL_MAX ? ALL_MAX - t->used : 0,
                 room = left < TEXT_MAX ? left : TEXT_MAX;
    return bytes <= room ? put_text(t, v, text, bytes) : put_cut(t, v, text, room);
}
