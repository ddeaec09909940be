/* Names of the keywords of providers whose built-in layouts have none, as their manifests call them
 * (.NET's ClrEtwAll.man; the others as `logman query providers` prints them). */
#ifndef SRC_EVENT_KNOWN_KEYWORDS_H
#define SRC_EVENT_KNOWN_KEYWORDS_H

#include "src/base/guid.h"

/* By the number of the bit, 64 of them, NULL where a bit has no name. NULL: the provider is not known.
 * For the life of the program; any thread. */
const char *const *known_keywords(const struct guid *provider);

#endif
