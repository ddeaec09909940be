/* Keys and typed commands that act: on the engine, on processes, on settings. */
#include "tests/made_app.h"
#include "tests/sanitizer.h"

#include <stdlib.h>
#include <string.h>

static void escape_and_digit_make_a_function_key(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "/");
    type(f, "exe");
    press(f, "Enter Esc 1"); /* F1; and the filter is still there */
    shows(f, "Signs on this screen");
    press(f, "Esc");
    assert_string_equal(f->last.filter, "exe");
    press(f, "Enter Esc 6");
    assert_int_equal(f->last.crumb_count, 1);
    shows(f, "Sort by");
    press(f, "Esc Esc");
    f->now += 1000000000;
    press(f, "3"); /* too late: a digit */
    assert_ptr_equal(f->last.pane, &pane_disk);
    assert_true(press(f, "M-0") & REACT_QUIT);
    fake_free(f);
}

static void escape_never_quits_q_does_at_the_root(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    assert_false(press(f, "Esc Esc Enter q ? q v Esc") & REACT_QUIT);
    assert_false(press(f, "? Esc 0") & REACT_QUIT); /* F10, but the Esc had something to close */
    assert_false(press(f, "1 / x Enter Esc 0 1") & REACT_QUIT);
    assert_int_equal(f->last.crumb_count, 0);
    assert_true(press(f, "q") & REACT_QUIT);
    assert_true(press(f, "Enter C-c") & REACT_QUIT);
    fake_free(f);
}

static void typed_commands(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *says;
        int kind; /* of the command sent; -1 = none */
        double number;
    } cases[] = {
        {"speed 4", NULL, COMMAND_SPEED, 4},
        {"speed max", NULL, COMMAND_SPEED, 0},
        {"speed fast", "found \"fast\"", -1, 0},
        {"speed 0", "found \"0\"", -1, 0},
        {"pause", NULL, COMMAND_PAUSE, 0},
        {"resume", NULL, COMMAND_RESUME, 0},
        {"res", "no command \"res\"", -1, 0},
        {"time utc", NULL, -1, 0},
        {"time never", "found \"never\"", -1, 0},
        {"sort nothing", "no column \"nothing\"", -1, 0},
        {"frobnicate", "no command \"frobnicate\"", -1, 0},
        {"disk", " Disk ", -1, 0},
        {"", NULL, -1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake *f = fake_new(120, 30, 6);
        press(f, ":");
        type(f, cases[i].typed);
        press(f, "Enter");
        if (cases[i].says)
            shows(f, cases[i].says);
        assert_int_equal(f->commands, cases[i].kind >= 0);
        if (cases[i].kind >= 0) {
            assert_int_equal(f->command.kind, cases[i].kind);
            assert_true(f->command.number == cases[i].number);
        }
        fake_free(f);
    }
    struct fake *f = fake_new(100, 30, 6);
    press(f, ":");
    type(f, "spe");
    press(f, "Tab");
    type(f, "m");
    press(f, "Tab");
    assert_string_equal(f->app.prompt.text, "speed max");
    press(f, "C-u");
    type(f, "quit");
    assert_true(press(f, "Enter") & REACT_QUIT);
    fake_free(f);
}

/* Settings hold from when they are changed: the length of samples, and of frames below how much
 * share a row. */
static void changed_settings_hold(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    f->app.settings.interval_ns = 2000000000;
    press(f, "Z");
    assert_int_equal(f->commands, 0); /* not while it stands */
    press(f, "Z");
    assert_int_equal(f->commands, 1);
    assert_int_equal(f->command.kind, COMMAND_INTERVAL);
    assert_true(f->command.number == 2e9);
    press(f, "Down");
    assert_int_equal(f->commands, 1);
    assert_int_equal(f->last.stacks.cut_off, STACK_CUT_OFF_DEFAULT);
    f->app.settings.cut_off = 2.5;
    press(f, "Down");
    assert_int_equal(f->last.stacks.cut_off, 250);
    f->app.settings.cut_off = 0;
    press(f, "Down");
    assert_int_equal(f->last.stacks.cut_off, STACK_CUT_OFF_NONE);
    fake_free(f);
}

