/* Pieces of lines. */
#include "src/event/line_put.h"

#include "src/base/hex.h"
#include "src/event/message.h"

void line_hex(struct line *l, const uint8_t *p, size_t bytes)
{
    hex_put(l->at, p, bytes);
    l->at += 2 * bytes;
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
