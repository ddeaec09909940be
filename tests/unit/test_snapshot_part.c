/* Snapshots of a part: what they are asked to hold, what a filter takes with its stacks and
 * names, and marks that are older than the ring reaches. */
#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/etl/etl.h"
#include "src/export/part.h"
#include "src/pane/panes.h"
#include "src/trace/snapshot.h"
#include "src/trace/snapshot_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS = 150000 };

static const int64_t START = 1700000000000000000, TIMEOUT = PATIENCE_NS;

/* ---- what it is asked ------------------------------------------------------------------ */

static void said_is_understood(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path, *filter;
        bool has_range;
    } cases[] = {
        {"", "", "", false},
        {"-30s..", "", "", true},
        {"-30s.. firefox", "", "firefox", true},
        {"/tmp/a b.etl", "/tmp/a", "b.etl", false},
        {"\"/tmp/a b\" tcp | udp", "/tmp/a b", "tcp | udp", false},
        {"../x.etl", "../x.etl", "", false},
        {"5s..10s x.etl !chrome", "x.etl", "!chrome", true},
        {"  firefox.exe  ", "", "firefox.exe  ", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct snapshot_ask ask;
        struct err err = {""};
        assert_true(snapshot_ask_read(cases[i].text, &ask, &err));
        assert_string_equal(ask.path, cases[i].path);
        assert_string_equal(ask.filter, cases[i].filter);
        assert_int_equal(ask.has_range, cases[i].has_range);
    }
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    char line[2048], longest[2048];
    struct snapshot_ask ask;
    struct err err;
    assert_false(snapshot_ask_read("yesterday..", &ask, &err));
    assert_non_null(strstr(err.text, "yesterday"));
    assert_false(snapshot_ask_read("\"x.etl", &ask, &err));
    assert_non_null(strstr(err.text, "closing quote"));
    memset(longest, 'f', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(snapshot_ask_read(longest, &ask, &err));
    longest[0] = '/';
    assert_false(snapshot_ask_read(longest, &ask, &err));
    assert_non_null(strstr(err.text, "longer than"));
    assert_false(snapshot_ask_write(NULL, "a\"b.etl", NULL, line, sizeof line, &err));
    assert_false(snapshot_ask_write(NULL, longest, NULL, line, sizeof line, &err));
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    char line[256];
    struct snapshot_ask ask;
    struct err err;
    assert_true(snapshot_ask_write("-3s..", "my file", "a b", line, sizeof line, &err));
    assert_true(snapshot_ask_read(line, &ask, &err));
    assert_true(ask.has_range);
    assert_string_equal(ask.path, "my file");
    assert_string_equal(ask.filter, "a b");
    assert_true(snapshot_ask_write(NULL, NULL, NULL, line, sizeof line, &err));
    assert_true(snapshot_ask_read(line, &ask, &err));
    assert_string_equal(ask.path, "");
    assert_string_equal(ask.filter, "");
}

/* ---- sessions -------------------------------------------------------------------------- */

struct fixture {
    char folder[64];
    struct session *session;
};

static struct frame *look(struct session *s)
{
    static uint64_t sequence;
    struct request r = {.sequence = ++sequence, .pane = pane_find("processes"), .rows = 10};
    engine_request(s->engine, &r);
    struct frame *const f = engine_wait_frame(s->engine, sequence, true, TIMEOUT);
    assert_non_null(f);
    return f;
}

static void begin(struct fixture *x, uint64_t ring)
{
    struct err err = {""};
    const struct session_options o = {
        .kind = &collector_synthetic,
        .collector = {.seed = 11, .events = EVENTS, .start_ns = START},
        .ring_bytes = ring,
        .interval_ns = 1000000000,
    };
    snprintf(x->folder, sizeof x->folder, "/tmp/test_snapshot_part.XXXXXX");
    assert_non_null(mkdtemp(x->folder));
    x->session = session_start(&o, &err);
    assert_non_null(x->session);
}

static void end(struct fixture *x)
{
    session_stop(x->session);
    session_free(x->session);
    rmdir(x->folder);
}

static struct snapshot_result take(const struct fixture *x, const char *name, const char *filter)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", x->folder, name);
    const struct snapshot_options o = {.engine = x->session->engine,
                                       .collector = &x->session->collector,
                                       .path = path,
                                       .filter = filter};
    struct snapshot_result r;
    snapshot_finish(snapshot_start(&o), &r);
    if (!r.is_done)
        print_message("%s\n", r.err.text);
    return r;
}

