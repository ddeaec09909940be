/* The system calls that the file domain reads, and how: a row each.
 *
 * X(name, kind, type, fields): `name` as in syscalls:sys_enter_NAME; `kind` says who handles it;
 * `type` is the FileIo event it becomes; `fields` are the names of its arguments in the order of
 * enum call_field, NONE where it has none. Calls that open or close, or act on a descriptor, do
 * so by number; those that take a path give only its address away. */
#ifndef COLLECTORS_LINUX_TRANSLATE_FILE_CALLS_H
#define COLLECTORS_LINUX_TRANSLATE_FILE_CALLS_H

#define NONE "?none"
#define FIELDS(fd, size, offset, flags, fd2) \
    {                                        \
        fd, size, offset, flags, fd2         \
    }

/* Of calls with two descriptors FD is what is read, FD2 what is written; of those that take a
 * path relative to a directory, FD2 is the directory. */
enum call_field { CALL_FD, CALL_SIZE, CALL_OFFSET, CALL_FLAGS, CALL_FD2 };

enum call_kind {
    KIND_OPEN,        /* a path becomes a descriptor */
    KIND_TRANSFER,    /* size bytes of a descriptor, at offset or where it stands */
    KIND_COPY,        /* from one descriptor to another */
    KIND_ON_FILE,     /* anything else that is done to a descriptor's file */
    KIND_ON_PATH,     /* … to the file of a path */
    KIND_CLOSE, KIND_CLOSE_RANGE,
    KIND_DUPLICATE, KIND_DUPLICATE_TO, KIND_CONTROL, /* dup; dup2, dup3; fcntl */
    KIND_SEEK,
    KIND_NO_FILE,     /* gives a descriptor that is no file */
};

