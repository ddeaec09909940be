/* Who may do what to whom, from outside: the built program started by sudo, with capabilities on
 * its file, and beside another user who means harm. The lines of THREATS in src/README.md name
 * these tests. As root, who makes the users (numbers that nobody has); skips otherwise.
 *
 * Rows are shell lines. $T is a copy of the program, $C one with capabilities, $D the folder:
 * secret.* are root's alone, u/ is the user's, theirs/ another's. $SUDO and $U start a program as
 * sudo would and as the user. */
#include "tests/terminal.h"
#include "tests/test.h"

#include "tests/printed.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { USER = 65533, OTHER = 65532 }; /* nobody has such numbers */

static const char as_user[] = "setpriv --reuid 65533 --regid 65533 --clear-groups";
static const char as_sudo[] = "env SUDO_UID=65533 SUDO_GID=65533";
static const char all_capabilities[] = "cap_perfmon,cap_bpf,cap_dac_read_search,cap_sys_ptrace,"
                                       "cap_syslog,cap_ipc_lock";

static char folder[64];
static struct terminal *screen; /* of a test; freed whatever becomes of it */

/* ---- lines ------------------------------------------------------------------------------- */

static void need_root(void)
{
    if (geteuid() == 0)
        return;
    print_message("skipped: only root can be another user\n");
    skip();
}

static void serve(void *t)
{
    terminal_pump(t, 20);
}

/* The terminal, where there is one, is served meanwhile. */
static void check(struct terminal *t, const struct shell_line *l)
{
    shell_line_check(folder, l, t ? serve : NULL, t);
}

#define CHECK_ALL(rows)                                                                            \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                     \
    check(NULL, &(rows)[i])

/* ---- root by sudo (a) ------------------------------------------------------------------------ */

/* Root opens what was named; everything else is done by the user who called sudo. */
static const struct shell_line by_sudo[] = {
    {"$SUDO $T dump $D/secret.etl -O jsonl -o $D/u/a && stat -c '%u %g %a' $D/u/a", 0,
     "65533 65533 600\n", NULL},
    {"$SUDO $T stats $D/secret.etl | head -1", 0, "header\tprovider", NULL},
    {"$SUDO $T dump $D/secret.etl -o $D/root/a; ls -A $D/root", 0, NULL, "Permission denied"},
    {"$SUDO $T cut $D/secret.etl -o $D/root/a.etl; ls -A $D/root", 0, NULL, "Permission denied"},
    {"$SUDO $T record --source demo -o $D/root/a.etl; ls -A $D/root", 0, NULL, "Permission denied"},
    {"$SUDO $T record --source demo -q -o $D/u/b.etl -- sh -c 'id -u; id -g; id -G; "
     "grep -E \"^Cap(Inh|Prm|Eff|Amb).*[1-9a-f]\" /proc/self/status'; stat -c %u $D/u/b.etl",
     0, "65533\n65533\n65533\n65533\n", NULL},
    {"$SUDO $T keys --config $D/secret.conf", 1, NULL, "Permission denied"},
    {"$SUDO $T theme check $D/secret.theme", 1, NULL, "Permission denied"},
    {"$SUDO $T dump $D/secret.etl --schema $D/secret.man", 1, NULL, "Permission denied"},
    {"$SUDO $T dump --source demo --events 100 --rate 0 -o $D/root/a; ls -A $D/root", 0, NULL,
     "Permission denied"},
    {"$SUDO $T $D/secret.etl --headless --log $D/root/log; ls -A $D/root", 0, NULL,
     "root/log': Permission denied"},
    {"$SUDO $T ask proc $D/secret.etl -o $D/root/a; ls -A $D/root", 0, NULL, "Permission denied"},
    {"$SUDO $T manual filter -o $D/root/a; ls -A $D/root", 0, NULL, "Permission denied"},
    /* nor by what is typed on the screen */
    {"printf ':\ntext:export csv %s/root/a\nEnter\nwait\n:\ntext:snapshot %s/root/a.etl\nEnter\n' "
     "$D "
     "$D >$D/typed; chmod 644 $D/typed; $SUDO $T $D/secret.etl --headless --keys $D/typed "
     ">$D/screen; "
     "ls -A $D/root",
     0, NULL, "no snapshot: cannot create"},
    /* what does not say whose it is, is nobody's */
    {"SUDO_UID=x SUDO_GID=1 $T stats $D/secret.etl", 1, NULL, "SUDO_UID is 'x'"},
    {"SUDO_UID=65533 SUDO_GID=x $T stats $D/secret.etl", 1, NULL, "SUDO_GID is 'x'"},
    {"SUDO_UID=0 SUDO_GID=0 $T dump $D/secret.etl -o $D/root/b && stat -c %u $D/root/b && "
     "rm $D/root/b",
     0, "0\n", NULL},
    /* root alone stays root, who writes where root may */
    {"$T dump $D/secret.etl -O jsonl -o $D/u/root && stat -c %u $D/u/root", 0, "0\n", NULL},
};

