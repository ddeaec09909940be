/* Asking for the stacks of a row switches them on for what the row counts, says so with the cost, and
 * then shows where its events came from. By the keys, in a terminal. */
#include "tests/live/program.h"
#include "tests/terminal.h"
#include "tests/test.h"

#include "src/os/os.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[600];

static int find_program(void **state)
{
    (void)state;
    return live_program(program, sizeof program) ? 0 : -1;
}

/* Pages are touched for the first time, some hundred a second. */
static void touch_pages(void)
{
    enum { BYTES = 20 * 4096 };
    prctl(PR_SET_NAME, "page-toucher");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        char *const at =
            mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (unsigned i = 0; at != MAP_FAILED && i < BYTES; i += 4096)
            *(volatile char *)(at + i) = 1;
        if (at != MAP_FAILED)
            munmap(at, BYTES);
        usleep(50000);
    }
}

static void expect(struct terminal *t, const char *text)
{
    const int64_t end = os_now() + PATIENCE_NS;
    while (!terminal_shows(t, text) && os_now() < end)
        terminal_pump(t, 50);
    if (!terminal_shows(t, text)) {
        char *const screen = terminal_text(t);
        fprintf(stderr, "%s\n", screen);
        free(screen);
        fail_msg("the screen never shows '%s'", text);
    }
}

static void type(struct terminal *t, const char *text)
{
    terminal_send(t, text, strlen(text));
    assert_true(terminal_press(t, "Enter"));
}

static void stacks_come_when_they_are_asked_for(void **state)
{
    (void)state;
    const char *const argv[] = {program, "--ascii", NULL}, *const env[] = {NULL};
    if (geteuid() != 0) {
        print_message("skipped: only root is shown the stacks of others\n");
        skip();
    }
    const pid_t child = fork();
    if (child == 0)
        touch_pages();
    struct terminal *const t = terminal_start(argv, env, 200, 40);
    expect(t, "ev/s");
    type(t, ":memory");
    expect(t, "Memory");
    type(t, "/proc=page-toucher");
    expect(t, " page-toucher ");
    expect(t, " 1/"); /* rows shown */
    assert_true(terminal_press(t, "c"));
    expect(t, "switching on stacks (");
    expect(t, "mem profile), ");
    expect(t, "to unwind copies");
    expect(t, "+stacks");
    type(t, "/module=live_asked");
    expect(t, "live_asked!");
    type(t, ":quit");
    int status;
    const int64_t end = os_now() + PATIENCE_NS;
    while (!terminal_ended(t, &status) && os_now() < end)
        terminal_pump(t, 50);
    assert_true(terminal_ended(t, &status));
    terminal_free(t);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_come_when_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, find_program, NULL);
}
