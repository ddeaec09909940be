/* One file: opened, read in file order, closed. */
#include "src/etl/ahead.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/os/atomic_file.h"
#include "src/os/zst.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    /* Big enough that the system call does not count, small enough for the cache. */
    CHUNK = 256 * 1024,
    /* Packed bytes that take longer to read than a thread takes to start. */
    AHEAD_LEAST = 1024 * 1024,
};

/* An unfinished trace that got its name between the caller's look into the folder and now. */
static struct os_file *open_finished(const char *name)
{
    const size_t length = atomic_file_final_length(name);
    if (!length)
        return NULL;
    char *const whole = mem_string(name);
    whole[length] = '\0';
    struct os_file *const f = os_open(whole, NULL);
    free(whole);
    return f;
}

static bool open_plain(struct etl_file *f, struct err *err)
{
    if (os_path_kind(f->name) == OS_DIRECTORY)
        return fail(err, "%s: expected an .etl file, found a directory", f->name);
    f->os = os_open(f->name, err);
    if (!f->os)
        f->os = open_finished(f->name);
    return f->os != NULL;
}

/* In an uncompressed trace all buffers have one size: that of the first, unless only the size in
 * the trace header leads to a second buffer or the end. */
static void set_stride(struct etl_file *f, const struct etl_buffer *first)
{
    const uint32_t reported = f->header.buffer_bytes;
    if (f->header.mode & ETL_MODE_COMPRESSED || first->is_compressed)
        return;
    f->stride = reported != first->bytes && etl_is_header_or_end(f, reported) &&
                        !etl_is_header_or_end(f, first->bytes)
                    ? reported
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
        return fail(err, "%s: expected an .etl file, found an empty file", f->name);
    if (got < ETL_BUFFER_HEADER)
        return fail(err, "%s: not an .etl file: expected a buffer header of %d bytes, found %zu",
                    f->name, ETL_BUFFER_HEADER, got);
    const struct etl_spot spot = {.head = etl_buffer_read(at)};
    if (!etl_buffer_check(&spot.head, &why))
        return fail(err, "%s: not an .etl file: at 0: %s", f->name, why.text);
    struct etl_walk w;
    if (!etl_feed_peek(f, &spot, ETL_RECORD_MOST, &w, err))
        return false;
    if (w.bytes < 8)
        return fail(err,
                    "%s: not an .etl file: at 0: expected a trace header, found an empty buffer",
                    f->name);
    if (etl_walk_next(&w, &e, &why) != ETL_STEP_EVENT || !etl_header_read(&e, &f->header, &why))
        return fail(err, "%s: not an .etl file: at 0: %s", f->name, why.text);
    const struct etl_refused *const r = &f->header.refused;
    if (r->name)
        etl_notice(f,
                   "%s: the trace header says %s %" PRIu32 ", at most %" PRIu32
                   " are possible: ignored",
                   f->name, r->name, r->found, r->most);
    set_stride(f, &spot.head);
    return true;
}

bool etl_read_header_again(struct etl_file *f, struct err *err)
{
    const struct etl_header before = f->header;
    f->window.have = 0; /* as it was before */
    if (!open_header(f, err)) {
        f->header = before;
        return false;
    }
    if (!f->header.cpus)
        f->header.cpus = before.cpus;
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
    const uint64_t set = (uint64_t)h->maximum_size << (h->mode & ETL_MODE_KBYTES ? 10 : 20);
    const uint64_t reported = h->end ? written > set ? written : set : 0;
    const uint64_t by_header = reported ? reported * 4 + LEAST : (uint64_t)ZST_MOST;
    const uint64_t by_size = LEAST + (uint64_t)(packed > 0 ? packed : 0) * RATIO;
    const uint64_t most = by_header < by_size ? by_header : by_size;
    return most < (uint64_t)ZST_MOST ? (int64_t)most : ZST_MOST;
}

static bool unpack_zst(struct etl_file *f, const struct zst_stop *stop, struct err *err)
{
    if (!zst_is(f->os))
        return true;
    if (!read_head(f, err))
        return false;
    struct err damage;
    struct os_file *to = zst_unpack(f->os, f->name, most_of(f, os_size(f->os)), stop, &damage, err);
    os_close(f->os);
    f->os = to;
    if (to && damage.text[0])
        f->damage = mem_string(damage.text);
    return to != NULL;
}

/* ---- open and close -------------------------------------------------------------------------- */

static struct etl_file *file_new(const char *name)
{
    struct etl_file *const f = mem_new(1, sizeof *f);
    f->name = mem_string(name);
    f->window.chunk = CHUNK;
    return f;
}

/* The bytes are at hand, unpacked. */
static bool begin(struct etl_file *f, struct err *err)
{
    if (f->damage) {
        etl_notice(f, "%s", f->damage);
        f->tally.damaged_buffers++;
    }
    f->size = etl_size_now(f);
    if (!open_header(f, err))
        return false;
    f->clock = etl_header_clock(&f->header);
    f->ts = f->header.ts;
    return true;
}

static struct etl_file *open_file(const char *name, const struct zst_stop *stop, struct err *err)
{
    struct etl_file *const f = file_new(name);
    if (open_plain(f, err) && unpack_zst(f, stop, err) && begin(f, err))
        return f;
    etl_close(f);
    return NULL;
}

struct etl_file *etl_open_again(const struct etl_file *of, struct err *err)
{
    struct etl_file *const f = file_new(of->name);
    f->damage = of->damage ? mem_string(of->damage) : NULL;
    f->os = os_open_again(of->os, err);
    if (f->os && begin(f, err))
        return f;
    etl_close(f);
    return NULL;
}

struct etl_file *etl_open(const char *name, struct err *err)
{
    return open_file(name, NULL, err);
}

struct etl_file *etl_open_until(const char *name, bool (*is_given_up)(void *of), void *of,
                                struct err *err)
{
    return open_file(name, &(struct zst_stop){is_given_up, of}, err);
}

static void room_free(struct etl_room *r)
{
    free(r->bytes);
    *r = (struct etl_room){0};
}

void etl_rest(struct etl_file *f)
{
    etl_ahead_free(f->ahead);
    f->ahead = NULL;
    room_free(&f->window.room);
    room_free(&f->scratch);
    room_free(&f->feed.room);
}

void etl_close(struct etl_file *f)
{
    if (!f)
        return;
    etl_rest(f);
    os_close(f->os);
    forget_sentences(f);
    free(f->damage);
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
