/* From buffer to buffer.
 *
 * Nothing but walking finds the buffers: each header holds its size. In an ordinary
 * log all have one size, so after a damaged header the next multiple of it is
 * tried; in a compressed log sizes differ and nothing is aligned, so every byte
 * may start the next one, and a candidate counts when the header it leads to is
 * good as well. */
#include "src/base/text.h"
#include "src/etl/file.h"
#include "src/os/atomic_file.h"

#include <inttypes.h>

/* Candidates that a search for the next buffer looks behind, in all of a file. */
enum { PROBES_MOST = 1 << 20 };

enum found { FOUND_BUFFER, FOUND_NONE, FOUND_END, FOUND_FAILED };

static enum found header_at(struct etl_file *f, uint64_t offset, struct etl_buffer *out,
                            struct err *why, struct err *err)
{
    size_t got;
    const uint8_t *at = etl_window_at(f, offset, ETL_BUFFER_HEADER, &got, err);
    if (!at)
        return FOUND_FAILED;
    if (got < ETL_BUFFER_HEADER) {
        fail(why, "expected a buffer header of %d bytes, found %zu", ETL_BUFFER_HEADER, got);
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

bool etl_is_header_or_end(struct etl_file *f, uint64_t offset)
{
    struct etl_buffer b;
    const enum found found = probe_at(f, offset, &b);
    return found == FOUND_BUFFER || (found == FOUND_END && offset == etl_size_now(f));
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
                   etl_is_header_or_end(f, offset + b.bytes)
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
    const uint64_t end = etl_size_now(f);
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
static void report_unused(struct etl_file *f, uint64_t bytes)
{
    f->tally.never_stopped = true;
    etl_notice(f,
               "%s: the trace was never stopped: the %" PRIu64 " bytes from %" PRIu64
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
    uint64_t to = etl_size_now(f);
    if (!is_unused && search(f, &to, err) == FOUND_FAILED)
        return FOUND_FAILED;
    const uint64_t bytes = to > f->at ? to - f->at : 0;
    if (is_unused) {
        report_unused(f, bytes);
    } else {
        etl_notice(f, "%s: buffer at %" PRIu64 ": %s; skipped %" PRIu64 " bytes", f->name, f->at,
                   why->text, bytes);
        f->tally.damaged_buffers++;
        f->tally.skipped_bytes += bytes;
    }
    f->at = to;
    return FOUND_NONE;
}

bool etl_settle_size(struct etl_file *f, struct etl_spot *spot)
{
    struct etl_buffer *b = &spot->head;
    if (!f->stride || b->bytes == f->stride || b->is_compressed ||
        etl_is_header_or_end(f, spot->offset + b->bytes) ||
        !etl_is_header_or_end(f, spot->offset + f->stride))
        return true;
    b->bytes = f->stride;
    b->end = b->end < f->stride ? b->end : f->stride;
    return false;
}

/* A circular log counts what it overwrote as well, once it has come round. */
static bool has_wrapped(const struct etl_file *f)
{
    const struct etl_header *h = &f->header;
    const uint64_t most = (uint64_t)h->maximum_size << (h->mode & ETL_MODE_KBYTES ? 10 : 20);
    return h->mode & ETL_MODE_CIRCULAR && (!most || (f->tally.buffers + 1) * h->buffer_bytes > most);
}

/* The sentences that only the end of the file allows. */
static void finish(struct etl_file *f)
{
    if (f->is_finished)
        return;
    f->is_finished = true;
    const struct etl_header *h = &f->header;
    char count[TEXT_COUNT];
    const uint64_t found = f->tally.buffers;
    const bool was_reported = f->tally.never_stopped;
    f->tally.never_stopped |= h->end == 0 || h->buffers_written < found;
    if (f->tally.never_stopped && !was_reported && atomic_file_final_length(f->name))
        etl_notice(f,
                   "%s: the trace was never stopped: it is still being written, or its writer was "
                   "killed; %s read",
                   f->name, text_count(count, found, "buffer"));
    else if (f->tally.never_stopped && !was_reported)
        etl_notice(f,
                   "%s: the trace was never stopped: its header counts %" PRIu32
                   " buffers, %" PRIu64 " were found and read",
                   f->name, h->buffers_written, found);
    if (f->tally.passed_buffers)
        etl_notice(f, "%s: %s skipped, of kinds that hold no events", f->name,
                   text_count(count, f->tally.passed_buffers, "buffer"));
    if (h->buffers_written > found && !has_wrapped(f)) {
        f->tally.missing_buffers = h->buffers_written - found;
        etl_notice(f, "%s: buffers by the trace header: %" PRIu32 "; readable: %" PRIu64, f->name,
                   h->buffers_written, found);
    }
}

/* Of a file that is being written: is the buffer at f->at there as a whole? */
static bool is_whole_yet(struct etl_file *f)
{
    struct etl_buffer b;
    return probe_at(f, f->at, &b) == FOUND_BUFFER && f->at + b.bytes <= etl_size_now(f);
}

enum etl_answer etl_scan(struct etl_file *f, struct etl_spot *out, struct err *err)
{
    if (f->is_growing && !is_whole_yet(f))
        return ETL_END;
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
        const uint32_t reported = b->bytes;
        if (!etl_settle_size(f, out)) {
            etl_notice(f,
                       "%s: buffer at %" PRIu64 ": expected a size of %" PRIu32
                       " bytes like all others, found %" PRIu32,
                       f->name, f->at, f->stride, reported);
            f->tally.damaged_buffers++;
        }
        f->at += b->bytes;
        f->tally.buffers++;
        if (etl_buffer_has_events(b))
            return ETL_EVENT;
        f->tally.passed_buffers++;
    }
}
