/* The event that says what a routine, interrupt or system call is called: see to_interrupt.c,
 * and src/model/tracetop_events.c for who hears it. */
#ifndef COLLECTORS_LINUX_TRANSLATE_ROUTINE_H
#define COLLECTORS_LINUX_TRANSLATE_ROUTINE_H

#include "collectors/linux/translate/translate.h"

/* `kind` as the model's own words have it: "ISR", "DPC", "timer", "call". */
void routine_report(struct translator *t, const struct sample *s, const char *kind,
                    uint64_t routine, uint32_t vector, const char *name);

#endif
