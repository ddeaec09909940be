#include "src/model/gauge_history.h"

#include "src/base/mem.h"
#include "src/model/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DISKS_MOST = 64,     /* of more, the others are one */
    CPU_BYTES = 2 << 20, /* of processors in all intervals */
    CPU_PARTS = 5,
    PART_SCALE = 100, /* parts are kept as hundredths of a percent … */
};
static const uint16_t PART_UNKNOWN = UINT16_MAX; /* … or this */

/* The running interval: ns and bytes. */
struct gauge_sums {
    uint64_t run, busy;             /* by switches, of all processors */
    uint64_t sampled, sampled_idle; /* by samples … */
    uint64_t sampled_user;          /* … of them in programs */
    uint64_t interrupts;
    uint64_t read, written, received, sent;
    uint64_t service[DISKS_MOST]; /* by disk: that it had something to do */
    unsigned cpus;                /* that `by_cpu` has room for */
    struct cpu_sums {
        uint64_t run, busy, interrupts;
        uint64_t sampled_busy, sampled_idle, sampled_user; /* as above */
    } * by_cpu;
};

struct gauge_history {
    uint64_t first, end;
    float *values;   /* [number % GAUGE_INTERVALS][GAUGES] */
    uint16_t *parts; /* [number % part_intervals][cpus][CPU_PARTS]; NULL: none yet */
    unsigned cpus, part_intervals;
    uint64_t part_first; /* number of the oldest interval in `parts` */
    struct gauge_sums sums;
};

struct gauge_history *gauge_history_new(void)
{
    struct gauge_history *const h = mem_new(1, sizeof *h);
    h->values = mem_new((size_t)GAUGE_INTERVALS * GAUGES, sizeof *h->values);
    return h;
}

static size_t parts_bytes(const struct gauge_history *h)
{
    return (size_t)h->part_intervals * h->cpus * CPU_PARTS * sizeof *h->parts;
}

struct gauge_history *gauge_history_copy(const struct gauge_history *h)
{
    struct gauge_history *const copy = mem_copy(h, sizeof *h);
    copy->values = mem_copy(h->values, (size_t)GAUGE_INTERVALS * GAUGES * sizeof *h->values);
    copy->parts = h->parts ? mem_copy(h->parts, parts_bytes(h)) : NULL;
    copy->sums.by_cpu =
        h->sums.by_cpu ? mem_copy(h->sums.by_cpu, h->sums.cpus * sizeof *h->sums.by_cpu) : NULL;
    return copy;
}

void gauge_history_free(struct gauge_history *h)
{
    if (!h)
        return;
    free(h->values);
    free(h->parts);
    free(h->sums.by_cpu);
    free(h);
}

static void clear_sums(struct gauge_sums *s)
{
    const struct gauge_sums none = {.by_cpu = s->by_cpu, .cpus = s->cpus};
    if (s->by_cpu)
        memset(s->by_cpu, 0, s->cpus * sizeof *s->by_cpu);
    *s = none;
}

void gauge_history_clear(struct gauge_history *h)
{
    clear_sums(&h->sums);
    h->first = h->part_first = h->end;
}

size_t gauge_history_bytes(const struct gauge_history *h)
{
    const uint64_t kept = h->end - h->first;
    return sizeof *h + (size_t)kept * GAUGES * sizeof *h->values + parts_bytes(h) +
           h->sums.cpus * sizeof *h->sums.by_cpu;
}

/* ---- counting ------------------------------------------------------------------------------- */

/* The processor's sums; NULL for a number that no processor has. */
static struct cpu_sums *sums_of_cpu(struct gauge_sums *s, unsigned cpu)
{
    if (cpu >= PROCESSORS_MOST)
        return NULL;
    if (cpu >= s->cpus)
        s->by_cpu = mem_grow_zeroed(s->by_cpu, &s->cpus, cpu + 1, sizeof *s->by_cpu);
    return &s->by_cpu[cpu];
}

