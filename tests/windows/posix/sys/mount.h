#ifndef TESTS_WINDOWS_POSIX_SYS_MOUNT_H
#define TESTS_WINDOWS_POSIX_SYS_MOUNT_H

enum { MS_RDONLY = 1 };
#define mount(from, to, kind, flags, data) posix_lacks("a file system of its own")
#define umount(path)                       ((void)(path))

#endif
