/* Events and maps of a manifest in the form of EventInfo records, as src/event/event_info.c reads
 * them. Texts are appended behind the tables. */
#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/event/manifest/inside.h"
#include "src/event/tdh_layout.h"

#include <string.h>

/* `bytes` more, all zero. */
static uint8_t *add(struct manifest_blob *b, size_t bytes)
{
    if (b->room - b->bytes < bytes) {
        b->room = 2 * (b->bytes + bytes);
        b->at = mem_grow(b->at, b->room, 1);
    }
    uint8_t *const at = b->at + b->bytes;
    memset(at, 0, bytes);
    b->bytes += bytes;
    return at;
}

/* A text of UTF-16 with its NUL; where it stands, counted from `base`, is stored at `place`. */
static void add_text(struct manifest_blob *b, size_t base, size_t place, const char *text)
{
    const size_t length = strlen(text), before = b->bytes;
    if (!length)
        return;
    add(b, 2 * length + 2);
    const size_t used = text_to_utf16(b->at + before, 2 * length, text, length);
    b->bytes = before + used;
    add(b, 2);
    store_u32(b->at + place, (uint32_t)(before - base));
}

/* One name for each bit that is set, in the order of the bits; each with its NUL, and a NUL behind
 * them. Bits without a name are left out. */
static void add_keywords(struct manifest_blob *b, const struct manifest *m,
                         const struct manifest_event *e)
{
    enum { BITS = 64, KEYWORDS_MOST = 4096 };
    const struct manifest_provider *const p = &m->providers.at[e->owner];
    const uint32_t first = p->name_first[MANIFEST_KEYWORD], end = p->name_end[MANIFEST_KEYWORD];
    const char *names[BITS] = {NULL};
    for (uint32_t i = first; i < end && i - first < KEYWORDS_MOST; i++) {
        const struct manifest_name *const n = &m->names[MANIFEST_KEYWORD].at[i];
        for (uint64_t left = n->value & e->values[MANIFEST_KEYWORD]; left; left &= left - 1) {
            const int bit = __builtin_ctzll(left);
            names[bit] = names[bit] ? names[bit] : n->shown;
        }
    }
    const size_t before = b->bytes;
    for (unsigned bit = 0; bit < BITS; bit++)
        if (names[bit])
            add_text(b, 0, INFO_KEYWORD_NAMES, names[bit]);
    if (b->bytes == before)
        return;
    add(b, 2);
    store_u32(b->at + INFO_KEYWORD_NAMES, (uint32_t)before);
}

/* ---- fields --------------------------------------------------------------------------------- */

/* Properties stand in another order than items: members of structures behind all others. */
struct order {
    uint16_t top_level;
    uint16_t of_item[MANIFEST_ITEMS];
};

static void put_in_order(struct order *o, const struct manifest_item *items, uint32_t count)
{
    uint16_t members = 0;
    o->top_level = 0;
    for (uint32_t i = 0; i < count; i++)
        o->top_level = (uint16_t)(o->top_level + !items[i].is_member);
    for (uint32_t i = 0, next = 0; i < count; i++)
        o->of_item[i] = (uint16_t)(items[i].is_member ? o->top_level + members++ : next++);
}

static uint16_t size_of(const struct order *o, int32_t item, uint16_t number)
{
    return item == MANIFEST_NONE ? number : o->of_item[item];
}

static void put_property(struct manifest_blob *b, const struct order *o, const struct manifest *m,
                         const struct manifest_template *t, uint32_t index)
{
    const struct manifest_item *const x = &m->items.at[t->first + index];
    const size_t at = INFO_BYTES + (size_t)o->of_item[index] * PROPERTY_BYTES;
    const bool is_counted = x->counted_by != MANIFEST_NONE, has_count = *x->count_name || x->count;
    uint8_t *const p = b->at + at;
    uint32_t flags = is_counted ? PROPERTY_IS_COUNT_OF : has_count ? PROPERTY_IS_FIXED_COUNT : 0;
    store_u16(p + PROPERTY_COUNT, has_count ? size_of(o, x->counted_by, x->count) : 1);
    if (x->is_structure) {
        flags |= PROPERTY_IS_STRUCTURE;
        store_u16(p + PROPERTY_IN_TYPE, x->members ? o->of_item[index + 1] : 0);
        store_u16(p + PROPERTY_OUT_TYPE, x->members);
    } else {
        flags |= x->length_by != MANIFEST_NONE ? PROPERTY_IS_LENGTH_OF
                 : x->length                   ? PROPERTY_IS_FIXED_LENGTH
                                               : 0;
        store_u16(p + PROPERTY_IN_TYPE, x->in);
        store_u16(p + PROPERTY_OUT_TYPE, x->out);
        store_u16(p + PROPERTY_LENGTH, size_of(o, x->length_by, x->length));
    }
    store_u32(p + PROPERTY_FLAGS, flags);
    add_text(b, 0, at + PROPERTY_NAME, x->name);
    if (!x->is_structure)
        add_text(b, 0, at + PROPERTY_MAP, x->map_name);
}

