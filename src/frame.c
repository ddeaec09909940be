#include "src/frame_maker.h"
#include "src/mem.h"

#include <stdlib.h>
#include <string.h>

/* Rows with all their texts stay far below; what comes from traces is cut here. The fields of any
 * event have room (src/view_events.c). */
enum { ARENA_MAX = 64 << 20, TEXT_MAX = 1 << 19 };

void maker_init(struct frame_maker *m, size_t rows, size_t columns)
{
    *m = (struct frame_maker){0};
    m->rows = mem_new(rows, sizeof *m->rows);
    m->cells = mem_new(rows * columns, sizeof *m->cells);
    m->totals = mem_new(columns, sizeof *m->totals);
    for (size_t i = 0; i < rows; i++)
        m->rows[i].cells = m->cells + i * columns;
}

static const char cut_sign[] = "…";

static struct value put_text(struct frame_maker *m, struct value v, const char *text, size_t bytes)
{
    if (m->text_bytes + bytes > m->text_room) {
        m->text_room = (m->text_bytes + bytes) * 2 + 1024;
        m->texts = mem_grow(m->texts, m->text_room, 1);
    }
    if (bytes)
        memcpy(m->texts + m->text_bytes, text, bytes);
    v.text.offset = (uint32_t)m->text_bytes;
    v.text.bytes = (uint32_t)bytes;
    m->text_bytes += bytes;
    return v;
}

/* What finds no room: as much of it as does, and a sign that there is more. All that find none
 * share one sign. */
static struct value put_cut(struct frame_maker *m, struct value v, const char *text, size_t room)
{
    enum { SIGN = sizeof cut_sign - 1 };
    if (v.type == VALUE_SERIES) /* half of it would be another one */
        return put_text(m, v, text, 0);
    if (room < SIGN && m->sign) {
        v.text.offset = m->sign - 1;
        v.text.bytes = SIGN;
        return v;
    }
    size_t bytes = room > SIGN ? room - SIGN : 0;
    while (bytes && ((uint8_t)text[bytes] & 0xc0) == 0x80) /* not within a character */
        bytes--;
    v = put_text(m, v, text, bytes);
    put_text(m, v, cut_sign, SIGN);
    v.text.bytes += SIGN;
    m->sign = (uint32_t)m->text_bytes - SIGN + 1;
    return v;
}

struct value maker_text(struct frame_maker *m, enum value_type type, const char *text, size_t bytes)
{
    const struct value v = {.type = (uint8_t)type};
    if (!m)
        return v;
    const size_t left = m->text_bytes < ARENA_MAX ? ARENA_MAX - m->text_bytes : 0,
                 room = left < TEXT_MAX ? left : TEXT_MAX;
    return bytes <= room ? put_text(m, v, text, bytes) : put_cut(m, v, text, room);
}

void maker_field(struct frame_maker *m, const char *name, const char *text)
{
    if (m->frame.field_count == m->field_room) {
        m->field_room = m->field_room ? m->field_room * 2 : 32;
        m->fields = mem_grow(m->fields, m->field_room, sizeof *m->fields);
    }
    m->fields[m->frame.field_count++] = (struct frame_field){
        .name = maker_text(m, VALUE_TEXT, name, strlen(name)),
        .text = maker_text(m, VALUE_TEXT, text, strlen(text)),
    };
}

void maker_payload(struct frame_maker *m, const void *bytes, size_t count)
{
    free(m->payload);
    m->payload = mem_copy(bytes, count);
    m->frame.payload_bytes = (unsigned)count;
}

struct frame *maker_take(struct frame_maker *m)
{
    struct frame *f = mem_copy(&m->frame, sizeof m->frame);
    f->rows = m->rows;
    f->totals = m->totals;
    f->fields = m->fields;
    f->payload = m->payload;
    f->arena = m->texts;
    f->arena_bytes = m->text_bytes;
    f->cells = m->cells;
    *m = (struct frame_maker){0};
    return f;
}

void frame_free(struct frame *f)
{
    if (!f)
        return;
    free((void *)f->rows);
    free((void *)f->cells);
    free((void *)f->totals);
    free((void *)f->fields);
    free((void *)f->payload);
    free((void *)f->found_shut);
    free((void *)f->arena);
    picture_free((struct picture *)f->picture);
    free(f);
}
