/* Reports about a file: describes and counts its damage. */
#include "src/etl/file.h"

#include "src/base/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void etl_notice(struct etl_file *f, const char *format, ...)
{
    if (f->sentence_count == ETL_SENTENCES)
        return;
    if (f->sentence_count == ETL_SENTENCES - 1)
        format = "%s: more of the same kind follow; they are only counted";
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    f->sentences[f->sentence_count++] = mem_string(text);
}

static void damage_buffer(struct etl_file *f, struct etl_feed *feed)
{
    f->tally.damaged_buffers += !feed->is_damaged;
    feed->is_damaged = true;
}

void etl_notice_skipped(struct etl_file *f, struct etl_feed *feed, const char *why)
{
    etl_notice(f, "%s: buffer at %" PRIu64 ": %s; skipped %" PRIu32 " bytes", f->name,
               feed->spot.offset, why, feed->walk.skipped);
    damage_buffer(f, feed);
    f->tally.skipped_bytes += feed->walk.skipped;
}

void etl_notice_cut(struct etl_file *f, struct etl_feed *feed, uint32_t want, size_t got)
{
    const bool did_shrink = etl_size_now(f) < f->size;
    etl_notice(f,
               "%s: buffer at %" PRIu64 ": expected %" PRIu32 " bytes, but the file %s after %zu",
               f->name, feed->spot.offset, want,
               did_shrink ? "shrank while it was read and ends" : "ends", got);
    damage_buffer(f, feed);
}

void etl_notice_unpacked(struct etl_file *f, struct etl_feed *feed, const struct etl_unpacked *u)
{
    const uint32_t want = feed->spot.head.end - ETL_BUFFER_HEADER;
    if (u->foreign)
        etl_notice(
            f,
            "%s: buffer at %" PRIu64
            ": expected data compressed with Xpress (plain LZ77), found %s, which tracetop does "
            "not read",
            f->name, feed->spot.offset, u->foreign);
    else if (!feed->is_damaged)
        etl_notice(f,
                   "%s: buffer at %" PRIu64 ": expected %" PRIu32
                   " bytes of decompressed data, found %" PRIu32 " before the compressed stream %s",
                   f->name, feed->spot.offset, want, u->bytes, u->is_bad ? "goes bad" : "ends");
    damage_buffer(f, feed);
    f->tally.skipped_bytes += want - u->bytes;
}

void etl_notice_changed(struct etl_file *f, struct etl_feed *feed, const char *why)
{
    etl_notice(f, "%s: buffer at %" PRIu64 ": the file changed while it was read: %s", f->name,
               feed->spot.offset, why);
    damage_buffer(f, feed);
}
