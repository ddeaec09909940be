/* One file: from buffer to buffer.
 *
 * Nothing but walking finds the buffers: each header holds its size. In an ordinary
 * log all have one size, so after a damaged header the next multiple of it is
 * tried; in a compressed log sizes differ and nothing is aligned, so every byte
 * may start the next one, and a candidate counts when the header it leads to is
 * good as well. */
#include "src/etl_file.h"

#include "src/bytes.h"
#include "src/mem.h"
#include "src/zst.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MODE_CIRCULAR = 0x2,
    MODE_COMPRESSED = 0x04000000,
    /* Big enough that the system call does not count, small enough for the cache. */
    CHUNK = 256 * 1024,
};

/* ---- sentences --------------------------------------------------------------------- */

static void say(struct etl_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct etl_file *f, const char *format, ...)
{
    if (f->sentence_count == sizeof f->sentences / sizeof *f->sentences)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->sentences[f->sentence_count++] = mem_string(text);
}

static void skip_bytes(struct etl_file *f, uint64_t bytes)
{
    f->tally.skipped_bytes += bytes;
}

static void damage_buffer(struct etl_file *f, bool *is_damaged)
{
    f->tally.damaged_buffers += !*is_damaged;
    *is_damaged = true;
}

/* ---- bytes of the file --------------------------------------------------------------- */

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
        memmove(w->bytes, w->bytes + past, w->have - past);
    w->have -= past;
    w->offset = offset;
}

static bool window_reserve(struct etl_window *w, size_t bytes, struct err *err)
{
    struct etl_room room = { w->bytes, w->room };
    if (!etl_room_get(&room, bytes, err))
        return false;
    w->bytes = room.bytes;
    w->room = room.room;
    return true;
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
        if (!window_reserve(w, size, err))
            return NULL;
        const int64_t came = os_read_at(f->os, w->bytes + w->have, size - w->have,
                                        offset + w->have, err);
        if (came < 0)
            return NULL;
        w->have += (size_t)came;
        f->tally.bytes += (uint64_t)came;
    }
    const size_t have = w->have - (size_t)(offset - w->offset);
    *got = want < have ? want : have;
    return w->bytes + (offset - w->offset);
}

/* ---- from buffer to buffer ------------------------------------------------------------- */

enum found { FOUND_BUFFER, FOUND_NONE, FOUND_END, FOUND_FAILED };

static enum found header_at(struct etl_file *f, uint64_t offset, struct etl_buffer *out,
                            struct err *why, struct err *err)
{
    size_t got;
    const uint8_t *at = etl_window_at(f, offset, ETL_BUFFER_HEADER, &got, err);
    if (!at)
        return FOUND_FAILED;
    if (got < ETL_BUFFER_HEADER) {
        fail(why, "a buffer header of %d bytes was expected, %zu bytes found", ETL_BUFFER_HEADER, got);
        return got ? FOUND_NONE : FOUND_END;
    }
    *out = etl_buffer_read(at);
    return etl_buffer_check(out, why) ? FOUND_BUFFER : FOUND_NONE;
}

/* A header that a search came upon counts when what it leads to is one as well, or
 * the end of the file. */
static enum found chain_at(struct etl_file *f, uint64_t offset, struct err *err)
{
    struct etl_buffer b, next;
    enum found found = header_at(f, offset, &b, NULL, err);
    if (found == FOUND_BUFFER && !f->stride) {
        found = header_at(f, offset + b.bytes, &next, NULL, err);
        if (found == FOUND_END)
            found = FOUND_BUFFER;
    }
    return found == FOUND_END ? FOUND_NONE : found;
}

static bool is_zero(const uint8_t *at, size_t bytes)
{
    while (bytes && !*at) {
        at++;
        bytes--;
    }
    return bytes == 0;
}

/* Are there only zeros from `offset` to the end? */
static enum found rest_is_zero(struct etl_file *f, uint64_t offset, bool *out, struct err *err)
{
    *out = true;
    for (size_t got = 1; got && *out; offset += got) {
        const uint8_t *at = etl_window_at(f, offset, f->window.chunk, &got, err);
        if (!at)
            return FOUND_FAILED;
        *out = is_zero(at, got);
    }
    return FOUND_NONE;
}

/* The end of the file as it is now. */
static uint64_t size_now(const struct etl_file *f)
{
    const int64_t size = os_size(f->os);
    return size < 0 ? f->size : (uint64_t)size;
}

/* Looks for the next good buffer behind a bad one at f->at; *to is where it is, or
 * the end of the file. */
