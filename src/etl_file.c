/* One file: from buffer to buffer.
 *
 * Nothing but walking finds the buffers: each header holds its size. In an ordinary
 * log all have one size, so after a damaged header the next multiple of it is
 * tried; in a compressed log sizes differ and nothing is aligned, so every byte
 * may start the next one, and a candidate counts when the header it leads to is
 * good as well. */
#include "src/etl_ahead.h"

#include "src/bytes.h"
#include "src/mem.h"
#include "src/zst.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MODE_CIRCULAR = 0x2,
    MODE_KBYTES = 0x2000,
    MODE_COMPRESSED = 0x04000000,
    /* Big enough that the system call does not count, small enough for the cache. */
    CHUNK = 256 * 1024,
    /* Candidates that a search for the next buffer looks behind, in all of a file. */
    PROBES_MOST = 1 << 20,
    /* Packed bytes that take longer to read than a thread takes to start. */
    AHEAD_LEAST = 1024 * 1024,
};

/* ---- sentences --------------------------------------------------------------------- */

static void say(struct etl_file *f, const char *format, ...) PRINTF_LIKE(2, 3);

static void say(struct etl_file *f, const char *format, ...)
{
    if (f->sentence_count == ETL_SENTENCES)
        return;
    if (f->sentence_count == ETL_SENTENCES - 1)
        format = "%s: there is more of the kind; it is only counted";
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

static void damage_buffer(struct etl_file *f, struct etl_feed *feed)
{
    f->tally.damaged_buffers += !feed->is_damaged;
    feed->is_damaged = true;
}

/* ---- bytes of the file --------------------------------------------------------------- */

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
static uint64_t size_now(const struct etl_file *f)
{
    const int64_t size = os_size(f->os);
    return size < 0 ? f->size : (uint64_t)size;
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
        fail(why, "a buffer header of %d bytes was expected, %zu bytes found", ETL_BUFFER_HEADER,
             got);
        return got ? FOUND_NONE : FOUND_END;
    }
    *out = etl_buffer_read(at);
    return etl_buffer_check(out, why) ? FOUND_BUFFER : FOUND_NONE;
}

/* The same for a place far from where reading goes on: the window stays where it is. */
static enum found probe_at(struct etl_file *f, uint64_t offset, struct etl_buffer *out)
{
    uint8_t bytes[ETL_BUFFER_HEADER];
    const int64_t got = os_read_at(f->os, bytes, sizeof bytes, offset, NULL);
    if (got < (int64_t)sizeof bytes)
        return got > 0 ? FOUND_NONE : FOUND_END;
    *out = etl_buffer_read(bytes);
    return etl_buffer_check(out, NULL) ? FOUND_BUFFER : FOUND_NONE;
}

static bool is_header_or_end(struct etl_file *f, uint64_t offset)
{
    struct etl_buffer b;
    const enum found found = probe_at(f, offset, &b);
    return found == FOUND_BUFFER || (found == FOUND_END && offset == size_now(f));
}

/* A header that a search came upon counts when what it leads to is one as well, or
 * the end of the file. Looking costs a read: where every byte looks like a header, the
 * search gives up one day. */
static enum found chain_at(struct etl_file *f, uint64_t offset, struct err *err)
{
    struct etl_buffer b;
    const enum found found = header_at(f, offset, &b, NULL, err);
    if (found != FOUND_BUFFER || f->stride)
        return found;
    return etl_buffer_is_familiar(&b) && f->probes++ < PROBES_MOST &&
                   is_header_or_end(f, offset + b.bytes)
               ? FOUND_BUFFER
               : FOUND_NONE;
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
    say(f,
        "%s: the log was never stopped: the %" PRIu64 " bytes from %" PRIu64
        " on were set aside and never written",
        f->name, bytes, f->at);
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
        say(f, "%s: buffer at %" PRIu64 ": %s; skipped %" PRIu64 " bytes", f->name, f->at,
            why->text, bytes);
        f->tally.damaged_buffers++;
        skip_bytes(f, bytes);
    }
    f->at = to;
    return FOUND_NONE;
}

