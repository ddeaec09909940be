/* Waits that have not ended: the rows of threads that do nothing else, and what they wait for. */
#include "tests/stage.h"

enum { SECOND = 1000000 }; /* of the stage, in microseconds */

static struct frame *show_process(struct stage *s, const char *name)
{
    struct request *r = stage_request(s, "processes");
    struct frame *f = stage_ask(s);
    const int row = row_named(f, "name", name);
    assert_true(row >= 0);
    const struct row_key key = f->rows[row].key;
    frame_free(f);
    r = stage_request(s, "cpu");
    r->crumbs[0] = (struct crumb){.kind = CRUMB_PROCESS, .key = key};
    r->crumb_count = 1;
    return stage_ask(s);
}

static const char *reason_of(const struct frame *f, uint32_t tid)
{
    for (unsigned i = 0; i < f->row_count; i++)
        if (cell(f, i, "tid").count == tid)
            return text_of(f, cell(f, i, "reason"));
    return NULL;
}

static void expect_reason(const struct frame *f, uint32_t tid, const char *reason)
{
    const char *const found = reason_of(f, tid);
    if (!found || strcmp(found, reason) != 0)
        fail_msg("thread %u: expected '%s', found '%s'", tid, reason, found ? found : "no row");
}

/* Two processors; process 100 hangs, 200 goes on. */
static void send_all(struct stage *s)
{
    const struct scene by = {.stage = s, .pid = 100, .tid = 101};
    const struct scene other = {.stage = s, .pid = 200, .tid = 201, .cpu = 1};
    send_process(&by, 1, HOOK_DC_START, 100, 4, "hangs.exe");
    send_process(&by, 1, HOOK_DC_START, 200, 4, "goes.exe");
    for (uint32_t tid = 101; tid <= 105; tid++)
        send_thread(&by, 1, HOOK_DC_START, 100, tid);
    send_thread(&by, 1, HOOK_DC_START, 200, 201);
    send_switch(&by, SECOND, 0, 101);
    send_switch(&by, SECOND + 1000, 101, 102); /* 101 waits from here on */
    send_switch(&by, 2 * SECOND, 102, 103);
    send_ready(&by, 3 * SECOND, 102); /* 102 waited, and has no processor */
    send_switch(&by, 4 * SECOND, 103, 104);
    send_thread(&by, 5 * SECOND, HOOK_END, 100, 103);
    for (int64_t us = 5 * SECOND; us < 9 * SECOND; us += SECOND / 10) {
        send_switch(&other, us, 0, 201);
        send_switch(&other, us + 1000, 201, 0);
    }
    stage_finish(s);
}

/* 101 waits, 102 is ready; 103 has ended, 104 runs, and nobody saw 105. */
static void threads_that_only_wait_have_rows(void **state)
{
    (void)state;
    struct stage *const s = stage_open(1, 1 << 20, RING_SEGMENT);
    send_all(s);
    stage_play(s);
    struct frame *f = show_process(s, "hangs.exe");
    /* Of the whole trace: what ended is measured, and counts first. */
    assert_non_null(reason_of(f, 101));
    assert_null(reason_of(f, 105));
    frame_free(f);

    /* Of its last two seconds, in which nothing of them was recorded. */
    struct request *const r = &s->request;
    r->from_ns = 7 * (int64_t)1000000000;
    r->to_ns = 9 * (int64_t)1000000000;
    f = stage_ask(s);
    expect_reason(f, 101, "UserRequest 7.90 s");
    expect_reason(f, 102, "ready 5.90 s");
    assert_null(reason_of(f, 103));
    assert_null(reason_of(f, 105));
    frame_free(f);
    stage_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_only_wait_have_rows),
    };
    return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
