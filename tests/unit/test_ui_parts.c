/* The parts of the screen: keys, key table, numbers, list, prompt, themes, grid. */
#include "tests/test.h"

#include "ui/action/action.h"
#include "ui/config/keys.h"
#include "ui/term/grid.h"
#include "ui/term/input.h"
#include "ui/term/painter.h"
#include "ui/term/screen.h"
#include "ui/term/input_sanitizer.h"
#include "ui/theme/theme.h"
#include "ui/widget/format.h"
#include "ui/widget/list.h"
#include "ui/widget/prompt.h"

#include "src/pane/panes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The key table reaches every pane; these parts need none. */
const struct pane *panes[] = {NULL};

bool panes_add(const struct pane *p)
{
    (void)p;
    return false;
}

const struct pane *pane_find(const char *id)
{
    (void)id;
    return NULL;
}

const struct column *pane_column(const struct pane *p, const char *id)
{
    (void)p, (void)id;
    return NULL;
}

#define COUNT(x) (sizeof(x) / sizeof *(x))

/* ---- keys ----------------------------------------------------------------------------- */

static void key_names_read_back(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a",     "A",    "?",      "/",       "C-s",  "C-\\", "M-x", "S-Tab", "Tab",       "F1",
        "F10",   "F24",  "PgUp",   "PgDn",    "Home", "End",  "Esc", "Enter", "Backspace", "Del",
        "Space", "S-Up", "C-Home", "WheelUp", "é",    "日",   "-",   "C--",   "Paste"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct key k;
        char text[KEY_NAME];
        if (!key_parse(names[i], &k))
            fail_msg("%s is a key", names[i]);
        assert_string_equal(key_text(&k, text), names[i]);
    }
    static const char *const wrong[] = {"",    "F0",   "F25",  "F1x",  "ab",       "C-",
                                        "X-a", "\033", "C-ab", "\xff", "\xe6\x97", "Nope"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct key k;
        if (key_parse(wrong[i], &k))
            fail_msg("%s is no key", wrong[i]);
    }
}

static void one_key_means_one_thing(void **state)
{
    (void)state;
    for (size_t i = 0; i < keymap_count; i++) {
        const struct binding *b = &keymap[i];
        char name[KEY_NAME];
        if (!b->name[0] || !b->help || strlen(b->help) < 8 || !action_of(b->action) || !b->contexts)
            fail_msg("row %zu (%s) is not complete", i, b->name);
        for (const char *at = b->keys; keymap_next_key(&at, name);) {
            struct key k;
            if (!key_parse(name, &k))
                fail_msg("%s: %s is no key", b->name, name);
            for (unsigned context = 1; context <= CONTEXT_PROMPT; context <<= 1)
                if ((b->contexts & context) && keys_find(NULL, context, &k) != b)
                    fail_msg("%s: %s means something else in context %u", b->name, name, context);
        }
    }
}

static void some_keys_stay_free(void **state)
{
    (void)state;
    static const char *const unbound[] = {"C-a", "C-b", "C-q", "C-\\", "F11", "F12"};
    for (size_t i = 0; i < COUNT(unbound); i++) {
        struct key k;
        assert_true(key_parse(unbound[i], &k));
        assert_null(keys_find(NULL, CONTEXT_ALL, &k));
    }
}

/* In tables everything can be done with a letter or sign: no function key is alone. */
static void no_function_key_is_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < keymap_count; i++) {
        char name[KEY_NAME];
        bool has_function = false, has_other = false;
        for (const char *at = keymap[i].keys; keymap_next_key(&at, name);) {
            const bool is_function = name[0] == 'F' && name[1] != '\0';
            has_function |= is_function;
            has_other |= !is_function;
        }
        if ((keymap[i].contexts & CONTEXT_SHOWS) && has_function && !has_other)
            fail_msg("%s can only be had with %s", keymap[i].name, keymap[i].keys);
    }
}

static void keys_are_printed_from_the_table(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    keys_print(NULL, out);
    fclose(out);
    assert_non_null(strstr(text, "command\tkeys\twhere\thelp\tconflicts\n"));
    assert_non_null(strstr(text, "\nfilter\tF4 / \\ &\ttable,events\t"));
    size_t lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, keymap_count + 1);
    free(text);
}

/* ---- what terminals send ------------------------------------------------------------------ */

static size_t sift(bool is_utf8, const char *in, size_t bytes, char *out)
{
    struct input_sanitizer s = {.is_utf8 = is_utf8};
    size_t count = 0;
    uint8_t passed[SANITIZER_HELD];
    for (size_t i = 0; i < bytes; i++) {
        const size_t some = sanitizer_byte(&s, (uint8_t)in[i], passed);
        memcpy(out + count, passed, some);
        count += some;
    }
    const size_t rest = sanitizer_flush(&s, passed);
    memcpy(out + count, passed, rest);
    return count + rest;
}

