/* The words with which a program says where the arguments of its probes are (USDT), for x86-64:
 * bytes, negative where the number is signed, then a register, a place in memory or a constant:
 *
 *     -4@%edi   8@-16(%rbp)   8@$5
 *
 * Others (floating point, an index, an address of the file) are not read. */
#include "collectors/linux/translate/function.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of struct pt_regs. */
static const struct {
    const char *names[4]; /* of 8, 4, 2, 1 bytes */
    uint8_t place;
} registers[] = {
    {{"r15", "r15d", "r15w", "r15b"}, 0}, {{"r14", "r14d", "r14w", "r14b"}, 1},
    {{"r13", "r13d", "r13w", "r13b"}, 2}, {{"r12", "r12d", "r12w", "r12b"}, 3},
    {{"rbp", "ebp", "bp", "bpl"}, 4},     {{"rbx", "ebx", "bx", "bl"}, 5},
    {{"r11", "r11d", "r11w", "r11b"}, 6}, {{"r10", "r10d", "r10w", "r10b"}, 7},
    {{"r9", "r9d", "r9w", "r9b"}, 8},     {{"r8", "r8d", "r8w", "r8b"}, 9},
    {{"rax", "eax", "ax", "al"}, 10},     {{"rcx", "ecx", "cx", "cl"}, 11},
    {{"rdx", "edx", "dx", "dl"}, 12},     {{"rsi", "esi", "si", "sil"}, 13},
    {{"rdi", "edi", "di", "dil"}, 14},    {{"rsp", "esp", "sp", "spl"}, 19},
};

static bool register_named(const char *name, size_t bytes, uint8_t *place)
{
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        for (size_t k = 0; k < 4; k++)
            if (strlen(registers[i].names[k]) == bytes &&
                memcmp(registers[i].names[k], name, bytes) == 0)
                return (*place = registers[i].place), true;
    return false;
}

static bool read_memory(const char *at, const char *end, struct bpf_argument *out)
{
    char *stop = (char *)(uintptr_t)at;
    out->number = *at == '(' ? 0 : strtoll(at, &stop, 0);
    out->from = FUNCTION_FROM_MEMORY;
    return stop < end && stop[0] == '(' && stop[1] == '%' && end[-1] == ')' &&
           register_named(stop + 2, (size_t)(end - 1 - (stop + 2)), &out->place);
}

static bool read_operand(const char *at, const char *end, struct bpf_argument *out)
{
    char *stop;
    if (*at == '%') {
        out->from = FUNCTION_FROM_REGISTER;
        return register_named(at + 1, (size_t)(end - at - 1), &out->place);
    }
    if (*at != '$')
        return read_memory(at, end, out);
    out->from = FUNCTION_FROM_CONSTANT;
    out->number = strtoll(at + 1, &stop, 0);
    return stop == end && stop > at + 1;
}

static bool type_of_bytes(long bytes, uint8_t *type)
{
    static const uint8_t types[] = {
        [1] = FUNCTION_U8, [2] = FUNCTION_U16, [4] = FUNCTION_U32, [8] = FUNCTION_HEX64};
    static const uint8_t signed_types[] = {
        [1] = FUNCTION_I8, [2] = FUNCTION_I16, [4] = FUNCTION_I32, [8] = FUNCTION_I64};
    const long size = bytes < 0 ? -bytes : bytes;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return false;
    *type = bytes < 0 ? signed_types[size] : types[size];
    return true;
}

/* One word; false for one that is not read. */
static bool read_argument(const char *at, const char *end, struct function_value *value,
                          struct bpf_argument *place)
{
    char *stop;
    const long bytes = strtol(at, &stop, 10);
    if (bytes < -8 || bytes > 8)
        return false;
    *place = (struct bpf_argument){.bytes = (uint8_t)labs(bytes)};
    return stop < end && *stop == '@' && stop + 1 < end && type_of_bytes(bytes, &value->type) &&
           read_operand(stop + 1, end, place);
}

void function_probe_read(const char *words, struct function_signature *signature,
                         struct bpf_argument *places)
{
    *signature = (struct function_signature){.count = 0};
    unsigned number = 0;
    for (const char *at = words; *at && signature->count < FUNCTION_ARGUMENTS; number++) {
        const char *const end = at + strcspn(at, " ");
        struct function_value *const value = &signature->arguments[signature->count];
        if (read_argument(at, end, value, &places[signature->count])) {
            snprintf(value->name, sizeof value->name, "arg%u", number);
            value->place = (uint8_t)signature->count++;
        }
        at = end + strspn(end, " ");
    }
}
