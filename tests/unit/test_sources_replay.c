/* Collectors through real rings, with a consumer at the other end: recordings arrive
 * whole, in order and unchanged, at the pace that was asked for; the synthetic source waits, or
 * loses and reports it. */
#include "src/event/tracetop_provider.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "collectors/feed.h"
#include "collectors/synthetic/synthetic.h"
#include "src/base/bytes.h"
#include "src/base/hash.h"
#include "src/base/mem.h"
#include "src/etl/etl.h"
#include "src/os/os.h"
#include "tests/etl_writer.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACES "../shared/etl/"

enum { SMALL_RING = 1 << 20 };

static uint64_t hash(const void *data, size_t bytes)
{
    const uint64_t h = hash_bytes(HASH_START, data, bytes);
    return h ^ h >> 29;
}

/* ---- a collector with rings and somebody who takes ------------------------------------ */

struct rig {
    struct collector *c;
    struct err err;
    bool is_started;
    uint64_t events, bytes, lost_records, slow, hashes;
    int64_t last_ns, out_of_order;
};

static struct rig rig_open(const struct collector_kind *kind, const struct collector_options *o,
                           size_t ring_bytes, size_t segment)
{
    struct rig rig = {.c = mem_new(1, sizeof *rig.c), .last_ns = INT64_MIN};
    rig.c->kind = kind;
    rig.c->hot = ring_new(ring_bytes, segment);
    rig.c->slow = ring_new(ring_bytes, segment);
    rig.is_started = kind->start(rig.c, o, &rig.err);
    return rig;
}

static void rig_close(struct rig *rig)
{
    rig->c->kind->stop(rig->c);
    ring_free(rig->c->hot);
    ring_free(rig->c->slow);
    free(rig->c);
}

static void rig_take(struct rig *rig, const struct record_head *head)
{
    if (head->form == RECORD_LOST) {
        rig->lost_records++;
        return;
    }
    assert_true(head->source < rig->c->source_count);
    const int64_t ns = trace_clock_ns(&rig->c->sources[head->source].clock, head->ts);
    rig->out_of_order += ns < rig->last_ns;
    rig->last_ns = ns;
    struct event e;
    if (event_of_record(head, &e) == EVENT_OK && tracetop_event_name(&e))
        return; /* sampled beside the machine's own */
    rig->events++;
    rig->bytes += ring_padded(head->bytes);
    rig->hashes += hash(head + 1, head->bytes - sizeof *head);
}

/* Takes what is there, up to so many events in all; false when the collector is finished and
 * everything was taken. */
static bool rig_drain_to(struct rig *rig, uint64_t most)
{
    const bool was_finished = ring_is_finished(rig->c->hot);
    const struct record_head *head;
    uint64_t position;
    while (rig->events < most && (head = ring_peek(rig->c->hot, &position)) != NULL) {
        rig_take(rig, head);
        ring_release(rig->c->hot);
    }
    while (ring_peek(rig->c->slow, &position)) {
        rig->slow++;
        ring_release(rig->c->slow);
    }
    return !was_finished || rig->events >= most;
}

static bool rig_drain(struct rig *rig)
{
    return rig_drain_to(rig, UINT64_MAX);
}

static void rig_run(struct rig *rig)
{
    while (rig_drain(rig))
        os_sleep(20000);
}

/* ---- every trace ------------------------------------------------------------------------ */

struct expected {
    uint64_t events, hashes, rare;
    bool has_lost; /* then the ring gets one record of it, in front */
};

/* In file order, by the reader's lower floor: no merging, no rings. */
static struct expected read_plainly(const char *name)
{
    struct expected all = {0};
    struct err err = {0};
    struct event e;
    struct etl_file *f = etl_open(name, &err);
    assert_non_null(f);
    while (etl_next(f, &e, &err) == ETL_EVENT) {
        all.events++;
        all.hashes += hash(e.record, e.record_bytes);
        all.rare += feed_is_rare(&e);
    }
    all.has_lost = etl_header(f)->events_lost || etl_header(f)->buffers_lost;
    etl_close(f);
    return all;
}

/* "# total_events\t17078\t…" of the counts that other people's readers agree on. */
static uint64_t counted_total(const char *counts)
{
    FILE *f = fopen(counts, "r");
    char line[512];
    unsigned long long total = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "# total_events\t%llu", &total) == 1)
            break;
    fclose(f);
    return total;
}