static void only_sound_sequences_pass(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"abc\r\t\x7f\x03", "abc\r\t\x7f\x03"},
        {"\033", "\033"},
        {"\033\033", "\033\033"},
        {"\033x", "\033x"},
        {"\033[A\033[1;5C\033[15~\033[200~", "\033[A\033[1;5C\033[15~\033[200~"},
        {"\033OP\033OA", "\033OP\033OA"},
        {"\033O", "\033O"},
        {"\033[", "\033["},
        {"\033[<0;10;5M\033[<0;10;5m", "\033[<0;10;5M\033[<0;10;5m"},
        {"a\033[?Ab", "ab"}, /* crashed libtermkey */
        {"a\033[>0;1;2cb", "ab"},
        {"a\033[<1Ab", "ab"},
        {"a\033[<1;2Mb", "ab"},
        {"a\033[1 Ab", "ab"},
        {"a\033[1$yb", "ab"},
        {"a\033[Mb", "ab"},
        {"a\033[999999~b", "ab"},
        {"a\033[1;2;3;4;5~b", "ab"},
        {"a\033[1\033[B", "a\033[B"}, /* a new one ends what was begun */
        {"a\033[12", "a"},            /* and so does silence */
        {"a\033[1\rb", "a\rb"},
        {"\033\r", "\033\r"},
        {"a\033[11111111111111111111111111111111111111111111111111111~b", "ab"},
        {"é日😀", "é日😀"},
        {"\x9b"
         "A\xff\x80\xc0\xe6\x97z\xe6",
         "Az"},
        {"\033é", "\033é"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[256];
        const size_t count = sift(true, cases[i].in, strlen(cases[i].in), out);
        if (count != strlen(cases[i].out) || memcmp(out, cases[i].out, count) != 0)
            fail_msg("row %zu: expected %zu bytes, found %zu: %.*s", i, strlen(cases[i].out), count,
                     (int)count, out);
    }
    char out[16];
    assert_int_equal(sift(false, "é", 2, out), 0);
}

/* Bytes of a terminal to keys, through a pipe. */
static void bytes_become_keys(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *keys;
    } cases[] = {
        {"a?\x03\r\t\x7f", "a ? C-c Enter Tab Backspace"},
        {"\033[A\033OB\033[5~\033[6~\033[H\033[F\033[3~", "Up Down PgUp PgDn Home End Del"},
        {"\033OP\033[15~\033[21~\033[Z\033[1;2A", "F1 F5 F10 S-Tab S-Up"},
        {"\0331\033x", "M-1 M-x"},
        {"\033[<0;10;5M\033[<0;10;5m\033[<64;1;1M\033[<65;1;1M", "Click WheelUp WheelDown"},
        {"\033[<0;10;5M\033[<32;12;5M\033[<0;12;5m\033[<0;12;5m", "Click Drag Drop"},
        {"\033[200~rm\r\x03-rf\033[31m\033[201~x", "Paste x"},
        {"é日", "é 日"},
        {"\033\xc3[?R", "Esc [ ? R"}, /* crashed libtermkey */
        {"\033[?1;2cq", "q"},
    };
    setenv("TERM", "xterm-256color", 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err;
        struct input *in = input_open(true, &err);
        if (!in)
            fail_msg("%s", err.text);
        input_push(in, (const uint8_t *)cases[i].bytes, strlen(cases[i].bytes));
        char keys[256] = "", name[KEY_NAME];
        for (;;) {
            const struct key k = input_next(in);
            if (k.kind == KEY_NOTHING)
                break;
            if (k.kind == KEY_PASTE)
                assert_memory_equal(k.text, "rm -rf", 6);
            if (k.kind == KEY_CLICK)
                assert_true(k.x == 9 && k.y == 4);
            strcat(keys, keys[0] ? " " : "");
            strcat(keys, key_text(&k, name));
        }
        if (strcmp(keys, cases[i].keys) != 0)
            fail_msg("row %zu: expected %s, found %s", i, cases[i].keys, keys);
        input_close(in);
    }
}

/* ---- numbers ---------------------------------------------------------------------------- */

