#include "src/base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* exit() and not abort(): the screen's at-exit hook gives the terminal back. */
void mem_give_up(size_t count, size_t size)
{
    fprintf(stderr, "tracetop: out of memory (%zu x %zu bytes)\n", count, size);
    exit(1);
}

void *mem_try(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void *mem_new(size_t count, size_t size)
{
    void *p = mem_try(count, size);
    if (!p)
        mem_give_up(count, size);
    return p;
}

void *mem_grow(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        mem_give_up(count, size);
    void *p = realloc(old, count && size ? count * size : 1);
    if (!p)
        mem_give_up(count, size);
    return p;
}

void *mem_grow_zeroed(void *old, unsigned *room, unsigned needed, size_t size)
{
    enum { FIRST = 4 };
    unsigned more = *room ? *room : FIRST;
    while (more < needed)
        more *= 2;
    char *const p = mem_grow(old, more, size);
    memset(p + *room * size, 0, (more - *room) * size);
    *room = more;
    return p;
}

void *mem_copy(const void *from, size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        mem_give_up(bytes, 1);
    if (bytes)
        memcpy(p, from, bytes);
    return p;
}

char *mem_string(const char *text)
{
    return mem_copy(text, strlen(text) + 1);
}
