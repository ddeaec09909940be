/* Highlight rules as the user has them: filters, and how the rows stand out that they hold for.
 * A rule is about what a row shows, in every pane where its words mean something. Main thread. */
#ifndef UI_STATE_HIGHLIGHT_H
#define UI_STATE_HIGHLIGHT_H

#include "src/base/err.h"
#include "src/frame/frame.h"
#include "ui/theme/theme.h"

struct app;
struct config;

struct highlights {
    struct highlight {
        char text[RULE_TEXT]; /* the filter; "" = the slot is free */
        uint8_t style;        /* index of its word: warn, bad, good */
    } of[RULES_MAX];
    bool are_changed; /* by the user: no longer those of the configuration */
};

/* Sets one, "EXPR [as warn|bad|good]"; false with a sentence. The first that holds counts. */
bool highlight_add(struct app *a, const char *text, struct err *err);

/* Those of the configuration; a wrong one is a warning. The config may be NULL. */
void highlight_configure(struct app *a, struct config *c);

/* Takes away the one with this number as the list shows it (1 …), or all by 0; false: there is
 * no such. */
bool highlight_drop(struct app *a, unsigned number);

/* The i-th of those set: "2", and its text. False behind the last. */
bool highlight_line(const struct app *a, unsigned i, char *name, size_t name_room, char *text,
                    size_t room);

/* How the row stands out; ROLE_TEXT = it does not. */
enum role highlight_role(const struct app *a, const struct frame_row *row);

#endif
