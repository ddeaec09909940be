/* A recording holds what came from its start to its stop, without a hole, in one file or several.
 */
#include "tests/again.h"
#include "tests/folder.h"
#include "tests/stage.h"
#include "tests/strict.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/etl/etl.h"
#include "src/event/tracetop_provider.h"
#include "src/trace/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t START = 1700000000000000000, MS = 1000000;

/* The ring holds some forty seconds of this: a machine that is busy with other things may be late
 * without a loss. */
enum { RATE = 100000, SEED = 21, RING = 512 << 20, LISTS = 1 << 20 };

/* Files of little more than the least that 20 processors take; a circle that size would be no run. */
enum { FILE_MOST = 6 << 20, CIRCLE_MOST = 10 << 20, SOME = 50000 };

struct fixture {
    char folder[64], path[128];
    struct session *session;
};

static int set_up_folder(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    snprintf(x->folder, sizeof x->folder, "/tmp/test_recorder.XXXXXX");
    if (!mkdtemp(x->folder))
        return -1;
    snprintf(x->path, sizeof x->path, "%s/r.etl", x->folder);
    *state = x;
    return 0;
}

static int set_up(void **state)
{
    if (set_up_folder(state) != 0)
        return -1;
    struct fixture *const x = *state;
    struct err err = {""};
    const struct session_options o = {
        .kind = &collector_synthetic,
        .collector = {.seed = SEED, .rate = RATE, .start_ns = START},
        .ring_bytes = RING,
        .interval_ns = 1000000000,
    };
    x->session = session_start(&o, &err);
    /* The lists of what exists are behind the engine before the recording begins: the file's own
     * may have the same records. */
    while (x->session && ring_figures(x->session->hot).read < LISTS)
        os_sleep(5 * MS);
    return x->session ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    if (x->session) {
        session_stop(x->session);
        session_free(x->session);
    }
    folder_clear(x->folder);
    rmdir(x->folder);
    free(x);
    return 0;
}

static struct recorder *begin(struct fixture *x, enum etl_log_mode mode, uint64_t most,
                              int64_t duration)
{
    struct err err = {""};
    const struct recorder_options o = {.engine = x->session->engine,
                                       .collector = &x->session->collector,
                                       .path = x->path,
                                       .mode = mode,
                                       .most_bytes = most,
                                       .duration_ns = duration};
    struct recorder *const r = recorder_start(&o, &err);
    if (!r)
        print_error("%s\n", err.text);
    assert_non_null(r);
    return r;
}

/* What a test waits for comes when the machine gets to it; a minute is for the one that hangs. */
enum { PATIENCE = 15000 };

static void wait_for_begin(const struct recorder *r)
{
    for (int i = 0; i < PATIENCE && !recorder_has_begun(r); i++)
        os_sleep(20 * MS);
    assert_true(recorder_has_begun(r));
}

/* Until so many events are recorded, or the recording is over. */
static struct recorder_figures wait_for_events(const struct recorder *r, uint64_t events)
{
    struct recorder_figures f;
    for (int i = 0; i < PATIENCE && !recorder_poll(r, &f) && f.events < events; i++)
        os_sleep(20 * MS);
    return f;
}

/* Until the engine has read, or the generator has made, so many bytes more. */
static void wait_for_bytes(struct fixture *x, bool is_read, uint64_t bytes)
{
    struct ring *const ring = x->session->collector.hot;
    const struct ring_figures then = ring_figures(ring);
    for (int i = 0; i < PATIENCE; i++) {
        const struct ring_figures now = ring_figures(ring);
        if (is_read ? now.read >= then.head + bytes : now.head >= then.head + bytes)
            return;
        os_sleep(20 * MS);
    }
    fail_msg("%s stands still", is_read ? "the engine" : "the generator");
}

static void wait_for_end(const struct recorder *r)
{
    struct recorder_figures f;
    for (int i = 0; i < PATIENCE && !recorder_poll(r, &f); i++)
        os_sleep(20 * MS);
    assert_true(recorder_poll(r, &f));
}

/* Buffers of several processors are not full at the same time: where a file ends (or begins)
 * in the midst of things, the last (first) events of some processors are not there. A recorder
 * that wrote much at once may have lost all events of a processor that did little. */
enum holes { NO_HOLES, HOLES_AT_END, HOLES_AT_START, HOLES_ANYWHERE };

