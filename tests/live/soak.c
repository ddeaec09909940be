/* The full-screen program for MINUTES on a pseudo-terminal while the machine is under mixed
 * load (stress-ng where it is there), processes, files, connections and modules come and go by the
 * hundred thousand, and somebody presses keys all the time. Process ids come back soon (a small
 * pid_max), and a processor goes and comes back, where the kernel allows it; a guardian puts both
 * back when we end, however we end.
 *
 * Twice, after the first minutes and at the end, it takes measure: are things that have been there
 * all the time, and things that come now, shown under their names; what does an idle second cost;
 * how much memory is held; what has no partner, and what did not fit. The two must be within 5 %
 * of each other, and no table may have refused anything. Prints all figures as a table. Memory is
 * printed every five minutes, too. Where a part of stress-ng ends it by a fault of its own, it is
 * started again and that is said: it is not what is tested.
 *
 * usage: soak PROGRAM MINUTES [MIB [ARGUMENT…]]      (as root; skips where rights are missing)
 * MIB: the most memory that the program may hold, 400 where none is given; arguments go to it. */
#include "tests/terminal.h"

#include "src/os/os.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND      INT64_C(1000000000)
#define MILLISECOND INT64_C(1000000)

enum { COLUMNS = 160, ROWS = 50, SKIPPED = 77, PATIENCE_S = 10 };

static const int64_t SNAPSHOT_PATIENCE = 60 * SECOND;

/* Half a second is what a person calls stuck; the load takes both processors for itself. */
static const double key_limit_ms = 500;
/* Shorter runs say nothing of memory: ring and tables are still filling. */
static const int64_t FILLING = 180 * SECOND;
/* From then on nothing may grow by more. */
static const double growth_limit = 1.05;
enum { MOST_MIB = 400 };
/* An idle second costs some milliseconds, and this machine's other work is in it. */
static const double idle_slack_ms = 5;

/* ---- steps: keys, and what must be seen after the last of them ---------------------------
 * After Esc comes something that is no digit: Esc and a digit are a function key. */

struct step {
    const char *keys[6];
    const char *shows, *hides; /* NULL: nothing to wait for */
};

/* The row under the cursor may have become one of (others), which cannot be opened: Home goes to
 * one that is busy. */
static const struct step steps[] = {
    {{"1"}, " Processes", NULL},
    {{"Home", "Down", "Down", "Enter"}, "\xe2\x80\xba CPU and context switches", NULL},
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
    {{"Enter"}, NULL, NULL}, /* starts it; later it is on, and this opens a row */
    {{"Backspace"}, " System calls", NULL},
    {{"/", "r", "e", "a", "d", "Enter"}, "filter: read", NULL},
    {{"Esc"}, " System calls", "filter:"},
    {{"Home"}, NULL, NULL},
    {{"1"}, " Processes", NULL},
    {{"Home"}, NULL, NULL},
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
    {{"?"}, "Signs on this screen", NULL},
    {{"q"}, NULL, "Signs on this screen"},
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
    prctl(PR_SET_PDEATHSIG, SIGKILL);
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

/* ---- what comes and goes --------------------------------------------------------------------- */

enum { CHURN_PORT = 45923, CHURN_NAP = 2000000 };

/* Of a child: another program, or a file, a module and a connection that nobody else has. */
static void one_of_many(unsigned long n)
{
    if (n % 4 == 0)
        execl("/bin/true", "true", (char *)NULL);
    char path[64];
    snprintf(path, sizeof path, "churn-%lu", n);
    const int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0700);
    if (file >= 0 && write(file, path, sizeof path) > 0)
        (void)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(CHURN_PORT),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (connect(tcp, (const struct sockaddr *)&to, sizeof to) == 0 && write(tcp, path, 8) < 0)
        _exit(1);
    sendto(udp, path, 8, 0, (const struct sockaddr *)&to, sizeof to);
    if (n % 2)
        unlink(path);
    _exit(0);
}

static void accept_all(int listener)
{
    char room[64];
    for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0; close(fd))
        while (read(fd, room, sizeof room) > 0)
            continue;
}

