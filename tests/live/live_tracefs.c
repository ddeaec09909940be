/* Where the system has not mounted tracefs: root's tracetop mounts it for itself. All events come,
 * and from outside nothing is to be seen of it: not while it runs, not in what it starts, not after
 * kill -9. Whoever may not mount gets the command. Each test runs in a mount namespace without
 * tracefs. */
#include "tests/live/program.h"
#include "tests/terminal.h"
#include "tests/test.h"

#include "src/os/os.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 256 * 1024 };
static char program[600], folder[] = "/tmp/tracetop-mounts-XXXXXX";

/* ---- beginning and end ---------------------------------------------------------------------- */

static int hide_tracefs(void **state)
{
    (void)state;
    if (!live_program(program, sizeof program) || !mkdtemp(folder))
        return -1;
    if (geteuid() != 0)
        return 0;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return -1;
    umount2("/sys/kernel/debug/tracing", MNT_DETACH);
    umount2("/sys/kernel/debug", MNT_DETACH);
    umount2("/sys/kernel/tracing", MNT_DETACH);
    return access("/sys/kernel/tracing/events", F_OK) == 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void need_root(void)
{
    if (geteuid() == 0)
        return;
    print_message("skipped: only root can mount\n");
    skip();
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* What a shell prints, both outputs; free it. */
static char *printed(int *status, const char *format, ...) PRINTF_LIKE(2, 3);
static char *printed(int *status, const char *format, ...)
{
    char command[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    char *const out = calloc(1, ROOM);
    FILE *const f = popen(command, "r");
    assert_non_null(out);
    assert_non_null(f);
    out[fread(out, 1, ROOM - 1, f)] = '\0';
    const int ended = pclose(f);
    if (status)
        *status = WEXITSTATUS(ended);
    return out;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("expected '%s', found:\n%s", part, text);
}

static void expect_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("found '%s' in:\n%s", part, text);
}

static void expect_on_screen(struct terminal *t, const char *text, const char *more)
{
    for (const int64_t until = os_now() + PATIENCE_NS; os_now() < until; terminal_pump(t, 50))
        if (terminal_shows(t, text) && terminal_shows(t, more))
            return;
    fail_msg("no '%s' with '%s' on the screen:\n%s", text, more, terminal_text(t));
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void all_events_come(void **state)
{
    (void)state;
    need_root();
    char *const out = printed(NULL, "%s doctor 2>&1", program);
    expect(out, "all events");
    expect(out, "seen by no other process");
    expect_not(out, "mount -t tracefs");
    free(out);
}

static void the_caller_of_sudo_has_all_events_too(void **state)
{
    (void)state;
    need_root();
    char *const out = printed(NULL, "SUDO_UID=65534 SUDO_GID=65534 %s doctor 2>&1", program);
    expect(out, "all events");
    expect_not(out, "mount -t tracefs");
    free(out);
}

/* Where a process sees tracefs, and its namespace. Others may mount other things meanwhile. */
static char *mounts_of(int pid)
{
    return printed(NULL, "grep -E 'tracefs|debugfs' /proc/%d/mountinfo; readlink /proc/%d/ns/mnt",
                   pid, pid);
}

static void nobody_sees_the_mount(void **state)
{
    (void)state;
    need_root();
    char *const before = mounts_of(getpid()), *const of_first = mounts_of(1);
    const char *const argv[] = {program, NULL};
    const char *const env[] = {"TRACETOP_CONFIG=/nonexistent/tracetop.conf", NULL};
    struct terminal *const t = terminal_start(argv, env, 80, 24);
    expect_on_screen(t, "LIVE", "ev/s");
    char *const inside = mounts_of((int)terminal_pid(t)), *const during = mounts_of(getpid());
    int status;
    char *const held = printed(
        &status, "for f in /proc/%d/fd/*; do [ -d $f/events/sched ] && exit 0; done; exit 1",
        (int)terminal_pid(t));
    terminal_signal(t, SIGKILL);
    terminal_free(t);
    char *const after = mounts_of(getpid()), *const of_first_after = mounts_of(1);
    assert_int_equal(status, 0); /* it is there: by the descriptor, for root */
    assert_string_equal(inside, before);
    assert_string_equal(during, before);
    assert_string_equal(after, before);
    assert_string_equal(of_first_after, of_first);
    free(before), free(of_first), free(inside), free(during), free(held), free(after);
    free(of_first_after);
}

/* A command that is started has the caller's mounts and none of our descriptors. */
static void a_command_gets_nothing_of_it(void **state)
{
    (void)state;
    need_root();
    int status;
    char *const ours = printed(NULL, "readlink /proc/self/ns/mnt");
    char *const out = printed(&status,
                              "%s record -o %s/x.etl -- sh -c 'readlink /proc/self/ns/mnt; "
                              "grep tracefs /proc/self/mounts; for f in /proc/self/fd/*; do "
                              "[ -d $f/events ] && echo tracefs is here; done; true' 2>&1",
                              program, folder);
    assert_int_equal(status, 0);
    expect(out, ours);
    expect_not(out, "tracefs");
    free(ours), free(out);
}

/* Each size shows files by name, and no advice to mount anything. */
static void the_screen_shows_files(void **state)
{
    (void)state;
    need_root();
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    static const char filter[] = "/path:is-written\r";
    char command[256], *text;
    snprintf(command, sizeof command, "while :; do echo line >>%s/is-written; sleep 0.2; done",
             folder);
    const pid_t writer = fork();
    if (writer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also after a failed test */
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *const argv[] = {program, NULL};
        const char *const env[] = {"TRACETOP_CONFIG=/nonexistent/tracetop.conf", NULL};
        struct terminal *const t = terminal_start(argv, env, sizes[i][0], sizes[i][1]);
        expect_on_screen(t, "LIVE", "ev/s");
        terminal_press(t, "4");
        expect_on_screen(t, "Files", "OPS/S");
        terminal_send(t, filter, strlen(filter));
        expect_on_screen(t, "/is-written", "OPS/S");
        text = terminal_text(t);
        expect_not(text, "tracefs is");
        free(text);
        terminal_free(t);
    }
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
}

/* Without the right to mount (CAP_SYS_ADMIN): one sentence with the command. */
static void otherwise_the_command_is_shown(void **state)
{
    (void)state;
    need_root();
    int status;
    char *const out = printed(
        &status, "setpriv --bounding-set -sys_admin %s top processes 500ms 2 2>&1", program);
    assert_int_equal(status, 0);
    expect(out, "sudo mount -t tracefs");
    expect_not(out, "is unavailable"); /* not again for each event */
    free(out);
    char *const found = printed(NULL, "setpriv --bounding-set -sys_admin %s doctor 2>&1", program);
    expect(found, "sudo mount -t tracefs");
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_events_come),
        cmocka_unit_test(the_caller_of_sudo_has_all_events_too),
        cmocka_unit_test(nobody_sees_the_mount),
        cmocka_unit_test(a_command_gets_nothing_of_it),
        cmocka_unit_test(the_screen_shows_files),
        cmocka_unit_test(otherwise_the_command_is_shown),
    };
    return cmocka_run_group_tests_name("live_tracefs", tests, hide_tracefs, remove_folder);
}
