/* How many different ids: all of them as long as they are few, then a sketch that goes by the ids
 * alone, whatever their order was. */
#include "src/aggregate/inside.h"

#include "src/base/hash.h"

#include <math.h>
#include <string.h>

enum { BITS = 6, IN_WORD = 5, RUN_MOST = 33 }; /* of a register; registers in a word; zeros + 1 */

static unsigned run_of(const struct distinct *d, unsigned at)
{
    return d->of[at / IN_WORD] >> at % IN_WORD * BITS & ((1u << BITS) - 1);
}

static void sketch_run(struct distinct *d, unsigned at, unsigned run)
{
    const unsigned shift = at % IN_WORD * BITS;
    if (run > run_of(d, at))
        d->of[at / IN_WORD] = (d->of[at / IN_WORD] & ~(((1u << BITS) - 1) << shift)) | run << shift;
}

static void sketch_id(struct distinct *d, uint32_t id)
{
    /* Twice: once alone spreads neighbors too evenly, and the estimate goes by chance. */
    const uint64_t mixed = hash_mix(hash_mix(id) * 0xff51afd7ed558ccdu);
    const uint32_t rest = (uint32_t)hash_mix(mixed);
    sketch_run(d, (uint32_t)(mixed >> 32) % DISTINCT_REGISTERS,
               rest ? (unsigned)__builtin_clz(rest) + 1 : RUN_MOST);
}

static void become_sketch(struct distinct *d)
{
    const struct distinct listed = *d;
    *d = (struct distinct){.count = DISTINCT_SKETCH};
    for (unsigned i = 0; i < listed.count; i++)
        sketch_id(d, listed.of[i]);
}

static void add_id(struct distinct *d, uint32_t id)
{
    unsigned at = 0;
    if (d->count < DISTINCT_SKETCH) {
        while (at < d->count && d->of[at] < id)
            at++;
        if (at < d->count && d->of[at] == id)
            return;
        if (d->count < DISTINCT_LISTED) {
            memmove(d->of + at + 1, d->of + at, (d->count++ - at) * sizeof *d->of);
            d->of[at] = id;
            return;
        }
        become_sketch(d);
    }
    sketch_id(d, id);
}

void distinct_add(void *state, const struct aggregate_input *in)
{
    if ((uint32_t)in->value)
        add_id(state, (uint32_t)in->value);
}

static void merge_one(struct distinct *to, const struct distinct *from)
{
    for (unsigned i = 0; i < from->count && from->count < DISTINCT_SKETCH; i++)
        add_id(to, from->of[i]);
    if (from->count < DISTINCT_SKETCH)
        return;
    if (to->count < DISTINCT_SKETCH)
        become_sketch(to);
    for (unsigned i = 0; i < DISTINCT_REGISTERS; i++)
        sketch_run(to, i, run_of(from, i));
}

void distinct_merge(void *to, const void *from, unsigned count)
{
    struct distinct *const a = to;
    const struct distinct *const b = from;
    for (unsigned i = 0; i < count; i++)
        merge_one(&a[i], &b[i]);
}

/* By empty registers while there are many of them (linear counting). */
uint64_t distinct_finish(const void *state)
{
    static const double registers = DISTINCT_REGISTERS, few = 2.5;
    const struct distinct *const d = state;
    double sum = 0, empty = 0;
    if (d->count < DISTINCT_SKETCH)
        return d->count;
    for (unsigned i = 0; i < DISTINCT_REGISTERS; i++) {
        sum += ldexp(1, -(int)run_of(d, i));
        empty += !run_of(d, i);
    }
    const double correction = 0.7213 / (1 + 1.079 / registers);
    double found = correction * registers * registers / sum;
    if (found < few * registers && empty > 0)
        found = registers * log(registers / empty);
    return found > DISTINCT_SKETCH ? (uint64_t)(found + 0.5) : DISTINCT_SKETCH;
}

void distinct_encode(const void *state, struct payload_writer *to)
{
    const struct distinct *const d = state;
    put_varint(to, d->count);
    for (unsigned i = 0; i < d->count && i < DISTINCT_LISTED; i++)
        put_varint(to, d->of[i]);
}

bool distinct_decode(void *state, struct bytes *from, struct err *err)
{
    struct distinct *const d = state;
    uint64_t number, before = 0;
    if (!read_number(from, DISTINCT_SKETCH, &number, err))
        return false;
    d->count = (uint32_t)number;
    for (unsigned i = 0; i < d->count && i < DISTINCT_LISTED; i++, before = number) {
        if (!read_number(from, UINT32_MAX, &number, err))
            return false;
        if (d->count < DISTINCT_SKETCH && number <= before)
            return fail(err, "id %u of %u does not follow in order", i + 1, (unsigned)d->count);
        d->of[i] = (uint32_t)number;
    }
    for (unsigned i = 0; i < DISTINCT_REGISTERS && d->count == DISTINCT_SKETCH; i++)
        if (run_of(d, i) > RUN_MOST || d->of[i / IN_WORD] >> IN_WORD * BITS)
            return fail(err, "register %u counts more zeros than a hash has", i);
    return true;
}
