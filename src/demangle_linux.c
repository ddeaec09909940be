/* C++ names by the C++ library's own demangler, found when the program runs: where there is no
 * C++ library, there are few names to demangle. */
#include "src/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef char *cxa_demangle(const char *name, char *room, size_t *bytes, int *status);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static cxa_demangle *library_function; /* written once, before anybody reads it */

static void find_library(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !library_function; i++) {
        void *const library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (library) /* a function pointer through a union: C has no cast for it */
            library_function = ((union {
                                   void *object;
                                   cxa_demangle *function;
                               }){dlsym(library, "__cxa_demangle")})
                                   .function;
    }
}

bool demangle_cxx(const char *name, char *out, size_t room)
{
    int status = -1;
    pthread_once(&once, find_library);
    char *const text = library_function ? library_function(name, NULL, NULL, &status) : NULL;
    if (text && status == 0)
        snprintf(out, room, "%s", text);
    free(text);
    return text && status == 0;
}
