#include "src/filter/range.h"

#include "src/base/clock.h"
#include "src/base/unit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000LL
#define DAY    (86400 * SECOND)

/* "10:15", "10:15:00", "10:15:00.25", with or without a Z. */
static bool read_day(const char *text, struct range_edge *out)
{
    unsigned hour, minute;
    int used = 0;
    int64_t seconds = 0;
    if (sscanf(text, "%2u:%2u%n", &hour, &minute, &used) != 2 || hour > 23 || minute > 59)
        return false;
    const char *rest = text + used;
    char part[32];
    const size_t length = strcspn(rest, "Z");
    if (length && (rest[0] != ':' || length >= sizeof part))
        return false;
    if (length) {
        memcpy(part, rest + 1, length - 1);
        part[length - 1] = '\0';
        if (strspn(part, "0123456789.") != length - 1 || !unit_time(part, &seconds, NULL) ||
            seconds >= 60 * SECOND)
            return false;
    }
    rest += length;
    out->form = *rest ? RANGE_DAY_UTC : RANGE_DAY_LOCAL;
    out->ns = (hour * 60 + minute) * 60 * SECOND + seconds;
    return strcmp(rest, "Z") == 0 || !*rest;
}

static bool read_edge(const char *text, struct range_edge *out, struct err *err)
{
    *out = (struct range_edge){.form = RANGE_OPEN};
    if (!*text)
        return true;
    if (text[0] == '-') {
        out->form = RANGE_BEFORE_END;
        return unit_time(text + 1, &out->ns, err);
    }
    if (read_day(text, out))
        return true;
    if (strchr(text, 'T') && unit_instant(text, &out->ns, NULL)) {
        out->form = RANGE_INSTANT;
        return true;
    }
    out->form = RANGE_AFTER_START;
    return unit_time(text, &out->ns, NULL) ||
           fail(err,
                "expected a time such as -30s, 5s, 10:15:00 or 2026-05-17T10:20:30Z, found '%s'",
                text);
}

bool range_edge_read(const char *text, struct range_edge *out, struct err *err)
{
    return *text ? read_edge(text, out, err)
                 : fail(err, "expected a time such as -30s, 10:15:00 or 2026-05-17T10:20:30Z");
}

bool range_read(const char *text, struct range *out, struct err *err)
{
    char from[64];
    const char *const dots = strstr(text, "..");
    if (!dots || (size_t)(dots - text) >= sizeof from)
        return fail(err, "expected a range such as -30s.. or 10:15..10:16, found '%s'", text);
    memcpy(from, text, (size_t)(dots - text));
    from[dots - text] = '\0';
    return read_edge(from, &out->from, err) && read_edge(dots + 2, &out->to, err);
}

/* Midnight before `ns`, in the time zone of this machine or in UTC. */
static int64_t midnight(int64_t ns, bool is_utc)
{
    const time_t seconds = (time_t)(ns / SECOND);
    const struct tm *const local = is_utc ? NULL : localtime(&seconds);
    if (!local) /* or a time that the system has no date for */
        return clock_minus(ns, (ns % DAY + DAY) % DAY);
    struct tm day = *local;
    day.tm_hour = day.tm_min = day.tm_sec = 0;
    day.tm_isdst = -1;
    return clock_times((int64_t)mktime(&day), SECOND);
}

static int64_t resolve(const struct range_edge *e, int64_t first, int64_t last, int64_t open)
{
    switch ((enum range_form)e->form) {
    case RANGE_OPEN:
        return open;
    case RANGE_BEFORE_END:
        return clock_minus(last, e->ns);
    case RANGE_AFTER_START:
        return clock_plus(first, e->ns);
    case RANGE_INSTANT:
        return e->ns;
    case RANGE_DAY_LOCAL:
    case RANGE_DAY_UTC:
        break;
    }
    const bool is_utc = e->form == RANGE_DAY_UTC;
    const int64_t day = midnight(first, is_utc);
    const int64_t at = clock_plus(day, e->ns);
    const int64_t next = clock_plus(midnight(clock_plus(day, DAY + DAY / 2), is_utc), e->ns);
    return at < first && next <= last ? next : at;
}

int64_t range_edge_at(const struct range_edge *e, int64_t first, int64_t last)
{
    return resolve(e, first, last, last);
}

bool range_resolve(const struct range *r, int64_t first, int64_t last, int64_t *from, int64_t *to,
                   struct err *err)
{
    *from = resolve(&r->from, first, last, first);
    *to = resolve(&r->to, first, last, last);
    char a[CLOCK_TEXT], b[CLOCK_TEXT], c[CLOCK_TEXT], d[CLOCK_TEXT];
    clock_format_iso(*from, a);
    clock_format_iso(*to, b);
    if (*from > *to)
        return fail(err, "the range ends before it begins: from %s to %s", a, b);
    if (*to < first || *from > last)
        return fail(err, "the range from %s to %s lies outside of the trace: from %s to %s", a, b,
                    clock_format_iso(first, c), clock_format_iso(last, d));
    *from = *from < first ? first : *from;
    *to = *to > last ? last : *to;
    return true;
}
