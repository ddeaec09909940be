/* Real traces through the engine against a straightforward count of the same files:
 * decode every event with decode_fields() and add up by process id. */
#include "tests/feeder.h"
#include "tests/shared.h"

#include "src/event/decode.h"

#include <stdio.h>

static const char *const traces[] = {
    "../shared/etl/perfview-win7-PerfViewData.etl.zst",
    "../shared/etl/perfview-net.4.5.2.x64.etl.zst",
};

enum { TRACES = sizeof traces / sizeof *traces, PIDS = 1024, BINDINGS = 16384 };

/* A thread id means this process from then on. */
struct binding {
    int64_t ts;
    uint32_t tid, pid;
};

struct sums {
    uint32_t pid;
    uint64_t samples, read, written, reads, writes, received, sent, faults;
    char name[256];
};

struct count {
    struct binding bindings[BINDINGS];
    unsigned binding_count;
    struct sums sums[PIDS];
    unsigned sum_count;
    uint64_t events, disk_ticks, disk_max;
};

static struct sums *sums_of(struct count *c, uint32_t pid)
{
    for (unsigned i = 0; i < c->sum_count; i++)
        if (c->sums[i].pid == pid)
            return &c->sums[i];
    assert_true(c->sum_count < PIDS);
    c->sums[c->sum_count].pid = pid;
    return &c->sums[c->sum_count++];
}

static const struct decoded *find(const struct decoded *fields, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(fields[i].field->name, name) == 0 && fields[i].is_present)
            return &fields[i];
    return NULL;
}

static uint64_t number(const struct decoded *fields, unsigned count, const char *name)
{
    const struct decoded *d = find(fields, count, name);
    return d ? d->number : 0;
}

/* The newest binding not after `ts`; else the oldest there is. */
static uint32_t pid_of(const struct count *c, uint32_t tid, int64_t ts)
{
    const struct binding *best = NULL;
    if (tid == 0)
        return 0;
    for (unsigned i = 0; i < c->binding_count; i++) {
        const struct binding *b = &c->bindings[i];
        if (b->tid == tid && (!best || b->ts <= ts))
            best = b;
    }
    return best ? best->pid : UINT32_MAX;
}

static void learn(struct count *c, const struct event *e, const struct decoded *d, unsigned n)
{
    if (e->id >= 0x0301 && e->id <= 0x0304) {
        const struct decoded *name = find(d, n, "ImageFileName");
        struct sums *s = sums_of(c, (uint32_t)number(d, n, "ProcessId"));
        if (name)
            decode_format(name, s->name, sizeof s->name);
    }
    const bool binds = e->id == 0x0501 || e->id == 0x0503 || e->id == 0x0504;
    const uint32_t tid = (uint32_t)number(d, n, "TThreadId");
    const uint32_t pid = (uint32_t)number(d, n, "ProcessId");
    if (!binds || (e->id != 0x0501 && pid_of(c, tid, e->ts) == pid))
        return;
    assert_true(c->binding_count < BINDINGS);
    c->bindings[c->binding_count++] = (struct binding){e->ts, tid, pid};
}

static void add_up(struct count *c, const struct event *e, const struct decoded *d, unsigned n)
{
    if (e->id == 0x0f2e)
        sums_of(c, pid_of(c, (uint32_t)number(d, n, "ThreadId"), e->ts))->samples++;
    if (e->id == 0x010a || e->id == 0x010b) {
        const struct decoded *tid = find(d, n, "IssuingThreadId");
        const uint32_t pid = !tid                        ? e->pid
                             : tid->number == UINT32_MAX ? 4
                                                         : pid_of(c, (uint32_t)tid->number, e->ts);
        struct sums *s = sums_of(c, pid);
        const uint64_t bytes = number(d, n, "TransferSize");
        const uint64_t ticks = number(d, n, "HighResResponseTime");
        *(e->id == 0x010a ? &s->read : &s->written) += bytes;
        *(e->id == 0x010a ? &s->reads : &s->writes) += 1;
        c->disk_ticks += ticks;
        c->disk_max = ticks > c->disk_max ? ticks : c->disk_max;
    }
    const bool is_v4 = e->id >> 8 == 6 || e->id >> 8 == 8;
    if (is_v4 && (e->opcode == 10 || e->opcode == 26))
        sums_of(c, (uint32_t)number(d, n, "PID"))->sent += number(d, n, "size");
    if (is_v4 && (e->opcode == 11 || e->opcode == 27))
        sums_of(c, (uint32_t)number(d, n, "PID"))->received += number(d, n, "size");
    if (e->id == 0x0220)
        sums_of(c, pid_of(c, (uint32_t)number(d, n, "TThreadId"), e->ts))->faults++;
}

