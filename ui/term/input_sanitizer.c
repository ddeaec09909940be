#include "ui/term/input_sanitizer.h"

#include <string.h>

enum { ESC = 0x1b };

/* Digits beyond this many are nobody's key, and would overflow somebody's number. */
enum { DIGITS_MAX = 5 };

static size_t pass(struct input_sanitizer *s, uint8_t *out)
{
    const size_t count = s->count;
    memcpy(out, s->held, count);
    s->count = 0;
    return count;
}

static bool is_private(uint8_t byte)
{
    return byte >= 0x3c && byte <= 0x3f; /* < = > ? */
}

/* ESC [ parameters last-byte: is it one that is read safely? */
static bool is_sound(const struct input_sanitizer *s)
{
    const uint8_t last = s->held[s->count - 1];
    const bool is_mouse = s->count > 3 && s->held[2] == '<' && (last == 'M' || last == 'm');
    unsigned digits = 0, separators = 0;
    for (unsigned i = is_mouse ? 3 : 2; i + 1 < s->count; i++) {
        const uint8_t byte = s->held[i];
        if (byte == ';')
            separators++, digits = 0;
        else if (byte < '0' || byte > '9' || ++digits > DIGITS_MAX)
            return false;
    }
    if (is_mouse)
        return separators == 2;
    return separators < 4 &&
           last != 'M'; /* CSI M takes three raw bytes more; nobody asked for it */
}

static size_t sequence(struct input_sanitizer *s, uint8_t *out)
{
    const uint8_t last = s->held[s->count - 1];
    if (s->count == 2 && last != '[' && last != 'O')
        return pass(s, out); /* Alt and a key */
    if (s->count == 2)
        return 0;
    if (s->held[1] == 'O')
        return pass(s, out);
    if (last >= 0x40 && last <= 0x7e) {
        if (is_sound(s) && !s->swallows)
            return pass(s, out);
        s->count = 0;
        s->swallows = false;
    }
    return 0;
}

/* Bytes of the UTF-8 character that this one begins; 0 = it begins none. */
static unsigned utf8_length(uint8_t byte)
{
    return byte < 0x80                    ? 1
           : byte >= 0xc2 && byte <= 0xdf ? 2
           : byte >= 0xe0 && byte <= 0xef ? 3
           : byte >= 0xf0 && byte <= 0xf4 ? 4
                                          : 0;
}

static size_t begin(struct input_sanitizer *s, uint8_t byte, uint8_t *out)
{
    const unsigned length = utf8_length(byte);
    s->swallows = false;
    s->count = 0;
    if (length == 0 || (length > 1 && !s->is_utf8))
        return 0; /* also the one-byte CSI, which would be taken for a sequence */
    s->held[s->count++] = byte;
    return byte == ESC || length > 1 ? 0 : pass(s, out);
}

size_t sanitizer_byte(struct input_sanitizer *s, uint8_t byte, uint8_t out[SANITIZER_HELD])
{
    if (s->count == 0)
        return begin(s, byte, out);
    const uint8_t first = s->held[0];
    if (first != ESC) {
        if (byte >> 6 != 2)
            return begin(s, byte, out);
        s->held[s->count++] = byte;
        return s->count == utf8_length(first) ? pass(s, out) : 0;
    }
    if (byte == ESC && s->count == 1) { /* the first was a key of its own */
        out[0] = ESC;
        return 1;
    }
    if (byte < 0x20 || byte >= 0x7f) {
        const bool is_alone = s->count == 1; /* Esc, then something else that was typed */
        size_t count = 0;
        if (is_alone)
            out[count++] = ESC;
        return count + begin(s, byte, out + count);
    }
    if (s->count == SANITIZER_HELD - 1 ||
        (s->count == 2 && s->held[1] == '[' && is_private(byte) && byte != '<'))
        s->swallows = true;
    if (s->count == SANITIZER_HELD - 1)
        s->count = 2; /* what is swallowed needs no room */
    s->held[s->count++] = byte;
    return sequence(s, out);
}

size_t sanitizer_flush(struct input_sanitizer *s, uint8_t out[SANITIZER_HELD])
{
    const bool is_whole = s->count > 0 && s->held[0] == ESC && s->count <= 2 && !s->swallows;
    if (is_whole)
        return pass(s, out);
    s->count = 0;
    s->swallows = false;
    return 0;
}