static void values_as_people_read_them(void **state)
{
    (void)state;
    static const struct {
        struct value v;
        const char *text;
    } cases[] = {
        {{.type = VALUE_ABSENT}, "-"},
        {{.type = VALUE_ID, .count = 0}, "0"},
        {{.type = VALUE_ID, .count = 4294967295u}, "4294967295"},
        {{.type = VALUE_HEX, .count = 0xdeadbeef}, "0xdeadbeef"},
        {{.type = VALUE_COUNT, .count = 0}, "·"},
        {{.type = VALUE_COUNT, .count = 9999}, "9999"},
        {{.type = VALUE_COUNT, .count = 10000}, "10.0k"},
        {{.type = VALUE_COUNT, .count = 12345}, "12.3k"},
        {{.type = VALUE_COUNT, .count = 999499}, "999k"},
        {{.type = VALUE_COUNT, .count = 999500}, "1.00M"},
        {{.type = VALUE_COUNT, .count = UINT64_MAX}, "18.4E"},
        {{.type = VALUE_RATE, .number = 0.25}, "0.25"},
        {{.type = VALUE_RATE, .number = 0.001}, "<0.01"},
        {{.type = VALUE_RATE, .number = 12.34}, "12.3"},
        {{.type = VALUE_RATE, .number = 1234.5}, "1235"},
        {{.type = VALUE_RATE, .number = 7}, "7"},
        {{.type = VALUE_BYTES, .count = 512}, "512"},
        {{.type = VALUE_BYTES, .count = 1000}, "0.98K"},
        {{.type = VALUE_BYTES, .count = 1536}, "1.50K"},
        {{.type = VALUE_BYTES, .count = 123456}, "121K"},
        {{.type = VALUE_BYTES, .count = 1ull << 30}, "1.00G"},
        {{.type = VALUE_BYTE_RATE, .number = 12.9 * 1048576}, "12.9M"},
        {{.type = VALUE_TIME, .ns = 0}, "·"},
        {{.type = VALUE_TIME, .ns = 100}, "100ns"},
        {{.type = VALUE_TIME, .ns = 1234}, "1.23µs"},
        {{.type = VALUE_TIME, .ns = 999499}, "999µs"},
        {{.type = VALUE_TIME, .ns = 999600}, "1.00ms"},
        {{.type = VALUE_TIME, .ns = 12345678}, "12.3ms"},
        {{.type = VALUE_TIME, .ns = 75000000000}, "75.0s"},
        {{.type = VALUE_TIME, .ns = 150000000000}, "2.50m"},
        {{.type = VALUE_TIME, .ns = 7200000000000}, "2.00h"},
        {{.type = VALUE_TIME, .ns = -1500}, "-1.50µs"},
        {{.type = VALUE_TIME_RATE, .number = 12.5e6}, "12.5"},
        {{.type = VALUE_PERCENT, .number = 0}, "·"},
        {{.type = VALUE_PERCENT, .number = 0.123}, "0.12"},
        {{.type = VALUE_PERCENT, .number = 9.996}, "10.0"},
        {{.type = VALUE_PERCENT, .number = 100}, "100"},
        {{.type = VALUE_INSTANT, .ns = 1464293842478931000}, "20:17:22.478"},
        {{.type = VALUE_INSTANT, .ns = -1}, "23:59:59.999"},
        {{.type = VALUE_RATE, .is_incomplete = 1, .number = 12}, "12?"},
        {{.type = VALUE_RATE, .is_incomplete = 1, .number = 0}, "?"},
        {{.type = VALUE_TEXT, .text = {2, 3}}, "cde"},
        {{.type = VALUE_TEXT, .text = {6, 1}}, "?"}, /* beyond the arena */
        {{.type = VALUE_TEXT, .text = {2, 0xffffffff}}, "?"},
    };
    const struct format f = {.glyphs = &glyphs_unicode, .time = TIME_UTC};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[FORMAT_ROOM];
        format_value(&f, &cases[i].v, "abcdef", 6, text, sizeof text);
        if (strcmp(text, cases[i].text) != 0)
            fail_msg("row %zu: expected %s, found %s", i, cases[i].text, text);
    }
    const struct format ascii = {.glyphs = &glyphs_ascii, .time = TIME_RELATIVE, .start = 1000};
    char text[FORMAT_ROOM];
    const struct format si = {.glyphs = &glyphs_unicode, .is_si = true};
    format_value(&si, &(struct value){.type = VALUE_BYTES, .count = 123456}, "", 0, text,
                 sizeof text);
    assert_string_equal(text, "123K");
    format_value(&si, &(struct value){.type = VALUE_BYTES, .count = 1500000}, "", 0, text,
                 sizeof text);
    assert_string_equal(text, "1.50M");
    format_value(&ascii, &(struct value){.type = VALUE_TIME, .ns = 1234}, "", 0, text, sizeof text);
    assert_string_equal(text, "1.23us");
    format_value(&ascii, &(struct value){.type = VALUE_INSTANT, .ns = 1500001000}, "", 0, text,
                 sizeof text);
    assert_string_equal(text, "+1.500000");
}

/* ---- list ------------------------------------------------------------------------------- */

static void a_list_stops_at_its_ends(void **state)
{
    (void)state;
    struct list l = list_start(10);
    list_fit(&l, 25, 10);
    list_move(&l, -1);
    assert_int_equal(l.cursor, 0);
    list_move(&l, 12);
    assert_int_equal(l.cursor, 12);
    assert_int_equal(l.top, 3);
    list_page(&l, 2);
    assert_int_equal(l.cursor, 21);
    assert_int_equal(l.top, 12);
    list_move(&l, 1000000);
    assert_int_equal(l.cursor, 24);
    assert_int_equal(l.top, 15);
    list_home(&l);
    assert_true(l.is_first);
    assert_int_equal(l.top, 0);
    list_pan(&l, 3);
    assert_int_equal(l.top, 3);
    assert_int_equal(l.cursor, 3);
    list_end(&l);
    assert_int_equal(l.cursor, 24);
    list_fit(&l, 0, 10);
    assert_int_equal(l.cursor, 0);
    list_move(&l, 5);
    list_page(&l, -2);
    list_end(&l);
    assert_int_equal(l.cursor, 0);
}

