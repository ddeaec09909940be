/* Typed values as people read them (ui/README.md, Numbers and text). */
#ifndef UI_WIDGET_FORMAT_H
#define UI_WIDGET_FORMAT_H

#include "src/table/value.h"
#include "ui/term/glyph.h"

#include <stdbool.h>
#include <stddef.h>

/* TIME_DELTA: since what came before, where there is such a thing; else as TIME_RELATIVE. */
enum time_mode { TIME_LOCAL, TIME_UTC, TIME_RELATIVE, TIME_DELTA };

struct format {
    const struct glyphs *glyphs;
    enum time_mode time;
    bool is_si; /* K, M, G of bytes count in 1000, not in 1024 */
    bool is_bits;  /* bytes per second are shown as bits, in steps of 1000 */
    int64_t start; /* what relative times count from */
};

enum { FORMAT_ROOM = 1024 };

/* Text of a value into out[room], NUL-terminated. Text values are copied from the
 * arena as they are (the grid sanitizes), NUL bytes as blanks. Returns the length. */
size_t format_value(const struct format *f, const struct value *v, const char *arena,
                    size_t arena_bytes, char *out, size_t room);

/* The amounts of a series, oldest first, none below 0; how many there were of at most `room`. */
size_t series_read(const struct value *v, const char *arena, size_t arena_bytes, float *out,
                   size_t room);

/* Parts that the lines around the table need too. */
size_t format_count(double v, char *out, size_t room); /* 9999, 12.3k, 4.56M */
size_t format_bytes(const struct format *f, double v, char *out, size_t room); /* 512, 1.50K, 12.3M */
size_t format_time(const struct format *f, double ns, char *out, size_t room);
size_t format_percent(double v, char *out, size_t room);
size_t format_instant(const struct format *f, int64_t ns, char *out, size_t room);

bool value_is_text(const struct value *v);
bool value_is_zero(const struct value *v); /* numbers that mean "nothing"; never ids or instants */

#endif