/* Twice through the file: who is who, then who did what. */
static void count_file(struct count *c, const char *name)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        struct err err;
        struct event e;
        struct etl_reader *r = etl_reader_open(&name, 1, &err);
        assert_non_null(r);
        while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
            struct decoded d[DECODE_FIELDS];
            const struct payload_layout *l = header_is_kernel(e.kind) ? decode_layout(&e) : NULL;
            const unsigned n = l ? decode_fields(l, &e, d, DECODE_FIELDS) : 0;
            c->events += pass;
            (pass ? add_up : learn)(c, &e, d, n);
        }
        etl_reader_close(r);
    }
}

/* ---- the engine's figures, by process id --------------------------------------------- */

static void gather(struct count *c, const struct frame *f)
{
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value pid = cell(f, i, "pid");
        struct sums *s = sums_of(c, pid.type == VALUE_ABSENT ? UINT32_MAX : (uint32_t)pid.count);
        s->samples += cell(f, i, "samples").count;
        s->read += amount(f, cell(f, i, "disk_read"), "disk_read");
        s->written += amount(f, cell(f, i, "disk_write"), "disk_write");
        s->received += amount(f, cell(f, i, "net_recv"), "net_recv");
        s->sent += amount(f, cell(f, i, "net_send"), "net_send");
        s->faults += amount(f, cell(f, i, "hard_faults"), "hard_faults");
        snprintf(s->name, sizeof s->name, "%.255s", text_of(f, cell(f, i, "name")));
    }
}

static void assert_same(struct count *ours, struct count *theirs)
{
    for (unsigned i = 0; i < theirs->sum_count; i++) {
        const struct sums *t = &theirs->sums[i];
        const struct sums *o = sums_of(ours, t->pid);
        if (t->name[0] && t->pid != 0)
            assert_string_equal(o->name, t->name);
        assert_int_equal(o->samples, t->samples);
        assert_int_equal(o->read, t->read);
        assert_int_equal(o->written, t->written);
        assert_int_equal(o->received, t->received);
        assert_int_equal(o->sent, t->sent);
        assert_int_equal(o->faults, t->faults);
    }
}

static void assert_disk_totals(struct stage *s, const struct count *theirs)
{
    uint64_t read = 0, written = 0, ops = 0, bytes = 0;
    for (unsigned i = 0; i < theirs->sum_count; i++) {
        read += theirs->sums[i].read;
        written += theirs->sums[i].written;
        ops += theirs->sums[i].reads + theirs->sums[i].writes;
    }
    stage_request(s, "disk");
    struct frame *f = stage_ask(s);
    assert_int_equal(amount(f, total(f, "read"), "read"), read);
    assert_int_equal(amount(f, total(f, "write"), "write"), written);
    assert_true(total(f, "ops").count >= ops); /* and flushes */
    int64_t longest = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const struct value max = cell(f, i, "max");
        longest = max.type == VALUE_TIME && max.ns > longest ? max.ns : longest;
        bytes += amount(f, cell(f, i, "total"), "total");
        assert_true(cell(f, i, "busy").number <= 100);
    }
    assert_int_equal(bytes, read + written);
    const int64_t expected =
        trace_clock_span_ns(&s->collectors[0].sources[0].clock, (int64_t)theirs->disk_max);
    assert_true(longest >= expected);
    frame_free(f);
}

/* Every row of Disk has exactly the bytes of its files. */
static void assert_files_add_up(struct stage *s)
{
    stage_request(s, "disk");
    struct frame *rows = stage_ask(s);
    for (unsigned i = 0; i < rows->row_count; i++) {
        struct request *r = stage_request(s, "diskfiles");
        r->crumbs[0] = (struct crumb){.kind = rows->rows[i].crumb, .key = rows->rows[i].key};
        r->crumb_count = 1;
        struct frame *f = stage_ask(s);
        uint64_t sum = 0;
        for (unsigned n = 0; n < f->row_count; n++)
            sum += amount(f, cell(f, n, "total"), "total");
        assert_int_equal(sum, amount(rows, cell(rows, i, "total"), "total"));
        frame_free(f);
    }
    frame_free(rows);
}

/* A trace without context switches has its threads by samples: every process's add up, in
 * both panes of threads; what was not recorded is absent, not zero. */
