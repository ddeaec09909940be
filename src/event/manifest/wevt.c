/* WEVT_TEMPLATE resources, as libyal's and dissect's documents describe them, and as one of a
 * program of Microsoft's has them. Offsets count from the beginning of the resource. What fields of
 * templates may be has been seen for plain ones and for arrays of a fixed count; others count as
 * fields of unknown type. */
#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/event/manifest/binary.h"

#include <string.h>

enum { PROVIDERS_MOST = 1024, PARTS_MOST = 64 };

struct reader {
    struct manifest *m;
    struct byte_span crim;
    uint64_t left; /* bytes that may still be read: structures can refer to the same ones */
    uint32_t name_at[MANIFEST_KINDS]; /* definitions of the provider that is read */
};

/* False, with a sentence the first time, where the bytes have been read several times over. */
static bool spend(struct reader *r, uint64_t bytes)
{
    if (bytes <= r->left) {
        r->left -= bytes;
        return true;
    }
    if (r->left)
        manifest_wrong(r->m, 0, "its definitions overlap; the rest is left out");
    r->left = 0;
    return false;
}

/* UTF-16 up to its NUL. */
static const char *text_at(struct reader *r, uint64_t at, size_t units)
{
    enum { UNITS = 1024 };
    char text[3 * UNITS + 1];
    size_t length = 0;
    while (length < units && length < UNITS && span_u16(r->crim, at + 2 * length))
        length++;
    const struct byte_span wide = span_part(r->crim, at, 2 * length);
    if (!spend(r, wide.bytes))
        return "";
    return manifest_text_of(r->m, text, text_from_utf16(text, sizeof text, wide.at, wide.bytes));
}

/* A text behind its size in bytes. */
static const char *sized_text(struct reader *r, uint32_t at)
{
    const uint32_t bytes = span_u32(r->crim, at);
    return at && bytes > 4 ? text_at(r, (uint64_t)at + 4, (bytes - 4) / 2) : "";
}

