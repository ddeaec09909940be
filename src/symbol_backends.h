/* The rows of the tables of backends, for those tables only. */
#ifndef SRC_SYMBOL_BACKENDS_H
#define SRC_SYMBOL_BACKENDS_H

#include "src/symbol_backend.h"

extern const struct symbol_backend symbol_kernel; /* symbol_kernel_linux.c */

#endif
