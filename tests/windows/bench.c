/* How fast the Windows program takes events, and what it costs: under Wine, with the stand-in for
 * ETW delivering events that were made beforehand, the full screen running on a terminal.
 *
 *   callback   from the callback into the intake, as the stand-in measures it
 *   paced      a million events a second for a while: what is lost of them
 *   idle       processor time while nothing happens
 *
 * usage: bench (from the root, after `make windows`). Ends with 1 when a limit is missed. */
#include "tests/terminal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REPORT "build/windows/bench.report"

enum { COLUMNS = 160, ROWS = 40, START_MS = 20000, TEXT = 65536 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Wine's process that is the program: it has our folder, and the program's name. */
static bool is_program(const char *pid)
{
    char path[300], name[64] = "", ours[1024] = "", its[1024] = "";
    snprintf(path, sizeof path, "/proc/%s/comm", pid);
    FILE *const f = fopen(path, "r");
    const bool is_named =
        f && fgets(name, sizeof name, f) && strncmp(name, "tracetop-test", 13) == 0;
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "/proc/%s/cwd", pid);
    return is_named && getcwd(ours, sizeof ours) && readlink(path, its, sizeof its - 1) > 0 &&
           strcmp(ours, its) == 0;
}

static void find_program(char *pid, size_t room)
{
    DIR *const d = opendir("/proc");
    pid[0] = '\0';
    for (const struct dirent *e = d ? readdir(d) : NULL; e && !pid[0]; e = readdir(d))
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_program(e->d_name))
            snprintf(pid, room, "%.20s", e->d_name);
    if (d)
        closedir(d);
}

/* Processor time of the program so far, s. */
static double cpu_time(void)
{
    char pid[32], path[64], line[1024] = "";
    unsigned long user = 0, system = 0;
    find_program(pid, sizeof pid);
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *const f = fopen(path, "r");
    if (f) {
        const char *const end = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
        if (end)
            sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
        fclose(f);
    }
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static void pump(struct terminal *t, double seconds)
{
    for (const double end = now() + seconds; now() < end;)
        terminal_pump(t, 50);
}

struct run {
    double seconds, cpu; /* watched; processor time in them */
    char status[1024];   /* the status line at the end */
    double delivered, burst_events, burst_ns, lost, left;
};

static double figure(const char *report, const char *name)
{
    const char *const at = strstr(report, name);
    return at ? strtod(at + strlen(name), NULL) : -1;
}

static void read_report(struct run *r)
{
    static char text[TEXT + 1];
    FILE *const f = fopen(REPORT, "r");
    if (!f)
        return;
    text[fread(text, 1, TEXT, f)] = '\0';
    fclose(f);
    r->left = figure(text, "sessions left ");
    r->delivered = figure(text, "\ndelivered ");
    r->lost = figure(text, "\nlost ");
    r->burst_events = figure(text, "\nburst events ");
    r->burst_ns = figure(text, "\nburst ns ");
}

static void take_status(struct terminal *t, struct run *r)
{
    char *const screen = terminal_text(t);
    const char *const at = strstr(screen, " LIVE ");
    if (at)
        snprintf(r->status, sizeof r->status, "%.*s", (int)strcspn(at, "\n"), at);
    free(screen);
}

static struct run watch(const char *play, double warm, double seconds)
{
    struct run r = {.seconds = seconds, .left = -1};
    char requests[256];
    int status = 0;
    snprintf(requests, sizeof requests, "TRACETOP_TEST_ETW_PLAY=%s", play);
    const char *const argv[] = {"tests/windows/screen.sh", NULL};
    const char *const env[] = {requests, "TRACETOP_TEST_ETW_REPORT=" REPORT, NULL};
    unlink(REPORT);
    struct terminal *const t = terminal_start(argv, env, COLUMNS, ROWS);
    for (const double end = now() + START_MS / 1000.0; !terminal_shows(t, " LIVE ") && now() < end;)
        terminal_pump(t, 50);
    pump(t, warm);
    const double before = cpu_time(), began = now();
    pump(t, seconds);
    r.seconds = now() - began;
    r.cpu = cpu_time() - before;
    take_status(t, &r);
    terminal_press(t, "Q");
    for (const double end = now() + 20; !terminal_ended(t, &status) && now() < end;)
        terminal_pump(t, 50);
    terminal_free(t);
    read_report(&r);
    return r;
}

static bool lost_nothing(const struct run *r)
{
    return strstr(r->status, "LOST 0 ") != NULL && r->lost == 0;
}

static bool cached_match(bool is_met)
{
    printf("  %s\n", is_met ? "met" : "MISSED");
    return is_met;
}

/* Few enough at once that the program's other threads keep up on two processors. */
static bool callback(void)
{
    const double least = 3e6;
    const struct run r = watch("machine=no;burst=4000:10ms", 1, 6);
    const double rate = r.burst_ns > 0 ? r.burst_events * 1e9 / r.burst_ns : 0;
    printf("callback to ring: %.2f M events/s over %.0f events, status '%s' (limit: 3 M, 0 lost)",
           rate / 1e6, r.burst_events, r.status);
    return cached_match(rate >= least && lost_nothing(&r) && r.left == 0);
}

static bool paced(void)
{
    const struct run r = watch("machine=no;burst=10000:10ms", 2, 10);
    printf("paced: %.0f events delivered, %.0f %% of a processor with the stand-in's part, status "
           "'%s' "
           "(limit: 0 lost)",
           r.delivered, 100 * r.cpu / r.seconds, r.status);
    return cached_match(r.delivered > 8e6 && lost_nothing(&r) && r.left == 0);
}

static bool idle(void)
{
    const struct run r = watch("machine=no", 3, 10);
    printf("idle: %.2f %% of a processor, the stand-in's part included (limit: 5)",
           100 * r.cpu / r.seconds);
    return cached_match(r.cpu > 0 && 100 * r.cpu / r.seconds <= 5 && r.left == 0);
}

int main(void)
{
    const bool is_met[] = {callback(), paced(), idle()};
    return !(is_met[0] && is_met[1] && is_met[2]);
}
