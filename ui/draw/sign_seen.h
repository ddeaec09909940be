/* Which signs stand on the screen now: the help begins with them. */
#ifndef UI_DRAW_SIGN_SEEN_H
#define UI_DRAW_SIGN_SEEN_H

#include "ui/draw/sign.h"

#include <stdint.h>

_Static_assert(SIGNS <= 64, "a bit for each sign");

/* Draws the screen once more, off the terminal, and looks. Bits of enum sign. */
uint64_t signs_seen(const struct app *a);

#endif
