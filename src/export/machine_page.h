/* What machine_run() needs of a page. */
#ifndef SRC_EXPORT_MACHINE_PAGE_H
#define SRC_EXPORT_MACHINE_PAGE_H

#include "src/export/machine.h"

void machine_page_json(const struct machine_page *p, FILE *out);
bool machine_page_is_empty(const struct machine_page *p);

#endif
