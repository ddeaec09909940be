/* .eh_frame: the compiler's tables that lead from each instruction to the caller.
 *
 *   u32 length (0: the end; 0xffffffff: a u64 follows), then
 *   CIE  u32 0, u8 version 1 or 3, text augmentation, uleb code unit, sleb data unit, register of
 *        the return address, 'z': uleb bytes of [R: encoding of pointers] [P: one to pass over]
 *        [L: encoding of another]; instructions that all its functions begin with
 *   FDE  u32 distance back to its CIE, pointer to the code, bytes of code, 'z': uleb bytes to
 *        pass over; instructions
 *
 * Instructions fill in a row of rules while they advance through the code; the row of an address
 * is what they have made when they get there. */
#include "src/symbol/unwind.h"

#include "src/base/mem.h"
#include "src/base/varint.h"

#include <stdlib.h>

enum {
    FUNCTIONS = 1 << 22, /* one of 100 MB of code has some 400 000 */
    REMEMBERED = 16,     /* rows put aside within one another */
};

/* Code that an FDE is about. */
struct function {
    uint64_t start;
    uint32_t bytes;
    uint32_t at; /* the FDE's instructions, in the section … */
    uint32_t count;
    uint32_t cie; /* … and whose they go on from */
};

struct cie {
    uint64_t at; /* in the section: its key */
    uint64_t code_unit;
    int64_t data_unit;
    const uint8_t *instructions;
    size_t instruction_bytes;
    uint8_t encoding;
    bool has_sizes, is_signal;
};

struct unwind_table {
    uint8_t *bytes;
    size_t count;
    uint64_t address;
    struct function *functions; /* by start */
    size_t function_count, function_room;
    struct cie *cies;
    uint32_t cie_count, cie_room;
};

/* ---- pointers ------------------------------------------------------------------------------ */

enum { POINTER_RELATIVE = 0x10 };

static uint64_t load_plain(struct bytes *b, unsigned format)
{
    switch (format) {
    case 0x00:
    case 0x04:
    case 0x0c:
        return bytes_u64(b);
    case 0x01:
        return bytes_uleb(b);
    case 0x02:
        return bytes_u16(b);
    case 0x03:
        return bytes_u32(b);
    case 0x09:
        return (uint64_t)bytes_sleb(b);
    case 0x0a:
        return (uint64_t)(int64_t)(int16_t)bytes_u16(b);
    case 0x0b:
        return (uint64_t)(int64_t)(int32_t)bytes_u32(b);
    default:
        b->bad = true;
        return 0;
    }
}

static uint64_t load_pointer(const struct unwind_table *t, struct bytes *b, uint8_t encoding)
{
    const uint64_t here = t->address + (uint64_t)(b->at - t->bytes);
    const uint64_t value = load_plain(b, encoding & 0x0f);
    switch (encoding & 0xf0) {
    case 0:
        return value;
    case POINTER_RELATIVE:
        return here + value;
    default: /* of other sections, or behind another pointer: no compiler writes code so */
        b->bad = true;
        return 0;
    }
}

/* ---- entries ------------------------------------------------------------------------------- */

/* What the letters of the augmentation say, in their order. */
static bool read_augmentation(struct cie *c, struct bytes *b, const uint8_t *letters)
{
    const unsigned ANY = 0x50; /* aligned: nobody does */
    if (!*letters)
        return true;
    if (*letters++ != 'z')
        return false;
    c->has_sizes = true;
    const uint64_t bytes = bytes_uleb(b);
    const uint8_t *const from = bytes_take(b, bytes <= b->left ? (size_t)bytes : b->left + 1);
    struct bytes data = bytes_of(from, from ? (size_t)bytes : 0);
    for (; *letters; letters++) {
        if (*letters == 'R') {
            c->encoding = bytes_u8(&data);
        } else if (*letters == 'S') {
            c->is_signal = true;
        } else if (*letters == 'L') {
            bytes_u8(&data);
        } else if (*letters == 'P') {
            const uint8_t encoding = bytes_u8(&data);
            if ((encoding & 0x70) == ANY)
                return false;
            load_plain(&data, encoding & 0x0f);
        } else {
            break; /* unknown ones are skipped as a whole, which 'z' allows */
        }
    }
    return !data.bad && !b->bad;
}

