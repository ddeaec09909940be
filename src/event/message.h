/* Messages: a provider's text with the values of an event's fields put in, on one line.
 *
 *   %1 … %99      the field of that number, members of structures not counted; as details show it
 *   %1!FORMAT!    the same by printf's flags, width, precision and d i u x X c s S
 *   %n %r %t      a space, as are ends of lines and tabs in the text; several are one
 *   %b %. %! %%   space . ! %
 *   %0            the text ends here
 *   %%123         a text of another table: left as it is
 *
 * Where a text labels a value with the name of another field, "AssemblyFlags=%3", the value is that
 * field's: some messages were not renumbered when their event got a field more.
 *
 * A number that no field has, or whose field is not in the payload, is left as it is. Values may
 * hold any characters, like those of details: whoever shows the text escapes them. */
#ifndef SRC_EVENT_MESSAGE_H
#define SRC_EVENT_MESSAGE_H

#include "src/event/decode.h"

/* Writes the text, UTF-8 with a NUL; returns its length. `room` is at least MESSAGE_ROOM. Where the
 * text takes more than `room` less MESSAGE_SPARE, it ends with "…". The work is in proportion to
 * the template's length and to `room`, whatever they hold. */
enum { MESSAGE_SPARE = 1024, MESSAGE_ROOM = 2048 };
size_t message_format(const char *template, const struct decoded *fields, unsigned count,
                      bool is_linux, char *out, size_t room);

/* Does the template say more than names and values, "HeapNum=%1; ClrInstanceID=%2"? Such a list
 * repeats the fields. */
bool message_has_words(const char *template);

#endif
