/* What /proc says of the use of the machine and of processes: files as kernels write them, cut and
 * strange ones; and the records that are made of them, through a file and into the model. */
#include "tests/made_tree.h"

/* The stage writes payloads by functions of its own, which are called like the payload writer's. */
#define put_u8  stage_put_u8
#define put_u16 stage_put_u16
#define put_u32 stage_put_u32
#define put_u64 stage_put_u64
#include "tests/stage.h"
#undef put_u8
#undef put_u16
#undef put_u32
#undef put_u64

#include "collectors/linux/proc/usage.h"
#include "src/base/mem.h"
#include "src/etl/etl.h"
#include "src/etl/write.h"
#include "src/event/tracetop_provider.h"
#include "src/event/tracetop_write.h"
#include "src/model/gauge_record.h"

#include <math.h>
#include <stdio.h>

static const char meminfo[] = "MemTotal:       16384000 kB\nMemFree:         1024000 kB\n"
                              "MemAvailable:   12000000 kB\nBuffers:          200000 kB\n"
                              "Cached:          8000000 kB\nSwapCached:            0 kB\n"
                              "SwapTotal:       2048000 kB\nSwapFree:        1548000 kB\n"
                              "Shmem:            300000 kB\nSReclaimable:     400000 kB\n";
static const char status[] =
    "Name:\tx VmRSS:\t9 kB\nUmask:\t0022\nPid:\t77\nFDSize:\t64\nVmPeak:\t  900 kB\n"
    "VmRSS:\t     512 kB\nRssAnon:\t     300 kB\nRssFile:\t     200 kB\nRssShmem:\t      12 kB\n"
    "VmSwap:\t       40 kB\nThreads:\t3\n";
static const char kernel_status[] = "Name:\tkthreadd\nPid:\t2\nThreads:\t1\n";
static const char stat_before[] = "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 100 0 100 800 0 0 0 0 0 0\n"
                                  "cpu2 0 0 0 1000 0 0 0 0 0 0\nintr 5 0\n";
static const char stat_after[] =
    "cpu  150 10 120 900 10 5 5 0 0 0\ncpu0 150 10 120 900 10 5 5 0 0 0\n"
    "cpu2 0 0 0 1000 0 0 0 0 0 0\nintr 9 1\n";

static void nothing_is_known(double values[GAUGES])
{
    for (unsigned g = 0; g < GAUGES; g++)
        values[g] = NAN;
}

static void memory_is_as_free_has_it(void **state)
{
    (void)state;
    double v[GAUGES];
    nothing_is_known(v);
    usage_parse_meminfo(meminfo, v);
    assert_true(v[GAUGE_MEMORY_TOTAL] == 16384000.0 * 1024);
    assert_true(v[GAUGE_MEMORY_CACHE] == 8400000.0 * 1024);
    assert_true(v[GAUGE_MEMORY_USED] == (16384000.0 - 1024000 - 200000 - 8400000) * 1024);
    assert_true(v[GAUGE_SWAP_USED] == 500000.0 * 1024);
    usage_parse_loadavg("0.52 1.5 2.25 3/812 4711\n", v);
    assert_true(v[GAUGE_LOAD_1] == 0.52 && v[GAUGE_LOAD_15] == 2.25 && v[GAUGE_READY] == 2);
    usage_parse_pressure("some avg10=3.25 avg60=1.00 avg300=0.10 total=5\nfull avg10=9\n",
                         GAUGE_PRESSURE_IO, v);
    assert_true(v[GAUGE_PRESSURE_IO] == 3.25 && isnan(v[GAUGE_PRESSURE_CPU]));
}

static void processor_time_is_a_difference(void **state)
{
    (void)state;
    static struct usage_cpus before, after;
    usage_parse_stat(stat_before, &before);
    usage_parse_stat(stat_after, &after);
    assert_int_equal(after.count, 3);
    assert_int_equal(after.each[1].all, 0); /* is off */
    const struct gauge_cpu c = usage_between(&before.each[0], &after.each[0]);
    assert_true(fabsf(c.user - 30) < 0.01f && fabsf(c.system - 10) < 0.01f);
    assert_true(fabsf(c.irq - 5) < 0.01f && fabsf(c.busy - 45) < 0.01f);
    assert_true(isnan(usage_between(&before.each[2], &after.each[2]).busy)); /* no time passed */
    assert_true(isnan(usage_between(&before.each[1], &after.each[1]).busy));
}

