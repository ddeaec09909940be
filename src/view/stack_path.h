/* Paths: a stack's frames as one shape of a call tree has them, with their keys. A key stands for
 * the path to a frame and the shape it was made for: c = depth, then shape and fold. Engine's
 * thread. */
#ifndef SRC_VIEW_STACK_PATH_H
#define SRC_VIEW_STACK_PATH_H

#include "src/frame/stack_look.h"
#include "src/model/model.h"
#include "src/symbol/site.h"

enum {
    STACK_STEPS = 2 * STACK_FRAMES + 2,
    PATH_DEPTH = 0xffff,   /* part of row_key.c */
    PATH_SHAPE_SHIFT = 16, /* two bits each */
    PATH_FOLD_SHIFT = 18,
    PATH_STATE_SHIFT = 20, /* enum thread_state, of paths that go through one */
};

/* What a thread did in the time that counts: the innermost step of its stack. */
enum thread_state { STATE_NOT_SHOWN, STATE_RUNNING, STATE_READY, STATE_WAITING };

struct path_step {
    struct site site;
    uint32_t frame; /* index into model_stack_frames(); the count of frames: in none */
};

/* Sites that are no code: `at` = a process of the model, or which part of a tree. */
enum { SITE_OF_PROCESS = SITE_MODES, SITE_OF_PART, SITE_OF_STATE };

/* The key of the root above all paths of a shape. */
static inline struct row_key path_root(unsigned shape, unsigned fold)
{
    return (struct row_key){.c = shape << PATH_SHAPE_SHIFT | fold << PATH_FOLD_SHIFT};
}

/* The key of what stands below `parent`; it changes when frames get names. */
struct row_key path_key(struct row_key parent, const struct site *s);

/* The steps from the root of the shape on; 0: the frames are not known. */
struct path_look {
    unsigned shape, fold, state; /* enums stack_shape, stack_fold, thread_state */
};
unsigned path_steps(struct sites *sites, const struct model *m, uint32_t stack,
                    struct path_look look, struct path_step out[STACK_STEPS]);

/* How the path of a key was made. */
static inline struct path_look path_look_of(struct row_key key)
{
    return (struct path_look){.shape = key.c >> PATH_SHAPE_SHIFT & 3,
                              .fold = key.c >> PATH_FOLD_SHIFT & 3,
                              .state = key.c >> PATH_STATE_SHIFT & 3};
}

/* The key of steps[at], of the root's shape. */
struct row_key path_at(struct row_key root, const struct path_step *steps, unsigned at);

static inline bool site_is(const struct site *a, const struct site *b)
{
    return a->module == b->module && site_id(a) == site_id(b) &&
           (a->mode >= SITE_MODES) == (b->mode >= SITE_MODES);
}

/* As site_text(), also for what is no code and for whole modules. */
char *path_text(const struct sites *sites, const struct model *m, const struct site *s,
                unsigned fold, char *out, size_t room);

#endif