#define FILE_CALLS(X)                                                                              \
    X(open, KIND_OPEN, FILE_CREATE, FIELDS(NONE, NONE, NONE, "flags", NONE))                       \
    X(openat, KIND_OPEN, FILE_CREATE, FIELDS(NONE, NONE, NONE, "flags", "dfd"))                    \
    X(openat2, KIND_OPEN, FILE_CREATE, FIELDS(NONE, NONE, NONE, NONE, "dfd"))                      \
    X(creat, KIND_OPEN, FILE_CREATE, FIELDS(NONE, NONE, NONE, NONE, NONE))                         \
    X(read, KIND_TRANSFER, FILE_READ, FIELDS("fd", "count", NONE, NONE, NONE))                     \
    X(pread64, KIND_TRANSFER, FILE_READ, FIELDS("fd", "count", "pos", NONE, NONE))                 \
    X(readv, KIND_TRANSFER, FILE_READ, FIELDS("fd", NONE, NONE, NONE, NONE))                       \
    X(preadv, KIND_TRANSFER, FILE_READ, FIELDS("fd", NONE, "pos_l", NONE, NONE))                   \
    X(preadv2, KIND_TRANSFER, FILE_READ, FIELDS("fd", NONE, "pos_l", NONE, NONE))                  \
    X(write, KIND_TRANSFER, FILE_WRITE, FIELDS("fd", "count", NONE, NONE, NONE))                   \
    X(pwrite64, KIND_TRANSFER, FILE_WRITE, FIELDS("fd", "count", "pos", NONE, NONE))               \
    X(writev, KIND_TRANSFER, FILE_WRITE, FIELDS("fd", NONE, NONE, NONE, NONE))                     \
    X(pwritev, KIND_TRANSFER, FILE_WRITE, FIELDS("fd", NONE, "pos_l", NONE, NONE))                 \
    X(pwritev2, KIND_TRANSFER, FILE_WRITE, FIELDS("fd", NONE, "pos_l", NONE, NONE))                \
    X(sendfile64, KIND_COPY, FILE_READ, FIELDS("in_fd", "count", NONE, NONE, "out_fd"))            \
    X(copy_file_range, KIND_COPY, FILE_READ, FIELDS("fd_in", "len", NONE, NONE, "fd_out"))         \
    X(close, KIND_CLOSE, FILE_CLOSE, FIELDS("fd", NONE, NONE, NONE, NONE))                         \
    X(close_range, KIND_CLOSE_RANGE, FILE_CLOSE, FIELDS("fd", "max_fd", NONE, "flags", NONE))      \
    X(fsync, KIND_ON_FILE, FILE_FLUSH, FIELDS("fd", NONE, NONE, NONE, NONE))                       \
    X(fdatasync, KIND_ON_FILE, FILE_FLUSH, FIELDS("fd", NONE, NONE, NONE, NONE))                   \
    X(sync_file_range, KIND_ON_FILE, FILE_FLUSH, FIELDS("fd", NONE, NONE, NONE, NONE))             \
    X(getdents, KIND_ON_FILE, FILE_DIR_ENUM, FIELDS("fd", "count", NONE, NONE, NONE))              \
    X(getdents64, KIND_ON_FILE, FILE_DIR_ENUM, FIELDS("fd", "count", NONE, NONE, NONE))            \
    X(ftruncate, KIND_ON_FILE, FILE_SET_INFO, FIELDS("fd", NONE, "length", NONE, NONE))            \
    X(fallocate, KIND_ON_FILE, FILE_SET_INFO, FIELDS("fd", NONE, "len", NONE, NONE))               \
    X(fchmod, KIND_ON_FILE, FILE_SET_INFO, FIELDS("fd", NONE, NONE, NONE, NONE))                   \
    X(fchown, KIND_ON_FILE, FILE_SET_INFO, FIELDS("fd", NONE, NONE, NONE, NONE))                   \
    X(newfstat, KIND_ON_FILE, FILE_QUERY_INFO, FIELDS("fd", NONE, NONE, NONE, NONE))               \
    X(fstatfs, KIND_ON_FILE, FILE_QUERY_INFO, FIELDS("fd", NONE, NONE, NONE, NONE))                \
    X(ioctl, KIND_ON_FILE, FILE_FS_CONTROL, FIELDS("fd", NONE, NONE, "cmd", NONE))                 \
    X(unlink, KIND_ON_PATH, FILE_DELETE, FIELDS(NONE, NONE, NONE, NONE, NONE))                     \
    X(unlinkat, KIND_ON_PATH, FILE_DELETE, FIELDS(NONE, NONE, NONE, NONE, "dfd"))                  \
    X(rmdir, KIND_ON_PATH, FILE_DELETE, FIELDS(NONE, NONE, NONE, NONE, NONE))                      \
    X(rename, KIND_ON_PATH, FILE_RENAME, FIELDS(NONE, NONE, NONE, NONE, NONE))                     \
    X(renameat, KIND_ON_PATH, FILE_RENAME, FIELDS(NONE, NONE, NONE, NONE, "olddfd"))               \
    X(renameat2, KIND_ON_PATH, FILE_RENAME, FIELDS(NONE, NONE, NONE, NONE, "olddfd"))              \
    X(mkdir, KIND_ON_PATH, FILE_CREATE, FIELDS(NONE, NONE, NONE, NONE, NONE))                      \
    X(mkdirat, KIND_ON_PATH, FILE_CREATE, FIELDS(NONE, NONE, NONE, NONE, "dfd"))                   \
    X(mknod, KIND_ON_PATH, FILE_CREATE, FIELDS(NONE, NONE, NONE, NONE, NONE))                      \
    X(mknodat, KIND_ON_PATH, FILE_CREATE, FIELDS(NONE, NONE, NONE, NONE, "dfd"))                   \
    X(symlink, KIND_ON_PATH, FILE_CREATE, FIELDS(NONE, NONE, NONE, NONE, NONE))                    \
    X(symlinkat, KIND_ON_PATH, FILE_CREATE, FIELDS(NONE, NONE, NONE, NONE, "newdfd"))              \
    X(link, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))                     \
    X(linkat, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, "flags", "olddfd"))            \
    X(truncate, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, "length", NONE, NONE))             \
    X(chmod, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))                    \
    X(fchmodat, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, NONE, "dfd"))                \
    X(fchmodat2, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, "flags", "dfd"))            \
    X(chown, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))                    \
    X(lchown, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))                   \
    X(fchownat, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, "flag", "dfd"))              \
    X(utimensat, KIND_ON_PATH, FILE_SET_INFO, FIELDS(NONE, NONE, NONE, "flags", "dfd"))            \
    X(newstat, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))                \
    X(newlstat, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))               \
    X(newfstatat, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, "flag", "dfd"))          \
    X(statx, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, "flags", "dfd"))              \
    X(access, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))                 \
    X(faccessat, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, NONE, "dfd"))             \
    X(faccessat2, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, "flags", "dfd"))         \
    X(readlink, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))               \
    X(readlinkat, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, NONE, "dfd"))            \
    X(statfs, KIND_ON_PATH, FILE_QUERY_INFO, FIELDS(NONE, NONE, NONE, NONE, NONE))                 \
    X(dup, KIND_DUPLICATE, 0, FIELDS("fildes", NONE, NONE, NONE, NONE))                            \
    X(dup2, KIND_DUPLICATE_TO, 0, FIELDS("oldfd", NONE, NONE, NONE, "newfd"))                      \
    X(dup3, KIND_DUPLICATE_TO, 0, FIELDS("oldfd", NONE, NONE, "flags", "newfd"))                   \
    X(fcntl, KIND_CONTROL, 0, FIELDS("fd", "cmd", "arg", NONE, NONE))                              \
    X(lseek, KIND_SEEK, 0, FIELDS("fd", NONE, NONE, NONE, NONE))

/* Of these only the end matters. */
#define NO_FILE_CALLS(X)                                                                           \
    X(socket, KIND_NO_FILE, 0, )                                                                   \
    X(accept, KIND_NO_FILE, 0, )                                                                   \
    X(accept4, KIND_NO_FILE, 0, )                                                                  \
    X(epoll_create1, KIND_NO_FILE, 0, )                                                            \
    X(eventfd2, KIND_NO_FILE, 0, )                                                                 \
    X(timerfd_create, KIND_NO_FILE, 0, )

#endif