/* The files hold, beside headers and rundowns, an unbroken run of the generator's events;
 * returns its length with the samples in it (collectors/synthetic/gauges.h): up to the first hole,
 * from the last one on, or without the holes, where they may be. */
static uint64_t unbroken(const char *const *files, size_t count, enum holes holes)
{
    const struct synthetic_options o = {.seed = SEED, .rate = RATE, .start_ns = START};
    struct again a = again_new(&o);
    const struct record_head *next = again_next(&a);
    uint64_t run = 0, samples = 0;
    for (size_t i = 0; i < count; i++) {
        struct err err = {""};
        struct event e;
        bool is_behind_rundown = false; /* which has samples, too */
        struct etl_reader *const r = etl_reader_open(&files[i], 1, &err);
        if (!r)
            print_error("%s\n", err.text);
        assert_non_null(r);
        while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
            while (!run && next->ts < e.ts)
                next = again_next(&a);
            if (tracetop_event_is_sampled(&e)) {
                samples += is_behind_rundown;
            } else if (again_is(next, &e)) {
                run++;
                is_behind_rundown = true;
                next = again_next(&a);
            } else if (run && next->ts < e.ts) {
                if (holes == NO_HOLES)
                    print_error("a hole after %llu events\n", (unsigned long long)run);
                assert_int_not_equal(holes, NO_HOLES);
                if (holes == HOLES_AT_END)
                    break;
                while (next->ts < e.ts)
                    next = again_next(&a);
                const bool is_it = next->ts == e.ts;
                run = is_it + (holes == HOLES_ANYWHERE ? run : 0);
                next = is_it ? again_next(&a) : next;
            }
        }
        etl_reader_close(r);
    }
    again_free(&a);
    return run + samples;
}

static void nothing_is_missing_from_start_to_stop(void **state)
{
    struct fixture *const x = *state;
    struct recorder *const r = begin(x, ETL_LOG_SEQUENTIAL, 0, 0);
    struct recorder_figures f;
    struct err err = {""};
    struct stat s;
    wait_for_events(r, SOME);
    assert_false(recorder_poll(r, &f));
    assert_true(recorder_stop(r, &f, &err));
    assert_int_equal(f.lost, 0);
    assert_true(f.events >= SOME);
    assert_int_equal(stat(x->path, &s), 0);
    assert_int_equal(s.st_size, f.bytes);
    const char *const files[] = {x->path};
    assert_int_equal(unbroken(files, 1, NO_HOLES), f.events);
    assert_int_equal(folder_clear(x->folder), 1);
}

/* What was recorded is in the file before the recording ends: of a second's events all within
 * a second, or as soon as a busy machine allows. */
static void it_is_on_the_disk_within_a_second(void **state)
{
    struct fixture *const x = *state;
    struct recorder *const r = begin(x, ETL_LOG_SEQUENTIAL, 0, 0);
    struct err err = {""};
    char partial[160], copy[160];
    snprintf(partial, sizeof partial, "%s.partial", x->path);
    snprintf(copy, sizeof copy, "%s/copy.etl", x->folder);
    const uint64_t then = wait_for_events(r, SOME).events;
    assert_true(then >= SOME);
    uint64_t kept = 0;
    for (int i = 0; i < PATIENCE && kept < then; i++) {
        os_sleep(200 * MS);
        file_copy(partial, copy); /* as a kill would leave it */
        const char *const files[] = {copy};
        kept = unbroken(files, 1, HOLES_AT_END);
    }
    assert_true(recorder_stop(r, NULL, &err));
    assert_true(kept >= then);
}

/* Records in the files, as any reader counts them. */
static uint64_t records_in(const char *const *files, size_t count)
{
    struct err err = {""};
    struct event e;
    uint64_t records = 0;
    for (size_t i = 0; i < count; i++) {
        struct etl_reader *const r = etl_reader_open(files + i, 1, &err);
        assert_non_null(r);
        while (etl_reader_next(r, &e, &err) == ETL_EVENT)
            records++;
        etl_reader_close(r);
    }
    return records;
}

