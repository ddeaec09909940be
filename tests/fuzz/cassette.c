/* Any bytes as a cassette: every span that a frame names is read to its end, and what was read is
 * written again and comes back the same. */
#include "src/etl/cassette.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static unsigned touch(const void *from, size_t bytes)
{
    const uint8_t *const at = from;
    unsigned sum = 0;
    for (size_t i = 0; at && i < bytes; i++)
        sum += at[i];
    return sum;
}

static unsigned touch_frame(const struct cassette_frame *f)
{
    unsigned sum = 0;
    if (f->kind == CASSETTE_SESSION)
        sum += touch(f->about.header, f->about.header_bytes) +
               touch(f->about.name, f->about.name_bytes);
    if (f->kind == CASSETTE_CALL)
        sum += touch(f->call.name, f->call.name_bytes) + touch(f->call.about, f->call.about_bytes);
    if (f->kind == CASSETTE_EVENT) {
        sum += touch(f->event.header, CASSETTE_EVENT_HEADER) +
               touch(f->event.user, f->event.user_bytes);
        for (unsigned i = 0; i < f->event.item_count; i++)
            sum += touch(f->event.items[i].data, f->event.items[i].bytes);
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct cassette c, again;
    struct cassette_frame f, g;
    struct cassette_writer w;
    struct err err = {""};
    volatile unsigned sum = 0; /* so that nothing that is read is left out */
    if (!cassette_open(&c, data, bytes, &err)) {
        assert(err.text[0]);
        return 0;
    }
    const size_t room = CASSETTE_LEAST + 2 * bytes;
    uint8_t *const copy = malloc(room);
    cassette_begin(&w, copy, room, &c.head);
    enum cassette_answer a;
    uint64_t events = 0;
    while ((a = cassette_next(&c, &f, &err)) == CASSETTE_FRAME) {
        const size_t before = w.used;
        sum += touch_frame(&f);
        events += f.kind == CASSETTE_EVENT;
        if (f.kind == CASSETTE_END)
            continue;
        assert(cassette_put(&w, &f));
        assert(cassette_open(&again, copy, w.used, &err));
        again.rest = bytes_of(copy + before, w.used - before);
        assert(cassette_next(&again, &g, &err) == CASSETTE_FRAME && g.kind == f.kind);
        assert(touch_frame(&g) == touch_frame(&f));
    }
    assert(a == CASSETTE_OVER || err.text[0]);
    assert(c.events == events && w.events == events && !w.left_out);
    cassette_end(&w);
    free(copy);
    (void)sum;
    return 0;
}
