/* Names as people wrote them, from what compilers and linkers made of them. Any thread. */
#ifndef SRC_DEMANGLE_H
#define SRC_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name, NUL-terminated and cut to `room`; a name that is not mangled, or in a way that
 * is not known, stays as it is. True when it was changed. */
bool demangle(const char *name, char *out, size_t room);

/* Rust's names, both kinds (demangle_rust.c); false where it is none. */
bool demangle_rust(const char *name, char *out, size_t room);

/* C++'s, where the platform has a library that can (demangle_linux.c, demangle_windows.c). */
bool demangle_cxx(const char *name, char *out, size_t room);

#endif
