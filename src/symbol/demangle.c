#include "src/symbol/demangle.h"

#include <stdio.h>
#include <string.h>

bool demangle(const char *name, char *out, size_t room)
{
    /* What versions and compilers add is no part of the mangled name. */
    char plain[2048];
    const size_t bytes = strcspn(name, "@");
    if (bytes < sizeof plain) {
        memcpy(plain, name, bytes);
        plain[bytes] = '\0';
        const bool may_be = strncmp(plain, "_R", 2) == 0 || strncmp(plain, "_Z", 2) == 0;
        if (may_be && (demangle_rust(plain, out, room) || demangle_cxx(plain, out, room)))
            return true;
    }
    snprintf(out, room, "%s", name);
    return false;
}
