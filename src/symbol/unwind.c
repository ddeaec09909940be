#include "src/symbol/unwind.h"

#include "src/base/bytes.h"
#include "src/base/varint.h"

/* ---- expressions --------------------------------------------------------------------------- */

/* A small part of DWARF's stack machine: what compilers and linkers write into .eh_frame. There
 * are no jumps in it, so that it ends. */
enum { DEPTH = 16 };

enum {
    OP_ADDRESS = 0x03,
    OP_DEREF = 0x06,
    OP_CONST_1U = 0x08,
    OP_CONST_1S,
    OP_CONST_2U,
    OP_CONST_2S,
    OP_CONST_4U,
    OP_CONST_4S,
    OP_CONST_8U,
    OP_CONST_8S,
    OP_CONST_U,
    OP_CONST_S,
    OP_DUP = 0x12,
    OP_DROP,
    OP_OVER,
    OP_SWAP = 0x16,
    OP_AND = 0x1a,
    OP_MINUS = 0x1c,
    OP_MUL = 0x1e,
    OP_NEG,
    OP_NOT,
    OP_OR,
    OP_PLUS,
    OP_PLUS_CONST,
    OP_SHL,
    OP_SHR,
    OP_XOR = 0x27,
    OP_EQ = 0x29,
    OP_GE,
    OP_GT,
    OP_LE,
    OP_LT,
    OP_NE,
    OP_LITERAL_0 = 0x30,
    OP_LITERAL_31 = 0x4f,
    OP_REGISTER_0 = 0x70,
    OP_REGISTER_31 = 0x8f,
};

struct machine {
    const struct unwind_state *state;
    uint64_t stack[DEPTH];
    unsigned depth;
    bool is_bad;
};

static void push(struct machine *m, uint64_t value)
{
    if (m->depth == DEPTH)
        m->is_bad = true;
    else
        m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
    if (m->depth)
        return m->stack[--m->depth];
    m->is_bad = true;
    return 0;
}

/* Only the copy of the stack is there to be read. */
static bool read_stack(const struct unwind_state *s, uint64_t address, uint64_t *out)
{
    const uint64_t at = address - s->stack_at;
    if (address < s->stack_at || s->stack_bytes < 8 || at > s->stack_bytes - 8)
        return false;
    *out = load_u64(s->stack + at);
    return true;
}

static uint64_t register_of(struct machine *m, unsigned number)
{
    if (number < UNWIND_REGISTERS && m->state->known >> number & 1)
        return m->state->registers[number];
    m->is_bad = true;
    return 0;
}

static uint64_t constant(struct bytes *b, unsigned op)
{
    switch (op) {
    case OP_CONST_1U:
        return bytes_u8(b);
    case OP_CONST_1S:
        return (uint64_t)(int64_t)(int8_t)bytes_u8(b);
    case OP_CONST_2U:
        return bytes_u16(b);
    case OP_CONST_2S:
        return (uint64_t)(int64_t)(int16_t)bytes_u16(b);
    case OP_CONST_4U:
        return bytes_u32(b);
    case OP_CONST_4S:
        return (uint64_t)(int64_t)(int32_t)bytes_u32(b);
    case OP_CONST_U:
        return bytes_uleb(b);
    case OP_CONST_S:
        return (uint64_t)bytes_sleb(b);
    default:
        return bytes_u64(b);
    }
}

/* Of two values, the second one on top. */
static uint64_t combine(struct machine *m, unsigned op, uint64_t a, uint64_t b)
{
    const int64_t x = (int64_t)a, y = (int64_t)b;
    switch (op) {
    case OP_AND:
        return a & b;
    case OP_MINUS:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_OR:
        return a | b;
    case OP_PLUS:
        return a + b;
    case OP_SHL:
        return b < 64 ? a << b : 0;
    case OP_SHR:
        return b < 64 ? a >> b : 0;
    case OP_XOR:
        return a ^ b;
    case OP_EQ:
        return x == y;
    case OP_GE:
        return x >= y;
    case OP_GT:
        return x > y;
    case OP_LE:
        return x <= y;
    case OP_LT:
        return x < y;
    case OP_NE:
        return x != y;
    default:
        m->is_bad = true;
        return 0;
    }
}

/* What moves values about or changes the one on top; false: it is none of these. */
static bool step_alone(struct machine *m, struct bytes *b, unsigned op)
{
    uint64_t value, other;
    switch (op) {
    case OP_DEREF:
        value = 0;
        m->is_bad |= !read_stack(m->state, pop(m), &value);
        break;
    case OP_DUP:
        value = pop(m);
        push(m, value);
        break;
    case OP_DROP:
        pop(m);
        return true;
    case OP_OVER:
        other = pop(m);
        value = pop(m);
        push(m, value);
        push(m, other);
        break;
    case OP_SWAP:
        value = pop(m);
        other = pop(m);
        push(m, value);
        value = other;
        break;
    case OP_NEG:
        value = 0 - pop(m);
        break;
    case OP_NOT:
        value = ~pop(m);
        break;
    case OP_PLUS_CONST:
        value = pop(m) + bytes_uleb(b);
        break;
    default:
        return false;
    }
    push(m, value);
    return true;
}