static void under_sudo_the_user_does_it(void **state)
{
    (void)state;
    need_root();
    CHECK_ALL(by_sudo);
}

/* Does every thread of the process have this line in its status? `line` ends where it may. */
static bool all_threads_say(pid_t pid, const char *line)
{
    char command[256];
    snprintf(command, sizeof command, "test $(ls /proc/%d/task | wc -l) = $(grep -lE '%s' "
             "/proc/%d/task/*/status | wc -l)", (int)pid, line, (int)pid);
    return system(command) == 0;
}

static void expect_of_all_threads(pid_t pid, const char *line)
{
    if (!all_threads_say(pid, line)) {
        char command[128];
        snprintf(command, sizeof command, "grep -hE '^(Name|Uid|Cap|NoNew)' /proc/%d/task/*/status",
                 (int)pid);
        if (system(command) != 0)
            print_error("the process has ended\n");
        fail_msg("expected of all threads: %s", line);
    }
}

static struct terminal *start_screen(const char *const *argv)
{
    char runtime[128], path[160];
    snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s/run", folder);
    const char *const env[] = {"SUDO_UID=65533", "SUDO_GID=65533", runtime, NULL};
    struct terminal *const t = screen = terminal_start(argv, env, 100, 30);
    snprintf(path, sizeof path, "%s/run/tracetop/%d.sock", folder, (int)terminal_pid(t));
    int status;
    const time_t until = time(NULL) + PATIENCE_NS / 1000000000;
    while (access(path, F_OK) != 0 && !terminal_ended(t, &status) && time(NULL) < until)
        terminal_pump(t, 20);
    assert_int_equal(access(path, F_OK), 0);
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)terminal_pid(t));
    setenv("I", pid, 1);
    return t;
}

/* The user's other processes ask the monitor for files: it writes what they could write. Nor do
 * they get at its memory: it was root's. */
static const struct shell_line asked[] = {
    {"$U head -c1 /proc/$I/mem", 1, NULL, "Permission denied"},
    {"$U cat /proc/$I/environ", 1, NULL, "Permission denied"},
    {"$U $T snapshot --to $D/root/zz.etl --instance $I; ls -A $D/root", 0, NULL,
     "Permission denied"},
    {"$U $T record start $D/root/zz.etl --instance $I; ls -A $D/root", 0, NULL,
     "Permission denied"},
    {"$U $T snapshot --to $D/u/zz.etl --instance $I && stat -c %u $D/u/zz.etl", 0, "65533\n", NULL},
};

static void a_screen_under_sudo_serves_the_user_as_the_user(void **state)
{
    (void)state;
    need_root();
    char program[128], trace[128];
    snprintf(program, sizeof program, "%s/tracetop", folder);
    snprintf(trace, sizeof trace, "%s/secret.etl", folder);
    const char *const argv[] = {program, trace, NULL};
    struct terminal *const t = start_screen(argv);
    expect_of_all_threads(terminal_pid(t), "^Uid:\t65533\t65533\t65533\t65533");
    expect_of_all_threads(terminal_pid(t), "^CapPrm:\t0*$");
    expect_of_all_threads(terminal_pid(t), "^NoNewPrivs:\t1$");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        check(t, &asked[i]);
    terminal_free(t);
    screen = NULL;
}

/* ---- capabilities on the file (b) ------------------------------------------------------------ */

static void need_capabilities(const char *form)
{
    char line[512];
    need_root();
    snprintf(line, sizeof line,
             "cp $T $C && chmod 755 $C && setcap '%s=%s' $C 2>/dev/null", all_capabilities, form);
    if (system(line) == 0)
        return;
    print_message("skipped: files in %s can have no capabilities (setcap)\n", folder);
    skip();
}

