#ifndef SRC_OS_REASON_LINUX_H
#define SRC_OS_REASON_LINUX_H

#include <stddef.h>
#include <string.h>

/* What the system says about an errno, in the buffer or in memory of its own. */
static inline const char *os_reason(int error, char *buffer, size_t bytes)
{
    return strerror_r(error, buffer, bytes); /* the GNU form: thread-safe, never NULL */
}

#endif
