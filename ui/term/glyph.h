/* The few signs the screen uses beside letters, once for terminals that show
 * Unicode and once for those that do not. */
#ifndef UI_TERM_GLYPH_H
#define UI_TERM_GLYPH_H

#include <stdbool.h>

struct glyphs {
    bool is_ascii;
    bool is_braille; /* two values stand in a cell of a curve */
    const char *crumb, *divider, *rule, *ellipsis;
    const char *down, *up; /* sort */
    const char *zero, *minus, *times, *micro;
    const char *absent, *incomplete, *estimated;
    const char *spark[9]; /* nothing … full, upwards */
    const char *bar[9];   /* nothing … full, to the right */
    const char *shade[5]; /* nothing … full: how much there is in a cell */
    const char *part[4];  /* parts of a meter, told apart without color … */
    const char *part_half, *part_rest; /* … half a cell, and what is empty */
    const char *scroll;   /* thumb of the scroll bar */
    const char *cursor, *horizontal;
};

extern const struct glyphs glyphs_unicode, glyphs_ascii;

/* Those for bars and graphs where others are wanted than blocks; all else as in glyphs_unicode. */
extern const struct glyphs glyphs_braille, glyphs_plain;

#endif
