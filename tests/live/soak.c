/* The full-screen program for MINUTES on a pseudo-terminal while the machine is under mixed
 * load (stress-ng) and somebody presses keys all the time. Prints its memory at the start, in
 * the middle and at the end, the losses by cause as the program itself tells them, and the
 * longest time from a key to its effect on the screen. Fails where memory grows, a key has no
 * effect, the accounts do not add up or the terminal is not left as it was.
 *
 * usage: soak PROGRAM MINUTES      (as root; skips where stress-ng or rights are missing) */
#include "tests/terminal.h"

#include "src/os.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND      INT64_C(1000000000)
#define MILLISECOND INT64_C(1000000)

enum { COLUMNS = 160, ROWS = 50, SKIPPED = 77, PATIENCE_S = 10 };

static const int64_t SNAPSHOT_PATIENCE = 60 * SECOND;

/* Half a second is what a person calls stuck; the load takes both processors for itself. */
static const double key_limit_ms = 500;
/* Shorter runs say nothing of memory: the ring is still filling in their middle. */
static const int64_t FILLING = 120 * SECOND;
/* Tables fill while the load makes new names; from the middle on nothing may grow by more. */
static const double growth_limit = 1.10;

/* ---- steps: keys, and what must be seen after the last of them ---------------------------
 * After Esc comes something that is no digit: Esc and a digit are a function key. */

struct step {
    const char *keys[6];
    const char *shows, *hides; /* NULL: nothing to wait for */
};

static const struct step steps[] = {
    {{"1"}, " Processes", NULL},
    {{"Down", "Down", "Enter"}, "\xe2\x80\xba CPU and context switches", NULL},
    {{"Backspace"}, " Processes", "\xe2\x80\xba CPU"},
    {{"2"}, " CPU and context", NULL},
    {{"3"}, " Disk", NULL},
    {{"Enter"}, "\xe2\x80\xba Files", NULL},
    {{"Esc"}, " Disk", "\xe2\x80\xba Files"},
    {{"Home"}, NULL, NULL},
    {{"4"}, " Files", NULL},
    {{"/", "t", "m", "p"}, "filter: tmp", NULL},
    {{"Esc"}, " Files", "filter:"},
    {{"Home"}, NULL, NULL},
    {{"t"}, NULL, NULL},
    {{"t"}, NULL, NULL},
    {{"5"}, " Network", NULL},
    {{"6"}, " Registry", NULL},
    {{"7"}, " Memory", NULL},
    {{"8"}, " DPC/ISR", NULL},
    {{"9"}, " System calls", NULL},
    {{"/", "r", "e", "a", "d", "Enter"}, "filter: read", NULL},
    {{"Esc"}, " System calls", "filter:"},
    {{"Home"}, NULL, NULL},
    {{"1"}, " Processes", NULL},
    {{"c"}, "\xe2\x80\xba Stacks", NULL},
    {{"Backspace"}, " Processes", "\xe2\x80\xba Stacks"},
    {{"d"}, "\xe2\x80\xba Events", NULL},
    {{"Enter"}, NULL, NULL},
    {{"Backspace"}, NULL, NULL},
    {{"Backspace"}, " Processes", "\xe2\x80\xba Events"},
    {{"Z"}, "FROZEN", NULL},
    {{"2"}, " CPU and context", NULL},
    {{"["}, NULL, NULL},
    {{"[", "]"}, NULL, NULL},
    {{"Z"}, "LIVE", "FROZEN"},
    {{"1"}, " Processes", NULL},
    {{"/", "s", "t", "r", "e", "s"}, "filter: stres", NULL},
    {{"Esc"}, " Processes", "filter:"},
    {{"Home"}, NULL, NULL},
    {{"s"}, "Process id", NULL},
    {{"Esc"}, NULL, "Process id"},
    {{"Home"}, NULL, NULL},
    {{"a"}, NULL, NULL},
    {{"a"}, NULL, NULL},
    {{"?"}, "Everywhere", NULL},
    {{"q"}, NULL, "Everywhere"},
    {{"i", "i", "O", "O"}, NULL, NULL},
    {{"v"}, NULL, NULL},
    {{"Esc"}, " Processes", NULL},
    {{"Home"}, NULL, NULL},
};
enum { STEPS = sizeof steps / sizeof *steps };

