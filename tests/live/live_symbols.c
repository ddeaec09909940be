/* Names against the clock: a C, a C++ and a stripped program, made here with and without frame
 * pointers, share between their functions what they use of a processor, what they wait, and the
 * pages they touch, and say how; stacks weighed by the same must say the same. */
#include "tests/live/harness.h"
#include "tests/live/program.h"

#include "src/os/os.h"
#include "src/pane/panes.h"
#include "src/table/pane.h"

#include <math.h>
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

enum { FUNCTIONS = 3, SECONDS = 3, PATIENCE = 240 /* seconds, for what hangs */ };

static char folder[64];
static struct live_run *waits; /* of the tests of waits, once one of them ran; or NULL */
static double lost_of_waits;   /* stacks, while they waited */

static bool run(const char *command)
{
    char line[16384];
    snprintf(line, sizeof line, "cd %s && { %s; } >log 2>&1", folder, command);
    return system(line) == 0;
}

/* The programs, once for all tests that look at them. */
static void must_have(const char *source)
{
    static const char *made[8];
    for (unsigned i = 0; i < sizeof made / sizeof *made; i++) {
        if (made[i] == source)
            return;
        if (made[i])
            continue;
        if (!run(source))
            break;
        made[i] = source;
        return;
    }
    print_message("skipped: no C and C++ compilers (cc, c++) that make such programs\n");
    skip();
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tracetop-live-symbols-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    if (waits)
        live_free(waits);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Each function works on its own; its processor time is measured around it, until the program has
 * used so many seconds of it. In the end it writes the nanoseconds of each and waits to be
 * ended. */
#define COMMON                                                                                     \
    "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include <sys/resource.h>\n"                \
    "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n"            \
    "#define APART __attribute__((noinline, noclone))\n"                                           \
    "static long long now(clockid_t c) { struct timespec t; clock_gettime(c, &t);"                 \
    " return t.tv_sec * 1000000000ll + t.tv_nsec; }\n"                                             \
    "static long long used[3];\n"                                                                  \
    "static double seconds;\n"

/* Processor time is shared out in parts of 11, 7 and 3, whatever the machine is quick at: each
 * function is measured first. Rounds differ in length, so that no clock goes with them. */
#define MAIN                                                                                       \
    "static long per_ms[3];\n"                                                                     \
    "static long part(int which, long ms) { static unsigned long r = 1;"                           \
    " r = r * 6364136223846793005ul + 1442695040888963407ul;"                                      \
    " return per_ms[which] * ms * (long)(64 + (r >> 33) % 128) / 128; }\n"                         \
    "int main(int n, char **v) { if (n < 3) return 1; seconds = atof(v[1]);\n"                     \
    "  FILE *f = fopen(v[2], \"w\"); setpriority(PRIO_PROCESS, 0, -20);\n"                         \
    "  enum { SOME = 2000000 };\n"                                                                 \
    "  long long s = now(CLOCK_THREAD_CPUTIME_ID); ONE(SOME);\n"                                   \
    "  long long t = now(CLOCK_THREAD_CPUTIME_ID); TWO(SOME);\n"                                   \
    "  long long u = now(CLOCK_THREAD_CPUTIME_ID); THREE(SOME);\n"                                 \
    "  long long w = now(CLOCK_THREAD_CPUTIME_ID);\n"                                              \
    "  used[0] = t - s; used[1] = u - t; used[2] = w - u;\n"                                       \
    "  for (int i = 0; i < 3; i++) per_ms[i] = SOME * 1000000ll / (used[i] + 1);\n"                \
    "  while (used[0] + used[1] + used[2] < seconds * 1e9) {\n"                                    \
    "    long long a = now(CLOCK_THREAD_CPUTIME_ID); ONE(part(0, 11));\n"                          \
    "    long long b = now(CLOCK_THREAD_CPUTIME_ID); TWO(part(1, 7));\n"                           \
    "    long long c = now(CLOCK_THREAD_CPUTIME_ID); THREE(part(2, 3));\n"                         \
    "    long long d = now(CLOCK_THREAD_CPUTIME_ID);\n"                                            \
    "    used[0] += b - a; used[1] += c - b; used[2] += d - c; }\n"                                \
    "  fprintf(f, \"%lld %lld %lld\\n\", used[0], used[1], used[2]); fclose(f);\n"                 \
    "  for (;;) pause(); }\n"

/* Where they wait: asleep by two calls of the library, which has no frame pointers, and for another
 * thread. The program writes the time that was neither on a processor nor ready for one, by the
 * system's own account of the thread, and begins with it when a third file exists. Until then the
 * collector may not have read the program, and stacks are incomplete; both threads wait meanwhile
 * in functions of other names.
 *
 * Waits are short. Some kernels hide what happens on a processor while a thread of process 1 runs
 * there; a wait whose timer ends in that time is not seen to end. */
#define WAITS                                                                                      \
    "#include <poll.h>\n#include <pthread.h>\n"                                                    \
    "enum { READY = 10 };\n"                                                                       \
    "static long long off(void) { long long run, ready; FILE *f ="                                 \
    " fopen(\"/proc/thread-self/schedstat\", \"r\");"                                              \
    " if (!f || fscanf(f, \"%lld %lld\", &run, &ready) != 2) exit(1); fclose(f);"                  \
    " return now(CLOCK_MONOTONIC) - run - ready; }\n"                                              \
    "#define AFTER __asm__ volatile(\"\" ::: \"memory\")\n"                                        \
    "static int to[2], fro[2];\n"                                                                  \
    "APART void wait_one(long ms) { struct timespec t = {0, ms * 1000000};"                        \
    " nanosleep(&t, 0); AFTER; }\n"                                                                \
    "APART void wait_two(long ms) { poll(0, 0, (int)ms); AFTER; }\n"                               \
    "APART void wait_three(long ms) { char c = (char)ms; if (write(to[1], &c, 1) == 1)"            \
    " if (read(fro[0], &c, 1) == 1) AFTER; }\n"                                                    \
    "APART void get_ready(void) { char c = READY; if (write(to[1], &c, 1) == 1)"                   \
    " if (read(fro[0], &c, 1) == 1) AFTER; }\n"                                                    \
    "APART void feed(char c) { if (write(fro[1], &c, 1) == 1) AFTER; }\n"                          \
    "APART void feed_ready(char c) { if (write(fro[1], &c, 1) == 1) AFTER; }\n"                    \
    "static void *feeder(void *a) { char c; setpriority(PRIO_PROCESS, 0, -20);"                    \
    " while (read(to[0], &c, 1) == 1) { usleep(c * 1000);"                                         \
    " if (c == READY) feed_ready(c); else feed(c); } return a; }\n"                                \
    "int main(int n, char **v) { if (n < 4) return 1; seconds = atof(v[1]); pthread_t t;\n"        \
    "  FILE *f = fopen(v[2], \"w\"); setpriority(PRIO_PROCESS, 0, -20);\n"                         \
    "  if (pipe(to) || pipe(fro) || pthread_create(&t, 0, feeder, 0)) return 1;\n"                 \
    "  while (access(v[3], F_OK) != 0) get_ready();\n"                                             \
    "  const long long end = now(CLOCK_MONOTONIC) + (long long)(seconds * 1e9);\n"                 \
    "  while (now(CLOCK_MONOTONIC) < end) {\n"                                                     \
    "    long long a = off(); wait_one(12);\n"                                                     \
    "    long long b = off(); wait_two(8);\n"                                                      \
    "    long long c = off(); wait_three(5);\n"                                                    \
    "    long long d = off();\n"                                                                   \
    "    used[0] += b - a; used[1] += c - b; used[2] += d - c; }\n"                                \
    "  fprintf(f, \"%lld %lld %lld\\n\", used[0], used[1], used[2]); fclose(f);\n"                 \
    "  for (;;) pause(); }\n"

/* Pages that are touched for the first time, by one of the measured functions; the system counts
 * them for the thread. So many at a time as have their stacks copied (bpf/output.h): a pause comes
 * first, since starting a program makes faults, too. */
#define TOUCHES                                                                                    \
    "#include <sys/mman.h>\n"                                                                      \
    "static long long faults(void) { struct rusage u; getrusage(RUSAGE_THREAD, &u);"               \
    " return u.ru_minflt; }\n"                                                                     \
    "static char *at;\n"                                                                           \
    "APART long put(int c) { volatile char room[40] = {0}; *(volatile char *)at = c;"               \
    " at += 4096; return room[c]; }\n"                                                             \
    "APART long touch_one(long n) { long s = 0; while (n--) s += put(1); return s; }\n"            \
    "APART long touch_two(long n) { long s = 0; while (n--) s += put(2); return s; }\n"            \
    "APART long touch_three(long n) { long s = 0; while (n--) s += put(3); return s; }\n"          \
    "int main(int n, char **v) { if (n < 3) return 1; FILE *f = fopen(v[2], \"w\");"               \
    " usleep(200000);\n"                                                                           \
    "  for (int i = 0; i < 28; i++) { char *m = mmap(0, 409600, PROT_READ | PROT_WRITE,\n"         \
    "      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (m == MAP_FAILED) return 1; at = m;\n"          \
    "    long long a = faults(); touch_one(50);\n"                                                 \
    "    long long b = faults(); touch_two(35);\n"                                                 \
    "    long long c = faults(); touch_three(15);\n"                                               \
    "    long long d = faults(); munmap(m, 409600); usleep(100000);\n"                              \
    "    used[0] += b - a; used[1] += c - b; used[2] += d - c; }\n"                                \
    "  seconds = 0; now(CLOCK_MONOTONIC);\n"                                                       \
    "  fprintf(f, \"%lld %lld %lld\\n\", used[0], used[1], used[2]); fclose(f);\n"                 \
    "  for (;;) pause(); }\n"

static const char source_waits[] =
    "cat > waits.c <<'EOF'\n" COMMON WAITS "EOF\n"
    "cc -O2 -fno-omit-frame-pointer -pthread -o waits_c waits.c &&"
    "cc -O2 -fomit-frame-pointer -pthread -o waits_bare waits.c &&"
    "c++ -x c++ -O2 -fomit-frame-pointer -fpermissive -pthread -o waits_cxx waits.c &&"
    "cc -O2 -fomit-frame-pointer -pthread -rdynamic -s -o waits_stripped waits.c";

static const char source_touches[] = "cat > touches.c <<'EOF'\n" COMMON TOUCHES "EOF\n"
                                     "cc -O2 -fno-omit-frame-pointer -o touches_c touches.c &&"
                                     "cc -O2 -fomit-frame-pointer -o touches_bare touches.c";

static const char source_c[] =
    "cat > prog.c <<'EOF'\n" COMMON
    "APART void hot_one(long n) { volatile double x = 1; while (n--) x = x * 1.01 + 1; }\n"
    "APART void hot_two(long n) { volatile long x = 1; while (n--) x = x * 3 + 1; }\n"
    "APART void hot_three(long n) { volatile long x = 1; while (n--) x ^= n; }\n"
    "#define ONE hot_one\n#define TWO hot_two\n#define THREE hot_three\n" MAIN "EOF\n"
    "cc -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o prog_c prog.c &&"
    "cc -O2 -fomit-frame-pointer -Wl,--build-id=sha1 -o prog_bare prog.c &&"
    "cc -O2 -fomit-frame-pointer -Wl,--build-id=sha1 -rdynamic -s -o prog_stripped prog.c";

static const char source_cxx[] =
    "cat > prog.cc <<'EOF'\n" COMMON "namespace work {\n"
    "template <class T> struct Engine { APART static void run(long n)"
    " { volatile T x = 1; while (n--) x = x * 3 + 1; } };\n"
    "APART void burn(long n, double by) { volatile double x = by; while (n--) x = x * 1.01 + 1; }\n"
    "}\n"
    "#define ONE(n) work::Engine<int>::run(n)\n#define TWO(n) work::burn(n, 1)\n"
    "#define THREE(n) work::Engine<double>::run(n)\n" MAIN "EOF\n"
    "c++ -O2 -fomit-frame-pointer -Wl,--build-id=sha1 -o prog_cxx prog.cc";

/* ---- what was seen ------------------------------------------------------------------------- */

static const char *cell_text(const struct frame *f, const struct value *v)
{
    return v->type == VALUE_TEXT ? f->arena + v->text.offset : "";
}

/* What has come in or below the frames of this name; what they call themselves is their own
 * matter. */
static double weight_of(const struct frame *f, const char *name)
{
    enum { FRAME, MODE, SAMPLES };
    double sum = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value *const v = &f->rows[i].cells[FRAME];
        const char *const text = cell_text(f, v);
        const size_t bytes = v->text.bytes, length = strlen(name);
        if (v->type == VALUE_TEXT && bytes >= length &&
            memcmp(text + bytes - length, name, length) == 0)
            sum += f->rows[i].cells[SAMPLES].type == VALUE_TIME
                       ? (double)f->rows[i].cells[SAMPLES].ns
                       : (double)f->rows[i].cells[SAMPLES].count;
    }
    return sum;
}

