/* The synthetic generator as its callers see it: options in, records and totals out. */
#include "collectors/synthetic/machine.h"

#include "src/base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum {
    LEAST_CPUS = 2,
    NATURAL_CPUS = 8,
    EVENTS_EACH_CPU = 5000, /* a second: what a processor of a busy machine logs */
    END_LISTS_MOST = 2600,  /* records that the lists at the end take at most, about */
};

/* The machine had been up for a while when tracing began. */
#define UPTIME (5 * 3600 * TICKS_PER_SECOND + 1234567)

static unsigned cpus_for(const struct synthetic_options *o)
{
    const uint64_t wanted = o->cpus ? o->cpus : o->rate ? o->rate / EVENTS_EACH_CPU : NATURAL_CPUS;
    return wanted < LEAST_CPUS ? LEAST_CPUS : wanted > CPU_SLOTS ? CPU_SLOTS : (unsigned)wanted;
}

struct synthetic *synthetic_new(const struct synthetic_options *o)
{
    struct synthetic *s = mem_new(1, sizeof *s);
    s->agenda.heap = (struct heap){.items = s->agenda.items, .where = s->agenda.where};
    s->o = *o;
    s->prng.state = o->seed;
    s->now = o->start_raw ? o->start_raw : UPTIME;
    s->clock = trace_clock_make(CLOCK_QPC, s->now, o->start_ns / 100 + FILETIME_UNIX_EPOCH,
                                SYNTHETIC_FREQUENCY);
    s->cpu_count = cpus_for(o);
    /* Slow machines are sampled less often, or samples would be all they log. */
    s->sample_interval = o->rate && o->rate < 15000 ? 10 * TICKS_PER_MS : TICKS_PER_MS;
    s->stage = STAGE_START_LISTS;
    fixtures_create(s);
    return s;
}

void synthetic_free(struct synthetic *s)
{
    if (!s)
        return;
    free(s->totals.processes);
    free(s->totals.threads);
    free(s->totals.wakes);
    free(s);
}

static bool is_near_end(const struct synthetic *s)
{
    const uint64_t made = s->totals.records + s->totals.lost_events;
    return s->o.late_rundown && s->o.events && made + END_LISTS_MOST >= s->o.events;
}

static void enter_stage(struct synthetic *s, enum demo_stage stage)
{
    s->stage = stage;
    s->list = s->list_slot = 0;
}

/* One step; false when the next thing would happen after `until`. */
static bool step(struct synthetic *s, int64_t until)
{
    if (s->stage == STAGE_RUN && is_near_end(s))
        enter_stage(s, STAGE_END_LISTS);
    if (s->stage == STAGE_RUN || s->stage == STAGE_LAST)
        return machine_step(s, until);
    if (rundown_step(s))
        return true;
    if (s->stage == STAGE_START_LISTS && !s->goes_on)
        machine_start(s);
    enter_stage(s, s->stage == STAGE_START_LISTS || s->goes_on ? STAGE_RUN : STAGE_LAST);
    s->goes_on = false;
    return true;
}

void synthetic_list(struct synthetic *s, bool is_end)
{
    assert(s->stage == STAGE_RUN);
    enter_stage(s, is_end ? STAGE_END_LISTS : STAGE_START_LISTS);
    s->goes_on = true;
}

bool synthetic_is_listing(const struct synthetic *s)
{
    return s->stage == STAGE_START_LISTS || s->stage == STAGE_END_LISTS;
}

size_t synthetic_fill(struct synthetic *s, void *to, size_t room, int64_t until)
{
    assert(room >= SYNTHETIC_ROOM && ((uintptr_t)to & 7) == 0);
    s->out = to;
    s->out_end = (uint8_t *)to + room;
    while (!s->is_done && (size_t)(s->out_end - s->out) >= SYNTHETIC_ROOM && step(s, until))
        ;
    return (size_t)(s->out - (uint8_t *)to);
}

bool synthetic_is_done(const struct synthetic *s)
{
    return s->is_done;
}

int64_t synthetic_time(const struct synthetic *s)
{
    return s->now;
}

struct trace_clock synthetic_clock(const struct synthetic *s)
{
    return s->clock;
}

unsigned synthetic_cpus(const struct synthetic *s)
{
    return s->cpu_count;
}

const struct synthetic_totals *synthetic_totals(const struct synthetic *s)
{
    return &s->totals;
}
