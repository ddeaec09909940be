/* What our BPF programs are to know of system calls, by their numbers on this machine. For bpf.c
 * alone, which fills the programs' tables with it. */
#ifndef COLLECTORS_LINUX_BPF_CALLS_H
#define COLLECTORS_LINUX_BPF_CALLS_H

#include <stdint.h>
#include <sys/syscall.h>

struct call_form {
    uint16_t call;
    uint8_t form;
};

/* Which argument is the path of the calls that take one, and which the descriptor of the folder that
 * it is relative to; counted from 1, 0: it is the process's. */
#define BESIDE(folder, path) ((folder) << 4 | (path))
static const struct call_form path_calls[] = {
    {SYS_openat, BESIDE(1, 2)},
    {SYS_openat2, BESIDE(1, 2)},
    {SYS_unlinkat, BESIDE(1, 2)},
    {SYS_mkdirat, BESIDE(1, 2)},
    {SYS_renameat, BESIDE(1, 2)},
    {SYS_renameat2, BESIDE(1, 2)},
    {SYS_fchmodat, BESIDE(1, 2)},
    {SYS_fchownat, BESIDE(1, 2)},
    {SYS_newfstatat, BESIDE(1, 2)},
    {SYS_statx, BESIDE(1, 2)},
    {SYS_faccessat, BESIDE(1, 2)},
    {SYS_faccessat2, BESIDE(1, 2)},
    {SYS_utimensat, BESIDE(1, 2)},
    {SYS_readlinkat, BESIDE(1, 2)},
    {SYS_mknodat, BESIDE(1, 2)},
    {SYS_linkat, BESIDE(1, 2)},
    {SYS_symlinkat, BESIDE(2, 3)},
    {SYS_truncate, 1},
#ifdef SYS_open /* machines that Linux came to later, such as aarch64, never had these */
    {SYS_open, 1},
    {SYS_creat, 1},
    {SYS_unlink, 1},
    {SYS_rmdir, 1},
    {SYS_mkdir, 1},
    {SYS_rename, 1},
    {SYS_chmod, 1},
    {SYS_chown, 1},
    {SYS_symlink, 2},
    {SYS_lchown, 1},
    {SYS_stat, 1},
    {SYS_lstat, 1},
    {SYS_access, 1},
    {SYS_mknod, 1},
    {SYS_link, 1},
    {SYS_readlink, 1},
#endif
};

/* Which argument is the socket, which its flags; MANY: it returns the number of messages. */
#define MANY                 0x80
#define SOCKET(socket, flags) ((flags) << 4 | (socket))
static const struct call_form send_calls[] = {
    {SYS_write, SOCKET(1, 0)},   {SYS_writev, SOCKET(1, 0)},   {SYS_sendto, SOCKET(1, 4)},
    {SYS_sendmsg, SOCKET(1, 3)}, {SYS_sendfile, SOCKET(1, 0)}, {SYS_sendmmsg, MANY | SOCKET(1, 4)},
    {SYS_splice, SOCKET(3, 0)},  {SYS_pwritev2, SOCKET(1, 0)},
};
static const struct call_form receive_calls[] = {
    {SYS_read, SOCKET(1, 0)},    {SYS_readv, SOCKET(1, 0)},  {SYS_recvfrom, SOCKET(1, 4)},
    {SYS_recvmsg, SOCKET(1, 3)}, {SYS_splice, SOCKET(1, 0)}, {SYS_recvmmsg, MANY | SOCKET(1, 4)},
    {SYS_preadv2, SOCKET(1, 0)},
};

#undef BESIDE
#undef MANY
#undef SOCKET

#endif