static bool is_there(struct terminal *t, const struct step *s)
{
    return (!s->shows || terminal_shows(t, s->shows)) &&
           (!s->hides || !terminal_shows(t, s->hides));
}

static void rest(struct terminal *t, int64_t ns)
{
    for (int64_t end = os_now() + ns; os_now() < end;)
        terminal_pump(t, 10);
}

/* Milliseconds from the last key to its effect, 0 where there is none to see; negative when
 * it never came. */
static double run_step(struct terminal *t, const struct step *s)
{
    int64_t pressed = 0;
    for (size_t i = 0; i < sizeof s->keys / sizeof *s->keys && s->keys[i]; i++) {
        if (i)
            rest(t, 60 * MILLISECOND);
        while (terminal_pump(t, 0))
            continue;
        pressed = os_now();
        terminal_press(t, s->keys[i]);
    }
    if (!s->shows && !s->hides)
        return rest(t, 150 * MILLISECOND), 0;
    while (!is_there(t, s)) {
        if (os_now() - pressed > PATIENCE_S * SECOND)
            return -1;
        terminal_pump(t, 10);
    }
    return (double)(os_now() - pressed) / 1e6;
}

/* ---- the load -------------------------------------------------------------------------------- */

static pid_t start_load(int64_t seconds)
{
    char timeout[32];
    snprintf(timeout, sizeof timeout, "%" PRId64 "s", seconds);
    const pid_t pid = fork();
    if (pid)
        return pid;
    setpgid(0, 0);
    if (!freopen("/dev/null", "w", stdout))
        _exit(1);
    execlp("stress-ng", "stress-ng", "--quiet", "--cpu", "1", "--io", "1", "--fork", "1", "--sock",
           "1", "--sock-port", "45917", "--mmap", "1", "--mmap-bytes", "64m", "--switch", "1",
           "--hdd", "1", "--hdd-bytes", "64m", "--temp-path", "/var/tmp", "--timeout", timeout,
           (char *)NULL);
    _exit(127);
}

static bool has_ended(pid_t pid, int *status)
{
    return waitpid(pid, status, WNOHANG) == pid;
}

static void end_load(pid_t pid)
{
    kill(-pid, SIGTERM);
    os_sleep(2 * SECOND);
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* ---- what it takes ----------------------------------------------------------------------------
 */

/* KiB from /proc/PID/status; the program is our only child of that name. */
static long memory_of(pid_t pid, const char *name)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *const f = fopen(path, "r");
    long kib = -1;
    while (f && kib < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtol(line + strlen(name), NULL, 10);
    if (f)
        fclose(f);
    return kib;
}

/* Snapshots that F8 wrote: counted, weighed, removed. */
static uint64_t take_snapshots(unsigned *count)
{
    uint64_t bytes = 0;
    DIR *const d = opendir(".");
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        FILE *const f = strstr(e->d_name, ".etl") ? fopen(e->d_name, "r") : NULL;
        if (f && fseek(f, 0, SEEK_END) == 0) {
            bytes += (uint64_t)ftell(f);
            *count += strstr(e->d_name, ".view") == NULL && strstr(e->d_name, ".partial") == NULL;
        }
        if (f)
            fclose(f);
        unlink(e->d_name);
    }
    if (d)
        closedir(d);
    return bytes;
}

/* ---- the end: what the program says of its losses ----------------------------------------------
 */

struct accounts {
    uint64_t made, received, lost, silent;
    bool is_said;
};

/* The line of session_summary(): only there where something was lost. */
static struct accounts read_accounts(struct terminal *t)
{
    struct accounts a = {0};
    size_t count;
    const char *const bytes = (const char *)terminal_bytes(t, &count);
    static const char begin[] = "the kernel made ";
    for (size_t i = count > 4096 ? count - 4096 : 0; i + sizeof begin < count; i++)
        if (memcmp(bytes + i, begin, sizeof begin - 1) == 0)
            a.is_said = sscanf(bytes + i,
                               "the kernel made %" SCNu64 " events: %" SCNu64 " came, %" SCNu64
                               " found its buffers full, %" SCNu64 " it never",
                               &a.made, &a.received, &a.lost, &a.silent) == 4;
    return a;
}