static void a_list_follows_its_row(void **state)
{
    (void)state;
    struct list l = list_start(10);
    list_fit(&l, 100, 10);
    list_go(&l, 5);
    list_follow(&l, 7); /* still in sight: nothing scrolls */
    assert_int_equal(l.top, 0);
    list_follow(&l, 50);
    assert_int_equal(l.cursor, 50);
    assert_true(l.top <= 50 && l.top + 10 > 50);
    l.keeps_line = true;
    const uint64_t line = l.cursor - l.top;
    list_follow(&l, 30);
    assert_int_equal(l.cursor - l.top, line);
    list_follow(&l, 0);
    assert_int_equal(l.top, 0);
}

static void a_text_has_no_cursor(void **state)
{
    (void)state;
    struct list l = list_start(10);
    l.is_text = true;
    list_fit(&l, 15, 10);
    list_move(&l, 3);
    assert_int_equal(l.top, 3);
    list_page(&l, 2);
    assert_int_equal(l.top, 5);
    list_home(&l);
    assert_int_equal(l.top, 0);
    list_end(&l);
    assert_int_equal(l.top, 5);
    list_fit(&l, 3, 10);
    assert_int_equal(l.top, 0);
}

/* ---- prompt ------------------------------------------------------------------------------ */

static void edit(struct prompt *p, const char *keys)
{
    char name[KEY_NAME];
    struct key k;
    while (keymap_next_key(&keys, name)) {
        assert_true(key_parse(name, &k));
        prompt_key(p, &k);
    }
}

static void prompts_edit(void **state)
{
    (void)state;
    static const struct {
        const char *before, *keys, *after;
        size_t at;
    } cases[] = {
        {"", "a b c", "abc", 3},
        {"abc", "Left Left x", "axbc", 2},
        {"abc", "Home Del", "bc", 0},
        {"abc", "Home Backspace", "abc", 0},
        {"abc", "End Del Right", "abc", 3},
        {"one two", "C-w", "one ", 4},
        {"one two  ", "C-w", "one ", 4},
        {"one two", "Left Left C-u", "wo", 0},
        {"one two", "Home Right Right Right C-k", "one", 3},
        {"e\xcc\x81x", "Left Backspace", "x", 0}, /* a letter with its accent goes as one */
        {"日本", "Left é", "日é本", 5},
        {"abc", "C-x M-x F5", "abc", 3},
    };
    struct history h = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct prompt p;
        prompt_open(&p, &h, cases[i].before);
        edit(&p, cases[i].keys);
        if (strcmp(p.text, cases[i].after) != 0 || p.at != cases[i].at)
            fail_msg("\"%s\" + %s: expected \"%s\" at %zu, found \"%s\" at %zu", cases[i].before,
                     cases[i].keys, cases[i].after, cases[i].at, p.text, p.at);
    }
}

static void prompts_hold_what_fits(void **state)
{
    (void)state;
    struct history h = {0};
    struct prompt p;
    prompt_open(&p, &h, "");
    char large[FILTER_MAX * 2];
    memset(large, 'x', sizeof large);
    const struct key paste = {.kind = KEY_PASTE, .text = large, .bytes = sizeof large};
    prompt_key(&p, &paste);
    assert_int_equal(strlen(p.text), 0); /* too much: nothing rather than a part */
    for (int i = 0; i < FILTER_MAX * 2; i++)
        edit(&p, "x");
    assert_int_equal(strlen(p.text), FILTER_MAX - 1);
    for (int i = 0; i < HISTORY_MAX + 5; i++) {
        char line[16];
        snprintf(line, sizeof line, "line %d", i);
        prompt_set(&p, line);
        prompt_keep(&p);
        prompt_keep(&p);
    }
    assert_int_equal(h.count, HISTORY_MAX);
    prompt_open(&p, &h, "typed");
    edit(&p, "Up Up");
    assert_string_equal(p.text, "line 35");
    edit(&p, "Down Down Down");
    assert_string_equal(p.text, "typed");
    history_fini(&h);
}

/* ---- themes ------------------------------------------------------------------------------ */

static double part(unsigned byte)
{
    const double v = byte / 255.0;
    return v <= 0.04045 ? v / 12.92
                        : (v + 0.055) / 1.055 * ((v + 0.055) / 1.055) * (0.75 + 0.25 * v);
}

/* WCAG's contrast, with a polynomial for the power: exact enough to distinguish 4 from 5. */
static double contrast(uint32_t a, uint32_t b)
{
    const uint32_t rgb[2] = {color_rgb(a, 0), color_rgb(b, 0)};
    double l[2];
    for (int i = 0; i < 2; i++)
        l[i] = 0.2126 * part(rgb[i] >> 16 & 255) + 0.7152 * part(rgb[i] >> 8 & 255) +
               0.0722 * part(rgb[i] & 255);
    return l[0] > l[1] ? (l[0] + 0.05) / (l[1] + 0.05) : (l[1] + 0.05) / (l[0] + 0.05);
}

