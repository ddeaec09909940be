/* Gauges and the memory of processes against the kernel's own figures. What moves by itself is
 * looked at again and again meanwhile: the sampled figure lies between the least and the most that
 * was seen. */
#include "tests/live/harness.h"

#include "src/frame/frame.h"
#include "src/os/os.h"
#include "src/pane/panes.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t PAUSE_NS = 50000000;
static const double MIB = 1 << 20;

/* ---- what the kernel says --------------------------------------------------------------------- */

/* Bytes behind "Name:" in /proc/meminfo. */
static double meminfo(const char *name)
{
    char line[128];
    double kib = -1;
    FILE *const f = fopen("/proc/meminfo", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            kib = strtod(line + strlen(name) + 1, NULL);
    fclose(f);
    return kib * 1024;
}

static double used_now(void)
{
    return meminfo("MemTotal") - meminfo("MemFree") - meminfo("Buffers") - meminfo("Cached") -
           meminfo("SReclaimable");
}

static double load_now(void)
{
    double load = -1;
    FILE *const f = fopen("/proc/loadavg", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lf", &load), 1);
    fclose(f);
    return load;
}

/* Time of all processors that was used, and all of it. */
struct times {
    double busy, all;
};

static struct times times_now(void)
{
    double t[8];
    FILE *const f = fopen("/proc/stat", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1], &t[2], &t[3],
                            &t[4], &t[5], &t[6], &t[7]),
                     8);
    fclose(f);
    const double busy = t[0] + t[1] + t[2] + t[5] + t[6] + t[7];
    return (struct times){busy, busy + t[3] + t[4]};
}

static unsigned files_of(pid_t pid)
{
    char path[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *const d = opendir(path);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

/* ---- the machine ------------------------------------------------------------------------------ */

struct seen {
    double least, most;
};

static void see(struct seen *s, double value)
{
    s->least = s->least <= value ? s->least : value;
    s->most = s->most >= value ? s->most : value;
}

static void check_within(const char *what, double value, const struct seen *s, double slack)
{
    if (!(value >= s->least - slack && value <= s->most + slack))
        fail_msg("%s: sampled %.0f, the kernel had %.0f to %.0f", what, value, s->least, s->most);
}

/* free(1) has the same, where it is installed. */
static void compare_with_free(const struct frame_gauges *g)
{
    double total, used, unused, shared, cache;
    FILE *const f = popen("LC_ALL=C free -b 2>/dev/null | sed -n 2p", "r");
    assert_non_null(f);
    const int read = fscanf(f, "Mem: %lf %lf %lf %lf %lf", &total, &used, &unused, &shared, &cache);
    pclose(f);
    if (read != 5)
        return;
    print_message("free: total %.0f, buff/cache %.0f; sampled %.0f and %.0f\n", total, cache,
                  g->now[GAUGE_MEMORY_TOTAL],
                  g->now[GAUGE_MEMORY_BUFFERS] + g->now[GAUGE_MEMORY_CACHE]);
    assert_true(total == g->now[GAUGE_MEMORY_TOTAL]);
    assert_true(g->now[GAUGE_MEMORY_USED] + g->now[GAUGE_MEMORY_FREE] +
                    g->now[GAUGE_MEMORY_BUFFERS] + g->now[GAUGE_MEMORY_CACHE] ==
                total);
}

/* Of the intervals that were whole, the share of processors that events say, and samples say. */
static double mean_of(const struct frame_gauges *g, enum gauge of, unsigned from)
{
    double sum = 0;
    unsigned count = 0;
    for (unsigned i = from; i < g->series_count; i++) {
        const double value = (double)g->series[(size_t)i * GAUGES + of];
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count ? sum / count : NAN;
}

static void machine_is_the_kernels(void **state)
{
    (void)state;
    enum { INTERVALS = 5 };
    struct seen used = {1e300, 0}, load = {1e300, 0};
    struct times before = times_now(), now = before;
    struct live_run *const r = live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH});
    struct frame *f = NULL;
    unsigned count = 0;
    for (const int64_t until = os_now() + PATIENCE_NS; count < INTERVALS + 2 && os_now() < until;
         os_sleep(PAUSE_NS)) {
        see(&used, used_now());
        see(&load, load_now());
        if (count <= 1)
            before = times_now();
        frame_free(f);
        f = live_frame(r, "processes");
        count = f->gauges.series_count;
        now = times_now();
    }
    assert_true(count >= INTERVALS + 2);
    const struct frame_gauges *const g = &f->gauges;
    assert_true(g->now[GAUGE_MEMORY_TOTAL] == meminfo("MemTotal"));
    assert_true(g->now[GAUGE_SWAP_TOTAL] == meminfo("SwapTotal"));
    check_within("used memory", g->now[GAUGE_MEMORY_USED], &used, 64 * MIB);
    check_within("load", g->now[GAUGE_LOAD_1] * 100,
                 &(struct seen){load.least * 100, load.most * 100}, 1);
    compare_with_free(g);
    const double kernels = (now.busy - before.busy) / (now.all - before.all) * 100,
                 ours = mean_of(g, GAUGE_CPU, 1),
                 sampled = mean_of(g, GAUGE_CPU_USER, 2) + mean_of(g, GAUGE_CPU_SYSTEM, 2) +
                           mean_of(g, GAUGE_CPU_IRQ, 2) + mean_of(g, GAUGE_CPU_STEAL, 2);
    print_message("CPU: kernel %.1f %%, from switches %.1f %%, sampled %.1f %%\n", kernels, ours,
                  sampled);
    assert_true(fabs(ours - kernels) < 20);
    assert_true(fabs(sampled - kernels) < 20);
    assert_true(g->cpu_count > 0 && g->cpu_count >= live_processors());
    frame_free(f);
    live_end(r);
    live_free(r);
}

/* ---- processes -------------------------------------------------------------------------------- */

enum { FILES = 10, PIECE = 64 << 20 };

/* A child that takes memory and files, and frees the memory on request. */
struct child {
    pid_t pid;
    int told, done;
};

static void live_as_child(int told, int done)
{
    char byte;
    for (unsigned i = 0; i < FILES; i++)
        if (dup(told) < 0)
            _exit(1);
    char *const at = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || write(done, "", 1) != 1 || read(told, &byte, 1) != 1)
        _exit(1);
    memset(at, 1, PIECE);
    if (write(done, "", 1) != 1 || read(told, &byte, 1) != 1)
        _exit(1);
    madvise(at, PIECE, MADV_DONTNEED);
    if (write(done, "", 1) != 1 || read(told, &byte, 1) != 1)
        _exit(1);
    _exit(0);
}

