#include "ui/term/console_keys_windows.h"

#include "ui/config/utf8.h"

#include <stdio.h>
#include <string.h>

/* Held keys come as one record with a count; nobody waits for more than this. */
enum { REPEATS = 32 };

#define CONTROLS ((DWORD)(LEFT_CTRL_PRESSED | RIGHT_CTRL_PRESSED))
#define ALTS     ((DWORD)(LEFT_ALT_PRESSED | RIGHT_ALT_PRESSED))

/* ---- one key ------------------------------------------------------------------------- */

/* Bytes of one press; the longest, ESC [ 24 ; 8 ~, is eight. */
struct bytes {
    char text[24];
    size_t count;
};

static bool is_control(DWORD state)
{
    return (state & CONTROLS) != 0;
}

/* AltGr comes as Alt with Control, and means the character it makes. */
static bool is_alt(DWORD state)
{
    return (state & ALTS) && !is_control(state);
}

/* What xterm adds to a sequence: 1, and 1 for Shift, 2 for Alt, 4 for Control. */
static int modifier_of(DWORD state)
{
    return 1 + (state & SHIFT_PRESSED ? 1 : 0) + (state & ALTS ? 2 : 0) +
           (is_control(state) ? 4 : 0);
}

/* Keys without a character. Those with a letter are "ESC O letter", or with modifiers
 * "ESC [ 1 ; modifier letter"; those with a number "ESC [ number ~". */
static const struct special {
    WORD key;
    char letter;
    int number;
} specials[] = {
    {VK_UP, 'A', 0},  {VK_DOWN, 'B', 0}, {VK_RIGHT, 'C', 0}, {VK_LEFT, 'D', 0}, {VK_HOME, 'H', 0},
    {VK_END, 'F', 0}, {VK_INSERT, 0, 2}, {VK_DELETE, 0, 3},  {VK_PRIOR, 0, 5},  {VK_NEXT, 0, 6},
    {VK_F1, 'P', 0},  {VK_F2, 'Q', 0},   {VK_F3, 'R', 0},    {VK_F4, 'S', 0},   {VK_F5, 0, 15},
    {VK_F6, 0, 17},   {VK_F7, 0, 18},    {VK_F8, 0, 19},     {VK_F9, 0, 20},    {VK_F10, 0, 21},
    {VK_F11, 0, 23},  {VK_F12, 0, 24},
};

static bool add_special(struct bytes *b, WORD key, DWORD state)
{
    const struct special *s = specials;
    const struct special *const end = s + sizeof specials / sizeof *specials;
    while (s < end && s->key != key)
        s++;
    if (s == end)
        return false;
    const int modifier = modifier_of(state);
    const size_t room = sizeof b->text;
    int count;
    if (s->letter)
        count = modifier == 1 ? snprintf(b->text, room, "\033O%c", s->letter)
                              : snprintf(b->text, room, "\033[1;%d%c", modifier, s->letter);
    else
        count = modifier == 1 ? snprintf(b->text, room, "\033[%d~", s->number)
                              : snprintf(b->text, room, "\033[%d;%d~", s->number, modifier);
    b->count = (size_t)count;
    return true;
}

static void add_code(struct bytes *b, uint32_t code, DWORD state)
{
    if (is_alt(state))
        b->text[b->count++] = '\033';
    if (code) {
        char utf8[5];
        const size_t count = utf8_encode(code, utf8);
        memcpy(b->text + b->count, utf8, count);
        b->count += count;
    } else {
        b->text[b->count++] = '\0';
    }
}

/* Keys that mean the same whatever character comes with them: Wine gives none for Escape,
 * Windows others with Control. */
static bool add_editing(struct bytes *b, WORD key, DWORD state)
{
    if (key == VK_TAB && (state & SHIFT_PRESSED)) {
        memcpy(b->text, "\033[Z", 3);
        b->count = 3;
        return true;
    }
    const uint32_t code = key == VK_ESCAPE   ? 0x1b
                          : key == VK_BACK   ? 0x7f
                          : key == VK_TAB    ? '\t'
                          : key == VK_RETURN ? '\r'
                                             : 0;
    if (code)
        add_code(b, code, state);
    return code != 0;
}

/* Digits of the number pad while the left Alt is down compose a character, which comes when Alt is
 * let go. The console pastes what no key makes in the same way. */
static bool is_composing(WORD key, DWORD state)
{
    const bool is_pad = (key >= VK_PRIOR && key <= VK_DOWN) || key == VK_INSERT ||
                        key == VK_CLEAR || (key >= VK_NUMPAD0 && key <= VK_NUMPAD9);
    return is_pad && (state & LEFT_ALT_PRESSED) && !(state & ENHANCED_KEY);
}

/* Control with a key that the layout gives no character for. AltGr is no Control: with a dead key
 * its character comes later, else never. */
static void add_control(struct bytes *b, WORD key, DWORD state)
{
    const bool is_altgr = (state & RIGHT_ALT_PRESSED) && (state & LEFT_CTRL_PRESSED);
    if (!is_control(state) || is_altgr)
        return;
    if (state & ALTS)
        b->text[b->count++] = '\033';
    if (key >= 'A' && key <= 'Z')
        b->text[b->count++] = (char)(key - 'A' + 1);
    else if (key == VK_SPACE || key == '2')
        b->text[b->count++] = '\0';
    else
        b->count = 0;
}

