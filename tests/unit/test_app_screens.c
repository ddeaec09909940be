/* What the application draws of frames made by hand. */
#include "tests/made_app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void draws_what_the_frame_says(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    shows(f, " CPU 37.5% ························································· │ disk  0.0% r "
             "1.00M w     0/s");
    shows(f, " Processes ");
    shows(f, "60 rows   sort: CPU%▼");
    shows(f, "      PID NAME ");
    shows(f, "READ B/s");
    shows(f, "          total ");
    shows(f, "▸       4 chrome.exe");
    shows(f, "FINISHED 20:17:22.478");
    shows(f, "LOST 0");
    shows(f, "F1 Help");
    fake_free(f);
}

/* What each size shows: the machine line goes first, then the key bar. */
static void gives_way_when_small(void **state)
{
    (void)state;
    static const struct {
        int columns, rows;
        bool has_machine, has_keys, has_rows;
    } cases[] = {
        {300, 100, true, true, true}, {80, 24, true, true, true},   {79, 24, false, true, true},
        {80, 23, false, true, true},  {60, 12, false, true, true},  {60, 11, false, false, true},
        {40, 8, false, false, true},  {39, 8, false, false, false}, {40, 7, false, false, false},
        {1, 1, false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake *f = fake_new(cases[i].columns, cases[i].rows, 60);
        char *all = screen(f);
        const bool as_reported = (strstr(all, "CPU 37.5%") != NULL) == cases[i].has_machine &&
                                 (strstr(all, "F1 Help") != NULL) == cases[i].has_keys &&
                                 (strstr(all, "chrome.exe") != NULL) == cases[i].has_rows;
        if (!as_reported)
            fail_msg("%dx%d shows:\n%s", cases[i].columns, cases[i].rows, all);
        if (!cases[i].has_rows && cases[i].columns > 20)
            assert_non_null(strstr(all, "terminal too small"));
        free(all);
        fake_free(f);
    }
}

static void columns_come_with_width(void **state)
{
    (void)state;
    static const struct {
        int columns;
        const char *shown, *hidden;
    } cases[] = {
        {46, "READ B/s", "P99"},
        {80, "P99", "SHARE %"},
        {110, "SHARE %", "CMD"},
        {200, "CMD", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake *f = fake_new(cases[i].columns, 30, 60);
        shows(f, cases[i].shown);
        if (cases[i].hidden)
            shows_not(f, cases[i].hidden);
        fake_free(f);
    }
}

static void the_sorted_column_is_always_there(void **state)
{
    (void)state;
    struct fake *f = fake_new(46, 20, 60);
    shows_not(f, "CMD");
    press(f, "> > > >");
    assert_int_equal(f->last.sort, 6);
    shows(f, "CMD▲");
    fake_free(f);
}

static void states_say_so_in_words(void **state)
{
    (void)state;
    static const struct {
        enum engine_state state;
        double speed;
        const char *text;
    } cases[] = {
        {STATE_LIVE, 0, " LIVE 1.0s │"},
        {STATE_REPLAY, 2, " REPLAY 20:17:22.478 ×2 "},
        {STATE_REPLAY, 0, " REPLAY 20:17:22.478 max "},
        {STATE_PAUSED, 1, " PAUSED 20:17:22.478 "},
        {STATE_FINISHED, 0, " FINISHED 20:17:22.478 "},
        {STATE_FAILED, 0, " FAILED "},
    };
    struct fake *f = fake_new(100, 30, 6);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f->proto.state = cases[i].state;
        f->proto.speed = cases[i].speed;
        serve(f);
        shows(f, cases[i].text);
    }
    press(f, "Z");
    assert_true(f->last.freeze);
    shows(f, " FROZEN ");
    press(f, "p");
    assert_false(f->last.freeze);
    fake_free(f);
}

static void loss_is_shown_while_and_after(void **state)
{
    (void)state;
    struct fake *f = fake_new(120, 30, 6);
    f->proto.loss = (struct frame_loss){.kernel = 12345, .ring = 3, .kernel_rate = 250.4};
    serve(f);
    shows(f, "LOST 250/s kernel");
    f->proto.loss.ring_rate = 1500; /* the total's main cause need not be that of now */
    serve(f);
    shows(f, "LOST 1750/s ring");
    f->proto.loss.kernel_rate = f->proto.loss.ring_rate = 0;
    serve(f);
    shows(f, "LOST 12.3k kernel");
    f->proto.loss.undelivered = 12000; /* part of the system's: counted once */
    serve(f);
    shows(f, "LOST 12.3k undelivered");
    f->proto.loss.is_unknown = true;
    serve(f);
    shows(f, "LOST 12.3k? undelivered");
    f->proto.loss = (struct frame_loss){.realtime = 2};
    serve(f);
    shows(f, "LOST 2 buffers");
    f->proto.loss = (struct frame_loss){.decoder = 1};
    serve(f);
    shows(f, "LOST 1 undecoded");
    f->proto.loss = (struct frame_loss){0};
    serve(f);
    shows(f, "LOST 0");
    shows_not(f, "undecoded");
    fake_free(f);
}

/* Each cause with its own number, and no sentence cut, however narrow the screen. */
/* What to do depends on where the records come from: no file is damaged where there is none. */
static void advice_on_loss_fits_the_source(void **state)
{
    (void)state;
    static const struct {
        enum engine_state state;
        const char *shown, *not_shown;
    } cases[] = {
        {STATE_LIVE, "The system wrote records that this version cannot read", "damaged"},
        {STATE_FINISHED, "The file is damaged", "The system wrote"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake *const f = fake_new(160, 40, 2);
        f->proto.state = cases[i].state;
        f->proto.loss = (struct frame_loss){.decoder = 1};
        serve(f);
        press(f, ":");
        type(f, "loss");
        press(f, "Enter");
        shows(f, cases[i].shown);
        shows_not(f, cases[i].not_shown);
        fake_free(f);
    }
}

static void loss_is_listed_whole(void **state)
{
    (void)state;
    static const int widths[] = {60, 80, 160};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct fake *f = fake_new(widths[i], 40, 6);
        f->proto.loss = (struct frame_loss){.kernel = 300, .undelivered = 45};
        serve(f);
        press(f, ":");
        for (const char *c = "loss"; *c; c++)
            press(f, (char[]){*c, '\0'});
        press(f, "Enter");
        shows(f, "kernel");
        shows(f, "255");
        shows(f, "undelivered");
        shows(f, "45");
        shows(f, "fewer"); /* the ends of sentences … */
        shows(f, "fewest");
        shows_not(f, "\u2026"); /* … and nothing cut */
        fake_free(f);
    }
}

/* Behind titles: estimated, incomplete. Nothing else of the header moves. */
static void titles_say_what_numbers_are_worth(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    shows(f, " CPU%▼  READ B/s     P99");
    f->samples = true;
    serve(f);
    shows(f, " CPU%▼~  READ B/s     P99");
    f->loses = true;
    serve(f);
    shows(f, "CPU▼~? READ B/s?     P99");
    f->samples = false;
    serve(f);
    shows(f, " CPU%▼? READ B/s?     P99");
    shows(f, "7? ");
    fake_free(f);
}

static void the_demo_says_so(void **state)
{
    (void)state;
    struct fake *f = fake_new(60, 10, 6);
    shows_not(f, "DEMO");
    f->proto.is_synthetic = true;
    serve(f);
    shows(f, "DEMO synthetic data");
    fake_free(f);
}

/* A pane about what Linux does not have says why it stays empty. */
static void what_linux_lacks_is_reported(void **state)
{
    (void)state;
    static const char why[] = "there are no disks here";
    struct fake *f = fake_new(80, 10, 0);
    f->proto.is_linux = true;
    serve(f);
    shows_not(f, why); /* processes there are */
    press(f, "3");
    f->proto.is_linux = false;
    serve(f);
    shows_not(f, why);
    f->proto.is_linux = true;
    serve(f);
    shows(f, why);
    fake_free(f);
}

/* Nothing that a trace contains reaches the terminal as it is. */
static void names_are_made_harmless(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 3);
    snprintf(f->people[0].name, sizeof f->people[0].name,
             "a\033]0;x\007\xe2\x80\xae\xff日本語.exe");
    serve(f);
    char *all = screen(f);
    assert_null(strchr(all, '\033'));
    assert_null(strchr(all, '\007'));
    assert_null(strstr(all, "\xe2\x80\xae"));
    assert_null(strchr(all, '\xff'));
    assert_non_null(strstr(all, "日本語.exe"));
    free(all);
    fake_free(f);
}