/* The total that is said is that of the file, whoever counts it. */
static void totals_are_those_of_the_file(void **state)
{
    struct fixture *const x = *state;
    static const enum etl_log_mode modes[] = {ETL_LOG_SEQUENTIAL, ETL_LOG_CIRCULAR};
    for (unsigned i = 0; i < 2; i++) {
        struct recorder_figures f;
        struct err err = {""};
        struct recorder *const r = begin(x, modes[i], i ? FILE_MOST : 0, 0);
        for (int n = 0; n < PATIENCE && !recorder_poll(r, &f); n++) {
            if (i ? f.overwritten > 1000 : f.events > SOME / 2)
                break;
            os_sleep(20 * MS);
        }
        assert_true(recorder_stop(r, &f, &err));
        const char *const files[] = {x->path};
        char text[512], total[64];
        assert_int_equal(f.records, records_in(files, 1));
        const struct recorder_options o = {.path = x->path, .mode = modes[i]};
        recorder_sentence(&f, &o, text, sizeof text);
        snprintf(total, sizeof total, " s, %llu events, ", (unsigned long long)f.records);
        if (!strstr(text, total))
            fail_msg("no%sin %s", total, text);
        folder_clear(x->folder);
    }
}

static void it_ends_by_time_and_by_size(void **state)
{
    struct fixture *const x = *state;
    struct recorder_figures f;
    struct err err = {""};
    struct recorder *r = begin(x, ETL_LOG_SEQUENTIAL, 0, 100 * MS);
    wait_for_end(r);
    assert_true(recorder_stop(r, &f, &err));
    folder_clear(x->folder);
    r = begin(x, ETL_LOG_SEQUENTIAL, FILE_MOST, 0);
    wait_for_end(r);
    assert_true(recorder_stop(r, &f, &err));
    const char *const files[] = {x->path};
    assert_int_equal(unbroken(files, 1, NO_HOLES), f.events);
    assert_true(f.bytes > FILE_MOST - (1 << 20) && f.bytes <= FILE_MOST);
}

static void a_circle_keeps_the_newest(void **state)
{
    struct fixture *const x = *state;
    struct recorder_figures f;
    struct err err = {""};
    struct recorder *const r = begin(x, ETL_LOG_CIRCULAR, CIRCLE_MOST, 0);
    for (int i = 0; i < PATIENCE; i++) {
        os_sleep(20 * MS);
        recorder_poll(r, &f);
        if (f.overwritten > 20000)
            break;
    }
    assert_true(recorder_stop(r, &f, &err));
    assert_true(f.bytes <= CIRCLE_MOST);
    assert_true(f.overwritten > 0);
    const char *const files[] = {x->path};
    /* How many depends on how full the buffers were when they were written: on the machine. */
    assert_true(unbroken(files, 1, HOLES_AT_START) > 0);
    const struct strict s = strict_read_ours(x->path);
    assert_true(s.mode & ETL_MODE_CIRCULAR);
    assert_true(s.end >= strict_filetime(&s, s.last));
}

static void numbered_files_follow_on(void **state)
{
    struct fixture *const x = *state;
    struct recorder_figures f;
    struct err err = {""};
    enum { FILES = 64 }; /* who looks seldom sees many at once */
    char names[FILES][160];
    const char *files[FILES];
    struct recorder *const r = begin(x, ETL_LOG_ROTATE, FILE_MOST, 0);
    for (int i = 0; i < PATIENCE; i++) {
        os_sleep(20 * MS);
        recorder_poll(r, &f);
        if (f.files >= 3)
            break;
    }
    assert_true(recorder_stop(r, &f, &err));
    assert_true(f.files >= 3 && f.files <= FILES);
    for (unsigned i = 0; i < f.files; i++) {
        snprintf(names[i], sizeof names[i], "%s/r-%04u.etl", x->folder, i + 1);
        files[i] = names[i];
    }
    assert_int_equal(unbroken(files, f.files, NO_HOLES), f.events);
    int64_t before = 0;
    for (unsigned i = 0; i < f.files; i++) {
        const struct strict s = strict_read_ours(files[i]);
        assert_int_equal(s.headers, 1);
        assert_int_equal(s.start, strict_filetime(&s, s.first)); /* a file's own */
        assert_true(s.start > before);
        before = s.start;
    }
    assert_int_equal(folder_clear(x->folder), f.files);
}

