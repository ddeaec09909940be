/* The interpreter of the layouts' tables: from a payload to its fields. */
#include "src/event/decode.h"

#include "src/base/bytes.h"
#include "src/event/decode_value.h"

#include <string.h>

/* ---- reading the fields --------------------------------------------------------- */

/* A payload being walked: `at` is the end of the field before. */
struct walk {
    const uint8_t *payload;
    size_t bytes, at;
    struct decoded *all;     /* by number of the field */
    const struct field *end; /* of the layout; NULL where what follows the field may repeat */
    uint32_t steps;          /* fields that may still be visited */
    unsigned pointer;
    bool is_inside; /* a structure */
    bool is_over;   /* the end of a field was not found: all later ones are missing */
};

/* More than a record of 64 KiB has fields of at least a byte. Lists of structures whose members
 * take no bytes end here. */
enum { STEPS = 1 << 17 };

size_t decode_value_bytes(unsigned type, unsigned pointer)
{
    static const uint8_t fixed[FIELD_UNKNOWN + 1] = {
        [FIELD_U8] = 1,       [FIELD_I8] = 1,         [FIELD_U16] = 2,    [FIELD_I16] = 2,
        [FIELD_U32] = 4,      [FIELD_I32] = 4,        [FIELD_U64] = 8,    [FIELD_I64] = 8,
        [FIELD_GUID] = 16,    [FIELD_IPV4] = 4,       [FIELD_IPV6] = 16,  [FIELD_PORT] = 2,
        [FIELD_HEX8] = 1,     [FIELD_HEX16] = 2,      [FIELD_HEX32] = 4,  [FIELD_HEX64] = 8,
        [FIELD_BOOL8] = 1,    [FIELD_BOOL32] = 4,     [FIELD_F32] = 4,    [FIELD_F64] = 8,
        [FIELD_FILETIME] = 8, [FIELD_SYSTEMTIME] = 16, [FIELD_CHAR8] = 1, [FIELD_CHAR16] = 2,
    };
    if (type == FIELD_POINTER || type == FIELD_SIZE)
        return pointer;
    return fixed[type];
}

static uint64_t load_number(const uint8_t *p, unsigned type, unsigned pointer)
{
    switch (type) {
    case FIELD_U8:
    case FIELD_HEX8:
    case FIELD_BOOL8:
    case FIELD_CHAR8:
        return *p;
    case FIELD_I8:
        return (uint64_t)(int64_t)(int8_t)*p;
    case FIELD_U16:
    case FIELD_HEX16:
    case FIELD_CHAR16:
        return load_u16(p);
    case FIELD_I16:
        return (uint64_t)(int64_t)(int16_t)load_u16(p);
    case FIELD_PORT:
        return (uint64_t)p[0] << 8 | p[1];
    case FIELD_U32:
    case FIELD_HEX32:
    case FIELD_BOOL32:
    case FIELD_F32:
        return load_u32(p);
    case FIELD_I32:
        return (uint64_t)(int64_t)(int32_t)load_u32(p);
    case FIELD_U64:
    case FIELD_I64:
    case FIELD_HEX64:
    case FIELD_F64:
    case FIELD_FILETIME:
        return load_u64(p);
    case FIELD_POINTER:
    case FIELD_SIZE:
        return pointer == 4 ? load_u32(p) : load_u64(p);
    default:
        return 0;
    }
}

static bool missing(struct walk *w)
{
    w->is_over = true;
    w->at = w->bytes;
    return false;
}

static bool take(struct walk *w, struct decoded *d, size_t bytes, size_t end)
{
    d->bytes = bytes;
    d->end = end;
    w->at = end;
    return true;
}

static bool take_scalar(struct walk *w, struct decoded *d, size_t left, size_t size)
{
    if (left < size)
        return missing(w);
    d->number = load_number(d->data, d->field->type, w->pointer);
    return take(w, d, size, (size_t)(d->data - w->payload) + size);
}

/* Bytes of a string up to its NUL, which is not counted but taken; a string that ends
 * with the payload needs none. */
