/* Addresses of IP in text. */
#ifndef SRC_BASE_ADDRESS_H
#define SRC_BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The address of 4 or 16 bytes in network order that stands there; *at moves behind it. It ends
 * with the text or a slash, comma, semicolon or blank. False where there is none. */
bool address_read(const char **at, uint8_t out[16], bool *is_v6);

/* A number of at most `most` in the base, up to four digits; *at moves behind it. */
bool address_digits(const char **at, unsigned base, unsigned most, unsigned *out);

/* ::ffff:10.0.0.1, an address of version 4 as one of version 6: its last four bytes. */
bool address_is_mapped(const uint8_t address[16]);

#endif
