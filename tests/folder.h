/* Files and folders of tests: cleared, copied, compared. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include "tests/test.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Removes the files in a folder; how many there were. */
static inline unsigned folder_clear(const char *folder)
{
    unsigned count = 0;
    DIR *const d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        count += e->d_name[0] != '.' && unlink(path) == 0;
    }
    if (d)
        closedir(d);
    return count;
}

/* And the folder; 0 when that is gone. */
static inline int folder_remove(const char *folder)
{
    folder_clear(folder);
    return rmdir(folder);
}

static inline void file_put(const char *path, const char *text)
{
    FILE *const f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* All of it, of files of a few KiB. */
static inline void file_holds(const char *path, const char *text)
{
    char found[4096];
    FILE *const f = fopen(path, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, text);
}

/* As a program would that knows nothing of the file. */
static inline void file_copy(const char *from, const char *to)
{
    char bytes[65536];
    FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
    assert_true(in && out);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, in)) > 0;)
        assert_int_equal(fwrite(bytes, 1, got, out), got);
    assert_int_equal(fclose(in) | fclose(out), 0);
}

static inline bool file_is_same(const char *a, const char *b)
{
    char here[4096], there[4096];
    FILE *const x = fopen(a, "rb"), *const y = fopen(b, "rb");
    assert_true(x && y);
    size_t got;
    bool is_same = true;
    do {
        got = fread(here, 1, sizeof here, x);
        is_same = fread(there, 1, sizeof there, y) == got && memcmp(here, there, got) == 0;
    } while (is_same && got > 0);
    fclose(x);
    fclose(y);
    return is_same;
}

#endif
