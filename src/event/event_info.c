#include "src/event/event_info.h"

#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/event/tdh_layout.h"
#include "src/event/tracelogging.h"

struct blob {
    const uint8_t *at;
    size_t bytes;
};

/* The text at the offset, without spaces at its end, into room for `most` bytes; "" where it is
 * absent or does not end within the blob. Returns the offset behind its NUL, or 0. */
static size_t take(const struct blob *b, size_t offset, char *room, size_t most)
{
    size_t end = offset;
    room[0] = '\0';
    if (!offset || offset >= b->bytes)
        return 0;
    while (end + 2 <= b->bytes && (b->at[end] | b->at[end + 1]))
        end += 2;
    if (end + 2 > b->bytes)
        return 0;
    size_t length = text_from_utf16(room, most - 1, b->at + offset, end - offset);
    while (length && room[length - 1] == ' ')
        length--;
    room[length] = '\0';
    return end + 2;
}

static void take_text(const struct blob *b, uint32_t offset, char room[EVENT_INFO_NAME])
{
    take(b, offset, room, EVENT_INFO_NAME);
}

/* Texts one after another, up to an empty one. Those that do not fit are left out. */
static void take_keywords(const struct blob *b, uint32_t offset, struct event_info *out)
{
    size_t used = 0, at = offset;
    out->keyword_name_count = 0;
    while (used + EVENT_INFO_NAME <= EVENT_INFO_KEYWORDS) {
        char *const room = out->keyword_names + used;
        at = take(b, at, room, EVENT_INFO_NAME);
        if (!at || !*room)
            return;
        used += strlen(room) + 1;
        out->keyword_name_count++;
    }
}

static void take_names(const struct blob *b, struct event_info *out)
{
    take_text(b, load_u32(b->at + INFO_PROVIDER_NAME), out->provider_name);
    take_text(b, load_u32(b->at + INFO_LEVEL_NAME), out->level_name);
    take_text(b, load_u32(b->at + INFO_CHANNEL_NAME), out->channel_name);
    take_text(b, load_u32(b->at + INFO_TASK_NAME), out->task_name);
    take_text(b, load_u32(b->at + INFO_OPCODE_NAME), out->opcode_name);
    take_keywords(b, load_u32(b->at + INFO_KEYWORD_NAMES), out);
    take(b, load_u32(b->at + INFO_MESSAGE), out->message, sizeof out->message);
}

/* "Task/Opcode", as other tools show them; of standard opcodes without their prefix, and without
 * Info, which says nothing. */
static void name_event(const struct blob *b, struct event_info *out)
{
    static const char standard[] = "win:";
    const char *const opcode = out->opcode_name;
    char *const name = out->event_name;
    memcpy(name, out->task_name, strlen(out->task_name) + 1);
    if (!*name && !out->is_classic)
        take_text(b, load_u32(b->at + INFO_EVENT_NAME), name);
    const bool is_standard = strncmp(opcode, standard, sizeof standard - 1) == 0;
    const char *const plain = opcode + (is_standard ? sizeof standard - 1 : 0);
    if (!*plain || strcmp(plain, "Info") == 0)
        return;
    const size_t before = strlen(name);
    if (before)
        name[before] = '/';
    memcpy(name + before + (before != 0), plain, strlen(plain) + 1);
}

/* ---- fields ----------------------------------------------------------------------------- */

enum { DEPTH = 8, PROPERTIES = (65536 - INFO_BYTES) / PROPERTY_BYTES + 1 };

struct reader {
    struct blob b;
    struct event_info *out;
    uint32_t property_count;
    uint8_t field_of[PROPERTIES]; /* 1 + index of a property's field; 0 = not read so far */
};

struct property {
    uint32_t flags, name, map;
    uint16_t in, out, count,
        length; /* of a structure `in` is the first member, `out` their count */
};

static struct property property_at(const struct reader *r, uint32_t index)
{
    const uint8_t *const p = r->b.at + INFO_BYTES + (size_t)index * PROPERTY_BYTES;
    return (struct property){.flags = load_u32(p),
                             .name = load_u32(p + PROPERTY_NAME),
                             .map = load_u32(p + PROPERTY_MAP),
                             .in = load_u16(p + PROPERTY_IN_TYPE),
                             .out = load_u16(p + PROPERTY_OUT_TYPE),
                             .count = load_u16(p + PROPERTY_COUNT),
                             .length = load_u16(p + PROPERTY_LENGTH)};
}

