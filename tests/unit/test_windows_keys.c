/* Records of the Windows console, of every kind, become what a terminal would send; and what a
 * terminal sends becomes keys. */
#include "tests/test.h"

#include "src/os/os.h"
#include "ui/term/console_keys_windows.h"
#include "ui/term/input.h"

#include <string.h>

enum { SHIFT = SHIFT_PRESSED, CTRL = LEFT_CTRL_PRESSED, ALT = LEFT_ALT_PRESSED };
enum { ALTGR = RIGHT_ALT_PRESSED | LEFT_CTRL_PRESSED, LOCKS = NUMLOCK_ON | CAPSLOCK_ON };

static INPUT_RECORD key_record(bool is_down, unsigned key, unsigned unit, unsigned state,
                               unsigned times)
{
    INPUT_RECORD r = {.EventType = KEY_EVENT};
    r.Event.KeyEvent.bKeyDown = is_down;
    r.Event.KeyEvent.wVirtualKeyCode = (WORD)key;
    r.Event.KeyEvent.uChar.UnicodeChar = (WCHAR)unit;
    r.Event.KeyEvent.dwControlKeyState = state;
    r.Event.KeyEvent.wRepeatCount = (WORD)times;
    return r;
}

static void presses_become_bytes_and_keys(void **state)
{
    (void)state;
    static const struct {
        unsigned key, unit, state;
        const char *bytes, *name;
    } rows[] = {
        {'A', 'a', 0, "a", "a"},
        {'A', 'A', SHIFT, "A", "A"},
        {'A', 'A', CAPSLOCK_ON, "A", "A"},
        {'C', 3, CTRL, "\x03", "C-c"},
        {'Z', 26, RIGHT_CTRL_PRESSED, "\x1a", "C-z"},
        {'X', 'x', ALT, "\033x", "M-x"},
        {'1', '1', ALT | LOCKS, "\0331", "M-1"},
        {'Q', '@', ALTGR, "@", "@"},      /* AltGr makes a character */
        {'Q', '@', ALT | CTRL, "@", "@"}, /* and so do both keys that it stands for */
        {'E', 0x20ac, ALTGR, "\xe2\x82\xac", "€"},
        {'K', 0, ALT | CTRL, "\033\x0b", "C-M-k"}, /* no character on this layout */
        {VK_OEM_7, 0xe4, 0, "\xc3\xa4", "ä"},
        {VK_PACKET, 0x65e5, 0, "\xe6\x97\xa5", "日"}, /* from an input method */
        {0, 'v', 0, "v", "v"},                        /* pasted */
        {VK_SPACE, ' ', 0, " ", "Space"},
        {VK_RETURN, '\r', 0, "\r", "Enter"},
        {VK_RETURN, '\n', CTRL, "\r", "Enter"},
        {VK_RETURN, '\r', ENHANCED_KEY, "\r", "Enter"},
        {VK_TAB, '\t', 0, "\t", "Tab"},
        {VK_TAB, '\t', SHIFT, "\033[Z", "S-Tab"},
        {VK_BACK, 8, 0, "\x7f", "Backspace"},
        {VK_BACK, 0x7f, CTRL, "\x7f", "Backspace"},
        {VK_ESCAPE, 0x1b, 0, "\033", "Esc"},
        {VK_ESCAPE, 0, 0, "\033", "Esc"}, /* as Wine has it */
        {VK_UP, 0, ENHANCED_KEY, "\033OA", "Up"},
        {VK_DOWN, 0, 0, "\033OB", "Down"},
        {VK_RIGHT, 0, LOCKS, "\033OC", "Right"},
        {VK_LEFT, 0, CTRL, "\033[1;5D", "C-Left"},
        {VK_UP, 0, SHIFT, "\033[1;2A", "S-Up"},
        {VK_UP, 0, ALT | SHIFT | ENHANCED_KEY, "\033[1;4A", "M-S-Up"},
        {VK_HOME, 0, 0, "\033OH", "Home"},
        {VK_END, 0, CTRL, "\033[1;5F", "C-End"},
        {VK_INSERT, 0, 0, "\033[2~", "Ins"},
        {VK_DELETE, 0, 0, "\033[3~", "Del"},
        {VK_DELETE, 0, SHIFT, "\033[3;2~", "S-Del"},
        {VK_PRIOR, 0, 0, "\033[5~", "PgUp"},
        {VK_NEXT, 0, CTRL, "\033[6;5~", "C-PgDn"},
        {VK_F1, 0, 0, "\033OP", "F1"},
        {VK_F4, 0, 0, "\033OS", "F4"},
        {VK_F5, 0, 0, "\033[15~", "F5"},
        {VK_F6, 0, SHIFT, "\033[17;2~", "S-F6"},
        {VK_F10, 0, 0, "\033[21~", "F10"},
        {VK_F11, 0, 0, "\033[23~", "F11"},
        {VK_F12, 0, CTRL, "\033[24;5~", "C-F12"},
        {VK_NUMPAD7, '7', NUMLOCK_ON, "7", "7"},
        {VK_HOME, 0, NUMLOCK_ON | SHIFT, "\033[1;2H", "S-Home"},
        {VK_ADD, '+', 0, "+", "+"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct console_keys k = {0};
        uint8_t bytes[CONSOLE_KEY_ROOM];
        struct err err;
        const INPUT_RECORD r = key_record(true, rows[i].key, rows[i].unit, rows[i].state, 1);
        const size_t count = console_keys_bytes(&k, &r, bytes);
        if (count != strlen(rows[i].bytes) || memcmp(bytes, rows[i].bytes, count) != 0)
            fail_msg("row %zu: expected %zu bytes as written, found %zu", i, strlen(rows[i].bytes),
                     count);
        struct input *const in = input_open(true, &err);
        assert_non_null(in);
        input_push(in, bytes, count);
        /* Esc is a key of its own once nothing has followed it for a while. */
        struct key found = input_next(in);
        for (unsigned ms = 0; found.kind == KEY_NOTHING && ms < 5000; ms++) {
            os_sleep(1000000);
            found = input_next(in);
        }
        char name[KEY_NAME];
        if (found.kind == KEY_NOTHING || strcmp(key_text(&found, name), rows[i].name) != 0)
            fail_msg("row %zu: expected the key %s, found %s", i, rows[i].name,
                     found.kind == KEY_NOTHING ? "none" : name);
        assert_int_equal(input_next(in).kind, KEY_NOTHING);
        input_close(in);
    }
}

static void nul_is_control_space(void **state)
{
    (void)state;
    static const struct {
        unsigned key, state;
    } rows[] = {{VK_SPACE, CTRL}, {'2', CTRL | SHIFT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct console_keys k = {0};
        uint8_t bytes[CONSOLE_KEY_ROOM] = "x";
        const INPUT_RECORD r = key_record(true, rows[i].key, 0, rows[i].state, 1);
        assert_int_equal(console_keys_bytes(&k, &r, bytes), 1);
        assert_int_equal(bytes[0], 0);
    }
}

static void what_means_nothing_is_nothing(void **state)
{
    (void)state;
    static const unsigned keys[] = {VK_SHIFT, VK_CONTROL,   VK_MENU,  VK_CAPITAL, VK_NUMLOCK,
                                    VK_LWIN,  VK_APPS,      VK_PAUSE, VK_SCROLL,  VK_CLEAR,
                                    VK_F13,   VK_VOLUME_UP, VK_OEM_5 /* a dead key */};
    struct console_keys k = {0};
    uint8_t bytes[CONSOLE_KEY_ROOM];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const INPUT_RECORD down = key_record(true, keys[i], 0, 0, 1);
        assert_int_equal(console_keys_bytes(&k, &down, bytes), 0);
    }
    static const WORD kinds[] = {FOCUS_EVENT, MENU_EVENT, 0, 3, 0x20, 0xffff};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        INPUT_RECORD r = key_record(true, 'A', 'a', 0, 1);
        r.EventType = kinds[i];
        assert_int_equal(console_keys_bytes(&k, &r, bytes), 0);
    }
    const INPUT_RECORD up = key_record(false, 'A', 'a', 0, 1);
    assert_int_equal(console_keys_bytes(&k, &up, bytes), 0);
    assert_false(k.was_resized);
    const INPUT_RECORD number = key_record(false, VK_MENU, 0xe9, 0, 1); /* Alt and 233 */
    assert_int_equal(console_keys_bytes(&k, &number, bytes), 2);
    assert_memory_equal(bytes, "\xc3\xa9", 2);
}

