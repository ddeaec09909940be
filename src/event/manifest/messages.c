/* Tables of messages (resource type 11): blocks of numbers that follow each other, each with the
 * offset of its first text. */
#include "src/base/text.h"
#include "src/event/manifest/binary.h"

#include <string.h>

enum { COUNT = 0, BLOCKS = 4, BLOCK = 12, LOW = 0, HIGH = 4, OFFSET = 8 };
enum { BLOCKS_MOST = 1 << 16, ENTRY_HEAD = 4, IS_WIDE = 1 };

/* The block that holds the number; UINT64_MAX: there is none. They are sorted. */
static uint64_t block_of(struct byte_span table, uint32_t number)
{
    const uint32_t count = span_u32(table, COUNT);
    uint32_t low = 0, high = count < BLOCKS_MOST ? count : BLOCKS_MOST;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint64_t at = BLOCKS + (uint64_t)middle * BLOCK;
        if (span_u32(table, at + HIGH) < number)
            low = middle + 1;
        else
            high = middle;
    }
    const uint64_t at = BLOCKS + (uint64_t)low * BLOCK;
    return low < count && span_u32(table, at + LOW) <= number &&
                   span_u32(table, at + HIGH) >= number
               ? at
               : UINT64_MAX;
}

/* What a table may cost: many may refer to few. */
struct budget {
    uint64_t steps, bytes;
};

static const char *text_of(struct manifest *m, struct byte_span table, uint32_t number,
                           struct budget *left)
{
    enum { STEPS_MOST = 1 << 16, ROOM = 8192 };
    const uint64_t block = block_of(table, number);
    if (block == UINT64_MAX)
        return "";
    uint64_t at = span_u32(table, block + OFFSET);
    const uint32_t steps = number - span_u32(table, block + LOW);
    if (steps > STEPS_MOST || steps > left->steps)
        return "";
    left->steps -= steps;
    for (uint32_t i = 0; i < steps; i++) {
        const unsigned length = span_u16(table, at);
        if (length < ENTRY_HEAD)
            return "";
        at += length;
    }
    const unsigned length = span_u16(table, at);
    if (length < ENTRY_HEAD || length > left->bytes)
        return "";
    left->bytes -= length;
    char text[ROOM];
    const struct byte_span bytes = span_part(table, at + ENTRY_HEAD, length - ENTRY_HEAD);
    size_t used = span_u16(table, at + 2) & IS_WIDE
                      ? text_from_utf16(text, ROOM, bytes.at, bytes.bytes)
                      : text_repair(text, ROOM, (const char *)bytes.at, bytes.bytes);
    const char *const nul = memchr(text, 0, used);
    used = nul ? (size_t)(nul - text) : used;
    while (used && strchr(" \r\n", text[used - 1]))
        used--;
    return manifest_text_of(m, text, used);
}

void manifest_apply_messages(struct manifest *m, struct byte_span table)
{
    enum { STEPS = 1 << 26, SHARED = 16 };
    struct budget left = {STEPS, (uint64_t)table.bytes * SHARED};
    for (uint32_t i = 0; i < m->events.count; i++) {
        struct manifest_event *const e = &m->events.at[i];
        if (e->message_number && !*e->message)
            e->message = text_of(m, table, e->message_number, &left);
    }
    for (uint32_t i = 0; i < m->entries.count; i++) {
        struct manifest_map_entry *const e = &m->entries.at[i];
        if (e->message && !*e->text)
            e->text = text_of(m, table, e->message, &left);
    }
}
