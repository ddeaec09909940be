/* What fuzzers of decoding share: whatever the bytes are, fields lie in the payload, and values and
 * lines fit into their room. */
#ifndef TESTS_FUZZ_FIELDS_H
#define TESTS_FUZZ_FIELDS_H

#include "src/base/bytes.h"
#include "src/export/line_csv.h"

#include <stdlib.h>
#include <string.h>

static inline void must(bool holds)
{
    if (!holds)
        abort();
}

/* The next bytes of the input in memory of exactly their size, behind `head` bytes of zeros. */
static inline uint8_t *copy_of(struct bytes *b, size_t bytes, size_t head)
{
    uint8_t *const copy = calloc(1, head + bytes);
    must(copy);
    memcpy(copy + head, b->at, bytes);
    bytes_skip(b, bytes);
    return copy;
}

static inline void check_text(const struct decoded *d, size_t room)
{
    static char text[LINE_VALUE];
    const size_t n = decode_format(d, text, room);
    must(n < room && text[n] == '\0');
}

/* A list has as many elements as it says. */
static inline void check_elements(const struct event *e, const struct decoded *d)
{
    struct decoded element;
    size_t cursor = 0;
    uint32_t elements = 0;
    while (d->members ? decode_structure(d, &cursor) : decode_element(d, &cursor, &element)) {
        must(d->members || element.data + element.bytes <= e->payload + e->payload_bytes);
        elements++;
    }
    must(!d->is_list || elements == d->elements);
}

static inline void check_field(const struct event *e, const struct decoded *d)
{
    check_text(d, LINE_VALUE);
    check_text(d, 9);
    check_text(d, 7);
    if (!d->is_present)
        return;
    must(d->end <= e->payload_bytes);
    if (d->bytes)
        must(d->data >= e->payload && d->data + d->bytes <= e->payload + e->payload_bytes);
    check_elements(e, d);
}

/* Decodes as much as there is room for, too. */
static inline void check_fields(const struct event *e, const struct payload_layout *l)
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = decode_fields(l, e, fields, DECODE_FIELDS);
    must(count == l->field_count);
    for (unsigned i = 0; i < count; i++)
        if (!fields[i].is_member)
            check_field(e, &fields[i]);
    decode_fields(l, e, fields, count / 2);
    decode_fields(l, e, fields, 1);
}

static inline void check_lines(const struct line_event *le)
{
    static char text[LINE_ROOM], value[LINE_VALUE];
    static struct line_csv *csv;
    struct line line = {.at = text, .value = value};
    if (!csv)
        csv = line_csv_new("all", ';', false, NULL);
    line_csv_event(csv, &line, le);
    must(line.at < text + LINE_ROOM && memchr(text, '\n', LINE_ROOM) == line.at - 1);
    line.at = text;
    line_jsonl(&line, le);
    must(line.at[-1] == '\n' && line.at < text + LINE_ROOM);
    line.at = text;
    line_text(&line, le);
    must(line.at < text + LINE_ROOM && memchr(text, '\n', LINE_ROOM) == line.at - 1);
}

#endif
