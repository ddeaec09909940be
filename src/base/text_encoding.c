/* UTF-8 that is repaired, and UTF-16 from and to it. */
#include "src/base/text.h"

#include "src/base/text_characters.h"

#include <string.h>

bool text_is_valid(const char *text, size_t bytes)
{
    return all_ascii(text, bytes) || u8_check(u8(text), bytes) == NULL;
}

/* Appends one character if it fits. */
static bool put(char *out, size_t *used, size_t room, ucs4_t c)
{
    const int bytes = u8_uctomb((uint8_t *)out + *used, c, (ptrdiff_t)(room - *used));
    if (bytes <= 0)
        return false;
    *used += (size_t)bytes;
    return true;
}

size_t text_repair(char *out, size_t room, const char *text, size_t bytes)
{
    size_t used = 0;
    const uint8_t *at = u8(text), *const end = at + bytes;
    while (at < end && put(out, &used, room, character(&at, end)))
        ;
    return used;
}

static ucs4_t utf16_character(struct bytes *b)
{
    const uint16_t first = bytes_u16(b);
    if (b->bad)
        return REPLACEMENT; /* half a unit */
    if (first < 0xd800 || first > 0xdfff)
        return first;
    const uint16_t second = b->left >= 2 ? load_u16(b->at) : 0;
    if (first > 0xdbff || second < 0xdc00 || second > 0xdfff)
        return REPLACEMENT;
    bytes_skip(b, 2);
    return 0x10000 + ((ucs4_t)(first - 0xd800) << 10) + (second - 0xdc00u);
}

/* Names are mostly ASCII: four units at a time while they are. Returns how many. */
static size_t plain_units(struct bytes *b, char *out, size_t room)
{
    static const uint64_t NOT_PLAIN = 0xff80ff80ff80ff80u;
    size_t used = 0;
    while (b->left >= 8 && room - used >= 4) {
        uint64_t units = load_u64(b->at);
        if (units & NOT_PLAIN)
            break;
        units |= units >> 8; /* bytes 0, 2, 4, 6 come together */
        units = (units & 0xffff) | (units >> 16 & 0xffff0000u);
        const uint32_t four = (uint32_t)units;
        memcpy(out + used, &four, sizeof four);
        bytes_skip(b, 8);
        used += 4;
    }
    return used;
}

size_t text_from_utf16(char *out, size_t room, const void *utf16, size_t bytes)
{
    size_t used = 0;
    struct bytes b = bytes_of(utf16, bytes);
    while (b.left > 0) {
        const size_t plain = plain_units(&b, out + used, room - used);
        used += plain;
        if (b.left == 0)
            break;
        const bool is_plain_unit = b.left >= 2 && b.at[1] == 0 && b.at[0] < 0x80;
        if (is_plain_unit && used < room) {
            out[used++] = (char)b.at[0];
            bytes_skip(&b, 2);
        } else if (!put(out, &used, room, utf16_character(&b))) {
            break;
        }
    }
    return used;
}

size_t text_to_utf16(void *out, size_t room, const char *text, size_t bytes)
{
    size_t used = 0;
    const uint8_t *at = u8(text), *const end = at + bytes;
    while (at < end) {
        uint16_t units[2];
        const int count = u16_uctomb(units, character(&at, end), 2);
        const size_t needed = count > 0 ? 2 * (size_t)count : 0;
        if (!needed || needed > room - used)
            break;
        memcpy((char *)out + used, units, needed);
        used += needed;
    }
    return used;
}
