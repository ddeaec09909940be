/* From the synthetic machine to the screen's numbers: what a million-odd bytes of
 * records say when rings, merge, model and tables are through with them, against what
 * the machine itself counted. Every lifetime of every process, every disk. */
#include "tests/sanitizer.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "collectors/synthetic/synthetic.h"
#include "src/base/mem.h"
#include "src/command/session.h"
#include "src/pane/panes.h"
#include "src/table/pane.h"
#include "tests/make_etl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 256 * 1024, ROWS = 4000 };

static const int64_t START_NS = 1700000000000000000;

/* ---- asking -------------------------------------------------------------------------- */

static struct session *play(const struct collector_kind *kind, const struct collector_options *c)
{
    const struct session_options o = {
        .kind = kind,
        .collector = *c,
        .ring_bytes = 4 << 20,
        .interval_ns = 1000000000,
    };
    struct err err;
    struct session *s = session_start(&o, &err);
    assert_non_null(s);
    return s;
}

static struct frame *ask(struct session *s, const char *pane)
{
    static uint64_t sequence; /* each question has its own */
    const struct request r = {
        .sequence = ++sequence, .pane = pane_find(pane), .accumulate = true, .rows = ROWS};
    engine_request(s->engine, &r);
    struct frame *f = engine_wait_frame(s->engine, r.sequence, true, PATIENCE_NS);
    assert_non_null(f);
    assert_int_equal(f->shown, f->row_count);
    return f;
}

static const struct value *cell(const struct frame *f, unsigned row, const char *column)
{
    const struct column *c = pane_column(f->pane, column);
    assert_non_null(c);
    return &f->rows[row].cells[c - f->pane->columns];
}

/* An amount: what is shown per second is multiplied back. */
static uint64_t amount(const struct frame *f, unsigned row, const char *column)
{
    const struct value *v = cell(f, row, column);
    switch (v->type) {
    case VALUE_RATE:
    case VALUE_BYTE_RATE:
    case VALUE_TIME_RATE:
        return (uint64_t)llround(v->number * f->column_s[v - f->rows[row].cells]);
    case VALUE_ABSENT:
        return 0;
    }
    return v->count;
}

/* ---- the other side: the machine's own totals ------------------------------------------ */

static struct synthetic *machine(const struct collector_options *c, bool late_rundown)
{
    const struct synthetic_options o = {.seed = c->seed,
                                        .events = c->events,
                                        .start_ns = c->start_ns,
                                        .late_rundown = late_rundown,
                                        .keep_totals = true};
    struct synthetic *s = synthetic_new(&o);
    void *buffer = mem_new(ROOM, 1);
    while (!synthetic_is_done(s))
        synthetic_fill(s, buffer, ROOM, INT64_MAX);
    free(buffer);
    return s;
}

/* The lifetime that a row is about: its id, and when it started if that was seen. */
static const struct synthetic_process *lifetime(const struct synthetic *s, const struct frame *f,
                                                unsigned row)
{
    const struct synthetic_totals *t = synthetic_totals(s);
    const struct trace_clock clock = synthetic_clock(s);
    const struct value *start = cell(f, row, "start");
    const int64_t raw = start->type == VALUE_ABSENT ? 0 : trace_clock_raw(&clock, start->ns);
    for (size_t i = 0; i < t->process_count; i++)
        if (t->processes[i].pid == cell(f, row, "pid")->count && t->processes[i].start == raw)
            return &t->processes[i];
    return NULL;
}

static void expect(uint64_t shown, uint64_t counted, uint32_t pid, const char *what)
{
    if (shown != counted)
        print_error("process %u: %s %llu shown, %llu counted\n", pid, what,
                    (unsigned long long)shown, (unsigned long long)counted);
    assert_int_equal(shown, counted);
}