/* Types of MOF classes, behind those of TraceLogging. */
static unsigned type_of(unsigned in)
{
    enum { MOF = 300, BINARY = 14, STRUCTURE = 24 };
    static const uint8_t mof[] = {
        FIELD_COUNTED_WSTR, FIELD_COUNTED_ASTR, FIELD_UNKNOWN, FIELD_UNKNOWN,
        FIELD_WCHARS,       FIELD_ACHARS,       FIELD_CHAR16,  FIELD_CHAR8,
        FIELD_SIZE,         FIELD_UNKNOWN,      FIELD_SID,
    };
    if (in >= MOF)
        return in - MOF < sizeof mof ? mof[in - MOF] : FIELD_UNKNOWN;
    return in == BINARY ? FIELD_BYTES : in == STRUCTURE ? FIELD_UNKNOWN : tracelogging_type(in);
}

/* Out types have other numbers in TraceLogging's descriptions. */
static unsigned out_of(unsigned out)
{
    static const uint8_t numbers[] = {
        [1] = 2,   [13] = 3,  [16] = 4,  [17] = 4,  [18] = 4,  [19] = 4,  [20] = 5,
        [21] = 6,  [22] = 7,  [23] = 8,  [24] = 9,  [25] = 10, [28] = 11, [30] = 13,
        [31] = 14, [32] = 15, [34] = 12, [35] = 35, [36] = 36, [37] = 37, [38] = 38,
    };
    return out < sizeof numbers ? numbers[out] : 0;
}

static bool is_integer(unsigned type)
{
    return type <= FIELD_I64 || (type >= FIELD_HEX32 && type <= FIELD_HEX16);
}

static struct field *add_field(struct reader *r, const struct property *p)
{
    struct event_info *const out = r->out;
    if (out->field_count == DECODE_FIELDS)
        return NULL;
    const unsigned index = out->field_count++;
    take_text(&r->b, p->name, out->names[index]);
    out->maps[index][0] = '\0';
    out->fields[index] =
        (struct field){.name = out->names[index], .count = 1, .offset32 = -1, .offset64 = -1};
    return &out->fields[index];
}

/* The field that a count or length refers to, as 1 + its index; 0 where it is none that was read
 * before. */
static uint8_t reference(const struct reader *r, uint16_t property)
{
    return property < r->property_count ? r->field_of[property] : 0;
}

static bool set_count(const struct reader *r, struct field *f, bool is_reference, uint16_t count)
{
    if (is_reference)
        f->counted_by = reference(r, count);
    else
        f->count = count;
    return !is_reference || f->counted_by;
}

/* Strings and bytes of a given length. */
static bool set_length(const struct reader *r, struct field *f, const struct property *p)
{
    enum { IPV6 = 9, IPV6_BYTES = 16 };
    const bool is_reference = p->flags & PROPERTY_IS_LENGTH_OF;
    const bool has_length = is_reference || p->length;
    if (f->type == FIELD_BYTES && out_of(p->out) == IPV6 && !is_reference &&
        (!p->length || p->length == IPV6_BYTES)) {
        f->type = FIELD_IPV6;
        return true;
    }
    if (f->type == FIELD_WSTR && has_length)
        f->type = FIELD_WCHARS;
    if (f->type == FIELD_ASTR && has_length)
        f->type = FIELD_ACHARS;
    if (f->type != FIELD_WCHARS && f->type != FIELD_ACHARS && f->type != FIELD_BYTES)
        return true;
    return set_count(r, f, is_reference, p->length);
}

static bool add_property(struct reader *r, uint32_t index, unsigned depth);

static bool add_members(struct reader *r, struct field *f, const struct property *p, unsigned depth)
{
    const unsigned before = r->out->field_count;
    bool is_good = depth < DEPTH;
    for (uint32_t i = 0; is_good && i < p->out; i++)
        is_good = add_property(r, (uint32_t)p->in + i, depth + 1);
    f->members = (uint8_t)(r->out->field_count - before);
    return is_good;
}

/* Elements with a length of their own: a structure of one member. */
static bool add_elements(struct reader *r, struct field *f, const struct property *p)
{
    struct field *const member = add_field(r, p);
    if (!member)
        return false;
    member->type = f->type;
    member->role = f->role;
    f->role = FIELD_PLAIN;
    f->type = FIELD_STRUCT;
    f->members = 1;
    return set_length(r, member, p);
}

static bool add_value(struct reader *r, struct field *f, const struct property *p)
{
    const bool is_repeated = p->flags & PROPERTY_IS_COUNT_OF || p->count > 1;
    f->type = (uint8_t)type_of(p->in);
    if (f->type == FIELD_UNKNOWN) {
        f->count = p->in;
        return true;
    }
    tracelogging_show_as(f, out_of(p->out));
    if (is_integer(f->type))
        take_text(&r->b, p->map, r->out->maps[f - r->out->fields]);
    if (!is_repeated)
        return set_length(r, f, p);
    struct field probe = *f;
    if (!set_length(r, &probe, p))
        return false;
    f->type = probe.type;
    const bool has_length = probe.counted_by || probe.count != 1;
    return set_count(r, f, p->flags & PROPERTY_IS_COUNT_OF, p->count) &&
           (!has_length || add_elements(r, f, p));
}

