/* Any bytes as an Xpress stream: at once, and in pieces whose size the first byte
 * chooses, must give the same. And any bytes packed: they come back. */
#include "src/etl/xpress.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { ROOM = 20000 };

static void pack_and_back(const uint8_t *data, size_t bytes)
{
    uint8_t *const packed = malloc(XPRESS_PACKED_MOST(bytes)), *const back = malloc(bytes + 1);
    struct xpress_packer *const p = xpress_packer_new();
    const size_t size = xpress_pack(p, data, bytes, packed);
    assert(size <= XPRESS_PACKED_MOST(bytes));
    const struct xpress_step step = xpress_decode(packed, size, back, bytes);
    assert(!step.is_bad && step.out == bytes && memcmp(back, data, bytes) == 0);
    xpress_packer_free(p);
    free(packed);
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    pack_and_back(data, bytes);
    if (bytes == 0)
        return 0;
    const size_t piece = data[0] + 1u;
    uint8_t *whole = malloc(ROOM), *pieces = malloc(ROOM);
    const struct xpress_step at_once = xpress_decode(data + 1, bytes - 1, whole, ROOM);
    assert(at_once.in <= bytes - 1 && at_once.out <= ROOM);

    struct xpress x = {0};
    size_t in = 1, out = 0;
    struct xpress_step step = {0};
    do {
        const size_t room = ROOM - out < piece ? ROOM - out : piece;
        step = xpress_more(&x, data + in, bytes - in, pieces + out, out, room);
        in += step.in;
        out += step.out;
    } while (!step.is_bad && step.out == piece && out < ROOM);
    assert(out == at_once.out);
    assert(memcmp(whole, pieces, out) == 0);
    free(whole);
    free(pieces);
    return 0;
}