/* A process of its own; ends with its group. */
static pid_t start_churn(const char *folder)
{
    const pid_t pid = fork();
    if (pid)
        return pid;
    setpgid(0, 0);
    if (chdir(folder) != 0)
        _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "soak-churn");
    const int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons(CHURN_PORT),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 128) != 0)
        _exit(1);
    for (unsigned long n = 0;; n++) {
        const pid_t child = fork();
        if (child == 0)
            one_of_many(n);
        while (waitpid(child, NULL, WNOHANG) == 0) {
            accept_all(listener);
            os_sleep(CHURN_NAP / 20);
        }
        accept_all(listener);
        char path[64];
        snprintf(path, sizeof path, "churn-%lu", n >= 64 ? n - 64 : 0);
        unlink(path);
        os_sleep(CHURN_NAP);
    }
}

/* ---- what of the system is changed ----------------------------------------------------------- */

#define PID_MAX    "/proc/sys/kernel/pid_max"
#define PROCESSOR  "/sys/devices/system/cpu/cpu1/online"
enum { FEW_PIDS = 8192 };

static bool put_number(const char *path, long number)
{
    FILE *const f = fopen(path, "we");
    const bool is_put = f && fprintf(f, "%ld\n", number) > 0;
    return f && fclose(f) == 0 && is_put;
}

static long get_number(const char *path)
{
    FILE *const f = fopen(path, "re");
    long number = -1;
    if (f && fscanf(f, "%ld", &number) != 1)
        number = -1;
    if (f)
        fclose(f);
    return number;
}

/* Puts back what was, as soon as the descriptor that we hold is closed: at our end, whatever ends
 * us. It has a session of its own and hears no signal that can be ignored. */
static pid_t start_guardian(int *hold)
{
    int ends[2];
    const long pid_max = get_number(PID_MAX), processor = get_number(PROCESSOR);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    const pid_t pid = fork();
    if (pid) {
        close(ends[0]);
        *hold = ends[1];
        return pid;
    }
    setsid();
    close(ends[1]);
    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_IGN);
    char byte;
    while (read(ends[0], &byte, 1) > 0)
        continue;
    if (pid_max > 0 && get_number(PID_MAX) != pid_max)
        put_number(PID_MAX, pid_max);
    if (processor > 0 && get_number(PROCESSOR) != processor)
        put_number(PROCESSOR, processor);
    _exit(0);
}

/* ---- what it takes --------------------------------------------------------------------------- */

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