static struct frame *ask_for(struct live_run *r, enum stack_metric metric, bool is_settled)
{
    static uint64_t sequence = 1000000;
    struct request q = {.sequence = ++sequence,
                        .pane = pane_find("stacks"),
                        .accumulate = true,
                        .sort = 2,
                        .rows = 100000,
                        .stacks = {.metric = (uint8_t)metric, .cut_off = STACK_CUT_OFF_NONE}};
    engine_request(r->session->engine, &q);
    struct frame *const f =
        engine_wait_frame(r->session->engine, q.sequence, is_settled, PATIENCE_NS);
    assert_non_null(f);
    return f;
}

static struct frame *ask(struct live_run *r, enum stack_metric metric)
{
    return ask_for(r, metric, true);
}

/* From here on "inside/" is a file system that only this process and what it runs can see. */
static bool hide(void)
{
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && mount -t tmpfs none inside && cp prog_bare inside/prog_hidden", folder);
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           system(command) == 0;
}

static pid_t start(const char *program, const char *output, int duration)
{
    const pid_t pid = fork();
    if (pid == 0) {
        char at[256], go[128], seconds[16];
        snprintf(at, sizeof at, "%s/%s", folder, program);
        snprintf(go, sizeof go, "%s/go", folder);
        snprintf(seconds, sizeof seconds, "%d", duration);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (strncmp(program, "inside/", 7) == 0 && !hide())
            _exit(126);
        raise(SIGSTOP);
        execl(at, at, seconds, output, go, (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    return pid;
}

static void wait_for_file(const char *path)
{
    struct stat st;
    const int64_t end = os_now() + PATIENCE * 1000000000ll;
    while (stat(path, &st) != 0 || st.st_size == 0) {
        if (os_now() > end)
            fail_msg("nothing is ever written to %s", path);
        os_sleep(10000000);
    }
}

/* Time that a hypervisor gave to others, of all processors: no clock of samples goes on then. */
static double stolen_ns(void)
{
    double ticks = 0;
    FILE *const f = fopen("/proc/stat", "re");
    if (!f || fscanf(f, "cpu %*f %*f %*f %*f %*f %*f %*f %lf", &ticks) != 1)
        ticks = 0;
    if (f)
        fclose(f);
    return ticks * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

/* How often a process was put on a processor. */
static double slices_of(pid_t pid)
{
    char path[64], line[128];
    unsigned long one, all = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *const f = fopen(path, "re");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "voluntary_ctxt_switches: %lu", &one) == 1 ||
            sscanf(line, "nonvoluntary_ctxt_switches: %lu", &one) == 1)
            all += one;
    fclose(f);
    return (double)all;
}

/* What the sum of samples may differ by, in the program's units: time when nothing could be seen,
 * and of every time slice a part of the period, for the clock of samples and the
 * scheduler's run in step. */
struct unsure {
    double missing, surplus;
};

/* The weights of the program's functions against its own figures: the shares within two percent
 * (of samples also within four times what chance makes of so many), the sum within `slack` and the
 * unsure part, where one of the program's units is `unit` of the metric's. */
static void shares_are_right(const struct frame *f, const char *program, const char *output,
                             const char *const names[FUNCTIONS], bool is_sampled, double unit,
                             double slack, struct unsure u)
{
    double used[FUNCTIONS], all = 0, seen = 0, weights[FUNCTIONS];
    FILE *const file = fopen(output, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lf %lf %lf", &used[0], &used[1], &used[2]), 3);
    fclose(file);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        weights[i] = weight_of(f, names[i]);
        all += used[i];
        seen += weights[i];
    }
    for (unsigned i = 0; i < FUNCTIONS; i++)
        printf("%s %s: %.2f %% of its account, %.2f %% of %.0f\n", program, names[i],
               100 * used[i] / all, 100 * weights[i] / seen, seen);
    printf("%s: %.0f seen of %.0f, give or take %.0f %%, less %.0f, more %.0f\n", program, seen,
           all * unit, 100 * slack, u.missing * unit, u.surplus * unit);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const double share = used[i] / all,
                     chance = is_sampled ? 4 * sqrt(share * (1 - share) / seen) : 0,
                     most = chance > 0.02 ? chance : 0.02;
        assert_true(fabs(weights[i] / seen - share) < most);
    }
    assert_true(seen > (all * (1 - slack) - u.missing) * unit);
    assert_true(seen < (all * (1 + slack) + u.surplus) * unit);
}

/* Of this program, at most: those whose buffers were full, and those whose users' frames were not
 * found, for a busy machine. */
static double lost_samples(const struct live_run *r)
{
    const struct collector *const c = &r->session->collector;
    return (double)(atomic_load(&c->loss.kernel) + atomic_load(&c->stacks_short));
}

struct show {
    const char *program;
    uint32_t classes, stacks;
    enum stack_metric metric;
    double unit, slack;
};

/* Ended, for more questions: the caller's to free. */
static struct live_run *play(const struct show *show, const char *const names[FUNCTIONS])
{
    char output[256];
    const char *const slash = strrchr(show->program, '/');
    snprintf(output, sizeof output, "%s/%s.out", folder, slash ? slash + 1 : show->program);
    unlink(output);
    const pid_t pid = start(show->program, output, SECONDS);
    const uint32_t pids[] = {(uint32_t)pid};
    struct live_run *const r = live_begin(&(struct live_request){
        .classes = show->classes, .stacks = show->stacks, .scope = {.pids = pids, .pid_count = 1}});
    const double stolen = stolen_ns();
    kill(pid, SIGCONT);
    wait_for_file(output);
    live_end(r);
    const double aliased = slices_of(pid) / show->unit; /* a sample each, at most */
    const double lost = lost_samples(r) / show->unit;
    const struct unsure unsure = {.missing = stolen_ns() - stolen + aliased + lost,
                                  .surplus = aliased};
    struct frame *const f = ask(r, show->metric);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    const bool is_sampled = show->metric == METRIC_SAMPLES;
    shares_are_right(f, show->program, output, names, is_sampled, show->unit, show->slack,
                     is_sampled ? unsure : (struct unsure){0, 0});
    frame_free(f);
    return r;
}

/* A millisecond a sample, by processor time. */
static void samples_are_right(const char *program, const char *const names[FUNCTIONS])
{
    live_free(play(
        &(struct show){program, 1u << FACT_SAMPLE, 1u << FACT_SAMPLE, METRIC_SAMPLES, 1e-6, 0.05},
        names));
}

static void a_c_program(void **state)
{
    (void)state;
    static const char *const names[] = {"prog_c!hot_one", "prog_c!hot_two", "prog_c!hot_three"};
    must_have(source_c);
    samples_are_right("prog_c", names);
}

static void a_stripped_program(void **state)
{
    (void)state;
    static const char *const names[] = {"prog_stripped!hot_one", "prog_stripped!hot_two",
                                        "prog_stripped!hot_three"};
    must_have(source_c);
    samples_are_right("prog_stripped", names);
}

static void a_cxx_program(void **state)
{
    (void)state;
    static const char *const names[] = {"prog_cxx!work::Engine<int>::run(long)",
                                        "prog_cxx!work::burn(long, double)",
                                        "prog_cxx!work::Engine<double>::run(long)"};
    must_have(source_cxx);
    samples_are_right("prog_cxx", names);
}

static void a_program_without_frame_pointers(void **state)
{
    (void)state;
    static const char *const names[] = {"prog_bare!hot_one", "prog_bare!hot_two",
                                        "prog_bare!hot_three"};
    must_have(source_c);
    samples_are_right("prog_bare", names);
}

/* As those of containers: its path leads nowhere here. */
static void a_program_of_another_mount_namespace(void **state)
{
    (void)state;
    static const char *const names[] = {"prog_hidden!hot_one", "prog_hidden!hot_two",
                                        "prog_hidden!hot_three"};
    must_have(source_c);
    if (!run("mkdir -p inside") || geteuid() != 0) {
        print_message("skipped: only root may have a mount namespace\n");
        skip();
    }
    samples_are_right("inside/prog_hidden", names);
}

static void names_in(const char *program, const char *const functions[], char out[][64],
                     const char **names, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        snprintf(out[i], 64, "%s!%s", program, functions[i]);
        names[i] = out[i];
    }
}

