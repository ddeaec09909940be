/* The list of classes and the interpreter of their tables.
 *
 * A kernel hook is group << 8 | type: the group picks the class, the type its kind, and
 * a kind has at most six versions, so a look-up is three loads and a short scan. Classic
 * events name their class by GUID instead. */
#include "src/event/decode.h"

#include "src/base/bytes.h"
#include "src/event/decode/classes.h"
#include "src/event/decode/table.h"

/* ---- finding the layout --------------------------------------------------------- */

/* Kernel classes by group. */
static const struct event_class *const groups[] = {
    [0x00] = &decode_event_trace_event,
    [0x01] = &decode_disk_io,
    [0x02] = &decode_page_fault,
    [0x03] = &decode_process,
    [0x04] = &decode_file_io,
    [0x05] = &decode_thread,
    [0x06] = &decode_tcp_ip,
    [0x07] = &decode_job,
    [0x08] = &decode_udp_ip,
    [0x09] = &decode_registry,
    [0x0a] = &decode_dbg_print,
    [0x0b] = &decode_system_config,
    [0x0c] = &decode_last_branch,
    [0x0d] = &decode_wnf,
    [0x0e] = &decode_pool,
    [0x0f] = &decode_perf_info,
    [0x10] = &decode_heap,
    [0x11] = &decode_object,
    [0x12] = &decode_power,
    [0x13] = &decode_mod_bound,
    [0x14] = &decode_image,
    [0x15] = &decode_dpc,
    [0x16] = &decode_cc,
    [0x17] = &decode_crit_sec,
    [0x18] = &decode_stack_walk,
    [0x19] = &decode_ums,
    [0x1a] = &decode_alpc,
    [0x1b] = &decode_split_io,
    [0x1c] = &decode_thread_pool,
    [0x1d] = &decode_hypervisor,
    [0x1e] = &decode_hypervisor_x,
    /* no group: classic events only */
    &decode_lost_event,
    &decode_image_id,
    &decode_sys_config_ex,
    &decode_win_sat,
    &decode_event_metadata,
};

enum { GROUPS = 0x1f, HOOK_IMAGE_LOAD = 0x030a };

const struct event_class *decode_class(unsigned index)
{
    return index < TABLE_COUNT(groups) ? groups[index] : NULL;
}

static const struct event_class *class_of_hook(uint16_t hook)
{
    if (hook == HOOK_IMAGE_LOAD)
        return &decode_image;
    return hook >> 8 < GROUPS ? groups[hook >> 8] : NULL;
}

const struct guid *decode_class_guid(unsigned index)
{
    return index < GROUPS ? event_class_guid((uint16_t)(index << 8)) : &groups[index]->guid;
}

/* The first group of each class's GUID, in the order of the classes: a glance at these
 * finds the only one worth comparing. */
static const uint32_t first_groups[] = {
    0x68fdd900, 0x3d6fa8d4, 0x3d6fa8d3, 0x3d6fa8d0, 0x90cbdc39, 0x3d6fa8d1, 0x9a280ac0, 0x3282fc76,
    0xbf3a50c5, 0xae53722e, 0x13976d09, 0x01853a65, 0x99134383, 0x42695762, 0x0268a8b6, 0xce1dbfb4,
    0x222962ab, 0x89497f50, 0xe43445e0, 0xa9152f00, 0x2cb15d1d, 0xb2d14872, 0x7687a439, 0x3ac66736,
    0xdef2fe46, 0x9aec974b, 0x45d8cccd, 0xd837ca92, 0xc861d0e2, 0x7f2a405c, 0x2ce9a149, 0x6a399ae0,
    0xb3e675d7, 0x9b79ee91, 0xed54dff8, 0xbbccf6c1,
};
_Static_assert(TABLE_COUNT(first_groups) == TABLE_COUNT(groups), "one for each class");

static const struct event_class *class_of_guid(const struct guid *g)
{
    const uint32_t first = load_u32(g->b);
    for (unsigned i = 0; i < TABLE_COUNT(first_groups); i++)
        if (first_groups[i] == first)
            return guid_equal(decode_class_guid(i), g) ? groups[i] : NULL;
    return NULL;
}

const struct event_type *decode_kind(const struct event *e, const struct event_class **class)
{
    *class = NULL;
    if (header_is_kernel(e->kind))
        *class = class_of_hook(e->id);
    else if (e->kind == HEADER_CLASSIC || e->kind == HEADER_INSTANCE)
        *class = class_of_guid(&e->provider);
    if (!*class || e->opcode >= (*class)->kind_count)
        return NULL;
    const struct event_type *k = &(*class)->kinds[e->opcode];
    return k->name ? k : NULL;
}

