/* Processes against what started them: every one of thousands that live for a moment, with its
 * name, parent, start and end; chains of exec; names of threads; names made to hurt. */
#include "tests/live/harness.h"
#include "tests/live/program.h"
#include "tests/watcher.h"

#include "collectors/collectors.h"

#include "src/base/bytes.h"
#include "src/os/os.h"
#include "src/pane/panes.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NOT_TOLD = 0x103 };
enum { HOOK_NAME = 0x0548, HOOK_START = 0x0301, HOOK_END = 0x0302 };

static bool watch(const struct event *e, void *arg)
{
    watcher_take_event(arg, e);
    return false;
}

static struct watcher *watch_all(const struct live_run *r)
{
    struct watcher *const w = watcher_new();
    live_count(r, watch, w);
    return w;
}

/* A folder with links to programs under other names. */
struct folder {
    char path[64];
};

static void make_folder(struct folder *f)
{
    strcpy(f->path, "/tmp/tracetop-live-XXXXXX");
    assert_non_null(mkdtemp(f->path));
}

static void link_to(const struct folder *f, const char *program, const char *name, char *path,
                    size_t room)
{
    snprintf(path, room, "%s/%s", f->path, name);
    assert_int_equal(symlink(program, path), 0);
}

static void link_program(const struct folder *f, const char *name, char *path, size_t room)
{
    char program[512];
    const ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(bytes > 0);
    program[bytes] = '\0';
    link_to(f, program, name, path, room);
}

/* ---- thousands ---------------------------------------------------------------------------- */

enum { LIFETIMES = 2000, AT_ONCE = 8 };

struct lifetime {
    pid_t pid;
    int64_t before, after; /* its start lies between, likewise its end */
    int64_t end_before;
    char name[16];
};

static void start_one(struct lifetime *l, unsigned i, const struct folder *f)
{
    char path[128];
    snprintf(l->name, sizeof l->name, "%s-%05u", i % 2 ? "exec" : "fork", i);
    if (i % 2)
        link_to(f, "/bin/true", l->name, path, sizeof path); /* it begins fast */
    l->before = os_now();
    if (i % 2) {
        char *const argv[] = {l->name, (char *)"--nothing", NULL};
        assert_int_equal(posix_spawn(&l->pid, path, NULL, NULL, argv, environ), 0);
    } else {
        l->pid = fork();
        if (l->pid == 0) {
            prctl(PR_SET_NAME, l->name);
            _exit(0);
        }
    }
    assert_true(l->pid > 0);
    l->after = os_now();
    if (i % 2)
        unlink(path);
}

static void every_short_lifetime_is_reported(void **state)
{
    (void)state;
    struct folder f;
    make_folder(&f);
    struct lifetime *const lifetimes = calloc(LIFETIMES, sizeof *lifetimes);
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = 1u << FACT_PROCESS, .ring_bytes = 256 << 20});
    for (unsigned i = 0; i < LIFETIMES + AT_ONCE; i++) {
        if (i >= AT_ONCE) {
            struct lifetime *const old = &lifetimes[i - AT_ONCE];
            assert_int_equal(waitpid(old->pid, NULL, 0), old->pid);
            old->end_before = os_now();
        }
        if (i < LIFETIMES)
            start_one(&lifetimes[i], i, &f);
    }
    live_end(r);
    struct watcher *const w = watch_all(r);
    live_check_accounts(r);
    unsigned unnamed = 0, misnamed = 0, orphans = 0, unstarted = 0, unended = 0, mistimed = 0;
    unsigned commands = 0, arguments = 0;
    for (unsigned i = 0; i < LIFETIMES; i++) {
        const struct lifetime *const l = &lifetimes[i];
        const struct watched_process p = watched_born(w, (uint32_t)l->pid, l->before, l->after);
        unnamed += !p.name;
        misnamed += p.name && strcmp(p.name, l->name) != 0;
        orphans += p.parent != (uint32_t)getpid();
        unstarted += !p.has_started;
        unended += !p.has_ended || p.threads != 0;
        mistimed += p.end_ns < p.start_ns || p.end_ns > l->end_before;
        commands += i % 2 && p.command && strstr(p.command, l->name);
        char whole[32];
        snprintf(whole, sizeof whole, "%s --nothing", l->name);
        arguments += i % 2 && p.command && strcmp(p.command, whole) == 0;
    }
    print_message("%d lives: %u unnamed, %u misnamed, %u without their parent, %u without start, "
                  "%u without end, %u at the wrong time; %u of %d execs with their path, %u with "
                  "their arguments\n",
                  LIFETIMES, unnamed, misnamed, orphans, unstarted, unended, mistimed, commands,
                  LIFETIMES / 2, arguments);
    assert_int_equal(unnamed + misnamed + orphans + unstarted + unended + mistimed, 0);
    assert_in_range(commands, LIFETIMES / 2 - 1, LIFETIMES / 2); /* of the first only perhaps */
    if (live_has_bpf()) /* /proc has them of a few */
        assert_in_range(arguments, LIFETIMES / 2 - 1, LIFETIMES / 2);
    live_free(r);
    watcher_free(w);
    free(lifetimes);
    rmdir(f.path);
}

