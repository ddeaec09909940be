/* Limits of memory that control groups set. */
#ifndef SRC_OS_MEMORY_LINUX_H
#define SRC_OS_MEMORY_LINUX_H

#include <stdint.h>

/* The lowest limit of this process's group and of those around it, in bytes; UINT64_MAX where
 * there is none. Files are read below `prefix`: "" is the system's own. */
uint64_t os_memory_limit(const char *prefix);

#endif