static void put_fields(struct manifest_blob *b, const struct manifest *m,
                       const struct manifest_template *t)
{
    struct order order;
    if (!t->count)
        return;
    put_in_order(&order, m->items.at + t->first, t->count);
    add(b, (size_t)t->count * PROPERTY_BYTES);
    store_u32(b->at + INFO_PROPERTIES, t->count);
    store_u32(b->at + INFO_TOP_LEVEL, order.top_level);
    for (uint32_t i = 0; i < t->count; i++)
        put_property(b, &order, m, t, i);
}

/* ---- events and maps ------------------------------------------------------------------------ */

bool manifest_event_info(const struct manifest *m, const struct guid *provider, uint16_t id,
                         uint16_t version, struct manifest_blob *out)
{
    static const struct {
        uint16_t place;
        uint8_t kind;
    } names[] = {{INFO_LEVEL_NAME, MANIFEST_LEVEL},
                 {INFO_CHANNEL_NAME, MANIFEST_CHANNEL},
                 {INFO_TASK_NAME, MANIFEST_TASK},
                 {INFO_OPCODE_NAME, MANIFEST_OPCODE}};
    const struct manifest_event *const e = manifest_event_of(m, provider, id, version);
    if (!e)
        return false;
    out->bytes = 0;
    uint8_t *const info = add(out, INFO_BYTES);
    memcpy(info, provider->b, sizeof provider->b);
    store_u16(info + INFO_ID, e->id);
    info[INFO_VERSION] = e->version;
    info[INFO_CHANNEL] = (uint8_t)e->values[MANIFEST_CHANNEL];
    info[INFO_LEVEL] = (uint8_t)e->values[MANIFEST_LEVEL];
    info[INFO_OPCODE] = (uint8_t)e->values[MANIFEST_OPCODE];
    store_u16(info + INFO_TASK, (uint16_t)e->values[MANIFEST_TASK]);
    store_u64(info + INFO_KEYWORD, e->values[MANIFEST_KEYWORD]);
    store_u32(info + INFO_FLAGS, 1);
    if (e->template != MANIFEST_NONE)
        put_fields(out, m, &m->templates.at[e->template]);
    add_text(out, 0, INFO_PROVIDER_NAME, m->providers.at[e->owner].name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_text(out, 0, names[i].place, e->names[names[i].kind]);
    add_text(out, 0, INFO_EVENT_NAME, e->name);
    add_text(out, 0, INFO_MESSAGE, e->message);
    add_keywords(out, m, e);
    return true;
}

/* A provider may be defined in several parts; the first one that has the map counts. */
static const struct manifest_value_map *find_map(const struct manifest *m,
                                                 const struct guid *provider, const char *name)
{
    const struct manifest_value_map *found = NULL;
    for (uint32_t i = 0; !found && i < m->providers.count; i++)
        if (guid_equal(&m->providers.at[i].guid, provider))
            found = manifest_map_of(m, &m->providers.at[i], name);
    return found;
}

/* The bits of a bit map that have a name each. EventSources also give names to several bits at once
 * (.NET's enumerations): of bits that have their own, these names are left out. */
static uint32_t single_bits(const struct manifest *m, const struct manifest_value_map *map)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; map->is_bits && i < map->count; i++) {
        const uint32_t value = m->entries.at[map->first + i].value;
        bits |= value & (value - 1) ? 0 : value;
    }
    return bits;
}

static bool is_shown(const struct manifest_map_entry *e, uint32_t single)
{
    const bool is_several = (e->value & (e->value - 1)) != 0;
    return *e->text && (!single || !is_several || (e->value & ~single) != 0);
}

bool manifest_map_info(const struct manifest *m, const struct guid *provider, const char *name,
                       struct manifest_blob *out)
{
    const size_t base = sizeof provider->b;
    const struct manifest_value_map *const map = find_map(m, provider, name);
    if (!map)
        return false;
    out->bytes = 0;
    uint8_t *const info = add(out, base + MAP_ENTRIES + (size_t)map->count * MAP_ENTRY_BYTES);
    memcpy(info, provider->b, base);
    store_u32(info + base + MAP_FLAG, map->is_bits ? MAP_IS_BITS : MAP_IS_VALUES);
    add_text(out, base, base + MAP_NAME, map->key.name);
    const uint32_t single = single_bits(m, map);
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct manifest_map_entry *const e = &m->entries.at[map->first + i];
        const size_t at = base + MAP_ENTRIES + (size_t)count * MAP_ENTRY_BYTES;
        if (!is_shown(e, single))
            continue;
        count++;
        store_u32(out->at + at + MAP_ENTRY_VALUE, e->value);
        add_text(out, base, at + MAP_ENTRY_OUTPUT, e->text);
    }
    store_u32(out->at + base + MAP_COUNT, count);
    return true;
}