bool etl_settle_size(struct etl_file *f, struct etl_spot *spot)
{
    struct etl_buffer *b = &spot->head;
    if (!f->stride || b->bytes == f->stride || b->is_compressed ||
        is_header_or_end(f, spot->offset + b->bytes) ||
        !is_header_or_end(f, spot->offset + f->stride))
        return true;
    b->bytes = f->stride;
    b->end = b->end < f->stride ? b->end : f->stride;
    return false;
}

/* A circular log counts what it overwrote as well, once it has come round. */
static bool has_wrapped(const struct etl_file *f)
{
    const struct etl_header *h = &f->header;
    const uint64_t most = (uint64_t)h->maximum_size << (h->mode & MODE_KBYTES ? 10 : 20);
    return h->mode & MODE_CIRCULAR && (!most || (f->tally.buffers + 1) * h->buffer_bytes > most);
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
        say(f,
            "%s: the log was never stopped: its header counts %" PRIu32 " buffers and was not "
            "closed, %" PRIu64 " were found and read",
            f->name, h->buffers_written, found);
    if (f->tally.passed_buffers)
        say(f, "%s: %" PRIu64 " buffers of kinds that hold no events of their own were passed over",
            f->name, f->tally.passed_buffers);
    if (h->buffers_written > found && !has_wrapped(f)) {
        f->tally.missing_buffers = h->buffers_written - found;
        say(f, "%s: the header counts %" PRIu32 " buffers, %" PRIu64 " readable ones were found",
            f->name, h->buffers_written, found);
    }
}

enum etl_answer etl_scan(struct etl_file *f, struct etl_spot *out, struct err *err)
{
    for (;;) {
        struct err why;
        struct etl_buffer *b = &out->head;
        *b = (struct etl_buffer){0};
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
        out->offset = f->previous = f->at;
        const uint32_t said = b->bytes;
        if (!etl_settle_size(f, out)) {
            say(f,
                "%s: buffer at %" PRIu64 ": a size of %" PRIu32
                " bytes like all others was expected, %" PRIu32 " found",
                f->name, f->at, f->stride, said);
            f->tally.damaged_buffers++;
        }
        f->at += b->bytes;
        f->tally.buffers++;
        if (etl_buffer_has_events(b))
            return ETL_EVENT;
        f->tally.passed_buffers++;
    }
}

/* ---- damage inside a buffer ----------------------------------------------------------------- */

void etl_say_skipped(struct etl_file *f, struct etl_feed *feed, const char *why)
{
    say(f, "%s: buffer at %" PRIu64 ": %s; skipped %" PRIu32 " bytes", f->name, feed->spot.offset,
        why, feed->walk.skipped);
    damage_buffer(f, feed);
    skip_bytes(f, feed->walk.skipped);
}

void etl_say_cut(struct etl_file *f, struct etl_feed *feed, uint32_t want, size_t got)
{
    const bool did_shrink = size_now(f) < f->size;
    say(f,
        "%s: buffer at %" PRIu64 ": %" PRIu32 " bytes were expected, the file %s after %zu of them",
        f->name, feed->spot.offset, want, did_shrink ? "shrank while it was read and ends" : "ends",
        got);
    damage_buffer(f, feed);
}

void etl_say_unpacked(struct etl_file *f, struct etl_feed *feed, const struct etl_unpacked *u)
{
    const uint32_t want = feed->spot.head.end - ETL_BUFFER_HEADER;
    if (u->foreign)
        say(f,
            "%s: buffer at %" PRIu64 ": data compressed with Xpress (plain LZ77) was expected, "
            "%s found, which tracetop does not read",
            f->name, feed->spot.offset, u->foreign);
    else if (!feed->is_damaged)
        say(f,
            "%s: buffer at %" PRIu64 ": %" PRIu32
            " bytes of decompressed data were expected, %" PRIu32
            " found before the compressed stream %s",
            f->name, feed->spot.offset, want, u->bytes, u->is_bad ? "goes bad" : "ends");
    damage_buffer(f, feed);
    skip_bytes(f, want - u->bytes);
}