static bool read_cie(const struct unwind_table *t, uint64_t at, struct cie *out)
{
    if (at >= t->count)
        return false;
    struct bytes b = bytes_of(t->bytes + at, t->count - (size_t)at);
    uint64_t length = bytes_u32(&b);
    if (length == UINT32_MAX)
        length = bytes_u64(&b);
    if (length > b.left)
        return false;
    b.left = (size_t)length;
    *out = (struct cie){.at = at};
    const uint32_t id = bytes_u32(&b);
    const uint8_t version = bytes_u8(&b);
    const uint8_t *const letters = b.at;
    const uint8_t *const end = memchr(letters, 0, b.left);
    if (b.bad || id || (version != 1 && version != 3) || !end)
        return false;
    bytes_skip(&b, (size_t)(end - letters) + 1);
    out->code_unit = bytes_uleb(&b);
    out->data_unit = bytes_sleb(&b);
    const uint64_t pc = version == 1 ? bytes_u8(&b) : bytes_uleb(&b);
    if (b.bad || pc != UNWIND_PC || !read_augmentation(out, &b, letters))
        return false;
    out->instructions = b.at;
    out->instruction_bytes = b.left;
    return true;
}

/* FDEs come in the company of their CIE: nearly always it is the last one. */
static uint32_t cie_at(struct unwind_table *t, uint64_t at)
{
    enum { LOOKED_AT = 8 };
    struct cie c;
    for (uint32_t i = t->cie_count; i > 0 && t->cie_count - i < LOOKED_AT; i--)
        if (t->cies[i - 1].at == at)
            return i;
    if (!read_cie(t, at, &c))
        return 0;
    if (t->cie_count == t->cie_room) {
        t->cie_room = t->cie_room ? t->cie_room * 2 : 16;
        t->cies = mem_grow(t->cies, t->cie_room, sizeof *t->cies);
    }
    t->cies[t->cie_count++] = c;
    return t->cie_count;
}

static void add_function(struct unwind_table *t, struct bytes *b, uint64_t cie)
{
    const uint32_t number = cie_at(t, cie);
    if (!number || t->function_count == FUNCTIONS)
        return;
    const struct cie *const c = &t->cies[number - 1];
    struct function f = {.cie = number - 1};
    f.start = load_pointer(t, b, c->encoding);
    const uint64_t bytes = load_plain(b, c->encoding & 0x07);
    if (c->has_sizes) {
        const uint64_t skipped = bytes_uleb(b);
        bytes_skip(b, skipped <= b->left ? (size_t)skipped : b->left + 1);
    }
    if (b->bad || !bytes || bytes > UINT32_MAX || bytes > UINT64_MAX - f.start)
        return;
    f.bytes = (uint32_t)bytes;
    f.at = (uint32_t)(b->at - t->bytes);
    f.count = (uint32_t)b->left;
    if (t->function_count == t->function_room) {
        t->function_room = t->function_room ? t->function_room * 2 : 256;
        t->functions = mem_grow(t->functions, t->function_room, sizeof *t->functions);
    }
    t->functions[t->function_count++] = f;
}

/* An entry that cannot be read costs itself; a length that cannot be, all behind it. */
static void read_entries(struct unwind_table *t)
{
    struct bytes all = bytes_of(t->bytes, t->count);
    while (all.left >= 4) {
        uint64_t length = bytes_u32(&all);
        if (!length)
            continue; /* linkers put ends between the parts that they join */
        if (length == UINT32_MAX)
            length = bytes_u64(&all);
        if (all.bad || length > all.left || length > UINT32_MAX)
            return;
        const uint64_t at = (uint64_t)(all.at - t->bytes);
        struct bytes one = bytes_of(all.at, (size_t)length);
        bytes_skip(&all, (size_t)length);
        const uint32_t back = bytes_u32(&one);
        if (!one.bad && back && back <= at)
            add_function(t, &one, at - back);
    }
}

