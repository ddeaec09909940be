#include "collectors/linux/translate/unseen.h"

#include "src/base/mem.h"

#include <stdlib.h>

/* Numbers of processors may have gaps; what is never touched takes no memory. */
enum { PROCESSORS = 8192, THREADS = 256, SURE = 8 };

struct processor {
    uint32_t thread; /* who came last */
    bool is_known, has_lost, kind;
};

/* Leaves of one that was missed at least once; others of its place push it out. */
struct leaves {
    uint32_t tid, seen, unseen;
};

struct unseen {
    struct processor *processors;
    struct leaves threads[THREADS];
};

struct unseen *unseen_new(void)
{
    struct unseen *const u = mem_new(1, sizeof *u);
    u->processors = mem_new(PROCESSORS, sizeof *u->processors);
    return u;
}

void unseen_free(struct unseen *u)
{
    if (u)
        free(u->processors);
    free(u);
}

/* True when it is sure now. */
static bool miss(struct unseen *u, uint32_t tid)
{
    struct leaves *const l = &u->threads[tid % THREADS];
    if (l->tid != tid)
        *l = (struct leaves){.tid = tid};
    return ++l->unseen == SURE && !l->seen;
}

enum chain unseen_switch(struct unseen *u, uint16_t cpu, uint32_t old, uint32_t new, bool kind,
                         uint32_t *hidden)
{
    *hidden = 0;
    if (cpu >= PROCESSORS)
        return CHAIN_WHOLE;
    struct processor *const p = &u->processors[cpu];
    const bool is_broken = p->is_known && p->kind == kind && p->thread != old;
    const enum chain chain = is_broken                         ? CHAIN_BROKEN
                             : !p->is_known && !p->has_lost    ? CHAIN_BEGINS
                             : p->has_lost && p->thread != old ? CHAIN_LOST
                                                               : CHAIN_WHOLE;
    if (is_broken && miss(u, p->thread))
        *hidden = p->thread;
    if (u->threads[old % THREADS].tid == old)
        u->threads[old % THREADS].seen++;
    *p = (struct processor){.thread = new, .is_known = true, .kind = kind};
    return chain;
}

void unseen_lost(struct unseen *u, uint16_t cpu)
{
    if (cpu >= PROCESSORS)
        return;
    u->processors[cpu].has_lost |= u->processors[cpu].is_known;
    u->processors[cpu].is_known = false;
}
