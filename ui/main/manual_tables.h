/* The parts of the manual that are written from tables: commands, options, keys, fields, columns,
 * settings, roles, signs. */
#ifndef UI_MAIN_MANUAL_TABLES_H
#define UI_MAIN_MANUAL_TABLES_H

#include "ui/main/page.h"

/* By the name that a page has for it, "{NAME}"; false: there is no such table. */
bool manual_table(struct manual_page *p, const char *name, size_t bytes);

#endif