/* ---- how they end ------------------------------------------------------------------------ */

static void *leave_last(void *arg)
{
    (void)arg;
    os_sleep(20000000);
    syscall(SYS_exit, 7); /* ends this thread alone; returning would end the process with 0 */
    return NULL;
}

/* The first thread goes before another does: kernels differ in whose code is the process's. */
static void end_in_threads(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave_last, NULL);
    syscall(SYS_exit, 9);
}

static void end_as(int how)
{
    if (how == 1000)
        end_in_threads();
    if (how < 0) {
        signal(-how, SIG_DFL); /* cmocka has handlers of its own */
        raise(-how);
    }
    _exit(how);
}

static void ends_are_reported(void **state)
{
    (void)state;
    static const int rows[] = {0, 1, 255, 137, -SIGKILL, -SIGTERM, -SIGSEGV, 1000};
    int exits[sizeof rows / sizeof *rows];
    enum { ROWS = sizeof rows / sizeof *rows, SOURCES = 2 };
    static const uint8_t sources[SOURCES] = {KERNEL_AUTO, KERNEL_PERF};
    const bool has_bpf = live_has_bpf();
    for (unsigned source = 0; source < SOURCES; source++) {
        const struct live_request request = {.classes = 1u << FACT_PROCESS,
                                       .kernel_source = sources[source]};
        struct live_run *const r = live_begin(&request);
        pid_t pids[ROWS];
        for (unsigned i = 0; i < ROWS; i++) {
            if ((pids[i] = fork()) == 0)
                end_as(rows[i]);
            int status;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            exits[i] = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
            assert_true(exits[i] == rows[i] || (rows[i] == 1000 && exits[i]));
        }
        live_end(r);
        struct watcher *const w = watch_all(r);
        for (unsigned i = 0; i < ROWS; i++) {
            const struct watched_process p = watched_process(w, (uint32_t)pids[i]);
            assert_true(p.has_ended);
            const bool is_reported = sources[source] == KERNEL_AUTO && has_bpf;
            if (p.exit != (is_reported ? exits[i] : NOT_TOLD))
                fail_msg("source %u, end %d: reported as %d", source, rows[i], p.exit);
        }
        watcher_free(w);
        live_free(r);
    }
}

/* ---- exec after exec ---------------------------------------------------------------------- */

enum { CHAIN = 12 };

