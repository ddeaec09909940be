/* Pieces of lines. */
#include "src/event/line_put.h"

#include "src/base/bytes.h"
#include "src/event/message.h"

/* Eight digits of four bytes at once: each nibble gets a byte of its own (high one first in
 * memory), then those above nine are raised from '0'… to 'a'…. */
static uint64_t hex_of(uint32_t four)
{
    const uint64_t nibble = 0x000f000f000f000f, ones = 0x0101010101010101;
    uint64_t x = four;
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x >> 4 & nibble) | (x & nibble) << 8;
    return x + '0' * ones + ((x + 6 * ones) >> 4 & ones) * ('a' - '0' - 10);
}

void line_hex(struct line *l, const uint8_t *p, size_t bytes)
{
    size_t i = 0;
    for (; i + 4 <= bytes; i += 4, l->at += 8) {
        const uint64_t digits = hex_of(load_u32(p + i));
        memcpy(l->at, &digits, 8);
    }
    for (; i < bytes; i++, l->at += 2) {
        const uint64_t digits = hex_of(p[i]);
        memcpy(l->at, &digits, 2);
    }
}

enum { NS = 1000000000, TO_SECOND = 19 }; /* 2016-05-26T20:17:22 */

void line_time(struct line *l, int64_t ns)
{
    int64_t second = ns / NS, rest = ns % NS;
    if (rest < 0) {
        second--;
        rest += NS;
    }
    if (second != l->second || !l->second_text[0]) {
        clock_format_iso(ns, l->second_text);
        l->second = second;
    }
    put(l, l->second_text, TO_SECOND);
    uint32_t fraction = (uint32_t)(rest / 100);
    l->at[0] = '.';
    for (unsigned i = 7; i; i--, fraction /= 10)
        l->at[i] = (char)('0' + fraction % 10);
    l->at[8] = 'Z';
    l->at += 9;
}

const struct guid *line_provider(const struct event *e)
{
    return header_is_kernel(e->kind) ? event_class_guid(e->id) : &e->provider;
}

void line_names(const struct line_event *e, const char **class, const char **name)
{
    *class = e->class_name;
    *name = e->event_name;
    if (!*class)
        decode_name(e->event, class, name);
}

size_t line_message(struct line *l, const struct line_event *e, const struct decoded *fields,
                    unsigned count)
{
    return e->message && *e->message
               ? message_format(e->message, fields, count, e->is_linux, l->value, LINE_MESSAGE)
               : 0;
}

const char *line_sid(const struct event *e, char out[LINE_SID])
{
    static const struct field field = {.type = FIELD_BARE_SID, .count = 1};
    struct decoded d = {.field = &field, .is_present = true, .elements = 1};
    d.data = event_sid(e, &d.bytes);
    out[0] = '\0';
    if (d.data)
        decode_format(&d, out, LINE_SID);
    return out;
}
