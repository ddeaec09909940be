/* The engine at product sizes.
 *
 *   throughput  a ring full of records (two real traces, or made-up context switches
 *               and disk operations where ../shared is absent) drained by the engine
 *               alone: decoding, facts and all panes' tables. Target: 5 M events per
 *               second of processor time.
 *   latency     request to frame while a source replays as fast as it can, over panes,
 *               filters and drill-downs in turn. Target: 99 of 100 within 16 ms.
 *   freeze      a full window is frozen while 1 M events/s flow. Target: 20 ms.
 *   step        and stepped through, one-second samples in several panes, until nothing
 *               is left to fill in. Target: 50 ms.
 *
 *   rows        frames of 100 000 rows while nothing plays, by several columns and in
 *               turn with idle rows hidden, with the order held, filtered, from the middle:
 *               processor time of the slowest kind of request. Target: 16 ms; as a tree, 50.
 *   filter      a filter is typed letter by letter over a full window of 64 and of 256 MiB, in
 *               several panes, until each letter's answer is whole: processor time, and by the
 *               clock, which on a busy machine is more. Targets: 50 and 150 ms.
 *   idle        and what the program takes while a frame a second is asked for and little
 *               comes: measured from outside and as frames say it. Target: 2 % of one CPU.
 *
 * Usage: bench_engine [NAME [WHAT]]: only tapes whose names hold NAME, only WHAT of
 * throughput, latency, step, rows, filter, idle. Exit status 1: a target is missed. */
#include "tests/feeder.h"

#include "src/filter/filter.h"

#include <inttypes.h>
#include <stdio.h>

enum { RING_BYTES = 192 << 20, ROUNDS = 5, REQUESTS = 400, FREEZES = 5, STEPS = 40 };

static const char *const files[] = {
    "../shared/etl/perfview-win7-PerfViewData.etl.zst",
    "../shared/etl/perfview-net.4.5.2.x64.etl.zst",
    "../shared/etl/etwanalyzer-TraceLoggingTester.etl.zst",
};

/* Records as they travel, one after the other, and the time they span. */
struct tape {
    uint8_t *bytes;
    size_t used, room, events;
    int64_t first, last;
    struct trace_clock clock;
    unsigned cpus;
};

static void tape_add(struct tape *t, const struct record_head *head, const void *body)
{
    const size_t padded = (head->bytes + 7u) & ~(size_t)7;
    while (t->used + padded > t->room) {
        t->room = t->room ? t->room * 2 : 1 << 20;
        t->bytes = realloc(t->bytes, t->room);
    }
    memcpy(t->bytes + t->used, head, sizeof *head);
    memcpy(t->bytes + t->used + sizeof *head, body, head->bytes - sizeof *head);
    t->used += padded;
    t->first = t->events ? t->first : head->ts;
    t->last = head->ts > t->last || !t->events ? head->ts : t->last;
    t->events++;
}

static bool tape_of_file(struct tape *t, const char *name)
{
    struct err err;
    struct event e;
    struct etl_reader *r =
        os_path_kind(name) == OS_REGULAR ? etl_reader_open(&name, 1, &err) : NULL;
    if (!r)
        return false;
    struct etl_file *file = etl_reader_file(r, 0);
    t->clock = etl_clock(file);
    t->cpus = etl_header(file)->cpus;
    while (etl_reader_next(r, &e, &err) == ETL_EVENT)
        tape_add(
            t,
            &(struct record_head){.bytes = (uint32_t)sizeof(struct record_head) + e.record_bytes,
                                  .form = RECORD_ETW,
                                  .cpu = e.cpu,
                                  .ts = e.ts},
            e.record);
    etl_reader_close(r);
    return t->events > 0;
}

/* Everything that was sent to the stage's ring. */
static void tape_take(struct tape *t, struct stage *s)
{
    uint64_t position;
    for (const struct record_head *head; (head = ring_peek(s->collectors[0].hot, &position));) {
        tape_add(t, head, head + 1);
        ring_release(s->collectors[0].hot);
    }
    ring_free(s->collectors[0].hot);
    free(s);
}

/* Context switches of 64 threads of 8 processes on 4 processors, and a disk operation
 * among every sixteen: the events of issue 3's panes that come fastest. */
