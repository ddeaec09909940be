/* `tracetop ask --from`: a monitor on a real terminal is asked by another program, and by callers
 * that mean harm. Rows are shell lines: $T is the program, $PID the monitor's, $D a folder, $DEMO
 * what makes the monitor's events. */
#include "tests/terminal.h"
#include "tests/test.h"

#include "tests/printed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *program;
static char folder[] = "/tmp/tracetop-monitor-XXXXXX";
static struct terminal *screen;

#define WHOLE "--events 60000 --rate 0 --seed 7 --start 2026-05-17T10:20:30Z"

/* ---- the monitor ------------------------------------------------------------------------------ */

static int64_t milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void wait_until(const char *text, bool is_shown)
{
    enum { PATIENCE_MS = 180000 };
    const int64_t end = milliseconds() + PATIENCE_MS;
    while (terminal_shows(screen, text) != is_shown && milliseconds() < end)
        terminal_pump(screen, 100);
    if (terminal_shows(screen, text) != is_shown)
        fail_msg("'%s' is %s shown:\n%s", text, is_shown ? "not" : "still", terminal_text(screen));
}

static void wait_for(const char *text)
{
    wait_until(text, true);
}

static void start(const char *options, const char *shown)
{
    char line[512], pid[24];
    static char runtime[64];
    snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s", folder);
    snprintf(line, sizeof line, "exec %s %s", program, options);
    screen = terminal_start((const char *const[]){"/bin/sh", "-c", line, NULL},
                            (const char *const[]){runtime, NULL}, 160, 30);
    snprintf(pid, sizeof pid, "%d", (int)terminal_pid(screen));
    setenv("PID", pid, 1);
    wait_for(shown);
}

static int leave(void **state)
{
    (void)state;
    if (screen)
        terminal_free(screen);
    screen = NULL;
    return 0;
}

/* Its screen is drawn while a line runs. */
static void serve(void *arg)
{
    (void)arg;
    terminal_pump(screen, 20);
}

static void check(const struct shell_line *l)
{
    shell_line_check(folder, l, serve, NULL);
}

#define CHECK_ALL(rows)                                                                            \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                     \
    check(&(rows)[i])

/* ---- what it answers --------------------------------------------------------------------------- */

#define SAME(query)                                                                                \
    {                                                                                              \
        "$T ask " query " --from pid:$PID >$D/a && $T ask " query " -q $DEMO >$D/b && "            \
        "cmp $D/a $D/b && test -s $D/a",                                                           \
            0, NULL, NULL                                                                          \
    }

static const struct shell_line answers[] = {
    SAME("'by proc | count'"),
    SAME("--json 'proc, path | count, p99 lat, sum size where op=read sort p99 top 5'"),
    SAME("'by event, cpu | count, quantize lat, distinct path, most path'"),
    SAME("'by path, pid, tid, event | count, avg lat'"),
    SAME("'by proc | count' -r -300ms.."),
    SAME("'by op | max lat' -r 100ms..400ms"),
    {"$T ask 'by proc | count' --from monitor -o $D/c && $T ask 'by proc | count' -q $DEMO | "
     "cmp - $D/c",
     0, NULL, NULL},
    {"$T ask 'by proc\n| count' --from monitor | head -c 56", 0, "\"query\":\"by proc | count\"",
     NULL},
    {"$T ask 'by nothing' --from pid:$PID", 2, NULL, "there is no key \"nothing\""},
    {"$T ask 'by proc' --from pid:$PID -r 5x..", 2, NULL, "expected a time"},
    {"$T ask 'by proc' --from pid:$PID -r 10h..11h", 1, NULL, "tracetop: "},
    {": >$D/a.etl; $T ask 'by proc' --from pid:$PID $D/a.etl", 2, NULL,
     "a.etl' cannot be queried as well"},
    {"$T ask 'by proc' --from pid:$PID -t 1s", 2, NULL, "--duration is not valid"},
    {"$T ask 'by proc' --from pid:$PID --seed 1", 2, NULL, "--seed is not valid"},
    {"$T ask 'by proc' --from pid:0", 2, NULL, "expected pid:N or monitor, found 'pid:0'"},
    {"$T ask 'by proc' --from pid:2147483640", 1, NULL, "no monitor runs as process 2147483640"},
    {"$T ask \"by proc$(head -c 5000 /dev/zero | tr '\\0' ' ')\" --from pid:$PID", 1, NULL,
     "queries of at most 4095 bytes"},
};

static void a_monitor_answers_as_a_local_ask_does(void **state)
{
    (void)state;
    start(WHOLE, "FINISHED");
    CHECK_ALL(answers);
}