static const struct layout *newest_up_to(const struct event_type *k, unsigned version)
{
    for (unsigned i = k->layout_count; i-- > 0;)
        if (k->layouts[i].version <= version)
            return &k->layouts[i];
    return NULL;
}

const struct layout *decode_layout(const struct event *e)
{
    const struct event_class *class;
    const struct event_type *k = decode_kind(e, &class);
    return k ? newest_up_to(k, e->version) : NULL;
}

uint16_t decode_hook(const struct event *e)
{
    if (header_is_kernel(e->kind))
        return e->id;
    const struct event_class *class;
    if (!decode_kind(e, &class))
        return DECODE_NO_HOOK;
    if (class == &decode_image && e->opcode == (HOOK_IMAGE_LOAD & 0xff))
        return HOOK_IMAGE_LOAD;
    for (unsigned group = 0; group < GROUPS; group++)
        if (groups[group] == class)
            return (uint16_t)(group << 8 | e->opcode);
    return DECODE_NO_HOOK;
}

void decode_name(const struct event *e, const char **class_name, const char **event_name)
{
    const struct event_class *class;
    const struct event_type *k = decode_kind(e, &class);
    const struct layout *l = k ? newest_up_to(k, e->version) : NULL;
    *class_name = class ? class->name : "";
    *event_name = l && l->event_name ? l->event_name : k ? k->name : "";
}

/* ---- reading the fields --------------------------------------------------------- */

/* A payload being walked: `at` is the end of the field before. */
struct walk {
    const uint8_t *payload;
    size_t bytes, at;
    unsigned pointer;
    bool is_over; /* a field could not be told apart from the next: all later ones are missing */
};

/* Bytes of one value of a type of fixed size; 0 for the others. */
static size_t value_bytes(unsigned type, unsigned pointer)
{
    static const uint8_t fixed[] = {
        [FIELD_U8] = 1,    [FIELD_I8] = 1,    [FIELD_U16] = 2,   [FIELD_I16] = 2,
        [FIELD_U32] = 4,   [FIELD_I32] = 4,   [FIELD_U64] = 8,   [FIELD_I64] = 8,
        [FIELD_GUID] = 16, [FIELD_IPV4] = 4,  [FIELD_IPV6] = 16, [FIELD_PORT] = 2,
        [FIELD_BYTES] = 0, [FIELD_HEX32] = 4, [FIELD_HEX64] = 8,
    };
    if (type == FIELD_POINTER || type == FIELD_SIZE)
        return pointer;
    return fixed[type];
}