/* As a recorder in the background has them: numbers go on, and a file covers a limited time. */
static void files_begin_at_a_number_and_cover_a_time(void **state)
{
    struct fixture *const x = *state;
    struct recorder_figures f;
    struct err err = {""};
    enum { FIRST = 9998, FILES = 64 };
    const int64_t most = 200 * MS;
    char names[FILES][160], sentence[512];
    const char *files[FILES];
    const struct recorder_options o = {.engine = x->session->engine,
                                       .collector = &x->session->collector,
                                       .path = x->path,
                                       .mode = ETL_LOG_ROTATE,
                                       .most_bytes = 256 << 20,
                                       .first_number = FIRST,
                                       .file_ns = most};
    struct recorder *const r = recorder_start(&o, &err);
    assert_non_null(r);
    do {
        os_sleep(20 * MS);
    } while (!recorder_poll(r, &f) && f.files < 4);
    assert_true(recorder_stop(r, &f, &err));
    assert_true(f.files >= 4 && f.files <= FILES);
    for (unsigned i = 0; i < f.files; i++) {
        snprintf(names[i], sizeof names[i], "%s/r-%04u.etl", x->folder, FIRST + i);
        files[i] = names[i];
        const struct strict s = strict_read_ours(files[i]);
        /* and one event that shows that the time is over */
        assert_true(strict_filetime(&s, s.last) - s.start <= (most + 50 * MS) / 100);
    }
    assert_int_equal(unbroken(files, f.files, NO_HOLES), f.events);
    recorder_sentence(&f, &o, sentence, sizeof sentence);
    assert_non_null(strstr(sentence, "r-9998.etl to "));
    assert_int_equal(folder_clear(x->folder), f.files);
}

static bool is_mark(const struct event *e)
{
    return header_is_kernel((enum header_kind)e->kind) && e->id == 0x0f22;
}

static void marks_are_among_the_events(void **state)
{
    struct fixture *const x = *state;
    struct recorder *const r = begin(x, ETL_LOG_SEQUENTIAL, 0, 0);
    struct err err = {""};
    wait_for_events(r, 1); /* it has begun */
    wait_for_bytes(x, true, 1 << 20);
    const struct command mark = {.kind = COMMAND_MARK, .text = "here it stalls"};
    engine_command(x->session->engine, &mark);
    wait_for_bytes(x, false, 1 << 20); /* who stops gets what was there at the stop */
    assert_true(recorder_stop(r, NULL, &err));
    const char *const files[] = {x->path};
    struct etl_reader *const reader = etl_reader_open(files, 1, &err);
    struct event e;
    unsigned marks = 0;
    uint64_t before = 0, after = 0;
    while (etl_reader_next(reader, &e, &err) == ETL_EVENT) {
        if (is_mark(&e) && e.payload_bytes > 14 && strcmp((const char *)e.payload, mark.text) == 0)
            marks++;
        else
            *(marks ? &after : &before) += 1;
    }
    etl_reader_close(reader);
    assert_int_equal(marks, 1);
    assert_true(before > 2000 && after > 2000);
}

static unsigned marks_in(const char *path)
{
    struct err err = {""};
    struct event e;
    unsigned marks = 0;
    struct etl_reader *const reader = etl_reader_open(&path, 1, &err);
    assert_non_null(reader);
    while (etl_reader_next(reader, &e, &err) == ETL_EVENT)
        marks += is_mark(&e);
    etl_reader_close(reader);
    return marks;
}

/* As a script sets them that is in a hurry: all are in the file. */
static void many_marks_at_once(void **state)
{
    struct fixture *const x = *state;
    enum { MARKS = 3000 };
    struct recorder_figures f;
    struct recorder *const r = begin(x, ETL_LOG_SEQUENTIAL, 0, 0);
    struct err err = {""};
    struct command mark = {.kind = COMMAND_MARK};
    wait_for_events(r, 1);
    for (unsigned i = 0; i < MARKS; i++) {
        snprintf(mark.text, sizeof mark.text, "line %u", i);
        engine_command(x->session->engine, &mark);
    }
    wait_for_bytes(x, false, 1 << 20);
    assert_true(recorder_stop(r, &f, &err));
    assert_int_equal(marks_in(x->path) + f.lost, MARKS);
    assert_int_equal(f.lost, 0);
}

