/* Perf maps, and names as compilers mangle them: text that anybody may have written. */
#include "src/symbol/demangle.h"
#include "src/symbol/jit.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct symbol_table t = {0};
    struct symbol_found found;
    const struct jit_lines l = symbol_jit_read(&t, (const char *)data, size);
    if (l.bad > l.lines || t.count > l.lines)
        abort();
    symbol_table_finish(&t);
    for (uint64_t at = 0; at < 0x4000; at += 0x31)
        symbol_table_find(&t, at, &found);
    symbol_table_fini(&t);
    char *const name = malloc(size + 1), out[300];
    memcpy(name, data, size);
    name[size] = '\0';
    demangle_rust(name, out, sizeof out);
    free(name);
    return 0;
}