static size_t string_bytes(unsigned type, const uint8_t *p, size_t left, size_t *taken)
{
    if (type == FIELD_ASTR) {
        const uint8_t *nul = left ? memchr(p, 0, left) : NULL;
        *taken = nul ? (size_t)(nul - p) + 1 : left;
        return nul ? (size_t)(nul - p) : left;
    }
    /* Four units at a time while none of them is zero. */
    static const uint64_t ONES = 0x0001000100010001u;
    size_t n = 0;
    while (n + 8 <= left) {
        const uint64_t units = load_u64(p + n);
        if ((units - ONES) & ~units & ONES << 15)
            break;
        n += 8;
    }
    while (n + 2 <= left && (p[n] | p[n + 1]))
        n += 2;
    *taken = n + 2 <= left ? n + 2 : left;
    return n;
}

#define ALL_THAT_FIT UINT64_MAX

/* char[wanted] or wchar[wanted]: the value ends at the first NUL, the field does not. */
static bool take_units(struct walk *w, struct decoded *d, size_t left, uint64_t wanted)
{
    const unsigned type = d->field->type == FIELD_ACHARS ? FIELD_ASTR : FIELD_WSTR;
    const size_t unit = type == FIELD_ASTR ? 1 : 2;
    if ((wanted != ALL_THAT_FIT && left / unit < wanted) || left == 0)
        return missing(w);
    const size_t all = wanted == ALL_THAT_FIT ? left : (size_t)wanted * unit;
    size_t taken;
    const size_t bytes = string_bytes(type, d->data, all, &taken);
    return take(w, d, bytes, (size_t)(d->data - w->payload) + all);
}

static bool take_bytes(struct walk *w, struct decoded *d, size_t left, uint64_t wanted)
{
    if ((wanted != ALL_THAT_FIT && left < wanted) || left == 0)
        return missing(w);
    const size_t all = wanted == ALL_THAT_FIT ? left : (size_t)wanted;
    return take(w, d, all, (size_t)(d->data - w->payload) + all);
}

/* Bytes of the SID at p: revision 1, at most 15 sub-authorities; 0 when it is none. */
static size_t sid_bytes(const uint8_t *p, size_t left)
{
    if (left < 8 || p[0] != 1 || p[1] > 15)
        return 0;
    const size_t all = 8 + 4u * p[1];
    return left < all ? 0 : all;
}

/* One value whose size it says itself: where its bytes begin, how many they are, and where the
 * next value begins. False when the payload ends within it. */
struct extent {
    size_t head, bytes, taken;
};

static bool variable_value(unsigned type, const uint8_t *p, size_t left, struct extent *out)
{
    enum { LENGTH = 2 };
    *out = (struct extent){0};
    switch (type) {
    case FIELD_ASTR:
    case FIELD_WSTR:
        out->bytes = string_bytes(type, p, left, &out->taken);
        return left > 0;
    case FIELD_BARE_SID:
        out->bytes = out->taken = sid_bytes(p, left);
        return out->taken > 0;
    case FIELD_COUNTED_ASTR:
    case FIELD_COUNTED_WSTR:
    case FIELD_COUNTED_BYTES:
        out->head = LENGTH;
        out->bytes = left < LENGTH ? left : load_u16(p);
        out->taken = LENGTH + out->bytes;
        return out->taken <= left;
    default:
        return false;
    }
}

static bool take_string(struct walk *w, struct decoded *d, size_t left)
{
    struct extent x;
    if (!variable_value(d->field->type, d->data, left, &x))
        return missing(w);
    const size_t start = (size_t)(d->data - w->payload);
    d->data += x.head;
    return take(w, d, x.bytes, start + x.taken);
}

/* The user of a process: TOKEN_USER (a pointer and attributes, both stale), then the SID.
 * A blob that starts with a zero u32 is only those four bytes, unless a SID of a known
 * authority stands where it would: programs that log somebody else's records again clear
 * the pointer and keep the SID. */
static bool take_sid(struct walk *w, struct decoded *d, size_t left)
{
    const size_t start = (size_t)(d->data - w->payload);
    const size_t head = 2 * (size_t)w->pointer;
    if (left < 4)
        return missing(w);
    const size_t sid = left > head ? sid_bytes(d->data + head, left - head) : 0;
    const bool is_null = load_u32(d->data) == 0;
    if (is_null && !(sid > 8 && load_u32(d->data + head + 2) == 0))
        return take(w, d, 0, start + 4);
    if (sid == 0)
        return missing(w);
    d->data += head;
    return take(w, d, sid, start + head + sid);
}

