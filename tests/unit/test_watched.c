/* A session that is about some processes (-p, -n, -c): of others there are switches to and from
 * the chosen ones, and nobody knows what lies between. They have no time and no rows, live and in
 * what a snapshot of it shows. */
#include "collectors/collectors.h"
#include "src/command/session.h"
#include "src/pane/panes.h"
#include "src/trace/snapshot.h"
#include "tests/folder.h"
#include "tests/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SECOND = 1000000, TENTH = SECOND / 10 }; /* of the stage, in microseconds */

/* Process 40 runs for 0.7 s; its child 50 and another, 60, run between. */
static struct stage *watching(const struct collector_scope *scope)
{
    struct stage *const s = stage_open(1, 1 << 22, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    s->collectors[0].kind = &stage_live;
    s->collectors[0].watched = *scope;
    send_process(&by, 0, HOOK_DC_START, 0, 0, "Idle");
    send_thread(&by, 0, HOOK_DC_START, 0, 0);
    send_process(&by, 0, HOOK_DC_START, 40, 4, "forty.exe");
    send_thread(&by, 0, HOOK_DC_START, 40, 41);
    send_process(&by, 0, HOOK_DC_START, 50, 40, "fifty.exe");
    send_thread(&by, 0, HOOK_DC_START, 50, 51);
    send_process(&by, 0, HOOK_DC_START, 60, 4, "sixty.exe");
    send_thread(&by, 0, HOOK_DC_START, 60, 61);
    send_switch(&by, SECOND, 0, 41);
    send_switch(&by, SECOND + 5 * TENTH, 41, 61);
    send_switch(&by, SECOND + 8 * TENTH, 61, 41); /* others may have run as well */
    send_switch(&by, SECOND + 10 * TENTH, 41, 51);
    send_switch(&by, SECOND + 11 * TENTH, 51, 0);
    stage_finish(s);
    stage_play(s);
    return s;
}

static void assert_runs(const struct frame *f, const char *name, int64_t ns)
{
    const int row = row_named(f, "name", name);
    assert_int_equal(row >= 0, ns >= 0);
    if (row >= 0)
        assert_int_equal(cell(f, (unsigned)row, "cpu_time").ns, ns);
}

static void only_chosen_processes_have_time_and_rows(void **state)
{
    (void)state;
    static const uint32_t pid = 40;
    static const int64_t MS = 1000000;
    static const struct {
        struct collector_scope scope;
        int64_t forty, fifty, sixty; /* ms; -1: no row */
        const char *text;
    } rows[] = {
        {{NULL, 0, NULL, false}, 700, 100, 300, ""},
        {{&pid, 1, NULL, false}, 700, -1, -1, "pid 40"},
        {{&pid, 1, NULL, true}, 700, 100, -1, "pid 40 and children"},
        {{NULL, 0, "FORTY*", false}, 700, -1, -1, "FORTY*"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stage *const s = watching(&rows[i].scope);
        struct frame *const f = (stage_request(s, "processes"), stage_ask(s));
        const int64_t ms[] = {rows[i].forty, rows[i].fifty, rows[i].sixty};
        static const char *const names[] = {"forty.exe", "fifty.exe", "sixty.exe"};
        int64_t all = 0;
        for (size_t n = 0; n < 3; n++) {
            assert_runs(f, names[n], ms[n] < 0 ? -1 : ms[n] * MS);
            all += ms[n] < 0 ? 0 : ms[n] * MS;
        }
        assert_int_equal(total(f, "cpu_time").ns, all);
        assert_int_equal(row_named(f, "name", "(unknown)"), -1);
        assert_string_equal(f->watched, rows[i].text);
        frame_free(f);
        stage_close(s);
    }
}

static void a_snapshot_knows_whom_it_is_about(void **state)
{
    (void)state;
    static const uint32_t pid = 40;
    char folder[] = "/tmp/test_watched.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.etl", folder);
    struct stage *const s = watching(&(struct collector_scope){&pid, 1, NULL, false});
    frame_free((stage_request(s, "processes"), stage_ask(s)));
    const struct snapshot_options o = {
        .engine = s->engine, .collector = &s->collectors[0], .path = path, .folder = folder};
    struct snapshot_result result;
    snapshot_finish(snapshot_start(&o), &result);
    if (!result.is_done)
        fail_msg("%s", result.err.text);
    stage_close(s);

    struct err err;
    const char *const files[] = {path};
    const struct session_options so = {.kind = &collector_etl,
                                       .collector = {.files = files, .file_count = 1},
                                       .ring_bytes = 1 << 22,
                                       .interval_ns = 1000000000};
    struct session *const again = session_start(&so, &err);
    assert_non_null(again);
    const struct request r = {
        .sequence = 1, .pane = pane_find("processes"), .rows = 10, .accumulate = true};
    engine_request(again->engine, &r);
    struct frame *const f = engine_wait_frame(again->engine, 1, true, STAGE_TIMEOUT);
    assert_non_null(f);
    assert_int_equal(f->row_count, 1);
    assert_runs(f, "forty.exe", 700000000);
    assert_string_equal(f->watched, "pid 40");
    frame_free(f);
    session_stop(again);
    session_free(again);
    folder_clear(folder);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_chosen_processes_have_time_and_rows),
        cmocka_unit_test(a_snapshot_knows_whom_it_is_about),
    };
    return cmocka_run_group_tests_name("watched", tests, NULL, NULL);
}