static void replay(const char *name, size_t ring_bytes, uint64_t total)
{
    const struct expected expected = read_plainly(name);
    const struct collector_options o = {.files = &name, .file_count = 1};
    struct rig rig = rig_open(&collector_etl, &o, ring_bytes, RING_SEGMENT);
    assert_true(rig.is_started);
    rig_run(&rig);
    assert_int_equal(rig.events, total);
    assert_int_equal(rig.events, expected.events);
    assert_true(rig.hashes == expected.hashes);
    assert_int_equal(rig.out_of_order, 0);
    assert_int_equal(rig.lost_records, expected.has_lost);
    assert_int_equal(rig.slow, expected.rare + expected.has_lost);
    assert_int_equal(ring_figures(rig.c->hot).lost, 0);
    assert_int_equal(rig.c->exit_status, 0);
    assert_int_equal(ring_completed(rig.c->hot), INT64_MAX);
    assert_true(rig.c->progress == rig.c->progress_end);
    rig_close(&rig);
}

static bool have_traces(void)
{
    if (os_path_kind(TRACES "MANIFEST.md") == OS_REGULAR)
        return true;
    print_message("no ../shared/etl here: skipped\n");
    return false;
}

static void every_trace_arrives(void **state)
{
    (void)state;
    if (!have_traces())
        skip();
    glob_t found;
    assert_int_equal(glob(TRACES "*.counts.tsv", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *counts = found.gl_pathv[i];
        char name[512];
        const int stem = (int)(strlen(counts) - strlen(".counts.tsv"));
        snprintf(name, sizeof name, "%.*s.etl", stem, counts);
        if (os_path_kind(name) != OS_REGULAR)
            snprintf(name, sizeof name, "%.*s.etl.zst", stem, counts);
        print_message("%s\n", name);
        replay(name, SMALL_RING, counted_total(counts));
    }
    globfree(&found);
}

/* What MANIFEST.md says can still be read of the four damaged files. */
static void damage_is_reported(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t events;
        int status;
    } rows[] = {
        {TRACES "derived-truncated-midbuffer.etl", 1029, 6},
        {TRACES "derived-zero-size-event.etl", 1992, 6},
        {TRACES "derived-unstopped-header.etl", 21, 0},
        {TRACES "derived-zeroed-last-buffer.etl", 26, 6},
    };
    if (!have_traces())
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct collector_options o = {.files = &rows[i].name, .file_count = 1};
        struct rig rig = rig_open(&collector_etl, &o, SMALL_RING, RING_SEGMENT);
        rig_run(&rig);
        char notice[NOTICE_BYTES] = "-";
        const bool is_reported = notices_last(&rig.c->notices, notice);
        print_message("%s: %s\n", rows[i].name, notice);
        assert_int_equal(rig.events, rows[i].events);
        assert_int_equal(rig.c->exit_status, rows[i].status);
        assert_true(is_reported);
        assert_int_equal(rig.c->loss.skipped != 0, rows[i].status == 6);
        rig_close(&rig);
    }
}

static void two_files_are_one_timeline(void **state)
{
    (void)state;
    const char *names[] = {TRACES "tx-HTTP_Server.etl", TRACES "tx-CrossMachineHTTP.etl"};
    if (!have_traces())
        skip();
    const struct expected a = read_plainly(names[0]), b = read_plainly(names[1]);
    const struct collector_options o = {.files = names, .file_count = 2};
    struct rig rig = rig_open(&collector_etl, &o, SMALL_RING, RING_SEGMENT);
    assert_int_equal(rig.c->source_count, 2);
    rig_run(&rig);
    assert_int_equal(rig.events, a.events + b.events);
    assert_true(rig.hashes == a.hashes + b.hashes);
    assert_int_equal(rig.out_of_order, 0);
    rig_close(&rig);
}

/* ---- pace --------------------------------------------------------------------------------- */

/* Seven events over nine seconds. */
static const char *const slow_trace = TRACES "perfview-primitive-types.etl";