/* Bytes of the fields behind `f`, when all of them have a fixed size. */
static bool tail_bytes(const struct walk *w, const struct field *f, size_t *out)
{
    *out = 0;
    if (!w->end)
        return false;
    while (++f < w->end) {
        const size_t size = decode_value_bytes(f->type, w->pointer);
        const bool is_sized = size || f->type == FIELD_NULL || f->type == FIELD_STRUCT;
        if (!is_sized || f->has_prefix || f->counted_by || !f->count)
            return false;
        if (f->type == FIELD_STRUCT && f->count != 1)
            return false;
        *out += size * f->count;
    }
    return true;
}

/* A field of an unknown type does not cost the others where the payload's end gives its size. */
static bool take_unknown(struct walk *w, struct decoded *d, size_t left)
{
    size_t tail;
    const bool is_sized = tail_bytes(w, d->field, &tail) && tail <= left;
    const size_t bytes = is_sized ? left - tail : left;
    w->is_over = !is_sized;
    return take(w, d, bytes, (size_t)(d->data - w->payload) + bytes);
}

static bool take_variable(struct walk *w, struct decoded *d, size_t left, uint64_t wanted)
{
    switch (d->field->type) {
    case FIELD_NULL:
        return take(w, d, 0, (size_t)(d->data - w->payload));
    case FIELD_WCHARS:
    case FIELD_ACHARS:
        return take_units(w, d, left, wanted);
    case FIELD_SID:
        return take_sid(w, d, left);
    case FIELD_BYTES:
        return take_bytes(w, d, left, wanted);
    case FIELD_UNKNOWN:
        return take_unknown(w, d, left);
    default:
        return take_string(w, d, left);
    }
}

/* ---- lists ---------------------------------------------------------------------- */

static size_t stride_of(const struct field *f, unsigned pointer, size_t size)
{
    const size_t stride = pointer == 4 ? f->stride32 : f->stride64;
    return stride ? stride : size;
}

/* Lists take up to `wanted` values. What a list says it has beyond the payload is not
 * there, and nothing behind it can be found. */
static void take_strings(struct walk *w, struct decoded *d, size_t left, uint64_t wanted)
{
    struct extent x;
    size_t at = 0;
    while (d->elements < wanted && at < left &&
           variable_value(d->field->type, d->data + at, left - at, &x)) {
        at += x.taken;
        d->elements++;
    }
    take(w, d, at, (size_t)(d->data - w->payload) + at);
}

static void take_values(struct walk *w, struct decoded *d, size_t left, size_t size,
                        uint64_t wanted)
{
    const size_t stride = stride_of(d->field, w->pointer, size);
    const size_t fit = left < size ? 0 : 1 + (left - size) / stride;
    d->elements = (uint32_t)(wanted < fit ? wanted : fit);
    const size_t bytes = d->elements ? (d->elements - 1) * stride + size : 0;
    take(w, d, bytes, (size_t)(d->data - w->payload) + bytes);
}

static bool is_repeated(const struct field *f)
{
    return f->has_prefix || f->counted_by || f->count != 1;
}

/* Of these the count is the length of one value. */
static bool is_sized_by_count(unsigned type)
{
    return type == FIELD_BYTES || type == FIELD_WCHARS || type == FIELD_ACHARS ||
           type == FIELD_UNKNOWN || type == FIELD_NULL;
}

static bool is_list(const struct field *f)
{
    return !is_sized_by_count(f->type) && is_repeated(f);
}

static bool is_character(unsigned type)
{
    return type == FIELD_CHAR8 || type == FIELD_CHAR16;
}

static bool take_list(struct walk *w, struct decoded *d, size_t left, uint64_t wanted)
{
    const size_t size = decode_value_bytes(d->field->type, w->pointer);
    d->is_list = !is_character(d->field->type);
    d->elements = 0;
    if (size == 0)
        take_strings(w, d, left, wanted);
    else
        take_values(w, d, left, size, wanted);
    w->is_over = wanted != ALL_THAT_FIT && d->elements < wanted;
    return d->elements > 0 || wanted == 0;
}

/* A list of none is there wherever the payload ends: its columns have no place. */
static bool is_empty_list(const struct field *f, const struct decoded *all)
{
    const bool is_counted = f->counted_by && f->role != FIELD_IS_PADDED;
    const struct decoded *count = is_counted ? &all[f->counted_by - 1] : NULL;
    return count && count->is_present && count->number == 0;
}

