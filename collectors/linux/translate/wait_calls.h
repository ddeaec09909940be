/* What a thread waits for, by the system call that it is in: the numbers of this machine. */
#ifndef COLLECTORS_LINUX_TRANSLATE_WAIT_CALLS_H
#define COLLECTORS_LINUX_TRANSLATE_WAIT_CALLS_H

#include "src/event/wait_call.h"

#include <stdint.h>

/* In place of a call (bpf/sched.bpf.c): a thread of the kernel; a user's that a fault or an
 * interrupt stopped; one in a 32-bit call, whose numbers are others. */
enum { CALL_OF_KERNEL = -1, CALL_NONE = -2, CALL_OF_32_BITS = -3 };

/* `file`: the kind of the file that is read or written, as in the mode of inodes; 0 where it is not
 * known, or of no kind. */
enum wait_call wait_of_call(int64_t call, unsigned file);

#endif