static void tape_of_switches(struct tape *t)
{
    enum { EVENTS = 500000, THREADS = 64 };
    struct stage *s = stage_open(1, 64 << 20, RING_SEGMENT);
    struct scene scene = {.stage = s, .pid = 4, .tid = 8};
    uint32_t running[4] = {0}, prng = 1;
    for (uint32_t i = 0; i < THREADS; i++)
        send_thread(&scene, i, HOOK_DC_START, 100 + i / 8 * 4, 1000 + i * 4);
    scene.tid = EVENT_NO_ID;
    for (uint32_t i = 0; i < EVENTS; i++) {
        prng = prng * 1103515245 + 12345;
        scene.cpu = (uint16_t)(prng >> 8 & 3);
        const uint32_t next = prng >> 16 & 1 ? 0 : 1000 + (prng >> 17) % THREADS * 4;
        const int64_t us = 1000 + i * 2;
        if (i % 16 == 15)
            send_disk(&scene, us, prng & 1, 0, 4096, 0x1000 + (prng >> 20) * 16, 300,
                      1000 + (prng >> 17) % THREADS * 4);
        else
            send_switch(&scene, us, running[scene.cpu], next);
        if (i % 16 != 15)
            running[scene.cpu] = next;
    }
    t->clock = s->collectors[0].sources[0].clock;
    t->cpus = 4;
    tape_take(t, s);
}

/* A hundred thousand files, each named and read: as many rows. */
static void tape_of_files(struct tape *t)
{
    enum { FILES = 100000 };
    struct stage *s = stage_open(1, 64 << 20, RING_SEGMENT);
    struct scene scene = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    send_thread(&scene, 1, HOOK_DC_START, 4, 8);
    for (uint32_t i = 0; i < FILES; i++) {
        char name[64];
        const uint64_t file = 0xffff800000000000u + i * 64;
        snprintf(name, sizeof name, "\\Device\\Volume1\\dir%u\\file%u.dat", i % 1000, i);
        send_file_name(&scene, 10 + i * 2, 0, file, name);
        send_disk(&scene, 11 + i * 2, false, 0, 512 + i % 7777, file, 300 + i % 100, 8);
    }
    t->clock = s->collectors[0].sources[0].clock;
    t->cpus = 4;
    tape_take(t, s);
}

/* ---- playing tapes ------------------------------------------------------------------ */

struct player {
    struct stage *stage;
    const struct tape *tape;
    _Atomic bool stop;
    _Atomic bool is_paced; /* a million events a second from now on */
    int64_t paced_since;
    uint64_t played, played_unpaced;
};

static void keep_pace(struct player *p)
{
    enum { TOGETHER = 1000, NS_EACH = 1000 };
    if (!atomic_load_explicit(&p->is_paced, memory_order_relaxed) || p->played % TOGETHER)
        return;
    if (!p->paced_since) {
        p->paced_since = os_now();
        p->played_unpaced = p->played;
    }
    const int64_t due = p->paced_since + (int64_t)(p->played - p->played_unpaced) * NS_EACH;
    const int64_t early = due - os_now();
    if (early > 0)
        os_sleep(early);
}

/* The tape once more, later by so many ticks; false when the ring is full (and the
 * player does not wait) or it was stopped. */
static bool play(struct player *p, int64_t shift, bool waits)
{
    struct ring *ring = p->stage->collectors[0].hot;
    for (size_t at = 0; at < p->tape->used;) {
        struct record_head head;
        memcpy(&head, p->tape->bytes + at, sizeof head);
        const uint8_t *body = p->tape->bytes + at + sizeof head;
        at += (head.bytes + 7u) & ~(size_t)7;
        head.ts += shift;
        while (!ring_has_room(ring, head.bytes)) {
            if (!waits || atomic_load_explicit(&p->stop, memory_order_relaxed))
                return false;
            os_sleep(100000);
        }
        ring_put(ring, &head, body);
        p->played++;
        keep_pace(p);
        if (p->paced_since && atomic_load_explicit(&p->stop, memory_order_relaxed))
            return false; /* paced, it meets no full ring */
    }
    return true;
}

static void play_on(struct player *p, bool waits)
{
    const int64_t length = p->tape->last - p->tape->first + 1;
    for (int64_t round = 0; play(p, round * length, waits); round++)
        ;
    ring_finish(p->stage->collectors[0].hot);
}