static void print_tail(struct terminal *t)
{
    size_t count;
    const uint8_t *const bytes = terminal_bytes(t, &count);
    for (size_t i = count; i > 0; i--) /* after the last escape sequence */
        if (bytes[i - 1] == 0x1b) {
            const uint8_t *const from = memchr(bytes + i, 't', count - i);
            if (from)
                fwrite(from, 1, (size_t)(bytes + count - from), stdout);
            return;
        }
}

/* How the screen was left, for who has to find out why the terminal is as it is. */
static void print_leaving(struct terminal *t)
{
    enum { BEFORE = 300, BEHIND = 60 };
    size_t count, last = 0;
    const uint8_t *const bytes = terminal_bytes(t, &count);
    for (size_t i = 0; i < count; i++)
        last = bytes[i] == 0x1b ? i : last;
    for (size_t i = last > BEFORE ? last - BEFORE : 0; i < count && i < last + BEHIND; i++)
        printf(bytes[i] >= ' ' && bytes[i] < 0x7f ? "%c" : "\\x%02x", bytes[i]);
    putchar('\n');
}

static bool claim(bool is_so, const char *what)
{
    if (!is_so)
        printf("FAILED: %s\n", what);
    return is_so;
}

/* ---- the run ------------------------------------------------------------------------------------
 */

struct soak {
    struct terminal *t;
    pid_t pid;
    int64_t began, duration;
    double longest, sum, snapshot_s;
    const struct step *slowest;
    unsigned presses, late, snapshots;
    uint64_t snapshot_bytes;
    long start_kib, middle_kib, end_kib, peak_kib;
    bool is_good;
};

static void look_at_memory(struct soak *s, int64_t passed)
{
    const long kib = memory_of(s->pid, "VmRSS:");
    if (kib > s->peak_kib)
        s->peak_kib = kib;
    /* The start is taken once history has had time to fill a little. */
    if (!s->start_kib && passed >= s->duration / 20)
        s->start_kib = kib;
    if (!s->middle_kib && passed >= s->duration / 2)
        s->middle_kib = kib;
    s->end_kib = kib;
}

static bool take_step(struct soak *s, const struct step *step)
{
    const double ms = run_step(s->t, step);
    int status;
    if (terminal_ended(s->t, &status) || ms < 0) {
        char *const screen = terminal_text(s->t);
        printf("FAILED: key %s of \"%s\" has no effect within %d s%s\n%s", step->keys[0],
               step->shows ? step->shows : step->hides, PATIENCE_S,
               terminal_ended(s->t, &status) ? " (the program has ended)" : "", screen);
        free(screen);
        return false;
    }
    if (!step->shows && !step->hides)
        return true;
    s->presses++;
    s->sum += ms;
    s->late += ms > key_limit_ms;
    if (ms > s->longest) {
        s->longest = ms;
        s->slowest = step;
    }
    return true;
}

/* The file that comes last. */
static bool has_view(void)
{
    bool found = false;
    DIR *const d = opendir(".");
    for (const struct dirent *e; d && !found && (e = readdir(d));)
        found = strstr(e->d_name, ".view") != NULL;
    if (d)
        closedir(d);
    return found;
}

static void snapshot(struct soak *s)
{
    const int64_t began = os_now();
    terminal_press(s->t, "F8");
    while (!has_view() && os_now() - began < SNAPSHOT_PATIENCE)
        rest(s->t, 100 * MILLISECOND);
    const double seconds = (double)(os_now() - began) / 1e9;
    s->snapshot_s = seconds > s->snapshot_s ? seconds : s->snapshot_s;
    s->is_good &= claim(has_view(), "a snapshot is written within a minute");
    s->snapshot_bytes += take_snapshots(&s->snapshots);
}

