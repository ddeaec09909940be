/* A snapshot holds what the ring held: every event, byte for byte, at its time, and names of
 * what had begun before. */
#include "tests/again.h"
#include "tests/folder.h"
#include "tests/sanitizer.h"
#include "tests/strict.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/base/mem.h"
#include "src/command/command.h"
#include "src/command/session.h"
#include "src/etl/etl.h"
#include "src/event/tracetop_provider.h"
#include "src/event/tracetop_write.h"
#include "src/pane/panes.h"
#include "src/trace/snapshot.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS = IS_SANITIZED ? 50000 : 150000, RING = 64 << 20 };

static const int64_t START = 1700000000000000000, TIMEOUT = PATIENCE_NS;

struct fixture {
    char folder[64], path[128];
    struct session *session;
};

static struct session *play(const char *const *files, uint64_t events, uint64_t ring)
{
    struct err err = {""};
    const struct session_options o = {
        .kind = files ? &collector_etl : &collector_synthetic,
        .collector = {.files = files,
                      .file_count = files ? 1 : 0,
                      .seed = 11,
                      .events = events,
                      .start_ns = START},
        .ring_bytes = ring,
        .interval_ns = 1000000000,
    };
    struct session *const s = session_start(&o, &err);
    if (!s)
        print_error("%s\n", err.text);
    assert_non_null(s);
    return s;
}

/* The frame of a pane once everything was read. */
static struct frame *look(struct session *s, const char *pane)
{
    static uint64_t sequence;
    struct request r = {.sequence = ++sequence, .pane = pane_find(pane), .rows = 4000};
    r.accumulate = true;
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, sequence, true, TIMEOUT);
    assert_non_null(f);
    return f;
}

static int set_up(void **state)
{
    struct fixture *const x = calloc(1, sizeof *x);
    snprintf(x->folder, sizeof x->folder, "/tmp/test_snapshot.XXXXXX");
    if (!mkdtemp(x->folder))
        return -1;
    snprintf(x->path, sizeof x->path, "%s/s.etl", x->folder);
    x->session = play(NULL, EVENTS, RING);
    frame_free(look(x->session, "processes"));
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *const x = *state;
    session_stop(x->session);
    session_free(x->session);
    folder_clear(x->folder);
    rmdir(x->folder);
    free(x);
    return 0;
}

static struct snapshot_result take(struct fixture *x, const char *path, int64_t from, int64_t to)
{
    const struct snapshot_options o = {.engine = x->session->engine,
                                       .collector = &x->session->collector,
                                       .path = path,
                                       .folder = x->folder,
                                       .from_ns = from,
                                       .to_ns = to,
                                       .view = "[view]\n"};
    struct snapshot_result r;
    snapshot_finish(snapshot_start(&o), &r);
    if (!r.is_done)
        print_message("%s\n", r.err.text);
    return r;
}

/* The file's events are the generator's between two times, in order; others are what makes a
 * file of them: the log header, configuration and rundowns. */
static void same_events(const char *path, int64_t from, int64_t to)
{
    const struct synthetic_options o = {.seed = 11, .events = EVENTS, .start_ns = START};
    struct err err = {""};
    struct event e;
    struct again a = again_new(&o);
    size_t equal = 0, others = 0;
    const struct record_head *head = again_within(&a, from, to);
    struct etl_reader *const r = etl_reader_open(&path, 1, &err);
    assert_non_null(r);
    while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
        const bool is_it = head && head->cpu == e.cpu && again_is(head, &e);
        equal += is_it;
        others += !is_it;
        head = is_it ? again_within(&a, from, to) : head;
    }
    assert_null(head);
    assert_true(equal > 1000);
    assert_true(others > 10);
    etl_reader_close(r);
    again_free(&a);
}

/* What other readers cannot do without: they divide by the one, the other comes first. */
static void expect_header(const char *path)
{
    struct err err;
    struct etl_file *const f = etl_open(path, &err);
    assert_non_null(f);
    const struct etl_header *const h = etl_header(f);
    assert_int_equal(h->cpu_mhz, SYNTHETIC_MHZ);
    assert_true(h->boot < h->start && h->start <= h->end && h->frequency > 0);
    assert_int_equal(h->pointer, 8);
    assert_int_equal(h->version, 0x0501000a); /* Windows 10.0 stands for it */
    etl_close(f);
    const struct strict s = strict_read_ours(path);
    assert_int_equal(s.headers, 1);
    assert_int_equal(s.start, strict_filetime(&s, s.first)); /* its own, not the monitor's */
    assert_int_equal(s.end, strict_filetime(&s, s.last));    /* nor is now the demo's */
}