void etl_say_changed(struct etl_file *f, struct etl_feed *feed, const char *why)
{
    say(f, "%s: buffer at %" PRIu64 ": the file changed while it was read: %s", f->name,
        feed->spot.offset, why);
    damage_buffer(f, feed);
}

/* ---- the file ------------------------------------------------------------------------------- */

static bool open_plain(struct etl_file *f, struct err *err)
{
    if (os_path_kind(f->name) == OS_DIRECTORY)
        return fail(err, "%s: an .etl file was expected, a directory found", f->name);
    f->os = os_open(f->name, err);
    return f->os != NULL;
}

/* In a log that is not compressed all buffers have the size that its header event tells;
 * a header event that tells something else is not believed. */
static void set_stride(struct etl_file *f, const struct etl_buffer *first)
{
    const uint32_t told = f->header.buffer_bytes;
    if (f->header.mode & MODE_COMPRESSED || first->is_compressed)
        return;
    f->stride =
        told != first->bytes && is_header_or_end(f, told) && !is_header_or_end(f, first->bytes)
            ? told
            : first->bytes;
    if (f->stride > CHUNK)
        f->window.chunk = ETL_SCAN_CHUNK; /* the data comes in pieces of their own */
}

/* The first buffer and the log header in it. */
static bool open_header(struct etl_file *f, struct err *err)
{
    struct err why;
    struct event e;
    size_t got;
    const uint8_t *at = etl_window_at(f, 0, ETL_BUFFER_HEADER, &got, err);
    if (!at)
        return false;
    if (got == 0)
        return fail(err, "%s: an .etl file was expected, an empty file found", f->name);
    if (got < ETL_BUFFER_HEADER)
        return fail(err,
                    "%s: not an .etl file: a buffer header of %d bytes was expected, %zu bytes "
                    "found",
                    f->name, ETL_BUFFER_HEADER, got);
    const struct etl_spot spot = {.head = etl_buffer_read(at)};
    if (!etl_buffer_check(&spot.head, &why))
        return fail(err, "%s: not an .etl file: at 0: %s", f->name, why.text);
    struct etl_walk w;
    if (!etl_feed_peek(f, &spot, ETL_RECORD_MOST, &w, err))
        return false;
    if (w.bytes < 8)
        return fail(err,
                    "%s: not an .etl file: at 0: a log header was expected, an empty buffer "
                    "found",
                    f->name);
    if (etl_walk_next(&w, &e, &why) != ETL_STEP_EVENT || !etl_header_read(&e, &f->header, &why))
        return fail(err, "%s: not an .etl file: at 0: %s", f->name, why.text);
    const struct etl_refused *const r = &f->header.refused;
    if (r->name)
        say(f, "%s: the log header says %s %" PRIu32 ", at most %" PRIu32 " are possible: ignored",
            f->name, r->name, r->found, r->most);
    set_stride(f, &spot.head);
    return true;
}

/* ---- compressed files ------------------------------------------------------------------------ */

static void forget_sentences(struct etl_file *f)
{
    while (f->sentence_count)
        free(f->sentences[--f->sentence_count]);
}

/* The log header of a compressed file, from as little of it as does: a file that is no trace is
 * refused before anything else of it is unpacked. */
