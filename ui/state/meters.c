#include "ui/state/meters.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
#define ALWAYS .unless = GAUGES
#define OF_PEAK .whole = GAUGES

const struct meter meters[] = {
    { "cpu", "CPU", "CPU", GAUGE_CPU, ALWAYS, OF_PEAK,
      .parts = { { GAUGE_CPU_USER, ROLE_METER_USER }, { GAUGE_CPU_SYSTEM, ROLE_METER_SYSTEM }, { GAUGE_CPU_IRQ, ROLE_METER_IRQ }, { GAUGE_CPU_STEAL, ROLE_METER_STEAL } }, .part_count = 4,
      .fields = { { GAUGE_CPU_USER, "user", "us" }, { GAUGE_CPU_SYSTEM, "system", "sy" }, { GAUGE_CPU_IRQ, "irq", "irq" }, { GAUGE_CPU_STEAL, "steal", "st" } }, .field_count = 4, .brief_bar = true, .brief_curve = 5,
      .names_cpus = true, .place = 0 },
    { "disk", "disk", "disk", GAUGE_DISK_BUSY, ALWAYS, OF_PEAK,
      .parts = { { GAUGE_DISK_BUSY, ROLE_METER_USED } }, .part_count = 1,
      .curves = { GAUGE_DISK_READ, GAUGE_DISK_WRITE }, .curve_count = 2,
      .fields = { { GAUGE_DISK_READ, "read", "r" }, { GAUGE_DISK_WRITE, "write", "w" } }, .field_count = 2, .brief_count = 2, .brief_curve = 4,
      .place = 6 },
    { "memory", "memory", "mem", GAUGE_MEMORY_USED, ALWAYS, .whole = GAUGE_MEMORY_TOTAL,
      .parts = { { GAUGE_MEMORY_USED, ROLE_METER_USED }, { GAUGE_MEMORY_BUFFERS, ROLE_METER_BUFFERS }, { GAUGE_MEMORY_CACHE, ROLE_METER_CACHE }, { GAUGE_STANDBY, ROLE_METER_CACHE } }, .part_count = 4,
      .fields = { { GAUGE_MEMORY_TOTAL, "of", "of" }, { GAUGE_MEMORY_BUFFERS, "buffers", "buf" }, { GAUGE_MEMORY_CACHE, "cache", "cache" }, { GAUGE_STANDBY, "standby", "stby" }, { GAUGE_MEMORY_FREE, "free", "free" } }, .field_count = 5, .brief_count = 1, .brief_bar = true,
      .place = 1 },
    { "net", "net", "net", GAUGES, ALWAYS, OF_PEAK,
      .curves = { GAUGE_NET_IN, GAUGE_NET_OUT }, .curve_count = 2, .is_beside = true,
      .fields = { { GAUGE_NET_IN, "in", "in" }, { GAUGE_NET_OUT, "out", "out" } }, .field_count = 2, .brief_count = 2, .brief_curve = 4,
      .place = 7 },
    { "load", "load", "load", GAUGE_LOAD_1, ALWAYS, OF_PEAK,
      .fields = { { GAUGE_LOAD_5, "5m", "5m" }, { GAUGE_LOAD_15, "15m", "15m" }, { GAUGE_READY, "ready", "ready" } }, .field_count = 3,
      .place = 4 },
    { "ready", "ready", "ready", GAUGE_READY, .unless = GAUGE_LOAD_1, OF_PEAK, .place = 4 },
    { "psi", "psi", "psi", GAUGES, ALWAYS, OF_PEAK,
      .fields = { { GAUGE_PRESSURE_CPU, "cpu", "cpu" }, { GAUGE_PRESSURE_MEMORY, "memory", "mem" }, { GAUGE_PRESSURE_IO, "io", "io" } }, .field_count = 3,
      .is_highest = true, .place = 5 },
    { "swap", "swap", "swap", GAUGE_SWAP_USED, ALWAYS, .whole = GAUGE_SWAP_TOTAL,
      .parts = { { GAUGE_SWAP_USED, ROLE_METER_USED } }, .part_count = 1,
      .fields = { { GAUGE_SWAP_TOTAL, "of", "of" } }, .field_count = 1, .brief_count = 1,
      .place = 3 },
    { "commit", "commit", "commit", GAUGE_COMMIT, ALWAYS, .whole = GAUGE_COMMIT_LIMIT,
      .parts = { { GAUGE_COMMIT, ROLE_METER_USED } }, .part_count = 1,
      .fields = { { GAUGE_COMMIT_LIMIT, "of", "of" }, { GAUGE_POOL_PAGED, "paged", "paged" }, { GAUGE_POOL_NONPAGED, "nonpaged", "nonpaged" } }, .field_count = 3, .brief_count = 1,
      .place = 2 },
    { "events", "events", "events", GAUGE_EVENTS, ALWAYS, OF_PEAK,
      .fields = { { GAUGE_LOST, "lost", "lost" } }, .field_count = 1, .brief_curve = 4,
      .place = 8 },
};
/* clang-format on */
const unsigned meters_count = sizeof meters / sizeof *meters;

/* ---- what is known ------------------------------------------------------------------------ */

