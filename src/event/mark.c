#include "src/event/mark.h"

#include "src/base/payload_writer.h"
#include "src/event/tracetop_write.h"
#include "src/os/os.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mark_text(char out[MARK_TEXT], const char *text)
{
    static const char sign[] = "…";
    const size_t bytes = strnlen(text, MARK_TEXT);
    size_t end = bytes;
    if (bytes == MARK_TEXT) {
        end = MARK_TEXT - sizeof sign;
        while (end && ((uint8_t)text[end] & 0xc0) == 0x80)
            end--;
    }
    memcpy(out, text, end);
    memcpy(out + end, bytes == MARK_TEXT ? sign : "", bytes == MARK_TEXT ? sizeof sign : 1);
}

void mark_answer(char out[MARK_ANSWER], const char *text)
{
    char kept[MARK_TEXT];
    mark_text(kept, text);
    snprintf(out, MARK_ANSWER, "marked%s%s", *kept ? ": " : "", kept);
}

/* ---- fields ----------------------------------------------------------------------------------- */

static bool is_name(const char *text, size_t bytes)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return bytes && bytes < MARK_NAME && strspn(text, letters) && strspn(text, others) >= bytes;
}

bool mark_add_field(struct new_mark *m, const char *text, struct err *err)
{
    const char *const equals = strchr(text, '=');
    const size_t bytes = equals ? (size_t)(equals - text) : 0;
    if (!is_name(text, bytes))
        return fail(err, "expected NAME=VALUE, with a name of letters, digits and _, found '%.80s'",
                    text);
    if (bytes == 4 && memcmp(text, "text", bytes) == 0)
        return fail(err, "'text' is the field of the mark's text: choose another name");
    if (m->field_count == MARK_FIELDS)
        return fail(err, "a mark has at most %d fields", MARK_FIELDS);
    struct mark_field *const f = &m->fields[m->field_count];
    memcpy(f->name, text, bytes);
    f->name[bytes] = '\0';
    for (unsigned i = 0; i < m->field_count; i++)
        if (strcmp(m->fields[i].name, f->name) == 0)
            return fail(err, "the field '%s' is there twice", f->name);
    mark_text(f->value, equals + 1);
    m->field_count++;
    return true;
}

/* No level, no fields and no process. */
static bool is_text_alone(const struct new_mark *m)
{
    return !m->level && !m->pid && !m->tid && !m->field_count;
}

/* ---- lines ------------------------------------------------------------------------------------ */

static const char SEPARATOR = '\x1f';

/* What separates parts is a blank within one. */
static bool append(char line[MARK_LINE], size_t *used, char before, const char *part)
{
    const size_t bytes = strlen(part);
    if (*used + bytes + 2 > MARK_LINE)
        return false;
    if (before)
        line[(*used)++] = before;
    for (size_t i = 0; i < bytes; i++)
        line[(*used)++] = part[i] == SEPARATOR ? ' ' : part[i];
    line[*used] = '\0';
    return true;
}

bool mark_write(const struct new_mark *m, char line[MARK_LINE], struct err *err)
{
    char part[MARK_NAME + MARK_TEXT + 1];
    size_t used = 0;
    const bool is_plain = is_text_alone(m) && !m->asked_ns;
    line[0] = '\0';
    snprintf(part, sizeof part, "%u %" PRIu32 " %" PRIu32 " %" PRId64, m->level, m->pid, m->tid,
             m->asked_ns);
    bool fits = is_plain || append(line, &used, SEPARATOR, part);
    for (unsigned i = 0; fits && i < m->field_count; i++) {
        snprintf(part, sizeof part, "%s=%s", m->fields[i].name, m->fields[i].value);
        fits = append(line, &used, SEPARATOR, part);
    }
    fits = fits && append(line, &used, is_plain ? '\0' : SEPARATOR, m->text);
    return fits || fail(err, "the mark's text and fields have more than %d bytes", MARK_LINE);
}

/* The next number of "level pid tid moment", behind which `end` must stand. */
static bool read_number(const char **at, uint64_t most, char end, uint64_t *out)
{
    char *behind;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *out = strtoull(*at, &behind, 10);
    const bool is_well = !errno && *behind == end && *out <= most;
    *at = behind + is_well;
    return is_well;
}

static bool read_maker(const char **at, struct new_mark *m)
{
    enum { LEVELS = 5 };
    uint64_t level, pid, tid, asked;
    if (!read_number(at, LEVELS, ' ', &level) || !read_number(at, UINT32_MAX, ' ', &pid) ||
        !read_number(at, UINT32_MAX, ' ', &tid) || !read_number(at, INT64_MAX, SEPARATOR, &asked))
        return false;
    m->level = (uint8_t)level;
    m->pid = (uint32_t)pid;
    m->tid = (uint32_t)tid;
    m->asked_ns = (int64_t)asked;
    return true;
}

