/* Calls of functions of programs and libraries: events that describe themselves (TraceLogging), of
 * a provider with the name of the file they are in. Made by our collector on Linux, or from a file,
 * which anybody may have written.
 *
 *   FUNCTION/entry    the arguments, under their names where these are known, else arg0, arg1 …
 *   FUNCTION/return   result, where it has one; duration_ns: since the entry, where that was seen
 */
#ifndef SRC_EVENT_FUNCTION_EVENT_H
#define SRC_EVENT_FUNCTION_EVENT_H

#include "src/event/event.h"

#include <stdbool.h>
#include <stdint.h>

#define FUNCTION_DURATION "duration_ns"

/* The provider's id, by the name of its file. */
struct guid function_provider(const char *file);

/* Is it a function's return? */
bool function_event_is_return(const struct event *e);

/* How long the call took; false where the record does not say. */
bool function_event_duration(const struct event *e, uint64_t *ns);

#endif