static void count_run(struct gauge_sums *s, const struct fact *f, bool is_busy)
{
    struct cpu_sums *const cpu = sums_of_cpu(s, f->cpu);
    s->run += f->value;
    s->busy += is_busy ? f->value : 0;
    if (!cpu)
        return;
    cpu->run += f->value;
    cpu->busy += is_busy ? f->value : 0;
}

static void count_sample(struct gauge_sums *s, const struct fact *f, bool is_busy)
{
    struct cpu_sums *const cpu = sums_of_cpu(s, f->cpu);
    const uint64_t user = is_busy && !is_kernel_address(f->latency) ? f->value : 0;
    s->sampled += f->value;
    s->sampled_idle += is_busy ? 0 : f->value;
    s->sampled_user += user;
    if (!cpu)
        return;
    cpu->sampled_busy += is_busy ? f->value : 0;
    cpu->sampled_idle += is_busy ? 0 : f->value;
    cpu->sampled_user += user;
}

static void count_disk(struct gauge_sums *s, const struct fact *f)
{
    if (f->op != OP_READ && f->op != OP_WRITE && f->op != OP_FLUSH)
        return;
    s->read += f->op == OP_READ ? f->value : 0;
    s->written += f->op == OP_WRITE ? f->value : 0;
    s->service[f->place < DISKS_MOST ? f->place : DISKS_MOST - 1] += f->status;
}

static void count_interrupt(struct gauge_sums *s, const struct fact *f)
{
    struct cpu_sums *const cpu = sums_of_cpu(s, f->cpu);
    s->interrupts += f->latency;
    if (cpu)
        cpu->interrupts += f->latency;
}

void gauge_history_count(struct gauge_history *h, const struct fact *f, bool is_busy)
{
    struct gauge_sums *const s = &h->sums;
    switch (f->class) {
    case FACT_SWITCH:
        count_run(s, f, is_busy);
        break;
    case FACT_SAMPLE:
        count_sample(s, f, is_busy);
        break;
    case FACT_DISK:
        count_disk(s, f);
        break;
    case FACT_NETWORK:
        s->received += f->op == OP_RECEIVE ? f->value : 0;
        s->sent += f->op == OP_SEND ? f->value : 0;
        break;
    case FACT_DPC:
    case FACT_ISR:
        count_interrupt(s, f);
        break;
    default:
        break;
    }
}

/* ---- what an interval comes to ---------------------------------------------------------------- */

