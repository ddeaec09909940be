/* What watching this machine costs: `make bench-live`, as root, on a quiet machine.
 *
 *   storm      page faults as fast as the processors make them: events a second from the
 *              kernel into our ring and through the engine, and what was lost on the way
 *   ping-pong  a byte between two processes on one processor each: how much longer a round takes
 *              while it is watched, beside `perf record` of the same events, in turns
 *   idle       the program on a terminal of 160×50, beside htop at the same time, with few and
 *              with many processes: the quietest quarter of the seconds
 *
 * usage: bench_live TRACETOP [storm] [pingpong] [idle] */
#include "tests/terminal.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/model/fact.h"
#include "src/os/os.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;

enum {
    DEFAULT_SET = 1u << FACT_PROCESS | 1u << FACT_THREAD | 1u << FACT_IMAGE | 1u << FACT_SWITCH |
                  1u << FACT_READY | 1u << FACT_DISK | 1u << FACT_NETWORK | 1u << FACT_FAULT,
};

static bool missed;

static void print_figure(const char *name, double value, const char *unit, double limit,
                         bool is_most)
{
    const bool is_met = is_most ? value <= limit : value >= limit;
    printf("  %-52s %10.2f %-10s %s %g%s\n", name, value, unit, is_most ? "limit" : "at least",
           limit, is_met ? "" : "   MISSED");
    missed |= !is_met;
}

static void print_peer(const char *name, double value, const char *unit)
{
    printf("  %-52s %10.2f %s\n", name, value, unit);
}

static void pin(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* Nanoseconds on a processor, as the scheduler counts them: what /proc/PID/stat shows is sampled
 * by the clock, which sees nothing of a program that sleeps again before the next tick. */
static int64_t run_time(const char *task)
{
    char path[400];
    int64_t ns = 0;
    snprintf(path, sizeof path, "%s/schedstat", task);
    FILE *const f = fopen(path, "r");
    if (f && fscanf(f, "%" SCNd64, &ns) != 1)
        ns = 0;
    if (f)
        fclose(f);
    return ns;
}

static bool has_name(const char *task, const char *name)
{
    char path[400], comm[64] = "";
    snprintf(path, sizeof path, "%s/comm", task);
    FILE *const f = fopen(path, "r");
    if (f && !fgets(comm, sizeof comm, f))
        comm[0] = '\0';
    if (f)
        fclose(f);
    comm[strcspn(comm, "\n")] = '\0';
    return strcmp(comm, name) == 0;
}

/* Of a process's threads, or those of that name: ns. */
static int64_t cpu_of_threads(pid_t pid, const char *name)
{
    char folder[64];
    int64_t sum = 0;
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)pid);
    DIR *const d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char task[340];
        snprintf(task, sizeof task, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' && (!name || has_name(task, name)))
            sum += run_time(task);
    }
    if (d)
        closedir(d);
    return sum;
}

static int64_t cpu_of(pid_t pid)
{
    return cpu_of_threads(pid, NULL);
}

/* Our own threads, by what they are called. */
enum { PARTS = 5 };
static const struct {
    const char *thread, *what;
} parts[PARTS] = {
    {"linux", "collector"},       {"engine", "engine"},
    {"linux control", "control"}, {"tracetop-proc", "helper: /proc"},
    {"tracetop", "ui"},
};

static void cpu_of_parts(pid_t pid, int64_t *ns, int64_t sign)
{
    for (unsigned i = 0; i < PARTS; i++)
        ns[i] += sign * cpu_of_threads(pid, parts[i].thread);
}

static int64_t cpu_of_thread(const char *name)
{
    return cpu_of_threads(getpid(), name);
}

/* ---- storm -------------------------------------------------------------------------------- */

enum { PAGES = 64, PAGE = 4096, STORM_SECONDS = 5 };

/* Faults as fast as this processor makes them; or so many a second. */
static _Noreturn void fault_storm(unsigned cpu, double rate)
{
    pin(cpu);
    volatile char *const at = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int64_t began = os_now();
    for (uint64_t done = 0;; done += PAGES) {
        for (int i = 0; i < PAGES; i++)
            at[i * PAGE] = 1;
        madvise((void *)at, (size_t)PAGES * PAGE, MADV_DONTNEED);
        while (rate > 0 && (double)done > rate * (double)(os_now() - began) / 1e9)
            ;
    }
}

