#include "tests/make_etl.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1024 * 1024 };

static bool put_all(struct etl_writer *w, const uint8_t *from, size_t bytes, uint64_t *records,
                    struct err *err)
{
    for (size_t at = 0; at < bytes;) {
        struct record_head head;
        memcpy(&head, from + at, sizeof head);
        if (!etl_writer_put(w, &head, from + at + sizeof head, err))
            return false;
        *records += head.form == RECORD_ETW;
        at += (head.bytes + 7u) / 8 * 8;
    }
    return true;
}

bool make_etl(const char *path, const struct synthetic_options *o,
              const struct etl_writer_options *shape, uint64_t most_bytes, uint64_t *records,
              struct err *err)
{
    struct synthetic *s = synthetic_new(o);
    struct etl_writer_options options = *shape;
    options.path = path;
    options.clock = synthetic_clock(s);
    options.start = synthetic_time(s);
    options.cpus = synthetic_cpus(s);
    options.build = SYNTHETIC_BUILD;
    options.mhz = SYNTHETIC_MHZ;
    *records = 0;
    struct etl_writer *w = etl_writer_open(&options, err);
    uint8_t *buffer = mem_new(ROOM, 1);
    bool is_good = w != NULL;
    while (is_good && !synthetic_is_done(s) && (!most_bytes || etl_writer_bytes(w) < most_bytes))
        is_good = put_all(w, buffer, synthetic_fill(s, buffer, ROOM, INT64_MAX), records, err);
    struct err *const last_err = is_good ? err : NULL; /* the first failure is the one to report */
    if (w && !etl_writer_close(w, last_err))
        is_good = false;
    free(buffer);
    synthetic_free(s);
    return is_good;
}
