/* The rows of the tables of backends, for those tables only. */
#ifndef SRC_SYMBOL_BACKENDS_H
#define SRC_SYMBOL_BACKENDS_H

#include "src/symbol/backend.h"

extern const struct symbol_backend symbol_kernel;  /* kernel_linux.c */
extern const struct symbol_backend symbol_vdso;    /* vdso_linux.c */
extern const struct symbol_backend symbol_elf;     /* elf_linux.c */
extern const struct symbol_backend symbol_pdb;     /* symbol_pdb.c */
extern const struct symbol_backend symbol_pe;      /* symbol_pdb.c */
extern const struct symbol_backend symbol_dbghelp; /* dbghelp_windows.c */
extern const struct symbol_backend symbol_jit;     /* jit_linux.c */

#endif
