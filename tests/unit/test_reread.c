/* What is asked about a whole recording is answered from all of it, however little of it the engine
 * keeps: answers of an engine that keeps the least are those of one that keeps everything. */
#include "tests/folder.h"
#include "tests/made_log.h"
#include "tests/make_etl.h"
#include "tests/retro.h"
#include "tests/sanitizer.h"
#include "tests/shared.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/pane/panes.h"
#include "src/table/table.h"
#include "ui/main/user_views.h"

#include <stdlib.h>

static const struct retro_question of_kernel[] = {
    {.pane = "processes", .filter = "lat>=1ms"},
    {.pane = "processes", .filter = "op=read", .group = GROUPED_BY_NAME},
    {.pane = "threads", .filter = "cpu=0"},
    {.pane = "cpu", .filter = "cpu=1 ready>100us"},
    {.pane = "disk", .filter = "op=read"},
    {.pane = "disk", .filter = "offset>64K"}, /* which only records know */
    {.pane = "disk", .filter = "op=read", .chart = CHART_HEAT},
    {.pane = "disk", .filter = "op=read", .chart = CHART_HISTOGRAM},
    {.pane = "cpu", .filter = "", .chart = CHART_CPUS},
    {.pane = "files", .filter = "op=read"},
    {.pane = "files", .filter = "", .is_inside = true},
    {.pane = "network", .filter = "size>100"},
    {.pane = "registry", .filter = "op=open"},
    {.pane = "memory", .filter = "op=hard"},
    {.pane = "threads", .filter = "", .is_inside = true},
    {.pane = "stacks", .filter = "", .is_inside = true},
    {.pane = "rates", .filter = ""},
    {.pane = "wakers", .filter = ""},
    {.pane = "opens", .filter = ""},
    {.pane = "slow_io", .filter = ""},
    {.pane = "stacks", .filter = "", .metric = METRIC_OPERATIONS},
    {.pane = "stacks", .filter = "", .metric = METRIC_SAMPLES},
    {.pane = "stacks", .filter = "", .metric = METRIC_WAITING},
    {.pane = "stacks", .filter = "", .metric = METRIC_READY},
    {.pane = "stacks", .filter = "", .metric = METRIC_WALL},
    {.pane = "stacks", .filter = "", .metric = METRIC_IO},
    {.pane = "stacks", .filter = "cpu=0", .metric = METRIC_RUNNING},
    {.pane = "stacks", .filter = "", .chart = CHART_HEAT},
    {.pane = "disk", .filter = "stack:ntfs"},
    {.pane = "cpu", .filter = "module:ntdll"},
    {.pane = "cpu", .filter = "dt>1ms"},
};

enum { QUESTIONS = sizeof of_kernel / sizeof *of_kernel, FILES = 4 };

/* Each question reads the whole file again: with a sanitizer half of them are asked, each of one
 * file. */
static unsigned compare(const char *path, unsigned file)
{
    struct retro_question some[QUESTIONS];
    size_t count = 0;
    for (unsigned i = IS_SANITIZED ? file : 0; i < QUESTIONS; i += IS_SANITIZED ? 2 * FILES : 1)
        some[count++] = of_kernel[i];
    return retro_compare_kept(path, some, count);
}

static void compare_file(const char *name, unsigned file)
{
    glob_t found = shared_files(name);
    assert_true(compare(found.gl_pathv[0], file) > 100);
    globfree(&found);
}

static void of_windows_7(void **state)
{
    (void)state;
    compare_file("../shared/etl/perfview-win7-PerfViewData.etl.zst", 0);
}

static void of_windows_8(void **state)
{
    (void)state;
    compare_file("../shared/etl/perfview-net.4.5.2.x64.etl.zst", 1);
}

/* A recording of the synthetic machine, in a folder of its own. */
struct recording {
    char folder[32], path[64];
    uint64_t records;
};

static void make_recording(struct recording *r, uint64_t bytes, bool late_rundown)
{
    const struct synthetic_options machine = {
        .seed = 7, .start_ns = 1700000000000000000, .late_rundown = late_rundown};
    const struct etl_writer_options shape = {0};
    struct err err;
    *r = (struct recording){.folder = "/tmp/tracetop-reread-XXXXXX"};
    assert_non_null(mkdtemp(r->folder));
    snprintf(r->path, sizeof r->path, "%s/made.etl", r->folder);
    if (!make_etl(r->path, &machine, &shape, bytes, &r->records, &err))
        fail_msg("%s", err.text);
}

static void compare_synthetic(bool late_rundown, unsigned file)
{
    enum { BYTES = 8 << 20 };
    struct recording made;
    make_recording(&made, BYTES, late_rundown);
    const unsigned rows = compare(made.path, file);
    assert_int_equal(folder_remove(made.folder), 0);
    assert_true(made.records > 100000);
    assert_true(rows > (IS_SANITIZED ? 100 : 1000));
}