static void empty_folder(void)
{
    DIR *const d = opendir(".");
    for (const struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlink(e->d_name);
    if (d)
        closedir(d);
}

/* ---- the end: what the program says of its losses -------------------------------------------- */

struct accounts {
    uint64_t made, received, lost, undelivered;
    bool is_reported;
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
            a.is_reported = sscanf(bytes + i,
                                   "the kernel made %" SCNu64 " events: %" SCNu64
                                   " received, lost: %" SCNu64 " kernel, %" SCNu64 " undelivered",
                                   &a.made, &a.received, &a.lost, &a.undelivered) == 4;
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

/* ---- the run --------------------------------------------------------------------------------- */

struct measure {
    bool is_taken;
    double at_s, idle_ms, unmatched, undecoded, refused, folded;
    unsigned names, names_found;
    long kib;
};

/* The mean of a sixth of the run: resident memory rises and falls by some percent, as snapshots
 * and symbol files take theirs and give it back, and one reading would compare two accidents. */
struct mean {
    double sum;
    unsigned count;
};

struct soak {
    struct measure first, last;
    pid_t loads[2]; /* groups: stress-ng, or -1; what comes and goes */
    unsigned load_ends; /* times that stress-ng ended by itself */
    int64_t next_line;  /* of memory */
    int processor_trips; /* -1: not allowed */
    const char *folder;
    long most_kib;
    struct terminal *t;
    pid_t pid;
    int64_t began, duration;
    double longest, sum, snapshot_s;
    const struct step *slowest;
    unsigned presses, late, snapshots;
    uint64_t snapshot_bytes;
    long start_kib, middle_kib, end_kib, peak_kib;
    struct mean first_kib, last_kib;
    bool is_good;
};

static void add_to_mean(struct mean *m, long value)
{
    m->sum += (double)value;
    m->count++;
}

static double mean_of(const struct mean *m)
{
    return m->count ? m->sum / m->count : 0;
}

/* Ring and tables are full by then: that of files takes the longest. */
static int64_t first_minutes(const struct soak *s)
{
    static const int64_t FULL = 600 * SECOND;
    return s->duration / 2 < FULL ? s->duration / 2 : FULL;
}

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
    const int64_t sixth = s->duration / 6, full = first_minutes(s);
    if (passed >= full && passed < full + sixth)
        add_to_mean(&s->first_kib, kib);
    if (passed >= s->duration - sixth)
        add_to_mean(&s->last_kib, kib);
}

static void print_memory(struct soak *s)
{
    static const int64_t EVERY = 300 * SECOND;
    const int64_t passed = os_now() - s->began;
    if (passed < s->next_line)
        return;
    s->next_line = passed / EVERY * EVERY + EVERY;
    printf("after %3.0f min: %ld KiB, %ld at most, pid_max %ld\n", (double)passed / 60e9,
           memory_of(s->pid, "VmRSS:"), s->peak_kib, get_number(PID_MAX));
}

static void renew_load(struct soak *s)
{
    int status;
    if (s->loads[0] <= 0 || !has_ended(s->loads[0], &status))
        return;
    s->load_ends++;
    printf("stress-ng ended by itself after %.0f s (status %d) and is started again\n",
           (double)(os_now() - s->began) / 1e9, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    kill(-s->loads[0], SIGKILL); /* what it may have left */
    const int64_t left = s->began + s->duration - os_now();
    s->loads[0] = start_load(left / SECOND + 300);
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

/* ---- measures -------------------------------------------------------------------------------- */

/* Somebody known: has a name, writes to a file and to a connection all the time. */
static pid_t start_known(const char *name, const char *path, int64_t lasts)
{
    int ends[2];
    const pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, name);
    const int file = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        _exit(1);
    for (const int64_t end = os_now() + lasts; os_now() < end; os_sleep(50 * MILLISECOND))
        if (pwrite(file, name, strlen(name), 0) < 0)
            _exit(1);
    _exit(0);
}

static unsigned count_text(struct terminal *t, const char *wanted)
{
    char *const text = terminal_text(t);
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at += strlen(wanted))
        count++;
    free(text);
    return count;
}

static void type(struct terminal *t, const char *text)
{
    char key[2] = "";
    for (; *text; text++) {
        key[0] = *text;
        terminal_press(t, key);
        rest(t, 20 * MILLISECOND);
    }
}

/* Whether the pane has a row with this name: the filter's own text is on the screen once. */
static bool shows_name(struct soak *s, const char *pane, const char *name)
{
    terminal_press(s->t, pane);
    rest(s->t, 200 * MILLISECOND);
    terminal_press(s->t, "/");
    type(s->t, name);
    bool is_shown = false;
    for (const int64_t end = os_now() + PATIENCE_S * SECOND; !is_shown && os_now() < end;) {
        rest(s->t, 200 * MILLISECOND);
        is_shown = count_text(s->t, name) > 1;
    }
    if (!is_shown) {
        char *const text = terminal_text(s->t);
        printf("%s is not in pane %s:\n%s\n", name, pane, text);
        free(text);
    }
    terminal_press(s->t, "Esc");
    rest(s->t, 200 * MILLISECOND);
    terminal_press(s->t, "Home");
    rest(s->t, 200 * MILLISECOND);
    return is_shown;
}

static void count_names(struct soak *s, struct measure *m)
{
    static const struct {
        const char *pane, *name;
    } known[] = {{"1", "soakold"}, {"1", "soaknew"}, {"4", "oldfile"}, {"4", "newfile"}};
    char path[4096];
    snprintf(path, sizeof path, "%s/newfile", s->folder);
    const pid_t new = start_known("soaknew", path, 120 * SECOND);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++, m->names++)
        m->names_found += shows_name(s, known[i].pane, known[i].name);
    kill(new, SIGKILL);
    waitpid(new, NULL, 0);
    unlink(path);
}

struct cpu_time {
    int tid;
    char name[32];
    double ms; /* on processors since it began */
};

