#include "src/etl_feed.h"

#include "src/bytes.h"

enum {
    PIECE = 64 * 1024,
    WHOLE_MOST = PIECE + ETL_RECORD_MOST, /* smaller buffers come in one piece */
    PREFIX = 512,                         /* holds the header of the first record */
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
        etl_say_cut(f, &feed->spot, feed->spot.head.end, (size_t)(feed->in_at - feed->spot.offset),
                    &feed->is_damaged);
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
        const uint32_t all = feed->spot.head.end - ETL_BUFFER_HEADER;
        const struct etl_unpacked u = { .bytes = all - feed->walk.beyond + *got, .is_bad = step.is_bad };
        if (have < packed)
            etl_say_cut(f, &feed->spot, feed->spot.head.bytes,
                        (size_t)(feed->in_at - feed->spot.offset), &feed->is_damaged);
        etl_say_unpacked(f, &feed->spot, all, &u, &feed->is_damaged);
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
    if (event_parse(feed->walk.data, feed->walk.bytes, &e) == EVENT_OK)
        return true;
    feed->in_left = 0;
    return etl_load(f, &feed->spot, &feed->room, &feed->walk, &feed->is_damaged, err);
}

static bool open_pieces(struct etl_feed *feed, struct etl_file *f, uint32_t all, struct err *err)
{
    const bool is_compressed = feed->spot.head.is_compressed;
    const uint32_t first = all <= WHOLE_MOST ? all : PIECE;
    if (!etl_room_get(&feed->room, all <= WHOLE_MOST ? all + 1 : WHOLE_MOST, err))
        return false;
    feed->in_at = feed->spot.offset + ETL_BUFFER_HEADER;
    feed->in_left = is_compressed ? feed->spot.head.bytes - ETL_BUFFER_HEADER : all;
    feed->walk.data = feed->room.bytes;
    feed->walk.beyond = all;
    return feed_more(feed, f, first, err) && (!is_compressed || reload_strange(feed, f, err));
}

bool etl_feed_open(struct etl_feed *feed, struct etl_file *f, const struct etl_spot *spot,
                   int64_t ts, struct err *err)
{
    const uint32_t all = spot->head.end - ETL_BUFFER_HEADER;
    *feed = (struct etl_feed){ .spot = *spot, .room = feed->room };
    feed->walk = (struct etl_walk){ .cpu = spot->head.cpu };
    const bool is_good = spot->head.is_compressed && all <= WHOLE_MOST
                             ? etl_load(f, spot, &feed->room, &feed->walk, &feed->is_damaged, err)
                             : open_pieces(feed, f, all, err);
    feed->walk.ts = ts;
    if (is_good)
        etl_first_time(feed->walk.data, feed->walk.bytes, &feed->walk.ts);
    return is_good;
}

enum etl_answer etl_feed_next(struct etl_feed *feed, struct etl_file *f, struct event *out,
                              struct err *err)
{
    struct etl_walk *w = &feed->walk;
    if (w->beyond && w->bytes - w->at < ETL_RECORD_MOST &&
        !feed_more(feed, f, least(w->beyond, PIECE), err))
        return ETL_FAILED;
    return etl_step(f, &feed->spot, w, &feed->is_damaged, out) ? ETL_EVENT : ETL_END;
}

/* ---- the first time ------------------------------------------------------------------ */

/* The first `want` bytes of a buffer's data, decompressed where they must be. */
static bool peek(struct etl_file *f, const struct etl_spot *spot, uint32_t want,
                 const uint8_t **data, size_t *bytes, struct err *err)
{
    const uint32_t all = spot->head.end - ETL_BUFFER_HEADER;
    const uint32_t part = least(all, want);
    const uint32_t in = spot->head.is_compressed
                            ? least(spot->head.bytes - ETL_BUFFER_HEADER, packed_for(part))
                            : part;
    size_t got;
    const uint8_t *at = etl_window_at(f, spot->offset, ETL_BUFFER_HEADER + (size_t)in, &got, err);
    if (!at)
        return false;
    got = got > ETL_BUFFER_HEADER ? got - ETL_BUFFER_HEADER : 0;
    *data = at + ETL_BUFFER_HEADER;
    *bytes = got;
    if (!spot->head.is_compressed)
        return true;
    if (!etl_room_get(&f->unpacked, part + 1, err))
        return false;
    *data = f->unpacked.bytes;
    *bytes = xpress_decode(at + ETL_BUFFER_HEADER, got, f->unpacked.bytes, part).out;
    return true;
}

bool etl_feed_first_time(struct etl_file *f, const struct etl_spot *spot, int64_t *ts,
                         struct err *err)
{
    static const uint32_t wants[] = { PREFIX, UINT32_MAX };
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        const uint8_t *data;
        size_t bytes;
        struct event e;
        if (!peek(f, spot, wants[i], &data, &bytes, err))
            return false;
        if (etl_first_time(data, bytes, ts))
            return true;
        /* Only messages without a time make it worth to look further. */
        if (event_parse(data, bytes, &e) == EVENT_BAD_MARKER)
            return true;
    }
    return true;
}
