#include "src/etl/cassette.h"

#include "src/base/payload_writer.h"

#include <inttypes.h>
#include <string.h>

static const uint8_t magic[8] = {'E', 'T', 'W', 'T', 'A', 'P', 'E', '\n'};

enum { FRAME_HEAD = 8, EVENT_FIXED = 0x70, ITEM_HEAD = 8, END_BYTES = 24 };

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool cassette_open(struct cassette *c, const void *bytes, size_t size, struct err *err)
{
    *c = (struct cassette){.rest = bytes_of(bytes, size), .size = size};
    struct bytes b = c->rest;
    const uint8_t *const start = bytes_take(&b, sizeof magic);
    if (!start || memcmp(start, magic, sizeof magic) != 0)
        return fail(err, "not a cassette: expected its magic number at the beginning");
    const unsigned version = bytes_u16(&b), head = bytes_u16(&b);
    c->head.pointer = bytes_u16(&b);
    c->head.processors = bytes_u16(&b);
    c->head.build = bytes_u32(&b);
    c->head.mode = bytes_u32(&b);
    c->head.frequency = (int64_t)bytes_u64(&b);
    c->head.began = (int64_t)bytes_u64(&b);
    c->head.began_filetime = (int64_t)bytes_u64(&b);
    if (!b.bad && version != CASSETTE_VERSION)
        return fail(err, "cassette of version %u: this program reads version %d", version,
                    CASSETTE_VERSION);
    if (b.bad || head < CASSETTE_HEAD || head % 8 || !bytes_skip(&c->rest, head))
        return fail(
            err, "cassette of %zu bytes: its head of %u bytes does not fit, or is shorter than %d",
            size, head, CASSETTE_HEAD);
    if (c->head.frequency <= 0)
        return fail(err, "cassette: a clock of %" PRId64 " ticks per second is impossible",
                    c->head.frequency);
    return true;
}

static const uint8_t *take_padded(struct bytes *b, size_t bytes)
{
    const uint8_t *const at = bytes_take(b, bytes);
    if (at)
        bytes_skip(b, padded(bytes) - bytes);
    return at;
}

static void read_session(struct bytes *b, struct cassette_session *s)
{
    enum { KERNEL = 1 };
    s->mode = bytes_u32(b);
    s->is_kernel = bytes_u32(b) & KERNEL;
    s->header_bytes = bytes_u16(b);
    s->name_bytes = bytes_u16(b);
    bytes_skip(b, 4);
    s->header = take_padded(b, s->header_bytes);
    s->name = take_padded(b, s->name_bytes);
}

static void read_call(struct bytes *b, struct cassette_call *c)
{
    c->began = (int64_t)bytes_u64(b);
    c->took = (int64_t)bytes_u64(b);
    c->result = bytes_u32(b);
    c->name_bytes = bytes_u16(b);
    c->about_bytes = bytes_u16(b);
    c->name = (const char *)bytes_take(b, c->name_bytes);
    c->about = (const char *)bytes_take(b, c->about_bytes);
}

static void read_event(struct bytes *b, struct cassette_event *e)
{
    e->arrived = (int64_t)bytes_u64(b);
    e->header = bytes_take(b, CASSETTE_EVENT_HEADER);
    e->context = bytes_take(b, CASSETTE_CONTEXT);
    e->item_count = bytes_u16(b);
    e->user_bytes = bytes_u16(b);
    const uint64_t missing = bytes_u64(b);
    if (e->item_count > CASSETTE_ITEMS)
        b->bad = true;
    for (unsigned i = 0; i < e->item_count && !b->bad; i++) {
        e->items[i].reserved = bytes_u16(b);
        e->items[i].type = bytes_u16(b);
        e->items[i].linkage = bytes_u16(b);
        e->items[i].bytes = bytes_u16(b);
    }
    for (unsigned i = 0; i < e->item_count && !b->bad; i++)
        e->items[i].data = missing >> (i + 1) & 1 ? NULL : take_padded(b, e->items[i].bytes);
    e->user = missing & 1 ? NULL : take_padded(b, e->user_bytes);
}

