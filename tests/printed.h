/* A line of a shell, and what it printed into files of a folder. */
#ifndef TESTS_PRINTED_H
#define TESTS_PRINTED_H

#include "tests/test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The text holds what is expected, where that begins with a number the whole number: "1" is not
 * found in "91". NULL: it is empty. */
static inline bool fits(const char *expected, const char *found)
{
    if (!expected)
        return !*found;
    for (const char *at = found; (at = strstr(at, expected)); at++)
        if (at == found || !isdigit((unsigned char)*expected) || !isdigit((unsigned char)at[-1]))
            return true;
    return false;
}

struct shell_line {
    const char *line;
    int status;
    const char *out, *err; /* must be found there; NULL = that one is empty; "" = anything */
};

/* Its outputs go to `out` and `err` in the folder. While it runs, `serve` is called again and
 * again, where it is given. */
static inline void shell_line_check(const char *folder, const struct shell_line *l,
                                    void (*serve)(void *), void *served)
{
    char line[8192];
    snprintf(line, sizeof line, "{ %s ; } >%s/out 2>%s/err </dev/null", l->line, folder, folder);
    const pid_t child = fork();
    if (child == 0)
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    int status;
    while (waitpid(child, &status, serve ? WNOHANG : 0) == 0)
        serve(served);
    char *const out = slurp(folder, "out"), *const err = slurp(folder, "err");
    const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended != l->status || !fits(l->out, out) || !fits(l->err, err))
        fail_msg(
            "%s\nstatus %d, expected %d\n--- standard output\n%.600s\n--- standard error\n%.600s",
            l->line, ended, l->status, out, err);
    free(out);
    free(err);
}

#endif
