/* Names of unfinished cached files, for cache_file_new() on each system. */
#ifndef SRC_OS_CACHE_NAME_H
#define SRC_OS_CACHE_NAME_H

#include <stdbool.h>
#include <string.h>

/* The program's process id, and a number of its own. */
#define CACHE_UNFINISHED ".tracetop-%lu-%u.partial"

/* So long after it was last written, it is nobody's. */
enum { CACHE_LEFTOVER_S = 86400 };

static inline bool cache_file_is_unfinished(const char *name)
{
    static const char begin[] = ".tracetop-", end[] = ".partial";
    const size_t bytes = strlen(name);
    return bytes >= sizeof begin + sizeof end && strncmp(name, begin, sizeof begin - 1) == 0 &&
           strcmp(name + bytes + 1 - sizeof end, end) == 0;
}

#endif
