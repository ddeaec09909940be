/* The container ("MSF") is blocks; block 0 says how large they are and where the list of streams
 * is. Stream 1 says which PDB it is; stream 3 ("DBI") lists modules, section contributions and
 * further streams: symbol records, section headers, and where a tool has moved code afterwards,
 * the map of that (OMAP).
 *
 *   block 0     32 magic, u32 block size, u32 free map, u32 blocks, u32 bytes of the directory,
 *               u32 unknown, u32 block with the directory's block numbers
 *   directory   u32 streams, u32 bytes of each (0xffffffff: none), u32 block numbers of each
 *   DBI         64 bytes, then modules, contributions, …, list of further streams (u16)
 *   symbol      u16 bytes behind it, u16 type, fields, name
 */
#include "src/symbol/pdb.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIRECTORY_MOST = 64 << 20,
    STREAMS_MOST = 1 << 17,
    STREAM_MOST = 512 << 20, /* bytes of one; records of the largest programs take half */
    SECTIONS_MOST = 1024,
    MODULES_MOST = 1 << 17,
    NONE = 0xffff,
};

struct msf {
    const struct blob *blob;
    uint32_t block, blocks;
    uint8_t *directory;
    size_t directory_bytes;
    uint32_t streams;
    uint64_t budget; /* bytes still to be read: streams that share blocks must not multiply */
    uint32_t *first; /* of each stream: index of its first block number in the directory */
};

struct stream {
    uint8_t *at;
    size_t bytes;
};

/* ---- the container ------------------------------------------------------------------------- */

static uint32_t word(const struct msf *m, size_t index)
{
    return load_u32(m->directory + index * 4);
}

static uint32_t blocks_in(const struct msf *m, uint32_t bytes)
{
    return bytes == UINT32_MAX ? 0 : (uint32_t)(((uint64_t)bytes + m->block - 1) / m->block);
}

/* Bytes that lie in blocks whose numbers stand at `numbers`. */
static bool read_blocks(const struct msf *m, const uint8_t *numbers, uint8_t *to, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += m->block, numbers += 4) {
        const size_t part = bytes - done < m->block ? bytes - done : m->block;
        const uint32_t number = load_u32(numbers);
        if (number >= m->blocks ||
            !blob_read(m->blob, to + done, part, (uint64_t)number * m->block))
            return false;
    }
    return true;
}

static bool read_directory(struct msf *m, uint32_t bytes, uint32_t at_block, struct err *why)
{
    const uint32_t count = blocks_in(m, bytes);
    if (bytes < 4 || bytes > DIRECTORY_MOST || bytes > m->blob->bytes || at_block >= m->blocks)
        return fail(why, "offset 44: expected a list of streams of up to %d bytes, found one of %u",
                    DIRECTORY_MOST, bytes);
    uint8_t *const numbers =
        blob_copy(m->blob, (uint64_t)count * 4, (uint64_t)at_block * m->block, DIRECTORY_MOST);
    m->directory = mem_try(bytes, 1);
    m->directory_bytes = bytes;
    const bool is_read = numbers && m->directory && read_blocks(m, numbers, m->directory, bytes);
    free(numbers);
    return is_read || fail(why,
                           "block %u: expected the list of streams, found its blocks beyond "
                           "the file",
                           at_block);
}

static bool list_streams(struct msf *m, struct err *why)
{
    const size_t words = m->directory_bytes / 4;
    m->streams = word(m, 0);
    if (m->streams > STREAMS_MOST || m->streams >= words)
        return fail(why, "the list of streams: expected up to %d, found %u", STREAMS_MOST,
                    m->streams);
    m->first = mem_new((size_t)m->streams + 1, sizeof *m->first);
    size_t at = 1 + (size_t)m->streams;
    for (uint32_t i = 0; i < m->streams; i++) {
        const uint32_t count = blocks_in(m, word(m, 1 + i));
        m->first[i] = (uint32_t)at;
        if (count > words - at)
            return fail(why, "stream %u: expected the numbers of %u blocks, found %zu", i, count,
                        words - at);
        at += count;
    }
    return true;
}

static void msf_fini(struct msf *m)
{
    free(m->directory);
    free(m->first);
    *m = (struct msf){0};
}

static bool msf_init(struct msf *m, const struct blob *b, struct err *why)
{
    static const char magic[] = "Microsoft C/C++ MSF 7.00\r\n\032DS\0\0";
    uint8_t head[56];
    *m = (struct msf){.blob = b, .budget = b->bytes * 2};
    if (!blob_read(b, head, sizeof head, 0) || memcmp(head, magic, 32) != 0)
        return fail(why, "offset 0: expected a PDB (MSF 7.00), found something else");
    m->block = load_u32(head + 32);
    m->blocks = load_u32(head + 40);
    if (m->block < 512 || m->block > 65536 || m->block & (m->block - 1))
        return fail(why, "offset 32: expected blocks of 512 to 65536 bytes, found %u", m->block);
    if (read_directory(m, load_u32(head + 44), load_u32(head + 52), why) && list_streams(m, why))
        return true;
    msf_fini(m);
    return false;
}

