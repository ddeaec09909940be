#include "collectors/windows/writer.h"

#include "src/event/tracetop_write.h"
#include "src/os/os.h"

#include <string.h>

enum {
    TYPE_PERFINFO64 = 17,
    TYPE_MANIFEST64 = 19,
    TYPE_CLASSIC64 = 20,
    MARK = 0xc0,
    KERNEL_SIZE_AT = 4,
    CLASSIC_SIZE_AT = 0,
    NAP = 5000000,
};

static struct payload_writer *begin(struct writer *w)
{
    uint8_t *const room = (uint8_t *)w->room;
    w->payload_writer =
        (struct payload_writer){.start = room, .at = room, .end = room + UINT16_MAX};
    return &w->payload_writer;
}

struct payload_writer *writer_begin(struct writer *w, unsigned hook, unsigned version)
{
    struct payload_writer *const p = begin(w);
    put_u16(p, version);
    put_u8(p, TYPE_PERFINFO64);
    put_u8(p, MARK);
    put_u16(p, 0); /* size: when it is known */
    put_u16(p, hook);
    put_u64(p, (uint64_t)w->time);
    return p;
}

struct payload_writer *writer_begin_class(struct writer *w, const struct guid *class,
                                          unsigned opcode)
{
    struct payload_writer *const p = begin(w);
    put_u16(p, 0);
    put_u8(p, TYPE_CLASSIC64);
    put_u8(p, MARK);
    put_u8(p, opcode);
    put_u8(p, 0);  /* level */
    put_u16(p, 0); /* version */
    put_u32(p, EVENT_NO_ID);
    put_u32(p, EVENT_NO_ID);
    put_u64(p, (uint64_t)w->time);
    put_bytes(p, class, sizeof *class);
    put_u64(p, 0); /* kernel and user ticks */
    return p;
}

struct payload_writer *writer_begin_tracetop(struct writer *w, const char *event,
                                             const char *fields, uint32_t pid)
{
    struct payload_writer *const p = begin(w);
    tracetop_write_begin(p, event, fields, pid, EVENT_NO_ID, w->time);
    return p;
}

void writer_put_wide(struct payload_writer *p, const WCHAR *text)
{
    put_bytes(p, text, wcslen(text) * sizeof *text);
    put_u16(p, 0);
}

static void put_size(struct writer *w)
{
    uint8_t *const start = w->payload_writer.start;
    const uint16_t bytes = (uint16_t)(w->payload_writer.at - start);
    if (start[2] == TYPE_MANIFEST64)
        tracetop_write_end(&w->payload_writer);
    else
        memcpy(start + (start[2] == TYPE_CLASSIC64 ? CLASSIC_SIZE_AT : KERNEL_SIZE_AT), &bytes,
               sizeof bytes);
}

bool writer_end(struct writer *w)
{
    put_size(w);
    uint8_t *const start = w->payload_writer.start;
    const uint16_t bytes = (uint16_t)(w->payload_writer.at - start);
    const struct record_head head = {
        .bytes = (uint32_t)sizeof head + bytes, .form = RECORD_ETW, .ts = w->time};
    struct intake_figures f = intake_figures(w->intake);
    for (; f.used + 2 * UINT16_MAX > f.room; f = intake_figures(w->intake)) {
        if (atomic_load_explicit(w->is_stopping, memory_order_relaxed))
            return false;
        os_sleep(NAP);
    }
    uint8_t *const to = intake_reserve(w->intake, &head);
    if (to) {
        memcpy(to, start, bytes);
        intake_commit(w->intake);
    }
    return !atomic_load_explicit(w->is_stopping, memory_order_relaxed);
}