static void assert_threads_add_up(struct stage *s)
{
    static const char *const panes_of_threads[] = {"cpu", "threads"};
    stage_request(s, "processes");
    struct frame *rows = stage_ask(s);
    unsigned tried = 0;
    assert_false(rows->has_switches);
    assert_true(rows->has_samples);
    for (unsigned i = 0; i < rows->row_count; i++) {
        const uint64_t samples = cell(rows, i, "samples").count;
        assert_int_equal(cell(rows, i, "csw").type, VALUE_ABSENT);
        assert_true(cell(rows, i, "cpu").is_estimated);
        for (unsigned n = 0; samples && n < 2; n++) {
            struct request *r = stage_request(s, panes_of_threads[n]);
            r->crumbs[0] = (struct crumb){.kind = rows->rows[i].crumb, .key = rows->rows[i].key};
            r->crumb_count = 1;
            struct frame *f = stage_ask(s);
            uint64_t sum = 0;
            for (unsigned k = 0; k < f->row_count; k++)
                sum += cell(f, k, "samples").count;
            assert_int_equal(sum, samples);
            tried += f->row_count > 1;
            frame_free(f);
        }
    }
    assert_true(tried > 4);
    frame_free(rows);
}

/* Every sample lies in one row of Images, if only in that of none. */
static void assert_images_add_up(struct stage *s)
{
    stage_request(s, "processes");
    struct frame *all = stage_ask(s);
    stage_request(s, "images")->rows = 100000;
    struct frame *f = stage_ask(s);
    uint64_t sum = 0, none = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        sum += cell(f, i, "samples").count;
        if (strcmp(text_of(f, cell(f, i, "module")), "(no module)") == 0)
            none += cell(f, i, "samples").count;
    }
    assert_int_equal(sum, total(all, "samples").count);
    assert_true(none < sum / 10); /* code that was compiled while it ran lies in none */
    frame_free(all);
    frame_free(f);
}

/* EventInfo records come behind the events that they are about: those have names all the same. */
static void assert_names_of_the_trace(struct stage *s)
{
    enum { STACKS = 14983 };
    stage_request(s, "rates")->rows = 100000;
    struct frame *f = stage_ask(s);
    uint64_t stacks = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        const char *const provider = text_of(f, cell(f, i, "provider"));
        if (strcmp(provider, "Microsoft-Windows-DotNETRuntime") == 0 &&
            strcmp(text_of(f, cell(f, i, "event")), "CLRStack/CLRStackWalk") == 0)
            stacks += cell(f, i, "count").count;
    }
    assert_int_equal(stacks, STACKS);
    frame_free(f);
}

/* The peers' counts beside the file: pid, names, events, samples. */
static void assert_peers(struct count *ours, const char *trace)
{
    char path[256], line[4096];
    snprintf(path, sizeof path, "%.*s.procs.tsv", (int)(strlen(trace) - strlen(".etl.zst")), trace);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned rows = 0;
    while (fgets(line, sizeof line, file)) {
        unsigned pid;
        unsigned long long events, samples;
        char name[256];
        if (sscanf(line, "%u\t%255[^\t]\t%llu\t%llu", &pid, name, &events, &samples) != 4)
            continue;
        rows++;
        if (pid != UINT32_MAX)
            assert_int_equal(sums_of(ours, pid)->samples, samples);
    }
    fclose(file);
    assert_true(rows > 10);
}

static void trace_counts_true(const char *trace)
{
    glob_t there = shared_files(trace);
    globfree(&there);
    struct count *theirs = calloc(1, sizeof *theirs), *ours = calloc(1, sizeof *ours);
    count_file(theirs, trace);
    struct stage *s = stage_open(1, 4 << 20, RING_SEGMENT);
    struct feeder feeder = {.stage = s, .file = trace};
    assert_true(feeder_open(&feeder));
    feeder_start(&feeder);
    stage_play(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->events, theirs->events);
    gather(ours, f);
    frame_free(f);
    assert_same(ours, theirs);
    assert_peers(ours, trace);
    assert_disk_totals(s, theirs);
    assert_files_add_up(s);
    assert_threads_add_up(s);
    assert_images_add_up(s);
    if (trace == traces[1])
        assert_names_of_the_trace(s);
    feeder_stop(&feeder);
    stage_close(s);
    free(theirs);
    free(ours);
}

static void windows_7(void **state)
{
    (void)state;
    trace_counts_true(traces[0]);
}

static void windows_8(void **state)
{
    (void)state;
    trace_counts_true(traces[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_7),
        cmocka_unit_test(windows_8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