/* The console types what it cannot press, and what is pasted, as Alt with digits of the number pad;
 * the character comes when Alt is let go. Its digits are no keys of their own. */
static void composing_by_number_leaks_no_keys(void **state)
{
    (void)state;
    static const unsigned pad[] = {VK_INSERT, VK_END,   VK_DOWN, VK_NEXT, VK_LEFT,
                                   VK_CLEAR,  VK_RIGHT, VK_HOME, VK_UP,   VK_PRIOR};
    struct console_keys k = {0};
    uint8_t bytes[CONSOLE_KEY_ROOM];
    for (size_t i = 0; i < sizeof pad / sizeof *pad; i++) {
        const INPUT_RECORD plain = key_record(true, pad[i], 0, ALT, 1);
        const INPUT_RECORD locked =
            key_record(true, VK_NUMPAD0 + (unsigned)i, '0' + (unsigned)i, ALT | LOCKS, 1);
        const INPUT_RECORD silent = key_record(true, VK_NUMPAD0 + (unsigned)i, 0, ALT | LOCKS, 1);
        if (console_keys_bytes(&k, &plain, bytes) || console_keys_bytes(&k, &locked, bytes) ||
            console_keys_bytes(&k, &silent, bytes))
            fail_msg("digit %zu is a key", i);
    }
    /* The same keys beside the pad stay keys, as do others with Alt. */
    const INPUT_RECORD arrow = key_record(true, VK_UP, 0, ALT | ENHANCED_KEY, 1);
    assert_int_equal(console_keys_bytes(&k, &arrow, bytes), 6);
    assert_memory_equal(bytes, "\033[1;3A", 6);
    const INPUT_RECORD function = key_record(true, VK_F5, 0, ALT, 1);
    assert_int_equal(console_keys_bytes(&k, &function, bytes), 7);
    const INPUT_RECORD unlocked = key_record(true, VK_UP, 0, RIGHT_ALT_PRESSED, 1);
    assert_int_equal(console_keys_bytes(&k, &unlocked, bytes), 6);
}

