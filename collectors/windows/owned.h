/* The sessions that this process has started, and what it has changed of the machine: tables, read
 * and emptied by whoever ends the program, and the GUID by which others see whose a session is. Any
 * thread. */
#ifndef COLLECTORS_WINDOWS_OWNED_H
#define COLLECTORS_WINDOWS_OWNED_H

#include "collectors/windows/etw_api.h"

#include <stdbool.h>
#include <stdint.h>

/* A place in the table from now on; what ends the program stops it. The first call installs
 * handlers for all ends that can be handled, and starts the watchdog for the others. -1 where the
 * table is full. */
int owned_add(TRACEHANDLE handle, const WCHAR *name, const GUID *guid);
void owned_stop(int slot);        /* once; -1 is fine */
void owned_forget(int slot);      /* somebody else has stopped it */
void owned_stop_all(void);        /* and puts sampling back */
bool owned_has_stopped_all(void); /* the program is being ended: its sessions are not missed */

/* Stops these at the same time, and waits for it, 10 s at most. */
void owned_stop_all_of(const int *slots, unsigned count);

/* What is changed of the machine's sampling has been so before; the first value noted of a source
 * counts. Put back once, by whoever comes first. */
void owned_interval(ULONG source, ULONG before);
void owned_sources(void); /* the list of sources is about to be changed */
void owned_sampling_restore(void);

/* Is this process the watchdog of another tracetop? Then it waits for that one's end, stops what is
 * left of its table and puts sampling back, and returns true: there is nothing else to do. */
bool owned_watch(int argc, char **argv);

/* GUID of a session of ours, by what it is for; and back. */
GUID owned_guid(unsigned role);
bool owned_whose(const GUID *guid, uint32_t *pid, bool *is_gone);

#endif
