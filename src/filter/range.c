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

/* An instant; without a Z it is one of this machine's time zone. */
static bool read_instant(const char *text, int64_t *ns)
{
    char utc[64];
    if (!strchr(text, 'T') || unit_instant(text, ns, NULL))
        return strchr(text, 'T') != NULL;
    const int bytes = snprintf(utc, sizeof utc, "%sZ", text);
    if (bytes < 0 || (size_t)bytes >= sizeof utc || !unit_instant(utc, ns, NULL))
        return false;
    const time_t seconds = (time_t)(*ns / SECOND);
    const struct tm *const written = gmtime(&seconds);
    if (!written)
        return false;
    struct tm local = *written;
    local.tm_isdst = -1;
    *ns = clock_plus(clock_times((int64_t)mktime(&local), SECOND), *ns % SECOND);
    return true;
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
    if (read_instant(text, &out->ns)) {
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

static bool is_of_day(const struct range_edge *e)
{
    return e->form == RANGE_DAY_LOCAL || e->form == RANGE_DAY_UTC;
}

/* The time of day on the day of `ns`, or on one `days` later. */
static int64_t on_day(const struct range_edge *e, int64_t ns, int days)
{
    const bool is_utc = e->form == RANGE_DAY_UTC;
    const int64_t day = midnight(ns, is_utc);
    return clock_plus(days ? midnight(clock_plus(day, days * DAY + DAY / 2), is_utc) : day, e->ns);
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
    const int64_t at = on_day(e, first, 0), next = on_day(e, first, 1);
    return at < first && next <= last ? next : at;
}

/* Of something with a midnight in it a time of day that never comes up is the one nearer to it. */
static int64_t nearer(const struct range_edge *e, int64_t first, int64_t last, int64_t at)
{
    if (!is_of_day(e) || at >= first || on_day(e, first, 1) > on_day(e, last, 0))
        return at;
    const int64_t next = on_day(e, first, 1);
    return clock_minus(next, last) < clock_minus(first, at) ? next : at;
}

/* Times of day from before a midnight until behind it, whichever of them `first` to `last` holds.
 */
static void cross_midnight(const struct range *r, int64_t first, int64_t last, int64_t *from,
                           int64_t *to)
{
    if (*from <= *to || r->from.form != r->to.form || !is_of_day(&r->from))
        return;
    if (*from <= last)
        *to = on_day(&r->to, *from, 1);
    else
        *from = on_day(&r->from, first, -1);
}

static void resolve_both(const struct range *r, int64_t first, int64_t last, int64_t *from,
                         int64_t *to)
{
    const int64_t a = resolve(&r->from, first, last, first), b = resolve(&r->to, first, last, last);
    *from = nearer(&r->from, first, last, a);
    *to = nearer(&r->to, first, last, b);
    if (*from > *to && r->from.form != RANGE_OPEN && r->to.form != RANGE_OPEN)
        *from = a, *to = b;
    cross_midnight(r, first, last, from, to);
}

/* The sentence about a range of which nothing is in there; an end that is not written is left out.
 */
static bool outside(const struct range *r, const char *from, const char *to, int64_t first,
                    int64_t last, struct err *err)
{
    const bool has_from = r->from.form != RANGE_OPEN, has_to = r->to.form != RANGE_OPEN;
    char a[CLOCK_TEXT], b[CLOCK_TEXT];
    return fail(err, "the range%s%s%s%s lies outside of the trace: from %s to %s",
                has_from ? " from " : "", has_from ? from : "",
                has_to ? (has_from ? " to " : " up to ") : " on", has_to ? to : "",
                clock_format_iso(first, a), clock_format_iso(last, b));
}

int64_t range_edge_at(const struct range_edge *e, int64_t first, int64_t last)
{
    return resolve(e, first, last, last);
}

bool range_resolve(const struct range *r, int64_t first, int64_t last, int64_t *from, int64_t *to,
                   struct err *err)
{
    char a[CLOCK_TEXT], b[CLOCK_TEXT];
    resolve_both(r, first, last, from, to);
    clock_format_iso(*from, a);
    clock_format_iso(*to, b);
    const bool is_open = r->from.form == RANGE_OPEN || r->to.form == RANGE_OPEN;
    if (*from > *to && !is_open)
        return fail(err, "the range ends before it begins: from %s to %s", a, b);
    if (*to < first || *from > last || *from > *to)
        return outside(r, a, b, first, last, err);
    *from = *from < first ? first : *from;
    *to = *to > last ? last : *to;
    return true;
}