static void every_event_is_there(void **state)
{
    struct fixture *const x = *state;
    const struct snapshot_result r = take(x, x->path, 0, 0);
    assert_true(r.is_done);
    assert_int_equal(r.events, EVENTS + synthetic_sampled(&x->session->collector));
    assert_int_equal(r.lost, 0);
    struct stat s;
    assert_int_equal(stat(x->path, &s), 0);
    assert_int_equal(s.st_size, r.bytes);
    assert_private(s.st_mode);
    expect_header(x->path);
    same_events(x->path, INT64_MIN, INT64_MAX);
}

static void a_part_is_that_part(void **state)
{
    struct fixture *const x = *state;
    const struct snapshot_result whole = take(x, x->path, 0, 0);
    const int64_t span = whole.last_ns - whole.first_ns;
    const int64_t from = whole.first_ns + span / 3, to = whole.first_ns + span / 2;
    char part[160];
    snprintf(part, sizeof part, "%s/part.etl", x->folder);
    const struct snapshot_result r = take(x, part, from, to);
    assert_true(r.is_done);
    assert_true(r.events > EVENTS / 20 && r.events < EVENTS / 2);
    assert_true(r.first_ns >= from && r.last_ns <= to);
    const struct trace_clock *const c = &x->session->collector.sources[0].clock;
    same_events(part, trace_clock_raw(c, from), trace_clock_raw(c, to));
}

/* The text of a row's cell, "" where it has none. */
static void row_text(const struct frame *f, const struct frame_row *row, const char *id, char *out,
                     size_t room)
{
    const struct column *const c = pane_column(f->pane, id);
    const struct value *const v = &row->cells[c - f->pane->columns];
    out[0] = '\0';
    if (v->type == VALUE_TEXT || v->type == VALUE_PATH)
        snprintf(out, room, "%.*s", (int)v->text.bytes, f->arena + v->text.offset);
}

/* Opened again, a part of the window still has names for what began long before it. */
static void the_file_shows_names(void **state)
{
    struct fixture *const x = *state;
    const struct snapshot_result whole = take(x, x->path, 0, 0);
    const int64_t from = whole.first_ns + (whole.last_ns - whole.first_ns) / 2;
    char part[160];
    snprintf(part, sizeof part, "%s/part.etl", x->folder);
    assert_true(take(x, part, from, whole.last_ns).is_done);
    const char *const files[] = {part};
    struct session *const again = play(files, 0, RING);
    struct frame *const f = look(again, "processes");
    unsigned unnamed = 0;
    for (unsigned i = 0; i < f->row_count; i++) {
        char name[128];
        row_text(f, &f->rows[i], "name", name, sizeof name);
        /* Row 0 is nobody's: what ran on a processor before its first switch. */
        unnamed += f->rows[i].key.a && (!name[0] || strstr(name, "unknown"));
    }
    assert_true(f->row_count > 10);
    assert_int_equal(unnamed, 0);
    frame_free(f);
    session_stop(again);
    session_free(again);
}

static void names_are_made_and_never_taken_twice(void **state)
{
    struct fixture *const x = *state;
    const struct snapshot_result a = take(x, NULL, 0, 0), b = take(x, NULL, 0, 0);
    assert_true(a.is_done && b.is_done);
    assert_string_not_equal(a.path, b.path);
    assert_int_equal(folder_clear(x->folder), 4); /* two traces and their views */
}

static void an_existing_file_stays(void **state)
{
    struct fixture *const x = *state;
    FILE *const f = fopen(x->path, "w");
    fputs("precious", f);
    fclose(f);
    const struct snapshot_result r = take(x, x->path, 0, 0);
    char text[16] = "";
    assert_false(r.is_done);
    assert_non_null(strstr(r.err.text, "already exists"));
    FILE *const again = fopen(x->path, "r");
    assert_non_null(fgets(text, sizeof text, again));
    fclose(again);
    assert_string_equal(text, "precious");
    assert_int_equal(folder_clear(x->folder), 1);
}