static void traffic_is_of_disks_and_networks(void **state)
{
    (void)state;
    const struct proc_disk disks[] = {{.name = "vda"}, {.name = "vdb"}};
    struct usage_traffic t = {0};
    usage_parse_diskstats(" 254 0 vda 10 0 100 5 20 0 200 6 0 77 11\n"
                          " 254 1 vda1 10 0 100 5 20 0 200 6 0 77 11\n"
                          " 254 16 vdb 1 0 8 5 2 0 16 6 0 33 11 0 0 0 0 0 0\n",
                          disks, 2, &t);
    assert_int_equal(t.read, 108 * 512);
    assert_int_equal(t.written, 216 * 512);
    assert_int_equal(t.busy_ms[0], 77);
    assert_int_equal(t.busy_ms[1], 33);
    usage_parse_net("Inter-|   Receive\n face |bytes packets\n"
                    "    lo: 900 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\n"
                    "  eth0:1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n",
                    &t);
    assert_int_equal(t.received, 1000);
    assert_int_equal(t.sent, 2000);
}

/* Every prefix, from a copy of just its size, says less and reads no byte too far. */
static void cut_files_say_less(void **state)
{
    (void)state;
    static const char *const texts[] = {meminfo, status, stat_after, "1 2 3 4/5 6", "eth0: 1 2"};
    static struct usage_cpus cpus;
    const struct proc_disk disk = {.name = "vda"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t n = 0; n <= strlen(texts[i]); n++) {
            char *const copy = malloc(n + 1);
            double v[GAUGES];
            struct memory_reading r;
            struct usage_traffic t = {0};
            memcpy(copy, texts[i], n);
            copy[n] = '\0';
            nothing_is_known(v);
            usage_parse_meminfo(copy, v);
            usage_parse_loadavg(copy, v);
            usage_parse_pressure(copy, GAUGE_PRESSURE_CPU, v);
            usage_parse_stat(copy, &cpus);
            usage_parse_status(copy, &r);
            usage_parse_diskstats(copy, &disk, 1, &t);
            usage_parse_net(copy, &t);
            free(copy);
        }
}

static void processes_have_memory(void **state)
{
    (void)state;
    struct made_tree tree;
    struct memory_reading r;
    struct proc p;
    tree_make(&tree);
    tree_file(&tree, "proc/77/status", status, sizeof status - 1);
    tree_file(&tree, "proc/2/status", kernel_status, sizeof kernel_status - 1);
    assert_true(proc_open(&p, tree.root, NULL));
    assert_int_equal(usage_process(&p, 77, &r), USAGE_READ);
    assert_int_equal(r.rss, 512 * 1024);
    assert_int_equal(r.own, 300 * 1024);
    assert_int_equal(r.shared, 212 * 1024);
    assert_int_equal(r.swap, 40 * 1024);
    assert_int_equal(r.threads, 3);
    assert_int_equal(usage_process(&p, 2, &r), USAGE_OF_KERNEL);
    assert_int_equal(usage_process(&p, 78, &r), USAGE_GONE);
    proc_close(&p);
    tree_remove(&tree);
}

/* ---- records ---------------------------------------------------------------------------------- */

enum { ROOM = 4096, PID = 4711, SECOND = 10000000 };

struct made {
    struct record_head head;
    uint64_t room[ROOM / 8];
};

static struct payload_writer begin(struct made *m, const char *event, const char *fields,
                                   int64_t ts)
{
    uint8_t *const start = (uint8_t *)m->room;
    struct payload_writer p = {start, start, start + ROOM};
    *m = (struct made){.head = {.form = RECORD_ETW, .ts = ts}};
    tracetop_write_begin(&p, event, fields, EVENT_NO_ID, EVENT_NO_ID, ts);
    return p;
}

static void end(struct made *m, struct payload_writer *p)
{
    tracetop_write_end(p);
    m->head.bytes = (uint32_t)(sizeof m->head + (size_t)(p->at - p->start));
}

static void make_gauges_record(struct made *m, const double values[GAUGES], int64_t ts)
{
    char fields[GAUGE_FIELDS];
    gauge_record_fields(values, fields);
    struct payload_writer p = begin(m, "Gauges", fields, ts);
    gauge_record_put(&p, values);
    end(m, &p);
}

static void make_memory_record(struct made *m, const struct memory_reading *r, int64_t ts)
{
    char fields[GAUGE_FIELDS];
    gauge_record_memory_fields(r, fields);
    struct payload_writer p = begin(m, "ProcessMemory", fields, ts);
    gauge_record_put_memory(&p, PID, r);
    end(m, &p);
}

static void send(const struct stage *s, const struct made *m)
{
    assert_true(ring_put(s->collectors[0].hot, &m->head, m->room));
}

static const struct memory_reading first = {.rss = 8 << 20,
                                            .own = 5 << 20,
                                            .shared = 3 << 20,
                                            .swap = READING_UNKNOWN,
                                            .threads = 2,
                                            .files = 7};

