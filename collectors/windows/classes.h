/* Which kernel events make which class of facts: EnableFlags for every Windows, System providers
 * and keywords where flags are refused (Windows 11, Server 2022), and the events
 * that carry a stack where a class is to have stacks. One table. */
#ifndef COLLECTORS_WINDOWS_CLASSES_H
#define COLLECTORS_WINDOWS_CLASSES_H

#include "collectors/windows/etw_api.h"

#include <stdint.h>

/* Classes that are always on: without them nothing has a name. */
uint32_t classes_always(void);

/* All that kernel events can serve. */
uint32_t classes_known(void);

/* EnableFlags of these classes (bits of enum fact_class) with stacks on those. */
uint32_t classes_flags(uint32_t classes, uint32_t stacks);

/* The same flags with those that they bring nothing without. */
uint32_t classes_whole_flags(uint32_t flags);

/* System providers: the keywords of one of them for these classes; 0: it is not needed. */
enum { SYSTEM_PROVIDERS = 8 };
const GUID *classes_provider(unsigned index);
uint64_t classes_keywords(unsigned index, uint32_t classes, uint32_t stacks);

/* Samples by counters of the processors: what they need besides FACT_SAMPLE. */
enum { COUNTER_MASK_WORD = 1, COUNTER_MASK = 0x400 }; /* of TraceSystemTraceEnableFlagsInfo */
uint64_t classes_counter_keywords(unsigned index);

/* The events that carry stacks, at most ETW_CLASSIC_IDS; how many. */
unsigned classes_stack_ids(uint32_t stacks, struct etw_classic_id *out);

#endif
