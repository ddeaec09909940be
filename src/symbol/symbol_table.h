/* Names in order of the addresses they begin at: what most backends make of their file. Filled
 * once, then only searched. One owner. */
#ifndef SRC_SYMBOL_SYMBOL_TABLE_H
#define SRC_SYMBOL_SYMBOL_TABLE_H

#include "src/symbol/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_entry {
    uint64_t start;
    uint32_t size; /* 0: up to the next one (symbol_table_find()) */
    uint32_t name; /* offset into the text */
};

struct symbol_table {
    struct symbol_entry *entries;
    size_t count, room;
    char *text;
    size_t text_bytes, text_room;
    uint64_t end;     /* entries without a size end here at the latest; 0: they cover nothing */
    uint64_t dropped; /* for want of room */
};

/* All zero is an empty table. Names of no bytes are left out, long ones cut. */
void symbol_table_add(struct symbol_table *t, uint64_t start, uint64_t size, const char *name,
                      size_t bytes);
/* Sorts; of several names of one address the first added stays, with a size before one without. */
void symbol_table_finish(struct symbol_table *t);
/* The innermost that covers the address; false when none does. */
bool symbol_table_find(const struct symbol_table *t, uint64_t address, struct symbol_found *out);
size_t symbol_table_bytes(const struct symbol_table *t);
void symbol_table_fini(struct symbol_table *t);

#endif
