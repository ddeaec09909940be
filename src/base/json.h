/* JSON on its way out: the few shapes that our exports need. */
#ifndef SRC_BASE_JSON_H
#define SRC_BASE_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Writes a quoted string. Whatever the bytes are, valid JSON comes out that is safe to
 * show: what acts on a terminal or cannot be seen (text_is_hidden()) is \u-escaped, what is not UTF-8 becomes U+FFFD. */
void json_string(FILE *out, const char *text, size_t bytes);

/* The same for a NUL-terminated text. */
void json_text(FILE *out, const char *text);

/* The same into memory, which has JSON_ROOM(bytes); returns the bytes written. No NUL. */
#define JSON_ROOM(bytes) (6 * (size_t)(bytes) + 2)
size_t json_quote(char *out, const char *text, size_t bytes);

/* Makes a text safe to show in the same manner, but without quotes, and with quotes and
 * backslashes as they are: for lines that people read. Same room. */
size_t json_show(char *out, const char *text, size_t bytes);

#endif
