#include "src/event/manifest/pieces.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <stdlib.h>

/* ManifestEnvelope: offsets of its members. */
enum {
    FORMAT = 0,
    MAJOR = 1,
    MINOR = 2,
    MAGIC = 3,
    TOTAL = 4,
    NUMBER = 6,
    HEAD = 8,

    IS_XML = 1,
    THE_MAGIC = 0x5b,
};

enum { SETS = 64, PIECES_MOST = 256, BYTES_MOST = 8 << 20 };

static const struct field fields[] = {
    {.name = "Format", .type = FIELD_U8, .count = 1, .offset32 = FORMAT, .offset64 = FORMAT},
    {.name = "MajorVersion", .type = FIELD_U8, .count = 1, .offset32 = MAJOR, .offset64 = MAJOR},
    {.name = "MinorVersion", .type = FIELD_U8, .count = 1, .offset32 = MINOR, .offset64 = MINOR},
    {.name = "Magic", .type = FIELD_U8, .count = 1, .offset32 = MAGIC, .offset64 = MAGIC},
    {.name = "TotalChunks", .type = FIELD_U16, .count = 1, .offset32 = TOTAL, .offset64 = TOTAL},
    {.name = "ChunkNumber", .type = FIELD_U16, .count = 1, .offset32 = NUMBER, .offset64 = NUMBER},
    {.name = "Manifest", .type = FIELD_ACHARS, .count = 0, .offset32 = HEAD, .offset64 = HEAD},
};

const struct payload_layout manifest_piece_layout = {
    .fields = fields, .field_count = sizeof fields / sizeof *fields, .version = 1};

bool manifest_is_piece(const struct event *e)
{
    enum { ID = 0xfffe, OPCODE = 0xfe };
    return e->kind == HEADER_MANIFEST && e->id == ID && e->opcode == OPCODE;
}

struct piece {
    uint8_t *at; /* NULL: it is missing */
    size_t bytes;
};

/* The pieces of one manifest. */
struct set {
    struct guid provider;
    uint32_t source, pid, tid;
    uint64_t age; /* of the last piece */
    size_t bytes;
    uint16_t total, here; /* total 0: the place is free */
    uint8_t major, minor;
    struct piece *pieces;
};

struct manifest_pieces {
    struct set sets[SETS];
    size_t bytes;
    uint64_t time, given_up, bad;
};

struct manifest_pieces *manifest_pieces_new(void)
{
    return mem_new(1, sizeof(struct manifest_pieces));
}

static void clear(struct manifest_pieces *p, struct set *s)
{
    for (unsigned i = 0; i < s->total; i++)
        free(s->pieces[i].at);
    free(s->pieces);
    p->bytes -= s->bytes;
    *s = (struct set){.total = 0};
}

void manifest_pieces_free(struct manifest_pieces *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < SETS; i++)
        clear(p, &p->sets[i]);
    free(p);
}

static bool is_of(const struct set *s, uint32_t source, const struct event *e)
{
    return s->total && s->source == source && s->pid == e->pid && s->tid == e->tid &&
           guid_equal(&s->provider, &e->provider);
}

static void give_up(struct manifest_pieces *p, struct set *s)
{
    p->given_up++;
    clear(p, s);
}

static struct set *oldest(struct manifest_pieces *p)
{
    struct set *found = NULL;
    for (unsigned i = 0; i < SETS; i++)
        if (p->sets[i].total && (!found || p->sets[i].age < found->age))
            found = &p->sets[i];
    return found;
}

static struct set *free_place(struct manifest_pieces *p)
{
    for (unsigned i = 0; i < SETS; i++)
        if (!p->sets[i].total)
            return &p->sets[i];
    struct set *const s = oldest(p);
    give_up(p, s);
    return s;
}

/* The set that the piece belongs to; another version of the manifest begins anew. */
static struct set *set_of(struct manifest_pieces *p, uint32_t source, const struct event *e)
{
    const uint16_t total = load_u16(e->payload + TOTAL);
    const uint8_t major = e->payload[MAJOR], minor = e->payload[MINOR];
    struct set *s = NULL;
    for (unsigned i = 0; !s && i < SETS; i++)
        s = is_of(&p->sets[i], source, e) ? &p->sets[i] : NULL;
    if (s && s->total == total && s->major == major && s->minor == minor)
        return s;
    if (s)
        give_up(p, s);
    else
        s = free_place(p);
    *s = (struct set){.provider = e->provider,
                      .source = source,
                      .pid = e->pid,
                      .tid = e->tid,
                      .total = total,
                      .major = major,
                      .minor = minor,
                      .pieces = mem_new(total, sizeof *s->pieces)};
    return s;
}

static void put(struct manifest_pieces *p, struct set *s, const struct event *e)
{
    struct piece *const piece = &s->pieces[load_u16(e->payload + NUMBER)];
    const size_t bytes = e->payload_bytes - HEAD;
    s->here = (uint16_t)(s->here + !piece->at);
    s->bytes += bytes - piece->bytes;
    p->bytes += bytes - piece->bytes;
    free(piece->at);
    *piece = (struct piece){mem_new(bytes + 1, 1), bytes};
    memcpy(piece->at, e->payload + HEAD, bytes);
    s->age = ++p->time;
}

static uint8_t *join(const struct set *s, size_t *bytes)
{
    uint8_t *const text = mem_new(s->bytes + 1, 1);
    *bytes = 0;
    for (unsigned i = 0; i < s->total; i++) {
        memcpy(text + *bytes, s->pieces[i].at, s->pieces[i].bytes);
        *bytes += s->pieces[i].bytes;
    }
    return text;
}

static bool is_sound(const struct event *e)
{
    if (e->payload_bytes < HEAD || e->payload[FORMAT] != IS_XML || e->payload[MAGIC] != THE_MAGIC)
        return false;
    const unsigned total = load_u16(e->payload + TOTAL);
    return total <= PIECES_MOST && load_u16(e->payload + NUMBER) < total;
}

uint8_t *manifest_pieces_take(struct manifest_pieces *p, uint32_t source, const struct event *e,
                              size_t *bytes)
{
    uint8_t *text = NULL;
    if (!is_sound(e)) {
        p->bad++;
        return NULL;
    }
    struct set *const s = set_of(p, source, e);
    put(p, s, e);
    if (s->here == s->total) {
        text = join(s, bytes);
        clear(p, s);
    }
    while (p->bytes > BYTES_MOST)
        give_up(p, oldest(p));
    return text;
}

bool manifest_pieces_missing(const struct manifest_pieces *p, uint32_t source,
                             const struct event *e, unsigned *here, unsigned *all)
{
    for (unsigned i = 0; i < SETS; i++)
        if (is_of(&p->sets[i], source, e)) {
            *here = p->sets[i].here;
            *all = p->sets[i].total;
            return true;
        }
    return false;
}

uint64_t manifest_pieces_incomplete(const struct manifest_pieces *p)
{
    uint64_t count = p->given_up;
    for (unsigned i = 0; i < SETS; i++)
        count += p->sets[i].total != 0;
    return count;
}

uint64_t manifest_pieces_bad(const struct manifest_pieces *p)
{
    return p->bad;
}

size_t manifest_pieces_bytes(const struct manifest_pieces *p)
{
    return sizeof *p + p->bytes;
}