/* Nothing where there is none, or it is too large or not whole. free() `at`. */
static struct stream read_stream(struct msf *m, uint32_t number)
{
    struct stream s = {NULL, 0};
    if (number >= m->streams)
        return s;
    const uint32_t bytes = word(m, 1 + number);
    if (bytes == UINT32_MAX || bytes > STREAM_MOST || bytes > m->budget)
        return s;
    m->budget -= bytes;
    s.at = mem_try((size_t)bytes + 1, 1);
    if (s.at && read_blocks(m, m->directory + (size_t)m->first[number] * 4, s.at, bytes))
        s.bytes = bytes;
    return s;
}

/* ---- what is in it --------------------------------------------------------------------------- */

struct section {
    uint32_t rva, bytes, flags;
};

/* What the linker took from one object file in one piece. */
struct contribution {
    uint32_t rva, bytes;
    bool is_one; /* a COMDAT: one function */
};

struct dbi {
    struct stream stream;
    uint32_t age;
    uint16_t records; /* stream of symbol records */
    struct bytes modules, contributions, further;
    struct section sections[SECTIONS_MOST];
    unsigned section_count;
    struct contribution *list;
    size_t count, room;
};

enum { STREAM_INFO = 1, STREAM_DBI = 3, DBI_HEAD = 64 };

static bool read_info(struct msf *m, struct guid *guid, uint32_t *age, struct err *why)
{
    const struct stream s = read_stream(m, STREAM_INFO);
    const bool is_whole = s.bytes >= 28;
    if (is_whole) {
        *age = load_u32(s.at + 8);
        memcpy(guid, s.at + 12, sizeof *guid);
    }
    free(s.at);
    return is_whole ||
           fail(why, "stream 1: expected 28 bytes that say which PDB it is, found %zu", s.bytes);
}

static struct bytes part(struct bytes *rest, uint32_t bytes)
{
    const size_t most = bytes < rest->left ? bytes : rest->left;
    const uint8_t *const at = bytes_take(rest, most);
    return bytes_of(at, most);
}

static bool read_dbi(struct msf *m, struct dbi *d, struct err *why)
{
    d->stream = read_stream(m, STREAM_DBI);
    if (d->stream.bytes < DBI_HEAD)
        return fail(why, "stream 3: expected %d bytes at least, found %zu", DBI_HEAD,
                    d->stream.bytes);
    const uint8_t *const head = d->stream.at;
    struct bytes rest = bytes_of(head + DBI_HEAD, d->stream.bytes - DBI_HEAD);
    d->age = load_u32(head + 8);
    d->records = load_u16(head + 20);
    d->modules = part(&rest, load_u32(head + 24));
    d->contributions = part(&rest, load_u32(head + 28));
    part(&rest, load_u32(head + 32)); /* section map */
    part(&rest, load_u32(head + 36)); /* source files */
    part(&rest, load_u32(head + 40)); /* type servers */
    part(&rest, load_u32(head + 52)); /* edit and continue */
    d->further = part(&rest, load_u32(head + 48));
    return true;
}

enum further { OMAP_TO_BEFORE = 3, SECTIONS_NOW = 5, SECTIONS_BEFORE = 10 };

static struct stream further_stream(struct msf *m, const struct dbi *d, enum further which)
{
    struct bytes b = d->further;
    bytes_skip(&b, (size_t)which * 2);
    const uint8_t *const at = bytes_take(&b, 2);
    return at && load_u16(at) != NONE ? read_stream(m, load_u16(at)) : (struct stream){NULL, 0};
}

/* Symbols count by section, and sections may have been others before code was moved. */
static void read_sections(struct msf *m, struct dbi *d)
{
    enum { HEADER = 40 };
    struct stream s = further_stream(m, d, SECTIONS_BEFORE);
    if (!s.bytes) {
        free(s.at);
        s = further_stream(m, d, SECTIONS_NOW);
    }
    for (size_t at = 0; s.bytes - at >= HEADER && d->section_count < SECTIONS_MOST; at += HEADER)
        d->sections[d->section_count++] = (struct section){
            load_u32(s.at + at + 12), load_u32(s.at + at + 8), load_u32(s.at + at + 36)};
    free(s.at);
}

