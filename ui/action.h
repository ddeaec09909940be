/* What keys do: the functions that the key table points to. Each changes the app
 * and answers with reactions; the loop does the rest. */
#ifndef UI_ACTION_H
#define UI_ACTION_H

#include "src/frame.h"
#include "ui/app.h"
#include "ui/keymap.h"

/* What action_sort_by() may be asked for. */
enum { SORT_CPU, SORT_MEMORY, SORT_TIME };

/* Beside enum row_fold, what folding may be asked to do: whatever it is not. */
enum { FOLD_TURN = FOLD_SHUT + 1 };

#define ACTION(name)                                                                               \
    unsigned action_##name(struct app *a, const struct binding *b, const struct key *k)

/* Not every action needs all it is given. */
#define UNUSED(x) ((void)(x))

/* Opens the help about that. */
unsigned action_tell(struct app *a, enum help_about about);

/* A mark, as if it had been typed. */
void action_mark_text(struct app *a, const char *text);

/* Begins a snapshot of what `text` says (src/snapshot_ask.h); "" is everything, or, where it is
 * wanted as it is shown, what a picture that stands still shows. */
bool action_snapshot_begin(struct app *a, const char *text, bool as_shown, struct err *err);
unsigned action_snapshot_of(struct app *a, const char *text);

/* Recording to a file; "" makes a name. One that runs is ended. */
unsigned action_leave(struct app *a); /* asks first where a recording runs */
unsigned action_record_to(struct app *a, const char *path);

ACTION(help);
ACTION(loss);
ACTION(filter);
ACTION(find);
ACTION(command);
ACTION(mark);
ACTION(snapshot);
ACTION(record);
ACTION(choose);
ACTION(quit);
ACTION(close);
ACTION(cancel);
ACTION(open);
ACTION(back);
ACTION(pane_step);
ACTION(pane_digit);
ACTION(freeze);
ACTION(step);
ACTION(reset);
ACTION(accumulate);
ACTION(hide_idle);
ACTION(hide_system); /* these: ui/grouping.c */
ACTION(group);
ACTION(difference); /* these: ui/compare.c */
ACTION(what_changed);
ACTION(find_rows); /* these: ui/finding.c */
ACTION(find_next);
ACTION(prompt_find);
ACTION(tag_rule);
ACTION(lock); /* ui/locking.c */
ACTION(users);
ACTION(sort_by);
ACTION(actions); /* ui/acting.c */
ACTION(marks); /* ui/marks.c */
ACTION(interval); /* ui/interval.c */
ACTION(details);
ACTION(last_view); /* ui/jumps.c */
ACTION(hold_order);
ACTION(meters);
ACTION(zoom);
ACTION(split);
ACTION(split_step);
ACTION(drag);
ACTION(drop);
ACTION(redraw);
ACTION(suspend);
ACTION(move);
ACTION(page);
ACTION(home);
ACTION(end);
ACTION(pan);
ACTION(column);
ACTION(sort_step);
ACTION(invert);
ACTION(clear_filter);
ACTION(filter_cell); /* ui/filter_cell.c */
ACTION(tag);
ACTION(untag);
ACTION(follow);
ACTION(events);
ACTION(threads);
ACTION(frame);
ACTION(stack_shape); /* these: ui/stacks.c */
ACTION(stack_around);
ACTION(stack_direction);
ACTION(stack_fold);
ACTION(stack_cut_off);
ACTION(stack_percent);
ACTION(stack_light);
ACTION(stack_next_light);
ACTION(stack_term);
ACTION(export); /* ui/exporting.c */
ACTION(copy); /* these: ui/copying.c */
ACTION(copy_table);
ACTION(flame_move);
ACTION(flame_zoom);
ACTION(picture); /* these: ui/picture.c */
ACTION(picture_row);
ACTION(picture_measure);
ACTION(picture_move);
ACTION(picture_climb);
ACTION(picture_go);
ACTION(picture_scale);
ACTION(fold);
ACTION(fold_all);
ACTION(tree);
ACTION(paths);
ACTION(of_one_cpu);
ACTION(tree_left);
ACTION(tree_right);
ACTION(click);
ACTION(accept);
ACTION(prompt_switch);
ACTION(complete);
ACTION(choose_move);
ACTION(choose_page);
ACTION(choose_toggle);

#endif
