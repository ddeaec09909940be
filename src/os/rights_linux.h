/* The capabilities behind the rights of src/os/rights.h. */
#ifndef SRC_OS_RIGHTS_LINUX_H
#define SRC_OS_RIGHTS_LINUX_H

#include "src/os/rights.h"

#include <stdio.h>

/* Bit per CAP_* that these rights stand for on this kernel. */
uint64_t os_rights_capabilities(unsigned rights);

/* "cap_bpf,cap_perfmon…": those of `set` that watching needs. */
enum { OS_RIGHTS_LIST = 160 };
void os_rights_list(uint64_t set, char *out, size_t room);

/* What this thread could raise: its permitted capabilities. */
uint64_t os_rights_permitted(void);

/* The kernel's functions and their addresses (/proc/kallsyms), from the top; NULL with errno.
 * Addresses are 0 where the kernel hides them. Where os_rights_settle() opened it
 * (reads_kernel_names), all readers share one position: one thread reads at a time. */
FILE *os_rights_kernel_names(void);

#endif
