/* What paths frames became last time: most stacks have come before, and comparing their bytes
 * as a whole is faster than walking them frame by frame. Engine's thread. */
#ifndef SRC_MODEL_STACK_MEMO_H
#define SRC_MODEL_STACK_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STACK_MEMO_FRAMES = 30, STACK_MEMO_PLACES = 1 << 14 /* at most: 4 MB */ };

struct stack_memo;

struct stack_memo *stack_memo_new(uint32_t places); /* a power of two */
void stack_memo_free(struct stack_memo *m);
size_t stack_memo_bytes(const struct stack_memo *m);

/* Paths have got other numbers. */
void stack_memo_clear(struct stack_memo *m);

/* The path of `count` ≤ STACK_MEMO_FRAMES addresses of 8 bytes at `frames`, aligned or not; 0 =
 * not known. *place is for stack_memo_put(), which notes it. */
uint32_t stack_memo_find(const struct stack_memo *m, const uint8_t *frames, uint32_t count,
                         uint64_t *place);
void stack_memo_put(struct stack_memo *m, uint64_t place, const uint8_t *frames, uint32_t count,
                    uint32_t path);

#endif
