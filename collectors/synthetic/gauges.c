#include "collectors/synthetic/gauges.h"

#include "collectors/synthetic/machine.h"

#include "src/event/tracetop_write.h"
#include "src/model/gauge_record.h"

#include <math.h>

enum { EACH_SECOND = 16 }; /* processes that are read by turns */

#define MIB ((uint64_t)1 << 20)
static const uint64_t TOTAL = 32768 * MIB;

/* Goes up and down between 0 and `most`, another way for each `who`. */
static uint64_t wave(unsigned seconds, uint64_t who, uint64_t most)
{
    const uint64_t period = 20 + who % 23, at = (seconds + who * 7) % period;
    return most * (at < period / 2 ? at : period - at) / period * 2;
}

static struct memory_reading reading_of(const struct demo_gauges *g, const struct demo_process *p)
{
    const uint64_t usual = (p->pid % 97 + 8) * MIB, more = wave(g->seconds, p->pid, usual / 8);
    return (struct memory_reading){
        .rss = (usual + more) & ~(uint64_t)4095,
        .own = (usual / 2 + more) & ~(uint64_t)4095,
        .shared = (usual / 3) & ~(uint64_t)4095,
        .swap = READING_UNKNOWN,
        .threads = p->threads,
        .files = 40 + p->pid % 377 + p->threads * 3u,
    };
}

static struct payload_writer begin(struct demo_gauges *g, const char *event, const char *fields,
                                   uint32_t pid, int64_t time)
{
    uint8_t *const start = (uint8_t *)g->room;
    struct payload_writer p = {start, start, start + sizeof g->room};
    tracetop_write_begin(&p, event, fields, pid, EVENT_NO_ID, time);
    return p;
}

static bool end(struct demo_gauges *g, struct payload_writer *p, struct feed *feed, int64_t time)
{
    atomic_fetch_add_explicit(&g->records, 1, memory_order_relaxed);
    struct record_head head = {.form = RECORD_ETW, .ts = time};
    tracetop_write_end(p);
    head.bytes = (uint32_t)(sizeof head + (size_t)(p->at - p->start));
    return feed_put(feed, &head, p->start, false) != FEED_STOPPED;
}

static bool put_process(struct demo_gauges *g, const struct demo_process *of, struct feed *feed,
                        int64_t time)
{
    const struct memory_reading r = reading_of(g, of);
    char fields[GAUGE_FIELDS];
    gauge_record_memory_fields(&r, fields);
    struct payload_writer p = begin(g, "ProcessMemory", fields, of->pid, time);
    gauge_record_put_memory(&p, of->pid, &r);
    return end(g, &p, feed, time);
}

/* A machine of 32 GiB that has what Windows says of it. */
static bool put_machine(struct demo_gauges *g, const struct synthetic *s, struct feed *feed,
                        int64_t time)
{
    double values[GAUGES];
    char fields[GAUGE_FIELDS];
    uint64_t used = 2100 * MIB, threads = 0;
    for (unsigned i = 0; i < GAUGES; i++)
        values[i] = NAN;
    for (unsigned i = 0; i < PROCESS_SLOTS; i++)
        used += s->processes[i].is_used ? reading_of(g, &s->processes[i]).own : 0;
    for (unsigned i = 0; i < THREAD_SLOTS; i++)
        threads += s->threads[i].state == THREAD_READY;
    const uint64_t standby = 5200 * MIB + wave(g->seconds, 3, 700 * MIB);
    values[GAUGE_MEMORY_TOTAL] = (double)TOTAL;
    values[GAUGE_MEMORY_USED] = (double)used;
    values[GAUGE_MEMORY_CACHE] = values[GAUGE_STANDBY] = (double)standby;
    values[GAUGE_MEMORY_FREE] = (double)(TOTAL > used + standby ? TOTAL - used - standby : 0);
    values[GAUGE_SWAP_TOTAL] = (double)(4096 * MIB);
    values[GAUGE_SWAP_USED] = (double)(210 * MIB + wave(g->seconds, 11, 40 * MIB));
    values[GAUGE_COMMIT] = (double)(used + 900 * MIB);
    values[GAUGE_COMMIT_LIMIT] = (double)(TOTAL + 4096 * MIB);
    values[GAUGE_POOL_PAGED] = (double)(380 * MIB + wave(g->seconds, 5, 12 * MIB));
    values[GAUGE_POOL_NONPAGED] = (double)(240 * MIB);
    values[GAUGE_READY] = (double)threads;
    gauge_record_fields(values, fields);
    struct payload_writer p = begin(g, "Gauges", fields, EVENT_NO_ID, time);
    gauge_record_put(&p, values);
    return end(g, &p, feed, time);
}

/* New ones at once, the others by turns. */
static bool put_processes(struct demo_gauges *g, const struct synthetic *s, struct feed *feed,
                          int64_t time)
{
    unsigned left = EACH_SECOND;
    for (unsigned i = 0; i < PROCESS_SLOTS; i++) {
        const struct demo_process *const p = &s->processes[i];
        const bool is_new = p->is_used && p->pid && (p->number > g->newest || !g->seconds);
        if (is_new && !put_process(g, p, feed, time))
            return false;
    }
    g->newest = s->number;
    for (unsigned i = 0; i < PROCESS_SLOTS && left; i++) {
        const struct demo_process *const p = &s->processes[g->turn++ % PROCESS_SLOTS];
        if (!p->is_used || !p->pid)
            continue;
        if (!put_process(g, p, feed, time))
            return false;
        left--;
    }
    return true;
}

bool demo_gauges_put(struct demo_gauges *g, const struct synthetic *s, struct feed *feed)
{
    const int64_t time = synthetic_time(s);
    if (s->stage != STAGE_RUN || time < g->next)
        return true;
    g->next = time + TICKS_PER_SECOND;
    /* One tick on: no record of the machine has that time, as a rule. */
    const bool goes_on = put_machine(g, s, feed, time + 1) && put_processes(g, s, feed, time + 1);
    g->seconds++;
    return goes_on;
}
