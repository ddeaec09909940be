/* Samples of running code: the processor clock → SampledProfile 46 (u64 instruction pointer,
 * u32 thread, u32 count), and what one of them stands for → CollectionStart 73. */
#include "collectors/linux/translate/translate.h"

#include "src/base/mem.h"
#include "src/model/fact.h"

#include <linux/perf_event.h>
#include <stdlib.h>

enum {
    HOOK_SAMPLE = 0x0f2e,
    HOOK_INTERVAL = 0x0f49,
    /* Not a round number: code that runs by the clock must not meet every sample. The kernel's
     * timer makes a fixed period of it: 1 001 001 ns. */
    FREQUENCY = 999,
    INTERVAL = 10010, /* the same in units of 100 ns */
};

struct profile {
    bool has_interval; /* said what a sample stands for */
};

static void put_interval(struct translator *t, const struct sample *s)
{
    struct payload_writer *const p = record_begin(t, HEADER_PERFINFO, HOOK_INTERVAL, 3, EVENT_NO_ID,
                                                  EVENT_NO_ID, s->cpu, s->time);
    put_u32(p, 0); /* source: the timer */
    put_u32(p, INTERVAL);
    put_u32(p, INTERVAL);
    put_utf16(p, "cpu-clock", 9);
    record_end(t);
}

static void translate_sample(struct translator *t, const struct sample *s)
{
    struct profile *const profile = t->state[DOMAIN_PROFILE];
    if (!profile->has_interval)
        put_interval(t, s);
    profile->has_interval = true;
    struct payload_writer *const p = record_begin_at(t, HEADER_SYSTEM, HOOK_SAMPLE, 2, s);
    put_u64(p, s->ip);
    put_u32(p, s->tid);
    put_u32(p, 1);
    record_end(t);
    stack_put(t, s, s->pid, s->tid, s->time);
}

static const struct linux_event events[] = {{
    .perf_type = PERF_TYPE_SOFTWARE,
    .perf_config = PERF_COUNT_SW_CPU_CLOCK,
    .period = FREQUENCY,
    .translate = translate_sample,
    .chooser = "scope_samples",
    .stack_bytes = 16384,
    .classes = 1u << FACT_SAMPLE,
    .serves = "sampling of running code",
}};

static void start(struct translator *t)
{
    t->state[DOMAIN_PROFILE] = mem_new(1, sizeof(struct profile));
}

static void stop(struct translator *t)
{
    free(t->state[DOMAIN_PROFILE]);
    t->state[DOMAIN_PROFILE] = NULL;
}

const struct linux_domain domain_profile = {
    .id = "profile",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .start = start,
    .stop = stop,
};
