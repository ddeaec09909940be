/* `tracetop manual`: the manual's sections. Their prose is in src/manual/ (see its README.md);
 * tables come from the program's own (manual_tables.h). */
#ifndef UI_MAIN_MANUAL_H
#define UI_MAIN_MANUAL_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* A section by any of its names: "filter", "tracetop-filter", "tracetop-filter(5)"; NULL is
 * tracetop(1). As text of at most 80 columns, or as roff for man(1). False with a sentence that
 * lists the sections. */
bool manual_print(FILE *to, const char *section, bool is_roff, struct err *err);

#endif
