/* `tracetop live` and `replay`: a session and the full screen over it, on a terminal or without
 * one (--headless). */
#ifndef UI_MAIN_FULL_SCREEN_H
#define UI_MAIN_FULL_SCREEN_H

#include "src/command/source.h"
#include "ui/config/config.h"

/* Until the user leaves; the exit status. What failed is on standard error. Main thread. */
int full_screen_run(const struct sources *sources, const struct command_line *c,
                    struct config *config);

#endif
