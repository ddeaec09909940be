/* Threads that the kernel hides: they are seen to get a processor and never to leave it. Sandboxes
 * run such kernels; nothing that happens while such a thread runs is handed over, neither by perf
 * nor to BPF programs, interrupts included, and no counter of the kernel's tells.
 *
 * Switches on a processor are a chain: who leaves is who came last. Where it is broken, something
 * was not told. Collector's thread. */
#ifndef COLLECTORS_LINUX_TRANSLATE_UNSEEN_H
#define COLLECTORS_LINUX_TRANSLATE_UNSEEN_H

#include <stdbool.h>
#include <stdint.h>

struct unseen;

struct unseen *unseen_new(void);
void unseen_free(struct unseen *u); /* NULL is fine */

/* A switch. False where whoever came last on this processor has left it unseen. *hidden: a thread
 * that has now turned out never to be seen leaving, told once; else 0. `kind` is the same for
 * events that were opened together: between those of others, some may be missing by right. */
bool unseen_switch(struct unseen *u, uint16_t cpu, uint32_t old, uint32_t new, bool kind,
                   uint32_t *hidden);

/* Records of this processor were lost: what is missing now is counted already. */
void unseen_lost(struct unseen *u, uint16_t cpu);

#endif
