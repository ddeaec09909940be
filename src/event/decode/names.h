/* Words for numbers that kernel events carry: KWAIT_REASON. */
#ifndef SRC_EVENT_DECODE_NAMES_H
#define SRC_EVENT_DECODE_NAMES_H

#include <stdint.h>

/* "Executive", "UserRequest" …; NULL for numbers nobody has named. */
const char *name_wait_reason(unsigned reason);

/* The word for it on Linux, "futex" for WrAlertByThreadId; the same as above where it has none. */
const char *name_wait_reason_linux(unsigned reason);

#endif