/* How many elements, characters or bytes a field has. */
static uint64_t wanted_of(const struct field *f, const struct decoded *all)
{
    const bool is_counted = f->counted_by && f->role != FIELD_IS_PADDED;
    return is_counted ? all[f->counted_by - 1].number : f->count ? f->count : ALL_THAT_FIT;
}

static bool take_prefix(struct walk *w, struct decoded *d, size_t *left, uint64_t *wanted)
{
    enum { PREFIX = 2 };
    if (*left < PREFIX)
        return missing(w);
    *wanted = load_u16(d->data);
    d->data += PREFIX;
    *left -= PREFIX;
    return true;
}

/* ---- structures ----------------------------------------------------------------- */

static void decode_one(struct walk *w, const struct field *f, struct decoded *d);

static void clear(const struct walk *w, const struct field *f, struct decoded *d, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        d[i] = (struct decoded){.field = &f[i],
                                .is_member = true,
                                .pointer = (uint8_t)w->pointer,
                                .index = (uint8_t)(&d[i] - w->all)};
}

/* Fields side by side; returns where the last one that is there ends. */
static size_t decode_range(struct walk *w, const struct field *f, struct decoded *d, unsigned count)
{
    size_t end = w->at;
    for (unsigned i = 0; i < count; i += 1u + f[i].members) {
        if (f[i].members >= count - i) { /* there is no room for its members */
            clear(w, f + i, d + i, count - i);
            w->is_over = true;
            break;
        }
        decode_one(w, &f[i], &d[i]);
        if (d[i].is_present && d[i].end > end)
            end = d[i].end;
    }
    return end;
}

static size_t decode_members(struct walk *w, struct decoded *d)
{
    const bool was_inside = w->is_inside;
    w->is_inside = true;
    const size_t end = decode_range(w, d->field + 1, d->members, d->field->members);
    w->is_inside = was_inside;
    return end;
}

/* Only whole elements are in the list; one without a byte would never end. */
static bool take_structures(struct walk *w, struct decoded *d, uint64_t wanted)
{
    const size_t start = (size_t)(d->data - w->payload);
    const struct field *const end_of_layout = w->end;
    size_t end = start;
    d->is_list = true;
    d->elements = 0;
    w->at = start;
    w->end = NULL;
    while (d->elements < wanted && !w->is_over) {
        const size_t at = decode_members(w, d);
        w->is_over |= at == end;
        d->elements += !w->is_over;
        end = w->is_over ? end : at;
    }
    w->end = end_of_layout;
    w->is_over |= wanted != ALL_THAT_FIT && d->elements < wanted;
    take(w, d, end - start, end);
    return d->elements > 0 || wanted == 0;
}

static bool take_structure(struct walk *w, struct decoded *d)
{
    const size_t start = (size_t)(d->data - w->payload);
    w->at = start;
    const size_t end = decode_members(w, d);
    take(w, d, end - start, end);
    return end > start || !w->is_over;
}

/* ---- the whole payload ---------------------------------------------------------- */

static bool take_any(struct walk *w, struct decoded *d, size_t left)
{
    const struct field *const f = d->field;
    const size_t size = decode_value_bytes(f->type, w->pointer);
    uint64_t wanted = wanted_of(f, w->all);
    if (f->has_prefix && !take_prefix(w, d, &left, &wanted))
        return false;
    if (f->type == FIELD_STRUCT)
        return is_repeated(f) ? take_structures(w, d, wanted) : take_structure(w, d);
    return is_list(f) ? take_list(w, d, left, wanted)
           : size     ? take_scalar(w, d, left, size)
                      : take_variable(w, d, left, wanted);
}

static void decode_one(struct walk *w, const struct field *f, struct decoded *d)
{
    const int16_t fixed = w->pointer == 4 ? f->offset32 : f->offset64;
    const size_t offset = fixed >= 0 ? (size_t)fixed : w->at;
    *d = (struct decoded){.field = f,
                          .is_member = w->is_inside,
                          .pointer = (uint8_t)w->pointer,
                          .index = (uint8_t)(d - w->all),
                          .elements = 1};
    if (f->type == FIELD_STRUCT) {
        d->members = d + 1;
        clear(w, f + 1, d + 1, f->members);
    }
    if (w->is_over || !w->steps) {
        w->is_over = true;
        return;
    }
    w->steps--;
    if (is_empty_list(f, w->all)) {
        d->is_list = !is_sized_by_count(f->type) && !is_character(f->type);
        d->is_present = true;
        d->elements = 0;
        d->data = w->payload;
        d->end = w->at;
        return;
    }
    if (offset > w->bytes)
        return;
    d->data = w->payload + offset;
    d->is_present = take_any(w, d, w->bytes - offset);
    if (f->role == FIELD_IS_PADDED && d->bytes > w->all[f->counted_by - 1].number)
        d->bytes = (size_t)w->all[f->counted_by - 1].number;
}

