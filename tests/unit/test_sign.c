/* Signs and words on the screen: each has a line in the help, first those that can be seen. */
#include "tests/made_app.h"

#include "ui/draw/sign_seen.h"
#include "ui/term/grid.h"

enum { LINES = 800, ROOM = 512 };

struct page {
    char lines[LINES][ROOM];
    unsigned count;
};

/* Adds the screen's lines from `first` to `first + count`, without blanks at their ends. */
static void add_lines(struct page *out, const char *screen, int first, uint64_t count)
{
    const char *at = screen;
    for (int i = 0; i < first; i++)
        at = strchr(at, '\n') + 1;
    for (uint64_t i = 0; i < count; i++) {
        const char *const end = strchr(at, '\n');
        const char *last = end;
        while (last > at && last[-1] == ' ')
            last--;
        assert_true(out->count < LINES);
        snprintf(out->lines[out->count++], ROOM, "%.*s", (int)(last - at), at);
        at = end + 1;
    }
}

/* All lines of the help, a page at a time. */
static void read_help(struct fake *f, struct page *out)
{
    enum { FIRST = 2, OTHERS = 5 }; /* lines above; all that show no help or a share of it */
    struct list *const help = &f->app.help;
    out->count = 0;
    press(f, "? g");
    const uint64_t height = (uint64_t)(f->app.rows - OTHERS);
    for (help->top = 0; help->top < help->count; help->top += height) {
        char *const all = screen(f);
        const uint64_t left = help->count - help->top;
        add_lines(out, all, FIRST, left < height ? left : height);
        free(all);
    }
    press(f, "q");
}

static unsigned find_line(const struct page *p, const char *text)
{
    for (unsigned i = 0; i < p->count; i++)
        if (strcmp(p->lines[i] + strspn(p->lines[i], " "), text) == 0)
            return i;
    fail_msg("no line \"%s\" in the help", text);
    return 0;
}

/* Lines with this sign and this text, between two others. */
static unsigned count_lines(const struct page *p, unsigned from, unsigned to, const char *sign,
                            const char *help)
{
    unsigned count = 0;
    for (unsigned i = from; i < to; i++) {
        const char *const at = p->lines[i] + strspn(p->lines[i], " ");
        const size_t bytes = strlen(sign);
        count += strncmp(at, sign, bytes) == 0 && at[bytes] == ' ' &&
                 strcmp(at + bytes + strspn(at + bytes, " "), help) == 0;
    }
    return count;
}

static void every_sign_has_a_line_that_fits(void **state)
{
    (void)state;
    for (enum sign s = 0; s < SIGNS; s++) {
        const char *const text = sign_text(&glyphs_unicode, s), *const help = sign_help(s);
        if (!text || !*text || !sign_text(&glyphs_ascii, s) || !help || !*help)
            fail_msg("sign %u has no row", s);
        if (grid_width(help) > SIGN_HELP)
            fail_msg("%s: \"%s\" takes %d cells", text, help, grid_width(help));
    }
}

static void every_key_has_a_line_that_fits(void **state)
{
    (void)state;
    for (size_t i = 0; i < keymap_count; i++)
        if (grid_width(keymap[i].help) > SIGN_HELP)
            fail_msg("%s: \"%s\" takes %d cells", keymap[i].name, keymap[i].help,
                     grid_width(keymap[i].help));
}

/* On each kind of view: what can be seen comes before the keys, everything else at the end, each
 * sign once; and the keys of the pane come before those of all panes. */
static void help_begins_with_the_signs_of_the_pane(void **state)
{
    (void)state;
    static const char *const ways[] = {"", "A", "7", "t", "v e v e n t s Enter"};
    static struct page page;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct fake *f = fake_new(80, 24, 60);
        f->app.is_still = false;
        f->proto.late = f->proto.unmatched = i;
        press(f, ways[i]);
        serve(f);
        const uint64_t seen = signs_seen(&f->app);
        read_help(f, &page);
        assert_string_equal(page.lines[0], "  Signs on this screen");
        const unsigned keys = find_line(&page, "Keys of this pane");
        const unsigned everywhere = find_line(&page, "Keys everywhere");
        const unsigned others = find_line(&page, "Other signs");
        assert_true(keys < everywhere && everywhere < others);
        for (enum sign s = 0; s < SIGNS; s++) {
            const char *const text = sign_text(f->app.glyphs, s), *const help = sign_help(s);
            if (count_lines(&page, 0, keys, text, help) != (seen >> s & 1) ||
                count_lines(&page, others, page.count, text, help) == (seen >> s & 1))
                fail_msg("%s (%s) is not where it belongs after \"%s\"", text, help, ways[i]);
        }
        fake_free(f);
    }
}

