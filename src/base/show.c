#include "src/base/show.h"

#include "src/base/json.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1024, SPEC = 32, NUMBER = 512 };

void show_text(FILE *to, const char *text, size_t bytes)
{
    char safe[JSON_ROOM(PIECE)];
    while (bytes) {
        size_t piece = bytes < PIECE ? bytes : PIECE;
        while (piece < bytes && piece > PIECE - 4 && ((unsigned char)text[piece] & 0xc0) == 0x80)
            piece--; /* not inside a character */
        fwrite(safe, 1, json_show(safe, text, piece), to);
        text += piece;
        bytes -= piece;
    }
}

/* A conversion as it stands in the format, with its asterisks filled in. */
struct spec {
    char text[SPEC];
    int width, precision; /* -1: none */
    bool is_left;
    char length; /* 'H': hh, 'L': ll */
    char kind;
};

static void put_blanks(FILE *to, int count)
{
    while (count-- > 0)
        fputc(' ', to);
}

static void put_string(FILE *to, const struct spec *s, const char *text)
{
    const size_t bytes =
        !text ? 0 : s->precision < 0 ? strlen(text) : strnlen(text, (size_t)s->precision);
    const int blanks = s->width > 0 && (size_t)s->width > bytes ? s->width - (int)bytes : 0;
    put_blanks(to, s->is_left ? 0 : blanks);
    show_text(to, text ? text : "", bytes);
    put_blanks(to, s->is_left ? blanks : 0);
}

static const char *read_number(const char *at, int *out, va_list *args)
{
    if (*at == '*') {
        *out = va_arg(*args, int);
        return at + 1;
    }
    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        *out = *out < 100000 ? *out * 10 + (*at - '0') : *out;
    return at;
}

/* Behind '%'; where the conversion ends. */
static const char *read_spec(const char *at, struct spec *s, va_list *args)
{
    char flags[8] = "";
    const size_t count = strspn(at, "-+ #0");
    memcpy(flags, at, count < 7 ? count : 7);
    *s = (struct spec){.precision = -1};
    at = read_number(at + count, &s->width, args);
    s->is_left = strchr(flags, '-') || s->width < 0;
    s->width = s->width < 0 ? -s->width : s->width;
    if (*at == '.')
        at = read_number(at + 1, &s->precision, args);
    const char *const length = at;
    at += strspn(at, "hlzjt");
    s->length = at - length == 2 ? *length == 'h' ? 'H' : 'L' : at > length ? *length : '\0';
    s->kind = *at;
    int used = snprintf(s->text, SPEC, "%%%s%s", flags, s->is_left && !strchr(flags, '-') ? "-" : "");
    if (s->width)
        used += snprintf(s->text + used, SPEC - (size_t)used, "%d", s->width);
    if (s->precision >= 0)
        snprintf(s->text + used, SPEC - (size_t)used, ".%d", s->precision);
    return *at ? at + 1 : at;
}

static intmax_t read_signed(const struct spec *s, va_list *args)
{
    switch (s->length) {
    case 'l':
        return va_arg(*args, long);
    case 'L':
        return va_arg(*args, long long);
    case 'z':
    case 't':
        return va_arg(*args, ptrdiff_t);
    case 'j':
        return va_arg(*args, intmax_t);
    default:
        return va_arg(*args, int);
    }
}

static uintmax_t read_unsigned(const struct spec *s, va_list *args)
{
    switch (s->length) {
    case 'l':
        return va_arg(*args, unsigned long);
    case 'L':
        return va_arg(*args, unsigned long long);
    case 'z':
    case 't':
        return va_arg(*args, size_t);
    case 'j':
        return va_arg(*args, uintmax_t);
    case 'h':
        return (unsigned short)va_arg(*args, unsigned);
    case 'H':
        return (unsigned char)va_arg(*args, unsigned);
    default:
        return va_arg(*args, unsigned);
    }
}

/* Digits, signs and points need no care. */
#define PUT_NUMBER(to, s, length, value)                                                           \
    do {                                                                                           \
        char form_[SPEC + 4], text_[NUMBER];                                                       \
        snprintf(form_, sizeof form_, "%s%s%c", (s)->text, length, (s)->kind);                     \
        snprintf(text_, sizeof text_, form_, value);                                               \
        fputs(text_, to);                                                                          \
    } while (0)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void put_value(FILE *to, const struct spec *s, va_list *args)
{
    if (s->kind == 's') {
        put_string(to, s, va_arg(*args, const char *));
    } else if (s->kind == 'c') {
        const char c = (char)va_arg(*args, int);
        if (c == '\n' || c == '\t') /* our own: between cells and lines */
            fputc(c, to);
        else
            put_string(to, s, (char[]){c, '\0'});
    } else if (strchr("di", s->kind)) {
        PUT_NUMBER(to, s, "j", read_signed(s, args));
    } else if (strchr("uxXo", s->kind)) {
        PUT_NUMBER(to, s, "j", read_unsigned(s, args));
    } else if (strchr("fgeFGE", s->kind)) {
        PUT_NUMBER(to, s, "", va_arg(*args, double));
    } else if (s->kind == 'p') {
        PUT_NUMBER(to, s, "", va_arg(*args, void *));
    } else {
        abort(); /* a conversion that this does not know: the format's author sees it at once */
    }
}

#pragma GCC diagnostic pop

void show(FILE *to, const char *format, ...)
{
    va_list args;
    struct spec s;
    va_start(args, format);
    while (*format) {
        const size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, to);
        format += plain;
        if (!*format)
            break;
        if (format[1] == '%') {
            fputc('%', to);
            format += 2;
            continue;
        }
        format = read_spec(format + 1, &s, &args);
        if (s.kind)
            put_value(to, &s, &args);
    }
    va_end(args);
}
