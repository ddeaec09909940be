/* Going through time: steps, times that are typed, and what they keep. */
#include "tests/made_app.h"

static void expect_sample(const struct fake *f, int64_t number, int64_t count)
{
    const int64_t from = f->proto.origin + number * f->proto.sample_ns - 1;
    assert_true(f->last.freeze);
    assert_int_equal(f->last.from_ns, from);
    assert_int_equal(f->last.to_ns, from + count * f->proto.sample_ns);
}

/* A window of 24.6 s that begins in the middle of its first sample, number 3. */
static struct fake *fake_with_window(void)
{
    struct fake *f = fake_new(120, 30, 6);
    f->proto.state = STATE_LIVE;
    f->proto.sample_ns = 1000000000;
    f->proto.origin = f->proto.instant - 27600000000;
    f->proto.kept_first = f->proto.origin + 3400000000;
    f->proto.kept_last = f->proto.instant;
    serve(f);
    return f;
}

static void command(struct fake *f, const char *text)
{
    press(f, ":");
    type(f, text);
    press(f, "Enter");
}

/* Keys or a typed command, the sample that is asked for then, and what the screen shows. */
struct move {
    const char *keys, *command;
    int64_t sample, count;
    const char *shown, *not_shown;
};

static void go(struct fake *f, const struct move *moves, size_t count)
{
    for (const struct move *m = moves; m < moves + count; m++) {
        if (m->keys)
            press(f, m->keys);
        else
            command(f, m->command);
        expect_sample(f, m->sample, m->count);
        if (m->shown)
            shows(f, m->shown);
        if (m->not_shown)
            shows_not(f, m->not_shown);
    }
}

static void steps_freeze_and_stop_at_the_ends(void **state)
{
    (void)state;
    static const struct move moves[] = {
        /* 27 is running, 26 was on screen */
        {"[", NULL, 25, 1, " FROZEN −1.6s 20:17:20.879 ", NULL},
        {"[ [", NULL, 23, 1, NULL, NULL},
        {"]", NULL, 24, 1, NULL, NULL},
        {"{", NULL, 14, 1, NULL, "the kept window"},
        {"{ {", NULL, 3, 1, "the history begins here", NULL},
        {"]", NULL, 4, 1, NULL, "the kept window"},
        {"}", NULL, 14, 1, NULL, NULL},
        {"C-End", NULL, 27, 1, "the history ends here", NULL},
        {"C-End", NULL, 27, 1, " FROZEN −0.0s ", NULL},
        {"C-Home", NULL, 3, 1, NULL, NULL},
        {"Tab", NULL, 3, 1, NULL, NULL}, /* another pane, the same time */
    };
    struct fake *f = fake_with_window();
    go(f, moves, sizeof moves / sizeof *moves);
    press(f, "p");
    assert_false(f->last.freeze);
    assert_int_equal(f->last.to_ns, 0);
    f->proto.is_total = true; /* of all: the first step back is the last sample */
    serve(f);
    press(f, "[");
    expect_sample(f, 27, 1);
    fake_free(f);
}

/* Where sums are known of a time whose events are gone, tables go back as far as these. */
static void steps_go_back_as_far_as_sums(void **state)
{
    (void)state;
    struct fake *f = fake_with_window();
    f->proto.sums_first = f->proto.origin + 1000000000;
    serve(f);
    press(f, "C-Home");
    expect_sample(f, 1, 1);
    shows_not(f, "top 50");
    f->proto.is_of_history = true;
    serve(f);
    shows(f, "top 50");
    press(f, "[");
    shows(f, "the history begins here");
    press(f, "Enter"); /* what narrows a table needs events */
    press(f, "C-Home");
    expect_sample(f, 3, 1);
    fake_free(f);
}

static void steps_need_a_window(void **state)
{
    (void)state;
    struct fake *f = fake_new(120, 30, 6);
    press(f, "[");
    assert_false(f->last.freeze);
    shows(f, "no history yet");
    fake_free(f);
}

/* Events of a live source before its beginning are no sample to go to. */
static void times_before_the_beginning_are_refused(void **state)
{
    (void)state;
    static const struct move moves[] = {
        {NULL, "at -20s", 7, 1, NULL, "the kept window"},
        {NULL, "at -30s", 0, 1, "the history begins here", NULL},
    };
    struct fake *f = fake_with_window();
    f->proto.kept_first = f->proto.origin - 10000000000;
    serve(f);
    go(f, moves, sizeof moves / sizeof *moves);
    fake_free(f);
}

