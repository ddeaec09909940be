/* `tracetop manual`: the manual page, written from the tables: subcommands, options, keys,
 * commands, settings. */
#ifndef UI_MAIN_MANUAL_H
#define UI_MAIN_MANUAL_H

#include <stdio.h>

void manual_print(FILE *to);

#endif
