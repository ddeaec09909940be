/* Sentences for the user from a collector's other threads: a feed has one producer, which passes
 * them on. */
#ifndef COLLECTORS_MESSAGES_H
#define COLLECTORS_MESSAGES_H

#include "collectors/feed.h"

#include "src/base/notices.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { MESSAGES = 8 };

/* All zero: none. */
struct messages {
    char text[MESSAGES][NOTICE_BYTES];
    _Atomic unsigned passed, written;
    _Atomic bool is_writing;
};

/* Any thread but the feed's. False, and the message is dropped, while MESSAGES wait. */
bool message_write(struct messages *m, const char *format, ...) PRINTF_LIKE(2, 3);

/* The feed's thread. */
void messages_pass_on(struct messages *m, struct feed *f);

#endif
