/* Keys and typed commands that act: on the engine, on processes, on settings. */
#include "tests/made_app.h"
#include "tests/sanitizer.h"

#include "src/event/mark.h"

#include <stdlib.h>
#include <string.h>

/* Also where the terminal sends both at once, which looks like Alt with the digit. */
static void escape_and_digit_are_two_keys(void **state)
{
    (void)state;
    static const char *const ways[] = {"Esc 3", "M-3"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct fake *f = fake_new(100, 30, 60);
        press(f, "/");
        type(f, "exe");
        press(f, "Enter");
        press(f, ways[i]);
        assert_ptr_equal(f->last.pane, &pane_disk);
        press(f, "1");
        assert_string_equal(f->last.filter, ""); /* the Esc did what it does */
        press(f, "?");
        press(f, ways[i]);
        assert_int_equal(f->app.overlay, OVERLAY_NONE);
        assert_ptr_equal(f->last.pane, &pane_disk);
        assert_false(press(f, "? Esc 0") & REACT_QUIT);
        assert_false(press(f, "M-0") & REACT_QUIT);
        fake_free(f);
    }
}

/* Whether anything is different on the screen, or happens elsewhere. */
static bool answers(struct fake *f, const char *before, unsigned reaction)
{
    char *const after = screen(f);
    const bool differs = strcmp(before, after) != 0;
    free(after);
    return differs || reaction & ~(unsigned)REACT_DRAW;
}

/* Keys that move stand still at an end, which one sees; and what these panes and this engine have
 * not: stacks, changes, neighbors. */
static bool is_quiet(const struct binding *b)
{
    if (b && b->contexts & CONTEXT_DETAIL)
        return true;
    static const enum action quiet[] = {ACT_MOVE,         ACT_PAGE,         ACT_HOME,
                                        ACT_END,          ACT_PAN,          ACT_CHOOSE_MOVE,
                                        ACT_CHOOSE_PAGE,  ACT_COLUMN,       ACT_STACK_SHAPE,
                                        ACT_STACK_AROUND, ACT_WHAT_CHANGED, ACT_CHOOSE_TOGGLE};
    for (size_t i = 0; b && i < sizeof quiet / sizeof *quiet; i++)
        if (b->action == quiet[i])
            return true;
    return false;
}

/* Keys that edit a line which is empty, or has no history. */
static bool edits(const struct key *k)
{
    static const char *const names_of_keys[] = {"Left",      "Right", "Home", "End",   "Del",
                                                "Backspace", "Up",    "Down", "Space", "C-u",
                                                "C-w",       "C-k",   "C-a",  "C-e"};
    char name[KEY_NAME];
    key_text(k, name);
    for (size_t i = 0; i < sizeof names_of_keys / sizeof *names_of_keys; i++)
        if (strcmp(name, names_of_keys[i]) == 0)
            return true;
    return false;
}

/* Every key that a keyboard has does something or says why not. */
static void every_key_answers(void **state)
{
    (void)state;
    static const char *const situations[] = {"",        "?",     "v", "/", ":", "d",
                                             "d Enter", "Enter", "Z", "_", "e"};
    static const char *const others[] = {
        "Up",  "Down",      "Left",  "Right", "Home", "End",   "PgUp", "PgDn", "Ins",
        "Del", "Backspace", "Tab",   "Enter", "Esc",  "F1",    "F2",   "F3",   "F4",
        "F5",  "F6",        "F7",    "F9",    "F10",  "F11",   "F12",  "C-b",  "C-g",
        "C-x", "C-Home",    "C-End", "M-a",   "M-x",  "S-Tab", "S-Up", "C-o"};
    char silent[2000] = "";
    enum { PRINTABLE = '~' - ' ' + 1, OTHERS = sizeof others / sizeof *others };
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        for (unsigned n = 0; n < PRINTABLE + OTHERS; n += IS_SANITIZED ? 3 : 1) {
            struct fake *f = fake_new(100, 30, 60);
            struct key k = {.kind = KEY_CHARACTER, .code = ' ' + n};
            if (n >= PRINTABLE)
                assert_true(key_parse(others[n - PRINTABLE], &k));
            press(f, situations[i]);
            f->app.message[0] = '\0';
            const unsigned context = app_context(&f->app);
            const struct binding *const b = keys_find(NULL, context, &k);
            char *const before = screen(f), name[KEY_NAME];
            f->now += 100000000;
            const unsigned reaction = app_key(&f->app, &k, f->now);
            serve(f);
            const bool is_line = context & (CONTEXT_PROMPT | CONTEXT_CHOOSER) && !b && edits(&k);
            const size_t used = strlen(silent);
            if (!is_quiet(b) && !is_line && !answers(f, before, reaction))
                snprintf(silent + used, sizeof silent - used, "[%s] %s  ", situations[i],
                         key_text(&k, name));
            free(before);
            fake_free(f);
        }
    }
    if (silent[0])
        fail_msg("these keys neither do anything nor say why: %s", silent);
}

/* What covers or replaces the rows ends by the key that began it, by Esc and by C-o. */
static void modes_end_three_ways(void **state)
{
    (void)state;
    static const struct {
        const char *begins, *ends;
    } modes[] = {
        {"?", "?"},       {"F1", "F1"}, {"F2", "F2"}, {"s", "F6"},          {"F9", "F9"},
        {"v", "C-o"},     {"e", "e"},   {"d", "d"},   {"d Enter", "Enter"}, {"z", "z"},
        {"[ A [ A", "A"}, {"/", "F4"},  {"F3", "F3"}, {":", "C-o"},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const char *const ways[] = {modes[i].ends, "Esc", "C-o"};
        for (size_t way = 0; way < 3; way++) {
            struct fake *f = fake_new(100, 30, 60);
            f->proto.kept_first = f->proto.instant - 60000000000;
            f->proto.kept_last = f->proto.instant;
            f->proto.sample_ns = 1000000000;
            press(f, modes[i].begins);
            press(f, ways[way]);
            const bool is_over = f->app.overlay == OVERLAY_NONE &&
                                 f->app.prompting == PROMPT_NONE &&
                                 f->app.comparison.stage != COMPARE_SHOWN && !f->app.is_zoomed;
            const bool is_back = !f->app.focus->is_detail && f->last.crumb_count == 0;
            const bool is_events = strcmp(modes[i].begins, "d Enter") == 0;
            if (!is_over || (!is_back && !is_events) || (is_events && f->app.focus->is_detail))
                fail_msg("\"%s\" does not end by %s", modes[i].begins, ways[way]);
            fake_free(f);
        }
    }
}

static void escape_never_quits_q_does_at_the_root(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    assert_false(press(f, "Esc Esc Enter q ? q v Esc") & REACT_QUIT);
    assert_false(press(f, "? Esc 0") & REACT_QUIT);
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
    struct new_mark m;
    struct err err;
    assert_true(mark_read(f->command.text, &m, &err));
    assert_int_equal(strlen(m.text), 255);
    assert_string_equal(m.text + 250, "ä…");
    shows(f, "marked: ää");
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
        cmocka_unit_test(escape_and_digit_are_two_keys),
        cmocka_unit_test(every_key_answers),
        cmocka_unit_test(modes_end_three_ways),
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
