#include "src/base/unit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit times[] = {
    {"", 1e9},  {"ns", 1},   {"us", 1e3},   {"\xc2\xb5s", 1e3}, {"ms", 1e6},
    {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {NULL, 0},
};

static const struct unit sizes[] = {
    {"", 1},
    {"B", 1},
    {"K", 1024.0},
    {"M", 1048576.0},
    {"G", 1073741824.0},
    {"T", 1099511627776.0},
    {"KiB", 1024.0},
    {"MiB", 1048576.0},
    {"GiB", 1073741824.0},
    {"TiB", 1099511627776.0},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {NULL, 0},
};

static const struct unit percents[] = {{"", 1}, {"%", 1}, {NULL, 0}};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Units ignore case: 64m and 5MS are valid. */
static bool same_unit(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Digits and one point only: strtod alone would also take "inf", "nan", signs,
 * exponents and the decimal sign of the locale. */
static bool number_with_unit(const char *text, const struct unit *units, double *out)
{
    const char *at = text;
    double value = 0, place = 1;
    bool digits = false, fraction = false;
    for (; isdigit((unsigned char)*at) || (*at == '.' && !fraction); at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        digits = true;
        value = value * 10 + (*at - '0');
        if (fraction)
            place *= 10;
    }
    if (!digits)
        return false;
    for (const struct unit *u = units; u->name; u++) {
        if (same_unit(at, u->name)) {
            *out = value / place * u->factor;
            return isfinite(*out);
        }
    }
    return false;
}

bool unit_count(const char *text, uint64_t *out, struct err *err)
{
    char *end;
    errno = 0;
    const bool hex = text[0] == '0' && lower(text[1]) == 'x';
    const unsigned long long v =
        isdigit((unsigned char)text[0]) ? strtoull(text, &end, hex ? 16 : 10) : 0;
    if (!isdigit((unsigned char)text[0]) || *end || errno)
        return fail(err, "expected a whole number such as 20, found '%s'", text);
    *out = v;
    return true;
}

bool unit_time(const char *text, int64_t *ns, struct err *err)
{
    double v;
    if (!number_with_unit(text, times, &v) || v > 9e18)
        return fail(err, "expected a time such as 500ms, 2s or 5m, found '%s'", text);
    *ns = (int64_t)(v + 0.5);
    return true;
}

bool unit_size(const char *text, uint64_t *bytes, struct err *err)
{
    double v;
    if (!number_with_unit(text, sizes, &v) || v > 1e18)
        return fail(err, "expected a size such as 64M or 1.5GiB, found '%s'", text);
    *bytes = (uint64_t)(v + 0.5);
    return true;
}

bool unit_real(const char *text, double *out, struct err *err)
{
    double v;
    if (!number_with_unit(text, sizes, &v) || v > 1e18)
        return fail(err, "expected a number such as 100, 2.5 or 1.5M, found '%s'", text);
    *out = v;
    return true;
}

bool unit_percent(const char *text, double *percent, struct err *err)
{
    double v;
    if (!number_with_unit(text, percents, &v) || v > 100)
        return fail(err, "expected a percentage between 0%% and 100%%, found '%s'", text);
    *percent = v;
    return true;
}

/* Days since 1970-01-01 of a Gregorian date, counting years from March so that
 * the leap day comes last. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
    const int64_t y = year - (month <= 2);
    const int64_t era = (y >= 0 ? y : y - 399) / 400;
    const int64_t year_of_era = y - era * 400;
    const int64_t day_of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

/* The digits after the seconds as ns; *at ends behind them. */
static int64_t fraction_ns(const char **at)
{
    int64_t ns = 0, place = 100000000;
    if (**at != '.')
        return 0;
    for (++*at; isdigit((unsigned char)**at); ++*at, place /= 10)
        ns += place * (**at - '0');
    return ns;
}

bool unit_instant(const char *text, int64_t *ns, struct err *err)
{
    unsigned year, month, day, hour, minute, second;
    int used = 0;
    const bool read = sscanf(text, "%4u-%2u-%2uT%2u:%2u:%2u%n", &year, &month, &day, &hour, &minute,
                             &second, &used) == 6;
    const char *rest = text + used;
    const int64_t fraction = read ? fraction_ns(&rest) : 0;
    if (!read || strcmp(rest, "Z") != 0 || year < 1970 || year > 2200 || month < 1 || month > 12 ||
        day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59)
        return fail(err, "expected an instant such as 2026-05-17T10:20:30Z, found '%s'", text);
    *ns = (((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000000000 +
          fraction;
    return true;
}