/* A reader that trusts the order of a processor's buffers sees them in order of time. */
static uint64_t in_file_order(const char *path, int64_t *newest)
{
    struct err err = {""};
    struct event e;
    struct etl_file *const f = etl_open(path, &err);
    assert_non_null(f);
    uint64_t behind = 0;
    int64_t last[STAGE_CPUS] = {0};
    while (etl_next(f, &e, &err) == ETL_EVENT) {
        assert_true(e.cpu < STAGE_CPUS);
        behind += e.ts < last[e.cpu];
        last[e.cpu] = e.ts;
        *newest = e.ts > *newest ? e.ts : *newest;
    }
    etl_close(f);
    return behind;
}

/* A recorder that has begun behind all that is in the ring by now. */
static struct recorder *record_from_here(struct stage *s, const struct fixture *x, int64_t hold_ns)
{
    struct err err = {""};
    while (ring_figures(s->collectors[0].hot).read < ring_figures(s->collectors[0].hot).head)
        os_sleep(MS);
    const struct recorder_options o = {
        .engine = s->engine, .collector = &s->collectors[0], .path = x->path, .hold_ns = hold_ns};
    struct recorder *const r = recorder_start(&o, &err);
    assert_non_null(r);
    wait_for_begin(r);
    return r;
}

static const int64_t HOUR_NS = 3600000000000;

/* Events that come out of order while they are held are written in order. */
static void late_events_have_their_place(void **state)
{
    static const struct {
        uint16_t cpu;
        uint64_t us;
    } sent[] = {{0, 200}, {1, 150}, {0, 120}, {1, 220}, {1, 120}, {0, 210}, {1, 300}};
    enum { SENT = sizeof sent / sizeof *sent };
    struct fixture *const x = *state;
    struct err err = {""};
    struct note nothing = {.used = 0};
    struct recorder_figures f;
    int64_t newest = 0;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    stage_play(s);
    send_record(&(struct scene){.stage = s}, 100, 0x0f22, 2, &nothing);
    struct recorder *const r = record_from_here(s, x, HOUR_NS);
    for (unsigned i = 0; i < SENT; i++)
        send_record(&(struct scene){.stage = s, .cpu = sent[i].cpu}, sent[i].us, 0x0f22, 2,
                    &nothing);
    assert_true(recorder_stop(r, &f, &err));
    assert_int_equal(f.events, SENT);
    assert_int_equal(f.late, 0);
    assert_int_equal(in_file_order(x->path, &newest), 0);
    assert_int_equal(newest, 3000);
    stage_close(s);
}

/* A recording that begins before the engine has read an event begins with the first event. */
static void the_header_has_the_time_of_the_first_event(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    struct note nothing = {.used = 0};
    struct recorder_figures f;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const int64_t before = os_wall_now() / 1000;
    s->collectors[0].kind = &stage_live;
    atomic_store(&s->collectors[0].active, UINT32_MAX);
    stage_play(s);
    struct recorder *const r = record_from_here(s, x, HOUR_NS);
    send_record(&(struct scene){.stage = s}, (uint64_t)before, 0x0f22, 2, &nothing);
    send_record(&(struct scene){.stage = s}, (uint64_t)before + 1000, 0x0f22, 2, &nothing);
    assert_true(recorder_stop(r, &f, &err));
    assert_int_equal(f.events, 2);
    const struct strict file = strict_read_ours(x->path);
    assert_in_range(file.first / 10, before, before + 1000);
    assert_int_equal((file.start - FILETIME_UNIX_EPOCH) / 10, before);
    stage_close(s);
}

/* An event that comes when a later one was written is written all the same, and counted. */
static void events_too_late_are_counted(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    struct note nothing = {.used = 0};
    struct recorder_figures f;
    int64_t newest = 0;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    stage_play(s);
    send_record(&(struct scene){.stage = s}, 100, 0x0f22, 2, &nothing);
    struct recorder *const r = record_from_here(s, x, 1);
    send_record(&(struct scene){.stage = s, .cpu = 0}, 210, 0x0f22, 2, &nothing);
    wait_for_events(r, 1);
    send_record(&(struct scene){.stage = s, .cpu = 1}, 300, 0x0f22, 2, &nothing);
    assert_int_equal(wait_for_events(r, 2).late, 0);
    send_record(&(struct scene){.stage = s, .cpu = 0}, 250, 0x0f22, 2, &nothing);
    wait_for_events(r, 3);
    assert_true(recorder_stop(r, &f, &err));
    assert_int_equal(f.late, 1);
    assert_int_equal(in_file_order(x->path, &newest), 0); /* of processor 0: 210 was the last */
    assert_int_equal(newest, 3000);
    stage_close(s);
}

