/* `tracetop stats` on real traces, unpacked beforehand and in the page cache, beside what
 * memcpy does with as many bytes in the same run.
 *
 * The bytes counted are those that were read: the unused tails of large buffers are
 * passed over, so they are fewer than the file has. On one processor (this process is
 * kept on it) the figure is processor time, the system's part included, for it and for
 * memcpy: what the clock shows when nobody else wants the processor. On all processors
 * it is the clock. Medians. Exit status 1 when a target is missed. */
#include "src/etl/etl.h"
#include "src/export/stats.h"
#include "src/os/os.h"
#include "src/os/zst.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 21 };

struct trace {
    const char *path, *what;
    double target;      /* events per second on one processor */
    bool is_copy_bound; /* … and half of memcpy's bandwidth */
};

static const struct trace traces[] = {
    {"../shared/etl/etwanalyzer-TraceLoggingTester.etl.zst", "43 MB, not compressed", 18e6, true},
    {"../shared/etl/perfview-win7-PerfViewData.etl.zst", "27 MB, not compressed", 18e6, false},
    {"../shared/etl/gpuvis-wintracecmd.etl.zst", "23 MB, not compressed", 18e6, false},
    {"../shared/etl/perfview-net.4.5.2.x64.etl.zst", "compressed, 5 MB for 22", 10e6, false},
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *of)
{
    qsort(of, ROUNDS, sizeof *of, compare);
    return of[ROUNDS / 2];
}

static void give_up(const char *why)
{
    fprintf(stderr, "bench_stats: %s\n", why);
    exit(1);
}

/* The trace as a plain file with a name, which is returned. */
static char *unpack(const char *path)
{
    struct err err, damage;
    char *name = strdup("/tmp/tracetop-bench-XXXXXX");
    const int descriptor = mkstemp(name);
    struct os_file *packed = os_open(path, &err);
    struct os_file *plain = packed ? zst_unpack(packed, path, ZST_MOST, NULL, &damage, &err) : NULL;
    if (!plain || descriptor < 0)
        give_up(err.text);
    static uint8_t piece[1 << 20];
    int64_t got;
    for (uint64_t at = 0; (got = os_read_at(plain, piece, sizeof piece, at, &err)) > 0;
         at += (uint64_t)got)
        if (write(descriptor, piece, (size_t)got) != got)
            give_up("no room in /tmp");
    os_close(plain);
    os_close(packed);
    close(descriptor);
    return name;
}

static struct etl_tally tally_of(const char *name)
{
    struct err err;
    struct event e;
    struct etl_file *f = etl_open(name, &err);
    if (!f)
        give_up(err.text);
    while (etl_next(f, &e, &err) == ETL_EVENT)
        ;
    const struct etl_tally t = *etl_tally(f);
    etl_close(f);
    return t;
}

static double seconds_of_stats(const char *name, FILE *nowhere, int64_t (*now)(void))
{
    const int64_t start = now();
    if (stats_run(&name, 1, false, nowhere, nowhere) != 0)
        give_up("stats failed");
    return (double)(now() - start) / 1e9;
}

static double seconds_of_copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
    const int64_t start = os_cpu_time();
    memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
    return (double)(os_cpu_time() - start) / 1e9;
}

static void use_processors(const cpu_set_t *all, bool only_one)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, all))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, only_one ? &one : all);
}

static bool bench(const struct trace *t, const cpu_set_t *all, FILE *nowhere)
{
    char *const name = unpack(t->path);
    const struct etl_tally tally = tally_of(name);
    const size_t bytes = tally.bytes;
    uint8_t *const from = malloc(bytes), *const to = malloc(bytes);
    double copy[ROUNDS], one[ROUNDS], both[ROUNDS];
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (int i = 0; i < ROUNDS; i++) {
        use_processors(all, true);
        one[i] = seconds_of_stats(name, nowhere, os_cpu_time);
        copy[i] = seconds_of_copy(to, from, bytes);
        use_processors(all, false);
        both[i] = seconds_of_stats(name, nowhere, os_now);
    }
    const double speed = (double)tally.events / median(one),
                 copy_speed = (double)bytes / median(copy);
    const double share = (double)bytes / median(one) / copy_speed;
    const bool is_met = speed >= t->target && (!t->is_copy_bound || share >= 0.5);
    printf("%s (%s)\n"
           "  %" PRIu64 " events, %.1f MB read\n"
           "  one processor   %6.1f M events/s  (target %.0f)   %5.2f GB/s\n"
           "  %d processors    %6.1f M events/s by the clock\n"
           "  memcpy, as many bytes             %5.2f GB/s  stats reaches %.0f %% of it%s\n"
           "  %s\n",
           strrchr(t->path, '/') + 1, t->what, tally.events, (double)bytes / 1e6, speed / 1e6,
           t->target / 1e6, (double)bytes / median(one) / 1e9, CPU_COUNT(all),
           (double)tally.events / median(both) / 1e6, copy_speed / 1e9, share * 100,
           t->is_copy_bound ? " (target 50 %)" : "", is_met ? "met" : "MISSED");
    free(from);
    free(to);
    unlink(name);
    free(name);
    return is_met;
}

int main(void)
{
    if (os_path_kind("../shared/etl") != OS_DIRECTORY) {
        puts("no ../shared/etl: nothing to measure");
        return 0;
    }
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    FILE *nowhere = fopen("/dev/null", "w");
    bool is_met = true;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
        is_met &= bench(&traces[i], &all, nowhere);
    fclose(nowhere);
    return is_met ? 0 : 1;
}
