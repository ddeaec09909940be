/* A snapshot that is opened again shows what the screen showed: the last whole intervals of
 * every pane, cell by cell. The machine is synthetic, and goes on after each check: nothing here
 * depends on speed. */
#include "tests/play.h"
#include "tests/shots.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/trace/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOTS = 3, EVENTS = 1000000 };

static const int64_t INTERVAL = 500000000;

static struct session *reopen(const char *path, int64_t origin)
{
    struct err err = {""};
    const char *const files[] = {path};
    const struct session_options o = {
        .kind = &collector_etl,
        .collector = {.files = files, .file_count = 1},
        .ring_bytes = 64 << 20,
        .interval_ns = INTERVAL,
        .origin_ns = origin,
    };
    struct session *const s = session_start(&o, &err);
    if (!s)
        print_error("%s\n", err.text);
    assert_non_null(s);
    return s;
}

/* The window of the snapshot in *r; its path there is to be removed by the caller. */
static void save(struct stage *s, const char *folder, struct snapshot_result *r)
{
    const struct snapshot_options o = {
        .engine = s->engine, .collector = &s->collectors[0], .folder = folder};
    snapshot_finish(snapshot_start(&o), r);
    if (!r->is_done)
        print_error("%s\n", r->err.text);
    assert_true(r->is_done);
}

static void shows_what_was_shown(size_t ring, bool has_lapped)
{
    static const char *const shown[] = {"processes", "cpu",      "disk",      "files",
                                        "network",   "registry", "memory",    "interrupts",
                                        "calls",     "callers",  "diskfiles", "images",
                                        "rates",     "threads",  "stacks",    NULL};
    char folder[] = "/tmp/test_reopened.XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct play p = play_new_in(5, INTERVAL, ring, EVENTS);
    struct stage *const s = p.stage;
    const struct trace_clock *const clock = &s->collectors[0].sources[0].clock;
    struct shots *const shots = shots_new(shown, SHOTS);
    struct snapshot_result r;
    /* Half an interval at a time; once the ring has lapped, if it is to. */
    for (int64_t now = PLAY_START_NS;; now += INTERVAL / 2) {
        play_until(&p, trace_clock_raw(clock, now));
        const bool is_time = !has_lapped || ring_figures(s->collectors[0].hot).tail > 0;
        assert_false(synthetic_is_done(p.machine));
        if (is_time && shots_look(shots, s->engine))
            break;
    }
    shots_step_back(shots, s->engine);
    save(s, folder, &r);
    assert_true((ring_figures(s->collectors[0].hot).tail > 0) == has_lapped);
    play_free(&p);
    struct session *const again = reopen(r.path, shots_origin(shots));
    const unsigned compared =
        shots_compare(shots, again->engine, r.first_ns, r.last_ns, false, NULL);
    assert_int_equal(compared, shots_count(shots));
    session_stop(again);
    session_free(again);
    shots_free(shots);
    unlink(r.path);
    rmdir(folder);
}

static void a_whole_window(void **state)
{
    (void)state;
    shows_what_was_shown(64 << 20, false);
}

/* Things alive at the window's start were reported before it, and are no more in the ring: some
 * twenty seconds, longer than any wait, lie between that and the last intervals. */
static void a_window_that_has_lapped(void **state)
{
    (void)state;
    shows_what_was_shown(16 << 20, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_window),
        cmocka_unit_test(a_window_that_has_lapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
