/* Any bytes as a trace, written anew: whole, the same records come out; in part, whatever comes
 * out can be read. */
#include "src/base/hash.h"
#include "src/etl/buffer.h"
#include "src/etl/etl.h"
#include "src/export/cut.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct seen {
    uint64_t events, sum;
    bool has_header; /* and it comes first */
    struct etl_tally tally;
};

/* Order is left out: what lies about its times comes in another one. */
static struct seen look(const char *name, bool *is_good)
{
    struct err err;
    struct event e;
    enum etl_answer answer;
    struct seen s = {0};
    struct etl_file *f = etl_open(name, &err);
    *is_good = f != NULL;
    if (!f)
        return s;
    for (bool is_header = true; (answer = etl_next(f, &e, &err)) == ETL_EVENT; is_header = false) {
        const uint64_t hash = hash_bytes(e.cpu + 1u, e.record, e.record_bytes);
        struct etl_header header;
        if (is_header)
            s.has_header = etl_header_read(&e, &header, NULL);
        s.events++;
        s.sum += is_header ? e.record_bytes : hash;
    }
    assert(answer == ETL_END);
    s.tally = *etl_tally(f);
    etl_close(f);
    return s;
}

static int write_anew(const char *from, const char *to, const char *range, const char *filter)
{
    struct err err;
    struct os_file *const file = os_create(to, &err);
    FILE *const nowhere = fopen("/dev/null", "w");
    if (!file || !nowhere)
        abort();
    const struct cut_options o = {.files = &from,
                                  .file_count = 1,
                                  .range = range,
                                  .filter = filter,
                                  .to = file,
                                  .to_name = to};
    const int status = cut_run(&o, nowhere);
    fclose(nowhere);
    os_close(file);
    return status;
}

static void expect_sound(const struct seen *s, bool is_good)
{
    assert(is_good);
    assert(etl_is_whole(&s->tally) && !s->tally.never_stopped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char from[64], to[64];
    const int descriptor = memfd_create("fuzz", 0);
    snprintf(from, sizeof from, "/proc/self/fd/%d", descriptor);
    snprintf(to, sizeof to, "/dev/shm/tracetop-fuzz-%d", (int)getpid());
    if (write(descriptor, data, bytes) != (ssize_t)bytes)
        abort();
    bool is_good, is_written;
    const struct seen before = look(from, &is_good);
    const int status = write_anew(from, to, NULL, NULL);
    is_good = is_good && before.has_header;
    assert((status == 0 || status == 6) == is_good);
    if (is_good) {
        const struct seen after = look(to, &is_written);
        expect_sound(&after, is_written);
        assert(before.events == after.events && before.sum == after.sum);
        unlink(to);
        const bool has_filter = bytes % 2;
        if (write_anew(from, to, "..", has_filter ? "a !b" : "") != 2) {
            const struct seen part = look(to, &is_written);
            expect_sound(&part, is_written);
        }
    }
    unlink(to);
    close(descriptor);
    return 0;
}
