#include "src/event/message.h"

#include "src/event/sentence.h"

#include <ctype.h>
#include <string.h>

enum { INSERTS = 99 };

/* What is written, and with what. */
struct writer {
    const char *template;
    char *out;
    size_t used, most;                      /* beyond `most` nothing begins */
    unsigned insert_count;
    const struct decoded *inserts[INSERTS]; /* so many are set; NULL: there is none */
    bool is_linux;
    bool is_over;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static void put(struct writer *w, char c)
{
    if (w->used < w->most)
        w->out[w->used++] = c;
    else
        w->is_over = true;
}

static void put_repeated(struct writer *w, char c, size_t count)
{
    while (count-- && !w->is_over)
        put(w, c);
}

/* No two of them side by side, and none in front. */
static void put_space(struct writer *w)
{
    if (w->used && w->out[w->used - 1] != ' ')
        put(w, ' ');
}

/* Of an insert that is left as it is. */
static void put_insert(struct writer *w, unsigned number)
{
    put(w, '%');
    if (number >= 10)
        put(w, (char)('0' + number / 10));
    put(w, (char)('0' + number % 10));
}

static void put_value(struct writer *w, const struct decoded *d)
{
    w->used += sentence_value(d, w->is_linux, w->out + w->used, w->most + MESSAGE_SPARE - w->used);
    w->is_over |= w->used > w->most;
}

/* ---- printf's formats -------------------------------------------------------------------------- */

enum { WIDTH_MOST = 255, NUMBER_ROOM = 24 };

struct form {
    bool is_left, has_sign, has_blank, has_prefix, has_zeros;
    unsigned width;
    int precision; /* -1: none */
    char type;
};

static bool has_flag(struct form *f, char c)
{
    bool *const flag = c == '-'   ? &f->is_left
                       : c == '+' ? &f->has_sign
                       : c == ' ' ? &f->has_blank
                       : c == '#' ? &f->has_prefix
                       : c == '0' ? &f->has_zeros
                                  : NULL;
    if (flag)
        *flag = true;
    return flag != NULL;
}

static unsigned take_number(const char **at)
{
    unsigned n = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = n * 10 + (unsigned)(**at - '0') > WIDTH_MOST ? WIDTH_MOST
                                                         : n * 10 + (unsigned)(**at - '0');
    return n;
}

/* Sizes of C's types say nothing here: a field has its own. */
static void skip_sizes(const char **at)
{
    static const char numbered[][4] = {"I64", "I32"};
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (strncmp(*at, numbered[i], sizeof numbered[i] - 1) == 0)
            *at += sizeof numbered[i] - 1;
    *at += strspn(*at, "hlwjztI");
}

/* What stands between exclamation marks, from the first one on; moves behind the second. False
 * where it is no such format: then they are signs like others. */
static bool read_form(const char **at, struct form *out)
{
    const char *p = *at;
    *out = (struct form){.precision = -1};
    if (*p++ != '!')
        return false;
    while (has_flag(out, *p))
        p++;
    out->width = take_number(&p);
    if (*p == '.') {
        p++;
        out->precision = (int)take_number(&p);
    }
    skip_sizes(&p);
    out->type = *p;
    if (!*p || !strchr("diuxXcsS", *p) || p[1] != '!')
        return false;
    *at = p + 2;
    return true;
}

static bool is_number(const struct decoded *d)
{
    const unsigned type = d->field->type;
    return !d->is_list && !d->members &&
           (type <= FIELD_SIZE || type == FIELD_PORT ||
            (type >= FIELD_HEX32 && type <= FIELD_BOOL32));
}

static bool is_negative(const struct decoded *d)
{
    const unsigned type = d->field->type;
    const bool is_signed =
        type == FIELD_I8 || type == FIELD_I16 || type == FIELD_I32 || type == FIELD_I64;
    return is_signed && (int64_t)d->number < 0;
}

/* Digits from the last one, which is at the end of `room`. */
static const char *digits_of(uint64_t n, const struct form *f, char room[NUMBER_ROOM])
{
    const unsigned base = f->type == 'x' || f->type == 'X' ? 16 : 10;
    const char *const digits = f->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char *at = room + NUMBER_ROOM - 1;
    *at = '\0';
    do
        *--at = digits[n % base];
    while (n /= base);
    return at;
}

static const char *sign_of(const struct form *f, bool is_minus, uint64_t n)
{
    if (f->type == 'x' || f->type == 'X')
        return !f->has_prefix || !n ? "" : f->type == 'x' ? "0x" : "0X";
    if (f->type == 'u')
        return "";
    return is_minus ? "-" : f->has_sign ? "+" : f->has_blank ? " " : "";
}

static void put_number(struct writer *w, const struct decoded *d, const struct form *f)
{
    char room[NUMBER_ROOM];
    const bool is_decimal = f->type == 'd' || f->type == 'i';
    const bool is_minus = is_decimal && is_negative(d);
    uint64_t n = is_minus ? 0 - d->number : d->number;
    if (!is_minus && d->bytes < sizeof n)
        n &= (UINT64_C(1) << 8 * d->bytes) - 1;
    const char *const digits = digits_of(n, f, room), *const sign = sign_of(f, is_minus, n);
    const size_t count = strlen(digits), before = strlen(sign);
    size_t zeros = f->precision > (int)count ? (size_t)f->precision - count : 0;
    if (f->has_zeros && !f->is_left && f->precision < 0 && f->width > count + before)
        zeros = f->width - count - before;
    const size_t all = before + zeros + count, left = f->width > all ? f->width - all : 0;
    put_repeated(w, ' ', f->is_left ? 0 : left);
    for (size_t i = 0; i < before; i++)
        put(w, sign[i]);
    put_repeated(w, '0', zeros);
    for (size_t i = 0; i < count; i++)
        put(w, digits[i]);
    put_repeated(w, ' ', f->is_left ? left : 0);
}

static bool begins_character(char c)
{
    return ((uint8_t)c & 0xc0) != 0x80;
}

/* Precision and width count characters. The value is written where the text goes on, and moved
 * when there are blanks before it. */
static void put_string(struct writer *w, const struct decoded *d, const struct form *f)
{
    const size_t start = w->used;
    size_t characters = 0, end = start;
    put_value(w, d);
    for (; end < w->used; end++) {
        const bool is_next = begins_character(w->out[end]);
        if (is_next && f->precision >= 0 && characters == (size_t)f->precision)
            break;
        characters += is_next;
    }
    w->used = end;
    w->is_over = w->used > w->most;
    if (w->is_over || f->width <= characters)
        return;
    const size_t blanks = f->width - characters;
    char *const at = w->out + start;
    if (!f->is_left) /* MESSAGE_SPARE is more than any width */
        memmove(at + blanks, at, end - start);
    memset(f->is_left ? at + (end - start) : at, ' ', blanks);
    w->used += blanks;
    w->is_over = w->used > w->most;
}

static void put_formatted(struct writer *w, const struct decoded *d, const struct form *f)
{
    if (strchr("diuxX", f->type) && is_number(d))
        put_number(w, d, f);
    else
        put_string(w, d, f);
}

/* ---- the template ------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_named(const struct decoded *d, const char *name, size_t bytes)
{
    return d && *d->field->name == *name && strncmp(d->field->name, name, bytes) == 0 &&
           !d->field->name[bytes];
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The text from the template's start to `end` ends with the field's whole name: what stands before
 * it, but for the letter of an escape, is no part of a name. */
static bool ends_with_name_of(const struct decoded *d, const char *start, const char *end)
{
    const size_t bytes = d ? strlen(d->field->name) : 0, before = (size_t)(end - start);
    if (!bytes || bytes > before || memcmp(end - bytes, d->field->name, bytes) != 0)
        return false;
    const char *const name = end - bytes;
    return bytes == before || (!is_of_name(name[-1]) && name[-1] != '%') ||
           (bytes + 2 <= before && is_of_name(name[-1]) && name[-2] == '%');
}

/* The field that the text before the insert names, "NAME=%3"; else that of its number. */
static const struct decoded *field_of(const struct writer *w, unsigned number, const char *percent)
{
    const struct decoded *const numbered =
        number <= w->insert_count ? w->inserts[number - 1] : NULL;
    if (percent == w->template || percent[-1] != '=')
        return numbered;
    const char *const end = percent - 1;
    if (ends_with_name_of(numbered, w->template, end))
        return numbered;
    const char *name = end;
    while (name > w->template && is_of_name(name[-1]))
        name--;
    name += name > w->template && name < end && name[-1] == '%'; /* an escape's letter */
    const size_t bytes = (size_t)(end - name);
    for (unsigned i = 0; bytes && i < w->insert_count; i++)
        if (is_named(w->inserts[i], name, bytes))
            return w->inserts[i];
    return numbered;
}

/* From the first digit on; returns where the text goes on. */
static const char *take_insert(struct writer *w, const char *at)
{
    const char *const percent = at - 1;
    unsigned number = (unsigned)(*at++ - '0');
    struct form form;
    if (is_digit(*at))
        number = number * 10 + (unsigned)(*at++ - '0');
    const bool is_formatted = read_form(&at, &form);
    const struct decoded *const d = field_of(w, number, percent);
    if (!d)
        put_insert(w, number);
    else if (is_formatted)
        put_formatted(w, d, &form);
    else
        put_value(w, d);
    return at;
}

/* Behind a percent sign; NULL: the text ends here. */
static const char *take_escape(struct writer *w, const char *at)
{
    if (*at >= '1' && *at <= '9')
        return take_insert(w, at);
    if (*at == '0' || !*at)
        return NULL;
    if (strchr("nrt", *at))
        put_space(w);
    else
        put(w, *at == 'b' ? ' ' : *at);
    if (*at == '%' && is_digit(at[1]))
        put(w, '%');
    return at + 1;
}

static void put_plain(struct writer *w, const char *at, size_t bytes)
{
    const size_t left = w->most - w->used, count = bytes < left ? bytes : left;
    memcpy(w->out + w->used, at, count);
    w->used += count;
    w->is_over |= count < bytes;
}

/* What separates lines and columns becomes a blank; most of a template is written as it is. */
static void take_template(struct writer *w, const char *at)
{
    while (at && *at && !w->is_over) {
        const size_t plain = strcspn(at, "%\r\n\t");
        put_plain(w, at, plain);
        at += plain;
        if (*at == '%') {
            at = take_escape(w, at + 1);
        } else if (*at) {
            put_space(w);
            at++;
        }
    }
}

/* How long a character of UTF-8 is by its first byte. */
static size_t character_bytes(char first)
{
    const uint8_t byte = (uint8_t)first;
    return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/* Cut between characters. */
static void put_cut(struct writer *w)
{
    static const char sign[] = "…";
    const size_t most = w->used < w->most ? w->used : w->most;
    size_t end = most;
    while (end && !begins_character(w->out[end - 1]))
        end--;
    if (end && end - 1 + character_bytes(w->out[end - 1]) <= most)
        end = most; /* the last one is whole */
    else if (end)
        end--;
    memcpy(w->out + end, sign, sizeof sign - 1);
    w->used = end + sizeof sign - 1;
}

size_t message_format(const char *template, const struct decoded *fields, unsigned count,
                      bool is_linux, char *out, size_t room)
{
    struct writer w; /* without an initializer: of its many inserts few are set */
    w.template = template;
    w.out = out;
    w.used = 0;
    w.most = room - MESSAGE_SPARE;
    w.is_linux = is_linux;
    w.is_over = false;
    w.insert_count = 0;
    for (unsigned i = 0; i < count && w.insert_count < INSERTS; i++)
        if (!fields[i].is_member)
            w.inserts[w.insert_count++] = fields[i].is_present ? &fields[i] : NULL;
    take_template(&w, template);
    if (w.is_over)
        put_cut(&w);
    while (w.used && out[w.used - 1] == ' ')
        w.used--;
    out[w.used] = '\0';
    return w.used;
}

/* Behind "NAME=%NUMBER" and what separates it from the next; NULL: something else is there. */
static const char *skip_pair(const char *at)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    static const char digits[] = "0123456789";
    const size_t name = strspn(at, letters);
    const char *const value = at + name;
    if (!name || value[0] != '=' || value[1] != '%' || !is_digit(value[2]))
        return NULL;
    at = value + 2 + strspn(value + 2, digits);
    for (at += strspn(at, ";, \r\n\t"); at[0] == '%' && at[1] == 'n';)
        at += 2;
    return at + strspn(at, " \r\n\t");
}

bool message_has_words(const char *template)
{
    const bool has_text = template != NULL;
    while (template && *template)
        template = skip_pair(template);
    return has_text && !template;
}
