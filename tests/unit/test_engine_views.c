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

/* Nobody told of the threads: what they did is one row of a view by process, and Enter shows all of
 * it. */
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
        r->crumbs[0] = (struct crumb){.kind = row.crumb,
                                      .of = (uint8_t)pane_index(pane_find("reads_by_pid")),
                                      .key = row.key};
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
        cmocka_unit_test(they_freeze_together),
        cmocka_unit_test(they_come_and_go),
        cmocka_unit_test(what_nobody_is_known_of_is_behind_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
