/* Aggregates: any bytes are a state or refused; a state has one encoding, and joins others. The
 * first byte says of which aggregate; states follow. */
#include "src/aggregate/aggregate.h"
#include "src/base/bytes.h"
#include "src/base/payload_writer.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

union state {
    uint64_t words[AGGREGATE_WORDS];
    struct latency latency;
    struct most most;
    struct trend trend;
};

static void check_encoding(const struct aggregate *a, const union state *s, const uint8_t *bytes,
                           size_t count)
{
    static uint8_t room[AGGREGATE_ENCODED];
    struct payload_writer to = {room, room, room + sizeof room};
    a->encode(s, &to);
    if ((size_t)(to.at - room) != count || memcmp(room, bytes, count) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const struct aggregate *const a = &aggregates[data[0] % AGGREGATES];
    if (a->bytes > sizeof(union state))
        abort(); /* the union above lacks one */
    struct bytes from = bytes_of(data + 1, size - 1);
    union state all = {0};
    struct err err;
    for (bool ok = true; ok && from.left;) {
        union state s = {0};
        const uint8_t *const start = from.at;
        ok = a->decode(&s, &from, &err);
        if (ok) {
            check_encoding(a, &s, start, (size_t)(from.at - start));
            a->merge(&all, &s, 1);
            a->finish(&all);
        }
        if (a->free)
            a->free(&s);
    }
    if (a->free)
        a->free(&all);
    return 0;
}