/* ---- filters ------------------------------------------------------------------------------ */

struct counts {
    uint64_t all, matching, bytes, stacks, named;
};

static struct counts count(const char *path, const char *filter)
{
    enum { HOOK_STACK = 0x1820 };
    struct counts n = {0};
    struct err err = {""};
    struct event e;
    struct trace_part part;
    const struct part_options o = {.files = &path, .file_count = 1, .filter = filter};
    assert_int_equal(part_init(&part, &o, stderr), 0);
    struct etl_reader *const r = etl_reader_open(&path, 1, &err);
    assert_non_null(r);
    const struct trace_clock clock = etl_clock(etl_reader_file(r, 0));
    while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
        const struct owner owner = attribution_of(part.owners, &e);
        /* Stacks go with their events: one whose event is no more in the ring goes, too. */
        const bool is_stack = header_is_kernel(e.kind) && e.id == HOOK_STACK;
        const bool has =
            !is_stack && part_has(&part, &e, &owner, &clock, trace_clock_ns(&clock, e.ts));
        n.all++;
        n.matching += has;
        n.bytes += has ? e.payload_bytes : 0;
        n.named += has && owner.name;
        n.stacks += is_stack;
    }
    etl_reader_close(r);
    part_fini(&part);
    return n;
}

/* What the filter matches in the whole snapshot is in its own, all of it and as much with names;
 * what else is there is needed by that. */
static void holds_what_matches(const struct fixture *x, const char *filter)
{
    const struct snapshot_result whole = take(x, "whole.etl", NULL),
                                 part = take(x, "part.etl", filter);
    assert_true(whole.is_done && part.is_done);
    assert_int_equal(part.examined, whole.events);
    const struct counts a = count(whole.path, filter), b = count(part.path, filter);
    assert_true(a.matching > 100 && a.matching < a.all / 2);
    assert_int_equal(a.matching, b.matching);
    assert_int_equal(a.bytes, b.bytes);
    assert_int_equal(a.named, b.named);
    assert_true(b.all < a.all / 2);
    assert_true(b.stacks > 0 && b.stacks < a.stacks);
    unlink(whole.path);
    unlink(part.path);
}

static void a_filter_takes_what_it_matches(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, 64 << 20);
    frame_free(look(x.session));
    holds_what_matches(&x, "firefox");
    holds_what_matches(&x, "sqlservr");
    end(&x);
}

/* Processes of the window's first event began before it: their names are in the rundown. */
static void so_it_does_in_a_ring_that_has_lapped(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, 4 << 20);
    frame_free(look(x.session));
    assert_true(ring_figures(x.session->hot).tail > 0);
    holds_what_matches(&x, "firefox");
    end(&x);
}

static void a_filter_that_matches_nothing_makes_no_file(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, 64 << 20);
    frame_free(look(x.session));
    const struct snapshot_result r = take(&x, "none.etl", "nothing-is-called-so");
    assert_false(r.is_done);
    assert_non_null(strstr(r.err.text, "no event matches"));
    assert_int_equal(access(r.path, F_OK), -1);
    end(&x); /* removes the folder, which must be empty */
    assert_int_equal(access(x.folder, F_OK), -1);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static unsigned marks_in(const char *path, const char *text, int64_t *when)
{
    struct err err = {""};
    struct event e;
    unsigned found = 0;
    struct etl_reader *const r = etl_reader_open(&path, 1, &err);
    assert_non_null(r);
    const struct trace_clock clock = etl_clock(etl_reader_file(r, 0));
    while (etl_reader_next(r, &e, &err) == ETL_EVENT) {
        if (e.payload_bytes < strlen(text) || memcmp(e.payload, text, strlen(text)) != 0)
            continue;
        *when = trace_clock_ns(&clock, e.ts);
        found++;
    }
    etl_reader_close(r);
    return found;
}

