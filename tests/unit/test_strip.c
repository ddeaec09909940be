/* The time strip: its keys, what is asked for then, and what the screen shows. */
#include "tests/made_app.h"

#include "ui/state/strip.h"

#include <math.h>

enum { COLUMNS = 100, SECOND = 1000000000 };

static float values[COLUMNS];
static uint8_t signs[COLUMNS];
static struct strip made;

/* 100 s, of which single events of the last 40 s are kept; a column is a second. */
static struct fake *fake_with_strip(int rows)
{
    struct fake *f = fake_new(120, rows, 6);
    f->proto.state = STATE_LIVE;
    f->proto.sample_ns = SECOND;
    f->proto.interval = 100;
    f->proto.origin = f->proto.instant - 100ll * SECOND;
    f->proto.kept_first = f->proto.instant - 40ll * SECOND;
    f->proto.kept_last = f->proto.instant;
    for (unsigned i = 0; i < COLUMNS; i++)
        values[i] = (float)i;
    memset(signs, 0, sizeof signs);
    made = (struct strip){.metric = STRIP_CPU,
                          .known = 1u << STRIP_CPU | 1u << STRIP_EVENTS,
                          .columns = COLUMNS,
                          .begin_ns = f->proto.origin,
                          .end_ns = f->proto.instant,
                          .values = values,
                          .signs = signs,
                          .peak = 99,
                          .shown = 42,
                          .cell_ns = SECOND / 8,
                          .first_ns = f->proto.origin,
                          .last_ns = f->proto.instant,
                          .kept_ns = f->proto.kept_first};
    f->proto.strip = &made;
    serve(f);
    return f;
}

static void expect_range(const struct fake *f, int64_t from_s, int64_t to_s)
{
    assert_true(f->last.freeze);
    assert_int_equal(f->last.from_ns, f->proto.origin + from_s * SECOND - 1);
    assert_int_equal(f->last.to_ns, f->proto.origin + to_s * SECOND - 1);
}

/* Where there are 30 lines it is there by itself; elsewhere @ shows it. */
static void it_is_shown_where_there_is_room(void **state)
{
    (void)state;
    struct fake *f = fake_with_strip(30);
    assert_true(f->last.strip.columns > 80);
    shows(f, " CPU      42.0%");
    press(f, "@ @"); /* there, and hidden */
    assert_int_equal(f->last.strip.columns, 0);
    shows_not(f, "42.0%");
    fake_free(f);
    f = fake_with_strip(24);
    assert_int_equal(f->last.strip.columns, 0);
    press(f, "@");
    assert_true(f->last.strip.columns > 80);
    shows(f, " CPU      42.0%");
    press(f, "Esc"); /* the keys are the pane's again, and it stays */
    assert_true(f->last.strip.columns > 80);
    fake_free(f);
    f = fake_with_strip(10);
    press(f, "@");
    shows(f, "the time strip needs 12 lines");
    fake_free(f);
}

static void its_cursor_is_what_the_panes_show(void **state)
{
    (void)state;
    struct fake *f = fake_with_strip(40);
    press(f, "@");
    assert_false(f->last.freeze);
    press(f, "Left"); /* 99 was on screen */
    expect_range(f, 98, 99);
    press(f, "Left Left");
    expect_range(f, 96, 97);
    press(f, "{");
    expect_range(f, 86, 87);
    press(f, "}");
    expect_range(f, 96, 97);
    press(f, "{ { { {");
    shows(f, "the history begins here");
    expect_range(f, 66, 67);
    press(f, "]"); /* as ever: an interval */
    expect_range(f, 67, 68);
    press(f, "Enter"); /* back to the rows, which stay there */
    expect_range(f, 67, 68);
    press(f, "Down");
    expect_range(f, 67, 68);
    press(f, "p");
    assert_int_equal(f->last.to_ns, 0);
    fake_free(f);
}