/* Of code only; false for what lies in no section. */
static bool rva_of(const struct dbi *d, uint16_t section, uint32_t offset, uint32_t *rva)
{
    enum { CODE = 0x20, EXECUTABLE = 0x20000000 };
    const struct section *const s =
        section && section <= d->section_count ? &d->sections[section - 1] : NULL;
    if (!s || !(s->flags & (CODE | EXECUTABLE)) || offset >= s->bytes)
        return false;
    *rva = s->rva + offset;
    return *rva >= s->rva;
}

static int by_rva(const void *a, const void *b)
{
    const struct contribution *x = a, *y = b;
    return (x->rva > y->rva) - (x->rva < y->rva);
}

static void read_contributions(struct dbi *d)
{
    enum { COMDAT = 0x1000 };
    static const uint32_t version_1 = 0xeffe0000 + 19970605, version_2 = 0xeffe0000 + 20140516;
    struct bytes b = d->contributions;
    const uint8_t *at = bytes_take(&b, 4);
    const uint32_t version = at ? load_u32(at) : 0;
    const size_t size = version == version_1 ? 28 : version == version_2 ? 32 : 0;
    while (size && (at = bytes_take(&b, size)) != NULL) {
        uint32_t rva;
        const uint32_t bytes = load_u32(at + 8);
        if (!bytes || !rva_of(d, load_u16(at), load_u32(at + 4), &rva) || bytes > UINT32_MAX - rva)
            continue;
        if (d->count == d->room) {
            d->room = d->room ? d->room * 2 : 256;
            d->list = mem_grow(d->list, d->room, sizeof *d->list);
        }
        d->list[d->count++] = (struct contribution){rva, bytes, (load_u32(at + 12) & COMDAT) != 0};
    }
    if (d->count)
        qsort(d->list, d->count, sizeof *d->list, by_rva);
}

static const struct contribution *contribution_at(const struct dbi *d, uint32_t rva)
{
    size_t low = 0, high = d->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (d->list[middle].rva <= rva)
            low = middle + 1;
        else
            high = middle;
    }
    return low && rva - d->list[low - 1].rva < d->list[low - 1].bytes ? &d->list[low - 1] : NULL;
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct record {
    uint16_t type;
    const uint8_t *at; /* behind the type */
    size_t bytes;
};

static bool next_record(struct bytes *b, struct record *out)
{
    const uint8_t *const head = bytes_take(b, 2);
    const size_t bytes = head ? load_u16(head) : 0;
    const uint8_t *const at = bytes >= 2 ? bytes_take(b, bytes) : NULL;
    if (!at)
        return false;
    *out = (struct record){load_u16(at), at + 2, bytes - 2};
    return true;
}

/* A function of a module: how large it is, where, and its name. */
static void add_function(struct pdb *p, const struct dbi *d, const struct record *r)
{
    enum { NAME = 35 };
    uint32_t rva;
    if (r->bytes <= NAME || !rva_of(d, load_u16(r->at + 32), load_u32(r->at + 28), &rva))
        return;
    const char *const name = (const char *)r->at + NAME;
    symbol_table_add(&p->sure, rva, load_u32(r->at + 12), name, strnlen(name, r->bytes - NAME));
}

static bool is_function(uint16_t type)
{
    enum { LPROC32 = 0x110f, GPROC32 = 0x1110, LPROC32_ID = 0x1146, GPROC32_ID = 0x1147 };
    return type == LPROC32 || type == GPROC32 || type == LPROC32_ID || type == GPROC32_ID;
}

static void read_module(struct msf *m, struct pdb *p, const struct dbi *d, uint16_t stream,
                        uint32_t bytes)
{
    const struct stream s = read_stream(m, stream);
    if (s.bytes >= 4 && bytes >= 4) {
        struct bytes b = bytes_of(s.at + 4, (bytes < s.bytes ? bytes : s.bytes) - 4);
        for (struct record r; next_record(&b, &r);)
            if (is_function(r.type))
                add_function(p, d, &r);
    }
    free(s.at);
}

static bool skip_text(struct bytes *b)
{
    const uint8_t *const end = memchr(b->at, '\0', b->left);
    return end && bytes_skip(b, (size_t)(end - b->at) + 1);
}

static void read_modules(struct msf *m, struct pdb *p, const struct dbi *d)
{
    enum { HEAD = 64 };
    struct bytes b = d->modules;
    for (unsigned i = 0; i < MODULES_MOST; i++) {
        const uint8_t *const head = bytes_take(&b, HEAD);
        if (!head || !b.left || !skip_text(&b) || !b.left || !skip_text(&b))
            return;
        const size_t pad = -(size_t)(b.at - d->modules.at) & 3;
        bytes_skip(&b, pad < b.left ? pad : b.left);
        if (load_u16(head + 34) != NONE)
            read_module(m, p, d, load_u16(head + 34), load_u32(head + 36));
    }
}