static enum found search(struct etl_file *f, uint64_t *to, struct err *err)
{
    const uint64_t end = size_now(f);
    const uint64_t step = f->stride ? f->stride : 1;
    /* A wrong size may have led past the start of the next one. */
    uint64_t from = f->stride ? f->at / step * step + step : f->previous + ETL_BUFFER_HEADER;
    for (; from + ETL_BUFFER_HEADER <= end; from += step) {
        const enum found found = chain_at(f, from, err);
        if (found == FOUND_FAILED)
            return found;
        if (found == FOUND_BUFFER)
            break;
    }
    *to = from + ETL_BUFFER_HEADER <= end ? from : end;
    return FOUND_NONE;
}

/* What a preallocated log looks like behind its last buffer. */
static void say_unused(struct etl_file *f, uint64_t bytes)
{
    f->tally.never_stopped = true;
    say(f, "%s: the log was never stopped: the %" PRIu64 " bytes from %" PRIu64
        " on were set aside and never written", f->name, bytes, f->at);
}

/* Past a header that is none. */
static enum found pass_damage(struct etl_file *f, const struct err *why, bool is_zero_header,
                              struct err *err)
{
    bool is_unused = false;
    if (is_zero_header && f->header.buffers_written <= f->tally.buffers &&
        rest_is_zero(f, f->at, &is_unused, err) == FOUND_FAILED)
        return FOUND_FAILED;
    uint64_t to = size_now(f);
    if (!is_unused && search(f, &to, err) == FOUND_FAILED)
        return FOUND_FAILED;
    const uint64_t bytes = to > f->at ? to - f->at : 0;
    if (is_unused) {
        say_unused(f, bytes);
    } else {
        say(f, "%s: buffer at %" PRIu64 ": %s; skipped %" PRIu64 " bytes", f->name, f->at, why->text,
            bytes);
        f->tally.damaged_buffers++;
        skip_bytes(f, bytes);
    }
    f->at = to;
    return FOUND_NONE;
}

static bool is_header_or_end(struct etl_file *f, uint64_t offset, struct err *err)
{
    struct etl_buffer b;
    const enum found found = header_at(f, offset, &b, NULL, err);
    return found == FOUND_BUFFER || (found == FOUND_END && offset == size_now(f));
}

/* Where all buffers have one size, a header that tells another is believed only when
 * its own size leads to the next header and the common one does not. */
static void settle_size(struct etl_file *f, struct etl_buffer *b, struct err *err)
{
    if (!f->stride || b->bytes == f->stride || b->is_compressed ||
        is_header_or_end(f, f->at + b->bytes, err) || !is_header_or_end(f, f->at + f->stride, err))
        return;
    say(f, "%s: buffer at %" PRIu64 ": a size of %" PRIu32 " bytes like all others was expected, %"
        PRIu32 " found", f->name, f->at, f->stride, b->bytes);
    f->tally.damaged_buffers++;
    b->bytes = f->stride;
    b->end = b->end < f->stride ? b->end : f->stride;
}

/* The sentences that only the end of the file allows. */
static void finish(struct etl_file *f)
{
    if (f->is_finished)
        return;
    f->is_finished = true;
    const struct etl_header *h = &f->header;
    const uint64_t found = f->tally.buffers;
    const bool was_said = f->tally.never_stopped;
    f->tally.never_stopped |= h->end == 0 || h->buffers_written < found;
    if (f->tally.never_stopped && !was_said)
        say(f, "%s: the log was never stopped: its header counts %" PRIu32 " buffers and was not "
            "closed, %" PRIu64 " were found and read", f->name, h->buffers_written, found);
    if (h->buffers_written > found && !(h->mode & MODE_CIRCULAR)) {
        f->tally.missing_buffers = h->buffers_written - found;
        say(f, "%s: the header counts %" PRIu32 " buffers, %" PRIu64 " readable ones were found", f->name,
            h->buffers_written, found);
    }
}

enum etl_answer etl_scan(struct etl_file *f, struct etl_spot *out, struct err *err)
{
    for (;;) {
        struct err why;
        struct etl_buffer *b = &out->head;
        *b = (struct etl_buffer){ 0 };
        const enum found found = header_at(f, f->at, b, &why, err);
        if (found == FOUND_FAILED)
            return ETL_FAILED;
        if (found == FOUND_END) {
            finish(f);
            return ETL_END;
        }
        if (found == FOUND_NONE) {
            if (pass_damage(f, &why, b->is_zero, err) == FOUND_FAILED)
                return ETL_FAILED;
            continue;
        }
        settle_size(f, b, err);
        out->offset = f->previous = f->at;
        f->at += b->bytes;
        f->tally.buffers++;
        if (etl_buffer_has_events(b))
            return ETL_EVENT;
        f->tally.passed_buffers++;
    }
}

