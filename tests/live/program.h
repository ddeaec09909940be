/* The program of the build that a live test is of: build/FLAVOUR-COMPILER/tracetop. */
#ifndef TESTS_LIVE_PROGRAM_H
#define TESTS_LIVE_PROGRAM_H

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* False where it is unknown, or there is none. */
static inline bool live_program(char *out, size_t room)
{
    const ssize_t bytes = readlink("/proc/self/exe", out, room - 1);
    out[bytes > 0 ? bytes : 0] = '\0';
    char *const behind = strstr(out, "/tests/live/"); /* longer than what takes its place */
    if (behind)
        strcpy(behind, "/tracetop");
    return behind && access(out, X_OK) == 0;
}

#endif
