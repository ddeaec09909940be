#include "src/symbol/backends.h"

const struct symbol_backend *const symbol_backends[] = {
    &symbol_kernel, &symbol_vdso, &symbol_elf, &symbol_jit, &symbol_pdb, &symbol_pe, NULL,
};
