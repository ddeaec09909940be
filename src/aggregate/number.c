/* Numbers of states as bytes. */
#include "src/aggregate/inside.h"

#include "src/base/varint.h"

bool read_number(struct bytes *from, uint64_t most, uint64_t *out, struct err *err)
{
    const uint8_t *const start = from->at;
    unsigned bits;
    *out = bytes_varint(from, &bits);
    if (from->bad)
        return fail(err, "the state ends early");
    const size_t bytes = (size_t)(from->at - start);
    if ((bytes > 1 && !from->at[-1]) || bytes > 10 || (bytes == 10 && from->at[-1] > 1))
        return fail(err, "a number takes %zu bytes, more than it needs", bytes);
    return *out <= most || fail(err, "expected a number of at most %llu, found %llu",
                                (unsigned long long)most, (unsigned long long)*out);
}
