/* Call trees of a view: the scan that counts stacks, the tree as rows of a frame, and frames by the
 * path to them. */
#ifndef SRC_VIEW_STACKS_H
#define SRC_VIEW_STACKS_H

#include "src/view/inside.h"

/* Call trees (stacks.c): a scan begins; counts a fact; learns of stacks that came
 * after their facts, false when there were too many to follow: scan anew. */
struct tree *tree_new(void);
void tree_free(struct tree *t);
void tree_start(struct view *v);
void tree_feed(struct view *v, const struct fact *f, uint64_t number);
bool tree_catch_up(struct view *v);
void tree_end_reread(struct view *v); /* what is learned late is the view's model's again */
bool tree_is_outdated(const struct view *v);
bool tree_looks_at(const struct view *v, const struct fact *f); /* is its class the metric's? */

/* True for facts that it needs of all threads: the switch in which one thread leaves has the stack
 * of the thread that comes in. */
bool tree_follows(const struct view *v, const struct fact *f);

/* The tree to show (stack_rows.c): of an older scan while the new one is not whole. */
void view_fill_stacks(struct view *v, struct frame_maker *maker);
struct stack_tree *tree_counted(struct tree *t); /* summed up (src/view/stack_tree.h) */
uint64_t tree_without(const struct tree *t);     /* weight that has no stack */
const struct stack_look *tree_look(const struct tree *t);
struct tree_rows *tree_rows_new(void);
void tree_rows_free(struct tree_rows *r);

/* Frames by the path to them (src/view/stack_path.h). What was shown is noted by a stack that goes
 * through it (of its frames, `index`), and found again. */
void frame_filters_note(struct view *v, struct row_key key, uint32_t stack, unsigned index);
struct row_key frame_filters_key_now(struct view *v, struct row_key key);
bool frame_filters_find(const struct view *v, struct row_key key, uint32_t *stack, unsigned *index);
struct shown_frames *shown_frames_new(void);
void shown_frames_free(struct shown_frames *s);

/* Does the fact's stack go through the frame that the crumb is? Likewise. */
bool view_frame_filter_passes(struct view *v, unsigned crumb, const struct fact *f);
void view_frame_filters_clear(struct view *v);
const char *view_frame_filter_name(const struct view *v, unsigned crumb);

#endif
