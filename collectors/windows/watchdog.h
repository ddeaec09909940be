/* A small second process that outlives this one and puts back what it could not: killed, ended by
 * fail-fast, or by a log-off, of which interactive programs are not told, a program runs none of its
 * handlers, and its sessions would go on. The watchdog holds a handle of our process and the table of
 * what we own (owned.h) in shared memory; nothing else, no console and no window. */
#ifndef COLLECTORS_WINDOWS_WATCHDOG_H
#define COLLECTORS_WINDOWS_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

/* Memory of so many bytes, all zero, that the watchdog sees, too; never NULL. Without shared memory
 * it is memory of this process. Once. */
void *watchdog_memory(size_t bytes);

/* Starts it. Where the system refuses, the next start of the program removes what is left. Once, after
 * watchdog_memory(). */
void watchdog_start(void);

/* Whether this process was started as one. Then it waits until the process it watches has ended, and
 * returns true; in *memory what that process owned, or NULL where it was not started by us. */
bool watchdog_run(int argc, char **argv, size_t bytes, void **memory);

#endif