static void shipped_themes_are_whole(void **state)
{
    (void)state;
    static const enum role read_often[] = {ROLE_TEXT,          ROLE_DIM,          ROLE_TITLE,
                                           ROLE_HEADER,        ROLE_HEADER_SORT,  ROLE_ROW_TAGGED,
                                           ROLE_FILTER,        ROLE_FILTER_BAD,   ROLE_STATUS,
                                           ROLE_STATUS_FROZEN, ROLE_STATE_LIVE,   ROLE_STATE_FROZEN,
                                           ROLE_STATE_PAUSED,  ROLE_STATE_FAILED, ROLE_BADGE,
                                           ROLE_LOST,          ROLE_LOST_PAST,    ROLE_KEY,
                                           ROLE_NAME,          ROLE_HIGH,         ROLE_CRIT};
    unsigned count = 0;
    for (size_t i = 0; theme_embedded(i); i++, count++) {
        struct theme *t = calloc(1, sizeof *t);
        struct err err;
        if (!theme_load(t, theme_embedded(i), &err))
            fail_msg("%s", err.text);
        if (t->warnings)
            fail_msg("%s", t->warning.text);
        assert_string_equal(t->name, theme_embedded(i));
        struct look look;
        for (unsigned d = 0; d < DEPTHS; d++)
            theme_reduce(t, (enum depth)d, &look);
        for (size_t r = 0; r < COUNT(read_often); r++) {
            const struct style s = look_style(&look, read_often[r], ROLE_TEXT, GRADIENT_NONE, 0);
            if ((s.fg & COLOR_KIND) == COLOR_RGB && (s.bg & COLOR_KIND) == COLOR_RGB &&
                contrast(s.fg, s.bg) < 4.4)
                fail_msg("%s: %s has a contrast of %.1f", t->name, role_name(read_often[r]),
                         contrast(s.fg, s.bg));
        }
        free(t);
    }
    assert_true(count >= 4);
}

/* Without color every state that must be distinguished still can be. */
static void meaning_survives_without_color(void **state)
{
    (void)state;
    static const enum role marked[] = {
        ROLE_HEADER, ROLE_ROW_CURSOR, ROLE_ROW_TAGGED, ROLE_ROW_EXITED, ROLE_STATE_FROZEN,
        ROLE_LOST,   ROLE_FILTER_BAD, ROLE_BADGE,      ROLE_KEY,        ROLE_ZERO};
    struct theme *t = calloc(1, sizeof *t);
    assert_true(theme_load(t, "default", NULL));
    struct look look;
    theme_reduce(t, DEPTH_MONO, &look);
    for (size_t i = 0; i < COUNT(marked); i++) {
        const struct style s = look_style(&look, marked[i], ROLE_TEXT, GRADIENT_LOAD, 9);
        if (s.attributes == 0 || s.fg != COLOR_NONE || s.bg != COLOR_NONE)
            fail_msg("%s is not marked without color", role_name(marked[i]));
    }
    free(t);
}

static void themes_inherit_and_recolor(void **state)
{
    (void)state;
    static const char text[] =
        "[meta]\nname = child\ninherits = default\n[palette]\naccent = #123\nown=accent\n"
        "[roles]\nlost = own on c17 underline\n[roles.16]\nlost = bright-red\n[roles.mono]\nlost = "
        "bold\n";
    struct theme *t = calloc(1, sizeof *t);
    struct look look;
    assert_true(theme_load(t, "default", NULL));
    theme_parse(t, text, sizeof text - 1, "child");
    assert_int_equal(t->warnings, 0);
    theme_reduce(t, DEPTH_TRUE, &look);
    assert_int_equal(look.styles[ROLE_CRUMB].fg,
                     COLOR_RGB | 0x112233); /* the parent's role, our palette */
    assert_int_equal(look.styles[ROLE_LOST].fg, COLOR_RGB | 0x112233);
    assert_int_equal(look.styles[ROLE_LOST].bg, COLOR_INDEX | 17);
    assert_int_equal(look.styles[ROLE_LOST].attributes, ATTRIBUTE_UNDERLINE);
    theme_reduce(t, DEPTH_256, &look);
    assert_int_equal(look.styles[ROLE_LOST].fg & COLOR_KIND, COLOR_INDEX);
    theme_reduce(t, DEPTH_16, &look);
    assert_int_equal(look.styles[ROLE_LOST].fg, COLOR_INDEX | 9);
    theme_reduce(t, DEPTH_MONO, &look);
    assert_int_equal(look.styles[ROLE_LOST].attributes, ATTRIBUTE_BOLD);
    free(t);
}