static void times_can_be_typed(void **state)
{
    (void)state;
    static const struct move moves[] = {
        {NULL, "at -10s", 17, 1, NULL, NULL},
        {NULL, "at -1h", 3, 1, "the history begins here", NULL},
        {NULL, "at 2016-05-26T20:17:20Z", 25, 1, NULL, NULL},
        {NULL, "at noon", 25, 1, ":at takes a time: -30s, 10:20:30", NULL},
        {NULL, "at 20:17:12Z", 17, 1, NULL, NULL},
        {NULL, "at 20:17:20Z", 25, 1, NULL, NULL},
        {NULL, "range -10s", 25, 1, ":range takes two times", NULL},
        {NULL, "range -5s..-10s", 25, 1, "no history in -5s..-10s", NULL},
    };
    struct fake *f = fake_with_window();
    go(f, moves, sizeof moves / sizeof *moves);
    command(f, "range -10.5s..-5s");
    assert_int_equal(f->last.from_ns, f->proto.instant - 10500000000 - 1);
    assert_int_equal(f->last.to_ns, f->proto.instant - 5000000000);
    shows(f, " FROZEN −10.5s..−5.0s ");
    command(f, "live");
    assert_int_equal(f->last.to_ns, 0);
    fake_free(f);
}

static void expect_range(const struct fake *f, int64_t from_ns, int64_t to_ns)
{
    assert_int_equal(f->last.from_ns, from_ns - 1);
    assert_int_equal(f->last.to_ns, to_ns);
}

/* "1s" is counted as -r counts it: from the beginning of what there is, either end may be left out,
 * and of a recording that can be read again all can be asked for. */
static void ranges_begin_where_the_recording_does(void **state)
{
    (void)state;
    struct fake *f = fake_with_window();
    command(f, "range 1s..");
    expect_range(f, f->proto.kept_first + 1000000000, f->proto.kept_last);
    command(f, "range ..2s");
    expect_range(f, f->proto.kept_first, f->proto.kept_first + 2000000000);
    f->proto.recorded_first = f->proto.kept_first - 60000000000;
    serve(f);
    command(f, "range 1s..3s");
    expect_range(f, f->proto.recorded_first + 1000000000, f->proto.recorded_first + 3000000000);
    command(f, "range -80s..-70s");
    expect_range(f, f->proto.instant - 80000000000, f->proto.instant - 70000000000);
    command(f, "range -100s..-90s");
    shows(f, "no history in -100s..-90s");
    fake_free(f);
}

/* A row that some samples lack has the cursor again in those that have it. */
static void steps_keep_the_cursors_row(void **state)
{
    (void)state;
    struct fake *f = fake_with_window();
    press(f, "Down");
    press(f, "Down");
    const uint32_t row = cursor_id(f);
    struct person gone = f->people[2];
    assert_int_equal(gone.id, row);
    press(f, "[");
    assert_int_equal(cursor_id(f), row);
    f->count = 2;
    press(f, "[");
    assert_int_not_equal(cursor_id(f), row);
    press(f, "[");
    assert_int_not_equal(cursor_id(f), row);
    f->count = 6;
    press(f, "]");
    assert_int_equal(cursor_id(f), row);
    f->count = 2; /* moved meanwhile: stays where it was put */
    press(f, "]");
    press(f, "Up");
    const uint32_t chosen = cursor_id(f);
    f->count = 6;
    press(f, "[");
    assert_int_equal(cursor_id(f), chosen);
    fake_free(f);
}

/* While a time is still being read, rows are missing that will come: the cursor waits for its own,
 * in the pane with the focus and in one beside it. */
static void a_row_still_to_come_keeps_the_cursor(void **state)
{
    (void)state;
    struct fake *f = fake_with_window();
    press(f, "Down");
    press(f, "Down");
    const uint32_t row = cursor_id(f);
    press(f, "_");
    press(f, "Down");
    const uint32_t beside = cursor_id(f);
    assert_int_not_equal(row, beside);
    const unsigned count = f->count;
    for (f->count = 0; f->count < 2; f->count++) {
        const unsigned read_first = f->count;
        f->holds_frames = true;
        press(f, "[");
        f->proto.is_partial = true;
        serve(f);
        f->count = count;
        f->proto.is_partial = false;
        serve(f);
        f->holds_frames = false;
        assert_int_equal(cursor_id(f), beside);
        press(f, "Tab");
        assert_int_equal(cursor_id(f), row);
        press(f, "Tab");
        f->count = read_first;
    }
    fake_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_freeze_and_stop_at_the_ends),
        cmocka_unit_test(steps_go_back_as_far_as_sums),
        cmocka_unit_test(steps_need_a_window),
        cmocka_unit_test(times_before_the_beginning_are_refused),
        cmocka_unit_test(times_can_be_typed),
        cmocka_unit_test(ranges_begin_where_the_recording_does),
        cmocka_unit_test(steps_keep_the_cursors_row),
        cmocka_unit_test(a_row_still_to_come_keeps_the_cursor),
    };
    return cmocka_run_group_tests_name("app_steps", tests, NULL, NULL);
}
