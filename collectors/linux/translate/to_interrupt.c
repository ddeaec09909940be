/* Interrupts: a handler's run is an ISR, a softirq's a DPC, those of timers TimerDPC. One record
 * at the exit says when it began, on the same processor. Interrupts have their number for a
 * vector and no routine; softirqs have their number + 1 for a routine (an address that no code
 * has), and an event Routine says once what each is called. */
#include "collectors/linux/translate/routine.h"
#include "src/base/mem.h"
#include "src/model/fact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOOK_ISR = 0x0f43, HOOK_DPC, HOOK_TIMER_DPC, VERSION = 2 };

/* Interrupts whose names are remembered, by open addressing; a large machine has about a
 * thousand. Drivers may share one: their names are joined. */
enum { LINES = 4096, NAME_ROOM = 96, PROCESSORS_MAX = 8192 };

struct line {
    uint32_t number; /* of the interrupt + 1; 0 = free */
    char name[NAME_ROOM];
};

enum { SOFTIRQS = 10 };

static const struct {
    const char *name;
    bool is_timer;
} softirqs[SOFTIRQS] = {
    {"HI", false},       {"TIMER", true},    {"NET_TX", false}, {"NET_RX", false}, {"BLOCK", false},
    {"IRQ_POLL", false}, {"TASKLET", false}, {"SCHED", false},  {"HRTIMER", true}, {"RCU", false},
};

/* What runs on a processor: an interrupt may come while a softirq runs. */
struct processor_state {
    int64_t irq_time, softirq_time; /* since when; 0 = none */
    uint32_t irq, softirq;
};

struct interrupt {
    struct processor_state *processors;
    uint32_t processor_count;
    uint32_t line_count;
    uint32_t reported; /* softirqs, a bit each */
    struct line *lines;
};

static struct interrupt *interrupt_of(const struct translator *t)
{
    return t->state[DOMAIN_INTERRUPT];
}

static struct processor_state *processor_of(const struct translator *t, const struct sample *s)
{
    const struct interrupt *const i = interrupt_of(t);
    return s->cpu < i->processor_count ? &i->processors[s->cpu] : NULL;
}

/* ---- names -------------------------------------------------------------------------- */

void routine_report(struct translator *t, const struct sample *s, const char *kind,
                    uint64_t routine, uint32_t vector, const char *name)
{
    struct payload_writer *const p =
        record_begin_tracetop(t, "Routine", "kind:text,routine:hex64,vector:u32,name:text",
                              EVENT_NO_ID, EVENT_NO_ID, s->cpu, s->time);
    put_text(p, kind, strlen(kind));
    put_u64(p, routine);
    put_u32(p, vector);
    put_text(p, name, strlen(name));
    record_end(t);
}

static struct line *line_of(struct interrupt *i, uint32_t irq)
{
    uint32_t at = irq % LINES;
    while (i->lines[at].number && i->lines[at].number != irq + 1)
        at = (at + 1) % LINES;
    return &i->lines[at];
}

/* Is `name` one of those between the commas? */
static bool has_name(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at++) {
        const bool begins = at == names || at[-1] == ' ';
        if (begins && (at[length] == '\0' || at[length] == ','))
            return true;
    }
    return false;
}

static void learn_name(struct translator *t, const struct sample *s, uint32_t irq, const char *name)
{
    struct interrupt *const i = interrupt_of(t);
    struct line *const l = line_of(i, irq);
    const size_t used = strlen(l->name), more = strlen(name);
    if (!more || has_name(l->name, name) || used + more + 3 > sizeof l->name)
        return;
    if (!l->number && i->line_count >= LINES * 3 / 4)
        return; /* its number will do */
    i->line_count += !l->number;
    l->number = irq + 1;
    snprintf(l->name + used, sizeof l->name - used, used ? ", %s" : "%s", name);
    routine_report(t, s, "ISR", 0, irq, l->name);
}

/* ---- interrupts ------------------------------------------------------------------------- */

enum { IRQ_NUMBER, IRQ_RESULT, IRQ_NAME = 1 };

static void take_irq_entry(struct translator *t, const struct sample *s)
{
    struct processor_state *const p = processor_of(t, s);
    char name[NAME_ROOM / 2];
    if (!p)
        return;
    t->unpaired += p->irq_time != 0; /* handlers do not interrupt one another */
    p->irq = sample_u32(s, IRQ_NUMBER);
    p->irq_time = s->time;
    sample_text(s, IRQ_NAME, name, sizeof name);
    learn_name(t, s, p->irq, name);
}

