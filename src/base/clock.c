#include "src/base/clock.h"

#include <stdio.h>

enum { NS = 1000000000 };

__extension__ typedef __int128 wide; /* ISO C has no name for it */

static int64_t clamp128(wide v)
{
    if (v > INT64_MAX)
        return INT64_MAX;
    if (v < INT64_MIN)
        return INT64_MIN;
    return (int64_t)v;
}

struct trace_clock trace_clock_make(enum clock_kind kind, int64_t anchor_raw,
                                    int64_t start_filetime, int64_t frequency)
{
    if (kind == CLOCK_SYSTEM || frequency <= 0 || frequency > 100LL * NS)
        frequency = 10000000;
    return (struct trace_clock){
        .anchor_raw = anchor_raw,
        .anchor_ns = clamp128(((wide)start_filetime - FILETIME_UNIX_EPOCH) * 100),
        .frequency = frequency,
        .kind = kind,
    };
}

int64_t trace_clock_span_ns(const struct trace_clock *c, int64_t ticks)
{
    /* The common counter needs no division, and most spans of others no wide one. */
    int64_t ns;
    if (c->frequency == NS)
        return ticks;
    if (c->frequency == 10000000 && !__builtin_mul_overflow(ticks, (int64_t)100, &ns))
        return ns;
    if (!__builtin_mul_overflow(ticks, (int64_t)NS, &ns))
        return ns / c->frequency;
    return clamp128((wide)ticks * NS / c->frequency);
}

int64_t trace_clock_ns(const struct trace_clock *c, int64_t raw)
{
    int64_t ticks, ns;
    if (!__builtin_sub_overflow(raw, c->anchor_raw, &ticks)
        && !__builtin_add_overflow(c->anchor_ns, trace_clock_span_ns(c, ticks), &ns))
        return ns;
    const int64_t span = trace_clock_span_ns(c, clamp128((wide)raw - c->anchor_raw));
    return clamp128((wide)c->anchor_ns + span);
}

int64_t trace_clock_raw(const struct trace_clock *c, int64_t ns)
{
    const wide span = (wide)ns - c->anchor_ns;
    return clamp128(c->anchor_raw + span * c->frequency / NS);
}

/* Days since 1970 to a civil date (proleptic Gregorian), after the well-known
 * era arithmetic: 400-year eras of 146097 days, years starting in March. */
static void civil(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const unsigned doe = (unsigned)(days - era * 146097);
    const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const unsigned mp = (5 * doy + 2) / 153;
    *day = doy - (153 * mp + 2) / 5 + 1;
    *month = mp < 10 ? mp + 3 : mp - 9;
    *year = (int64_t)yoe + era * 400 + (*month <= 2);
}

char *clock_format_iso(int64_t ns, char *out)
{
    int64_t seconds = ns / NS, rest = ns % NS;
    if (rest < 0) {
        rest += NS;
        seconds--;
    }
    int64_t days = seconds / 86400, of_day = seconds % 86400;
    if (of_day < 0) {
        of_day += 86400;
        days--;
    }
    int64_t year;
    unsigned month, day;
    civil(days, &year, &month, &day);
    snprintf(out, CLOCK_TEXT, "%04lld-%02u-%02uT%02d:%02d:%02d.%07dZ", (long long)year, month, day,
             (int)(of_day / 3600), (int)(of_day / 60 % 60), (int)(of_day % 60), (int)(rest / 100));
    return out;
}
