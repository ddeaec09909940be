#include "src/event/sentence.h"

#include "src/base/scale.h"
#include "src/base/text.h"
#include "src/event/account.h"
#include "src/event/decode/table.h"
#include "src/event/manifest_table.h"
#include "src/event/status.h"

#include <stdio.h>
#include <string.h>

/* ---- forms of fields --------------------------------------------------------------------------- */

/* Writes the field, NUL-terminated; an empty text is not known. */
typedef void form_put(const struct decoded *d, bool is_linux, char *out, size_t room);

size_t sentence_value(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    struct guid g;
    size_t bytes = 0;
    if (d->field->type == FIELD_GUID && d->bytes == sizeof g && room) {
        memcpy(g.b, d->data, sizeof g);
        const char *const name = manifest_table_provider(&g, &bytes);
        bytes = bytes < room ? bytes : 0;
        memcpy(out, name, bytes);
        out[bytes] = '\0';
    }
    const char *const account = account_of_field(d);
    if (account && strlen(account) < room)
        return strlen(strcpy(out, account));
    return bytes ? bytes : decode_show(d, is_linux, out, room);
}

static void put_shown(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    size_t bytes = sentence_value(d, is_linux, out, room);
    while (decode_is_text(d) && bytes && out[bytes - 1] == ' ') /* of places of fixed size */
        out[--bytes] = '\0';
}

static void put_bytes(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    scale_bytes((double)d->number, out, room);
}

/* Of the graphics memory manager, whose pages have one size on all systems. */
static void put_pages(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    scale_bytes((double)d->number * 4096, out, room);
}

static void put_at(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    if (!(d->number >> 63))
        put_bytes(d, is_linux, out, room);
}

static void put_ns(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    scale_time((double)d->number, out, room);
}

static void put_took(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    if (d->number)
        put_ns(d, is_linux, out, room);
}

static void put_us(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    scale_time((double)d->number * 1e3, out, room);
}

static void put_100ns(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    scale_time((double)d->number * 1e2, out, room);
}

static void put_hex(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    snprintf(out, room, "0x%llx", (unsigned long long)d->number);
}

/* Its name; "" for small numbers of fields that are not known to hold a status. */
static const char *status_or_exit(const struct decoded *d, bool is_linux, char room[STATUS_TEXT])
{
    const uint32_t code = (uint32_t)d->number;
    const bool is_status = d->field->role == FIELD_IS_STATUS || code >> 24;
    room[0] = '\0';
    if (d->field->map) {
        decode_value_name(d, room, STATUS_TEXT);
        return room;
    }
    const char *const name = code && is_status ? status_name(status_mark(code, is_linux), 0) : NULL;
    return name ? name : room;
}

static void put_status(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    char text[STATUS_TEXT];
    const uint32_t code = (uint32_t)d->number;
    const char *const name = status_or_exit(d, is_linux, text);
    snprintf(out, room, code >> 24 ? "0x%x%s%s%s" : "%u%s%s%s", code, *name ? " (" : "", name,
             *name ? ")" : "");
}

/* How a process ended: "status 3", "killed by SIGSEGV". */
static void put_end(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    char text[STATUS_TEXT];
    const uint32_t code = (uint32_t)d->number;
    const bool is_signal = status_is_signal(code, is_linux);
    if (is_signal)
        status_exit(code, is_linux, text);
    else
        put_status(d, is_linux, text, sizeof text);
    snprintf(out, room, "%s %s", is_signal ? "killed by" : "status", text);
}

static void put_failed(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    char text[STATUS_TEXT];
    const uint32_t status = status_mark((uint32_t)d->number, is_linux);
    if (!status_is_failure(status))
        return;
    status_format(status, text);
    snprintf(out, room, "%s", text);
}

static void put_file(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    const size_t bytes = decode_show(d, is_linux, out, room);
    size_t start = bytes;
    while (start && out[start - 1] != '\\' && out[start - 1] != '/')
        start--;
    if (start < bytes)
        memmove(out, out + start, bytes - start + 1);
}

