/* Rights, situation by situation, on the real kernel: children give up what they have and say
 * what they can still do. And what is dropped after the opening, and what the setcap line of
 * the manual gives to another user. As root; skips otherwise. */
#include "tests/live/harness.h"
#include "tests/live/program.h"
#include "tests/terminal.h"

#include "collectors/collectors.h"
#include "collectors/linux/kernel/privilege.h"
#include "src/base/bytes.h"
#include "src/engine/watch.h"
#include "src/os/os.h"
#include "src/os/rights_linux.h"
#include "src/pane/panes.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };
#define CAP(name) (1ull << CAP_##name)

/* ---- giving rights up ---------------------------------------------------------------- */

enum { WITHOUT_TRACEFS = 1, WITH_FILTER = 2 };

struct situation_request {
    const char *name;
    uint64_t capabilities; /* as nobody, with these */
    unsigned also;
    enum linux_access situation;
    const char *fix; /* must be found there; NULL: none */
};

static void must(bool is_done, const char *what)
{
    if (is_done)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    _exit(99);
}

static void set_capabilities(uint64_t set)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const uint32_t low = (uint32_t)set, high = (uint32_t)(set >> 32);
    const struct __user_cap_data_struct data[2] = {{low, low, low}, {high, high, high}};
    must(syscall(SYS_capset, &head, data) == 0, "capset");
}

/* Ambient, so that a program that is started has them too. */
static void become_nobody(uint64_t capabilities)
{
    must(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0, "keepcaps");
    must(setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0, "group");
    must(setresuid(NOBODY, NOBODY, NOBODY) == 0, "user");
    set_capabilities(capabilities);
    for (int i = 0; i < 64; i++)
        if (capabilities >> i & 1)
            must(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0) == 0, "ambient");
}

static void hide_tracefs(void)
{
    must(unshare(CLONE_NEWNS) == 0, "unshare");
    must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "private mounts");
    umount2("/sys/kernel/debug/tracing", MNT_DETACH); /* may not be there */
    umount2("/sys/kernel/debug", MNT_DETACH);
    must(umount2("/sys/kernel/tracing", MNT_DETACH) == 0, "umount");
}

/* What containers do: perf_event_open(2) and bpf(2) answer EPERM. */
static void filter_calls(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* the call's number */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "seccomp");
}

static void enter(const struct situation_request *w)
{
    if (w->also & WITHOUT_TRACEFS)
        hide_tracefs();
    become_nobody(w->capabilities);
    if (w->also & WITH_FILTER)
        filter_calls();
}

static void need_root(void)
{
    if (geteuid() == 0)
        return;
    print_message("skipped: only root can give rights up\n");
    skip();
}

/* ---- situations ---------------------------------------------------------------------- */

static const struct situation_request situations[] = {
    {"all", CAP(PERFMON) | CAP(BPF) | CAP(DAC_READ_SEARCH), 0, SITUATION_ALL, NULL},
    {"perf", CAP(PERFMON) | CAP(DAC_READ_SEARCH), 0, SITUATION_PERF, "cap_bpf"},
    {"BPF", CAP(PERFMON) | CAP(BPF), 0, SITUATION_BPF, "cap_dac_read_search"},
    {"no tracefs", CAP(PERFMON) | CAP(BPF), WITHOUT_TRACEFS, SITUATION_BPF, "mount -t tracefs"},
    {"software", CAP(PERFMON), 0, SITUATION_SOFTWARE, "setcap"},
    {"software, no tracefs", CAP(PERFMON), WITHOUT_TRACEFS, SITUATION_SOFTWARE, "mount -t tracefs"},
    {"nothing but paranoid 2", 0, 0, SITUATION_OWN, "setcap"},
    {"a container", CAP(PERFMON) | CAP(BPF), WITH_FILTER, SITUATION_NOTHING, "--cap-add PERFMON"},
};

