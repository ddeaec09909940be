/* offset 0 "MZ", at 60 where "PE\0\0" stands; then u16 machine, u16 sections, u32 time stamp, …,
 * u16 bytes of the optional header, which says where in memory the directories lie: exports (0),
 * functions (3), debug records (6). Sections say where in the file that is. */
#include "src/symbol/pe.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    SECTIONS_MOST = 96, /* what Windows loads */
    EXPORTS_MOST = 1 << 17,
    FUNCTIONS_MOST = 1 << 21,
    NAMES_MOST = 16 << 20, /* bytes from the first name on */
    CHAIN_MOST = 32,
    MACHINE_AMD64 = 0x8664,
    DIRECTORIES = 16,
};

enum directory { EXPORTS, FUNCTIONS = 3, DEBUG_RECORDS = 6 };

struct section {
    uint32_t rva, bytes, offset;
};

struct reader {
    const struct blob *blob;
    struct section sections[SECTIONS_MOST];
    unsigned section_count;
    struct {
        uint32_t rva, bytes;
    } directories[DIRECTORIES];
};

/* Where in the file the bytes at an RVA lie, and how many there are in that section. */
static bool place_of(const struct reader *r, uint32_t rva, uint64_t *offset, uint32_t *left)
{
    for (unsigned i = 0; i < r->section_count; i++) {
        const struct section *const s = &r->sections[i];
        if (rva >= s->rva && rva - s->rva < s->bytes) {
            *offset = (uint64_t)s->offset + (rva - s->rva);
            *left = s->bytes - (rva - s->rva);
            return true;
        }
    }
    return false;
}

static bool read_at(const struct reader *r, uint32_t rva, void *to, size_t bytes)
{
    uint64_t offset;
    uint32_t left;
    return place_of(r, rva, &offset, &left) && bytes <= left &&
           blob_read(r->blob, to, bytes, offset);
}

/* Up to `bytes` from there, as many as the section and the file have; free(). */
static uint8_t *copy_at(const struct reader *r, uint32_t rva, uint32_t *bytes, size_t most)
{
    uint64_t offset;
    uint32_t left;
    if (!place_of(r, rva, &offset, &left) || offset >= r->blob->bytes)
        return NULL;
    if (*bytes > left)
        *bytes = left;
    if (*bytes > r->blob->bytes - offset)
        *bytes = (uint32_t)(r->blob->bytes - offset);
    if (*bytes > most)
        *bytes = (uint32_t)most;
    return blob_copy(r->blob, *bytes, offset, most);
}

/* ---- headers ------------------------------------------------------------------------------- */

static bool read_optional(struct pe *p, struct reader *r, uint64_t at, unsigned size,
                          struct err *why)
{
    enum { PE32 = 0x10b, PE64 = 0x20b };
    uint8_t head[240] = {0};
    if (size > sizeof head)
        size = sizeof head;
    if (!blob_read(r->blob, head, size, at))
        return fail(why, "offset %llu: expected an optional header of %u bytes, found the end",
                    (unsigned long long)at, size);
    const unsigned magic = load_u16(head);
    if (magic != PE32 && magic != PE64)
        return fail(why, "offset %llu: expected 0x10b or 0x20b, found 0x%x", (unsigned long long)at,
                    magic);
    p->image_size = load_u32(head + 56);
    const unsigned directories = magic == PE64 ? 112 : 96;
    const uint32_t count = load_u32(head + directories - 4);
    for (uint32_t i = 0; i < count && i < DIRECTORIES && directories + i * 8 + 8 <= size; i++) {
        r->directories[i].rva = load_u32(head + directories + i * 8);
        r->directories[i].bytes = load_u32(head + directories + i * 8 + 4);
    }
    return true;
}

static bool read_headers(struct pe *p, struct reader *r, struct err *why)
{
    uint8_t dos[64], head[24], section[40];
    if (!blob_read(r->blob, dos, sizeof dos, 0) || dos[0] != 'M' || dos[1] != 'Z')
        return fail(why, "offset 0: expected a PE file (MZ), found something else");
    uint64_t at = load_u32(dos + 60);
    if (!blob_read(r->blob, head, sizeof head, at) || memcmp(head, "PE\0\0", 4) != 0)
        return fail(why, "offset %llu: expected PE, found something else", (unsigned long long)at);
    p->machine = load_u16(head + 4);
    p->stamp = load_u32(head + 8);
    const unsigned count = load_u16(head + 6), size = load_u16(head + 20);
    at += sizeof head;
    if (!read_optional(p, r, at, size, why))
        return false;
    at += size;
    for (unsigned i = 0; i < count && i < SECTIONS_MOST; i++, at += sizeof section) {
        if (!blob_read(r->blob, section, sizeof section, at))
            return fail(why, "offset %llu: expected section %u of %u, found the end",
                        (unsigned long long)at, i, count);
        const uint32_t in_memory = load_u32(section + 8), in_file = load_u32(section + 16);
        r->sections[r->section_count++] = (struct section){
            .rva = load_u32(section + 12),
            .bytes = in_memory && in_memory < in_file ? in_memory : in_file,
            .offset = load_u32(section + 20),
        };
    }
    return true;
}

static void read_pdb_name(struct pe *p, const struct reader *r, uint64_t offset)
{
    const uint64_t left = offset < r->blob->bytes ? r->blob->bytes - offset : 0;
    const size_t bytes = left < sizeof p->pdb - 1 ? (size_t)left : sizeof p->pdb - 1;
    if (!blob_read(r->blob, p->pdb, bytes, offset) || !memchr(p->pdb, '\0', bytes))
        p->pdb[0] = '\0';
}

