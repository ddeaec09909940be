#include "collectors/linux/translate/wait_calls.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Those that read or write: the kind of file says what is waited for. Beside the names of
 * enum wait_call, and of this file alone. */
enum { READS = WAIT_CALLS, WRITES };

/* By number. Architectures differ in the numbers, and later ones do without the older calls. */
static const uint8_t calls[] = {
    [SYS_futex] = WAIT_FUTEX,
#ifdef SYS_futex_waitv
    [SYS_futex_waitv] = WAIT_FUTEX,
#endif
    [SYS_nanosleep] = WAIT_OWN_SLEEP,
    [SYS_clock_nanosleep] = WAIT_OWN_SLEEP,
    [SYS_ppoll] = WAIT_POLL,
    [SYS_pselect6] = WAIT_SELECT,
    [SYS_epoll_pwait] = WAIT_EPOLL,
#ifdef SYS_epoll_pwait2
    [SYS_epoll_pwait2] = WAIT_EPOLL,
#endif
    [SYS_read] = READS,
    [SYS_readv] = READS,
    [SYS_write] = WRITES,
    [SYS_writev] = WRITES,
    [SYS_pread64] = WAIT_FILE_READ,
    [SYS_preadv] = WAIT_FILE_READ,
    [SYS_preadv2] = WAIT_FILE_READ,
    [SYS_readahead] = WAIT_FILE_READ,
    [SYS_pwrite64] = WAIT_FILE_WRITE,
    [SYS_pwritev] = WAIT_FILE_WRITE,
    [SYS_pwritev2] = WAIT_FILE_WRITE,
    [SYS_recvfrom] = WAIT_RECEIVE,
    [SYS_recvmsg] = WAIT_RECEIVE,
    [SYS_recvmmsg] = WAIT_RECEIVE,
    [SYS_sendto] = WAIT_SEND,
    [SYS_sendmsg] = WAIT_SEND,
    [SYS_sendmmsg] = WAIT_SEND,
    [SYS_accept] = WAIT_ACCEPT,
    [SYS_accept4] = WAIT_ACCEPT,
    [SYS_connect] = WAIT_CONNECT,
    [SYS_fsync] = WAIT_FSYNC,
    [SYS_fdatasync] = WAIT_FSYNC,
    [SYS_msync] = WAIT_FSYNC,
    [SYS_sync_file_range] = WAIT_FSYNC,
    [SYS_sync] = WAIT_SYNC,
    [SYS_syncfs] = WAIT_SYNC,
    [SYS_openat] = WAIT_OPEN,
    [SYS_openat2] = WAIT_OPEN,
    [SYS_close] = WAIT_CLOSE,
    [SYS_newfstatat] = WAIT_STAT,
    [SYS_fstat] = WAIT_STAT,
    [SYS_statx] = WAIT_STAT,
    [SYS_statfs] = WAIT_STAT,
    [SYS_faccessat] = WAIT_STAT,
    [SYS_faccessat2] = WAIT_STAT,
    [SYS_readlinkat] = WAIT_STAT,
    [SYS_getdents64] = WAIT_FOLDER,
    [SYS_mkdirat] = WAIT_FOLDER,
    [SYS_renameat] = WAIT_RENAME,
    [SYS_renameat2] = WAIT_RENAME,
    [SYS_unlinkat] = WAIT_UNLINK,
    [SYS_truncate] = WAIT_FILE_SPACE,
    [SYS_ftruncate] = WAIT_FILE_SPACE,
    [SYS_fallocate] = WAIT_FILE_SPACE,
    [SYS_flock] = WAIT_FILE_LOCK,
    [SYS_fcntl] = WAIT_FILE_LOCK,
    [SYS_splice] = WAIT_SPLICE,
    [SYS_tee] = WAIT_SPLICE,
    [SYS_vmsplice] = WAIT_SPLICE,
    [SYS_sendfile] = WAIT_SPLICE,
    [SYS_copy_file_range] = WAIT_SPLICE,
    [SYS_wait4] = WAIT_CHILD,
    [SYS_waitid] = WAIT_CHILD,
    [SYS_rt_sigsuspend] = WAIT_SIGNAL,
    [SYS_rt_sigtimedwait] = WAIT_SIGNAL,
    [SYS_mmap] = WAIT_MEMORY,
    [SYS_munmap] = WAIT_MEMORY,
    [SYS_mprotect] = WAIT_MEMORY,
    [SYS_mremap] = WAIT_MEMORY,
    [SYS_madvise] = WAIT_MEMORY,
    [SYS_brk] = WAIT_MEMORY,
    [SYS_clone] = WAIT_FORK,
    [SYS_clone3] = WAIT_FORK,
    [SYS_execve] = WAIT_EXEC,
    [SYS_execveat] = WAIT_EXEC,
    [SYS_exit] = WAIT_EXIT,
    [SYS_exit_group] = WAIT_EXIT,
    [SYS_ioctl] = WAIT_IOCTL,
    [SYS_io_uring_enter] = WAIT_IO_URING,
    [SYS_io_getevents] = WAIT_AIO,
    [SYS_io_submit] = WAIT_AIO,
    [SYS_semop] = WAIT_SEMAPHORE,
    [SYS_semtimedop] = WAIT_SEMAPHORE,
    [SYS_msgrcv] = WAIT_MESSAGE,
    [SYS_msgsnd] = WAIT_MESSAGE,
    [SYS_mq_timedreceive] = WAIT_MESSAGE,
    [SYS_mq_timedsend] = WAIT_MESSAGE,
    [SYS_membarrier] = WAIT_MEMBARRIER,
    [SYS_mount] = WAIT_MOUNT,
    [SYS_umount2] = WAIT_MOUNT,
    [SYS_bpf] = WAIT_BPF,
    [SYS_perf_event_open] = WAIT_PERF,
#ifdef SYS_open
    [SYS_open] = WAIT_OPEN,
    [SYS_creat] = WAIT_OPEN,
    [SYS_stat] = WAIT_STAT,
    [SYS_lstat] = WAIT_STAT,
    [SYS_access] = WAIT_STAT,
    [SYS_readlink] = WAIT_STAT,
    [SYS_getdents] = WAIT_FOLDER,
    [SYS_mkdir] = WAIT_FOLDER,
    [SYS_rmdir] = WAIT_FOLDER,
    [SYS_rename] = WAIT_RENAME,
    [SYS_unlink] = WAIT_UNLINK,
    [SYS_poll] = WAIT_POLL,
    [SYS_select] = WAIT_SELECT,
    [SYS_epoll_wait] = WAIT_EPOLL,
    [SYS_pause] = WAIT_SIGNAL,
    [SYS_fork] = WAIT_FORK,
    [SYS_vfork] = WAIT_FORK,
#endif
};

