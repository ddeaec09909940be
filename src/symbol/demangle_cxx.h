/* The two halves of demangle_cxx(). */
#ifndef SRC_SYMBOL_DEMANGLE_CXX_H
#define SRC_SYMBOL_DEMANGLE_CXX_H

#include "src/symbol/demangle_cxx_tree.h"

#include <stddef.h>

/* Reads an encoding, what follows "_Z"; *at is then behind it. 0 and is_bad where it is none. The
 * nodes refer to the text. */
cxx_id cxx_read(struct cxx_tree *t, const char **at, const char *end);

/* Writes a node, cut to room - 1 bytes, without a NUL; returns how many these are, or sets
 * is_bad. */
size_t cxx_write(struct cxx_tree *t, cxx_id n, char *out, size_t room);

#endif
