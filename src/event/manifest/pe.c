/* Resources of PE files: a tree of three levels, types, names and languages. */
#include "src/base/bytes.h"
#include "src/event/manifest/binary.h"

#include <string.h>

uint16_t span_u16(struct byte_span s, uint64_t at)
{
    return s.bytes >= 2 && at <= s.bytes - 2 ? load_u16(s.at + at) : 0;
}

uint32_t span_u32(struct byte_span s, uint64_t at)
{
    return s.bytes >= 4 && at <= s.bytes - 4 ? load_u32(s.at + at) : 0;
}

uint64_t span_u64(struct byte_span s, uint64_t at)
{
    return s.bytes >= 8 && at <= s.bytes - 8 ? load_u64(s.at + at) : 0;
}

struct byte_span span_part(struct byte_span s, uint64_t at, uint64_t bytes)
{
    if (at >= s.bytes)
        return (struct byte_span){s.at, 0};
    const uint64_t left = s.bytes - at;
    return (struct byte_span){s.at + at, (size_t)(bytes < left ? bytes : left)};
}

bool span_begins(struct byte_span s, uint64_t at, const char *signature)
{
    const size_t length = strlen(signature);
    const struct byte_span part = span_part(s, at, length);
    return part.bytes == length && memcmp(part.at, signature, length) == 0;
}

enum { RESOURCES = 2, SECTIONS_MOST = 96, SECTION = 40 };

/* The bytes at an address of the loaded program, to the end of their section. */
static struct byte_span at_address(struct byte_span file, uint32_t address)
{
    enum { COUNT = 6, OPTIONAL_BYTES = 20, HEAD = 24 };
    enum { ADDRESS = 12, RAW_BYTES = 16, RAW_AT = 20 };
    const uint64_t pe = span_u32(file, 0x3c);
    const unsigned count = span_u16(file, pe + COUNT);
    const uint64_t first = pe + HEAD + span_u16(file, pe + OPTIONAL_BYTES);
    for (unsigned i = 0; i < count && i < SECTIONS_MOST; i++) {
        const uint64_t section = first + (uint64_t)i * SECTION;
        const uint32_t begin = span_u32(file, section + ADDRESS);
        const uint32_t bytes = span_u32(file, section + RAW_BYTES);
        if (address >= begin && address - begin < bytes)
            return span_part(file, (uint64_t)span_u32(file, section + RAW_AT) + (address - begin),
                             bytes - (address - begin));
    }
    return (struct byte_span){file.at, 0};
}

static struct byte_span resources_of(struct byte_span file)
{
    enum { MAGIC = 24, MAGIC_64 = 0x20b, AT_32 = 24 + 96, AT_64 = 24 + 112, DIRECTORY = 8 };
    const uint64_t pe = span_u32(file, 0x3c);
    if (!span_begins(file, 0, "MZ") || !span_begins(file, pe, "PE"))
        return (struct byte_span){file.at, 0};
    const bool is_wide = span_u16(file, pe + MAGIC) == MAGIC_64;
    const uint64_t directory = pe + (is_wide ? AT_64 : AT_32) + RESOURCES * DIRECTORY;
    return at_address(file, span_u32(file, directory));
}

/* ---- the tree --------------------------------------------------------------------------------- */

enum { TABLE = 16, NAMED = 12, NUMBERED = 14, ENTRY = 8, ENTRIES_MOST = 4096 };
#define IS_NAME  0x80000000u
#define IS_TABLE 0x80000000u

static bool has_name(struct byte_span tree, uint64_t at, const char *name)
{
    const size_t length = strlen(name);
    if (span_u16(tree, at) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (span_u16(tree, at + 2 + 2 * i) != (uint8_t)name[i])
            return false;
    return true;
}

/* Where the entry of that type leads to; 0: there is none. */
static uint32_t find_type(struct byte_span tree, const char *name, uint16_t number)
{
    const unsigned count = span_u16(tree, NAMED) + span_u16(tree, NUMBERED);
    for (unsigned i = 0; i < count && i < ENTRIES_MOST; i++) {
        const uint64_t at = TABLE + (uint64_t)i * ENTRY;
        const uint32_t id = span_u32(tree, at);
        const bool is_it =
            name ? id & IS_NAME && has_name(tree, id & ~IS_NAME, name) : id == number;
        if (is_it)
            return span_u32(tree, at + 4);
    }
    return 0;
}

struct byte_span pe_resource(struct byte_span file, const char *type_name, uint16_t type)
{
    enum { LEVELS = 2 }; /* below the type: its name, its language */
    const struct byte_span tree = resources_of(file);
    uint32_t to = find_type(tree, type_name, type);
    for (unsigned level = 0; level < LEVELS && to & IS_TABLE; level++)
        to = span_u32(tree, (uint64_t)(to & ~IS_TABLE) + TABLE + 4);
    if (!to || to & IS_TABLE)
        return (struct byte_span){file.at, 0};
    const struct byte_span found = at_address(file, span_u32(tree, to));
    return span_part(found, 0, span_u32(tree, to + 4));
}
