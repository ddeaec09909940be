/* Numbers as people read them: three significant digits and the largest unit that fits. */
#ifndef SRC_BASE_SCALE_H
#define SRC_BASE_SCALE_H

#include <stddef.h>

/* 1.23, 12.3, 123, with the unit behind it. All return the length, as snprintf() does. */
size_t scale_three(double v, const char *unit, char *out, size_t room);

/* `v` over `step` until it is below the limit, so that rounding never shows 1000; the first of the
 * units is that of `v` itself. */
size_t scale_put(double v, double limit, double step, const char *const *units, size_t count,
                 char *out, size_t room);

/* In running text: "512 B", "64 KiB", "1.25 GiB"; "28 µs", "1.07 ms", "2.5 h". Whole numbers stay
 * whole. */
size_t scale_bytes(double bytes, char *out, size_t room);
size_t scale_time(double ns, char *out, size_t room);

#endif
