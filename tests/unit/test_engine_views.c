/* Several views at once: each has its own pane, filter and answers; time is one for all. */
#include "tests/stage.h"

#include "src/pane/panes.h"
#include "src/view/view.h"

#include "ui/main/user_views.h"

#include <stdio.h>

static struct request of_view(struct stage *s, uint8_t view, const char *pane, uint64_t sequence)
{
    struct request r = *stage_request(s, pane);
    r.view = view;
    r.sequence = sequence;
    return r;
}

static struct frame *answer(struct stage *s, unsigned view, uint64_t sequence)
{
    struct frame *const f = engine_wait_view(s->engine, view, sequence, false, STAGE_TIMEOUT);
    assert_non_null(f);
    assert_int_equal(f->view, view);
    return f;
}

static void begin(const struct scene *by)
{
    send_process(by, 1, HOOK_DC_START, 40, 4, "talker.exe");
    send_process(by, 1, HOOK_DC_START, 41, 4, "other.exe");
    send_tcp(by, 2, true, 40, 100);
    send_tcp(by, 3, true, 41, 7);
}

static struct stage *finished(void)
{
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    begin(&by);
    stage_finish(s);
    stage_play(s);
    stage_request(s, "processes");
    frame_free(stage_ask(s));
    return s;
}

/* Each is asked by itself, and whose request is the same is not answered again. */
static void each_has_its_pane(void **state)
{
    (void)state;
    struct stage *const s = finished();
    struct request r[VIEWS_MAX + 1] = {
        of_view(s, 2, "network", 101), of_view(s, 0, "processes", 102), of_view(s, 1, "events", 103),
        of_view(s, 3, "processes", 104), of_view(s, 9, "disk", 105)};
    snprintf(r[3].filter, sizeof r[3].filter, "talker");
    engine_request_all(s->engine, r, VIEWS_MAX + 1); /* what is too much is left out */
    static const char *const ids[] = {"processes", "events", "network", "processes"};
    static const uint64_t sequences[] = {102, 103, 101, 104}, shown[] = {2, 4, 2, 1};
    for (unsigned i = 0; i < VIEWS_MAX; i++) {
        struct frame *const f = answer(s, i, sequences[i]);
        assert_ptr_equal(f->pane, pane_find(ids[i]));
        assert_true(f->shown >= shown[i]);
        frame_free(f);
    }
    r[1].sequence = 110;
    engine_request_all(s->engine, r, VIEWS_MAX);
    frame_free(answer(s, 0, 110));
    assert_null(engine_take_frame(s->engine));
    stage_close(s);
}

/* Two that look at the same rows through different filters do not mix up what passed. */
static void filters_are_their_own(void **state)
{
    (void)state;
    struct stage *const s = finished();
    for (uint64_t i = 0; i < 10; i++) {
        struct request r[] = {of_view(s, 0, "processes", 200 + 2 * i),
                              of_view(s, 1, "processes", 201 + 2 * i)};
        snprintf(r[0].filter, sizeof r[0].filter, "talker");
        snprintf(r[1].filter, sizeof r[1].filter, "other");
        engine_request_all(s->engine, r, 2);
        for (unsigned v = 0; v < 2; v++) {
            struct frame *const f = answer(s, v, r[v].sequence);
            assert_int_equal(f->shown, 1);
            assert_int_equal(row_named(f, "name", v ? "other.exe" : "talker.exe"), 0);
            frame_free(f);
        }
    }
    stage_close(s);
}

/* One that is closed and opened again knows nothing of what passed its earlier filter. */
static void closed_ones_leave_no_matches(void **state)
{
    (void)state;
    static const char *const names[] = {"talker", "other"};
    struct stage *const s = finished();
    for (uint64_t i = 0; i < 10; i++) {
        char expected[32];
        struct request r[] = {of_view(s, 0, "events", 400 + 3 * i),
                              of_view(s, 1, "processes", 401 + 3 * i)};
        snprintf(r[1].filter, sizeof r[1].filter, "%s", names[i % 2]);
        snprintf(expected, sizeof expected, "%s.exe", names[i % 2]);
        engine_request_all(s->engine, r, 2);
        frame_free(answer(s, 0, r[0].sequence));
        struct frame *const f = answer(s, 1, r[1].sequence);
        assert_int_equal(f->shown, 1);
        assert_int_equal(row_named(f, "name", expected), 0);
        frame_free(f);
        r[0].sequence = 402 + 3 * i;
        engine_request_all(s->engine, r, 1);
        frame_free(answer(s, 0, r[0].sequence));
    }
    stage_close(s);
}

