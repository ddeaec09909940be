/* Xpress "plain LZ77", the compression of `.etl` buffers that relogging tools write
 * ([MS-XCA] 2.4; RtlDecompressBuffer's COMPRESSION_FORMAT_XPRESS). */
#ifndef SRC_XPRESS_H
#define SRC_XPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpress {
    size_t out;  /* bytes that came out */
    size_t in;   /* bytes of the input that were used */
    bool is_bad; /* stopped at a match that points before the output or has no length */
};

/* Decodes until `room` bytes are out or the input ends, whichever is first; nothing
 * beyond either is touched. A stream that goes bad gives what came before. Pure. */
struct xpress xpress_decode(const uint8_t *in, size_t bytes, uint8_t *out, size_t room);

#endif
