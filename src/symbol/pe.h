/* PE files: which build they are, and the functions that they export. Read from bytes nobody
 * vouches for. One owner.
 *
 * An export has no size: it counts for the function that begins there by the table of functions
 * that 64-bit files have for unwinding (.pdata), and for the parts that are chained to it. */
#ifndef SRC_SYMBOL_PE_H
#define SRC_SYMBOL_PE_H

#include "src/base/guid.h"
#include "src/os/blob.h"
#include "src/symbol/symbol_table.h"

struct pe {
    uint32_t stamp, image_size;
    uint16_t machine;
    struct guid pdb_guid; /* of its RSDS record; all 0 = it has none */
    uint32_t pdb_age;
    char pdb[260]; /* its path where it was linked; "" where the file has none, or a longer one */
    struct symbol_table exports; /* by RVA */
};

/* False with a sentence. pe_fini() when true. */
bool pe_read(struct pe *p, const struct blob *b, struct err *why);

/* Everything but the exports, by a handful of small reads; there is nothing to free. */
bool pe_read_identity(struct pe *p, const struct blob *b, struct err *why);

void pe_fini(struct pe *p);

#endif
