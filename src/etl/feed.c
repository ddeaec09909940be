/* The records of one buffer. Small ones come whole, in the file's window or
 * decompressed; large ones in pieces, each behind what the walk left of the one before
 * (a record that was cut by the piece, and the bytes that decompressing refers to). */
#include "src/etl/file.h"

#include "src/base/bytes.h"

#include <stdlib.h>

enum {
    PIECE = 64 * 1024,
    PIECES_ROOM = PIECE + ETL_RECORD_MOST,
    WHOLE_MOST = 256 * 1024, /* data that a reader of one buffer takes at once */
    PREFIX = 512,            /* holds the header of the first record */
};

/* Compressed bytes that are enough for `bytes` of data: a flag bit for each literal,
 * and no match is longer than what it stands for. */
static uint32_t packed_for(uint32_t bytes)
{
    return bytes + bytes / 8 + 64;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t data_bytes(const struct etl_feed *feed)
{
    return feed->spot.head.end - ETL_BUFFER_HEADER;
}

/* ---- whole buffers ------------------------------------------------------------------ */

static bool borrow(struct etl_feed *feed, struct etl_file *f, struct err *err)
{
    const struct etl_spot *spot = &feed->spot;
    size_t got;
    const uint8_t *at = etl_window_at(f, spot->offset, spot->head.end, &got, err);
    if (!at)
        return false;
    if (got < spot->head.end)
        etl_notice_cut(f, feed, spot->head.end, got);
    feed->walk.data = at + ETL_BUFFER_HEADER;
    feed->walk.bytes = got > ETL_BUFFER_HEADER ? (uint32_t)got - ETL_BUFFER_HEADER : 0;
    return true;
}

static bool unpack(struct etl_feed *feed, struct etl_file *f, struct err *err)
{
    const struct etl_spot *spot = &feed->spot;
    const uint32_t want = data_bytes(feed);
    size_t got;
    const uint8_t *at = etl_window_at(f, spot->offset, spot->head.bytes, &got, err);
    if (!at || !etl_room_get(&feed->room, want + 1, err))
        return false;
    if (got < spot->head.bytes)
        etl_notice_cut(f, feed, spot->head.bytes, got);
    const size_t packed = got > ETL_BUFFER_HEADER ? got - ETL_BUFFER_HEADER : 0;
    const struct etl_unpacked u =
        etl_unpack(at + ETL_BUFFER_HEADER, packed, feed->room.bytes, want);
    if (u.bytes < want || u.foreign)
        etl_notice_unpacked(f, feed, &u);
    feed->walk.data = feed->room.bytes;
    feed->walk.bytes = u.bytes;
    return true;
}

/* ---- pieces ------------------------------------------------------------------------ */

/* Reads `want` bytes to `to`; fewer only where the file ends, and then that is said. */
static bool read_plain(struct etl_feed *feed, struct etl_file *f, uint8_t *to, uint32_t want,
                       uint32_t *got, struct err *err)
{
    const int64_t came = os_read_at(f->os, to, want, feed->in_at, err);
    if (came < 0)
        return false;
    *got = (uint32_t)came;
    f->tally.bytes += *got;
    feed->in_at += *got;
    feed->in_left -= *got;
    if (*got < want)
        etl_notice_cut(f, feed, feed->spot.head.end, (size_t)(feed->in_at - feed->spot.offset));
    return true;
}

static bool read_packed(struct etl_feed *feed, struct etl_file *f, uint8_t *to, size_t behind,
                        uint32_t want, uint32_t *got, struct err *err)
{
    const uint32_t packed = least(feed->in_left, packed_for(want));
    size_t have;
    const uint8_t *in = etl_window_at(f, feed->in_at, packed, &have, err);
    if (!in)
        return false;
    const struct xpress_step step = xpress_more(&feed->xpress, in, have, to, behind, want);
    *got = (uint32_t)step.out;
    feed->in_at += step.in;
    feed->in_left -= (uint32_t)step.in;
    if (*got < want) {
        const uint32_t all = data_bytes(feed);
        const struct etl_unpacked u = {.bytes = all - feed->walk.beyond + *got,
                                       .is_bad = step.is_bad};
        if (have < packed)
            etl_notice_cut(f, feed, feed->spot.head.bytes,
                           (size_t)(feed->in_at - feed->spot.offset));
        etl_notice_unpacked(f, feed, &u);
    }
    return true;
}

/* Brings the next piece, at most `want` bytes, behind what the walk has not read yet
 * (and behind what decompressing may refer to). */
static bool feed_more(struct etl_feed *feed, struct etl_file *f, uint32_t want, struct err *err)
{
    struct etl_walk *w = &feed->walk;
    const bool is_compressed = feed->spot.head.is_compressed;
    const uint32_t unread = w->bytes - w->at;
    const uint32_t reach = is_compressed ? least(XPRESS_REACH, w->bytes) : 0;
    const uint32_t keep = unread > reach ? unread : reach;
    uint8_t *const front = feed->room.bytes;
    uint32_t got = 0;
    if (keep)
        memmove(front, w->data + w->bytes - keep, keep);
    w->base += w->at;
    w->data = front + keep - unread;
    w->at = 0;
    w->bytes = unread;
    const bool is_good = is_compressed ? read_packed(feed, f, front + keep, keep, want, &got, err)
                                       : read_plain(feed, f, front + keep, want, &got, err);
    w->bytes += got;
    w->beyond = got < want ? 0 : w->beyond - got;
    return is_good;
}

/* What is compressed with something else shows at the first record; naming it takes
 * the whole buffer. */
static bool reload_strange(struct etl_feed *feed, struct etl_file *f, struct err *err)
{
    struct event e;
    if (event_parse(feed->walk.data, feed->walk.bytes, &e) == EVENT_OK || feed->is_damaged)
        return true;
    feed->walk.beyond = 0;
    return unpack(feed, f, err);
}

static bool open_pieces(struct etl_feed *feed, struct etl_file *f, struct err *err)
{
    const bool is_compressed = feed->spot.head.is_compressed;
    const uint32_t all = data_bytes(feed), first = all <= PIECES_ROOM ? all : PIECE;
    if (!etl_room_get(&feed->room, all <= PIECES_ROOM ? all + 1 : PIECES_ROOM, err))
        return false;
    feed->in_at = feed->spot.offset + ETL_BUFFER_HEADER;
    feed->in_left = is_compressed ? feed->spot.head.bytes - ETL_BUFFER_HEADER : all;
    feed->walk.data = feed->room.bytes;
    feed->walk.beyond = all;
    return feed_more(feed, f, first, err) && (!is_compressed || reload_strange(feed, f, err));
}

static bool open_any(struct etl_feed *feed, struct etl_file *f, enum etl_keep keep, struct err *err)
{
    const uint32_t all = data_bytes(feed);
    if (feed->spot.head.is_compressed)
        return all <= PIECES_ROOM ? unpack(feed, f, err) : open_pieces(feed, f, err);
    return keep == ETL_BORROW && all <= WHOLE_MOST ? borrow(feed, f, err)
                                                   : open_pieces(feed, f, err);
}

bool etl_feed_open(struct etl_feed *feed, struct etl_file *f, const struct etl_spot *spot,
                   int64_t ts, enum etl_keep keep, struct err *err)
{
    *feed = (struct etl_feed){.spot = *spot, .room = feed->room, .walk.cpu = spot->head.cpu};
    if (!open_any(feed, f, keep, err))
        return false;
    feed->walk.ts = ts;
    etl_first_time(feed->walk.data, feed->walk.bytes, &feed->walk.ts);
    return true;
}

enum etl_answer etl_feed_next(struct etl_feed *feed, struct etl_file *f, struct event *out,
                              struct err *err)
{
    struct etl_walk *w = &feed->walk;
    for (;;) {
        struct err why;
        switch (etl_walk_next(w, out, &why)) {
        case ETL_STEP_EVENT:
            f->tally.events++;
            f->tally.payload_bytes += out->payload_bytes;
            return ETL_EVENT;
        case ETL_STEP_END:
            return ETL_END;
        case ETL_STEP_MORE:
            if (!feed_more(feed, f, least(w->beyond, PIECE), err))
                return ETL_FAILED;
            break;
        case ETL_STEP_DAMAGE:
            etl_notice_skipped(f, feed, why.text);
            break;
        }
    }
}

enum etl_answer etl_feed_many(struct etl_feed *feed, struct etl_file *f, struct event *out,
                              size_t room, size_t *count, struct err *err)
{
    *count = etl_walk_many(&feed->walk, out, room);
    for (size_t i = 0; i < *count; i++)
        f->tally.payload_bytes += out[i].payload_bytes;
    f->tally.events += *count;
    if (*count)
        return ETL_EVENT;
    const enum etl_answer answer = etl_feed_next(feed, f, out, err);
    *count = answer == ETL_EVENT;
    return answer;
}

/* ---- the first time ------------------------------------------------------------------ */

bool etl_feed_peek(struct etl_file *f, const struct etl_spot *spot, uint32_t want,
                   struct etl_walk *out, struct err *err)
{
    const uint32_t part = least(spot->head.end - ETL_BUFFER_HEADER, want);
    const uint32_t in = spot->head.is_compressed
                            ? least(spot->head.bytes - ETL_BUFFER_HEADER, packed_for(part))
                            : part;
    size_t got;
    const uint8_t *at = etl_window_at(f, spot->offset, ETL_BUFFER_HEADER + (size_t)in, &got, err);
    if (!at || !etl_room_get(&f->scratch, spot->head.is_compressed ? part + 1 : 0, err))
        return false;
    got = got > ETL_BUFFER_HEADER ? got - ETL_BUFFER_HEADER : 0;
    *out = (struct etl_walk){.data = at + ETL_BUFFER_HEADER, .bytes = (uint32_t)got};
    if (spot->head.is_compressed) {
        out->data = f->scratch.bytes;
        out->bytes =
            (uint32_t)xpress_decode(at + ETL_BUFFER_HEADER, got, f->scratch.bytes, part).out;
    }
    return true;
}

bool etl_feed_first_time(struct etl_file *f, const struct etl_spot *spot, int64_t *ts,
                         struct err *err)
{
    static const uint32_t wants[] = {PREFIX, UINT32_MAX};
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        struct etl_walk w;
        struct event e;
        if (!etl_feed_peek(f, spot, wants[i], &w, err))
            return false;
        if (etl_first_time(w.data, w.bytes, ts))
            return true;
        /* Only messages without a time make it worth to look further. */
        if (event_parse(w.data, w.bytes, &e) == EVENT_BAD_MARKER)
            return true;
    }
    return true;
}
