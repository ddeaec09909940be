/* Xpress "plain LZ77", the compression of `.etl` buffers that relogging tools write
 * ([MS-XCA] 2.3, 2.4; RtlDecompressBuffer's COMPRESSION_FORMAT_XPRESS). */
#ifndef SRC_ETL_XPRESS_H
#define SRC_ETL_XPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No match reaches further back: what must be kept before `out` between two calls. */
enum { XPRESS_REACH = 8192 };

/* A stream between two calls; zero to start. */
struct xpress {
    uint64_t flags;    /* at the top; a single 1 behind them; 0 = all used */
    uint32_t distance; /* of the match that did not fit, */
    uint32_t pending;  /* and its bytes that are still to come */
    uint8_t nibble;    /* the next length nibble, where there is one */
    bool has_nibble;
};

struct xpress_step {
    size_t in, out; /* bytes used, bytes that came out */
    bool is_bad;    /* a match points before the output or has no length */
};

/* Decodes until `room` bytes are out, or the input has no whole item left, or the
 * stream is bad; nothing beyond either span is touched. `behind` bytes of earlier
 * output lie before `out`. Pure but for *x. */
struct xpress_step xpress_more(struct xpress *x, const uint8_t *in, size_t bytes, uint8_t *out,
                               size_t behind, size_t room);

/* A whole stream at once. */
static inline struct xpress_step xpress_decode(const uint8_t *in, size_t bytes, uint8_t *out,
                                               size_t room)
{
    struct xpress x = {0};
    return xpress_more(&x, in, bytes, out, 0, room);
}

/* ---- packing ----------------------------------------------------------------------------- */

/* What may come out of so many bytes, were they all noise: a flag for each. */
#define XPRESS_PACKED_MOST(bytes) ((bytes) + ((bytes) / 32 + 2) * 4)

/* Memory for one stream after the other. One thread. */
struct xpress_packer;
struct xpress_packer *xpress_packer_new(void);
void xpress_packer_free(struct xpress_packer *p); /* NULL is fine */

/* Packs a whole stream of less than 4 GiB into `out`, which has XPRESS_PACKED_MOST(bytes); its
 * size. The same bytes always give the same stream. */
size_t xpress_pack(struct xpress_packer *p, const uint8_t *in, size_t bytes, uint8_t *out);

#endif
