/* SHA-1, for GUIDs that are made from names; nothing here is secret. */
#ifndef COLLECTORS_WINDOWS_SHA1_H
#define COLLECTORS_WINDOWS_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { SHA1_BYTES = 20 };

void sha1(const void *data, size_t bytes, uint8_t *digest);

#endif