static const struct waiting_program {
    const char *name, *waits, *wakes; /* and its functions before it accounts for anything */
} waiting_programs[] = {
    {"waits_c", "waits_c!get_ready", "waits_c!feed_ready"},
    {"waits_bare", "waits_bare!get_ready", "waits_bare!feed_ready"},
    {"waits_cxx", "waits_cxx!get_ready()", "waits_cxx!feed_ready(char)"},
    {"waits_stripped", "waits_stripped!get_ready", "waits_stripped!feed_ready"},
};
enum { WAITING_PROGRAMS = sizeof waiting_programs / sizeof *waiting_programs };

/* Both functions of every program have been seen. */
static bool are_ready(struct live_run *r)
{
    struct frame *const waiting = ask_for(r, METRIC_WAITING, false);
    struct frame *const waking = ask_for(r, METRIC_WAKING, false);
    unsigned ready = 0;
    for (unsigned i = 0; i < WAITING_PROGRAMS; i++)
        ready += weight_of(waiting, waiting_programs[i].waits) > 0 &&
                 weight_of(waking, waiting_programs[i].wakes) > 0;
    frame_free(waiting);
    frame_free(waking);
    return ready == WAITING_PROGRAMS;
}

static void wait_until_ready(struct live_run *r)
{
    const int64_t end = os_now() + PATIENCE * 1000000000ll;
    while (!are_ready(r)) {
        if (os_now() > end)
            fail_msg("the stacks of the waiting programs never become complete");
        os_sleep(50000000);
    }
}