/* "10.1.2.3" of "10.1.2.3:53", "fe80::1" of "[fe80::1]:53". */
static void put_host(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    const size_t bytes = decode_show(d, is_linux, out, room);
    char *const end = memchr(out, *out == '[' ? ']' : ':', bytes);
    if (!end || (*out != '[' && strchr(end + 1, ':')))
        return;
    *end = '\0';
    if (*out == '[')
        memmove(out, out + 1, (size_t)(end - out));
}

static void put_set(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    bool is_set = d->number;
    for (size_t i = 0; d->field->type == FIELD_GUID && i < d->bytes; i++)
        is_set |= d->data[i] != 0;
    if (is_set)
        decode_show(d, is_linux, out, room);
}

static void put_name(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    decode_value_name(d, out, room);
}

static void put_version(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    if (d->number)
        snprintf(out, room, "%u.%u", (unsigned)d->number >> 8, (unsigned)d->number & 0xff);
}

/* The end of a word that is counted: of one thing there is none. */
static void put_plural(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    snprintf(out, room, "%s", d->number == 1 ? "" : "s");
}

static void put_part(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    (void)is_linux;
    decode_part_name(d, out, room);
}

static const struct form {
    const char *name;
    form_put *put;
} forms[] = {
    {"", put_shown},      {"bytes", put_bytes},     {"ns", put_ns},         {"us", put_us},
    {"100ns", put_100ns}, {"hex", put_hex},         {"status", put_status}, {"set", put_set},
    {"name", put_name},   {"part", put_part},       {"failed", put_failed}, {"file", put_file},
    {"at", put_at},       {"host", put_host},       {"took", put_took},     {"pages", put_pages},
    {"s", put_plural},    {"version", put_version}, {"end", put_end},
};

static const struct form *find_form(const char *name, size_t bytes)
{
    for (size_t i = 0; i < TABLE_COUNT(forms); i++)
        if (strlen(forms[i].name) == bytes && memcmp(forms[i].name, name, bytes) == 0)
            return &forms[i];
    return NULL;
}

/* ---- items ------------------------------------------------------------------------------------- */

/* One alternative of an item: ".FIELD:FORM", "NAME" or "'text'". */
struct alternative {
    enum { IS_FACT, IS_FIELD, IS_TEXT } is;
    const char *name;
    size_t bytes;
    const struct form *form; /* of fields; NULL: there is none of that name */
};

static struct alternative alternative_of(const char *at, size_t bytes)
{
    const char *const colon = memchr(at, ':', bytes);
    const size_t name_bytes = colon ? (size_t)(colon - at) : bytes;
    if (bytes >= 2 && at[0] == '\'' && at[bytes - 1] == '\'')
        return (struct alternative){IS_TEXT, at + 1, bytes - 2, forms};
    if (at[0] != '.')
        return (struct alternative){IS_FACT, at, bytes, forms};
    return (struct alternative){IS_FIELD, at + 1, name_bytes - 1,
                                colon ? find_form(colon + 1, bytes - name_bytes - 1) : forms};
}

static const struct decoded *find_field(const struct sentence_items *s, const char *name,
                                        size_t bytes)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct decoded *const d = &s->fields[i];
        if (!d->is_member && strncmp(d->field->name, name, bytes) == 0 && !d->field->name[bytes])
            return d->is_present ? d : NULL;
    }
    return NULL;
}

static bool put_alternative(const struct alternative *a, const struct sentence_items *s, char *out,
                            size_t room)
{
    *out = '\0';
    if (a->is == IS_TEXT) {
        snprintf(out, room, "%.*s", (int)a->bytes, a->name);
    } else if (a->is == IS_FACT) {
        if (!s->fact || !s->fact(s->of, a->name, a->bytes, out, room))
            *out = '\0';
    } else {
        const struct decoded *const d = find_field(s, a->name, a->bytes);
        if (d && a->form && (a->form == forms || !(d->is_list || d->members)))
            a->form->put(d, s->is_linux, out, room);
    }
    return *out != '\0';
}

/* ---- templates --------------------------------------------------------------------------------- */

/* The line so far, and the part of the template that is still to be read. */
struct line {
    const struct sentence_items *items;
    const char *at;
    char *out;
    size_t used, room;
};

static void put_char(struct line *l, char c)
{
    if (l->used + 1 < l->room)
        l->out[l->used++] = c;
}

