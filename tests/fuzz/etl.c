/* Any bytes as a whole file, read in file order and in time order, which must agree: the
 * same events, the same damage, and every byte of every payload there to be read. */
#include "src/etl/etl.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct seen {
    uint64_t events, payload, sum;
    struct etl_tally tally;
};

static void see(struct seen *s, const struct event *e)
{
    s->events++;
    s->payload += e->payload_bytes;
    for (uint32_t i = 0; i < e->payload_bytes; i += 64)
        s->sum += e->payload[i];
    if (e->payload_bytes)
        s->sum += e->payload[e->payload_bytes - 1];
}

static bool file_order(const char *name, struct seen *s)
{
    struct err err;
    struct event e;
    enum etl_answer answer;
    struct etl_file *f = etl_open(name, &err);
    if (!f)
        return false;
    while ((answer = etl_next(f, &e, &err)) == ETL_EVENT)
        see(s, &e);
    assert(answer == ETL_END);
    s->tally = *etl_tally(f);
    for (unsigned i = 0; etl_sentence(f, i); i++)
        assert(strlen(etl_sentence(f, i)) > 0);
    etl_close(f);
    return true;
}

static bool time_order(const char *name, struct seen *s)
{
    struct err err;
    struct event e;
    enum etl_answer answer;
    struct etl_reader *r = etl_reader_open(&name, 1, &err);
    if (!r)
        return false;
    while ((answer = etl_reader_next(r, &e, &err)) == ETL_EVENT)
        see(s, &e);
    assert(answer == ETL_END);
    s->tally = *etl_tally(etl_reader_file(r, 0));
    etl_reader_close(r);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char name[64];
    const int descriptor = memfd_create("fuzz", 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    if (write(descriptor, data, bytes) != (ssize_t)bytes)
        abort();
    struct seen file = {0}, time = {0};
    const bool is_file = file_order(name, &file), is_time = time_order(name, &time);
    close(descriptor);
    assert(is_file == is_time);
    assert(file.events == time.events && file.payload == time.payload && file.sum == time.sum);
    assert(file.tally.damaged_buffers == time.tally.damaged_buffers);
    assert(file.tally.skipped_bytes == time.tally.skipped_bytes);
    assert(file.tally.buffers == time.tally.buffers);
    return 0;
}