/* Made up: of every kind of event, with stacks that come later. */
static void of_the_synthetic_machine(void **state)
{
    (void)state;
    compare_synthetic(false, 2);
}

/* What there is has names at the end only. */
static void of_what_is_named_late(void **state)
{
    (void)state;
    compare_synthetic(true, 3);
}

static void (*start_again)(struct collector *, void *);
static unsigned times_again;

static void count_again(struct collector *c, void *held)
{
    times_again++;
    start_again(c, held);
}

/* The rows of the one answer that a recording is opened for, of which the least is kept. */
static struct frame *answer_alone(const char *path, const struct pane *pane, size_t facts)
{
    struct collector_kind kind = collector_etl;
    start_again = kind.start_again;
    kind.start_again = count_again;
    static struct request r;
    r = (struct request){
        .pane = pane, .rows = 4000, .accumulate = true, .sequence = 1, .is_settled = true};
    struct err err;
    const struct session_options o = {.kind = &kind,
                                      .collector = {.files = &path, .file_count = 1},
                                      .ring_bytes = 16 << 20,
                                      .facts = facts,
                                      .only = &r,
                                      .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    assert_non_null(s);
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, 1, true, PATIENCE_NS);
    assert_non_null(f);
    session_stop(s);
    session_free(s);
    return f;
}

/* A query that asks for no name is counted while the recording is read for the first time. */
static void one_answer_reads_once(void **state)
{
    (void)state;
    enum { BYTES = 16 << 20, ALL = 4 << 20 };
    struct recording made;
    make_recording(&made, BYTES, true);
    const struct pane *const pane = pane_find("opens");
    struct frame *const kept = answer_alone(made.path, pane, ALL);
    struct frame *const streamed = answer_alone(made.path, pane, 1);
    assert_int_equal(times_again, 0);
    assert_int_equal(folder_remove(made.folder), 0);
    assert_true(!streamed->is_window_only && streamed->kept_first > kept->kept_first);
    assert_true(kept->row_count > 10);
    assert_int_equal(streamed->row_count, kept->row_count);
    for (unsigned c = 0; c < pane->column_count; c++)
        assert_true(streamed->totals[c].count == kept->totals[c].count);
    frame_free(kept);
    frame_free(streamed);
}

/* ---- more stacks than are remembered ---------------------------------------------------------- */

enum { SAMPLES = 6000, DEPTH = 190, HOOK_SAMPLE = 0x0f2e, HOOK_STACK = 0x1820 };

static void put_record(struct log_maker *m, int64_t ts, unsigned hook, const uint8_t *payload,
                       size_t bytes)
{
    uint8_t record[16 + 16 + 8 * DEPTH] = {2, 0, 0x11, 0xc0};
    if (m->at + sizeof record > m->buffer + m->buffer_bytes)
        made_buffer(m, 0, 0);
    put_u16(record + 4, (unsigned)(16 + bytes));
    put_u16(record + 6, hook);
    put_u64(record + 8, (uint64_t)ts);
    memcpy(record + 16, payload, bytes);
    made_record(m, record, 16 + bytes);
}

/* A sample, and its stack, which has no frame in common with others. */
static void put_sample(struct log_maker *m, unsigned number)
{
    enum { TID = 44, PID = 40 };
    uint8_t sample[16] = {0}, walk[16 + 8 * DEPTH];
    const int64_t ts = MADE_START_RAW + 100 + 10 * number;
    put_u32(sample + 8, TID);
    put_u16(sample + 12, 1);
    put_u64(walk, (uint64_t)ts);
    put_u32(walk + 8, PID);
    put_u32(walk + 12, TID);
    for (unsigned i = 0; i < DEPTH; i++)
        put_u64(walk + 16 + 8 * i, 0x10000 + (uint64_t)number * DEPTH + i);
    memcpy(sample, walk + 16, 8);
    put_record(m, ts, HOOK_SAMPLE, sample, sizeof sample);
    put_record(m, ts + 1, HOOK_STACK, walk, sizeof walk);
}

static char *write_samples(void)
{
    struct log_maker m = made_log(1 << 16, 2);
    made_buffer(&m, 0, 0);
    for (unsigned i = 0; i < SAMPLES; i++)
        put_sample(&m, i);
    char *const path = made_write(&m, m.size);
    made_free(&m);
    return path;
}

/* There is no row for stacks whose frames are unknown. */
static void expect_samples_known(const struct frame *f)
{
    assert_int_equal(f->stack_weight, SAMPLES);
    assert_int_equal(f->stack_missing, 0);
    assert_int_equal(f->row_count, 1);
    for (unsigned c = 0; c < f->pane->column_count; c++)
        if (strcmp(f->pane->columns[c].id, "frame") == 0) {
            const struct value *const v = &f->rows[0].cells[c];
            assert_memory_not_equal(f->arena + v->text.offset, "(frames", 7);
        }
}