/* "{A|B}", from the brace on. */
static bool put_item(struct line *l)
{
    const char *const end = strchr(l->at, '}');
    const char *at = l->at + 1;
    bool is_known = l->used + 1 >= l->room; /* without room it does not matter */
    while (at < end && !is_known) {
        const char *const bar = memchr(at, '|', (size_t)(end - at));
        const char *const stop = bar ? bar : end;
        const struct alternative a = alternative_of(at, (size_t)(stop - at));
        is_known = put_alternative(&a, l->items, l->out + l->used, l->room - l->used);
        at = stop + 1;
    }
    l->used += is_known ? strlen(l->out + l->used) : 0;
    l->at = end + 1;
    return is_known;
}

/* Up to the end of the template, or of the bracket that `depth` stands for: false where an item
 * directly in it is not known. */
static bool put_template(struct line *l, unsigned depth)
{
    bool is_known = true;
    while (*l->at && *l->at != ']') {
        if (*l->at == '{') {
            is_known &= put_item(l);
        } else if (*l->at == '[') {
            const size_t before = l->used;
            l->at++;
            if (!put_template(l, depth + 1))
                l->used = before;
        } else {
            put_char(l, *l->at++);
        }
    }
    l->at += *l->at == ']' && depth > 0;
    return is_known;
}

/* A text that fills its room has been cut, and says so. */
static size_t finish(char *out, size_t used, size_t room)
{
    static const char sign[] = "…";
    if (used + 1 < room) {
        out[used] = '\0';
        return used;
    }
    size_t end = room - sizeof sign;
    while (end && ((uint8_t)out[end] & 0xc0) == 0x80) /* not within a character */
        end--;
    memcpy(out + end, sign, sizeof sign);
    return end + sizeof sign - 1;
}

size_t sentence_put(const char *template, const struct sentence_items *items, char *out,
                    size_t room)
{
    struct line l = {items, template, out, 0, room};
    const bool is_known = put_template(&l, 0);
    return finish(out, is_known ? l.used : 0, room);
}

typedef void each_item(void *of, bool is_field, const char *name, size_t bytes);

/* "A|B" up to `end`. */
static bool check_item(const char *at, const char *end, each_item *each, void *of)
{
    for (;; at++) {
        const char *const bar = memchr(at, '|', (size_t)(end - at));
        const char *const stop = bar ? bar : end;
        const struct alternative a = alternative_of(at, (size_t)(stop - at));
        if (!a.form || !a.bytes)
            return false;
        if (a.is != IS_TEXT)
            each(of, a.is == IS_FIELD, a.name, a.bytes);
        if (!bar)
            return true;
        at = bar;
    }
}

bool sentence_check(const char *template, each_item *each, void *of)
{
    int depth = 0;
    for (const char *at = template; *at && depth >= 0; at++) {
        const char *const end = *at == '{' ? strchr(at, '}') : NULL;
        depth += (*at == '[') - (*at == ']');
        if (*at == '}' || (*at == '{' && !(end && check_item(at + 1, end, each, of))))
            return false;
        at = end ? end : at;
    }
    return depth == 0;
}

/* ---- which template ---------------------------------------------------------------------------- */

