/* An ELF header says where the program headers are, some of these where notes are, and one of
 * those is the id: u32 bytes of the name, u32 bytes of the id, u32 type 3, "GNU", the id. */
#include "src/symbol/build_id.h"

#include "src/base/bytes.h"

#include <stdio.h>

enum {
    HEADER = 64,
    HEADERS_MOST = 256,    /* program headers that are read; linkers make some ten */
    NOTES_MOST = 64 << 10, /* of one segment */
    NOTE_HEAD = 12,
    TYPE_BUILD_ID = 3,
    PT_NOTE_ = 4,
};

void build_id_text(const uint8_t *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i++)
        sprintf(out + 2 * i, "%02x", bytes[i]);
    out[2 * count] = '\0';
}

bool build_id_in_notes(const void *notes, size_t size, struct build_id *out)
{
    struct bytes b = bytes_of(notes, size);
    out->count = 0;
    while (b.left >= NOTE_HEAD) {
        const uint8_t *const head = bytes_take(&b, NOTE_HEAD);
        const uint32_t name = load_u32(head), id = load_u32(head + 4);
        const uint8_t *const text = bytes_take(&b, ((size_t)name + 3) & ~(size_t)3);
        const uint8_t *const at = text ? bytes_take(&b, id) : NULL;
        if (!at)
            return false;
        if (load_u32(head + 8) == TYPE_BUILD_ID && name == 4 && memcmp(text, "GNU", 4) == 0 && id &&
            id <= sizeof out->bytes) {
            memcpy(out->bytes, at, id);
            out->count = id;
            return true;
        }
        const size_t pad = -(size_t)id & 3;
        bytes_skip(&b, pad < b.left ? pad : b.left);
    }
    return false;
}

bool build_id_find(build_id_read *read, void *from, struct build_id *out)
{
    uint8_t head[HEADER];
    out->count = 0;
    if (!read(from, head, 52, 0) || memcmp(head, "\177ELF", 4) != 0 || head[5] != 1)
        return false;
    const bool is_wide = head[4] == 2;
    if (is_wide && !read(from, head, HEADER, 0))
        return false;
    const uint64_t table = is_wide ? load_u64(head + 32) : load_u32(head + 28);
    const size_t size = load_u16(head + (is_wide ? 54 : 42));
    const unsigned count = load_u16(head + (is_wide ? 56 : 44));
    for (unsigned i = 0; i < count && i < HEADERS_MOST; i++) {
        uint8_t one[56];
        const size_t needed = is_wide ? 56 : 32;
        if (size < needed || !read(from, one, needed, table + (uint64_t)i * size))
            return false;
        const uint64_t offset = is_wide ? load_u64(one + 8) : load_u32(one + 4);
        const uint64_t bytes = is_wide ? load_u64(one + 32) : load_u32(one + 16);
        static _Thread_local uint8_t notes[NOTES_MOST];
        if (load_u32(one) == PT_NOTE_ && bytes <= sizeof notes &&
            read(from, notes, (size_t)bytes, offset) &&
            build_id_in_notes(notes, (size_t)bytes, out))
            return true;
    }
    return false;
}

static bool read_blob(void *from, void *to, size_t bytes, uint64_t offset)
{
    return blob_read(from, to, bytes, offset);
}

bool build_id_of_blob(struct blob *b, struct build_id *out)
{
    return build_id_find(read_blob, b, out);
}