static enum wait_call wait_of_file(unsigned file, bool is_read)
{
    switch (file & S_IFMT) {
    case S_IFIFO:
        return is_read ? WAIT_PIPE_READ : WAIT_PIPE_WRITE;
    case S_IFSOCK:
        return is_read ? WAIT_RECEIVE : WAIT_SEND;
    case S_IFREG:
    case S_IFDIR:
        return is_read ? WAIT_FILE_READ : WAIT_FILE_WRITE;
    case S_IFCHR:
    case S_IFBLK:
        return is_read ? WAIT_DEVICE_READ : WAIT_DEVICE_WRITE;
    default: /* those of no file system have no kind */
        return is_read ? WAIT_EVENT_READ : WAIT_EVENT_WRITE;
    }
}

enum wait_call wait_of_call(int64_t call, unsigned file)
{
    if (call == CALL_NONE)
        return WAIT_PAGE_FAULT;
    if (call < 0)
        return WAIT_NOT_KNOWN;
    const unsigned wait = (uint64_t)call < sizeof calls ? calls[call] : WAIT_NOT_KNOWN;
    if (wait >= READS)
        return wait_of_file(file, wait == READS);
    return wait == WAIT_NOT_KNOWN ? WAIT_OTHER_CALL : (enum wait_call)wait;
}
