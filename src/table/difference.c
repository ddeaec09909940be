#include "src/table/difference.h"

static bool is_real(uint8_t type)
{
    return type == VALUE_RATE || type == VALUE_REAL || type == VALUE_BYTE_RATE ||
           type == VALUE_TIME_RATE || type == VALUE_PERCENT;
}

static bool is_whole(uint8_t type)
{
    return type == VALUE_COUNT || type == VALUE_BYTES;
}

/* Numbers of payloads are counts where they are whole. */
static bool is_number(uint8_t type)
{
    return type == VALUE_COUNT || type == VALUE_REAL;
}

bool column_has_difference(const struct column *c)
{
    return is_real(c->type) || (c->measure && (is_whole(c->type) || c->type == VALUE_TIME));
}

struct value value_difference(struct value b, struct value a)
{
    if (b.type != a.type && is_number(b.type) && is_number(a.type)) {
        b = (struct value){.type = VALUE_REAL, .number = value_signed(b)};
        a = (struct value){.type = VALUE_REAL, .number = value_signed(a)};
    }
    if (b.type != a.type)
        return (struct value){.type = VALUE_ABSENT};
    struct value d = b;
    d.is_difference = true;
    d.is_estimated = b.is_estimated || a.is_estimated;
    d.is_incomplete = b.is_incomplete || a.is_incomplete;
    if (is_real(b.type))
        d.number = b.number - a.number;
    else if (b.type == VALUE_TIME)
        d.ns = b.ns - a.ns;
    else if (is_whole(b.type))
        d.count = b.count - a.count; /* wraps, and so is right as int64_t */
    else
        d.type = VALUE_ABSENT;
    return d;
}

struct value value_sum(struct value a, struct value b)
{
    if (a.type != b.type || a.type != VALUE_COUNT)
        return (struct value){.type = VALUE_REAL, .number = value_signed(a) + value_signed(b)};
    a.count += b.count;
    a.is_difference = (a.is_difference || b.is_difference) && a.ns < 0;
    a.is_estimated |= b.is_estimated;
    a.is_incomplete |= b.is_incomplete;
    return a;
}

double value_signed(struct value v)
{
    if (is_real(v.type))
        return v.number;
    if (v.type == VALUE_TIME || v.type == VALUE_INSTANT || v.is_difference)
        return (double)v.ns; /* a count's difference is read as signed, too */
    return (double)v.count;
}
