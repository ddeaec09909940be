#include "src/table/column_availability.h"

#include <string.h>

#define OP(op_) (1ull << (op_))

/* Of classes that are stated to be recorded it is known that such events would be there: none of
 * them is zero, not unknown. What kind a soft fault was is not stated by that. */
static const struct {
    enum fact_class class;
    uint64_t ops;
} stated[] = {
    {FACT_SWITCH, OP(OP_END)},
    {FACT_READY, OP(OP_NONE)},
    {FACT_FAULT, OP(OP_HARD) | OP(OP_SOFT)},
    {FACT_DISK, OP(OP_READ) | OP(OP_WRITE)},
};

static void look_at_statements(struct column_availability *f, const struct recorded *r)
{
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++)
        if (f->is_linux && r->counts[stated[i].class])
            f->ops[stated[i].class] |= stated[i].ops;
    /* Recorded with the faults, FACT_MEMORY has their kinds. */
    if (f->is_linux && r->counts[FACT_FAULT] && r->counts[FACT_MEMORY])
        f->ops[FACT_FAULT] |= OP(OP_ZERO) | OP(OP_COPY);
}

static uint32_t classes_of_providers(const struct model *m)
{
    uint32_t of_providers = 0, of_others = 0;
    for (uint32_t i = 0; i < m->source_count; i++)
        for (unsigned class = 0; class < FACT_CLASSES; class ++) {
            const struct model_source *const s = &m->sources[i];
            of_providers |= (uint32_t)(s->recorded_by[class] == RECORDED_BY_PROVIDER) << class;
            of_others |=
                (uint32_t)(s->recorded_by[class] == RECORDED_BY_KERNEL_LOGGER || s->is_linux)
                << class;
        }
    return of_providers & ~of_others;
}

void availability_look(struct column_availability *f, const struct model *m)
{
    for (; f->kinds < m->kind_count; f->kinds++) {
        const struct kind *k = &m->kinds[f->kinds];
        if (f->kinds && k->class < FACT_CLASSES)
            f->ops[k->class] |= OP(k->op);
    }
    f->is_linux = true;
    for (uint32_t i = 0; i < m->source_count; i++)
        f->is_linux &= m->sources[i].is_linux || !m->sources[i].processors_seen;
    f->of_providers = classes_of_providers(m);
    look_at_statements(f, &m->recorded);
}

/* The ops that are recorded together with these: most classes are one switch of the
 * system's, but hard faults have their own, and so have the end of file operations and requests of
 * HTTP. The providers Kernel-File and Kernel-Registry have a keyword for each operation. */
static uint64_t companions(const struct column_availability *f, unsigned class, uint64_t ops)
{
    static const uint32_t by_operation = 1u << FACT_FILE | 1u << FACT_REGISTRY;
    if (ops && f->of_providers & by_operation & 1u << class)
        return ops;
    const uint64_t apart = class == FACT_FAULT     ? OP(OP_HARD)
                           : class == FACT_PROCESS ? OP(OP_QUERY)
                           : class == FACT_FILE    ? OP(OP_END)
                           : class == FACT_NETWORK ? OP(OP_QUERY) | OP(OP_END)
                                                   : 0;
    if (!ops || !apart)
        return ~0ull;
    return (ops & apart ? apart : 0) | (ops & ~apart ? ~apart : 0);
}

#define REPORTED (OP(OP_ZERO) | OP(OP_COPY))
#define KINDS    (REPORTED | OP(OP_TRANSITION))

/* Linux counts soft faults, and what kind each was is learned from a tracepoint that is on with the
 * class memory, and may be missing. */
static bool is_of_linux_kinds(const struct column_availability *f, const struct measure *q)
{
    return f->is_linux && q->classes == 1u << FACT_FAULT && q->ops && !(q->ops & ~KINDS);
}

