/* Values of the filter language: what was typed after a field's operator. */
#include "src/filter/parse.h"

#include "src/base/address.h"
#include "src/base/guid.h"
#include "src/base/unit.h"
#include "src/event/status.h"
#include "src/filter/range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- addresses ------------------------------------------------------------------------------- */

static bool read_address(const char *text, struct filter_value *out)
{
    const char *at = text;
    if (!address_read(&at, out->address, &out->is_v6))
        return false;
    const unsigned most = out->is_v6 ? 128 : 32;
    unsigned bits = most;
    if (*at == '/') {
        at++;
        if (!address_digits(&at, 10, most, &bits))
            return false;
    }
    out->address_bits = (uint8_t)bits;
    return !*at;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Per second is what a rate is anyway. */
static void cut_per_second(char *text)
{
    const size_t bytes = strlen(text);
    if (bytes > 2 && strcmp(text + bytes - 2, "/s") == 0)
        text[bytes - 2] = '\0';
}

static const struct field_word *words_of(const struct filter_term *t)
{
    return t->field ? t->field->words : NULL;
}

/* A number of any type, with a sign. */
static bool read_signed(const char *text, double *out)
{
    const bool is_negative = *text == '-';
    if (!unit_real(text + is_negative, out, NULL))
        return false;
    *out = is_negative ? -*out : *out;
    return true;
}

static bool read_percent(const char *text, double *out)
{
    char number[64];
    snprintf(number, sizeof number, "%s", text);
    const size_t bytes = strlen(number);
    if (bytes && number[bytes - 1] == '%')
        number[bytes - 1] = '\0';
    return unit_real(number, out, NULL);
}

/* One number of the term's type: whole in *out, and as it is in *real. */
static bool read_number(const struct filter_term *t, char *text, uint64_t *out, double *real)
{
    int64_t ns;
    cut_per_second(text);
    switch ((enum field_def_type)t->type) {
    case TYPE_TIME:
        if (!unit_time(text, &ns, NULL))
            return false;
        *out = (uint64_t)ns;
        break;
    case TYPE_SIZE:
        return unit_size(text, out, NULL) && unit_real(text, real, NULL);
    case TYPE_PERCENT:
        *out = 0;
        return read_percent(text, real);
    case TYPE_RATE:
        *out = 0;
        return unit_real(text, real, NULL);
    case TYPE_ANY:
        *out = 0;
        return read_signed(text, real);
    case TYPE_WORD:
        if (!field_word_number(words_of(t), text, out))
            return false;
        break;
    default:
        if (!unit_count(text, out, NULL) && !field_word_number(words_of(t), text, out))
            return false;
        break;
    }
    *real = (double)*out;
    return true;
}

static const char *expected(const struct filter_term *t, char *room, size_t bytes)
{
    static const char *const types[FIELD_DEF_TYPES] = {
        [TYPE_NUMBER] = "a whole number such as 4 or 0x2a",
        [TYPE_TIME] = "a time such as 500us or 10ms",
        [TYPE_SIZE] = "a size such as 64K or 1M",
        [TYPE_PERCENT] = "a percentage such as 5%",
        [TYPE_RATE] = "a number such as 100 or 2.5",
        [TYPE_INSTANT] = "a time such as -30s, 10:15:00 or 10:15..10:16",
        [TYPE_ADDRESS] = "an address such as 10.0.0.0/8 or fe80::/10",
        [TYPE_ANY] = "a number such as 4, 0x2a, -2.5 or 64K",
    };
    if (t->type != TYPE_WORD)
        return types[t->type];
    size_t used = (size_t)snprintf(room, bytes, "one of");
    for (const struct field_word *w = words_of(t); w && w->word && used < bytes; w++)
        used += (size_t)snprintf(room + used, bytes - used, " %s", w->word);
    return room;
}

static bool wrong_value(const struct filter_term *t, const struct filter_word_read *w,
                        struct filter_error *error)
{
    char room[200];
    if (t->by == BY_PID || t->by == BY_PPID)
        return filter_wrong(error, w->at, "expected a number; for a name write proc=%.*s",
                            (int)(w->bytes < 80 ? w->bytes : 80), w->text);
    return filter_wrong(error, w->at, "expected %s", expected(t, room, sizeof room));
}

static void below(struct filter_value *v, uint64_t whole, double real)
{
    v->high = whole - 1;
    v->to = nextafter(real, -INFINITY);
    if (whole == 0) /* nothing is below */
        v->low = 1, v->high = 0;
}

static void above(struct filter_value *v, uint64_t whole, double real)
{
    v->low = whole + 1;
    v->from = nextafter(real, INFINITY);
    if (whole == UINT64_MAX)
        v->low = 1, v->high = 0;
}

static void set_bounds(struct filter_value *v, enum filter_op op, uint64_t whole, double real)
{
    v->low = 0;
    v->high = UINT64_MAX;
    v->from = -INFINITY;
    v->to = INFINITY;
    switch (op) {
    case BELOW:
        below(v, whole, real);
        break;
    case ABOVE:
        above(v, whole, real);
        break;
    case AT_MOST:
        v->high = whole;
        v->to = real;
        break;
    case AT_LEAST:
        v->low = whole;
        v->from = real;
        break;
    default:
        v->low = v->high = whole;
        v->from = v->to = real;
    }
}

/* "a..b", open ends allowed. */
static bool read_stretch(const struct filter_term *t, const struct filter_word_read *w, char *text,
                         char *dots, struct filter_value *out, struct filter_error *error)
{
    set_bounds(out, AT_LEAST, 0, -INFINITY);
    *dots = '\0';
    char *const from = text, *const to = dots + 2;
    if (!*from && !*to)
        return filter_wrong(error, w->at, "expected at least one end of the range");
    if ((*from && !read_number(t, from, &out->low, &out->from))
        || (*to && !read_number(t, to, &out->high, &out->to)))
        return wrong_value(t, w, error);
    if (out->low > out->high || out->from > out->to)
        return filter_wrong(error, w->at, "the range ends before it begins");
    return true;
}

/* A time of day is taken within the current span. */
static bool read_instant(enum filter_op op, const struct filter_word_read *w,
                         const struct filter_span *span, const char *text, bool is_range,
                         struct filter_value *out, struct filter_error *error)
{
    char form[560];
    const bool is_until = op == BELOW || op == AT_MOST;
    snprintf(form, sizeof form, is_range ? "%s" : is_until ? "..%s" : "%s..", text);
    struct range range;
    struct err why;
    int64_t from, to;
    if (!range_read(form, &range, &why))
        return filter_wrong(error, w->at, "%.200s", why.text);
    if (!span->last_ns)
        return filter_wrong(error, w->at, "no events yet: times need a reference");
    if (!range_resolve(&range, span->first_ns, span->last_ns, &from, &to, &why))
        return filter_wrong(error, w->at, "%.200s", why.text);
    if (is_range) {
        set_bounds(out, AT_LEAST, (uint64_t)from, (double)from);
        out->high = (uint64_t)to;
        out->to = (double)to;
        return true;
    }
    const int64_t at = is_until ? to : from;
    set_bounds(out, op, (uint64_t)at, (double)at);
    return true;
}

static bool has_wildcard(const struct filter_word_read *w)
{
    return w->form == WORD_PLAIN && (memchr(w->text, '*', w->bytes) || memchr(w->text, '?', w->bytes));
}

static bool read_pattern(enum filter_op op, const struct filter_word_read *w,
                         struct filter_value *out, struct filter_error *error)
{
    if (op == MATCHES || op == MATCHES_NOT) {
        size_t at = 0;
        struct err why;
        out->pattern = pattern_regex(w->text, w->bytes, w->how, &at, &why);
        return out->pattern || filter_wrong(error, w->at + at, "%.200s", why.text);
    }
    const bool is_whole = op == IS || op == IS_NOT;
    const enum text_where where =
        !is_whole ? TEXT_ANYWHERE : has_wildcard(w) ? TEXT_WILD : TEXT_WHOLE;
    out->pattern = pattern_text(w->text, w->bytes, where);
    return true;
}

/* A word that names no code; what is shown of codes without a name has blanks. */
static bool is_unknown_status(const struct filter_word_read *w, const char *text)
{
    return !has_wildcard(w) && !strpbrk(text, " /") && !status_is_name(text);
}

/* GUIDs are looked for as they are written here, in small letters; others write {…} around them.
 * False: the word is none. */
static bool read_guid(const struct filter_word_read *w, char out[GUID_TEXT])
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    const bool has_braces = w->bytes && w->text[0] == '{';
    const char *const text = w->text + has_braces;
    if (w->bytes != sizeof form - 1 + 2 * has_braces ||
        (has_braces && w->text[w->bytes - 1] != '}'))
        return false;
    for (size_t i = 0; i < sizeof form - 1; i++) {
        out[i] = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] - 'A' + 'a' : text[i]);
        if (form[i] == '-' ? out[i] != '-' : !strchr("0123456789abcdef", out[i]) || !out[i])
            return false;
    }
    out[sizeof form - 1] = '\0';
    return true;
}