static void wait_until_on(const struct collector *c)
{
    for (int i = 0; i < 500; i++) {
        if ((atomic_load(&c->active) & DEFAULT_SET) == DEFAULT_SET)
            return;
        os_sleep(SECOND / 100);
    }
}

static bool storm_at(double rate, const char *title)
{
    struct err err;
    const struct session_options o = {
        .kind = &collector_live,
        .collector = {.wanted = DEFAULT_SET, .kernel_bytes = 8 << 20},
        .ring_bytes = 256 << 20,
        .interval_ns = SECOND,
    };
    struct session *const s = session_start(&o, &err);
    if (!s) {
        printf("  not possible here: %s\n", err.text);
        return false;
    }
    wait_until_on(&s->collector);
    const struct collector_loss *const loss = &s->collector.loss;
    enum { STORMERS = 2 };
    pid_t stormers[STORMERS];
    const uint64_t before = engine_figures(s->engine).events;
    const int64_t cpu = cpu_of_thread("linux"), engine = cpu_of_thread("engine"), began = os_now();
    for (unsigned i = 0; i < STORMERS; i++)
        if ((stormers[i] = fork()) == 0)
            fault_storm(i % os_processors(), rate / STORMERS);
    os_sleep(STORM_SECONDS * SECOND);
    const double seconds = (double)(os_now() - began) / 1e9;
    const double seen = (double)(engine_figures(s->engine).events - before);
    const double collector_ns = (double)(cpu_of_thread("linux") - cpu);
    const double engine_ns = (double)(cpu_of_thread("engine") - engine);
    for (unsigned i = 0; i < STORMERS; i++)
        end_child(stormers[i]);
    session_stop(s);
    const uint64_t lost = atomic_load(&loss->lost), undelivered = atomic_load(&loss->undelivered),
                   ring = ring_figures(s->hot).lost;
    printf(" %s\n", title);
    print_peer("events made", (double)atomic_load(&loss->made) / seconds / 1e6, "M/s");
    print_peer("through the engine", seen / seconds / 1e6, "M/s");
    print_figure("lost by the kernel's rings (8 MiB)", (double)lost, "events", 0, true);
    print_peer("counted by the kernel and never handed over", (double)undelivered, "events");
    print_figure("lost for want of room in our ring", (double)ring, "events", 0, true);
    if (seen > 0) {
        print_figure("collector, kernel ring to our ring", collector_ns / seen, "ns/event", 200,
                     true);
        print_peer("engine, our ring to the model", engine_ns / seen, "ns/event");
    }
    session_free(s);
    return true;
}

static void storm(void)
{
    puts("storm: page faults of two processes, default set, engine running");
    if (storm_at(1.5e6, "at 1.5 M events a second (the pipeline's target)"))
        storm_at(0, "as fast as two processors make them");
}

/* ---- ping-pong ------------------------------------------------------------------------------- */

enum { ROUNDS = 30000, TURNS = 5 };

/* ns a round takes. */
static double ping_pong(void)
{
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0)
        return 0;
    const pid_t other = fork();
    if (other == 0) {
        char byte;
        pin(1 % os_processors());
        close(there[1]);
        while (read(there[0], &byte, 1) == 1)
            if (write(back[1], &byte, 1) != 1)
                break;
        _exit(0);
    }
    pin(0);
    close(there[0]);
    char byte = 0;
    int64_t began = 0;
    for (int i = -ROUNDS / 10; i < ROUNDS; i++) {
        if (i == 0)
            began = os_now();
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            break;
    }
    const double ns = (double)(os_now() - began) / ROUNDS;
    close(there[1]);
    close(back[0]);
    close(back[1]);
    waitpid(other, NULL, 0);
    return ns;
}

static double in_child(double (*measure)(void))
{
    int result[2];
    double ns = 0;
    if (pipe(result) != 0)
        return 0;
    const pid_t child = fork();
    if (child == 0) {
        ns = measure();
        _exit(write(result[1], &ns, sizeof ns) != sizeof ns);
    }
    close(result[1]);
    if (read(result[0], &ns, sizeof ns) != sizeof ns)
        ns = 0;
    close(result[0]);
    waitpid(child, NULL, 0);
    return ns;
}