static struct stage *stage_of(const struct tape *t, size_t ring_bytes)
{
    struct stage *s = stage_open(1, ring_bytes, RING_SEGMENT);
    s->collectors[0].sources[0].clock = t->clock;
    s->collectors[0].sources[0].cpus = t->cpus;
    return s;
}

static struct stage *stage_for(const struct tape *t)
{
    return stage_of(t, RING_BYTES);
}

static double throughput(const struct tape *t)
{
    double best = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct stage *s = stage_for(t);
        struct player p = {.stage = s, .tape = t};
        play_on(&p, false);
        const int64_t start = os_cpu_time(); /* a busy machine does not change it */
        stage_play(s);
        while (engine_figures(s->engine).events < p.played)
            os_sleep(1000000);
        const double rate = (double)p.played / (double)(os_cpu_time() - start) * 1e3;
        best = rate > best ? rate : best;
        stage_close(s);
    }
    return best;
}

/* ---- answering while it plays ----------------------------------------------------------- */

static void player_run(void *arg)
{
    play_on(arg, true);
}

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Another question each time: panes, filters, sorts, drill-downs. */
static void next_request(struct stage *s, unsigned i, struct row_key process)
{
    static const char *const names[] = {"processes", "disk", "diskfiles", "events"};
    static const char *const filters[] = {"", "e", "svchost", "!svc", "a 1"};
    struct request *r = stage_request(s, names[i % 4]);
    r->rows = 100;
    r->accumulate = i / 4 % 2;
    r->sort = i / 8 % (unsigned)r->pane->column_count;
    snprintf(r->filter, sizeof r->filter, "%s", filters[i / 4 % 5]);
    r->crumb_count = i / 20 % 3 == 2;
    r->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = process};
    r->follow_tail = i % 2;
}

static int64_t latency(const struct tape *t, int64_t *median, int64_t *longest, double *rate)
{
    static int64_t took[REQUESTS];
    struct stage *s = stage_for(t);
    struct player p = {.stage = s, .tape = t};
    stage_play(s);
    struct os_thread *thread = os_thread_start("player", player_run, &p);
    const int64_t begin = os_now();
    while (engine_figures(s->engine).events < 2500000) /* the window is full */
        os_sleep(1000000);
    stage_request(s, "processes");
    struct frame *f = stage_ask_now(s);
    const struct row_key process = f->row_count ? f->rows[0].key : (struct row_key){0};
    frame_free(f);
    for (unsigned i = 0; i < REQUESTS; i++) {
        next_request(s, i, process);
        const int64_t start = os_now();
        frame_free(stage_ask_now(s));
        took[i] = os_now() - start;
        os_sleep(5000000);
    }
    *rate = (double)engine_figures(s->engine).events / (double)(os_now() - begin) * 1e3;
    atomic_store(&p.stop, true);
    os_thread_join(thread);
    stage_close(s);
    qsort(took, REQUESTS, sizeof *took, by_size);
    *median = took[REQUESTS / 2];
    *longest = took[REQUESTS - 1];
    return took[REQUESTS * 99 / 100];
}

/* ---- freezing and stepping ------------------------------------------------------------- */

/* The frame in which nothing is left to fill in. */
static struct frame *ask_whole(struct stage *s)
{
    struct frame *f = stage_ask_now(s);
    while (f->is_partial) {
        frame_free(f);
        f = engine_wait_frame(s->engine, s->request.sequence, false, STAGE_TIMEOUT);
        assert_non_null(f);
    }
    return f;
}

static int64_t time_of(struct stage *s, struct frame **f)
{
    const int64_t start = os_now();
    *f = ask_whole(s);
    return os_now() - start;
}

struct stepping {
    int64_t freeze[FREEZES], step[STEPS];
    uint64_t facts; /* in the longest sample */
};

static void freeze_and_thaw(struct stage *s, struct stepping *out)
{
    struct frame *f;
    for (unsigned i = 0; i < FREEZES; i++) {
        stage_request(s, "processes")->freeze = false;
        frame_free(ask_whole(s));
        os_sleep(50000000);
        s->request.freeze = true;
        out->freeze[i] = time_of(s, &f);
        frame_free(f);
    }
}