/* They mostly sleep: one run for all tests, in which they wait side by side, and longer. Ended. */
static struct live_run *run_of_waits(void)
{
    enum { CLASSES = 1 << FACT_SWITCH | 1 << FACT_READY, LONGER = 2 * SECONDS };
    if (waits)
        return waits;
    char output[WAITING_PROGRAMS][256];
    uint32_t pids[WAITING_PROGRAMS];
    must_have(source_waits);
    for (unsigned i = 0; i < WAITING_PROGRAMS; i++) {
        snprintf(output[i], sizeof output[i], "%s/%s.out", folder, waiting_programs[i].name);
        pids[i] = (uint32_t)start(waiting_programs[i].name, output[i], LONGER);
    }
    struct live_run *const r =
        live_begin(&(struct live_request){.classes = CLASSES,
                                          .stacks = CLASSES,
                                          .scope = {.pids = pids, .pid_count = WAITING_PROGRAMS}});
    for (unsigned i = 0; i < WAITING_PROGRAMS; i++)
        kill((pid_t)pids[i], SIGCONT);
    wait_until_ready(r);
    const double lost = lost_samples(r);
    assert_true(run("touch go"));
    for (unsigned i = 0; i < WAITING_PROGRAMS; i++)
        wait_for_file(output[i]);
    live_end(r);
    lost_of_waits = lost_samples(r) - lost;
    frame_free(ask(r, METRIC_WAITING)); /* they are still there for their names */
    for (unsigned i = 0; i < WAITING_PROGRAMS; i++) {
        kill((pid_t)pids[i], SIGKILL);
        waitpid((pid_t)pids[i], NULL, 0);
    }
    return waits = r;
}