static pid_t start(const char *const *argv)
{
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, 0);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    return child;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, TURNS, sizeof *values, by_size);
    return values[TURNS / 2];
}

/* A round while `argv` watches; its processor time is added to *cpu, that of our threads to
 * `own`, where it is not NULL. */
static double watched(const char *const *argv, int64_t *cpu, int64_t *own)
{
    const pid_t watcher = start(argv);
    os_sleep(SECOND * 3 / 2);
    const int64_t before = cpu_of(watcher);
    if (own)
        cpu_of_parts(watcher, own, -1);
    const double ns = in_child(ping_pong);
    *cpu += cpu_of(watcher) - before;
    if (own)
        cpu_of_parts(watcher, own, 1);
    kill(watcher, SIGINT);
    os_sleep(SECOND / 2);
    end_child(watcher);
    return ns;
}

static bool has_program(const char *name)
{
    char line[128];
    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", name);
    return system(line) == 0;
}

static void pingpong(const char *tracetop)
{
    /* The default set's events, by the same source as far as perf has them; into memory, since
     * what is written to /dev/null is not even read. */
    static const char copy[] = "/dev/shm/tracetop-bench.data";
    const char *const perf[] = {"perf",
                                "record",
                                "-a",
                                "-q",
                                "-m",
                                "1024",
                                "-c",
                                "1",
                                "-e",
                                "sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,"
                                "minor-faults,major-faults,block:block_rq_issue,"
                                "block:block_rq_complete,sock:sock_send_length,"
                                "sock:sock_recv_length",
                                "-o",
                                copy,
                                NULL};
    const char *const trace[] = {"perf", "trace", "-a", "-s", "-o", "/dev/null", NULL};
    const char *const bpftrace[] = {"bpftrace", "-e",
                                    "tracepoint:sched:sched_switch { @ = count(); }", NULL};
    const char *const ours[] = {tracetop, "top", "cpu", "1", NULL};
    double alone[TURNS], with_ours[TURNS], with_perf[TURNS];
    int64_t our_cpu = 0, perf_cpu = 0, other_cpu = 0, own[PARTS] = {0};
    const bool has_perf = has_program("perf");
    puts("ping-pong: a byte there and back between two processors");
    for (int i = 0; i < TURNS; i++) {
        alone[i] = in_child(ping_pong);
        with_ours[i] = watched(ours, &our_cpu, own);
        if (has_perf)
            with_perf[i] = watched(perf, &perf_cpu, NULL);
        unlink(copy);
    }
    const double base = median(alone), cost = median(with_ours);
    print_peer("nobody watching", base / 1000, "µs/round");
    print_figure("default set, against that", cost / base, "times", 1.5, true);
    if (!has_perf) {
        puts("  perf is not installed: no peer");
        return;
    }
    const double peer = median(with_perf);
    print_peer("perf record of the same events, against that", peer / base, "times");
    print_figure("ours against perf record: the round", cost / peer, "times", 1.05, true);
    print_figure("ours against perf record: the watcher's processor",
                 (double)our_cpu / (double)(perf_cpu ? perf_cpu : 1), "times", 3, true);
    print_peer("perf record's processor", (double)perf_cpu / TURNS / 1e6, "ms a turn");
    for (unsigned i = 0; i < PARTS; i++)
        print_peer(parts[i].what, (double)own[i] / (double)(perf_cpu ? perf_cpu : 1),
                   "times perf record's");
    print_peer("perf trace -s, against nobody", watched(trace, &other_cpu, NULL) / base, "times");
    if (has_program("bpftrace"))
        print_peer("bpftrace counting switches, against nobody",
                   watched(bpftrace, &other_cpu, NULL) / base, "times");
}

/* ---- idle ------------------------------------------------------------------------------------ */

enum { IDLE_SECONDS = 24, QUIETEST = IDLE_SECONDS / 4, MANY = 500 };

/* Somebody watched: what each second cost. */
struct idler {
    struct terminal *terminal;
    int64_t before;
    int64_t seconds[IDLE_SECONDS];
    int64_t parts_before[PARTS], parts[IDLE_SECONDS][PARTS];
};

