/* The grid: every cell of the screen as the program means it. Views draw here;
 * screen.c brings what changed to the terminal, tests and pictures read it
 * directly. Nothing is ever drawn outside, and never half a wide character. */
#ifndef UI_TERM_GRID_H
#define UI_TERM_GRID_H

#include "src/base/text.h"
#include "ui/term/glyph.h"
#include "ui/theme/theme.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A screen wider or higher than this is drawn only so far. */
enum { CELL_BYTES = TEXT_CLUSTER_ROOM, GRID_SIDE_MAX = 1000 };

struct cell {
    char bytes[CELL_BYTES]; /* one grapheme cluster, NUL-terminated UTF-8; "" beside a wide one */
    uint8_t width;          /* 1 or 2; 0 = right half of the wide one before it */
    uint8_t role;           /* enum role */
    uint8_t over;           /* enum role laid over it (the cursor's row); ROLE_TEXT = none */
    uint8_t gradient;       /* enum gradient, flags too: the level colors the cell, not the role */
    uint8_t level;          /* 0 … LEVELS - 1 */
};

struct rect {
    int x, y, width, height;
};

struct grid {
    int width, height;
    int cursor_x, cursor_y; /* where the terminal's cursor shows; -1 = hidden */
    const struct glyphs *glyphs;
    struct cell *cells; /* height × width, owned */
};

void grid_init(struct grid *g, int width, int height, const struct glyphs *glyphs);
void grid_fini(struct grid *g);
void grid_resize(struct grid *g, int width, int height); /* clears */
void grid_clear(struct grid *g);

/* The cell, or NULL outside. */
struct cell *grid_cell(struct grid *g, int x, int y);
const struct cell *grid_look(const struct grid *g, int x, int y);

/* Writes text from (x, y) on, at most `width` cells and never beyond the grid. A wide
 * character that would be cut at a border leaves a blank. The text may come from
 * anywhere: controls and ill-formed bytes are shown as visible marks. Returns the
 * cells used. */
int grid_text(struct grid *g, int x, int y, int width, enum role role, const char *text);
int grid_printf(struct grid *g, int x, int y, int width, enum role role, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Likewise, cut to the width with an ellipsis: at its end, or, for paths, in front. */
enum grid_cut { CUT_END, CUT_FRONT };
int grid_cut(struct grid *g, int x, int y, int width, enum role role, const char *text,
             enum grid_cut cut);

/* Likewise, with the last cell of the text at x + width - 1. */
void grid_right(struct grid *g, int x, int y, int width, enum role role, const char *text);

/* Cells that the text takes. */
int grid_width(const char *text);

void grid_fill(struct grid *g, struct rect r, enum role role);

/* Lays a role over what a rectangle shows (the cursor's row). */
void grid_over(struct grid *g, struct rect r, enum role over);

/* A horizontal bar, `part` 0…1 of `width` cells, in eighths of a cell; colored along
 * the gradient, or by role where that is GRADIENT_NONE. */
void grid_bar(struct grid *g, int x, int y, int width, double part, enum role role,
              enum gradient gradient);

/* Likewise in several parts one behind the other, each with a sign and a role of its own; the last
 * cell may be half full. At most as many as there are signs. */
struct grid_part {
    double part;
    enum role role;
};
void grid_parts(struct grid *g, int x, int y, int width, const struct grid_part *parts,
                unsigned count);

/* A row of up-and-down blocks for values 0…1, newest at the right. */
void grid_spark(struct grid *g, int x, int y, int width, const float *values, size_t count,
                enum role role, enum gradient gradient);

/* Colors what stands in a cell along a gradient (flags too), level 0 … LEVELS - 1. */
void grid_tint(struct grid *g, int x, int y, unsigned gradient, unsigned level);

/* The grid as text: one line per row, trailing blanks cut. With `roles`, stretches in
 * another role than text are written {role:text}, and {role+over:text}. */
void grid_print(const struct grid *g, FILE *out, bool roles);

/* The same as one allocated string (tests). */
char *grid_to_text(const struct grid *g, bool roles);

#endif
