/* What saving costs.
 *
 *   snapshot    a full ring of 64 MiB into a file on a tmpfs (/dev/shm), rundown and view
 *               included: wall time of the whole, the best of several, for other programs only
 *               lengthen it. Target: 0.2 s.
 *   recording   a million events a second through generator, ring and engine, in turns with
 *               and without a recording beside them: processor time of the process, the median of
 *               how much more a turn took than the one before it; the generator keeps its rate
 *               only about, so that is told for a million. Target: 15 % of a core more. What the
 *               recorder's own thread took of it is told, too.
 *
 * Usage: bench_save [snapshot|recording]. Exit status 1: a target is missed. */
#include "collectors/collectors.h"
#include "src/base/mem.h"
#include "src/command/session.h"
#include "src/trace/recorder.h"
#include "src/trace/snapshot.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SNAPSHOTS = 7, TURNS = 9, RATE = 1000000, RING = 64 << 20 };

static const int64_t TURN_NS = 1000000000, START = 1700000000000000000;

#define SNAPSHOT_TARGET  0.2  /* seconds */
#define RECORDING_TARGET 15.0 /* percent of a core */

static void give_up(const char *why)
{
    fprintf(stderr, "bench_save: %s\n", why);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *of, unsigned count)
{
    qsort(of, count, sizeof *of, compare);
    return of[count / 2];
}

static struct session *play(uint64_t events, uint64_t rate, uint64_t ring)
{
    struct err err;
    const struct session_options o = {
        .kind = &collector_synthetic,
        .collector = {.seed = 5, .events = events, .rate = rate, .start_ns = START},
        .ring_bytes = ring,
        .interval_ns = 1000000000,
    };
    struct session *const s = session_start(&o, &err);
    if (!s)
        give_up(err.text);
    return s;
}

static void end(struct session *s)
{
    session_stop(s);
    session_free(s);
}

/* ---- snapshot -------------------------------------------------------------------------- */

/* Until the engine has read everything. */
static void wait_until_read(struct session *s, uint64_t events)
{
    for (;;) {
        const struct ring_figures f = ring_figures(s->collector.hot);
        if (atomic_load(&s->collector.progress) >= (int64_t)events && f.read == f.head)
            return;
        os_sleep(10000000);
    }
}

static struct snapshot_result snap(struct session *s, const char *path, double *seconds)
{
    const struct snapshot_options o = {.engine = s->engine,
                                       .collector = &s->collector,
                                       .path = path,
                                       .folder = "/dev/shm",
                                       .view = "[view]\n"};
    struct snapshot_result r;
    const int64_t began = os_now();
    snapshot_finish(snapshot_start(&o), &r);
    *seconds = (double)(os_now() - began) / 1e9;
    if (!r.is_done)
        give_up(r.err.text);
    return r;
}

static bool measure_snapshots(void)
{
    enum { EVENTS = 2500000 }; /* more than the ring holds */
    struct session *const s = play(EVENTS, 0, RING);
    char path[64], view[80];
    double seconds[SNAPSHOTS];
    struct snapshot_result r = {0};
    snprintf(path, sizeof path, "/dev/shm/tracetop-bench-%u.etl", (unsigned)getpid());
    snprintf(view, sizeof view, "%s.view", path);
    wait_until_read(s, EVENTS);
    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        r = snap(s, path, &seconds[i]);
        unlink(path);
        unlink(view);
    }
    end(s);
    const double usual = median(seconds, SNAPSHOTS), took = seconds[0];
    const bool is_met = took < SNAPSHOT_TARGET;
    printf("snapshot of a full ring of %d MiB to a tmpfs\n"
           "  %" PRIu64 " events, a file of %.1f MB\n"
           "  %.3f s   (target %.1f)  %s   (median %.3f, worst %.3f)\n",
           RING >> 20, r.events, (double)r.bytes / 1e6, took, SNAPSHOT_TARGET,
           is_met ? "met" : "MISSED", usual, seconds[SNAPSHOTS - 1]);
    return is_met;
}

/* ---- recording -------------------------------------------------------------------------- */