/* ---- one buffer ---------------------------------------------------------------------------- */

void etl_say_cut(struct etl_file *f, const struct etl_spot *spot, uint32_t want, size_t got,
                 bool *is_damaged)
{
    const bool did_shrink = size_now(f) < f->size;
    say(f, "%s: buffer at %" PRIu64 ": %" PRIu32 " bytes were expected, the file %s after %zu of them",
        f->name, spot->offset, want, did_shrink ? "shrank while it was read and ends" : "ends", got);
    damage_buffer(f, is_damaged);
}

static bool load_plain(struct etl_file *f, const struct etl_spot *spot, struct etl_walk *walk,
                       bool *is_damaged, struct err *err)
{
    size_t got;
    const uint8_t *at = etl_window_at(f, spot->offset, spot->head.end, &got, err);
    if (!at)
        return false;
    if (got < spot->head.end)
        etl_say_cut(f, spot, spot->head.end, got, is_damaged);
    walk->data = at + ETL_BUFFER_HEADER;
    walk->bytes = got > ETL_BUFFER_HEADER ? (uint32_t)got - ETL_BUFFER_HEADER : 0;
    return true;
}

void etl_say_changed(struct etl_file *f, const struct etl_spot *spot, const char *why)
{
    say(f, "%s: buffer at %" PRIu64 ": the file changed while it was read: %s", f->name,
        spot->offset, why);
    f->tally.damaged_buffers++;
}

void etl_say_unpacked(struct etl_file *f, const struct etl_spot *spot, uint32_t want,
                      const struct etl_unpacked *u, bool *is_damaged)
{
    if (u->foreign)
        say(f, "%s: buffer at %" PRIu64 ": data compressed with Xpress (plain LZ77) was expected, "
            "%s found, which tracetop does not read", f->name, spot->offset, u->foreign);
    else if (!*is_damaged)
        say(f, "%s: buffer at %" PRIu64 ": %" PRIu32 " bytes of decompressed data were expected, %"
            PRIu32 " found before the compressed stream %s", f->name, spot->offset, want, u->bytes,
            u->is_bad ? "goes bad" : "ends");
    damage_buffer(f, is_damaged);
    skip_bytes(f, want - u->bytes);
}

static bool load_compressed(struct etl_file *f, const struct etl_spot *spot, struct etl_room *room,
                            struct etl_walk *walk, bool *is_damaged, struct err *err)
{
    const uint32_t want = spot->head.end - ETL_BUFFER_HEADER;
    size_t got;
    const uint8_t *at = etl_window_at(f, spot->offset, spot->head.bytes, &got, err);
    if (!at || !etl_room_get(room, want ? want : 1, err))
        return false;
    if (got < spot->head.bytes)
        etl_say_cut(f, spot, spot->head.bytes, got, is_damaged);
    const size_t packed = got > ETL_BUFFER_HEADER ? got - ETL_BUFFER_HEADER : 0;
    const struct etl_unpacked u = etl_unpack(at + ETL_BUFFER_HEADER, packed, room->bytes, want);
    if (u.bytes < want || u.foreign)
        etl_say_unpacked(f, spot, want, &u, is_damaged);
    walk->data = room->bytes;
    walk->bytes = u.bytes;
    return true;
}

bool etl_load(struct etl_file *f, const struct etl_spot *spot, struct etl_room *room,
              struct etl_walk *walk, bool *is_damaged, struct err *err)
{
    *is_damaged = false;
    *walk = (struct etl_walk){ .cpu = spot->head.cpu, .ts = f->ts };
    const bool is_good = spot->head.is_compressed
                             ? load_compressed(f, spot, room, walk, is_damaged, err)
                             : load_plain(f, spot, walk, is_damaged, err);
    if (is_good)
        etl_first_time(walk->data, walk->bytes, &walk->ts);
    return is_good;
}

bool etl_step(struct etl_file *f, const struct etl_spot *spot, struct etl_walk *walk,
              bool *is_damaged, struct event *out)
{
    for (;;) {
        struct err why;
        switch (etl_walk_next(walk, out, &why)) {
        case ETL_STEP_EVENT:
            f->tally.events++;
            f->tally.payload_bytes += out->payload_bytes;
            return true;
        case ETL_STEP_END:
            return false;
        case ETL_STEP_DAMAGE:
            say(f, "%s: buffer at %" PRIu64 ": %s; skipped %" PRIu32 " bytes", f->name, spot->offset,
                why.text, walk->skipped);
            damage_buffer(f, is_damaged);
            skip_bytes(f, walk->skipped);
            break;
        }
    }
}

