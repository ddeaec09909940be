/* Keys of the Windows console as a terminal would send them: records of ReadConsoleInputW
 * become the bytes of xterm's sequences, which input.c understands. Pure: reads no console. */
#ifndef UI_TERM_CONSOLE_KEYS_WINDOWS_H
#define UI_TERM_CONSOLE_KEYS_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* What one record can become at most. */
enum { CONSOLE_KEY_ROOM = 1024 };

/* What earlier records left; zeroed at first. */
struct console_keys {
    uint16_t high;    /* first half of a character above U+FFFF; 0 = none */
    DWORD buttons;    /* of the mouse, that were down */
    SHORT left, top;  /* of the window within the buffer, for the mouse: the reader's to set */
    bool was_resized; /* set by a record that says so; the reader's to clear */
};

/* Writes what the record means and returns how many bytes that is; most records mean none. */
size_t console_keys_bytes(struct console_keys *k, const INPUT_RECORD *r,
                          uint8_t out[CONSOLE_KEY_ROOM]);

#endif
