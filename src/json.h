/* JSON on its way out: the few shapes that our exports need. */
#ifndef SRC_JSON_H
#define SRC_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Writes a quoted string. Whatever the bytes are, valid JSON comes out that is safe to
 * show: controls (C0, C1, DEL), bidirectional controls and line separators are
 * \u-escaped, what is not UTF-8 becomes U+FFFD. */
void json_string(FILE *out, const char *text, size_t bytes);

/* The same for a NUL-terminated text. */
void json_text(FILE *out, const char *text);

#endif
