/* Signs and words that stand on the screen without an explanation. The drawing code takes their
 * text from this table, and the help lists it: a sign without a row there cannot be drawn. */
#ifndef UI_DRAW_SIGN_H
#define UI_DRAW_SIGN_H

#include "ui/state/app.h"

/* In the order of the help: marks of rows and numbers, words of the lines around, the rest. */
enum sign {
    SIGN_TAGGED,
    SIGN_RULE,
    SIGN_EXITED,
    SIGN_NEW,
    SIGN_FOLDED,
    SIGN_UNFOLDED,
    SIGN_ZERO,
    SIGN_ABSENT,
    SIGN_INCOMPLETE,
    SIGN_ESTIMATED,
    SIGN_STAND_IN,

    SIGN_LIVE,
    SIGN_REPLAY,
    SIGN_PAUSED,
    SIGN_FINISHED,
    SIGN_FAILED,
    SIGN_FROZEN,
    SIGN_RECORDING,
    SIGN_SNAPSHOT,
    SIGN_MEAN,
    SIGN_SUMS,
    SIGN_REREADING,
    SIGN_LARGEST,
    SIGN_RATE,
    SIGN_LOST,
    SIGN_WATCHED,
    SIGN_CAPTURE,
    SIGN_RECORDER,
    SIGN_CLASSES,
    SIGN_LATE,
    SIGN_UNMATCHED,
    SIGN_LEFT_OUT,
    SIGN_RING,
    SIGN_SELF,

    SIGN_DEMO,
    SIGN_LOCKED,
    SIGN_HIDDEN,
    SIGN_TWICE,
    SIGN_UNREAD,
    SIGN_GIVEN_UP,
    SIGN_FILLING,
    SIGN_ACTIVE,
    SIGN_NO_SYSTEM,
    SIGN_NO_SELF,
    SIGN_ORDER_LOCKED,
    SIGN_STACKS,
    SIGN_SHORT,

    SIGN_STRIP_MARK,
    SIGN_STRIP_TRIGGER,
    SIGN_STRIP_LOSS,
    SIGN_STRIP_GAP,

    SIGN_DIFFERENCE,
    SIGN_DIFFERENCE_ASCII,
    SIGN_DESCENDING,
    SIGN_ASCENDING,
    SIGN_CURSOR,
    SIGN_CUT,
    SIGN_UNITS,

    SIGN_PART_1,
    SIGN_PART_2,
    SIGN_PART_3,
    SIGN_PART_4,
    SIGN_PRESSURE,
    SIGNS
};

/* As the screen shows it. */
const char *sign_text(const struct glyphs *g, enum sign s);

/* A line of at most SIGN_HELP cells, so that it is whole at 80 columns. */
enum { SIGN_HELP = 53 };
const char *sign_help(enum sign s);

/* Can the focused pane or the lines around it show it, as they are now? */
bool sign_is_here(const struct app *a, enum sign s);

#endif
