#include "ui/state/stack_shape.h"

#include "ui/state/search.h"
#include "ui/state/stack_facts.h"

void stacks_reshape(struct app *a)
{
    struct place *const p = app_place(a);
    p->zoom_count = 0;
    p->stacks.root = (struct row_key){0};
    p->fold_count = 0;
    p->folds_all = false;
    p->list = list_start(p->list.height);
    search_restart(a);
}

bool stacks_end_around(struct app *a)
{
    struct place *const p = app_place(a);
    if (!stacks_are_shown(a) || p->stacks.shape != STACK_BOTH)
        return false;
    p->stacks.shape = STACK_FLAT;
    stacks_reshape(a);
    return true;
}