static double within(double percent)
{
    return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

/* Ns of so many seconds, in percent; NaN of none. */
static double percent_of(uint64_t ns, double seconds)
{
    return seconds > 0 ? within((double)ns / 1e7 / seconds) : NAN;
}

static double rate_of(uint64_t amount, double seconds)
{
    return seconds > 0 ? (double)amount / seconds : NAN;
}

/* Of samples. If idle processors are sampled as well, every processor is sampled all the time. */
static double sampled_percent(const struct gauge_sums *s, const struct gauge_interval *i)
{
    const uint64_t busy = s->sampled - s->sampled_idle;
    if (s->sampled_idle)
        return within((double)busy / (double)s->sampled * 100);
    return s->sampled ? percent_of(busy, i->seconds[FACT_SAMPLE] * i->cpus) : NAN;
}

/* The same of one processor. */
static double sampled_percent_of(const struct gauge_sums *s, const struct cpu_sums *cpu,
                                 const struct gauge_interval *i)
{
    const uint64_t sampled = cpu->sampled_busy + cpu->sampled_idle;
    if (s->sampled_idle)
        return sampled ? within((double)cpu->sampled_busy / (double)sampled * 100) : NAN;
    return s->sampled ? percent_of(cpu->sampled_busy, i->seconds[FACT_SAMPLE]) : NAN;
}

static double interrupt_seconds(const struct gauge_interval *i)
{
    const double isr = i->seconds[FACT_ISR], dpc = i->seconds[FACT_DPC];
    return isr > dpc ? isr : dpc;
}

/* Samples say which part of it went to programs, interrupts are parts of what is the kernel's. */
static void split_processor_time(const struct gauge_sums *s, const struct gauge_interval *i,
                                 float *out)
{
    const uint64_t busy = s->sampled - s->sampled_idle;
    const double irq =
        s->interrupts ? percent_of(s->interrupts, interrupt_seconds(i) * i->cpus) : NAN;
    out[GAUGE_CPU_IRQ] = (float)irq;
    if (!busy || isnan(out[GAUGE_CPU]))
        return;
    const double user = out[GAUGE_CPU] * ((double)s->sampled_user / (double)busy),
                 system = out[GAUGE_CPU] - user - (isnan(irq) ? 0 : irq);
    out[GAUGE_CPU_USER] = (float)user;
    out[GAUGE_CPU_SYSTEM] = (float)(system > 0 ? system : 0);
}

/* Samples have what events cannot say, and the rest where no events were recorded. */
static void put_samples(const struct gauge_interval *i, float *out)
{
    for (unsigned g = 0; i->samples && g < GAUGES; g++) {
        const double sampled = gauge_sample_at(i->samples, g, i->end_ns);
        if (!isnan(sampled) && (gauge_infos[g].is_sampled || isnan(out[g])))
            out[g] = (float)sampled;
    }
}

static void put_values(const struct gauge_sums *s, const struct gauge_interval *i, float *out)
{
    for (unsigned g = 0; g < GAUGES; g++)
        out[g] = NAN;
    const double switched = s->run ? i->seconds[FACT_SWITCH] * i->cpus : 0;
    out[GAUGE_CPU] = (float)(switched > 0 ? percent_of(s->busy, switched) : sampled_percent(s, i));
    split_processor_time(s, i, out);
    uint64_t service = 0;
    for (unsigned d = 0; d < DISKS_MOST; d++)
        service = s->service[d] > service ? s->service[d] : service;
    out[GAUGE_DISK_BUSY] = (float)percent_of(service, i->seconds[FACT_DISK]);
    out[GAUGE_DISK_READ] = (float)rate_of(s->read, i->seconds[FACT_DISK]);
    out[GAUGE_DISK_WRITE] = (float)rate_of(s->written, i->seconds[FACT_DISK]);
    out[GAUGE_NET_IN] = (float)rate_of(s->received, i->seconds[FACT_NETWORK]);
    out[GAUGE_NET_OUT] = (float)rate_of(s->sent, i->seconds[FACT_NETWORK]);
    out[GAUGE_EVENTS] = (float)rate_of(i->events, i->length);
    out[GAUGE_LOST] = (float)i->lost;
    put_samples(i, out);
}

static struct gauge_cpu cpu_of(const struct gauge_sums *s, const struct gauge_interval *i,
                               unsigned cpu)
{
    static const struct gauge_samples none;
    struct gauge_cpu c = gauge_sample_cpu(i->samples ? i->samples : &none, cpu, i->end_ns);
    if (cpu >= s->cpus)
        return c;
    const struct cpu_sums *const of = &s->by_cpu[cpu];
    if (of->run)
        c.busy = (float)percent_of(of->busy, i->seconds[FACT_SWITCH]);
    else if (!s->run && isnan(c.busy))
        c.busy = (float)sampled_percent_of(s, of, i);
    if (of->interrupts && isnan(c.irq))
        c.irq = (float)percent_of(of->interrupts, interrupt_seconds(i));
    if (of->sampled_busy && isnan(c.user) && !isnan(c.busy)) {
        const double user = c.busy * ((double)of->sampled_user / (double)of->sampled_busy),
                     system = c.busy - user - (isnan(c.irq) ? 0 : c.irq);
        c.user = (float)user;
        c.system = (float)(system > 0 ? system : 0);
    }
    return c;
}

/* ---- keeping -------------------------------------------------------------------------------- */

static uint16_t part_kept(float percent)
{
    return isnan(percent) ? PART_UNKNOWN : (uint16_t)lrint(within(percent) * PART_SCALE);
}

static float part_known(uint16_t kept)
{
    return kept == PART_UNKNOWN ? NAN : (float)kept / PART_SCALE;
}

static uint16_t *parts_at(const struct gauge_history *h, uint64_t number)
{
    return h->parts + number % h->part_intervals * h->cpus * CPU_PARTS;
}

/* More processors than before: what was kept of them begins anew. */
static void make_room_for_cpus(struct gauge_history *h, unsigned cpus, uint64_t number)
{
    cpus = cpus < PROCESSORS_MOST ? cpus : PROCESSORS_MOST;
    if (cpus <= h->cpus)
        return;
    free(h->parts);
    const size_t each = cpus * CPU_PARTS * sizeof *h->parts, most = CPU_BYTES / each;
    h->cpus = cpus;
    h->part_intervals = most < GAUGE_INTERVALS ? (unsigned)most : GAUGE_INTERVALS;
    h->parts = mem_new(h->part_intervals * each, 1);
    h->part_first = number;
}

static void keep_cpus(struct gauge_history *h, uint64_t number, const struct gauge_interval *i)
{
    make_room_for_cpus(h, i->cpus, number);
    for (unsigned cpu = 0; cpu < h->cpus; cpu++) {
        uint16_t *const to = parts_at(h, number) + (size_t)cpu * CPU_PARTS;
        const struct gauge_cpu c = cpu_of(&h->sums, i, cpu);
        const float parts[CPU_PARTS] = {c.user, c.system, c.irq, c.steal, c.busy};
        for (unsigned p = 0; p < CPU_PARTS; p++)
            to[p] = part_kept(parts[p]);
    }
}

static float *values_at(const struct gauge_history *h, uint64_t number)
{
    return h->values + number % GAUGE_INTERVALS * GAUGES;
}

/* Nothing is known of an interval. */
static void keep_nothing(struct gauge_history *h, uint64_t number)
{
    for (unsigned g = 0; g < GAUGES; g++)
        values_at(h, number)[g] = NAN;
    if (h->parts)
        memset(parts_at(h, number), 0xff, h->cpus * CPU_PARTS * sizeof *h->parts);
}

void gauge_history_step(struct gauge_history *h, uint64_t number, uint32_t steps,
                        const struct gauge_interval *i)
{
    if (!steps)
        return;
    if (number != h->end)
        h->first = h->part_first = number;
    keep_cpus(h, number, i);
    put_values(&h->sums, i, values_at(h, number));
    h->end = number + steps;
    const uint64_t kept = h->end > GAUGE_INTERVALS ? h->end - GAUGE_INTERVALS : 0;
    for (uint64_t n = number + 1 > kept ? number + 1 : kept; n < h->end; n++)
        keep_nothing(h, n);
    h->first = h->first > kept ? h->first : kept;
    clear_sums(&h->sums);
}

/* ---- looking back --------------------------------------------------------------------------- */

uint64_t gauge_history_first(const struct gauge_history *h)
{
    return h->first;
}

uint64_t gauge_history_end(const struct gauge_history *h)
{
    return h->end;
}

const float *gauge_history_at(const struct gauge_history *h, uint64_t number)
{
    return values_at(h, number);
}

void gauge_history_running(const struct gauge_history *h, const struct gauge_interval *i,
                           float out[GAUGES])
{
    put_values(&h->sums, i, out);
}

static bool has_cpus(const struct gauge_history *h, uint64_t number)
{
    return h->parts && number < h->end && number >= h->part_first &&
           h->end - number <= h->part_intervals;
}

unsigned gauge_history_cpus(const struct gauge_history *h, uint64_t number,
                            const struct gauge_interval *i, struct gauge_cpu *out, unsigned room)
{
    if (!i && !has_cpus(h, number))
        return 0;
    const unsigned all = i ? i->cpus : h->cpus, count = all < room ? all : room;
    for (unsigned cpu = 0; cpu < count; cpu++) {
        const uint16_t *const p = i ? NULL : parts_at(h, number) + (size_t)cpu * CPU_PARTS;
        out[cpu] = i ? cpu_of(&h->sums, i, cpu)
                     : (struct gauge_cpu){part_known(p[0]), part_known(p[1]), part_known(p[2]),
                                          part_known(p[3]), part_known(p[4])};
    }
    return count;
}