static void step(struct machine *m, struct bytes *b)
{
    const unsigned op = bytes_u8(b);
    if (op >= OP_LITERAL_0 && op <= OP_LITERAL_31) {
        push(m, op - OP_LITERAL_0);
    } else if (op >= OP_REGISTER_0 && op <= OP_REGISTER_31) {
        const uint64_t base = register_of(m, op - OP_REGISTER_0);
        push(m, base + (uint64_t)bytes_sleb(b));
    } else if (op == OP_ADDRESS || (op >= OP_CONST_1U && op <= OP_CONST_S)) {
        push(m, constant(b, op));
    } else if (!step_alone(m, b, op)) {
        const uint64_t top = pop(m), below = pop(m);
        push(m, combine(m, op, below, top));
    }
}

static bool compute(const struct unwind_state *s, const struct unwind_value *v,
                    const uint64_t *first, uint64_t *out)
{
    struct machine m = {.state = s};
    struct bytes b = bytes_of(v->expression, v->expression_bytes);
    if (first)
        push(&m, *first);
    while (b.left && !b.bad && !m.is_bad)
        step(&m, &b);
    *out = pop(&m);
    return !b.bad && !m.is_bad;
}

/* ---- a step outwards ----------------------------------------------------------------------- */

static bool frame_address(const struct unwind_state *s, const struct unwind_rule *r, uint64_t *out)
{
    const struct unwind_value *const f = &r->frame;
    if (f->how == UNWIND_EXPRESSION)
        return compute(s, f, NULL, out);
    if (f->how != UNWIND_REGISTER || f->reg >= UNWIND_REGISTERS || !(s->known >> f->reg & 1))
        return false;
    *out = s->registers[f->reg] + (uint64_t)f->offset;
    return true;
}

/* The caller's register; false: it cannot be known. */
static bool restore(const struct unwind_state *s, const struct unwind_value *v, unsigned number,
                    uint64_t frame, uint64_t *out)
{
    uint64_t address;
    switch (v->how) {
    case UNWIND_SAME:
        *out = s->registers[number];
        return s->known >> number & 1;
    case UNWIND_SAVED:
        return read_stack(s, frame + (uint64_t)v->offset, out);
    case UNWIND_VALUE:
        *out = frame + (uint64_t)v->offset;
        return true;
    case UNWIND_REGISTER:
        *out = v->reg < UNWIND_REGISTERS ? s->registers[v->reg] : 0;
        return v->reg < UNWIND_REGISTERS && s->known >> v->reg & 1;
    case UNWIND_AT_EXPRESSION:
        return compute(s, v, &frame, &address) && read_stack(s, address, out);
    case UNWIND_EXPRESSION:
        return compute(s, v, &frame, out);
    default:
        return false;
    }
}

static enum unwind_end step_by_rule(struct unwind_state *s, const struct unwind_rule *r)
{
    uint64_t frame, next[UNWIND_REGISTERS] = {0};
    uint32_t known = 0;
    if (r->of[UNWIND_PC].how == UNWIND_LOST)
        return UNWIND_AT_ROOT;
    if (!frame_address(s, r, &frame))
        return UNWIND_STUCK;
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
        if (restore(s, &r->of[i], i, frame, &next[i]))
            known |= 1u << i;
    if (r->of[UNWIND_SP].how == UNWIND_SAME || r->of[UNWIND_SP].how == UNWIND_LOST) {
        next[UNWIND_SP] = frame;
        known |= 1u << UNWIND_SP;
    }
    if (!(known >> UNWIND_PC & 1))
        return frame >= s->stack_at ? UNWIND_CUT : UNWIND_STUCK;
    /* Callers lie outside. */
    if (!(known >> UNWIND_SP & 1) || next[UNWIND_SP] <= s->registers[UNWIND_SP])
        return UNWIND_STUCK;
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
        s->registers[i] = next[i];
    s->known = known;
    return UNWIND_ENDS;
}

static enum unwind_end step_by_pointer(struct unwind_state *s)
{
    const uint64_t bp = s->registers[UNWIND_BP];
    uint64_t caller, pc;
    if (!(s->known >> UNWIND_BP & 1) || bp < s->registers[UNWIND_SP] || bp % 8)
        return UNWIND_STUCK;
    if (!read_stack(s, bp, &caller) || !read_stack(s, bp + 8, &pc))
        return UNWIND_CUT;
    s->registers[UNWIND_BP] = caller;
    s->registers[UNWIND_SP] = bp + 16;
    s->registers[UNWIND_PC] = pc;
    s->known = 1u << UNWIND_BP | 1u << UNWIND_SP | 1u << UNWIND_PC;
    return UNWIND_ENDS;
}

unsigned unwind(struct unwind_state *s, unwind_find *find, void *arg, uint64_t *out, unsigned room,
                enum unwind_end *end)
{
    unsigned count = 0;
    bool is_exact = true;
    struct unwind_rule rule;
    *end = UNWIND_FULL;
    while (count < room) {
        const uint64_t pc = s->registers[UNWIND_PC];
        if (!pc) {
            *end = UNWIND_AT_ROOT;
            break;
        }
        const enum unwind_found found = find(arg, pc - !is_exact, &rule);
        if (found == UNWIND_NOWHERE && count) {
            *end = UNWIND_STUCK;
            break;
        }
        out[count++] = pc;
        const enum unwind_end stopped = found == UNWIND_RULE   ? step_by_rule(s, &rule)
                                        : found == UNWIND_BARE ? step_by_pointer(s)
                                                               : UNWIND_STUCK;
        if (stopped != UNWIND_ENDS) {
            *end = stopped;
            break;
        }
        is_exact = found == UNWIND_RULE && rule.is_signal;
    }
    return count;
}