/* A sign is among the first only while it stands on the screen. */
static void only_what_is_seen_is_listed(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        enum sign sign;
    } ways[] = {
        {"Space", SIGN_TAGGED}, {"Z", SIGN_FROZEN}, {"I", SIGN_ASCENDING}, {"L", SIGN_LOCKED}};
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            struct fake *f = fake_new(sizes[i][0], sizes[i][1], 60);
            f->proto.state = STATE_LIVE;
            serve(f);
            if (signs_seen(&f->app) >> ways[k].sign & 1)
                fail_msg("%s is seen before \"%s\"", sign_help(ways[k].sign), ways[k].keys);
            press(f, ways[k].sign == SIGN_LOCKED ? "/ c Enter L" : ways[k].keys);
            serve(f);
            if (!(signs_seen(&f->app) >> ways[k].sign & 1))
                fail_msg("%s is not seen after \"%s\"", sign_help(ways[k].sign), ways[k].keys);
            fake_free(f);
        }
}

/* Signs and keys of the pane have room on the first page from 120x40 on. */
static void the_first_page_has_signs_and_keys(void **state)
{
    (void)state;
    static const int sizes[][2] = {{120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fake *f = fake_new(sizes[i][0], sizes[i][1], 60);
        press(f, "?");
        shows(f, "Signs on this screen");
        shows(f, "Keys of this pane");
        shows(f, "Keys everywhere"); /* and so all that comes before */
        shows(f, "Show signs and keys; / searches the list");
        fake_free(f);
    }
}

static bool has_row(const struct app *a, const char *text)
{
    for (enum sign s = 0; s < SIGNS; s++)
        if (sign_is_here(a, s) && strstr(text, sign_text(a->glyphs, s)))
            return true;
    return false;
}

/* Whatever the status line says has a line in the help of that moment. */
static void the_status_line_is_explained(void **state)
{
    (void)state;
    static const enum engine_state states[] = {STATE_LIVE, STATE_REPLAY, STATE_PAUSED,
                                               STATE_FINISHED, STATE_FAILED};
    for (unsigned i = 0; i < 4 * sizeof states / sizeof *states; i++) {
        struct fake *f = fake_new(240, 24, 60);
        f->app.is_still = false;
        f->proto.state = states[i / 4];
        f->proto.late = 3 * (i & 1);
        f->proto.unmatched = 4 * (i & 1);
        f->proto.bounds.rows_folded = 5 * (i & 1);
        f->proto.is_total = true;
        f->proto.active = i & 1 ? 1u << 3 : 0;
        if (i & 1)
            snprintf(f->proto.capture.text, sizeof f->proto.capture.text, "cpu=1");
        press(f, i & 2 ? "Z C-l s Esc" : "C-l s Esc");
        press(f, "a a");
        f->app.message[0] = '\0';
        serve(f);
        char *all = screen(f), *status = all;
        for (int line = 0; line < 22; line++)
            status = strchr(status, '\n') + 1;
        *strchr(status, '\n') = '\0';
        for (char *part = status, *next; part; part = next) {
            next = strstr(part, f->app.glyphs->divider);
            if (next)
                *next++ = '\0';
            if (!has_row(&f->app, part))
                fail_msg("\"%s\" of the status line has no line in the help", part);
        }
        free(all);
        fake_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sign_has_a_line_that_fits),
        cmocka_unit_test(every_key_has_a_line_that_fits),
        cmocka_unit_test(help_begins_with_the_signs_of_the_pane),
        cmocka_unit_test(only_what_is_seen_is_listed),
        cmocka_unit_test(the_first_page_has_signs_and_keys),
        cmocka_unit_test(the_status_line_is_explained),
    };
    return cmocka_run_group_tests_name("sign", tests, NULL, NULL);
}
