/* The instructions with which a call of a function ends. Watching them tells when it ends and harms
 * nothing, where the usual way, another return address on the stack, ends programs: exceptions of
 * C++ find no way through it, a second return by longjmp() leads nowhere, and Go moves its stacks.
 */
#ifndef SRC_SYMBOL_FUNCTION_EXIT_H
#define SRC_SYMBOL_FUNCTION_EXIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum function_exit_kind {
    FUNCTION_RETURNS,
    FUNCTION_BRANCHES,    /* to another function, which returns in its place */
    FUNCTION_BRANCHES_IF, /* likewise, under a condition */
    FUNCTION_BRANCHES_BY, /* to where a register says: another function, or another part of this one
                           */
};

struct function_exit {
    uint64_t address;
    uint8_t kind;      /* enum function_exit_kind */
    uint8_t condition; /* BRANCHES_IF: as the instruction has it, 0 … 15 */
    uint8_t place;     /* BRANCHES_BY: of the register in struct pt_regs, in words */
};
typedef void take_function_exit(void *to, const struct function_exit *e);

enum { FUNCTION_CODE_MOST = 256 << 10 }; /* bytes of a function that is read */

/* Reads the code of a function, of x86-64, or of a part of it that lies elsewhere; jumps into
 * `other`, its other part (of no bytes: there is none), are none out of it. False where it is not
 * sure which of the bytes are code, or this build cannot read it; some may have been taken before
 * that is found. An exit that is the first instruction is left out: there is no time in between.
 * Any bytes are safe. */
struct function_part {
    uint64_t address, bytes;
};
bool function_exits(const uint8_t *code, struct function_part part, struct function_part other,
                    take_function_exit *take, void *to);

#endif