static void step_through(struct stage *s, struct stepping *out)
{
    static const char *const names[] = {"processes", "disk", "cpu", "events"};
    stage_request(s, "processes")->freeze = true;
    struct frame *f = ask_whole(s);
    const struct frame grid = *f;
    frame_free(f);
    const int64_t samples = (grid.kept_last - grid.kept_first) / grid.sample_ns + 1;
    for (unsigned i = 0; i < STEPS; i++) {
        struct request *r = stage_request(s, names[i % 4]);
        r->freeze = true;
        r->rows = 100;
        r->to_ns = grid.kept_last - i / 4 % samples * grid.sample_ns;
        r->from_ns = r->to_ns - grid.sample_ns;
        out->step[i] = time_of(s, &f);
        if (r->pane->view == PANE_EVENTS && f->shown > out->facts)
            out->facts = f->shown;
        frame_free(f);
    }
}

static bool stepping(const char *name, const struct tape *t)
{
    static const int64_t FREEZE_LIMIT = 20000000, STEP_LIMIT = 50000000;
    struct stepping times = {.facts = 0};
    struct stage *s = stage_for(t);
    struct player p = {.stage = s, .tape = t};
    stage_play(s);
    struct os_thread *thread = os_thread_start("player", player_run, &p);
    while (engine_figures(s->engine).events < 2500000) /* the window is full */
        os_sleep(1000000);
    atomic_store(&p.is_paced, true);
    freeze_and_thaw(s, &times);
    step_through(s, &times);
    atomic_store(&p.stop, true);
    os_thread_join(thread);
    stage_close(s);
    qsort(times.freeze, FREEZES, sizeof *times.freeze, by_size);
    qsort(times.step, STEPS, sizeof *times.step, by_size);
    printf("engine  %-28s freeze p50 %.1f max %.1f ms (limit 20)  "
           "step p50 %.1f max %.1f ms (limit 50), %.0f k events in the longest\n",
           name, (double)times.freeze[FREEZES / 2] / 1e6, (double)times.freeze[FREEZES - 1] / 1e6,
           (double)times.step[STEPS / 2] / 1e6, (double)times.step[STEPS - 1] / 1e6,
           (double)times.facts / 1e3);
    return times.freeze[FREEZES / 2] <= FREEZE_LIMIT && times.step[STEPS - 1] <= STEP_LIMIT;
}

/* ---- many rows ---------------------------------------------------------------------------- */

struct row_case {
    const char *name, *pane, *sort, *filter;
    bool hides_idle, locks_order, accumulates;
    uint64_t first;
    bool is_tree;
};

static const struct row_case row_cases[] = {
    {"by bytes", "diskfiles", "read", "", false, false, true, 0, false},
    {"by path", "diskfiles", "path", "", false, false, true, 0, false},
    {"by p99", "diskfiles", "p99", "", false, false, true, 0, false},
    {"last interval", "diskfiles", "read", "", false, false, false, 0, false},
    {"middle", "diskfiles", "read", "", false, false, true, 50000, false},
    {"idle hidden", "diskfiles", "read", "", true, false, false, 0, false},
    {"order held", "diskfiles", "read", "", false, true, true, 0, false},
    {"both", "diskfiles", "path", "", true, true, true, 50000, false},
    {"filtered", "diskfiles", "read", "file1", false, false, true, 0, false},
    {"files by path", "files", "path", "", false, false, true, 0, false},
    {"tree by path", "files", "path", "", false, false, true, 0, true},
    {"tree by bytes", "diskfiles", "read", "", false, false, true, 0, true},
};

/* Processor time of the engine for one frame, the least of several. */
static int64_t frame_cost(struct stage *s, const struct row_case *c, uint64_t *rows)
{
    enum { TIMES = 7 };
    int64_t least = INT64_MAX;
    for (unsigned i = 0; i < TIMES; i++) {
        struct request *r = stage_request(s, c->pane);
        const struct column *by = pane_column(r->pane, c->sort);
        assert_non_null(by);
        r->rows = 100;
        r->sort = (unsigned)(by - r->pane->columns);
        r->hides_idle = c->hides_idle;
        r->locks_order = c->locks_order;
        r->accumulate = c->accumulates;
        r->first = c->first;
        r->tree = c->is_tree;
        r->ascending = c->is_tree && i % 2; /* in another order each time: not as it was kept */
        snprintf(r->filter, sizeof r->filter, "%s", c->filter);
        const int64_t start = os_cpu_time();
        struct frame *f = stage_ask_now(s);
        const int64_t took = os_cpu_time() - start;
        *rows = f->shown + f->hidden;
        least = i && took < least ? took : least; /* the first one may have to match anew */
        frame_free(f);
    }
    return least;
}

