/* The cursor, filters, levels, tags and columns: which rows are asked for, and which one is meant. */
#include "tests/made_app.h"

#include "src/filter/filter.h"
#include "ui/state/filtering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void the_cursor_belongs_to_the_row(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "Down Down Down");
    assert_int_equal(cursor_id(f), 16);
    f->people[3].cpu = 0.5; /* the row goes far down */
    serve(f);
    assert_int_equal(cursor_id(f), 16);
    assert_true(f->app.focus->levels[0]->places[0].list.cursor > 30);
    f->people[3].cpu = 1000;
    serve(f);
    assert_int_equal(cursor_id(f), 16);
    assert_int_equal(f->app.focus->levels[0]->places[0].list.cursor, 0);
    press(f, "<"); /* sorted by something else */
    assert_int_equal(cursor_id(f), 16);
    fake_free(f);
}

static void the_first_row_stays_first(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    assert_int_equal(cursor_id(f), 4);
    f->people[30].cpu = 500;
    serve(f);
    assert_int_equal(cursor_id(f), 4 + 30 * 4);
    press(f, "Down Up"); /* moved there: now it belongs to the row */
    f->people[31].cpu = 600;
    serve(f);
    assert_int_equal(cursor_id(f), 4 + 30 * 4);
    press(f, "Home");
    f->people[32].cpu = 700;
    serve(f);
    assert_int_equal(cursor_id(f), 4 + 32 * 4);
    fake_free(f);
}

static void a_row_that_goes_leaves_its_neighbor(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "Down Down");
    assert_int_equal(cursor_id(f), 12);
    memmove(&f->people[2], &f->people[3], (f->count - 3) * sizeof *f->people);
    f->count--;
    serve(f);
    assert_int_equal(cursor_id(f), 16);
    fake_free(f);
}

/* Moving is seen at once, with rows that are there already. */
static void moving_needs_no_frame(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 200);
    f->holds_frames = true;
    const unsigned frames = f->frames;
    press(f, "PgDn Down");
    assert_int_equal(f->frames, frames);
    const uint64_t cursor = f->app.focus->levels[0]->places[0].list.cursor;
    assert_int_equal(cursor, (uint64_t)(f->app.focus->levels[0]->places[0].list.height));
    assert_int_equal(cursor_id(f), 4 + (uint32_t)cursor * 4);
    char row[32];
    snprintf(row, sizeof row, "▸ %7u ", 4 + (uint32_t)cursor * 4);
    shows(f, row);
    press(f, "PgDn PgDn PgDn PgDn"); /* beyond what is known: blank until the frame comes */
    f->holds_frames = false;
    serve(f);
    assert_int_equal(cursor_id(f), 4 + (uint32_t)f->app.focus->levels[0]->places[0].list.cursor * 4);
    fake_free(f);
}

static void keeps_its_line_when_asked(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 200);
    press(f, "Down Down Down Down Down F");
    f->people[5].cpu = 1; /* goes to about row 90 */
    serve(f);
    const struct list *l = &f->app.focus->levels[0]->places[0].list;
    assert_true(l->cursor > 50);
    assert_int_equal(l->cursor - l->top, 5);
    fake_free(f);
}

static void filters_while_typing(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "Down Down");
    press(f, "/");
    type(f, "Sy");
    assert_string_equal(f->last.filter, "Sy");
    shows(f, "filter: Sy");
    shows(f, "10/60 shown, 50 hidden");
    shows(f, "Esc Cancel");
    press(f, "Esc");
    assert_string_equal(f->last.filter, "");
    assert_int_equal(cursor_id(f), 12); /* on its row again */
    press(f, "F4");
    type(f, "Systems");
    press(f, "Backspace Enter");
    assert_string_equal(f->last.filter, "System");
    press(f, "/ C-u");
    type(f, "nothing at all");
    shows(f, "no row matches the filter");
    press(f, "Esc");
    assert_string_equal(f->last.filter, "System");
    press(f, "/ C-u");
    press(f, "Enter / Up"); /* history: only what was kept */
    assert_string_equal(f->last.filter, "System");
    press(f, "Enter Esc");
    assert_string_equal(f->last.filter, "");
    fake_free(f);
}