/* Rows that had everything counted, down to the last slice. */
static unsigned compare_processes(const struct frame *f, const struct synthetic *m)
{
    unsigned complete = 0;
    for (unsigned row = 0; row < f->row_count; row++) {
        /* Events of nobody: lists and configuration. */
        static const struct synthetic_process nobody;
        const bool is_nobody = cell(f, row, "pid")->type == VALUE_ABSENT;
        const struct synthetic_process *p = is_nobody ? &nobody : lifetime(m, f, row);
        assert_non_null(p);
        expect(amount(f, row, "cpu_time"), (uint64_t)p->run * 100, p->pid, "ns of processor time");
        expect(amount(f, row, "samples"), p->samples, p->pid, "samples");
        expect(amount(f, row, "disk_read"), p->disk_read_bytes, p->pid, "bytes read from disk");
        expect(amount(f, row, "disk_write"), p->disk_written_bytes, p->pid,
               "bytes written to disk");
        expect(amount(f, row, "net_recv"), p->received_bytes, p->pid, "bytes received");
        expect(amount(f, row, "net_send"), p->sent_bytes, p->pid, "bytes sent");
        expect(amount(f, row, "registry"), p->registry, p->pid, "registry operations");
        expect(amount(f, row, "hard_faults"), p->hard_faults, p->pid, "hard faults");
        /* Counted when a slice is over; at the end, each processor has one that is not, and
         * at the start each was idle already. */
        const uint64_t slices = amount(f, row, "csw");
        const uint64_t runnable = (uint64_t)(p->ready + p->preempted) * 100;
        const uint64_t early = p->pid == 0 ? f->cpus : 0;
        assert_in_range(slices, p->switches < f->cpus ? 0 : p->switches - f->cpus,
                        p->switches + early);
        if (slices == p->switches)
            expect(amount(f, row, "ready"), runnable, p->pid, "ns runnable");
        complete += slices == p->switches;
    }
    return complete;
}

static void processes_add_up(void **state)
{
    (void)state;
    const struct collector_options o = {.seed = 21, .events = 250000, .start_ns = START_NS};
    struct session *s = play(&collector_synthetic, &o);
    struct synthetic *m = machine(&o, false);
    struct frame *f = ask(s, "processes");
    assert_true(compare_processes(f, m) > 40);
    assert_int_equal(f->events, o.events + synthetic_sampled(&s->collector));
    assert_int_equal(f->late + f->unmatched, 0);
    assert_true(f->is_synthetic);
    frame_free(f);
    session_stop(s);
    session_free(s);
    synthetic_free(m);
}

/* The same machine in a file, where what runs is named at the end only. */
static void names_may_come_late(void **state)
{
    (void)state;
    const struct collector_options o = {.seed = 23, .events = 150000, .start_ns = START_NS};
    const struct synthetic_options made = {
        .seed = o.seed, .events = o.events, .start_ns = o.start_ns, .late_rundown = true};
    const struct etl_writer_options shape = {0};
    const char *folder = getenv("TMPDIR");
    char path[4096];
    const char *const files[] = {path};
    struct err err = {0};
    uint64_t records;
    snprintf(path, sizeof path, "%s/tracetop-late-%ld.etl", folder && *folder ? folder : "/tmp",
             (long)getpid());
    unlink(path);
    assert_true(make_etl(path, &made, &shape, 0, &records, &err));
    const struct collector_options replay = {.files = files, .file_count = 1};
    struct session *s = play(&collector_etl, &replay);
    struct synthetic *m = machine(&o, true);
    struct frame *f = ask(s, "processes");
    assert_true(compare_processes(f, m) > 30);
    assert_int_equal(f->events, records + 1);
    frame_free(f);
    session_stop(s);
    session_free(s);
    synthetic_free(m);
    unlink(path);
}

static void disks_add_up(void **state)
{
    (void)state;
    const struct collector_options o = {.seed = 22, .events = 250000, .start_ns = START_NS};
    struct session *s = play(&collector_synthetic, &o);
    struct synthetic *m = machine(&o, false);
    struct frame *f = ask(s, "disk");
    struct synthetic_disk sums[SYNTHETIC_DISKS] = {0};
    for (unsigned row = 0; row < f->row_count; row++) {
        struct synthetic_disk *d = &sums[cell(f, row, "disk")->count];
        d->reads += amount(f, row, "reads");
        d->writes += amount(f, row, "writes");
        d->flushes += amount(f, row, "flushes");
        d->read_bytes += amount(f, row, "read");
        d->written_bytes += amount(f, row, "write");
    }
    for (unsigned i = 0; i < SYNTHETIC_DISKS; i++) {
        const struct synthetic_disk *d = &synthetic_totals(m)->disks[i];
        expect(sums[i].reads, d->reads, i, "reads of that disk");
        expect(sums[i].writes, d->writes, i, "writes of that disk");
        expect(sums[i].flushes, d->flushes, i, "flushes of that disk");
        expect(sums[i].read_bytes, d->read_bytes, i, "bytes read from that disk");
        expect(sums[i].written_bytes, d->written_bytes, i, "bytes written to that disk");
    }
    frame_free(f);
    session_stop(s);
    session_free(s);
    synthetic_free(m);
}