bool mark_read(const char *line, struct new_mark *out, struct err *err)
{
    *out = (struct new_mark){.level = 0};
    if (line[0] != SEPARATOR)
        return mark_text(out->text, line), true;
    const char *at = line + 1;
    if (!read_maker(&at, out))
        return fail(err, "expected a level, a process, a thread and a moment in front of a mark");
    for (const char *end; (end = strchr(at, SEPARATOR)); at = end + 1) {
        char field[MARK_NAME + MARK_TEXT];
        if ((size_t)(end - at) >= sizeof field)
            return fail(err, "a field of a mark is too long");
        snprintf(field, sizeof field, "%.*s", (int)(end - at), at);
        if (!mark_add_field(out, field, err))
            return false;
    }
    mark_text(out->text, at);
    return true;
}

/* ---- times ------------------------------------------------------------------------------------ */

int64_t mark_time(const struct new_mark *m, int64_t now_ns, int64_t *last_ns)
{
    static const int64_t FURTHEST_NS = 300000000;
    const int64_t age = m->asked_ns ? os_now() - m->asked_ns : 0;
    const int64_t made = now_ns - (age < 0 ? 0 : age > FURTHEST_NS ? FURTHEST_NS : age);
    return *last_ns = made > *last_ns ? made : *last_ns;
}

/* ---- records ---------------------------------------------------------------------------------- */

static void put_plain(struct payload_writer *p, int64_t ts, const char *text)
{
    enum { PERFINFO64 = 0x11, FLAGS = 0xc0, MARK = 0x22, GROUP = 0x0f, HEADER = 16 };
    const size_t bytes = strlen(text) + 1;
    put_u16(p, 0);
    put_u8(p, PERFINFO64);
    put_u8(p, FLAGS);
    put_u16(p, (unsigned)(HEADER + bytes));
    put_u8(p, MARK);
    put_u8(p, GROUP);
    put_u64(p, (uint64_t)ts);
    put_bytes(p, text, bytes);
}

/* A value is a number where it looks like one to everybody: "007" and "1e3" are texts. */
static const char *type_of(const char *value, int64_t *whole, double *real)
{
    const char *const digits = value + (*value == '-');
    const size_t count = strspn(digits, "0123456789");
    const size_t decimals = digits[count] == '.' ? strspn(digits + count + 1, "0123456789") : 0;
    const bool has_zero = digits[0] == '0' && count > 1;
    errno = 0;
    if (!count || has_zero)
        return "text";
    if (!digits[count]) {
        *whole = strtoll(value, NULL, 10);
        return errno ? "text" : "i64";
    }
    if (!decimals || digits[count + 1 + decimals])
        return "text";
    *real = strtod(value, NULL);
    return errno ? "text" : "f64";
}

static void put_value(struct payload_writer *p, const char *value)
{
    int64_t whole = 0;
    double real = 0;
    const char type = *type_of(value, &whole, &real);
    if (type == 'i')
        put_u64(p, (uint64_t)whole);
    else if (type == 'f')
        put_f64(p, real);
    else
        put_bytes(p, value, strlen(value) + 1);
}

static void put_described(struct payload_writer *p, int64_t ts, const struct new_mark *m)
{
    enum { TYPE = 8, INFORMATION = 4 };
    char fields[sizeof "text:text" + MARK_FIELDS * (MARK_NAME + TYPE)] = "text:text";
    size_t used = strlen(fields);
    int64_t whole;
    double real;
    for (unsigned i = 0; i < m->field_count; i++)
        used += (size_t)snprintf(fields + used, sizeof fields - used, ",%s:%s", m->fields[i].name,
                                 type_of(m->fields[i].value, &whole, &real));
    const bool is_known = m->pid || m->tid;
    tracetop_write_begin(p, "Mark", fields, is_known ? m->pid : EVENT_NO_ID,
                         is_known ? m->tid : EVENT_NO_ID, ts);
    p->start[DESCRIBED_LEVEL] = m->level ? m->level : INFORMATION;
    put_bytes(p, m->text, strlen(m->text) + 1);
    for (unsigned i = 0; i < m->field_count; i++)
        put_value(p, m->fields[i].value);
    tracetop_write_end(p);
}

void mark_record_make(struct mark_record *r, int64_t ts, const struct new_mark *m)
{
    struct payload_writer p = {r->bytes, r->bytes, r->bytes + sizeof r->bytes};
    if (is_text_alone(m))
        put_plain(&p, ts, m->text);
    else
        put_described(&p, ts, m);
    r->head = (struct record_head){.bytes = (uint32_t)(sizeof r->head + (size_t)(p.at - p.start)),
                                   .form = RECORD_ETW,
                                   .ts = ts};
}