static bool shows_rows(const char *name, const struct tape *t)
{
    static const int64_t LIMIT = 16000000, TREE_LIMIT = 50000000;
    enum { ROWS = 100000 };
    struct stage *s = stage_for(t);
    struct player p = {.stage = s, .tape = t};
    play(&p, 0, false);
    play(&p, t->last - t->first + 1, false);
    stage_play(s);
    while (engine_figures(s->engine).events < p.played)
        os_sleep(1000000);
    bool is_met = true;
    for (size_t i = 0; i < sizeof row_cases / sizeof *row_cases; i++) {
        uint64_t rows = 0;
        const int64_t cost = frame_cost(s, &row_cases[i], &rows);
        if (rows < ROWS)
            break; /* a tape of something else */
        const int64_t limit = row_cases[i].is_tree ? TREE_LIMIT : LIMIT;
        printf("engine  %-28s %6" PRIu64 " rows, %-13s %5.1f ms a frame (limit %.0f)\n", name, rows,
               row_cases[i].name, (double)cost / 1e6, (double)limit / 1e6);
        is_met &= cost <= limit;
    }
    stage_close(s);
    return is_met;
}

/* ---- filtering ------------------------------------------------------------------------------ */

enum { LETTERS = 400 };

struct typing {
    int64_t took[LETTERS], passed[LETTERS]; /* processor time, the clock's */
    unsigned count;
    uint64_t facts;
};

static void type(struct stage *s, const char *pane, const char *filter, struct typing *out)
{
    stage_request(s, pane)->rows = 60;
    frame_free(ask_whole(s));
    for (size_t n = 1; n <= strlen(filter) && out->count < LETTERS; n++) {
        struct filter_error why;
        struct filter f;
        snprintf(s->request.filter, sizeof s->request.filter, "%.*s", (int)n, filter);
        const bool is_filter = filter_init(&f, s->request.filter, s->request.pane, NULL, &why);
        filter_fini(&f);
        if (!is_filter)
            continue; /* the program keeps the last valid one */
        struct frame *answer;
        const int64_t start = os_cpu_time();
        out->passed[out->count] = time_of(s, &answer);
        out->took[out->count++] = os_cpu_time() - start;
        frame_free(answer);
    }
    s->request.filter[0] = '\0';
}

static bool shows_typing(const char *name, const struct tape *t, unsigned mib, int64_t limit)
{
    static const char *const typed[][2] = {
        {"processes", "svchost lat>=1ms"},      {"disk", "op=read size>=4K lat>2ms"},
        {"files", "path~/\\.dll$/ !proc=System"}, {"cpu", "cpu=1 ready>100us"},
        {"events", "event=Read | event=Write proc=System"},
    };
    struct typing out = {.count = 0};
    struct stage *s = stage_of(t, (size_t)mib << 20);
    struct player p = {.stage = s, .tape = t};
    play_on(&p, false);
    stage_play(s);
    while (engine_figures(s->engine).events < p.played)
        os_sleep(1000000);
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        type(s, typed[i][0], typed[i][1], &out);
    stage_close(s);
    qsort(out.took, out.count, sizeof *out.took, by_size);
    qsort(out.passed, out.count, sizeof *out.passed, by_size);
    const int64_t p99 = out.took[out.count * 99 / 100];
    printf("engine  %-28s filter over %u MiB, %.1f M events: p50 %.1f p99 %.1f ms (limit %.0f); "
           "by the clock p50 %.1f p99 %.1f\n",
           name, mib, (double)p.played / 1e6, (double)out.took[out.count / 2] / 1e6,
           (double)p99 / 1e6, (double)limit / 1e6, (double)out.passed[out.count / 2] / 1e6,
           (double)out.passed[out.count * 99 / 100] / 1e6);
    return p99 <= limit;
}