/* The user's own rights count for every file that the user names. */
static const struct shell_line with_capabilities[] = {
    {"$U $C theme check $D/secret.theme", 1, NULL, "Permission denied"},
    {"$U $C theme show $D/secret.theme", 1, NULL, "Permission denied"},
    {"$U $C keys --config $D/secret.conf", 1, NULL, "Permission denied"},
    {"TRACETOP_CONFIG=$D/secret.conf $U $C keys", 0, "quit\t", "Permission denied"},
    {"$U $C top disk --source demo --events 100 --rate 0 --view $D/secret.view", 1, NULL,
     "Permission denied"},
    {"$U $C top disk --source demo --events 100 --rate 0 --schema $D/secret.man", 1, NULL,
     "Permission denied"},
    {"$U $C stats $D/secret.etl", 1, NULL, "Permission denied"},
    /* Opened with rights for names of functions, and never by its name. */
    {"cp $C $D/plain; a=$($U $C stats /proc/kallsyms 2>&1); b=$($U $D/plain stats /proc/kallsyms "
     "2>&1); "
     "test \"$a\" = \"$b\" && echo \"$a\"",
     0, "/proc/kallsyms", NULL},
    {"$U $C info $D/secret.etl", 1, NULL, "Permission denied"},
    {"$U $C machine $D/secret.etl", 1, NULL, "Permission denied"},
    {"$U $C dump $D/secret.etl", 1, NULL, "Permission denied"},
    {"$U $C ask proc $D/secret.etl", 1, NULL, "Permission denied"},
    {"$U $C ask proc --events 100 --rate 0 --schema $D/secret.man", 1, NULL, "Permission denied"},
    {"$U $C mcp $D/secret.etl", 1, NULL, "Permission denied"},
    {"$U $C stacks $D/secret.etl", 1, NULL, "Permission denied"},
    {"$U $C fields --json --view $D/secret.view", 1, NULL, "Permission denied"},
    {"$U $C dump --source demo --events 100 --rate 0 -o $D/root/a; ls -A $D/root", 0, NULL,
     "Permission denied"},
    {"$U $C live --headless --source demo --events 100 --rate 0 --log $D/root/log; ls -A $D/root",
     0, NULL, "Permission denied"},
    {"$U $C top disk $D/secret.etl", 1, NULL, "Permission denied"},
    {"$U $C cut $D/secret.etl -o $D/u/c.etl; ls $D/u/c.etl 2>/dev/null", 2, NULL,
     "Permission denied"},
    {"$U $C $D/secret.etl --headless", 1, NULL, "Permission denied"},
    {"$U $C live --headless --source demo --events 100 --rate 0 --keys $D/secret.conf", 1, NULL,
     "Permission denied"},
    {"$U $C record --source demo -q --force -o $D/u/d.etl -- "
     "grep -cE '^Cap(Inh|Prm|Eff|Amb).*[1-9a-f]' /proc/self/status",
     1, "0\n", NULL},
};

static void capabilities_open_no_file_that_is_named(void **state)
{
    static const char *const forms[] = {"ep", "p"};
    (void)state;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        need_capabilities(forms[f]);
        CHECK_ALL(with_capabilities);
    }
}

#define INSTALLED(mode, form)                                                                      \
    "chgrp 65533 $C; chmod " mode " $C; setcap $CAPS" form " $C; $U $C doctor | "                    \
    "grep '^ *installation'"

static const struct shell_line installations[] = {
    {INSTALLED("755", "=p"), 0, "open     all users may run the program", NULL},
    {INSTALLED("770", "=p"), 0, "open     users other than root may write", NULL},
    {INSTALLED("750", "=ep"), 0, "open     the capabilities are in effect from the start", NULL},
    {INSTALLED("750", "=p"), 0, "ok       only root and the group of the file may run", NULL},
    {"cp $C $D/plain; $U $D/plain doctor | grep -c '^ *installation'", 1, "0\n", NULL},
};

static void doctor_knows_the_form_of_the_installation(void **state)
{
    (void)state;
    need_capabilities("p");
    CHECK_ALL(installations);
}

/* ---- recorders (h) --------------------------------------------------------------------------- */

/* The recorder that a user starts is the user's: the user ends it, and has what it wrote. One
 * that a service manager starts is the machine's. */
static const struct shell_line recorders[] = {
    {"$SUDO $T record -q --source demo -o $D/u/h.etl & p=$!; "
     "until test -s $D/u/h.etl.partial; do sleep 0.02; done; stat -c %u $D/u/h.etl.partial; "
     "$U kill -INT $p || kill -INT $p; wait $p; stat -c '%u %a' $D/u/h.etl",
     0, "65533\n65533 600\n", NULL},
    {"$T record -q --source demo --events 100 -o $D/root/h.etl; stat -c '%u %a' $D/root/h.etl; "
     "rm $D/root/h.etl",
     0, "0 600\n", NULL},
};

