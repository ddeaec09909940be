/* Real traces for tests, in ../shared beside the repository. Without it such tests skip
 * and say so; with TRACETOP_REQUIRE_SHARED=1 that is a failure. */
#ifndef TESTS_SHARED_H
#define TESTS_SHARED_H

#include "tests/test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files that match, sorted; free with globfree(). Skips the test when there are none. */
static inline glob_t shared_files(const char *pattern)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0)
        return found;
    const char *require = getenv("TRACETOP_REQUIRE_SHARED");
    if (require && strcmp(require, "1") == 0)
        fail_msg("no %s, and TRACETOP_REQUIRE_SHARED=1", pattern);
    print_message("no %s: skipped\n", pattern);
    skip();
    return found;
}

/* Does it take seconds with a sanitizer, which sees the same code in others? */
static inline bool shared_is_large(const char *file)
{
    enum { LARGE = 500000 }; /* bytes */
    FILE *const f = fopen(file, "rb");
    const bool is_large = f && fseek(f, LARGE, SEEK_SET) == 0 && getc(f) != EOF;
    if (f)
        fclose(f);
    return is_large;
}

#endif
