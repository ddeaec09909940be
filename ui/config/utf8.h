/* Single characters in UTF-8: of keys and of cells. */
#ifndef UI_CONFIG_UTF8_H
#define UI_CONFIG_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The first character of a text that ends with NUL; how many bytes it takes, 0 where it is not
 * well-formed. A NUL is a character of one byte. */
size_t utf8_decode(const char *text, uint32_t *code);

/* A character as UTF-8, NUL-terminated, at most 4 bytes and NUL; the count. */
size_t utf8_encode(uint32_t code, char out[5]);

#endif