static void a_recorder_belongs_to_whoever_starts_it(void **state)
{
    (void)state;
    need_root();
    CHECK_ALL(recorders);
}

/* ---- what is written, and where (c, d) -------------------------------------------------------- */

/* How often the owner or mode of a file of $D/u changed whose name ends in .partial. */
static unsigned count_changes(const char *line)
{
    unsigned changes = 0;
    char path[128], events[65536] __attribute__((aligned(8)));
    snprintf(path, sizeof path, "%s/u", folder);
    const int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    assert_true(fd >= 0 && inotify_add_watch(fd, path, IN_ATTRIB) >= 0);
    check(NULL, &(struct shell_line){line, 0, "", ""});
    for (ssize_t got; (got = read(fd, events, sizeof events)) > 0;)
        for (const char *at = events; at < events + got;) {
            const struct inotify_event *const e = (const void *)at;
            changes += e->len && strstr(e->name, ".partial");
            at += sizeof *e + e->len;
        }
    close(fd);
    return changes;
}

/* The file that was created is the one that is written: it is not found again by its name, where
 * another may stand by then (its mode lets nobody open it again: umask), and it is not given away,
 * for it is the user's from the beginning. */
static void what_is_written_is_opened_once(void **state)
{
    static const char *const lines[] = {
        "umask 777; $SUDO $T dump $D/secret.etl -O jsonl --force -o $D/u/once",
        "umask 777; $SUDO $T dump $D/secret.etl -O etl --force -o $D/u/once.etl",
        "umask 777; $SUDO $T record --source demo -q --events 9 --force -o $D/u/once2.etl -- true",
    };
    (void)state;
    need_root();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const unsigned changes = count_changes(lines[i]);
        if (changes)
            fail_msg("%s: its owner or mode changed %u times", lines[i], changes);
    }
}

#define LOGGED "timeout 30 $T live --source demo --events 100 --rate 0 --headless "

static const struct shell_line no_files[] = {
    {"$T stats $D/secret.etl --force -o $D/fifo; test -p $D/fifo", 0, NULL,
     "found a pipe, socket or device"},
    {"$T stats $D/secret.etl --force -o $D/device; test -c $D/device", 0, NULL,
     "found a pipe, socket or device"},
    {"$T stats $D/secret.etl --force -o $D/socket; test -S $D/socket", 0, NULL,
     "found a pipe, socket or device"},
    {"$T stats $D/secret.etl --force -o $D/link-to-device; test -L $D/link-to-device", 0, NULL,
     "found a pipe, socket or device"},
    {"timeout 30 $T record -q --source demo --force -o $D/fifo; test -p $D/fifo", 0, NULL,
     "found a pipe, socket or device"},
    {LOGGED "--log $D/fifo", 1, NULL, "found a pipe, socket or device"},
    /* nor is it opened: whoever reads it would see that it was closed again */
    {"cat $D/fifo & p=$!; until grep -qx cat /proc/$p/comm && grep -q '^State:.S' /proc/$p/status; "
     "do "
     "sleep 0.02; done; " LOGGED "--log $D/fifo >/dev/null; sleep 0.3; kill $p; wait $p; echo $?",
     0, "143\n", "found a pipe, socket or device"},
    {LOGGED "--log $D/device", 1, NULL, "found a pipe, socket or device"},
    {LOGGED "--log $D/socket", 1, NULL, "found a pipe, socket or device"},
    {LOGGED "--log $D/link; ls $D/u/victim", 2, NULL, "expected a regular file, found a link"},
    {LOGGED "--log $D/log >/dev/null; stat -c %a $D/log", 0, "600\n", NULL},
};

static void only_files_are_replaced_or_logged_to(void **state)
{
    (void)state;
    need_root();
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char device[128];
    snprintf(at.sun_path, sizeof at.sun_path, "%s/socket", folder);
    snprintf(device, sizeof device, "%s/device", folder);
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s, (struct sockaddr *)&at, sizeof at), 0);
    close(s);
    if (mknod(device, S_IFCHR | 0666, makedev(1, 3)) != 0) {
        print_message("skipped: no device can be made here (CAP_MKNOD)\n");
        skip();
    }
    check(NULL, &(struct shell_line){"mkfifo $D/fifo; ln -s device $D/link-to-device; "
                                     "ln -s u/victim $D/link",
                                     0, NULL, NULL});
    CHECK_ALL(no_files);
}

