/* Bytes of the file: the part that was read last. */
#include "src/etl/file.h"

#include <stdlib.h>
#include <string.h>

bool etl_room_get(struct etl_room *r, size_t bytes, struct err *err)
{
    if (bytes <= r->room)
        return true;
    uint8_t *more = realloc(r->bytes, bytes);
    if (!more)
        return fail(err, "no memory for a buffer of %zu bytes", bytes);
    r->bytes = more;
    r->room = bytes;
    return true;
}

/* Keeps what the window has from `offset` on, at its front. */
static void window_slide(struct etl_window *w, uint64_t offset)
{
    const bool is_inside = offset >= w->offset && offset - w->offset < w->have;
    const size_t past = is_inside ? (size_t)(offset - w->offset) : w->have;
    if (past < w->have && past > 0)
        memmove(w->room.bytes, w->room.bytes + past, w->have - past);
    w->have -= past;
    w->offset = offset;
}

const uint8_t *etl_window_at(struct etl_file *f, uint64_t offset, size_t want, size_t *got,
                             struct err *err)
{
    struct etl_window *w = &f->window;
    const bool is_inside = offset >= w->offset && offset - w->offset <= w->have &&
                           want <= w->have - (size_t)(offset - w->offset);
    if (!is_inside) {
        window_slide(w, offset);
        const size_t size = want > w->chunk ? want : w->chunk;
        if (!etl_room_get(&w->room, size, err))
            return NULL;
        const int64_t came =
            os_read_at(f->os, w->room.bytes + w->have, size - w->have, offset + w->have, err);
        if (came < 0)
            return NULL;
        w->have += (size_t)came;
        f->tally.bytes += (uint64_t)came;
    }
    const size_t have = w->have - (size_t)(offset - w->offset);
    *got = want < have ? want : have;
    return w->room.bytes + (offset - w->offset);
}

/* The end of the file as it is now. */
uint64_t etl_size_now(const struct etl_file *f)
{
    const int64_t size = os_size(f->os);
    return size < 0 ? f->size : (uint64_t)size;
}
