/* Processes that the provider Microsoft-Windows-Kernel-Process alone records: its ProcessStart and
 * ProcessStop events as the ProcessRundown event that says of the process what they say. */
#ifndef SRC_TRACE_RUNDOWN_PROVIDER_H
#define SRC_TRACE_RUNDOWN_PROVIDER_H

#include "src/event/event.h"
#include "src/event/schema.h"

/* A record of its events about processes: Start, Stop or Rundown, with the process's id. */
bool rundown_provider_is(const struct event *e);

/* The record, with its header and time; 0: the layout of the event is not known. */
enum { RUNDOWN_PROVIDER_ROOM = 8192 };
uint32_t rundown_provider_record(struct schemas *schemas, const struct event *e,
                                 uint8_t out[RUNDOWN_PROVIDER_ROOM]);

#endif
