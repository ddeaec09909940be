/* Live tests of the built program by lines of a shell, in a folder of their own: $T is the program,
 * $D the folder, which also holds the endpoints and the state of what runs in it. */
#ifndef TESTS_LIVE_PLACE_H
#define TESTS_LIVE_PLACE_H

#include "tests/test.h"

#include "tests/live/harness.h"
#include "tests/live/program.h"

#include <stdlib.h>
#include <sys/wait.h>

static inline int place_run(const char *script)
{
    const int status = system(script);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int place_set_up(void **state)
{
    static char folder[64];
    char program[4200];
    strcpy(folder, "/tmp/tracetop-place-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_true(live_program(program, sizeof program));
    setenv("T", program, 1);
    setenv("D", folder, 1);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    setenv("TRACETOP_CONFIG", "/nonexistent/tracetop.conf", 1);
    *state = folder;
    return 0;
}

static inline int place_tear_down(void **state)
{
    (void)state;
    return place_run("rm -r \"$D\"");
}

/* Skips where events cannot be opened. */
static inline void place_needs_rights(void)
{
    struct live_run *const can = live_begin(&(struct live_request){.classes = 1u << FACT_PROCESS});
    live_end(can);
    live_free(can);
}

#endif
