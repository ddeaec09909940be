/* The record that describes the machine. */
#ifndef COLLECTORS_LINUX_TRANSLATE_MACHINE_RECORD_H
#define COLLECTORS_LINUX_TRANSLATE_MACHINE_RECORD_H

#include "collectors/linux/kernel/machine.h"
#include "collectors/linux/translate/translate.h"

/* Writes SystemConfig/CPU 0x0b0a, version 3. Collector's thread. */
void machine_put(struct translator *t, const struct machine *m, int64_t time);

#endif