static void read_buffer(struct bytes *b, struct cassette_buffer *u)
{
    u->arrived = (int64_t)bytes_u64(b);
    u->read = bytes_u32(b);
    u->size = bytes_u32(b);
    u->filled = bytes_u32(b);
    u->lost = bytes_u32(b);
}

/* False where the kind is unknown. */
static bool read_body(struct bytes *b, struct cassette_frame *f)
{
    switch (f->kind) {
    case CASSETTE_SESSION:
        read_session(b, &f->about);
        return true;
    case CASSETTE_CALL:
        read_call(b, &f->call);
        return true;
    case CASSETTE_EVENT:
        read_event(b, &f->event);
        return true;
    case CASSETTE_BUFFER:
        read_buffer(b, &f->buffer);
        return true;
    case CASSETTE_END:
        f->end.events = bytes_u64(b);
        f->end.left_out = bytes_u64(b);
        return true;
    }
    return false;
}

enum cassette_answer cassette_next(struct cassette *c, struct cassette_frame *out, struct err *err)
{
    for (;;) {
        const size_t at = c->size - c->rest.left;
        if (!c->rest.left || c->has_ended)
            return CASSETTE_OVER;
        struct bytes b = c->rest;
        const uint32_t bytes = bytes_u32(&b);
        out->kind = (enum cassette_kind)bytes_u16(&b);
        out->session = bytes_u16(&b);
        if (b.bad || bytes < FRAME_HEAD || bytes % 8 || bytes > CASSETTE_FRAME_MOST ||
            !bytes_skip(&c->rest, bytes)) {
            fail(err, "cassette: byte %zu: a frame of %" PRIu32 " bytes, %zu are left", at, bytes,
                 c->size - at);
            c->rest.left = 0;
            return CASSETTE_DAMAGED;
        }
        b.left = bytes - FRAME_HEAD;
        if (!read_body(&b, out))
            continue;
        if (b.bad) {
            fail(err, "cassette: byte %zu: a frame of kind %d is too short for what it says", at,
                 (int)out->kind);
            return CASSETTE_DAMAGED;
        }
        c->events += out->kind == CASSETTE_EVENT;
        c->has_ended = out->kind == CASSETTE_END;
        return CASSETTE_FRAME;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static struct payload_writer writer_at(const struct cassette_writer *w, size_t bytes)
{
    return (struct payload_writer){
        .start = w->room + w->used, .at = w->room + w->used, .end = w->room + w->used + bytes};
}

void cassette_begin(struct cassette_writer *w, void *room, size_t most,
                    const struct cassette_head *head)
{
    *w = (struct cassette_writer){.room = room, .most = most - END_BYTES};
    struct payload_writer p = writer_at(w, CASSETTE_HEAD);
    put_bytes(&p, magic, sizeof magic);
    put_u16(&p, CASSETTE_VERSION);
    put_u16(&p, CASSETTE_HEAD);
    put_u16(&p, head->pointer);
    put_u16(&p, head->processors);
    put_u32(&p, head->build);
    put_u32(&p, head->mode);
    put_u64(&p, (uint64_t)head->frequency);
    put_u64(&p, (uint64_t)head->began);
    put_u64(&p, (uint64_t)head->began_filetime);
    put_zeros(&p, payload_room(&p));
    w->used = CASSETTE_HEAD;
}

static size_t event_bytes(const struct cassette_event *e)
{
    size_t bytes = EVENT_FIXED + ITEM_HEAD * (size_t)e->item_count;
    for (unsigned i = 0; i < e->item_count; i++)
        bytes += e->items[i].data ? padded(e->items[i].bytes) : 0;
    return bytes + (e->user ? padded(e->user_bytes) : 0);
}

/* 0: the format does not bear it. */
static size_t frame_bytes(const struct cassette_frame *f)
{
    enum { SESSION_FIXED = 24, CALL_FIXED = 32, BUFFER_BYTES = 32 };
    switch (f->kind) {
    case CASSETTE_SESSION:
        return SESSION_FIXED + padded(f->about.header_bytes) + padded(f->about.name_bytes);
    case CASSETTE_CALL:
        return padded(CALL_FIXED + (size_t)f->call.name_bytes + f->call.about_bytes);
    case CASSETTE_EVENT:
        return f->event.item_count <= CASSETTE_ITEMS ? event_bytes(&f->event) : 0;
    case CASSETTE_BUFFER:
        return BUFFER_BYTES;
    case CASSETTE_END:
        return END_BYTES;
    }
    return 0;
}

static void put_padded(struct payload_writer *p, const void *data, size_t bytes)
{
    if (bytes)
        put_bytes(p, data, bytes);
    put_zeros(p, padded(bytes) - bytes);
}

static void put_session(struct payload_writer *p, const struct cassette_session *s)
{
    put_u32(p, s->mode);
    put_u32(p, s->is_kernel);
    put_u16(p, s->header_bytes);
    put_u16(p, s->name_bytes);
    put_u32(p, 0);
    put_padded(p, s->header, s->header_bytes);
    put_padded(p, s->name, s->name_bytes);
}

static void put_call(struct payload_writer *p, const struct cassette_call *c)
{
    put_u64(p, (uint64_t)c->began);
    put_u64(p, (uint64_t)c->took);
    put_u32(p, c->result);
    put_u16(p, c->name_bytes);
    put_u16(p, c->about_bytes);
    put_bytes(p, c->name, c->name_bytes);
    put_bytes(p, c->about, c->about_bytes);
}

static void put_event(struct payload_writer *p, const struct cassette_event *e)
{
    uint64_t missing = !e->user;
    for (unsigned i = 0; i < e->item_count; i++)
        missing |= (uint64_t)!e->items[i].data << (i + 1);
    put_u64(p, (uint64_t)e->arrived);
    put_bytes(p, e->header, CASSETTE_EVENT_HEADER);
    put_bytes(p, e->context, CASSETTE_CONTEXT);
    put_u16(p, e->item_count);
    put_u16(p, e->user_bytes);
    put_u64(p, missing);
    for (unsigned i = 0; i < e->item_count; i++) {
        put_u16(p, e->items[i].reserved);
        put_u16(p, e->items[i].type);
        put_u16(p, e->items[i].linkage);
        put_u16(p, e->items[i].bytes);
    }
    for (unsigned i = 0; i < e->item_count; i++)
        if (e->items[i].data)
            put_padded(p, e->items[i].data, e->items[i].bytes);
    if (e->user)
        put_padded(p, e->user, e->user_bytes);
}

static void put_body(struct payload_writer *p, const struct cassette_frame *f)
{
    switch (f->kind) {
    case CASSETTE_SESSION:
        put_session(p, &f->about);
        break;
    case CASSETTE_CALL:
        put_call(p, &f->call);
        break;
    case CASSETTE_EVENT:
        put_event(p, &f->event);
        break;
    case CASSETTE_BUFFER:
        put_u64(p, (uint64_t)f->buffer.arrived);
        put_u32(p, f->buffer.read);
        put_u32(p, f->buffer.size);
        put_u32(p, f->buffer.filled);
        put_u32(p, f->buffer.lost);
        break;
    case CASSETTE_END:
        put_u64(p, f->end.events);
        put_u64(p, f->end.left_out);
        break;
    }
    put_zeros(p, payload_room(p));
}

bool cassette_put(struct cassette_writer *w, const struct cassette_frame *f)
{
    const size_t bytes = frame_bytes(f);
    const bool is_event = f->kind == CASSETTE_EVENT;
    if (!bytes || bytes > CASSETTE_FRAME_MOST || bytes > w->most - w->used) {
        w->left_out += is_event;
        return false;
    }
    struct payload_writer p = writer_at(w, bytes);
    put_u32(&p, (uint32_t)bytes);
    put_u16(&p, f->kind);
    put_u16(&p, f->session);
    put_body(&p, f);
    w->used += bytes;
    w->events += is_event;
    return true;
}

void cassette_end(struct cassette_writer *w)
{
    const struct cassette_frame f = {.kind = CASSETTE_END,
                                     .end = {.events = w->events, .left_out = w->left_out}};
    w->most += END_BYTES;
    cassette_put(w, &f);
}
