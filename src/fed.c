#include "src/fed.h"

#include <string.h>

#define OP(op_) (1ull << (op_))

void fed_look(struct fed *f, const struct model *m)
{
    for (; f->kinds < m->kind_count; f->kinds++) {
        const struct kind *k = &m->kinds[f->kinds];
        if (f->kinds && k->class < FACT_CLASSES)
            f->ops[k->class] |= OP(k->op);
    }
}

/* The ops that are recorded together with these: most classes are one switch of the
 * system's, but hard faults have their own, and so has the end of file operations. */
static uint64_t companions(unsigned class, uint64_t ops)
{
    const uint64_t apart = class == FACT_FAULT ? OP(OP_HARD) : class == FACT_FILE ? OP(OP_END) : 0;
    if (!ops || !apart)
        return ~0ull;
    return (ops & apart ? apart : 0) | (ops & ~apart ? ~apart : 0);
}

static bool is_fed(const struct fed *f, const struct measure *q)
{
    for (unsigned class = 0; class < FACT_CLASSES; class ++)
        if (q->classes >> class & 1 && f->ops[class] & companions(class, q->ops))
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

uint64_t fed_missing(const struct fed *f, const struct pane *p)
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
        if ((one || two) && !(one && is_fed(f, one)) && !(two && is_fed(f, two)))
            missing |= 1ull << i;
    }
    return missing;
}