static const char *find_row(const struct sentence_rows *of, uint16_t id)
{
    unsigned low = 0, high = of->count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (of->rows[middle].id == id)
            return of->rows[middle].template;
        if (of->rows[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const char *template_of_manifest(const struct event *e)
{
    for (unsigned i = 0; i < sentence_provider_count; i++) {
        const struct sentence_provider *const p = &sentence_providers[i];
        const char *const found = guid_equal(p->guid, &e->provider) ? find_row(p->of, e->id) : NULL;
        if (found)
            return found;
    }
    return sentence_of_tracetop(e);
}

const char *sentence_template(const struct event *e)
{
    const struct event_class *class;
    if (e->kind == HEADER_MANIFEST)
        return template_of_manifest(e);
    const struct event_type *const k = decode_kind(e, &class);
    return k ? k->sentence : NULL;
}

/* ---- name=value -------------------------------------------------------------------------------- */

/* How much a reader learns from a field. */
enum rank { TELLING, NUMBER, ADDRESS, RANKS };

static enum rank rank_of(const struct decoded *d)
{
    static const uint8_t of_type[FIELD_UNKNOWN + 1] = {
        [FIELD_U8] = NUMBER,     [FIELD_I8] = NUMBER,        [FIELD_U16] = NUMBER,
        [FIELD_I16] = NUMBER,    [FIELD_U32] = NUMBER,       [FIELD_I32] = NUMBER,
        [FIELD_U64] = NUMBER,    [FIELD_I64] = NUMBER,       [FIELD_F32] = NUMBER,
        [FIELD_F64] = NUMBER,    [FIELD_SIZE] = NUMBER,      [FIELD_POINTER] = ADDRESS,
        [FIELD_GUID] = ADDRESS,  [FIELD_BYTES] = ADDRESS,    [FIELD_COUNTED_BYTES] = ADDRESS,
        [FIELD_HEX8] = ADDRESS,  [FIELD_HEX16] = ADDRESS,    [FIELD_HEX32] = ADDRESS,
        [FIELD_HEX64] = ADDRESS, [FIELD_FILETIME] = ADDRESS, [FIELD_SYSTEMTIME] = ADDRESS,
        [FIELD_NULL] = ADDRESS,  [FIELD_UNKNOWN] = ADDRESS,
    };
    if (decode_is_text(d) && !d->bytes)
        return ADDRESS;
    return d->field->map || d->field->role >= FIELD_IS_STATUS ? TELLING : of_type[d->field->type];
}

/* An end that nobody sees, or a beginning that could be of the next field. */
static bool needs_quotes(const struct decoded *d, const char *text, size_t bytes)
{
    const bool may_have_blanks = decode_is_text(d) || account_of_field(d);
    return may_have_blanks && !d->is_list && (!bytes || memchr(text, ' ', bytes));
}

static size_t put_pair(const struct decoded *d, bool is_linux, char *out, size_t room)
{
    static const char nothing[] = "[]";
    const int name = snprintf(out, room, "%s=", d->field->name);
    if ((size_t)name + sizeof nothing >= room)
        return room - 1;
    char *const text = out + name;
    const size_t left = room - (size_t)name;
    size_t bytes = sentence_value(d, is_linux, text, left - 2); /* and quotes */
    if (needs_quotes(d, text, bytes)) {
        memmove(text + 1, text, bytes);
        text[0] = text[bytes + 1] = '"';
        bytes += 2;
    } else if (!bytes) {
        memcpy(text, nothing, bytes = sizeof nothing - 1);
    }
    return (size_t)name + bytes;
}

static bool is_shown(const struct decoded *d)
{
    return d->is_present && !d->is_member;
}

size_t sentence_fields(const struct sentence_items *s, enum sentence_order order,
                       const struct decoded *but, char *out, size_t room)
{
    size_t used = 0;
    for (unsigned rank = TELLING; rank < RANKS; rank++)
        for (unsigned i = 0; i < s->count; i++) {
            const struct decoded *const d = &s->fields[i];
            if (!is_shown(d) || d == but ||
                (order == SENTENCE_BEST_FIRST ? rank_of(d) : TELLING) != rank || used + 2 >= room)
                continue;
            if (used)
                out[used++] = ' ';
            used += put_pair(d, s->is_linux, out + used, room - used);
        }
    return finish(out, used, room);
}

/* ---- texts that say it themselves ---------------------------------------------------------------- */

static bool is_text(const struct decoded *d)
{
    return is_shown(d) && decode_is_text(d) && d->field->type != FIELD_UNKNOWN && !d->is_list &&
           d->bytes > 1;
}

const struct decoded *sentence_text(const struct sentence_items *s)
{
    static const char *const names[] = {"message", "msg", "text"};
    const struct decoded *only = NULL;
    unsigned shown = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct decoded *const d = &s->fields[i];
        const size_t bytes = strlen(d->field->name);
        for (size_t n = 0; is_text(d) && n < TABLE_COUNT(names); n++)
            if (text_compare(d->field->name, bytes, names[n], strlen(names[n])) == 0)
                return d;
        shown += is_shown(d);
        only = is_text(d) ? d : only;
    }
    return shown == 1 ? only : NULL;
}
