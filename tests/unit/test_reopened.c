/* A snapshot that is opened again shows what the screen showed: the last whole intervals of
 * every pane, cell by cell. */
#include "tests/shots.h"
#include "tests/test.h"

#include "collectors/collectors.h"
#include "src/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Slow enough that a busy machine's sanitizer still sees what it is to compare before it laps. */
enum { RATE = 10000, SHOTS = 3 };

static const int64_t INTERVAL = 500000000;

static struct session *start(const struct collector_kind *kind, const char *const *files,
                             uint64_t ring, int64_t origin)
{
    struct err err = {""};
    const struct session_options o = {
        .kind = kind,
        .collector = {.files = files,
                      .file_count = files ? 1 : 0,
                      .seed = 5,
                      .rate = files ? 0 : RATE},
        .ring_bytes = ring,
        .interval_ns = INTERVAL,
        .origin_ns = origin,
    };
    struct session *const s = session_start(&o, &err);
    if (!s)
        print_error("%s\n", err.text);
    assert_non_null(s);
    return s;
}

static void end(struct session *s)
{
    session_stop(s);
    session_free(s);
}

/* The window of the snapshot in *r; its path there is to be removed by the caller. */
static void save(struct session *s, const char *folder, struct snapshot_result *r)
{
    const struct snapshot_options o = {
        .engine = s->engine, .collector = &s->collector, .folder = folder};
    snapshot_finish(snapshot_start(&o), r);
    if (!r->is_done)
        print_error("%s\n", r->err.text);
    assert_true(r->is_done);
}

static void shows_what_was_shown(uint64_t ring, bool has_lapped)
{
    static const char *const shown[] = {"processes", "cpu",    "disk",       "files",   "network",
                                        "registry",  "memory", "interrupts", "calls",   "callers",
                                        "diskfiles", "images", "rates",      "threads", NULL};
    char folder[] = "/tmp/test_reopened.XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct session *const s = start(&collector_synthetic, NULL, ring, 0);
    while (has_lapped && ring_figures(s->hot).tail == 0)
        os_sleep(10000000);
    struct shots *const shots = shots_new(s, shown, SHOTS);
    struct snapshot_result r;
    save(s, folder, &r);
    assert_true((ring_figures(s->hot).tail > 0) == has_lapped);
    end(s);
    const char *const files[] = {r.path};
    struct session *const again = start(&collector_etl, files, 256 << 20, shots_origin(shots));
    const unsigned compared = shots_compare(shots, again, r.first_ns, r.last_ns, NULL);
    assert_true(compared == shots_count(shots) || (has_lapped && compared > 0));
    end(again);
    shots_free(shots);
    unlink(r.path);
    rmdir(folder);
}

static void a_whole_window(void **state)
{
    (void)state;
    shows_what_was_shown(256 << 20, false);
}

/* What the window begins with was told before it, and is no more in the ring. */
static void a_window_that_has_lapped(void **state)
{
    (void)state;
    shows_what_was_shown(12 << 20, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_window),
        cmocka_unit_test(a_window_that_has_lapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
