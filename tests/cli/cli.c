/* The command line as a shell sees it: what the built program prints where, and how it
 * ends. A row is a shell line, in which $T is the program, $S the folder of real traces
 * and $D an empty folder; the status, and what must stand in the two outputs. */
#include "tests/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct row {
    const char *line;
    int status;
    const char *out, *err; /* must be found there; NULL = that one is empty; "" = anything */
    bool needs_traces;
};

#define WIN7 "$S/perfview-win7-PerfViewData.etl.zst"

static const struct row rows[] = {
    /* asking about itself */
    {"$T --version", 0, "tracetop 0.", NULL, false},
    {"$T --help", 0, "--headless", NULL, false},
    {"$T stats --help", 0, "Usage: tracetop stats FILE", NULL, false},

    /* usage */
    {"$T --nonsense", 2, NULL, "unknown option --nonsense", false},
    {"$T stats", 2, NULL, "'stats' needs a FILE", false},
    {"$T statz", 2, NULL, "did you mean 'stats'?", false},
    {"$T stats -O csv Makefile", 2, NULL, "no format 'csv'", false},

    /* files that are none */
    {"$T stats nosuch.etl", 1, NULL, "nosuch.etl: there is no such file", false},
    {"$T nosuch.etl", 1, NULL, "nosuch.etl: there is no such file", false},
    {"$T stats Makefile", 1, NULL, "Makefile: not an .etl file", false},
    {"$T stats src/", 1, NULL, "a directory", false},
    {": > $D/empty.etl; $T stats $D/empty.etl", 1, NULL, "empty.etl", false},

    /* output */
    {"$T stats " WIN7 " -o $D/a && cat $D/a", 0, "header\tprovider", "", true},
    {"$T stats " WIN7 " -o $D/a", 1, NULL, "exists already; --force overwrites it", true},
    {"$T stats " WIN7 " -o $D/a --force", 0, NULL, "", true},
    {"stat -c %a $D/a", 0, "600", NULL, true},
    {"$T stats Makefile -o $D/b; ls $D/b*", 2, NULL, "not an .etl file", false},
    {"$T stats " WIN7 " -o $D/no/such", 1, NULL, "no/such", true},
    {"$T stats " WIN7 " | head -1; $T stats " WIN7 " | :", 0, "header\tprovider", "", true},
    {"$T stats " WIN7 " > /dev/full", 1, NULL, "cannot be written", true},

    /* stats */
    {"$T stats " WIN7 " -O json", 0, "\"totals\"", "", true},
    {"$T stats $S/derived-truncated-midbuffer.etl", 6, "header", "derived-truncated", true},
    {"$T stats $S/derived-unstopped-header.etl", 0, "header", "never stopped", true},
};

struct fixture {
    char folder[64];
    bool has_traces;
};

static char *slurp(const char *folder, const char *name)
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

static bool fits(const char *expected, const char *found)
{
    return expected ? strstr(found, expected) != NULL : !*found;
}

static void check(const struct fixture *f, const struct row *r)
{
    char line[1024];
    snprintf(line, sizeof line, "{ %s ; } >%s/out 2>%s/err </dev/null", r->line, f->folder,
             f->folder);
    const int status = system(line);
    char *const out = slurp(f->folder, "out"), *const err = slurp(f->folder, "err");
    const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended != r->status || !fits(r->out, out) || !fits(r->err, err))
        fail_msg(
            "%s\nstatus %d, expected %d\n--- standard output\n%.600s\n--- standard error\n%.600s",
            r->line, ended, r->status, out, err);
    free(out);
    free(err);
}

static void rows_hold(void **state)
{
    const struct fixture *const f = *state;
    unsigned skipped = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].needs_traces && !f->has_traces)
            skipped++;
        else
            check(f, &rows[i]);
    }
    if (skipped)
        print_message("../shared/etl is absent: %u rows skipped\n", skipped);
}

static int set_up(void **state)
{
    struct fixture *const f = *state;
    strcpy(f->folder, "/tmp/tracetop-cli-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    setenv("D", f->folder, 1);
    setenv("S", "../shared/etl", 1);
    f->has_traces = access("../shared/etl", R_OK) == 0;
    return 0;
}

static int tear_down(void **state)
{
    const struct fixture *const f = *state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", f->folder);
    return system(line);
}

/* usage: cli PROGRAM */
int main(int argc, char **argv)
{
    struct fixture fixture = {.has_traces = false};
    if (argc != 2)
        return fprintf(stderr, "usage: cli PROGRAM\n"), 2;
    setenv("T", argv[1], 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(rows_hold, set_up, tear_down, &fixture),
    };
    return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
