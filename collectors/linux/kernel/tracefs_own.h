/* A mount of tracefs that belongs to this process alone, where the system has none.
 *
 * It is attached to no folder: it exists as a descriptor only. So no other process finds it, the
 * mounts of the system stay as they are, programs that we start do not get it (the descriptor
 * closes), and it ends with the process, however that ends. It is read-only. */
#ifndef COLLECTORS_LINUX_KERNEL_TRACEFS_OWN_H
#define COLLECTORS_LINUX_KERNEL_TRACEFS_OWN_H

#include <stdbool.h>

/* Once, while there is one thread, before rights are given up: mounting needs CAP_SYS_ADMIN, and
 * Linux 5.2. False where one of them is missing. */
bool tracefs_own_mount(void);

/* The folder, for this process; NULL: there is none. */
const char *tracefs_own(void);

#endif