static void pump(struct idler *const *all, unsigned count, int64_t until)
{
    while (os_now() < until)
        for (unsigned i = 0; i < count; i++)
            terminal_pump(all[i]->terminal, 450);
}

static void note(struct idler *i, int second)
{
    const pid_t pid = terminal_pid(i->terminal);
    const int64_t now = cpu_of(pid);
    int64_t own[PARTS] = {0};
    cpu_of_parts(pid, own, 1);
    if (second >= 0) {
        i->seconds[second] = now - i->before;
        for (unsigned p = 0; p < PARTS; p++)
            i->parts[second][p] = own[p] - i->parts_before[p];
    }
    i->before = now;
    memcpy(i->parts_before, own, sizeof own);
}

/* The mean of the quietest quarter of the seconds, in percent of a processor: a machine is hardly
 * ever idle for long, and what others do in a second is an event to us. */
static double quietest(const struct idler *i, double *of_parts)
{
    bool is_used[IDLE_SECONDS] = {false};
    int64_t sum = 0;
    memset(of_parts, 0, PARTS * sizeof *of_parts);
    for (int n = 0; n < QUIETEST; n++) {
        int least = -1;
        for (int s = 0; s < IDLE_SECONDS; s++)
            if (!is_used[s] && (least < 0 || i->seconds[s] < i->seconds[least]))
                least = s;
        is_used[least] = true;
        sum += i->seconds[least];
        for (unsigned p = 0; p < PARTS; p++)
            of_parts[p] += (double)i->parts[least][p] / QUIETEST / 1e7;
    }
    return (double)sum / QUIETEST / 1e7;
}

static unsigned processes(void)
{
    unsigned count = 0;
    DIR *const d = opendir("/proc");
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        count += e->d_name[0] >= '1' && e->d_name[0] <= '9';
    closedir(d);
    return count;
}

/* Both at once, so that both have the same machine. */
static void idle_with(const char *tracetop)
{
    const char *const ours[] = {tracetop, NULL};
    const char *const htop[] = {"/usr/bin/env", "htop", "-d", "10", NULL};
    static const char *const none[] = {NULL};
    static struct idler own, other;
    struct idler *const both[] = {&own, &other};
    const unsigned count = has_program("htop") ? 2 : 1;
    own.terminal = terminal_start(ours, none, 160, 50);
    if (count > 1)
        other.terminal = terminal_start(htop, none, 160, 50);
    int64_t next = os_now() + 5 * SECOND;
    pump(both, count, next);
    for (int second = -1; second < IDLE_SECONDS; second++, next += SECOND) {
        if (second >= 0)
            pump(both, count, next);
        for (unsigned i = 0; i < count; i++)
            note(both[i], second);
    }
    double of_parts[PARTS], of_none[PARTS];
    const double percent = quietest(&own, of_parts);
    const double peer = count > 1 ? quietest(&other, of_none) : 0.23;
    char name[64];
    snprintf(name, sizeof name, "tracetop, %u processes", processes());
    print_figure(name, percent, "% of a CPU", peer, true);
    for (unsigned p = 0; p < PARTS; p++)
        print_peer(parts[p].what, of_parts[p], "% of a CPU");
    print_peer(count > 1 ? "htop -d 10" : "htop, as measured elsewhere", peer, "% of a CPU");
    for (unsigned i = 0; i < count; i++)
        terminal_free(both[i]->terminal);
}

static void idle(const char *tracetop)
{
    pid_t sleepers[MANY];
    puts("idle: 160x50, 1 s");
    idle_with(tracetop);
    for (int i = 0; i < MANY; i++)
        if ((sleepers[i] = fork()) == 0)
            for (;;)
                pause();
    idle_with(tracetop);
    for (int i = 0; i < MANY; i++)
        end_child(sleepers[i]);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: bench_live TRACETOP [storm] [pingpong] [idle]\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 2; i <= argc; i++) {
        const char *const part = i < argc ? argv[i] : argc == 2 ? "" : NULL;
        if (!part)
            break;
        if (!*part || strcmp(part, "storm") == 0)
            storm();
        if (!*part || strcmp(part, "pingpong") == 0)
            pingpong(argv[1]);
        if (!*part || strcmp(part, "idle") == 0)
            idle(argv[1]);
    }
    return missed;
}