static int by_start(const void *a, const void *b)
{
    const struct function *const x = a, *const y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

struct unwind_table *unwind_table_new(uint8_t *bytes, size_t count, uint64_t address)
{
    struct unwind_table *const t = mem_new(1, sizeof *t);
    *t = (struct unwind_table){.bytes = bytes, .count = count, .address = address};
    if (count <= UINT32_MAX)
        read_entries(t);
    if (t->function_count) {
        t->function_room = t->function_count;
        t->functions = mem_grow(t->functions, t->function_room, sizeof *t->functions);
        qsort(t->functions, t->function_count, sizeof *t->functions, by_start);
        return t;
    }
    unwind_table_free(t);
    return NULL;
}

void unwind_table_free(struct unwind_table *t)
{
    if (!t)
        return;
    free(t->bytes);
    free(t->functions);
    free(t->cies);
    free(t);
}

size_t unwind_table_bytes(const struct unwind_table *t)
{
    return t->count + t->function_room * sizeof *t->functions + t->cie_room * sizeof *t->cies;
}

/* ---- instructions -------------------------------------------------------------------------- */

struct row {
    struct unwind_rule rule;
    const struct unwind_rule *first; /* as the CIE left it; NULL while it is at work */
    const struct cie *cie;
    const struct unwind_table *table;
    uint64_t location, wanted;
    struct unwind_rule aside[REMEMBERED];
    unsigned aside_count;
    bool is_bad;
};

enum {
    ADVANCE = 1, /* in the upper two bits */
    SAVED,
    RESTORED,
};

enum {
    NOTHING,
    SET_LOCATION,
    ADVANCE_1,
    ADVANCE_2,
    ADVANCE_4,
    SAVED_LONG,
    RESTORED_LONG,
    UNDEFINED,
    SAME,
    IN_REGISTER,
    REMEMBER,
    RECALL,
    FRAME,
    FRAME_REGISTER,
    FRAME_OFFSET,
    FRAME_EXPRESSION,
    SAVED_EXPRESSION,
    SAVED_SIGNED,
    FRAME_SIGNED,
    FRAME_OFFSET_SIGNED,
    VALUE,
    VALUE_SIGNED,
    VALUE_EXPRESSION,
    ARGUMENTS = 0x2e,
    SAVED_NEGATIVE = 0x2f,
};

/* Registers beyond ours (vectors and the like) are passed over. */
static struct unwind_value *value_of(struct row *r, uint64_t number)
{
    return number < UNWIND_REGISTERS ? &r->rule.of[number] : NULL;
}

static void set(struct row *r, uint64_t number, unsigned how, int64_t offset)
{
    struct unwind_value *const v = value_of(r, number);
    if (v)
        *v = (struct unwind_value){.how = (uint8_t)how, .offset = offset};
}

static void restore(struct row *r, uint64_t number)
{
    struct unwind_value *const v = value_of(r, number);
    if (v && r->first)
        *v = r->first->of[number];
}

static int64_t scaled(const struct row *r, int64_t by)
{
    return (int64_t)((uint64_t)by * (uint64_t)r->cie->data_unit);
}

static void set_expression(struct unwind_value *v, struct bytes *b, unsigned how)
{
    const uint64_t bytes = bytes_uleb(b);
    const uint8_t *const at = bytes_take(b, bytes <= b->left ? (size_t)bytes : b->left + 1);
    if (v && at)
        *v = (struct unwind_value){
            .how = (uint8_t)how, .expression = at, .expression_bytes = (uint32_t)bytes};
}

static void set_frame(struct row *r, uint64_t number, int64_t offset)
{
    r->is_bad |= number >= UNWIND_REGISTERS;
    r->rule.frame =
        (struct unwind_value){.how = UNWIND_REGISTER, .reg = (uint8_t)number, .offset = offset};
}

static void put_aside(struct row *r)
{
    if (r->aside_count < REMEMBERED)
        r->aside[r->aside_count++] = r->rule;
    else
        r->is_bad = true;
}

static void recall(struct row *r)
{
    if (r->aside_count)
        r->rule = r->aside[--r->aside_count];
    else
        r->is_bad = true;
}

static void set_frame_by(struct row *r, struct bytes *b, unsigned op)
{
    uint64_t number;
    switch (op) {
    case FRAME:
        number = bytes_uleb(b);
        set_frame(r, number, (int64_t)bytes_uleb(b));
        break;
    case FRAME_SIGNED:
        number = bytes_uleb(b);
        set_frame(r, number, scaled(r, bytes_sleb(b)));
        break;
    case FRAME_REGISTER:
        set_frame(r, bytes_uleb(b), r->rule.frame.offset);
        break;
    case FRAME_OFFSET:
        r->rule.frame.offset = (int64_t)bytes_uleb(b);
        break;
    case FRAME_OFFSET_SIGNED:
        r->rule.frame.offset = scaled(r, bytes_sleb(b));
        break;
    default:
        set_expression(&r->rule.frame, b, UNWIND_EXPRESSION);
        break;
    }
}

static void set_register_by(struct row *r, struct bytes *b, unsigned op)
{
    const uint64_t number = bytes_uleb(b);
    struct unwind_value *const v = value_of(r, number);
    switch (op) {
    case SAVED_LONG:
        set(r, number, UNWIND_SAVED, scaled(r, (int64_t)bytes_uleb(b)));
        break;
    case SAVED_SIGNED:
        set(r, number, UNWIND_SAVED, scaled(r, bytes_sleb(b)));
        break;
    case SAVED_NEGATIVE:
        set(r, number, UNWIND_SAVED, scaled(r, (int64_t)(0 - bytes_uleb(b))));
        break;
    case VALUE:
        set(r, number, UNWIND_VALUE, scaled(r, (int64_t)bytes_uleb(b)));
        break;
    case VALUE_SIGNED:
        set(r, number, UNWIND_VALUE, scaled(r, bytes_sleb(b)));
        break;
    case RESTORED_LONG:
        restore(r, number);
        break;
    case UNDEFINED:
        set(r, number, UNWIND_LOST, 0);
        break;
    case SAME:
        set(r, number, UNWIND_SAME, 0);
        break;
    case IN_REGISTER:
        set(r, number, UNWIND_REGISTER, 0);
        const uint64_t other = bytes_uleb(b);
        if (v)
            v->reg = other < UNWIND_REGISTERS ? (uint8_t)other : UNWIND_REGISTERS;
        break;
    case SAVED_EXPRESSION:
        set_expression(v, b, UNWIND_AT_EXPRESSION);
        break;
    default:
        set_expression(v, b, UNWIND_EXPRESSION);
        break;
    }
}

/* False: the next instruction is of code behind the address that is wanted. */
static bool advance(struct row *r, uint64_t by)
{
    const uint64_t bytes = by * r->cie->code_unit;
    if (bytes > r->wanted - r->location)
        return false;
    r->location += bytes;
    return true;
}

static bool set_location(struct row *r, struct bytes *b)
{
    const uint64_t to = load_pointer(r->table, b, r->cie->encoding);
    if (b->bad || to < r->location)
        r->is_bad = true;
    else if (to > r->wanted)
        return false;
    else
        r->location = to;
    return true;
}

static bool take_instruction(struct row *r, struct bytes *b)
{
    const unsigned byte = bytes_u8(b), operand = byte & 0x3f;
    switch (byte >> 6) {
    case ADVANCE:
        return advance(r, operand);
    case SAVED:
        set(r, operand, UNWIND_SAVED, scaled(r, (int64_t)bytes_uleb(b)));
        return true;
    case RESTORED:
        restore(r, operand);
        return true;
    }
    switch (byte) {
    case NOTHING:
        return true;
    case SET_LOCATION:
        return set_location(r, b);
    case ADVANCE_1:
        return advance(r, bytes_u8(b));
    case ADVANCE_2:
        return advance(r, bytes_u16(b));
    case ADVANCE_4:
        return advance(r, bytes_u32(b));
    case REMEMBER:
        put_aside(r);
        return true;
    case RECALL:
        recall(r);
        return true;
    case FRAME:
    case FRAME_REGISTER:
    case FRAME_OFFSET:
    case FRAME_EXPRESSION:
    case FRAME_SIGNED:
    case FRAME_OFFSET_SIGNED:
        set_frame_by(r, b, byte);
        return true;
    case ARGUMENTS:
        bytes_uleb(b);
        return true;
    case SAVED_LONG:
    case RESTORED_LONG:
    case UNDEFINED:
    case SAME:
    case IN_REGISTER:
    case SAVED_EXPRESSION:
    case SAVED_SIGNED:
    case SAVED_NEGATIVE:
    case VALUE:
    case VALUE_SIGNED:
    case VALUE_EXPRESSION:
        set_register_by(r, b, byte);
        return true;
    default:
        r->is_bad = true;
        return true;
    }
}

/* Each instruction takes a byte at least. */
static bool run(struct row *r, const uint8_t *instructions, size_t count)
{
    struct bytes b = bytes_of(instructions, count);
    while (b.left && !r->is_bad && take_instruction(r, &b))
        ;
    return !b.bad && !r->is_bad;
}

static const struct function *function_at(const struct unwind_table *t, uint64_t address)
{
    size_t low = 0, high = t->function_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->functions[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct function *const f = low ? &t->functions[low - 1] : NULL;
    return f && address - f->start < f->bytes ? f : NULL;
}

bool unwind_table_find(const struct unwind_table *t, uint64_t address, struct unwind_rule *out)
{
    const struct function *const f = function_at(t, address);
    if (!f)
        return false;
    const struct cie *const c = &t->cies[f->cie];
    struct row r;
    r.rule = (struct unwind_rule){.is_signal = c->is_signal};
    r.rule.of[UNWIND_PC].how = UNWIND_LOST; /* unless an instruction says where it is saved */
    r.first = NULL;
    r.cie = c;
    r.table = t;
    r.location = r.wanted = f->start;
    r.aside_count = 0;
    r.is_bad = false;
    if (!run(&r, c->instructions, c->instruction_bytes))
        return false;
    const struct unwind_rule first = r.rule;
    r.first = &first;
    r.wanted = address;
    r.location = f->start;
    if (!run(&r, t->bytes + f->at, f->count))
        return false;
    *out = r.rule;
    return true;
}
