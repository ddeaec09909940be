/* Memory for small internal needs: these never return NULL, they end the
 * program with a sentence (after the at-exit hooks have restored the terminal).
 * A size that came from a file, the system or the user is capped and checked
 * before it gets here, or goes through mem_try(). */
#ifndef SRC_BASE_MEM_H
#define SRC_BASE_MEM_H

#include <stddef.h>

void *mem_new(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_grow(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
/* Doubles the room of an array, from 4 on, until it holds `needed`; what is new is zeroed. */
void *mem_grow_zeroed(void *old, unsigned *room, unsigned needed, size_t size)
    __attribute__((returns_nonnull));
void *mem_copy(const void *from, size_t bytes) __attribute__((returns_nonnull));
char *mem_string(const char *text) __attribute__((returns_nonnull));

/* Ends the program for want of memory that came from elsewhere. */
void mem_give_up(size_t count, size_t size) __attribute__((noreturn));

/* Zeroed memory or NULL: for sizes that somebody else chose. */
void *mem_try(size_t count, size_t size);

#endif
