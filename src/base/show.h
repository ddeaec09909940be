/* All text for people is written here: whatever a trace, a file or a name on the disk brings,
 * nothing of it acts on a terminal or hides. What a terminal could act on, and what cannot be seen
 * (controls, directions, zero-width and tag characters), is written as \u…; what is not UTF-8 is
 * U+FFFD. tests/writes.sh sees to it that everything goes through here, or says why not. */
#ifndef SRC_BASE_SHOW_H
#define SRC_BASE_SHOW_H

#include "src/base/err.h"

#include <stddef.h>
#include <stdio.h>

/* As fprintf(): the format's own text as it stands, the text of every argument made safe. Known are
 * %s %c %d %i %u %x %X %o %f %g %e %p %%, with flags, width, precision and h, l, ll, j, z. */
void show(FILE *to, const char *format, ...) PRINTF_LIKE(2, 3);

/* A text as it is, made safe. */
void show_text(FILE *to, const char *text, size_t bytes);

#endif
