#include "src/model/gauge_samples.h"

#include "src/base/mem.h"
#include "src/event/tracetop_provider.h"
#include "src/model/model.h"

#include <math.h>
#include <stddef.h>

/* Samples come every second or two, and make room for others when events are many. */
static const int64_t FRESH_NS = 15000000000;

static bool is_fresh(int64_t sampled, int64_t ns)
{
    return sampled && ns - sampled < FRESH_NS;
}

double gauge_sample_at(const struct gauge_samples *s, enum gauge g, int64_t ns)
{
    return is_fresh(s->ns[g], ns) ? s->values[g] : NAN;
}

struct gauge_cpu gauge_sample_cpu(const struct gauge_samples *s, unsigned cpu, int64_t ns)
{
    if (cpu < s->cpu_count && is_fresh(s->cpus[cpu].ns, ns))
        return s->cpus[cpu].parts;
    return (struct gauge_cpu){NAN, NAN, NAN, NAN, NAN};
}

/* Anybody may have written the file. */
static bool is_sane(enum gauge g, double value)
{
    const enum gauge_unit unit = gauge_infos[g].unit;
    return value >= 0 && value <= (unit == GAUGE_PERCENT ? 100 : 1e18);
}

void gauge_sample(struct gauge_samples *s, enum gauge g, double value, int64_t ns)
{
    if (!is_sane(g, value) || ns < s->ns[g])
        return;
    s->values[g] = value;
    s->ns[g] = ns;
}

struct sampling {
    struct gauge_samples *samples;
    int64_t ns;
};

static void take_gauge(void *to, const char *field, double number)
{
    const struct sampling *const s = to;
    for (unsigned g = 0; g < GAUGES; g++)
        if (strcmp(gauge_infos[g].id, field) == 0)
            gauge_sample(s->samples, g, number, s->ns);
}

void make_gauges(struct model *m, const struct event *e, const struct kind *k, struct fact *f)
{
    (void)k;
    struct sampling s = {&m->gauges, f->time};
    tracetop_event_numbers(e, take_gauge, &s);
}

/* ---- processors ------------------------------------------------------------------------------- */

struct cpu_fields {
    double number, user, system, irq, steal;
};

static void take_part(void *to, const char *field, double number)
{
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {
        {"number", offsetof(struct cpu_fields, number)},
        {"user", offsetof(struct cpu_fields, user)},
        {"system", offsetof(struct cpu_fields, system)},
        {"irq", offsetof(struct cpu_fields, irq)},
        {"steal", offsetof(struct cpu_fields, steal)},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, field) == 0)
            memcpy((char *)to + fields[i].offset, &number, sizeof number);
}

static bool is_percent(double value)
{
    return value >= 0 && value <= 100;
}

static struct gauge_sampled_cpu *sampled_cpu(struct gauge_samples *s, unsigned cpu)
{
    if (cpu >= s->cpu_count)
        s->cpus = mem_grow_zeroed(s->cpus, &s->cpu_count, cpu + 1, sizeof *s->cpus);
    return &s->cpus[cpu];
}

void make_gauges_of_processor(struct model *m, const struct event *e, const struct kind *k,
                              struct fact *f)
{
    (void)k;
    struct cpu_fields c = {-1, -1, -1, -1, -1};
    tracetop_event_numbers(e, take_part, &c);
    if (!(c.number >= 0 && c.number < PROCESSORS_MOST) || !is_percent(c.user) ||
        !is_percent(c.system) || !is_percent(c.irq) || !is_percent(c.steal))
        return;
    const double busy = c.user + c.system + c.irq + c.steal;
    struct gauge_sampled_cpu *const to = sampled_cpu(&m->gauges, (unsigned)c.number);
    to->ns = f->time;
    to->parts = (struct gauge_cpu){(float)c.user, (float)c.system, (float)c.irq, (float)c.steal,
                                   (float)(busy < 100 ? busy : 100)};
}

/* ---- processes -------------------------------------------------------------------------------- */

struct memory_fields {
    struct memory_reading reading;
    bool has_pid;
    uint32_t pid;
};

static void take_memory(void *to, const char *field, double number)
{
    static const double MOST = 1e18, MOST_COUNT = 4e9;
    struct memory_fields *const m = to;
    if (!(number >= 0 && number <= MOST))
        return;
    const uint64_t value = (uint64_t)number;
    const uint32_t count = number < MOST_COUNT ? (uint32_t)value : UINT32_MAX;
    if (strcmp(field, "pid") == 0) {
        m->has_pid = true;
        m->pid = count;
    } else if (strcmp(field, "rss") == 0)
        m->reading.rss = value;
    else if (strcmp(field, "private") == 0)
        m->reading.own = value;
    else if (strcmp(field, "shared") == 0)
        m->reading.shared = value;
    else if (strcmp(field, "swap") == 0)
        m->reading.swap = value;
    else if (strcmp(field, "threads") == 0)
        m->reading.threads = count;
    else if (strcmp(field, "files") == 0)
        m->reading.files = count;
}

void model_process_memory(struct model *m, struct process *p, const struct memory_reading *r)
{
    enum { BYTES = 16 << 20, MOST = 128, FEW = 8 };
    m->reading_bytes += memory_history_add(&p->memory, r, m->reading_bytes < BYTES ? MOST : FEW);
}

void make_process_memory(struct model *m, const struct event *e, const struct kind *k,
                         struct fact *f)
{
    (void)k;
    struct memory_fields of = {.reading = {f->time, READING_UNKNOWN, READING_UNKNOWN,
                                           READING_UNKNOWN, READING_UNKNOWN, UINT32_MAX,
                                           UINT32_MAX}};
    f->process = f->thread = 0;
    tracetop_event_numbers(e, take_memory, &of);
    if (!of.has_pid || of.reading.rss == READING_UNKNOWN)
        return;
    f->process = model_process(m, m->source, of.pid, f->time);
    struct process *const p = generation_at(&m->processes, f->process);
    if (!p)
        return;
    f->value = of.reading.rss;
    model_process_memory(m, p, &of.reading);
}
