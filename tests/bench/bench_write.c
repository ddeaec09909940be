/* The writer of `.etl` files on the synthetic machine's records, into the page cache, beside
 * what write() does with the same bytes in pieces of one buffer. Processor time of this
 * process, the system's part included; medians. Exit status 1 when a target is missed. */
#include "collectors/synthetic/synthetic.h"
#include "src/etl/write.h"
#include "src/os/os.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 11, ROOM = 96 * 1024 * 1024 };

#define EVENTS_TARGET 3e6 /* a second */
#define TIMES_TARGET  2.0 /* as long as write() alone */

static void give_up(const char *why)
{
    fprintf(stderr, "bench_write: %s\n", why);
    exit(1);
}

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

/* Records as rings hold them: head and on-disk record, on multiples of 8. */
static size_t make_records(uint8_t *to)
{
    const struct synthetic_options o = {.seed = 7};
    struct synthetic *const s = synthetic_new(&o);
    size_t used = 0;
    while (ROOM - used > 1024 * 1024)
        used += synthetic_fill(s, to + used, 1024 * 1024, INT64_MAX);
    synthetic_free(s);
    return used;
}

struct result {
    double seconds;
    struct etl_written written;
};

static struct result run_writer(const uint8_t *records, size_t bytes, const char *path,
                                bool flushes)
{
    struct err err;
    uint8_t header[ETL_WRITE_HEADER_ROOM];
    const struct etl_header h = {.cpus = 8, .clock_type = 1, .frequency = 10000000, .start = 1};
    const struct etl_write_options o = {
        .name = path, .header = header, .header_bytes = etl_log_header(&h, 0, 0, header)};
    unlink(path);
    struct os_file *const file = os_create(path, &err);
    if (!file)
        give_up(err.text);
    const int64_t start = os_cpu_time();
    struct etl_write *const w = etl_write_new(file, &o, &err);
    size_t next_flush = bytes / 32;
    for (size_t at = 0; w && at < bytes;) {
        struct record_head head;
        memcpy(&head, records + at, sizeof head);
        if (!etl_write_append(w, &head, records + at + sizeof head, &err))
            give_up(err.text);
        at += (head.bytes + 7u) & ~7u;
        if (flushes && at > next_flush) {
            next_flush += bytes / 32;
            if (!etl_write_flush(w, &err))
                give_up(err.text);
        }
    }
    if (!w || !etl_write_finish(w, 0, &err))
        give_up(err.text);
    const struct result r = {(double)(os_cpu_time() - start) / 1e9, etl_write_count(w)};
    etl_write_free(w);
    os_close(file);
    return r;
}

static double run_plain(const uint8_t *from, size_t bytes, const char *path)
{
    unlink(path);
    const int descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    const int64_t start = os_cpu_time();
    for (size_t at = 0; at < bytes; at += ETL_WRITE_BUFFER)
        if (write(descriptor, from + at, ETL_WRITE_BUFFER) != ETL_WRITE_BUFFER)
            give_up("no room in /tmp");
    const double seconds = (double)(os_cpu_time() - start) / 1e9;
    close(descriptor);
    return seconds;
}

static bool report(const char *what, double seconds, const struct etl_written *w, double plain)
{
    const double speed = (double)w->events / seconds, times = seconds / plain;
    const bool is_met = speed >= EVENTS_TARGET && times <= TIMES_TARGET;
    printf("%s\n"
           "  %" PRIu64 " events, %.1f MB\n"
           "  %6.1f M events/s  (target %.0f)   %5.2f GB/s\n"
           "  write() of as many bytes             %5.2f GB/s: %.2f times as long (target %.0f)\n"
           "  %s\n",
           what, w->events, (double)w->bytes / 1e6, speed / 1e6, EVENTS_TARGET / 1e6,
           (double)w->bytes / seconds / 1e9, (double)w->bytes / plain / 1e9, times, TIMES_TARGET,
           is_met ? "met" : "MISSED");
    return is_met;
}

int main(void)
{
    char path[] = "/tmp/tracetop-bench-XXXXXX";
    const int descriptor = mkstemp(path);
    uint8_t *const records = malloc(ROOM);
    if (descriptor < 0 || !records)
        give_up("no room");
    close(descriptor);
    memset(records, 1, ROOM);
    const size_t bytes = make_records(records);
    double whole[ROUNDS], flushed[ROUNDS], plain[ROUNDS];
    struct result a = {0}, b = {0};
    for (int i = 0; i < ROUNDS; i++) {
        a = run_writer(records, bytes, path, false);
        b = run_writer(records, bytes, path, true);
        whole[i] = a.seconds;
        flushed[i] = b.seconds;
        plain[i] = run_plain(records, (size_t)a.written.bytes, path);
    }
    const double base = median(plain);
    const bool is_met =
        report("etl_write: buffers as they fill up", median(whole), &a.written, base);
    const bool is_too =
        report("etl_write: flushed 32 times on the way", median(flushed), &b.written, base);
    unlink(path);
    free(records);
    return is_met && is_too ? 0 : 1;
}