/* Frames of a stack are there when it is counted, as the recording is read and when it was. */
static void stacks_are_counted_before_they_are_forgotten(void **state)
{
    (void)state;
    struct request r = {.pane = pane_find("stacks"), .rows = 100, .accumulate = true};
    r.stacks.metric = METRIC_SAMPLES;
    r.stacks.fold = FOLD_MODULES; /* they lie in none: one row */
    struct err err;
    char *const path = write_samples();
    for (unsigned is_only = 0; is_only < 2; is_only++) {
        r.is_settled = is_only;
        r.sequence = 1;
        const struct session_options o = {
            .kind = &collector_etl,
            .collector = {.files = (const char *const *)&path, .file_count = 1},
            .ring_bytes = 64 << 20,
            .only = is_only ? &r : NULL,
            .interval_ns = 1000000000};
        struct session *const s = session_start(&o, &err);
        struct request all = {.pane = pane_find("processes"), .rows = 1, .sequence = 1};
        assert_non_null(s);
        if (!is_only) { /* asked for when all was read */
            engine_request(s->engine, &all);
            frame_free(engine_wait_frame(s->engine, r.sequence++, true, PATIENCE_NS));
        }
        engine_request(s->engine, &r);
        struct frame *const f = engine_wait_frame(s->engine, r.sequence, true, PATIENCE_NS);
        assert_non_null(f);
        expect_samples_known(f);
        frame_free(f);
        session_stop(s);
        session_free(s);
    }
    made_unlink(path);
}

/* ---- more rows than there is room for ---------------------------------------------------------- */

enum { DISKS = TABLE_ROWS + TABLE_ROWS / 2, HOOK_READ = 0x010a };

/* A read of each disk: as many rows. */
static char *write_reads(void)
{
    struct log_maker m = made_log(1 << 16, 2);
    made_buffer(&m, 0, 0);
    for (unsigned i = 0; i < DISKS; i++) {
        uint8_t read[52] = {0};
        put_u32(read, i);
        put_u32(read + 8, 4096);
        put_u64(read + 40, 1);
        put_u32(read + 48, 44);
        put_record(&m, MADE_START_RAW + 100 + 10 * (int64_t)i, HOOK_READ, read, sizeof read);
    }
    char *const path = made_write(&m, m.size);
    made_free(&m);
    return path;
}

static struct frame *ask_disks(struct engine *e, const char *filter)
{
    static uint64_t sequence;
    struct request r = {.pane = pane_find("disk"), .rows = 10, .accumulate = true};
    r.sequence = ++sequence;
    snprintf(r.filter, sizeof r.filter, "%s", filter);
    engine_request(e, &r);
    struct frame *const f = engine_wait_frame(e, r.sequence, true, PATIENCE_NS);
    assert_non_null(f);
    return f;
}

/* Who looks at rows that were counted anew has lost no more of them for that. */
static void looking_leaves_no_more_rows_out(void **state)
{
    (void)state;
    struct err err;
    char *const path = write_reads();
    const struct session_options o = {
        .kind = &collector_etl,
        .collector = {.files = (const char *const *)&path, .file_count = 1},
        .ring_bytes = 64 << 20,
        .interval_ns = 1000000000};
    struct session *const s = session_start(&o, &err);
    assert_non_null(s);
    struct frame *const all = ask_disks(s->engine, "");
    assert_true(all->folded > 0);
    assert_true(all->bounds.rows_folded >= all->folded);
    struct frame *const same = ask_disks(s->engine, "op=read");
    assert_true(same->folded > 0);
    assert_int_equal(same->bounds.rows_folded, same->folded);
    struct frame *const few = ask_disks(s->engine, "disk<100");
    assert_int_equal(few->folded, 0);
    assert_int_equal(few->bounds.rows_folded, 0);
    struct frame *const again = ask_disks(s->engine, "");
    assert_int_equal(again->bounds.rows_folded, all->bounds.rows_folded);
    frame_free(all);
    frame_free(same);
    frame_free(few);
    frame_free(again);
    session_stop(s);
    session_free(s);
    made_unlink(path);
}

int main(void)
{
    user_views_builtin(); /* the views from files */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_windows_7),
        cmocka_unit_test(of_windows_8),
        cmocka_unit_test(of_the_synthetic_machine),
        cmocka_unit_test(of_what_is_named_late),
        cmocka_unit_test(one_answer_reads_once),
        cmocka_unit_test(stacks_are_counted_before_they_are_forgotten),
        cmocka_unit_test(looking_leaves_no_more_rows_out),
    };
    return cmocka_run_group_tests_name("reread", tests, NULL, NULL);
}
