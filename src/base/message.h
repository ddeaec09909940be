/* Sentences for people, on standard error or wherever messages go. They may quote what
 * was found in a file or a name on the disk: nothing of it may act on a terminal. */
#ifndef SRC_BASE_MESSAGE_H
#define SRC_BASE_MESSAGE_H

#include "src/base/err.h"

#include <stdio.h>

/* Writes "tracetop: ", the sentence with controls shown as \u…, and a line's end. */
void message_print(FILE *to, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
