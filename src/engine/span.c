#include "src/engine/span.h"

#include "src/base/unit.h"
#include "src/field/field.h"
#include "src/filter/filter.h"

#include <stdio.h>
#include <string.h>

static const int64_t USUAL_MAX_NS = 10 * 1000000000ll;

/* ---- shipped spans --------------------------------------------------------------------------- */

static const char *const shipped[] = {
    "gc-pause = from GarbageCollection/GCSuspendEEBegin to GarbageCollection/GCRestartEEEnd by pid "
    "max 5m",
    "gc = from GarbageCollection/Start to GarbageCollection/Stop by pid max 5m",
    "http-request = from HTTPRequestTraceTask/RecvReq to "
    "event=HTTPRequestTraceTask/FastSend,HTTPRequestTraceTask/SendComplete by RequestId max 5m",
    "dns = from provider=Microsoft-Windows-DNS-Client id=3006 to "
    "provider=Microsoft-Windows-DNS-Client id=3008 by QueryName max 1m",
    "first-answer = from class=network op=connect to class=network op=receive by connid max 1m",
    "exec-to-io = from class=process op=start to class=file,disk op=read by pid max 1m",
    "disk = from class=disk op=start to class=disk op=read,write,flush by Irp",
    NULL,
};

const char *span_shipped(unsigned number)
{
    return number < sizeof shipped / sizeof *shipped ? shipped[number] : NULL;
}

static const char *shipped_as(const char *name)
{
    const size_t bytes = strlen(name);
    for (const char *const *text = shipped; *text; text++)
        if (strncmp(*text, name, bytes) == 0 && strncmp(*text + bytes, " = ", 3) == 0)
            return *text;
    return NULL;
}

/* ---- parts of a definition ------------------------------------------------------------------- */

/* Some bytes of the text, without the blanks around them. */
struct part {
    const char *at;
    size_t bytes;
};

static struct part trimmed(const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    return (struct part){from, (size_t)(to - from)};
}

/* The next whole word of this kind outside of quotes; NULL: there is none. */
static const char *find_word(const char *at, const char *word)
{
    const size_t bytes = strlen(word);
    bool is_quoted = false;
    for (const char *c = at; *c; c++) {
        is_quoted ^= *c == '"';
        const bool begins = c == at || c[-1] == ' ';
        if (!is_quoted && begins && strncmp(c, word, bytes) == 0 && (c[bytes] == ' ' || !c[bytes]))
            return c;
    }
    return NULL;
}

/* The last whole word of this kind. */
static const char *find_last(const char *at, const char *word)
{
    const char *found = NULL;
    for (const char *c = at; (c = find_word(c, word)); c++)
        found = c;
    return found;
}

static bool copy(char *out, size_t room, struct part p, const char *what, struct err *err)
{
    if (!p.bytes || p.bytes >= room)
        return fail(err, "expected %s of 1 to %zu bytes, found '%.*s'", what, room - 1,
                    (int)(p.bytes < 200 ? p.bytes : 200), p.at);
    memcpy(out, p.at, p.bytes);
    out[p.bytes] = '\0';
    return true;
}

/* A word that is no filter by itself but the name of an event: "GC/Start", "CSwitch". */
static bool is_event_name(struct part p)
{
    for (size_t i = 0; i < p.bytes; i++)
        if (strchr("=<>~:!()\"'^|&", p.at[i]))
            return false;
    return p.bytes > 0 && *p.at != '/';
}