static void old_marks_are_kept(void **state)
{
    (void)state;
    struct fixture x;
    struct err err = {""};
    const struct session_options o = {.kind = &collector_synthetic,
                                      .collector = {.seed = 3, .rate = 400000},
                                      .ring_bytes = 4 << 20,
                                      .interval_ns = 1000000000};
    snprintf(x.folder, sizeof x.folder, "/tmp/test_snapshot_part.XXXXXX");
    assert_non_null(mkdtemp(x.folder));
    x.session = session_start(&o, &err);
    assert_non_null(x.session);
    while (engine_figures(x.session->engine).events == 0)
        os_sleep(1000000);
    struct command c = {.kind = COMMAND_MARK, .text = "long ago"};
    engine_command(x.session->engine, &c);
    while (ring_figures(x.session->hot).tail < 4 << 20)
        os_sleep(1000000);
    const struct snapshot_result r = take(&x, "marked.etl", NULL);
    int64_t when = 0;
    assert_true(r.is_done);
    assert_int_equal(marks_in(r.path, "long ago", &when), 1);
    assert_true(when < r.first_ns); /* at its own time, which the ring has long left */
    unlink(r.path);
    end(&x);
}

/* ---- storms ---------------------------------------------------------------------------------- */

/* A storm that laps the ring while it is copied: what is lost is said and stands in the file's
 * header; the file is whole. */
static void a_storm_is_survived(void **state)
{
    (void)state;
    struct fixture x;
    struct err err = {""};
    char said[1400];
    const struct session_options o = {.kind = &collector_synthetic,
                                      .collector = {.seed = 3, .rate = 20000000},
                                      .ring_bytes = 1 << 20,
                                      .interval_ns = 1000000000};
    snprintf(x.folder, sizeof x.folder, "/tmp/test_snapshot_part.XXXXXX");
    assert_non_null(mkdtemp(x.folder));
    x.session = session_start(&o, &err);
    assert_non_null(x.session);
    /* A moment's window may lie between two losses: then the next one. */
    struct snapshot_result r = {.lost = 0};
    const int64_t until = os_now() + TIMEOUT;
    while (r.lost == 0 && os_now() < until) {
        unlink(r.path);
        r = take(&x, "storm.etl", NULL);
        assert_true(r.is_done || strstr(r.err.text, "no events"));
    }
    assert_true(r.lost > 0);
    assert_non_null(
        strstr(snapshot_sentence(&r, said, sizeof said), "lost: the ring was too small"));
    const char *const path = r.path;
    struct etl_reader *const reader = etl_reader_open(&path, 1, &err);
    assert_non_null(reader);
    assert_int_equal(etl_header(etl_reader_file(reader, 0))->events_lost, r.lost);
    struct event e;
    uint64_t events = 0;
    while (etl_reader_next(reader, &e, &err) == ETL_EVENT)
        events++;
    assert_true(events > r.events); /* the rundowns beside */
    assert_true(etl_is_whole(etl_tally(etl_reader_file(reader, 0))));
    etl_reader_close(reader);
    const uint64_t before = engine_figures(x.session->engine).events;
    while (engine_figures(x.session->engine).events == before) /* the monitor goes on */
        os_sleep(1000000);
    unlink(r.path);
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(said_is_understood),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_filter_takes_what_it_matches),
        cmocka_unit_test(so_it_does_in_a_ring_that_has_lapped),
        cmocka_unit_test(a_filter_that_matches_nothing_makes_no_file),
        cmocka_unit_test(old_marks_are_kept),
        cmocka_unit_test(a_storm_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