/* Names that are all zero-width or all wide take cells as others do: no line is longer or shorter
 * than the screen, no wide character loses its second half, and something of them is seen. */
static void names_without_width_or_with_two_keep_columns(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b",         /* zero-width spaces */
        "\xcc\x81\xcc\x82\xcc\x83\xcc\x81",                         /* marks without a base */
        "\xe2\x80\x8d\xe2\x80\x8d\xef\xbb\xbf",                     /* joiners, a mark of order */
        "\xf3\xa0\x81\x81\xf3\xa0\x81\x82",                         /* tags */
        "日本語日本語日本語日本語日本語日本語",                         /* all wide */
        "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", /* with tones */
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        for (int width = 40; width < 120; width += 13) {
            struct fake *f = fake_new(width, 12, 3);
            snprintf(f->people[0].name, sizeof f->people[0].name, "%s", odd[i]);
            serve(f);
            free(screen(f));
            unsigned seen = 0;
            for (int y = 0; y < f->grid.height; y++) {
                int cells = 0;
                for (int x = 0; x < f->grid.width; x++) {
                    const struct cell *const c = grid_look(&f->grid, x, y);
                    if (c->width == 2)
                        assert_int_equal(grid_look(&f->grid, x + 1, y)->width, 0);
                    cells += c->width;
                    seen += (unsigned char)c->bytes[0] >= 0xe3 || strcmp(c->bytes, "\xef\xbf\xbd") == 0;
                }
                assert_int_equal(cells, width);
            }
            if (!seen)
                fail_msg("name %zu is not to be seen in %d columns", i, width);
            fake_free(f);
        }
    }
}

