#include "ui/config/key.h"

#include "ui/config/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum key_kind kind;
    uint32_t code;
} names[] = {
    {"Up", KEY_UP, 0},
    {"Down", KEY_DOWN, 0},
    {"Left", KEY_LEFT, 0},
    {"Right", KEY_RIGHT, 0},
    {"Home", KEY_HOME, 0},
    {"End", KEY_END, 0},
    {"PgUp", KEY_PAGE_UP, 0},
    {"PgDn", KEY_PAGE_DOWN, 0},
    {"Ins", KEY_INSERT, 0},
    {"Del", KEY_DELETE, 0},
    {"Backspace", KEY_BACKSPACE, 0},
    {"Tab", KEY_TAB, 0},
    {"Enter", KEY_ENTER, 0},
    {"Esc", KEY_ESCAPE, 0},
    {"Space", KEY_CHARACTER, ' '},
    {"WheelUp", KEY_WHEEL_UP, 0},
    {"WheelDown", KEY_WHEEL_DOWN, 0},
    {"Click", KEY_CLICK, 0},
    {"Drag", KEY_DRAG, 0},
    {"Drop", KEY_DROP, 0},
    {"Paste", KEY_PASTE, 0},
    /* what people also write */
    {"PageUp", KEY_PAGE_UP, 0},
    {"PageDown", KEY_PAGE_DOWN, 0},
    {"Escape", KEY_ESCAPE, 0},
    {"Return", KEY_ENTER, 0},
    {"Delete", KEY_DELETE, 0},
};

static bool parse_plain(const char *name, struct key *out)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) {
            out->kind = names[i].kind;
            out->code = names[i].code;
            return true;
        }
    }
    if (name[0] == 'F' && name[1] >= '1' && name[1] <= '9') {
        char *end = NULL;
        const long number = strtol(name + 1, &end, 10);
        if (*end == '\0' && number <= 24) {
            out->kind = KEY_FUNCTION;
            out->code = (uint32_t)number;
            return true;
        }
    }
    uint32_t code = 0;
    const size_t used = name[0] ? utf8_decode(name, &code) : 0;
    if (used == 0 || name[used] != '\0' || code < 0x20 || code == 0x7f)
        return false;
    out->kind = KEY_CHARACTER;
    out->code = code;
    return true;
}

bool key_parse(const char *name, struct key *out)
{
    *out = (struct key){0};
    static const struct {
        char letter;
        uint8_t bit;
    } modifiers[] = {{'C', KEY_CONTROL}, {'S', KEY_SHIFT}, {'M', KEY_ALT}};
    for (bool found = true; found && name[0] && name[1] == '-' && name[2];) {
        found = false;
        for (size_t i = 0; i < 3; i++) {
            if (name[0] == modifiers[i].letter) {
                out->modifiers |= modifiers[i].bit;
                found = true;
            }
        }
        if (found)
            name += 2;
    }
    return parse_plain(name, out);
}

static const char *plain_name(const struct key *k, char *out)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == k->kind && names[i].code == k->code)
            return names[i].name;
    if (k->kind == KEY_FUNCTION)
        snprintf(out, 8, "F%u", k->code % 100);
    else
        utf8_encode(k->code, out);
    return out;
}

char *key_text(const struct key *k, char *out)
{
    char plain[8];
    struct key bare = *k;
    if (bare.kind != KEY_CHARACTER && bare.kind != KEY_FUNCTION)
        bare.code = 0;
    static const struct {
        uint8_t bit;
        char letter;
    } modifiers[] = {{KEY_CONTROL, 'C'}, {KEY_ALT, 'M'}, {KEY_SHIFT, 'S'}};
    char *at = out;
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
        if (!(k->modifiers & modifiers[i].bit))
            continue;
        *at++ = modifiers[i].letter;
        *at++ = '-';
    }
    const char *const name = plain_name(&bare, plain);
    const size_t length = strlen(name), room = KEY_NAME - 1 - (size_t)(at - out);
    const size_t fit = length < room ? length : room;
    memcpy(at, name, fit);
    at[fit] = '\0';
    return out;
}

bool key_equal(const struct key *a, const struct key *b)
{
    if (a->kind != b->kind || a->modifiers != b->modifiers)
        return false;
    return (a->kind != KEY_CHARACTER && a->kind != KEY_FUNCTION) || a->code == b->code;
}
