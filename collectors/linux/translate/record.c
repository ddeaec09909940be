/* Writing ETW records: headers as in src/event/event.c, payloads by the caller's payload writer. */
#include "collectors/linux/translate/translate.h"

#include "src/event/tracetop_provider.h"
#include "src/event/tracetop_write.h"

#include <assert.h>
#include <string.h>

enum {
    TYPE_SYSTEM64 = 2,
    TYPE_PERFINFO64 = 17,
    TYPE_HEADER64 = 19,
    TYPE_CLASSIC64 = 20,
    MARK = 0xc0,
    KERNEL_SIZE_AT = 4,
    CLASSIC_SIZE_AT = 0,
};

uint32_t translator_places(const struct translator *t, size_t size, unsigned parts, uint32_t least,
                           uint32_t most)
{
    const size_t ring = t->feed ? ring_capacity(t->feed->collector->hot) : SIZE_MAX;
    while (most > least && most * size > ring / parts)
        most /= 2;
    return most;
}

static struct payload_writer *begin(struct translator *t, unsigned cpu, int64_t time)
{
    uint8_t *const room = (uint8_t *)t->room;
    t->payload_writer =
        (struct payload_writer){.start = room, .at = room, .end = room + sizeof t->room};
    t->head = (struct record_head){
        .form = RECORD_ETW, .source = t->source, .cpu = (uint16_t)cpu, .ts = time};
    return &t->payload_writer;
}

struct payload_writer *record_begin(struct translator *t, enum header_kind header, unsigned hook,
                                    unsigned version, uint32_t pid, uint32_t tid, unsigned cpu,
                                    int64_t time)
{
    struct payload_writer *const p = begin(t, cpu, time);
    put_u16(p, version);
    put_u8(p, header == HEADER_SYSTEM ? TYPE_SYSTEM64 : TYPE_PERFINFO64);
    put_u8(p, MARK);
    put_u16(p, 0); /* size: when it is known */
    put_u8(p, hook & 0xff);
    put_u8(p, hook >> 8);
    if (header == HEADER_SYSTEM) {
        put_u32(p, tid);
        put_u32(p, pid);
    }
    put_u64(p, (uint64_t)time);
    if (header == HEADER_SYSTEM)
        put_u64(p, 0); /* kernel and user ticks: Linux counts them otherwise */
    return p;
}

struct payload_writer *record_begin_at(struct translator *t, enum header_kind header, unsigned hook,
                                       unsigned version, const struct sample *s)
{
    return record_begin(t, header, hook, version, s->pid, s->tid, s->cpu, s->time);
}

struct payload_writer *record_begin_tracetop(struct translator *t, const char *event,
                                             const char *fields, uint32_t pid, uint32_t tid,
                                             unsigned cpu, int64_t time)
{
    struct payload_writer *const p = begin(t, cpu, time);
    tracetop_write_begin(p, event, fields, pid, tid, time);
    return p;
}

struct payload_writer *record_begin_described(struct translator *t, const uint8_t *made,
                                              size_t bytes, const struct sample *s)
{
    struct payload_writer *const p = begin(t, s->cpu, s->time);
    put_bytes(p, made, bytes);
    memcpy(p->start + DESCRIBED_TID, &s->tid, sizeof s->tid);
    memcpy(p->start + DESCRIBED_PID, &s->pid, sizeof s->pid);
    memcpy(p->start + DESCRIBED_TIME, &s->time, sizeof s->time);
    return p;
}

struct payload_writer *record_begin_class(struct translator *t, const struct guid *class,
                                          unsigned opcode, unsigned cpu, int64_t time)
{
    struct payload_writer *const p = begin(t, cpu, time);
    put_u16(p, 0); /* size: when it is known */
    put_u8(p, TYPE_CLASSIC64);
    put_u8(p, MARK);
    put_u8(p, opcode);
    put_u8(p, 0);  /* level */
    put_u16(p, 0); /* version */
    put_u32(p, EVENT_NO_ID);
    put_u32(p, EVENT_NO_ID);
    put_u64(p, (uint64_t)time);
    put_bytes(p, class, sizeof *class);
    put_u64(p, 0); /* processor times */
    return p;
}

/* ---- the end ---------------------------------------------------------------------------- */

void record_end(struct translator *t)
{
    const uint8_t *const start = t->payload_writer.start;
    const size_t bytes = (size_t)(t->payload_writer.at - start);
    assert(t->payload_writer.at <= t->payload_writer.end && bytes <= UINT16_MAX);
    const bool is_described = start[2] == TYPE_HEADER64, is_class = start[2] == TYPE_CLASSIC64;
    const bool is_own = is_described && memcmp(start + DESCRIBED_PROVIDER, &tracetop_provider,
                                               sizeof tracetop_provider) == 0;
    const uint16_t size = (uint16_t)bytes;
    if (is_described)
        tracetop_write_end(&t->payload_writer);
    else
        memcpy(t->payload_writer.start + (is_class ? CLASSIC_SIZE_AT : KERNEL_SIZE_AT), &size,
               sizeof size);
    t->head.bytes = (uint32_t)(sizeof t->head + bytes);
    /* What names things lasts. */
    const bool is_rare = is_own || is_class ||
                         (!is_described && feed_is_rare_hook((uint16_t)(start[6] | start[7] << 8)));
    feed_put(t->feed, &t->head, start, is_rare);
}