/* The role of the cell under the title `title` in the row of `name`. */
static enum role role_of(const struct fake *f, const char *name, const char *title)
{
    int column = -1;
    for (int y = 0; y < f->grid.height; y++) {
        char line[512] = "";
        size_t length = 0;
        for (int x = 0; x < f->grid.width; x++)
            length += (size_t)snprintf(line + length, sizeof line - length, "%s",
                                       grid_look(&f->grid, x, y)->bytes);
        const char *const at = strstr(line, title);
        if (at && column < 0)
            column = (int)(at - line + (ptrdiff_t)strlen(title)) - 1;
        else if (strstr(line, name) && column >= 0)
            return (enum role)grid_look(&f->grid, column, y)->role;
    }
    fail_msg("no row of %s", name);
    return ROLE_TEXT;
}

static void latencies_have_roles_by_how_much_they_hurt(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t ns;
        enum role role;
    } rows[] = {
        {"felt", 100000000, ROLE_CRIT}, {"slow", 99999999, ROLE_HIGH}, {"disk", 10000000, ROLE_HIGH},
        {"usual", 9999999, ROLE_TEXT},  {"still", 100000, ROLE_TEXT},  {"cache", 99999, ROLE_LOW},
        {"none", 0, ROLE_ZERO},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    struct fake *f = fake_new(100, 20, ROWS);
    f->app.glyphs = f->grid.glyphs = &glyphs_ascii;
    for (unsigned i = 0; i < ROWS; i++) {
        snprintf(f->people[i].name, sizeof f->people[i].name, "%s", rows[i].name);
        f->people[i].p99 = rows[i].ns;
    }
    serve(f);
    free(screen(f));
    for (unsigned i = 0; i < ROWS; i++)
        if (role_of(f, rows[i].name, "P99") != rows[i].role)
            fail_msg("%s: role %d", rows[i].name, (int)role_of(f, rows[i].name, "P99"));
    fake_free(f);
}

static void ascii_screens_hold_nothing_else(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    snprintf(f->people[0].name, sizeof f->people[0].name, "日本é");
    f->app.glyphs = f->grid.glyphs = &glyphs_ascii;
    for (int i = 0; i < 4; i++) {
        static const char *const ways[] = {"PgDn", "?", "Esc", "v"};
        press(f, ways[i]);
        char *all = screen(f);
        for (const char *at = all; *at; at++)
            assert_true((unsigned char)*at < 0x80);
        free(all);
    }
    fake_free(f);
}

static void losses_are_listed(void **state)
{
    (void)state;
    struct fake *f = fake_new(120, 40, 4);
    press(f, ":");
    type(f, "loss");
    press(f, "Enter");
    shows(f, "Nothing is missing");
    press(f, "q");
    f->proto.loss.kernel = 1234;
    f->proto.bounds.rows_folded = 77;
    f->proto.unmatched = 5;
    f->proto.stacks_unmatched = 6;
    f->proto.bounds.stacks_late = 4;
    f->proto.bounds.stacks_short = 9;
    serve(f);
    shows(f, "left out 77");
    press(f, ":");
    type(f, "loss");
    press(f, "Enter");
    shows(f, "Missing since the start");
    shows(f, "kernel                   1234");
    shows(f, "larger buffers");
    shows(f, "orphan stacks               2");
    shows(f, "late stacks                 4");
    shows(f, "short stacks                9");
    shows(f, "unmatched completions       3");
    shows(f, "rows                       77");
    press(f, "Esc");
    shows_not(f, "Missing since");
    fake_free(f);
}