static void two_ends_are_a_range(void **state)
{
    (void)state;
    struct fake *f = fake_with_strip(40);
    press(f, "@ { Space { Left Enter"); /* up to where the cursor is */
    expect_range(f, 78, 90);
    press(f, "p @ { Space Left Left Space { Enter"); /* both are set */
    expect_range(f, 87, 90);
    press(f, "p @ { Space Esc"); /* gives up the end, then the keys */
    assert_true(f->app.strip.has_focus && !f->app.strip.end_count);
    shows(f, " Esc Leave ");
    press(f, "Esc");
    assert_false(f->app.strip.has_focus);
    shows_not(f, " Esc Leave ");
    expect_range(f, 89, 90);
    fake_free(f);
}

static void it_zooms_around_what_is_shown(void **state)
{
    (void)state;
    struct fake *f = fake_with_strip(40);
    press(f, "@ +");
    assert_int_equal(f->last.strip.span_ns, 50ll * SECOND);
    assert_int_equal(f->last.strip.end_ns, 0); /* live: up to the newest */
    press(f, "-");
    assert_int_equal(f->last.strip.span_ns, 0);
    press(f, "-");
    shows(f, "all the recorded time is shown");
    press(f, "{ +");
    assert_int_equal(f->last.strip.span_ns, 50ll * SECOND);
    assert_int_equal(f->last.strip.end_ns,
                     f->proto.origin + 89ll * SECOND + SECOND / 2 - 1 + 25ll * SECOND);
    made.cell_ns = SECOND;
    press(f, "+");
    shows(f, "cannot zoom in further");
    fake_free(f);
}

/* Those that were recorded. */
static void tab_chooses_the_figure(void **state)
{
    (void)state;
    struct fake *f = fake_with_strip(40);
    press(f, "@ Tab");
    assert_int_equal(f->last.strip.metric, STRIP_EVENTS);
    press(f, "S-Tab");
    assert_int_equal(f->last.strip.metric, STRIP_CPU);
    fake_free(f);
}

static void moments_have_signs(void **state)
{
    (void)state;
    struct fake *f = fake_with_strip(40);
    signs[10] = STRIP_MARK;
    signs[30] = STRIP_TRIGGER | STRIP_MARK;
    signs[50] = STRIP_LOSS | STRIP_MARK;
    for (unsigned i = 70; i < 80; i++)
        signs[i] = STRIP_GAP;
    serve(f);
    shows(f, "========");
    shows(f, "M");
    press(f, "?");
    shows(f, "In the time strip: a mark");
    shows(f, "In the time strip: events were lost");
    shows(f, "In the time strip: a gap");
    fake_free(f);
}

/* Signs all along: the times at both ends stay, and the signs there go above them. */
static void signs_leave_the_times(void **state)
{
    (void)state;
    struct fake *f = fake_with_strip(40);
    for (unsigned i = 0; i < COLUMNS; i++)
        signs[i] = STRIP_LOSS;
    serve(f);
    shows(f, " 20:15:42.478L");
    shows(f, "L20:17:22.478");
    shows(f, "42.0%  LLLLLLLLLLLL▁");
    fake_free(f);
}

/* A click shows the moment, on the label the strip gets the keys. */
static void clicks_go_there(void **state)
{
    (void)state;
    struct fake *f = fake_with_strip(40);
    const struct key there = {.kind = KEY_CLICK, .x = 17 + 95, .y = 36};
    app_key(&f->app, &there, f->app.now);
    assert_true(f->last.freeze);
    assert_true(f->last.from_ns >= f->proto.origin + 90ll * SECOND &&
                f->last.to_ns < f->proto.instant);
    const struct key label = {.kind = KEY_CLICK, .x = 3, .y = 36};
    app_key(&f->app, &label, f->app.now);
    assert_true(f->app.strip.has_focus);
    fake_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_shown_where_there_is_room),
        cmocka_unit_test(its_cursor_is_what_the_panes_show),
        cmocka_unit_test(two_ends_are_a_range),
        cmocka_unit_test(it_zooms_around_what_is_shown),
        cmocka_unit_test(tab_chooses_the_figure),
        cmocka_unit_test(moments_have_signs),
        cmocka_unit_test(signs_leave_the_times),
        cmocka_unit_test(clicks_go_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
