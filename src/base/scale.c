#include "src/base/scale.h"

#include <math.h>
#include <stdio.h>

size_t scale_three(double v, const char *unit, char *out, size_t room)
{
    const double size = fabs(v);
    const int digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    return (size_t)snprintf(out, room, "%.*f%s", digits, v, unit);
}

size_t scale_put(double v, double limit, double step, const char *const *units, size_t count,
                 char *out, size_t room)
{
    size_t i = 0;
    while (i + 1 < count && fabs(v) >= limit) {
        v /= step;
        i++;
    }
    return scale_three(v, units[i], out, room);
}

struct scale {
    double size;
    const char *unit;
};

/* Sizes of buffers and pages mostly are whole. */
static size_t put_scaled(double v, const struct scale *units, size_t count, char *out, size_t room)
{
    size_t i = 0;
    while (i + 1 < count && fabs(v) >= 0.9995 * units[i + 1].size)
        i++;
    v /= units[i].size;
    return v == floor(v) ? (size_t)snprintf(out, room, "%.0f%s", v, units[i].unit)
                         : scale_three(v, units[i].unit, out, room);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

size_t scale_bytes(double bytes, char *out, size_t room)
{
    static const struct scale units[] = {{1, " B"},        {0x1p10, " KiB"}, {0x1p20, " MiB"},
                                         {0x1p30, " GiB"}, {0x1p40, " TiB"}, {0x1p50, " PiB"},
                                         {0x1p60, " EiB"}};
    return put_scaled(bytes, units, COUNT(units), out, room);
}

size_t scale_time(double ns, char *out, size_t room)
{
    static const struct scale units[] = {{1, " ns"},  {1e3, " µs"},   {1e6, " ms"},
                                         {1e9, " s"}, {60e9, " min"}, {3600e9, " h"}};
    return put_scaled(ns, units, COUNT(units), out, room);
}
