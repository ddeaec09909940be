#include "src/decode/names.h"

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

/* Sorted by status. */
static const struct {
    uint32_t status;
    const char *name;
} statuses[] = {
    {0x00000000, "SUCCESS"},
    {0x000000c0, "USER_APC"},
    {0x00000102, "TIMEOUT"},
    {0x00000103, "PENDING"},
    {0x00000104, "REPARSE"},
    {0x80000005, "BUFFER_OVERFLOW"},
    {0x80000006, "NO_MORE_FILES"},
    {0x8000001a, "NO_MORE_ENTRIES"},
    {0xc0000001, "UNSUCCESSFUL"},
    {0xc0000002, "NOT_IMPLEMENTED"},
    {0xc0000003, "INVALID_INFO_CLASS"},
    {0xc0000004, "INFO_LENGTH_MISMATCH"},
    {0xc0000005, "ACCESS_VIOLATION"},
    {0xc0000006, "IN_PAGE_ERROR"},
    {0xc0000008, "INVALID_HANDLE"},
    {0xc000000b, "INVALID_CID"},
    {0xc000000d, "INVALID_PARAMETER"},
    {0xc000000e, "NO_SUCH_DEVICE"},
    {0xc000000f, "NO_SUCH_FILE"},
    {0xc0000010, "INVALID_DEVICE_REQUEST"},
    {0xc0000011, "END_OF_FILE"},
    {0xc0000017, "NO_MEMORY"},
    {0xc000001d, "ILLEGAL_INSTRUCTION"},
    {0xc0000022, "ACCESS_DENIED"},
    {0xc0000023, "BUFFER_TOO_SMALL"},
    {0xc0000024, "OBJECT_TYPE_MISMATCH"},
    {0xc0000033, "OBJECT_NAME_INVALID"},
    {0xc0000034, "OBJECT_NAME_NOT_FOUND"},
    {0xc0000035, "OBJECT_NAME_COLLISION"},
    {0xc000003a, "OBJECT_PATH_NOT_FOUND"},
    {0xc0000043, "SHARING_VIOLATION"},
    {0xc0000044, "QUOTA_EXCEEDED"},
    {0xc0000054, "FILE_LOCK_CONFLICT"},
    {0xc0000056, "DELETE_PENDING"},
    {0xc0000061, "PRIVILEGE_NOT_HELD"},
    {0xc000007f, "DISK_FULL"},
    {0xc0000095, "INTEGER_OVERFLOW"},
    {0xc0000098, "FILE_INVALID"},
    {0xc000009a, "INSUFFICIENT_RESOURCES"},
    {0xc00000a2, "MEDIA_WRITE_PROTECTED"},
    {0xc00000b5, "IO_TIMEOUT"},
    {0xc00000ba, "FILE_IS_A_DIRECTORY"},
    {0xc00000bb, "NOT_SUPPORTED"},
    {0xc00000d4, "NOT_SAME_DEVICE"},
    {0xc00000fd, "STACK_OVERFLOW"},
    {0xc0000101, "DIRECTORY_NOT_EMPTY"},
    {0xc0000103, "NOT_A_DIRECTORY"},
    {0xc0000106, "NAME_TOO_LONG"},
    {0xc000010a, "PROCESS_IS_TERMINATING"},
    {0xc000011f, "TOO_MANY_OPENED_FILES"},
    {0xc0000120, "CANCELLED"},
    {0xc0000121, "CANNOT_DELETE"},
    {0xc0000123, "FILE_DELETED"},
    {0xc000013a, "CONTROL_C_EXIT"},
    {0xc0000142, "DLL_INIT_FAILED"},
    {0xc000014b, "PIPE_BROKEN"},
    {0xc000017c, "KEY_DELETED"},
    {0xc0000185, "IO_DEVICE_ERROR"},
    {0xc0000194, "POSSIBLE_DEADLOCK"},
    {0xc000020a, "ADDRESS_ALREADY_EXISTS"},
    {0xc000020c, "CONNECTION_DISCONNECTED"},
    {0xc000020d, "CONNECTION_RESET"},
    {0xc0000225, "NOT_FOUND"},
    {0xc000022d, "RETRY"},
    {0xc0000236, "CONNECTION_REFUSED"},
    {0xc000023c, "NETWORK_UNREACHABLE"},
    {0xc000023d, "HOST_UNREACHABLE"},
    {0xc0000241, "CONNECTION_ABORTED"},
    {0xc0000265, "TOO_MANY_LINKS"},
    {0xc0000275, "NOT_A_REPARSE_POINT"},
    {0xc0000374, "HEAP_CORRUPTION"},
    {0xc0000409, "STACK_BUFFER_OVERRUN"},
    {0xc0000428, "INVALID_IMAGE_HASH"},
    {0xc0000463, "DEVICE_FEATURE_NOT_SUPPORTED"},
    {0xc0000904, "FILE_TOO_LARGE"},
    /* Linux: errors without a relative, 0xc000c000 + their number */
    {0xc000c007, "E2BIG"},
    {0xc000c008, "ENOEXEC"},
    {0xc000c00a, "ECHILD"},
    {0xc000c010, "EBUSY"},
    {0xc000c022, "ERANGE"},
    {0xc000c028, "ELOOP"},
    {0xc000c047, "EPROTO"},
    {0xc000c058, "ENOTSOCK"},
    {0xc000c059, "EDESTADDRREQ"},
    {0xc000c05a, "EMSGSIZE"},
    {0xc000c05c, "ENOPROTOOPT"},
    {0xc000c05d, "EPROTONOSUPPORT"},
    {0xc000c061, "EAFNOSUPPORT"},
    {0xc000c063, "EADDRNOTAVAIL"},
    {0xc000c069, "ENOBUFS"},
    {0xc000c06a, "EISCONN"},
    {0xc000c072, "EALREADY"},
    {0xc000c073, "EINPROGRESS"},
    {0xc000c074, "ESTALE"},
};

const char *name_status(uint32_t status)
{
    size_t low = 0, high = sizeof statuses / sizeof *statuses;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (statuses[middle].status < status)
            low = middle + 1;
        else
            high = middle;
    }
    const size_t count = sizeof statuses / sizeof *statuses;
    return low < count && statuses[low].status == status ? statuses[low].name : NULL;
}
