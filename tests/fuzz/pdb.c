/* PDB files: any bytes are read within bounds, and what was read answers. */
#include "src/symbol/pdb.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct blob b = blob_of(data, size);
    struct pdb p;
    struct guid guid;
    uint32_t age;
    pdb_identify(&b, &guid, &age, NULL);
    if (!pdb_read(&p, &b, NULL))
        return 0;
    struct symbol_found found;
    for (uint64_t at = 0; at < 0x4000; at += 0x31)
        pdb_find(&p, at, &found);
    pdb_find(&p, UINT64_MAX, &found);
    pdb_fini(&p);
    return 0;
}
