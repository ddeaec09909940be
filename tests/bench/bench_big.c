/* A trace far larger than memory for it: made by the synthetic machine, replayed as fast
 * as possible through the same rings and engine as the program uses. Limit: the
 * memory the process ever had resident, less the rings, stays below 300 MB, whatever
 * the size of the file. Then two answers for which the whole file is streamed, as `tracetop top`
 * does: a built-in pane, 90 M events in 15 s on two processors, and a query, which is at least
 * 80 % as fast as the replay for all panes. Usage: bench_big [GB]; 5 without. TMPDIR says where the
 * file lies while it is needed; without room for it nothing is measured. */
#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/pane/query_pane.h"
#include "tests/make_etl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MB = 300 };

static double seconds_since(int64_t then)
{
    return (double)(os_now() - then) / 1e9;
}

/* A busy machine lengthens the time, and not this. */
static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double resident_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024 / 1e6;
}

static bool has_room(const char *folder, double gb)
{
    struct statvfs v;
    if (statvfs(folder, &v) != 0)
        return false;
    const double free_gb = (double)v.f_bavail * (double)v.f_frsize / 1e9;
    if (free_gb > gb + 1)
        return true;
    printf("big trace  skipped: %s has %.1f GB free, %.1f are needed\n", folder, free_gb, gb + 1);
    return false;
}

static bool make(const char *path, double gb, uint64_t *records)
{
    const struct synthetic_options machine = {.seed = 5, .start_ns = 1700000000000000000};
    const struct etl_writer_options shape = {0};
    const int64_t began = os_now();
    struct err err;
    if (!make_etl(path, &machine, &shape, (uint64_t)(gb * 1e9), records, &err)) {
        printf("big trace  %s\n", err.text);
        return false;
    }
    printf("big trace  %.1f GB, %.1f M events made in %.1f s\n", gb, (double)*records / 1e6,
           seconds_since(began));
    return true;
}

/* Events that came out of the engine when it had taken everything. */
static uint64_t replay(struct session *s)
{
    while (!ring_is_finished(s->hot))
        os_sleep(20000000);
    session_stop(s);
    return s->figures.events;
}

/* Events in a second where nothing but the pane is asked for; 0: it failed. */
static double stream(const char *path, const struct pane *pane, uint64_t expected)
{
    const struct request r = {.pane = pane, .rows = 50, .accumulate = true, .sequence = 1};
    const struct session_options o = {.kind = &collector_etl,
                                      .collector = {.files = &path, .file_count = 1},
                                      .interval_ns = 1000000000,
                                      .only = &r};
    static const int64_t patience_ns = 600000000000;
    struct err err;
    const int64_t began = os_now();
    const double before = processor_seconds();
    struct session *const s = session_start(&o, &err);
    if (!s) {
        printf("big trace  %s\n", err.text);
        return 0;
    }
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, r.sequence, true, patience_ns);
    const double rate = (double)expected / seconds_since(began);
    const bool is_whole = f && f->events == expected && f->row_count;
    printf("big trace  %s streamed: %.2f M events/s, %.2f in a second of processor time, %s\n",
           pane->title, rate / 1e6, (double)expected / 1e6 / (processor_seconds() - before),
           is_whole ? "whole" : "INCOMPLETE");
    frame_free(f);
    session_stop(s);
    session_free(s);
    return is_whole ? rate : 0;
}

static bool measure_streams(const char *path, double all_panes, uint64_t expected)
{
    static const double limit_s = 15, share = 0.8, events = 90e6;
    struct query q;
    struct err err;
    query_parse(&q, "by proc, op | count, sum size, p99 lat", &err);
    const struct pane *const of_query = query_pane_new(&q, &err);
    const double one = stream(path, pane_find("processes"), expected),
                 query = stream(path, of_query, expected), seconds = one > 0 ? events / one : 0;
    const bool is_fast = one > 0 && seconds <= limit_s, is_near = query >= share * all_panes;
    printf("big trace  top processes: 90 M events in %.1f s; limit %.0f: %s\n", seconds, limit_s,
           is_fast ? "met" : "MISSED");
    printf("big trace  a query at %.0f %% of the speed of all panes; limit %.0f: %s\n",
           100 * query / all_panes, 100 * share, is_near ? "met" : "MISSED");
    query_pane_free(of_query);
    return is_fast && is_near;
}

static bool measure(const char *path, double gb, uint64_t records)
{
    const struct session_options o = {
        .kind = &collector_etl,
        .collector = {.files = &path, .file_count = 1},
        .interval_ns = 1000000000,
    };
    struct err err;
    const int64_t began = os_now();
    struct session *s = session_start(&o, &err);
    if (!s) {
        printf("big trace  %s\n", err.text);
        return false;
    }
    const double rings_mb = (double)(ring_capacity(s->hot) + ring_capacity(s->slow)) / 1e6;
    const uint64_t events = replay(s);
    const double seconds = seconds_since(began), mb = resident_mb() - rings_mb;
    const uint64_t expected = records + 1; /* and the file's own header */
    const bool is_whole = events == expected && s->figures.loss.ring == 0;
    printf("big trace  replayed in %.1f s: %.2f M events/s, %.0f MB/s\n", seconds,
           (double)events / 1e6 / seconds, gb * 1e3 / seconds);
    printf("big trace  %" PRIu64 " of %" PRIu64 " events: %s\n", events, expected,
           is_whole ? "whole" : "INCOMPLETE");
    printf("big trace  %.0f MB resident beside rings of %.0f MB; limit %d: %s\n", mb, rings_mb,
           LIMIT_MB, mb < LIMIT_MB ? "met" : "MISSED");
    session_free(s);
    const bool is_streamed = measure_streams(path, (double)events / seconds, expected);
    return is_whole && mb < LIMIT_MB && is_streamed;
}

int main(int argc, char **argv)
{
    const double gb = argc > 1 ? atof(argv[1]) : 5;
    const char *folder = getenv("TMPDIR");
    char path[4096];
    uint64_t records;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!(gb > 0 && gb <= 1000)) { /* a word would be 0, and 0 would fill the disk */
        fprintf(stderr, "usage: bench_big [GB]; a size above 0 and up to 1000 was expected\n");
        return 2;
    }
    if (!folder || !*folder)
        folder = "/tmp";
    snprintf(path, sizeof path, "%s/tracetop-bench-%ld.etl", folder, (long)getpid());
    if (!has_room(folder, gb))
        return 0;
    const bool is_met = make(path, gb, &records) && measure(path, gb, records);
    unlink(path);
    return is_met ? 0 : 1;
}
