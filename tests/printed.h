/* What a command printed into files of a folder. */
#ifndef TESTS_PRINTED_H
#define TESTS_PRINTED_H

#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file's text, to be freed. */
static inline char *slurp(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const f = fopen(path, "r");
    assert_non_null(f);
    char *text = NULL;
    size_t room = 0;
    if (getdelim(&text, &room, '\0', f) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(f);
    return text;
}

/* The text holds what is expected; NULL: it is empty. */
static inline bool fits(const char *expected, const char *found)
{
    return expected ? strstr(found, expected) != NULL : !*found;
}

#endif
