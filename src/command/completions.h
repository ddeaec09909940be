/* `tracetop completions SHELL`: what completes the command line, written from the tables of
 * subcommands, options and panes. */
#ifndef SRC_COMMAND_COMPLETIONS_H
#define SRC_COMMAND_COMPLETIONS_H

#include "src/base/err.h"

#include <stdio.h>

/* bash, zsh or fish; false with a sentence for others. */
bool completions_print(const char *shell, FILE *to, struct err *err);

#endif
