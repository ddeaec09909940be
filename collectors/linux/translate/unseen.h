/* Threads that the kernel hides: they are seen to get a processor and never to leave it. Sandboxes
 * run such kernels. Neither perf nor BPF programs get any event while such a thread runs,
 * interrupts included, and no counter of the kernel shows it.
 *
 * Switches on a processor are a chain: the thread that leaves is the one that came last. Where it
 * is broken, an event was not delivered. Collector's thread. */
#ifndef COLLECTORS_LINUX_TRANSLATE_UNSEEN_H
#define COLLECTORS_LINUX_TRANSLATE_UNSEEN_H

#include <stdbool.h>
#include <stdint.h>

struct unseen;

struct unseen *unseen_new(void);
void unseen_free(struct unseen *u); /* NULL is fine */

enum chain { CHAIN_WHOLE, CHAIN_BEGINS, CHAIN_BROKEN, CHAIN_LOST };

/* A switch. CHAIN_BEGINS: the first one of this processor. CHAIN_BROKEN where the last thread left
 * it unseen, CHAIN_LOST where records were lost before it. *hidden: a thread that is now known
 * never to be seen leaving, reported once; else 0. `kind` is the same for events that were opened
 * together: between events of different kinds, missing ones are normal. */
enum chain unseen_switch(struct unseen *u, uint16_t cpu, uint32_t old, uint32_t new, bool kind,
                         uint32_t *hidden);

/* Records of this processor were lost: what is missing now is counted already. */
void unseen_lost(struct unseen *u, uint16_t cpu);

#endif