/* By the source above, when nothing else keeps the processors. */
static const double LONGEST_WAIT_NS = 12e6;

/* Of the waits of the last function it is known who ended them. */
static void waits_are_right(const char *program, const char *const functions[FUNCTIONS + 1])
{
    char texts[FUNCTIONS + 1][64], output[256];
    const char *names[FUNCTIONS + 1];
    names_in(program, functions, texts, names, FUNCTIONS + 1);
    struct live_run *const r = run_of_waits();
    struct frame *f = ask(r, METRIC_WAITING);
    snprintf(output, sizeof output, "%s/%s.out", folder, program);
    /* Each lost stack may be of the longest wait. */
    const double unsure = lost_of_waits * LONGEST_WAIT_NS;
    shares_are_right(f, program, output, names, false, 1, 0.05, (struct unsure){unsure, 0});
    const double waited = weight_of(f, names[2]);
    frame_free(f);
    f = ask(r, METRIC_WAKING);
    const double ended = weight_of(f, names[3]);
    frame_free(f);
    printf("%s %s: waits of %.0f ns, ended by %s: %.0f ns, give or take 2 %% and %.0f ns\n",
           program, names[2], waited, names[3], ended, unsure);
    assert_true(fabs(ended - waited) < waited * 0.02 + unsure);
}

