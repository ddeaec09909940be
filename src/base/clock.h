/* The clock of a source: raw timestamps to nanoseconds since the Unix epoch.
 *
 * ETW's clocks (TRACE_LOGFILE_HEADER.ReservedFlags): performance counter,
 * system time (FILETIME), processor cycles. One anchor pairs a raw value with
 * an absolute time; everything else is integer arithmetic, exact to the tick. */
#ifndef SRC_BASE_CLOCK_H
#define SRC_BASE_CLOCK_H

#include <stdint.h>

enum clock_kind { CLOCK_RAW = 0, CLOCK_QPC = 1, CLOCK_SYSTEM = 2, CLOCK_CYCLES = 3 };

struct trace_clock {
    int64_t anchor_raw; /* raw timestamp of the anchor */
    int64_t anchor_ns;  /* the same instant, ns since 1970 UTC */
    int64_t frequency;  /* raw ticks per second, > 0 */
    enum clock_kind kind;
};

#define FILETIME_UNIX_EPOCH 116444736000000000LL /* 1970-01-01 in 100 ns since 1601 */

/* A clock from the fields of a log header. A frequency that is zero, negative or
 * absurd falls back to 10 MHz, the performance counter of current Windows. */
struct trace_clock trace_clock_make(enum clock_kind kind, int64_t anchor_raw, int64_t start_filetime,
                                    int64_t frequency);

/* Raw timestamp to ns since the epoch; saturates instead of overflowing. */
int64_t trace_clock_ns(const struct trace_clock *c, int64_t raw);

/* A raw distance (a latency) to ns; saturates. */
int64_t trace_clock_span_ns(const struct trace_clock *c, int64_t ticks);

/* ns since the epoch back to the raw clock; saturates. */
int64_t trace_clock_raw(const struct trace_clock *c, int64_t ns);

/* Sums of times that saturate: a trace can claim any time at all. */
static inline int64_t clock_plus(int64_t a, int64_t b)
{
    int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t clock_minus(int64_t a, int64_t b)
{
    int64_t difference;
    return !__builtin_sub_overflow(a, b, &difference) ? difference : b < 0 ? INT64_MAX : INT64_MIN;
}

/* Nanoseconds since 1970 of a FILETIME; 0 where it is not after 1970, or beyond what they can say.
 */
static inline int64_t clock_of_filetime(uint64_t filetime)
{
    const uint64_t epoch = FILETIME_UNIX_EPOCH;
    return filetime > epoch && filetime - epoch <= INT64_MAX / 100
               ? (int64_t)(filetime - epoch) * 100
               : 0;
}

static inline int64_t clock_filetime(int64_t ns)
{
    return ns / 100 + FILETIME_UNIX_EPOCH;
}

static inline int64_t clock_times(int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) ? product
           : (a < 0) != (b < 0)                    ? INT64_MIN
                                                   : INT64_MAX;
}

/* "2016-05-26T20:17:22.4789310Z" (100 ns digits) from ns since the epoch; `out`
 * holds at least CLOCK_TEXT bytes. */
enum { CLOCK_TEXT = 40 };
char *clock_format_iso(int64_t ns, char *out);

#endif