static void exited_processes_unfold_by_name(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    f->folds = true;
    press(f, "Home");
    press(f, "e");
    shows(f, "this row is not a process");
    assert_false(f->app.focus->is_detail);
    press(f, "Enter");
    assert_true(f->last.folds_exited);
    assert_ptr_equal(f->last.pane, &pane_processes);
    assert_int_equal(f->last.crumb_count, 1);
    assert_int_equal(f->last.crumbs[0].kind, CRUMB_GROUP);
    assert_int_equal(f->last.group, GROUPED_BY_NAME);
    press(f, "Esc");
    assert_int_equal(f->last.crumb_count, 0);
    assert_int_equal(f->last.group, GROUPED_NOT);
    fake_free(f);
}

static void drills_and_comes_back(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "> /");
    type(f, "exe");
    press(f, "Enter Down Down Down");
    const struct request before = f->last;
    const uint32_t id = cursor_id(f);
    press(f, "Enter");
    assert_ptr_equal(f->last.pane, &pane_disk);
    assert_int_equal(f->last.crumb_count, 1);
    assert_int_equal(f->last.crumbs[0].kind, CRUMB_PROCESS);
    assert_int_equal(f->last.crumbs[0].key.a, id);
    assert_string_equal(f->last.filter, "");
    shows(f, ".exe › Disk");
    press(f, "d");
    assert_ptr_equal(f->last.pane, &pane_events);
    assert_int_equal(f->last.crumb_count, 2);
    press(f, "1"); /* another pane at this level keeps the crumbs */
    assert_ptr_equal(f->last.pane, &pane_processes);
    assert_int_equal(f->last.crumb_count, 2);
    press(f, "Backspace Esc");
    assert_ptr_equal(f->last.pane, &pane_processes);
    assert_int_equal(f->last.crumb_count, 0);
    assert_string_equal(f->last.filter, before.filter);
    assert_int_equal(f->last.sort, before.sort);
    assert_int_equal(cursor_id(f), id);
    assert_int_equal(f->last.anchor_line, before.anchor_line);
    fake_free(f);
}

/* What is pressed while a place is still being gathered is done when its rows are there;
 * leaving does not wait, and takes back what did. */
static void keys_wait_for_their_rows(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    f->holds_frames = true;
    press(f, "Enter Down Enter"); /* the second one is about a row that nobody knows yet */
    assert_ptr_equal(f->last.pane, &pane_disk);
    assert_int_equal(f->last.crumb_count, 1);
    serve(f);
    serve(f);
    assert_ptr_equal(f->last.pane, &pane_events);
    assert_int_equal(f->last.crumb_count, 2);
    assert_int_equal(f->last.crumbs[1].key.a, f->people[1].id);
    press(f, "Backspace Backspace");
    serve(f);
    press(f, "Enter Down Down q"); /* back, and nothing is left to be done */
    assert_int_equal(f->last.crumb_count, 0);
    serve(f);
    assert_int_equal(cursor_id(f), f->people[0].id);
    for (unsigned i = 0; i < 200; i++) /* more than anybody presses */
        press(f, "1 Enter Down");
    assert_int_equal(press(f, "C-c") & REACT_QUIT, REACT_QUIT);
    fake_free(f);
}

/* What is typed fast is about the rows that were asked for, not about those they replace. */
static void keys_wait_for_the_rows_of_a_filter(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    f->holds_frames = true;
    press(f, "/");
    type(f, "Sy");
    press(f, "Enter Down Enter");
    assert_string_equal(f->last.filter, "Sy");
    assert_int_equal(f->last.crumb_count, 0);
    serve(f);
    assert_int_equal(f->last.crumb_count, 1);
    assert_int_equal(f->last.crumbs[0].key.a, f->people[9].id); /* the second */
    press(f, "Backspace");
    serve(f);
    press(f, "Down Down"); /* nothing was asked for: there is nothing to wait for */
    assert_int_equal(f->app.pending_count, 0);
    fake_free(f);
}