/* Six programs ask again and again. Meanwhile the monitor answers keys. Its events are few enough
 * that any machine answers within the time that a caller waits. */
static void the_screen_goes_on(void **state)
{
    static const struct shell_line both[] = {
        {"$T ask 'by proc | count' --from pid:$PID | grep -c '\"kind\":\"demo\",\"made_up\":true'",
         0, "1", NULL},
        {"$T mark 'from the test' --instance $PID && "
         "$T ask 'by event | count where class=mark' --from pid:$PID",
         0, "\"row_count\":1,", NULL},
        /* the answer says what the mark is */
        {"$T mark $(printf %0300d 0) --instance $PID | tr -d '0\\n'; "
         "$T mark $(printf %0300d 0) --instance $PID | tr -cd 0 | wc -c",
         0, "marked: …252\n", NULL},
    };
    enum { KEYS = 20 };
    char enough[64];
    (void)state;
    snprintf(enough, sizeof enough, "%s/enough", folder);
    start("--source demo --rate 5000", "DEMO");
    CHECK_ALL(both);
    const pid_t child = fork();
    if (child == 0)
        execl("/bin/sh", "sh", "-c",
              "ask() { until test -e $D/enough; do "
              "$T ask 'by path, pid, event | count, p99 lat' --from pid:$PID >$D/many.$1 && "
              "grep -q '\"row_count\":[1-9]' $D/many.$1 || return; done; : >$D/good.$1; }; "
              "for i in 1 2 3 4 5 6; do ask $i & done; wait; "
              "test $(ls $D/good.* | wc -l) = 6",
              (char *)NULL);
    for (int key = 0; key < KEYS; key++) {
        const bool opens = key % 2 == 0;
        terminal_press(screen, opens ? "?" : "Esc");
        wait_until("sort:", !opens); /* help covers the pane's line */
    }
    assert_int_equal(close(creat(enough, 0600)), 0);
    int status;
    while (waitpid(child, &status, WNOHANG) == 0)
        terminal_pump(screen, 20);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- who means harm ----------------------------------------------------------------------------- */

static int connected(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const int d = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(to.sun_path, sizeof to.sun_path, "%s/tracetop/%s.sock", folder, getenv("PID"));
    assert_int_equal(connect(d, (struct sockaddr *)&to, sizeof to), 0);
    return d;
}

/* Half a line; no range; a query that is none; one that leaves before its answer; one that reads
 * nothing of a large one. Then the next one is answered as ever. */
static void hostile_callers_do_no_harm(void **state)
{
    static const struct shell_line after = SAME("'by proc | count'");
    static const struct {
        const char *line, *answer; /* NULL: leaves at once; "": reads nothing */
    } calls[] = {
        {"ask by proc\n", "no expected a range"},
        {"ask \t\n", "no "},
        {"ask 1..2..3\tby proc\n", "no "},
        {"ask \tby proc | count \x1b[2J\xff\n", "no "},
        {"ask\n", "no "},
        {"ask \tby path, pid, tid, event, | count\n", NULL},
        {"ask \tby path, pid, tid, event | count, p99 lat\n", NULL},
        {"ask \tby path, pid, tid, event | count, p99 lat\n", ""},
        {"ask \tby pr", ""},
    };
    (void)state;
    start(WHOLE, "FINISHED");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char back[64] = "";
        const int d = connected();
        assert_int_equal(write(d, calls[i].line, strlen(calls[i].line)),
                         (ssize_t)strlen(calls[i].line));
        if (calls[i].answer && calls[i].answer[0]) {
            assert_true(read(d, back, sizeof back - 1) > 0);
            assert_memory_equal(back, calls[i].answer, strlen(calls[i].answer));
        } else if (calls[i].answer) {
            check(&after); /* it waits for its turn */
        }
        close(d);
    }
    check(&after);
    terminal_press(screen, "?");
    wait_until("sort:", false);
}

static int prepare(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    setenv("D", folder, 1);
    setenv("DEMO", WHOLE, 1);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    return 0;
}

static int remove_folder(void **state)
{
    char line[128];
    (void)state;
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_monitor_answers_as_a_local_ask_does, leave),
        cmocka_unit_test_teardown(the_screen_goes_on, leave),
        cmocka_unit_test_teardown(hostile_callers_do_no_harm, leave),
    };
    if (argc != 2)
        return 2;
    program = argv[1];
    setenv("T", program, 1);
    return cmocka_run_group_tests(tests, prepare, remove_folder);
}