static void bad_themes_cost_their_bad_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"[roles]\nnosuch = red\n", "x:2: no such role: \"nosuch\""},
        {"[roles]\nlost = nocolor\n", "\"nocolor\" is neither a color nor an attribute"},
        {"[roles]\nlost = red blue\n", "also found \"blue\""},
        {"[roles]\nlost = red on\n", "expected a color after \"on\""},
        {"[roles]\nlost = #12345\n", "\"#12345\" is neither"},
        {"[roles]\nlost = c256\n", "\"c256\" is neither"},
        {"[palette]\na = b\nb = a\n", "not a color: \"b\""},
        {"[meta]\ncolor = yes\n", "x:2: no such entry in [meta]"},
        {"[meta]\nmode = purple\n", "no such entry in [meta], or not with this value"},
        {"[nosuch]\na = b\n", "no such section for \"a\""},
        {"[gradients]\nheat = red\n", "at least two colors"},
        {"[series]\nlist =\n", "\"list\" with colors"},
        {"just words\n", "expected \"key = value\""},
        {"= value\n", "expected \"key = value\""},
        {"[roles\nlost = red\n", "expected \"key = value\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct theme *t = calloc(1, sizeof *t);
        theme_parse(t, cases[i].text, strlen(cases[i].text), "x");
        if (t->warnings == 0 || !strstr(t->warning.text, cases[i].says))
            fail_msg("row %zu: expected \"%s\", found \"%s\"", i, cases[i].says,
                     t->warnings ? t->warning.text : "nothing");
        struct look look;
        theme_reduce(t, DEPTH_TRUE, &look);
        free(t);
    }
    struct err err;
    struct theme *t = calloc(1, sizeof *t);
    assert_false(theme_load(t, "nosuch", &err));
    assert_non_null(strstr(err.text, "no theme \"nosuch\"; there are "));
    assert_false(theme_load(t, "./nosuch.theme", &err));
    assert_non_null(strstr(err.text, "nosuch.theme"));
    free(t);
}

/* Any beginning of a theme, and any theme with a byte changed, is read without harm. */
static void any_bytes_may_be_a_theme(void **state)
{
    (void)state;
    static const char text[] =
        "\xef\xbb\xbf# c\n[meta]\nname = a # b\ninherits = "
        "default\n[palette]\nbase00=#101418\n[roles]\r\n"
        "text = base00 on #fff bold\n[gradients]\nheat = #000 #fff\n[series]\nlist = red, c12\n";
    struct theme *t = calloc(1, sizeof *t);
    struct look look;
    for (size_t length = 0; length < sizeof text; length++) {
        char *exact = malloc(length ? length : 1);
        memcpy(exact, text, length);
        memset(t, 0, sizeof *t);
        theme_parse(t, exact, length, "x");
        theme_reduce(t, DEPTH_256, &look);
        free(exact);
    }
    char changed[sizeof text];
    for (size_t at = 0; at < sizeof text - 1; at++) {
        memcpy(changed, text, sizeof text);
        changed[at] = (char)(changed[at] ^ 0x95);
        memset(t, 0, sizeof *t);
        theme_parse(t, changed, sizeof text - 1, "x");
        theme_reduce(t, DEPTH_TRUE, &look);
    }
    char long_line[5000];
    memset(long_line, 'a', sizeof long_line);
    memset(t, 0, sizeof *t);
    theme_parse(t, long_line, sizeof long_line, "x");
    assert_int_equal(t->warnings, 1);
    free(t);
}

