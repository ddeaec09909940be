/* The screen: brings a grid to the terminal. Only screen.c calls ncursesw. */
#ifndef UI_TERM_SCREEN_H
#define UI_TERM_SCREEN_H

#include "src/base/err.h"
#include "src/os/os.h"
#include "ui/term/grid.h"
#include "ui/theme/theme.h"

#include <stdbool.h>

/* What decides how many colors there are (ui/README.md, Themes and colors). */
struct color_hints {
    const char *option;                      /* --color, or NULL */
    const char *no_color, *term, *colorterm; /* environment, or NULL */
    int colors;                              /* of the terminal's description; <0 unknown */
};

struct color_choice {
    enum depth depth;
    bool is_plain; /* no attributes either */
};

/* Pure; false with a sentence for an option that does not exist. */
bool screen_choose_colors(const struct color_hints *h, struct color_choice *out, struct err *err);

/* Whether the locale (set before, by setlocale) shows Unicode. */
bool screen_is_utf8(void);

/* What is known of the terminal before it is taken over. */
struct screen_facts {
    const char *term;  /* "" where TERM is not set */
    const char *depth; /* "256 colors" */
    bool is_known, is_utf8;
    int width, height; /* in cells; 0x0: there is none */
};
void screen_examine(struct screen_facts *out);

struct screen;

struct screen_options {
    const struct theme *theme; /* must outlive the screen */
    const char *color;         /* --color, or NULL */
    struct os_wakeup *wake;    /* set when keys come, where nothing else can show that */
    bool has_mouse;
};

/* Takes over the terminal on standard input and output: alternate screen, raw keys,
 * bracketed paste. It is given back by screen_close(), by exit(), and by a crash.
 * Main thread, one at a time. */
struct screen *screen_open(const struct screen_options *o, struct err *err);
void screen_close(struct screen *s);

/* Brings what changed to the terminal; with `everything`, all of it. Behind it the grid holds an
 * older frame: the next one is drawn anew. */
void screen_show(struct screen *s, struct grid *g, bool everything);

/* Another theme from now on; what is shown next is to be all of it. */
void screen_set_theme(struct screen *s, const struct theme *theme);

/* The mouse is ours from now on, or the terminal's. */
void screen_set_mouse(struct screen *s, bool on);

/* Gives the terminal a sequence that changes nothing on the screen. */
void screen_send(struct screen *s, const char *bytes, size_t count);

/* The terminal has this size now. */
void screen_resize(struct screen *s, int width, int height);

/* Gives the terminal back and stops the program (C-z); returns when it goes on. */
void screen_suspend(struct screen *s);

/* Sounds it, or flashes, as the terminal is set up. */
void screen_bell(void);

#endif
