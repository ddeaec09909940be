/* `tracetop fields`: the columns of all panes by their stable ids. */
#ifndef SRC_COMMAND_FIELDS_H
#define SRC_COMMAND_FIELDS_H

#include "src/base/err.h"
#include "src/table/pane.h"

#include <stdio.h>

/* Tab-separated with a header line: pane, id, type, unit, title, help. One pane, or all
 * where `only` is NULL. */
void fields_print(const struct pane *only, FILE *to);

/* The pane that was meant, or NULL with a sentence that suggests one. */
const struct pane *fields_pane(const char *id, struct err *err);

#endif