/* Up to the last one of which anything is known. */
static unsigned known_cpus(const struct frame_gauges *g)
{
    unsigned count = g->cpus ? g->cpu_count : 0;
    while (count && isnan(g->cpus[count - 1].busy))
        count--;
    return count;
}

void meters_see(struct meters_seen *seen, const struct frame *f)
{
    const unsigned cpus = known_cpus(&f->gauges);
    for (unsigned i = 0; i < GAUGES; i++)
        if (!isnan(f->gauges.now[i]))
            seen->gauges |= UINT64_C(1) << i;
    seen->cpus = cpus > seen->cpus ? cpus : seen->cpus;
}

static bool has(const struct meters_seen *seen, enum gauge g)
{
    return g < GAUGES && (seen->gauges >> g & 1);
}

bool meter_is_known(const struct meter *m, const struct meters_seen *seen)
{
    if (has(seen, m->unless))
        return false;
    if (m->value != GAUGES)
        return has(seen, m->value);
    for (unsigned i = 0; i < m->field_count; i++)
        if (has(seen, m->fields[i].gauge))
            return true;
    return false;
}

static unsigned known_meters(const struct meters_seen *seen, const struct meter **out)
{
    unsigned count = 0;
    for (unsigned i = 0; i < meters_count && count < METERS_MOST; i++)
        if (meter_is_known(&meters[i], seen))
            out[count++] = &meters[i];
    return count;
}

/* ---- the full view ------------------------------------------------------------------------ */

enum {
    FULL_FROM_WIDTH = 100, /* without being asked for */
    FULL_FROM_HEIGHT = 36,
    TWO_COLUMNS_FROM = 160,
    CPU_GROUPS = 16,
    CPU_LINES = 4,    /* without being asked for */
    CPU_LEAST = 19,   /* cells for a processor: number, percentage, bar, and a blank on each side */
    GROUP_LEAST = 32, /* as above, with the highest of the group */
};

static unsigned ceiling(unsigned n, unsigned by)
{
    return (n + by - 1) / by;
}

static struct meters_cpus plan_cpus(unsigned count, int width, unsigned most_lines)
{
    struct meters_cpus c = {.count = count};
    if (!count)
        return c;
    for (c.group = ceiling(count, CPU_GROUPS);; c.group++) {
        const unsigned least = c.group > 1 ? GROUP_LEAST : CPU_LEAST;
        const unsigned across = (unsigned)width / least ? (unsigned)width / least : 1;
        c.groups = ceiling(count, c.group);
        c.lines = ceiling(c.groups, across);
        if (c.lines <= most_lines || c.groups == 1)
            break;
    }
    c.columns = ceiling(c.groups, c.lines);
    return c;
}

static int by_place(const void *x, const void *y)
{
    return (*(const struct meter *const *)x)->place - (*(const struct meter *const *)y)->place;
}

/* Of at most `budget` lines, `cpu_lines` of them for processors. */
static struct meters_plan plan_full(const struct meters_seen *seen, int width, unsigned budget,
                                    unsigned cpu_lines)
{
    enum { MUST_SHOW = 5 };
    struct meters_plan p = {.mode = METERS_FULL};
    p.count = known_meters(seen, p.meters);
    p.columns = width >= TWO_COLUMNS_FROM ? 2 : 1;
    const unsigned room = budget * p.columns;
    const unsigned others = p.count < MUST_SHOW ? p.count : MUST_SHOW;
    const unsigned left = room > others ? room - others : 0;
    if (left)
        p.cpus = plan_cpus(seen->cpus, width / (int)p.columns, left < cpu_lines ? left : cpu_lines);
    if (p.count + p.cpus.lines > room)
        p.count = room - p.cpus.lines;
    qsort(p.meters, p.count, sizeof *p.meters, by_place);
    p.lines = (int)ceiling(p.count + p.cpus.lines, p.columns);
    return p;
}

/* ---- the whole ---------------------------------------------------------------------------- */

struct meters_plan meters_plan(enum meters_mode wanted, const struct meters_seen *seen, int width,
                               int height)
{
    const bool is_small = width < 80 || height < 24;
    const bool is_roomy = width >= FULL_FROM_WIDTH && height >= FULL_FROM_HEIGHT;
    struct meters_plan p = {.mode = METERS_OFF};
    if (is_small || wanted == METERS_OFF)
        return p;
    if (seen->gauges && (wanted == METERS_FULL || (wanted == METERS_AUTO && is_roomy)))
        return wanted == METERS_FULL ? plan_full(seen, width, (unsigned)height / 4, CPU_GROUPS)
                                     : plan_full(seen, width, (unsigned)height / 6, CPU_LINES);
    p.mode = wanted == METERS_ONE ? METERS_ONE : METERS_TWO;
    p.count = known_meters(seen, p.meters);
    p.lines = p.mode == METERS_ONE || p.count == 1 ? 1 : 2;
    return p;
}

enum meters_mode meters_next(enum meters_mode now, enum meters_mode shown)
{
    const enum meters_mode from = now == METERS_AUTO && shown != METERS_OFF ? shown : now;
    return from >= METERS_FULL || from == METERS_AUTO ? METERS_OFF : (enum meters_mode)(from + 1);
}