static struct cpu_time cpu_time(const char *path)
{
    char line[1024];
    unsigned long user = 0, system = 0;
    struct cpu_time t = {.tid = 0};
    FILE *const f = fopen(path, "re");
    const char *const rest_of = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (rest_of && sscanf(line, "%d (%31[^)]", &t.tid, t.name) == 2)
        sscanf(rest_of + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    if (f)
        fclose(f);
    t.ms = (double)(user + system) * 1000 / (double)sysconf(_SC_CLK_TCK);
    return t;
}

/* Of all threads of the process together. */
static double cpu_ms(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    return cpu_time(path).ms;
}

enum { THREADS_MOST = 64 };

static unsigned threads_of(pid_t pid, struct cpu_time out[THREADS_MOST])
{
    char path[320];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *const d = opendir(path);
    for (struct dirent *e; d && count < THREADS_MOST && (e = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, e->d_name);
        if (e->d_name[0] != '.')
            out[count++] = cpu_time(path);
    }
    if (d)
        closedir(d);
    return count;
}

/* Which threads took how much of a time. */
static void print_threads(const struct cpu_time *before, unsigned count, pid_t pid, double seconds)
{
    struct cpu_time now[THREADS_MOST];
    const unsigned now_count = threads_of(pid, now);
    printf("idle cost by thread, ms/s:");
    for (unsigned i = 0; i < now_count; i++) {
        double ms = now[i].ms;
        for (unsigned b = 0; b < count; b++)
            if (before[b].tid == now[i].tid)
                ms -= before[b].ms;
        if (ms / seconds >= 1)
            printf(" %s %.1f", now[i].name, ms / seconds);
    }
    printf("\n");
}

/* The number of a cause on the page of losses: "modules  1.2k  Modules beyond …". */
static double loss_of(const char *page, const char *cause)
{
    for (const char *line = page; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line + strspn(line, " ");
        if (strncmp(at, cause, strlen(cause)) != 0)
            continue;
        char unit = ' ';
        double number = 0;
        if (sscanf(at + strlen(cause), " %lf%c", &number, &unit) < 1)
            return 0; /* the sign of zero */
        return number * (unit == 'k' ? 1e3 : unit == 'M' ? 1e6 : unit == 'G' ? 1e9 : 1);
    }
    return -1;
}

static void read_losses(struct soak *s, struct measure *m)
{
    static const char *const tables[] = {"modules", "names",      "kinds",      "exited processes",
                                         "files",   "call paths", "connections"};
    terminal_press(s->t, ":");
    rest(s->t, 200 * MILLISECOND);
    type(s->t, "loss");
    terminal_press(s->t, "Enter");
    for (const int64_t end = os_now() + PATIENCE_S * SECOND;
         !terminal_shows(s->t, "orphan stacks") && os_now() < end;)
        rest(s->t, 100 * MILLISECOND);
    char *const page = terminal_text(s->t);
    m->unmatched = loss_of(page, "orphan stacks") + loss_of(page, "unmatched completions");
    m->undecoded = loss_of(page, "undecoded");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const double refused = loss_of(page, tables[i]);
        m->refused += refused;
        if (refused != 0)
            printf("table: %s %.0f\n", tables[i], refused);
    }
    m->folded = loss_of(page, "rows");
    free(page);
    terminal_press(s->t, "q");
    rest(s->t, 500 * MILLISECOND);
}

/* Says which part of the program holds how much. */
static void print_footprint(struct soak *s)
{
    terminal_press(s->t, ":");
    rest(s->t, 200 * MILLISECOND);
    type(s->t, "footprint");
    terminal_press(s->t, "Enter");
    for (const int64_t end = os_now() + PATIENCE_S * SECOND;
         !terminal_shows(s->t, "unwind tables") && os_now() < end;)
        rest(s->t, 100 * MILLISECOND);
    char *const page = terminal_text(s->t);
    printf("%s\n", page);
    free(page);
    terminal_press(s->t, "q");
    rest(s->t, 500 * MILLISECOND);
}

static void hold_load(const struct soak *s, int sent)
{
    for (unsigned i = 0; i < sizeof s->loads / sizeof *s->loads; i++)
        if (s->loads[i] > 0)
            kill(-s->loads[i], sent);
}

/* How many events come although the load is held, and what else the status line says. */
static void print_status(struct soak *s)
{
    char *const text = terminal_text(s->t);
    const char *at = strstr(text, " ev/s");
    while (at && at > text && at[-1] != '\n')
        at--;
    if (at)
        printf("status:%.*s\n", (int)strcspn(at, "\n"), at);
    free(text);
}

static void take_measure(struct soak *s, struct measure *m)
{
    static const int64_t IDLE = 15 * SECOND;
    m->is_taken = true;
    m->at_s = (double)(os_now() - s->began) / 1e9;
    count_names(s, m);
    m->kib = memory_of(s->pid, "VmRSS:");
    read_losses(s, m);
    print_footprint(s);
    terminal_press(s->t, "1");
    hold_load(s, SIGSTOP);
    rest(s->t, 5 * SECOND);
    struct cpu_time threads[THREADS_MOST];
    const unsigned count = threads_of(s->pid, threads);
    const double before = cpu_ms(s->pid);
    const int64_t from = os_now();
    rest(s->t, IDLE);
    const double seconds = (double)(os_now() - from) / 1e9;
    m->idle_ms = (cpu_ms(s->pid) - before) / seconds;
    print_threads(threads, count, s->pid, seconds);
    print_status(s);
    hold_load(s, SIGCONT);
    /* What snapshots and symbols take for a moment is given back within some seconds. */
    const long rested = memory_of(s->pid, "VmRSS:");
    m->kib = rested < m->kib ? rested : m->kib;
    s->is_good &= claim(m->names_found == m->names, "everything known is shown under its name");
}