/* ---- endpoints (e) ---------------------------------------------------------------------------- */

/* Somebody else listens under a name that a monitor could have, and says yes to everything. */
static pid_t squat(const char *place)
{
    int ready[2];
    char c;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct sockaddr_un at = {.sun_family = AF_UNIX};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN); /* callers leave when they see who it is */
        snprintf(at.sun_path, sizeof at.sun_path, "%.80s/%d.sock", place, (int)getpid());
        const int s = socket(AF_UNIX, SOCK_STREAM, 0);
        umask(0);
        if (setgid(OTHER) != 0 || setuid(OTHER) != 0 ||
            bind(s, (struct sockaddr *)&at, sizeof at) != 0 || listen(s, 8) != 0 ||
            write(ready[1], "r", 1) != 1)
            _exit(1);
        for (int to; (to = accept(s, NULL, NULL)) >= 0; close(to))
            if (write(to, "ok it is marked\n", 16) != 16)
                continue;
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &c, 1), 1);
    close(ready[0]);
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)child);
    setenv("I", pid, 1);
    return child;
}

#define CALL "XDG_RUNTIME_DIR=$D/squat $U $T "

static const struct shell_line calls_into_their_folder[] = {
    {CALL "mark x", 1, NULL, "belongs to user 65532, not to 65533"},
    {CALL "mark x --instance $I", 1, NULL, "belongs to user 65532, not to 65533"},
    {CALL "snapshot --to $D/u/s.etl --instance $I", 1, NULL, "belongs to user 65532"},
};

static const struct shell_line calls_to_their_socket[] = {
    {CALL "mark x", 1, NULL, "belongs to user 65532"},
    {CALL "mark x --instance $I", 1, NULL, "belongs to user 65532"},
};

