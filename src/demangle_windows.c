/* What Linux's tools mangle is not met in Windows' own files. */
#include "src/demangle.h"

bool demangle_cxx(const char *name, char *out, size_t room)
{
    (void)name, (void)out, (void)room;
    return false;
}