/* Who goes far and opens at once means the row that is on its way. */
static void keys_wait_for_a_row_far_away(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 200);
    press(f, "End");
    f->holds_frames = true;
    press(f, "Home Down Enter Down");
    assert_int_equal(f->last.crumb_count, 0);
    assert_int_equal(f->app.pending_count, 2);
    serve(f);
    assert_int_equal(f->last.crumb_count, 1);
    assert_int_equal(f->last.crumbs[0].key.a, f->people[1].id);
    fake_free(f);
}

static void the_tail_follows_and_lets_go(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 200);
    f->proto.state = STATE_LIVE;
    serve(f);
    press(f, "d"); /* live: at the newest */
    assert_true(f->last.follow_tail);
    assert_int_equal(cursor_id(f), 4 + 199 * 4);
    shows(f, "by time, tail");
    f->people[f->count++] = (struct person){.id = 4000, .name = "new one"};
    serve(f);
    assert_int_equal(cursor_id(f), 4000);
    press(f, "Up");
    assert_false(f->last.follow_tail);
    assert_int_equal(cursor_id(f), 4 + 199 * 4);
    press(f, "F");
    assert_true(f->last.follow_tail);
    assert_int_equal(cursor_id(f), 4000);
    fake_free(f);
}

static void idle_rows_and_the_order_are_asked_for(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    assert_false(f->last.hides_idle || f->last.locks_order);
    press(f, "i");
    assert_true(f->last.hides_idle);
    shows(f, "sort: CPU%▼  active");
    press(f, "O");
    assert_true(f->last.locks_order);
    shows(f, "sort: CPU%▼  active  order locked");
    press(f, "3"); /* hiding is for all panes, an order is one pane's */
    assert_true(f->last.hides_idle);
    assert_false(f->last.locks_order);
    press(f, "1 o");
    assert_false(f->last.hides_idle);
    assert_true(f->last.locks_order);
    shows_not(f, "active  order locked");
    press(f, "O");
    shows_not(f, "order locked");
    press(f, "i / n o t h i n g Enter");
    shows(f, "no row matches the filter");
    f->count = 0;
    press(f, "Esc");
    shows_not(f, "no row matches");
    fake_free(f);
}

static void tags_mark_rows(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "Space Space Down");
    shows(f, "*       4 chrome.exe");
    shows(f, "*       8 svchost.exe");
    press(f, "Up Up Space");
    shows_not(f, "*       8 svchost.exe");
    press(f, "U");
    shows_not(f, "*       4 ");
    fake_free(f);
}

static void choosers_narrow_by_typing(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "s");
    type(f, "rea");
    press(f, "Enter");
    assert_int_equal(f->last.sort, 3);
    assert_false(f->last.ascending);
    press(f, "s Enter"); /* the same again inverts */
    assert_int_equal(f->last.sort, 3);
    assert_true(f->last.ascending);
    press(f, "v");
    type(f, "every");
    press(f, "Enter");
    assert_ptr_equal(f->last.pane, &pane_events);
    fake_free(f);
}

/* The header line, which no chooser covers. */
static bool header_has(struct fake *f, const char *title)
{
    char *all = screen(f);
    char *line = strstr(all, " NAME ");
    assert_non_null(line);
    line[strcspn(line, "\n")] = '\0';
    const bool has = strstr(line, title) != NULL;
    free(all);
    return has;
}

static void columns_are_chosen(void **state)
{
    (void)state;
    struct fake *f = fake_new(80, 30, 60);
    assert_false(header_has(f, "SHARE %"));
    assert_true(header_has(f, "READ B/s"));
    press(f, "s");
    shows(f, "Space Show/Hide");
    type(f, "share");
    press(f, "Space");
    assert_true(header_has(f, "SHARE %"));
    press(f, "Backspace Backspace Backspace Backspace Backspace r e a d Space Esc");
    assert_false(header_has(f, "READ B/s"));
    assert_true(header_has(f, "SHARE %"));
    assert_int_equal(f->last.sort, 2); /* choosing columns does not sort */
    press(f, "Home 3 1 Enter");        /* disk, a level down, has its own */
    assert_true(header_has(f, "READ B/s"));
    press(f, "1"); /* the pane has them at every level */
    assert_false(header_has(f, "READ B/s"));
    press(f, "Esc");
    assert_false(header_has(f, "READ B/s"));
    press(f, "s r e a d Space Esc"); /* and back */
    assert_true(header_has(f, "READ B/s"));
    press(f, "s s h a r e Space Esc");
    assert_false(header_has(f, "SHARE %"));
    fake_free(f);
}