/* A pasted emoji: both halves, each by its number. */
static void pasted_halves_are_joined(void **state)
{
    (void)state;
    static const unsigned digits[] = {VK_NUMPAD5, VK_DOWN};
    static const unsigned halves[] = {0xd83d, 0xde00};
    struct console_keys k = {0};
    uint8_t all[64], bytes[CONSOLE_KEY_ROOM];
    size_t used = 0;
    for (size_t i = 0; i < 2; i++) {
        const INPUT_RECORD typed[] = {
            key_record(true, VK_MENU, 0, ALT, 1), key_record(true, digits[i], 0, ALT, 1),
            key_record(false, digits[i], 0, ALT, 1), key_record(false, VK_MENU, halves[i], 0, 1)};
        for (size_t n = 0; n < sizeof typed / sizeof *typed; n++) {
            const size_t count = console_keys_bytes(&k, &typed[n], bytes);
            memcpy(all + used, bytes, count);
            used += count;
        }
    }
    assert_int_equal(used, 4);
    assert_memory_equal(all, "\xf0\x9f\x98\x80", 4);
}

/* AltGr with a dead key, or with one that it makes nothing of, is no Control-Alt. */
static void altgr_without_a_character_is_nothing(void **state)
{
    (void)state;
    static const unsigned keys[] = {'A', 'K', VK_SPACE, '2', VK_OEM_7};
    struct console_keys k = {0};
    uint8_t bytes[CONSOLE_KEY_ROOM];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const INPUT_RECORD r = key_record(true, keys[i], 0, ALTGR, 1);
        if (console_keys_bytes(&k, &r, bytes))
            fail_msg("key %zu", i);
    }
}

/* An input method says that it takes keys, then gives the characters, some with no key. */
static void an_input_method_gives_characters_alone(void **state)
{
    (void)state;
    struct console_keys k = {0};
    uint8_t bytes[CONSOLE_KEY_ROOM];
    const INPUT_RECORD taken = key_record(true, VK_PROCESSKEY, 0, 0, 1);
    assert_int_equal(console_keys_bytes(&k, &taken, bytes), 0);
    const INPUT_RECORD given = key_record(true, 0, 0x65e5, 0, 1);
    assert_int_equal(console_keys_bytes(&k, &given, bytes), 3);
    assert_memory_equal(bytes, "\xe6\x97\xa5", 3);
}

