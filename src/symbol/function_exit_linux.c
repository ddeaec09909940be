#include "src/symbol/function_exit.h"

#include "src/base/mem.h"

#include <capstone/capstone.h>
#include <stdlib.h>

/* A jump within the function: it must lead to an instruction, or its bytes are not all code. */
struct targets {
    uint32_t *of;
    size_t count, room;
};

struct reading {
    csh engine;
    struct function_part part, other;
    uint8_t *begins; /* by offset: an instruction begins here */
    struct targets targets;
    take_function_exit *take;
    void *to;
};

/* In the kernel's struct pt_regs for x86-64, in words; 255: no register of 64 bits. */
static uint8_t place_of(unsigned reg)
{
    static const struct {
        uint16_t reg;
        uint8_t place;
    } places[] = {{X86_REG_R15, 0},  {X86_REG_R14, 1},  {X86_REG_R13, 2},  {X86_REG_R12, 3},
                  {X86_REG_RBP, 4},  {X86_REG_RBX, 5},  {X86_REG_R11, 6},  {X86_REG_R10, 7},
                  {X86_REG_R9, 8},   {X86_REG_R8, 9},   {X86_REG_RAX, 10}, {X86_REG_RCX, 11},
                  {X86_REG_RDX, 12}, {X86_REG_RSI, 13}, {X86_REG_RDI, 14}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].reg == reg)
            return places[i].place;
    return 255;
}

static void add_target(struct targets *t, uint32_t offset)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->of = mem_grow(t->of, t->room, sizeof *t->of);
    }
    t->of[t->count++] = offset;
}

static void take_exit(const struct reading *r, const struct function_exit *e)
{
    if (e->address != r->part.address)
        r->take(r->to, e);
}

/* Of "jump if", by the instruction's bytes; others of the kind depend on a counter. */
static bool condition_of(const cs_x86 *x, uint8_t *condition)
{
    const bool is_long = x->opcode[0] == 0x0f;
    const uint8_t code = x->opcode[is_long ? 1 : 0];
    *condition = code & 15;
    return (code & 0xf0) == (is_long ? 0x80 : 0x70);
}

static bool is_in(struct function_part p, uint64_t address)
{
    return address - p.address < p.bytes;
}

static void look_at_jump(struct reading *r, const cs_insn *i)
{
    const cs_x86 *const x = &i->detail->x86;
    const cs_x86_op *const to = &x->operands[0];
    struct function_exit e = {.address = i->address, .kind = FUNCTION_BRANCHES};
    if (x->op_count != 1)
        return;
    if (to->type == X86_OP_IMM) {
        const uint64_t target = (uint64_t)to->imm;
        if (is_in(r->part, target))
            add_target(&r->targets, (uint32_t)(target - r->part.address));
        else if (is_in(r->other, target))
            return;
        else if (i->id == X86_INS_JMP || condition_of(x, &e.condition)) {
            e.kind = i->id == X86_INS_JMP ? FUNCTION_BRANCHES : FUNCTION_BRANCHES_IF;
            take_exit(r, &e);
        }
    } else if (to->type == X86_OP_REG && (e.place = place_of(to->reg)) != 255) {
        e.kind = FUNCTION_BRANCHES_BY;
        take_exit(r, &e);
    } else if (to->type == X86_OP_MEM && to->mem.index == X86_REG_INVALID) {
        take_exit(r, &e); /* with an index it is a table of this function's parts */
    }
}

static bool read_code(struct reading *r, const uint8_t *code)
{
    cs_insn *const i = cs_malloc(r->engine);
    uint64_t address = r->part.address;
    size_t left = r->part.bytes;
    while (i && left && cs_disasm_iter(r->engine, &code, &left, &address, i)) {
        r->begins[i->address - r->part.address] = 1;
        const struct function_exit e = {.address = i->address, .kind = FUNCTION_RETURNS};
        if (cs_insn_group(r->engine, i, CS_GRP_RET))
            take_exit(r, &e);
        else if (cs_insn_group(r->engine, i, CS_GRP_JUMP))
            look_at_jump(r, i);
    }
    if (i)
        cs_free(i, 1);
    return i && !left;
}

static bool lead_to_code(const struct reading *r)
{
    for (size_t i = 0; i < r->targets.count; i++)
        if (!r->begins[r->targets.of[i]])
            return false;
    return true;
}

bool function_exits(const uint8_t *code, struct function_part part, struct function_part other,
                    take_function_exit *take, void *to)
{
    struct reading r = {.part = part, .other = other, .take = take, .to = to};
    if (!part.bytes || part.bytes > FUNCTION_CODE_MOST ||
        cs_open(CS_ARCH_X86, CS_MODE_64, &r.engine) != CS_ERR_OK)
        return false;
    r.begins = mem_new(part.bytes, 1);
    const bool is_sure = cs_option(r.engine, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK &&
                         read_code(&r, code) && lead_to_code(&r);
    free(r.begins);
    free(r.targets.of);
    cs_close(&r.engine);
    return is_sure;
}