static void exec_is_no_end_and_no_start(void **state)
{
    (void)state;
    struct folder f;
    char path[CHAIN][128];
    make_folder(&f);
    for (unsigned i = 0; i < CHAIN; i++) {
        char name[16];
        snprintf(name, sizeof name, "chain-%02u", i);
        link_program(&f, name, path[i], sizeof path[i]);
    }
    struct live_run *const r = live_begin(&(struct live_request){.classes = 1u << FACT_PROCESS});
    char *const argv[] = {path[0], (char *)"--chain", f.path, (char *)"0", NULL};
    pid_t pid;
    int status;
    assert_int_equal(posix_spawn(&pid, path[0], NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    live_end(r);
    struct watcher *const w = watch_all(r);
    const struct watched_process p = watched_process(w, (uint32_t)pid);
    assert_string_equal(p.name, "chain-11");
    assert_true(p.has_started && p.has_ended);
    assert_int_equal(p.execs, CHAIN);
    watcher_free(w);
    live_free(r);
    for (unsigned i = 0; i < CHAIN; i++)
        unlink(path[i]);
    rmdir(f.path);
}

static int run_chain(char **argv)
{
    char path[256], number[16];
    const unsigned next = (unsigned)atoi(argv[3]) + 1;
    if (next == CHAIN)
        return 0;
    snprintf(path, sizeof path, "%s/chain-%02u", argv[2], next);
    snprintf(number, sizeof number, "%u", next);
    execl(path, path, "--chain", argv[2], number, (char *)NULL);
    return 1;
}

/* ---- users --------------------------------------------------------------------------------- */

/* Who turns to another user without another program is that one's from then on, and so are those
 * that it starts. */
static void users_are_reported(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    int pipes[2], go[2], status;
    char c = 0;
    pid_t grandchild = 0;
    char user[32];
    if (geteuid() != 0) {
        print_message("skipped: only root may turn to other users\n");
        skip();
    }
    assert_int_equal(pipe(pipes) | pipe(go), 0);
    snprintf(user, sizeof user, "S-1-22-1-%d", NOBODY);
    const struct passwd *const nobody = getpwuid(NOBODY);
    struct live_run *const r = live_begin(&(struct live_request){.classes = 1u << FACT_PROCESS});
    const pid_t child = fork();
    if (child == 0) {
        close(go[1]); /* or it would wait for itself, were the test to fail */
        if (read(go[0], &c, 1) != 1 || setuid(NOBODY) != 0)
            _exit(1);
        if (read(go[0], &c, 1) != 1)
            _exit(2);
        const pid_t next = fork();
        if (next == 0)
            _exit(0);
        waitpid(next, &status, 0);
        _exit(write(pipes[1], &next, sizeof next) == sizeof next ? 0 : 1);
    }
    live_wait_for_text(r, "processes", "pid", (uint64_t)child, "user", "root");
    assert_int_equal(write(go[1], &c, 1), 1);
    live_wait_for_text(r, "processes", "pid", (uint64_t)child, "user",
                       nobody ? nobody->pw_name : user);
    assert_int_equal(write(go[1], &c, 1), 1);
    assert_int_equal(read(pipes[0], &grandchild, sizeof grandchild), sizeof grandchild);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    live_end(r);
    struct watcher *const w = watch_all(r);
    assert_string_equal(watched_process(w, (uint32_t)child).user, user);
    assert_string_equal(watched_process(w, (uint32_t)grandchild).user, user);
    assert_string_equal(watched_process(w, (uint32_t)getpid()).user, "S-1-22-1-0");
    assert_string_equal(watched_process(w, (uint32_t)getpid()).account, "root");
    watcher_free(w);
    live_free(r);
    close(pipes[0]);
    close(pipes[1]);
    close(go[0]);
    close(go[1]);
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { THREADS = 50 };

struct named {
    uint32_t tid;
    char name[16];
};

static void *be_named(void *arg)
{
    struct named *const n = arg;
    n->tid = (uint32_t)gettid();
    prctl(PR_SET_NAME, n->name);
    return NULL;
}

/* SetName: process, thread, then the name in UTF-16. */
static bool is_naming(const struct event *e, void *arg)
{
    const struct named *const n = arg;
    if (e->id != HOOK_NAME || e->payload_bytes < 10 || load_u32(e->payload + 4) != n->tid)
        return false;
    for (size_t i = 0; i <= strlen(n->name); i++)
        if (load_u16(e->payload + 8 + 2 * i) != (uint8_t)n->name[i])
            return false;
    return load_u32(e->payload) == (uint32_t)getpid();
}

static void threads_have_names(void **state)
{
    (void)state;
    struct named all[THREADS];
    pthread_t threads[THREADS];
    struct live_run *const r = live_begin(&(struct live_request){.classes = 1u << FACT_THREAD});
    for (unsigned i = 0; i < THREADS; i++) {
        snprintf(all[i].name, sizeof all[i].name, "worker %u", i);
        assert_int_equal(pthread_create(&threads[i], NULL, be_named, &all[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    live_end(r);
    struct watcher *const w = watch_all(r);
    for (unsigned i = 0; i < THREADS; i++) {
        uint32_t process;
        assert_int_equal(live_count(r, is_naming, &all[i]), 1);
        assert_true(watched_thread_ended(w, all[i].tid, &process));
        assert_int_equal(watched_number(w, process).pid, getpid());
    }
    watcher_free(w);
    live_free(r);
}

/* ---- names that hurt ------------------------------------------------------------------------ */

/* A busy process whose name would clear the screen comes out as marks. */
static void names_cannot_reach_the_terminal(void **state)
{
    (void)state;
    char program[600], command[700], line[4096];
    if (!live_program(program, sizeof program)) {
        print_message("no %s: skipped\n", program);
        skip();
    }
    live_free(live_begin(&(struct live_request){.classes = 1u << FACT_PROCESS}));
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "\x1b[2J\x07\xff\n!");
        for (;;)
            getppid();
    }
    snprintf(command, sizeof command, "timeout 240 %s top processes 500ms -O table -k pid,name,cpu",
             program);
    FILE *const output = popen(command, "r");
    assert_non_null(output);
    unsigned seen = 0;
    while (!seen && fgets(line, sizeof line, output)) {
        for (const char *c = line; *c; c++)
            assert_true((unsigned char)*c >= 0x20 || *c == '\n');
        seen += strtoul(line, NULL, 10) == (unsigned long)child && strstr(line, "␛[2J␇");
    }
    pclose(output); /* nobody reads any more: it ends */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_not_equal(seen, 0);
}

/* ---- what was there before ------------------------------------------------------------------ */

/* The walk reports a process that does nothing all the while, and all its threads. */
static void the_walk_reports_existing_processes(void **state)
{
    (void)state;
    struct folder f;
    char path[128];
    make_folder(&f);
    link_program(&f, "silent one", path, sizeof path);
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
    char *const argv[] = {path, (char *)"--wait", (char *)"\x1b[2J", NULL};
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[0], 0);
    assert_int_equal(posix_spawn(&pid, path, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    os_sleep(50 * 1000000);
    struct live_run *const r = live_begin(&(struct live_request){.classes = 1u << FACT_PROCESS});
    while (atomic_load(&r->session->collector.is_naming))
        os_sleep(1000000);
    live_end(r);
    close(pipes[1]);
    close(pipes[0]);
    waitpid(pid, NULL, 0);
    struct watcher *const w = watch_all(r);
    const struct watched_process p = watched_process(w, (uint32_t)pid);
    char command[256];
    snprintf(command, sizeof command, "%s --wait \x1b[2J", path);
    assert_string_equal(p.name, "silent one");
    assert_string_equal(p.command, command);
    assert_int_equal(p.parent, getpid());
    assert_true(p.has_session);
    assert_int_equal(p.session, getsid(0));
    assert_false(p.has_started || p.has_ended);
    assert_int_equal(p.threads, 1);
    watcher_free(w);
    live_free(r);
    unlink(path);
    rmdir(f.path);
}

enum { MANY = 1500 };
static const int64_t PATIENCE = PATIENCE_NS;

/* Ends with the test, however that ends. */
static _Noreturn void tick_quietly(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        usleep(200000);
}

/* Neither ended nor ending: state and flags of the kernel's line about a thread. */
static bool is_alive(uint64_t tid)
{
    enum { ENDS = 0x4 };
    char path[48], line[512], mode = 'X';
    unsigned flags = 0;
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", tid);
    FILE *const f = tid ? fopen(path, "re") : NULL;
    const char *const at = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    const bool is_read = at && sscanf(at, ") %c %*d %*d %*d %*d %*d %u", &mode, &flags) == 2;
    if (f)
        fclose(f);
    return is_read && mode != 'Z' && mode != 'X' && !(flags & ENDS);
}

static bool says_unknown(const struct frame *f, const struct value *v)
{
    static const char unknown[] = "(unknown)";
    return v->type == VALUE_TEXT && v->text.bytes == sizeof unknown - 1 &&
           memcmp(f->arena + v->text.offset, unknown, sizeof unknown - 1) == 0;
}

/* Rows of the first frame that name no process, though their thread lives on. One that was ending
 * when collection began has no name anywhere; what the kernel hides stands for no thread. */
static unsigned count_unknown(const struct frame *f)
{
    const size_t tid = (size_t)(pane_column(f->pane, "tid") - f->pane->columns);
    unsigned count = 0;
    for (unsigned i = 0; i < f->row_count; i++)
        for (unsigned c = 0; f->rows[i].key.a && c < f->pane->column_count; c++)
            count += says_unknown(f, &f->rows[i].cells[c]) && is_alive(f->rows[i].cells[tid].count);
    return count;
}

/* However many there were before: the first table waits for their names. A monitor waits no longer
 * than a reader does; here it waits for as long as this machine takes. */
static void the_first_table_has_names(void **state)
{
    (void)state;
    static pid_t many[MANY];
    struct live_run *const probe = live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH});
    live_end(probe);
    live_free(probe); /* it can be opened here */
    for (unsigned i = 0; i < MANY; i++)
        if ((many[i] = fork()) == 0)
            tick_quietly();
    const struct session_options o = {.kind = &collector_live,
                                      .collector = {.wanted = 1u << FACT_SWITCH},
                                      .interval_ns = 1000000000,
                                      .names_ns = PATIENCE,
                                      .ring_bytes = 64 << 20};
    const struct request request = {.sequence = 1, .pane = pane_find("cpu"), .rows = 1u << 20};
    struct err err;
    const int64_t began = os_now();
    struct session *const s = session_start(&o, &err);
    assert_non_null(s);
    engine_request(s->engine, &request);
    struct frame *const f = engine_wait_frame(s->engine, 1, false, 2 * PATIENCE);
    const int64_t took = os_now() - began;
    assert_non_null(f);
    const unsigned rows = f->row_count, unknown = count_unknown(f);
    frame_free(f);
    session_stop(s);
    session_free(s);
    for (unsigned i = 0; i < MANY; i++)
        kill(many[i], SIGKILL);
    for (unsigned i = 0; i < MANY; i++)
        waitpid(many[i], NULL, 0);
    print_message("the first frame after %.2f s: %u rows, %u without a name\n", (double)took / 1e9,
                  rows, unknown);
    assert_true(rows > 0); /* how many had a turn by then is the machine's matter */
    assert_int_equal(unknown, 0);
}

int main(int argc, char **argv)
{
    char c;
    if (argc > 3 && strcmp(argv[1], "--chain") == 0)
        return run_chain(argv);
    if (argc > 1 && strcmp(argv[1], "--wait") == 0)
        return read(0, &c, 1) < 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_short_lifetime_is_reported),
        cmocka_unit_test(exec_is_no_end_and_no_start),
        cmocka_unit_test(ends_are_reported),
        cmocka_unit_test(users_are_reported),
        cmocka_unit_test(threads_have_names),
        cmocka_unit_test(names_cannot_reach_the_terminal),
        cmocka_unit_test(the_walk_reports_existing_processes),
        cmocka_unit_test(the_first_table_has_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
