/* What readers of other makers ask of a recording (collectors/windows/README.md), looked for in the
 * bytes of the file and not by our own reader. */
#ifndef TESTS_COMPATIBLE_H
#define TESTS_COMPATIBLE_H

#include "tests/strict.h"

enum { COMPATIBLE_TEXT = 256 };

/* A record of a class with a GUID, header and all. */
struct compatible_record {
    const uint8_t *bytes, *payload, *next; /* what follows in its buffer; NULL: nothing */
    uint32_t size;
    int64_t ts;
    uint16_t hook; /* 0xffff: it has a GUID */
    uint8_t opcode, version;
    uint32_t pid;
};

typedef void compatible_visit(void *to, const struct compatible_record *r);

static inline struct compatible_record compatible_at(const uint8_t *at, const uint8_t *end)
{
    struct compatible_record r = {.bytes = at};
    r.size = strict_record(at, &r.ts, &r.hook);
    const unsigned type = at[2];
    const uint32_t header = type == 16 || type == 17   ? 16
                            : type == 3 || type == 4   ? 24
                            : type == 1 || type == 2   ? 32
                            : type == 10 || type == 20 ? 48
                                                       : 80;
    r.payload = at + header;
    r.opcode = r.hook == 0xffff ? at[4] : at[6];
    r.version = r.hook == 0xffff ? at[6] : at[0];
    r.pid = type == 10 || type == 20 ? load_u32(at + 12) : 0;
    r.next = at + ((r.size + 7) & ~7u) < end ? at + ((r.size + 7) & ~7u) : NULL;
    return r;
}

/* All records of a plain file, as they lie in it. */
static inline void compatible_walk(const char *path, compatible_visit *visit, void *to)
{
    size_t size;
    uint8_t *const all = strict_load(path, &size);
    for (size_t at = 0; at + STRICT_HEAD <= size; at += load_u32(all + at)) {
        const uint8_t *const end = all + at + load_u32(all + at + 0x30);
        for (const uint8_t *record = all + at + STRICT_HEAD; record && record < end;) {
            const struct compatible_record r = compatible_at(record, end);
            visit(to, &r);
            record = r.next;
        }
    }
    free(all);
}

static inline bool compatible_is_of(const struct compatible_record *r, const char *guid)
{
    uint8_t b[16];
    unsigned v[11];
    assert_int_equal(sscanf(guid, "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x", v, v + 1, v + 2, v + 3,
                            v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10),
                     11);
    store_u32(b, v[0]);
    store_u16(b + 4, (uint16_t)v[1]);
    store_u16(b + 6, (uint16_t)v[2]);
    for (unsigned i = 0; i < 8; i++)
        b[8 + i] = (uint8_t)v[3 + i];
    return r->hook == 0xffff && (r->bytes[2] == 10 || r->bytes[2] == 20) &&
           memcmp(r->bytes + 24, b, sizeof b) == 0;
}

/* UTF-16 of ASCII at `at`; returns what follows its end, which must lie in the record. */
static inline const uint8_t *compatible_text(const struct compatible_record *r, const uint8_t *at,
                                             char out[COMPATIBLE_TEXT])
{
    const uint8_t *const end = r->bytes + r->size;
    size_t used = 0;
    for (;; at += 2) {
        assert_true(at + 2 <= end);
        const uint16_t unit = load_u16(at);
        if (used < COMPATIBLE_TEXT)
            out[used++] = unit < 0x80 ? (char)unit : '?';
        if (!unit)
            break;
    }
    out[COMPATIBLE_TEXT - 1] = '\0';
    return at + 2;
}

#define COMPATIBLE_MACHINE "9b79ee91-b5fd-41c0-a243-4248e266e9d0"
#define COMPATIBLE_IMAGE   "b3e675d7-2554-4f18-830b-2762732560de"

