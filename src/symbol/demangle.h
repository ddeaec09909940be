/* Names as people wrote them, from what compilers and linkers made of them. Any thread. */
#ifndef SRC_SYMBOL_DEMANGLE_H
#define SRC_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name, NUL-terminated and cut to `room`; a name that is not mangled, or in a way that
 * is not known, stays as it is. True when it was changed. */
bool demangle(const char *name, char *out, size_t room);

/* Rust's names, both kinds (demangle_rust.c); false where it is none. */
bool demangle_rust(const char *name, char *out, size_t room);

/* C++'s (demangle_cxx.c); false where it is none, or one beyond the limits.
 *
 * Own code, on both systems. Libraries were measured: libstdc++'s __cxa_demangle() makes gigabytes
 * of a name of 533 bytes; libiberty's callback form can be stopped while it writes, but not while
 * it parses, and a name of 223 bytes ("N1AcvT_I" 22 times over) takes it 1.3 s, with a factor of
 * two for each 8 bytes more; nor is it at hand on Windows, and it refuses names above 1 KiB. Ours
 * writes 72,000 names of libstdc++, LLVM and clang as __cxa_demangle() does, but for a handful. */
bool demangle_cxx(const char *name, char *out, size_t room);

#endif
