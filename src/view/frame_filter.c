/* Frames as crumbs, and finding a frame again. The key of a frame of a call tree is the path to it,
 * and a path changes when its frames get names. So a frame is remembered with one stack that goes
 * through it: that stack's path now gives the key now. */
#include "src/base/mem.h"
#include "src/view/inside.h"
#include "src/view/stacks.h"

#include <stdlib.h>
#include <string.h>

/* Of paths that may still change; when there are too many, the old ones are forgotten. */
enum { REMEMBERED = 1 << 18 };

/* A frame that was shown: so deep in this stack. */
struct shown_frame {
    struct row_key key;
    uint32_t stack, index; /* index: into model_stack_frames() */
};

struct shown_frames {
    struct map numbers; /* hash of a key → number + 1 */
    struct shown_frame *frames;
    uint32_t count, room;
};

/* The events whose stack goes through one frame of a call tree. */
struct frame_filter {
    struct map match_cache; /* stack → 1 no, 2 yes */
    struct row_key key;  /* of now */
    char name[512];      /* of the frame, once it was met */
};

/* ---- frames known again -------------------------------------------------------------------- */

static uint64_t hash_of(struct row_key key)
{
    return hash_mix(((uint64_t)key.a << 32 | key.b) ^ hash_mix(key.c)); /* the shape is high in c */
}

static void forget(struct shown_frames *s)
{
    map_fini(&s->numbers);
    map_init(&s->numbers);
    s->count = 0;
}

void frame_filters_note(struct view *v, struct row_key key, uint32_t stack, unsigned index)
{
    struct shown_frames *const s = v->shown_frames;
    if (map_get(&s->numbers, hash_of(key)))
        return;
    if (s->count == REMEMBERED)
        forget(s);
    if (s->count == s->room) {
        s->room = s->room ? s->room * 2 : 256;
        s->frames = mem_grow(s->frames, s->room, sizeof *s->frames);
    }
    s->frames[s->count++] = (struct shown_frame){ key, stack, index };
    map_put(&s->numbers, hash_of(key), s->count);
}

struct row_key frame_filters_key_now(struct view *v, struct row_key key)
{
    static const uint32_t BELOW = 1u << 31; /* what a parent hides (stack_rows.c) */
    const struct row_key plain = {key.a, key.b, key.c & ~BELOW, 0};
    const struct shown_frames *const shown = v->shown_frames;
    const uint32_t number = map_get(&shown->numbers, hash_of(plain));
    const struct shown_frame *const f = number ? &shown->frames[number - 1] : NULL;
    if (!f || !row_key_equal(f->key, plain))
        return key;
    struct path_step steps[STACK_STEPS];
    const struct path_look look = path_look_of(plain);
    const unsigned count = path_steps(&v->sites, v->model, f->stack, look, steps);
    for (unsigned i = 0; i < count; i++) {
        if (steps[i].frame != f->index)
            continue;
        struct row_key path = path_at(path_root(look.shape, look.fold), steps, i);
        if (path.c != plain.c)
            break; /* its stack has gone, or means another by now */
        path.c |= key.c & BELOW;
        return path;
    }
    return key;
}

struct shown_frames *shown_frames_new(void)
{
    struct shown_frames *const s = mem_new(1, sizeof *s);
    map_init(&s->numbers);
    return s;
}

void shown_frames_free(struct shown_frames *s)
{
    map_fini(&s->numbers);
    free(s->frames);
    free(s);
}

bool frame_filters_find(const struct view *v, struct row_key key, uint32_t *stack, unsigned *index)
{
    const struct shown_frames *const shown = v->shown_frames;
    const uint32_t number = map_get(&shown->numbers, hash_of(key));
    const struct shown_frame *const f = number ? &shown->frames[number - 1] : NULL;
    if (!f || !row_key_equal(f->key, key))
        return false;
    *stack = f->stack;
    *index = f->index;
    return true;
}

/* ---- crumbs ---------------------------------------------------------------------------------- */

void view_frame_filters_clear(struct view *v)
{
    for (unsigned i = 0; i < CRUMBS_MAX; i++) {
        if (v->frame_filters[i])
            map_fini(&v->frame_filters[i]->match_cache);
        free(v->frame_filters[i]);
        v->frame_filters[i] = NULL;
    }
}

/* Walks the stack as the call tree does that the frame was shown in. */
static bool goes_through(struct view *v, uint32_t stack, struct frame_filter *p)
{
    struct path_step steps[STACK_STEPS];
    const struct path_look look = path_look_of(p->key);
    const struct row_key root = path_root(look.shape, look.fold);
    const unsigned count = path_steps(&v->sites, view_stack_model(v, stack), stack, look, steps);
    struct row_key path = root;
    for (unsigned i = 0; i < count; i++) {
        path = path_key(look.shape == STACK_FLAT ? root : path, &steps[i].site);
        if (row_key_equal(path, p->key))
            return path_text(&v->sites, v->model, &steps[i].site, look.fold, p->name,
                             sizeof p->name),
                   true;
    }
    return false;
}

static struct frame_filter *frame_filter_new(struct view *v, unsigned crumb)
{
    struct frame_filter *const p = mem_new(1, sizeof *p);
    map_init(&p->match_cache);
    p->key = frame_filters_key_now(v, v->request.crumbs[crumb].key);
    return p;
}

bool view_frame_filter_passes(struct view *v, unsigned crumb, const struct fact *f)
{
    enum { NO = 1, YES };
    if (!f->stack || is_other_end(f))
        return false;
    if (!v->frame_filters[crumb])
        v->frame_filters[crumb] = frame_filter_new(v, crumb);
    struct frame_filter *const p = v->frame_filters[crumb];
    uint32_t known = map_get(&p->match_cache, f->stack);
    if (!known) {
        known = goes_through(v, f->stack, p) ? YES : NO;
        map_put(&p->match_cache, f->stack, known);
    }
    return known == YES;
}

const char *view_frame_filter_name(const struct view *v, unsigned crumb)
{
    const struct frame_filter *p = v->frame_filters[crumb];
    return p && p->name[0] ? p->name : "(frame)";
}