/* Every part says what it holds, and together they are no more than the process has. */
static void footprint_is_within_the_process(void **state)
{
    (void)state;
    static const char *const filled[] = {"ring", "window", "rows", "names", "processes", "threads"};
    static const uint64_t AHEAD = 16 << 20; /* room that grew and was not written to yet */
    const struct collector_options c = {.seed = 5, .events = 200000, .start_ns = START_NS};
    struct session *s = play(&collector_synthetic, &c);
    struct frame *f = ask(s, "processes");
    const struct frame_footprint *const p = &f->footprint;
    uint64_t sum = 0;
    for (unsigned i = 0; i < p->count; i++) {
        sum += p->parts[i].bytes;
        if (p->parts[i].most)
            assert_in_range(p->parts[i].bytes, 0, p->parts[i].most);
    }
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) {
        unsigned at = 0;
        while (at < p->count && strcmp(p->parts[at].name, filled[i]) != 0)
            at++;
        assert_int_not_equal(at, p->count);
        assert_true(p->parts[at].bytes > 0);
    }
    assert_true(sum > 4 << 20); /* the ring was full many times */
    assert_true(p->resident > 0);
    if (sum > p->resident + AHEAD)
        print_error("%llu bytes in parts, %llu in all\n", (unsigned long long)sum,
                    (unsigned long long)p->resident);
    assert_true(sum <= p->resident + AHEAD);
    frame_free(f);
    session_stop(s);
    session_free(s);
}

/* By parts of :footprint: ring, window, tables and collector, as session_memory() groups them. */
static uint64_t *group_of(struct session_memory *m, const char *part)
{
    static const char *const rings[] = {"ring", "slow ring"},
                            *const collector[] = {"mailbox", "unwind queue", "unwind tables",
                                                  "collector", "symbol files"};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
        if (strcmp(part, rings[i]) == 0)
            return &m->ring;
    for (size_t i = 0; i < sizeof collector / sizeof *collector; i++)
        if (strcmp(part, collector[i]) == 0)
            return &m->collector;
    return strcmp(part, "window") == 0 ? &m->window : &m->tables;
}

/* What doctor states as the bound, against the bytes that the parts account for when ring and window
 * have been full several times. */
static void the_memory_budget_holds(void **state)
{
    (void)state;
    static const uint64_t rings[] = {4 << 20, 32 << 20};
    for (size_t i = 0; i < (THREADS_ARE_SANITIZED ? 1 : sizeof rings / sizeof *rings); i++) {
        const struct session_options o = {.kind = &collector_synthetic,
                                          .collector = {.seed = 5,
                                                        .events = 4 * rings[i] / 96,
                                                        .start_ns = START_NS},
                                          .ring_bytes = rings[i],
                                          .facts = session_facts_default(rings[i]),
                                          .interval_ns = 1000000000};
        const struct session_memory most = session_memory(rings[i]);
        struct session_memory held = {0};
        struct err err;
        struct session *const s = session_start(&o, &err);
        assert_non_null(s);
        struct frame *const f = ask(s, "processes");
        for (unsigned k = 0; k < f->footprint.count; k++)
            *group_of(&held, f->footprint.parts[k].name) += f->footprint.parts[k].bytes;
        assert_in_range(held.ring, rings[i], most.ring);
        assert_in_range(held.window, rings[i] / 4, most.window);
        assert_in_range(held.tables, 1, most.tables);
        assert_in_range(held.collector, 0, most.collector);
        assert_int_equal(most.all, most.ring + most.window + most.tables + most.collector +
                                       most.program);
        assert_true(most.frozen >= held.ring + held.window);
        frame_free(f);
        session_stop(s);
        session_free(s);
    }
}

/* make soak MIB=120 ARGS="--ring 32M" holds the process against it. */
static void the_memory_budget_is_bounded(void **state)
{
    (void)state;
    assert_in_range(session_memory(32 << 20).all, 64 << 20, 120 << 20);
    assert_in_range(session_memory(80 << 20).all, 128 << 20, 400 << 20);
    for (uint64_t ring = 4 << 20; ring < 512 << 20; ring *= 2)
        assert_true(session_memory(ring).all < session_memory(2 * ring).all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_add_up),
        cmocka_unit_test(names_may_come_late),
        cmocka_unit_test(disks_add_up),
        cmocka_unit_test(footprint_is_within_the_process),
        cmocka_unit_test(the_memory_budget_holds),
        cmocka_unit_test(the_memory_budget_is_bounded),
    };
    return cmocka_run_group_tests_name("synthetic machine on screen", tests, NULL, NULL);
}