/* ---- the file ------------------------------------------------------------------------------- */

static bool open_plain(struct etl_file *f, struct err *err)
{
    if (os_path_kind(f->name) == OS_DIRECTORY)
        return fail(err, "%s: an .etl file was expected, a directory found", f->name);
    f->os = os_open(f->name, err);
    return f->os != NULL;
}

static bool unpack_zst(struct etl_file *f, struct err *err)
{
    if (!zst_is(f->os))
        return true;
    struct err damage;
    struct os_file *to = zst_unpack(f->os, f->name, ZST_MOST, &damage, err);
    os_close(f->os);
    f->os = to;
    if (to && damage.text[0]) {
        say(f, "%s", damage.text);
        f->tally.damaged_buffers++;
    }
    return to != NULL;
}

/* The first buffer and the log header in it. */
static bool open_header(struct etl_file *f, struct err *err)
{
    struct err why;
    size_t got;
    struct event e;
    const uint8_t *at = etl_window_at(f, 0, ETL_BUFFER_HEADER, &got, err);
    if (!at)
        return false;
    if (got == 0)
        return fail(err, "%s: an .etl file was expected, an empty file found", f->name);
    if (got < ETL_BUFFER_HEADER)
        return fail(err, "%s: not an .etl file: a buffer header of %d bytes was expected, %zu bytes "
                    "found", f->name, ETL_BUFFER_HEADER, got);
    f->spot.head = etl_buffer_read(at);
    if (!etl_buffer_check(&f->spot.head, &why))
        return fail(err, "%s: not an .etl file: at 0: %s", f->name, why.text);
    if (!etl_load(f, &f->spot, &f->unpacked, &f->walk, &f->is_damaged, err))
        return false;
    if (etl_walk_next(&f->walk, &e, &why) != ETL_STEP_EVENT)
        return fail(err, "%s: not an .etl file: at 0: %s", f->name,
                    f->walk.bytes < 8 ? "a log header was expected, an empty buffer found" : why.text);
    if (!etl_header_read(&e, &f->header, &why))
        return fail(err, "%s: not an .etl file: at 0: %s", f->name, why.text);
    f->walk.at = 0;
    return true;
}

struct etl_file *etl_open(const char *name, struct err *err)
{
    struct etl_file *f = mem_new(1, sizeof *f);
    f->name = mem_string(name);
    f->window.chunk = CHUNK;
    if (!open_plain(f, err) || !unpack_zst(f, err)) {
        etl_close(f);
        return NULL;
    }
    f->size = size_now(f);
    if (!open_header(f, err)) {
        etl_close(f);
        return NULL;
    }
    f->clock = etl_header_clock(&f->header);
    f->ts = f->header.ts;
    f->at = f->spot.head.bytes;
    f->stride = f->header.mode & MODE_COMPRESSED ? 0 : f->spot.head.bytes;
    f->tally.buffers = 1;
    f->is_walking = true;
    return f;
}

void etl_close(struct etl_file *f)
{
    if (!f)
        return;
    os_close(f->os);
    for (unsigned i = 0; i < f->sentence_count; i++)
        free(f->sentences[i]);
    free(f->window.bytes);
    free(f->unpacked.bytes);
    free(f->name);
    free(f);
}

const char *etl_name(const struct etl_file *f)
{
    return f->name;
}

const struct etl_header *etl_header(const struct etl_file *f)
{
    return &f->header;
}

struct trace_clock etl_clock(const struct etl_file *f)
{
    return f->clock;
}

const struct etl_tally *etl_tally(const struct etl_file *f)
{
    return &f->tally;
}

const char *etl_sentence(const struct etl_file *f, unsigned index)
{
    return index < f->sentence_count ? f->sentences[index] : NULL;
}

enum etl_answer etl_next(struct etl_file *f, struct event *out, struct err *err)
{
    for (;;) {
        if (f->is_walking && etl_step(f, &f->spot, &f->walk, &f->is_damaged, out))
            return ETL_EVENT;
        f->is_walking = false;
        f->ts = f->walk.ts;
        const enum etl_answer answer = etl_scan(f, &f->spot, err);
        if (answer != ETL_EVENT)
            return answer;
        if (!etl_load(f, &f->spot, &f->unpacked, &f->walk, &f->is_damaged, err))
            return ETL_FAILED;
        f->is_walking = true;
    }
}