/* Of the list, what a file has. */
struct compatible {
    uint32_t mhz, timer;
    unsigned builds, paths, prefixes, volumes;     /* records of the machine */
    unsigned machines, processes, threads, images; /* SystemConfig CPU; those that are listed */
    unsigned infos, pdbs, none;                    /* ImageId */
    int64_t installed;
    char lab[COMPATIBLE_TEXT], product[COMPATIBLE_TEXT], system[COMPATIBLE_TEXT],
        windows[COMPATIBLE_TEXT], pdb[COMPATIBLE_TEXT];
    int64_t last_image; /* time of the last image that came with its PDB */
};

static inline void compatible_machine(struct compatible *c, const struct compatible_record *r)
{
    char nt[COMPATIBLE_TEXT], dos[COMPATIBLE_TEXT];
    const uint8_t *const p = r->payload, *end = r->bytes + r->size;
    switch (r->opcode) {
    case 32:
        c->builds++;
        c->installed = (int64_t)load_u64(p);
        assert_ptr_equal(compatible_text(r, compatible_text(r, p + 8, c->lab), c->product), end);
        break;
    case 33:
        c->paths++;
        assert_ptr_equal(compatible_text(r, compatible_text(r, p, c->system), c->windows), end);
        break;
    case 35:
        assert_ptr_equal(compatible_text(r, compatible_text(r, p, nt), dos), end);
        c->prefixes += strcmp(nt, "\\SystemRoot\\") == 0 || strcmp(nt, "\\??\\") == 0;
        c->volumes += strncmp(nt, "\\Device\\HarddiskVolume", 22) == 0;
        assert_int_equal(nt[strlen(nt) - 1], '\\'); /* readers take it as a prefix */
        break;
    default:
        break;
    }
}

/* The record behind an image's ids is the image's, of the same time, and no other image of that
 * time is before it. */
static inline void compatible_pairs(struct compatible *c, const struct compatible_record *r)
{
    enum { LOAD = 0x030a, LISTED = 0x1403, LISTED_AT_END = 0x1404 };
    int64_t ts;
    uint16_t hook;
    assert_non_null(r->next);
    strict_record(r->next, &ts, &hook);
    assert_int_equal(ts, r->ts);
    assert_true(hook == LOAD || hook == LISTED || hook == LISTED_AT_END);
    assert_int_equal(load_u64(r->next + 16), load_u64(r->payload)); /* base */
    assert_true(ts != c->last_image);
    c->last_image = ts;
}

static inline void compatible_image(struct compatible *c, const struct compatible_record *r)
{
    char name[COMPATIBLE_TEXT];
    assert_int_equal(r->version, 2);
    if (r->opcode == 0) {
        c->infos++;
        assert_int_equal(load_u32(r->payload + 16), r->pid);
        assert_ptr_equal(compatible_text(r, r->payload + 24, name), r->bytes + r->size);
        assert_true(name[0] && !strchr(name, '\\'));
        return;
    }
    assert_int_equal(load_u32(r->payload + 8), r->pid);
    c->none += r->opcode == 32;
    if (r->opcode == 36) {
        const char *const pdb = (const char *)r->payload + 32;
        c->pdbs++;
        assert_ptr_equal(pdb + strlen(pdb) + 1, r->bytes + r->size);
        snprintf(c->pdb, sizeof c->pdb, "%s", pdb);
    }
    compatible_pairs(c, r);
}

static inline void compatible_take(void *to, const struct compatible_record *r)
{
    struct compatible *const c = to;
    if (r->hook == 0) {
        c->mhz = load_u32(r->payload + 52);
        c->timer = load_u32(r->payload + 24);
    }
    c->machines += r->hook == 0x0b0a;
    c->processes += r->hook == 0x0303;
    c->threads += r->hook == 0x0503;
    c->images += r->hook == 0x1403;
    if (compatible_is_of(r, COMPATIBLE_MACHINE))
        compatible_machine(c, r);
    if (compatible_is_of(r, COMPATIBLE_IMAGE))
        compatible_image(c, r);
}

static inline struct compatible compatible_read(const char *path)
{
    struct compatible c = {.last_image = INT64_MIN};
    compatible_walk(path, compatible_take, &c);
    return c;
}

#endif
