/* The terminal as the system gives it: its modes, the bytes to and from it. One file per
 * platform (terminal_linux.c, terminal_windows.c); what the bytes mean is the business of
 * screen.c and input.c. There is one terminal: its state is at file scope, where a crash can
 * reach it. Main thread, unless said otherwise. */
#ifndef UI_TERM_TERMINAL_H
#define UI_TERM_TERMINAL_H

#include "src/base/err.h"
#include "src/os/os.h"
#include "ui/term/screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Whether it shows Unicode. */
bool terminal_is_utf8(void);

/* What environment and system say about its colors; all but `option`. */
struct color_hints terminal_hints(void);

/* Remembers how it is and makes ready to give it back; false with a sentence where standard
 * input and output are no terminal. `wake` rings when keys come. */
bool terminal_open(struct os_wakeup *wake, struct err *err);

/* Where curses writes and reads. */
FILE *terminal_output(void);
FILE *terminal_input(void);

/* What the terminal's description may be called, the best first, NULL after the last; none where
 * TERM says it. */
const char *const *terminal_types(void);

/* Its modes belong to curses from now on; `rescue` is what gives the screen back should the
 * program crash or exit() (copied). */
void terminal_take(const char *rescue);

/* Everything as terminal_open() found it; after what was sent has arrived. */
void terminal_give_back(void);

/* Sends bytes, after what curses has flushed. */
void terminal_send(const char *text, size_t bytes);

/* What to send so that the mouse is reported, or no longer; "" where it is a mode of the system,
 * which this sets. */
const char *terminal_mouse(bool on);

/* As sequences: presses, where it is dragged to, in places of any size. */
#define MOUSE_ON  "\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"

/* C-z: stops the program until it is continued; false where there is no such thing. The
 * terminal has been given back to its user before. */
bool terminal_can_stop(void);
void terminal_stop(void);

/* Cells that curses takes for a character. */
int terminal_cells(wchar_t character);

/* ---- keys ---------------------------------------------------------------------------- */

enum terminal_event {
    TERMINAL_KEYS = 1,    /* terminal_read() has something */
    TERMINAL_RESIZED = 2, /* where no signal says so */
    TERMINAL_GONE = 4,
};

/* Waits for keys, for that wakeup (and takes it), or so many milliseconds (-1: no end); bits of
 * enum terminal_event. */
unsigned terminal_wait(int milliseconds);

/* Asks the terminal how large it is where the system does not know: it answers among the keys
 * (KEY_SIZE). Not oftener than is useful. */
void terminal_ask_size(void);

/* What has arrived, as terminals send it; 0 at the end of it all. Does not wait after
 * TERMINAL_KEYS. */
size_t terminal_read(void *to, size_t room);

#endif