static const char *const c_waits[] = {"wait_one", "wait_two", "wait_three", "feed"};

static void waits_with_frame_pointers(void **state)
{
    (void)state;
    waits_are_right("waits_c", c_waits);
}

static void waits_without_frame_pointers(void **state)
{
    (void)state;
    waits_are_right("waits_bare", c_waits);
}

static void waits_of_a_cxx_program(void **state)
{
    (void)state;
    static const char *const functions[] = {"wait_one(long)", "wait_two(long)", "wait_three(long)",
                                            "feed(char)"};
    waits_are_right("waits_cxx", functions);
}

static void waits_of_a_stripped_program(void **state)
{
    (void)state;
    waits_are_right("waits_stripped", c_waits);
}

static void faults_are_right(const char *program)
{
    static const char *const functions[] = {"touch_one", "touch_two", "touch_three"};
    char texts[FUNCTIONS][64];
    const char *names[FUNCTIONS];
    must_have(source_touches);
    names_in(program, functions, texts, names, FUNCTIONS);
    live_free(
        play(&(struct show){program, 1u << FACT_FAULT, 1u << FACT_FAULT, METRIC_FAULTS, 1, 0.02},
             names));
}

static void faults_with_frame_pointers(void **state)
{
    (void)state;
    faults_are_right("touches_c");
}

