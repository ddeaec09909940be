/* The status that a record carries for what a system call returned (src/event/status.h). */
#ifndef COLLECTORS_LINUX_TRANSLATE_STATUS_H
#define COLLECTORS_LINUX_TRANSLATE_STATUS_H

#include <stdint.h>

/* 0 (success) for results from 0 up. */
uint32_t status_of_result(int64_t result);

#endif
