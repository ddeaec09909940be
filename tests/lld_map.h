/* Addresses of functions in a module that lld linked. */
#ifndef TESTS_LLD_MAP_H
#define TESTS_LLD_MAP_H

#include "tests/test.h"

#include <stdio.h>
#include <string.h>

/* The function's address in lld's map, less the base of the image (lld's default for 64 bits). */
static inline uint64_t lld_map_rva(const char *map, const char *name)
{
    char line[512], found[256];
    unsigned long long address, rva = 0;
    FILE *const f = fopen(map, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, " %*x:%*x %255s %llx", found, &address) == 2 && strcmp(found, name) == 0)
            rva = address - 0x180000000u;
    fclose(f);
    assert_true(rva != 0);
    return rva;
}

#endif
