/* An ELF header says where the program headers are, some of these where notes are, and one of
 * those is the id: u32 bytes of the name, u32 bytes of the id, u32 type 3, "GNU", the id. */
#include "src/symbol/build_id.h"

#include "src/base/bytes.h"
#include "src/os/foreign_file_linux.h"

#include <stdio.h>
#include <unistd.h>

enum {
    HEADER = 64,
    HEADERS_MOST = 256,    /* program headers that are read; linkers make some ten */
    NOTES_MOST = 64 << 10, /* of one segment */
    NOTE_HEAD = 12,
    TYPE_BUILD_ID = 3,
    PT_NOTE_ = 4,
};

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

static bool read_all(int descriptor, void *to, size_t bytes, uint64_t offset)
{
    return offset <= INT64_MAX && pread(descriptor, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

bool build_id_of_file(int descriptor, struct build_id *out)
{
    uint8_t head[HEADER];
    out->count = 0;
    if (!read_all(descriptor, head, 52, 0) || memcmp(head, "\177ELF", 4) != 0 || head[5] != 1)
        return false;
    const bool is_wide = head[4] == 2;
    if (is_wide && !read_all(descriptor, head, HEADER, 0))
        return false;
    const uint64_t table = is_wide ? load_u64(head + 32) : load_u32(head + 28);
    const size_t size = load_u16(head + (is_wide ? 54 : 42));
    const unsigned count = load_u16(head + (is_wide ? 56 : 44));
    for (unsigned i = 0; i < count && i < HEADERS_MOST; i++) {
        uint8_t one[56];
        const size_t needed = is_wide ? 56 : 32;
        if (size < needed || !read_all(descriptor, one, needed, table + (uint64_t)i * size))
            return false;
        const uint64_t offset = is_wide ? load_u64(one + 8) : load_u32(one + 4);
        const uint64_t bytes = is_wide ? load_u64(one + 32) : load_u32(one + 16);
        static _Thread_local uint8_t notes[NOTES_MOST];
        if (load_u32(one) == PT_NOTE_ && bytes <= sizeof notes &&
            read_all(descriptor, notes, (size_t)bytes, offset) &&
            build_id_in_notes(notes, (size_t)bytes, out))
            return true;
    }
    return false;
}

bool build_id_is_module(const char *name, size_t bytes)
{
    enum { NAME_MOST = 255 };
    return bytes && bytes <= NAME_MOST && name[0] != '.' && !memchr(name, '/', bytes);
}

bool build_id_of_kernel(const char *module, struct build_id *out)
{
    uint8_t notes[4096];
    char path[512] = "/sys/kernel/notes";
    out->count = 0;
    if (module[0] && !build_id_is_module(module, strlen(module)))
        return false;
    if (module[0])
        snprintf(path, sizeof path, "/sys/module/%s/notes/.note.gnu.build-id", module);
    const int descriptor = foreign_file_open("", "", path, true, NULL);
    const ssize_t got = descriptor < 0 ? -1 : read(descriptor, notes, sizeof notes);
    if (descriptor >= 0)
        close(descriptor);
    return got > 0 && build_id_in_notes(notes, (size_t)got, out);
}