static void columns_that_cannot_be_chosen_say_so(void **state)
{
    (void)state;
    struct fake *f = fake_new(60, 30, 60);
    press(f, "s Space");
    shows(f, "CPU% stays: rows are sorted by it");
    assert_true(header_has(f, "CPU%"));
    press(f, "c o m m a n d Space Esc"); /* 30 cells */
    assert_true(header_has(f, "CMD"));
    assert_false(header_has(f, "READ B/s"));
    press(f, "s s h a r e Space Esc"); /* 15, and there are 10 */
    shows(f, "no room for SHARE %; hide");
    assert_false(header_has(f, "SHARE %"));
    press(f, "s >"); /* sorting brings a hidden column back while it lasts */
    press(f, "Esc s r e a d Space Enter");
    assert_true(header_has(f, "READ B/s"));
    press(f, "v Space"); /* elsewhere a blank is a blank */
    shows(f, "narrow to:");
    shows_not(f, "Show/Hide");
    fake_free(f);
}

/* Whatever a cell holds: ">=" of it has its row, and none that is a thousandth less; "<" has it not. */
static void a_cell_has_its_own_row(void **state)
{
    (void)state;
    static const char *const columns[] = {"cpu", "read"};
    static const double numbers[] = {0, 1e-7, 0.001, 0.9999, 1.9, 4.1994, 4.19999, 9.9999, 42, 99.99,
                                     419.95, 999.95, 4199.5, 9999.9, 12345.6, 123456.7, 1e6, 1e9,
                                     4.2e11, 9.99999e15};
    uint32_t prng = 3;
    for (unsigned i = 0; i < 4000; i++) {
        const unsigned known = sizeof numbers / sizeof *numbers;
        prng = prng * 1664525u + 1013904223u;
        const double number = i < known ? numbers[i] : (double)(prng >> 4) / (1 << (prng & 15));
        for (unsigned c = 0; c < 2; c++)
            for (unsigned below = 0; below < 2; below++) {
                char value[64], text[96];
                struct filter f;
                struct filter_error why = {0, ""};
                struct filter_found same = {0, 0}, less = {0, 0};
                assert_true(filtering_floor(number, value, sizeof value));
                snprintf(text, sizeof text, "%s%s%s", columns[c], below ? "<" : ">=", value);
                if (!filter_init(&f, text, pane_find("processes"), NULL, &why))
                    fail_msg("%s: %s", text, why.text);
                filter_look_real(&f, 0, number, &same);
                filter_look_real(&f, 0, number * 0.999 - 1e-6, &less);
                if (filter_decide(&f, LEVEL_ROW, same) == below ||
                    filter_decide(&f, LEVEL_ROW, less) != below)
                    fail_msg("%s of %.17g", text, number);
                filter_fini(&f);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cursor_belongs_to_the_row),
        cmocka_unit_test(the_first_row_stays_first),
        cmocka_unit_test(a_row_that_goes_leaves_its_neighbor),
        cmocka_unit_test(moving_needs_no_frame),
        cmocka_unit_test(keeps_its_line_when_asked),
        cmocka_unit_test(filters_while_typing),
        cmocka_unit_test(drills_and_comes_back),
        cmocka_unit_test(exited_processes_unfold_by_name),
        cmocka_unit_test(keys_wait_for_their_rows),
        cmocka_unit_test(keys_wait_for_the_rows_of_a_filter),
        cmocka_unit_test(keys_wait_for_a_row_far_away),
        cmocka_unit_test(the_tail_follows_and_lets_go),
        cmocka_unit_test(idle_rows_and_the_order_are_asked_for),
        cmocka_unit_test(tags_mark_rows),
        cmocka_unit_test(choosers_narrow_by_typing),
        cmocka_unit_test(columns_are_chosen),
        cmocka_unit_test(columns_that_cannot_be_chosen_say_so),
        cmocka_unit_test(a_cell_has_its_own_row),
    };
    return cmocka_run_group_tests_name("app_rows", tests, NULL, NULL);
}
