/* Keys, and their names in a table, a configuration or a script. */
#ifndef UI_CONFIG_KEY_H
#define UI_CONFIG_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum key_kind {
    KEY_NOTHING,
    KEY_CHARACTER, /* code = Unicode code point */
    KEY_FUNCTION,  /* code = 1 … 24 */
    KEY_UP,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_HOME,
    KEY_END,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_INSERT,
    KEY_DELETE,
    KEY_BACKSPACE,
    KEY_TAB,
    KEY_ENTER,
    KEY_ESCAPE,
    KEY_WHEEL_UP,
    KEY_WHEEL_DOWN,
    KEY_CLICK, /* x, y */
    KEY_DRAG,  /* the button is held down, and the mouse at x, y */
    KEY_DROP,  /* it was dragged, and let go there */
    KEY_SIZE,  /* no key: the terminal says that it has x columns and y rows */
    KEY_PASTE, /* text, bytes: good until the next input_next() */
};

enum key_modifier { KEY_SHIFT = 1, KEY_ALT = 2, KEY_CONTROL = 4 };

struct key {
    enum key_kind kind;
    uint8_t modifiers;
    uint32_t code;
    int x, y;
    const char *text;
    size_t bytes;
    size_t lost; /* of a paste: bytes that were too many */
};

/* "C-s", "S-Tab", "F10", "PgUp", "M-x", "Space", "?" … False for no such name. */
bool key_parse(const char *name, struct key *out);

/* The name of a key; `out` holds KEY_NAME bytes. */
enum { KEY_NAME = 24 };
char *key_text(const struct key *k, char *out);

bool key_equal(const struct key *a, const struct key *b);

#endif