static void fast_pace_is_a_pace(void **state)
{
    (void)state;
    if (!have_traces())
        skip();
    const struct collector_options o = {.files = &slow_trace, .file_count = 1, .speed = 40};
    const int64_t began = os_now();
    struct rig rig = rig_open(&collector_etl, &o, SMALL_RING, RING_SEGMENT);
    rig_run(&rig);
    const struct source *s = &rig.c->sources[0];
    assert_int_equal(rig.events, 7);
    assert_true(rig.last_ns > s->start_ns && rig.last_ns <= s->end_ns);
    assert_true(os_now() - began >= (rig.last_ns - s->start_ns) / 40);
    rig_close(&rig);
}

enum { HOURS = 7 };

/* The header of a recording says so: its first events may lie before any that only Linux has. */
static void a_recording_of_linux_is_known_at_once(void **state)
{
    (void)state;
    static const struct {
        uint32_t build;
        bool is_linux;
    } rows[] = {{0, false}, {7601, false}, {26100, false}, {0x60c2a, true}, {0x3061b, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err;
        char name[] = "/tmp/replay-XXXXXX";
        const int fd = mkstemp(name);
        assert_true(fd >= 0);
        close(fd);
        unlink(name);
        const struct etl_writer_options o = {
            .path = name,
            .clock = trace_clock_make(CLOCK_QPC, 0, FILETIME_UNIX_EPOCH, 10000000),
            .start = 1,
            .cpus = 1,
            .build = rows[i].build};
        struct etl_writer *const w = etl_writer_open(&o, &err);
        assert_non_null(w);
        assert_true(etl_writer_close(w, &err));
        const char *const files[] = {name};
        const struct collector_options of = {.files = files, .file_count = 1};
        struct rig rig = rig_open(&collector_etl, &of, SMALL_RING, RING_SEGMENT);
        assert_true(rig.is_started);
        assert_int_equal(rig.c->sources[0].is_linux, rows[i].is_linux);
        rig_close(&rig);
        unlink(name);
    }
}

/* An event an hour. */
static void write_hourly_trace(const char *path)
{
    const int64_t HOUR = 36000000000, BEGIN = 133000000000000000;
    const struct etl_writer_options o = {
        .path = path,
        .clock = trace_clock_make(CLOCK_SYSTEM, BEGIN, BEGIN, 10000000),
        .start = BEGIN,
        .cpus = 1,
    };
    struct err err = {""};
    struct etl_writer *const w = etl_writer_open(&o, &err);
    assert_non_null(w);
    for (int i = 0; i < HOURS; i++) {
        uint8_t record[32] = {0};
        const struct record_head head = {.bytes = (uint32_t)(sizeof head + sizeof record),
                                         .ts = BEGIN + i * HOUR};
        store_u32(record, 0xc0110002);
        store_u16(record + 4, sizeof record);
        store_u16(record + 6, 0x0f2e);
        store_u64(record + 8, (uint64_t)head.ts);
        assert_true(etl_writer_put(w, &head, record, &err));
    }
    assert_true(etl_writer_close(w, &err));
}

/* At ×1 this takes hours: the test ends because the speed changes on the way. */
static void speed_changes_on_the_way(void **state)
{
    (void)state;
    char path[64];
    const char *const name = path;
    snprintf(path, sizeof path, "/tmp/test_sources_replay.%d.etl", (int)getpid());
    write_hourly_trace(path);
    const struct collector_options o = {.files = &name, .file_count = 1, .speed = 1};
    struct rig rig = rig_open(&collector_etl, &o, SMALL_RING, RING_SEGMENT);
    assert_true(rig.is_started);
    while (rig.events == 0 && rig_drain(&rig))
        os_sleep(100000);
    assert_true(rig.events > 0 && rig.events < HOURS);
    rig.c->speed = 0;
    rig_run(&rig);
    rig_close(&rig);
    unlink(path);
    assert_true(rig.events >= HOURS);
}

/* Behind a pause comes what lies in the ring already, and nothing more however long one waits. */
static void pause_holds_and_lets_go(void **state)
{
    (void)state;
    if (!have_traces())
        skip();
    enum { RING = 16384, BEFORE = 1000, ALL = 3397, LOOKS = 20 };
    const char *name = TRACES "tx-CrossMachineHTTP.etl";
    const struct collector_options o = {.files = &name, .file_count = 1};
    struct rig rig = {.c = mem_new(1, sizeof *rig.c), .last_ns = INT64_MIN};
    rig.c->kind = &collector_etl;
    rig.c->hot = ring_new(RING, 4096);
    rig.c->slow = ring_new(RING, 4096);
    rig.c->paused = true;
    assert_true(collector_etl.start(rig.c, &o, &rig.err));
    os_sleep(5000000);
    rig_drain(&rig);
    assert_int_equal(rig.events, 0);
    rig.c->paused = false;
    while (rig.events < BEFORE && rig_drain_to(&rig, BEFORE))
        os_sleep(20000);
    rig.c->paused = true;
    const uint64_t before = rig.bytes;
    for (unsigned i = 0; i < LOOKS; i++) {
        rig_drain(&rig);
        os_sleep(5000000);
    }
    /* A ring full, and the record that waited for room. */
    assert_true(rig.bytes - before <= ring_capacity(rig.c->hot) + ring_largest(rig.c->hot));
    assert_true(rig.events >= BEFORE && rig.events < ALL);
    rig.c->paused = false;
    rig_run(&rig);
    assert_int_equal(rig.events, ALL);
    rig_close(&rig);
}

/* Nobody takes, the ring is full, or not yet: stopping works at any moment. */
static void stop_is_heard_at_any_moment(void **state)
{
    (void)state;
    if (!have_traces())
        skip();
    const char *name = TRACES "tx-CrossMachineHTTP.etl";
    for (int i = 0; i < 24; i++) {
        const struct collector_options o = {.files = &name, .file_count = 1, .speed = i % 3};
        struct rig rig = rig_open(&collector_etl, &o, 4096, 1024);
        os_sleep(i * 100000);
        rig_close(&rig);
    }
}

/* ---- what cannot travel ---------------------------------------------------------------------- */

static void records_beyond_the_ring_are_counted(void **state)
{
    (void)state;
    if (!have_traces())
        skip();
    const char *name = TRACES "tx-CrossMachineHTTP.etl";
    const struct collector_options o = {.files = &name, .file_count = 1};
    struct rig rig = rig_open(&collector_etl, &o, 4096, 256);
    rig_run(&rig);
    assert_true(rig.events < 3397 && rig.events > 0);
    assert_int_equal(rig.events + rig.c->loss.skipped, 3397);
    assert_true(rig.c->loss.skipped_bytes > rig.c->loss.skipped * 200);
    assert_int_equal(rig.c->exit_status, 6);
    char notice[NOTICE_BYTES] = "";
    assert_true(notices_last(&rig.c->notices, notice));
    assert_non_null(strstr(notice, "larger than"));
    assert_int_equal(ring_figures(rig.c->hot).lost, 0);
    rig_close(&rig);
}

static void what_is_no_trace_is_refused(void **state)
{
    (void)state;
    const char *names[SOURCE_MAX + 1];
    for (size_t i = 0; i <= SOURCE_MAX; i++)
        names[i] = "there/is/no/such.etl";
    static const struct {
        size_t files;
        const char *says;
    } rows[] = {
        {1, "there/is/no/such.etl"},
        {SOURCE_MAX + 1, "at most 64"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct collector_options o = {.files = names, .file_count = rows[i].files};
        struct rig rig = rig_open(&collector_etl, &o, 4096, 1024);
        assert_false(rig.is_started);
        assert_non_null(strstr(rig.err.text, rows[i].says));
        rig_close(&rig); /* stopping what never started is allowed */
    }
}

/* ---- the synthetic source -------------------------------------------------------------------- */

static struct expected generate(const struct synthetic_options *o)
{
    enum { ROOM = 256 * 1024 };
    struct expected all = {0};
    struct synthetic *s = synthetic_new(o);
    uint8_t *buffer = mem_new(ROOM, 1);
    size_t bytes;
    while ((bytes = synthetic_fill(s, buffer, ROOM, INT64_MAX)) != 0)
        for (size_t at = 0; at < bytes;) {
            struct event e;
            const struct record_head *head = (const void *)(buffer + at);
            assert_int_equal(event_of_record(head, &e), EVENT_OK);
            all.events++;
            all.hashes += hash(head + 1, head->bytes - sizeof *head);
            all.rare += feed_is_rare(&e);
            at += ring_padded(head->bytes);
        }
    free(buffer);
    synthetic_free(s);
    return all;
}

static void unpaced_machine_waits(void **state)
{
    (void)state;
    const struct synthetic_options pure = {
        .seed = 11, .events = 100000, .start_ns = 1700000000000000000};
    const struct collector_options o = {.seed = 11, .events = 100000, .start_ns = pure.start_ns};
    const struct expected expected = generate(&pure);
    struct rig rig = rig_open(&collector_synthetic, &o, SMALL_RING, RING_SEGMENT);
    assert_int_equal(rig.c->source_count, 1);
    assert_true(rig.c->sources[0].is_synthetic);
    assert_string_equal(rig.c->sources[0].name, "synthetic (seed 11)");
    rig_run(&rig);
    assert_int_equal(rig.events, expected.events);
    assert_true(rig.hashes == expected.hashes);
    assert_int_equal(rig.lost_records, expected.has_lost);
    assert_int_equal(rig.slow, expected.rare + expected.has_lost);
    assert_int_equal(rig.out_of_order, 0);
    assert_int_equal(ring_figures(rig.c->hot).lost, 0);
    assert_true(rig.last_ns > pure.start_ns);
    assert_int_equal(rig.c->progress, 100000);
    rig_close(&rig);
}

/* Paced, and nobody takes: nothing waits, everything is accounted for. */
static void paced_machine_loses_and_reports(void **state)
{
    (void)state;
    const struct collector_options o = {.seed = 5, .events = 40000, .rate = 500000};
    struct rig rig = rig_open(&collector_synthetic, &o, 65536, 16384);
    while (!ring_is_finished(rig.c->hot) && ring_completed(rig.c->hot) != INT64_MAX)
        os_sleep(1000000);
    const struct ring_figures f = ring_figures(rig.c->hot);
    assert_true(f.lost > 0 && f.put > 0);
    assert_int_equal(f.put + f.lost, o.events + synthetic_sampled(rig.c));
    rig_close(&rig);
}

/* What the machine's kernel lost, what the ring refused and what arrived make the whole. */
static void every_loss_has_a_counter(void **state)
{
    (void)state;
    const struct synthetic_options o = {.seed = 5, .events = 50000, .lose = 200};
    struct rig rig = {.c = mem_new(1, sizeof *rig.c), .last_ns = INT64_MIN};
    rig.c->kind = &collector_synthetic;
    rig.c->hot = ring_new(SMALL_RING, RING_SEGMENT);
    rig.c->slow = ring_new(SMALL_RING, RING_SEGMENT);
    assert_true(synthetic_start(rig.c, &o, false, NULL));
    rig_run(&rig);
    assert_true(rig.c->loss.kernel > 0 && rig.lost_records > 0);
    assert_int_equal(rig.events + rig.c->loss.kernel, o.events);
    rig_close(&rig);
}

static void live_machine_stops(void **state)
{
    (void)state;
    const struct collector_options o = {.seed = 1, .rate = 30000};
    struct rig rig = rig_open(&collector_synthetic, &o, SMALL_RING, RING_SEGMENT);
    while (rig.events < 2000) {
        rig_drain(&rig);
        os_sleep(500000);
    }
    assert_true(ring_completed(rig.c->hot) > rig.c->sources[0].start_ns);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trace_arrives),
        cmocka_unit_test(damage_is_reported),
        cmocka_unit_test(two_files_are_one_timeline),
        cmocka_unit_test(fast_pace_is_a_pace),
        cmocka_unit_test(speed_changes_on_the_way),
        cmocka_unit_test(pause_holds_and_lets_go),
        cmocka_unit_test(stop_is_heard_at_any_moment),
        cmocka_unit_test(a_recording_of_linux_is_known_at_once),
        cmocka_unit_test(records_beyond_the_ring_are_counted),
        cmocka_unit_test(what_is_no_trace_is_refused),
        cmocka_unit_test(unpaced_machine_waits),
        cmocka_unit_test(paced_machine_loses_and_reports),
        cmocka_unit_test(every_loss_has_a_counter),
        cmocka_unit_test(live_machine_stops),
    };
    return cmocka_run_group_tests_name("collectors", tests, NULL, NULL);
}