/* A processor goes for two seconds. Where that is not allowed, we say so once. */
static void miss_a_processor(struct soak *s)
{
    if (s->processor_trips < 0 || s->duration < FILLING)
        return;
    const int64_t passed = os_now() - s->began;
    static const int wanted_at[] = {40, 70}; /* percent */
    if (s->processor_trips >= 2 || passed * 100 < s->duration * wanted_at[s->processor_trips])
        return;
    if (get_number(PROCESSOR) != 1 || !put_number(PROCESSOR, 0)) {
        printf("no processor can be switched off here\n");
        s->processor_trips = -1;
        return;
    }
    s->processor_trips++;
    rest(s->t, 2 * SECOND);
    put_number(PROCESSOR, 1);
    s->is_good &= claim(get_number(PROCESSOR) == 1, "the processor is back");
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
        print_memory(s);
        renew_load(s);
        miss_a_processor(s);
        if (s->is_good && !s->first.is_taken && os_now() - s->began > first_minutes(s))
            take_measure(s, &s->first);
        if (s->is_good && round % 4 == 0)
            snapshot(s);
    }
    if (s->is_good)
        take_measure(s, &s->last);
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

static void compare(struct soak *s)
{
    const struct measure *const a = &s->first, *const b = &s->last;
    printf("%-28s %12s %12s\n", "", "first", "end");
    printf("%-28s %12.0f %12.0f\n", "at, s", a->at_s, b->at_s);
    printf("%-28s %9u/%u %10u/%u\n", "names right", a->names_found, a->names, b->names_found,
           b->names);
    printf("%-28s %12ld %12ld   (at most %ld)\n", "memory, KiB", a->kib, b->kib, s->most_kib);
    printf("%-28s %12.0f %12.0f\n", "memory, mean of a sixth, KiB", mean_of(&s->first_kib),
           mean_of(&s->last_kib));
    printf("%-28s %12.1f %12.1f\n", "idle cost, ms/s", a->idle_ms, b->idle_ms);
    printf("%-28s %12.0f %12.0f\n", "unmatched", a->unmatched, b->unmatched);
    printf("%-28s %12.0f %12.0f\n", "undecoded", a->undecoded, b->undecoded);
    printf("%-28s %12.0f %12.0f\n", "refused by tables", a->refused, b->refused);
    printf("%-28s %12.0f %12.0f\n", "rows folded", a->folded, b->folded);
    const bool is_long = s->duration >= 2 * FILLING;
    s->is_good &= claim(b->undecoded == 0, "every record of the system's is understood");
    s->is_good &= claim(b->refused == 0, "no table refused anything");
    s->is_good &= claim(a->kib <= s->most_kib && b->kib <= s->most_kib, "memory is within its bound");
    s->is_good &= claim(!is_long || mean_of(&s->last_kib) <= growth_limit * mean_of(&s->first_kib),
                        "memory is flat from the first minutes to the end");
    s->is_good &= claim(!is_long || b->idle_ms <= growth_limit * a->idle_ms + idle_slack_ms,
                        "an idle second costs at the end what it did in the first minutes");
    s->is_good &= claim(!is_long || b->unmatched / b->at_s <= growth_limit * a->unmatched / a->at_s + 1,
                        "as much finds its partner at the end as in the first minutes");
}

