/* What stack.c keeps, for stack_match.c. */
#ifndef SRC_MODEL_STACK_INSIDE_H
#define SRC_MODEL_STACK_INSIDE_H

#include "src/model/stack.h"

#include <string.h>

/* Frames as events carry them: pointers, innermost first. */
struct frames {
    const uint8_t *at;
    uint32_t count;
    unsigned pointer;
};

static inline struct frames stack_frames_of(const uint8_t *at, size_t bytes, unsigned pointer)
{
    const size_t count = bytes / pointer;
    return (struct frames){at, (uint32_t)(count < STACK_FRAMES ? count : STACK_FRAMES), pointer};
}

static inline uint64_t stack_frame_at(const struct frames *f, uint32_t i)
{
    uint64_t wide;
    int32_t narrow;
    if (f->pointer == 8) {
        memcpy(&wide, f->at + (size_t)i * 8, 8);
        return wide;
    }
    memcpy(&narrow, f->at + (size_t)i * 4, 4);
    return (uint64_t)(int64_t)narrow; /* as model_address() */
}

/* A stack that comes whole: the kernel's frames lie innermost. */
struct stack_parts stack_parts_of(struct model *m, const struct frames *f);

/* A key is an address and comes back: a mention means what the key's next end says. */
uint32_t stack_key_mentioned(struct model *m, source_id source, uint64_t key, int64_t ts);

/* What a fact knows already stays; the other part joins it. */
uint32_t stack_add_parts(struct model *m, uint32_t old, struct stack_parts h, source_id source,
                         uint32_t process, int64_t time);

/* Makes room for a stack of any depth: when there is none, half of the calls go at least,
 * those of stacks that recent facts do not have. Some 50 ms, once in millions of events. */
void stack_make_room(struct model *m);

#endif