/* "RSDS", GUID, age, path: one of the debug records points to it. */
static void read_debug(struct pe *p, const struct reader *r)
{
    enum { ENTRY = 28, CODEVIEW = 2, MOST = 64 };
    for (unsigned i = 0; i < r->directories[DEBUG_RECORDS].bytes / ENTRY && i < MOST; i++) {
        uint8_t entry[ENTRY], rsds[24];
        if (!read_at(r, r->directories[DEBUG_RECORDS].rva + i * ENTRY, entry, sizeof entry))
            return;
        if (load_u32(entry + 12) == CODEVIEW &&
            blob_read(r->blob, rsds, sizeof rsds, load_u32(entry + 24)) &&
            memcmp(rsds, "RSDS", 4) == 0) {
            memcpy(&p->pdb_guid, rsds + 4, sizeof p->pdb_guid);
            p->pdb_age = load_u32(rsds + 20);
            read_pdb_name(p, r, (uint64_t)load_u32(entry + 24) + sizeof rsds);
            return;
        }
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

struct named {
    uint32_t rva;
    uint32_t name; /* RVA of its text */
};

static int by_rva(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return (x->rva > y->rva) - (x->rva < y->rva);
}

/* Exported code by address; forwarders, which lie in the directory itself, are other modules'. */
static struct named *read_exports(const struct reader *r, size_t *count)
{
    enum { HEAD = 40 };
    uint8_t head[HEAD];
    const uint32_t start = r->directories[EXPORTS].rva, bytes = r->directories[EXPORTS].bytes;
    *count = 0;
    if (bytes < HEAD || !read_at(r, start, head, sizeof head))
        return NULL;
    uint32_t functions = load_u32(head + 20), names = load_u32(head + 24);
    functions = functions < EXPORTS_MOST ? functions * 4 : EXPORTS_MOST * 4;
    names = names < EXPORTS_MOST ? names : EXPORTS_MOST;
    uint32_t name_bytes = names * 4, ordinal_bytes = names * 2;
    uint8_t *const at = copy_at(r, load_u32(head + 28), &functions, EXPORTS_MOST * 4);
    uint8_t *const texts = copy_at(r, load_u32(head + 32), &name_bytes, EXPORTS_MOST * 4);
    uint8_t *const ordinals = copy_at(r, load_u32(head + 36), &ordinal_bytes, EXPORTS_MOST * 2);
    struct named *const list =
        at && texts && ordinals ? mem_new((size_t)names + 1, sizeof *list) : NULL;
    for (uint32_t i = 0; list && i < names && i < name_bytes / 4 && i < ordinal_bytes / 2; i++) {
        const uint32_t ordinal = load_u16(ordinals + i * 2);
        const uint32_t rva = ordinal < functions / 4 ? load_u32(at + ordinal * 4) : 0;
        if (rva && rva - start >= bytes)
            list[(*count)++] = (struct named){rva, load_u32(texts + i * 4)};
    }
    free(at);
    free(texts);
    free(ordinals);
    if (*count)
        qsort(list, *count, sizeof *list, by_rva);
    return list;
}

static const struct named *name_at(const struct named *list, size_t count, uint32_t rva)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].rva < rva)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low].rva == rva ? &list[low] : NULL;
}

/* Where the function begins that a part of one is chained to. */
static uint32_t beginning(const struct reader *r, const uint8_t *function)
{
    enum { CHAINED = 4 };
    uint8_t parent[12];
    memcpy(parent, function, sizeof parent);
    for (unsigned i = 0; i < CHAIN_MOST; i++) {
        uint8_t unwind[4];
        const uint32_t at = load_u32(parent + 8) & ~1u;
        if (!read_at(r, at, unwind, sizeof unwind) || !(unwind[0] >> 3 & CHAINED))
            break;
        const uint32_t codes = (unwind[2] + 1u) & ~1u;
        if (!read_at(r, at + 4 + codes * 2, parent, sizeof parent))
            break;
    }
    return load_u32(parent);
}

static void name_functions(struct pe *p, const struct reader *r, const struct named *list,
                           size_t count)
{
    enum { ENTRY = 12 };
    uint32_t bytes = r->directories[FUNCTIONS].bytes;
    uint8_t *const functions =
        copy_at(r, r->directories[FUNCTIONS].rva, &bytes, (size_t)FUNCTIONS_MOST * ENTRY);
    for (uint32_t at = 0; functions && bytes - at >= ENTRY; at += ENTRY) {
        const uint32_t from = load_u32(functions + at), to = load_u32(functions + at + 4);
        const struct named *const n =
            from < to ? name_at(list, count, beginning(r, functions + at)) : NULL;
        uint32_t room = SYMBOL_NAME_MAX;
        uint8_t *const name = n ? copy_at(r, n->name, &room, SYMBOL_NAME_MAX) : NULL;
        if (name)
            symbol_table_add(&p->exports, from, to - from, (const char *)name,
                             strnlen((const char *)name, room));
        free(name);
    }
    free(functions);
}

static bool read_identity(struct pe *p, struct reader *r, struct err *why)
{
    *p = (struct pe){0};
    if (!read_headers(p, r, why))
        return false;
    read_debug(p, r);
    return true;
}

bool pe_read_identity(struct pe *p, const struct blob *b, struct err *why)
{
    struct reader r = {.blob = b};
    return read_identity(p, &r, why);
}

bool pe_read(struct pe *p, const struct blob *b, struct err *why)
{
    struct reader r = {.blob = b};
    size_t count;
    if (!read_identity(p, &r, why))
        return false;
    if (p->machine == MACHINE_AMD64) {
        struct named *const list = read_exports(&r, &count);
        if (count)
            name_functions(p, &r, list, count);
        free(list);
    }
    symbol_table_finish(&p->exports);
    return true;
}

void pe_fini(struct pe *p)
{
    symbol_table_fini(&p->exports);
}
