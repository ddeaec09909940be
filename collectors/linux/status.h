/* How the error numbers of Linux read as the status codes that ETW records carry. */
#ifndef COLLECTORS_LINUX_STATUS_H
#define COLLECTORS_LINUX_STATUS_H

#include <stdint.h>

/* The NTSTATUS nearest to what a system call returned: 0 (success) for results from 0 up.
 * Errors without a relative of their own are 0xc000c000 + the error number: every error stays
 * one, of severity error, and tells its number. */
uint32_t status_of_result(int64_t result);

#endif