static void footprint_is_listed(void **state)
{
    (void)state;
    struct fake *f = fake_new(120, 40, 4);
    f->proto.footprint = (struct frame_footprint){
        .parts = {{"ring", "Records of all events", 48 << 20, 0},
                  {"names", "Names, paths and command lines", 3 << 19, 16 << 20},
                  {"symbols", "Names of functions", 0, 0}},
        .count = 3,
        .resident = 90 << 20};
    serve(f);
    press(f, ":");
    type(f, "footprint");
    press(f, "Enter");
    shows(f, "Memory of this program");
    shows(f, "ring            48.0M   Records of all events");
    shows(f, "names           1.50M   Names, paths and command lines; at most 16.0M");
    shows(f, "symbols             \u00b7");
    shows(f, "sum             49.5M");
    shows(f, "process         90.0M");
    press(f, "Esc");
    shows_not(f, "Memory of this program");
    fake_free(f);
}

/* The status line shows the beginning of the newest, the page all of them to their ends. */
static void notices_are_listed_whole(void **state)
{
    (void)state;
    static const char first[] = "page faults are not collected",
                      last[] = "a sentence that is longer than any status line has room for, with "
                               "an end that nobody has read";
    struct fake *f = fake_new(80, 24, 4);
    press(f, ":");
    type(f, "notices");
    press(f, "Enter");
    shows(f, "No notices");
    press(f, "Esc");
    f->notices[0] = first;
    f->notices[1] = last;
    f->proto.notices.older = 7;
    serve(f);
    press(f, "Home");
    shows(f, "9 notices :messages");
    shows_not(f, "nobody has read");
    press(f, ":");
    type(f, "notices");
    press(f, "Enter");
    shows(f, "Notices, the newest first");
    shows(f, "nobody has read");
    shows(f, first);
    shows(f, "7 older notices");
    press(f, "Esc");
    shows_not(f, "9 notices :messages"); /* they are read */
    fake_free(f);
}

/* A message has the line of keys: figures and LOST stay, and what is cut says where the rest is. */
static void messages_never_cover_losses(void **state)
{
    (void)state;
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}, {60, 10}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fake *f = fake_new(sizes[i][0], sizes[i][1], 4);
        f->proto.loss.kernel = 77;
        serve(f);
        app_message(&f->app, true, "%0*d end of a long one", sizes[i][0], 7);
        shows(f, "LOST 77");
        shows(f, "…");
        if (sizes[i][0] >= 80)
            shows(f, ":messages");
        shows_not(f, "end of a long one");
        app_message_release(&f->app);
        app_message(&f->app, false, "short");
        shows(f, "LOST 77");
        shows(f, "short");
        shows_not(f, ":messages");
        press(f, ":");
        type(f, "messages");
        press(f, "Enter");
        shows(f, "Messages, the newest first");
        press(f, "/");
        type(f, "end of");
        shows(f, "end of");
        fake_free(f);
    }
}

/* What a mistake is must be seen: a message that comes right behind it waits for two seconds from
 * when the mistake is on the screen. What a key brings does not wait, nor does another error. */
static void an_error_is_not_replaced_at_once(void **state)
{
    (void)state;
    static const int64_t SECOND = 1000000000;
    struct fake *f = fake_new(80, 24, 4);
    struct app *const a = &f->app;
    const int64_t now = a->now;
    app_message(a, true, "a mistake");
    app_message(a, false, "a mark");
    app_message(a, false, "another mark");
    app_tick(a, now + 60 * SECOND); /* drawing takes a while */
    shows(f, "a mistake");
    app_was_shown(a, now + 60 * SECOND);
    assert_int_equal(app_tick(a, now + 61 * SECOND), REACT_NONE);
    shows(f, "a mistake");
    assert_int_equal(app_due(a), 1001);
    assert_int_equal(app_tick(a, now + 62 * SECOND), REACT_DRAW);
    shows(f, "another mark");
    assert_int_equal(app_tick(a, now + 68 * SECOND), REACT_DRAW);
    shows_not(f, "another mark");
    assert_string_equal(message_log_at(a->messages, 1)->text, "a mark");

    app_message(a, true, "a mistake");
    app_message(a, true, "a second one");
    shows(f, "a second one");
    app_message(a, false, "a mark");
    press(f, "Down");
    app_message(a, false, "what the key did");
    shows(f, "what the key did");
    app_message(a, true, "a mistake");
    app_was_shown(a, a->now);
    app_tick(a, a->now + 6 * SECOND); /* nothing waits: it goes as others do */
    app_tick(a, a->now);
    shows_not(f, "a mistake");
    fake_free(f);
}

