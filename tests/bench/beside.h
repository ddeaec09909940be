/* The program that a bench belongs to. */
#ifndef TESTS_BENCH_BESIDE_H
#define TESTS_BENCH_BESIDE_H

#include <stdlib.h>
#include <string.h>

/* build/FLAVOUR/tests/bench/NAME → build/FLAVOUR/tracetop; to be freed. */
static inline char *program_beside(const char *self)
{
    static const char beside[] = "/../../tracetop";
    const char *const slash = strrchr(self, '/');
    const size_t folder = slash ? (size_t)(slash - self) : 0;
    char *const path = calloc(folder + sizeof beside + 1, 1);
    if (!path)
        exit(1);
    memcpy(path, slash ? self : ".", slash ? folder : 1);
    strcat(path, beside);
    return path;
}

#endif
