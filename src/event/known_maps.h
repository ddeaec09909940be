/* Names of numbers in fields that no schema names: options of files, decisions of the .NET garbage
 * collector, errors. JSON keeps the numbers and has the names beside them. */
#ifndef SRC_EVENT_KNOWN_MAPS_H
#define SRC_EVENT_KNOWN_MAPS_H

#include "src/event/decode.h"

/* The map of the field of that name and type (enum field_type) of the provider's events, or NULL.
 */
const struct value_map *known_map(const struct guid *provider, uint16_t id, const char *field,
                                  unsigned type);

#endif