static void wait_for_event(struct stage *s, int64_t us)
{
    for (bool is_there = false; !is_there;) {
        struct frame *const f = stage_ask_now(s);
        is_there = f->newest_ns >= us * 1000;
        frame_free(f);
    }
}

/* Both look at the same rows, under the slot of the first. */
static void triggers_set_anew_have_no_matches(void **state)
{
    (void)state;
    enum { SECOND = 1000000, SETS = 6 };
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    begin(&by);
    stage_play(s);
    stage_request(s, "events");
    for (int i = 0; i < SETS; i++) {
        struct command c = {.kind = COMMAND_TRIGGER};
        snprintf(c.text, sizeof c.text, "processes.name=%s do bell every 1ms",
                 i % 2 ? "nobody.exe" : "talker.exe");
        engine_command(s->engine, &c);
        frame_free(stage_ask_now(s));
        for (int t = 1; t <= 3; t++)
            send_tcp(&by, (4 * i + t) * SECOND, true, 40, 100);
        wait_for_event(s, (4 * i + 3) * SECOND);
        struct frame *const f = stage_ask_now(s);
        assert_int_equal(f->triggers[0].hits > 0, i % 2 == 0);
        frame_free(f);
    }
    stage_finish(s);
    stage_close(s);
}

/* The view beside the screen: it answers, the screen's goes on with its own, gets none of its
 * frames, and does not close it; its end leaves nothing behind. */
static void one_is_asked_beside_the_screen(void **state)
{
    (void)state;
    struct stage *const s = finished();
    for (uint64_t i = 1; i <= 20; i++) {
        struct request own = of_view(s, 0, "processes", 300 + i);
        struct request aside = of_view(s, VIEW_ASIDE, "network", i);
        engine_request_aside(s->engine, &aside);
        engine_request(s->engine, &own);
        frame_free(answer(s, 0, 300 + i));
        struct frame *const f = answer(s, VIEW_ASIDE, i);
        assert_ptr_equal(f->pane, pane_find("network"));
        assert_int_equal(f->shown, 2);
        frame_free(f);
        assert_null(engine_take_frame(s->engine));
        if (i % 2)
            engine_request_aside(s->engine, NULL);
    }
    engine_request_aside(s->engine, NULL);
    engine_request_aside(s->engine, NULL);
    assert_null(engine_wait_view(s->engine, VIEW_ASIDE, 0, false, 50000000));
    stage_close(s);
}

static uint64_t sent(const struct frame *f)
{
    const int row = row_named(f, "name", "talker.exe");
    assert_true(row >= 0);
    return amount(f, cell(f, (unsigned)row, "net_send"), "net_send");
}

/* One that is opened later is frozen at the moment at which the others are; the moment goes with
 * the last of them. */
