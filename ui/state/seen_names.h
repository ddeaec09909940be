/* Names of payload fields that the trace has, gathered while a chooser offers them: the list only
 * grows, so that no line moves under the cursor. */
#ifndef UI_STATE_SEEN_NAMES_H
#define UI_STATE_SEEN_NAMES_H

#include "ui/state/app.h"

/* A trace can name as many as it likes: beyond these the list begins anew. */
enum { SEEN_KEPT = 512 };

struct seen_names {
    struct seen_field {
        char name[SEEN_MAX];
        char help[40]; /* how many events have it */
    } of[SEEN_KEPT];
    unsigned count;
};

/* What the frame names joins the list, but for columns of the pane shown. */
void seen_names_take(struct app *a, const struct frame *f);

/* The name is a column by now. */
void seen_names_drop(struct app *a, const char *name);

/* The i-th, or NULL behind the last. */
const struct seen_field *seen_names_at(const struct app *a, unsigned i);

/* Is it among them? Case does not matter. */
bool seen_names_have(const struct app *a, const char *name);

#endif
