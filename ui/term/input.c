#include "ui/term/input.h"

#include "src/base/mem.h"
#include "src/os/os.h"
#include "ui/config/utf8.h"
#include "ui/term/grid.h"
#include "ui/term/input_sanitizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termkey.h>

/* An Esc that is followed by nothing for this long was the key itself. Long enough
 * for a slow line to bring the rest of a sequence, short enough not to be felt. */
enum { ESCAPE_MS = 25 };

/* A paste beyond this is cut: prompts hold a kilobyte. */
enum { PASTE_MAX = 4096, QUEUE = 8192 };

/* A paste whose end does not come, on a line that breaks off, ends when nothing more has come for
 * so long: keys are keys again. */
static const int64_t paste_time = 2000000000;

/* ---- the terminal ------------------------------------------------------------------ */

struct input {
    TermKey *termkey;
    struct input_sanitizer input_sanitizer;
    int64_t held_since; /* of what the sanitizer holds */
    /* What the sanitizer passed and libtermkey has not taken: chunks, each behind its length.
     * libtermkey gets them one by one, so that nothing is put together again that the
     * sanitizer has taken apart. */
    uint8_t queue[QUEUE];
    size_t queued;
    bool is_pasting, is_dragging;
    int64_t heard_at; /* when bytes came last */
    size_t paste_bytes, paste_lost;
    char paste[PASTE_MAX];
};

/* Current terminal descriptions begin mouse reports with "CSI <" (SGR), which libtermkey
 * 0.22 takes for the start of three raw bytes. Without that entry it reads them right. */
static const char *key_string(const char *name, const char *value, void *state)
{
    (void)state;
    return strcmp(name, "key_mouse") == 0 ? NULL : value;
}

struct input *input_open(bool is_utf8, struct err *err)
{
    struct input *in = mem_new(1, sizeof *in);
    in->input_sanitizer.is_utf8 = is_utf8;
    /* The screen has set the terminal's modes; signals come as keys. */
    in->termkey = termkey_new_abstract(
        getenv("TERM"), TERMKEY_FLAG_NOTERMIOS | TERMKEY_FLAG_CTRLC | TERMKEY_FLAG_NOSTART |
                            (is_utf8 ? TERMKEY_FLAG_UTF8 : TERMKEY_FLAG_RAW));
    if (in->termkey)
        termkey_hook_terminfo_getstr(in->termkey, key_string, NULL);
    if (!in->termkey || !termkey_start(in->termkey)) {
        if (in->termkey)
            termkey_destroy(in->termkey);
        free(in);
        fail(err, "cannot read keys: unknown terminal type (TERM); set TERM");
        return NULL;
    }
    termkey_set_canonflags(in->termkey, TERMKEY_CANON_DELBS);
    return in;
}

void input_close(struct input *in)
{
    if (!in)
        return;
    termkey_destroy(in->termkey);
    free(in);
}

static void enqueue(struct input *in, const uint8_t *bytes, size_t count)
{
    if (count == 0 || in->queued + 1 + count > sizeof in->queue)
        return; /* nobody types that fast; a flood loses its end */
    in->queue[in->queued++] = (uint8_t)count;
    memcpy(in->queue + in->queued, bytes, count);
    in->queued += count;
}

void input_push(struct input *in, const uint8_t *bytes, size_t count)
{
    uint8_t out[SANITIZER_HELD];
    for (size_t i = 0; i < count; i++)
        enqueue(in, out, sanitizer_byte(&in->input_sanitizer, bytes[i], out));
    in->held_since = in->heard_at = os_now();
}

