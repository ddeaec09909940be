/* Making frames: the engine's side of src/frame/frame.h. One block for the frame and its
 * cells, one growing arena for its texts; frame_free() ends both. */
#ifndef SRC_FRAME_MAKER_H
#define SRC_FRAME_MAKER_H

#include "src/frame/frame.h"
#include "src/table/value_text.h"

struct frame_maker {
    struct frame frame;
    struct value_texts texts;
    struct frame_row *rows;
    struct value *cells, *totals;
    struct frame_field *fields;
    unsigned field_room;
    uint8_t *payload;
};

/* Room for `rows` rows of `columns` cells. */
void maker_init(struct frame_maker *m, size_t rows, size_t columns);

static inline struct value maker_text(struct frame_maker *m, enum value_type type,
                                      const char *text, size_t bytes)
{
    return texts_add(&m->texts, type, text, bytes);
}

void maker_field(struct frame_maker *m, const char *name, const char *text);
void maker_payload(struct frame_maker *m, const void *bytes, size_t count);

/* The finished frame, from the heap; the maker is empty afterwards. */
struct frame *maker_take(struct frame_maker *m);

#endif