static uint64_t load_number(const uint8_t *p, unsigned type, unsigned pointer)
{
    switch (type) {
    case FIELD_U8:
        return *p;
    case FIELD_I8:
        return (uint64_t)(int64_t)(int8_t)*p;
    case FIELD_U16:
        return load_u16(p);
    case FIELD_I16:
        return (uint64_t)(int64_t)(int16_t)load_u16(p);
    case FIELD_PORT:
        return (uint64_t)p[0] << 8 | p[1];
    case FIELD_U32:
    case FIELD_HEX32:
        return load_u32(p);
    case FIELD_I32:
        return (uint64_t)(int64_t)(int32_t)load_u32(p);
    case FIELD_U64:
    case FIELD_I64:
    case FIELD_HEX64:
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

static bool take_string(struct walk *w, struct decoded *d, size_t left)
{
    if (left == 0)
        return missing(w);
    size_t taken;
    const size_t bytes = string_bytes(d->field->type, d->data, left, &taken);
    return take(w, d, bytes, (size_t)(d->data - w->payload) + taken);
}

/* wchar[count]: the value ends at the first NUL, the field does not. */
static bool take_units(struct walk *w, struct decoded *d, size_t left)
{
    const size_t all = d->field->count ? d->field->count * 2u : left;
    if (left < all || left == 0)
        return missing(w);
    size_t taken;
    const size_t bytes = string_bytes(FIELD_WSTR, d->data, all, &taken);
    return take(w, d, bytes, (size_t)(d->data - w->payload) + all);
}

static bool take_bytes(struct walk *w, struct decoded *d, size_t left)
{
    const size_t all = d->field->count ? d->field->count : left;
    if (left < all || left == 0)
        return missing(w);
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

static bool take_variable(struct walk *w, struct decoded *d, size_t left)
{
    switch (d->field->type) {
    case FIELD_ASTR:
    case FIELD_WSTR:
        return take_string(w, d, left);
    case FIELD_WCHARS:
        return take_units(w, d, left);
    case FIELD_SID:
        return take_sid(w, d, left);
    default:
        return take_bytes(w, d, left);
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
    size_t at = 0;
    while (d->elements < wanted && at < left) {
        size_t taken;
        string_bytes(d->field->type, d->data + at, left - at, &taken);
        at += taken;
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

static bool is_list(const struct field *f)
{
    return f->type != FIELD_BYTES && f->type != FIELD_WCHARS && (f->counted_by || f->count != 1);
}

static bool take_list(struct walk *w, struct decoded *d, size_t left, const struct decoded *all)
{
    const struct field *f = d->field;
    const size_t size = value_bytes(f->type, w->pointer);
    const bool is_rest = !f->counted_by && f->count == 0;
    const uint64_t wanted = f->counted_by ? all[f->counted_by - 1].number
                            : is_rest     ? UINT64_MAX
                                          : f->count;
    d->is_list = true;
    d->elements = 0;
    if (size == 0)
        take_strings(w, d, left, wanted);
    else
        take_values(w, d, left, size, wanted);
    w->is_over = !is_rest && d->elements < wanted;
    return d->elements > 0;
}

/* A list of none is there wherever the payload ends: its columns have no place. */
static bool is_empty_list(const struct field *f, const struct decoded *all)
{
    const struct decoded *count = f->counted_by ? &all[f->counted_by - 1] : NULL;
    return count && count->is_present && count->number == 0;
}

/* ---- the whole payload ---------------------------------------------------------- */

static void decode_one(struct walk *w, const struct field *f, struct decoded *d,
                       const struct decoded *all)
{
    const int16_t fixed = w->pointer == 4 ? f->offset32 : f->offset64;
    const size_t offset = fixed >= 0 ? (size_t)fixed : w->at;
    *d = (struct decoded){.field = f, .pointer = (uint8_t)w->pointer, .elements = 1};
    if (w->is_over)
        return;
    if (is_empty_list(f, all)) {
        d->is_list = d->is_present = true;
        d->elements = 0;
        d->end = w->at;
        return;
    }
    if (offset > w->bytes)
        return;
    d->data = w->payload + offset;
    const size_t left = w->bytes - offset;
    const size_t size = value_bytes(f->type, w->pointer);
    if (is_list(f))
        d->is_present = take_list(w, d, left, all);
    else if (size)
        d->is_present = take_scalar(w, d, left, size);
    else
        d->is_present = take_variable(w, d, left);
}

unsigned decode_fields(const struct layout *l, const struct event *e, struct decoded *out,
                       unsigned room)
{
    struct walk w = {.payload = e->payload, .bytes = e->payload_bytes, .pointer = e->pointer};
    const unsigned count = l->field_count < room ? l->field_count : room;
    for (unsigned i = 0; i < count; i++)
        decode_one(&w, &l->fields[i], &out[i], out);
    return count;
}

bool decode_field(const struct layout *l, const struct event *e, unsigned index,
                  struct decoded *out)
{
    const struct field *f = &l->fields[index];
    if (index >= DECODE_FIELDS)
        return false;
    const bool is_fixed = (e->pointer == 4 ? f->offset32 : f->offset64) >= 0 && !f->counted_by;
    struct decoded all[DECODE_FIELDS];
    struct walk w = {.payload = e->payload, .bytes = e->payload_bytes, .pointer = e->pointer};
    for (unsigned i = is_fixed ? index : 0; i <= index; i++)
        decode_one(&w, &l->fields[i], &all[i], all);
    *out = all[index];
    return out->is_present;
}

bool decode_element(const struct decoded *list, size_t *cursor, struct decoded *out)
{
    if (!list->is_list || *cursor >= list->bytes)
        return false;
    const unsigned type = list->field->type;
    const size_t size = value_bytes(type, list->pointer);
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
    size_t taken;
    out->bytes = string_bytes(type, out->data, list->bytes - *cursor, &taken);
    *cursor += taken;
    return true;
}

bool layout_place(const struct layout *l, const char *name, unsigned pointer, unsigned *offset,
                  enum field_type *type)
{
    for (unsigned i = 0; i < l->field_count; i++) {
        const struct field *f = &l->fields[i];
        const int16_t at = pointer == 4 ? f->offset32 : f->offset64;
        if (at < 0 || strcmp(f->name, name) != 0)
            continue;
        *offset = (unsigned)at;
        *type = (enum field_type)f->type;
        return true;
    }
    return false;
}