static void report(struct soak *s)
{
    printf("memory: %ld KiB at the start, %ld in the middle, %ld at the end, %ld at most\n",
           s->start_kib, s->middle_kib, s->end_kib, s->peak_kib);
    printf("keys: %u with an effect to see; mean %.1f ms, longest %.1f ms (%s%s), %u above %.0f\n",
           s->presses, s->presses ? s->sum / s->presses : 0, s->longest, s->slowest ? "to" : "-",
           s->slowest && s->slowest->shows ? s->slowest->shows : "", s->late, key_limit_ms);
    if (s->load_ends)
        printf("stress-ng ended by itself %u times\n", s->load_ends);
    printf("snapshots: %u, %" PRIu64 " MiB, longest %.1f s\n", s->snapshots,
           s->snapshot_bytes >> 20, s->snapshot_s);
    const struct accounts a = read_accounts(s->t);
    if (a.is_reported)
        printf("events: made %" PRIu64 " = received %" PRIu64 " + lost %" PRIu64
               " + silent %" PRIu64 "\n",
               a.made, a.received, a.lost, a.undelivered);
    else
        printf("events: none was lost\n");
    s->is_good &= claim(a.made == a.received + a.lost + a.undelivered, "the accounts add up");
    compare(s);
    s->is_good &= claim(s->late * 100 <= s->presses, "99 of 100 keys answer in time");
    s->is_good &= claim(s->snapshots > 0, "snapshots are written");
}

static int skip(const char *why)
{
    printf("soak: skipped: %s\n", why);
    return SKIPPED;
}

#define SETTINGS "tracetop.conf"

/* In the current folder. The keys open the third row: it has to be a process. */
static const char *write_settings(void)
{
    static char variable[4200] = "TRACETOP_CONFIG=";
    const size_t used = strlen(variable);
    FILE *const f = fopen(SETTINGS, "w");
    if (!f || !getcwd(variable + used, sizeof variable - used - sizeof "/" SETTINGS))
        return NULL;
    fputs("[ui]\nfold-exited = no\n", f);
    fclose(f);
    strcat(variable, "/" SETTINGS);
    return variable;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const double minutes = argc > 2 ? atof(argv[2]) : 10;
    char program[4096], folder[] = "/dev/shm/tracetop-soak.XXXXXX";
    if (argc < 2 || !(minutes > 0 && minutes < 1e5) || !realpath(argv[1], program))
        return fprintf(stderr, "usage: soak PROGRAM MINUTES [MIB [ARGUMENT...]]\n"), 2;
    if (geteuid() != 0)
        return skip("it needs root");
    const bool has_load = system("command -v stress-ng >/dev/null") == 0;
    if (!has_load)
        printf("stress-ng is not installed: there is less load\n");
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return skip("there is no /dev/shm for snapshots");
    char churned[] = "/var/tmp/tracetop-soak.XXXXXX";
    if (!mkdtemp(churned))
        return skip("there is no /var/tmp for files that come and go");
    int hold = -1;
    const pid_t guardian = start_guardian(&hold);
    if (guardian < 0 || get_number(PID_MAX) <= FEW_PIDS || !put_number(PID_MAX, FEW_PIDS))
        printf("pid_max stays at %ld\n", get_number(PID_MAX));
    char known[64];
    snprintf(known, sizeof known, "%s/oldfile", churned);
    const pid_t old = start_known("soakold", known, INT64_MAX / 4);
    const char *const settings[] = {write_settings(), NULL};
    const char *line[16] = {program, "live"};
    for (int i = 0; i < argc - 4 && i < 13; i++)
        line[i + 2] = argv[i + 4];
    struct soak s = {.began = os_now(), .duration = (int64_t)(minutes * 60 * 1e9)};
    s.folder = churned;
    s.most_kib = (argc > 3 ? atol(argv[3]) : MOST_MIB) * 1024;
    s.loads[0] = has_load ? start_load((int64_t)ceil(minutes * 60) + 300) : -1;
    s.loads[1] = start_churn(churned);
    s.t = terminal_start(line, settings, COLUMNS, ROWS);
    s.pid = terminal_pid(s.t);
    os_thread_boost(true); /* or we would measure how long we ourselves wait for a processor */
    rest(s.t, 2 * SECOND);
    press_keys(&s);
    int status;
    s.is_good &= claim(!has_ended(s.loads[1], &status), "what comes and goes did so to the end");
    end_program(&s);
    report(&s);
    if (s.loads[0] > 0)
        end_load(s.loads[0]);
    end_load(s.loads[1]);
    kill(old, SIGKILL);
    waitpid(old, NULL, 0);
    close(hold);
    waitpid(guardian, NULL, 0);
    terminal_free(s.t);
    if (chdir(churned) == 0)
        empty_folder();
    rmdir(churned);
    if (chdir(folder) != 0)
        return 1;
    unsigned left = 0;
    take_snapshots(&left);
    unlink(SETTINGS);
    rmdir(folder);
    printf("soak: %s\n", s.is_good ? "good" : "FAILED");
    return s.is_good ? 0 : 1;
}
