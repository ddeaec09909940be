/* Stacks of programs that keep no frame pointers: from the registers of a thread and a copy of
 * its stack, by the tables that compilers write for exceptions (.eh_frame). x86-64 only.
 *
 * Everything is hostile: tables, registers, stack. A step that does not lead outwards ends the
 * walk, so that none goes in circles; nothing is read but the copy of the stack. */
#ifndef SRC_SYMBOL_UNWIND_H
#define SRC_SYMBOL_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    UNWIND_SP = 7, /* registers by their numbers in DWARF */
    UNWIND_BP = 6,
    UNWIND_PC = 16,
    UNWIND_REGISTERS = 17,
    UNWIND_FRAMES = 1024, /* deeper than anything that does not call itself for ever */
};

enum unwind_how {
    UNWIND_SAME,     /* the caller's is as it is */
    UNWIND_LOST,     /* … is not known; of the pc: nobody called */
    UNWIND_SAVED,    /* … lies at the frame's address + offset */
    UNWIND_VALUE,    /* … is that address + offset */
    UNWIND_REGISTER, /* … is in another register (+ offset: of the frame's address) */
    UNWIND_AT_EXPRESSION,
    UNWIND_EXPRESSION,
};

struct unwind_value {
    int64_t offset;
    const uint8_t *expression; /* the table's */
    uint32_t expression_bytes;
    uint8_t how; /* enum unwind_how */
    uint8_t reg;
};

/* How one gets from code at some address to its caller. */
struct unwind_rule {
    struct unwind_value frame; /* REGISTER or EXPRESSION */
    struct unwind_value of[UNWIND_REGISTERS];
    bool is_signal; /* the caller was interrupted: its pc is exact */
};

/* What lies at an address. */
enum unwind_found {
    UNWIND_NOWHERE, /* no code */
    UNWIND_BARE,    /* code without a table: frame pointers may lead on */
    UNWIND_RULE,
};
typedef enum unwind_found unwind_find(void *arg, uint64_t address, struct unwind_rule *out);

struct unwind_state {
    uint64_t registers[UNWIND_REGISTERS];
    uint32_t known;       /* bit per register */
    const uint8_t *stack; /* from the stack pointer on … */
    size_t stack_bytes;
    uint64_t stack_at; /* … which was this */
};

enum unwind_end {
    UNWIND_AT_ROOT, /* nobody called this one */
    UNWIND_CUT,     /* the stack goes on beyond its copy */
    UNWIND_STUCK,   /* no table, or one that leads nowhere */
    UNWIND_FULL,    /* `room` is */
    UNWIND_ENDS,
};

/* The pc and the return addresses, innermost first; how many. */
unsigned unwind(struct unwind_state *s, unwind_find *find, void *arg, uint64_t *out, unsigned room,
                enum unwind_end *end);

/* ---- tables (unwind_table.c) ---------------------------------------------------------------- */

struct unwind_table;

/* Of a section .eh_frame that is loaded at `address`; the bytes (of malloc) become the table's.
 * NULL where there is nothing in them that can be read. */
struct unwind_table *unwind_table_new(uint8_t *bytes, size_t count, uint64_t address);
void unwind_table_free(struct unwind_table *t); /* NULL is fine */
size_t unwind_table_bytes(const struct unwind_table *t);

/* False: the table has nothing for this address. */
bool unwind_table_find(const struct unwind_table *t, uint64_t address, struct unwind_rule *out);

#endif