/* A terminal's marks around pasted text come as characters of no key, or of the keys that make
 * them. */
static void marks_of_pasted_text_arrive(void **state)
{
    (void)state;
    static const char text[] = "\033[200~a\rb\033[201~";
    for (unsigned with_keys = 0; with_keys < 2; with_keys++) {
        struct console_keys k = {0};
        uint8_t all[64], bytes[CONSOLE_KEY_ROOM];
        size_t used = 0;
        for (const char *c = text; *c; c++) {
            const unsigned key = !with_keys     ? 0
                                 : *c == '\033' ? VK_ESCAPE
                                 : *c == '\r'   ? VK_RETURN
                                 : *c == '['    ? VK_OEM_4
                                                : (unsigned)*c & 0xdf;
            const INPUT_RECORD r = key_record(true, key, (unsigned)*c, 0, 1);
            const size_t count = console_keys_bytes(&k, &r, bytes);
            memcpy(all + used, bytes, count);
            used += count;
        }
        if (used != sizeof text - 1 || memcmp(all, text, used) != 0)
            fail_msg("with keys %u: %zu bytes", with_keys, used);
    }
}

static void halves_are_joined(void **state)
{
    (void)state;
    static const struct {
        unsigned units[4];
        const char *bytes;
    } rows[] = {
        {{0xd83d, 0xde00}, "\xf0\x9f\x98\x80"},
        {{0xdbff, 0xdfff}, "\xf4\x8f\xbf\xbf"},
        {{0xd83d, 'a'},
         "\xef\xbf\xbd"
         "a"},
        {{0xde00, 'a'},
         "\xef\xbf\xbd"
         "a"},
        {{0xd83d, 0xd83d, 0xde00}, "\xef\xbf\xbd\xf0\x9f\x98\x80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct console_keys k = {0};
        uint8_t all[64], bytes[CONSOLE_KEY_ROOM];
        size_t used = 0;
        for (const unsigned *u = rows[i].units; *u; u++) {
            const INPUT_RECORD down = key_record(true, VK_PACKET, *u, 0, 1);
            const INPUT_RECORD up = key_record(false, VK_PACKET, *u, 0, 1); /* in between */
            const size_t count = console_keys_bytes(&k, &down, bytes);
            memcpy(all + used, bytes, count);
            used += count;
            assert_int_equal(console_keys_bytes(&k, &up, bytes), 0);
        }
        if (used != strlen(rows[i].bytes) || memcmp(all, rows[i].bytes, used) != 0)
            fail_msg("row %zu", i);
    }
}

static void repeats_are_capped(void **state)
{
    (void)state;
    static const struct {
        unsigned times;
        size_t count;
    } rows[] = {{0, 1}, {1, 1}, {5, 5}, {32, 32}, {33, 32}, {65535, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct console_keys k = {0};
        uint8_t bytes[CONSOLE_KEY_ROOM];
        const INPUT_RECORD r = key_record(true, 'J', 'j', 0, rows[i].times);
        assert_int_equal(console_keys_bytes(&k, &r, bytes), rows[i].count);
        const INPUT_RECORD longest = key_record(true, VK_F12, 0, SHIFT | CTRL | ALT, rows[i].times);
        assert_int_equal(console_keys_bytes(&k, &longest, bytes), 7 * rows[i].count);
    }
}

static INPUT_RECORD mouse_record(int x, int y, unsigned buttons, unsigned state, unsigned flags)
{
    INPUT_RECORD r = {.EventType = MOUSE_EVENT};
    r.Event.MouseEvent.dwMousePosition.X = (SHORT)x;
    r.Event.MouseEvent.dwMousePosition.Y = (SHORT)y;
    r.Event.MouseEvent.dwButtonState = buttons;
    r.Event.MouseEvent.dwControlKeyState = state;
    r.Event.MouseEvent.dwEventFlags = flags;
    return r;
}

static void the_mouse_reports(void **state)
{
    (void)state;
    static const struct {
        int x, y;
        unsigned buttons, state, flags;
        const char *bytes;
    } rows[] = {
        /* one after the other: buttons are remembered */
        {9, 104, 1, 0, 0, "\033[<0;10;5M"},
        {12, 104, 1, 0, MOUSE_MOVED, "\033[<32;13;5M"},
        {9, 104, 0, 0, 0, "\033[<0;10;5m"},
        {8, 104, 0, 0, MOUSE_MOVED, ""},
        {9, 104, 1, 0, DOUBLE_CLICK, "\033[<0;10;5M"},
        {9, 104, 0, 0, 0, "\033[<0;10;5m"},
        {0, 100, 2, 0, 0, "\033[<2;1;1M"},
        {0, 100, 0, 0, 0, "\033[<2;1;1m"},
        {0, 100, 4, CTRL, 0, "\033[<17;1;1M"},
        {0, 100, 0, 0, 0, "\033[<1;1;1m"},
        {3, 101, 0x00780000, 0, MOUSE_WHEELED, "\033[<64;4;2M"},
        {3, 101, 0xff880000, SHIFT, MOUSE_WHEELED, "\033[<69;4;2M"},
        {3, 101, 0x00780000, 0, MOUSE_HWHEELED, ""},
        {3, 99, 1, 0, 0, ""},       /* above the window */
        {-32768, 100, 0, 0, 0, ""}, /* nowhere */
        {32767, 32767, 1, 0, 0, ""},
        {5, 105, 0xffffffff, 0, 0, "\033[<1;6;6M"}, /* all at once: one of the new ones */
        {5, 105, 0, 0, 0xffffffff, "\033[<65;6;6M"},
    };
    struct console_keys k = {.top = 100};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[CONSOLE_KEY_ROOM];
        const INPUT_RECORD r =
            mouse_record(rows[i].x, rows[i].y, rows[i].buttons, rows[i].state, rows[i].flags);
        const size_t count = console_keys_bytes(&k, &r, bytes);
        if (count != strlen(rows[i].bytes) || memcmp(bytes, rows[i].bytes, count) != 0)
            fail_msg("row %zu: expected %s, found %.*s", i, rows[i].bytes, (int)count, bytes);
    }
}

static void a_new_size_is_reported(void **state)
{
    (void)state;
    struct console_keys k = {0};
    uint8_t bytes[CONSOLE_KEY_ROOM];
    INPUT_RECORD r = {.EventType = WINDOW_BUFFER_SIZE_EVENT};
    assert_int_equal(console_keys_bytes(&k, &r, bytes), 0);
    assert_true(k.was_resized);
}

/* Any bytes as records: never more than there is room for. */
static void any_record_fits(void **state)
{
    (void)state;
    struct console_keys k = {0};
    uint8_t bytes[CONSOLE_KEY_ROOM];
    uint64_t prng = 88172645463325252;
    for (unsigned i = 0; i < 1000000; i++) {
        INPUT_RECORD r;
        uint8_t *const raw = (uint8_t *)&r;
        for (size_t n = 0; n < sizeof r; n++) {
            prng ^= prng << 13;
            prng ^= prng >> 7;
            prng ^= prng << 17;
            raw[n] = (uint8_t)(prng >> 32);
        }
        r.EventType &= i % 4 ? 3 : 0xffff;
        if (r.EventType == KEY_EVENT && i % 3)
            r.Event.KeyEvent.wVirtualKeyCode &= 0x7f;
        if (r.EventType == KEY_EVENT && i % 5 == 0)
            r.Event.KeyEvent.uChar.UnicodeChar = 0;
        assert_in_range(console_keys_bytes(&k, &r, bytes), 0, CONSOLE_KEY_ROOM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presses_become_bytes_and_keys),
        cmocka_unit_test(nul_is_control_space),
        cmocka_unit_test(what_means_nothing_is_nothing),
        cmocka_unit_test(composing_by_number_leaks_no_keys),
        cmocka_unit_test(pasted_halves_are_joined),
        cmocka_unit_test(altgr_without_a_character_is_nothing),
        cmocka_unit_test(an_input_method_gives_characters_alone),
        cmocka_unit_test(marks_of_pasted_text_arrive),
        cmocka_unit_test(halves_are_joined),
        cmocka_unit_test(repeats_are_capped),
        cmocka_unit_test(the_mouse_reports),
        cmocka_unit_test(a_new_size_is_reported),
        cmocka_unit_test(any_record_fits),
    };
    return cmocka_run_group_tests_name("keys of the Windows console", tests, NULL, NULL);
}