static void press_keys(struct soak *s)
{
    s->is_good = true;
    for (unsigned round = 0; s->is_good && os_now() - s->began < s->duration; round++) {
        for (size_t i = 0; s->is_good && i < STEPS; i++) {
            s->is_good = take_step(s, &steps[i]);
            rest(s->t, (int64_t)(70 + (round * STEPS + i) * 37 % 200) * MILLISECOND);
            look_at_memory(s, os_now() - s->began);
        }
        if (s->is_good && round % 4 == 0)
            snapshot(s);
    }
}

static void end_program(struct soak *s)
{
    int status = 0;
    const char *sentence;
    const int64_t began = os_now();
    terminal_press(s->t, "F10");
    for (const int64_t end = os_now() + PATIENCE_S * SECOND;
         !terminal_ended(s->t, &status) && os_now() < end;)
        terminal_pump(s->t, 20);
    terminal_pump(s->t, 50);
    printf("end: within %.1f s\n", (double)(os_now() - began) / 1e9);
    s->is_good &= claim(WIFEXITED(status) && WEXITSTATUS(status) == 0, "it ends with status 0");
    if (!terminal_is_restored(s->t, &sentence)) {
        s->is_good = claim(false, sentence);
        print_leaving(s->t);
    }
    print_tail(s->t);
}

static void report(struct soak *s)
{
    printf("memory: %ld KiB at the start, %ld in the middle, %ld at the end, %ld at most\n",
           s->start_kib, s->middle_kib, s->end_kib, s->peak_kib);
    printf("keys: %u with an effect to see; mean %.1f ms, longest %.1f ms (%s%s), %u above %.0f\n",
           s->presses, s->presses ? s->sum / s->presses : 0, s->longest, s->slowest ? "to" : "-",
           s->slowest && s->slowest->shows ? s->slowest->shows : "", s->late, key_limit_ms);
    printf("snapshots: %u, %" PRIu64 " MiB, longest %.1f s\n", s->snapshots,
           s->snapshot_bytes >> 20, s->snapshot_s);
    const struct accounts a = read_accounts(s->t);
    if (a.is_said)
        printf("events: made %" PRIu64 " = received %" PRIu64 " + lost %" PRIu64
               " + silent %" PRIu64 "\n",
               a.made, a.received, a.lost, a.silent);
    else
        printf("events: none was lost\n");
    s->is_good &= claim(a.made == a.received + a.lost + a.silent, "the accounts add up");
    s->is_good &=
        claim(s->duration < FILLING || (double)s->end_kib <= growth_limit * (double)s->middle_kib,
              "memory is flat from the middle to the end");
    s->is_good &= claim(s->late * 100 <= s->presses, "99 of 100 keys answer in time");
    s->is_good &= claim(s->snapshots > 0, "snapshots are written");
}

static int skip(const char *why)
{
    printf("soak: skipped: %s\n", why);
    return SKIPPED;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const double minutes = argc > 2 ? atof(argv[2]) : 10;
    char program[4096], folder[] = "/dev/shm/tracetop-soak.XXXXXX";
    if (argc < 2 || !(minutes > 0 && minutes < 1e5) || !realpath(argv[1], program))
        return fprintf(stderr, "usage: soak PROGRAM MINUTES\n"), 2;
    if (geteuid() != 0)
        return skip("it needs root");
    if (system("command -v stress-ng >/dev/null") != 0)
        return skip("stress-ng is not installed");
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return skip("there is no /dev/shm for snapshots");
    const char *const line[] = {program, "live", NULL};
    struct soak s = {.began = os_now(), .duration = (int64_t)(minutes * 60 * 1e9)};
    const pid_t load = start_load((int64_t)ceil(minutes * 60) + 60);
    s.t = terminal_start(line, NULL, COLUMNS, ROWS);
    s.pid = terminal_pid(s.t);
    os_thread_precede(true); /* or we would measure how long we ourselves wait for a processor */
    rest(s.t, 2 * SECOND);
    press_keys(&s);
    int status;
    s.is_good &= claim(!has_ended(load, &status), "the load ran to the end");
    end_program(&s);
    report(&s);
    end_load(load);
    terminal_free(s.t);
    unsigned left = 0;
    take_snapshots(&left);
    rmdir(folder);
    printf("soak: %s\n", s.is_good ? "good" : "FAILED");
    return s.is_good ? 0 : 1;
}
