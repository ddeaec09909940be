#include "src/symbol_backends.h"

const struct symbol_backend *const symbol_backends[] = {&symbol_pdb, &symbol_pe, NULL};
