/* What a killed recording of the synthetic machine left, beside what that machine did: the same
 * events are made once more, from the same seed. Of each processor the file must hold a run of
 * them without a hole, from the recording's beginning to where its last buffer was written.
 *
 * usage: kill_check FILE SEED RATE START KILLED   (START as --start has it, KILLED in ns since
 * 1970) prints "EVENTS AGE": AGE in ms from the oldest event that is missing to the kill. Status 1
 * with a sentence when there is a hole, or the end of the run is none. */
#include "tests/again.h"

#include "src/base/unit.h"
#include "src/etl/etl.h"
#include "src/event/tracetop_provider.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS = 64, NS_PER_MS = 1000000 };

/* The file; what is in it beside the machine's events are its header, a rundown, and the samples
 * of tracetop's own provider, which are passed over. */
struct file {
    struct etl_reader *reader;
    struct event e;
    bool has_event;
};

static void file_next(struct file *f)
{
    struct err err;
    enum etl_answer a;
    do
        a = etl_reader_next(f->reader, &f->e, &err);
    while (a == ETL_EVENT && guid_equal(&f->e.provider, &tracetop_provider));
    if (a == ETL_FAILED)
        fprintf(stderr, "kill_check: %s\n", err.text);
    f->has_event = a == ETL_EVENT;
}

struct result {
    uint64_t events;
    int64_t oldest_missing; /* raw */
    bool has_ended[CPUS];
    const char *wrong; /* NULL: nothing is */
    int64_t where;     /* raw */
};

static void give_up(struct result *r, const char *why, int64_t where)
{
    r->wrong = why;
    r->where = where;
}

static void pass_event(struct result *r, const struct record_head *h, bool is_there)
{
    bool *const has_ended = &r->has_ended[h->cpu % CPUS];
    if (is_there && *has_ended)
        give_up(r, "a hole before an event of the same processor", h->ts);
    if (!is_there && !*has_ended && h->ts < r->oldest_missing)
        r->oldest_missing = h->ts;
    *has_ended = !is_there;
    r->events += is_there;
}

/* Both in order of time; no two events of the machine have the same. What is not later than
 * `from` is in the rundown. */
static struct result compare(struct again *a, struct file *f, int64_t from, int64_t killed)
{
    struct result r = {.oldest_missing = killed};
    const struct record_head *h = again_next(a);
    while (h->ts <= from)
        h = again_next(a);
    while (f->has_event && f->e.ts <= from)
        file_next(f);
    for (; h->ts < killed && !r.wrong; h = again_next(a)) {
        const bool is_there = f->has_event && h->cpu == f->e.cpu && again_is(h, &f->e);
        if (f->has_event && f->e.ts <= h->ts && !is_there)
            give_up(&r, "an event that the machine did not make", f->e.ts);
        pass_event(&r, h, is_there);
        if (is_there)
            file_next(f);
    }
    if (f->has_event && !r.wrong)
        give_up(&r, "an event that came after the kill", f->e.ts);
    return r;
}

/* When recording began: the first records list what was alive then, all at that time. INT64_MAX
 * where they are not in the file yet. */
static int64_t rundown_time(struct file *f)
{
    enum { PROCESS_DCSTART = 0x0303 };
    int64_t time = INT64_MAX;
    for (; f->has_event; file_next(f))
        if (header_is_kernel((enum header_kind)f->e.kind) && f->e.id == PROCESS_DCSTART)
            time = f->e.ts;
    return time;
}

static struct file open_file(const char *name)
{
    struct err err;
    struct file f = {.reader = etl_reader_open(&name, 1, &err)};
    if (f.reader)
        file_next(&f);
    else
        fprintf(stderr, "kill_check: %s\n", err.text);
    return f;
}

int main(int argc, char **argv)
{
    struct err err = {""};
    int64_t start;
    if (argc != 6 || !unit_instant(argv[4], &start, &err))
        return fprintf(stderr, "usage: kill_check FILE SEED RATE START KILLED %s\n", err.text), 2;
    const struct synthetic_options o = {.seed = strtoull(argv[2], NULL, 10),
                                        .rate = strtoull(argv[3], NULL, 10),
                                        .start_ns = start};
    const int64_t killed_ns = strtoll(argv[5], NULL, 10);
    struct again a = again_new(&o);
    const struct trace_clock clock = synthetic_clock(a.machine);
    struct file f = open_file(argv[1]);
    if (!f.reader)
        return 1;
    const int64_t from = rundown_time(&f);
    etl_reader_close(f.reader);
    struct result r = {.oldest_missing = trace_clock_raw(&clock, killed_ns)};
    f = open_file(argv[1]);
    if (from != INT64_MAX)
        r = compare(&a, &f, from, r.oldest_missing);
    if (r.wrong)
        fprintf(stderr, "kill_check: %s, %.3f ms after the start\n", r.wrong,
                (double)(trace_clock_ns(&clock, r.where) - start) / NS_PER_MS);
    printf("%" PRIu64 " %" PRId64 "\n", r.events,
           (killed_ns - trace_clock_ns(&clock, r.oldest_missing)) / NS_PER_MS);
    etl_reader_close(f.reader);
    again_free(&a);
    return r.wrong != NULL;
}