/* "EVENT", "EVENT where FILTER" or "FILTER" as a filter. */
static bool read_event(char *out, struct part p, const char *what, struct err *err)
{
    char text[SPAN_FILTER];
    if (!copy(text, sizeof text, p, what, err))
        return false;
    const char *const blank = strchr(text, ' '), *const rest = blank ? blank + 1 : "";
    const struct part first = {text, blank ? (size_t)(blank - text) : strlen(text)};
    const char *const where = "where ";
    const bool has_filter = strncmp(rest, where, strlen(where)) == 0;
    int length;
    if (has_filter)
        length = snprintf(out, SPAN_FILTER, "event=\"%.*s\" and (%s)", (int)first.bytes, text,
                          rest + strlen(where));
    else if (!*rest && is_event_name(first))
        length = snprintf(out, SPAN_FILTER, "event=\"%s\"", text);
    else
        length = snprintf(out, SPAN_FILTER, "%s", text);
    if (length < 0 || length >= SPAN_FILTER)
        return fail(err, "%s is too long", what);
    struct filter filter;
    struct filter_error why;
    const bool is_filter = filter_init(&filter, out, NULL, NULL, &why);
    filter_fini(&filter);
    return is_filter || filter_fail(err, out, &why);
}

static bool read_key(struct span *s, struct part p, struct err *err)
{
    if (!copy(s->by, sizeof s->by, p, "a field behind 'by'", err))
        return false;
    const struct field_def *const field = field_bind(s->by, strlen(s->by));
    if (field && field->group != GROUP_STACK && field->group != GROUP_TEXT &&
        field->group != GROUP_COLUMN)
        return true;
    return fail(err,
                "expected pid, tid or another field behind 'by', found '%s'; 'tracetop fields' "
                "lists them",
                s->by);
}

static bool read_max(struct span *s, struct part p, struct err *err)
{
    char text[64];
    struct err why;
    s->max_ns = USUAL_MAX_NS;
    if (!p.at)
        return true;
    if (!copy(text, sizeof text, p, "a time behind 'max'", err))
        return false;
    if (!unit_time(text, &s->max_ns, &why))
        return fail(err, "behind 'max': %s", why.text);
    return s->max_ns > 0 || fail(err, "expected a time behind 'max', found '%s'", text);
}

static bool read_name(struct span *s, struct part p, struct err *err)
{
    if (!copy(s->name, sizeof s->name, p, "a name before '='", err))
        return false;
    for (const char *c = s->name; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9') &&
            *c != '-' && *c != '_')
            return fail(err, "the name of a span has letters, digits, '-' and '_', found '%s'",
                        s->name);
    /* Events of tracetop's provider, among which it stands, have names in capitals. */
    return !(s->name[0] >= 'A' && s->name[0] <= 'Z') ||
           fail(err, "the name of a span begins with a small letter or a digit, found '%s'",
                s->name);
}

/* ---- whole ----------------------------------------------------------------------------------- */

static bool is_unknown_name(const char *text, struct err *err)
{
    char names[512] = "";
    size_t used = 0;
    for (const char *const *s = shipped; *s && used < sizeof names; s++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "",
                                 (int)strcspn(*s, " "), *s);
    return fail(
        err, "expected NAME = from EVENT to EVENT by KEY [max TIME], or one of %s; found '%.200s'",
        names, text);
}

bool span_parse(const char *text, struct span *out, struct err *err)
{
    *out = (struct span){.max_ns = 0};
    const char *const named = shipped_as(text);
    text = named ? named : text;
    const char *const equals = strchr(text, '='), *const from = equals ? equals + 1 : NULL;
    const char *const first = from ? find_word(from, "from") : NULL;
    const char *const to = first ? find_word(first, "to") : NULL;
    const char *const by = to ? find_last(to, "by") : NULL;
    const char *const max = by ? find_word(by, "max") : NULL;
    if (!by || trimmed(from, first).bytes)
        return is_unknown_name(text, err);
    const char *const end = text + strlen(text);
    const struct part limit = max ? trimmed(max + 3, end) : (struct part){NULL, 0};
    return read_name(out, trimmed(text, equals), err) &&
           read_event(out->from, trimmed(first + 4, to), "an event behind 'from'", err) &&
           read_event(out->to, trimmed(to + 2, by), "an event behind 'to'", err) &&
           read_key(out, trimmed(by + 2, max ? max : end), err) && read_max(out, limit, err);
}
