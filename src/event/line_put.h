/* What both ways to write a line are made of. */
#ifndef SRC_EVENT_LINE_PUT_H
#define SRC_EVENT_LINE_PUT_H

#include "src/event/line.h"

#include <string.h>

static inline void put(struct line *l, const char *text, size_t bytes)
{
    memcpy(l->at, text, bytes);
    l->at += bytes;
}

#define PUT(line, literal) put(line, literal, sizeof(literal) - 1)

static inline void put_number(struct line *l, uint64_t n)
{
    char digits[20];
    unsigned i = sizeof digits;
    do
        digits[--i] = (char)('0' + n % 10);
    while (n /= 10);
    put(l, digits + i, sizeof digits - i);
}

static inline void put_signed(struct line *l, int64_t n)
{
    if (n < 0)
        PUT(l, "-");
    put_number(l, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

static inline void put_guid(struct line *l, const struct guid *g)
{
    l->at = guid_format(g, l->at) + GUID_TEXT - 1;
}

/* ISO 8601 to a tenth of a microsecond. */
void line_time(struct line *l, int64_t ns);

#endif