bool filter_value_read(const struct filter_term *t, enum filter_op op,
                       const struct filter_word_read *w, const struct filter_span *span,
                       struct filter_value *out, struct filter_error *error)
{
    char text[512];
    const bool is_search = op >= HOLDS;
    char guid[GUID_TEXT];
    if (t->by == BY_PROVIDER && !(op == MATCHES || op == MATCHES_NOT) && read_guid(w, guid)) {
        struct filter_word_read as = *w;
        as.text = guid;
        as.bytes = strlen(guid);
        return read_pattern(op, &as, out, error);
    }
    if (t->type == TYPE_TEXT || (t->type == TYPE_ADDRESS && is_search))
        return read_pattern(op, w, out, error);
    if (w->bytes >= sizeof text || memchr(w->text, '\0', w->bytes))
        return wrong_value(t, w, error);
    memcpy(text, w->text, w->bytes);
    text[w->bytes] = '\0';
    if (t->type == TYPE_ADDRESS) {
        if (read_address(text, out))
            return out->is_address = true;
        return has_wildcard(w) ? read_pattern(op, w, out, error) : wrong_value(t, w, error);
    }
    char *const dots = strstr(text, "..");
    const bool is_equal = op == IS || op == IS_NOT;
    if (dots && !is_equal)
        return filter_wrong(error, w->at, "a range goes with = or !=");
    if (t->type == TYPE_INSTANT)
        return read_instant(op, w, span, text, dots != NULL, out, error);
    if (dots)
        return read_stretch(t, w, text, dots, out, error);
    uint64_t whole;
    double real;
    if (!is_search && read_number(t, text, &whole, &real)) {
        set_bounds(out, op, whole, real);
        return true;
    }
    const char *const shown = t->by == BY_STATUS && is_equal ? status_of_alias(text) : NULL;
    if (shown) {
        struct filter_word_read as = *w;
        as.text = shown;
        as.bytes = strlen(shown);
        return read_pattern(op, &as, out, error);
    }
    if (t->by == BY_STATUS && is_equal && is_unknown_status(w, text))
        return filter_wrong(error, w->at,
                            "there is no status '%.80s'; write a name such as ENOENT or "
                            "OBJECT_NAME_NOT_FOUND, or a number",
                            text);
    if (filter_has_names(t) && (is_search || is_equal))
        return read_pattern(op, w, out, error);
    return wrong_value(t, w, error);
}

