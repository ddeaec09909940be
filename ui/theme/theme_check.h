/* What themes are asked for on the command line: which there are, what one comes to, and whether
 * it can be read by everybody it is for (ui/README.md, Themes and colors). */
#ifndef UI_THEME_THEME_CHECK_H
#define UI_THEME_THEME_CHECK_H

#include "ui/theme/theme.h"

#include <stdio.h>

/* "tracetop theme list": name, mode, safe for, author, tab-separated, with a header. */
void theme_list(FILE *out);

/* The theme with nothing left to inherit: a theme file that looks the same. */
void theme_print(const struct theme *t, FILE *out);

/* Contrasts, distances between colors that stand for different things, as everybody sees them
 * whom the theme claims to be safe for, and gradients. One line for each, tab-separated; returns
 * how many are not well. */
unsigned theme_check(const struct theme *t, FILE *out);

#endif
