/* Names as compilers mangle them: any bytes end within bounds of text, memory and steps, and what
 * comes out is the same in a smaller room, but for its end. */
#include "src/symbol/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool (*read)(const char *name, char *out, size_t room), const char *name)
{
    enum { SMALL = 40, LARGE = 3000 };
    char *const small = malloc(SMALL), *const large = malloc(LARGE);
    const bool is_large = read(name, large, LARGE), is_small = read(name, small, SMALL);
    if (is_large && strlen(large) >= LARGE)
        abort();
    if (is_small && strlen(small) >= SMALL)
        abort();
    if (is_large && !is_small && strlen(large) >= SMALL)
        abort(); /* a smaller room takes less work */
    free(small);
    free(large);
}

static bool any(const char *name, char *out, size_t room)
{
    demangle(name, out, room);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const name = malloc(size + 3);
    memcpy(name, data, size);
    name[size] = '\0';
    check(any, name);
    check(demangle_cxx, name);
    memcpy(name, "_Z", 2);
    memcpy(name + 2, data, size);
    name[size + 2] = '\0';
    check(demangle_cxx, name);
    free(name);
    return 0;
}