static void faults_without_frame_pointers(void **state)
{
    (void)state;
    faults_are_right("touches_bare");
}

/* ---- beside perf ---------------------------------------------------------------------------- */

/* Stacks from main() on, the program's own frames, one a line with its count. */
#define FROM_MAIN                                                                                  \
    "function flush(  i, p) { p = \"\"; for (i = n; i > 0; i--)"                                   \
    " if (p != \"\" || f[i] == \"main\") p = p (p == \"\" ? \"\" : \";\") f[i];"                   \
    " if (p != \"\") all[p] += weight; n = 0; }"                                                   \
    " END { for (p in all) print p, all[p]; }"

static const char collapse_perf[] =
    "perf script -i p.data -F ip,sym 2>/dev/null | awk '" FROM_MAIN
    " BEGIN { weight = 1; } NF < 2 { flush(); next; } $1 ~ /^ffff/ { next; }"
    " { sub(/\\+0x.*/, \"\", $2); f[++n] = $2; }' >perf.folded";

static const char collapse_own[] =
    " stacks t.etl --metric samples -O folded -q | awk '" FROM_MAIN
    " { weight = $NF; $NF = \"\"; sub(/ $/, \"\"); k = split($0, s, \";\");"
    " for (j = k; j > 0; j--) if (s[j] !~ /^\\[/) { sub(/.*!/, \"\", s[j]); f[++n] = s[j]; }"
    " flush(); }' >own.folded";

