/* Perf maps: what programs that make code themselves write about it, a line each: where it
 * begins and how long it is, both hexadecimal, and its name up to the end of the line. */
#ifndef SRC_SYMBOL_JIT_H
#define SRC_SYMBOL_JIT_H

#include "src/symbol/symbol_table.h"

/* Adds the lines of a text; those that are none are counted. Of two that begin at the same
 * address the later one holds: code is made anew. */
struct jit_lines {
    uint64_t lines, bad;
};
struct jit_lines symbol_jit_read(struct symbol_table *t, const char *text, size_t bytes);

#endif