static void read_publics(struct msf *m, struct pdb *p, const struct dbi *d)
{
    enum { PUB32 = 0x110e, NAME = 10 };
    const struct stream s = read_stream(m, d->records);
    struct bytes b = bytes_of(s.at, s.bytes);
    for (struct record r; s.at && next_record(&b, &r);) {
        uint32_t rva;
        if (r.type != PUB32 || r.bytes <= NAME ||
            !rva_of(d, load_u16(r.at + 8), load_u32(r.at + 4), &rva))
            continue;
        const struct contribution *const c = contribution_at(d, rva);
        const char *const name = (const char *)r.at + NAME;
        if (c) /* the next symbol may end it earlier: symbol_table_find() takes the nearer one */
            symbol_table_add(c->is_one ? &p->sure : &p->near, rva, c->bytes - (rva - c->rva), name,
                             strnlen(name, r.bytes - NAME));
    }
    free(s.at);
}

static int by_from(const void *a, const void *b)
{
    const struct pdb_range *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static void read_moves(struct msf *m, struct pdb *p, const struct dbi *d)
{
    const struct stream s = further_stream(m, d, OMAP_TO_BEFORE);
    p->moved_count = s.bytes / 8;
    if (p->moved_count)
        p->moved = mem_new(p->moved_count, sizeof *p->moved);
    for (size_t i = 0; i < p->moved_count; i++)
        p->moved[i] = (struct pdb_range){load_u32(s.at + i * 8), load_u32(s.at + i * 8 + 4)};
    if (p->moved_count)
        qsort(p->moved, p->moved_count, sizeof *p->moved, by_from);
    free(s.at);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void dbi_free(struct dbi *d)
{
    free(d->stream.at);
    free(d->list);
    free(d);
}

bool pdb_identify(const struct blob *b, struct guid *guid, uint32_t *age, struct err *why)
{
    struct msf m;
    struct dbi *const d = mem_new(1, sizeof *d);
    bool is_read = msf_init(&m, b, why);
    if (is_read) {
        is_read = read_info(&m, guid, age, why);
        /* The linker counts in both; a tool that adds to the file afterwards in the first only. */
        if (is_read && read_dbi(&m, d, NULL))
            *age = d->age;
        msf_fini(&m);
    }
    dbi_free(d);
    return is_read;
}

bool pdb_is_whole(const struct blob *b, struct err *why)
{
    uint8_t head[56];
    const bool is_read = blob_read(b, head, sizeof head, 0);
    const uint64_t bytes = is_read ? (uint64_t)load_u32(head + 32) * load_u32(head + 40) : 0;
    return (is_read && bytes <= b->bytes) ||
           fail(why, "expected %llu bytes, found %llu", (unsigned long long)bytes,
                (unsigned long long)b->bytes);
}

bool pdb_read(struct pdb *p, const struct blob *b, struct err *why)
{
    struct msf m;
    *p = (struct pdb){0};
    if (!msf_init(&m, b, why))
        return false;
    struct dbi *const d = mem_new(1, sizeof *d);
    const bool is_read = read_info(&m, &p->guid, &p->age, why) && read_dbi(&m, d, why);
    if (is_read) {
        p->age = d->age;
        read_sections(&m, d);
        read_contributions(d);
        read_moves(&m, p, d);
        read_modules(&m, p, d);
        read_publics(&m, p, d);
        symbol_table_finish(&p->sure);
        symbol_table_finish(&p->near);
    }
    dbi_free(d);
    msf_fini(&m);
    return is_read;
}

/* Where the code at an address stood before it was moved; false where it was put there anew. */
static bool address_before(const struct pdb *p, uint64_t rva, uint64_t *out)
{
    size_t low = 0, high = p->moved_count;
    *out = rva;
    if (!p->moved_count)
        return true;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->moved[middle].from <= rva)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !p->moved[low - 1].to)
        return false;
    *out = p->moved[low - 1].to + (rva - p->moved[low - 1].from);
    return true;
}

bool pdb_find(const struct pdb *p, uint64_t rva, struct symbol_found *out)
{
    uint64_t before;
    struct symbol_found near;
    if (!address_before(p, rva, &before))
        return false;
    const bool is_near = symbol_table_find(&p->near, before, &near);
    const bool is_sure = symbol_table_find(&p->sure, before, out);
    if (!is_sure && !is_near)
        return false;
    if (!is_sure) {
        *out = near;
        const size_t bytes = strlen(out->name);
        if (before > near.start)
            snprintf(out->name + bytes, sizeof out->name - bytes, "+0x%llx",
                     (unsigned long long)(before - near.start));
    }
    out->start = rva - (before - out->start);
    return true;
}

void pdb_fini(struct pdb *p)
{
    symbol_table_fini(&p->sure);
    symbol_table_fini(&p->near);
    free(p->moved);
    *p = (struct pdb){0};
}