static void the_last_hundred_messages_are_kept(void **state)
{
    (void)state;
    struct fake *f = fake_new(80, 24, 4);
    for (int i = 1; i <= MESSAGES_KEPT + 5; i++)
        app_message(&f->app, i & 1, "message %d", i);
    assert_int_equal(message_log_count(f->app.messages), MESSAGES_KEPT);
    assert_string_equal(message_log_at(f->app.messages, 0)->text, "message 105");
    assert_string_equal(message_log_at(f->app.messages, MESSAGES_KEPT - 1)->text, "message 6");
    assert_null(message_log_at(f->app.messages, MESSAGES_KEPT));
    press(f, ":");
    type(f, "messages");
    press(f, "Enter End");
    shows(f, "5 older messages are no longer kept");
    char long_one[3 * MESSAGE_ROOM];
    memset(long_one, 'x', sizeof long_one);
    memcpy(long_one + sizeof long_one - 4, "end", 4);
    app_message(&f->app, true, "%s", long_one);
    const char *const kept = message_log_at(f->app.messages, 0)->text;
    assert_string_equal(kept + strlen(kept) - strlen("…"), "…");
    fake_free(f);
}

static void frames_of_another_place_are_not_shown(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    struct frame *late = answer(f, &f->last);
    f->holds_frames = true;
    press(f, "Enter");
    assert_int_equal(app_frame(&f->app, late), REACT_NONE);
    shows_not(f, "chrome.exe      ");
    shows(f, "gathering");
    serve(f);
    shows(f, "chrome.exe");
    fake_free(f);
}

static void events_show_their_fields(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "d Down Down Enter");
    assert_true(f->last.detail);
    assert_int_equal(f->last.anchor.a, 12);
    shows(f, "DiskNumber                3");
    shows(f, "evil␛[2Jname");
    shows(f, "Payload, 19 bytes");
    shows(f, "000000   30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef");
    shows(f, "000010   58 59 5a ");
    press(f, "Esc");
    assert_false(f->last.detail);
    assert_int_equal(f->last.crumb_count, 1);
    assert_int_equal(cursor_id(f), 12);
    fake_free(f);
}

static void help_is_searched(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    press(f, "?");
    shows(f, "Signs on this screen");
    press(f, "/");
    type(f, "freeze");
    shows_not(f, "Signs on this screen");
    shows(f, ":freeze");
    press(f, "Esc");
    shows(f, "Signs on this screen");
    press(f, "Space G");
    shows(f, "100%");
    fake_free(f);
}

static void asks_only_when_something_changed(void **state)
{
    (void)state;
    struct fake *f = fake_new(100, 30, 60);
    const unsigned requests = f->requests;
    for (int i = 0; i < 10; i++)
        serve(f);
    press(f, "C-l # # #"); /* two lines; full, which are as many here; off */
    assert_int_equal(f->requests, requests + 2);
    fake_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_what_the_frame_says),
        cmocka_unit_test(gives_way_when_small),
        cmocka_unit_test(columns_come_with_width),
        cmocka_unit_test(the_sorted_column_is_always_there),
        cmocka_unit_test(states_say_so_in_words),
        cmocka_unit_test(loss_is_shown_while_and_after),
        cmocka_unit_test(advice_on_loss_fits_the_source),
        cmocka_unit_test(loss_is_listed_whole),
        cmocka_unit_test(titles_say_what_numbers_are_worth),
        cmocka_unit_test(the_demo_says_so),
        cmocka_unit_test(what_linux_lacks_is_reported),
        cmocka_unit_test(names_are_made_harmless),
        cmocka_unit_test(names_without_width_or_with_two_keep_columns),
        cmocka_unit_test(latencies_have_roles_by_how_much_they_hurt),
        cmocka_unit_test(ascii_screens_hold_nothing_else),
        cmocka_unit_test(losses_are_listed),
        cmocka_unit_test(footprint_is_listed),
        cmocka_unit_test(notices_are_listed_whole),
        cmocka_unit_test(messages_never_cover_losses),
        cmocka_unit_test(an_error_is_not_replaced_at_once),
        cmocka_unit_test(the_last_hundred_messages_are_kept),
        cmocka_unit_test(frames_of_another_place_are_not_shown),
        cmocka_unit_test(events_show_their_fields),
        cmocka_unit_test(help_is_searched),
        cmocka_unit_test(asks_only_when_something_changed),
    };
    return cmocka_run_group_tests_name("app_screens", tests, NULL, NULL);
}