/* A character comes in UTF-16, the two halves of one above U+FFFF in records of their own.
 * Half a character becomes U+FFFD. */
static void add_unit(struct console_keys *k, struct bytes *b, uint16_t unit, DWORD state)
{
    enum { REPLACEMENT = 0xfffd };
    const bool is_high = unit >> 10 == 0xd800 >> 10, is_low = unit >> 10 == 0xdc00 >> 10;
    const uint16_t high = k->high;
    k->high = is_high ? unit : 0;
    if (high && !is_low)
        add_code(b, REPLACEMENT, 0);
    if (is_high)
        return;
    const uint32_t joined = 0x10000 + ((uint32_t)(high & 0x3ff) << 10 | (unit & 0x3ff));
    add_code(b, !is_low ? unit : high ? joined : REPLACEMENT, state);
}

static struct bytes key_bytes(struct console_keys *k, const KEY_EVENT_RECORD *r)
{
    struct bytes b = {.count = 0};
    const WORD key = r->wVirtualKeyCode;
    const DWORD state = r->dwControlKeyState;
    const uint16_t unit = (uint16_t)r->uChar.UnicodeChar;
    if (!r->bKeyDown) {
        /* A character typed by its number, when Alt is let go. */
        if (key == VK_MENU && unit)
            add_unit(k, &b, unit, 0);
        return b;
    }
    if (is_composing(key, state))
        return b;
    if (!add_editing(&b, key, state)) {
        if (unit)
            add_unit(k, &b, unit, state);
        else if (!add_special(&b, key, state))
            add_control(&b, key, state);
    }
    return b;
}

/* ---- the mouse ------------------------------------------------------------------------- */

/* A report of xterm's "SGR" kind; buttons 64 and 65 are the wheel, 32 is the left one on its way. */
enum { DRAGGED = 32 };

static struct bytes report(const struct console_keys *k, const MOUSE_EVENT_RECORD *r, int button,
                           bool is_down)
{
    enum { FARTHEST = 9999 };
    struct bytes b = {.count = 0};
    const int x = r->dwMousePosition.X - k->left + 1, y = r->dwMousePosition.Y - k->top + 1;
    if (x < 1 || y < 1 || x > FARTHEST || y > FARTHEST)
        return b;
    const int modifiers = 4 * (modifier_of(r->dwControlKeyState) - 1);
    const int count = snprintf(b.text, sizeof b.text, "\033[<%d;%d;%d%c", button + modifiers, x, y,
                               is_down ? 'M' : 'm');
    b.count = count > 0 && count < (int)sizeof b.text ? (size_t)count : 0;
    return b;
}

static struct bytes mouse_bytes(struct console_keys *k, const MOUSE_EVENT_RECORD *r)
{
    static const struct {
        DWORD bit;
        int button;
    } buttons[] = {
        {FROM_LEFT_1ST_BUTTON_PRESSED, 0},
        {FROM_LEFT_2ND_BUTTON_PRESSED, 1},
        {RIGHTMOST_BUTTON_PRESSED, 2},
    };
    if (r->dwEventFlags & MOUSE_WHEELED)
        return report(k, r, (int32_t)r->dwButtonState > 0 ? 64 : 65, true);
    if (r->dwEventFlags & MOUSE_MOVED && r->dwButtonState & k->buttons & FROM_LEFT_1ST_BUTTON_PRESSED)
        return report(k, r, DRAGGED, true);
    if (r->dwEventFlags & (MOUSE_HWHEELED | MOUSE_MOVED))
        return (struct bytes){.count = 0};
    const DWORD changed = k->buttons ^ r->dwButtonState;
    k->buttons = r->dwButtonState;
    for (size_t i = 0; i < sizeof buttons / sizeof *buttons; i++)
        if (changed & buttons[i].bit)
            return report(k, r, buttons[i].button, (r->dwButtonState & buttons[i].bit) != 0);
    return (struct bytes){.count = 0};
}

/* ---- records ---------------------------------------------------------------------------- */

size_t console_keys_bytes(struct console_keys *k, const INPUT_RECORD *r,
                          uint8_t out[CONSOLE_KEY_ROOM])
{
    struct bytes b = {.count = 0};
    unsigned times = 1;
    if (r->EventType == KEY_EVENT) {
        b = key_bytes(k, &r->Event.KeyEvent);
        times = r->Event.KeyEvent.wRepeatCount;
    } else if (r->EventType == MOUSE_EVENT) {
        b = mouse_bytes(k, &r->Event.MouseEvent);
    } else if (r->EventType == WINDOW_BUFFER_SIZE_EVENT) {
        k->was_resized = true;
    }
    times = times < 1 ? 1 : times > REPEATS ? REPEATS : times;
    _Static_assert(REPEATS * sizeof b.text <= CONSOLE_KEY_ROOM, "a record fits");
    size_t used = 0;
    for (unsigned i = 0; i < times; i++, used += b.count)
        memcpy(out + used, b.text, b.count);
    return used;
}