static bool read_as(enum field_def_type type, const struct filter_term *t, enum filter_op op,
                    const struct filter_word_read *w, struct filter_value *out)
{
    static const struct filter_span nowhere = {0, 0};
    struct filter_term as = *t;
    as.type = (uint8_t)type;
    *out = (struct filter_value){.is_real = type == TYPE_ANY};
    return filter_value_read(&as, op, w, &nowhere, out, NULL);
}

unsigned filter_any_read(const struct filter_term *t, enum filter_op op,
                         const struct filter_word_read *w, struct filter_value out[FILTER_FORMS],
                         struct filter_error *error)
{
    const bool is_plain = w->form == WORD_PLAIN, is_equal = op == IS || op == IS_NOT;
    unsigned count = 0;
    if (is_plain && op < HOLDS)
        count += read_as(TYPE_NUMBER, t, op, w, &out[count]) ||
                 read_as(TYPE_ANY, t, op, w, &out[count]);
    if (is_plain && is_equal && !has_wildcard(w))
        count += read_as(TYPE_ADDRESS, t, op, w, &out[count]);
    if (is_equal || op >= HOLDS)
        count += filter_value_read(&(struct filter_term){.type = TYPE_TEXT}, op, w, NULL,
                                   memset(&out[count], 0, sizeof *out), error);
    else if (!count)
        wrong_value(t, w, error);
    return count;
}
