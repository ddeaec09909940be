/* Names in a PDB file: the functions of its modules, with sizes, and its public symbols, which have
 * no size. The bytes are not trusted. One owner.
 *
 * A public symbol counts for what the linker took with it: the section contribution that it lies
 * in, up to the next symbol. Where that is one function (a COMDAT), the name is sure. Where it is
 * a whole object file, functions without a public symbol may lie behind it: then the name comes
 * with how far behind it the address is, which is true in any case. */
#ifndef SRC_SYMBOL_PDB_H
#define SRC_SYMBOL_PDB_H

#include "src/base/guid.h"
#include "src/os/blob.h"
#include "src/symbol/symbol_table.h"

struct pdb_range {
    uint32_t from, to;
};

struct pdb {
    struct guid guid;
    uint32_t age;
    struct symbol_table sure, near; /* by address before OMAP */
    struct pdb_range *moved;        /* OMAP: address → address before; sorted */
    size_t moved_count;
};

/* False with a sentence, which names what, where, expected and found. pdb_fini() when true. */
bool pdb_read(struct pdb *p, const struct blob *b, struct err *why);
/* Which PDB it is, without the rest. */
bool pdb_identify(const struct blob *b, struct guid *guid, uint32_t *age, struct err *why);
/* Whether all blocks are there that the file says it has. */
bool pdb_is_whole(const struct blob *b, struct err *why);
bool pdb_find(const struct pdb *p, uint64_t rva, struct symbol_found *out);
void pdb_fini(struct pdb *p);

#endif