struct turn {
    double percent, own; /* of a core: the process's, the recorder's thread's */
    uint64_t events, lost;
};

/* Nanoseconds that our thread of that name was on a processor; 0: there is none. */
static int64_t thread_time(const char *name)
{
    char path[300], found[32];
    int64_t ns = 0;
    DIR *const threads = opendir("/proc/self/task");
    for (const struct dirent *e; threads && !ns && (e = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        FILE *const comm = fopen(path, "r");
        const bool is_it = comm && fscanf(comm, "%31s", found) == 1 && strcmp(found, name) == 0;
        if (comm)
            fclose(comm);
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", e->d_name);
        FILE *const f = is_it ? fopen(path, "r") : NULL;
        if (f && fscanf(f, "%" SCNd64, &ns) != 1)
            ns = 0;
        if (f)
            fclose(f);
    }
    if (threads)
        closedir(threads);
    return ns;
}

/* Processor time of a stretch of time, from when the recording runs to before it ends: its
 * rundowns are its own once, not of every second. */
static struct turn take_turn(struct session *s, bool is_recording, const char *path)
{
    struct err err;
    struct turn t = {0};
    struct recorder_figures before = {0}, after = {0};
    const struct recorder_options o = {
        .engine = s->engine, .collector = &s->collector, .path = path, .replace = true};
    struct recorder *const r = is_recording ? recorder_start(&o, &err) : NULL;
    if (is_recording && !r)
        give_up(err.text);
    while (r && !recorder_poll(r, &before) && !before.events)
        os_sleep(10000000);
    os_sleep(TURN_NS / 4);
    if (r)
        recorder_poll(r, &before);
    const int64_t own = thread_time("recorder"), cpu = os_cpu_time(), wall = os_now();
    os_sleep(TURN_NS);
    const double length = (double)(os_now() - wall);
    t.percent = 100.0 * (double)(os_cpu_time() - cpu) / length;
    t.own = 100.0 * (double)(thread_time("recorder") - own) / length;
    if (r) {
        recorder_poll(r, &after);
        if (!recorder_stop(r, NULL, &err))
            give_up(err.text);
        unlink(path);
    }
    t.events = after.events - before.events;
    t.lost = after.lost + after.refused;
    return t;
}

static bool measure_recording(void)
{
    struct session *const s = play(0, RATE, 0);
    char path[64];
    double with[TURNS], without[TURNS], own[TURNS], more[TURNS];
    uint64_t events = 0, lost = 0;
    snprintf(path, sizeof path, "/tmp/tracetop-bench-%u.etl", (unsigned)getpid());
    take_turn(s, true, path); /* the ring's memory is touched for the first time */
    for (unsigned i = 0; i < TURNS; i++) {
        without[i] = take_turn(s, false, path).percent;
        const struct turn t = take_turn(s, true, path);
        with[i] = t.percent;
        own[i] = t.own;
        more[i] = with[i] - without[i];
        events += t.events;
        lost += t.lost;
    }
    end(s);
    const double base = median(without, TURNS), all = median(with, TURNS);
    const double millions = (double)events / TURNS / 1e6;
    const double cost = median(more, TURNS) / millions;
    const bool is_met = cost < RECORDING_TARGET;
    printf(
        "recording at %.2f M events/s, beside generator and engine\n"
        "  %" PRIu64 " events recorded, %" PRIu64 " lost\n"
        "  %.1f %% of a core without (%.1f to %.1f), %.1f %% with (%.1f to %.1f)\n"
        "  %.1f %% more for a million a second, %.1f %% the recorder's own   (target %.0f)  %s\n",
        millions, events, lost, base, without[0], without[TURNS - 1], all, with[0], with[TURNS - 1],
        cost, median(own, TURNS) / millions, RECORDING_TARGET, is_met ? "met" : "MISSED");
    return is_met;
}

int main(int argc, char **argv)
{
    const char *const only = argc > 1 ? argv[1] : "";
    bool is_met = true;
    if (strstr("snapshot", only))
        is_met &= measure_snapshots();
    if (strstr("recording", only))
        is_met &= measure_recording();
    return is_met ? 0 : 1;
}