/* Faults of new pages come all the time. Linux does not report faults of guard pages. */
static bool is_of_unknown_kind(const struct column_availability *f, const struct measure *q)
{
    if (f->is_linux && q->classes >> FACT_FAULT & 1 && q->ops == OP(OP_GUARD))
        return !(f->ops[FACT_FAULT] & OP(OP_GUARD));
    return is_of_linux_kinds(f, q) && !(f->ops[FACT_FAULT] & REPORTED);
}

uint32_t availability_classes(const struct column_availability *f, const struct measure *q)
{
    return is_of_linux_kinds(f, q) ? 1u << FACT_MEMORY : q->classes;
}

static bool is_available(const struct column_availability *f, const struct measure *q)
{
    if (is_of_unknown_kind(f, q))
        return false;
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if (q->classes >> class & 1 && f->ops[class] & companions(f, class, q->ops))
            return true;
    return false;
}

static const struct measure *measure_of(const struct pane *p, const char *id)
{
    for (size_t i = 0; id && i < p->measure_count; i++)
        if (strcmp(p->measures[i].id, id) == 0)
            return &p->measures[i];
    return NULL;
}

/* Can a fact of this class and operation count? Ends of file operations do by the operation. */
static bool can_count(const struct column_availability *f, const struct measure *q, unsigned class,
                      unsigned op)
{
    static const uint8_t operations[] = {OP_READ, OP_WRITE, OP_OPEN};
    const unsigned takes = measure_takes(q, class, op);
    if (takes != TAKES_SOME || class != FACT_FILE || op != OP_END)
        return takes != TAKES_NONE;
    for (unsigned i = 0; i < sizeof operations; i++) {
        const struct fact like = {
            .class = FACT_FILE,
            .op = OP_END,
            .place = operations[i],
            .flags = (uint8_t)(FACT_FAILED | FACT_HAS_LATENCY | (f->is_linux ? FACT_MOVED : 0))};
        if (q->where(&like))
            return true;
    }
    return false;
}

static bool is_lacking(const struct column_availability *f, const struct measure *q,
                       const uint64_t lacking[FACT_CLASSES], const uint64_t passing[FACT_CLASSES])
{
    bool counts_any = false;
    for (unsigned class = 0; class < FACT_CLASSES; class++)
        for (unsigned op = 0; op < OPS; op++) {
            if (!can_count(f, q, class, op))
                continue;
            const bool lacks = lacking[class] >> op & 1;
            if (!lacks && passing[class] >> op & 1)
                return false;
            counts_any |= lacks;
        }
    return counts_any;
}

uint64_t availability_lacking(const struct column_availability *f, const struct pane *p,
                              const uint64_t lacking[FACT_CLASSES],
                              const uint64_t passing[FACT_CLASSES])
{
    uint64_t missing = 0, any = 0;
    for (unsigned class = 0; class < FACT_CLASSES; class++)
        any |= lacking[class];
    for (size_t i = 0; any && i < p->column_count && i < 64; i++) {
        const struct measure *const one = measure_of(p, p->columns[i].measure),
                             *const two = measure_of(p, p->columns[i].measure2);
        if ((one && is_lacking(f, one, lacking, passing)) ||
            (two && is_lacking(f, two, lacking, passing)))
            missing |= 1ull << i;
    }
    return missing;
}

uint64_t availability_missing(const struct column_availability *f, const struct pane *p)
{
    uint64_t missing = 0;
    if (f->kinds <= 1) /* nothing is known yet */
        return 0;
    for (size_t i = 0; i < p->column_count && i < 64; i++) {
        const struct measure *one = measure_of(p, p->columns[i].measure);
        const struct measure *two = measure_of(p, p->columns[i].measure2);
        const bool is_of_services = p->columns[i].flags & COLUMN_OF_SERVICES;
        /* Nothing else of this class is listed. */
        if (is_of_services && !(f->ops[FACT_OTHER] & OP(OP_RUNDOWN)))
            missing |= 1ull << i;
        if ((one || two) && !(one && is_available(f, one)) && !(two && is_available(f, two)))
            missing |= 1ull << i;
    }
    return missing;
}
