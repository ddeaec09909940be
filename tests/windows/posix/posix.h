/* What the portable tests use of POSIX and this system's C library lacks; included before every
 * file of the tests. What cannot be had here skips the test that asks for it. */
#ifndef TESTS_WINDOWS_POSIX_POSIX_H
#define TESTS_WINDOWS_POSIX_POSIX_H

#define HERE_IS_POSIX false
#include "tests/test.h"

#include <direct.h>
#include <io.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

/* cmocka prints with the system's own printf(), which has other letters for sizes. */
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#define print_error(...)   ((void)fprintf(stderr, __VA_ARGS__))
#define print_message(...) ((void)fprintf(stdout, __VA_ARGS__))

typedef unsigned uid_t, gid_t;

/* Skips the test that runs, with a sentence. */
int posix_lacks(const char *what);

#define fork()           posix_lacks("fork()")
#define mkfifo(path, m)  posix_lacks("pipes with a name in a folder")
#define mkdir(path, mode) _mkdir(path)
#define geteuid()        0
#define symlink(a, b)    posix_lacks("links of this kind")

char *mkdtemp(char *template);
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);

/* Streams into memory: files, whose text is there once they are flushed or closed. */
FILE *open_memstream(char **text, size_t *bytes);
FILE *fmemopen(void *buffer, size_t room, const char *mode);
int posix_fflush(FILE *f);
int posix_fclose(FILE *f);
#define fflush posix_fflush
#define fclose posix_fclose

#endif
