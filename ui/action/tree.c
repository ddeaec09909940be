#include "ui/action/tree.h"

#include "ui/action/action.h"
#include "ui/state/app.h"
#include "ui/state/folds.h"

/* ---- folding ------------------------------------------------------------------------ */

static unsigned fold_row(struct app *a, int how)
{
    const struct frame_row *row = app_cursor_row(a);
    if (!row || row->fold == FOLD_NONE)
        return REACT_NONE;
    folds_set(a, &row->key, how == FOLD_TURN ? row->fold == FOLD_OPEN : how == FOLD_SHUT);
    return REACT_DRAW;
}

unsigned tree_turn(struct app *a)
{
    return fold_row(a, FOLD_TURN);
}

ACTION(fold)
{
    UNUSED(k);
    return fold_row(a, b->argument);
}

ACTION(tree)
{
    UNUSED(b), UNUSED(k);
    struct place *p = app_place(a);
    if (p->pane->view == PANE_TREE) {
        app_message(a, false, "a call tree is always a tree");
    } else if (!p->pane->tree) {
        app_message(a, false, "%s has no tree; Processes, Files and Registry have one",
                    p->pane->title);
    } else {
        p->is_tree = !p->is_tree;
    }
    return REACT_DRAW;
}

/* ---- moving -------------------------------------------------------------------------- */

static bool is_top(const struct frame_row *row)
{
    static const struct row_key none;
    return row_key_equal(row->parent, none);
}

/* The cursor goes to the row with this key, wherever it is: the next frame brings it. */
static void go_to_key(struct app *a, const struct row_key *key)
{
    struct list *l = &app_place(a)->list;
    const struct frame *f = app_known(a);
    for (unsigned i = 0; f && i < f->row_count; i++)
        if (row_key_equal(f->rows[i].key, *key)) {
            list_go(l, f->first + i);
            l->key = *key;
            l->has_key = true;
            return;
        }
    l->is_first = l->is_tail = false;
    l->key = *key;
    l->has_key = true;
}

/* Folding all leaves the cursor on what stands at the top above it, or at the first row where
 * that is too far away to be known. */
static void climb(struct app *a)
{
    const struct frame_row *row = app_cursor_row(a);
    const struct frame *f = app_known(a);
    for (unsigned i = row ? (unsigned)(row - f->rows) : 0; row && !is_top(row); i--) {
        if (row_key_equal(f->rows[i].key, row->parent))
            row = &f->rows[i];
        if (i == 0 && !is_top(row))
            row = NULL;
    }
    if (row)
        go_to_key(a, &row->key);
    else
        list_home(&app_place(a)->list);
}

ACTION(fold_all)
{
    UNUSED(k);
    struct place *p = app_place(a);
    p->folds_all = b->argument == FOLD_TURN ? !p->folds_all : b->argument == FOLD_SHUT;
    p->fold_count = 0;
    if (p->folds_all)
        climb(a);
    return REACT_DRAW;
}

ACTION(tree_left)
{
    UNUSED(b), UNUSED(k);
    const struct frame_row *row = app_cursor_row(a);
    if (!row)
        return REACT_NONE;
    if (row->fold == FOLD_OPEN)
        return fold_row(a, FOLD_SHUT);
    if (!is_top(row))
        go_to_key(a, &row->parent);
    return REACT_DRAW;
}

ACTION(tree_right)
{
    UNUSED(b), UNUSED(k);
    const struct frame_row *row = app_cursor_row(a);
    if (row && row->fold == FOLD_SHUT)
        return fold_row(a, FOLD_OPEN);
    if (row && row->fold == FOLD_OPEN)
        list_move(&app_place(a)->list, 1);
    return REACT_DRAW;
}