static void faults_leave_nothing(void **state)
{
    struct fixture *const x = *state;
    char path[1400];
    snprintf(path, sizeof path, "%s/gone/s.etl", x->folder);
    assert_non_null(strstr(take(x, path, 0, 0).err.text, REASON("No such file")));
    memset(path, 'n', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    memcpy(path, x->folder, strlen(x->folder));
    path[strlen(x->folder)] = '/';
    assert_non_null(strstr(take(x, path, 0, 0).err.text, "longer than"));
    path[500] = '\0';
    assert_non_null(strstr(take(x, path, 0, 0).err.text, REASON("File name too long")));
    assert_int_equal(folder_clear(x->folder), 0);
}

static void a_full_disk_leaves_nothing(void **state)
{
    struct fixture *const x = *state;
    char small[96], path[128];
    snprintf(small, sizeof small, "%s/small", x->folder);
    if (mkdir(small, 0700) != 0 || mount("none", small, "tmpfs", 0, "size=1m") != 0) {
        rmdir(small);
        skip_for("no file system can be mounted here");
    }
    snprintf(path, sizeof path, "%s/s.etl", small);
    const struct snapshot_result r = take(x, path, 0, 0);
    const unsigned left = folder_clear(small);
    umount(small);
    rmdir(small);
    assert_false(r.is_done);
    assert_non_null(strstr(r.err.text, "No space left"));
    assert_int_equal(left, 0);
}

static void a_folder_that_cannot_be_written_stays_as_it_is(void **state)
{
    struct fixture *const x = *state;
    char folder[96], path[128];
    snprintf(folder, sizeof folder, "%s/closed", x->folder);
    snprintf(path, sizeof path, "%s/s.etl", folder);
    assert_int_equal(mkdir(folder, 0500), 0);
    const bool is_root = geteuid() == 0; /* who is not held up by modes, but by a file system */
    const bool is_mounted =
        is_root && mount("none", folder, "tmpfs", MS_RDONLY, "size=1m,mode=500") == 0;
    const struct snapshot_result r = take(x, path, 0, 0);
    const unsigned left = folder_clear(folder);
    if (is_mounted)
        umount(folder);
    rmdir(folder);
    if (is_root && !is_mounted)
        skip_for("no file system can be mounted here");
    assert_false(r.is_done);
    assert_non_null(strstr(r.err.text, is_root ? "Read-only file system" : "Permission denied"));
    assert_int_equal(left, 0);
}

/* As the system answers where a quota is used up: no byte more than so many. */
static void a_quota_leaves_nothing(void **state)
{
    struct fixture *const x = *state;
    struct rlimit before, least = {.rlim_cur = 1 << 20};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    least.rlim_max = before.rlim_max;
    void (*const old)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
    const struct snapshot_result r = take(x, x->path, 0, 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, old);
    assert_false(r.is_done);
    assert_non_null(strstr(r.err.text, "File too large"));
    assert_int_equal(folder_clear(x->folder), 0);
    assert_true(take(x, x->path, 0, 0).is_done); /* the monitor has not minded */
}

/* The folder goes while the snapshot is in it. */
static void a_folder_that_vanishes_is_reported(void **state)
{
    struct fixture *const x = *state;
    if (!HERE_IS_POSIX) {
        print_message("a folder with an open file in it cannot be moved here: skipped\n");
        skip();
    }
    char folder[96], away[96], path[128];
    snprintf(folder, sizeof folder, "%s/here", x->folder);
    snprintf(away, sizeof away, "%s/away", x->folder);
    snprintf(path, sizeof path, "%s/s.etl", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    const struct snapshot_options o = {
        .engine = x->session->engine, .collector = &x->session->collector, .path = path};
    struct snapshot_result r;
    double part = 0;
    struct snapshot *const s = snapshot_start(&o);
    while (part == 0 && !snapshot_poll(s, &part))
        os_sleep(10000);
    const bool was_in_time = rename(folder, away) == 0 && !snapshot_poll(s, &part);
    snapshot_finish(s, &r);
    folder_clear(away); /* what was moved away is out of reach */
    rmdir(away);
    if (!r.is_done)
        assert_non_null(strstr(r.err.text, "No such file"));
    assert_true(was_in_time || r.is_done);
    assert_int_equal(access(path, F_OK), -1);
}

/* The address sanitizer keeps freed memory for a while, 256 MB of it by itself; so little that
 * what is measured here is not that. Nobody else calls this. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64";
}

static int64_t memory_kb(void)
{
    char line[256];
    int64_t kb = -1;
    FILE *const f = fopen("/proc/self/status", "r");
    while (f && kb < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kb = atoll(line + 6);
    if (f)
        fclose(f);
    return kb;
}

/* Each gives back what it took: memory, threads, files. */
static void many_take_no_more_memory_than_few(void **state)
{
    enum { FEW = 5, MANY = IS_SANITIZED ? 15 : 50, SLACK_KB = 8 << 10 };
    struct fixture *const x = *state;
    int64_t few = 0;
    for (int i = 0; i < MANY; i++) {
        assert_true(take(x, x->path, 0, 0).is_done);
        folder_clear(x->folder);
        few = i + 1 == FEW ? memory_kb() : few;
    }
    const int64_t many = memory_kb();
    if (many > few + SLACK_KB)
        print_error("%lld KB after %d, %lld KB after %d\n", (long long)few, FEW, (long long)many,
                    MANY);
    assert_true(many <= few + SLACK_KB);
}

static void it_can_be_given_up(void **state)
{
    struct fixture *const x = *state;
    const struct snapshot_options o = {
        .engine = x->session->engine, .collector = &x->session->collector, .path = x->path};
    for (int i = 0; i < 10; i++) {
        struct snapshot *const s = snapshot_start(&o);
        os_sleep(i * 1000000);
        snapshot_cancel(s);
        const unsigned left = folder_clear(x->folder);
        assert_true(left <= 1); /* nothing, or all of it: it had been finished */
    }
}

/* Into the ring, whose collector has ended. */
static void put_tracetop(struct fixture *x, unsigned cpu, int64_t ts)
{
    uint8_t record[512];
    struct payload_writer p = {record, record, record + sizeof record};
    tracetop_write_begin(&p, "Late", "number:u32", EVENT_NO_ID, EVENT_NO_ID, ts);
    put_u32(&p, 1);
    tracetop_write_end(&p);
    const struct record_head head = {.bytes = (uint32_t)(sizeof head + (size_t)(p.at - p.start)),
                                     .form = RECORD_ETW,
                                     .cpu = (uint16_t)cpu,
                                     .ts = ts};
    assert_true(ring_put(x->session->hot, &head, record));
}

/* A snapshot of all that is in the ring by now, opened. */
static struct etl_reader *take_and_read(struct fixture *x)
{
    struct err err = {""};
    const char *const path = x->path;
    const struct ring_figures f = ring_figures(x->session->hot);
    while (ring_figures(x->session->hot).read < f.head)
        os_sleep(1000000);
    assert_true(take(x, path, 0, 0).is_done);
    struct etl_reader *const reader = etl_reader_open(&path, 1, &err);
    assert_non_null(reader);
    return reader;
}

/* A collector may report an event late; in the file it stands in its place, whatever its
 * processor. */
static void what_comes_late_has_its_place(void **state)
{
    static const struct {
        unsigned cpu;
        int64_t after;
    } late[] = {{0, 100}, {1, 50}, {0, 20}, {1, 120}, {1, 20}, {0, 110}};
    static const int64_t expected[] = {20, 20, 50, 100, 110, 120};
    struct fixture *const x = *state;
    struct err err = {""};
    struct event e;
    const struct snapshot_result r = take(x, x->path, 0, 0);
    const int64_t base = trace_clock_raw(&x->session->collector.sources[0].clock, r.last_ns) + 1000;
    assert_int_equal(unlink(x->path), 0);
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        put_tracetop(x, late[i].cpu, base + late[i].after);
    struct etl_reader *const reader = take_and_read(x);
    size_t found = 0;
    int64_t last[64] = {0};
    while (etl_reader_next(reader, &e, &err) == ETL_EVENT) {
        assert_true(e.ts >= last[e.cpu % 64]);
        last[e.cpu % 64] = e.ts;
        if (tracetop_event_name(&e) && strcmp(tracetop_event_name(&e), "Late") == 0) {
            assert_true(found < sizeof expected / sizeof *expected);
            assert_int_equal(e.ts - base, expected[found++]);
        }
    }
    assert_int_equal(found, sizeof expected / sizeof *expected);
    etl_reader_close(reader);
}

static void put_lost(struct fixture *x, int64_t ts, uint64_t events, uint64_t buffers)
{
    const struct record_lost lost = {.events = events, .buffers = buffers};
    const struct record_head head = {
        .bytes = sizeof head + sizeof lost, .form = RECORD_LOST, .ts = ts};
    assert_true(ring_put(x->session->hot, &head, &lost));
}

/* Stacks of events that the ring has no more are of nobody in the file. */
static void stacks_of_before_are_left_out(void **state)
{
    struct fixture *const x = *state;
    const struct trace_clock *const clock = &x->session->collector.sources[0].clock;
    struct err err = {""};
    struct event e;
    const struct snapshot_result r = take(x, x->path, 0, 0);
    const int64_t first = trace_clock_raw(clock, r.first_ns);
    const int64_t base = trace_clock_raw(clock, r.last_ns) + 1000;
    assert_int_equal(unlink(x->path), 0);
    for (int i = 0; i < 2; i++) {
        uint8_t record[40] = {2, 0, 0x11, 0xc0, 40, 0, 0x20, 0x18};
        const uint64_t ts = (uint64_t)(base + i), of = (uint64_t)(i ? base - 1000 : first - 5000);
        memcpy(record + 8, &ts, sizeof ts);
        memcpy(record + 16, &of, sizeof of);
        const struct record_head head = {
            .bytes = sizeof head + sizeof record, .form = RECORD_ETW, .ts = base + i};
        assert_true(ring_put(x->session->hot, &head, record));
    }
    struct etl_reader *const reader = take_and_read(x);
    unsigned last = 0;
    while (etl_reader_next(reader, &e, &err) == ETL_EVENT) {
        if (e.id != 0x1820 || !header_is_kernel((enum header_kind)e.kind))
            continue;
        assert_true((int64_t)load_u64(e.payload) >= first);
        last += e.ts >= base;
    }
    etl_reader_close(reader);
    assert_int_equal(last, 1);
}

/* What the system lost stands in the file that has the time of it, and where it was. */
static void losses_are_in_the_file_that_has_their_time(void **state)
{
    struct fixture *const x = *state;
    const struct trace_clock *const clock = &x->session->collector.sources[0].clock;
    struct snapshot_result r = take(x, x->path, 0, 0);
    const int64_t base = trace_clock_raw(clock, r.last_ns) + 1000;
    const struct strict before = strict_read_ours(x->path);
    assert_int_equal(before.events_lost, 0);
    assert_int_equal(unlink(x->path), 0);
    put_tracetop(x, 0, base);
    put_lost(x, base + 10, 245648, 0);
    put_tracetop(x, 0, base + 20);
    put_lost(x, base + 30, 2, 3);
    put_tracetop(x, 0, base + 40);
    const struct ring_figures f = ring_figures(x->session->hot);
    while (ring_figures(x->session->hot).read < f.head)
        os_sleep(1000000);
    r = take(x, x->path, 0, 0);
    assert_true(r.is_done);
    const struct strict all = strict_read_ours(x->path);
    assert_int_equal(all.events_lost, 245650);
    assert_int_equal(all.buffers_lost, 3);
    assert_true(all.flagged > 0);
    assert_int_equal(unlink(x->path), 0);
    r = take(x, x->path, trace_clock_ns(clock, base + 20), trace_clock_ns(clock, base + 40));
    assert_true(r.is_done);
    const struct strict part = strict_read_ours(x->path);
    assert_int_equal(part.events_lost, 2);
    assert_int_equal(part.buffers_lost, 3);
}

/* One does not know of the other: each has a copy of its own. */
static void two_at_once_are_both_whole(void **state)
{
    struct fixture *const x = *state;
    char second[160];
    struct snapshot_result a, b;
    snprintf(second, sizeof second, "%s/second.etl", x->folder);
    struct snapshot_options o = {
        .engine = x->session->engine, .collector = &x->session->collector, .path = x->path};
    struct snapshot *const first = snapshot_start(&o);
    o.path = second;
    struct snapshot *const other = snapshot_start(&o);
    snapshot_finish(first, &a);
    snapshot_finish(other, &b);
    assert_true(a.is_done && b.is_done);
    const uint64_t events = EVENTS + synthetic_sampled(&x->session->collector);
    assert_int_equal(a.events, events);
    assert_int_equal(b.events, events);
    same_events(x->path, INT64_MIN, INT64_MAX);
    same_events(second, INT64_MIN, INT64_MAX);
}

static struct etl_header header_of(const char *path)
{
    struct err err = {""};
    struct etl_file *const f = etl_open(path, &err);
    if (!f)
        print_error("%s\n", err.text);
    assert_non_null(f);
    const struct etl_header h = *etl_header(f);
    etl_close(f);
    return h;
}

/* The header of a snapshot is about the machine and the time of the trace, not about here and now.
 */
static void a_snapshot_of_a_trace_has_its_header(void **state)
{
    static const char *const traces[] = {"../shared/etl/perfview-win7-PerfViewData.etl.zst",
                                         "../shared/etl/sawbuck-image_data_32_v0.etl",
                                         "../shared/etl/sawbuck-process_data_32_v3.etl"};
    struct fixture *const x = *state;
    if (access(traces[0], R_OK) != 0) {
        assert_null(getenv("TRACETOP_REQUIRE_SHARED"));
        print_message("../shared is not here: skipped\n");
        skip();
    }
    session_stop(x->session);
    session_free(x->session);
    const size_t first = THREADS_ARE_SANITIZED ? 1 : 0; /* without the large one */
    for (size_t i = first; i < sizeof traces / sizeof *traces; i++) {
        x->session = play(&traces[i], 0, RING);
        frame_free(look(x->session, "processes"));
        assert_true(take(x, x->path, 0, 0).is_done);
        const struct etl_header was = header_of(traces[i]), is = header_of(x->path);
        assert_int_equal(is.version & 0xffff, was.version & 0xffff); /* without the log's format */
        assert_int_equal(is.build, was.build);
        assert_int_equal(is.pointer, was.pointer);
        assert_int_equal(is.cpus, was.cpus);
        assert_int_equal(is.timer_resolution, was.timer_resolution);
        assert_int_equal(is.bias_minutes, was.bias_minutes);
        assert_int_equal(is.boot, was.boot);
        assert_int_equal(is.frequency, was.frequency);
        assert_int_equal(is.clock_type, was.clock_type);
        assert_string_equal(is.logger, "tracetop");
        const struct strict s = strict_read_ours(x->path);
        assert_true(s.headers >= 1); /* one that was relogged has a second one among its events */
        assert_in_range(is.end, strict_filetime(&s, s.last), strict_filetime(&s, s.last) + 1);
        assert_int_equal(unlink(x->path), 0);
        if (i + 1 < sizeof traces / sizeof *traces) {
            session_stop(x->session);
            session_free(x->session);
        }
    }
}

/* Whatever is asked for, the name is one in the folder. */
static void names_begin_as_wanted(void **state)
{
    static const struct {
        const char *folder, *name, *begin;
    } cases[] = {{"/nonexistent", "my/own", "/nonexistent/my_own-"},
                 {"/nonexistent", "", "/nonexistent/tracetop-"},
                 {NULL, NULL, "./tracetop-"},
                 {"/nonexistent", "a\\b:c\nd", "/nonexistent/a_b_c_d-"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[1024];
        snapshot_name(cases[i].folder, cases[i].name, out, sizeof out);
        if (strncmp(out, cases[i].begin, strlen(cases[i].begin)) != 0)
            fail_msg("%zu: expected %s, found %s", i, cases[i].begin, out);
        assert_ptr_equal(strrchr(out, '/'), out + (strrchr(cases[i].begin, '/') - cases[i].begin));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_begin_as_wanted),
        cmocka_unit_test_setup_teardown(every_event_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_part_is_that_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_file_shows_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_made_and_never_taken_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_existing_file_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_leave_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_written_stays_as_it_is, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_quota_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_vanishes_is_reported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_take_no_more_memory_than_few, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_comes_late_has_its_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stacks_of_before_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(losses_are_in_the_file_that_has_their_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_of_a_trace_has_its_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_at_once_are_both_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_can_be_given_up, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