static struct privilege *shared_privilege(void)
{
    void *const at = mmap(NULL, sizeof(struct privilege), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    return at;
}

static int paranoid_now(void)
{
    struct rights r;
    rights_find(&r);
    return r.paranoid;
}

static void each_situation_is_reported(void **state)
{
    (void)state;
    need_root();
    struct privilege *const p = shared_privilege();
    const int paranoid = paranoid_now();
    for (const struct situation_request *w = situations;
         w < situations + sizeof situations / sizeof *situations; w++) {
        if (w->situation == SITUATION_OWN && paranoid != 2)
            continue;
        const pid_t child = fork();
        if (child == 0) {
            struct rights r;
            enter(w);
            rights_find(&r);
            privilege_assess(&r, p);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        print_message("%s: %d, %s (%s)\n", w->name, p->situation, p->works, p->why);
        if (p->situation != w->situation)
            fail_msg("%s: situation %d, expected %d", w->name, p->situation, w->situation);
        if (w->fix ? !strstr(p->fix, w->fix) : p->fix[0] != '\0')
            fail_msg("%s: fix is '%s', expected '%s'", w->name, p->fix, w->fix ? w->fix : "");
    }
    munmap(p, sizeof *p);
}

/* ---- the whole program in each situation --------------------------------------------- */

struct copy { /* of the program, for another user */
    char folder[64], path[128];
};

static void copy_program(struct copy *c)
{
    char program[4096], command[8192];
    assert_true(live_program(program, sizeof program));
    strcpy(c->folder, "/tmp/tracetop-rights-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->path, sizeof c->path, "%s/tracetop", c->folder);
    snprintf(command, sizeof command, "cp '%s' %s && chmod 755 %s %s", program, c->path,
             c->folder, c->path);
    assert_int_equal(system(command), 0);
}

static void drop_copy(const struct copy *c)
{
    unlink(c->path);
    rmdir(c->folder);
}

/* Runs `arguments` of the copy in a situation; what it prints (both outputs) and its status. */
static int run_copy(const struct copy *c, const struct situation_request *w, const char *arguments,
                    char *out, size_t room)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        char command[512];
        snprintf(command, sizeof command, "exec %s %s", c->path, arguments);
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        enter(w);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(98);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; used < room - 1 && (got = read(ends[0], out + used, room - 1 - used)) > 0;)
        used += (size_t)got;
    out[used] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void expect(const char *name, const char *out, const char *text)
{
    if (!strstr(out, text))
        fail_msg("%s: expected '%s', found:\n%s", name, text, out);
}

enum { OUT_ROOM = 256 * 1024 };

/* Where anything of the system can be seen the program runs and shows it; where nothing can, it
 * says so with the command that helps, and ends with 3. Never does it crash or hang. */
static void the_program_runs_in_each(void **state)
{
    (void)state;
    need_root();
    const int paranoid = paranoid_now();
    char *const out = malloc(OUT_ROOM);
    struct copy c;
    copy_program(&c);
    for (const struct situation_request *w = situations;
         w < situations + sizeof situations / sizeof *situations; w++) {
        if (w->situation == SITUATION_OWN && paranoid != 2)
            continue;
        int status = run_copy(&c, w, "doctor", out, OUT_ROOM);
        if (status != 3) /* a capability short in any of them: symbols, others' files */
            fail_msg("%s: doctor ends with %d:\n%s", w->name, status, out);
        if (w->fix)
            expect(w->name, out, w->fix);
        status = run_copy(&c, w, "top proc --source live 0.3 2", out, OUT_ROOM);
        const int expected = w->situation == SITUATION_NOTHING ? 3 : 0;
        if (status != expected)
            fail_msg("%s: top ends with %d, expected %d:\n%s", w->name, status, expected, out);
        if (status == 0)
            expect(w->name, out, " PID ");
    }
    drop_copy(&c);
    free(out);
}

/* ---- what is left after the opening -------------------------------------------------- */

/* A line of a thread's status; all bits are set where there is none. */
static uint64_t value_of(const char *status, const char *name, int base)
{
    char line[256];
    uint64_t value = UINT64_MAX;
    FILE *const f = fopen(status, "re");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtoull(line + strlen(name), NULL, base);
    if (f)
        fclose(f);
    return value;
}

/* A thread has nothing in effect, but for the moment of a call, or has ended. */
static bool is_quiet(const char *status)
{
    for (const int64_t until = os_now() + PATIENCE_NS; os_now() < until; os_sleep(1000000))
        if (!value_of(status, "CapEff:", 16) || access(status, F_OK) != 0)
            return true;
    return false;
}

/* … and could raise no more than what watching needs: every thread of `pid`. */
static bool is_dropped(pid_t pid, unsigned may_keep)
{
    char command[64], status[128];
    snprintf(command, sizeof command, "ls -d /proc/%d/task/*", (int)pid);
    FILE *const list = popen(command, "r");
    bool is_all = list != NULL;
    unsigned threads = 0;
    while (list && fscanf(list, "%100s", status) == 1) {
        strcat(status, "/status");
        const uint64_t beyond =
            (value_of(status, "CapPrm:", 16) & ~os_rights_capabilities(may_keep)) |
            value_of(status, "CapInh:", 16) | value_of(status, "CapAmb:", 16);
        if (access(status, F_OK) != 0)
            continue; /* a thread that was about to end when it was listed */
        threads++;
        if (beyond)
            fprintf(stderr, "%s: still %llx\n", status, (unsigned long long)beyond);
        is_all &= beyond == 0 && is_quiet(status);
    }
    if (list)
        pclose(list);
    return is_all && threads >= 4; /* this one, collector, control, engine … */
}

static bool wait_for(const struct collector *c, uint32_t classes)
{
    for (const int64_t until = os_now() + PATIENCE_NS; os_now() < until; os_sleep(1000000))
        if ((atomic_load(&c->active) & classes) == classes)
            return true;
    fprintf(stderr, "wanted %x, active %x, refused %x\n", classes, atomic_load(&c->active),
            atomic_load(&c->refused));
    return false;
}

/* As the screen does it: the engine is asked for the pane, and the collector follows. */
static bool open_pane(struct session *s, const char *id)
{
    static uint64_t sequence;
    const struct pane *const p = pane_find(id);
    const struct request request = {.sequence = ++sequence, .pane = p, .rows = 10};
    engine_request(s->engine, &request);
    frame_free(engine_wait_frame(s->engine, sequence, false, PATIENCE_NS));
    const uint32_t classes = watch_of_pane(p).classes;
    return classes && wait_for(&s->collector, classes);
}

/* In a child, since what is dropped does not come back: drops, begins with switches, and then
 * looks at the panes that cost most to open and to watch. */
static int open_after_drop(void)
{
    const struct session_options o = {
        .kind = &collector_live,
        .collector = {.wanted = 1u << FACT_SWITCH, .boosts_priority = true},
        .ring_bytes = 16 << 20,
        .interval_ns = 1000000000,
    };
    struct err err;
    const struct os_rights_request kept = {.kept = OS_MAY_WATCH | OS_MAY_HURRY};
    os_rights_start();
    collector_live.prepare();
    if (!os_rights_settle(&kept, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    struct session *const s = session_start(&o, &err);
    if (!s)
        return fprintf(stderr, "%s\n", err.text), 1;
    int failed = wait_for(&s->collector, 1u << FACT_SWITCH) ? 0 : 1;
    failed |= is_dropped(getpid(), OS_MAY_WATCH | OS_MAY_HURRY | OS_MAY_WRITE) ? 0 : 2;
    failed |= open_pane(s, "calls") ? 0 : 4;
    failed |= open_pane(s, "files") ? 0 : 8;
    session_stop(s);
    session_free(s);
    return failed;
}

static void check_open_after_drop(bool is_sudo)
{
    const pid_t child = fork();
    if (child == 0) {
        if (is_sudo) {
            setenv("SUDO_UID", "65534", 1);
            setenv("SUDO_GID", "65534", 1);
        }
        const int failed = open_after_drop();
        const uid_t expected = is_sudo ? NOBODY : 0;
        _exit(failed | (getuid() == expected && geteuid() == expected ? 0 : 16));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status)
        fail_msg("the child ends with %#x", status);
}

static void expensive_panes_open_after_the_drop(void **state)
{
    (void)state;
    need_root();
    check_open_after_drop(false);
}

static void under_sudo_the_caller_remains(void **state)
{
    (void)state;
    need_root();
    check_open_after_drop(true);
}

/* The whole program, as sudo starts it: the user, with what watching needs and nothing else. */
static struct terminal *start_under_sudo(const struct copy *c, char *socket, size_t room)
{
    char runtime[128];
    snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s/run", c->folder);
    const char *const env[] = {"SUDO_UID=65534", "SUDO_GID=65534", runtime, NULL};
    const char *const argv[] = {c->path, NULL};
    struct terminal *const t = terminal_start(argv, env, 100, 30);
    snprintf(socket, room, "%s/run/tracetop/%d.sock", c->folder, (int)terminal_pid(t));
    int status;
    while (access(socket, F_OK) != 0 && !terminal_ended(t, &status))
        terminal_pump(t, 20);
    return t;
}

/* Its user asks it for a file where root alone may write. */
static void expect_refusal(struct terminal *t, const struct copy *c)
{
    char command[512];
    int status;
    snprintf(
        command, sizeof command,
        "XDG_RUNTIME_DIR=%s/run setpriv --reuid 65534 --regid 65534 --clear-groups %s snapshot "
        "--to %s/theirs.etl --instance %d 2>&1 | grep -q 'Permission denied'",
        c->folder, c->path, c->folder, (int)terminal_pid(t));
    const pid_t child = fork();
    if (child == 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    while (waitpid(child, &status, WNOHANG) == 0)
        terminal_pump(t, 20);
    if (status)
        fail_msg("not refused: %s", command);
}

static void a_live_screen_under_sudo_is_the_user_s(void **state)
{
    (void)state;
    need_root();
    struct copy c;
    struct stat s;
    char socket[160], run[96], own[64];
    copy_program(&c);
    snprintf(run, sizeof run, "%s/run", c.folder);
    assert_true(mkdir(run, 0700) == 0 && chown(run, NOBODY, NOBODY) == 0);
    struct terminal *const t = start_under_sudo(&c, socket, sizeof socket);
    const bool is_there = stat(socket, &s) == 0 && s.st_uid == NOBODY;
    snprintf(own, sizeof own, "/proc/%d/status", (int)terminal_pid(t));
    const bool is_user =
        value_of(own, "Uid:", 10) == NOBODY && value_of(own, "NoNewPrivs:", 10) == 1;
    const bool is_ready = is_there && is_dropped(terminal_pid(t), OS_MAY_WATCH | OS_MAY_HURRY);
    if (is_there)
        expect_refusal(t, &c);
    terminal_free(t);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", c.folder);
    assert_int_equal(system(command), 0);
    assert_true(is_there);
    assert_true(is_user);
    assert_true(is_ready);
}

/* ---- own processes -------------------------------------------------------------------------- */

enum { HOOK_PROCESS_START = 0x0301, HOOK_FAULTS = 0x0200, CHILDREN = 100 };

static bool is_born_of(const struct event *e, void *arg)
{
    return e->id == HOOK_PROCESS_START && load_u32(e->payload + 12) == *(const uint32_t *)arg;
}

static bool is_fault(const struct event *e, void *arg)
{
    (void)arg;
    return (e->id & 0xff00) == HOOK_FAULTS;
}

/* Another process of the same user, there before the collector: starts children on request. */
static pid_t start_worker(int go)
{
    const pid_t worker = fork();
    if (worker)
        return worker;
    char c;
    must(read(go, &c, 1) == 1, "go");
    for (int i = 0; i < CHILDREN; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    _exit(0);
}

/* As nobody without any right: what our other process does is seen, to the child; what takes
 * rights is refused. */
static int watch_own(void)
{
    enum { HAD = 1 << FACT_FAULT | 1 << FACT_SAMPLE };
    int go[2];
    must(pipe(go) == 0, "pipe");
    become_nobody(0);
    must(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0, "dumpable"); /* as after an exec */
    const pid_t worker = start_worker(go[0]);
    const struct session_options o = {
        .kind = &collector_live,
        .collector = {.wanted = HAD | 1u << FACT_SWITCH},
        .ring_bytes = 16 << 20,
        .interval_ns = 1000000000,
    };
    struct err err;
    struct live_run r = {.session = session_start(&o, &err)};
    if (!r.session)
        return fprintf(stderr, "%s\n", err.text), 1;
    struct collector *const c = &r.session->collector;
    int failed = wait_for(c, HAD) ? 0 : 2;
    failed |= atomic_load(&c->refused) & 1u << FACT_SWITCH ? 0 : 4;
    failed |= write(go[1], "g", 1) == 1 && waitpid(worker, NULL, 0) == worker ? 0 : 8;
    c->kind->stop(c);
    r.is_over = true;
    uint32_t pid = (uint32_t)worker;
    const uint64_t born = live_count(&r, is_born_of, &pid), faults = live_count(&r, is_fault, NULL);
    printf("%d children of ours, seen %llu; %llu faults\n", CHILDREN, (unsigned long long)born,
           (unsigned long long)faults);
    fflush(stdout);
    /* Without rights the kernel's buffers are small: what a busy machine loses is counted. */
    const uint64_t lost = atomic_load(&c->loss.kernel);
    failed |= born <= CHILDREN && born + lost >= CHILDREN ? 0 : 16;
    failed |= faults + lost >= 10 * CHILDREN ? 0 : 32;
    char notice[NOTICE_BYTES];
    failed |= notices_read(&c->notices, 0, notice) && strstr(notice, "setcap") ? 0 : 64;
    return failed;
}

static void without_rights_own_processes_are_seen(void **state)
{
    (void)state;
    need_root();
    if (paranoid_now() != 2) {
        print_message("skipped: kernel.perf_event_paranoid is not 2\n");
        skip();
    }
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(watch_own());
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status)
        fail_msg("the child ends with %#x", status);
}

/* ---- the setcap line ----------------------------------------------------------------- */

/* The capabilities of the manual's setcap line, which lines before it put together: "caps=a,b", "caps=$caps,c". */
static void read_line_of_manual(char *list, size_t room)
{
    FILE *const f = fopen("src/manual/tracetop.1.md", "re");
    char line[1024], part[256], found[512] = "";
    bool is_given = false;
    while (f && !is_given && fgets(line, sizeof line, f)) {
        if (sscanf(line, " caps=$caps%255[a-z_,]", part) == 1 || sscanf(line, " caps=%255[a-z_,]", part) == 1)
            strncat(found, part, sizeof found - strlen(found) - 1);
        is_given = strstr(line, " sudo setcap $caps=p ") != NULL;
    }
    if (f)
        fclose(f);
    if (!is_given || !found[0])
        fail_msg("src/manual/tracetop.1.md has no lines 'caps=…' and 'sudo setcap $caps=p'");
    snprintf(list, room, "%s", found);
}

static bool give(const struct copy *c, const char *list)
{
    char command[1024];
    snprintf(command, sizeof command, "setcap '%s=p' %s 2>/dev/null", list, c->path);
    return system(command) == 0;
}

/* The list without its member number `which`; false behind the last. */
static bool leave_one_out(const char *list, unsigned which, char *rest, char *left_out)
{
    unsigned i = 0;
    bool is_found = false;
    rest[0] = '\0';
    for (const char *at = list; *at; i++) {
        const int bytes = (int)strcspn(at, ",");
        if (i == which) {
            sprintf(left_out, "%.*s", bytes, at);
            is_found = true;
        } else {
            sprintf(rest + strlen(rest), "%s%.*s", rest[0] ? "," : "", bytes, at);
        }
        at += bytes + (at[bytes] == ',');
    }
    return is_found;
}

/* What the doctor finds, subject by subject, without the reasons (which hold numbers) and without
 * the line that only lists capabilities. */
static void diagnostics(const struct copy *c, char *out)
{
    static const struct situation_request nobody = {.name = "nobody"};
    struct rlimit memory, none = {0, 0};
    getrlimit(RLIMIT_MEMLOCK, &memory);
    none.rlim_max = memory.rlim_max;
    setrlimit(RLIMIT_MEMLOCK, &none); /* as where ulimit -l is small */
    run_copy(c, &nobody, "doctor", out, OUT_ROOM);
    setrlimit(RLIMIT_MEMLOCK, &memory);
    enum { SUBJECT_AND_STATE = 47 };
    char *to = out;
    for (char *at = out, *next; *at; at = next) {
        const size_t bytes = strcspn(at, "\n");
        next = at + bytes + (at[bytes] == '\n');
        const bool is_list = strncmp(at + 4, "capabilities ", 13) == 0;
        const size_t kept = bytes < SUBJECT_AND_STATE ? bytes : SUBJECT_AND_STATE;
        if (is_list || strncmp(at, "      ", 6) == 0)
            continue;
        memmove(to, at, kept);
        to += kept;
        *to++ = '\n';
    }
    *to = '\0';
}

static void the_setcap_line_gives_all_and_no_more(void **state)
{
    (void)state;
    need_root();
    static const struct situation_request nobody = {.name = "nobody"};
    char list[512], rest[512], left_out[64];
    char *const all = malloc(OUT_ROOM), *const less = malloc(OUT_ROOM);
    struct copy c;
    read_line_of_manual(list, sizeof list);
    copy_program(&c);
    if (!give(&c, list)) {
        drop_copy(&c);
        print_message("skipped: setcap does not work on /tmp\n");
        skip();
    }
    diagnostics(&c, all);
    expect(list, all, "privileges                         ok ");
    const int status = run_copy(&c, &nobody, "top cpu 0.3 2", less, OUT_ROOM);
    if (status != 0)
        fail_msg("top ends with %d:\n%s", status, less);
    expect("top cpu", less, "CSW/S");
    for (unsigned i = 0; leave_one_out(list, i, rest, left_out); i++) {
        if (!give(&c, rest))
            fail_msg("setcap refuses %s", rest);
        diagnostics(&c, less);
        print_message("without %s: %s\n", left_out, strcmp(all, less) ? "less" : "the same");
        if (strcmp(all, less) == 0)
            fail_msg("%s is not needed:\n%s", left_out, less);
    }
    drop_copy(&c);
    free(all);
    free(less);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_situation_is_reported),
        cmocka_unit_test(the_program_runs_in_each),
        cmocka_unit_test(expensive_panes_open_after_the_drop),
        cmocka_unit_test(under_sudo_the_caller_remains),
        cmocka_unit_test(a_live_screen_under_sudo_is_the_user_s),
        cmocka_unit_test(without_rights_own_processes_are_seen),
        cmocka_unit_test(the_setcap_line_gives_all_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
