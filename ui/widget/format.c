#include "ui/widget/format.h"

#include "src/aggregate/bins.h"
#include "src/base/scale.h"
#include "src/table/difference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t put(const char *text, char *out, size_t room)
{
    const size_t bytes = strlen(text), fit = bytes < room ? bytes : room - 1;
    memcpy(out, text, fit);
    out[fit] = '\0';
    return bytes;
}

/* Whole numbers are most of what a screen shows. */
static size_t put_whole(uint64_t v, char *out, size_t room)
{
    char digits[21];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + v % 10);
    while (v /= 10);
    return put(digits + at, out, room);
}

/* Whole numbers stay whole up to 9999. */
static size_t number(double v, char *out, size_t room)
{
    if (fabs(v) < 0.005 && v != 0)
        return (size_t)snprintf(out, room, "<0.01");
    if (v == floor(v) && v >= 0 && v < 10000)
        return put_whole((uint64_t)v, out, room);
    if (v == floor(v) && fabs(v) < 10000)
        return (size_t)snprintf(out, room, "%.0f", v);
    return scale_three(v, "", out, room);
}

size_t format_count(double v, char *out, size_t room)
{
    static const char *const units[] = {"k", "M", "G", "T", "P", "E"};
    if (!isfinite(v))
        return (size_t)snprintf(out, room, "?");
    if (fabs(v) < 9999.5)
        return number(fabs(v) >= 99.95 ? round(v) : v, out, room);
    return scale_put(v / 1000, 999.5, 1000, units, 6, out, room);
}

size_t format_bytes(const struct format *f, double v, char *out, size_t room)
{
    static const char *const units[] = {"K", "M", "G", "T", "P", "E"};
    if (!isfinite(v))
        return (size_t)snprintf(out, room, "?");
    if (fabs(v) < 999.5)
        return number(fabs(v) >= 99.95 ? round(v) : v, out, room);
    const double base = f->is_si || f->is_bits ? 1000 : 1024;
    return scale_put(v / base, 999.5, base, units, 6, out, room);
}

size_t format_time(const struct format *f, double ns, char *out, size_t room)
{
    static const char *const units[] = {"ns", NULL, "ms", "s"};
    char micro[8];
    snprintf(micro, sizeof micro, "%ss", f->glyphs->micro);
    if (!isfinite(ns))
        return (size_t)snprintf(out, room, "?");
    double v = ns;
    size_t i = 0;
    while (i < 3 && fabs(v) >= 999.5) {
        v /= 1000;
        i++;
    }
    if (i == 3 && fabs(v) >= 5999.5)
        return scale_three(v / 3600, "h", out, room);
    if (i == 3 && fabs(v) >= 99.95)
        return scale_three(v / 60, "m", out, room);
    if (i == 0)
        return (size_t)snprintf(out, room, "%.0fns", v);
    return scale_three(v, i == 1 ? micro : units[i], out, room);
}

size_t format_percent(double v, char *out, size_t room)
{
    if (!isfinite(v))
        return (size_t)snprintf(out, room, "?");
    if (fabs(v) < 0.005 && v != 0)
        return (size_t)snprintf(out, room, "<0.01");
    return scale_three(v, "", out, room);
}

/* In UTC, of any day: not every C library knows the time before 1970. */
static struct tm time_of_day(time_t seconds)
{
    const int second = (int)(seconds % 86400), of_day = second < 0 ? second + 86400 : second;
    return (struct tm){
        .tm_hour = of_day / 3600, .tm_min = of_day / 60 % 60, .tm_sec = of_day % 60};
}

size_t format_instant(const struct format *f, int64_t ns, char *out, size_t room)
{
    if (f->time == TIME_DELTA) {
        out[0] = ns < f->start ? '-' : '+';
        return 1 + format_time(f, fabs((double)(ns - f->start)), out + 1, room - 1);
    }
    if (f->time == TIME_RELATIVE) {
        const double s = (double)(ns - f->start) / 1e9;
        return (size_t)snprintf(out, room, "%+.6f", s);
    }
    int64_t ms = ns / 1000000;
    if (ns % 1000000 < 0)
        ms--;
    int64_t rest = ms % 1000;
    if (rest < 0)
        rest += 1000;
    const time_t seconds = (time_t)((ms - rest) / 1000);
    struct tm tm;
    if (f->time == TIME_UTC || !localtime_r(&seconds, &tm))
        tm = time_of_day(seconds);
    return (size_t)snprintf(out, room, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min, tm.tm_sec,
                            (int)rest);
}

/* The number that a value sorts and adds up by; 0 for text and absent ones. */
static double value_amount(const struct value *v)
{
    switch ((enum value_type)v->type) {
    case VALUE_RATE:
    case VALUE_REAL:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
    case VALUE_PERCENT:
        return v->number;
    case VALUE_TIME:
    case VALUE_INSTANT:
        return (double)v->ns;
    case VALUE_ID:
    case VALUE_HEX:
    case VALUE_COUNT:
    case VALUE_BYTES:
        return v->is_difference ? value_signed(*v) : (double)v->count;
    case VALUE_ABSENT:
    case VALUE_SERIES:
    case VALUE_BINS:
    case VALUE_TEXT:
    case VALUE_PATH:
        break;
    }
    return 0;
}

bool value_is_text(const struct value *v)
{
    return v->type == VALUE_TEXT || v->type == VALUE_PATH;
}

