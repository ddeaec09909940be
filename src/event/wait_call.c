#include "src/event/wait_call.h"

#include <stddef.h>
#include <string.h>

static const char *const names[WAIT_CALLS] = {
    [WAIT_FUTEX] = "futex",
    [WAIT_OWN_SLEEP] = "own sleep",
    [WAIT_POLL] = "poll",
    [WAIT_SELECT] = "select",
    [WAIT_EPOLL] = "epoll",
    [WAIT_PIPE_READ] = "pipe read",
    [WAIT_PIPE_WRITE] = "pipe write",
    [WAIT_RECEIVE] = "recv",
    [WAIT_SEND] = "send",
    [WAIT_ACCEPT] = "accept",
    [WAIT_CONNECT] = "connect",
    [WAIT_FILE_READ] = "file read",
    [WAIT_FILE_WRITE] = "file write",
    [WAIT_DEVICE_READ] = "device read",
    [WAIT_DEVICE_WRITE] = "device write",
    [WAIT_EVENT_READ] = "event read",
    [WAIT_EVENT_WRITE] = "event write",
    [WAIT_FSYNC] = "fsync",
    [WAIT_SYNC] = "sync",
    [WAIT_OPEN] = "open",
    [WAIT_CLOSE] = "close",
    [WAIT_STAT] = "stat",
    [WAIT_FOLDER] = "directory",
    [WAIT_RENAME] = "rename",
    [WAIT_UNLINK] = "unlink",
    [WAIT_FILE_SPACE] = "truncate",
    [WAIT_FILE_LOCK] = "file lock",
    [WAIT_SPLICE] = "splice",
    [WAIT_CHILD] = "child",
    [WAIT_SIGNAL] = "signal",
    [WAIT_PAGE_FAULT] = "page fault",
    [WAIT_MEMORY] = "memory map",
    [WAIT_FORK] = "fork",
    [WAIT_EXEC] = "exec",
    [WAIT_EXIT] = "exit",
    [WAIT_IOCTL] = "ioctl",
    [WAIT_IO_URING] = "io_uring",
    [WAIT_AIO] = "aio",
    [WAIT_SEMAPHORE] = "semaphore",
    [WAIT_MESSAGE] = "message queue",
    [WAIT_MEMBARRIER] = "membarrier",
    [WAIT_MOUNT] = "mount",
    [WAIT_BPF] = "bpf",
    [WAIT_PERF] = "perf",
    [WAIT_OTHER_CALL] = "other call",
};

const char *wait_call_name(unsigned call)
{
    return call < WAIT_CALLS ? names[call] : NULL;
}

enum wait_call wait_call_named(const char *name)
{
    for (unsigned call = 0; call < WAIT_CALLS; call++)
        if (names[call] && strcmp(names[call], name) == 0)
            return (enum wait_call)call;
    return WAIT_NOT_KNOWN;
}