static bool read_head(struct etl_file *f, struct err *err)
{
    enum { HEAD = ETL_BUFFER_HEADER + ETL_RECORD_MOST };
    struct os_file *const packed = f->os, *const head = os_open_unnamed(err);
    uint8_t *const bytes = head ? mem_new(HEAD, 1) : NULL;
    const int64_t got = head ? zst_head(packed, bytes, HEAD) : 0;
    bool is_good = head && (got >= 0 || fail(err, "%s: no memory to unpack it", f->name)) &&
                   os_write_at(head, bytes, (size_t)got, 0, err);
    if (is_good && got > 0) { /* where nothing comes, unpacking says why */
        f->os = head;
        f->size = (uint64_t)got;
        is_good = open_header(f, err);
        f->os = packed;
    }
    free(bytes);
    os_close(head);
    forget_sentences(f);
    f->window.have = 0;
    f->window.offset = 0;
    f->tally = (struct etl_tally){0};
    return is_good;
}

/* What such a log may unpack to: four times what its header counts, for logs go on in old files;
 * where it was never stopped and counts nothing, what its packed size makes likely. */
static int64_t most_of(const struct etl_file *f, int64_t packed)
{
    enum { LEAST = 64 << 20, RATIO = 1024 };
    const struct etl_header *const h = &f->header;
    const uint64_t buffer = h->buffer_bytes ? h->buffer_bytes : 64 << 10;
    const uint64_t written = h->buffers_written * buffer;
    const uint64_t set = (uint64_t)h->maximum_size << (h->mode & MODE_KBYTES ? 10 : 20);
    const uint64_t said = h->end ? written > set ? written : set : 0;
    const uint64_t by_header = said ? said * 4 + LEAST : (uint64_t)ZST_MOST;
    const uint64_t by_size = LEAST + (uint64_t)(packed > 0 ? packed : 0) * RATIO;
    const uint64_t most = by_header < by_size ? by_header : by_size;
    return most < (uint64_t)ZST_MOST ? (int64_t)most : ZST_MOST;
}

static bool unpack_zst(struct etl_file *f, struct err *err)
{
    if (!zst_is(f->os))
        return true;
    if (!read_head(f, err))
        return false;
    struct err damage;
    struct os_file *to = zst_unpack(f->os, f->name, most_of(f, os_size(f->os)), &damage, err);
    os_close(f->os);
    f->os = to;
    if (to && damage.text[0]) {
        say(f, "%s", damage.text);
        f->tally.damaged_buffers++;
    }
    return to != NULL;
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
    return f;
}

void etl_close(struct etl_file *f)
{
    if (!f)
        return;
    etl_ahead_free(f->ahead);
    os_close(f->os);
    for (unsigned i = 0; i < f->sentence_count; i++)
        free(f->sentences[i]);
    free(f->window.room.bytes);
    free(f->scratch.bytes);
    free(f->feed.room.bytes);
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

/* The next buffer that has events into the feed. */
static enum etl_answer next_buffer(struct etl_file *f, struct err *err)
{
    if (f->ahead)
        return etl_ahead_next(f->ahead, f, err);
    struct etl_spot spot;
    const enum etl_answer answer = etl_scan(f, &spot, err);
    if (answer != ETL_EVENT)
        return answer;
    if (spot.head.is_compressed && f->size - f->at > AHEAD_LEAST && os_processors() > 1)
        f->ahead = etl_ahead_new(); /* from the next buffer on */
    return etl_feed_open(&f->feed, f, &spot, f->ts, ETL_BORROW, err) ? ETL_EVENT : ETL_FAILED;
}

enum etl_answer etl_next_many(struct etl_file *f, struct event *out, size_t room, size_t *count,
                              struct err *err)
{
    for (;;) {
        if (f->is_feeding) {
            const enum etl_answer answer = etl_feed_many(&f->feed, f, out, room, count, err);
            if (answer != ETL_END)
                return answer;
            f->ts = f->feed.walk.ts;
            f->is_feeding = false;
        }
        const enum etl_answer answer = next_buffer(f, err);
        if (answer != ETL_EVENT)
            return answer;
        f->is_feeding = true;
    }
}

enum etl_answer etl_next(struct etl_file *f, struct event *out, struct err *err)
{
    size_t count;
    return etl_next_many(f, out, 1, &count, err);
}
