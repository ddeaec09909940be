/* Call trees take another shape. */
#ifndef UI_STATE_STACK_SHAPE_H
#define UI_STATE_STACK_SHAPE_H

#include "ui/state/app.h"

/* Keys of the old shape name nothing in the new one: no folds, no zoom, the first row. */
void stacks_reshape(struct app *a);

/* From callers and callees of one frame back to all frames; false where it is not that. */
bool stacks_end_around(struct app *a);

#endif