/* The hardware's description may be older than all events: it is kept once, and in order. */
static void a_description_of_before_is_kept_in_order(void **state)
{
    enum { PROCESSOR = 0x0b0a };
    struct fixture *const x = *state;
    struct err err = {""};
    struct note nothing = {.used = 0};
    struct recorder_figures f;
    struct event e;
    int64_t newest = 0;
    unsigned descriptions = 0;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    stage_play(s);
    send_record(&(struct scene){.stage = s}, 90, PROCESSOR, 2, &nothing);
    send_record(&(struct scene){.stage = s}, 100, 0x0f22, 2, &nothing);
    struct recorder *const r = record_from_here(s, x, 1);
    send_record(&(struct scene){.stage = s}, 50, PROCESSOR, 2, &nothing);
    send_record(&(struct scene){.stage = s}, 210, 0x0f22, 2, &nothing);
    wait_for_events(r, 1);
    struct note other = {.used = 0};
    put_u64(&other, 1);
    send_record(&(struct scene){.stage = s}, 60, PROCESSOR, 2, &other);
    send_record(&(struct scene){.stage = s}, 70, PROCESSOR, 2, &other);
    send_record(&(struct scene){.stage = s}, 310, 0x0f22, 2, &nothing);
    wait_for_events(r, 3);
    assert_true(recorder_stop(r, &f, &err));
    assert_int_equal(f.events, 3);
    assert_int_equal(f.late, 0);
    assert_int_equal(in_file_order(x->path, &newest), 0);
    assert_int_equal(newest, 3100);
    const char *const path = x->path;
    struct etl_reader *const reader = etl_reader_open(&path, 1, &err);
    assert_non_null(reader);
    while (etl_reader_next(reader, &e, &err) == ETL_EVENT)
        descriptions += e.id == PROCESSOR;
    etl_reader_close(reader);
    assert_int_equal(descriptions, 2);
    stage_close(s);
}

static void send_walk(struct stage *s, int64_t us, int64_t of_us)
{
    struct note n = {.used = 0};
    put_u64(&n, (uint64_t)of_us * 10);
    put_u32(&n, 4);
    put_u32(&n, 7);
    put_u64(&n, 0xfffff80000001000u);
    send_record(&(struct scene){.stage = s, .tid = EVENT_NO_ID}, us, 0x1820, 2, &n);
}

/* What was before the beginning is left out, and its stacks, which come later, with it. */
static void stacks_of_before_are_left_out(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    struct event e;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    stage_play(s);
    send_sample(&(struct scene){.stage = s, .tid = EVENT_NO_ID}, 100, 7);
    struct recorder *const r = record_from_here(s, x, 0);
    send_walk(s, 110, 100);
    send_sample(&(struct scene){.stage = s, .tid = EVENT_NO_ID}, 120, 7);
    send_walk(s, 130, 120);
    send_walk(s, 131, 100);
    send_sample(&(struct scene){.stage = s, .tid = EVENT_NO_ID}, 140, 7);
    wait_for_events(r, 3);
    struct recorder_figures f;
    assert_true(recorder_stop(r, &f, &err));
    assert_int_equal(f.events, 3); /* two samples, the stack of one */
    const char *const path = x->path;
    struct etl_reader *const reader = etl_reader_open(&path, 1, &err);
    assert_non_null(reader);
    unsigned samples = 0, walks = 0;
    while (etl_reader_next(reader, &e, &err) == ETL_EVENT) {
        samples += e.id == 0x0f2e;
        walks += e.id == 0x1820;
        assert_true(e.id != 0x1820 || load_u64(e.payload) == 1200);
    }
    etl_reader_close(reader);
    assert_int_equal(samples, 2);
    assert_int_equal(walks, 1);
    stage_finish(s);
    stage_close(s);
}

static void send_lost(struct stage *s, int64_t us, uint64_t events, uint64_t buffers)
{
    const struct record_lost lost = {.events = events, .buffers = buffers};
    const struct record_head head = {
        .bytes = sizeof head + sizeof lost, .form = RECORD_LOST, .ts = us * 10};
    assert_true(ring_put(s->collectors[0].hot, &head, &lost));
}

