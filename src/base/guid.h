/* GUIDs as they lie in memory and in files (first three groups little-endian). */
#ifndef SRC_BASE_GUID_H
#define SRC_BASE_GUID_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct guid {
    uint8_t b[16];
};

enum { GUID_TEXT = 37 }; /* 36 characters and the NUL */

static inline bool guid_equal(const struct guid *a, const struct guid *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Lower case, no braces; returns `out`, which holds GUID_TEXT bytes. */
char *guid_format(const struct guid *g, char *out);

/* Made from eight bytes that say whose it is, and a hash of a name (FNV-1a). */
struct guid guid_of_name(const char first[8], const char *name);

/* Reads the text form, with or without braces, any case. */
bool guid_parse(const char *text, struct guid *out);

#endif
