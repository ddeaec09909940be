#include "collectors/linux/status.h"

#include <errno.h>
#include <stddef.h>

/* Sorted by nothing: errors are rare, and the first rows are the most frequent ones. */
static const struct {
    int error;
    uint32_t status;
} rows[] = {
    {EAGAIN, 0xc000022d},       /* STATUS_RETRY */
    {ENOENT, 0xc0000034},       /* STATUS_OBJECT_NAME_NOT_FOUND */
    {EINTR, 0xc0000120},        /* STATUS_CANCELLED */
    {ETIMEDOUT, 0xc00000b5},    /* STATUS_IO_TIMEOUT */
    {EINVAL, 0xc000000d},       /* STATUS_INVALID_PARAMETER */
    {EACCES, 0xc0000022},       /* STATUS_ACCESS_DENIED */
    {EPERM, 0xc0000061},        /* STATUS_PRIVILEGE_NOT_HELD */
    {EBADF, 0xc0000008},        /* STATUS_INVALID_HANDLE */
    {EEXIST, 0xc0000035},       /* STATUS_OBJECT_NAME_COLLISION */
    {ENOTDIR, 0xc0000103},      /* STATUS_NOT_A_DIRECTORY */
    {EISDIR, 0xc00000ba},       /* STATUS_FILE_IS_A_DIRECTORY */
    {ENOTEMPTY, 0xc0000101},    /* STATUS_DIRECTORY_NOT_EMPTY */
    {ENXIO, 0xc000000e},        /* STATUS_NO_SUCH_DEVICE */
    {ENODEV, 0xc000000e},       /* STATUS_NO_SUCH_DEVICE */
    {EIO, 0xc0000185},          /* STATUS_IO_DEVICE_ERROR */
    {ENOSPC, 0xc000007f},       /* STATUS_DISK_FULL */
    {EDQUOT, 0xc0000044},       /* STATUS_QUOTA_EXCEEDED */
    {EROFS, 0xc00000a2},        /* STATUS_MEDIA_WRITE_PROTECTED */
    {EFBIG, 0xc0000904},        /* STATUS_FILE_TOO_LARGE */
    {EXDEV, 0xc00000d4},        /* STATUS_NOT_SAME_DEVICE */
    {EMFILE, 0xc000011f},       /* STATUS_TOO_MANY_OPENED_FILES */
    {ENFILE, 0xc000011f},       /* STATUS_TOO_MANY_OPENED_FILES */
    {EMLINK, 0xc0000265},       /* STATUS_TOO_MANY_LINKS */
    {ENAMETOOLONG, 0xc0000106}, /* STATUS_NAME_TOO_LONG */
    {ETXTBSY, 0xc0000043},      /* STATUS_SHARING_VIOLATION */
    {EFAULT, 0xc0000005},       /* STATUS_ACCESS_VIOLATION */
    {ENOMEM, 0xc0000017},       /* STATUS_NO_MEMORY */
    {ENOSYS, 0xc0000002},       /* STATUS_NOT_IMPLEMENTED */
    {EOPNOTSUPP, 0xc00000bb},   /* STATUS_NOT_SUPPORTED */
    {ENOTTY, 0xc0000010},       /* STATUS_INVALID_DEVICE_REQUEST */
    {EPIPE, 0xc000014b},        /* STATUS_PIPE_BROKEN */
    {ESPIPE, 0xc0000010},       /* STATUS_INVALID_DEVICE_REQUEST */
    {ESRCH, 0xc000000b},        /* STATUS_INVALID_CID */
    {EDEADLK, 0xc0000194},      /* STATUS_POSSIBLE_DEADLOCK */
    {ECANCELED, 0xc0000120},    /* STATUS_CANCELLED */
    {EOVERFLOW, 0xc0000095},    /* STATUS_INTEGER_OVERFLOW */
    {ENODATA, 0xc0000225},      /* STATUS_NOT_FOUND */
    {ECONNREFUSED, 0xc0000236}, /* STATUS_CONNECTION_REFUSED */
    {ECONNRESET, 0xc000020d},   /* STATUS_CONNECTION_RESET */
    {ECONNABORTED, 0xc0000241}, /* STATUS_CONNECTION_ABORTED */
    {EHOSTUNREACH, 0xc000023d}, /* STATUS_HOST_UNREACHABLE */
    {ENETUNREACH, 0xc000023c},  /* STATUS_NETWORK_UNREACHABLE */
    {EADDRINUSE, 0xc000020a},   /* STATUS_ADDRESS_ALREADY_EXISTS */
    {ENOTCONN, 0xc000020c},     /* STATUS_CONNECTION_DISCONNECTED */
};

uint32_t status_of_result(int64_t result)
{
    enum { ERRORS = 4095 }; /* the kernel's own range; below are addresses and offsets */
    enum { RESTARTS_FIRST = 512, RESTARTS_LAST = 516 }; /* by a signal: no program sees these */
    const uint32_t OTHER = 0xc000c000, USER_APC = 0xc0;
    if (result <= -RESTARTS_FIRST && result >= -RESTARTS_LAST)
        return USER_APC;
    if (result >= 0 || result < -ERRORS)
        return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].error == -result)
            return rows[i].status;
    return OTHER + (uint32_t)-result;
}