static struct child child_start(void)
{
    int told[2], done[2];
    assert_int_equal(pipe(told), 0);
    assert_int_equal(pipe(done), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        close(told[1]);
        close(done[0]);
        live_as_child(told[0], done[1]);
    }
    close(told[0]);
    close(done[1]);
    return (struct child){pid, told[1], done[0]};
}

static void wait_for(const struct child *c)
{
    char byte;
    assert_int_equal(read(c->done, &byte, 1), 1);
}

static double value_of(const struct frame *f, const struct frame_row *row, const char *column)
{
    const struct column *const c = pane_column(f->pane, column);
    const struct value *const v = &row->cells[c - f->pane->columns];
    return v->type == VALUE_ABSENT ? -1 : v->type == VALUE_PERCENT ? v->number : (double)v->count;
}

/* The column of the process, as it is shown now; -1: not yet. */
static double shown(const struct live_run *r, const char *pane, pid_t pid, const char *column)
{
    struct frame *const f = live_frame(r, pane);
    double value = -1;
    for (unsigned i = 0; i < f->row_count; i++)
        if (value_of(f, &f->rows[i], "pid") == (double)pid)
            value = value_of(f, &f->rows[i], column);
    frame_free(f);
    return value;
}

/* Comes back when it is what the kernel says, give or take; the process rests meanwhile. */
static void wait_for_memory(const struct live_run *r, pid_t pid, double slack)
{
    double kernels = 0, ours = -1;
    for (const int64_t until = os_now() + PATIENCE_NS; os_now() < until; os_sleep(PAUSE_NS)) {
        kernels = (double)live_status(pid, "VmRSS") * 1024;
        ours = shown(r, "processes", pid, "rss");
        if (ours >= 0 && fabs(ours - kernels) <= slack)
            break;
    }
    print_message("RSS: kernel %.0f, shown %.0f\n", kernels, ours);
    assert_true(ours >= 0 && fabs(ours - kernels) <= slack);
}

static void processes_are_the_kernels(void **state)
{
    (void)state;
    struct live_run *const r = live_begin(&(struct live_request){.classes = 1u << FACT_SWITCH});
    const struct child c = child_start();
    wait_for(&c);
    wait_for_memory(r, c.pid, 1 * MIB);
    assert_int_equal(write(c.told, "", 1), 1);
    wait_for(&c);
    wait_for_memory(r, c.pid, 1 * MIB);
    const double rss = shown(r, "memory", c.pid, "rss"), mem = shown(r, "memory", c.pid, "mem"),
                 own = shown(r, "memory", c.pid, "private"),
                 files = shown(r, "memory", c.pid, "fds"),
                 threads = shown(r, "processes", c.pid, "threads");
    assert_true(rss >= PIECE);
    assert_true(fabs(mem - rss / meminfo("MemTotal") * 100) < 0.01);
    assert_true(own >= PIECE && own <= rss);
    if (files >= 0) /* the kernel counts them since 6.2 */
        assert_int_equal((unsigned)files, files_of(c.pid));
    assert_int_equal((unsigned)threads, 1);
    assert_int_equal(write(c.told, "", 1), 1);
    wait_for(&c);
    wait_for_memory(r, c.pid, 1 * MIB);
    assert_true(shown(r, "memory", c.pid, "rss") < rss - PIECE / 2);
    assert_int_equal(write(c.told, "", 1), 1);
    int status;
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    live_end(r);
    live_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_is_the_kernels),
        cmocka_unit_test(processes_are_the_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