static void a_caller_looks_whose_endpoint_it_is(void **state)
{
    (void)state;
    need_root();
    char place[128];
    snprintf(place, sizeof place, "%s/squat/tracetop", folder);
    check(NULL,
          &(struct shell_line){"mkdir $D/squat && chown 65533:65533 $D/squat && "
                               "mkdir $D/squat/tracetop && chown 65532:65532 $D/squat/tracetop",
                               0, NULL, NULL});
    const pid_t child = squat(place);
    CHECK_ALL(calls_into_their_folder);
    assert_int_equal(chown(place, USER, USER), 0); /* who was let in once still listens */
    assert_int_equal(chmod(place, 0700), 0);
    CHECK_ALL(calls_to_their_socket);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* ---- programs that are started, and the environment (f) ----------------------------------------- */

#define OWN_TYPE "TERM=tracetop-own "

static const struct shell_line environments[] = {
    /* the type is a good one, for whoever has no more rights than the user */
    {OWN_TYPE "TERMINFO=$D/types $U $T doctor | grep -c 'set TERM to'", 1, "0\n", NULL},
    {OWN_TYPE "TERMINFO=$D/types $U $C doctor | grep -c 'set TERM to'", 0, "1\n", NULL},
    {OWN_TYPE "TERMINFO_DIRS=$D/types $U $C doctor | grep -c 'set TERM to'", 0, "1\n", NULL},
    {OWN_TYPE "HOME=$D/home $U $C doctor | grep -c 'set TERM to'", 0, "1\n", NULL},
    {"TERM=../../..$D/types/t/tracetop-own $U $C doctor | grep -c 'set TERM to'", 0, "1\n", NULL},
    {"COLUMNS=47 LINES=11 $U $C doctor | grep -c 47x11", 1, "0\n", NULL},
    /* programs that are started have all of it, and no rights */
    {"HOME=/a TERMINFO=/b OF_MINE=c $U $C record --source demo -q --force -o $D/u/f.etl -- "
     "sh -c 'echo $HOME $TERMINFO $OF_MINE'",
     0, "/a /b c\n", NULL},
};

static void borrowed_rights_take_no_paths_from_the_environment(void **state)
{
    (void)state;
    need_capabilities("p");
    check(NULL,
          &(struct shell_line){"mkdir -m 755 $D/types $D/home; infocmp -x xterm | "
                               "sed 's/^xterm|/tracetop-own|/' | tic -x -o $D/types - && "
                               "cp -r $D/types $D/home/.terminfo && chmod -R a+rX $D/types $D/home",
                               0, NULL, ""});
    CHECK_ALL(environments);
}

static const struct shell_line new_privileges[] = {
    {"$T record --source demo -q --force -o $D/u/n.etl -- grep NoNewPrivs /proc/self/status", 0,
     "NoNewPrivs:\t0\n", NULL},
    {"$T record --source demo -q --force -o $D/u/n.etl & p=$!; "
     "until test -s $D/u/n.etl.partial; do sleep 0.02; done; grep NoNewPrivs /proc/$p/status; "
     "kill -INT $p; wait $p",
     0, "NoNewPrivs:\t1\n", NULL},
    {"$T live --source demo --seed 3 --events 120000 --rate 0 --headless --dump "
     "--on 'disk.p99>8ms do run grep NoNewPrivs /proc/self/status >'$D/u/nnp >/dev/null; "
     "i=0; until test -s $D/u/nnp; do sleep 0.02; done; cat $D/u/nnp",
     0, "NoNewPrivs:\t0\n", NULL},
};

static void nothing_started_can_gain_rights(void **state)
{
    (void)state;
    need_root();
    CHECK_ALL(new_privileges);
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static const char *program;

static int set_up(void **state)
{
    (void)state;
    char line[4096], copy[128], capable[128], runtime[128], options[1024];
    if (geteuid() != 0)
        return 0;
    strcpy(folder, "/tmp/tracetop-rights-XXXXXX");
    if (!mkdtemp(folder) || chmod(folder, 0755) != 0)
        return -1;
    const char *const sanitizer = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "%.900s%sdetect_leaks=0", sanitizer ? sanitizer : "",
             sanitizer ? ":" : ""); /* which takes debugging oneself: whose rights changed may not */
    snprintf(copy, sizeof copy, "%s/tracetop", folder);
    snprintf(capable, sizeof capable, "%s/capable", folder);
    snprintf(runtime, sizeof runtime, "%s/run", folder);
    setenv("XDG_RUNTIME_DIR", runtime, 1);
    setenv("ASAN_OPTIONS", options, 1);
    setenv("D", folder, 1);
    setenv("T", copy, 1);
    setenv("C", capable, 1);
    setenv("U", as_user, 1);
    setenv("CAPS", all_capabilities, 1);
    setenv("SUDO", as_sudo, 1);
    setenv("TRACETOP_CONFIG", "/nonexistent/tracetop.conf", 1);
    unsetenv("SUDO_UID");
    unsetenv("SUDO_GID");
    snprintf(
        line, sizeof line,
        "cp '%s' $T && chmod 755 $T && mkdir $D/root && mkdir -m 700 $D/u $D/run $D/theirs && "
        "chown %u:%u $D/u $D/run && chown %u:%u $D/theirs && umask 077 && "
        "$T record -q --source demo --events 3000 --rate 0 --seed 7 -o $D/secret.etl && "
        "echo '[keys]' >$D/secret.conf && echo x >$D/secret.theme && echo x >$D/secret.view && "
        "echo '<a/>' >$D/secret.man",
        program, (unsigned)USER, (unsigned)USER, (unsigned)OTHER, (unsigned)OTHER);
    return system(line);
}

static int tear_down(void **state)
{
    (void)state;
    if (screen)
        terminal_free(screen);
    return geteuid() == 0 ? system("rm -rf \"$D\"") : 0;
}

/* usage: rights PROGRAM */
int main(int argc, char **argv)
{
    if (argc != 2)
        return fprintf(stderr, "usage: rights PROGRAM\n"), 2;
    program = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_sudo_the_user_does_it),
        cmocka_unit_test(a_screen_under_sudo_serves_the_user_as_the_user),
        cmocka_unit_test(capabilities_open_no_file_that_is_named),
        cmocka_unit_test(doctor_knows_the_form_of_the_installation),
        cmocka_unit_test(what_is_written_is_opened_once),
        cmocka_unit_test(only_files_are_replaced_or_logged_to),
        cmocka_unit_test(a_caller_looks_whose_endpoint_it_is),
        cmocka_unit_test(borrowed_rights_take_no_paths_from_the_environment),
        cmocka_unit_test(nothing_started_can_gain_rights),
        cmocka_unit_test(a_recorder_belongs_to_whoever_starts_it),
    };
    return cmocka_run_group_tests_name("rights", tests, set_up, tear_down);
}