bool value_is_zero(const struct value *v)
{
    return !value_is_text(v) && v->type != VALUE_ABSENT && v->type != VALUE_ID &&
           v->type != VALUE_HEX && v->type != VALUE_INSTANT && value_amount(v) == 0;
}

static size_t copy_text(const struct value *v, const char *arena, size_t arena_bytes, char *out,
                        size_t room)
{
    if (v->text.offset > arena_bytes || v->text.bytes > arena_bytes - v->text.offset)
        return (size_t)snprintf(out, room, "?");
    const size_t bytes = v->text.bytes < room ? v->text.bytes : room - 1;
    memcpy(out, arena + v->text.offset, bytes);
    for (size_t i = 0; i < bytes; i++)
        if (out[i] == '\0')
            out[i] = ' ';
    out[bytes] = '\0';
    return bytes;
}

static size_t format_plain(const struct format *f, const struct value *v, char *out, size_t room)
{
    switch ((enum value_type)v->type) {
    case VALUE_ID:
        return put_whole(v->count, out, room);
    case VALUE_HEX:
        return (size_t)snprintf(out, room, "0x%" PRIx64, v->count);
    case VALUE_REAL:
        if (fabs(v->number) < 0.01)
            return (size_t)snprintf(out, room, "%.3g", v->number);
        return format_count(v->number, out, room);
    case VALUE_COUNT:
    case VALUE_RATE:
        return format_count(value_amount(v), out, room);
    case VALUE_BYTES:
    case VALUE_BYTE_RATE:
        return format_bytes(f, value_amount(v) * (f->is_bits ? 8 : 1), out, room);
    case VALUE_TIME:
        return format_time(f, (double)v->ns, out, room);
    case VALUE_TIME_RATE: /* the column's title says ms/s */
        return format_count(v->number / 1e6, out, room);
    case VALUE_PERCENT:
        return format_percent(v->number, out, room);
    case VALUE_INSTANT:
        return format_instant(f, v->ns, out, room);
    default:
        return put(f->glyphs->absent, out, room);
    }
}

/* With its sign, whichever it is. */
static size_t format_difference(const struct format *f, const struct value *v, char *out, size_t room)
{
    struct value size = *v;
    const bool is_less = value_signed(*v) < 0;
    size.is_difference = false;
    if (is_less && (v->type == VALUE_TIME || v->type == VALUE_COUNT || v->type == VALUE_BYTES))
        size.ns = -v->ns;
    else if (is_less)
        size.number = -v->number;
    const size_t sign = (size_t)snprintf(out, room, "%s", is_less ? f->glyphs->minus : "+");
    return sign + format_plain(f, &size, out + sign, room - sign);
}

/* Mostly whole numbers, which need no library. */
static float read_number(const char *at, char **end)
{
    enum { DIGITS = 18 };
    uint64_t number = 0;
    const char *digit = at;
    for (; *digit >= '0' && *digit <= '9' && digit - at < DIGITS; digit++)
        number = number * 10 + (uint64_t)(*digit - '0');
    if (digit == at || (*digit && *digit != ' '))
        return strtof(at, end);
    *end = (char *)digit;
    return (float)number;
}

/* Of more bins than there is room for, as many at a time share one place as it takes. */
static size_t bins_parts(const struct value *v, const char *arena, float *out, size_t room)
{
    const char *const text = arena + v->text.offset, *const end = text + v->text.bytes;
    struct bin one;
    size_t count = 0, each;
    for (const char *at = text; bins_read(&at, end, &one);)
        count++;
    each = (count + room - 1) / room;
    for (size_t i = 0; each && i < (count + each - 1) / each; i++)
        out[i] = 0;
    count = 0;
    for (const char *at = text; bins_read(&at, end, &one); count++)
        out[count / each] += (float)one.count;
    return each ? (count + each - 1) / each : 0;
}

size_t series_read(const struct value *v, const char *arena, size_t arena_bytes, float *out,
                   size_t room)
{
    char text[FORMAT_ROOM];
    size_t count = 0;
    if (v->type == VALUE_BINS && room && v->text.offset <= arena_bytes &&
        v->text.bytes <= arena_bytes - v->text.offset)
        return bins_parts(v, arena, out, room);
    if (v->type != VALUE_SERIES)
        return 0;
    copy_text(v, arena, arena_bytes, text, sizeof text);
    for (char *at = text, *end; count < room; at = end) {
        at += *at == ' ';
        const float number = read_number(at, &end);
        if (end == at)
            break;
        out[count++] = number > 0 ? number : 0;
    }
    return count;
}

size_t format_value(const struct format *f, const struct value *v, const char *arena,
                    size_t arena_bytes, char *out, size_t room)
{
    if (v->type == VALUE_SERIES || v->type == VALUE_BINS)
        return copy_text(v, arena, arena_bytes, out, room);
    if (value_is_text(v))
        return copy_text(v, arena, arena_bytes, out, room);
    if (v->is_incomplete && value_amount(v) == 0)
        return put(f->glyphs->incomplete, out, room);
    if (value_is_zero(v))
        return put(f->glyphs->zero, out, room);
    if (v->is_difference)
        return format_difference(f, v, out, room);
    size_t length = format_plain(f, v, out, room);
    if (v->is_incomplete && length + 1 < room)
        length += put(f->glyphs->incomplete, out + length, room - length);
    return length;
}