/* Of two processes one has readings: the last ones. */
static void filters_find_readings(struct stage *s)
{
    static const struct {
        const char *filter;
        unsigned shown;
    } rows[] = {
        {"rss>32M", 1},    {"rss>64M", 0},    {"mem>=50%", 1},  {"mem>50%", 0},
        {"private=5M", 1}, {"private>5M", 0}, {"shared=3M", 1}, {"shared<3M", 0},
        {"swap=1M", 1},    {"swap>1M", 0},    {"fds=7", 1},     {"fds>7", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct frame *const f = stage_show(s, "processes", rows[i].filter);
        if (f->shown != rows[i].shown)
            fail_msg("%s: %u rows", rows[i].filter, (unsigned)f->shown);
        frame_free(f);
    }
}

/* The same readings beside a process's page faults. */
static void faults_have_them_beside(struct stage *s)
{
    struct frame *const f = stage_show(s, "memory", "");
    const int row = row_named(f, "name", "p.exe");
    assert_true(row >= 0);
    assert_int_equal(cell(f, (unsigned)row, "rss").count, 64 << 20);
    assert_int_equal(cell(f, (unsigned)row, "swap").count, 1 << 20);
    assert_int_equal(cell(f, (unsigned)row, "shared").count, 3 << 20);
    frame_free(f);
}

/* Each reading holds from its time on, until the next. */
static void stepping_back_shows_what_was(void **state)
{
    (void)state;
    double values[GAUGES];
    struct made m;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene by = {.stage = s, .pid = PID, .tid = PID};
    struct memory_reading second = first;
    second.rss = 64 << 20;
    second.swap = 1 << 20;
    nothing_is_known(values);
    send_process(&by, 1000, HOOK_DC_START, PID, 4, "p.exe");
    values[GAUGE_MEMORY_TOTAL] = 128 << 20;
    values[GAUGE_MEMORY_USED] = 16 << 20;
    values[GAUGE_LOAD_1] = 1.25;
    make_gauges_record(&m, values, SECOND / 2);
    send(s, &m);
    make_memory_record(&m, &first, SECOND / 2);
    send(s, &m);
    values[GAUGE_MEMORY_USED] = 80 << 20;
    make_gauges_record(&m, values, 5 * SECOND / 2);
    send(s, &m);
    make_memory_record(&m, &second, 5 * SECOND / 2);
    send(s, &m);
    send_process(&by, 3900000, HOOK_DC_START, 5, 4, "q.exe");
    stage_finish(s);
    stage_play(s);
    stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    const int row = row_named(f, "name", "p.exe");
    assert_true(row >= 0);
    assert_int_equal(cell(f, (unsigned)row, "rss").count, 64 << 20);
    assert_true(fabs(cell(f, (unsigned)row, "mem").number - 50) < 1e-9);
    assert_int_equal(cell(f, (unsigned)row, "swap").count, 1 << 20);
    assert_int_equal(cell(f, (unsigned)row, "fds").count, 7);
    assert_true(f->gauges.now[GAUGE_MEMORY_USED] == 80 << 20);
    assert_true(f->gauges.now[GAUGE_LOAD_1] == 1.25);
    assert_true(isnan(f->gauges.now[GAUGE_COMMIT]));
    s->request.from_ns = f->origin - 1;
    s->request.to_ns = s->request.from_ns + 2 * f->sample_ns;
    frame_free(f);
    f = stage_ask(s);
    const int before = row_named(f, "name", "p.exe");
    assert_true(before >= 0);
    assert_int_equal(cell(f, (unsigned)before, "rss").count, 8 << 20);
    assert_int_equal(cell(f, (unsigned)before, "swap").type, VALUE_ABSENT);
    assert_true(f->gauges.now[GAUGE_MEMORY_USED] == 16 << 20);
    assert_int_equal(f->gauges.series_count, 2);
    assert_int_equal(f->gauges.series_later, 2);
    frame_free(f);
    s->request.from_ns = s->request.to_ns = 0;
    filters_find_readings(s);
    faults_have_them_beside(s);
    stage_close(s);
}

/* Live, an interval shows the reading at its end, as it does when one steps back to it: not one
 * that came since. */
static void intervals_have_the_reading_at_their_end(void **state)
{
    (void)state;
    struct made m;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    struct scene by = {.stage = s, .pid = PID, .tid = PID};
    struct memory_reading second = first;
    second.rss = 64 << 20;
    send_process(&by, 1000, HOOK_DC_START, PID, 4, "p.exe");
    make_memory_record(&m, &first, SECOND / 2);
    send(s, &m);
    make_memory_record(&m, &second, 5 * SECOND / 4);
    send(s, &m);
    send_process(&by, 1300000, HOOK_DC_START, 5, 4, "q.exe");
    stage_play(s);
    while (engine_figures(s->engine).events < 4)
        os_sleep(100000);
    stage_request(s, "processes")->accumulate = false;
    struct frame *f = stage_ask_now(s);
    const int row = row_named(f, "name", "p.exe");
    assert_true(row >= 0);
    assert_int_equal(cell(f, (unsigned)row, "rss").count, 8 << 20);
    frame_free(f);
    stage_finish(s);
    stage_close(s);
}

/* Readings in a file are read back with their names and numbers. */
static void files_keep_them(void **state)
{
    (void)state;
    struct made m;
    double values[GAUGES];
    char path[] = "/tmp/tracetop-usage-XXXXXX";
    uint8_t header[ETL_WRITE_HEADER_ROOM];
    const struct etl_header machine = {.build = 19045,
                                       .cpus = 1,
                                       .clock_type = CLOCK_QPC,
                                       .frequency = SECOND,
                                       .ts = 1,
                                       .start = 133000000000000000,
                                       .logger = "x",
                                       .file = "x.etl"};
    close(mkstemp(path));
    unlink(path);
    struct os_file *const file = os_create(path, NULL);
    const struct etl_write_options o = {.name = path,
                                        .buffer_bytes = 4096,
                                        .header = header,
                                        .header_bytes = etl_log_header(&machine, 7, 9, header)};
    struct etl_write *const w = etl_write_new(file, &o, NULL);
    assert_non_null(w);
    etl_write_begin(w, 1, machine.start);
    nothing_is_known(values);
    values[GAUGE_MEMORY_TOTAL] = 4096;
    values[GAUGE_PRESSURE_CPU] = 12.5;
    make_gauges_record(&m, values, 100);
    assert_true(etl_write_append(w, &m.head, m.room, NULL));
    make_memory_record(&m, &first, 200);
    assert_true(etl_write_append(w, &m.head, m.room, NULL));
    assert_true(etl_write_finish(w, machine.start + 300, NULL));
    etl_write_free(w);
    os_close(file);
    struct etl_reader *const r = etl_reader_open(&(const char *const){path}, 1, NULL);
    assert_non_null(r);
    struct model model;
    struct event e;
    unsigned found = 0;
    model_init(&model);
    model_sources(&model, 1);
    while (etl_reader_next(r, &e, NULL) == ETL_EVENT) {
        struct fact f = {0};
        model_fact(&model, &e, 0, (int64_t)e.ts + 1, &f);
        found += tracetop_event_name(&e) != NULL;
    }
    assert_int_equal(found, 2);
    assert_true(gauge_sample_at(&model.gauges, GAUGE_MEMORY_TOTAL, 300) == 4096);
    assert_true(gauge_sample_at(&model.gauges, GAUGE_PRESSURE_CPU, 300) == 12.5);
    assert_true(isnan(gauge_sample_at(&model.gauges, GAUGE_LOAD_1, 300)));
    const struct process *const p = model_process_at(&model, model_process(&model, 0, PID, 300));
    const struct memory_reading *const reading = memory_history_at(p->memory, 300);
    assert_non_null(reading);
    assert_int_equal(reading->rss, first.rss);
    assert_int_equal(reading->swap, READING_UNKNOWN);
    assert_int_equal(reading->files, 7);
    model_fini(&model);
    etl_reader_close(r);
    unlink(path);
}

/* Many readings become sparse, and stay in order. */
static void histories_are_bounded(void **state)
{
    (void)state;
    enum { MOST = 16 };
    struct memory_history *h = NULL;
    struct memory_reading r = first;
    size_t bytes = 0;
    for (int64_t ns = 1; ns <= 1000; ns++) {
        r.ns = ns;
        r.rss = (uint64_t)ns;
        bytes += memory_history_add(&h, &r, MOST);
    }
    assert_int_equal(bytes, memory_history_bytes(h));
    assert_true(h->count <= MOST && h->count > MOST / 2);
    for (uint32_t i = 1; i < h->count; i++)
        assert_true(h->readings[i].ns > h->readings[i - 1].ns);
    assert_int_equal(memory_history_at(h, 1000)->rss, 1000);
    assert_int_equal(memory_history_at(h, 1)->rss, 1);
    assert_null(memory_history_at(h, 0));
    r.ns = 2000; /* says the same as the last: that one stands for both */
    assert_int_equal(memory_history_add(&h, &r, MOST), 0);
    assert_int_equal(memory_history_at(h, 3000)->ns, 1000);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_as_free_has_it),
        cmocka_unit_test(processor_time_is_a_difference),
        cmocka_unit_test(traffic_is_of_disks_and_networks),
        cmocka_unit_test(cut_files_say_less),
        cmocka_unit_test(processes_have_memory),
        cmocka_unit_test(stepping_back_shows_what_was),
        cmocka_unit_test(intervals_have_the_reading_at_their_end),
        cmocka_unit_test(files_keep_them),
        cmocka_unit_test(histories_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
