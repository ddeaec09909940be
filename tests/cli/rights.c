/* Who may do what to whom, from outside: the built program started by sudo, with capabilities on
 * its file, and beside another user who means harm. The lines of THREATS in src/README.md name
 * these tests. As root, who makes the users (numbers that nobody has); skips otherwise.
 *
 * Rows are shell lines. $T is a copy of the program, $C one with capabilities, $D the folder:
 * secret.* are root's alone, u/ is the user's, theirs/ another's. $SUDO and $U start a program as
 * sudo would and as the user. */
#include "tests/terminal.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
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
#include <unistd.h>

enum { USER = 65533, OTHER = 65532 }; /* nobody has such numbers */

static const char as_user[] = "setpriv --reuid 65533 --regid 65533 --clear-groups";
static const char as_sudo[] = "env SUDO_UID=65533 SUDO_GID=65533";
static const char all_capabilities[] = "cap_perfmon,cap_bpf,cap_dac_read_search,cap_sys_ptrace,"
                                       "cap_syslog,cap_ipc_lock";

struct row {
    const char *line;
    int status;
    const char *out, *err; /* must be found there; NULL = that one is empty; "" = anything */
};

static char folder[64];

/* ---- lines ------------------------------------------------------------------------------- */

static void need_root(void)
{
    if (geteuid() == 0)
        return;
    print_message("skipped: only root can be another user\n");
    skip();
}

static char *slurp(const char *name)
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

/* The terminal, where there is one, is served meanwhile. */
static void check(struct terminal *t, const struct row *r)
{
    char line[8192];
    snprintf(line, sizeof line, "{ %s ; } >%s/out 2>%s/err </dev/null", r->line, folder, folder);
    const pid_t child = fork();
    if (child == 0)
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    int status;
    while (waitpid(child, &status, t ? WNOHANG : 0) == 0)
        terminal_pump(t, 20);
    char *const out = slurp("out"), *const err = slurp("err");
    const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended != r->status || !fits(r->out, out) || !fits(r->err, err))
        fail_msg(
            "%s\nstatus %d, expected %d\n--- standard output\n%.600s\n--- standard error\n%.600s",
            r->line, ended, r->status, out, err);
    free(out);
    free(err);
}

#define CHECK_ALL(rows)                                                                            \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                     \
    check(NULL, &(rows)[i])

/* ---- root by sudo (a) ------------------------------------------------------------------------ */

/* Root opens what was named; everything else is done by the user who called sudo. */
static const struct row by_sudo[] = {
    {"$SUDO $T dump $D/secret.etl -O jsonl -o $D/u/a && stat -c '%u %g %a' $D/u/a", 0,
     "65533 65533 600\n", NULL},
    {"$SUDO $T stats $D/secret.etl | head -1", 0, "header\tprovider", NULL},
    {"$SUDO $T dump $D/secret.etl -o $D/root/a; ls -A $D/root", 0, NULL, "Permission denied"},
    {"$SUDO $T cut $D/secret.etl -o $D/root/a.etl; ls -A $D/root", 0, NULL, "Permission denied"},
    {"$SUDO $T record --source demo -o $D/root/a.etl; ls -A $D/root", 0, NULL,
     "Permission denied"},
    {"$SUDO $T record --source demo -q -o $D/u/b.etl -- sh -c 'id -u; id -g; id -G; "
     "grep -E \"^Cap(Inh|Prm|Eff|Amb).*[1-9a-f]\" /proc/self/status'; stat -c %u $D/u/b.etl",
     0, "65533\n65533\n65533\n65533\n", NULL},
    {"$SUDO $T keys --config $D/secret.conf", 1, NULL, "Permission denied"},
    {"$SUDO $T theme check $D/secret.theme", 1, NULL, "Permission denied"},
    {"$SUDO $T $D/secret.etl --headless --log $D/root/log; ls -A $D/root", 0, NULL,
     "root/log': Permission denied"},
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
    struct terminal *const t = terminal_start(argv, env, 100, 30);
    snprintf(path, sizeof path, "%s/run/tracetop/%d.sock", folder, (int)terminal_pid(t));
    int status;
    while (access(path, F_OK) != 0 && !terminal_ended(t, &status))
        terminal_pump(t, 20);
    assert_int_equal(access(path, F_OK), 0);
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)terminal_pid(t));
    setenv("I", pid, 1);
    return t;
}

/* The user's other processes ask the monitor for files: it writes what they could write. */
static const struct row asked[] = {
    {"$U $T snapshot --to $D/root/zz.etl --instance $I; ls -A $D/root", 0, NULL,
     "Permission denied"},
    {"$U $T record start $D/root/zz.etl --instance $I; ls -A $D/root", 0, NULL,
     "Permission denied"},
    {"$U $T snapshot --to $D/u/zz.etl --instance $I && stat -c %u $D/u/zz.etl", 0, "65533\n",
     NULL},
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
static const struct row with_capabilities[] = {
    {"$U $C theme check $D/secret.theme", 1, NULL, "Permission denied"},
    {"$U $C theme show $D/secret.theme", 1, NULL, "Permission denied"},
    {"$U $C keys --config $D/secret.conf", 1, NULL, "Permission denied"},
    {"TRACETOP_CONFIG=$D/secret.conf $U $C keys", 0, "quit\t", "Permission denied"},
    {"$U $C top disk --source demo --events 100 --rate 0 --view $D/secret.view", 1, NULL,
     "Permission denied"},
    {"$U $C stats $D/secret.etl", 1, NULL, "Permission denied"},
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

/* ---- recorders (h) --------------------------------------------------------------------------- */

/* The recorder that a user starts is the user's: the user ends it, and has what it wrote. One
 * that a service manager starts is the machine's. */
static const struct row recorders[] = {
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
    setenv("SUDO", as_sudo, 1);
    setenv("TRACETOP_CONFIG", "/nonexistent/tracetop.conf", 1);
    unsetenv("SUDO_UID");
    unsetenv("SUDO_GID");
    snprintf(line, sizeof line,
             "cp '%s' $T && chmod 755 $T && mkdir $D/root && mkdir -m 700 $D/u $D/run $D/theirs && "
             "chown %u:%u $D/u $D/run && chown %u:%u $D/theirs && umask 077 && "
             "$T record -q --source demo --events 3000 --rate 0 --seed 7 -o $D/secret.etl && "
             "echo '[keys]' >$D/secret.conf && echo x >$D/secret.theme && echo x >$D/secret.view",
             program, (unsigned)USER, (unsigned)USER, (unsigned)OTHER, (unsigned)OTHER);
    return system(line);
}

static int tear_down(void **state)
{
    (void)state;
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
        cmocka_unit_test(a_recorder_belongs_to_whoever_starts_it),
    };
    return cmocka_run_group_tests_name("rights", tests, set_up, tear_down);
}