static void they_freeze_together(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    begin(&by);
    stage_play(s);
    while (engine_figures(s->engine).events < 4)
        os_sleep(100000);
    struct request r[] = {of_view(s, 0, "processes", 1), of_view(s, 3, "processes", 2)};
    r[0].freeze = r[1].freeze = true;
    engine_request_all(s->engine, r, 1);
    frame_free(answer(s, 0, 1));
    send_tcp(&by, 3000000, true, 40, 900);
    stage_finish(s);
    engine_request_all(s->engine, r, 2);
    struct frame *f = engine_wait_view(s->engine, 3, 2, true, STAGE_TIMEOUT);
    assert_non_null(f);
    assert_true(f->is_frozen);
    assert_int_equal(sent(f), 100);
    frame_free(f);
    engine_request_all(s->engine, r + 1, 1); /* the first one is closed, and nothing thaws */
    r[1].sequence = 3;
    engine_request_all(s->engine, r + 1, 1);
    f = answer(s, 3, 3);
    assert_int_equal(sent(f), 100);
    frame_free(f);
    r[0].freeze = r[1].freeze = false;
    r[0].sequence = 4; /* opened again, as new */
    r[1].sequence = 5;
    engine_request_all(s->engine, r, 2);
    for (unsigned i = 0; i < 2; i++) {
        f = answer(s, r[i].view, r[i].sequence);
        assert_false(f->is_frozen);
        assert_int_equal(sent(f), 1000);
        frame_free(f);
    }
    stage_close(s);
}

/* Opened and closed while events come. */
static void they_come_and_go(void **state)
{
    (void)state;
    static const char *const shown[] = {"processes", "events", "stacks", "network", "files"};
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    const struct scene by = {.stage = s, .pid = 4, .tid = EVENT_NO_ID};
    begin(&by);
    stage_play(s);
    for (unsigned i = 1; i < 60; i++) {
        struct request r[VIEWS_MAX];
        const unsigned count = i % VIEWS_MAX + 1;
        for (unsigned k = 0; k < count; k++) {
            r[k] = of_view(s, (uint8_t)((i + k) % VIEWS_MAX), shown[(i + k) % 5], i * 10 + k);
            r[k].freeze = i / 3 % 2;
        }
        send_tcp(&by, 1000 * i, true, 40, 1);
        engine_request_all(s->engine, r, count);
        if (i % 4 == 0)
            frame_free(answer(s, r[count - 1].view, r[count - 1].sequence));
    }
    stage_finish(s);
    stage_close(s);
}

/* No event names the threads: their events are one row of a view by process, and Enter shows all of
 * them. */
static void what_nobody_is_known_of_is_behind_its_row(void **state)
{
    (void)state;
    static const char by_pid[] = "[view]\nsource = disk\n[column pid]\nfield = pid\n"
                                 "[column n]\nagg = count\nsort = yes\n";
    struct err err = {""};
    if (!user_views_parse(by_pid, strlen(by_pid), "/x/reads_by_pid.view", &err))
        fail_msg("%s", err.text);
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    stage_play(s);
    const struct scene known = {s, 0, 0, 40, 41, 0}, strange = {s, 0, 0, EVENT_NO_ID, EVENT_NO_ID, 0};
    send_process(&known, 1000, HOOK_START, 40, 4, "known.exe");
    send_thread(&known, 1100, HOOK_START, 40, 41);
    for (unsigned i = 0; i < 3; i++)
        send_disk(&strange, 2000 + i, false, 0, 4096, 0, 10, 41);
    for (unsigned i = 0; i < 5; i++)
        send_disk(&strange, 3000 + i, false, 0, 4096, 0, 10, 77 + i % 2);
    stage_finish(s);
    stage_request(s, "reads_by_pid");
    struct frame *f = stage_ask(s);
    assert_int_equal(f->row_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct frame_row row = f->rows[i];
        const uint64_t n = cell(f, i, "n").count;
        struct request *const r = stage_request(s, "events");
        r->crumb_count = 1;
        r->crumbs[0] =
            (struct crumb){.kind = row.crumb, .of = pane_find("reads_by_pid"), .key = row.key};
        struct frame *const inside = stage_ask(s);
        assert_int_equal(inside->shown, n);
        assert_true(n == 3 || n == 5);
        frame_free(inside);
    }
    frame_free(f);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_pane),
        cmocka_unit_test(filters_are_their_own),
        cmocka_unit_test(closed_ones_leave_no_matches),
        cmocka_unit_test(triggers_set_anew_have_no_matches),
        cmocka_unit_test(one_is_asked_beside_the_screen),
        cmocka_unit_test(they_freeze_together),
        cmocka_unit_test(they_come_and_go),
        cmocka_unit_test(what_nobody_is_known_of_is_behind_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
