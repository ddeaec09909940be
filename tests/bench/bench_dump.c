/* Decoding and dumping: the kernel events of real traces in memory, then `tracetop dump`
 * as a whole. Figures are medians, of the
 * processor time that was used. Exit status 1 when a target is missed. */
#include "src/base/mem.h"
#include "src/etl/etl.h"
#include "src/event/attribution.h"
#include "src/event/decode.h"
#include "src/export/dump.h"
#include "src/event/line.h"
#include "src/os/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 11 };

static const double target = 1e6; /* events per second from file to text */

static const char *const traces[] = {
    "../shared/etl/perfview-win7-PerfViewData.etl.zst",
    "../shared/etl/perfview-net.4.5.2.x64.etl.zst",
    "../shared/etl/etwanalyzer-TraceLoggingTester.etl.zst",
};

struct events {
    struct event *at;
    size_t count, with_layout;
    struct attribution *owners;
};

static void give_up(const char *why)
{
    fprintf(stderr, "bench_dump: %s\n", why);
    exit(1);
}

static struct events load(const char *name)
{
    struct err err;
    struct event e;
    struct events all = {.owners = attribution_new()};
    size_t room = 1024;
    all.at = mem_new(room, sizeof *all.at);
    struct etl_reader *r = etl_reader_open(&name, 1, &err);
    if (!r)
        give_up(err.text);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
        if (all.count == room)
            all.at = mem_grow(all.at, room *= 2, sizeof *all.at);
        event_parse(mem_copy(e.record, e.record_bytes), e.record_bytes, &all.at[all.count]);
        all.at[all.count++].cpu = e.cpu;
        all.with_layout += decode_layout(&e) != NULL;
        attribution_learn(all.owners, &e);
    }
    attribution_settle(all.owners);
    etl_reader_close(r);
    return all;
}

static void unload(struct events *all)
{
    for (size_t i = 0; i < all->count; i++)
        free((void *)(uintptr_t)all->at[i].record);
    attribution_free(all->owners);
    free(all->at);
}

/* ---- what is measured ------------------------------------------------------------------- */

static void decode_all(struct events *all)
{
    struct decoded fields[DECODE_FIELDS];
    for (size_t i = 0; i < all->count; i++) {
        const struct payload_layout *l = decode_layout(&all->at[i]);
        if (l)
            decode_fields(l, &all->at[i], fields, DECODE_FIELDS);
        __asm__ volatile("" : : "r"(fields) : "memory");
    }
}

static void own_all(struct events *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct owner o = attribution_of(all->owners, &all->at[i]);
        __asm__ volatile("" : : "r"(&o) : "memory");
    }
}

static void write_all(struct events *all)
{
    static char text[LINE_ROOM], value[LINE_VALUE];
    struct line line = {.value = value};
    for (size_t i = 0; i < all->count; i++) {
        const struct event *e = &all->at[i];
        const struct line_event le = {.event = e, .layout = decode_layout(e)};
        line.at = text;
        line_jsonl(&line, &le);
    }
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

static double seconds_of(struct events *all, void (*run)(struct events *))
{
    double rounds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t start = os_cpu_time();
        run(all);
        rounds[i] = (double)(os_cpu_time() - start) / 1e9;
    }
    return median(rounds);
}

static double seconds_of_dump(const char *name, FILE *nowhere)
{
    const struct dump_options o = {.files = &name, .file_count = 1};
    double rounds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t start = os_cpu_time();
        if (dump_run(&o, nowhere, nowhere) != 0)
            give_up("dump failed");
        rounds[i] = (double)(os_cpu_time() - start) / 1e9;
    }
    return median(rounds);
}

static bool bench(const char *name, FILE *nowhere)
{
    struct events all = load(name);
    const double n = (double)all.count;
    const double decoding = seconds_of(&all, decode_all), owning = seconds_of(&all, own_all);
    const double writing = seconds_of(&all, write_all);
    const double dumping = seconds_of_dump(name, nowhere);
    const bool is_met = n / dumping >= target;
    printf("%s: %zu events, %zu with a layout\n"
           "  layout and fields     %6.1f ns per event with a layout\n"
           "  process and thread    %6.1f ns per event\n"
           "  a line of JSON        %6.1f ns per event\n"
           "  dump, unpacking too   %6.2f M events/s  (target %.0f)  %s\n",
           strrchr(name, '/') + 1, all.count, all.with_layout,
           decoding * 1e9 / (double)all.with_layout, owning * 1e9 / n, writing * 1e9 / n,
           n / dumping / 1e6, target / 1e6, is_met ? "met" : "MISSED");
    unload(&all);
    return is_met;
}

int main(void)
{
    if (os_path_kind("../shared/etl") != OS_DIRECTORY) {
        puts("no ../shared/etl: nothing to measure");
        return 0;
    }
    FILE *nowhere = fopen("/dev/null", "w");
    bool is_met = true;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
        is_met &= bench(traces[i], nowhere);
    fclose(nowhere);
    return is_met ? 0 : 1;
}
