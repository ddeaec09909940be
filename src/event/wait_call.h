/* The system call in which a Linux thread waited, as our collector writes it into CSwitch
 * ("Reserved"): calls that wait for the same thing share a number; reads and
 * writes have one for each kind of file. The numbers are in recordings and never change. */
#ifndef SRC_EVENT_WAIT_CALL_H
#define SRC_EVENT_WAIT_CALL_H

enum wait_call {
    WAIT_NOT_KNOWN,
    WAIT_FUTEX,
    WAIT_OWN_SLEEP,
    WAIT_POLL,
    WAIT_SELECT,
    WAIT_EPOLL,
    WAIT_PIPE_READ,
    WAIT_PIPE_WRITE,
    WAIT_RECEIVE,
    WAIT_SEND,
    WAIT_ACCEPT,
    WAIT_CONNECT,
    WAIT_FILE_READ,
    WAIT_FILE_WRITE,
    WAIT_DEVICE_READ,
    WAIT_DEVICE_WRITE,
    WAIT_EVENT_READ, /* of an eventfd, a timer, inotify … */
    WAIT_EVENT_WRITE,
    WAIT_FSYNC,
    WAIT_SYNC,
    WAIT_OPEN,
    WAIT_CLOSE,
    WAIT_STAT,
    WAIT_FOLDER,
    WAIT_RENAME,
    WAIT_UNLINK,
    WAIT_FILE_SPACE,
    WAIT_FILE_LOCK,
    WAIT_SPLICE,
    WAIT_CHILD,
    WAIT_SIGNAL,
    WAIT_PAGE_FAULT,
    WAIT_MEMORY,
    WAIT_FORK,
    WAIT_EXEC,
    WAIT_EXIT,
    WAIT_IOCTL,
    WAIT_IO_URING,
    WAIT_AIO,
    WAIT_SEMAPHORE,
    WAIT_MESSAGE,
    WAIT_MEMBARRIER,
    WAIT_MOUNT,
    WAIT_BPF,
    WAIT_PERF,
    WAIT_OTHER_CALL,
    WAIT_CALLS,
};

/* "pipe read"; NULL of WAIT_NOT_KNOWN and of numbers that nobody has. */
const char *wait_call_name(unsigned call);
/* The number with that name; WAIT_NOT_KNOWN where there is none. */
enum wait_call wait_call_named(const char *name);

#endif