/* Two counts of the same thing by two clocks, of which perf's may tick less often: four times what
 * chance makes of them, and four of perf's samples where there are few. What main() does besides
 * its functions is one count: there perf and tracetop name and unwind differently. */
static const char compare[] =
    "awk 'function kind(stack, f) { split(stack, f, \";\"); return f[2] ~ /^hot_/ ? f[2] : "
    "\"other\"; }"
    " FNR == NR { a[kind($1)] += $2; x += $2; next; } { b[kind($1)] += $2; y += $2; }"
    " END { if (x < 500 || y < 500) exit 1;"
    "  for (p in b) a[p] += 0;"
    "  for (p in a) { m = a[p] * y / x; d = m - b[p]; e = 4 * sqrt(m * y / x + b[p]) + 4 * y / x;"
    "   print p, a[p], b[p] + 0; if (a[p] > 100) k++; if (d > e || d < -e) bad++; }"
    "  exit bad || k < 3; }' perf.folded own.folded >compared";

/* Both look while the program uses four seconds of a processor, and until perf has written about a
 * thousand samples: where much else runs, its timer begins anew too often. What else runs changes
 * the shares of its functions: perf, which begins at once, begins when we have, so that both see
 * the same seconds. Both listen for SIGINT before their files have anything in them. */
static const char both[] =
    "used() { cut -d' ' -f1 /proc/%d/schedstat; }\n"
    "%s record -q --force -p %d -P stacks -g sample -o t.etl & own=$!\n"
    "until test -s t.etl.partial; do kill -0 $own || exit 1; sleep 0.05; done\n"
    "perf record -q -m 8 -e cpu-clock -F 999 --call-graph fp -p %d -o p.data & perf=$!\n"
    "until test -s p.data; do kill -0 $perf || exit 1; sleep 0.05; done\n"
    "end=$(($(used) + 4000000000))\n"
    "while [ $(used) -lt $end ] || [ $(stat -c %%s p.data) -lt 150000 ]; do sleep 0.05; done\n"
    "kill -INT $perf $own; wait $perf; wait $own; true";

static void perf_counts_the_same(void **state)
{
    (void)state;
    char program[4096], command[8192], output[256];
    assert_true(live_program(program, sizeof program));
    snprintf(output, sizeof output, "%s/beside.out", folder);
    must_have(source_c);
    if (system("perf record -q -o /dev/null -e cpu-clock true >/dev/null 2>&1")) {
        print_message("skipped: no perf that may sample (Debian package linux-perf)\n");
        skip();
    }
    const pid_t pid = start("prog_c", output, 3600); /* until it is killed */
    kill(pid, SIGCONT);
    snprintf(command, sizeof command, both, pid, program, pid, pid);
    const bool has_run = run(command);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_true(has_run);
    snprintf(command, sizeof command, "%s && %s%s", collapse_perf, program, collapse_own);
    assert_true(run(command));
    const bool is_equal = run(compare);
    snprintf(command, sizeof command, "cat %s/compared", folder);
    assert_int_equal(system(command), 0); /* stack, perf's count, ours */
    assert_true(is_equal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_c_program),
        cmocka_unit_test(a_stripped_program),
        cmocka_unit_test(a_cxx_program),
        cmocka_unit_test(a_program_without_frame_pointers),
        cmocka_unit_test(a_program_of_another_mount_namespace),
        cmocka_unit_test(waits_with_frame_pointers),
        cmocka_unit_test(waits_without_frame_pointers),
        cmocka_unit_test(waits_of_a_cxx_program),
        cmocka_unit_test(waits_of_a_stripped_program),
        cmocka_unit_test(faults_with_frame_pointers),
        cmocka_unit_test(faults_without_frame_pointers),
        cmocka_unit_test(perf_counts_the_same),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