static void take_irq_exit(struct translator *t, const struct sample *s)
{
    struct processor_state *const p = processor_of(t, s);
    const uint32_t irq = sample_u32(s, IRQ_NUMBER);
    if (!p || !p->irq_time || p->irq != irq) {
        t->unpaired++;
        return;
    }
    struct payload_writer *const payload_writer =
        record_begin(t, HEADER_PERFINFO, HOOK_ISR, VERSION, 0, 0, s->cpu, s->time);
    put_u64(payload_writer, (uint64_t)p->irq_time);
    put_u64(payload_writer, 0); /* Routine */
    put_u8(payload_writer, sample_u32(s, IRQ_RESULT) & 0xff);
    put_u16(payload_writer, irq);
    put_u8(payload_writer, 0);
    record_end(t);
    p->irq_time = 0;
}

/* ---- softirqs ---------------------------------------------------------------------------- */

enum { SOFTIRQ_VECTOR };

static void take_softirq_entry(struct translator *t, const struct sample *s)
{
    struct processor_state *const p = processor_of(t, s);
    if (!p)
        return;
    t->unpaired += p->softirq_time != 0; /* nor do softirqs on one processor */
    p->softirq = sample_u32(s, SOFTIRQ_VECTOR);
    p->softirq_time = s->time;
}

static void take_softirq_exit(struct translator *t, const struct sample *s)
{
    struct processor_state *const p = processor_of(t, s);
    struct interrupt *const i = interrupt_of(t);
    const uint32_t vector = sample_u32(s, SOFTIRQ_VECTOR);
    if (!p || !p->softirq_time || p->softirq != vector) {
        t->unpaired++;
        return;
    }
    const bool is_timer = vector < SOFTIRQS && softirqs[vector].is_timer;
    if (vector < SOFTIRQS && !(i->reported >> vector & 1)) {
        i->reported |= 1u << vector;
        routine_report(t, s, is_timer ? "timer" : "DPC", vector + 1, 0, softirqs[vector].name);
    }
    struct payload_writer *const payload_writer = record_begin(
        t, HEADER_PERFINFO, is_timer ? HOOK_TIMER_DPC : HOOK_DPC, VERSION, 0, 0, s->cpu, s->time);
    put_u64(payload_writer, (uint64_t)p->softirq_time);
    put_u64(payload_writer, (uint64_t)vector + 1);
    record_end(t);
    p->softirq_time = 0;
}

/* ---- the domain ---------------------------------------------------------------------------- */

static void start(struct translator *t)
{
    struct interrupt *const i = mem_new(1, sizeof *i);
    /* Their numbers may have gaps; what is never touched takes no memory. */
    i->processor_count = PROCESSORS_MAX;
    i->processors = mem_new(i->processor_count, sizeof *i->processors);
    i->lines = mem_new(LINES, sizeof *i->lines);
    t->state[DOMAIN_INTERRUPT] = i;
}

static void stop(struct translator *t)
{
    struct interrupt *const i = interrupt_of(t);
    if (!i)
        return;
    free(i->processors);
    free(i->lines);
    free(i);
    t->state[DOMAIN_INTERRUPT] = NULL;
}

static const struct linux_event events[] = {
    {.group = "irq",
     .name = "irq_handler_entry",
     .fields = {"irq", "name"},
     .translate = take_irq_entry,
     .program = "irq_handler_entry",
     .prefers_bpf = true,
     .classes = 1u << FACT_ISR,
     .serves = "interrupts"},
    {.group = "irq",
     .name = "irq_handler_exit",
     .fields = {"irq", "ret"},
     .translate = take_irq_exit,
     .program = "irq_handler_exit",
     .prefers_bpf = true,
     .classes = 1u << FACT_ISR,
     .serves = "time in interrupts"},
    {.group = "irq",
     .name = "softirq_entry",
     .fields = {"vec"},
     .translate = take_softirq_entry,
     .program = "softirq_entry",
     .prefers_bpf = true,
     .classes = 1u << FACT_DPC,
     .serves = "softirqs"},
    {.group = "irq",
     .name = "softirq_exit",
     .fields = {"vec"},
     .translate = take_softirq_exit,
     .program = "softirq_exit",
     .prefers_bpf = true,
     .classes = 1u << FACT_DPC,
     .serves = "time in softirqs"},
};

const struct linux_domain domain_interrupt = {
    .id = "interrupt",
    .events = events,
    .event_count = sizeof events / sizeof *events,
    .start = start,
    .stop = stop,
};
