/* PE files: any bytes are read within bounds. */
#include "src/symbol/pe.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct blob b = blob_of(data, size);
    struct pe p;
    struct symbol_found found;
    if (!pe_read(&p, &b, NULL))
        return 0;
    for (uint64_t at = 0; at < 0x4000; at += 0x31)
        symbol_table_find(&p.exports, at, &found);
    pe_fini(&p);
    return 0;
}