static void marks_are_put_and_reported(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "m");
    type(f, "before the deploy");
    shows(f, "mark: before the deploy");
    assert_int_equal(f->commands, 0);
    press(f, "Enter");
    assert_int_equal(f->commands, 1);
    assert_int_equal(f->command.kind, COMMAND_MARK);
    assert_string_equal(f->command.text, "before the deploy");
    shows(f, "marked: before the deploy");
    assert_string_equal(f->last.filter, "");
    press(f, "F7 x Esc"); /* thought better of it */
    assert_int_equal(f->commands, 1);
    press(f, "F7 Up Enter"); /* what was typed before is offered again */
    assert_int_equal(f->commands, 2);
    assert_string_equal(f->command.text, "before the deploy");
    press(f, "F7 Enter");
    assert_int_equal(f->commands, 3);
    assert_string_equal(f->command.text, "");
    shows(f, "the mark is in Events");
    fake_free(f);
}

/* The longest text is cut between characters. */
static void long_marks_stay_text(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "m");
    for (int i = 0; i < 200; i++)
        press(f, "ä");
    press(f, "Enter");
    assert_int_equal(strlen(f->command.text), 254);
    assert_string_equal(f->command.text + 252, "ä");
    fake_free(f);
}

static void reset_wants_two_presses(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 6);
    press(f, "r");
    f->now += 2000000000;
    press(f, "r");
    assert_int_equal(f->commands, 0);
    press(f, "r");
    assert_int_equal(f->commands, 1);
    assert_int_equal(f->command.kind, COMMAND_RESET);
    fake_free(f);
}

/* Ending a process asks, and only yes is yes. Whoever has the id by now began after the frame's
 * instant, and is left alone. */
static void ending_a_process_asks(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "F9");
    type(f, "terminate");
    press(f, "Enter");
    shows(f, "available only live, on this machine");
    f->proto.state = STATE_LIVE;
    app_ask(&f->app);
    serve(f);
    press(f, "F9");
    type(f, "terminate");
    press(f, "Enter");
    shows(f, "terminate?");
    press(f, "y Enter");
    shows(f, "nothing was terminated");
    press(f, "F9");
    type(f, "terminate");
    press(f, "Enter");
    type(f, "yes");
    press(f, "Enter");
    shows(f, "process 4");
    f->app.settings.is_readonly = true;
    press(f, "F9");
    type(f, "terminate");
    press(f, "Enter");
    shows(f, "read-only");
    fake_free(f);
}

static void the_mouse_selects_sorts_and_presses(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    struct key k = {.kind = KEY_CLICK, .x = 12, .y = 4 + 5};
    app_key(&f->app, &k, f->now);
    serve(f);
    assert_int_equal(cursor_id(f), 4 + 5 * 4);
    k.y = 2;
    app_key(&f->app, &k, f->now);
    serve(f);
    assert_int_equal(f->last.sort, 1);
    k = (struct key){.kind = KEY_CLICK, .x = 3, .y = 29};
    app_key(&f->app, &k, f->now);
    shows(f, "Signs on this screen");
    fake_free(f);
}

/* Every key in every situation (with a sanitizer in every third one): nothing crashes, every screen
 * can be drawn. */
static void every_key_everywhere(void **state)
{
    (void)state;
    static const char *const situations[] = {"",  "/",       ":",     "?",   "v", "s",
                                             "d", "d Enter", "Enter", "? /", "Z", "m",
                                             "_ d", "| _", "_ z", "_ Enter"};
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        for (size_t b = IS_SANITIZED ? i % 3 : 0; b < keymap_count; b += IS_SANITIZED ? 3 : 1) {
            struct fake *f = fake_new(i % 2 ? 100 : 44, i % 3 ? 30 : 9, 30);
            press(f, situations[i]);
            press(f, keymap[b].keys);
            char *all = screen(f);
            assert_true(strlen(all) > 8);
            free(all);
            fake_free(f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape_and_digit_make_a_function_key),
        cmocka_unit_test(escape_never_quits_q_does_at_the_root),
        cmocka_unit_test(typed_commands),
        cmocka_unit_test(changed_settings_hold),
        cmocka_unit_test(marks_are_put_and_reported),
        cmocka_unit_test(long_marks_stay_text),
        cmocka_unit_test(reset_wants_two_presses),
        cmocka_unit_test(ending_a_process_asks),
        cmocka_unit_test(the_mouse_selects_sorts_and_presses),
        cmocka_unit_test(every_key_everywhere),
    };
    return cmocka_run_group_tests_name("app_keys", tests, NULL, NULL);
}