static void colors_are_chosen_in_order(void **state)
{
    (void)state;
    static const struct {
        struct color_hints hints;
        enum depth depth;
        bool is_plain;
    } cases[] = {
        {{"never", NULL, "xterm-256color", "truecolor", 256}, DEPTH_MONO, true},
        {{"mono", NULL, "xterm-256color", "truecolor", 256}, DEPTH_MONO, false},
        {{"16", NULL, "xterm-256color", "truecolor", 256}, DEPTH_16, false},
        {{"truecolor", "1", "xterm", NULL, 8}, DEPTH_TRUE, false},
        {{"always", "1", "xterm-256color", NULL, 256}, DEPTH_256, false},
        {{NULL, "1", "xterm-256color", "truecolor", 256}, DEPTH_MONO, false},
        {{NULL, "", "xterm-256color", "truecolor", 256}, DEPTH_TRUE, false},
        {{NULL, NULL, "dumb", "truecolor", -1}, DEPTH_MONO, true},
        {{NULL, NULL, "xterm", "24bit", 8}, DEPTH_TRUE, false},
        {{NULL, NULL, "xterm-direct", NULL, 1 << 24}, DEPTH_TRUE, false},
        {{NULL, NULL, "screen-256color", NULL, -1}, DEPTH_256, false},
        {{NULL, NULL, "xterm", NULL, 8}, DEPTH_16, false},
        {{NULL, NULL, "vt220", NULL, 0}, DEPTH_MONO, false},
        {{NULL, NULL, NULL, NULL, -1}, DEPTH_16, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct color_choice choice;
        assert_true(screen_choose_colors(&cases[i].hints, &choice, NULL));
        if (choice.depth != cases[i].depth || choice.is_plain != cases[i].is_plain)
            fail_msg("row %zu: depth %d, plain %d", i, choice.depth, choice.is_plain);
    }
    struct color_choice choice;
    struct err err;
    assert_false(screen_choose_colors(&(struct color_hints){.option = "pink"}, &choice, &err));
    assert_non_null(strstr(err.text, "found \"pink\""));
}

/* ---- grid -------------------------------------------------------------------------------- */

static void grid_shows(struct grid *g, const char *expected)
{
    char *text = grid_to_text(g, true);
    assert_string_equal(text, expected);
    free(text);
}

static void nothing_is_drawn_outside(void **state)
{
    (void)state;
    struct grid g;
    grid_init(&g, 6, 2, &glyphs_unicode);
    assert_int_equal(grid_text(&g, 4, 0, 10, ROLE_TEXT, "abc"), 3);
    grid_text(&g, -2, 1, 10, ROLE_TEXT, "abcd");
    grid_text(&g, 0, 2, 10, ROLE_TEXT, "below");
    grid_text(&g, 0, -1, 10, ROLE_TEXT, "above");
    grid_fill(&g, (struct rect){5, -3, 100, 4}, ROLE_TEXT);
    grid_over(&g, (struct rect){-5, -5, 3, 3}, ROLE_ROW_CURSOR);
    grid_shows(&g, "    a\ncd\n");
    grid_fini(&g);
}

static void wide_characters_are_never_halved(void **state)
{
    (void)state;
    struct grid g;
    grid_init(&g, 5, 1, &glyphs_unicode);
    grid_text(&g, 0, 0, 9, ROLE_TEXT, "日本語"); /* the third would stand on the border */
    grid_shows(&g, "日本\n");
    grid_text(&g, 1, 0, 9, ROLE_TEXT, "x"); /* over the right half of the first */
    grid_shows(&g, " x本\n");
    grid_text(&g, 1, 0, 9, ROLE_TEXT, "語"); /* over the left half of the second */
    grid_shows(&g, " 語\n");
    grid_text(&g, -1, 0, 9, ROLE_TEXT, "本z");
    grid_shows(&g, " z\n");
    assert_int_equal(grid_text(&g, 0, 0, 3, ROLE_TEXT, "日本"), 2); /* by the caller's width */
    grid_fini(&g);
}

static void roles_are_reported(void **state)
{
    (void)state;
    struct grid g;
    grid_init(&g, 12, 2, &glyphs_unicode);
    grid_text(&g, 0, 0, 12, ROLE_HEADER, "PID");
    grid_text(&g, 4, 0, 12, ROLE_TEXT, "x");
    grid_text(&g, 0, 1, 12, ROLE_LOST, "a");
    grid_over(&g, (struct rect){0, 1, 3, 1}, ROLE_ROW_CURSOR);
    grid_shows(&g, "{header:PID} x\n{lost+row.cursor:a}{text+row.cursor:  }\n");
    grid_fini(&g);
}

static void bars_grow_in_eighths(void **state)
{
    (void)state;
    static const struct {
        double part;
        const char *bar;
    } cases[] = {{0, "····\n"},    {0.001, "▏···\n"}, {0.5, "██··\n"},
                 {0.53, "██▏·\n"}, {1, "████\n"},     {7, "████\n"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct grid g;
        grid_init(&g, 4, 1, &glyphs_unicode);
        grid_bar(&g, 0, 0, 4, cases[i].part, ROLE_TEXT, GRADIENT_LOAD);
        char *text = grid_to_text(&g, false);
        assert_string_equal(text, cases[i].bar);
        free(text);
        grid_fini(&g);
    }
    struct grid g;
    grid_init(&g, 5, 1, &glyphs_unicode);
    const float values[] = {0.f, 0.125f, 1.f, 0.5f};
    grid_spark(&g, 0, 0, 5, values, 4, ROLE_TEXT, GRADIENT_NONE);
    char *text = grid_to_text(&g, false);
    assert_string_equal(text, "··▁█▄\n");
    free(text);
    grid_fini(&g);
}

/* Only what changed is sent, with its place, and the place again after wide signs. */
static void painting_sends_what_changed(void **state)
{
    (void)state;
    struct look look = {.depth = DEPTH_TRUE};
    look.styles[ROLE_LOST] =
        (struct style){COLOR_RGB | 0x0102ff, COLOR_INDEX | 9, ATTRIBUTE_BOLD | ATTRIBUTE_STRIKE};
    struct grid old, now;
    struct painter p = {0};
    grid_init(&old, 6, 2, &glyphs_unicode);
    grid_init(&now, 6, 2, &glyphs_unicode);
    static const struct {
        const char *text;
        enum role role;
        int cursor;
        const char *bytes;
    } cases[] = {
        {"", ROLE_TEXT, -1, "\033[?25l\033[0m"},
        {"ab", ROLE_TEXT, -1, "\033[?25l\033[2;2H\033[0mab\033[0m"},
        {"日c", ROLE_TEXT, 4, "\033[?25l\033[2;2H\033[0m日\033[2;4Hc\033[0m\033[1;5H\033[?25h"},
        {"x", ROLE_LOST, -1, "\033[?25l\033[2;2H\033[0;1;9;38;2;1;2;255;48;5;9mx\033[0m"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        grid_clear(&now);
        grid_text(&now, 1, 1, 5, cases[i].role, cases[i].text);
        now.cursor_x = cases[i].cursor;
        now.cursor_y = 0;
        painter_frame(&p, &look, &old, &now);
        if (p.count != strlen(cases[i].bytes) || memcmp(p.bytes, cases[i].bytes, p.count) != 0)
            fail_msg("row %zu: found %.*s", i, (int)p.count, p.bytes);
    }
    painter_frame(&p, &look, NULL, &now);
    assert_true(p.count > 12);
    /* A style that only adds to the one before says what it adds. */
    look.styles[ROLE_DIM] = (struct style){COLOR_INDEX | 1, COLOR_INDEX | 240, 0};
    look.styles[ROLE_TITLE] = (struct style){COLOR_INDEX | 20, COLOR_INDEX | 240, ATTRIBUTE_BOLD};
    grid_clear(&now);
    grid_text(&now, 0, 1, 1, ROLE_DIM, "a");
    grid_text(&now, 1, 1, 1, ROLE_TITLE, "b");
    grid_text(&now, 2, 1, 1, ROLE_DIM, "c");
    grid_text(&now, 3, 1, 2, ROLE_TEXT, "de");
    painter_frame(&p, &look, &old, &now);
    p.bytes[p.count] = '\0';
    assert_string_equal(p.bytes, "\033[?25l\033[2;1H\033[0;38;5;1;48;5;240ma\033[1;38;5;20mb"
                                 "\033[0;38;5;1;48;5;240mc\033[0mde\033[0m");
    painter_fini(&p);
    grid_fini(&old);
    grid_fini(&now);
}

static void long_texts_are_cut_with_a_sign(void **state)
{
    (void)state;
    struct grid g;
    grid_init(&g, 10, 2, &glyphs_unicode);
    grid_cut(&g, 0, 0, 8, ROLE_TEXT, "averylongname", CUT_END);
    grid_cut(&g, 0, 1, 8, ROLE_TEXT, "C:\\Windows\\x.sys", CUT_FRONT);
    char *text = grid_to_text(&g, false);
    assert_string_equal(text, "averylo…\n…s\\x.sys\n");
    free(text);
    grid_fini(&g);
}

/* Of braille two values stand in a cell, a single one takes it all; something is not nothing. */
static void curves_of_dots(void **state)
{
    static const float values[] = {0.01f, 0.5f, 1, 0, 0, 0};
    (void)state;
    struct grid g;
    grid_init(&g, 8, 2, &glyphs_braille);
    grid_spark(&g, 0, 0, 4, values, 6, ROLE_KEY, GRADIENT_NONE);
    assert_string_equal(grid_look(&g, 0, 0)->bytes, glyphs_braille.zero);
    assert_string_equal(grid_look(&g, 1, 0)->bytes, "\xe2\xa3\xa0"); /* 1 and 2 dots */
    assert_string_equal(grid_look(&g, 2, 0)->bytes, "\xe2\xa1\x87"); /* 4 and none */
    assert_string_equal(grid_look(&g, 3, 0)->bytes, glyphs_braille.zero);
    grid_spark(&g, 0, 1, 1, &values[2], 1, ROLE_KEY, GRADIENT_NONE);
    assert_string_equal(grid_look(&g, 0, 1)->bytes, "\xe2\xa3\xbf"); /* all eight */
    grid_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_names_read_back),
        cmocka_unit_test(one_key_means_one_thing),
        cmocka_unit_test(some_keys_stay_free),
        cmocka_unit_test(no_function_key_is_alone),
        cmocka_unit_test(keys_are_printed_from_the_table),
        cmocka_unit_test(only_sound_sequences_pass),
        cmocka_unit_test(bytes_become_keys),
        cmocka_unit_test(values_as_people_read_them),
        cmocka_unit_test(a_list_stops_at_its_ends),
        cmocka_unit_test(a_list_follows_its_row),
        cmocka_unit_test(a_text_has_no_cursor),
        cmocka_unit_test(prompts_edit),
        cmocka_unit_test(prompts_hold_what_fits),
        cmocka_unit_test(shipped_themes_are_whole),
        cmocka_unit_test(meaning_survives_without_color),
        cmocka_unit_test(themes_inherit_and_recolor),
        cmocka_unit_test(bad_themes_cost_their_bad_lines),
        cmocka_unit_test(any_bytes_may_be_a_theme),
        cmocka_unit_test(colors_are_chosen_in_order),
        cmocka_unit_test(nothing_is_drawn_outside),
        cmocka_unit_test(wide_characters_are_never_halved),
        cmocka_unit_test(roles_are_reported),
        cmocka_unit_test(bars_grow_in_eighths),
        cmocka_unit_test(painting_sends_what_changed),
        cmocka_unit_test(curves_of_dots),
        cmocka_unit_test(long_texts_are_cut_with_a_sign),
    };
    return cmocka_run_group_tests_name("ui_parts", tests, NULL, NULL);
}
