/* A trace far larger than memory for it: made by the synthetic machine, replayed as fast
 * as possible through the same rings and engine as the program uses. Limit: the
 * memory the process ever had resident, less the rings, stays below 300 MB, whatever
 * the size of the file. Usage: bench_big [GB]; 5 without. TMPDIR says where the file
 * lies while it is needed; without room for it nothing is measured. */
#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/os/os.h"
#include "tests/make_etl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LIMIT_MB = 300 };

static double seconds_since(int64_t then)
{
    return (double)(os_now() - then) / 1e9;
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
    return is_whole && mb < LIMIT_MB;
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
