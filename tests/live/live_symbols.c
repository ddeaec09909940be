/* Names against the clock: a C, a C++ and a stripped program, made here, share their time between
 * functions and say how; the functions of their samples must say the same. */
#include "tests/live/harness.h"

#include "src/os.h"
#include "src/pane.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FUNCTIONS = 3, SECONDS = 6 };

static char folder[64];

static bool run(const char *command)
{
    char line[4096];
    snprintf(line, sizeof line, "cd %s && { %s; } >log 2>&1", folder, command);
    return system(line) == 0;
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
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Each function works on its own; its processor time is measured around it. In the end the
 * program tells the nanoseconds of each and waits to be ended. */
#define COMMON                                                                                     \
    "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n"            \
    "#define APART __attribute__((noinline, noclone))\n"                                           \
    "static long long now(clockid_t c) { struct timespec t; clock_gettime(c, &t);"                 \
    " return t.tv_sec * 1000000000ll + t.tv_nsec; }\n"                                             \
    "static long long used[3];\n"                                                                  \
    "static double seconds;\n"

#define MAIN                                                                                       \
    "int main(int n, char **v) { if (n < 3) return 1; seconds = atof(v[1]);\n"                     \
    "  FILE *f = fopen(v[2], \"w\");\n"                                                            \
    "  const long long end = now(CLOCK_MONOTONIC) + (long long)(seconds * 1e9);\n"                 \
    "  while (now(CLOCK_MONOTONIC) < end) {\n"                                                     \
    "    long long a = now(CLOCK_THREAD_CPUTIME_ID); ONE(2400000);\n"                              \
    "    long long b = now(CLOCK_THREAD_CPUTIME_ID); TWO(1200000);\n"                              \
    "    long long c = now(CLOCK_THREAD_CPUTIME_ID); THREE(400000);\n"                             \
    "    long long d = now(CLOCK_THREAD_CPUTIME_ID);\n"                                            \
    "    used[0] += b - a; used[1] += c - b; used[2] += d - c; }\n"                                \
    "  fprintf(f, \"%lld %lld %lld\\n\", used[0], used[1], used[2]); fclose(f);\n"                 \
    "  for (;;) pause(); }\n"

static const char source_c[] =
    "cat > prog.c <<'EOF'\n" COMMON
    "APART void hot_one(long n) { volatile double x = 1; while (n--) x = x * 1.01 + 1; }\n"
    "APART void hot_two(long n) { volatile long x = 1; while (n--) x = x * 3 + 1; }\n"
    "APART void hot_three(long n) { volatile long x = 1; while (n--) x ^= n; }\n"
    "#define ONE hot_one\n#define TWO hot_two\n#define THREE hot_three\n" MAIN "EOF\n"
    "cc -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o prog_c prog.c &&"
    "cc -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -rdynamic -s -o prog_stripped prog.c";

static const char source_cxx[] =
    "cat > prog.cc <<'EOF'\n" COMMON "namespace work {\n"
    "template <class T> struct Engine { APART static void run(long n)"
    " { volatile T x = 1; while (n--) x = x * 3 + 1; } };\n"
    "APART void burn(long n, double by) { volatile double x = by; while (n--) x = x * 1.01 + 1; }\n"
    "}\n"
    "#define ONE(n) work::Engine<int>::run(n)\n#define TWO(n) work::burn(n, 1)\n"
    "#define THREE(n) work::Engine<double>::run(n)\n" MAIN "EOF\n"
    "c++ -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o prog_cxx prog.cc";

/* ---- what was seen ------------------------------------------------------------------------- */

static const char *cell_text(const struct frame *f, const struct value *v)
{
    return v->type == VALUE_TEXT ? f->arena + v->text.offset : "";
}

/* Samples in or below the frames of this name; what they call themselves is their own matter. */
static double samples_of(const struct frame *f, const char *name)
{
    enum { FRAME, MODE, SAMPLES };
    double sum = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value *const v = &f->rows[i].cells[FRAME];
        const char *const text = cell_text(f, v);
        const size_t bytes = v->text.bytes, length = strlen(name);
        if (v->type == VALUE_TEXT && bytes >= length &&
            memcmp(text + bytes - length, name, length) == 0)
            sum += (double)f->rows[i].cells[SAMPLES].count;
    }
    return sum;
}

static struct frame *ask(struct live_run *r)
{
    static uint64_t sequence = 1000000;
    struct request q = {.sequence = ++sequence,
                        .pane = pane_find("stacks"),
                        .accumulate = true,
                        .sort = 2,
                        .rows = 100000};
    engine_request(r->session->engine, &q);
    struct frame *const f = engine_wait_frame(r->session->engine, q.sequence, true, 60000000000);
    assert_non_null(f);
    return f;
}

static void shares_are_right(const char *program, const char *const names[FUNCTIONS])
{
    char at[256], told[256];
    snprintf(at, sizeof at, "%s/%s", folder, program);
    snprintf(told, sizeof told, "%s/%s.told", folder, program);
    const pid_t pid = fork();
    if (pid == 0) {
        char seconds[16];
        snprintf(seconds, sizeof seconds, "%d", SECONDS);
        raise(SIGSTOP);
        execl(at, at, seconds, told, (char *)NULL);
        _exit(127);
    }
    const uint32_t pids[] = {(uint32_t)pid};
    struct live_run *const r =
        live_begin(&(struct live_wish){.classes = 1u << FACT_SAMPLE,
                                       .stacks = 1u << FACT_SAMPLE,
                                       .scope = {.pids = pids, .pid_count = 1}});
    kill(pid, SIGCONT);
    os_sleep((int64_t)(SECONDS + 1) * 1000000000);
    live_end(r);
    struct frame *const f = ask(r);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    double used[FUNCTIONS], all = 0, seen = 0, samples[FUNCTIONS];
    FILE *const file = fopen(told, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lf %lf %lf", &used[0], &used[1], &used[2]), 3);
    fclose(file);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        samples[i] = samples_of(f, names[i]);
        all += used[i];
        seen += samples[i];
    }
    for (unsigned i = 0; i < FUNCTIONS; i++)
        printf("%s %s: %.2f %% of its clock, %.2f %% of %.0f samples\n", program, names[i],
               100 * used[i] / all, 100 * samples[i] / seen, seen);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        assert_true(100 * samples[i] / seen - 100 * used[i] / all < 2 &&
                    100 * used[i] / all - 100 * samples[i] / seen < 2);
    /* And all of its time is theirs: a millisecond a sample, by processor time. */
    assert_true(seen > all / 1e6 * 0.95 && seen < all / 1e6 * 1.05);
    frame_free(f);
    live_free(r);
}

static void a_c_program(void **state)
{
    (void)state;
    static const char *const names[] = {"prog_c!hot_one", "prog_c!hot_two", "prog_c!hot_three"};
    if (!run(source_c))
        skip();
    shares_are_right("prog_c", names);
}

static void a_stripped_program(void **state)
{
    (void)state;
    static const char *const names[] = {"prog_stripped!hot_one", "prog_stripped!hot_two",
                                        "prog_stripped!hot_three"};
    if (!run(source_c))
        skip();
    shares_are_right("prog_stripped", names);
}

static void a_cxx_program(void **state)
{
    (void)state;
    static const char *const names[] = {"prog_cxx!work::Engine<int>::run(long)",
                                        "prog_cxx!work::burn(long, double)",
                                        "prog_cxx!work::Engine<double>::run(long)"};
    if (!run(source_cxx))
        skip();
    shares_are_right("prog_cxx", names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_c_program),
        cmocka_unit_test(a_stripped_program),
        cmocka_unit_test(a_cxx_program),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