/* The header counts what was lost before it came to us, from the recording's start on. */
static void the_header_says_what_was_lost(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    struct note nothing = {.used = 0};
    char text[512];
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    stage_play(s);
    send_record(&(struct scene){.stage = s}, 100, 0x0f22, 2, &nothing);
    send_lost(s, 110, 77, 7); /* before it begins */
    const struct recorder_options o = {
        .engine = s->engine, .collector = &s->collectors[0], .path = x->path};
    struct recorder *const r = record_from_here(s, x, 0);
    send_record(&(struct scene){.stage = s}, 120, 0x0f22, 2, &nothing);
    send_lost(s, 130, 245648, 3);
    send_record(&(struct scene){.stage = s}, 140, 0x0f22, 2, &nothing);
    wait_for_events(r, 2);
    struct recorder_figures f;
    assert_true(recorder_stop(r, &f, &err));
    assert_int_equal(f.before, 245648);
    assert_int_equal(f.unwritten, 0);
    assert_non_null(
        strstr(recorder_sentence(&f, &o, text, sizeof text), "245648 lost before collection"));
    f = (struct recorder_figures){.files = 1, .unidentified = 3};
    assert_non_null(strstr(recorder_sentence(&f, &o, text, sizeof text),
                           ", 3 images left without a PDB: reading image files took too long"));
    const struct strict h = strict_read_ours(x->path);
    assert_int_equal(h.events_lost, 245648);
    assert_int_equal(h.buffers_lost, 3);
    assert_int_equal(h.flagged, 1);
    stage_finish(s);
    stage_close(s);
}

static void a_full_disk_keeps_what_was_written(void **state)
{
    struct fixture *const x = *state;
    char small[96];
    struct err err = {""};
    struct recorder_figures f;
    snprintf(small, sizeof small, "%s/small", x->folder);
    if (mkdir(small, 0700) != 0 || mount("none", small, "tmpfs", 0, "size=4m") != 0) {
        rmdir(small);
        skip_for("no file system can be mounted here");
    }
    snprintf(x->path, sizeof x->path, "%s/r.etl", small);
    struct recorder *const r = begin(x, ETL_LOG_SEQUENTIAL, 0, 0);
    wait_for_end(r);
    const bool is_done = recorder_stop(r, &f, &err);
    const char *const files[] = {x->path};
    const uint64_t kept = unbroken(files, 1, HOLES_ANYWHERE);
    folder_clear(small);
    umount(small);
    rmdir(small);
    assert_false(is_done);
    assert_non_null(strstr(err.text, "No space left"));
    assert_true(kept > 5000);
}

static void what_cannot_be_is_reported_at_once(void **state)
{
    struct fixture *const x = *state;
    struct err err = {""};
    struct recorder_options o = {.engine = x->session->engine,
                                 .collector = &x->session->collector,
                                 .path = "/nowhere/r.etl"};
    assert_null(recorder_start(&o, &err));
    assert_non_null(strstr(err.text, "/nowhere/r.etl"));
    o.path = x->path;
    o.mode = ETL_LOG_ROTATE;
    assert_null(recorder_start(&o, &err));
    assert_non_null(strstr(err.text, "--max-size"));
    o.most_bytes = 1 << 20;
    assert_null(recorder_start(&o, &err));
    assert_non_null(strstr(err.text, " processors a file takes "));
    assert_int_equal(folder_clear(x->folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_missing_from_start_to_stop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_is_on_the_disk_within_a_second, set_up, tear_down),
        cmocka_unit_test_setup_teardown(totals_are_those_of_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_ends_by_time_and_by_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_circle_keeps_the_newest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbered_files_follow_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_begin_at_a_number_and_cover_a_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(marks_are_among_the_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_marks_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(late_events_have_their_place, set_up_folder, tear_down),
        cmocka_unit_test_setup_teardown(the_header_has_the_time_of_the_first_event, set_up_folder,
                                        tear_down),
        cmocka_unit_test_setup_teardown(events_too_late_are_counted, set_up_folder, tear_down),
        cmocka_unit_test_setup_teardown(a_description_of_before_is_kept_in_order, set_up_folder,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_header_says_what_was_lost, set_up_folder, tear_down),
        cmocka_unit_test_setup_teardown(stacks_of_before_are_left_out, set_up_folder, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_keeps_what_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_reported_at_once, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