unsigned decode_fields(const struct payload_layout *l, const struct event *e, struct decoded *out,
                       unsigned room)
{
    const unsigned count = l->field_count < room ? l->field_count : room;
    struct walk w = {.payload = e->payload,
                     .bytes = e->payload_bytes,
                     .all = out,
                     .end = count ? l->fields + count : NULL,
                     .steps = STEPS,
                     .pointer = e->pointer};
    decode_range(&w, l->fields, out, count);
    return count;
}

enum decode_fit decode_fit(const struct payload_layout *l, const struct event *e)
{
    struct decoded fields[DECODE_FIELDS];
    const unsigned count = decode_fields(l, e, fields, DECODE_FIELDS);
    size_t end = 0;
    for (unsigned i = 0; i < count; i++) {
        if (fields[i].is_member)
            continue;
        if (!fields[i].is_present)
            return FIT_NONE;
        end = fields[i].end > end ? fields[i].end : end;
    }
    return end == e->payload_bytes ? FIT_EXACT : FIT_TRAILING;
}

uint8_t decode_pointer(const struct event *e)
{
    const struct payload_layout *const l = decode_layout(e);
    struct event wide = *e;
    wide.pointer = 8;
    return l && decode_fit(l, e) != FIT_EXACT && decode_fit(l, &wide) == FIT_EXACT ? 8 : e->pointer;
}

bool decode_field(const struct payload_layout *l, const struct event *e, unsigned index,
                  struct decoded *out)
{
    const struct field *f = &l->fields[index];
    if (index >= DECODE_FIELDS || index >= l->field_count)
        return false;
    const bool is_fixed = (e->pointer == 4 ? f->offset32 : f->offset64) >= 0 && !f->counted_by;
    struct decoded all[DECODE_FIELDS];
    struct walk w = {.payload = e->payload,
                     .bytes = e->payload_bytes,
                     .all = all,
                     .steps = STEPS,
                     .pointer = e->pointer};
    if (is_fixed)
        decode_one(&w, f, &all[index]);
    else
        decode_range(&w, l->fields, all, index + 1);
    *out = all[index];
    out->members = NULL;
    return out->is_present;
}

bool decode_structure(const struct decoded *list, size_t *cursor)
{
    if (!list->members || *cursor >= list->bytes)
        return false;
    struct walk w = {.all = list->members - 1 - list->index,
                     .payload = list->data,
                     .bytes = list->bytes,
                     .at = *cursor,
                     .steps = STEPS,
                     .pointer = list->pointer,
                     .is_inside = true};
    const size_t end = decode_range(&w, list->field + 1, list->members, list->field->members);
    if (w.is_over || end == *cursor)
        return false;
    *cursor = end;
    return true;
}

uint64_t decode_number_at(const struct decoded *list, uint32_t index)
{
    const unsigned type = list->field->type, pointer = list->pointer;
    const size_t stride = stride_of(list->field, pointer, decode_value_bytes(type, pointer));
    return load_number(list->data + index * stride, type, pointer);
}

bool decode_element(const struct decoded *list, size_t *cursor, struct decoded *out)
{
    if (!list->is_list || list->members || *cursor >= list->bytes)
        return false;
    const unsigned type = list->field->type;
    const size_t size = decode_value_bytes(type, list->pointer);
    *out = *list;
    out->is_list = false;
    out->elements = 1;
    out->data = list->data + *cursor;
    if (size) {
        out->number = load_number(out->data, type, list->pointer);
        out->bytes = size;
        *cursor += stride_of(list->field, list->pointer, size);
        return true;
    }
    struct extent x;
    if (!variable_value(type, out->data, list->bytes - *cursor, &x))
        return false;
    out->data += x.head;
    out->bytes = x.bytes;
    *cursor += x.taken;
    return true;
}
