/* The accounts of what the kernel's events fired: how much came, how much was lost and how.
 * Control's thread. */
#ifndef COLLECTORS_LINUX_ACCOUNTS_H
#define COLLECTORS_LINUX_ACCOUNTS_H

#include "collectors/linux/live.h"

/* What the kernel has counted of a slot: for perf events how often they fired, for BPF what the
 * program has counted on that processor since. */
bool accounts_read(const struct linux_live *l, struct sample_slot *s);

/* A slot that was disabled and drained: its account is exact and is closed. */
void accounts_close(struct linux_live *l, struct sample_slot *s);

/* Reads the counts of everything that is on and reports the losses; `is_last`: all is closed. */
void accounts_look(struct linux_live *l, bool is_last);

#endif
