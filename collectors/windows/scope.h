/* The scope of the live collector (-p, -n, -c): the processes whose events are passed on. The
 * kernel's session has no filter by process, so others' events are dropped here. Starts, ends and
 * names of all processes pass, since processes wake each other. Drain's thread. */
#ifndef COLLECTORS_WINDOWS_SCOPE_H
#define COLLECTORS_WINDOWS_SCOPE_H

#include "src/collect/collector.h"

#include <stdbool.h>

struct scope;

/* NULL where everything is in scope. */
struct scope *scope_new(const struct collector_scope *request, unsigned processors);
void scope_free(struct scope *s); /* NULL is fine */

/* Learns from the record who comes, goes and runs; whether it is to be passed on. */
bool scope_takes(struct scope *s, const struct record_head *head);

#endif
