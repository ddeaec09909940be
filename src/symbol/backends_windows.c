#include "src/symbol/backends.h"

/* Our own reader first, which needs no network; then dbghelp, which may ask servers and knows
 * lines; what modules export comes last. */
const struct symbol_backend *const symbol_backends[] = {&symbol_pdb, &symbol_dbghelp, &symbol_pe,
                                                        NULL};
