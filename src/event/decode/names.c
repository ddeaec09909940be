#include "src/event/decode/names.h"

#include <stdbool.h>
#include <stddef.h>

static const char *const wait_reasons[] = {
    [0] = "Executive",
    [1] = "FreePage",
    [2] = "PageIn",
    [3] = "PoolAllocation",
    [4] = "DelayExecution",
    [5] = "Suspended",
    [6] = "UserRequest",
    [7] = "WrExecutive",
    [8] = "WrFreePage",
    [9] = "WrPageIn",
    [10] = "WrPoolAllocation",
    [11] = "WrDelayExecution",
    [12] = "WrSuspended",
    [13] = "WrUserRequest",
    [14] = "WrEventPair",
    [15] = "WrQueue",
    [16] = "WrLpcReceive",
    [17] = "WrLpcReply",
    [18] = "WrVirtualMemory",
    [19] = "WrPageOut",
    [20] = "WrRendezvous",
    [21] = "WrKeyedEvent",
    [22] = "WrTerminated",
    [23] = "WrProcessInSwap",
    [24] = "WrCpuRateControl",
    [25] = "WrCalloutStack",
    [26] = "WrKernel",
    [27] = "WrResource",
    [28] = "WrPushLock",
    [29] = "WrMutex",
    [30] = "WrQuantumEnd",
    [31] = "WrDispatchInt",
    [32] = "WrPreempted",
    [33] = "WrYieldExecution",
    [34] = "WrFastMutex",
    [35] = "WrGuardedMutex",
    [36] = "WrRundown",
    [37] = "WrAlertByThreadId",
    [38] = "WrDeferredPreempt",
    [39] = "WrPhysicalFault",
    [40] = "WrIoRing",
    [41] = "WrMdlCache",
    [42] = "WrRcu",
};

const char *name_wait_reason(unsigned reason)
{
    return reason < sizeof wait_reasons / sizeof *wait_reasons ? wait_reasons[reason] : NULL;
}

/* What stands behind the reasons that the Linux collector gives. */
static const char *const linux_reasons[] = {
    [0] = "D-state",
    [1] = "reclaim",
    [2] = "page-in",
    [4] = "sleep",
    [5] = "stopped",
    [6] = "poll/wait",
    [15] = "no work",
    [16] = "receive",
    [17] = "send",
    [22] = "exited",
    [24] = "cpu quota",
    [27] = "rwsem",
    [29] = "mutex",
    [30] = "preempted",
    [32] = "preempted",
    [33] = "yield",
    [37] = "futex",
};

const char *name_wait_reason_linux(unsigned reason)
{
    const bool is_known = reason < sizeof linux_reasons / sizeof *linux_reasons;
    return is_known && linux_reasons[reason] ? linux_reasons[reason] : name_wait_reason(reason);
}