static bool shows_filter(const char *name, const struct tape *t)
{
    const bool small = shows_typing(name, t, 64, 50000000);
    return shows_typing(name, t, 256, 150000000) && small;
}

/* A live source of a thousand events a second; a frame is asked for every second. */
static bool shows_idle(const char *name, const struct tape *t)
{
    enum { SECONDS = 5, EACH_MS = 10 };
    static const double LIMIT = 2;
    struct stage *s = stage_for(t);
    struct player p = {.stage = s, .tape = t};
    s->collectors[0].kind = &stage_live;
    play(&p, 0, false);
    stage_play(s);
    while (engine_figures(s->engine).events < p.played)
        os_sleep(1000000);
    stage_request(s, "processes");
    frame_free(stage_ask_now(s));
    os_sleep(1000000000);
    const int64_t cpu = os_cpu_time(), start = os_now();
    double self = 0;
    for (unsigned i = 0; i < SECONDS; i++) {
        for (unsigned n = 0; n < 1000 / EACH_MS; n++) {
            struct record_head head;
            memcpy(&head, t->bytes, sizeof head);
            head.ts = t->last + (int64_t)(i * 100 + n) * 100000;
            for (unsigned k = 0; k < EACH_MS; k++)
                ring_put(s->collectors[0].hot, &head, t->bytes + sizeof head);
            os_sleep(EACH_MS * 1000000);
        }
        struct frame *f = stage_ask_now(s);
        self += f->self_percent / SECONDS;
        frame_free(f);
    }
    const double percent = (double)(os_cpu_time() - cpu) / (double)(os_now() - start) * 100;
    printf("engine  %-28s idle: %.2f %% of one CPU (limit 2), self says %.2f %%\n", name, percent,
           self);
    stage_close(s);
    return percent <= LIMIT && self <= LIMIT;
}

/* ---- what was asked for ------------------------------------------------------------------- */

static bool shows_throughput(const char *name, const struct tape *t)
{
    static const double TARGET = 5; /* M events/s */
    const double best = throughput(t);
    printf("engine  %-28s %7zu events  %6.2f M events/s (target %.0f)\n", name, t->events, best,
           TARGET);
    return best >= TARGET;
}

static bool shows_latency(const char *name, const struct tape *t)
{
    static const int64_t LIMIT = 16000000;
    int64_t median, longest;
    double rate;
    const int64_t p99 = latency(t, &median, &longest, &rate);
    printf("engine  %-28s answer p50 %.1f p99 %.1f max %.1f ms (limit 16) at %.1f M events/s\n",
           name, (double)median / 1e6, (double)p99 / 1e6, (double)longest / 1e6, rate);
    return p99 <= LIMIT;
}

static const struct part {
    const char *name;
    bool (*run)(const char *name, const struct tape *t); /* true: targets met */
} parts[] = {
    {"throughput", shows_throughput},
    {"latency", shows_latency},
    {"step", stepping},
    {"rows", shows_rows},
    {"filter", shows_filter},
    {"idle", shows_idle},
};

static const struct made {
    const char *name;
    void (*make)(struct tape *t);
} made[] = {
    {"switches and disk", tape_of_switches},
    {"100 000 files", tape_of_files},
};

static bool bench(const char *name, const struct tape *t, const char *what)
{
    bool is_met = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!*what || strcmp(parts[i].name, what) == 0)
            is_met &= parts[i].run(name, t);
    return is_met;
}

int main(int argc, char **argv)
{
    const char *const wanted = argc > 1 ? argv[1] : "", *const what = argc > 2 ? argv[2] : "";
    bool is_met = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct tape t = {0};
        if (!strstr(made[i].name, wanted))
            continue;
        made[i].make(&t);
        is_met &= bench(made[i].name, &t, what);
        free(t.bytes);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tape t = {0};
        const char *name = strrchr(files[i], '/') + 1;
        if (!strstr(name, wanted))
            continue;
        if (tape_of_file(&t, files[i]))
            is_met &= bench(name, &t, what);
        else
            printf("engine  %s: not there, left out\n", name);
        free(t.bytes);
    }
    return is_met ? 0 : 1;
}