static struct key symbol_key(TermKeySym sym)
{
    static const struct {
        TermKeySym sym;
        enum key_kind kind;
    } symbols[] = {
        {TERMKEY_SYM_UP, KEY_UP},
        {TERMKEY_SYM_DOWN, KEY_DOWN},
        {TERMKEY_SYM_LEFT, KEY_LEFT},
        {TERMKEY_SYM_RIGHT, KEY_RIGHT},
        {TERMKEY_SYM_HOME, KEY_HOME},
        {TERMKEY_SYM_END, KEY_END},
        {TERMKEY_SYM_FIND, KEY_HOME},
        {TERMKEY_SYM_SELECT, KEY_END},
        {TERMKEY_SYM_PAGEUP, KEY_PAGE_UP},
        {TERMKEY_SYM_PAGEDOWN, KEY_PAGE_DOWN},
        {TERMKEY_SYM_INSERT, KEY_INSERT},
        {TERMKEY_SYM_DELETE, KEY_DELETE},
        {TERMKEY_SYM_BACKSPACE, KEY_BACKSPACE},
        {TERMKEY_SYM_DEL, KEY_BACKSPACE},
        {TERMKEY_SYM_TAB, KEY_TAB},
        {TERMKEY_SYM_ENTER, KEY_ENTER},
        {TERMKEY_SYM_KPENTER, KEY_ENTER},
        {TERMKEY_SYM_ESCAPE, KEY_ESCAPE},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (symbols[i].sym == sym)
            return (struct key){.kind = symbols[i].kind};
    if (sym == TERMKEY_SYM_SPACE)
        return (struct key){.kind = KEY_CHARACTER, .code = ' '};
    return (struct key){0};
}

static struct key mouse_key(struct input *in, const TermKeyKey *from)
{
    TermKeyMouseEvent event = TERMKEY_MOUSE_UNKNOWN;
    int button = 0, line = 0, column = 0;
    termkey_interpret_mouse(in->termkey, from, &event, &button, &line, &column);
    struct key k = {.x = column - 1, .y = line - 1};
    const bool is_drag = event == TERMKEY_MOUSE_DRAG && button == 1;
    if (is_drag || (event == TERMKEY_MOUSE_RELEASE && in->is_dragging)) {
        in->is_dragging = is_drag;
        k.kind = is_drag ? KEY_DRAG : KEY_DROP;
        return k;
    }
    if (event != TERMKEY_MOUSE_PRESS)
        return (struct key){0};
    k.kind = button == 1   ? KEY_CLICK
             : button == 4 ? KEY_WHEEL_UP
             : button == 5 ? KEY_WHEEL_DOWN
                           : KEY_NOTHING;
    return k;
}

static struct key plain_key(struct input *in, const TermKeyKey *from)
{
    struct key k = {0};
    switch (from->type) {
    case TERMKEY_TYPE_UNICODE:
        k = (struct key){.kind = KEY_CHARACTER, .code = (uint32_t)from->code.codepoint};
        break;
    case TERMKEY_TYPE_FUNCTION:
        k = (struct key){.kind = KEY_FUNCTION, .code = (uint32_t)from->code.number};
        break;
    case TERMKEY_TYPE_KEYSYM:
        k = symbol_key(from->code.sym);
        break;
    case TERMKEY_TYPE_MOUSE:
        return mouse_key(in, from);
    default:
        return k;
    }
    k.modifiers = (from->modifiers & TERMKEY_KEYMOD_SHIFT ? KEY_SHIFT : 0) |
                  (from->modifiers & TERMKEY_KEYMOD_ALT ? KEY_ALT : 0) |
                  (from->modifiers & TERMKEY_KEYMOD_CTRL ? KEY_CONTROL : 0);
    if (k.kind == KEY_CHARACTER && !(k.modifiers & KEY_CONTROL))
        k.modifiers &= (uint8_t)~KEY_SHIFT; /* the letter says it already */
    return k;
}

/* Bracketed paste comes as CSI 200 ~ … CSI 201 ~; the size of the terminal as
 * CSI 8 ; rows ; columns t. */
static long csi_number(struct input *in, const TermKeyKey *from, struct key *size)
{
    long args[4];
    size_t count = 4;
    unsigned long command = 0;
    if (from->type != TERMKEY_TYPE_UNKNOWN_CSI ||
        termkey_interpret_csi(in->termkey, from, args, &count, &command) != TERMKEY_RES_KEY)
        return -1;
    const bool is_size = command == 't' && count == 3 && args[0] == 8 && args[1] > 0 &&
                         args[2] > 0 && args[1] <= GRID_SIDE_MAX && args[2] <= GRID_SIDE_MAX;
    if (is_size)
        *size = (struct key){.kind = KEY_SIZE, .x = (int)args[2], .y = (int)args[1]};
    return command == '~' && count == 1 ? args[0] : -1;
}

static void paste_add(struct input *in, const struct key *k)
{
    char text[5] = " ";
    size_t count = 1;
    if (k->kind == KEY_CHARACTER && k->modifiers == 0)
        count = utf8_encode(k->code, text);
    else if (k->kind != KEY_ENTER && k->kind != KEY_TAB)
        return; /* controls in a paste are never commands */
    if (in->paste_bytes + count > sizeof in->paste) {
        in->paste_lost += count;
        return;
    }
    memcpy(in->paste + in->paste_bytes, text, count);
    in->paste_bytes += count;
}

static struct key end_paste(struct input *in)
{
    in->is_pasting = false;
    return (struct key){.kind = KEY_PASTE,
                        .text = in->paste,
                        .bytes = in->paste_bytes,
                        .lost = in->paste_lost};
}

/* Turns one terminal key into ours; KEY_NOTHING for what belongs to a paste. */
static struct key take(struct input *in, const TermKeyKey *from)
{
    struct key size = {0};
    const long csi = csi_number(in, from, &size);
    if (size.kind)
        return size;
    if (csi == 200) {
        in->is_pasting = true;
        in->paste_bytes = in->paste_lost = 0;
        return (struct key){0};
    }
    if (csi == 201 && in->is_pasting)
        return end_paste(in);
    const struct key k = plain_key(in, from);
    if (!in->is_pasting)
        return k;
    paste_add(in, &k);
    return (struct key){0};
}

/* Gives libtermkey the next chunk; false when there is none. */
static bool push(struct input *in)
{
    if (in->queued == 0)
        return false;
    const size_t count = in->queue[0];
    termkey_push_bytes(in->termkey, (const char *)in->queue + 1, count);
    in->queued -= 1 + count;
    memmove(in->queue, in->queue + 1 + count, in->queued);
    return true;
}

/* An Esc that nothing followed was the key itself. */
static void flush_late(struct input *in)
{
    uint8_t out[SANITIZER_HELD];
    if (in->input_sanitizer.count > 0 && os_now() - in->held_since >= ESCAPE_MS * 1000000LL)
        enqueue(in, out, sanitizer_flush(&in->input_sanitizer, out));
}

struct key input_next(struct input *in)
{
    flush_late(in);
    for (;;) {
        TermKeyKey from;
        TermKeyResult got = termkey_getkey(in->termkey, &from);
        if (got == TERMKEY_RES_AGAIN) /* the sanitizer has waited already */
            got = termkey_getkey_force(in->termkey, &from);
        if (got != TERMKEY_RES_KEY && !push(in)) {
            if (in->is_pasting && os_now() - in->heard_at >= paste_time)
                return end_paste(in);
            return (struct key){0};
        }
        if (got != TERMKEY_RES_KEY)
            continue;
        const struct key k = take(in, &from);
        if (k.kind != KEY_NOTHING)
            return k;
    }
}

int input_due(const struct input *in)
{
    if (in->input_sanitizer.count == 0 && !in->is_pasting)
        return -1;
    const int64_t due = in->input_sanitizer.count ? in->held_since + ESCAPE_MS * 1000000LL
                                                  : in->heard_at + paste_time;
    const int64_t left = due - os_now();
    return left <= 0 ? 0 : (int)(left / 1000000) + 1;
}