/* False where the start of the next field is not known. */
static bool add_property(struct reader *r, uint32_t index, unsigned depth)
{
    if (index >= r->property_count)
        return false;
    const struct property p = property_at(r, index);
    struct field *const f = add_field(r, &p);
    if (!f)
        return false;
    const uint8_t number = (uint8_t)(f - r->out->fields + 1);
    bool is_good;
    if (p.flags & PROPERTY_IS_STRUCTURE) {
        f->type = FIELD_STRUCT;
        is_good = set_count(r, f, p.flags & PROPERTY_IS_COUNT_OF, p.count ? p.count : 1) &&
                  add_members(r, f, &p, depth);
    } else {
        is_good = add_value(r, f, &p);
    }
    if (!is_good && !f->members) { /* where it ends is not known */
        r->out->field_count = number;
        *f = (struct field){
            .name = f->name, .type = FIELD_UNKNOWN, .count = p.in, .offset32 = -1, .offset64 = -1};
    }
    r->field_of[index] = number;
    return is_good;
}

/* Some manifests state too small a count for an array at the end (stacks of .NET): it takes as
 * many elements as there are. */
static void open_last(struct event_info *out)
{
    struct field *const f = &out->fields[out->field_count - 1];
    for (unsigned i = 0; i + 1 < out->field_count; i += 1u + out->fields[i].members)
        if (i + out->fields[i].members + 1u >= out->field_count)
            return; /* it is a member */
    if (f->count > 1 && !f->counted_by && f->type != FIELD_UNKNOWN && f->type != FIELD_BYTES &&
        f->type != FIELD_WCHARS && f->type != FIELD_ACHARS)
        f->count = 0;
}

bool event_info_read(const uint8_t *blob, size_t bytes, struct event_info *out)
{
    struct reader r = {.b = {blob, bytes}, .out = out};
    if (bytes < INFO_BYTES)
        return false;
    const uint32_t source = load_u32(blob + INFO_SOURCE);
    if (source != SOURCE_IS_MANIFEST && source != SOURCE_IS_CLASS)
        return false;
    const uint32_t top_level = load_u32(blob + INFO_TOP_LEVEL);
    r.property_count = load_u32(blob + INFO_PROPERTIES);
    if (r.property_count > (bytes - INFO_BYTES) / PROPERTY_BYTES || top_level > r.property_count ||
        r.property_count > PROPERTIES)
        return false;
    out->is_classic = source == SOURCE_IS_CLASS;
    memcpy(out->provider.b, blob + (out->is_classic ? INFO_CLASS : 0), sizeof out->provider.b);
    out->id = out->is_classic ? 0 : load_u16(blob + INFO_ID);
    out->version = blob[INFO_VERSION];
    out->channel = blob[INFO_CHANNEL];
    out->level = blob[INFO_LEVEL];
    out->opcode = blob[INFO_OPCODE];
    out->task = load_u16(blob + INFO_TASK);
    out->keyword = load_u64(blob + INFO_KEYWORD);
    take_names(&r.b, out);
    name_event(&r.b, out);
    out->field_count = 0;
    for (uint32_t i = 0; i < top_level && add_property(&r, i, 0); i++)
        continue;
    if (out->field_count)
        open_last(out);
    return true;
}

/* ---- maps --------------------------------------------------------------------------------- */

bool event_map_read(const uint8_t *blob, size_t bytes, struct event_map *out)
{
    enum { IS_NUMBER = 0 };
    const size_t head = sizeof out->provider.b;
    if (bytes < head + MAP_ENTRIES)
        return false;
    const struct blob info = {blob + head, bytes - head};
    const uint32_t flag = load_u32(info.at + MAP_FLAG);
    *out = (struct event_map){.is_bits = flag == MAP_IS_BITS,
                              .count = load_u32(info.at + MAP_COUNT),
                              .entries = info.at + MAP_ENTRIES,
                              .info = info.at,
                              .info_bytes = info.bytes};
    memcpy(out->provider.b, blob, head);
    take_text(&info, load_u32(info.at + MAP_NAME), out->name);
    return (flag == MAP_IS_VALUES || flag == MAP_IS_BITS) &&
           load_u32(info.at + MAP_VALUE_TYPE) == IS_NUMBER &&
           out->count <= (info.bytes - MAP_ENTRIES) / MAP_ENTRY_BYTES && out->name[0];
}

uint32_t event_map_entry(const struct event_map *m, uint32_t index, char room[EVENT_INFO_NAME])
{
    const struct blob info = {m->info, m->info_bytes};
    const uint8_t *const entry = m->entries + (size_t)index * MAP_ENTRY_BYTES;
    take_text(&info, load_u32(entry + MAP_ENTRY_OUTPUT), room);
    return load_u32(entry + MAP_ENTRY_VALUE);
}