/* The number of elements that follow, which the bytes have room for. */
static uint32_t count_of(const struct reader *r, uint32_t at, size_t head, size_t size)
{
    const uint32_t count = span_u32(r->crim, (uint64_t)at + 8);
    const size_t room = span_part(r->crim, (uint64_t)at + head, UINT32_MAX).bytes / size;
    return count < room ? count : (uint32_t)room;
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Definitions of one kind: where their value and the offset of their name stand. */
static const struct definitions {
    const char signature[5];
    uint8_t kind, size, value, name;
} definitions[] = {
    {"KEYW", MANIFEST_KEYWORD, 16, 0, 12}, {"LEVL", MANIFEST_LEVEL, 12, 0, 8},
    {"OPCO", MANIFEST_OPCODE, 12, 0, 8},   {"TASK", MANIFEST_TASK, 28, 0, 24},
    {"CHAN", MANIFEST_CHANNEL, 16, 8, 4},
};
enum { HEAD = 12, EVENT_HEAD = 16, EVENT = 48 };

static void read_names(struct reader *r, uint32_t at, const struct definitions *d)
{
    struct manifest *const m = r->m;
    const uint32_t count = count_of(r, at, HEAD, d->size);
    for (uint32_t i = 0; i < count && spend(r, d->size); i++) {
        const uint64_t from = (uint64_t)at + HEAD + (uint64_t)i * d->size;
        const char *const name = sized_text(r, span_u32(r->crim, from + d->name));
        const uint64_t value = d->kind == MANIFEST_KEYWORD ? span_u64(r->crim, from)
                                                           : span_u32(r->crim, from + d->value);
        struct manifest_name *const n = manifest_add(m, &m->names[d->kind]);
        *n = (struct manifest_name){.key = {name, m->names[d->kind].count},
                                    .shown = name,
                                    .value = value,
                                    .task = MANIFEST_NONE};
    }
}

/* ---- maps ------------------------------------------------------------------------------------- */

/* The first map lies directly behind the table of offsets, in which it may be left out. The
 * number of entries comes behind a zero in newer files. */
static void read_map(struct reader *r, uint32_t at)
{
    enum { MAP_HEAD = 16, NEWER = 20, MAP_ENTRY = 8, NAME = 8, MAP_COUNT = 12 };
    struct manifest *const m = r->m;
    const uint32_t size = span_u32(r->crim, (uint64_t)at + 4);
    const bool is_newer = size >= NEWER && (size - NEWER) / MAP_ENTRY ==
                                               span_u32(r->crim, (uint64_t)at + MAP_COUNT + 4);
    const uint32_t head = is_newer ? NEWER : MAP_HEAD;
    const size_t room = span_part(r->crim, at, size).bytes;
    const bool is_bits = span_begins(r->crim, at, "BMAP");
    if ((!is_bits && !span_begins(r->crim, at, "VMAP")) || room < head || !spend(r, head))
        return;
    struct manifest_value_map *const map = manifest_add(m, &m->maps);
    *map = (struct manifest_value_map){
        .key = {sized_text(r, span_u32(r->crim, (uint64_t)at + NAME)), m->maps.count},
        .first = m->entries.count,
        .offset = at,
        .is_bits = is_bits};
    const uint32_t counted = span_u32(r->crim, (uint64_t)at + head - 4);
    const uint32_t count =
        counted < (room - head) / MAP_ENTRY ? counted : (uint32_t)((room - head) / MAP_ENTRY);
    for (uint32_t i = 0; i < count && spend(r, MAP_ENTRY); i++) {
        const uint64_t from = (uint64_t)at + head + (uint64_t)i * MAP_ENTRY;
        struct manifest_map_entry *const e = manifest_add(m, &m->entries);
        *e = (struct manifest_map_entry){.text = "",
                                         .symbol = "",
                                         .value = span_u32(r->crim, from),
                                         .message = span_u32(r->crim, from + 4)};
        m->maps.at[m->maps.count - 1].count++;
    }
}

static void read_maps(struct reader *r, uint32_t at)
{
    enum { OFFSET = 4 };
    const uint32_t count = count_of(r, at, HEAD, OFFSET);
    const uint32_t first = span_u32(r->crim, (uint64_t)at + HEAD);
    const bool has_first = first == at + HEAD + count * OFFSET;
    if (!has_first && count)
        read_map(r, at + HEAD + (count - 1) * OFFSET);
    for (uint32_t i = 0; i + !has_first < count; i++)
        read_map(r, span_u32(r->crim, (uint64_t)at + HEAD + (uint64_t)i * OFFSET));
}

/* The name of the map at an offset; maps lie in the order of their offsets. */
static const char *map_name_at(const struct reader *r, uint32_t offset)
{
    const struct manifest *const m = r->m;
    uint32_t low = m->providers.at[m->providers.count - 1].map_first, high = m->maps.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->maps.at[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return offset && low < m->maps.count && m->maps.at[low].offset == offset
               ? m->maps.at[low].key.name
               : "";
}

/* ---- templates ---------------------------------------------------------------------------------- */

enum { ITEM = 20, FIXED_COUNT = 8 };

static void read_item(struct reader *r, uint64_t at, const struct manifest_template *t)
{
    enum { FLAGS = 0, IN = 4, OUT = 5, MAP = 8, COUNT = 12, LENGTH = 14, NAME = 16 };
    struct manifest *const m = r->m;
    const uint32_t flags = span_u32(r->crim, at + FLAGS);
    const uint16_t types = span_u16(r->crim, at + IN);
    const bool is_known = !(flags & ~(uint32_t)FIXED_COUNT) && !span_u16(r->crim, at + LENGTH);
    const char *const name = sized_text(r, span_u32(r->crim, at + NAME));
    struct manifest_item *const item = manifest_add(m, &m->items);
    *item = (struct manifest_item){.name = name,
                                   .map_name = map_name_at(r, span_u32(r->crim, at + MAP)),
                                   .count_name = "",
                                   .length_name = "",
                                   .in = is_known ? types & UINT8_MAX : MANIFEST_BAD_TYPE,
                                   .out = types >> 8,
                                   .count = span_u16(r->crim, at + COUNT)};
    if (!is_known)
        manifest_wrong(m, 0,
                       "field '%.100s' of the template at 0x%x: flags 0x%x, length %u are unknown",
                       name, (unsigned)t->offset, (unsigned)flags, span_u16(r->crim, at + LENGTH));
}

static void read_template(struct reader *r, uint32_t at)
{
    enum { COUNT = 8, ITEMS = 16 };
    struct manifest *const m = r->m;
    struct manifest_template *const t = manifest_add(m, &m->templates);
    *t = (struct manifest_template){
        .key = {"", m->templates.count}, .first = m->items.count, .offset = at};
    const uint32_t first = span_u32(r->crim, (uint64_t)at + ITEMS);
    const uint32_t counted = span_u32(r->crim, (uint64_t)at + COUNT);
    const size_t room = span_part(r->crim, first, UINT32_MAX).bytes / ITEM;
    uint32_t count = counted < room ? counted : (uint32_t)room;
    count = count < MANIFEST_ITEMS ? count : MANIFEST_ITEMS;
    if (count < counted)
        manifest_wrong(m, 0, "template at 0x%x: %u fields are not there", (unsigned)at,
                       (unsigned)(counted - count));
    for (uint32_t i = 0; i < count && spend(r, ITEM); i++) {
        read_item(r, (uint64_t)first + (uint64_t)i * ITEM, t);
        t->count++;
    }
}

static void read_templates(struct reader *r, uint32_t at)
{
    enum { TEMPLATE_HEAD = 40 };
    const uint32_t count = count_of(r, at, HEAD, TEMPLATE_HEAD);
    uint64_t from = (uint64_t)at + HEAD;
    for (uint32_t i = 0; i < count && span_begins(r->crim, from, "TEMP") && spend(r, TEMPLATE_HEAD);
         i++) {
        const uint32_t size = span_u32(r->crim, from + 4);
        if (size < TEMPLATE_HEAD)
            return;
        read_template(r, (uint32_t)from);
        from += size;
    }
}

/* ---- events --------------------------------------------------------------------------------------- */

/* Templates lie one behind the other: sorted by their offsets. */
static int32_t template_at(const struct manifest *m, const struct manifest_provider *p,
                           uint32_t offset)
{
    uint32_t low = p->template_first, high = p->template_end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->templates.at[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->template_end && m->templates.at[low].offset == offset ? (int32_t)low
                                                                          : MANIFEST_NONE;
}

/* The name in a definition that an event refers to by its offset. */
static const char *name_of(const struct reader *r, uint32_t offset, enum manifest_kind kind)
{
    const struct manifest_provider *const p = &r->m->providers.at[r->m->providers.count - 1];
    const uint32_t first = r->name_at[kind] + HEAD;
    uint32_t size = 1;
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        size = definitions[i].kind == kind ? definitions[i].size : size;
    if (!r->name_at[kind] || offset < first || (offset - first) % size)
        return "";
    const uint32_t index = (offset - first) / size;
    return index < p->name_end[kind] - p->name_first[kind]
               ? r->m->names[kind].at[p->name_first[kind] + index].shown
               : "";
}

static const char *channel_name(const struct manifest *m, const struct manifest_provider *p,
                                uint8_t channel)
{
    enum { CHANNELS_MOST = 256 };
    const uint32_t first = p->name_first[MANIFEST_CHANNEL], end = p->name_end[MANIFEST_CHANNEL];
    for (uint32_t i = first; channel && i < end && i - first < CHANNELS_MOST; i++)
        if (m->names[MANIFEST_CHANNEL].at[i].value == channel)
            return m->names[MANIFEST_CHANNEL].at[i].shown;
    return "";
}

static void read_event(struct reader *r, uint64_t at)
{
    enum { MESSAGE = 16, TEMPLATE = 20, OPCODE_AT = 24, LEVEL_AT = 28, TASK_AT = 32 };
    struct manifest *const m = r->m;
    const struct manifest_provider *const p = &m->providers.at[m->providers.count - 1];
    const struct byte_span e = span_part(r->crim, at, EVENT);
    if (e.bytes < EVENT)
        return;
    const uint32_t template = load_u32(e.at + TEMPLATE);
    struct manifest_event *const event = manifest_add(m, &m->events);
    *event = (struct manifest_event){
        .provider = p->guid,
        .id = load_u16(e.at),
        .version = e.at[2],
        .name = "",
        .names = {[MANIFEST_TASK] = name_of(r, load_u32(e.at + TASK_AT), MANIFEST_TASK),
                  [MANIFEST_OPCODE] = name_of(r, load_u32(e.at + OPCODE_AT), MANIFEST_OPCODE),
                  [MANIFEST_LEVEL] = name_of(r, load_u32(e.at + LEVEL_AT), MANIFEST_LEVEL),
                  [MANIFEST_CHANNEL] = channel_name(m, p, e.at[3]),
                  [MANIFEST_KEYWORD] = ""},
        .values = {[MANIFEST_TASK] = load_u16(e.at + 6),
                   [MANIFEST_OPCODE] = e.at[5],
                   [MANIFEST_LEVEL] = e.at[4],
                   [MANIFEST_CHANNEL] = e.at[3],
                   [MANIFEST_KEYWORD] = load_u64(e.at + 8)},
        .message = "",
        .message_number = load_u32(e.at + MESSAGE),
        .template_name = "",
        .template = template_at(m, p, template),
        .owner = m->providers.count - 1,
        .line = m->events.count};
    if (!template || event->template != MANIFEST_NONE)
        return;
    manifest_wrong(m, 0, "event %u: there is no template at 0x%x", event->id, (unsigned)template);
    event->is_bad = true;
}

static void read_events(struct reader *r, uint32_t at)
{
    const uint32_t count = count_of(r, at, EVENT_HEAD, EVENT);
    for (uint32_t i = 0; i < count && spend(r, EVENT); i++)
        read_event(r, (uint64_t)at + EVENT_HEAD + (uint64_t)i * EVENT);
}

/* ---- providers ------------------------------------------------------------------------------------ */

static void read_name(struct reader *r, uint32_t at)
{
    enum { NAME = 16, UNITS = 256 };
    r->m->providers.at[r->m->providers.count - 1].name =
        text_at(r, span_u32(r->crim, (uint64_t)at + NAME), UNITS);
}

/* Events come last: they refer to all others. */
static const struct part {
    const char signature[5];
    void (*read)(struct reader *r, uint32_t at);
} parts[] = {
    {"PRVA", read_name},
    {"MAPS", read_maps},
    {"TTBL", read_templates},
    {"EVNT", read_events},
};

/* Where the part with that signature begins; 0: there is none. */
static uint32_t part_at(const struct reader *r, uint32_t provider, const char *signature)
{
    enum { COUNT = 12, FIRST = 20, PART = 8 };
    const uint32_t count = span_u32(r->crim, (uint64_t)provider + COUNT);
    for (uint32_t i = 0; i < count && i < PARTS_MOST; i++) {
        const uint32_t at = span_u32(r->crim, (uint64_t)provider + FIRST + (uint64_t)i * PART);
        if (at && span_begins(r->crim, at, signature))
            return at;
    }
    return 0;
}

static void read_provider(struct reader *r, const struct guid *guid, uint32_t at)
{
    struct manifest *const m = r->m;
    char text[GUID_TEXT];
    if (!span_begins(r->crim, at, "WEVT")) {
        manifest_wrong(m, 0, "provider %s: there is no definition at 0x%x", guid_format(guid, text),
                       (unsigned)at);
        return;
    }
    if (!spend(r, HEAD))
        return;
    struct manifest_provider *const p = manifest_add(m, &m->providers);
    *p = (struct manifest_provider){.guid = *guid,
                                    .name = "",
                                    .map_first = m->maps.count,
                                    .template_first = m->templates.count};
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++) {
        const struct definitions *const d = &definitions[i];
        const uint32_t from = part_at(r, at, d->signature);
        p->name_first[d->kind] = m->names[d->kind].count;
        r->name_at[d->kind] = from;
        if (from)
            read_names(r, from, d);
        p->name_end[d->kind] = m->names[d->kind].count;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint32_t from = part_at(r, at, parts[i].signature);
        if (from)
            parts[i].read(r, from);
        p->map_end = m->maps.count;
        p->template_end = m->templates.count;
    }
}

bool manifest_read_wevt(struct manifest *m, struct byte_span crim, struct err *err)
{
    enum { COUNT = 12, FIRST = 16, PROVIDER = 20, OFFSET = 16 };
    enum { SHARED = 8 }; /* real ones stay below 1 */
    struct reader r = {.m = m, .crim = crim, .left = (uint64_t)crim.bytes * SHARED};
    if (!span_begins(crim, 0, "CRIM"))
        return fail(err, "its WEVT_TEMPLATE resource does not begin with CRIM");
    m->is_compiled = true;
    const uint32_t count = span_u32(crim, COUNT);
    for (uint32_t i = 0; i < count && i < PROVIDERS_MOST; i++) {
        const uint64_t at = FIRST + (uint64_t)i * PROVIDER;
        const struct byte_span guid = span_part(crim, at, sizeof(struct guid));
        struct guid provider;
        if (guid.bytes < sizeof provider)
            break;
        memcpy(provider.b, guid.at, sizeof provider);
        read_provider(&r, &provider, span_u32(crim, at + OFFSET));
    }
    return true;
}
